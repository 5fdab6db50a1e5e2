"""Monte Carlo: many motions on all cores with fixed steps of the classical Runge-Kutta method, against MuJoCo's rollout; and on one core at equal measured
error, against Exudyn's RK67 on its kinematic tree."""

import os
import sys
import time

from . import common

STEP, STEPS, MOTIONS, ROUNDS = 1e-3, 200, 10_000, 3
# Exudyn follows fewer motions, for as long as its own steps need to show.
THEIR_MOTIONS, TO, THEIR_STEPS = 200, 1.0, (20, 40, 80)
# Decades of relative tolerances between which the one of equal error is sought, and how near to it.
LOOSEST, TIGHTEST, NEAR = -1.5, -13.0, 0.02
CORES = os.cpu_count() or 1
OPTION = '''<compiler angle="radian"/>
  <option timestep="0.001" integrator="RK4"><flag contact="disable" constraint="disable"/></option>'''
DOUBLE = f"""<mujoco model="double_pendulum">
  {OPTION}
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
# The masses and joints of models/handbook-robot.mbs without its drives.
ROBOT = f"""<mujoco model="robot">
  {OPTION}
  <worldbody>
    <body name="post">
      <joint name="lift" type="slide" axis="0 0 1"/>
      <joint name="turn" type="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="250" diaginertia="90 10 90"/>
      <body name="arm">
        <joint name="reach" type="slide" axis="0 1 0"/>
        <joint name="twist" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="150" diaginertia="13 0.75 13"/>
        <body name="hand" pos="0 0.5 0">
          <joint name="bend" type="hinge" axis="1 0 0"/>
          <inertial pos="0 0.05 0" mass="100" diaginertia="4 1 4.3"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
# Text, number of coordinates.
MODELS = {"double pendulum": (DOUBLE, 2), "robot of five joints": (ROBOT, 5)}
LANES = {8: ", eight at a time", 4: ", four at a time", 2: ", two at a time"}


def numbers(path):
    return [[float(x) for x in line.split()] for line in path.read_text().splitlines()]


def worst(found, expected):
    """The largest difference of coordinates, over as many motions as there are in both."""
    return max(abs(a - b) for row, other in zip(found, expected) for a, b in zip(row, other))


def prepare(name, text, n):
    """The model's file, that of random coordinates and speeds, that of results."""
    import numpy as np

    stem = name.split()[0]
    path, starts, ends = (common.SCRATCH / f"{stem}.{end}" for end in ("xml", "starts", "ends"))
    path.write_text(text)
    state = np.random.default_rng(3).uniform(-1, 1, (MOTIONS, 2 * n))
    starts.write_text("".join(" ".join(repr(float(x)) for x in row) + "\n" for row in state))
    return path, starts, ends, state


