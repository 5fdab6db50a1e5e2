"""SUNDIALS IDA on the equations with multipliers (index 2, stabilised) that cardan emits."""

import functools
import subprocess

from . import common, emitted

NAME = "SUNDIALS IDA, multipliers"


@functools.cache
def linked(mechanism):
    """The program that integrates a mechanism with loops."""
    folder, name, *_ = emitted.emit(mechanism)
    [said] = common.cardan("stabilised", mechanism.source(), folder)
    list_ = lambda part: "{" + ", ".join(str(entry[part]) for entry in said["pattern"]) + "}"
    macros = {"STATES": said["states"], "ALGEBRAIC": said["algebraic"], "SETTLED": said["settled"], "ENTRIES_S": len(said["pattern"]), "ROWS_S": list_(0), "COLUMNS_S": list_(1)}
    (folder / "stabilised.h").write_text("".join(f"#define {k} {v}\n" for k, v in macros.items()))
    program = folder / "ida_stabilised"
    sources = [common.ROOT / "peers/drivers/ida_stabilised.c", *(folder / f"{file}.c" for file in (name, "equations", "slopes"))]
    libraries = ["ida", "nvecserial", "sunmatrixdense", "sunlinsoldense"]
    subprocess.run(["cc", "-O3", "-march=native", f"-I{folder}", *map(str, sources), *(f"-lsundials_{lib}" for lib in libraries), "-lm", "-o", str(program)], check=True)
    return program


def run(mechanism, rtol, repetitions):
    [said] = common.lines([linked(mechanism), mechanism.to, rtol, repetitions], timeout=120)
    return {"seconds": said["seconds"], "angle": emitted.angle(mechanism, said["end"]), "evaluations": said["evaluations"]}
