"""The table of calls, made to cv2 and to cvscore and compared by `test_opencv.py`."""

from opencv_choices import (
    camera_cases,
    mask_cases,
    method_cases,
    params_cases,
    scalar_cases,
)
from opencv_forms import form_cases
from opencv_points import container_cases, count_cases, mixed_layout_cases

CALLS = [
    *container_cases(),
    *mixed_layout_cases(),
    *count_cases(),
    *method_cases(),
    *scalar_cases(),
    *form_cases(),
    *camera_cases(),
    *params_cases(),
    *mask_cases(),
]
