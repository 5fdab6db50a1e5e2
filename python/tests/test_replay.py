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


def _accepted(name: str, replayed: Callable[[cardan.Model, Any, Any], Any]) -> None:
    """The replay of a model is its right-hand side to rounding, or the model is refused in words."""
    model = cardan.load(MODELS / f"{name}.mbs")
    x = model.start() + 0.01 * np.sin(np.arange(len(model.states)))
    u = np.sin(1.0 + np.arange(len(model.inputs)))
    try:
        found = np.array(replayed(model, x, u), dtype=float).ravel()
    except cardan.ModelError as refused:
        assert "`lookup` of the program cannot be replayed" in str(refused)
        assert name in ("cam-gear", "coaster"), "only tables are refused"
        return
    wanted = model.rhs(0.1, x, u)
    assert np.abs(found - wanted).max() <= 1e-13 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ALL)
def test_casadi_replays_every_model(name: str) -> None:
    pytest.importorskip("casadi")
    _accepted(
        name, lambda model, x, u: model.to_casadi()(0.1, x, u, parameter_values(model)).full()
    )


@pytest.mark.parametrize("name", ALL)
def test_jax_replays_every_model(name: str) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    _accepted(name, lambda model, x, u: model.to_jax()(0.1, x, u))


def test_jax_takes_the_inputs_of_the_model_where_none_are_given() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    model = cardan.compile(
        "input F [N] = 3\nparticle p on N by translate(x = x) { mass = 2 [kg] }\nforce f on p.cm = F * N.x"
    )
    assert np.allclose(model.to_jax()(0.0, [0.0, 0.0]), [0.0, 1.5])
