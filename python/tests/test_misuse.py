"""Calls with wrong arguments raise exceptions; none ends the interpreter."""

import multiprocessing
import os
import random
import threading
import warnings

import cardan
import numpy as np
import pytest

CALLS = ("rhs", "jacobian", "mass_matrix", "inverse", "linearize", "modes", "equilibrium", "set")
CALLS += ("start", "run", "emit", "equations", "verify", "inverse_dynamics", "bias", "gravity")
CALLS += ("coriolis", "outputs_at", "poses", "point_jacobian")


def _argument(random: random.Random) -> object:
    return random.choice(
        [
            None,
            0.0,
            -1.0,
            1e308,
            float("nan"),
            float("inf"),
            2**70,
            "phi",
            "",
            "latex",
            b"c",
            [],
            [0.1, 0.2],
            [0.1, None],
            {"L": 0.0},
            {"nothing": 1},
            {"phi": "3 [kg]"},
            np.zeros((2, 2)),
            np.zeros(2, dtype=complex),
            np.zeros(4)[::2],
            np.array(["a", "b"]),
            object(),
        ]
    )


def test_a_thousand_wrong_calls(pendulum: cardan.Model) -> None:
    choice = random.Random(2026)
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(1000):
            call = choice.choice(CALLS)
            arguments = [_argument(choice) for _ in range(choice.randrange(4))]
            if call == "run" and len(arguments) == 1:
                arguments.append(0.1)
            try:
                getattr(pendulum, call)(*arguments)
            except Exception:  # A panic is none: it ends the test.
                refused += 1
    assert refused > 300
    assert np.allclose(pendulum.rhs(0.0, [0.0, 1.0]), [1.0, 0.0])


SESSION_CALLS = ("advance", "restore", "set_state", "set_discretes", "get", "set", "restart", "copy", "save")
SESSION_CALLS += ("derivatives", "close", "outputs", "energy", "state", "time")


def _misuse(session: cardan.Session, choice: random.Random) -> None:
    """One call of a session with arguments that may make no sense."""
    call, argument = choice.choice(SESSION_CALLS), _argument(choice)
    match call:
        case "advance":
            # A time that is far away is no mistake; nobody waits for it here.
            far = isinstance(argument, (int, float)) and 1.0 < argument < float("inf")
            given: list[object] = [0.1 if far else argument]
            session.advance(*given, *([_argument(choice)] if choice.random() < 0.5 else []))  # type: ignore[arg-type]
        case "set_state":
            session.state = argument  # type: ignore[assignment]
        case "set_discretes":
            session.discretes = argument  # type: ignore[assignment]
        case "get":
            session[argument]  # type: ignore[index]
        case "set":
            session["T" if choice.random() < 0.5 else argument] = argument  # type: ignore[index, assignment]
        case "restore":
            session.restore(argument)  # type: ignore[arg-type]
        case "outputs" | "energy" | "state" | "time":
            getattr(session, call)
        case _:
            getattr(session, call)()


def _misuse_sessions(model: cardan.Model, seed: int, calls: int) -> int:
    """How many of the calls were refused; a session that was closed stays closed for a while."""
    choice, refused = random.Random(seed), 0
    session = model.session()
    for _ in range(calls):
        if choice.random() < 0.05:
            session = model.session()
        try:
            _misuse(session, choice)
        except Exception:  # A panic is none: it ends the test.
            refused += 1
    return refused


def test_a_thousand_wrong_calls_of_sessions(pendulum: cardan.Model) -> None:
    assert _misuse_sessions(pendulum, 2026, 1000) > 300


def test_foreign_threads_misuse_one_session(pendulum: cardan.Model) -> None:
    session, ended = pendulum.session(), []

    def run(seed: int) -> None:
        choice = random.Random(seed)
        for _ in range(60):
            try:
                _misuse(session, choice)
            except Exception:
                pass
        ended.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(ended) == 4


def _in_child(model: cardan.Model, session: cardan.Session, found: "multiprocessing.Queue[object]") -> None:
    refused = _misuse_sessions(model, 7, 100)
    found.put((refused > 10, float(session.advance(0.5)[0])))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_process_goes_on(pendulum: cardan.Model) -> None:
    pendulum.rhs(0.0, np.zeros((64, 2)))
    session = pendulum.session()
    session.advance(0.2)
    context = multiprocessing.get_context("fork")
    found = context.Queue()
    child = context.Process(target=_in_child, args=(pendulum, session, found))
    child.start()
    refused, angle = found.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert refused
    assert angle == session.advance(0.5)[0]
