"""Models built in a program: bodies, joints, elements and expressions with operators.

A builder writes the model in cardan's own language, so that names, units and geometry are checked
as in a text, messages point into `ModelBuilder.text`, and every model can be saved and read again.

>>> from cardan.builder import ModelBuilder, quantity, revolute
>>> m = ModelBuilder("pendulum")
>>> L, mass, N = m.parameter("L", 1, "m"), m.parameter("m", 2, "kg"), m.ground
>>> m.gravity(quantity(-9.81, "m/s^2") * N.z)
>>> rod = m.body("rod", mass=mass, center=(0, 0, -L / 2))
>>> m.joint("pin", N.origin, rod.origin, revolute("y", q="phi"))
>>> m.start("phi", quantity(30, "deg"))
>>> m.build().run(to=1).ending
'finished'
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Union

from cardan.model import Model, compile


class _Strength(IntEnum):
    """Binding strength of the outermost operator."""

    SUM = 0
    PRODUCT = 1
    PRIMARY = 2


@dataclass(frozen=True)
class _Term:
    """An expression as text."""

    text: str
    strength: _Strength = _Strength.PRIMARY

    def __str__(self) -> str:
        return self.text

    def _at(self, least: _Strength) -> str:
        return f"({self.text})" if self.strength < least else self.text

    def _sum(self, sign: str, other: _Term) -> tuple[str, _Strength]:
        right = _Strength.SUM if sign == "+" else _Strength.PRODUCT
        return f"{self.text} {sign} {other._at(right)}", _Strength.SUM

    def _product(self, sign: str, other: _Term) -> tuple[str, _Strength]:
        right = _Strength.PRODUCT if sign == "*" else _Strength.PRIMARY
        return f"{self._at(_Strength.PRODUCT)}{sign}{other._at(right)}", _Strength.PRODUCT

    def _negative(self) -> tuple[str, _Strength]:
        return f"-{self._at(_Strength.PRODUCT)}", _Strength.SUM


@dataclass(frozen=True)
class Scalar(_Term):
    """A scalar expression."""

    def __add__(self, other: ScalarLike) -> Scalar:
        return Scalar(*self._sum("+", scalar(other)))

    def __radd__(self, other: float) -> Scalar:
        return scalar(other) + self

    def __sub__(self, other: ScalarLike) -> Scalar:
        return Scalar(*self._sum("-", scalar(other)))

    def __rsub__(self, other: float) -> Scalar:
        return scalar(other) - self

    def __mul__(self, other: ScalarLike) -> Scalar:
        if isinstance(other, Vector):
            return NotImplemented
        return Scalar(*self._product("*", scalar(other)))

    def __rmul__(self, other: float) -> Scalar:
        return scalar(other) * self

    def __truediv__(self, other: ScalarLike) -> Scalar:
        return Scalar(*self._product("/", scalar(other)))

    def __rtruediv__(self, other: float) -> Scalar:
        return scalar(other) / self

    def __neg__(self) -> Scalar:
        return Scalar(*self._negative())

    def __pow__(self, n: int) -> Scalar:
        exponent = f"({n})" if n < 0 else str(n)
        return Scalar(f"{self._at(_Strength.PRIMARY)}^{exponent}", _Strength.PRODUCT)


ScalarLike = Union[Scalar, float, int]


@dataclass(frozen=True)
class Vector(_Term):
    """A vector expression."""

    def __add__(self, other: Vector) -> Vector:
        return Vector(*self._sum("+", other))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(*self._sum("-", other))

    def __rmul__(self, factor: ScalarLike) -> Vector:
        return Vector(*scalar(factor)._product("*", self))

    def __truediv__(self, other: ScalarLike) -> Vector:
        return Vector(*self._product("/", scalar(other)))

    def __neg__(self) -> Vector:
        return Vector(*self._negative())

    def dot(self, other: Vector) -> Scalar:
        """The scalar product."""
        return Scalar(f"dot({self}, {other})")

    def cross(self, other: Vector) -> Vector:
        """The vector product."""
        return Vector(f"cross({self}, {other})")

    def magnitude(self) -> Scalar:
        """The length."""
        return Scalar(f"mag({self})")

    def direction(self) -> Vector:
        """The unit vector of the same direction."""
        return Vector(f"dir({self})")


VectorLike = Union[Vector, tuple[ScalarLike, ScalarLike, ScalarLike]]


def scalar(value: ScalarLike) -> Scalar:
    """An expression of a number."""
    if isinstance(value, Scalar):
        return value
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{number} is not a finite number")
    text = repr(number).removesuffix(".0")
    return Scalar(text, _Strength.SUM if text.startswith("-") else _Strength.PRIMARY)


def vector(value: VectorLike) -> Vector:
    """An expression of three components in the frame that the place in the model means."""
    if isinstance(value, Vector):
        return value
    a, b, c = value
    return Vector(f"({scalar(a)}, {scalar(b)}, {scalar(c)})")


def quantity(value: float, unit: str = "") -> Scalar:
    """A number with a unit: `quantity(9.81, "m/s^2")`."""
    number = scalar(value)
    if unit in ("", "1"):
        return number
    if not re.fullmatch(r"[^\[\]\n;#\"]+", unit):
        raise ValueError(f"there is no unit `{unit}`")
    return Scalar(f"{number.text} [{unit}]", number.strength)


def function(name: str, *arguments: ScalarLike) -> Scalar:
    """A function of scalars: sin, cos, sqrt, abs, exp, tanh, atan2, min, max, der, ..."""
    return Scalar(f"{_name(name)}({', '.join(str(scalar(a)) for a in arguments)})")


def _name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        rule = "a name has letters, digits and `_`, and begins with a letter"
        raise ValueError(f"`{name}` is not a name: {rule}")
    return name


def _path(path: str) -> str:
    inner = path[4:-1] if path.startswith("der(") and path.endswith(")") else path
    for part in inner.split("."):
        _name(part)
    return path


@dataclass(frozen=True)
class Point:
    """A point of the model."""

    text: str

    def __str__(self) -> str:
        return self.text

    def position_of(self, other: Point) -> Vector:
        """The position of another point relative to this one."""
        return Vector(f"position({self}, {other})")

    @property
    def velocity(self) -> Vector:
        """Its velocity in the inertial frame."""
        return Vector(f"velocity({self})")


@dataclass(frozen=True)
class Frame:
    """A frame of the model: the ground or a body."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def x(self) -> Vector:
        """Its first unit vector."""
        return Vector(f"{self}.x")

    @property
    def y(self) -> Vector:
        """Its second unit vector."""
        return Vector(f"{self}.y")

    @property
    def z(self) -> Vector:
        """Its third unit vector."""
        return Vector(f"{self}.z")

    def vector(self, a: ScalarLike, b: ScalarLike, c: ScalarLike) -> Vector:
        """A vector by its components in this frame."""
        return Vector(f"{self}{vector((a, b, c))}")

    @property
    def origin(self) -> Point:
        """Its origin."""
        return Point(f"{self}.o")

    @property
    def center(self) -> Point:
        """Its mass centre."""
        return Point(f"{self}.cm")

    def point(self, name: str) -> Point:
        """A point that was named when the body was made."""
        return Point(f"{self}.{_name(name)}")

    def at(self, a: ScalarLike, b: ScalarLike, c: ScalarLike) -> Point:
        """A point by its components in this frame."""
        return Point(str(self.vector(a, b, c)))

    @property
    def angular_velocity(self) -> Vector:
        """Its angular velocity in the inertial frame."""
        return Vector(f"omega({self})")


