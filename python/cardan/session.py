"""Sessions: motions that are advanced piece by piece, with inputs that change between the pieces."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan import _cardan
from cardan._cardan import ModelError

Array = NDArray[np.float64]


class Session:
    """A motion that is advanced piece by piece. It belongs to one thread at a time.

    The integrator takes its own steps, also across pauses: a motion in a thousand pieces is the
    motion in one, unless an input or the state changes.
    """

    __slots__ = ("_inputs", "_open")

    def __init__(self, raw: _cardan.Session, inputs: list[str]) -> None:
        self._open: _cardan.Session | None = raw
        self._inputs = inputs

    def __repr__(self) -> str:
        return "<Session, closed>" if self._open is None else f"<Session at t = {self.time} s>"

    @property
    def _raw(self) -> _cardan.Session:
        if self._open is None:
            raise ModelError("the session is closed")
        return self._open

    def close(self) -> None:
        """Gives its memory back; it cannot be used any more."""
        self._open = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def time(self) -> float:
        """The present time."""
        return self._raw.time

    @property
    def state(self) -> Array:
        """A copy of the state x: coordinates, speeds, auxiliary states."""
        return self._raw.state()

    @state.setter
    def state(self, x: ArrayLike) -> None:
        self._raw.set_state(x)

    @property
    def discretes(self) -> Array:
        """A copy of the discrete states."""
        return self._raw.discretes()

    @discretes.setter
    def discretes(self, values: ArrayLike) -> None:
        self._raw.set_discretes(values)

    @property
    def outputs(self) -> dict[str, float]:
        """The outputs now, by name."""
        values = self._raw.outputs().tolist()
        return dict(zip(self._raw.output_names(), values, strict=True))

    @property
    def ended(self) -> str | None:
        """Why the motion is over, where a block of the model has ended it."""
        return self._raw.ended

    @property
    def energy(self) -> float:
        """Kinetic and potential energy now."""
        return self._raw.energy()

    def derivatives(self) -> Array:
        """dx/dt now."""
        return self._raw.derivatives()

    def advance(self, to: float, u: ArrayLike | Mapping[str, float] | None = None) -> Array:
        """Follows the motion to a time and gives the state there.

        `u` are values of inputs, by name or in the order of `Model.inputs`; they hold until others
        are given. A block that stops the motion before is told by `ended`.
        """
        if isinstance(u, Mapping):
            for name, value in u.items():
                self._raw.set(name, float(value))
        elif u is not None:
            values = np.asarray(u, dtype=np.float64)
            if values.shape != (len(self._inputs),):
                raise ValueError(f"`u` has the shape {values.shape}, expected ({len(self._inputs)},)")
            for name, value in zip(self._inputs, values.tolist(), strict=True):
                self._raw.set(name, value)
        self._raw.advance(to)
        return self._raw.state()

    def __getitem__(self, name: str) -> float:
        """The value of an input or parameter."""
        return self._raw.value(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._raw.set(name, float(value))

    def restart(self) -> None:
        """Begins anew, with inputs and parameters as they are."""
        self._raw.restart()

    def copy(self) -> Session:
        """A session that goes its own way from here."""
        return Session(self._raw.copy(), self._inputs)

    def save(self) -> bytes:
        """The session as bytes, for `restore` in any session of the same model."""
        return self._raw.save()

    def restore(self, saved: bytes) -> None:
        """Goes on where a session of the same model was saved."""
        self._raw.restore(saved)
