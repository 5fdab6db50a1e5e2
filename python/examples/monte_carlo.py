# %% [markdown]
# # Monte Carlo with Dask
# The time after which a double pendulum turns over, for starts that differ, on all processes of a
# cluster. What is kept of a motion is one number, so that little travels.

# %%
import numpy as np
from dask.distributed import Client, LocalCluster

import cardan

model = cardan.compile("""
    gravity = -9.81 [m/s^2] * N.z
    particle a on N by revolute(y, q = first) { mass = 1 [kg]; center = (0, 0, -1) [m] }
    particle b on a.cm by revolute(y, q = second) { mass = 1 [kg]; center = (0, 0, -1) [m] }
    start { first = 90 [deg], second = 0 [deg] }
""")


def turns_over(motion: cardan.Motion) -> float:
    over = np.abs(motion["first"] + motion["second"]) > np.pi
    return float(motion.t[over.argmax()]) if over.any() else np.inf


# %%
if __name__ == "__main__":
    random = np.random.default_rng(5)
    starts = {"first": np.deg2rad(90 + 5 * random.standard_normal(40))}
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            times = [
                time
                for _, time in model.sweep(
                    starts, executor=client, keep=turns_over, to=10, every=0.01
                )
            ]
    alone = [time for _, time in model.sweep(starts, keep=turns_over, to=10, every=0.01)]
    assert times == alone
    print("turned over:", np.isfinite(times).sum(), "of", len(times))
