"""From photographs to a sparse model: features and mapping by pycolmap 4, pairs by us.

python examples/sfm.py                                      twelve synthetic views
python examples/sfm.py PHOTOS/ --output MODEL/ [--max-size 1600] [--global]
"""

import argparse
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from cvscore.colmap import verify_matches  # before pycolmap: docs/colmap.md says why

# isort: split
import pycolmap


def synthesise(database_path):
    pycolmap.set_random_seed(1)
    options = pycolmap.SyntheticDatasetOptions(
        num_rigs=1, num_frames_per_rig=12, num_points3D=400, inlier_match_ratio=0.6
    )
    database_path.unlink(missing_ok=True)
    with pycolmap.Database.open(database_path) as database:
        scene = pycolmap.synthesize_dataset(options, database)
        noise = pycolmap.SyntheticNoiseOptions(point2D_stddev=1.0)
        pycolmap.synthesize_noise(noise, scene, database)
        database.clear_two_view_geometries()


parser = argparse.ArgumentParser(description="Photographs to a sparse model.")
parser.add_argument("photos", type=Path, nargs="?", help="a folder of images")
parser.add_argument("--output", type=Path, default=Path("out/sfm"), help="a folder")
parser.add_argument("--max-size", type=int, default=1600, help="of images, pixels")
parser.add_argument("--global", dest="at_once", action="store_true", help="by GLOMAP")
given = parser.parse_args()
given.output.mkdir(parents=True, exist_ok=True)
photos, database = given.photos or given.output, given.output / "database.db"
pycolmap.logging.minloglevel = pycolmap.logging.ERROR.value
if given.photos:  # a second run goes on where the first was stopped
    size = {"max_image_size": given.max_size}
    pycolmap.extract_features(database, photos, extraction_options=size)
    pycolmap.match_exhaustive(database, {"skip_geometric_verification": True})
else:
    synthesise(database)
print(verify_matches(database))
mapping = pycolmap.global_mapping if given.at_once else pycolmap.incremental_mapping
models = mapping(database, photos, sparse := given.output / "sparse")
if not models:
    sys.exit("no model: too few photographs show the same things")
best, model = max(models.items(), key=lambda found: found[1].num_reg_images())
model.export_PLY(given.output / "points.ply")
axes = plt.figure(figsize=(8, 6)).add_subplot(projection="3d")
axes.scatter(*np.array([p.xyz for p in model.points3D.values()]).T, s=4)
axes.scatter(*np.array([i.projection_center() for i in model.images.values()]).T, c="r")
plt.savefig(given.output / "sfm.png", dpi=120)
print(model.summary(), f"\n{given.output}: sfm.png, points.ply for MeshLab, and for")
print(f"colmap gui --import_path {sparse}/{best} --database_path {database}")
