# pendulum
#
# Model pendulum, version 1.2; written by cardan 0.1.0.
#
# A driven pendulum with an elastic stop.
#
# Functions, in the order in which they are called:
#   setup: Computes what depends on parameters alone.
#   derivatives: Computes the time derivatives of the state.
#   outputs: Computes what is reported.
#
# Array w (4 numbers) carries intermediate results between them.
#
# Array p: parameters
#   0 m [kg] mass of the bob
#   1 L [m] length of the rod
#   2 g [m/s^2] gravity
#   3 k.stop [N*m/rad] stiffness of the stop
#
# Array start: values at the beginning
#   0 start angle [rad] angle at the beginning
#
# Number t: time
#   t [s] time
#
# Array x: state
#   0 θ [rad] angle from the vertical
#   1 der(θ) [rad/s] angular velocity
#
# Array dx: time derivatives of the state
#   0 der(θ) [rad/s] angular velocity
#   1 der(der(θ)) [rad/s^2] angular acceleration
#
# Array y: reported quantities
#   0 energy [J] kinetic and potential energy
#   1 torque of the stop [N*m]
#   2 hit whether the stop is touched
#
# Operations:
#   setup: 5 mul
#   derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare
#   outputs: 4 mul + 3 add + 1 trig + 2 compare

import math

import numpy as np

# Length of the list w.
N_WORK = 4


@np.errstate(all="ignore")
def setup(p, w):
    """Computes what depends on parameters alone."""
    p = np.asarray(p, dtype=float)
    start = [0.0]*1

    m = p[0] # [kg] mass of the bob
    L = p[1] # [m] length of the rod
    g = p[2] # [m/s^2] gravity
    k_stop = p[3] # [N*m/rad] stiffness of the stop

    # Stage setup.
    z1 = m*(L*L)

    # What later functions need.
    w[0] = k_stop
    w[1] = z1
    w[2] = L*(m*g)
    w[3] = 0.5*z1

    # Values at the beginning.
    start[0] = 0.3 # start angle [rad]: angle at the beginning
    return np.array(np.broadcast_arrays(*start), dtype=float)


@np.errstate(all="ignore")
def derivatives(t, x, w):
    """Computes the time derivatives of the state."""
    t = np.asarray(t, dtype=float)[()]
    x = np.asarray(x, dtype=float)
    dx = [0.0]*2

    theta = x[0] # [rad] angle from the vertical
    theta_dot = x[1] # [rad/s] angular velocity

    k_stop = w[0] # [N*m/rad] stiffness of the stop
    z1 = w[1]
    z3 = w[2]

    # Time derivatives of the state.
    dx[0] = theta_dot # der(θ) [rad/s]: angular velocity
    # der(der(θ)) [rad/s^2]: angular acceleration
    dx[1] = (_cos(t) - z3*_sin(theta) - _select(0.5 < theta, k_stop*(theta - 0.5), 0.0))/z1
    return np.array(np.broadcast_arrays(*dx), dtype=float)


@np.errstate(all="ignore")
def outputs(t, x, w):
    """Computes what is reported."""
    x = np.asarray(x, dtype=float)
    y = [0.0]*3

    theta = x[0] # [rad] angle from the vertical
    theta_dot = x[1] # [rad/s] angular velocity

    k_stop = w[0] # [N*m/rad] stiffness of the stop
    z3 = w[2]
    z4 = w[3]

    # Stage motion.
    hit = 0.5 < theta

    # Reported quantities.
    # energy [J]: kinetic and potential energy
    y[0] = z3*(1.0 - _cos(theta)) + theta_dot*theta_dot*z4
    y[1] = _select(hit, k_stop*(theta - 0.5), 0.0) # torque of the stop [N*m]
    y[2] = _select(hit, 1.0, 0.0) # hit: whether the stop is touched
    return np.array(np.broadcast_arrays(*y), dtype=float)


def _sin(x):
    """Sine; of one number by the C library, since NumPy's may waver in the last digits."""
    return np.float64(math.sin(x)) if isinstance(x, float) and abs(x) < np.inf else np.sin(x)


def _cos(x):
    """Cosine; of one number by the C library, since NumPy's may waver in the last digits."""
    return np.float64(math.cos(x)) if isinstance(x, float) and abs(x) < np.inf else np.cos(x)


def _select(condition, a, b):
    """The first number if the condition holds, otherwise the second."""
    return np.where(condition, a, b)[()]
