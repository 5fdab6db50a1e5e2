"""The table at the top of the page: what cardan aims at, the worst that was measured, and whether that is good enough. Every figure follows from the results."""

from . import counts, work_precision

HEADING = "## Targets"


def worst(found):
    """The largest of pairs of a figure and what it belongs to; nothing if there are none."""
    return max(found, default=None, key=lambda pair: pair[0])


def robots(part, peer, quantity):
    """Ratios of our times to a peer's."""
    return [(row["cardan"][quantity]["best_ns"] / row[peer][quantity]["best_ns"], name) for name, row in part["robots"].items()]


def batches(part):
    """Ratios of our best time of several states at once to Pinocchio's."""
    best = lambda own: min(row["best_ns"] for quantity, row in own.items() if quantity.endswith("at once"))
    return [(best(row["cardan"]) / row["pinocchio"]["forward"]["best_ns"], name) for name, row in part["robots"].items()]


def casadi(part, processor, quantities=("forward", "inverse", "mass")):
    return [(ratio, f"{name}, {quantity}") for quantity in quantities for ratio, name in robots(part, processor, quantity)]


def at_most(found, limit):
    ratio, where = worst(found)
    within = sum(r <= limit for r, _ in found)
    said = "" if within == len(found) else f"; {within} of {len(found)} are within"
    return f"≤ {limit}", f"{ratio:.3f} ({where}{said})", ratio <= limit


def at_least(rows, limit):
    found = [(row["ratio"], row["name"].split(": cardan")[0] + (f", {row['name'].split('tolerance ')[1].split(',')[0]}" if "tolerance" in row["name"] else "")) for row in rows if row.get("ratio")]
    ratio, where = worst(found)
    within = sum(1 / r >= limit for r, _ in found)
    said = "" if within == len(found) else f"; {within} of {len(found)} are within"
    return f"≥ {limit} ×", f"{1 / ratio:.0f} × ({where}{said})", 1 / ratio >= limit


def sympy(part, names, limit, ours):
    """The least gain over some models."""
    gain = lambda row: (row.get("sympy_ns") or 1e9 * row["cap_s"]) / row[ours]
    row = min((row for row in part["rows"] if row["name"] in names), key=gain)
    return f"≥ {limit:,} ×", f"{gain(row):,.0f} × ({row['name']})", gain(row) >= limit


def robotran(part, figure, names):
    """Ours over Robotran's, each of its robots beside ours with the fewest joints that are not fewer, or the one with the most. `figure` makes a number of a
    robot's joints, operations and seconds."""
    found = []
    own = sorted(part["humanoids"].values(), key=lambda robot: robot["inverse"]["joints"])
    for name, joints, inverse, both, inverse_s, both_s in counts.ROBOTRAN:
        robot = next((r for r in own if r["inverse"]["joints"] >= joints), own[-1])
        for what, operations, seconds in (("inverse", inverse, inverse_s), ("forward", both, both_s)):
            row = robot[what]
            if name.startswith(names):
                found.append((figure(row["joints"], row["operations"], 1e-9 * row["best_ns"]) / figure(joints, operations, seconds), f"{what}, {name}"))
    return at_most(found, 1)


def published(part):
    return at_most([(counts.ratio(part, row), f"{row[0].replace('_', ' ')}: {row[1]}, {row[2].split(' (')[0]}{', optimised' if row[2] == counts.SYM else ''}") for row in counts.PUBLISHED], 1)


def below(part):
    """How far the nearest peer is above the best of ours, over all problems and errors."""
    found = [(1 / gap if gap else float("inf"), f"{peer}, {problem['name'].replace('_', ' ')} at {level:.0e}") for problem in part["problems"]
             for level, peer, gap in work_precision.gaps(problem["points"])]
    ratio, where = worst(found)
    return "> 1 ×", f"{1 / ratio:.1f} × ({where})", ratio < 1


def read(part):
    """A file that no peer reads, or whose mass matrix is singular, has nothing to be compared with."""
    rows = part["urdf"] + part["mjcf"]
    compared = [r for r in rows if r.get("difference") is not None]
    good = [r for r in compared if r["difference"] < 1e-9]
    return "all to 1e-9", f"{len(good)} of {len(compared)}, of {len(rows)} files; the others have accelerations in no peer", len(good) == len(compared)


def cars(part, quantity, limits, shown, figure="best_ns"):
    """A time of each car over its limit in seconds."""
    found = [(1e-9 * row[quantity][figure] / limit, name) for name, row in part["cars"].items() for key, limit in limits.items() if key in name]
    ratio, where = worst(found)
    return "≤ " + shown, f"{ratio:.2f} of it ({where})", ratio <= 1


