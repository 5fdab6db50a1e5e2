"""Robots of other formats: accelerations against the programs that the formats come from."""

import json

from . import common, pinocchio

SEED = 7


def urdf():
    rows = []
    for path in sorted(common.robots().rglob("*.urdf")):
        name = str(path.relative_to(common.robots()))
        common.SCRATCH.mkdir(parents=True, exist_ok=True)
        states = common.SCRATCH / "imports.states"
        row = {"name": name}
        others = {"MuJoCo": lambda: mujoco_urdf_difference(path), "Pinocchio, followers set free": lambda: pinocchio_difference(common.without_followers(path), states)}
        try:
            row["difference"] = pinocchio_difference(path, states)
        except Exception as error:
            row["reason"] = common.reason(error)
            for peer, difference in others.items():
                try:
                    row.update(difference=difference(), peer=peer)
                    break
                except Exception as another:
                    row["reason"] += f"; {peer}: {common.reason(another)}"
        rows.append(row)
        if row.get("difference") is None or row["difference"] > 1e-9:
            print("  ", row, flush=True)
    return rows


def pinocchio_difference(path, states):
    """The largest relative difference of accelerations at random states."""
    pinocchio.write_states(pinocchio.load(path, follow=True), False, states, n=16)
    # Without coordinates there is nothing to compare.
    if not states.read_text().split("\n")[1].strip():
        return 0.0
    [said] = common.cardan("dynamics", path, "fixed", states, 0)
    return said["difference"]


def mujoco_urdf_difference(path):
    """The same of a URDF robot that Pinocchio does not read. Followers are joints of their own there: with q = G z the accelerations
    are those of (G' M G) z'' = G' (passive + dry friction - bias)."""
    import xml.etree.ElementTree as etree

    import mujoco
    import numpy as np

    root = etree.parse(path).getroot()
    for parent in root.iter():
        for child in [c for c in parent if c.tag in ("visual", "collision", "transmission", "gazebo", "mujoco")]:
            parent.remove(child)
    follow = {}
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            follow[joint.get("name")] = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
            joint.remove(mimic)
    settings = etree.SubElement(etree.SubElement(root, "mujoco"), "compiler")
    settings.set("fusestatic", "false")
    model = mujoco.MjModel.from_xml_string(etree.tostring(root, encoding="unicode"))
    data = mujoco.MjData(model)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) for j in range(model.njnt)]
    if model.nv != model.njnt:
        raise RuntimeError("a joint with several degrees of freedom")
    leaders = [n for n in names if n not in follow]
    G, g = np.zeros((model.nv, len(leaders))), np.zeros(model.nv)
    for row, name in enumerate(names):
        leader, factor, offset = name, 1.0, 0.0
        while leader in follow:
            leader, more, shift = follow[leader]
            factor, offset = factor * more, offset + factor * shift
        G[row, leaders.index(leader)], g[row] = factor, offset
    random = np.random.default_rng(SEED)
    states, references = [], []
    for _ in range(8):
        z, rate = random.uniform(-1, 1, len(leaders)), random.uniform(-1, 1, len(leaders))
        data.qpos[:], data.qvel[:] = G @ z + g, G @ rate
        mujoco.mj_forward(model, data)
        dry = -model.dof_frictionloss * np.sign(data.qvel)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        accelerations = np.linalg.solve(G.T @ M @ G, G.T @ (data.qfrc_passive + dry - data.qfrc_bias))
        states.append({f"{n}.{c}": float(x) for c, v in (("q", z), ("u", rate)) for n, x in zip(leaders, v)})
        references.append({f"{n}.u": float(x) for n, x in zip(leaders, accelerations)})
    return worst_of(common.cardan("accelerations", path, input="\n".join(json.dumps(s) for s in states)), references)


def mjcf():
    import mujoco
    import numpy as np
    from dm_control import suite

    folder = __import__("pathlib").Path(suite.__file__).parent
    rows = []
    for path in sorted(folder.glob("*.xml")):
        row = {"name": path.name}
        try:
            model, ours, note = mujoco_model(mujoco, path)
            row["difference"] = mujoco_difference(mujoco, np, model, ours)
            row.update({"note": note} if note else {})
        except Exception as error:
            row["reason"] = common.reason(error)
        rows.append(row)
        if row.get("difference") is None or row["difference"] > 1e-9:
            print("  ", row, flush=True)
    return rows


