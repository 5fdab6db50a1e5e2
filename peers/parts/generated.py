"""Dynamics of robots against the C code that CasADi generates from Pinocchio's algorithms, in process, on one core."""

import subprocess

from . import common, dynamics, robots

HEADING = "## Dynamics of robots, against code that CasADi generates from Pinocchio"
NAMES = ["forward_local", "forward_world", "inverse_local", "mass_local", "mass_world"]
QUANTITIES = ["forward", "inverse", "mass"]
# How their code is compiled: for every processor, and for this one.
FLAGS = {"any": ["-O3"], "this": ["-O3", "-march=native"]}


def build(robot):
    """The programs that time the code generated for a robot, by how they are compiled, and how many operations it has."""
    folder = common.SCRATCH / f"{robot.name}-casadi"
    folder.mkdir(parents=True, exist_ok=True)
    counts = {row["quantity"]: row for row in common.lines([common.driver("pinocchio_casadi"), robot.model, folder])}
    return {processor: compiled(folder, processor, flags) for processor, flags in FLAGS.items()}, counts


def compiled(folder, processor, flags):
    objects = {name: f"{name}-{processor}.o" for name in NAMES}
    compiling = [subprocess.Popen(["cc", *flags, "-c", f"{name}.c", "-o", result], cwd=folder) for name, result in objects.items()]
    # All of them are waited for, whatever becomes of one.
    if any([process.wait() for process in compiling]):
        raise RuntimeError("CasADi's code does not compile")
    program = folder / f"generated-{processor}"
    driver = common.ROOT / "peers/drivers/generated.c"
    subprocess.run(["cc", *flags, driver, *objects.values(), "-lm", "-o", program], cwd=folder, check=True)
    return program


def measure():
    found = {}
    for entry in dynamics.ROBOTS:
        robot = robots.prepare(*entry)
        programs, counts = build(robot)
        call = lambda processor, n: common.lines([programs[processor], robot.plain, robot.loaded.nq, robot.loaded.nv, n])
        differences = {processor: robots.difference(robots.reference(robot), call(processor, 0)) for processor in FLAGS}
        us = lambda: common.cardan("dynamics", robot.urdf, robot.base, robot.states, dynamics.REPETITIONS)
        theirs = [lambda processor=processor: call(processor, dynamics.REPETITIONS) for processor in FLAGS]
        own, *theirs = common.alternate(us, *theirs)
        found[robot.name] = {"base": robot.base, "cardan": {q: own[q] for q in QUANTITIES}}
        for processor, rows in zip(FLAGS, theirs):
            rows = found[robot.name][processor] = faster_frames(rows, counts, differences[processor])
            for quantity, row in rows.items():
                mine = own[quantity]
                print(f"   {robot.name:8} {quantity:8} {mine['best_ns']:8.0f} ns  {row['best_ns']:8.0f} ns ({processor:4})  {mine['best_ns'] / row['best_ns']:5.2f}"
                      f"  operations {mine['operations']} / {row['operations']}, difference {row['difference']:.0e}", flush=True)
    return {"robots": found}


def faster_frames(theirs, counts, differences):
    """The faster of the two frames that their functions may work in counts; so do its operations."""
    rows = {}
    for quantity, row in theirs.items():
        name, _, frames = quantity.partition(", ")
        row |= {"operations": counts[f"{name}_{frames or 'local'}"]["operations"], "difference": differences[name]}
        if name not in rows or row["best_ns"] < rows[name]["best_ns"]:
            rows[name] = row
    return rows


def section(measured, table, short):
    out = ("One core, in process, 1,024 random states. Theirs: `aba`, `rnea`, `crba` of Pinocchio run on CasADi's symbols, common subexpressions shared by CasADi's `cse`, written as C, compiled at "
           "`-O3`, and at `-O3 -march=native` for the instructions of this processor, which ours has; called from C. Theirs is processor time, ours is time on the clock. Masses, inertias and places are numbers in their "
           "code and parameters in ours. Operations: arithmetic and functions, as each program counts its own. The last column is the largest relative difference of their results from Pinocchio's; ours stand in the table above.\n\n")
    rows = []
    for robot, row in measured["robots"].items():
        for quantity in QUANTITIES:
            own = row["cardan"][quantity]
            theirs = [row[processor][quantity] for processor in FLAGS]
            times = [x for t in theirs for x in (short(t["best_ns"]), short(t["median_ns"]), f"{own['best_ns'] / t['best_ns']:.2f}")]
            difference = max(t["difference"] for t in theirs)
            rows.append([f"{robot}, {row['base']} base: {quantity}", short(own["best_ns"]), short(own["median_ns"]), *times, own["operations"], theirs[0]["operations"], f"{difference:.0e}"])
    return out + table(["", "ours", "median", "CasADi's C, `-O3`", "median", "ratio", "`-march=native`", "median", "ratio", "operations", "theirs", "difference"], rows)
