"""The pages of work against precision: a diagram and a table for each problem."""

import html
import math

HEADING = "## Integration: work against precision"
COLOURS = ["#0f8262", "#5fb49c", "#2a9d8f", "#86c5a4", "#3f6f5c", "#d2541b", "#e08a4f", "#b23a48", "#3d5a98", "#6c8ed4", "#8d6cab", "#555b66", "#9aa1ac", "#222222", "#c2a83e", "#7a1f5c", "#00a0b0"]
LEVELS = [1e-3, 1e-4, 1e-5, 3e-6, 1e-7, 1e-8, 1e-10]


def good(points):
    return [p for p in points if "failure" not in p and p.get("error") is not None and math.isfinite(p["error"])]


def cheapest(points, program, level):
    """The least time at which a program comes as near as this: that of a setting, or between two neighbours by a line through their logarithms."""
    own = [p for p in good(points) if p["program"] == program]
    times = [p["seconds"] for p in own if p["error"] <= level]
    for one, two in zip(own, own[1:]):
        if one["error"] > level >= two["error"] > 0:
            part = math.log(one["error"] / level) / math.log(one["error"] / two["error"])
            times.append(one["seconds"] * (two["seconds"] / one["seconds"]) ** part)
    return min(times, default=None)


def times(ratio):
    return f"{float(f'{ratio:.2g}'):,.0f} ×" if ratio >= 10 else f"{ratio:.1f} ×"


def winners(points):
    """Who is fastest of all and among programs that solve equations with multipliers, by error."""
    out = []
    for what, chosen in (("all", programs(points)), ("those with multipliers as unknowns", [p for p in programs(points) if p.endswith("multipliers")])):
        found = []
        for level in LEVELS:
            reached = [(t, p) for p in chosen if (t := cheapest(points, p, level)) is not None]
            found.append(f"{min(reached)[1] if reached else 'none'} at {level:.0e}")
        if chosen:
            out.append(f"Fastest of {what}: " + "; ".join(found) + ".")
    return " ".join(out)


def ours(program):
    return program.startswith("cardan")


def best(points, level):
    """The least time of ours at an error."""
    return min((t for p in programs(points) if ours(p) and (t := cheapest(points, p, level)) is not None), default=None)


def gaps(points):
    """At each error: the nearest of the peers that reach it, and its time over the best of ours; 0 where ours does not reach it."""
    found = []
    for level in LEVELS:
        own = best(points, level)
        theirs = [(t, p) for p in programs(points) if not ours(p) and (t := cheapest(points, p, level)) is not None]
        if theirs:
            time, peer = min(theirs)
            found.append((level, peer, time / own if own else 0.0))
    return found


def verdict(points):
    """Whether ours is below every curve."""
    found = gaps(points)
    above = [(level, peer, gap) for level, peer, gap in found if gap <= 1]
    if above:
        said = "; ".join(f"at {level:.0e} {peer} takes {gap:.2f} of ours" if gap else f"at {level:.0e} ours is not there and {peer} is" for level, peer, gap in above)
        return f"Ours is not below every curve: {said}. "
    if not found:
        return ""
    level, peer, gap = min(found, key=lambda row: row[2])
    slowest = "; ".join(f"{times(cheapest(points, 'cardan, auto', level) / best(points, level))[:-2]} at {level:.0e}" for level in LEVELS
                        if cheapest(points, "cardan, auto", level) and best(points, level))
    return (f"The best of ours is below every curve from {found[0][0]:.0e} to {found[-1][0]:.0e}; the nearest is {peer} at {level:.0e}, {times(gap)} ours. "
            f"`auto`, without a choice of method, over the best of ours: {slowest}. ")


def programs(points):
    return list(dict.fromkeys(p["program"] for p in points))


