"""Frequency responses against python-control, and the root locus of the bicycle.

Both answer from the same matrices in one run: a chain of 50 masses, 100 states, one input, one output, 1,000 frequencies. python-control has two
ways, with and without its optional Fortran library; what is installed is measured.
"""

import json
import time

from . import common

HEADING = "## Frequency response and root locus"
STATES, FREQUENCIES, REPETITIONS = 100, 1000, 5
# What the root locus may take.
LIMIT_NS = 1e8


def chain(n):
    """Masses in a row with springs and dampers, pushed at the first, seen at the last."""
    import numpy as np

    rng = np.random.default_rng(2026)
    mass, stiffness = rng.uniform(0.5, 2, n), rng.uniform(50, 200, n + 1)
    joined = lambda c: np.diag(c[:-1] + c[1:]) - np.diag(c[1:-1], 1) - np.diag(c[1:-1], -1)
    k, inverse = joined(stiffness), np.diag(1 / mass)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ k, -0.002 * inverse @ k]])
    b, c = np.zeros((2 * n, 1)), np.zeros((1, 2 * n))
    b[n, 0], c[0, n - 1] = 1 / mass[0], 1
    return a, b, c, np.zeros((1, 1))


def measure():
    import control
    import numpy as np

    a, b, c, d = chain(STATES // 2)
    omega = np.logspace(-1, 2, FREQUENCIES)
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    system = common.SCRATCH / "chain.json"
    system.write_text(json.dumps({"A": a.tolist(), "B": b.tolist(), "C": c.tolist(), "D": d.tolist(), "omega": omega.tolist()}))
    theirs = control.ss(a, b, c, d)
    ours, best = None, float("inf")
    for _ in range(common.ROUNDS):
        row = common.cardan("response", system, REPETITIONS)[0]
        ours = row if ours is None or row["best_ns"] < ours["best_ns"] else ours
        start = time.perf_counter()
        known = theirs.frequency_response(omega).frdata[0, 0]
        best = min(best, time.perf_counter() - start)
    found = np.array([complex(*v) for v in ours.pop("values")])
    difference = float((np.abs(found - known) / np.abs(known).max()).max())
    if difference > 1e-9:
        raise RuntimeError(f"the responses differ by {difference:.1e}")
    bicycle = common.ROOT / "models/whipple-bicycle.mbs"
    locus = min((common.cardan("locus", bicycle, "v", 1, 10, 1000, REPETITIONS, "push=0")[0] for _ in range(common.ROUNDS)), key=lambda r: r["best_ns"])
    return {"states": STATES, "frequencies": FREQUENCIES, "response": ours, "control_ns": 1e9 * best, "difference": difference, "locus": locus}


def section(measured, table, short):
    ours, theirs = measured["response"]["best_ns"], measured["control_ns"]
    rows = [[f"response of {measured['states']} states at {measured['frequencies']:,} frequencies", short(ours), short(theirs), f"{ours / theirs:.4f}"],
            ["root locus of the bicycle over 1,000 speeds, from the compiled model", short(measured["locus"]["best_ns"]), "limit: 0.1 s", f"{measured['locus']['best_ns'] / LIMIT_NS:.2f}"]]
    critical = ", ".join(f"{x:.9f}" for x in measured["locus"]["critical"])
    return (f"The responses agree to {measured['difference']:.0e} of the largest. The locus starts each speed by closing the contacts of the wheels, linearises and bounds the "
            f"errors of the eigenvalues, on all processors in {short(measured['locus']['processor_ns'])} of processor time; its critical speeds are {critical} m/s.\n\n") + table(["", "cardan", "python-control", "ratio"], rows)
