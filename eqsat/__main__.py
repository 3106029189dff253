"""``python -m eqsat``: the same as the command ``eqsat``."""

import sys

from eqsat.cli import main

if __name__ == "__main__":
    sys.exit(main())
