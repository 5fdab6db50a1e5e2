"""RESULTS.md and its figures, from everything measured so far."""

import html
import json
import os
import platform
import re
import subprocess
from importlib import metadata

from . import arranged, common, contacts, counts, frequency, generated, large, libraries, limits, notes, python_calls, targets, vehicles, work_precision

PAGE = common.ROOT / "peers/RESULTS.md"
FIGURES = common.ROOT / "peers/figures"
DYNAMICS, ENSEMBLES = "## Dynamics of robots, against Pinocchio", "## Ensembles of motions"
COMPILING, IMPORTS = "## From text to machine code, against SymPy", "## Importing robots"
PACKAGES = ["pin", "casadi", "control", "drake", "mujoco", "exudyn", "sympy", "scipy", "numpy"]


def read(part):
    path = common.RESULTS / f"{part}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]) + "\n\n"


def short(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.0f} ns"


def bars(name, title, groups):
    """A bar chart of ratios, one being equal; below one we are faster."""
    FIGURES.mkdir(exist_ok=True)
    left, step, width, most = 210, 22, 460, max(1.2, min(4.0, max(r for _, r in groups)))
    scale = width / most
    height = step * len(groups) + 60
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="20" font-size="14">{html.escape(title)}</text>']
    for k, (label, ratio) in enumerate(groups):
        y = 36 + step * k
        colour = "#0f8262" if ratio <= 1 else "#d2541b"
        out.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{html.escape(label)}</text>')
        out.append(f'<rect x="{left}" y="{y}" width="{min(ratio, most) * scale:.1f}" height="15" fill="{colour}"/>')
        out.append(f'<text x="{left + min(ratio, most) * scale + 5:.1f}" y="{y + 12}">{ratio:.2f}</text>')
    x = left + scale
    out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="30" y2="{height - 20}" stroke="black" stroke-dasharray="4 3"/></svg>')
    (FIGURES / f"{name}.svg").write_text("\n".join(out) + "\n")
    return f"![{title}](figures/{name}.svg)\n\n"


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    rust = subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release().split('-')[0]}; {rust}; {', '.join(versions)}.\n\n"


def failure(part):
    """What is said of a part that failed when it was last tried."""
    said = read(f"{part}.failure")
    return f"**Failed on {said['date']}: {said['reason']}** What follows is older, if there is anything.\n\n" if said else ""


def circumstances(measured):
    """When a part was measured, and what else the machine did then."""
    load = measured.get("load")
    busy = "" if load is None or load <= 1.5 else "; other work ran beside, so these times are uncertain"
    return f"*Measured {measured['date']}" + (f", load of the machine before: {load:.1f}" if load is not None else "") + f"{busy}.*\n\n"


