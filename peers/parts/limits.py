"""How near our machine code for forward dynamics is to what this machine can do with the same instructions.

The code is disassembled and counted. Its limit is measured on the same instructions in the same order, with the same memory operands, but with registers dealt out anew so
that none waits for the result of another; what is stored is known beforehand. The routine for sine and cosine stands in line wherever it is called.
Registers that stand somewhere in the memory are moved as in the code, so that it is as long as ours. callgrind counts what an evaluation really executes, the copy of the inputs and the call included.
"""

import collections
import json
import re
import subprocess

from . import common, dynamics, robots

HEADING = "## How near the machine's limit"
# Registers for results in turn; the others hold a constant.
RESULTS, FIRST, SECOND = 13, 14, 15
KINDS = {"vaddsd": "add", "vsubsd": "add", "vmulsd": "mul", "vdivsd": "div", "vsqrtsd": "sqrt", "vaddpd": "add", "vsubpd": "add", "vmulpd": "mul", "vdivpd": "div", "vsqrtpd": "sqrt"}
EVALUATIONS, ROUNDS = 1024, 3


def disassemble(path, first, end):
    """Pairs of place and text for the bytes of a file from `first` to `end`."""
    command = ["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", f"--start-address={first}", f"--stop-address={end}", "--no-show-raw-insn", path]
    said = subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"^\s*([0-9a-f]+):\s+(\S.*)$", said, flags=re.M)
    return [(int(place, 16), re.sub(r"\s*[#<].*$", "", text).strip()) for place, text in found]


def parsed(text):
    """Whether the long prefix is meant, the word, its operands."""
    plain = text.removeprefix("{evex} ")
    word, _, rest = plain.partition(" ")
    operands = [o.strip() for o in rest.split(",")] if rest else []
    return plain != text or re.search(r"[xyz]mm(1[6-9]|2\d|3[01])\b", rest) is not None, word, operands


def in_line(code, routines):
    """The instructions in the order in which they are executed: calls of routines in the same file replaced by what these do, the entries of later stages left out."""
    out, calls, resume, end = [], 0, 0, code[-1][0] if code else 0
    for place, text in code:
        if place < resume:
            continue
        _, word, operands = parsed(text)
        inside = re.fullmatch(r"0x([0-9a-f]+)", operands[0]) if operands else None
        if word == "call" and inside:
            calls += 1
            out += routines(int(inside[1], 16))
        elif word == "jae" and inside and place < int(inside[1], 16) <= end:
            # A stage goes on with the next one.
            resume = int(inside[1], 16)
        elif not re.match(r"(ret|nop|j\w+)\b", text):
            out.append(text)
    return out, calls


def tally(instructions):
    """How many instructions of each kind, and how many of them read or write memory."""
    counts = collections.Counter()
    for text in instructions:
        _, word, operands = parsed(text)
        if not word.startswith("v"):
            counts["whole numbers and calls"] += 1
            continue
        counts["fused" if word.startswith(("vfm", "vfnm")) else KINDS.get(word, "moves and bits")] += 1
        if any("[" in o for o in operands):
            counts["stores" if "[" in operands[0] else "loads"] += 1
    return dict(counts)


