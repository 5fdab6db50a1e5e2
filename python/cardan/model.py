"""Models: from a text to motions and answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan import _cardan
from cardan._cardan import ModelError
from cardan.analyses import Check, Equilibrium, Linear, Modes
from cardan.equations import Equations
from cardan.findings import Finding
from cardan.motion import Motion
from cardan.session import Session

if TYPE_CHECKING:
    from cardan.replay import SymbolicField

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Quantity:
    """A named quantity in SI units."""

    name: str
    unit: str
    description: str


@dataclass(frozen=True)
class Parameter:
    """A parameter; `value` is None where one must be given."""

    name: str
    value: float | None
    unit: str
    description: str


def compile(text: str, name: str = "model.mbs", inputs: Iterable[str] = ()) -> Model:
    """The model of a text. The ending of `name` tells its language: .mbs, .urdf, .mjcf, .lsp.

    `inputs` names the inputs u of `rhs`, `jacobian` and `linearize`; those of the text if empty.
    Raises `TextError` with the place of the first mistake.
    """
    return Model(_cardan.compile(text, name, list(inputs)))


def load(path: str | PathLike[str], inputs: Iterable[str] = ()) -> Model:
    """The model of a file: cardan's own language, URDF, MJCF or AUTOSIM by its ending."""
    return Model(_cardan.load(fspath(path), list(inputs)))


def check(text: str, name: str = "model.mbs") -> list[Finding]:
    """All findings about a text: errors, warnings, notes."""
    return [Finding.of(raw) for raw in _cardan.check(text, name)]


def _restored(text: str, source: str, inputs: list[str], given: list[tuple[str, float]]) -> Model:
    raw = _cardan.compile(text, source, inputs)
    return Model(raw.set(given) if given else raw)


def _one(model: Model, values: dict[str, float], settings: dict[str, Any]) -> Motion:
    return model.set(values).run(**settings)


