"""Pinocchio's models, states and reference values, as files that the drivers read."""

import math

STATES = 1024
# So many states have mass matrices and derivatives, too.
REFERENCES = 16


def load(path, free=False, follow=False):
    """A model from a URDF; joints that follow others do so only if asked."""
    import pinocchio

    arguments = [str(path)] + ([pinocchio.JointModelFreeFlyer()] if free else [])
    try:
        return pinocchio.buildModelFromUrdf(*arguments, mimic=follow)
    except TypeError:
        return pinocchio.buildModelFromUrdf(*arguments)


def write_model(model, path):
    """One line per joint, for the driver."""
    lines = []
    for j in range(1, model.njoints):
        joint, placement, inertia = model.joints[j], model.jointPlacements[j], model.inertias[j]
        kind = joint.shortname()
        axis = list(joint.extract().axis) if "Unaligned" in kind else [0, 0, 0]
        I = inertia.inertia
        numbers = [*axis, *placement.rotation.flatten(), *placement.translation, inertia.mass, *inertia.lever,
                   I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
        lines.append(" ".join([str(model.parents[j]), kind] + [repr(float(x)) for x in numbers]))
    path.write_text("\n".join(lines) + "\n")


def write_states(model, free, path, plain=None, n=STATES, slopes=None):
    """Random states and what Pinocchio makes of them, by the names of joints; in Pinocchio's own order into `plain`.

    Into `slopes`, for the first of them, one line each: the mass matrix, derivatives of the accelerations by displacements
    (of a free base: in its own axes), by speeds, and by forces."""
    import numpy as np
    import pinocchio

    random = np.random.default_rng(42)
    data = model.createData()
    text = lambda row: " ".join(repr(float(x)) for x in row) + "\n"
    body, bare, sharp = [], [], []
    for k in range(n):
        q, v, angles, q_names, v_names = np.zeros(model.nq), random.uniform(-1, 1, model.nv), [], [], []
        for j in range(1, model.njoints):
            joint = model.joints[j]
            iq, nq, nv = joint.idx_q, joint.nq, joint.nv
            if free and j == 1:
                place, e = random.uniform(-1, 1, 3), random.normal(size=4)
                e /= np.linalg.norm(e)
                q[iq:iq + 7] = [*place, *e[1:], e[0]]
                angles += [*place, *e]
                q_names += ["@x", "@y", "@z", "@e0", "@e1", "@e2", "@e3"]
                v_names += ["@vx", "@vy", "@vz", "@wx", "@wy", "@wz"]
                continue
            if "Mimic" in joint.shortname() or nv == 0:
                continue
            if nv != 1:
                raise RuntimeError(f"joint {model.names[j]} has several degrees of freedom")
            x = random.uniform(-1, 1)
            q[iq:iq + nq] = [math.cos(x), math.sin(x)] if nq == 2 else x
            angles.append(x)
            q_names.append(model.names[j])
            v_names.append(model.names[j])
        given = random.uniform(-1, 1, model.nv)
        M = pinocchio.crba(model, data, q).copy()
        M = np.triu(M) + np.triu(M, 1).T
        forward = np.linalg.solve(M, -pinocchio.nonLinearEffects(model, data, q, v)) if model.nv else np.zeros(0)
        force = pinocchio.rnea(model, data, q, v, given)
        if slopes and k < REFERENCES:
            by_q, by_v, *_ = pinocchio.computeABADerivatives(model, data, q, v, np.zeros(model.nv))
            sharp += [text(matrix.flatten()) for matrix in (M, by_q, by_v, np.linalg.inv(M))]
        if k == 0:
            body += [" ".join(q_names) + "\n", " ".join(v_names) + "\n"]
        body += [text(row) for row in (angles, v, forward, given, force)]
        bare += [text(row) for row in (q, v, given)]
    path.write_text("".join(body))
    if slopes:
        slopes.write_text("".join(sharp))
    if plain:
        plain.write_text("".join(bare))
