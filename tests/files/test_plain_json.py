"""Numbers that JSON lacks."""

import json

import numpy as np

from cvscore.files.plain_json import plain_json


def test_arrays_are_lists_and_numbers_that_json_lacks_are_null():
    given = {
        "a": np.array([1.0, np.nan, np.inf]),
        "b": np.float32(2),
        "c": (True, None),
    }
    found = {"a": [1, None, None], "b": 2, "c": [True, None]}
    assert json.loads(plain_json(given)) == found
    assert json.loads(plain_json({"deep": [{"x": -np.inf}]})) == {"deep": [{"x": None}]}
