"""Exceptions of a witness: the input is invalid, or the library cannot express the case."""


class Refused(Exception):
    """The input is invalid."""


class Skipped(Exception):
    """The library cannot express the case."""


def require(holds, why):
    if not holds:
        raise Refused(why)
