"""`python -m assay_conformance`: replaces this process with the program, so that signals and the exit code are its own."""

import os
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

from . import __version__

# The exit code of `assay` for a harness that failed.
FAILED = 4


def places():
    """Where an installer may have put the program, the most certain place first."""
    try:
        files = metadata.distribution("assay-conformance").files or []
    except metadata.PackageNotFoundError:
        files = []
    yield from (Path(file.locate()) for file in files if file.name == "assay")
    # `pip install --target DIR` writes DIR/bin, and its record does not say so.
    yield Path(__file__).resolve().parent.parent / "bin" / "assay"
    yield Path(sysconfig.get_path("scripts")) / "assay"
    yield Path(sys.executable).parent / "assay"


def main():
    tried = []
    for place in places():
        place = place.resolve()
        if place.is_file():
            try:
                os.execv(place, ["assay", *sys.argv[1:]])
            except OSError as error:
                print(f"assay: {place} does not start: {error.strerror}: install the package for this machine", file=sys.stderr)
                sys.exit(FAILED)
        if str(place) not in tried:
            tried.append(str(place))
    print(
        f"assay: the program of assay-conformance {__version__} is missing; it is not at {', '.join(tried)}. "
        "Install it again: pip install --force-reinstall assay-conformance",
        file=sys.stderr,
    )
    sys.exit(FAILED)


if __name__ == "__main__":
    main()