def faster(part, limits):
    """How many times faster than the clock, over what is aimed at."""
    found = [(limit / (1e9 * row["motion"]["seconds"] / row["motion"]["best_ns"]), name) for name, row in part["cars"].items() for key, limit in limits.items() if key in name]
    ratio, where = worst(found)
    return "≥ " + ", ".join(f"{limit} × ({key})" for key, limit in limits.items()), f"{1 / ratio:.2f} of it ({where})", ratio <= 1


SMALLEST = ["pendulum of 3 links"]
BICYCLES = ["bicycle", "bicycle, by hand as SymPy's"]
# What, the part that measures it, and how target, figure and verdict follow from the part.
TARGETS = [
    ("forward dynamics, time over Pinocchio's", "dynamics", lambda m: at_most(robots(m, "pinocchio", "forward"), 0.25)),
    ("inverse dynamics, time over Pinocchio's", "dynamics", lambda m: at_most(robots(m, "pinocchio", "inverse"), 0.25)),
    ("mass matrix, time over Pinocchio's", "dynamics", lambda m: at_most(robots(m, "pinocchio", "mass"), 0.3)),
    ("derivatives, time over Pinocchio's", "dynamics", lambda m: at_most(robots(m, "pinocchio", "derivatives"), 0.4)),
    ("several states at once, time over Pinocchio's", "dynamics", lambda m: at_most(batches(m), 0.08)),
    ("forward dynamics, time over CasADi's C at -O3", "generated", lambda m: at_most(casadi(m, "any", ["forward"]), 0.5)),
    ("forward, inverse, mass, time over CasADi's C at -O3", "generated", lambda m: at_most(casadi(m, "any"), 0.5)),
    ("the same at -O3 -march=native", "generated", lambda m: at_most(casadi(m, "this"), 0.5)),
    ("ensembles with fixed steps, gain over MuJoCo", "ensembles", lambda m: at_least(m["rows"], 10)),
    ("ensembles at equal error, gain over Exudyn", "ensembles", lambda m: at_least(m["motions"], 50)),
    ("text to machine code, smallest model, gain over SymPy", "compiling", lambda m: sympy(m, SMALLEST, 100, "cardan_ns")),
    ("text to machine code, bicycle, gain over SymPy, the same work", "compiling", lambda m: sympy(m, BICYCLES, 1000, "unsolved_ns")),
    ("the same with accelerations solved for, formalisms compared, energies, start", "compiling", lambda m: sympy(m, BICYCLES, 1000, "cardan_ns")),
    ("generation, time over Robotran's of as many joints", "counts", lambda m: robotran(m, lambda joints, operations, seconds: seconds, ("COMAN", "car"))),
    ("operations per joint of humanoids, over Robotran's", "counts", lambda m: robotran(m, lambda joints, operations, seconds: operations / joints, ("COMAN",))),
    ("operation counts, over published ones", "counts", published),
    ("work against precision, nearest peer over ours", "integrating", below),
    ("imported robots that agree", "imports", read),
    ("frequency response, gain over python-control", "frequency", lambda m: ("≥ 20 ×", f"{m['control_ns'] / m['response']['best_ns']:.0f} ×", m["control_ns"] >= 20 * m["response"]["best_ns"])),
    ("root locus of the bicycle over 1,000 speeds", "frequency", lambda m: ("≤ 0.1 s", f"{1e-9 * m['locus']['best_ns']:.3f} s", m["locus"]["best_ns"] <= 1e8)),
    ("vehicles, text to machine code", "vehicles", lambda m: cars(m, "compile", {"10 bodies": 0.3, "linkage": 1.5}, "0.3 s (10 bodies), 1.5 s (linkage)")),
    ("vehicles, one evaluation", "vehicles", lambda m: cars(m, "evaluate", {"10 bodies": 5e-6}, "5 µs (10 bodies)")),
    ("double lane change of 20 s, faster than the clock", "vehicles", lambda m: faster(m, {"10 bodies": 200, "linkage": 30})),
    ("steps of a millisecond in a session, 999 of 1000", "vehicles", lambda m: cars(m, "step", {"linkage": 60e-6}, "60 µs (linkage)", "late_ns")),
]


def section(measured, table):
    """The worst of everything measured."""
    rows = []
    for what, part, judge in TARGETS:
        if not measured.get(part):
            rows.append([what, "", "not measured here", ""])
            continue
        try:
            target, figure, met = judge(measured[part])
            rows.append([what, target, figure, "yes" if met else "**no**"])
        except (KeyError, TypeError, ValueError, IndexError, ZeroDivisionError) as error:
            rows.append([what, "", f"not in the results ({type(error).__name__})", ""])
    return f"{HEADING}\n\nThe worst figure of each kind, from the tables below.\n\n" + table(["", "target", "worst measured", "met"], rows)