class Model:
    """A mechanical system. It never changes, and threads may share it."""

    __slots__ = ("_raw",)

    def __init__(self, raw: _cardan.Model) -> None:
        self._raw = raw

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[Any, ...]]:
        raw = self._raw
        return _restored, (raw.text, raw.source, raw.inputs, raw.given)

    def __repr__(self) -> str:
        q, u, s = self._raw.sizes()
        return f"<Model {self.name}: {q} coordinates, {u} speeds, {s} auxiliary states>"

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self._raw.name

    @property
    def description(self) -> str:
        """For people; may be empty."""
        return self._raw.description

    @property
    def text(self) -> str:
        """The text that it was made of."""
        return self._raw.text

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return {row[0]: Parameter(*row) for row in self._raw.parameters()}

    @property
    def states(self) -> list[Quantity]:
        """Coordinates, speeds and auxiliary states in the order of x."""
        return [Quantity(*row) for row in self._raw.states()]

    @property
    def inputs(self) -> list[str]:
        """The inputs in the order of u: those of the text, or the parameters that were named."""
        return self._raw.inputs

    @property
    def outputs(self) -> list[Quantity]:
        """The outputs."""
        return [Quantity(*row) for row in self._raw.outputs()]

    @property
    def bodies(self) -> list[str]:
        """The names of the bodies."""
        return self._raw.bodies()

    def set(self, values: Mapping[str, float | str] | None = None, /, **more: float | str) -> Model:
        """The same model with other values of parameters, or starts of states.

        A number is in SI units; a text has its unit: `model.set(L=2, k="3 [N/mm]")`. Names with
        dots come in a dictionary: `model.set({"arm.mass": 2})`.
        """
        given = {**(values or {}), **more}
        pairs = [
            (name, _cardan.quantity(value) if isinstance(value, str) else float(value))
            for name, value in given.items()
        ]
        return Model(self._raw.set(pairs))

    def start(self, t: float = 0.0) -> Array:
        """The state x at the start, with loops closed."""
        return self._raw.start(t)

    def run(
        self,
        to: float | None = None,
        every: float | None = None,
        *,
        begin: float | None = None,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        step: float | None = None,
        max_step: float | None = None,
        constraints: str | None = None,
        strict: bool = False,
    ) -> Motion:
        """A motion as the `simulate` block of the text asks, with the settings given here.

        A motion that fails on the way is a motion with a `reason`; `strict` raises `ModelError`.
        """
        asked = {
            "to": to,
            "every": every,
            "begin": begin,
            "method": method,
            "rtol": rtol,
            "atol": atol,
            "step": step,
            "max_step": max_step,
            "constraints": constraints,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        motion = Motion(self._raw.run(given))
        if strict and motion.ending == "failed":
            raise ModelError(motion.reason)
        return motion

    def session(
        self,
        *,
        begin: float | None = None,
        method: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> Session:
        """A motion that is advanced piece by piece, with inputs that change between the pieces."""
        asked = {"begin": begin, "method": method, "rtol": rtol, "atol": atol}
        given = {name: value for name, value in asked.items() if value is not None}
        return Session(self._raw.session(given), self.inputs)

    def sweep(
        self, values: Mapping[str, Iterable[float]], *, executor: Any = None, **settings: Any
    ) -> Iterator[tuple[dict[str, float], Motion]]:
        """Motions for all combinations of values, one after the other as they are asked for.

        An `executor` with `submit`, such as a Dask client or a pool of processes, computes them
        beside one another; they come in the order of the combinations all the same.
        """
        names = list(values)
        points = [dict(zip(names, p, strict=True)) for p in itertools.product(*values.values())]
        if executor is None:
            for point in points:
                yield point, _one(self, point, settings)
        else:
            futures = [executor.submit(_one, self, point, settings) for point in points]
            for point, future in zip(points, futures, strict=True):
                yield point, future.result()

    def rhs(
        self, t: float, x: ArrayLike, u: ArrayLike | None = None, out: Array | None = None
    ) -> Array:
        """dx/dt at a state; written to `out` if that is given. Discrete states have their start."""
        return self._raw.rhs(t, x, u, out)

    def jacobian(self, t: float, x: ArrayLike) -> tuple[Array, Array]:
        """The exact derivatives of `rhs` by x and by u."""
        by_states, by_inputs = self._raw.jacobian(t, x)
        return by_states, by_inputs

    def mass_matrix(self, t: float, x: ArrayLike) -> Array:
        """The mass matrix of all speeds at a state."""
        return self._raw.mass_matrix(t, x)

    def inverse(
        self,
        t: float,
        x: ArrayLike,
        accelerations: ArrayLike,
        actuators: Iterable[str] | None = None,
    ) -> tuple[Array, float]:
        """The forces that give accelerations, and the largest force that they cannot provide.

        Forces act along the speeds (or coordinates) named by `actuators`; all of them if nothing.
        """
        names = None if actuators is None else list(actuators)
        return self._raw.inverse(t, x, accelerations, names)

    def linearize(
        self, t: float = 0.0, x: ArrayLike | None = None, keep: Iterable[str] = ()
    ) -> Linear:
        """Linear equations about a state; about the start if none is given."""
        return Linear.of(self._raw.linearize(t, x, list(keep), False))

    def modes(self, t: float = 0.0, x: ArrayLike | None = None) -> Modes:
        """Modes of small motion about a state; about the start if none is given."""
        return Modes.of(self._raw.linearize(t, x, [], True))

    def equilibrium(self, t: float = 0.0, stable: bool = False) -> Equilibrium:
        """An equilibrium near the start; `stable` rolls downhill."""
        return Equilibrium.of(self._raw.equilibrium(t, stable))

    def verify(self, points: int = 20) -> list[Check]:
        """Independent checks of the model along its motion."""
        return [Check(*row) for row in self._raw.verify(points)]

    def emit(
        self,
        target: str,
        what: Iterable[str] = ("derivatives", "outputs"),
        fix: Iterable[str] | None = None,
    ) -> dict[str, str | bytes]:
        """Source code in a language: files by name. `fix` makes parameters numbers, `()` all."""
        return self._raw.emit(target, list(what), None if fix is None else list(fix))

    def equations(self, format: str = "html") -> Equations:
        """A document of the equations: html, latex or rtf. Notebooks show the first."""
        return Equations(self._raw.document(format), format)

    @property
    def program(self) -> str:
        """The program of the equations as text."""
        return self._raw.program()

    def to_casadi(self) -> Any:
        """A `casadi.Function` f(t, x, u, p) -> dx/dt; p are the independent parameters."""
        from cardan.replay import casadi_function

        return casadi_function(self)

    def to_jax(self) -> Callable[..., Any]:
        """A function f(t, x, u, p=values) -> dx/dt that JAX can trace."""
        from cardan.replay import jax_function

        return jax_function(self)

    def to_sympy(self) -> SymbolicField:
        """dx/dt as SymPy expressions, with the symbols t, x, u, p."""
        from cardan.replay import sympy_field

        return sympy_field(self)
