"""Operation counts and generation times against published ones.

Arms are written here from their Denavit-Hartenberg parameters in Khalil's and Craig's convention: a turn about x by alpha, a shift along x by a, then the joint along z with its offset d. Lengths,
masses, centres and inertias are parameters, so that only which of them are zero, and the twists, decide the counts. What publications leave open is said in `ASSUMED`.
"""

import re

from . import common, robots

HEADING = "## Operation counts and generation times, against published ones"

# Joint kind, alpha in degrees, a, d, mass centre, inertia about it: "xyz" and "diagonal" name what is not zero.
PUMA = [("R", 0, "", "", "", "z"), ("R", -90, "", "", "xyz", "diagonal"), ("R", 0, "a", "d", "yz", "diagonal"), ("R", -90, "a", "d", "z", "diagonal"),
        ("R", 90, "", "", "", "diagonal"), ("R", -90, "", "", "z", "diagonal")]
# The same with centres on the lines of the links, to show what the pattern is worth.
PLAIN = [PUMA[0], ("R", -90, "", "", "x", "diagonal"), ("R", 0, "a", "d", "y", "diagonal"), *PUMA[3:]]
# That with equal moments about x and y in the links of the wrist whose axis they turn about.
SYMMETRIC = [*PLAIN[:3], ("R", -90, "a", "d", "z", "symmetric"), PLAIN[4], ("R", -90, "", "", "z", "symmetric")]
# The pattern of Armstrong, Khatib and Burdick with the moments that are equal in their measured values as Corke's toolbox (`mdl_puma560akb`) quotes them: about x and y in links 4, 5 and 6.
MEASURED = [*PUMA[:3], ("R", -90, "a", "d", "z", "symmetric"), ("R", 90, "", "", "", "symmetric"), ("R", -90, "", "", "z", "symmetric")]
STANFORD = [("R", 0, "", "", "y", "diagonal"), ("R", -90, "", "d", "z", "diagonal"), ("P", 90, "", "", "z", "diagonal"), ("R", 0, "", "", "yz", "diagonal"),
            ("R", -90, "", "", "y", "diagonal"), ("R", 90, "", "", "z", "diagonal")]
SEVEN = [("R", 0, "", "", "xyz", "full"), ("R", -90, "", "", "xyz", "full"), ("R", 90, "", "d", "xyz", "full"), ("R", 90, "", "", "xyz", "full"),
         ("R", -90, "", "d", "xyz", "full"), ("R", -90, "", "", "xyz", "full"), ("R", 90, "", "d", "xyz", "full")]
ARMS = {"puma560": PUMA, "puma560_plain": PLAIN, "puma560_symmetric_wrist": SYMMETRIC, "puma560_measured": MEASURED, "stanford": STANFORD, "seven_joints": SEVEN}
ASSUMED = ("SYM's table does not print which elements of inertia are zero. PUMA 560: the pattern of Armstrong, Khatib and Burdick (1986), diagonal inertias, centres (0, 0, 0), (x, y, z), (0, y, z), (0, 0, z), 0, "
           "(0, 0, z) of links 1 to 6; `plain` has (x, 0, 0) and (0, y, 0) for links 2 and 3, `symmetric wrist` has besides equal moments about x and y in links 4 and 6, `measured` the centres of Armstrong, Khatib and Burdick and equal moments in links 4 to 6, as Corke's toolbox (`mdl_puma560akb`) quotes their measured values. The handbook robot is counted without its drives, which are the result. Stanford arm: diagonal inertias, centres along (y), (z), (z), (y, z), (y), (z) of frames whose z is the joint's own axis. Seven joints: right angles in turn, offsets along "
           "every second axis, all ten inertial parameters of each link. SYM's six-link SCARA is left out: its geometry is not printed. SYM's optimised "
           "listing of the handbook robot's inverse dynamics has 17 of its 38 terms; the same 17 take 48 products and 24 sums here.")

