"""The program's text, replayed by NumPy, is the right-hand side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cardan
import numpy as np
import pytest
from cardan.replay import _basic, _derivative, parameter_values

MODELS = Path(__file__).parents[2] / "models"


class Numbers:
    """The arithmetic of NumPy."""

    operations = _basic(
        np,
        abs=np.abs,
        asin=np.arcsin,
        acos=np.arccos,
        atan=np.arctan,
        min=np.minimum,
        max=np.maximum,
        atan2=np.arctan2,
        pow=np.power,
        **{"and": np.logical_and, "or": np.logical_or, "not": np.logical_not},
    )

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return np.where(condition, a, b)

    def solve(self, n: int, matrix: Sequence[Any], rhs: Sequence[Any]) -> Sequence[Any]:
        a = np.array(matrix).reshape(n, n)
        return list(np.linalg.solve(a, np.array(rhs).reshape(-1, n).T).T.ravel())


@pytest.mark.parametrize("name", ["pendulum", "double-pendulum", "heavy-top", "six-axis-arm"])
def test_replay_by_numpy_agrees(name: str) -> None:
    model = cardan.load(MODELS / f"{name}.mbs")
    x = model.start() + 0.01 * np.arange(len(model.states))
    found = _derivative(model, Numbers(), 0.1, x, (), parameter_values(model))
    assert np.allclose(np.array(found, dtype=float), model.rhs(0.1, x), rtol=1e-11, atol=1e-11)
