"""Vehicles against the clock: from text to machine code, one evaluation of the derivative, the double lane change, steps of a millisecond."""

from . import common

HEADING = "## Vehicles"
# What is driven: the text, how long, constants and slots.
CARS = {
    "sedan, 10 bodies": ("models/vehicles/passenger-car.mbs", []),
    "HMMWV, 10 bodies on rods, Fiala's tyre": ("models/hmmwv.mbs", ["set:driven=1", "use:*.contact=tyre(law = fiala)"]),
    "HMMWV with its linkage, 19 bodies": ("models/vehicles/hmmwv-linkage.mbs", []),
}
SECONDS = 20

def measure():
    cars = {}
    for name, (text, words) in CARS.items():
        cars[name] = {row["quantity"]: row for row in common.cardan("vehicle", common.ROOT / text, str(SECONDS), str(common.ROUNDS), *words, timeout=1800)}
    return {"cars": cars}


def section(measured, table, short):
    out = ("From text to machine code, all formalisms compared; one evaluation of the derivative of all states; a double lane change of 20 s with its rows; and 10 s in steps of a millisecond (Runge-Kutta of "
           "fourth order, loops closed after each step) through a session, as a simulator with a person in it takes them: the median, the slowest of a thousand, and the slowest of all, which is the system's rather than ours.\n\n")
    rows = []
    for name, row in measured["cars"].items():
        faster = 1e9 * row["motion"]["seconds"] / row["motion"]["best_ns"]
        step = row["step"]
        rows.append([name, short(row["compile"]["best_ns"]), short(row["evaluate"]["best_ns"]), f"{faster:.0f} ×", " / ".join(short(step[k]) for k in ("median_ns", "late_ns", "worst_ns"))])
    return out + table(["car", "text to machine code", "evaluation", "faster than the clock", "step: median / 1 of 1000 / longest"], rows)
