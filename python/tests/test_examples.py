"""The examples run, as scripts and as notebooks."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from notebooks import notebook

EXAMPLES = Path(__file__).parents[1] / "examples"
NEEDED = {
    "first_steps": [],
    "control_design": ["control"],
    "swing_up": ["casadi"],
    "reinforcement_learning": ["gymnasium"],
    "parameter_fit": ["scipy"],
    "monte_carlo": ["distributed"],
}


def test_every_example_is_known() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDED)


@pytest.mark.parametrize("name", NEEDED)
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    missing = [package for package in NEEDED[name] if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")
    script = EXAMPLES / f"{name}.py"
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("name", NEEDED)
def test_its_notebook_is_the_script(name: str) -> None:
    made = notebook((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    written = (EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8")
    assert written == made, "run `python tests/notebooks.py examples/*.py`"
