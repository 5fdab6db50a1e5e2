# %% [markdown]
# # A reinforcement learning environment
# A thousand cart-poles in vector lanes. A linear policy is found by the cross-entropy method:
# R. Rubinstein, D. Kroese, The Cross-Entropy Method (2004).

# %%
import numpy as np

import cardan
from cardan.gym import Environment, VectorEnvironment

model = cardan.compile("""
    input F [N] = 0 in -10 .. 10 [N]
    gravity = -9.81 [m/s^2] * N.z
    particle cart on N by translate(x = x) { mass = 1 [kg] }
    particle bob on cart by rotate(y = q) { mass = 0.1 [kg]; center = (0, 0, 0.5) [m] }
    force push on cart.cm = F * N.x
""")
task = dict(
    reward=lambda t, x, u: np.ones(len(x)),
    ended=lambda t, x: (np.abs(x[:, 1]) > 0.21) | (np.abs(x[:, 0]) > 2.4),
    spread=0.05,
    step=0.02,
)

# %%
copies, generations = 1000, 12
envs = VectorEnvironment(model, copies, **task)
random = np.random.default_rng(1)
mean, width = np.zeros(4), 20.0 * np.ones(4)
for generation in range(generations):
    policies = mean + width * random.standard_normal((copies, 4))
    x, _ = envs.reset(seed=generation)
    alive, score = np.ones(copies, bool), np.zeros(copies)
    for _ in range(200):
        x, reward, ended, late, _ = envs.step((policies * x).sum(axis=1, keepdims=True))
        score += alive * reward
        alive &= ~(ended | late)
    best = policies[np.argsort(-score)[: copies // 10]]
    mean, width = best.mean(axis=0), best.std(axis=0) + 0.1
print("steps survived by the mean of the last generation:", score.mean())

# %% [markdown]
# The policy in one environment of its own.

# %%
env = Environment(model, **task)
x, _ = env.reset(seed=7)
steps = 0
for steps in range(1, 501):
    x, _, ended, _, _ = env.step(np.array([mean @ x]))
    if ended:
        break
print("steps:", steps)
assert steps == 500
