"""A sweep on a cluster whose workers are killed at random gives what the sweep alone gives.

`CLUSTER_RUNS=2000 CLUSTER_KILLS=10 pytest tests/test_cluster.py` is the long form.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cardan
import numpy as np
import pytest

distributed = pytest.importorskip("distributed")

RUNS = int(os.environ.get("CLUSTER_RUNS", "240"))
KILLS = int(os.environ.get("CLUSTER_KILLS", "3"))
TEXT = """
gravity = -9.81 [m/s^2] * N.z
parameter L = 1 [m]
particle a on N by revolute(y, q = first) { mass = 1 [kg]; center = (0, 0, -L) }
particle b on a.cm by revolute(y, q = second) { mass = 1 [kg]; center = (0, 0, -1) [m] }
start { first = 90 [deg] }
"""


def end(motion: cardan.Motion) -> tuple[float, float]:
    """What is kept of a motion, slowly enough that kills meet somebody at work."""
    time.sleep(0.01)
    return float(motion["first"][-1]), float(motion["second"][-1])


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 20}),
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_killed_workers_change_nothing(client: Any) -> None:
    model = cardan.compile(TEXT)
    values = {"L": np.linspace(0.5, 1.5, RUNS)}
    alone = [model.set(L=float(L)).run(to=2, every=0.1) for L in values["L"]]
    done, killed = threading.Event(), []

    def kill() -> None:
        choice = random.Random(2026)
        while len(killed) < KILLS and not done.wait(0.3):
            workers = list(client.cluster.workers.values())
            pids = [w.pid for w in workers if getattr(w, "pid", None)]
            if len(pids) > 1:
                killed.append(choice.choice(pids))
                try:
                    os.kill(killed[-1], signal.SIGKILL)
                except ProcessLookupError:
                    killed.pop()

    killer = threading.Thread(target=kill)
    killer.start()
    found = [kept for _, kept in model.sweep(values, executor=client, keep=end, to=2, every=0.1)]
    done.set()
    killer.join()
    assert killed, "nobody was killed"
    # To the bit: the processors are the same.
    assert found == [(m["first"][-1], m["second"][-1]) for m in alone]
    print(f"{RUNS} runs, {len(killed)} kills")


def fatal(motion: cardan.Motion) -> float:
    """One motion ends its worker, always."""
    if motion["first"][0] > 1.6:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(motion["first"][-1])


def test_a_motion_that_always_kills_is_told_once(client: Any) -> None:
    model = cardan.compile(TEXT)
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 1))
    starts = {"first": [1.0, 1.7, 1.2]}
    found = [kept for _, kept in model.sweep(starts, executor=client, keep=fatal, to=0.2)]
    assert [isinstance(kept, cardan.Lost) for kept in found] == [False, True, False]
    assert "Killed" in found[1].reason


def test_shards_by_hand_are_the_sweep_of_one_machine(tmp_path: Path) -> None:
    """Three shards, the second of them killed in the midst and begun again, then merged."""
    (tmp_path / "model.mbs").write_text(TEXT)

    def command(*words: str) -> list[str]:
        sweep = ["sweep", "model.mbs", "--vary", f"L=0.5..1.5:{RUNS}", "--to", "2", "--quiet"]
        return [sys.executable, "-m", "cardan", *sweep, *words]

    def run(*words: str) -> None:
        subprocess.run(command(*words), cwd=tmp_path, check=True, timeout=120)

    run("--out", "whole")
    run("--out", "parts", "--shard", "1/3")
    shard = subprocess.Popen(command("--out", "parts", "--shard", "2/3"), cwd=tmp_path)
    time.sleep(random.Random(2026).uniform(0.1, 0.4))
    shard.kill()
    shard.wait()
    run("--out", "parts", "--shard", "2/3")
    run("--out", "parts", "--shard", "3/3")
    run("--out", "parts", "--merge")
    results = [(tmp_path / folder / "results.parquet").read_bytes() for folder in ("whole", "parts")]
    assert results[0] == results[1]
