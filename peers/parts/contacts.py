"""Many contacts: a thousand spheres that fall into a box, ours and MuJoCo's.

Ours is `models/large/pile-of-spheres.mbs` by `cardan run`: the time of its motion on the clock, on one core. MuJoCo has the same spheres, box, friction, step
and elliptic cones, by its method CG; its time is that of the processor in `mj_step`. MuJoCo's contacts are soft: a shorter time constant (`solref`) lets less
overlap. The overlap is the deepest of the whole motion.
"""

import json
import math
import subprocess
import sys

from . import common

HEADING = "## Many contacts"
STEP, TO = 2e-3, 1.5
CONSTANTS = [2e-2, 4e-3]


def starts(n, layers, r, pitch):
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            for k in range(1, layers + 1):
                x = (i - 0.5 * (n + 1)) * pitch + 0.08 * r * math.sin(12.9 * i + 7.3 * j + 3.1 * k)
                y = (j - 0.5 * (n + 1)) * pitch + 0.08 * r * math.cos(5.7 * i + 11.9 * j + 2.3 * k)
                yield x, y, 1.5 * r + (k - 1) * pitch


def scene(constant, n=10, layers=10, r=0.05, m=0.5, mu=0.3):
    """The pile as MJCF."""
    pitch = 2.2 * r
    half = 0.5 * n * pitch + 0.1 * r
    walls = [("0 0 0", "0 0 1"), (f"{-half} 0 0", "1 0 0"), (f"{half} 0 0", "-1 0 0"), (f"0 {-half} 0", "0 1 0"), (f"0 {half} 0", "0 -1 0")]
    planes = "".join(f'<geom type="plane" size="5 5 1" pos="{p}" zaxis="{a}"/>' for p, a in walls)
    balls = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{r}" mass="{m}"/></body>' for x, y, z in starts(n, layers, r, pitch))
    return (f'<mujoco><option timestep="{STEP}" gravity="0 0 -9.81" cone="elliptic" solver="CG"/><size memory="400M"/>'
            f'<default><geom friction="{mu} 0 0" condim="3" solref="{constant} 1"/></default><worldbody>{planes}{balls}</worldbody></mujoco>')


def simulate(constant):
    """Called in a process of its own."""
    import time

    import mujoco

    model = mujoco.MjModel.from_xml_string(scene(constant))
    data = mujoco.MjData(model)
    depth, points, seconds = 0.0, 0, 0.0
    for _ in range(round(TO / STEP)):
        start = time.process_time()
        mujoco.mj_step(model, data)
        seconds += time.process_time() - start
        if data.ncon:
            depth, points = max(depth, -data.contact.dist[: data.ncon].min()), max(points, data.ncon)
    print(json.dumps({"seconds": seconds, "depth": depth, "points": points}))


def ours():
    path = common.ROOT / "target/release/cardan"
    if not path.exists():
        raise RuntimeError("the command is not built: `cargo build --release`")
    out = common.SCRATCH / "pile"
    words = [path, "run", common.ROOT / "models/large/pile-of-spheres.mbs", "--method", "moreau", "--to", TO, "--step", STEP, "--every", 0.1, "--quiet", "--out", out]
    subprocess.run([str(w) for w in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=1800)
    said = json.loads((out / "summary.json").read_text())
    found = said["contacts"]
    return {"seconds": said["phases_ms"]["run"] * 1e-3} | {key: found[key] for key in ("depth", "points", "residual", "momentum")}


def measure():
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    rows = [{"program": "cardan"} | ours()]
    for constant in CONSTANTS:
        command = [sys.executable, "-W", "ignore", "-c", f"from parts import contacts; contacts.simulate({constant})"]
        [said] = common.lines(command, cwd=common.ROOT / "peers", timeout=1800)
        rows.append({"program": f"MuJoCo, solref {constant} s"} | said)
    return {"rows": rows, "steps": round(TO / STEP)}


def section(measured, table, short):
    out = __doc__.split("\n\n", 1)[1].strip().replace("\n", " ") + "\n\n"
    rows = [[r["program"], str(r["points"]), short(r["seconds"] / measured["steps"] * 1e9), f"{r['depth']:.1e} m",
             f"{r['momentum']:.1e} N s" if "momentum" in r else ""] for r in measured["rows"]]
    return out + table(["", "points", "a step", "deepest overlap", "momentum balanced to"], rows)