def diagram(path, problem):
    """Error to the right (smaller to the right), time upward, both logarithmic; ours drawn solid, the peers dashed."""
    floor = 1e-13
    points = [dict(p, error=max(p["error"], floor)) for p in good(problem["points"])]
    left, top, width, height, legend = 70, 40, 520, 360, 230
    fall = (math.floor(math.log10(min(p["error"] for p in points))), min(1, math.ceil(math.log10(max(p["error"] for p in points)))))
    rise = (math.floor(math.log10(min(p["seconds"] for p in points))), math.ceil(math.log10(max(p["seconds"] for p in points))))
    x = lambda e: left + width * (fall[1] - min(math.log10(e), fall[1])) / (fall[1] - fall[0])
    y = lambda s: top + height * (rise[1] - math.log10(s)) / (rise[1] - rise[0])
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + legend}" height="{top + height + 50}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="10" y="22" font-size="14">{html.escape(problem["title"])}</text>']
    for k in range(fall[0], fall[1] + 1, 2):
        out.append(f'<line x1="{x(10.0**k):.1f}" x2="{x(10.0**k):.1f}" y1="{top}" y2="{top + height}" stroke="#dddddd"/>')
        out.append(f'<text x="{x(10.0**k):.1f}" y="{top + height + 16}" text-anchor="middle">1e{k}</text>')
    for k in range(rise[0], rise[1] + 1):
        out.append(f'<line x1="{left}" x2="{left + width}" y1="{y(10.0**k):.1f}" y2="{y(10.0**k):.1f}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 6}" y="{y(10.0**k) + 4:.1f}" text-anchor="end">1e{k} s</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">error of the angle at the end, rad</text>')
    for k, program in enumerate(programs(points)):
        colour, dash = COLOURS[k % len(COLOURS)], "" if program.startswith("cardan") else ' stroke-dasharray="5 3"'
        own = [p for p in points if p["program"] == program]
        line = " ".join(f"{x(p['error']):.1f},{y(p['seconds']):.1f}" for p in own)
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
        out += [f'<circle cx="{x(p["error"]):.1f}" cy="{y(p["seconds"]):.1f}" r="3" fill="{colour}"/>' for p in own]
        at = top + 14 + 20 * k
        out.append(f'<line x1="{left + width + 16}" x2="{left + width + 40}" y1="{at - 4}" y2="{at - 4}" stroke="{colour}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{left + width + 46}" y="{at}">{html.escape(program)}</text>')
    path.write_text("\n".join(out) + "\n</svg>\n")


def section(measured, figures, table, short):
    out = ("One motion on one core from start to end, in ours and in theirs without the making of equations, code or objects. Theirs is processor time, ours is time on the clock, so that waiting for a busy processor counts against ours only. Tolerances are relative and absolute alike, "
            "1e-3 to 1e-12; Exudyn takes numbers of equal steps (Newton's iteration modified, dense matrices), on absolute coordinates with joints except where "
            "it says tree. SciPy and SUNDIALS (6.4.1) integrate the C functions that cardan emits for the model, compiled at `-O3 -march=native`, parameters as numbers, with "
            "exact Jacobians where a method wants one; SciPy calls them from Python. Rows with `multipliers` solve the equations with accelerations and multipliers as unknowns, of index 2, stabilised "
            "as Gear, Gupta and Leimkuhler do: the same residual and the same exact Jacobian in ours and in IDA's, whose algebraic unknowns stay out of the test of errors and have an absolute tolerance of 1 (with that of the state its iteration fails below 1e-6). Their states are not projected onto the constraints, ours are. Tables: the least time at which a program's error is that of the "
            "column, between neighbouring settings by a line through the logarithms; in brackets, how many times the best of ours. SciPy ran every second tolerance.\n\n")
    for problem in measured["problems"]:
        diagram(figures / f"integrating-{problem['name']}.svg", problem)
        points = problem["points"]
        out += f"### {problem['title']}\n\n"
        source = "Truth: a value in quadruple precision" if problem["published"] else "Truth: our run with dop853 at 1e-13"
        out += (f"{source}. Our dop853 and SciPy's at 1e-13 differ by {problem['agreement']:.0e} rad. Ours needs {short(problem['compile_ns'])} more "
                "before the first motion, from text to machine code.\n\n")
        least = {level: best(points, level) for level in LEVELS}
        rows = []
        for program in programs(points):
            row = [program]
            for level in LEVELS:
                time = cheapest(points, program, level)
                if time is None:
                    row.append("not reached")
                elif least[level] is None or ours(program):
                    row.append(short(1e9 * time))
                else:
                    row.append(f"{short(1e9 * time)} ({times(time / least[level])})")
            rows.append(row)
        out += table(["program"] + [f"error {level:.0e}" for level in LEVELS], rows)
        out += verdict(points) + winners(points) + "\n\n"
        out += f"![{problem['title']}](figures/integrating-{problem['name']}.svg)\n\n"
        failed = [p for p in points if "failure" in p]
        if failed:
            out += "Failed: " + "; ".join(f"{p['program']} at {p['setting']:g} ({p['failure']})" for p in failed) + ".\n\n"
    return out
