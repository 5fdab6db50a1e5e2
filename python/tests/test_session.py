"""Inputs and sessions."""

import numpy as np
import pytest

import cardan

CART = """
parameter M = 1 [kg], m = 0.1 [kg], L = 0.5 [m]
input F [N] = 0 in -10 .. 10 [N] "push"
gravity = -9.81 [m/s^2] * N.z
particle cart on N by translate(x = x) { mass = M }
particle bob on cart by rotate(y = q) { mass = m; center = (0, 0, L) }
force push on cart.cm = F * N.x
output tip = x + L * sin(q)
start { q = 0.1 [rad] }
"""


def test_inputs_of_the_model_are_the_inputs_of_the_equations() -> None:
    model = cardan.compile(CART)
    assert model.inputs == ["F"]
    x = model.start()
    pushed = model.rhs(0.0, x, [1.0]) - model.rhs(0.0, x, [0.0])
    assert np.allclose(pushed, model.jacobian(0.0, x)[1][:, 0])
    assert model.linearize().b.shape == (4, 1)


def test_a_session_in_pieces_is_the_session_in_one() -> None:
    model = cardan.compile(CART)
    whole, pieces = model.session(), model.session()
    whole.advance(1.0, {"F": 0.5})
    for k in range(1, 101):
        pieces.advance(k / 100, [0.5])
    assert np.abs(whole.state - pieces.state).max() <= 1e-12
    assert whole.time == pieces.time == 1.0
    assert list(whole.outputs) == ["tip"]


def test_sessions_are_copied_saved_and_restored() -> None:
    model = cardan.compile(CART)
    session = model.session()
    session.advance(0.3)
    copy, saved, other = session.copy(), session.save(), model.session()
    other.restore(saved)
    session["F"] = 2.0
    session.advance(0.6)
    assert (copy.advance(0.6) == other.advance(0.6)).all()
    assert not (session.state == copy.state).all()


def test_misuse_raises() -> None:
    session = cardan.compile(CART).session()
    session.advance(0.5)
    for wrong, error in [
        (lambda: session.advance(0.1), ValueError),
        (lambda: session.advance(float("nan")), ValueError),
        (lambda: session.advance(1.0, [1.0, 2.0]), ValueError),
        (lambda: session.advance(1.0, {"G": 1.0}), KeyError),
        (lambda: session.restore(b"nothing"), ValueError),
    ]:
        with pytest.raises(error):
            wrong()
    with pytest.raises(ValueError):
        session.state = [1.0, 2.0]
    assert session.time == 0.5
