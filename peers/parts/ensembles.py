"""Many motions with fixed steps of the classical Runge-Kutta method: a double pendulum, against MuJoCo's rollout."""

import os
import time

from . import common

STEP, STEPS, MOTIONS = 1e-3, 1000, 1024
THREADS = min(2, os.cpu_count() or 1)
MODEL = """<mujoco model="double_pendulum">
  <compiler angle="radian"/>
  <option timestep="0.001" integrator="RK4"><flag contact="disable" constraint="disable"/></option>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <inertial pos="0 0 -0.5" mass="1" diaginertia="0.083 0.083 0.001"/>
      <body name="lower" pos="0 0 -1">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -0.5" mass="1" diaginertia="0.083 0.083 0.001"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def measure():
    import mujoco
    import numpy as np
    from mujoco import rollout

    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    path, starts, ends = (common.SCRATCH / name for name in ("double.xml", "double.starts", "double.ends"))
    path.write_text(MODEL)
    q0 = np.random.default_rng(3).uniform(-1, 1, (MOTIONS, 2))
    starts.write_text("".join(f"{float(a)!r} {float(b)!r}\n" for a, b in q0))
    model = mujoco.MjModel.from_xml_string(MODEL)
    n = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros((MOTIONS, n))
    initial[:, 1:3] = q0
    last = {}

    def theirs(threads):
        data = [mujoco.MjData(model) for _ in range(threads)]
        start = time.perf_counter()
        with rollout.Rollout(nthread=threads if threads > 1 else 0) as roll:
            state, _ = roll.rollout(model, data, initial, nstep=STEPS)
        span = 1e9 * (time.perf_counter() - start)
        last["state"] = state[:, -1, 1:3]
        return [{"quantity": "rollout", "best_ns": span, "median_ns": span}]

    def ours(threads):
        return common.cardan("ensemble", path, starts, STEP, STEP * STEPS, threads, 3, ends)

    rows = []
    for threads in sorted({1, THREADS}):
        own, peer = common.alternate(lambda: ours(threads), lambda: theirs(threads), rounds=3)
        own, peer = own["ensemble"]["best_ns"] * 1e-9, peer["rollout"]["best_ns"] * 1e-9
        work = MOTIONS * STEPS
        cores = f"{threads} core" + ("s" if threads > 1 else "")
        rows.append({"name": f"cardan, four at a time, {cores}", "seconds": own, "rate": work / own, "ratio": own / peer})
        rows.append({"name": f"MuJoCo rollout, {cores}", "seconds": peer, "rate": work / peer})
        print("  ", rows[-2:], flush=True)
    found = np.array([[float(x) for x in line.split()] for line in ends.read_text().splitlines()])
    difference = float(np.max(np.abs(found - last["state"])))
    note = (f"{MOTIONS} motions of a double pendulum from random angles, {STEPS} steps of the classical Runge-Kutta method each, from the same MJCF text. "
            f"The angles at the end differ by at most {difference:.0e}. MuJoCo keeps every state on the way, ours the last.")
    return {"rows": rows, "note": note}
