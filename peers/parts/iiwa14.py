"""KUKA's LBR iiwa 14, which no package on PyPI or in Debian brings with masses.

The numbers are those of Drake's description of the arm (drake_models, iiwa_description/urdf/iiwa14_no_collision.urdf); all three products of inertia are zero.
"""

import math

from . import common

TURN = math.pi / 2
# Place of the joint, its turn (roll, pitch, yaw), mass, mass centre, moments of inertia about it. Every axis is z.
JOINTS = [
    ((0, 0, 0.1575), (0, 0, 0), 5.76, (0, -0.03, 0.12), (0.033, 0.0333, 0.0123)),
    ((0, 0, 0.2025), (TURN, 0, 2 * TURN), 6.35, (0.0003, 0.059, 0.042), (0.0305, 0.0304, 0.011)),
    ((0, 0.2045, 0), (TURN, 0, 2 * TURN), 3.5, (0, 0.03, 0.13), (0.025, 0.0238, 0.0076)),
    ((0, 0, 0.2155), (TURN, 0, 0), 3.5, (0, 0.067, 0.034), (0.017, 0.0164, 0.006)),
    ((0, 0.1845, 0), (-TURN, 2 * TURN, 0), 3.5, (0.0001, 0.021, 0.076), (0.01, 0.0087, 0.00449)),
    ((0, 0, 0.2155), (TURN, 0, 0), 1.8, (0, 0.0006, 0.0004), (0.0049, 0.0047, 0.0036)),
    ((0, 0.081, 0), (-TURN, 2 * TURN, 0), 1.2, (0, 0, 0.02), (0.001, 0.001, 0.001)),
]


def write():
    """The URDF."""
    row = lambda numbers: " ".join(repr(x) for x in numbers)
    out = ['<robot name="iiwa14">', '<link name="link0"/>']
    for k, (place, turn, mass, center, (x, y, z)) in enumerate(JOINTS, 1):
        out.append(f'<link name="link{k}"><inertial><origin xyz="{row(center)}"/><mass value="{mass}"/>'
                   f'<inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial></link>')
        out.append(f'<joint name="joint{k}" type="revolute"><parent link="link{k - 1}"/><child link="link{k}"/><origin xyz="{row(place)}" rpy="{row(turn)}"/>'
                   '<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="300" velocity="2"/></joint>')
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    path = common.SCRATCH / "iiwa14.urdf"
    path.write_text("\n".join([*out, "</robot>"]) + "\n")
    return path