Direction = Union[str, VectorLike]


@dataclass(frozen=True)
class Joint:
    """A kind of joint with its axes and the names of its coordinates."""

    text: str


def _joint(
    word: str, axes: tuple[Direction, ...], q: str | tuple[str, ...], *options: str, small: bool
) -> Joint:
    arguments = [_name(axis) if isinstance(axis, str) else str(vector(axis)) for axis in axes]
    arguments += options
    names = (q,) if isinstance(q, str) and q else tuple(q)
    if len(names) == 1:
        arguments.append(f"q = {_name(names[0])}")
    elif names:
        arguments.append(f"q = ({', '.join(_name(name) for name in names)})")
    if small:
        arguments.append("small")
    return Joint(f"{word}({', '.join(arguments)})" if arguments else word)


def fixed() -> Joint:
    """No relative motion."""
    return Joint("fixed")


def revolute(axis: Direction, q: str = "", small: bool = False) -> Joint:
    """One rotation."""
    return _joint("revolute", (axis,), q, small=small)


def prismatic(axis: Direction, q: str = "", small: bool = False) -> Joint:
    """One translation."""
    return _joint("prismatic", (axis,), q, small=small)


def cylindrical(axis: Direction, q: tuple[str, ...] = (), small: bool = False) -> Joint:
    """A rotation and a translation along one axis."""
    return _joint("cylindrical", (axis,), q, small=small)


def screw(axis: Direction, lead: ScalarLike, q: str = "", small: bool = False) -> Joint:
    """A rotation and a translation that are coupled by a lead per turn."""
    return _joint("screw", (axis,), q, f"lead = {scalar(lead)}", small=small)


def planar(normal: Direction, q: tuple[str, ...] = (), small: bool = False) -> Joint:
    """Two translations in a plane and a rotation about its normal."""
    return _joint("planar", (normal,), q, small=small)


def universal(
    first: Direction, second: Direction, q: tuple[str, ...] = (), small: bool = False
) -> Joint:
    """Two rotations about perpendicular axes."""
    return _joint("universal", (first, second), q, small=small)


def spherical(sequence: str = "", q: tuple[str, ...] = (), small: bool = False) -> Joint:
    """Three rotations, by Euler parameters unless a sequence such as "zxz" is given."""
    options = [f"rotate = {_name(sequence)}"] if sequence else []
    return _joint("spherical", (), q, *options, small=small)


def free(sequence: str = "", q: tuple[str, ...] = (), small: bool = False) -> Joint:
    """Three translations and three rotations."""
    options = [f"rotate = {_name(sequence)}"] if sequence else []
    return _joint("free", (), q, *options, small=small)


