"""Runs and their columns."""

import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cardan
import numpy as np
import pytest


def test_columns_are_views_and_read_only(pendulum: cardan.Model) -> None:
    motion = pendulum.run()
    phi = motion["phi"]
    assert np.shares_memory(phi, motion.data) and phi.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        phi[0] = 1
    assert (len(motion), motion.t[-1], motion.ending) == (201, 2.0, "finished")
    assert motion.unit("phi") in ("rad", "deg")
    assert motion.energy.residual < 1e-8
    with pytest.raises(KeyError, match="is `phi` meant"):
        motion["ph"]


def test_settings(pendulum: cardan.Model) -> None:
    coarse = pendulum.run(to=1, every=0.5, method="radau5", rtol=1e-6)
    assert coarse.t.tolist() == [0, 0.5, 1]
    with pytest.raises(ValueError, match="there is no method `magic`"):
        pendulum.run(method="magic")
    with pytest.raises(ValueError, match="rtol"):
        pendulum.run(rtol=-1)


def test_poses_follow_the_body(pendulum: cardan.Model) -> None:
    motion = pendulum.run()
    pose = motion.poses["bob"][0]
    assert pose.shape == (4, 4)
    assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3))
    assert np.isclose(pose[0, 0], np.cos(motion["phi"][0]))


@pytest.mark.parametrize("kind", ["threads", "fork", "spawn"])
def test_sweeps_by_an_executor_are_the_same(pendulum: cardan.Model, kind: str) -> None:
    lengths = {"L": [1.0, 2.0]}
    alone = [motion["phi"][-1] for _, motion in pendulum.sweep(lengths, to=1)]
    pool: Executor = (
        ThreadPoolExecutor(2)
        if kind == "threads"
        else ProcessPoolExecutor(2, mp_context=get_context(kind))
    )
    with pool:
        beside = [motion["phi"][-1] for _, motion in pendulum.sweep(lengths, executor=pool, to=1)]
    assert alone == beside and alone[0] != alone[1]


def test_a_sweep_keeps_what_is_wanted_and_tells_what_is_lost(pendulum: cardan.Model) -> None:
    seen: list[tuple[int, int]] = []
    kept = pendulum.sweep(
        {"L": [1.0, 0.0, 2.0]},
        keep=lambda motion: float(motion["phi"][-1]),
        progress=lambda k, n: seen.append((k, n)),
        to=1,
    )
    first, second, third = (found for _, found in kept)
    assert isinstance(first, float) and isinstance(third, float)
    # A pendulum without length has no equations.
    assert isinstance(second, cardan.Lost) or not np.isfinite(second)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(KeyError):
        list(pendulum.sweep({"nothing": [1.0]}, to=1))


def test_an_executor_that_loses_a_motion_tells_it_once(pendulum: cardan.Model) -> None:
    from concurrent.futures import Future

    class Careless:
        """An executor whose second task dies."""

        n = 0

        def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
            self.n += 1
            future: Future[Any] = Future()
            if self.n == 2:
                future.set_exception(RuntimeError("the worker died"))
            else:
                future.set_result(call(*arguments))
            return future

    careless = Careless()
    found = [m for _, m in pendulum.sweep({"L": [1.0, 2.0, 3.0]}, executor=careless, to=0.1)]
    assert [isinstance(m, cardan.Lost) for m in found] == [False, True, False]
    assert careless.n == 3 and "worker died" in found[1].reason


def test_a_run_can_be_interrupted(pendulum: cardan.Model) -> None:
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        pendulum.run(to=1e6, every=1e3)


def test_files(pendulum: cardan.Model, tmp_path: Path) -> None:
    motion = pendulum.run()
    motion.save(tmp_path / "motion.csv")
    head = (tmp_path / "motion.csv").read_text().splitlines()[0]
    assert head.startswith("t [s],phi [")
    motion.save(tmp_path / "motion.npz")
    assert np.array_equal(np.load(tmp_path / "motion.npz")["phi"], motion["phi"])
    with pytest.raises(ValueError, match="neither"):
        motion.save(tmp_path / "motion.doc")


def test_pictures(pendulum: cardan.Model, tmp_path: Path) -> None:
    motion = pendulum.run()
    figure = motion.plot("phi")
    assert figure.startswith("<svg") and "phi" in figure
    figure.save(tmp_path / "phi.svg")
    assert (tmp_path / "phi.svg").read_text() == figure
    with pytest.raises(ValueError, match="one unit"):
        motion.plot("phi", "height")
    page = motion._repr_html_()
    assert page.count("<svg") == len({motion.unit(n) for n in ("phi", "der(phi)", "height")})


def test_events_are_listed() -> None:
    motion = cardan.compile("""
        gravity = -9.81 [m/s^2] * N.z
        particle ball on N by translate(z = z) { mass = 1 [kg] }
        when z < 0 "ground" { stop }
        start { z = 1 [m] }
    """).run(to=2)
    assert motion.ending == "stopped"
    assert np.isclose(motion.events[0].time, np.sqrt(2 / 9.81))


@pytest.mark.parametrize("package", ["pandas", "xarray", "polars", "arrow"])
def test_tables_of_other_packages(pendulum: cardan.Model, package: str) -> None:
    pytest.importorskip({"arrow": "pyarrow"}.get(package, package))
    motion = pendulum.run()
    table = getattr(motion, f"to_{package}")()
    assert np.array_equal(np.asarray(table["phi"]), motion["phi"])
