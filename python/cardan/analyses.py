"""Answers to questions about a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Linear:
    """Linear equations of small departures: dx/dt = A x + B u, y = C x + D u.

    Iterates as A, B, C, D: `control.ss(*linear)` and `scipy.signal.StateSpace(*linear)`.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    point: str
    """What kind of state the departures are from: equilibrium, steady motion, ..."""
    time: float
    x: Array
    """The state that they are from, all of it."""
    basis: Array
    """All states in terms of the independent ones: where constraints bind, these are fewer."""
    mass: Array
    damping: Array
    stiffness: Array
    """M, C1, K of the second-order form M ü + C1 u̇ + K q = 0."""

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Linear:
        """Linear equations as the extension module gives them."""
        plain = ("A", "B", "C", "D", "states", "inputs", "outputs", "point", "time", "x", "basis")
        parts = {name: raw[name] for name in plain}
        return cls(**parts, mass=raw["M"], damping=raw["damping"], stiffness=raw["K"])

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def to_control(self) -> Any:
        """A `control.StateSpace` with the names of states, inputs and outputs."""
        import control

        def plain(names: list[str]) -> list[str]:
            return [name.replace(".", "_") for name in names]

        names = {
            "states": plain(self.states),
            "inputs": plain(self.inputs) or 0,
            "outputs": plain(self.outputs) or 0,
        }
        return control.ss(self.A, self.B, self.C, self.D, **names)


@dataclass(frozen=True, eq=False)
class Mode:
    """A mode of small motion."""

    eigenvalue: complex
    frequency: float
    """|λ| / 2π in hertz; zero where it does not oscillate."""
    damping: float
    time_constant: float
    """-1 / Re λ in seconds."""
    shape: NDArray[np.complex128]
    """One entry per state."""
    words: str


@dataclass(frozen=True, eq=False)
class Modes:
    """All modes about a state, and what they say of it."""

    modes: list[Mode]
    stability: str
    verdict: str
    linear: Linear

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Modes:
        """Modes as the extension module gives them."""
        modes = []
        for (re, im, frequency, damping, time), shape, words in raw["modes"]:
            numbers = np.array([complex(*z) for z in shape], dtype=np.complex128)
            modes.append(Mode(complex(re, im), frequency, damping, time, numbers, words))
        return cls(modes, raw["stability"], raw["verdict"], Linear.of(raw))

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, k: int) -> Mode:
        return self.modes[k]


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """Where nothing wants to move, or the best that was found."""

    x: Array
    balanced: bool
    residual: float
    stability: str | None
    verdict: str
    eigenvalues: NDArray[np.complex128]

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Equilibrium:
        """An equilibrium as the extension module gives it."""
        numbers = np.array([complex(*z) for z in raw["eigenvalues"]], dtype=np.complex128)
        plain = ("x", "balanced", "residual", "stability", "verdict")
        return cls(**{name: raw[name] for name in plain}, eigenvalues=numbers)


@dataclass(frozen=True)
class Check:
    """One independent check of a model: `finding` is holds, doubtful, fails or not applicable."""

    name: str
    compared: str
    difference: float | None
    limit: float
    finding: str