def dynamics(measured, peak):
    out = ("One core, in process, 1,024 random states. Pinocchio: C++ at `-O3 -march=native`, headers instantiated in the driver; `package`: the functions "
            "that its package brings in a library. Ours: parameters "
            "(masses, inertias) stay inputs. Products and sums are fused, as the peer's compiler does. `derivatives` are those of the accelerations by "
            "coordinates, speeds and joint forces, on either side. The last column is the largest relative difference of the results.\n\n")
    rows, groups = [], []
    for robot, both in measured["robots"].items():
        for quantity, theirs in both["pinocchio"].items():
            own = both["cardan"][quantity]
            ratio = own["best_ns"] / theirs["best_ns"]
            groups.append((f"{robot}, {quantity}", ratio))
            difference = own.get("difference")
            package = both.get("package", {}).get(quantity)
            packaged = [short(package["best_ns"]), f"{own['best_ns'] / package['best_ns']:.2f}"] if package else ["", ""]
            rows.append([f"{robot}, {both['base']} base: {quantity}", short(own["best_ns"]), short(own["median_ns"]), short(theirs["best_ns"]),
                         short(theirs["median_ns"]), f"{ratio:.2f}", *packaged, own["operations"], f"{difference:.0e}" if difference is not None else ""])
    out += table(["", "ours", "median", "Pinocchio", "median", "ratio", "package", "ratio", "operations", "difference"], rows)
    out += bars("dynamics", "Time of ours / time of Pinocchio", groups)
    out += "### Several states at once\n\n"
    rows = []
    for robot, both in measured["robots"].items():
        own = both["cardan"]
        at_once = [own.get(f"forward, {n} at once", {}).get("best_ns") for n in ("two", "four", "eight")]
        best, one, theirs = min(t for t in at_once if t), own["forward"]["best_ns"], both["pinocchio"]["forward"]["best_ns"]
        rows.append([robot, short(one), *(short(t) if t else "" for t in at_once), f"{one / best:.2f}", f"{best / theirs:.3f}"])
    out += table(["forward dynamics per state", "one at a time", "two at once", "four at once", "eight at once", "gain", "ratio of the best to Pinocchio"], rows)
    out += failure("peak")
    if peak:
        out += "### Share of the machine's peak\n\n"
        out += (f"Operations of the program per second against fused multiply-adds in registers: {peak['scalar_gflops']:.1f} GFLOP/s one at a time, "
                f"{peak['four_gflops']:.1f} four at a time.\n\n")
        rows = []
        for robot, both in measured["robots"].items():
            one, four = both["cardan"]["forward"], both["cardan"]["forward, four at once"]
            rate = lambda row: row["operations"] / row["best_ns"]
            rows.append([robot, f"{rate(one):.2f} GFLOP/s", f"{100 * rate(one) / peak['scalar_gflops']:.0f} %",
                         f"{rate(four):.2f} GFLOP/s", f"{100 * rate(four) / peak['four_gflops']:.0f} %"])
        out += table(["forward dynamics", "one at a time", "of peak", "four at once", "of peak"], rows)
    return out


def imports(measured):
    out = ""
    for kind, what in (("urdf", "URDF files of example-robot-data, against Pinocchio"), ("mjcf", "MJCF files of dm_control's suite, against MuJoCo")):
        rows = measured.get(kind)
        if not rows:
            continue
        good = [r for r in rows if r.get("difference") is not None and r["difference"] < 1e-9]
        out += f"### {what}\n\n{len(good)} of {len(rows)} agree in their accelerations to 1e-9.\n\n"
        rest = [[r["name"], f"{r['difference']:.1e}" if r.get("difference") is not None else "", r.get("reason", "")] for r in rows if r not in good]
        if rest:
            out += table(["the others", "difference", "reason"], rest)
        told = [[f"{r['name']}, to {r['difference']:.0e}", r.get("peer", ""), r.get("note") or r.get("reason", "")] for r in good if r.get("peer") or r.get("note")]
        if told:
            out += table(["compared otherwise", "with", "because"], told)
    return out + failures(measured)


def failures(measured):
    """What could not be measured in a part that has other results."""
    return "Failed: " + "; ".join(measured["failures"]) + ".\n\n" if measured.get("failures") else ""


def compiling(measured):
    out = ("Ours: text to machine code, formalisms compared, accelerations solved for, energies and poses included. SymPy: `KanesMethod`, then `lambdify` with common subexpressions, in Python; mass "
            "matrix and forcing are left unsolved there. `The same alone` is that in ours, by the recursive formalism: mass matrix and forcing, Jacobian and bias of the constraints, unsolved, as machine code, on one thread. "
            "SymPy's bicycle is written by hand in its fewest coordinates; ours is "
            "the library's model with nine and two rolling joints, its start assembled and corrections included. The last row is a text with SymPy's formulation (conditions of rolling written by hand, the place "
            "on the ground eliminated), against the same run of SymPy; `the same alone` of that row is like against like. SymPy runs once, and its time is capped. It is processor "
            "time, ours is time on the clock, so that waiting for a busy processor counts against ours only; in brackets ours as processor time, all threads together.\n\n")
    rows = []
    for row in measured["rows"]:
        theirs = row.get("sympy_ns")
        ratio = lambda own: f"{own / theirs:.1e}" if theirs else f"below {own / (1e9 * row['cap_s']):.1e}"
        both = lambda clock, processor: short(row[clock]) + (f" ({short(row[processor])})" if row.get(processor) else "")
        rows.append([row["name"], both("cardan_ns", "processor_ns"), both("unsolved_ns", "unsolved_processor_ns"), short(theirs) if theirs else f"more than {row['cap_s']} s",
                     ratio(row["cardan_ns"]), ratio(row["unsolved_ns"])])
    return out + table(["model", "ours", "the same alone", "SymPy", "ratio", "ratio of the same"], rows)


