"""Dynamics of robots against Simbody and Drake, on the same trees, on one core."""

import subprocess
import sys

from . import common, dynamics, robots

HEADING = "## Dynamics of robots, against Drake and Simbody"
QUANTITIES = ["forward", "inverse", "mass"]
PEERS = ["Drake", "Simbody"]
# Theirs take tens of microseconds, which fewer repetitions measure as well.
REPETITIONS, ROUNDS = 5, 3


def calls(robot):
    """How each program is started, by its name; it takes a number of repetitions."""
    return {
        "Drake": lambda n: common.lines([sys.executable, "-W", "ignore", "-m", "parts.drake_times", robot.model, robot.ground, n], cwd=common.ROOT / "peers"),
        "Simbody": lambda n: common.lines([common.driver("simbody"), robot.model, robot.ground, n]),
    }


def measure():
    found, failures = {}, {}
    for entry in dynamics.ROBOTS:
        robot = robots.prepare(*entry)
        reference = robots.reference_grounded(robot)
        peers, differences = {}, {}
        for name, call in calls(robot).items():
            try:
                differences[name] = robots.difference(reference, call(0))
                peers[name] = call
            except Exception as error:
                # One peer that fails leaves the other.
                failures[f"{name}, {robot.name}"] = common.reason(error)
                print(f"   {robot.name:8} {name} failed: {error}", flush=True)
        us = lambda: common.cardan("dynamics", robot.urdf, robot.base, robot.states, dynamics.REPETITIONS)
        own, *theirs = common.alternate(us, *(lambda call=call: call(REPETITIONS) for call in peers.values()), rounds=ROUNDS)
        found[robot.name] = {"base": robot.base, "cardan": {q: own[q] for q in QUANTITIES}, "differences": differences} | dict(zip(peers, theirs))
        for quantity in QUANTITIES:
            row = [f"{name} {measured[quantity]['best_ns']:.0f} ns ({differences[name][quantity]:.0e})" for name, measured in zip(peers, theirs)]
            print(f"   {robot.name:8} {quantity:8} {own[quantity]['best_ns']:8.0f} ns", *row, flush=True)
    if not any(name in row for row in found.values() for name in PEERS):
        raise RuntimeError("; ".join(f"{name}: {why}" for name, why in failures.items()))
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libsimbody-dev"], stdout=subprocess.PIPE, text=True).stdout
    return {"robots": found, "simbody": version, "failures": failures}


def section(measured, table, short):
    out = ("One core, 1,024 random states, each set anew before its evaluation; the same tree for all, links that are fixed to one another being one body. Theirs is processor time, ours is time on the clock. Simbody (Debian's "
           f"{measured['simbody']}) is called from C++. Drake's "
           "package has no headers: its functions are called from C++ by their names, on a plant that Python made, without Python in the loop. Both libraries are as their packages bring them, "
           "made for older processors; ours is compiled for this one. In brackets: the largest relative difference of their results from Pinocchio's.\n\n")
    rows = []
    for robot, all_ in measured["robots"].items():
        for quantity in QUANTITIES:
            own = all_["cardan"][quantity]
            row = [f"{robot}, {all_['base']} base: {quantity}", short(own["best_ns"])]
            for name in PEERS:
                theirs = all_.get(name, {}).get(quantity)
                row += [f"{short(theirs['best_ns'])} ({all_['differences'][name][quantity]:.0e})", f"{own['best_ns'] / theirs['best_ns']:.3f}"] if theirs else ["failed", ""]
            rows.append(row)
    out += table(["", "ours", "Drake", "ratio", "Simbody", "ratio"], rows)
    if measured.get("failures"):
        out += "Failed: " + "; ".join(f"{name} ({why})" for name, why in measured["failures"].items()) + ".\n\n"
    return out
