"""What the numbers say: sentences whose figures follow from the results. A note about a part that has none here is left out."""

from . import targets, work_precision

HEADING = "## What the numbers say"


def span(found):
    """The smallest and the largest of pairs of a ratio and what it belongs to."""
    ratios = [ratio for ratio, _ in found]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def dynamics(m):
    ranges = {quantity: span(targets.robots(m, "pinocchio", quantity)) for quantity in ("forward", "inverse", "mass", "derivatives")}
    slow, robot = targets.worst(targets.robots(m, "pinocchio", "derivatives"))
    operations = m["robots"][robot]["cardan"]["derivatives"]["operations"]
    return [f"Of Pinocchio's time ours takes {ranges['forward']} in forward dynamics, {ranges['inverse']} in inverse dynamics, {ranges['mass']} in mass matrices and {ranges['derivatives']} in derivatives, "
            "with parameters kept as inputs. Zeros and constants that are known when the code is made, and straight-line code without calls, are the likely reasons; their shares have not been measured.",
            f"Derivatives follow the structure of the tree, not the program. {robot} is where they gain least ({slow:.2f}, {operations:,} operations): what is left is mostly the solution for as many columns as there are "
            "coordinates and speeds. Columns are alike, so that on processors with AVX-512 their operations share vector instructions; elsewhere they are computed one number at a time."]


def generated(m):
    any_, this = (targets.casadi(m, processor) for processor in ("any", "this"))
    operations = [row["any"][q]["operations"] / row["cardan"][q]["operations"] for row in m["robots"].values() for q in ("forward", "inverse", "mass")]
    half = lambda found: f"half or less in {sum(ratio <= 0.5 for ratio, _ in found)} of {len(found)} rows"
    return [f"CasADi's C of Pinocchio's algorithms has {min(operations):.1f} to {max(operations):.1f} times our operations; ours takes {span(any_)} of its time at `-O3`, {half(any_)}, and {span(this)} of its time with this "
            f"processor's instructions, {half(this)}. Its compiler fuses products and sums then, and so do our programs in these tables. Motions of `cardan run` are not fused, so that every engine gives the same bits."]


def libraries(m):
    ratios = [row["cardan"][q]["best_ns"] / row[name][q]["best_ns"] for row in m["robots"].values() for name in ("Drake", "Simbody") if name in row for q in ("forward", "inverse", "mass")]
    return [f"Drake and Simbody take {1 / max(ratios):.0f} to {1 / min(ratios):.0f} times as long as ours. They are general libraries that keep results in caches and check what is stale; that this, more than algorithms, "
            "makes the ratio is a guess."]


def limits(m):
    rate = lambda w: w["bytes"] / w["best_ns"]
    ones = {name: row["widths"]["one"] for name, row in m["robots"].items()}
    large, small = max(ones, key=lambda name: ones[name]["bytes"]), min(ones, key=lambda name: ones[name]["bytes"])
    reached = {name: [100 * row["widths"][width]["limit_ns"] / row["widths"][width]["best_ns"] for width in ("one", "four")] for name, row in m["robots"].items()}
    said = "; ".join(f"{name} {one:.0f} % and {four:.0f} %" for name, (one, four) in reached.items())
    return [f"Of the limit of its own instructions, one state at a time and four at once, forward dynamics reaches: {said}. What is missing is waiting for results of operations before.",
            "Code that does not fit into the first cache of instructions (32 KiB here) arrives at about 35 bytes per nanosecond, whatever it does: a mix of multiply-adds, loads and stores of eight bytes each ran at 2.8 to 3.2 "
            f"instructions per cycle up to 32 KiB and at 1.4 to 1.7 beyond. Forward dynamics of {large} has {ones[large]['bytes'] / 1e3:.0f} kB and runs {rate(ones[large]):.0f} bytes per nanosecond, that of {small} {ones[small]['bytes'] / 1e3:.0f} kB and {rate(ones[small]):.0f}."]


def ensembles(m):
    gains = lambda rows: [1 / row["ratio"] for row in rows if row.get("ratio")]
    fixed, equal = gains(m["rows"]), gains(m["motions"])
    return [f"Ensembles with fixed steps are {min(fixed):.0f} to {max(fixed):.0f} times as fast as MuJoCo's rollout, on the same cores; MuJoCo keeps every state on the way. At equal error they are {min(equal):.0f} to {max(equal):.0f} times as "
            "fast as Exudyn's; the looser the tolerance, the fewer the steps of a motion and the more of its time goes into beginning and ending it."]


