"""The program's text, replayed by NumPy, is the right-hand side."""

from collections.abc import Callable, Sequence
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


ALL = sorted(path.stem for path in MODELS.glob("*.mbs"))


def _accepted(name: str, replayed: Callable[[cardan.Model, Any], Any]) -> None:
    """The replay of a model is its right-hand side to rounding, or the model is refused in words."""
    model = cardan.load(MODELS / f"{name}.mbs")
    x = model.start() + 0.01 * np.sin(np.arange(len(model.states)))
    try:
        found = np.array(replayed(model, x), dtype=float).ravel()
    except cardan.ModelError as refused:
        assert "replayed" in str(refused)
        return
    wanted = model.rhs(0.1, x)
    assert np.abs(found - wanted).max() <= 1e-13 * _condition(model, x) * np.abs(wanted).max()


def _condition(model: cardan.Model, x: Any) -> float:
    """Rounding of the mass matrix grows by its condition where linear systems are solved otherwise."""
    mass = model.mass_matrix(0.1, x)
    return max(1.0, float(np.linalg.cond(mass)) / 100) if mass.size else 1.0


@pytest.mark.parametrize("name", ALL)
def test_casadi_replays_every_model(name: str) -> None:
    pytest.importorskip("casadi")
    _accepted(
        name, lambda model, x: model.to_casadi()(0.1, x, [], parameter_values(model)).full()
    )


@pytest.mark.parametrize("name", [n for n in ALL if n in ("pendulum", "heavy-top", "four-bar")])
def test_jax_replays(name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    _accepted(name, lambda model, x: model.to_jax()(0.1, x))
