"""`python -m assay_conformance`: replaces this process with the program, so that signals and the exit code are its own."""

import os
import sys

from .program import find

# The exit code of `assay` for a harness that failed.
FAILED = 4


def main() -> None:
    try:
        program = find()
    except FileNotFoundError as missing:
        print(f"assay: {missing}", file=sys.stderr)
        sys.exit(FAILED)
    try:
        os.execv(program, ["assay", *sys.argv[1:]])
    except OSError as error:
        print(f"assay: {program} does not start: {error.strerror}: install the package for this machine", file=sys.stderr)
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
