"""Calls with wrong arguments raise exceptions; none ends the interpreter."""

import random
import warnings

import cardan
import numpy as np

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
