"""Functional mock-up units under FMPy: valid, and the motion of `cardan run`.

Co-Simulation agrees to 1e-8 at the end of the motion, Model Exchange to the tolerance of FMPy's integrator.
"""

import csv
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

ROOT = Path(__file__).resolve().parents[2]
CARDAN = Path(sys.argv[1]).resolve()

# Model, end of the motion, and whether it has Model Exchange.
CASES = [
    ("models/pendulum.mbs", 2.0, True),
    ("models/double-pendulum.mbs", 1.0, False),
    ("models/handbook-robot.mbs", 1.0, False),
    ("models/heavy-top.mbs", 0.5, True),
    ("models/humanoid.mbs", 0.1, True),
    ("models/six-axis-arm.mbs", 0.3, True),
    ("models/four-bar.mbs", 0.5, False),
    ("models/slider-crank.mbs", 0.5, False),
    ("models/rolling-disc.mbs", 0.5, False),
    ("models/whipple-bicycle.mbs", 0.3, False),
    ("models/stewart-platform.mbs", 0.2, False),
    ("tests/fmu/bouncing.mbs", 2.0, False),
    ("tests/fmu/sampled.mbs", 2.0, False),
    ("tests/fmu/friction.mbs", 2.0, False),
    ("tests/fmu/table.mbs", 2.0, False),
]


def cardan(*words, folder):
    return subprocess.run([CARDAN, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def last_row(model, end, folder):
    cardan("run", model, "--to", str(end), "--out", "run", "--quiet", folder=folder)
    with open(folder / "run" / "results.csv", newline="") as file:
        rows = list(csv.reader(file))
    return dict(zip((head.split(" [")[0] for head in rows[0]), map(float, rows[-1])))


def states_of(description):
    """The states are the outputs that have a start; their units are SI in the unit."""
    return [v.name for v in description.modelVariables if v.causality == "output" and v.initial == "exact"]


def check(model, end, exchanges, folder):
    model = ROOT / model
    exact = last_row(model, end, folder)
    for version in ["2.0", "3.0"]:
        unit = folder / f"unit-{version}.fmu"
        cardan("fmu", model, "--fmi", version, "-o", unit, "--quiet", folder=folder)
        problems = validate_fmu(str(unit))
        assert not problems, (model, version, problems)
        description = fmpy.read_model_description(str(unit))
        assert (description.modelExchange is not None) == exchanges, (model, version)
        names = [name for name in states_of(description) if name in exact]
        assert names, model
        for kind in ["CoSimulation"] + exchanges * ["ModelExchange"]:
            # CVode takes at most 500 steps from one output to the next.
            interval = end / 50 if kind == "CoSimulation" else end / 1000
            result = fmpy.simulate_fmu(
                str(unit), fmi_type=kind, start_time=0.0, stop_time=end, step_size=interval,
                output_interval=interval, relative_tolerance=1e-9, output=names,
            )
            allowed = 1e-8 if kind == "CoSimulation" else 1e-5
            for name in names:
                found, wanted = result[name][-1], exact[name]
                # Columns of results may have another unit, which the summary tells; those are left out by SCALED.
                if (model.name, name) in SCALED:
                    continue
                assert abs(found - wanted) <= allowed * max(1.0, abs(wanted)), (
                    model.name, version, kind, name, found, wanted)


# Columns that a `show` statement gives in another unit than SI.
SCALED = set()


def many_instances(folder):
    """A hundred instances of one unit in one process, and the state of one saved, restored and gone on with."""
    unit = folder / "many.fmu"
    cardan("fmu", ROOT / "tests/fmu/bouncing.mbs", "-o", unit, "--quiet", folder=folder)
    description = fmpy.read_model_description(str(unit))
    where = fmpy.extract(str(unit), str(folder / "many"))
    reference = {v.name: v.valueReference for v in description.modelVariables}
    heights = []
    units = [
        FMU2Slave(guid=description.guid, unzipDirectory=where, instanceName=f"unit {k}",
                  modelIdentifier=description.coSimulation.modelIdentifier)
        for k in range(100)
    ]
    for k, slave in enumerate(units):
        slave.instantiate()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.setReal([reference["lift"]], [0.01 * k])
        slave.exitInitializationMode()
    for step in range(10):
        for slave in units:
            slave.doStep(currentCommunicationPoint=0.1 * step, communicationStepSize=0.1)
    heights = [slave.getReal([reference["z"]])[0] for slave in units]
    assert len(set(heights)) == 100, heights
    first = units[0]
    state = first.getFMUState()
    saved = first.serializeFMUState(state)
    first.doStep(1.0, 0.5)
    once = first.getReal([reference["z"]])
    first.setFMUState(first.deSerializeFMUstate(saved))
    first.doStep(1.0, 0.5)
    assert first.getReal([reference["z"]]) == once
    for slave in units:
        slave.terminate()
        slave.freeInstance()


with tempfile.TemporaryDirectory() as folder:
    for number, (model, end, exchanges) in enumerate(CASES):
        place = Path(folder) / str(number)
        place.mkdir()
        check(model, end, exchanges, place)
        print(f"{model}: as `cardan run`", flush=True)
    many_instances(Path(folder))
    print("100 instances, saved and restored", flush=True)
