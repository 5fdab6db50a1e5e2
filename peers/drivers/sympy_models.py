"""Models of the library by SymPy's KanesMethod: `sympy_models.py robot|bicycle`. Prints the processor's time to functions of mass matrix and forcing.

Lengths and gravity stay symbols, masses are numbers, forces of drives are symbols.
"""

import json
import sys
import time

import sympy as sm
import sympy.physics.mechanics as me

N, O = me.ReferenceFrame("N"), me.Point("O")
O.set_vel(N, 0)


def moving(names):
    """Coordinates with these names, their speeds, and the equations that join them."""
    q = me.dynamicsymbols(names)
    u = me.dynamicsymbols(" ".join(f"u_{name}" for name in names.split()))
    return q, u, [ui - qi.diff() for qi, ui in zip(q, u)]


def turned(frame, name, angle, speed, axis):
    new = frame.orientnew(name, "Axis", [angle, axis])
    new.set_ang_vel(frame, speed * axis)
    return new


def rigid(name, point, frame, mass, *inertia):
    return me.RigidBody(name, point, frame, mass, (me.inertia(frame, *inertia), point))


def robot():
    """The handbook robot of models/handbook-robot.mbs."""
    q, u, kinematics = moving("z1 ga1 y2 be2 al3")
    c, l, g, lift, push, turn, bend = symbols = sm.symbols("c l g lift push turn bend")
    A = turned(N, "A", q[1], u[1], N.z)
    B = turned(A, "B", q[3], u[3], A.y)
    C = turned(B, "C", q[4], u[4], B.x)
    post = O.locatenew("post", q[0] * N.z)
    post.set_vel(N, u[0] * N.z)
    arm = post.locatenew("arm", q[2] * A.y)
    arm.set_vel(N, u[0] * N.z + u[2] * A.y + me.cross(u[1] * N.z, q[2] * A.y))
    wrist = arm.locatenew("wrist", l * B.y)
    wrist.v2pt_theory(arm, N, B)
    hand = wrist.locatenew("hand", c * C.y)
    hand.v2pt_theory(wrist, N, C)
    bodies = [rigid("post", post, A, 250, 90, 10, 90), rigid("arm", arm, B, 150, 13, 0.75, 13), rigid("hand", hand, C, 100, 4, 1, 4.3)]
    loads = [(b.masscenter, -b.mass * g * N.z) for b in bodies]
    loads += [(post, lift * N.z - push * A.y), (arm, push * A.y), (A, turn * N.z), (C, bend * B.x), (B, -bend * B.x)]
    return me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=kinematics), bodies, loads, [*q, *u], symbols


def bicycle():
    """The Carvallo-Whipple bicycle of models/whipple-bicycle.mbs; its place on the ground, which nothing depends on, is left out."""
    q, u, kinematics = moving("yaw lean pitch steer")
    roll, front_roll = me.dynamicsymbols("u_rear u_front")
    w, c, tilt, rr, rf, g = symbols = sm.symbols("w c tilt rr rf g", positive=True)
    Y = turned(N, "Y", q[0], u[0], N.z)
    L = turned(Y, "L", q[1], u[1], Y.x)
    R = turned(L, "R", q[2], u[2], L.y)
    S = turned(R, "S", -tilt, 0, R.y)
    T = turned(S, "T", q[3], u[3], S.z)
    F = turned(T, "F", tilt, 0, T.y)
    # Wheels are symmetric: their angles do not matter, their speeds do.
    rear_wheel, front_wheel = R.orientnew("RW", "Axis", [0, R.y]), F.orientnew("FW", "Axis", [0, F.y])
    rear_wheel.set_ang_vel(R, roll * R.y)
    front_wheel.set_ang_vel(F, front_roll * F.y)
    contact = me.Point("contact")
    contact.set_vel(N, 0)
    hub = contact.locatenew("hub", rr * L.z)
    hub.v2pt_theory(contact, N, rear_wheel)
    rider = hub.locatenew("rider", 0.3 * R.x + (0.9 - rr) * R.z)
    rider.v2pt_theory(hub, N, R)
    head = hub.locatenew("head", (w + c - rf * sm.tan(tilt)) * R.x + (rf - rr) * R.z)
    head.v2pt_theory(hub, N, R)
    fork = head.locatenew("fork", (0.9 - w - c + rf * sm.tan(tilt)) * F.x + (0.7 - rf) * F.z)
    fork.v2pt_theory(head, N, F)
    front_hub = head.locatenew("front_hub", (rf * sm.tan(tilt) - c) * F.x)
    front_hub.v2pt_theory(head, N, F)
    # Down in the plane of the front wheel.
    down = (me.dot(N.z, F.y) * F.y - N.z).normalize()
    front_contact = front_hub.locatenew("front_contact", rf * down)
    front_contact.v2pt_theory(front_hub, N, front_wheel)
    height = me.dot(front_contact.pos_from(contact), N.z)
    # The dependent speeds are yaw, pitch and front wheel: with x before y and z the accelerations are wrong, probably by a pivot that vanishes.
    slip = [me.dot(front_contact.vel(N), axis) for axis in (Y.y, Y.z, Y.x)]
    bodies = [
        rigid("rear", rider, R, 85, 9.2, 11, 2.8, 0, 0, -2.4), rigid("front", fork, F, 4, 0.05892, 0.06, 0.00708, 0, 0, 0.00756),
        rigid("rear_wheel", hub, rear_wheel, 2, 0.0603, 0.12, 0.0603), rigid("front_wheel", front_hub, front_wheel, 3, 0.1405, 0.28, 0.1405),
    ]
    loads = [(b.masscenter, -b.mass * g * N.z) for b in bodies]
    independent, dependent = [u[1], u[3], roll], [u[0], u[2], front_roll]
    kane = me.KanesMethod(N, q_ind=[q[0], q[1], q[3]], q_dependent=[q[2]], configuration_constraints=[height], u_ind=independent, u_dependent=dependent,
                          velocity_constraints=slip, kd_eqs=kinematics)
    return kane, bodies, loads, [*q, *independent, *dependent], symbols


def main(make):
    start = time.process_time()
    kane, bodies, loads, state, symbols = make()
    kane.kanes_equations(bodies, loads)
    f = sm.lambdify([state, symbols], [kane.mass_matrix, kane.forcing], cse=True)
    f([0.1 + 0.01 * k for k in range(len(state))], [1.0 + 0.1 * k for k in range(len(symbols))])
    print(json.dumps({"seconds": time.process_time() - start}))


if __name__ == "__main__":
    main({"robot": robot, "bicycle": bicycle}[sys.argv[1]])
