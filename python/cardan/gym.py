"""Environments for reinforcement learning: one copy of a model, or many that advance in vector lanes.

The inputs of the model are the actions, its states (or what `observe` makes of them) the
observations. Rewards and ends are functions of rows of states, so that the same ones serve one
copy and ten thousand:

>>> import cardan, numpy as np
>>> from cardan.gym import Environment, VectorEnvironment
>>> model = cardan.compile('''
... input F [N] = 0 in -10 .. 10 [N]
... gravity = -9.81 [m/s^2] * N.z
... particle cart on N by translate(x = x) { mass = 1 [kg] }
... particle bob on cart by rotate(y = q) { mass = 0.1 [kg]; center = (0, 0, 0.5) [m] }
... force push on cart.cm = F * N.x
... ''')
>>> task = dict(reward=lambda t, x, u: np.cos(x[:, 1]), ended=lambda t, x: np.abs(x[:, 1]) > 0.2)
>>> envs = VectorEnvironment(model, 16, step=0.02, spread=0.05, **task)
>>> observations, _ = envs.reset(seed=1)
>>> observations.shape
(16, 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from cardan.model import Model

Array = NDArray[np.float64]
Reward = Callable[[Array, Array, Array], ArrayLike]
"""Of times, states by rows and inputs by rows: a number for each row."""
Ended = Callable[[Array, Array], ArrayLike]
"""Of times and states by rows: a truth for each row."""
Observe = Callable[[Array, Array], ArrayLike]
"""Of times and states by rows: an observation for each row."""


def _upright(_: Array, x: Array) -> NDArray[np.bool_]:
    return np.zeros(len(x), dtype=np.bool_)


@dataclass(frozen=True)
class _Task:
    """What both kinds of environment share."""

    model: Model
    reward: Reward
    ended: Ended
    observe: Observe | None
    spread: Array
    horizon: float

    @property
    def actions(self) -> spaces.Box:
        """The inputs within the ranges of the text."""
        ranges = np.array(self.model.input_ranges, dtype=np.float64).reshape(-1, 2)
        return spaces.Box(ranges[:, 0], ranges[:, 1], dtype=np.float64)

    def seen(self, t: Array, x: Array) -> Array:
        """The observations of rows of states."""
        return x.copy() if self.observe is None else np.asarray(self.observe(t, x), dtype=np.float64)

    def observations(self, start: Array) -> spaces.Box:
        """The space of one observation."""
        shape = self.seen(np.zeros(1), start[None, :]).shape[1:]
        return spaces.Box(-np.inf, np.inf, shape, dtype=np.float64)

    def drawn(self, start: Array, n: int, random: np.random.Generator) -> Array:
        """Starts: the one of the model and a spread about it."""
        draw = random.uniform(-1.0, 1.0, (n, len(start)))
        starts: Array = start + self.spread * draw
        return starts


def _task(
    model: Model,
    reward: Reward,
    ended: Ended | None,
    observe: Observe | None,
    spread: ArrayLike,
    horizon: float,
) -> _Task:
    if not model.inputs:
        raise ValueError("the model has no inputs to act on")
    width = np.broadcast_to(np.asarray(spread, dtype=np.float64), (len(model.states),))
    return _Task(model, reward, ended or _upright, observe, width, horizon)


class Environment(gymnasium.Env[Array, Array]):
    """One copy of a model, with loops, events and friction if it has them."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        model: Model,
        *,
        reward: Reward,
        step: float = 0.02,
        ended: Ended | None = None,
        observe: Observe | None = None,
        spread: ArrayLike = 0.0,
        horizon: float = np.inf,
    ) -> None:
        self._task = _task(model, reward, ended, observe, spread, horizon)
        self._step = step
        self._session = model.session()
        self._start = self._session.state
        self.action_space = self._task.actions
        self.observation_space = self._task.observations(self._start)

    def _rows(self) -> tuple[Array, Array]:
        return np.array([self._session.time]), self._session.state[None, :]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins anew, with a start drawn about the one of the model."""
        super().reset(seed=seed)
        self._session.restart()
        if self._task.spread.any():
            self._session.state = self._task.drawn(self._start, 1, self.np_random)[0]
        return self._task.seen(*self._rows())[0], {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Holds an action for one step."""
        u = np.clip(
            np.asarray(action, dtype=np.float64), self.action_space.low, self.action_space.high
        )
        self._session.advance(self._session.time + self._step, u)
        t, x = self._rows()
        reward = float(np.asarray(self._task.reward(t, x, u[None, :]))[0])
        ended = bool(np.asarray(self._task.ended(t, x))[0]) or self._session.ended is not None
        late = bool(t[0] >= self._task.horizon - 1e-9 * self._step)
        return self._task.seen(t, x)[0], reward, ended, late, {}


class VectorEnvironment(VectorEnv[Array, Array, Array]):
    """Many copies of a model without loops, events and switches, in vector lanes and threads.

    A step is `substeps` steps of the classical Runge-Kutta method. A copy that has ended begins
    anew at the next step, whose action it ignores (`AutoresetMode.NEXT_STEP`).
    """

    def __init__(
        self,
        model: Model,
        num_envs: int,
        *,
        reward: Reward,
        step: float = 0.02,
        substeps: int = 4,
        ended: Ended | None = None,
        observe: Observe | None = None,
        spread: ArrayLike = 0.0,
        horizon: float = np.inf,
    ) -> None:
        super().__init__()
        self.metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
        self._task = _task(model, reward, ended, observe, spread, horizon)
        self._step, self._substeps = step, substeps
        self._stepper = model.stepper()
        self._start = model.start()
        self._t = np.zeros(num_envs)
        self._x = np.tile(self._start, (num_envs, 1))
        self._over = np.zeros(num_envs, dtype=np.bool_)
        self.num_envs = num_envs
        self.single_action_space = self._task.actions
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self._task.observations(self._start)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def _begin(self, which: NDArray[np.bool_]) -> None:
        self._t[which] = 0.0
        self._x[which] = self._task.drawn(self._start, int(which.sum()), self.np_random)
        self._over[which] = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins anew with all copies."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._begin(np.ones(self.num_envs, dtype=np.bool_))
        return self._task.seen(self._t, self._x), {}

    def step(
        self, actions: Array
    ) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Holds one action for each copy for one step."""
        space = self.single_action_space
        assert isinstance(space, spaces.Box)
        u = np.clip(np.asarray(actions, dtype=np.float64), space.low, space.high)
        anew = self._over.copy()
        self._stepper.advance(
            self._t, self._x, u, step=self._step / self._substeps, steps=self._substeps
        )
        if anew.any():
            self._begin(anew)
        rewards = np.array(self._task.reward(self._t, self._x, u), dtype=np.float64)
        # A copy whose numbers are no longer finite is over.
        ended = np.asarray(self._task.ended(self._t, self._x)) | ~np.isfinite(self._x).all(axis=1)
        late = self._t >= self._task.horizon - 1e-9 * self._step
        rewards[anew], ended[anew], late[anew] = 0.0, False, False
        self._over = ended | late
        return self._task.seen(self._t, self._x), rewards, ended, late, {}
