"""Functional mock-up units under FMPy: valid, and the motion of `cardan run`.

Co-Simulation agrees to 1e-8 at the end of the motion, Model Exchange to what the tolerance of FMPy's integrator leaves.
"""

import csv
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import fmpy
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

ROOT = Path(__file__).resolve().parents[2]
CARDAN = Path(sys.argv[1]).resolve()

# The cart of the light cart-pole snaps across in a microsecond at t = sqrt(2 h / g) = 0.4515 s. FMPy lets CVode take 500 steps
# from one output to the next: at a thousand outputs it stops there, having taken them all; a hundred thousand leave it enough.
OUTPUTS = {"models/light-cart-pole.mbs": 100_000}

# Model, end of the motion, and how near Model Exchange comes with CVode at a relative tolerance of 1e-9.
CASES = [
    ("models/pendulum.mbs", 2.0, 1e-5),
    ("models/double-pendulum.mbs", 1.0, 1e-5),
    ("models/light-cart-pole.mbs", 0.6, 1e-5),
    ("models/handbook-robot.mbs", 1.0, 1e-5),
    ("models/heavy-top.mbs", 0.5, 1e-5),
    ("models/humanoid.mbs", 0.1, 1e-5),
    ("models/six-axis-arm.mbs", 0.3, 1e-5),
    ("models/four-bar.mbs", 0.5, 1e-5),
    ("models/slider-crank.mbs", 0.5, 1e-5),
    ("models/rolling-disc.mbs", 0.5, 1e-5),
    ("models/whipple-bicycle.mbs", 0.3, 1e-5),
    ("models/stewart-platform.mbs", 0.2, 1e-5),
    ("tests/fmu/bouncing.mbs", 2.0, 1e-5),
    ("tests/fmu/sampled.mbs", 2.0, 1e-5),
    ("tests/fmu/friction.mbs", 2.0, 1e-5),
    ("tests/fmu/table.mbs", 2.0, 1e-5),
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


def in_order(values):
    """The values that a discrete state takes, one after the other."""
    return [value for k, value in enumerate(values) if k == 0 or value != values[k - 1]]


def events_in_order(model, end, folder):
    """Discrete states take the same values in the same order in both kinds of unit as in `cardan run`."""
    cardan("run", ROOT / model, "--to", str(end), "--out", "events", "--quiet", folder=folder)
    with open(folder / "events" / "results.csv", newline="") as file:
        rows = list(csv.reader(file))
    heads = [head.split(" [")[0] for head in rows[0]]
    unit = folder / "events.fmu"
    cardan("fmu", ROOT / model, "-o", unit, "--quiet", folder=folder)
    description = fmpy.read_model_description(str(unit))
    names = [v.name for v in description.modelVariables if v.variability == "discrete" and v.name in heads]
    assert names, model
    for name in names:
        wanted = in_order([float(row[heads.index(name)]) for row in rows[1:]])
        for kind in ["CoSimulation", "ModelExchange"]:
            result = fmpy.simulate_fmu(
                str(unit), fmi_type=kind, start_time=0.0, stop_time=end, step_size=end / 1000,
                output_interval=end / 1000, relative_tolerance=1e-9, output=[name],
            )
            found = in_order([float(value) for value in result[name]])
            assert len(wanted) > 2 and len(found) == len(wanted), (model, kind, name, found, wanted)
            assert all(abs(a - b) < 1e-5 * max(1.0, abs(b)) for a, b in zip(found, wanted)), (model, kind, name)


def check(model, end, near, folder):
    outputs = OUTPUTS.get(model, 1000)
    model = ROOT / model
    exact = last_row(model, end, folder)
    for version in ["2.0", "3.0"]:
        unit = folder / f"unit-{version}.fmu"
        cardan("fmu", model, "--fmi", version, "-o", unit, "--quiet", folder=folder)
        problems = validate_fmu(str(unit))
        assert not problems, (model, version, problems)
        description = fmpy.read_model_description(str(unit))
        assert description.modelExchange is not None and description.coSimulation is not None, (model, version)
        names = [name for name in states_of(description) if name in exact]
        assert names, model
        for kind in ["CoSimulation", "ModelExchange"]:
            interval = end / 50 if kind == "CoSimulation" else end / outputs
            result = fmpy.simulate_fmu(
                str(unit), fmi_type=kind, start_time=0.0, stop_time=end, step_size=interval,
                output_interval=interval, relative_tolerance=1e-9, output=names,
            )
            allowed = 1e-8 if kind == "CoSimulation" else near
            for name in names:
                found, wanted = result[name][-1], exact[name]
                assert abs(found - wanted) <= allowed * max(1.0, abs(wanted)), (
                    model.name, version, kind, name, found, wanted)


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


def memory(model, folder):
    """The library of a unit under valgrind: nothing read that was not written, nothing lost."""
    if not (shutil.which("valgrind") and shutil.which("cc")):
        print("memory: valgrind or cc is missing, so it is not looked at", flush=True)
        return
    unit, driver = folder / "memory.fmu", folder / "memory"
    cardan("fmu", ROOT / model, "-o", unit, "--quiet", folder=folder)
    description = fmpy.read_model_description(str(unit))
    where = Path(fmpy.extract(str(unit), str(folder / "memory-unit")))
    subprocess.run(["cc", "-O1", "-o", driver, ROOT / "tests/fmu/memory.c", "-ldl"], check=True)
    [library] = where.glob("binaries/*/*.so")
    n_states = len(states_of(description))
    words = [library, (where / "resources").as_uri(), description.guid, n_states, description.numberOfEventIndicators]
    done = subprocess.run(
        ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite",
         driver, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, (model, done.returncode, done.stderr[-3000:])


def coupled(folder):
    """A controller in a unit, sampled by `cardan run --fmu`, moves a cart as the block of a text does."""
    (folder / "controller.mbs").write_text("""model controller
input place [m] = 0, speed [m/s] = 0
output F = 20 [N/m] * (0.5 [m] - place) - 8 [N*s/m] * speed
simulate { to = 2 [s], every = 0.05 [s] }
""")
    plant = """particle cart on N by translate(x = x) { mass = 2 [kg] }
output place = x
output speed = der(x)
simulate { to = 2 [s] }
"""
    (folder / "plant.mbs").write_text("input F [N] = 0\nforce f on cart.cm = F * N.x\n" + plant)
    (folder / "whole.mbs").write_text(
        "discrete F = 0 [N]\nforce f on cart.cm = F * N.x\n" + plant
        + "every 0.05 [s] { F := 20 [N/m] * (0.5 [m] - x) - 8 [N*s/m] * der(x) }\n")
    cardan("fmu", "controller.mbs", "-o", "controller.fmu", "--quiet", folder=folder)
    cardan("run", "plant.mbs", "--fmu", "controller.fmu", "--fmu-step", "0.05", "--out", "plant", "--quiet", folder=folder)
    cardan("run", "whole.mbs", "--out", "whole", "--quiet", folder=folder)
    def last(name):
        with open(folder / name / "results.csv", newline="") as file:
            rows = list(csv.reader(file))
        return dict(zip((head.split(" [")[0] for head in rows[0]), map(float, rows[-1])))
    one, other = last("plant"), last("whole")
    assert abs(one["x"] - 0.5) < 0.05, one
    for name in ["x", "der(x)"]:
        assert abs(one[name] - other[name]) < 1e-8, (name, one, other)


with tempfile.TemporaryDirectory() as folder:
    chosen = sys.argv[2:]
    for number, (model, end, near) in enumerate(CASES):
        if chosen and Path(model).stem not in chosen:
            continue
        place = Path(folder) / str(number)
        place.mkdir()
        check(model, end, near, place)
        print(f"{model}: as `cardan run`", flush=True)
    if chosen:
        sys.exit()
    events_in_order("tests/fmu/bouncing.mbs", 2.0, Path(folder))
    print("events in their order", flush=True)
    for name in ["bouncing", "friction", "sampled", "table"]:
        place = Path(folder) / f"memory-{name}"
        place.mkdir()
        memory(f"tests/fmu/{name}.mbs", place)
    print("memory: clean", flush=True)
    coupled(Path(folder))
    print("a unit as a sampled controller", flush=True)
    many_instances(Path(folder))
    print("100 instances, saved and restored", flush=True)
