"""The C that cardan emits, against the same formulas arranged by hand in other ways.

The text is taken apart into values and their formulas, and written again: other orders of statements, everything single in line or every
operation by itself, sums as balanced trees, values in an array, sine and cosine together, pointers that promise not to overlap. All are
compiled by gcc -O2, once for any x86-64 and once for one with fused operations, and take turns; callgrind counts instructions.
"""

import ast
import collections
import concurrent.futures
import os
import random
import re
import subprocess

from . import common

HEADING = "## Emitted C, against hand-arranged C"
MODELS = {"spacecraft": "Spacecraft, 10 freedoms", "six-axis-arm": "Arm with six axes"}
FLAGS = {"-O2": ["-O2"], "-O2 -march=haswell": ["-O2", "-march=haswell"]}
CALLS = 200


class Text:
    """The function `derivatives`, taken apart."""

    def __init__(self, name, source):
        self.name = name
        found = re.search(rf"^void {name}_derivatives\((.*?)\)\n\{{\n(.*?)^\}}", source, flags=re.M | re.S)
        self.arguments = " ".join(found[1].split())
        body = re.sub(r"//[^\n]*", "", found[2])
        statements = [" ".join(s.split()) for s in body.split(";") if s.strip()]
        self.before, self.values, self.results = [], {}, []
        for s in statements:
            value = re.fullmatch(r"const double (\w+) = (.*)", s)
            if value:
                self.values[value[1]] = value[2]
            elif result := re.fullmatch(r"(dx\[\d+\]) = (.*)", s):
                self.results.append((result[1], result[2]))
            else:
                self.before.append(s)

    def needs(self, formula):
        return [n for n in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", formula)) if n in self.values]

    def written(self, symbol, values, results, arguments=None, before=()):
        lines = [*self.before, *before, *(f"const double {n} = {f}" for n, f in values), *(f"{r} = {f}" for r, f in results)]
        return f"void {symbol}({arguments or self.arguments})\n{{\n" + "".join(f"    {line};\n" for line in lines) + "}\n"


def in_order(text, order):
    return [(n, text.values[n]) for n in order]


def depth_first(text):
    """Each value just before it is needed first."""
    done = {}

    def visit(formula):
        for n in text.needs(formula):
            if n not in done:
                visit(text.values[n])
                done[n] = True

    for _, formula in text.results:
        visit(formula)
    return list(done)


def breadth_first(text):
    """Values by the length of the longest way to them."""
    level = {}
    for n, formula in text.values.items():
        level[n] = 1 + max((level[m] for m in text.needs(formula)), default=0)
    return sorted(text.values, key=lambda n: level[n])


def calls_first(text, order):
    """Calls of functions, and what they need, before everything else."""
    wanted = set()

    def mark(n):
        if n not in wanted:
            wanted.add(n)
            for m in text.needs(text.values[n]):
                mark(m)

    for n in order:
        if re.search(r"\b[a-z]\w*\(", text.values[n]):
            mark(n)
    return sorted(order, key=lambda n: n not in wanted)


def latency(formula):
    """About how long a formula takes after all of its parts are known, and how many operations it has, in cycles."""
    tree = parsed(formula)
    if tree is None:
        return 12, 4

    def one(node):
        match node:
            case ast.BinOp():
                (a, n), (b, m) = one(node.left), one(node.right)
                return max(a, b) + (13 if isinstance(node.op, ast.Div) else 4), n + m + 1
            case ast.UnaryOp():
                a, n = one(node.operand)
                return a + 1, n + 1
            case ast.Call():
                return 40, 30
        return 0, 0

    return one(tree)


def critical_first(text, width=2):
    """As a machine would choose that begins two operations in a cycle: of what is ready, first what the longest way to a result waits for."""
    cost = {n: latency(f) for n, f in text.values.items()}
    height, users = dict.fromkeys(text.values, 0), collections.defaultdict(list)
    for n in reversed(text.values):
        height[n] += cost[n][0]
        for m in text.needs(text.values[n]):
            users[m].append(n)
            height[m] = max(height[m], height[n])
    waits = {n: len(text.needs(f)) for n, f in text.values.items()}
    known = dict.fromkeys(text.values, 0.0)
    ready, order, now = [n for n in text.values if not waits[n]], [], 0.0
    while ready:
        able = [n for n in ready if known[n] <= now]
        if not able:
            now = min(known[n] for n in ready)
            continue
        n = max(able, key=lambda n: height[n])
        ready.remove(n)
        order.append(n)
        now += cost[n][1] / width
        for m in users[n]:
            known[m] = max(known[m], now + cost[n][0])
            waits[m] -= 1
            if not waits[m]:
                ready.append(m)
    return order


def highest_first(text):
    """What the longest way to a result waits for comes first."""
    height = dict.fromkeys(text.values, 0)
    for n in reversed(text.values):
        height[n] += latency(text.values[n])[0]
        for m in text.needs(text.values[n]):
            height[m] = max(height[m], height[n])
    return sorted(text.values, key=lambda n: -height[n])


def shuffled(text, seed):
    """Any order in which values come after what they need."""
    dice = random.Random(seed)
    waits = {n: set(text.needs(f)) for n, f in text.values.items()}
    users = collections.defaultdict(list)
    for n, needed in waits.items():
        for m in needed:
            users[m].append(n)
    ready, order = [n for n, needed in waits.items() if not needed], []
    while ready:
        n = ready.pop(dice.randrange(len(ready)))
        order.append(n)
        for m in users[n]:
            waits[m].discard(n)
            if not waits[m]:
                ready.append(m)
    return order


def in_line(text):
    """What is used once stands where it is used."""
    uses = collections.Counter()
    for formula in [*text.values.values(), *(f for _, f in text.results)]:
        uses.update(n for n in re.findall(r"[A-Za-z_]\w*", formula) if n in text.values)
    whole, kept = {}, []

    def replaced(formula):
        return re.sub(r"[A-Za-z_]\w*", lambda m: f"({whole[m[0]]})" if m[0] in whole else m[0], formula)

    for n, formula in text.values.items():
        if uses[n] == 1:
            whole[n] = replaced(formula)
        else:
            kept.append((n, replaced(formula)))
    return kept, [(r, replaced(f)) for r, f in text.results]


def parsed(formula):
    """The formula as a tree; nothing where it is not plain arithmetic."""
    return None if "?" in formula or "&&" in formula else ast.parse(formula, mode="eval").body


def apart(text):
    """Every operation by itself."""
    values, count = [], 0

    def one(node):
        nonlocal count
        match node:
            case ast.BinOp():
                said = f"{one(node.left)}{ {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/'}[type(node.op)] }{one(node.right)}"
            case ast.UnaryOp(op=ast.USub()):
                said = f"-{one(node.operand)}"
            case ast.Call() if not node.keywords and isinstance(node.func, ast.Name):
                said = f"{node.func.id}({', '.join(one(a) for a in node.args)})"
            case _:
                return ast.unparse(node)
        count += 1
        values.append((f"s{count}", said))
        return f"s{count}"

    for n, formula in text.values.items():
        tree = parsed(formula)
        values.append((n, formula if tree is None else one(tree)))
    return values, text.results


def terms(node, sign=1):
    """A sum as a list of signs and terms."""
    match node:
        case ast.BinOp(op=ast.Add()):
            return terms(node.left, sign) + terms(node.right, sign)
        case ast.BinOp(op=ast.Sub()):
            return terms(node.left, sign) + terms(node.right, -sign)
    return [(sign, node)]


def balanced(node):
    """Sums as balanced trees, so that their halves do not wait for one another."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            signed = sorted(((s, balanced(t)) for s, t in terms(node)), key=lambda pair: -pair[0])

            def tree(part):
                if len(part) == 1:
                    return part[0]
                (s, left), (r, right) = tree(part[: (len(part) + 1) // 2]), tree(part[(len(part) + 1) // 2 :])
                return s, f"({left} {'+' if s == r else '-'} {right})"

            sign, said = tree(signed)
            return said if sign > 0 else f"(-{said})"
        case ast.BinOp():
            return f"({balanced(node.left)}{'*' if isinstance(node.op, ast.Mult) else '/'}{balanced(node.right)})"
        case ast.UnaryOp(op=ast.USub()):
            return f"(-{balanced(node.operand)})"
        case ast.Call():
            return f"{node.func.id}({', '.join(balanced(a) for a in node.args)})"
    return ast.unparse(node)


def even(text):
    def again(formula):
        tree = parsed(formula)
        return formula if tree is None else balanced(tree)

    return [(n, again(f)) for n, f in text.values.items()], [(r, again(f)) for r, f in text.results]


def restricted(arguments):
    return re.sub(r"(const )?double (\w+)\[\d+\]", r"\1double *restrict \2", arguments)


def variants(text):
    """Name and function of each arrangement."""
    plain = list(text.values.items())
    yield "as emitted", lambda s: text.written(s, plain, text.results)
    yield "pointers that do not overlap", lambda s: text.written(s, plain, text.results, restricted(text.arguments))
    yield "depth first", lambda s: text.written(s, in_order(text, depth_first(text)), text.results)
    yield "breadth first", lambda s: text.written(s, in_order(text, breadth_first(text)), text.results)
    yield "as a machine with two units would begin", lambda s: text.written(s, in_order(text, critical_first(text)), text.results)
    yield "what most waits for first, stages mixed", lambda s: text.written(s, in_order(text, highest_first(text)), text.results)
    yield "calls first, then breadth first", lambda s: text.written(s, in_order(text, calls_first(text, breadth_first(text))), text.results)
    yield "calls first", lambda s: text.written(s, in_order(text, calls_first(text, list(text.values))), text.results)
    for seed in range(6):
        yield f"any order, {seed + 1}", lambda s, seed=seed: text.written(s, in_order(text, shuffled(text, seed)), text.results)
    yield "what is used once in line", lambda s: text.written(s, *in_line(text))
    yield "every operation by itself", lambda s: text.written(s, *apart(text))
    yield "sums as balanced trees", lambda s: text.written(s, *even(text))

    def in_array(s):
        names = {n: f"z[{k}]" for k, n in enumerate(text.values)}

        def again(formula):
            return re.sub(r"[A-Za-z_]\w*", lambda m: names.get(m[0], m[0]), formula)

        lines = [f"double z[{len(names)}]", *(f"{names[n]} = {again(f)}" for n, f in plain)]
        return text.written(s, [], [(r, again(f)) for r, f in text.results], before=lines)

    yield "values in an array", in_array

    def together(s):
        values, before = dict(plain), []
        sines = {m[1]: n for n, f in plain if (m := re.fullmatch(r"sin\((\w+)\)", f))}
        cosines = {m[1]: n for n, f in plain if (m := re.fullmatch(r"cos\((\w+)\)", f))}
        both = [a for a in sines if a in cosines]
        for a in both:
            for n in (sines[a], cosines[a]):
                del values[n]
            before.append((a, sines[a], cosines[a]))
        inputs = [(n, f) for n, f in values.items() if not re.search(r"\bz\d+\b", f) and not re.match(r"z\d+$", n)]
        rest = [(n, f) for n, f in values.items() if (n, f) not in inputs]
        calls = [w for a, sine, cosine in before for w in (f"double {sine}, {cosine}", f"sincos({a}, &{sine}, &{cosine})")]
        lines = [*(f"const double {n} = {f}" for n, f in inputs), *calls]
        return text.written(s, rest, text.results, before=lines)

    yield "sine and cosine by one call", together


DRIVER = """
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "@NAME@.h"
typedef void f(@ARGUMENTS@);
@DECLARED@
static f *const all[@COUNT@] = {@LIST@};
static double x[@NX@], w[@NW@], d[100], dx[@NX@], start[200], d_start[100];
static void call(f *one) { @CALL@; }
static double now(void) { struct timespec s; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &s); return 1e9*s.tv_sec + s.tv_nsec; }
static int by_size(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }
int main(int argc, char **argv)
{
    static const double p[] = {@PARAMETERS@};
    static double spans[@COUNT@][@ROUNDS@], first[@NX@];
    @NAME@_setup(@SETUP@);
    for (int i = 0; i < @NX@; ++i) x[i] = start[i] + 0.1*sin(1.0 + i);
    if (argc > 2) {
        for (int n = 0; n < atoi(argv[2]); ++n) call(all[atoi(argv[1])]);
        return 0;
    }
    for (int k = 0; k < @COUNT@; ++k) {
        call(all[k]);
        if (k == 0) memcpy(first, dx, sizeof dx);
        for (int i = 0; i < @NX@; ++i)
            if (!(fabs(dx[i] - first[i]) <= 1e-9*(1.0 + fabs(first[i])))) { printf("%d differs\\n", k); return 1; }
    }
    for (int r = 0; r < @ROUNDS@; ++r)
        for (int k = 0; k < @COUNT@; ++k) {
            const double begin = now();
            for (int n = 0; n < @CALLS@; ++n) { x[0] += 1e-9*dx[0]; call(all[k]); }
            spans[k][r] = (now() - begin)/@CALLS@;
        }
    for (int k = 0; k < @COUNT@; ++k) {
        qsort(spans[k], @ROUNDS@, sizeof(double), by_size);
        printf("{\\"best\\": %.2f, \\"median\\": %.2f}\\n", spans[k][0], spans[k][@ROUNDS@/2]);
    }
    return 0;
}
"""


def emit(model):
    folder = common.SCRATCH / f"{model}-arranged"
    cardan = ["cargo", "run", "--release", "--quiet", "-p", "cardan-cli", "--"]
    command = [*cardan, "emit", str(common.ROOT / f"models/{model}.mbs"), "--target", "c", "--what", "derivatives", "--out", str(folder)]
    subprocess.run(command, cwd=common.ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder, model.replace("-", "_")


def defaults(model, header):
    """The values of the parameters, in the order of the array p."""
    shown = subprocess.run(["cargo", "run", "--release", "--quiet", "-p", "cardan-cli", "--", "emit", str(common.ROOT / f"models/{model}.mbs"), "--target", "python",
                            "--program", "--out", str(common.SCRATCH / f"{model}-python")], cwd=common.ROOT, check=True, stdout=subprocess.PIPE, text=True)
    [main] = (common.SCRATCH / f"{model}-python").glob("*_main.py")
    del shown
    tree = {t.targets[0].id: t.value for t in ast.parse(main.read_text()).body if isinstance(t, ast.Assign)}
    values = [ast.literal_eval(e) for e in tree["VALUES"].elts]
    wanted = int(re.search(r"_setup\(const double p\[(\d+)\]", header)[1])
    return values[:wanted]


def build(model, flags, rounds):
    folder, name = emit(model)
    source, header = (folder / f"{name}.c").read_text(), (folder / f"{name}.h").read_text()
    text = Text(name, source)
    names, paths = [], []
    for k, (label, write) in enumerate(variants(text)):
        paths.append(folder / f"variant{k}.c")
        paths[-1].write_text("#define _GNU_SOURCE\n#include <math.h>\n" + write(f"variant{k}"))
        names.append(label)
    objects = [path.with_suffix(".o") for path in paths]
    beside(lambda path: subprocess.run(["gcc", *flags, "-w", "-c", str(path), "-o", str(path.with_suffix(".o"))], check=True), paths)
    size = dict(re.findall(r"(\w+)\[(\d+)\]", text.arguments))
    setup = re.search(rf"void {name}_setup\((.*?)\);", header, flags=re.S)[1]
    arguments = [re.search(r"(\w+)(\[\d+\])?$", a.strip())[1] for a in text.arguments.split(",")]
    fill = {"NAME": name, "ARGUMENTS": re.sub(r"\[\d+\]", "[]", text.arguments), "COUNT": len(names), "LIST": ", ".join(f"variant{k}" for k in range(len(names))),
            "DECLARED": "\n".join(f"f variant{k};" for k in range(len(names))), "NX": size["x"], "NW": size.get("w", "1"), "ROUNDS": rounds, "CALLS": CALLS,
            "CALL": f"one({', '.join('0.5' if a == 't' else a for a in arguments)})",
            "SETUP": ", ".join(re.search(r"(\w+)(\[\d+\])?$", a.strip())[1] for a in setup.split(",")), "PARAMETERS": ", ".join(map(repr, defaults(model, header)))}
    driver = DRIVER
    for word, value in fill.items():
        driver = driver.replace(f"@{word}@", str(value))
    (folder / "driver.c").write_text(driver)
    program = folder / "driver"
    subprocess.run(["gcc", *flags, "-w", f"-I{folder}", str(folder / "driver.c"), str(folder / f"{name}.c"), *map(str, objects), "-lm", "-o", str(program)], check=True)
    return program, names


def beside(work, items):
    """What is not timed runs on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def instructions(program, k):
    """Executed in one call, with what it calls."""
    out = program.with_suffix(f".callgrind{k}")
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", f"--toggle-collect=variant{k}", str(program), str(k), "100"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), flags=re.M)[1]) / 100


