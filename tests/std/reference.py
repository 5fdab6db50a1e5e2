"""Reference values of the DC motor and the hydraulic cylinder, by SciPy from their equations.

Prints the numbers that `actuators.md` expects: python3 tests/std/reference.py
"""

import numpy as np
from scipy.integrate import solve_ivp


def motor():
    """L di/dt = U - R i - k n w; (Ja + n^2 J) dw/dt = n (k i - c n w)."""
    R, L, k, J, n, c, U, Ja = 2, 5e-3, 0.04, 2e-5, 50, 1e-6, 24, 0.1

    def rates(t, y):
        i, w, _ = y
        return [(U - R * i - k * n * w) / L, n * (k * i - c * n * w) / (Ja + n * n * J), w]

    times = [0.01, 0.1, 0.5]
    found = solve_ivp(rates, (0, 0.5), [0, 0, 0], "DOP853", times, rtol=1e-13, atol=1e-14)
    for t, (i, w, phi) in zip(times, found.y.T):
        print(f"motor {t}: i = {i:.16g}, w = {w:.16g}, phi = {phi:.16g}")


def cylinder():
    """Merritt, Hydraulic Control Systems, ch. 3 and 5; the spool turns its sign at pi/4 s."""
    area, rod, dead, bulk = 20e-4, 8e-4, 50e-6, 1.4e9
    supply, tank, flow, nominal, leak = 20e6, 0.0, 40e-3 / 60, 3.5e6, 1e-12

    def rates(t, y):
        x, v, pa, pb = y
        u, s = 0.3 * np.sin(4 * t), x - 0.5
        da, db = (supply - pa, pb - tank) if u > 0 else (pa - tank, supply - pb)
        qa = flow * u * np.sign(da) * np.sqrt(abs(da) / nominal)
        qb = -flow * u * np.sign(db) * np.sqrt(abs(db) / nominal)
        lost = leak * (pa - pb)
        return [
            v,
            (pa * area - pb * (area - rod) - 2000 * v) / 100,
            bulk * (qa - area * v - lost) / (dead + area * s),
            bulk * (qb + (area - rod) * v + lost) / (dead + (area - rod) * (0.4 - s)),
        ]

    y, before = [0.6, 0, 8e6, 40e6 / 3], 0.0
    for t in [0.1, 0.5, np.pi / 4, 1]:
        part = solve_ivp(rates, (before, t), y, "DOP853", rtol=1e-13, atol=[1e-14, 1e-14, 1e-6, 1e-6])
        y, before = part.y[:, -1], t
        x, v, pa, pb = y
        print(f"cylinder {t}: x = {x:.16g}, v = {v:.16g}, pa = {pa:.16g}, pb = {pb:.16g}")


motor()
cylinder()