class ModelBuilder:
    """A model under construction."""

    def __init__(self, name: str) -> None:
        self.name = _name(name)
        self._statements = [f"model {name}"]

    def statement(self, text: str) -> None:
        """A statement in the model language, for what has no method here."""
        self._statements.append(text)

    @property
    def text(self) -> str:
        """The model in the model language."""
        return "\n".join(self._statements) + "\n"

    def build(self, inputs: tuple[str, ...] = ()) -> Model:
        """The model; `TextError` points into `text` where something is wrong."""
        return compile(self.text, f"{self.name}.mbs", inputs)

    @property
    def ground(self) -> Frame:
        """The inertial frame."""
        return Frame("N")

    @property
    def time(self) -> Scalar:
        """The time."""
        return Scalar("t")

    def parameter(self, name: str, value: float, unit: str = "") -> Scalar:
        """A parameter with its default value."""
        self.statement(f"parameter {_name(name)} = {quantity(value, unit)}")
        return Scalar(name)

    def variable(self, name: str, value: ScalarLike) -> Scalar:
        """A named expression."""
        self.statement(f"variable {_name(name)} = {scalar(value)}")
        return Scalar(name)

    def state(self, name: str, initial: ScalarLike, rate: Callable[[Scalar], ScalarLike]) -> Scalar:
        """An auxiliary state: initial value and time derivative."""
        made = Scalar(_name(name))
        self.statement(f"state {name} = {scalar(initial)} {{ der = {scalar(rate(made))} }}")
        return made

    def output(self, name: str, value: ScalarLike) -> None:
        """A column of the results."""
        self.statement(f"output {_name(name)} = {scalar(value)}")

    def gravity(self, acceleration: Vector) -> None:
        """The acceleration of free fall."""
        self.statement(f"gravity = {acceleration}")

    def body(
        self,
        name: str,
        mass: ScalarLike | None = None,
        inertia: VectorLike | None = None,
        center: VectorLike | None = None,
        points: dict[str, VectorLike] | None = None,
    ) -> Frame:
        """A rigid body: mass, central moments of inertia (zero if not given), mass centre, points."""
        given = "(0, 0, 0) [kg*m^2]" if inertia is None else str(vector(inertia))
        properties = [f"inertia = {given}"]
        if mass is not None:
            properties.append(f"mass = {scalar(mass)}")
        if center is not None:
            properties.append(f"center = {vector(center)}")
        for point, place in (points or {}).items():
            properties.append(f"point {_name(point)} = {vector(place)}")
        self.statement(f"body {_name(name)} {{ {'; '.join(properties)} }}")
        return Frame(name)

    def joint(self, name: str, first: Point, second: Point, joint: Joint) -> None:
        """A joint between two points; it holds bodies or closes loops."""
        self.statement(f"joint {_name(name)} between {first} and {second} by {joint.text}")

    def quantity(self, name: str) -> Scalar:
        """A coordinate or another quantity by its name."""
        return Scalar(_path(name))

    def spring(
        self,
        name: str,
        first: Point,
        second: Point,
        stiffness: ScalarLike,
        length: ScalarLike | None = None,
        damping: ScalarLike | None = None,
    ) -> None:
        """A spring between two points."""
        given = {"stiffness": stiffness, "length": length, "damping": damping}
        self._element("spring", name, first, second, given)

    def damper(self, name: str, first: Point, second: Point, damping: ScalarLike) -> None:
        """A damper between two points."""
        self._element("damper", name, first, second, {"damping": damping})

    def _element(
        self, kind: str, name: str, a: Point, b: Point, given: dict[str, ScalarLike | None]
    ) -> None:
        settings = [f"{key} = {scalar(value)}" for key, value in given.items() if value is not None]
        self.statement(f"{kind} {_name(name)} between {a} and {b} {{ {', '.join(settings)} }}")

    def force(self, name: str, on: Point, force: Vector) -> None:
        """A force on a point, with its reaction on the ground."""
        self.statement(f"force {_name(name)} on {on} = {force}")

    def torque(self, name: str, on: Frame, reaction: Frame, torque: Vector) -> None:
        """A torque on a body, with its reaction on another one."""
        self.statement(f"torque {_name(name)} on {on} from {reaction} = {torque}")

    def motion(self, name: str, quantity: Scalar, law: ScalarLike) -> None:
        """A prescribed motion: `quantity` follows `law`."""
        self.statement(f"motion {_name(name)} on {quantity} = {scalar(law)}")

    def constraint(self, name: str, residual: Scalar) -> None:
        """A constraint: the expression is zero."""
        self.statement(f"constraint {_name(name)} = {residual}")

    def start(self, quantity: str, value: ScalarLike) -> None:
        """The initial value of a coordinate, or of its rate as `der(q)`."""
        self.statement(f"start {{ {_path(quantity)} = {scalar(value)} }}")

    def guess(self, quantity: str, value: ScalarLike) -> None:
        """A guess of an initial value, which assembly may change."""
        self.statement(f"start {{ {_path(quantity)} ~ {scalar(value)} }}")
