"""`python -m alula`: the same as the command `alula`."""

import sys

from alula._internal.cli import main

if __name__ == "__main__":
    sys.exit(main())
