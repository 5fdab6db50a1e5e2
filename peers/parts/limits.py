"""How near our machine code for forward dynamics is to what this machine can do with the same instructions.

The code is disassembled and counted. Its limit is measured on the same instructions in the same order, with the same memory operands, but with registers dealt out anew so
that none waits for the result of another, and with stores to memory that nothing reads; the routine for sine and cosine stands in line wherever it is called.
callgrind counts what an evaluation really executes, the copy of the inputs and the call included.
"""

import collections
import re
import subprocess

from . import common, dynamics, robots

HEADING = "## How near the machine's limit"
# Registers for results in turn; the others hold a constant.
RESULTS, FIRST, SECOND = 13, 14, 15
KINDS = {"vaddsd": "add", "vsubsd": "add", "vmulsd": "mul", "vdivsd": "div", "vsqrtsd": "sqrt", "vaddpd": "add", "vsubpd": "add", "vmulpd": "mul", "vdivpd": "div", "vsqrtpd": "sqrt"}
EVALUATIONS = 1024


def disassemble(path, first, end):
    """Pairs of place and text for the bytes of a file from `first` to `end`."""
    command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", f"--start-address={first}", f"--stop-address={end}", "--no-show-raw-insn", path]
    said = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", said, flags=re.M)
    return [(int(place, 16), re.sub(r"\s*[#<].*$", "", text).strip()) for place, text in found]


def in_line(code, routines):
    """The instructions in the order in which they are executed: calls of routines in the same file replaced by what these do."""
    out, calls = [], 0
    for place, text in code:
        word, _, target = text.partition(" ")
        inside = re.fullmatch(r"0x([0-9a-f]+)", target.strip())
        if word == "call" and inside:
            calls += 1
            out += routines(int(inside[1], 16))
        elif not re.match(r"(ret|nop|j\w+)\b", text):
            out.append(text)
    return out, calls


def tally(instructions):
    """How many instructions of each kind, and how many of them read or write memory."""
    counts = collections.Counter()
    for text in instructions:
        word, _, operands = text.partition(" ")
        if not word.startswith("v"):
            counts["whole numbers and calls"] += 1
            continue
        counts["fused" if word.startswith(("vfm", "vfnm")) else KINDS.get(word, "moves and bits")] += 1
        if "[" in operands:
            counts["stores" if operands.strip().split(",")[0].find("[") >= 0 else "loads"] += 1
    return dict(counts)


def free(instructions):
    """Assembly in which no instruction waits for another."""
    out, turn = [".intel_syntax noprefix", ".globl mix", ".type mix, @function", "mix:", "push rbx", "push r13", "push r12",
                 "lea rbx, [rdi + 128]", "mov r13, rsi", "lea r12, [rdx + 128]"], 0
    kind = "ymm" if any("ymm" in text for text in instructions) else "xmm"
    out += [f"vmovupd {kind}{k}, {'ymmword' if kind == 'ymm' else 'xmmword'} ptr [rdi]" for k in range(16)]
    for text in instructions:
        word, _, rest = text.partition(" ")
        operands = [o.strip() for o in rest.split(",")]
        if not word.startswith("v") or word in ("vzeroupper", "vptest"):
            continue
        stores = "[" in operands[0]
        fresh = []
        for k, operand in enumerate(operands):
            register = re.fullmatch(r"[xy]mm\d+", operand)
            if not register:
                fresh.append(operand.replace("[rbx", "[r12").replace("[rsp", "[r12") if stores else operand.replace("[rsp", "[rbx"))
            elif k == 0 and word not in ("vucomisd", "vcomisd"):
                fresh.append(f"{operand[:3]}{turn}")
                turn = (turn + 1) % RESULTS
            else:
                fresh.append(f"{operand[:3]}{FIRST if k % 2 else SECOND}")
        out.append(f"{word} {', '.join(fresh)}")
    out += ["vzeroupper", "pop r12", "pop r13", "pop rbx", "ret", '.section .note.GNU-stack,"",@progbits']
    return "\n".join(out) + "\n"


def peak(folder, name, instructions):
    """The program that times the instructions without their dependences."""
    (folder / f"{name}.s").write_text(free(instructions))
    program = folder / f"mix-{name}"
    subprocess.run(["cc", "-O2", str(common.ROOT / "peers/drivers/mix.c"), str(folder / f"{name}.s"), "-o", str(program)], check=True)
    return program