def ensembles(measured):
    def times(rows, rate):
        return table(["", "time", rate, "ratio of ours"],
                     [[r["name"], short(1e9 * r["seconds"]), f"{r['rate']:.2e}", f"{r['ratio']:.3f}" if r.get("ratio") else ""] for r in rows])

    out = measured["note"] + "\n\n" + times(measured["rows"], "motions × steps per second")
    if measured.get("motions"):
        out += measured["motions_note"] + "\n\n" + times(measured["motions"], "motions per second")
    return out + failures(measured)


def earlier(heading, failed=""):
    """The section of this heading on the page as it is, for parts without numbers here; what failed since then stands before it."""
    text = PAGE.read_text() if PAGE.exists() else ""
    found = re.search(rf"^{re.escape(heading)}\n\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)
    body = re.sub(r"^\*\*(?:Failed on|What was measured cannot).*\n\n", "", found[1]) if found else ""
    return f"{heading}\n\n{failed}{body}" if failed or body else ""


def durations(measured):
    """How long the parts took to measure."""
    rows = [[part, f"{m['clock_s']:.0f} s", f"{m['processor_s']:.0f} s"] for part, m in measured.items() if m and m.get("clock_s")]
    return "## How long this takes\n\n" + table(["part", "on the clock", "of processors"], rows) if rows else ""


def write():
    page = "# Comparisons with other programs\n\nWritten by [`./bench`](../bench). Times are the best of several rounds in which the programs take turns; a ratio below 1 means that cardan is faster.\n\n" + machine()
    own = {part.HEADING: (part.__name__.split(".")[-1], lambda m, part=part: part.section(m, table, short)) for part in (generated, libraries, limits, counts, vehicles, python_calls)}
    far = {large.HEADING: ("large", lambda m: large.section(m, table, short)),
           contacts.HEADING: ("contacts", lambda m: contacts.section(m, table, short))}
    writers = {DYNAMICS: ("dynamics", lambda m: dynamics(m, read("peak"))), **own, ENSEMBLES: ("ensembles", ensembles),
               work_precision.HEADING: ("integrating", lambda m: work_precision.section(m, FIGURES, table, short)),
               **far, COMPILING: ("compiling", compiling), IMPORTS: ("imports", imports),
               frequency.HEADING: ("frequency", lambda m: frequency.section(m, table, short)),
               arranged.HEADING: ("arranged", lambda m: arranged.section(m, table, short))}
    sections = ""
    for heading, (part, writer) in writers.items():
        measured, failed = read(part), failure(part)
        try:
            sections += f"{heading}\n\n{failed}" + circumstances(measured) + writer(measured) if measured else earlier(heading, failed)
        except (KeyError, TypeError, ValueError) as error:
            sections += earlier(heading, f"**What was measured cannot be shown ({common.reason(repr(error))}).** What follows is older.\n\n")
    measured = {part: read(part) for part in [*(part for part, _ in writers.values()), "peak"]}
    page += targets.section(measured, table) + sections + durations(measured) + notes.section(measured)
    PAGE.write_text(page.rstrip() + "\n")
    print(f"   {PAGE.relative_to(common.ROOT)}")
