"""One motion by Exudyn, in a process of its own: `python -m parts.exudyn_motion MECHANISM WAY STEPS REPETITIONS`, from the folder `peers`.

Ways: `alpha` is the generalised-alpha method on absolute coordinates and joints, `trapezoidal` the trapezoidal rule on the same; both with index-2
constraints, a modified Newton iteration and dense matrices. `tree` is the method RK67 on Exudyn's kinematic tree in joint coordinates (chains only).
Prints the processor's time of the solver alone and the angle at the end.
"""

import json
import sys
import time

# Asks for Exudyn's build without range checks.
sys.exudynFast = True
import exudyn as exu
from exudyn.itemInterface import (CoordinateConstraint, Force, MarkerBodyPosition, MarkerBodyRigid, MarkerNodeCoordinate, NodeGenericODE2,
                                  NodePointGround, NodeRigidBody2D, ObjectGround, ObjectJointRevolute2D, ObjectKinematicTree,
                                  ObjectConnectorSpringDamper, ObjectRigidBody2D, Torque)

from . import planar
from .exudyn_settings import settings


def absolute(mbs, mechanism):
    """Bodies with three coordinates each; returns what reads the angle."""
    ground = mbs.AddObject(ObjectGround())
    items, nodes, centers = {planar.GROUND: ground}, {}, {planar.GROUND: (0.0, 0.0)}
    for b in mechanism.bodies:
        pin, angle = mechanism.place(b.name)
        x, y = planar.moved(pin, angle, b.center)
        nodes[b.name] = mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[x, y, angle], initialVelocities=[0, 0, 0]))
        items[b.name] = mbs.AddObject(ObjectRigidBody2D(nodeNumber=nodes[b.name], physicsMass=b.mass, physicsInertia=b.inertia))
        centers[b.name] = b.center

    def marker(body, point):
        c = centers[body]
        return mbs.AddMarker(MarkerBodyPosition(bodyNumber=items[body], localPosition=[point[0] - c[0], point[1] - c[1], 0]))

    for b in mechanism.bodies:
        if b.slides:
            fixed = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
            for coordinate in (1, 2):
                moving = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=nodes[b.name], coordinate=coordinate))
                mbs.AddObject(CoordinateConstraint(markerNumbers=[fixed, moving]))
        else:
            mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[marker(b.parent, b.at), marker(b.name, (0, 0))]))
        if mechanism.gravity:
            mbs.AddLoad(Force(markerNumber=marker(b.name, b.center), loadVector=[0, -mechanism.gravity * b.mass, 0]))
    for a, p, c, r in mechanism.loops:
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[marker(a, p), marker(c, r)]))
    if mechanism.spring:
        body, point, end, stiffness, length = mechanism.spring
        mbs.AddObject(ObjectConnectorSpringDamper(markerNumbers=[marker(body, point), marker(planar.GROUND, end)], stiffness=stiffness,
                                                  damping=0, referenceLength=length))
    if mechanism.torque:
        body, moment = mechanism.torque
        at = mbs.AddMarker(MarkerBodyRigid(bodyNumber=items[body], localPosition=[0, 0, 0]))
        mbs.AddLoad(Torque(markerNumber=at, loadVector=[0, 0, moment]))
    node, start = nodes[mechanism.observed], mechanism.place(mechanism.observed)[1]
    return lambda: start + mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[2]


def tree(mbs, mechanism):
    """Joint coordinates of a tree of hinges."""
    n = len(mechanism.bodies)
    start = [b.angle for b in mechanism.bodies]
    node = mbs.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=start, initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n))
    names = [planar.GROUND] + [b.name for b in mechanism.bodies]
    inertias, offsets, turns, masses, centers = exu.Matrix3DList(), exu.Vector3DList(), exu.Matrix3DList(), [], exu.Vector3DList()
    for b in mechanism.bodies:
        # About the mass centre.
        inertias.Append([[0, 0, 0], [0, 0, 0], [0, 0, b.inertia]])
        offsets.Append([b.at[0], b.at[1], 0])
        turns.Append([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        centers.Append([b.center[0], b.center[1], 0])
        masses.append(b.mass)
    mbs.AddObject(ObjectKinematicTree(nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * n, linkParents=[names.index(b.parent) - 1 for b in mechanism.bodies],
                                      jointTransformations=turns, jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centers, linkMasses=masses,
                                      baseOffset=[0, 0, 0], gravity=[0, -mechanism.gravity, 0]))
    return lambda: float(sum(mbs.GetNodeOutput(node, exu.OutputVariableType.Coordinates)))


def settings_of(way, to, steps):
    s = settings(to, steps)
    s.linearSolver.solverType = exu.LinearSolverType.EXUdense
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.newton.relativeTolerance = 1e-9
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    s.timeIntegration.generalizedAlpha.useIndex2Constraints = way == "trapezoidal"
    s.timeIntegration.generalizedAlpha.useNewmark = way == "trapezoidal"
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    return s


def main(name, way, steps, repetitions):
    mechanism = next(m() for m in planar.ALL if m().name == name)
    best, angle = float("inf"), None
    for _ in range(repetitions):
        system = exu.SystemContainer()
        mbs = system.AddSystem()
        read = (tree if way == "tree" else absolute)(mbs, mechanism)
        mbs.Assemble()
        solver = {"tree": exu.DynamicSolverType.RK67, "trapezoidal": exu.DynamicSolverType.TrapezoidalIndex2}.get(way, exu.DynamicSolverType.GeneralizedAlpha)
        chosen = settings_of(way, mechanism.to, steps)
        start = time.process_time()
        mbs.SolveDynamic(chosen, solverType=solver)
        best = min(best, time.process_time() - start)
        angle = read()
    print(json.dumps({"quantity": "run", "seconds": best, "angle": angle}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
