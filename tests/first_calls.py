"""Make the first calls of a process, and print what they took: first_calls.py STEP...

Prints JSON: seconds of the import and of each step of the warm-up (of the CPU, so that
what else runs here doesn't count), which kernels were compiled, which layers they came
from, and the results.
"""

import json
import sys
import time

started = time.process_time()
import cvscore  # noqa: E402

seconds = {"import": time.process_time() - started}

from numba.core import event  # noqa: E402

from cvscore._numba.compile import kernels  # noqa: E402
from cvscore.cli.warmup import steps  # noqa: E402


class Listener(event.Listener):
    def __init__(self):
        self.compiled = []

    def on_start(self, event):
        self.compiled.append(str(event.data["dispatcher"].py_func))

    def on_end(self, event):
        pass


def main(labels):
    listener = Listener()
    event.register("numba:compile", listener)
    results = {}
    for label, step in steps():
        if labels and label not in labels:
            continue
        begin = time.process_time()
        found = step()
        seconds[label] = time.process_time() - begin
        if isinstance(found, cvscore.Estimate):
            model, inliers = found.model.tolist(), found.inliers.tolist()
            results[label] = {"model": model, "inliers": inliers}
    layers = {layer for each in kernels for layer in each._cache.layers.values()}
    print(
        json.dumps(
            {
                "file": cvscore.__file__,
                "seconds": seconds,
                "compiled": listener.compiled,
                "layers": sorted(layers),
                "results": results,
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1:])
