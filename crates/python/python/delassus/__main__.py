"""The program `delassus`: `python -m delassus`, or the script that pip installs."""

import sys

from delassus import _native


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(_native.run_program(sys.argv[1:], sys.executable, str(_native.__file__)))


if __name__ == "__main__":
    main()
