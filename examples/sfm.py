"""From images to a sparse model: pycolmap's features and mapping, our verification.

python examples/sfm.py                synthesises twelve views, 30 % of matches wrong
python examples/sfm.py IMAGES/        takes the images of a folder
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pycolmap

from cvscore.colmap import verify_matches

OUTPUT = Path("out/sfm.png")


def synthesise(database_path):
    """Write keypoints and matches of a scene, as a feature matcher would."""
    pycolmap.set_random_seed(1)
    options = pycolmap.SyntheticDatasetOptions()
    options.num_rigs, options.num_frames_per_rig = 1, 12
    options.num_points3D, options.inlier_match_ratio = 400, 0.6
    options.camera_has_prior_focal_length = True
    noise = pycolmap.SyntheticNoiseOptions()
    noise.point2D_stddev = 1.0
    with pycolmap.Database.open(database_path) as database:
        scene = pycolmap.synthesize_dataset(options, database)
        pycolmap.synthesize_noise(noise, scene, database)
        database.clear_two_view_geometries()


def main(folder, work):
    database = work / "database.db"
    if folder is None:
        synthesise(database)
    else:
        pycolmap.extract_features(database, folder)
        pycolmap.match_exhaustive(database, {"skip_geometric_verification": True})
    print(verify_matches(database))
    options = pycolmap.IncrementalPipelineOptions(extract_colors=folder is not None)
    models = pycolmap.incremental_mapping(database, folder or work, work, options)
    model = max(models.values(), key=lambda found: found.num_reg_images())
    print(model.summary(), f"drawn: {OUTPUT}", sep="\n")
    points = np.array([p.xyz for p in model.points3D.values()])
    colours = np.array([p.color for p in model.points3D.values()]) / 255
    cameras = np.array([i.projection_center() for i in model.images.values()])
    axes = plt.figure(figsize=(8, 6)).add_subplot(projection="3d")
    axes.scatter(*points.T, s=4, c=colours, label=f"{len(points)} points")
    axes.scatter(*cameras.T, s=40, c="tab:red", marker="^", label="cameras")
    axes.legend()
    OUTPUT.parent.mkdir(exist_ok=True)
    plt.savefig(OUTPUT, dpi=120)


with tempfile.TemporaryDirectory() as temporary:
    pycolmap.logging.minloglevel = pycolmap.logging.WARNING.value
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None, Path(temporary))