def mujoco_model(mujoco, path):
    """The model, the file that both read, and what was done. Constraints, which yield there and are rigid here, are taken out;
    masses of meshes are written into the file, which has six digits, and meshes and looks are taken out."""
    import xml.etree.ElementTree as etree

    model = mujoco.MjModel.from_xml_path(str(path))
    if not model.neq and not model.nmesh:
        return model, path, ""
    spec = mujoco.MjSpec.from_file(str(path))
    for equality in list(spec.equalities):
        spec.delete(equality)
    spec.compiler.saveinertial = True
    note = [f"{model.neq} constraint{'s' * (model.neq > 1)} taken out"] if model.neq else []
    note += ["masses of meshes as MuJoCo finds them"] if model.nmesh else []
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    ours = common.SCRATCH / path.name
    spec.compile()
    root = etree.fromstring(spec.to_xml())
    for parent in root.iter():
        parent.attrib.pop("material", None)
        for child in [c for c in parent if c.tag in ("mesh", "deformable", "texture", "material") or c.get("mesh")]:
            parent.remove(child)
    ours.write_text(etree.tostring(root, encoding="unicode"))
    return mujoco.MjModel.from_xml_path(str(ours)), ours, ", ".join(note)


def worst_of(said, references):
    """The largest difference, relative to the largest acceleration of its state."""
    worst = 0.0
    for ours, theirs in zip(said, references):
        scale = max(abs(x) for x in theirs.values()) or 1.0
        worst = max([worst] + [abs(ours[name] - x) / scale for name, x in theirs.items()])
    return float(worst)


def mujoco_difference(mujoco, np, model, path):
    """The largest relative difference of accelerations at random states, contacts and limits switched off."""
    if not model.nv:
        return 0.0
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.density = model.opt.viscosity = 0
    data = mujoco.MjData(model)
    random = np.random.default_rng(SEED)
    states, references = [], []
    for _ in range(8):
        state, names = {}, []
        for j in range(model.njnt):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
            if name is None:
                raise RuntimeError("a joint without a name")
            kind, iq, iv = int(model.jnt_type[j]), model.jnt_qposadr[j], model.jnt_dofadr[j]
            if kind in (int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_HINGE)):
                state[f"{name}.q"] = data.qpos[iq] = random.uniform(-1, 1)
                state[f"{name}.u"] = data.qvel[iv] = random.uniform(-1, 1)
                names.append((f"{name}.u", iv, None))
                continue
            free = kind == int(mujoco.mjtJoint.mjJNT_FREE)
            e = random.normal(size=4)
            e /= np.linalg.norm(e)
            w = random.uniform(-1, 1, 3)
            if free:
                place, velocity = random.uniform(-1, 1, 3), random.uniform(-1, 1, 3)
                R = np.zeros(9)
                mujoco.mju_quat2Mat(R, e)
                R = R.reshape(3, 3)
                data.qpos[iq:iq + 3], data.qvel[iv:iv + 3] = place, R @ velocity
                state.update({f"{name}.{c}": x for c, x in zip("xyz", place)})
                state.update({f"{name}.v{c}": x for c, x in zip("xyz", velocity)})
                names.append((name, iv, (R, w, velocity)))
                iq, iv = iq + 3, iv + 3
            data.qpos[iq:iq + 4], data.qvel[iv:iv + 3] = e, w
            state.update({f"{name}.e{k}": x for k, x in enumerate(e)})
            state.update({f"{name}.w{c}": x for c, x in zip("xyz", w)})
            names += [(f"{name}.w{c}", iv + k, None) for k, c in enumerate("xyz")]
        data.ctrl[:] = 0
        # Dry friction is one of the constraints that are off; at speeds it is a given force.
        data.qfrc_applied[:] = -model.dof_frictionloss * np.sign(data.qvel)
        mujoco.mj_forward(model, data)
        reference = {}
        for name, iv, turn in names:
            if turn is None:
                reference[name] = data.qacc[iv]
            else:
                # Theirs is the acceleration in space; ours the rate of the components in the body.
                R, w, velocity = turn
                rates = R.T @ data.qacc[iv:iv + 3] - np.cross(w, velocity)
                reference.update({f"{name}.v{c}": x for c, x in zip("xyz", rates)})
        states.append({k: float(x) for k, x in state.items()})
        references.append(reference)
    said = common.cardan("accelerations", path, input="\n".join(json.dumps(s) for s in states))
    return worst_of(said, references)


def measure():
    found, failures = {}, []
    for kind, rows in (("urdf", urdf), ("mjcf", mjcf)):
        # A peer that is not there leaves the other.
        try:
            found[kind] = rows()
        except Exception as error:
            found[kind] = []
            failures.append(f"{kind.upper()} ({common.reason(error)})")
    if not any(found.values()):
        raise RuntimeError("; ".join(failures))
    return found | {"failures": failures}
