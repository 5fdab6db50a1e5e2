"""Models built in a program."""

import cardan
import numpy as np
import pytest
from cardan.builder import ModelBuilder, Scalar, Vector, function, prismatic, quantity, revolute


def test_operators_add_the_parentheses_that_are_needed() -> None:
    a, b, c, x = Scalar("a"), Scalar("b"), Scalar("c"), Vector("N.x")
    assert str(a - (b - c)) == "a - (b - c)"
    assert str((a + b) * c / (a * b)) == "(a + b)*c/(a*b)"
    assert str(-a * 2) == "(-a)*2"
    assert str(a * -1.5) == "a*(-1.5)"
    assert str(quantity(-9.81, "m/s^2") * x) == "(-9.81 [m/s^2])*N.x"
    assert str(-(a**2 * x)) == "-a^2*N.x"
    assert str((-a) ** 2) == "(-a)^2"
    assert str(2 - function("sin", a)) == "2 - sin(a)"


def test_a_cart_with_a_spring() -> None:
    m = ModelBuilder("cart")
    k, mass, ground = m.parameter("k", 4, "N/m"), m.parameter("m", 1, "kg"), m.ground
    cart = m.body("cart_body", mass=mass)
    m.joint("rail", ground.origin, cart.origin, prismatic("x", q="x"))
    m.force("coil", cart.origin, -(k * m.quantity("x")) * ground.x)
    m.start("x", quantity(1, "m"))
    motion = m.build().run(to=3)
    assert np.allclose(motion["x"], np.cos(2 * motion.t), atol=1e-8)


def test_wrong_names_and_units() -> None:
    m = ModelBuilder("wrong")
    for call in (
        lambda: ModelBuilder("a b"),
        lambda: m.parameter("k\nforce", 1),
        lambda: m.parameter("k", float("nan")),
        lambda: m.parameter("k", 1, "N/m] = 2"),
        lambda: revolute("y", q="a b"),
    ):
        with pytest.raises(ValueError):
            call()
    m.gravity(m.parameter("k", 3, "N/m") * m.ground.z)
    with pytest.raises(cardan.TextError) as caught:
        m.build()
    assert (caught.value.filename, caught.value.lineno) == ("wrong.mbs", 3)
