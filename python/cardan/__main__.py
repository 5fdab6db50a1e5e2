"""The command `cardan`: `python -m cardan run model.mbs`."""

from __future__ import annotations

import sys

from cardan import _cardan


def run_command(words: list[str]) -> int:
    """Runs a command line without the name of the command; its exit code."""
    return _cardan.command(words, [sys.executable, "-m", "cardan"], _cardan.__file__ or "")


def main() -> None:
    """The entry point of the script that comes with the package."""
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
