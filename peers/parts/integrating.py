"""Work against precision: the time that an integration takes, and how far its end is from the truth.

Each program gets a row of tolerances or numbers of steps; the error is that of one angle at the end. The truth is a published value in higher precision, or
else our own tightest run, which SciPy's tightest run must confirm.
"""

import subprocess
import sys

from . import common, emitted, planar, stabilised

OURS = {"cardan, auto": "auto", "cardan, dop853": "dop853", "cardan, dopri5": "dopri5", "cardan, radau5": "radau5", "cardan, bdf": "bdf"}
# The same equations as IDA's with multipliers, for mechanisms with loops.
OURS_LOOPS = {"cardan, radau5, multipliers": "radau5/stabilised", "cardan, bdf, multipliers": "bdf/stabilised"}
TOLERANCES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12]
STEPS = {
    "squeezer": {"alpha": [300, 1000, 3000, 10000, 30000, 100000], "trapezoidal": [300, 1000, 3000, 10000, 30000, 100000]},
    "free_slider_crank": {"alpha": [300, 1000, 3000, 10000, 30000, 100000], "trapezoidal": [300, 1000, 3000, 10000, 30000, 100000]},
    "chain10": {"alpha": [300, 1000, 3000, 10000, 30000], "trapezoidal": [300, 1000, 3000, 10000, 30000], "tree": [100, 200, 400, 800, 1600]},
}
WAYS = {"alpha": "Exudyn, generalised alpha", "trapezoidal": "Exudyn, trapezoidal rule", "tree": "Exudyn, tree with RK67"}
# Rounds of ours and of the peers' code, which take turns; Exudyn's many steps take long enough to be measured once, twice where they are few.
ROUNDS, FEW = 3, 3000


def ours(mechanism, method, rtol, repetitions=5):
    [said] = common.cardan("run", mechanism.source(), mechanism.to, method, rtol, repetitions)
    angle = sum(said["end"][q] for q in mechanism.coordinates())
    return {"seconds": said["best_ns"] * 1e-9, "angle": angle, "evaluations": said["evaluations"]}


def exudyn(mechanism, way, steps):
    command = [sys.executable, "-m", "parts.exudyn_motion", mechanism.name, way, steps, 2 if steps <= FEW else 1]
    [said] = common.lines(command, cwd=common.ROOT / "peers", timeout=120)
    return said


def runs(mechanism):
    """What to run: the program, its setting, in how many rounds, and the call."""
    for name, method in (OURS | OURS_LOOPS if mechanism.loops else OURS).items():
        for rtol in TOLERANCES:
            yield name, rtol, ROUNDS, lambda method=method, rtol=rtol: ours(mechanism, method, rtol)
    for name, method in emitted.METHODS.items():
        for rtol in TOLERANCES[::2]:
            yield name, rtol, ROUNDS, lambda method=method, rtol=rtol: emitted.scipy(mechanism, method, rtol)
    for name, method in emitted.SUNDIALS.items():
        for rtol in TOLERANCES:
            yield name, rtol, ROUNDS, lambda method=method, rtol=rtol: emitted.sundials(mechanism, method, rtol, 5)
    for rtol in TOLERANCES if mechanism.loops else []:
        yield stabilised.NAME, rtol, ROUNDS, lambda rtol=rtol: stabilised.run(mechanism, rtol, 5)
    for way, counts in STEPS[mechanism.name].items():
        for steps in counts:
            yield WAYS[way], steps, 1, lambda way=way, steps=steps: exudyn(mechanism, way, steps)


def truth(mechanism):
    """The angle at the end, and how well two programs agree on it."""
    own, theirs = ours(mechanism, "dop853", 1e-13, 1)["angle"], emitted.scipy(mechanism, "DOP853", 1e-13)["angle"]
    return mechanism.truth if mechanism.truth is not None else own, abs(own - theirs)


def measure():
    problems = []
    for mechanism in (make() for make in planar.ALL):
        known, agreement = truth(mechanism)
        [compile_, _] = common.cardan("compile", mechanism.source(), 5)
        points = {}
        for turn in range(ROUNDS):
            for name, setting, rounds, call in runs(mechanism):
                point = points.setdefault((name, setting), {"program": name, "setting": setting, "seconds": float("inf")})
                if "failure" in point or turn >= rounds:
                    continue
                try:
                    said = call()
                # One that is missing, fails or hangs is told in a line below the table.
                except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
                    point["failure"] = common.reason(failure)
                    del point["seconds"]
                    continue
                point["seconds"] = min(point["seconds"], said["seconds"])
                point["error"] = abs(said["angle"] - known)
        for point in points.values():
            print("  ", mechanism.name, point, flush=True)
        problems.append({"name": mechanism.name, "title": mechanism.title, "truth": known, "published": mechanism.truth is not None,
                         "agreement": agreement, "compile_ns": compile_["best_ns"], "points": list(points.values())})
    return {"problems": problems}
