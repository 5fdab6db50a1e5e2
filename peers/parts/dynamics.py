"""Dynamics of robots against Pinocchio, in process, on one core."""

from . import common, pinocchio
from . import robots as files

ROBOTS = [
    ("ur5", "ur_description/urdf/ur5_robot.urdf", "fixed"),
    ("iiwa14", "iiwa14", "fixed"),
    ("xarm7", "xarm_description/urdf/xarm7.urdf", "fixed"),
    ("panda", "panda_description/urdf/panda.urdf", "fixed"),
    ("solo12", "solo_description/robots/solo12.urdf", "free"),
    ("talos", "talos_data/robots/talos_reduced.urdf", "free"),
]
REPETITIONS = 20


def fastest(rows):
    """Pinocchio works in local frames or in the world's; the faster one counts."""
    kept = {}
    for quantity, row in rows.items():
        name = quantity.split(",")[0]
        if name not in kept or row["best_ns"] < kept[name]["best_ns"]:
            kept[name] = row
    return kept


def measure():
    robots = {}
    for name, path, base in ROBOTS:
        robot = files.find(path)
        states = common.SCRATCH / f"{name}.states"
        model, plain = common.SCRATCH / f"{name}.model", common.SCRATCH / f"{name}.plain"
        loaded = pinocchio.load(robot, free=base == "free")
        pinocchio.write_model(loaded, model)
        slopes = common.SCRATCH / f"{name}.slopes"
        pinocchio.write_states(loaded, base == "free", states, plain, slopes=slopes)
        peer = lambda: common.lines([common.driver("pinocchio"), model, plain, REPETITIONS])
        us = lambda: common.cardan("dynamics", robot, base, states, REPETITIONS, slopes)
        packaged = lambda: common.lines([common.driver("pinocchio_package"), model, plain, REPETITIONS])
        theirs, own, package = common.alternate(peer, us, packaged)
        theirs = fastest(theirs)
        robots[name] = {"cardan": own, "pinocchio": theirs, "package": fastest(package), "base": base}
        for quantity, row in theirs.items():
            ratio = own[quantity]["best_ns"] / row["best_ns"]
            print(f"   {name:8} {quantity:12} {own[quantity]['best_ns']:9.0f} ns  {row['best_ns']:9.0f} ns  {ratio:5.2f}")
    return {"robots": robots}