def against_mujoco(name, text, n):
    import mujoco
    import numpy as np
    from mujoco import rollout

    path, starts, ends, state = prepare(name, text, n)
    model = mujoco.MjModel.from_xml_string(text)
    initial = np.zeros((MOTIONS, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    initial[:, 1:2 * n + 1] = state
    last = {}

    def theirs():
        data = [mujoco.MjData(model) for _ in range(CORES)]
        with rollout.Rollout(nthread=CORES) as roll:
            start = time.perf_counter()
            states, _ = roll.rollout(model, data, initial, nstep=STEPS)
            span = 1e9 * (time.perf_counter() - start)
        last["state"] = states[:, -1, 1:n + 1].copy()
        return [{"quantity": "rollout", "best_ns": span, "median_ns": span}]

    def ours():
        return common.cardan("ensemble", path, starts, STEP, STEP * STEPS, CORES, 3, ends)

    own, peer = common.alternate(ours, theirs, rounds=ROUNDS)
    lanes = LANES.get(own["ensemble"]["lanes"], "")
    own, peer = own["ensemble"]["best_ns"] * 1e-9, peer["rollout"]["best_ns"] * 1e-9
    work = MOTIONS * STEPS
    cores = f"{CORES} cores" if CORES > 1 else "1 core"
    rows = [{"name": f"{name}: cardan{lanes}, {cores}", "seconds": own, "rate": work / own, "ratio": own / peer},
            {"name": f"{name}: MuJoCo rollout, {cores}", "seconds": peer, "rate": work / peer}]
    print("  ", rows, flush=True)
    return rows, worst(numbers(ends), last["state"].tolist())


def against_exudyn(name, text, n):
    """Rows at the errors that Exudyn's steps leave: ours has the loosest tolerance that leaves no more in the same motions."""
    path, starts, ends, _ = prepare(name, text, n)
    reference = common.SCRATCH / f"{path.stem}.reference"
    common.cardan("ensemble", path, starts, "rtol=1e-13", TO, 1, 1, reference)
    exact = numbers(reference)

    def follow(decade, repetitions):
        [own] = common.cardan("ensemble", path, starts, f"rtol={10 ** decade}", TO, 1, repetitions, ends)
        found = numbers(ends)
        return worst(found[:THEIR_MOTIONS], exact), worst(found, exact), own["best_ns"] * 1e-9

    rows = []
    for steps in THEIR_STEPS:
        command = [sys.executable, "-W", "ignore", "-m", "parts.exudyn_ensemble", path.stem, starts, THEIR_MOTIONS, TO, steps, ends]
        peer = lambda: common.lines(command, cwd=common.ROOT / "peers")[0]["best_ns"] * 1e-9 * MOTIONS / THEIR_MOTIONS
        theirs = peer()
        error = worst(numbers(ends), exact)
        good, bad = TIGHTEST, LOOSEST
        if follow(good, 1)[0] > error:
            continue
        while bad - good > NEAR:
            middle = 0.5 * (good + bad)
            good, bad = (middle, bad) if follow(middle, 1)[0] <= error else (good, middle)
        own_error, over_all, own = follow(good, 3)
        for _ in range(ROUNDS - 1):
            theirs, own = min(theirs, peer()), min(own, follow(good, 3)[2])
        rows += [{"name": f"{name}, to {TO:g} s: cardan, tolerance {10 ** good:.1e}, error {own_error:.1e} ({over_all:.1e} over all), 1 core",
                  "seconds": own, "rate": MOTIONS / own, "ratio": own / theirs},
                 {"name": f"{name}, to {TO:g} s: Exudyn RK67, {steps} steps, error {error:.1e}, 1 core", "seconds": theirs, "rate": MOTIONS / theirs}]
    print("  ", rows, flush=True)
    return rows


def measure():
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    rows, words, motions, failures = [], [], [], []
    for name, (text, n) in MODELS.items():
        # One peer that fails leaves the other.
        try:
            more, difference = against_mujoco(name, text, n)
            rows += more
            words.append(f"{name} (at the end the coordinates differ by at most {difference:.0e})")
        except Exception as error:
            failures.append(f"{name}, MuJoCo ({common.reason(error)})")
        try:
            motions += against_exudyn(name, text, n)
        except Exception as error:
            failures.append(f"{name}, Exudyn ({common.reason(error)})")
    if not rows and not motions:
        raise RuntimeError("; ".join(failures))
    note = (f"{MOTIONS:,} motions from random coordinates and speeds by the classical Runge-Kutta method with {STEPS} steps of {1e3 * STEP:g} ms, from the same MJCF text, "
            f"both on all cores, time on the clock: {'; '.join(words)}. MuJoCo keeps every state on the way, ours the last.")
    motions_note = (f"The same {MOTIONS:,} starts, followed for {TO:g} s at equal measured error: the largest difference of a coordinate at the end, over the motions, from ours at a "
                    f"relative tolerance of 1e-13. Exudyn's kinematic tree with its explicit method RK67 and equal steps; it followed the first {THEIR_MOTIONS} motions, one after the other in one process, "
                    f"and its processor time of the solver alone is multiplied by {MOTIONS // THEIR_MOTIONS}. Ours is time on the clock of all motions at the loosest relative tolerance, found by bisection, whose error over those "
                    f"first {THEIR_MOTIONS} motions is not larger than Exudyn's; its error over all motions stands in brackets.")
    return {"rows": rows, "note": note, "motions": motions, "motions_note": motions_note, "failures": failures}
