# %% [markdown]
# # Control design with python-control
# A cart balances a pole: linear equations of the model, a linear-quadratic regulator, and the
# closed loop on the full equations by a session.

# %%
import control
import numpy as np

import cardan

model = cardan.compile("""
    parameter M = 1 [kg], m = 0.2 [kg], L = 0.6 [m]
    input F [N] = 0 in -20 .. 20 [N] "force on the cart"
    gravity = -9.81 [m/s^2] * N.z
    particle cart on N by translate(x = x) { mass = M }
    particle bob on cart by rotate(y = q) { mass = m; center = (0, 0, L) }
    force push on cart.cm = F * N.x
    output tip = x + L*sin(q)
""")
linear = model.linearize(x=[0, 0, 0, 0])
system = linear.to_control()
system

# %%
K, _, poles = control.lqr(system, np.diag([10, 50, 1, 1]), np.array([[0.1]]))
print("closed-loop poles:", poles)
assert poles.real.max() < 0

# %% [markdown]
# The regulator, sampled every 10 ms, on the full equations from a tilt of 20 degrees.

# %%
session = model.session()
session.state = [0.0, np.deg2rad(20), 0.0, 0.0]
tilt = []
for k in range(400):
    force = np.clip(-K @ session.state, -20, 20)
    session.advance((k + 1) * 0.01, force)
    tilt.append(session.state[1])
print("tilt after 4 s:", tilt[-1])
assert abs(tilt[-1]) < 1e-3
