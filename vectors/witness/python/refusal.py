"""How a witness says that an input is wrong, or that its library cannot tell."""


class Refused(Exception):
    """The input is wrong."""


class Skipped(Exception):
    """The library cannot express the case."""


def require(holds, why):
    if not holds:
        raise Refused(why)