def free(instructions):
    """Assembly in which no instruction waits for another."""
    widest = next((kind for kind in ("zmm", "ymm") if any(kind in text for text in instructions)), "xmm")
    size = {"xmm": "xmmword", "ymm": "ymmword", "zmm": "zmmword"}[widest]
    out, turn = [".intel_syntax noprefix", ".globl mix", ".type mix, @function", "mix:", "push rbx", "push rbp", "push r13",
                 "lea rbx, [rdi + 128]", "mov rbp, rdi", "mov r13, rsi"], 0
    out += [f"vmovupd {widest}{k}, {size} ptr [rdi]" for k in range(16)]
    # Registers that stand in the memory of the code.
    stand = {"rbx"}
    for text in instructions:
        long, word, operands = parsed(text)
        if word == "lea" and re.search(r"\[(r\w+)", operands[1])[1] in stand:
            stand.add(operands[0])
            out.append(text)
        if not word.startswith("v") or word in ("vzeroupper", "vptest"):
            continue
        fresh = []
        for k, operand in enumerate(operands):
            register = re.fullmatch(r"([xyz]mm)\d+", operand)
            if register and k == 0 and word not in ("vucomisd", "vcomisd"):
                fresh.append(f"{register[1]}{turn}")
                turn = (turn + 1) % RESULTS
            elif register:
                fresh.append(f"{register[1]}{FIRST if k % 2 else SECOND}")
            else:
                fresh.append(operand.replace("[rsp", "[rbx"))
        out.append(f"{'{evex} ' if long else ''}{word} {', '.join(fresh)}")
    out += ["vzeroupper", "pop r13", "pop rbp", "pop rbx", "ret", '.section .note.GNU-stack,"",@progbits']
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
        own, *limits = common.alternate(us, *mixes, rounds=ROUNDS)
        for (name, width), limit, quantity in zip(widths.items(), limits, ("forward", "forward, four at once")):
            lanes = 4 if name == "four" else 1
            width |= {"best_ns": own[quantity]["best_ns"] * lanes, "limit_ns": limit["mix"]["best_ns"]}
            print(f"   {robot.name:8} {name:5} {width['best_ns']:8.0f} ns, limit {width['limit_ns']:8.0f} ns, sines and cosines {width['sincos']}, {width['instructions']}", flush=True)
        found[robot.name] = {"widths": widths, "parts": parts, "executed": executed(robot, folder, widths["one"]["formalism"])}
        print(f"   {robot.name:8} callgrind: {found[robot.name]['executed']}, {parts}", flush=True)
    peak_file = common.RESULTS / "peak.json"
    return {"robots": found, "scalar_gflops": json.loads(peak_file.read_text())["scalar_gflops"] if peak_file.exists() else None}


# What a cycle can do at most of each kind: multiply-adds, products and sums; loads; stores; divisions; bytes of code that is not in the first cache.
UNITS = {"arithmetic": 2, "loads": 2, "stores": 1, "divisions": 1 / 4, "code": 11}
FIRST_CACHE = 32 * 1024


def bounds(width, gflops):
    """The least time of each kind of work by itself, in ns: the clock follows from the peak, two fused operations each cycle."""
    n = width["instructions"]
    work = {"arithmetic": sum(n.get(k, 0) for k in ("fused", "mul", "add")), "loads": n.get("loads", 0), "stores": n.get("stores", 0), "divisions": n.get("div", 0) + n.get("sqrt", 0),
            "code": width["bytes"] if width["bytes"] > FIRST_CACHE else 0}
    return {kind: amount / UNITS[kind] / (gflops / 4) for kind, amount in work.items()}


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
    if measured.get("scalar_gflops"):
        out += (f"What each kind of work would take by itself, sines and cosines in line, if a cycle did two multiply-adds, products or sums, two loads, one store, a quarter of a division, and brought {UNITS['code']} bytes of code that is larger than the first "
                f"cache of instructions; the clock is that of the measured peak, {measured['scalar_gflops'] / 4:.2f} GHz. The largest of a row is a bound from below; kinds overlap.\n\n")
        rows = []
        for robot, both in measured["robots"].items():
            w = both["widths"]["one"]
            rows.append([robot, short(w["best_ns"]), *(f"{short(ns)} ({100 * ns / w['best_ns']:.0f} %)" for ns in bounds(w, measured["scalar_gflops"]).values())])
        out += table(["one state", "measured", *UNITS], rows)
    out += ("Instructions of the code for one state, by disassembly, sines and cosines in line; memory operands count as loads. The last three columns are callgrind's, per evaluation, with the call "
            "and the copy of the inputs.\n\n")
    names = ["fused", "mul", "add", "div", "sqrt", "moves and bits", "whole numbers and calls", "loads", "stores"]
    rows = []
    for robot, both in measured["robots"].items():
        w, e = both["widths"]["one"], both["executed"]
        rows.append([robot, *(w["instructions"].get(name, 0) for name in names), w["sincos"], w["bytes"], *(f"{e[k]:.0f}" for k in ("Ir", "Dr", "Dw"))])
    return out + table(["", *names, "sine and cosine", "bytes", "executed", "reads", "writes"], rows)
