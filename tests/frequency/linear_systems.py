"""Linear systems of random and library models against python-control and SciPy.

Random models are chains of masses with springs and dampers between all neighbours and some others, half of them with linear
constraints. Their matrices are assembled here from the same numbers and reduced to the coordinates that cardan keeps; nothing of
cardan's linearisation takes part. A, B, C, D, poles, zeros and responses agree to 1e-9, margins to 1e-8.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import control
import numpy as np
import scipy.linalg

ROOT = Path(__file__).resolve().parents[2]
CARDAN = Path(sys.argv[1]).resolve()
N_RANDOM = 60
NEAR = 1e-9
BOUNDS = {"margins": 1e-8}

# Library models with the parameter or input that acts, and the state it is taken at.
LIBRARY = [
    ("cart-pole", "F", "equilibrium"),
    ("six-axis-arm", "k", "equilibrium"),
    ("pendulum", None, "equilibrium"),
    ("double-pendulum", None, "start"),
    ("stewart-platform", None, "start"),
    ("hmmwv", None, "start"),
    ("four-bar", None, "start"),
    ("rolling-disc", None, "start"),
    ("whipple-bicycle", "v", "start"),
]


def cardan(*words, folder):
    run = subprocess.run([CARDAN, "--json", *words, "--out", "out"], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{words}: {run.stderr}")
    return json.loads(run.stdout)


def apart(found, known, what, scale=None):
    """The largest difference relative to the largest number."""
    found, known = np.asarray(found), np.asarray(known)
    assert found.shape == known.shape, f"{what}: {found.shape} and {known.shape}"
    if found.size == 0:
        return 0.0
    size = max(np.abs(known).max(), 1e-300) if scale is None else scale
    return np.abs(found - known).max() / size


def roots_apart(found, known, what):
    """Each root against the nearest one, relative to the largest."""
    found, known = list(found), list(known)
    assert len(found) == len(known), f"{what}: {found} and {known}"
    size, worst = max([abs(z) for z in known], default=1.0) or 1.0, 0.0
    for z in found:
        nearest = min(known, key=lambda w: abs(w - z))
        known.remove(nearest)
        worst = max(worst, abs(nearest - z) / size)
    return worst


def complexes(pairs):
    return [complex(re, im) for re, im in pairs]


def random_model(rng):
    """A text, and M, C, K, G of its constraints, the inputs' columns and the outputs' rows."""
    n = int(rng.integers(2, 7))
    n_constraints = int(rng.integers(0, 2)) * int(rng.integers(1, max(2, n - 1)))
    mass = np.round(rng.uniform(0.5, 4, n), 3)
    k, c = np.zeros((n, n)), np.zeros((n, n))
    text = ["model random_chain", "gravity = 0", "input f1 [N], f2 [N]"]
    for i in range(n):
        text.append(f"particle p{i} on N by translate(x = x{i}) {{ mass = {mass[i]} [kg] }}")

    def join(i, j, stiffness, damping):
        other = "N" if j is None else f"p{j}"
        x, v = (f"x{i}", f"der(x{i})") if j is None else (f"(x{i} - x{j})", f"(der(x{i}) - der(x{j}))")
        name = f"e{i}_{'N' if j is None else j}"
        text.append(f"force {name} on p{i}.o from {other} = (-{stiffness} [N/m] * {x} - {damping} [N*s/m] * {v}) * N.x")
        ends = np.zeros(n)
        ends[i] = 1
        if j is not None:
            ends[j] = -1
        k[:], c[:] = k + stiffness * np.outer(ends, ends), c + damping * np.outer(ends, ends)

    draw = lambda low, high: float(np.round(rng.uniform(low, high), 3))
    for i in range(n):
        join(i, i - 1 if i else None, draw(5, 200), draw(0.2, 3))
    for i in range(2, n):
        if rng.random() < 0.3:
            join(i, int(rng.integers(0, i - 1)), draw(5, 100), draw(0.1, 1))
    g = np.zeros((n_constraints, n))
    for row in range(n_constraints):
        chosen = rng.choice(n, size=min(n, 3), replace=False)
        factors = np.round(rng.uniform(0.5, 2, len(chosen)) * rng.choice([-1, 1], len(chosen)), 2)
        g[row, chosen] = factors
        text.append(f"constraint g{row} = " + " + ".join(f"({a}) * x{i}" for a, i in zip(factors, chosen)))
    pushed = rng.choice(n, size=2, replace=n < 2)
    b = np.zeros((n, 2))
    for j, i in enumerate(pushed):
        b[i, j] = 1
        text.append(f"force push{j} on p{i}.o from N = f{j + 1} * N.x")
    rows = []
    for j, kind in enumerate(rng.choice(["x{0}", "der(x{0})", "der(der(x{0}))"], size=2)):
        i = int(rng.integers(0, n))
        rows.append((kind, i))
        text.append(f"output y{j + 1} = {kind.format(i)}")
    return "\n".join(text) + "\n", (np.diag(mass), c, k, g, b, rows)


def reduced(parts, states):
    """A, B, C, D in the coordinates and speeds that cardan kept."""
    m, c, k, g, b, rows = parts
    n = len(m)
    kept = [int(s[1:]) for s in states if not s.startswith("der(")]
    dependent = [i for i in range(n) if i not in kept]
    z = np.zeros((n, len(kept)))
    z[kept, range(len(kept))] = 1
    if dependent:
        z[dependent] = -np.linalg.solve(g[:, dependent], g[:, kept])
    f, inner = len(kept), z.T @ m @ z
    solved = lambda x: np.linalg.solve(inner, z.T @ x)
    a = np.block([[np.zeros((f, f)), np.eye(f)], [-solved(k @ z), -solved(c @ z)]])
    full_b = np.vstack([np.zeros((f, 2)), solved(b)])
    c_out, d_out = [], []
    for kind, i in rows:
        of_q, of_v = np.hstack([z[i], np.zeros(f)]), np.hstack([np.zeros(f), z[i]])
        if kind == "x{0}":
            c_out.append(of_q), d_out.append(np.zeros(2))
        elif kind == "der(x{0})":
            c_out.append(of_v), d_out.append(np.zeros(2))
        else:
            c_out.append(of_v @ a), d_out.append(of_v @ full_b)
    return a, full_b, np.array(c_out), np.array(d_out)


def finite_zeros(a, b, c, d):
    """Finite eigenvalues of the Rosenbrock pencil."""
    n, m = b.shape
    pencil = np.block([[a, b], [c, d]])
    e = scipy.linalg.block_diag(np.eye(n), np.zeros((m, m)))
    alpha, beta = scipy.linalg.eigvals(pencil, e, homogeneous_eigvals=True)
    return [x / y for x, y in zip(alpha, beta) if abs(y) > 1e-7 * abs(x)]


def zeros_apart(found, known, what):
    a, b, c, d = known
    pencil = lambda z: np.block([[a - z * np.eye(len(a)), b], [c, d]])
    values = lambda z: scipy.linalg.svdvals(pencil(z))
    usual = values(0.37 + 1.71j)
    rank = int((usual > 1e-10 * usual[0]).sum())
    # A pencil that is singular everywhere has zeros where it loses rank once more; QZ cannot tell them.
    if rank < len(usual):
        for z in found:
            assert values(z)[rank - 1] < 1e-9 * usual[rank - 1], f"{what}: {z} is no zero"
        return 0.0
    # Outputs that are rates have several zeros at the origin, which QZ finds to the root of rounding.
    size = np.abs(scipy.linalg.eigvals(a)).max()
    at_origin = lambda roots: [0j if abs(z) < 1e-5 * size else z for z in roots]
    return roots_apart(at_origin(found), at_origin(finite_zeros(a, b, c, d)), what + " zeros")


def responses(found, system):
    """The largest difference of the frequency responses, of every channel relative to its largest gain."""
    omega = 2 * np.pi * np.array(found["frequencies"])
    # On an undamped pole the response is infinite, and beside it a matter of rounding.
    poles = scipy.linalg.eigvals(system.A)
    clear = np.array([all(abs(1j * w - z) > 1e-4 * abs(z) for z in poles) for w in omega])
    omega = omega[clear]
    a, b, c, d = (np.array(system.A), np.array(system.B), np.array(system.C), np.array(system.D))
    known = control.frequency_response(system, omega).frdata if len(a) else np.repeat(d[:, :, None], len(omega), 2)
    names = [o["name"] for o in found["outputs"]], [i["name"] for i in found["inputs"]]
    worst = 0.0
    for channel in found["channels"]:
        i, j = names[0].index(channel["output"]), names[1].index(channel["input"])
        gain, phase = (np.array(channel[x], dtype=float)[clear] for x in ("gain", "phase"))
        mine = gain * np.exp(1j * phase)
        size = np.maximum(np.abs(known[i, j]), 1e-6 * np.abs(known[i, j]).max())
        if size.max() > 0:
            worst = max(worst, (np.abs(mine - known[i, j]) / size).max())
    return worst


def margins(found, system):
    """Gain and phase margins of the channels, each of python-control's among cardan's."""
    worst = 0.0
    names = [o["name"] for o in found["outputs"]], [i["name"] for i in found["inputs"]]
    for channel in found["channels"]:
        i, j = names[0].index(channel["output"]), names[1].index(channel["input"])
        # The transfer function of a system with as many poles as python-control can expand.
        zpk = control.zpk(complexes(channel["zeros"]), complexes(channel["poles"]), channel["factor"])
        gm, pm, _, wpc, wgc, _ = control.stability_margins(zpk, returnall=True)
        for value, w in zip(pm, wgc):
            mine = min(channel["phase_margins"], key=lambda m: abs(2 * np.pi * m["frequency"] - w), default=None)
            assert mine is not None, f"no phase margin at {w}"
            # The crossover is the one of the realisation; both are then polished on it.
            response = system[i, j](1j * 2 * np.pi * mine["frequency"])
            worst = max(worst, abs(abs(response) - 1))
            difference = np.angle(np.exp(1j * (mine["value"] - np.angle(-response))))
            worst = max(worst, abs(difference))
            assert abs(2 * np.pi * mine["frequency"] - w) < 1e-5 * w, f"{mine} {w}"
        for value, w in zip(gm, wpc):
            # Expanded polynomials have spurious crossings at the origin.
            if w < 1e-6 or not np.isfinite(value):
                continue
            mine = min(channel["gain_margins"], key=lambda m: abs(2 * np.pi * m["frequency"] - w), default=None)
            assert mine is not None, f"no gain margin at {w}"
            response = system[i, j](1j * 2 * np.pi * mine["frequency"])
            worst = max(worst, abs(response.imag / response.real), abs(mine["value"] * abs(response) - 1))
            assert abs(2 * np.pi * mine["frequency"] - w) < 1e-5 * w, f"{mine} {w}"
    return worst


def compare(found, known, what):
    a, b, c, d = known
    worst = {
        "matrices": max(apart(found[x], y, what) for x, y in zip("ABCD", known) if np.asarray(y).size and np.abs(y).max() > 0),
        "poles": roots_apart(complexes(found["poles"]), scipy.linalg.eigvals(a), what + " poles"),
    }
    system = control.ss(a, b, c, d)
    worst["zeros"] = zeros_apart(complexes(found["zeros"]), known, what)
    worst["response"] = responses(found, system)
    worst["margins"] = margins(found, system)
    return worst


def regulators(folder):
    """Regulators of the cart-pole and of a six-axis arm against SciPy's Riccati solver."""
    arm = (ROOT / "models/six-axis-arm.mbs").read_text()
    drives = [("shoulder", "N", "z"), ("upper_arm", "shoulder", "y"), ("forearm", "upper_arm", "y"),
              ("wrist1", "forearm", "y"), ("wrist2", "wrist1", "z"), ("wrist3", "wrist2", "y")]
    for k, (body, base, axis) in enumerate(drives, 1):
        arm += f"input T{k} [N*m]\ntorque drive{k} on {body} from {base} = T{k} * {body}.{axis}\n"
    (folder / "arm.mbs").write_text(arm)
    sizes = {f"T{k}": 10.0 for k in range(1, 7)} | {f"q{k}": 0.02 for k in range(1, 7)}
    cases = [
        (ROOT / "models/cart-pole.mbs", {"F": 1.0, "x": 0.1, "theta": 0.17}),
        (folder / "arm.mbs", sizes),
    ]
    for text, sizes in cases:
        options = [w for name, size in sizes.items() for w in ("--size", f"{name}={size}")]
        at = ["--at", "equilibrium", "--output", ",".join(n for n in sizes if not n[0].isupper())]
        lqr = cardan("lqr", text, *at, *options, folder=folder)
        linear = cardan("response", text, *at, folder=folder)
        a, b, c = (np.array(linear[x]) for x in "ABC")
        q = c.T @ np.diag([sizes[o["name"]] ** -2 for o in linear["outputs"]]) @ c
        r = np.diag([sizes[i["name"]] ** -2 for i in linear["inputs"]])
        x = scipy.linalg.solve_continuous_are(a, b, q, r)
        poles = scipy.linalg.eigvals(a - b @ np.linalg.solve(r, b.T @ x))
        difference = roots_apart(complexes(lqr["feedback"]["poles"]), poles, text.name)
        print(f"{text.name}: residual {lqr['riccati_residual']:.1e}, poles {difference:.1e}")
        assert lqr["riccati_residual"] < 1e-12 and difference < NEAR


