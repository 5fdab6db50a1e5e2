# %% [markdown]
# # Optimal control with CasADi
# The swing-up of a cart-pole by direct collocation (Hermite-Simpson) on the equations of the
# model. The task and its numbers are those of M. Kelly, An introduction to trajectory optimization,
# SIAM Review 59 (2017), sec. 5: in 2 s, 1 m to the side, with at most 20 N and the least effort.

# %%
import casadi as ca
import numpy as np

import cardan
from cardan.replay import parameter_values

model = cardan.compile("""
    parameter M = 1 [kg], m = 0.3 [kg], L = 0.5 [m]
    input F [N] = 0 in -20 .. 20 [N]
    gravity = -9.81 [m/s^2] * N.z
    particle cart on N by translate(x = x) { mass = M }
    particle bob on cart by rotate(y = q) { mass = m; center = (0, 0, -L) }
    force push on cart.cm = F * N.x
""")
f = model.to_casadi()
p = parameter_values(model)

# %%
N, T, d = 40, 2.0, 1.0
h = T / N
opti = ca.Opti()
X, U, Um = opti.variable(4, N + 1), opti.variable(1, N + 1), opti.variable(1, N)
cost = 0
for k in range(N):
    x0, x1, u0, u1, um = X[:, k], X[:, k + 1], U[:, k], U[:, k + 1], Um[:, k]
    f0, f1 = f(0, x0, u0, p), f(0, x1, u1, p)
    middle = (x0 + x1) / 2 + h / 8 * (f0 - f1)
    opti.subject_to(x1 == x0 + h / 6 * (f0 + 4 * f(0, middle, um, p) + f1))
    cost += h / 6 * (u0**2 + 4 * um**2 + u1**2)
opti.minimize(cost)
opti.subject_to(X[:, 0] == ca.DM([0, 0, 0, 0]))
opti.subject_to(X[:, N] == ca.DM([d, -np.pi, 0, 0]))
opti.subject_to(opti.bounded(-20, U, 20))
opti.subject_to(opti.bounded(-20, Um, 20))
opti.subject_to(opti.bounded(-2 * d, X[0, :], 2 * d))
s = np.linspace(0, 1, N + 1)
opti.set_initial(X, np.vstack([d * s, -np.pi * s, 0 * s + d / T, 0 * s - np.pi / T]))
opti.solver("ipopt", {"print_time": False}, {"print_level": 0})
solution = opti.solve()
print("effort:", solution.value(cost), "N² s; largest force:", abs(solution.value(U)).max(), "N")

# %% [markdown]
# The forces on the full equations: a session with the input held over short pieces.

# %%
forces = np.asarray(solution.value(U)).ravel()
between = np.asarray(solution.value(Um)).ravel()
session = model.session()
pieces = 400
for k in range(pieces):
    t = (k + 0.5) * T / pieces
    j = min(int(t / h), N - 1)
    z = t / h - j
    u0, um, u1 = forces[j], between[j], forces[j + 1]
    force = 2 * (z - 0.5) * (z - 1) * u0 - 4 * z * (z - 1) * um + 2 * z * (z - 0.5) * u1
    session.advance((k + 1) * T / pieces, [force])
print("end:", session.state)
assert np.allclose(session.state[:2], [d, -np.pi], atol=0.02)
