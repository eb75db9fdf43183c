"""``python -m cvscore`` is the ``cvscore`` command."""

import sys

from cvscore.cli import main

if __name__ == "__main__":
    sys.exit(main())