def main():
    rng = np.random.default_rng(2026)
    worst, failures = {}, []
    note = lambda found: worst.update({k: max(worst.get(k, 0.0), v) for k, v in found.items()})
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for n in range(N_RANDOM):
            text, parts = random_model(rng)
            (folder / "random.mbs").write_text(text)
            found = cardan("response", "random.mbs", "--points", "50", folder=folder)
            known = reduced(parts, [s["name"] for s in found["states"]])
            try:
                here = compare(found, known, f"random {n}")
            except AssertionError as error:
                failures.append(str(error))
                continue
            note(here)
            failures.extend(f"random {n}: {k} {v:.1e}" for k, v in here.items() if v > BOUNDS.get(k, NEAR))
        print(f"{N_RANDOM} random models:", ", ".join(f"{k} {v:.1e}" for k, v in worst.items()))
        for name, acting, at in LIBRARY:
            model = ROOT / f"models/{name}.mbs"
            if acting is None:
                acting = first_parameter(model)
            ask = lambda acting: cardan("response", model, "--input", acting, "--at", at, "--points", "50", folder=folder)
            try:
                found = ask(acting)
            except RuntimeError as error:
                # A parameter that moves constraints: some outputs follow its acceleration at once.
                if f"der(der({acting}))" not in str(error):
                    raise
                acting = f"der(der({acting}))"
                found = ask(acting)
            known = tuple(np.array(found[x]).reshape(shape) for x, shape in shapes(found))
            here = {"response": responses(found, control.ss(*known))}
            print(f"{name} by {acting}: {len(found['A'])} states, response {here['response']:.1e}")
            note(here)
        regulators(folder)
    if failures or worst["response"] > NEAR:
        sys.exit("\n".join(failures) or f"too far apart: {worst}")


def shapes(found):
    n, m, p = len(found["states"]), len(found["inputs"]), len(found["outputs"])
    return [("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m))]


def first_parameter(model):
    declared = (line.split()[1] for line in model.read_text().splitlines() if line.startswith("parameter"))
    return next(declared)


main()
