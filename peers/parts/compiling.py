"""From a description to something that computes: pendulums of n links, the handbook robot, the bicycle of the library and one written by hand; against SymPy."""

import json
import subprocess
import sys

from . import common

CAP = 120
LINKS = [3, 5, 8, 14]
# Models of the library, and how long SymPy may take.
MODELS = {"handbook robot": ("models/handbook-robot.mbs", "robot", 120), "bicycle": ("models/whipple-bicycle.mbs", "bicycle", 600)}
# The bicycle as SymPy's is written: the same unknowns and conditions, by hand.
BY_HAND = ("bicycle, by hand as SymPy's", "peers/drivers/bicycle.mbs")

SYMPY = """
import json, sys, time
import sympy as sm
import sympy.physics.mechanics as me
n = int(sys.argv[1])
start = time.process_time()
q, u = me.dynamicsymbols(f"q:{n}"), me.dynamicsymbols(f"u:{n}")
m, l, g = sm.symbols("m l g", positive=True)
N = me.ReferenceFrame("N")
O = me.Point("O")
O.set_vel(N, 0)
bodies, loads, point = [], [], O
for k in range(n):
    A = N.orientnew(f"A{k}", "axis", [sum(q[:k + 1]), N.z])
    A.set_ang_vel(N, sum(u[:k + 1]) * N.z)
    C = point.locatenew(f"C{k}", l / 2 * A.x)
    C.v2pt_theory(point, N, A)
    end = point.locatenew(f"E{k}", l * A.x)
    end.v2pt_theory(point, N, A)
    bodies.append(me.RigidBody(f"B{k}", C, A, m, (me.inertia(A, 0, m * l**2 / 12, m * l**2 / 12), C)))
    loads.append((C, -m * g * N.y))
    point = end
kane = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=[ui - qi.diff() for qi, ui in zip(q, u)])
kane.kanes_equations(bodies, loads)
f = sm.lambdify([q + u, [m, l, g]], [kane.mass_matrix, kane.forcing], cse=True)
f([0.1] * (2 * n), [1.0, 1.0, 9.81])
print(json.dumps({"seconds": time.process_time() - start}))
"""


def chain(n):
    lines = [f"model chain{n}", "parameter L = 1 [m], m = 1 [kg]", "gravity = -9.81 [m/s^2] * N.y"]
    parent = "N"
    for k in range(1, n + 1):
        at = "" if k == 1 else f" at {parent}.e"
        lines.append(f"body B{k} on {parent} by revolute(z, q = q{k}){at} {{ mass = m; inertia = (0 [kg*m^2], m*L^2/12, m*L^2/12); "
                     "center = (L/2, 0, 0); point e = (L, 0, 0) }")
        parent = f"B{k}"
    return "\n".join(lines) + "\n"


def sympy(cap, *command):
    """The time that SymPy says it took, in ns; nothing if that is more than the cap in s."""
    try:
        done = subprocess.run([sys.executable, *command], stdout=subprocess.PIPE, text=True, timeout=cap, check=True)
    except subprocess.TimeoutExpired:
        return None
    return 1e9 * json.loads(done.stdout.splitlines()[-1])["seconds"]


def measure():
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    script = common.SCRATCH / "chain.py"
    script.write_text(SYMPY)
    rows = []

    def add(name, text, cap, *command):
        [own, unsolved] = common.cardan("compile", text, 15)
        rows.append({"name": name, "cardan_ns": own["best_ns"], "unsolved_ns": unsolved["best_ns"], "cap_s": cap,
                     "processor_ns": own.get("processor_ns"), "unsolved_processor_ns": unsolved.get("processor_ns")})
        if command:
            rows[-1]["sympy_ns"] = sympy(cap, *command)
        print("  ", rows[-1], flush=True)

    for n in LINKS:
        text = common.SCRATCH / f"chain{n}.mbs"
        text.write_text(chain(n))
        # Longer chains take longer: none is tried after one that took too long.
        command = [script, str(n)] if all(r.get("sympy_ns") for r in rows) else []
        add(f"pendulum of {n} links", text, CAP, *command)
    for name, (model, word, cap) in MODELS.items():
        add(name, common.ROOT / model, cap, common.ROOT / "peers/drivers/sympy_models.py", word)
    name, model = BY_HAND
    bicycle = rows[-1]
    add(name, common.ROOT / model, bicycle["cap_s"])
    rows[-1]["sympy_ns"] = bicycle["sympy_ns"]
    return {"rows": rows}
