"""Models: from a text to motions and answers."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan import _cardan
from cardan._cardan import ModelError
from cardan.__main__ import run_command
from cardan.analyses import Check, Equilibrium, Linear, Modes
from cardan.equations import Equations, Page
from cardan.findings import Finding
from cardan.motion import Motion
from cardan.session import Session
from cardan.stepper import Stepper
from cardan.sweep import computed

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


class Model(_cardan.StateFunctions):
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
    def input_ranges(self) -> list[tuple[float, float]]:
        """The ranges of the inputs that the text gives; infinite where there is none."""
        return self._raw.input_ranges()

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
        self,
        values: Mapping[str, Iterable[float]],
        *,
        executor: Any = None,
        keep: Callable[[Motion], Any] | None = None,
        progress: Callable[[int, int], object] | None = None,
        **settings: Any,
    ) -> Iterator[tuple[dict[str, float], Any]]:
        """Motions for all combinations of values, one after the other as they are asked for.

        An `executor` with `submit`, such as a Dask client or a pool of processes, computes them
        beside one another; they come in the order of the combinations all the same. `keep` makes
        of each motion what is kept of it, beside the motion: small results travel fast. A motion
        that fails is a motion with a `reason`; one that cannot be computed at all is told once, as
        a `Lost` in its place. `progress` hears how many of how many are done.
        """
        names = list(values)
        points = [dict(zip(names, p, strict=True)) for p in itertools.product(*values.values())]
        for k, (point, found) in enumerate(
            computed(self, points, settings, executor=executor, keep=keep)
        ):
            if progress is not None:
                progress(k + 1, len(points))
            yield point, found

    def bias(self, t: ArrayLike, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """h(x) of M(q) du/dt + h = tau: loads and velocity terms, at a state or at rows of them."""
        _, n, _ = self._raw.sizes()
        return self.inverse_dynamics(t, x, np.zeros(n), u)

    def gravity(self, t: ArrayLike, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """`bias` at rest: gravity and springs, at a state or at rows of them."""
        q, n, _ = self._raw.sizes()
        still = np.array(x, dtype=np.float64)
        still[..., q : q + n] = 0.0
        return self.inverse_dynamics(t, still, np.zeros(n), u)

    def coriolis(self, t: ArrayLike, x: ArrayLike) -> Array:
        """The Coriolis matrix C of the Christoffel symbols, at a state or at rows of states.

        C times the speeds is the part of `bias` that is quadratic in them.
        """
        return self._raw.coriolis(t, x)

    def poses(self, t: ArrayLike, x: ArrayLike) -> dict[str, Array]:
        """Per body its axes and origin as a 3 x 4 matrix, at a state or at rows of states."""
        every = self._raw.poses(t, x)
        return {name: every[..., k, :, :] for k, name in enumerate(self.bodies)}

    def point_jacobian(
        self, t: ArrayLike, x: ArrayLike, body: str, point: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> Array:
        """The Jacobian of a point of a body by the speeds, at a state or at rows of states.

        The point is given in the axes of the body.

        Three rows of the velocity of the point, three of the angular velocity, in ground axes.
        """
        return self._raw.point_jacobian(t, x, body, list(point))

    def regressor(
        self, t: float, x: ArrayLike, accelerations: ArrayLike, parameters: Iterable[str]
    ) -> tuple[Array, Array]:
        """Y and tau0 of tau = Y p + tau0: `inverse_dynamics` as a linear function of parameters p.

        Raises `ModelError` where it is not linear in them, as in a mass and the place of its
        centre together.
        """
        return self._raw.regressor(t, x, accelerations, list(parameters))

    def stepper(self) -> Stepper:
        """Many copies of the model that advance together by equal steps, in vector lanes."""
        return Stepper(self._raw.stepper(), len(self.inputs))

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

    def _command(self, folder: str, verb: str, *words: str) -> None:
        """A command on the text of this model with its values, beside a folder of its own."""
        text = Path(folder) / Path(self._raw.source).name
        text.write_text(self.text, encoding="utf-8")
        values = [f"--set={name}={value!r}" for name, value in self._raw.given]
        if run_command([verb, str(text), "--quiet", *values, *words]) != 0:
            raise ModelError(f"`cardan {verb}` has not done it; what it said stands above")

    def fmu(self, path: str | PathLike[str], version: str = "2.0") -> None:
        """Writes a functional mock-up unit (FMI 2.0 or 3.0) for other simulators."""
        with tempfile.TemporaryDirectory() as folder:
            self._command(folder, "fmu", "--fmi", version, "-o", fspath(path))

    def page(self, to: float | None = None, every: float | None = None) -> Page:
        """The page of a run: the moving mechanism, plots, energy, equations. Notebooks show it."""
        asked = {"--to": to, "--every": every}
        words = [f"{name}={value!r}" for name, value in asked.items() if value is not None]
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "results"
            self._command(folder, "run", "--out", str(out), *words)
            return Page((out / "report.html").read_text(encoding="utf-8"))

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
