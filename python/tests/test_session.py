"""Inputs and sessions."""

import cardan
import numpy as np
import pytest

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
    assert model.linearize().B.shape == (4, 1)


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


def test_a_closed_session_says_so() -> None:
    with cardan.compile(CART).session() as session:
        session.advance(0.1)
    for wrong in (lambda: session.state, lambda: session.advance(1.0), session.save, session.copy):
        with pytest.raises(cardan.ModelError, match="closed"):
            wrong()
    assert "closed" in repr(session)


def test_threads_take_turns_with_a_session() -> None:
    from concurrent.futures import ThreadPoolExecutor

    session = cardan.compile(CART).session()

    def step(_: int) -> float:
        try:
            return float(session.advance(session.time + 1e-3)[0])
        except ValueError:
            return 0.0

    with ThreadPoolExecutor(4) as pool:
        assert all(np.isfinite(x) for x in pool.map(step, range(200)))
    assert 0 < session.time <= 0.2 + 1e-9


def test_a_start_at_the_equilibrium() -> None:
    text = CART.replace("start { q = 0.1 [rad] }", "start { q = 170 [deg] }")
    text += "force pull on cart.cm = -4 [N/m] * (x - 0.5 [m]) * N.x\n"
    resting = cardan.compile(text + "simulate { to = 1 [s], start = equilibrium }")
    motion = resting.run()
    assert np.allclose(motion["q"], np.pi) and np.allclose(motion["x"], 0.5)
    assert np.allclose(resting.session().advance(1.0)[:2], [0.5, np.pi])
    assert not np.allclose(cardan.compile(text).run(to=1)["q"], np.pi)


def test_wrong_calls_of_a_session_end_nothing() -> None:
    import random

    from test_misuse import _argument

    choice = random.Random(7)
    session = cardan.compile(CART).session()
    refused = 0
    for _ in range(500):
        call = choice.choice(["advance", "restore", "copy", "save", "restart", "derivatives", "state"])
        arguments = [_argument(choice) for _ in range(choice.randrange(3))]
        try:
            if call == "state":
                session.state = arguments[0]
            elif call != "advance" or arguments[:1] != [1e308]:
                getattr(session, call)(*arguments)
        except Exception:
            refused += 1
    assert refused > 100
    session["L"] = 0.5
    session.restart()
    assert session.time == 0.0
