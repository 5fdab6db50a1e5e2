"""Planar mechanisms for the comparison of integrators, described once: our text and Exudyn's objects come from the same numbers.

A body turns about a pin on its parent; pins that close loops stand apart. Lengths in m, masses in kg, angles in rad.
"""

import dataclasses
import math

from . import common

GROUND = "N"


@dataclasses.dataclass
class Body:
    """A rigid body; `at` is its pin on the parent, `angle` its start relative to the parent, `center` its mass centre from the pin."""

    name: str
    parent: str
    at: tuple
    angle: float
    mass: float
    inertia: float
    center: tuple
    slides: bool = False  # along x of the ground instead of turning; `angle` is then the start of x


@dataclasses.dataclass(eq=False)
class Mechanism:
    """`observed` is the body whose angle from the ground is compared at the time `to`."""

    name: str
    title: str
    bodies: list
    observed: str
    to: float
    loops: list = dataclasses.field(default_factory=list)  # (body, point, body, point)
    spring: tuple | None = None  # (body, point, point of the ground, stiffness, length)
    torque: tuple | None = None  # (body, moment)
    gravity: float = 0.0
    text: str | None = None  # our model, if the library has it
    truth: float | None = None  # the angle at the end, if known better than any program here computes it

    def path(self, name):
        """The bodies from the ground to this one."""
        found = next(b for b in self.bodies if b.name == name)
        return ([] if found.parent == GROUND else self.path(found.parent)) + [found]

    def coordinates(self):
        """The coordinates of ours whose sum is the angle that is observed."""
        return [f"q_{b.name}" for b in self.path(self.observed)] if self.text is None else ["beta"]

    def place(self, name):
        """Where the pin of a body is at the start, and its angle from the ground."""
        if name == GROUND:
            return (0.0, 0.0), 0.0
        body = self.path(name)[-1]
        if body.slides:
            return (body.angle, 0.0), 0.0
        origin, angle = self.place(body.parent)
        return moved(origin, angle, body.at), angle + body.angle

    def source(self):
        """The file of our model."""
        if self.text is not None:
            return common.ROOT / self.text
        number = lambda x: repr(float(x))
        lines = [f"model {self.name}", f"gravity = {number(-self.gravity)} [m/s^2] * N.y"]
        for b in self.bodies:
            joint = f"prismatic(x, q = q_{b.name})" if b.slides else f"revolute(z, q = q_{b.name})"
            at = "" if b.slides else f" at ({number(b.at[0])}, {number(b.at[1])}, 0) [m]"
            lines.append(f"body {b.name} on {b.parent} by {joint}{at} {{ mass = {number(b.mass)} [kg]; "
                         f"inertia = (0, 0, {number(b.inertia)}) [kg*m^2]; center = ({number(b.center[0])}, {number(b.center[1])}, 0) [m]")
            lines += [f"  point p{k}{end} = ({number(p[0])}, {number(p[1])}, 0) [m]"
                      for k, (a, p, c, r) in enumerate(self.loops) for end, o, p in (("a", a, p), ("b", c, r)) if o == b.name]
            lines.append("}")
        lines += [f"joint loop{k} = revolute({a}.p{k}a, {c}.p{k}b, axis = z)" for k, (a, _, c, _) in enumerate(self.loops)]
        if self.torque:
            lines.append(f"torque motor on {self.torque[0]} from N = {number(self.torque[1])} [N*m] * N.z")
        lines.append("start { " + "; ".join(f"q_{b.name} = {number(b.angle)}" + (" [m]" if b.slides else "") for b in self.bodies) + " }")
        lines.append(f"simulate {{ to = {number(self.to)} [s] }}")
        common.SCRATCH.mkdir(parents=True, exist_ok=True)
        path = common.SCRATCH / f"{self.name}.mbs"
        path.write_text("\n".join(lines) + "\n")
        return path


def moved(origin, angle, point):
    c, s = math.cos(angle), math.sin(angle)
    return origin[0] + c * point[0] - s * point[1], origin[1] + s * point[0] + c * point[1]


def squeezer():
    """Andrews' squeezer: Multibody Systems Handbook (Schiehlen ed., 1990), ch. 3; the numbers of models/squeezer.mbs."""
    a, b, c = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    epsilon, delta = 1.23054744454982119249735015568, 0.487364979543842550225598953530
    turn = 0.222668390165885884674473185609
    bodies = [
        Body("K1", GROUND, (0, 0), -0.0617138900142764496358948458001, 0.04325, 2.194e-6, (0.00092, 0)),
        Body("K2", "K1", (0.007, 0), 0.0, 0.00365, 4.410e-7, (-0.0115, 0)),
        Body("K3", GROUND, b, 0.455279819163070380255912382449, 0.02373, 5.255e-6, (0.01043, -0.01874)),
        Body("K5", GROUND, a, delta, 0.07050, 1.169e-5, (0.02308, 0.00916)),
        Body("K4", "K5", (0.04, 0), turn, 0.00706, 5.667e-7, (0, 0.01421 - 0.02)),
        Body("K7", GROUND, a, epsilon, 0.05498, 1.912e-5, (-0.00449, -0.01228)),
        Body("K6", "K7", (0, -0.04), -turn, 0.00706, 5.667e-7, (0.02 - 0.01421, 0)),
    ]
    end = (-0.028, 0)
    loops = [("K2", end, "K3", (0, -0.035)), ("K2", end, "K4", (0, -0.02)), ("K2", end, "K6", (0.02, 0))]
    # At the end: beta in quadruple precision, tests/benchmarks/squeezer.json.
    return Mechanism("squeezer", "Andrews' squeezer, crank angle at 0.03 s", bodies, "K1", 0.03, loops, ("K3", (0.02, -0.018), c, 4530.0, 0.07785), ("K1", 0.033),
                     text="models/squeezer.mbs", truth=15.810771195153707)


def slider_crank():
    """The slider-crank of models/slider-crank.mbs, turned by a constant torque instead of at constant speed, with gravity across."""
    r, l, phi = 0.05, 0.15, 1.0
    lean = math.asin(r * math.sin(phi) / l)
    bodies = [
        Body("crank", GROUND, (0, 0), phi, 1.2, 1e-3, (r / 4, 0)),
        Body("rod", "crank", (r, 0), -phi - lean, 0.6, 1.8e-3, (l / 3, 0)),
        Body("piston", GROUND, (0, 0), r * math.cos(phi) + l * math.cos(lean), 0.8, 1e-3, (0, 0), slides=True),
    ]
    return Mechanism("free_slider_crank", "Slider-crank driven by a torque, crank angle at 0.5 s", bodies, "crank", 0.5,
                     [("rod", (l, 0), "piston", (0, 0))], torque=("crank", 1.0), gravity=9.81)


def chain(n=10):
    """A chain of n equal rods, 1 m and 1 kg together, let go 60 degrees from the vertical."""
    l, m = 1 / n, 1 / n
    bodies = [Body(f"rod{k}", f"rod{k - 1}" if k > 1 else GROUND, (l, 0) if k > 1 else (0, 0), -math.pi / 6 if k == 1 else 0.0, m,
                   m * l**2 / 12, (l / 2, 0)) for k in range(1, n + 1)]
    return Mechanism(f"chain{n}", f"Chain of {n} rods, angle of the last at 1 s", bodies, f"rod{n}", 1.0, gravity=9.81)


ALL = [squeezer, slider_crank, chain]
