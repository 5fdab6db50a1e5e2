"""Drake's times: python -m parts.drake_times MODEL STATES REPETITIONS, a process of its own.

The tree is written as URDF from Pinocchio's joints, so that Drake computes with as many bodies as the others: links that published files fix to one another are one body.
"""

import ctypes
import json
import pathlib
import sys

import numpy as np

from . import common
from .robots import CHECKED


class Given(ctypes.Structure):
    """As in drake.cpp."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("plant", "context", "rates", "forces", "states")] + [(name, ctypes.c_int) for name in ("n", "width", "nv")]


def angles(R):
    """Roll, pitch and yaw of a rotation."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0
    return np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])


def urdf(model):
    """The tree of a file of joints as URDF."""
    row = lambda numbers: " ".join(repr(float(x)) for x in numbers)
    out = ['<robot name="tree">']
    for k, line in enumerate(model.read_text().splitlines(), 1):
        parent, kind, *words = line.split()
        n = [float(w) for w in words]
        axis = n[:3] if "Unaligned" in kind else [float(kind[-1] == c) for c in "XYZ"]
        R, place, mass, center, (xx, xy, yy, xz, yz, zz) = np.array(n[3:12]).reshape(3, 3), n[12:15], n[15], n[16:19], n[19:]
        out.append(f'<link name="link{k}"><inertial><origin xyz="{row(center)}"/><mass value="{mass!r}"/>'
                   f'<inertia ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" izz="{zz!r}"/></inertial></link>')
        if kind != "JointModelFreeFlyer":
            on = "world" if parent == "0" else f"link{parent}"
            out.append(f'<joint name="joint{k}" type="{"prismatic" if kind.startswith("JointModelP") else "continuous"}"><parent link="{on}"/><child link="link{k}"/>'
                       f'<origin xyz="{row(place)}" rpy="{row(angles(R))}"/><axis xyz="{row(axis)}"/></joint>')
    return "\n".join([*out, "</robot>"])


def address(thing):
    """Where the C++ object behind a Python object is: the word after Python's own two."""
    return ctypes.c_void_p.from_address(id(thing) + 2 * ctypes.sizeof(ctypes.c_void_p)).value


def main(model, states, repetitions):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModelsFromString(urdf(pathlib.Path(model)), "urdf")
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -9.81])
    plant.Finalize()
    lines = [np.array([float(w) for w in line.split()]) for line in pathlib.Path(states).read_text().splitlines()]
    # Where each joint of ours is among Drake's.
    free = plant.num_positions() != plant.num_velocities()
    joints = [plant.GetJointByName(f"joint{k}") for k in range(2 if free else 1, plant.num_velocities() + 1 - 5 * free)]
    order_q = list(range(7 if free else 0)) + [j.position_start() for j in joints]
    order_v = list(range(6 if free else 0)) + [j.velocity_start() for j in joints]
    if free and plant.GetBodyByName("link1").floating_positions_start() != 0:
        raise RuntimeError("Drake's base is not the first of its coordinates")
    nq, nv = plant.num_positions(), plant.num_velocities()
    rows = []
    for q, v, a in zip(lines[::3], lines[1::3], lines[2::3]):
        row = np.zeros(nq + 2 * nv)
        row[order_q] = q
        row[[nq + k for k in order_v]] = v
        row[[nq + nv + k for k in order_v]] = a
        rows.append(row)
    table = np.ascontiguousarray(rows)
    context, forces = plant.CreateDefaultContext(), MultibodyForces(plant)
    rates = plant.AllocateTimeDerivatives()
    given = Given(address(plant), address(context), address(rates), address(forces), table.ctypes.data, len(rows), table.shape[1], nv)
    result = np.zeros(nv * nv)
    driver = ctypes.CDLL(str(common.driver("drake.so")))
    if repetitions:
        driver.time_all(ctypes.byref(given), repetitions, ctypes.c_void_p(result.ctypes.data))
        return
    for k in range(CHECKED):
        for what, quantity in enumerate(["forward", "inverse", "mass"]):
            driver.evaluate(ctypes.byref(given), what, k, ctypes.c_void_p(result.ctypes.data))
            if what == 0:
                values = rates.CopyToVector()[nq:][order_v]
            elif what == 1:
                values = result[:nv][order_v]
            else:
                values = result.reshape(nv, nv)[np.ix_(order_v, order_v)].flatten()
            print(json.dumps({"quantity": quantity, "state": k, "values": [float(x) for x in values]}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
