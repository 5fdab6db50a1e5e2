"""Many motions by Exudyn, one after the other, in a process of its own: `python -m parts.exudyn_ensemble MODEL STARTS MOTIONS TO STEPS ENDS`, from the
folder `peers`.

The models are those of `ensembles` as kinematic trees in joint coordinates, the method is RK67 with equal steps. Prints the processor's time of the
solver alone, summed over the motions; the coordinates at the end are written to a file.
"""

import json
import sys
import time

# Asks for Exudyn's build without range checks.
sys.exudynFast = True
import exudyn as exu
from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree

from .exudyn_settings import settings

J = exu.JointType
# Joint, offset from the link before, mass, centre of mass, principal moments of inertia about it.
ROD = (1.0, [0, 0, -0.5], [0.083, 0.083, 0.001])
MODELS = {
    "double": [(J.RevoluteY, [0, 0, 0], *ROD), (J.RevoluteY, [0, 0, -1], *ROD)],
    # A body with two joints is two links, the first without mass.
    "robot": [
        (J.PrismaticZ, [0, 0, 0], 0.0, [0, 0, 0], [0, 0, 0]),
        (J.RevoluteZ, [0, 0, 0], 250.0, [0, 0, 0], [90, 10, 90]),
        (J.PrismaticY, [0, 0, 0], 0.0, [0, 0, 0], [0, 0, 0]),
        (J.RevoluteY, [0, 0, 0], 150.0, [0, 0, 0], [13, 0.75, 13]),
        (J.RevoluteX, [0, 0.5, 0], 100.0, [0, 0.05, 0], [4, 1, 4.3]),
    ],
}


def tree(mbs, links):
    """The model; returns its node."""
    n = len(links)
    node = mbs.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n, initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n))
    inertias, offsets, turns, centers = exu.Matrix3DList(), exu.Vector3DList(), exu.Matrix3DList(), exu.Vector3DList()
    for _, offset, _, center, moments in links:
        inertias.Append([[moments[i] if i == j else 0 for j in range(3)] for i in range(3)])
        offsets.Append(offset)
        turns.Append([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        centers.Append(center)
    mbs.AddObject(ObjectKinematicTree(nodeNumber=node, jointTypes=[link[0] for link in links], linkParents=list(range(-1, n - 1)), jointTransformations=turns,
                                      jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centers, linkMasses=[link[2] for link in links],
                                      baseOffset=[0, 0, 0], gravity=[0, 0, -9.81]))
    return node


def main(name, starts, motions, to, steps, ends):
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    node = tree(mbs, MODELS[name])
    chosen = settings(to, steps)
    spent, rows = 0.0, []
    for line in open(starts).read().splitlines()[:motions]:
        start = [float(x) for x in line.split()]
        mbs.SetNodeParameter(node, "initialCoordinates", start[:len(start) // 2])
        mbs.SetNodeParameter(node, "initialCoordinates_t", start[len(start) // 2:])
        mbs.Assemble()
        begun = time.process_time()
        mbs.SolveDynamic(chosen, solverType=exu.DynamicSolverType.RK67)
        spent += time.process_time() - begun
        rows.append(" ".join(repr(float(x)) for x in mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)))
    open(ends, "w").write("\n".join(rows) + "\n")
    print(json.dumps({"quantity": "exudyn", "best_ns": 1e9 * spent, "median_ns": 1e9 * spent}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
