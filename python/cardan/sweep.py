"""Motions for many values, by executors that may lose workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardan.model import Model

Point = dict[str, float]
Keep = Callable[[Any], Any] | None


@dataclass(frozen=True)
class Lost:
    """A motion that could not be computed, with the reason in words."""

    reason: str


def one(model: Model, point: Point, settings: dict[str, Any], keep: Keep) -> Any:
    """The motion of a combination, or what is kept of it."""
    try:
        motion = model.set(point).run(**settings)
        return motion if keep is None else keep(motion)
    except (KeyError, TypeError):
        raise
    except Exception as error:
        return Lost(str(error))


def computed(
    model: Model, points: list[Point], settings: dict[str, Any], *, executor: Any, keep: Keep
) -> Iterator[tuple[Point, Any]]:
    """The combinations in their order, each with its motion.

    An executor has a few hundred at a time, so that a sweep of a million is no list of a million
    futures. What a worker did not live to compute is lost only if the executor gives it up.
    """
    if executor is None:
        for point in points:
            yield point, one(model, point, settings, keep)
        return
    waiting = iter(points)
    flying: deque[tuple[Point, Any]] = deque()

    def submit(n: int) -> None:
        for point in islice(waiting, n):
            flying.append((point, executor.submit(one, model, point, settings, keep)))

    submit(_AT_A_TIME)
    while flying:
        point, future = flying.popleft()
        try:
            found = future.result()
        except (KeyError, TypeError, KeyboardInterrupt):
            raise
        except Exception as error:
            found = Lost(f"{type(error).__name__}: {error}")
        yield point, found
        submit(1)


_AT_A_TIME = 256
