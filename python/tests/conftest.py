"""Models that the tests share."""

import cardan
import pytest

PENDULUM = """
model pendulum "Simple pendulum"
parameter L = 1 [m] "length", m = 2 [kg], T = 0 [N*m]
gravity = -9.81 [m/s^2] * N.z
particle bob on N by revolute(y, q = phi) { mass = m; center = (0, 0, -L) }
torque motor on bob = T * N.y
output height = -L*cos(phi) "height of the bob"
start { phi = 30 [deg] }
simulate { to = 2 [s], every = 0.01 [s] }
"""


@pytest.fixture
def pendulum() -> cardan.Model:
    return cardan.compile(PENDULUM, "pendulum.mbs", inputs=["T"])
