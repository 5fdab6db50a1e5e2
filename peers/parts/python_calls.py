"""Calls from Python: dynamics of robots against Pinocchio's bindings, one by one and 1,024 at a time, and copies of a double pendulum against a
gymnasium environment of MuJoCo."""

import subprocess
import sys
import time

import numpy as np

from . import common, robots

ROBOTS = [
    ("ur5", "ur_description/urdf/ur5_robot.urdf"),
    ("panda", "panda_description/urdf/panda.urdf"),
    ("talos", "talos_data/robots/talos_reduced.urdf"),
]
BATCH = 1024
COPIES = 10_000


def best(call, n):
    """The shortest time of a call in seconds, of several rounds of n."""
    found = []
    for _ in range(common.ROUNDS):
        start = time.perf_counter()
        for _ in range(n):
            call()
        found.append((time.perf_counter() - start) / n)
    return min(found)


def robot(path):
    import cardan
    import pinocchio as pin

    urdf = robots.find(path)
    theirs = pin.buildModelFromUrdf(str(urdf))
    data = theirs.createData()
    ours = cardan.load(urdf)
    random = np.random.default_rng(1)
    n = theirs.nv
    q, v, tau, a = pin.randomConfiguration(theirs), *random.standard_normal((3, n))
    k = len(ours.states)
    x = random.standard_normal(k)
    many, acc = random.standard_normal((BATCH, k)), random.standard_normal((BATCH, k // 2))
    one = acc[0]
    # Pinocchio writes to its data; so do batches to arrays that are used again.
    rates, forces = np.empty((BATCH, k)), np.empty((BATCH, k // 2))
    masses, slopes = np.empty((BATCH, k // 2, k // 2)), np.empty((BATCH, k, k))

    def derivatives():
        pin.computeABADerivatives(theirs, data, q, v, tau)

    quantities = {
        "forward": (lambda: pin.aba(theirs, data, q, v, tau), lambda: ours.rhs(0.0, x), lambda: ours.rhs(0.0, many, out=rates)),
        "inverse": (
            lambda: pin.rnea(theirs, data, q, v, a),
            lambda: ours.inverse_dynamics(0.0, x, one),
            lambda: ours.inverse_dynamics(0.0, many, acc, out=forces),
        ),
        "mass matrix": (
            lambda: pin.crba(theirs, data, q),
            lambda: ours.mass_matrix(0.0, x),
            lambda: ours.mass_matrix(0.0, many, out=masses),
        ),
        "derivatives": (derivatives, lambda: ours.jacobian(0.0, x), lambda: ours.jacobian(0.0, many, out=slopes)),
    }
    rows = {}
    for quantity, (peer, call, batch) in quantities.items():
        call(), batch()
        rows[quantity] = {
            "peer_ns": 1e9 * best(peer, 2000),
            "call_ns": 1e9 * best(call, 2000),
            "batch_ns": 1e9 * best(batch, 5) / BATCH,
        }
    return rows


PENDULUM = """
gravity = -9.81 [m/s^2] * N.z
input F [N] = 0 in -1 .. 1 [N]
particle cart on N by translate(x = x) { mass = 10 [kg] }
body lower on cart by revolute(y, q = a) { mass = 4 [kg]; inertia = (0.1, 0.1, 0.01) [kg*m^2]; center = (0, 0, 0.3) [m] }
body upper on lower by revolute(y, q = b) at (0, 0, 0.6) [m] {
  mass = 4 [kg]; inertia = (0.1, 0.1, 0.01) [kg*m^2]; center = (0, 0, 0.3) [m]
}
force push on cart.cm = 500 * F * N.x
"""


def environments():
    """Seconds per step of one copy: ten thousand in lanes, five steps of 10 ms each, and MuJoCo's double pendulum of the same step."""
    import cardan
    import gymnasium
    from cardan.gym import VectorEnvironment

    peer = gymnasium.make("InvertedDoublePendulum-v5")
    peer.reset(seed=1)

    def step():
        _, _, ended, late, _ = peer.step(np.zeros(1, dtype=np.float32))
        if ended or late:
            peer.reset()

    envs = VectorEnvironment(
        cardan.compile(PENDULUM), COPIES, step=0.05, substeps=5, spread=0.1, reward=lambda t, x, u: -x[:, 1] ** 2
    )
    envs.reset(seed=1)
    actions = np.zeros((COPIES, 1))
    envs.step(actions)
    return {"peer_ns": 1e9 * best(step, 500), "own_ns": 1e9 * best(lambda: envs.step(actions), 2) / COPIES}


def measure():
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", common.ROOT / "python"], check=True)
    found = {}
    for name, path in ROBOTS:
        found[name] = robot(path)
        for quantity, row in found[name].items():
            print(
                f"   {name:6} {quantity:12} {row['call_ns']:9.0f} ns  {row['batch_ns']:9.0f} ns in batches  {row['peer_ns']:9.0f} ns"
                f"  {row['peer_ns'] / row['call_ns']:5.1f} x  {row['peer_ns'] / row['batch_ns']:6.1f} x"
            )
    environment = environments()
    print(f"   environments {environment['own_ns']:.0f} ns, MuJoCo {environment['peer_ns']:.0f} ns")
    return {"robots": found, "environment": environment}


HEADING = "## Calls from Python, against Pinocchio's bindings"


def section(measured, table, short):
    rows = [
        [name, quantity, short(r["call_ns"]), short(r["batch_ns"]), short(r["peer_ns"]), f"{r['call_ns'] / r['peer_ns']:.3f}", f"{r['batch_ns'] / r['peer_ns']:.4f}"]
        for name, quantities in measured["robots"].items()
        for quantity, r in quantities.items()
    ]
    out = f"One state per call, and {BATCH} states per call (time per state). Pinocchio is called state by state.\n\n"
    out += table(["robot", "quantity", "call", "in batches", "Pinocchio", "ratio", "ratio in batches"], rows)
    e = measured["environment"]
    out += f"{COPIES} copies of a double pendulum on a cart in a vectorised environment take {short(e['own_ns'])} per copy and step of 50 ms, "
    return out + f"MuJoCo's InvertedDoublePendulum-v5 by gymnasium {short(e['peer_ns'])}: ratio {e['own_ns'] / e['peer_ns']:.4f}.\n\n"
