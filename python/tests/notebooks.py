"""Scripts in the percent format as notebooks: `python tests/notebooks.py examples/*.py`.

A line `# %%` begins a cell of code, `# %% [markdown]` a cell of text whose lines begin with `# `.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_CELL = "# %%"


def cells(script: str) -> list[tuple[str, str]]:
    """The cells of a script: markdown or code, and the text."""
    found: list[tuple[str, list[str]]] = []
    for line in script.splitlines():
        if line.startswith(_CELL):
            found.append(("markdown" if "[markdown]" in line else "code", []))
        elif found:
            kind, lines = found[-1]
            lines.append(line.removeprefix("#").removeprefix(" ") if kind == "markdown" else line)
    return [(kind, "\n".join(lines).strip("\n")) for kind, lines in found]


def notebook(script: str) -> str:
    """A script as a notebook of Jupyter (format 4.5)."""

    def cell(k: int, kind: str, text: str) -> dict[str, Any]:
        made = {"cell_type": kind, "id": f"cell-{k}", "metadata": {}, "source": text.splitlines(True)}
        return made if kind == "markdown" else {**made, "execution_count": None, "outputs": []}

    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {
        "cells": [cell(k, kind, text) for k, (kind, text) in enumerate(cells(script))],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Writes a notebook beside each script that is named."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.with_suffix(".ipynb").write_text(
            notebook(path.read_text(encoding="utf-8")), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
