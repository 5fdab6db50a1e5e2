"""A large system by Exudyn, in a process of its own: `python -m parts.exudyn_large SYSTEM N STEPS`, from the folder `peers`.

Planar bodies in absolute coordinates with joints, generalised alpha on index 3 and Exudyn's sparse matrices. Prints the processor's time of the solver
alone and where the observed point is at the end.
"""

import json
import math
import sys
import time

# Asks for Exudyn's build without range checks.
sys.exudynFast = True
import exudyn as exu
from exudyn.itemInterface import (CoordinateConstraint, Force, SpringDamper, MarkerBodyPosition, MarkerNodeCoordinate, NodePointGround, NodeRigidBody2D,
                                  ObjectGround, ObjectJointRevolute2D, ObjectRigidBody2D)

from .exudyn_settings import settings

GRAVITY = 9.81


class System:
    """Rods of given mass and inertia, pins between them."""

    def __init__(self):
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(ObjectGround())
        self.fixed = None

    def body(self, place, angle, mass, inertia, velocity=(0, 0, 0)):
        node = self.mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[*place, angle], initialVelocities=list(velocity)))
        body = self.mbs.AddObject(ObjectRigidBody2D(nodeNumber=node, physicsMass=mass, physicsInertia=inertia))
        self.mbs.AddLoad(Force(markerNumber=self.marker(body, (0, 0)), loadVector=[0, -GRAVITY * mass, 0]))
        return body, node

    def marker(self, body, point):
        return self.mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[*point, 0]))

    def pin(self, a, p, b, q):
        self.mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[self.marker(a, p), self.marker(b, q)]))

    def hold(self, node, coordinate):
        if self.fixed is None:
            self.fixed = self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=self.mbs.AddNode(NodePointGround()), coordinate=0))
        moving = self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))
        self.mbs.AddObject(CoordinateConstraint(markerNumbers=[self.fixed, moving]))

    def place(self, body, point):
        return [float(x) for x in self.mbs.GetObjectOutputBody(body, exu.OutputVariableType.Position, [*point, 0])[:2]]


def chain(n):
    """Rods of 1 m and 1 kg, released from the horizontal."""
    s, before = System(), None
    for k in range(n):
        rod, _ = s.body((k + 0.5, 0), 0, 1, 1 / 12)
        s.pin(*(s.ground, (0, 0)) if before is None else (before, (0.5, 0)), rod, (-0.5, 0))
        before = rod
    return s, lambda: s.place(before, (0.5, 0))


def scissor_lift(n):
    """As models/large/scissor-lift.mbs."""
    s, theta, below = System(), math.radians(60), None
    for k in range(n):
        y = (k + 0.5) * math.sin(theta)
        x = 0.5 * math.cos(theta)
        up, _ = s.body((x, y), theta, 1, 1 / 12)
        down, _ = s.body((x, y), math.pi - theta, 1, 1 / 12)
        s.pin(up, (0, 0), down, (0, 0))
        if below is None:
            s.pin(s.ground, (0, 0), up, (-0.5, 0))
            foot = down
        else:
            s.pin(below[1], (0.5, 0), up, (-0.5, 0))
            s.pin(below[0], (0.5, 0), down, (-0.5, 0))
        below = (up, down)
    # The foot of the first partner slides, as the pin of a body of next to no mass.
    slider, node = s.body((math.cos(theta), 0), 0, 1e-9, 1e-9)
    s.hold(node, 1)
    s.hold(node, 2)
    s.pin(foot, (-0.5, 0), slider, (0, 0))
    return s, lambda: s.place(below[0], (0.5, 0))


def slider_crank_array(n):
    """As models/large/slider-crank-array.mbs: planes at a pitch, joined by springs in space between neighbouring sliders."""
    s, r, length, pitch, before = System(), 0.1, 0.3, 0.2, None
    for i in range(1, n + 1):
        phi, rate = math.radians(30 * i), 10.0
        psi = -math.asin(r / length * math.sin(phi))
        turn = -r * math.cos(phi) * rate / (length * math.cos(psi))
        pin = (r * math.cos(phi), r * math.sin(phi))
        pin_rate = (-pin[1] * rate, pin[0] * rate)
        crank, _ = s.body((pin[0] / 2, pin[1] / 2), phi, 1, 5e-3, (pin_rate[0] / 2, pin_rate[1] / 2, rate))
        half = (length / 2 * math.cos(psi), length / 2 * math.sin(psi))
        place = (pin[0] + half[0], pin[1] + half[1])
        rod, _ = s.body(place, psi, 0.5, 4e-3, (pin_rate[0] - half[1] * turn, pin_rate[1] + half[0] * turn, turn))
        x = pin[0] + 2 * half[0]
        slider, node = s.body((x, 0), 0, 0.8, 1e-3, (pin_rate[0] - 2 * half[1] * turn, 0, 0))
        s.hold(node, 1)
        s.hold(node, 2)
        s.pin(s.ground, (0, 0), crank, (-r / 2, 0))
        s.pin(crank, (r / 2, 0), rod, (-length / 2, 0))
        s.pin(rod, (length / 2, 0), slider, (0, 0))
        here = s.mbs.AddMarker(MarkerBodyPosition(bodyNumber=slider, localPosition=[0, 0, i * pitch]))
        if before is not None:
            s.mbs.AddObject(SpringDamper(markerNumbers=[before, here], stiffness=500, referenceLength=pitch))
        before = here
    return s, lambda: s.place(slider, (0, 0))


SYSTEMS = {"chain": chain, "scissor-lift": scissor_lift, "slider-crank-array": slider_crank_array}


def main(name, n, to, steps):
    system, read = SYSTEMS[name](n)
    system.mbs.Assemble()
    s = settings(to, steps)
    s.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    s.timeIntegration.newton.useModifiedNewton = True
    s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    s.timeIntegration.generalizedAlpha.computeInitialAccelerations = True
    start = time.process_time()
    system.mbs.SolveDynamic(s, solverType=exu.DynamicSolverType.GeneralizedAlpha)
    print(json.dumps({"seconds": time.process_time() - start, "end": read()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
