"""One robot as files for every program: our URDF and states, Pinocchio's joints, and the same tree for Simbody and Drake.

Simbody and Drake describe a free base by its quaternion and place, by its angular velocity and then by its velocity, both in the axes of the ground; Pinocchio by place and
quaternion, by velocity and angular velocity in the axes of the base. `turned` is the map between the speeds.
"""

import dataclasses
import pathlib

import numpy as np

from . import common, iiwa14, pinocchio

CHECKED = 16  # states at which results are compared


@dataclasses.dataclass
class Robot:
    name: str
    base: str
    urdf: pathlib.Path  # as published, without followers
    model: pathlib.Path  # one line per joint
    plain: pathlib.Path  # states in Pinocchio's order
    ground: pathlib.Path  # the same states for Simbody and Drake
    states: pathlib.Path  # states and results by name, for ours
    loaded: object

    @property
    def free(self):
        return self.base == "free"


def find(path):
    """The file of a robot."""
    if path == "iiwa14":
        return iiwa14.write()
    found = common.robots() / path
    if not found.exists():
        [found, *_] = sorted(common.robots().rglob(found.name))
    return common.without_followers(found)


def rotation(quaternion):
    """By w, x, y, z."""
    w, x, y, z = quaternion
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def turned(robot, q):
    """The matrix from Pinocchio's speeds to those of Simbody and Drake."""
    matrix = np.eye(robot.loaded.nv)
    if robot.free:
        R = rotation([q[6], *q[3:6]])
        matrix[:6, :6] = 0
        matrix[0:3, 3:6] = matrix[3:6, 0:3] = R
    return matrix


def turning(robot, q, v):
    """What accelerations gain on the way because the axes of the base turn."""
    more = np.zeros(robot.loaded.nv)
    if robot.free:
        more[3:6] = rotation([q[6], *q[3:6]]) @ np.cross(v[3:6], v[:3])
    return more


def rows(robot):
    """The states in Pinocchio's order: q, v, accelerations."""
    lines = [np.array([float(w) for w in line.split()]) for line in robot.plain.read_text().splitlines()]
    return list(zip(lines[::3], lines[1::3], lines[2::3]))


def grounded(robot, q, v, a):
    """A state for Simbody and Drake; angles as single numbers."""
    places = []
    for j in range(1, robot.loaded.njoints):
        joint = robot.loaded.joints[j]
        part = q[joint.idx_q:joint.idx_q + joint.nq]
        if joint.nq == 7:
            places += [part[6], *part[3:6], *part[:3]]
        else:
            places.append(np.arctan2(part[1], part[0]) if joint.nq == 2 else part[0])
    B = turned(robot, q)
    return np.array(places), B @ v, B @ a + turning(robot, q, v)


def prepare(name, path, base):
    """The files of a robot."""
    urdf = find(path)
    file = lambda kind: common.SCRATCH / f"{name}.{kind}"
    robot = Robot(name, base, urdf, file("model"), file("plain"), file("ground"), file("states"), pinocchio.load(urdf, free=base == "free"))
    pinocchio.write_model(robot.loaded, robot.model)
    pinocchio.write_states(robot.loaded, robot.free, robot.states, robot.plain)
    lines = [" ".join(repr(float(x)) for x in part) for state in rows(robot) for part in grounded(robot, *state)]
    robot.ground.write_text("\n".join(lines) + "\n")
    return robot


def reference(robot):
    """Forward dynamics, inverse dynamics and mass matrix by Pinocchio at the states that are checked."""
    import pinocchio as pin

    data = robot.loaded.createData()
    found = []
    for q, v, a in rows(robot)[:CHECKED]:
        M = np.triu(pin.crba(robot.loaded, data, q))
        M = M + np.triu(M, 1).T
        forward = pin.aba(robot.loaded, data, q, v, np.zeros(robot.loaded.nv)).copy()
        found.append({"forward": forward, "inverse": pin.rnea(robot.loaded, data, q, v, a).copy(), "mass": M})
    return found


def reference_grounded(robot):
    """The same for Simbody and Drake."""
    found = []
    for (q, v, _), row in zip(rows(robot), reference(robot)):
        B = turned(robot, q)
        back = np.linalg.inv(B)
        found.append({"forward": B @ row["forward"] + turning(robot, q, v), "inverse": back.T @ row["inverse"], "mass": back.T @ row["mass"] @ back})
    return found


def difference(reference, values):
    """The largest difference of each quantity, relative to the largest number of each state; `values` has one line for each quantity and state."""
    worst = {}
    for line in values:
        known = np.asarray(reference[line["state"]][line["quantity"]])
        given = np.array(line["values"]).reshape(known.shape)
        far = float(np.abs(given - known).max() / np.abs(known).max())
        worst[line["quantity"]] = max(worst.get(line["quantity"], 0.0), far)
    return worst