SYM = "SYM (Multibody Systems Handbook, 1990), optimised"
CUSTOMISED = "SYM, customised"
IZAGUIRRE = "Izaguirre & Paul 1985, with gravity"
# Product and sum counts as printed.
PUBLISHED = [
    ("handbook robot", "inverse", SYM, 50, 25), ("handbook robot", "inverse", CUSTOMISED, 71, 52), ("handbook robot", "mass", SYM, 23, 11), ("handbook robot", "mass", CUSTOMISED, 61, 28),
    ("stanford", "inverse", SYM, 136, 112), ("stanford", "inverse", CUSTOMISED, 178, 142), ("stanford", "mass", SYM, 89, 71), ("stanford", "mass", CUSTOMISED, 230, 147),
    ("puma560", "inverse", SYM, 152, 108), ("puma560", "inverse", CUSTOMISED, 192, 150), ("puma560", "mass", SYM, 71, 49), ("puma560", "mass", CUSTOMISED, 273, 175),
    ("puma560_plain", "inverse", SYM, 152, 108), ("puma560_plain", "mass", SYM, 71, 49),
    ("puma560_symmetric_wrist", "inverse", SYM, 152, 108), ("puma560_symmetric_wrist", "mass", SYM, 71, 49),
    ("puma560_measured", "inverse", SYM, 152, 108), ("puma560_measured", "mass", SYM, 71, 49),
    ("puma560", "mass", IZAGUIRRE, 65, 41), ("puma560_symmetric_wrist", "mass", IZAGUIRRE, 65, 41), ("puma560_measured", "mass", IZAGUIRRE, 65, 41),
    ("seven_joints", "inverse", "HybrDyn, Newton-Euler, S7RRRRRRR1, moments of all links", 502, 397), ("seven_joints", "mass", "HybrDyn, Lagrange, S7RRRRRRR1", 1037, 748),
]
# Joints, operations of inverse dynamics and of mass matrix with bias, seconds to generate and to post-process each, as printed in the headers of generated files.
ROBOTRAN = [("COMAN, floating base", 29, 4106, 17414, 0.05 + 0.04, 0.19 + 0.23), ("COMAN, long arms", 35, 6772, 33609, 0.09 + 0.05, 0.36 + 0.39), ("car", 59, 3398, 11010, 0.06 + 0.04, 0.16 + 0.24)]
# Humanoids of about as many joints, the six of the base included.
HUMANOIDS = {"alex": "alex_description/urdf/alex_sake_hands.urdf", "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf", "talos": "talos_data/robots/talos_reduced.urdf",
             "talos with hands": "talos_data/robots/talos_full_v2.urdf", "tiago": "tiago_description/robots/tiago.urdf"}
REPETITIONS = 5


def arm(name, joints):
    """Our text."""
    lines = [f"model {name}", "gravity = -9.81 [m/s^2] * N.z"]
    parameters, parent = [], "N"

    def parameter(what, unit, value):
        parameters.append(f"parameter {what} = {value} [{unit}]")
        return what

    for k, (kind, alpha, a, d, center, inertia) in enumerate(joints, 1):
        a = parameter(f"a{k}", "m", 0.3) if a else "0 [m]"
        d = parameter(f"d{k}", "m", 0.2) if d else "0 [m]"
        along = {0: ("0 [m]", d), 90: (f"-{d}", "0 [m]"), -90: (d, "0 [m]")}[alpha]
        joint = "revolute" if kind == "R" else "prismatic"
        turn = f"fixed(rotate = xyz, angles = ({alpha}, 0, 0) [deg]) " if alpha else ""
        lines.append(f"body B{k} on {parent} by {turn}{joint}(z, q = q{k}) at ({a}, {along[0]}, {along[1]}) {{")
        centers = [parameter(f"c{k}{x}", "m", 0.1) if x in center else "0 [m]" for x in "xyz"]
        if inertia == "symmetric":
            about = parameter(f"J{k}x", "kg*m^2", 1)
            moments = [about, about, parameter(f"J{k}z", "kg*m^2", 1.2)]
        elif inertia == "z":
            moments = ["0 [kg*m^2]", "0 [kg*m^2]", parameter(f"J{k}z", "kg*m^2", 1)]
        else:
            moments = [parameter(f"J{k}{x}", "kg*m^2", value) for x, value in (("x", 1), ("y", 1.1), ("z", 1.2))]
        if inertia == "full":
            moments += [parameter(f"J{k}{x}", "kg*m^2", 0.1) for x in ("xy", "yz", "xz")]
        mass = "0 [kg]" if inertia == "z" else parameter(f"m{k}", "kg", 2)
        lines.append(f"  mass = {mass}; inertia = ({', '.join(moments)}); center = ({', '.join(centers)})")
        lines.append("}")
        parent = f"B{k}"
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    path = common.SCRATCH / f"{name}.mbs"
    path.write_text("\n".join(lines[:2] + parameters + lines[2:]) + "\n")
    return path


