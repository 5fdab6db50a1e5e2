"""The functions that cardan emits in C, for solvers of others: as a shared library for SciPy, and linked with SUNDIALS."""

import ctypes
import functools
import re
import subprocess
import time

import numpy as np
from scipy.integrate import solve_ivp

from . import common

METHODS = {"SciPy DOP853": "DOP853", "SciPy LSODA": "LSODA", "SciPy Radau": "Radau"}
SUNDIALS = {"SUNDIALS CVODE, Adams": "adams", "SUNDIALS CVODE, BDF": "bdf", "SUNDIALS IDA": "ida"}


@functools.cache
def emit(mechanism):
    """The folder of the emitted files, with problem.h; all parameters are numbers in the code."""
    folder = common.SCRATCH / f"{mechanism.name}-c"
    cardan = ["cargo", "run", "--release", "--quiet", "-p", "cardan-cli", "--"]
    command = [*cardan, "emit", str(mechanism.source()), "--target", "c", "--fix", "--what", "derivatives,jacobian", "--out", str(folder)]
    subprocess.run(command, cwd=common.ROOT, check=True, stdout=subprocess.DEVNULL)
    [header] = [h for h in folder.glob("*.h") if h.name != "problem.h"]
    text, name = header.read_text(), header.stem
    n = int(re.search(rf"{name}_derivatives\(double t, const double x\[(\d+)\]", text)[1])
    entries = re.findall(r"row (\d+), column (\d+)$", text, flags=re.M)
    rows, columns = (", ".join(e[k] for e in entries) for k in (0, 1))
    macros = {"N": n, "ENTRIES": len(entries), "ROWS": f"{{{rows}}}", "COLUMNS": f"{{{columns}}}"}
    macros |= {f"problem_{f}": f"{name}_{f}" for f in ("setup", "derivatives", "jacobian")}
    (folder / "problem.h").write_text(f'#include "{header.name}"\n' + "".join(f"#define {k} {v}\n" for k, v in macros.items()))
    states = re.search(r"// Array x:.*?\n((?://   \d+ .*\n)+)", text)[1]
    names = [line.split()[2] for line in states.splitlines()]
    return folder, name, n, [(int(r) - 1, int(c) - 1) for r, c in entries], names


def angle(mechanism, state):
    names = emit(mechanism)[4]
    return float(sum(state[names.index(q)] for q in mechanism.coordinates()))


@functools.cache
def library(mechanism):
    """f, its Jacobian and the start, through ctypes."""
    folder, name, n, entries, _ = emit(mechanism)
    shared = folder / "problem.so"
    subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", str(folder / f"{name}.c"), "-lm", "-o", str(shared)], check=True)
    lib = ctypes.CDLL(str(shared))
    setup, derivatives, jacobian = (getattr(lib, f"{name}_{f}") for f in ("setup", "derivatives", "jacobian"))
    for f in (derivatives, jacobian):
        f.argtypes, f.restype = [ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p], None
    start, x = np.zeros(n), np.zeros(n)
    sparse, (rows, columns) = np.zeros(len(entries)), np.array(entries).T
    setup.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    setup(None, start.ctypes.data)
    to_x, to_sparse = x.ctypes.data, sparse.ctypes.data

    def f(t, state):
        x[:] = state
        dx = np.empty(n)
        derivatives(t, to_x, dx.ctypes.data)
        return dx

    def jac(t, state):
        x[:] = state
        jacobian(t, to_x, to_sparse)
        dense = np.zeros((n, n))
        dense[rows, columns] = sparse
        return dense

    return f, jac, start


def scipy(mechanism, method, rtol):
    f, jac, start = library(mechanism)
    exact = {} if method == "DOP853" else {"jac": jac}
    began = time.process_time()
    done = solve_ivp(f, (0, mechanism.to), start, method=method, rtol=rtol, atol=rtol, t_eval=[mechanism.to], **exact)
    span = time.process_time() - began
    if not done.success:
        raise RuntimeError(done.message)
    return {"seconds": span, "angle": angle(mechanism, done.y[:, -1])}


@functools.cache
def linked(mechanism):
    folder, name, *_ = emit(mechanism)
    program = folder / "sundials"
    libraries = ["cvode", "ida", "nvecserial", "sunmatrixdense", "sunlinsoldense", "sunnonlinsolfixedpoint"]
    subprocess.run(["cc", "-O3", "-march=native", f"-I{folder}", str(common.ROOT / "peers/drivers/sundials.c"), str(folder / f"{name}.c"),
                    *(f"-lsundials_{lib}" for lib in libraries), "-lm", "-o", str(program)], check=True)
    return program


def sundials(mechanism, method, rtol, repetitions):
    [said] = common.lines([linked(mechanism), method, mechanism.to, rtol, repetitions])
    return {"seconds": said["seconds"], "angle": angle(mechanism, said["end"]), "evaluations": said["evaluations"]}
