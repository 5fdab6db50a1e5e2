# %% [markdown]
# # A parameter fit with SciPy
# Length and damping of a pendulum from a noisy record of its angle.

# %%
import numpy as np
from scipy.optimize import least_squares

import cardan

model = cardan.compile("""
    parameter L = 1 [m], c = 0.1 [N*m*s/rad]
    gravity = -9.81 [m/s^2] * N.z
    particle bob on N by revolute(y, q = phi) { mass = 1 [kg]; center = (0, 0, -L) }
    torque drag on bob = -c * der(phi) * N.y
    start { phi = 60 [deg] }
""")
random = np.random.default_rng(3)
truth = model.set(L=1.3, c=0.25).run(to=6, every=0.02)
record = truth["phi"] + 0.01 * random.standard_normal(len(truth))

# %%
def misfit(p: np.ndarray) -> np.ndarray:
    return model.set(L=p[0], c=p[1]).run(to=6, every=0.02)["phi"] - record


fit = least_squares(misfit, [1.0, 0.1])
print("L =", fit.x[0], "c =", fit.x[1])
assert abs(fit.x[0] - 1.3) < 5e-3 and abs(fit.x[1] - 0.25) < 5e-3
