"""The page of the book about Python is true: its blocks run one after the other."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "book/src/start/python.md"


def test_the_blocks_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert len(blocks) == 5 and (tmp_path / "phi.svg").exists()