def integrating(m):
    out = ["SUNDIALS and SciPy run the code that we emit, so those rows compare integrators and what surrounds them, not equations. IDA solves the explicit form written as a residual, and the form with multipliers. Calls from Python are likely "
           "to be much of SciPy's time; their share has not been measured. These three motions are smooth and not stiff, which is what explicit methods of high order are for; a stiff model would say less in our favour.",
           "IDA on the form with multipliers needs a tolerance of its own for accelerations and multipliers: with that of the state its iteration failed at 1e-7 and below on both mechanisms, with 1 it reached 1e-11."]
    for problem in m["problems"]:
        points = problem["points"]
        tree = [(t / work_precision.best(points, level), level) for level in work_precision.LEVELS if (t := work_precision.cheapest(points, "Exudyn, tree with RK67", level))]
        if tree:
            out.append(f"Exudyn's own explicit method on joint coordinates takes {work_precision.times(min(tree)[0])} to {work_precision.times(max(tree)[0])} the time of the best of ours on the chain, its implicit methods of order 2 on absolute coordinates much more.")
        at = {(p["program"], p["setting"]): p for p in work_precision.good(points)}
        auto, other = at.get(("cardan, auto", 1e-3)), at.get(("cardan, dop853", 1e-3))
        if auto and other and auto["error"] > 10 * other["error"]:
            out.append(f"`auto` takes dopri5 at loose tolerances. On {problem['title'].split(',')[0]} at 1e-3 its error is {auto['error']:.0e} rad where dop853 leaves {other['error']:.0e} for {other['seconds'] / auto['seconds']:.1f} times the time.")
    return out


def compiling(_):
    return ["SymPy's bicycle agrees with ours in the accelerations of lean and steer to 1e-14 at a leaned, steered, rolling state. With the rolling constraints in another order SymPy's accelerations were wrong (-7.6 instead of -13.0 rad/s² in "
            "steer) without a warning; a pivot that vanishes in the elimination is the likely reason."]


def counts(_):
    return [PUMA]


PUMA = ("SYM's counts for the PUMA 560 are below ours with the inertia pattern of Armstrong, Khatib and Burdick; which pattern SYM had is not printed, and simpler centres and equal moments already bring ours down by a fifth. `peers/drivers/sym_counts.py` "
        "counts the recursions that SYM prints, customised as it says. On the handbook robot it gives SYM's 61 + 28 of the inertia matrix exactly, and 72 + 45 for its 71 + 52 of inverse dynamics. Of 20,736 patterns of a PUMA with diagonal "
        "inertias (lengths d2 or d3 or neither, a3, d6; at most three components of centres beside link 1; moments about x and y equal nowhere, in links 4 and 6, or in 4 to 6) none gives both customised counts, 192 + 150 and 273 + 175. "
        "Of those with 191 to 193 products in inverse dynamics the nearest without a length d6 of the hand has 266 products in the inertia matrix; with it they come near: 192 + 139 and 274 + 175 with moments equal in links 4 to 6 and centres along x of link 4 and z of link 6, 193 + 143 and 277 + 175 "
        "without a3, 192 + 140 and 277 + 174 without equal moments and a3. So a hand with a length is likely, but no pattern is singled out: equal moments come no nearer than unequal ones by more than a few operations, and none is taken from it. "
        "The sums of inverse dynamics stay 7 to 11 short of those printed in all of these, as they stay 7 short on the handbook robot, so that what is left may be a way of counting rather than a pattern.")
NOTES = {"dynamics": dynamics, "generated": generated, "libraries": libraries, "limits": limits, "ensembles": ensembles, "integrating": integrating, "compiling": compiling, "counts": counts}


def section(measured):
    said = []
    for part, notes in NOTES.items():
        if measured.get(part):
            try:
                said += notes(measured[part])
            except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
                said.append(f"The notes on `{part}` do not fit its results ({type(error).__name__}: {error}).")
    return f"{HEADING}\n\n" + "".join(f"- {note}\n" for note in said) if said else ""