def generate(path, base):
    return {row["quantity"]: row for row in common.cardan("generate", path, base, REPETITIONS)}


def undriven(path):
    """A copy of a model without the forces and torques that drive it: publications count the equations of the mechanism, whose drives are the result."""
    common.SCRATCH.mkdir(parents=True, exist_ok=True)
    copy = common.SCRATCH / f"undriven-{path.name}"
    copy.write_text(re.sub(r"^(force|torque|function) .*\n", "", path.read_text(), flags=re.M))
    return copy


def measure():
    arms = {"handbook robot": generate(undriven(common.ROOT / "models/handbook-robot.mbs"), "fixed")}
    for name, joints in ARMS.items():
        arms[name] = generate(arm(name, joints), "fixed")
    for name, rows in arms.items():
        print("  ", name, {q: (r["mul"], r["add"], r["div"]) for q, r in rows.items()}, flush=True)
    humanoids = {}
    for name, path in HUMANOIDS.items():
        humanoids[name] = generate(robots.find(path), "free")
        print("  ", name, {q: (r["joints"], r["operations"], f"{1e-6 * r['best_ns']:.1f} ms") for q, r in humanoids[name].items()}, flush=True)
    return {"arms": arms, "humanoids": humanoids}


def ratio(measured, row):
    """Our operations over those of a row of `PUBLISHED`."""
    name, quantity, _, products, sums = row
    own = measured["arms"][name][quantity]
    return (own["mul"] + own["add"] + own["div"]) / (products + sums)


def section(measured, table, short):
    out = ("Products and sums at every evaluation; what depends on parameters alone is computed beforehand, in ours and in SYM's. Sines and cosines are left out, as in the publications. A ratio below 1 means that ours has fewer. "
           f"{ASSUMED}\n\n")
    rows = []
    for name, quantity, source, products, sums in PUBLISHED:
        own = measured["arms"][name][quantity]
        rows.append([f"{name.replace('_', ' ')}: {quantity}", own["mul"], own["add"], own["div"], source, products, sums, f"{ratio(measured, (name, quantity, source, products, sums)):.2f}"])
    out += table(["", "products", "sums", "quotients", "published", "products", "sums", "ratio"], rows)
    out += ("Robotran prints the operations and times of every function that it generates; its times were taken on its users' machines and end with source text, which a compiler must still translate, ours with machine code on this one. Its robots are in none of the "
            "packages, so robots of about as many joints stand beside them, free bases counted as six joints. COMAN with all parameters as symbols has 24,387 operations in mass matrix and bias; ours keep all parameters. Ours of forward dynamics are solved for "
            "the accelerations; Robotran's stop at mass matrix and bias. In brackets ours as processor time, all threads together, in which waiting for a busy processor is not.\n\n")
    rows = [[name, joints, inverse, f"{inverse / joints:.0f}", f"{1e3 * inverse_s:.0f} ms", both, f"{both / joints:.0f}", f"{1e3 * both_s:.0f} ms"]
            for name, joints, inverse, both, inverse_s, both_s in ((f"Robotran: {r[0]}", *r[1:]) for r in ROBOTRAN)]
    time = lambda row: short(row["best_ns"]) + (f" ({short(row['processor_ns'])})" if row.get("processor_ns") else "")
    for name, said in measured["humanoids"].items():
        inverse, forward = said["inverse"], said["forward"]
        n = inverse["joints"]
        rows.append([f"ours: {name}", n, inverse["operations"], f"{inverse['operations'] / n:.0f}", time(inverse), forward["operations"], f"{forward['operations'] / n:.0f}", time(forward)])
    return out + table(["", "joints", "inverse dynamics", "per joint", "time", "mass matrix and bias, or forward dynamics", "per joint", "time"], rows)
