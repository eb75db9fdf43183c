"""Drop-in replacements of cv2's robust functions, without a threshold.

An adapter: it reads a call as the installed cv2 would, asks the native estimators, and
answers in cv2's form.  What has to be answered by cv2 itself goes to cv2: calls that it
rejects (so that the error is its own), methods that are not robust, inputs of minimal
size, for which it returns all solutions, and matches that fix no model, as those of a
repeated video frame, for which it returns one of many.

Accepted here and not, or not everywhere, by cv2:

- points as lists, tuples and lists of cv2.KeyPoint; of any real type (bool, uint32,
  long double); in any byte order, which cv2 misreads; the two images in different
  layouts; 2xN, and grids of points; homogeneous points for the essential matrix, and
  divided by w for the USAC methods too, which ignore it;
- ``maxIters`` by name in every form; as None it is the default and not zero;
- integer and strided points with two cameras; camera matrices of two types; distortion
  for one of two cameras alone;
- any threshold, as it has no effect.

Where there is no model the mask is all zeros (cv2's may be uninitialised, or None).
A mask= of N bytes is filled whatever its shape.
"""

from cvscore.opencv import fisheye, maps_2d
from cvscore.opencv.essential import findEssentialMat
from cvscore.opencv.fundamental import findFundamentalMat
from cvscore.opencv.homography import findHomography
from cvscore.opencv.maps_2d import estimateAffine2D, estimateAffinePartial2D
from cvscore.opencv.maps_3d import estimateAffine3D, estimateTranslation3D
from cvscore.opencv.pnp import solvePnPRansac
from cvscore.opencv.recover_pose import recoverPose

__all__ = [
    "estimateAffine2D",
    "estimateAffine3D",
    "estimateAffinePartial2D",
    "estimateTranslation3D",
    "findEssentialMat",
    "findFundamentalMat",
    "findHomography",
    "fisheye",
    "recoverPose",
    "solvePnPRansac",
]

if maps_2d.HAS_TRANSLATION:
    estimateTranslation2D = maps_2d.estimateTranslation2D
    __all__ += ["estimateTranslation2D"]
