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
        try:
            pinocchio.write_states(pinocchio.load(path, follow=True), False, states, n=16)
            # Without coordinates there is nothing to compare.
            if states.read_text().split("\n")[1].strip():
                [said] = common.cardan("dynamics", path, "fixed", states, 0)
                row["difference"] = said["difference"]
            else:
                row.update(difference=0.0)
        except Exception as error:
            row["reason"] = common.reason(error)
        rows.append(row)
        if row.get("difference") is None or row["difference"] > 1e-9:
            print("  ", row, flush=True)
    return rows


def mjcf():
    import mujoco
    import numpy as np
    from dm_control import suite

    folder = __import__("pathlib").Path(suite.__file__).parent
    rows = []
    for path in sorted(folder.glob("*.xml")):
        row = {"name": path.name}
        try:
            row["difference"] = mujoco_difference(mujoco, np, path)
        except Exception as error:
            row["reason"] = common.reason(error)
        rows.append(row)
        if row.get("difference") is None or row["difference"] > 1e-9:
            print("  ", row, flush=True)
    return rows


def mujoco_difference(mujoco, np, path):
    """The largest relative difference of accelerations at random states, contacts and limits switched off."""
    model = mujoco.MjModel.from_xml_path(str(path))
    if not model.nv:
        return 0.0
    if model.neq:
        raise RuntimeError("constraints yield there and are rigid here")
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
    worst = 0.0
    for ours, theirs in zip(said, references):
        scale = max(abs(x) for x in theirs.values()) or 1.0
        worst = max([worst] + [abs(ours[name] - x) / scale for name, x in theirs.items()])
    return float(worst)


def measure():
    return {"urdf": urdf(), "mjcf": mjcf()}
