"""Dynamics of robots against the C code that CasADi generates from Pinocchio's algorithms, in process, on one core."""

import subprocess

from . import common, dynamics, robots

HEADING = "## Dynamics of robots, against code that CasADi generates from Pinocchio"
NAMES = ["forward_local", "forward_world", "inverse_local", "mass_local", "mass_world"]
QUANTITIES = ["forward", "inverse", "mass"]


def build(robot):
    """The program that times the code generated for a robot, and how many operations that has."""
    folder = common.SCRATCH / f"{robot.name}-casadi"
    folder.mkdir(parents=True, exist_ok=True)
    counts = {row["quantity"]: row for row in common.lines([common.driver("pinocchio_casadi"), robot.model, folder])}
    flags = ["-O3", "-march=native"]
    compiling = [subprocess.Popen(["cc", *flags, "-c", f"{name}.c", "-o", f"{name}.o"], cwd=folder) for name in NAMES]
    if any(process.wait() for process in compiling):
        raise RuntimeError("CasADi's code does not compile")
    program = folder / "generated"
    driver = common.ROOT / "peers/drivers/generated.c"
    subprocess.run(["cc", *flags, driver, *(f"{name}.o" for name in NAMES), "-lm", "-o", program], cwd=folder, check=True)
    return program, counts


def measure():
    found = {}
    for entry in dynamics.ROBOTS:
        robot = robots.prepare(*entry)
        program, counts = build(robot)
        call = lambda n: common.lines([program, robot.plain, robot.loaded.nq, robot.loaded.nv, n])
        differences = robots.difference(robots.reference(robot), call(0))
        us = lambda: common.cardan("dynamics", robot.urdf, robot.base, robot.states, dynamics.REPETITIONS)
        theirs, own = common.alternate(lambda: call(dynamics.REPETITIONS), us)
        # The faster of the two frames counts; so do its operations.
        rows = {}
        for quantity, row in theirs.items():
            name, _, frames = quantity.partition(", ")
            row |= {"operations": counts[f"{name}_{frames or 'local'}"]["operations"], "difference": differences[name]}
            if name not in rows or row["best_ns"] < rows[name]["best_ns"]:
                rows[name] = row
        found[robot.name] = {"base": robot.base, "cardan": {q: own[q] for q in QUANTITIES}, "casadi": rows}
        for quantity, row in rows.items():
            mine = own[quantity]
            print(f"   {robot.name:8} {quantity:8} {mine['best_ns']:8.0f} ns  {row['best_ns']:8.0f} ns  {mine['best_ns'] / row['best_ns']:5.2f}"
                  f"  operations {mine['operations']} / {row['operations']}, difference {row['difference']:.0e}", flush=True)
    return {"robots": found}


def section(measured, table, short):
    out = ("One core, in process, 1,024 random states. Theirs: `aba`, `rnea`, `crba` of Pinocchio run on CasADi's symbols, common subexpressions shared by CasADi's `cse`, written as C, compiled at "
           "`-O3 -march=native`, called from C. Theirs is processor time, ours is time on the clock. Masses, inertias and places are numbers in their code and parameters in ours. Operations: arithmetic and functions, "
           "as each program counts its own. The last column is the largest relative difference of their results from Pinocchio's; ours stand in the table above.\n\n")
    rows = []
    for robot, both in measured["robots"].items():
        for quantity in QUANTITIES:
            own, theirs = both["cardan"][quantity], both["casadi"][quantity]
            rows.append([f"{robot}, {both['base']} base: {quantity}", short(own["best_ns"]), short(own["median_ns"]), short(theirs["best_ns"]), short(theirs["median_ns"]),
                         f"{own['best_ns'] / theirs['best_ns']:.2f}", own["operations"], theirs["operations"], f"{theirs['difference']:.0e}"])
    return out + table(["", "ours", "median", "CasADi's C", "median", "ratio", "operations", "theirs", "difference"], rows)
