# %% [markdown]
# # First steps
# A pendulum from a text: its motion, its equations, its small oscillations.

# %%
import cardan

model = cardan.compile("""
    model pendulum "A mass on a rod"
    parameter L = 1 [m] "length of the rod"
    gravity = -9.81 [m/s^2] * N.z
    particle bob on N by revolute(y, q = phi) { mass = 1 [kg]; center = (0, 0, -L) }
    output height = -L*cos(phi)
    start { phi = 30 [deg] }
""")
motion = model.run(to=10, every=0.01)
motion

# %% [markdown]
# Columns are NumPy arrays in SI units; a plot shows the units of the text.

# %%
motion.plot("phi")

# %%
print(motion["phi"].max(), motion.energy.verdict)

# %% [markdown]
# The equations of motion as a document, and the same as SymPy expressions where SymPy is installed.

# %%
model.equations()

# %%
mode = model.modes(x=[0, 0])[0]
print(f"small oscillations: {mode.frequency:.4f} Hz")
assert abs(mode.frequency - (9.81**0.5) / (2 * 3.141592653589793)) < 1e-9

# %% [markdown]
# A model never changes; `set` gives another one.

# %%
for length, longer in [(L, model.set(L=L)) for L in (1.0, 2.0, 4.0)]:
    print(length, longer.modes(x=[0, 0])[0].frequency)