def executed(robot, folder, formalism):
    """Per evaluation: instructions, reads and writes, as callgrind counts them."""
    record = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--toggle-collect=*repeat_evaluations*", f"--callgrind-out-file={record}",
               common.ours(), "code", robot.urdf, robot.base, robot.states, folder, EVALUATIONS, formalism]
    subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = record.read_text()
    names = re.search(r"^events: (.*)$", text, flags=re.M)[1].split()
    numbers = re.search(r"^(?:totals|summary): (.*)$", text, flags=re.M)[1].split()
    found = dict(zip(names, map(int, numbers)))
    return {name: found[name] / EVALUATIONS for name in ("Ir", "Dr", "Dw")}


def measure():
    found = {}
    for entry in dynamics.ROBOTS:
        robot = robots.prepare(*entry)
        folder = common.SCRATCH / f"{robot.name}-code"
        folder.mkdir(parents=True, exist_ok=True)
        widths = {}
        *codes, parts = common.cardan("code", robot.urdf, robot.base, robot.states, folder, 1)
        for said in codes:
            path = folder / f"{said['quantity']}.bin"

            def routine(start, path=path):
                body = []
                for _, text in disassemble(path, start, path.stat().st_size):
                    # The way for large angles is not taken.
                    if text.startswith("ret"):
                        return body
                    if not text.startswith("j"):
                        body.append(text)
                return body

            instructions, calls = in_line(disassemble(path, said["first"], said["end"]), routine)
            widths[said["quantity"]] = said | {"instructions": tally(instructions), "sincos": calls, "peak": peak(folder, said["quantity"], instructions)}
        us = lambda: common.cardan("dynamics", robot.urdf, robot.base, robot.states, dynamics.REPETITIONS)
        mixes = [lambda program=width.pop("peak"): common.lines([program, dynamics.REPETITIONS]) for width in widths.values()]
        own, *limits = common.alternate(us, *mixes)
        for (name, width), limit, quantity in zip(widths.items(), limits, ("forward", "forward, four at once")):
            lanes = 4 if name == "four" else 1
            width |= {"best_ns": own[quantity]["best_ns"] * lanes, "limit_ns": limit["mix"]["best_ns"]}
            print(f"   {robot.name:8} {name:5} {width['best_ns']:8.0f} ns, limit {width['limit_ns']:8.0f} ns, sines and cosines {width['sincos']}, {width['instructions']}", flush=True)
        found[robot.name] = {"widths": widths, "parts": parts, "executed": executed(robot, folder, widths["one"]["formalism"])}
        print(f"   {robot.name:8} callgrind: {found[robot.name]['executed']}, {parts}", flush=True)
    return {"robots": found}


def section(measured, table, short):
    out = ("Forward dynamics. The limit is measured: our own instructions in their order, with the same memory operands, but with registers dealt out anew so that none waits for another, and with sine and "
           "cosine in line. What is missing to the limit is waiting for results. Operations are those of the program: a fused multiply-add is two, a sine or cosine one.\n\n")
    rows = []
    for robot, both in measured["robots"].items():
        row = [robot]
        for name, lanes in (("one", 1), ("four", 4)):
            w = both["widths"][name]
            rate = lambda ns: lanes * w["operations"] / ns
            row += [f"{rate(w['best_ns']):.2f}", f"{rate(w['limit_ns']):.2f}", f"{100 * w['limit_ns'] / w['best_ns']:.0f} %"]
        rows.append(row)
    out += table(["operations per ns", "one state", "limit", "reached", "four at once", "limit", "reached"], rows)
    rows = []
    for robot, both in measured["robots"].items():
        w, parts = both["widths"]["one"], both["parts"]
        shares = [parts["call_ns"], parts["sincos_ns"] - parts["call_ns"]]
        shares.append(w["best_ns"] - sum(shares))
        rows.append([robot, short(w["best_ns"]), *(f"{short(max(x, 0))} ({100 * x / w['best_ns']:.0f} %)" for x in shares)])
    out += "Where the time goes: a call that computes nothing with as many inputs, a call with the same sines and cosines and nothing else less that, and the rest. They overlap in the code, so the rest is a lower bound.\n\n"
    out += table(["one state", "all", "call and copy of inputs", "sines and cosines", "rest"], rows)
    out += ("Instructions of the code for one state, by disassembly, sines and cosines in line; memory operands count as loads. The last three columns are callgrind's, per evaluation, with the call "
            "and the copy of the inputs.\n\n")
    names = ["fused", "mul", "add", "div", "sqrt", "moves and bits", "whole numbers and calls", "loads", "stores"]
    rows = []
    for robot, both in measured["robots"].items():
        w, e = both["widths"]["one"], both["executed"]
        rows.append([robot, *(w["instructions"].get(name, 0) for name in names), w["sincos"], w["bytes"], *(f"{e[k]:.0f}" for k in ("Ir", "Dr", "Dw"))])
    return out + table(["", *names, "sine and cosine", "bytes", "executed", "reads", "writes"], rows)
