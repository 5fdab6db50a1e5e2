"""Monte Carlo: many motions with fixed steps of the classical Runge-Kutta method, against MuJoCo's rollout."""

import time

from . import common

STEP, MOTIONS, ROUNDS = 1e-3, 10_000, 2
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
# Text, number of coordinates, steps.
MODELS = {"double pendulum": (DOUBLE, 2, 200), "robot of five joints": (ROBOT, 5, 200)}


def compare(name, text, n, steps):
    import mujoco
    import numpy as np
    from mujoco import rollout

    stem = name.split()[0]
    path, starts, ends = (common.SCRATCH / f"{stem}.{end}" for end in ("xml", "starts", "ends"))
    path.write_text(text)
    q0 = np.random.default_rng(3).uniform(-1, 1, (MOTIONS, n))
    starts.write_text("".join(" ".join(repr(float(x)) for x in row) + "\n" for row in q0))
    model = mujoco.MjModel.from_xml_string(text)
    initial = np.zeros((MOTIONS, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    initial[:, 1:n + 1] = q0
    last = {}

    def theirs():
        data = mujoco.MjData(model)
        start = time.process_time()
        with rollout.Rollout(nthread=0) as roll:
            state, _ = roll.rollout(model, data, initial, nstep=steps)
        span = 1e9 * (time.process_time() - start)
        last["state"] = state[:, -1, 1:n + 1].copy()
        return [{"quantity": "rollout", "best_ns": span, "median_ns": span}]

    def ours():
        return common.cardan("ensemble", path, starts, STEP, STEP * steps, 1, 3, ends)

    own, peer = common.alternate(ours, theirs, rounds=ROUNDS)
    lanes = ", four at a time" if own["ensemble"]["lanes"] else ""
    own, peer = own["ensemble"]["best_ns"] * 1e-9, peer["rollout"]["best_ns"] * 1e-9
    work = MOTIONS * steps
    rows = [{"name": f"{name}: cardan{lanes}, 1 core", "seconds": own, "rate": work / own, "ratio": own / peer},
            {"name": f"{name}: MuJoCo rollout, 1 core", "seconds": peer, "rate": work / peer}]
    print("  ", rows, flush=True)
    found = np.array([[float(x) for x in line.split()] for line in ends.read_text().splitlines()])
    return rows, float(np.max(np.abs(found - last["state"])))


def measure():
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    rows, words = [], []
    for name, (text, n, steps) in MODELS.items():
        more, difference = compare(name, text, n, steps)
        rows += more
        words.append(f"{name}, {steps:,} steps each (at the end the coordinates differ by at most {difference:.0e})")
    note = (f"{MOTIONS:,} motions from random coordinates by the classical Runge-Kutta method with steps of {1e3 * STEP:g} ms, from the same MJCF text: {'; '.join(words)}. "
            "MuJoCo keeps every state on the way, ours the last. MuJoCo's is processor time; ours is time on the clock, so that waiting for a busy processor counts against ours only.")
    return {"rows": rows, "note": note}
