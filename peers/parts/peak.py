"""What one core can do at most."""

from . import common


def measure():
    [said] = common.lines([common.BENCH / "peak"])
    return said
