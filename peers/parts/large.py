"""Large systems: work against precision of absolute coordinates, ours and Exudyn's.

Ours is the command with `--formalism absolute`: the processor's time of the command less that of one whose motion ends at once, each the least of several rounds, spatial bodies with six
freedoms each. Exudyn's bodies are planar with three, which is fewer equations for the same mechanism; its time is that of the processor in the solver, the least of as many rounds.
The error is the distance of the observed point at the end from the reference: published numbers for the chain of 50 and the exact equation of the lift, else
our tightest run.
"""

import json
import math
import os
import re
import resource
import subprocess
import sys

from . import common

HEADING = "## Large systems"
ROUNDS = 5
# A motion that takes less than this part of what comes before it is not resolved by the difference of two times.
RESOLVED = 0.05
TOLERANCES = [1e-2, 1e-3, 1e-4, 1e-6, 1e-8]
CHAIN = """
constant n = {n}
gravity = -9.81 [m/s^2] * N.y
for k in 1 .. n {{
  body rod[k] on if k == 1 then N else rod[k - 1] by rotate(z = q[k]) at (if k == 1 then 0 else 1, 0, 0) [m] {{
    mass = 1 [kg]; inertia = (0, 1 / 12, 1 / 12) [kg*m^2]; center = (0.5, 0, 0) [m]
  }}
}}
point tip on rod[n] = (1, 0, 0) [m]
output end_x = dot(position(N.o, tip), N.x), end_y = dot(position(N.o, tip), N.y)
"""


def lift(n):
    text = (common.ROOT / "models/large/scissor-lift.mbs").read_text()
    text = re.sub(r"constant n = \d+", f"constant n = {n}", text)
    return text + "\noutput end_x = dot(position(N.o, up[n].top), N.x), end_y = dot(position(N.o, up[n].top), N.y)\n"


def array(n):
    text = (common.ROOT / "models/large/slider-crank-array.mbs").read_text()
    text = re.sub(r"constant n = \d+", f"constant n = {n}", text)
    return text + "\noutput end_x = dot(position(N.o, slider[n].o), N.x), end_y = dot(position(N.o, slider[n].o), N.y)\n"


# Name, number, end, text, reference (from the exact equation or 10 digits by a method of order 8), numbers of Exudyn's steps.
PROBLEMS = [
    ("chain", 50, 1.0, lambda: CHAIN.format(n=50), (48.760913411, -4.905), [50, 100, 200, 400, 800]),
    ("chain", 500, 1.0, lambda: CHAIN.format(n=500), None, [50, 100, 200, 400]),
    ("chain", 5000, 1.0, lambda: CHAIN.format(n=5000), None, [50, 100]),
    ("scissor-lift", 5, 0.1, lambda: lift(5), (0.5221841857231, 4.264163681722), [20, 50, 100, 200, 400]),
    ("scissor-lift", 50, 0.1, lambda: lift(50), None, [20, 50, 100, 200]),
    ("slider-crank-array", 20, 0.5, lambda: array(20), None, [100, 200, 400, 800, 1600]),
    ("slider-crank-array", 200, 0.5, lambda: array(200), None, [100, 200, 400, 800]),
]


def command():
    path = common.ROOT / "target/release/cardan"
    if not path.exists():
        raise RuntimeError("the command is not built: `cargo build --release`")
    return path


def ours(name, n, to, text, tolerance):
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    file = common.SCRATCH / f"{name}-{n}.mbs"
    file.write_text(text)
    best = [math.inf, math.inf]
    # The least of several rounds, since a difference of two times keeps the noise of both.
    for until, k in [(1e-6 * to, 0), (to, 1)] * (ROUNDS if n <= 50 else 2):
        words = [command(), "run", file, "--formalism", "absolute", "--rtol", tolerance, "--atol", tolerance, "--to", until, "--every", until,
                 "--quiet", "--out", common.SCRATCH / f"{name}-{n}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([str(w) for w in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=600)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best[k] = min(best[k], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    said = json.loads((common.SCRATCH / f"{name}-{n}" / "summary.json").read_text())
    end = [said["final"][axis]["value"] for axis in ("end_x", "end_y")]
    if best[1] - best[0] < RESOLVED * best[0]:
        return {"seconds": None, "end": end}
    return {"seconds": best[1] - best[0], "end": end}


def exudyn(name, n, to, steps):
    command = [sys.executable, "-W", "ignore", "-m", "parts.exudyn_large", name, n, to, steps]
    rounds = ROUNDS if n <= 50 else 2
    all_said = [common.lines(command, cwd=common.ROOT / "peers", timeout=600)[0] for _ in range(rounds)]
    return min(all_said, key=lambda said: said["seconds"])


def measure():
    problems = []
    for name, n, to, text, reference, counts in PROBLEMS:
        known = reference or ours(name, n, to, text(), 1e-10)["end"]
        points = []
        for program, settings, call in [("cardan", TOLERANCES, lambda s: ours(name, n, to, text(), s)),
                                        ("Exudyn", counts, lambda s: exudyn(name, n, to, s))]:
            for setting in settings:
                try:
                    said = call(setting)
                except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
                    points.append({"program": program, "setting": setting, "failure": common.reason(failure)})
                    continue
                points.append({"program": program, "setting": setting, "seconds": said["seconds"], "error": math.dist(said["end"], known)})
                print("  ", name, n, points[-1], flush=True)
        problems.append({"name": name, "n": n, "points": points})
    return {"problems": problems, "cores": os.cpu_count()}


def at(points, program, error):
    """The least time of a program at an error not above this."""
    times = [p["seconds"] for p in points if p["program"] == program and p.get("error", math.inf) <= error and p["seconds"] is not None]
    return min(times, default=None)


def section(measured, table, short):
    out = __doc__.split("\n\n", 1)[1].strip().replace("\n", " ") + "\n\n"
    rows = []
    for problem in measured["problems"]:
        for point in problem["points"]:
            if point["program"] != "Exudyn" or "error" not in point:
                continue
            own = at(problem["points"], "cardan", max(point["error"], 1e-13))
            rows.append([f"{problem['name']}, n = {problem['n']}", f"{point['setting']} steps", f"{point['error']:.1e}", short(point["seconds"] * 1e9),
                         short(own * 1e9) if own else "not reached", f"{point['seconds'] / own:.2f}" if own else ""])
    return out + table(["", "Exudyn", "error", "Exudyn", "ours, no larger error", "gain"], rows)