def measure(rounds=2001):
    measured = {"models": {}}
    for model in MODELS:
        for kind, flags in FLAGS.items():
            program, names = build(model, flags, rounds)
            said = common.lines([program])
            counted = beside(lambda k, program=program: instructions(program, k), range(len(names)))
            rows = [{"name": n, **times, "instructions": number} for n, times, number in zip(names, said, counted)]
            measured["models"].setdefault(model, {})[kind] = rows
    return measured


def section(measured, table, short):
    out = ("One evaluation of the time derivatives: the text as it is emitted, and the same formulas arranged otherwise by hand, all compiled by gcc with the same flags. "
           "Best and median of rounds in which all take turns; instructions as callgrind counts them, those of libm included.\n\n")
    for model, kinds in measured["models"].items():
        for kind, rows in kinds.items():
            head = [f"{MODELS[model]}, `{kind}`", "best", "median", "instructions", "best, emitted = 1", "median, emitted = 1"]
            own = rows[0]
            ratios = [[f"{r[k] / own[k]:.3f}" for k in ("best", "median")] for r in rows]
            out += table(head, [[r["name"], short(r["best"]), short(r["median"]), f"{r['instructions']:.0f}", *both] for r, both in zip(rows, ratios)])
            over = {k: own[k] / min(r[k] for r in rows) for k in ("best", "median", "instructions")}
            out += (f"The emitted text takes {over['best']:.3f} times as long as the best arrangement (by medians {over['median']:.3f}), and {over['instructions']:.3f} times as many "
                    "instructions as the one with the fewest. Rows that differ though their instructions are the same show how sure these times are.\n\n")
    return out
