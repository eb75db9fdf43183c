"""`python -m benchmarks`: the paper's experiments."""

import sys

from benchmarks.paper.cli import main

if __name__ == "__main__":
    sys.exit(main())
