"""Finds the program `assay` of this package."""

import sys
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Iterator

from . import __version__


def places() -> Iterator[Path]:
    """Where an installer may have put the program, the most certain place first."""
    try:
        files = metadata.distribution("assay-conformance").files or []
    except metadata.PackageNotFoundError:
        files = []
    yield from (Path(str(file.locate())) for file in files if file.name == "assay")
    # `pip install --target DIR` writes DIR/bin, and its record does not say so.
    yield Path(__file__).resolve().parent.parent / "bin" / "assay"
    yield Path(sysconfig.get_path("scripts")) / "assay"
    yield Path(sys.executable).parent / "assay"


def find() -> Path:
    """The path of the program. It raises FileNotFoundError, which says where the program was expected."""
    tried = []
    for place in places():
        place = place.resolve()
        if place.is_file():
            return place
        if str(place) not in tried:
            tried.append(str(place))
    raise FileNotFoundError(
        f"the program of assay-conformance {__version__} is missing; it is not at {', '.join(tried)}. "
        "Install it again: pip install --force-reinstall assay-conformance"
    )
