"""Many copies of a model that advance together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cardan import _cardan

Array = NDArray[np.float64]


class Stepper:
    """Many copies of a model that advance together by equal steps of the classical Runge-Kutta
    method, eight, four or two at a time by vector lanes, and in threads where that pays.

    It serves models without loops, events and switches.
    """

    __slots__ = ("_n_inputs", "_raw")

    def __init__(self, raw: _cardan.Stepper, n_inputs: int) -> None:
        self._raw = raw
        self._n_inputs = n_inputs

    def advance(
        self, t: Array, x: Array, u: ArrayLike | None = None, *, step: float, steps: int = 1
    ) -> None:
        """Advances copies in place: `t` has a time and `x` a row for each; `u` holds meanwhile."""
        shape = (len(t), self._n_inputs)
        given = np.zeros(shape) if u is None else np.asarray(u, dtype=np.float64)
        held = np.ascontiguousarray(np.broadcast_to(given, shape))
        self._raw.advance(t, x, held, step, steps)
