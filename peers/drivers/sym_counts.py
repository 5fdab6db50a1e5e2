"""Products and sums of the recursions that SYM prints (Multibody Systems Handbook, 1990, appendix of SYM), customised as it says: `sym_counts.py`.

Every scalar line is a sum of products. Factors 0 and ±1 vanish, lines of constants alone are computed beforehand, a line that is one factor is that factor, lines that
nothing needs are left out; nothing else is shared. The inertia matrix is found column by column from unit accelerations, down to the joint that moves. With the
handbook robot this gives exactly SYM's 61 products and 28 sums of the inertia matrix, and 72 and 45 for its 71 and 52 of inverse dynamics.
"""

import itertools

ZERO, ONE = ("0", 1, None), ("1", 1, None)
DIAGONAL = {"xx": "?", "yy": "?", "zz": "?"}


def minus(x):
    return (x[0], -x[1], x[2])


class Code:
    def __init__(self):
        self.lines, self.n = {}, 0

    def line(self, *terms):
        """Σ x y, a lone x standing for x · 1."""
        pairs = [(t, ONE) if isinstance(t[0], str) else t for t in terms]
        left = [(x[1] * y[1], [z for z in (x, y) if z[0] != "1"]) for x, y in pairs if "0" not in (x[0], y[0])]
        if not left:
            return ZERO
        if len(left) == 1 and len(left[0][1]) <= 1:
            sign, factors = left[0]
            return (factors[0][0], sign, factors[0][2]) if factors else ("1", sign, None)
        used = [z[2] for _, factors in left for z in factors if z[0] == "variable"]
        self.n += 1
        if not used:
            return ("constant", 1, self.n)
        self.lines[self.n] = (sum(len(f) == 2 for _, f in left), len(left) - 1, used)
        return ("variable", 1, self.n)

    def cross(self, a, b):
        return [self.line((a[i], b[j]), (minus(a[j]), b[i])) for i, j in ((1, 2), (2, 0), (0, 1))]

    def times(self, matrix, x, *more):
        return [self.line(*zip(matrix[k], x), *(m[k] for m in more)) for k in range(3)]

    def count(self, outputs):
        products, sums, seen, stack = 0, 0, set(), [v[2] for v in outputs if v[0] == "variable"]
        while stack:
            n = stack.pop()
            if n in self.lines and n not in seen:
                seen.add(n)
                p, s, used = self.lines[n]
                products, sums, stack = products + p, sums + s, stack + used
        return products, sums


class Link:
    """Joint kind, twist in degrees, whether a and d are there, axes of the mass centre, elements of inertia (1: exactly one), whether there is mass, whether the
    moments about x and y are equal."""

    def __init__(self, code, k, kind, twist, a, d, center, inertia, mass, equal=False):
        ca, sa = {0: (ONE, ZERO), 90: (ZERO, ONE), -90: (ZERO, minus(ONE))}[twist]
        c, s = (("variable", 1, f"c{k}"), ("variable", 1, f"s{k}")) if kind == "R" else (ONE, ZERO)
        line = code.line
        self.kind, self.k = kind, k
        self.A = [[c, line((minus(ca), s)), line((sa, s))], [s, line((ca, c)), line((minus(sa), c))], [ZERO, sa, ca]]
        self.AT = list(zip(*self.A))
        along = ("variable", 1, f"q{k}") if kind == "P" else ("constant", 1, f"d{k}") if d else ZERO
        self.r = [("constant", 1, f"a{k}") if a else ZERO, line((along, sa)), line((along, ca))]
        self.m = ("constant", 1, f"m{k}") if mass else ZERO
        x = [("constant", 1, f"x{k}{axis}") if mass and axis in center else ZERO for axis in "xyz"]
        self.ms = [line((self.m, e)) for e in x]
        element = {e: ONE if v == 1 else ("constant", 1, f"I{k}{e}") for e, v in inertia.items()}
        squares = [line((e, f)) for e, f in zip(self.ms, x)]
        J = {e: line(element.get(e, ZERO), *(squares[i] for i in others)) for e, others in (("xx", (1, 2)), ("yy", (0, 2)), ("zz", (0, 1)))}
        J.update({e: line(element.get(e, ZERO), (minus(self.ms[i]), x[j])) for e, i, j in (("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))})
        self.J = J
        self.differences = [line(J["zz"], minus(J["yy"])), line(J["xx"], minus(J["zz"])), line(J["yy"], minus(J["xx"]))]
        if equal and not set(center) & set("xy"):
            self.differences[2] = ZERO


class Robot:
    def __init__(self, *joints):
        self.code = Code()
        self.links = [Link(self.code, k, *joint) for k, joint in enumerate(joints, 1)]

    def force(self, link, U, v):
        return self.code.times(U, link.ms, [self.code.line((link.m, e)) for e in v])

    def backward(self, forces, moments, accelerations, first=0):
        """Driving forces and torques of the joints from `first` on."""
        code, f, n, out = self.code, [ZERO] * 3, [ZERO] * 3, []
        for i in reversed(range(first, len(self.links))):
            link = self.links[i]
            f = [code.line(*pair) for pair in zip(f, forces[i])]
            n = [code.line(*parts) for parts in zip(n, moments[i], code.cross(link.r, f), code.cross(link.ms, accelerations[i]))]
            f, n = code.times(link.A, f), code.times(link.A, n)
            out.append(n[2] if link.kind == "R" else f[2])
        return out

    def inverse(self):
        line, times = self.code.line, self.code.times
        w, wd, v = [ZERO] * 3, [ZERO] * 3, [ZERO, ZERO, ("constant", 1, "g")]
        forces, moments, accelerations = [], [], []
        for link in self.links:
            qd, qdd, sliding = ("variable", 1, f"qd{link.k}"), ("variable", 1, f"qdd{link.k}"), []
            if link.kind == "R":
                wd = [line(wd[0], (w[1], qd)), line(wd[1], (minus(w[0]), qd)), line(wd[2], qdd)]
                w = [w[0], w[1], line(w[2], qd)]
            w, wd = times(link.AT, w), times(link.AT, wd)
            P = {(x, y): line((w[x], w[y])) for x, y in itertools.combinations_with_replacement(range(3), 2)}
            U = [[line(minus(P[2, 2]), minus(P[1, 1])), line(P[0, 1], minus(wd[2])), line(P[0, 2], wd[1])],
                 [line(P[0, 1], wd[2]), line(minus(P[2, 2]), minus(P[0, 0])), line(P[1, 2], minus(wd[0]))],
                 [line(P[0, 2], minus(wd[1])), line(P[1, 2], wd[0]), line(minus(P[1, 1]), minus(P[0, 0]))]]
            if link.kind == "P":
                twice = line((("constant", 1, "2"), qd))
                z = link.A[2]
                sliding = [self.code.cross(w, [line((e, twice)) for e in z]), [line((e, qdd)) for e in z]]
            v = times(link.AT, v, times(U, link.r), *sliding)
            J, D = link.J, link.differences
            moments.append([
                line((wd[0], J["xx"]), (P[1, 2], D[0]), (U[1][0], J["xz"]), (minus(U[2][0]), J["xy"]), (line(P[1, 1], minus(P[2, 2])), J["yz"])),
                line((wd[1], J["yy"]), (P[0, 2], D[1]), (U[2][1], J["xy"]), (minus(U[0][1]), J["yz"]), (line(P[2, 2], minus(P[0, 0])), J["xz"])),
                line((wd[2], J["zz"]), (P[0, 1], D[2]), (U[0][2], J["yz"]), (minus(U[1][2]), J["xz"]), (line(P[0, 0], minus(P[1, 1])), J["xy"]))])
            forces.append(self.force(link, U, v))
            accelerations.append(v)
        return self.code.count(self.backward(forces, moments, accelerations))

    def mass(self):
        line, times, n = self.code.line, self.code.times, len(self.links)
        entries = []
        for column in range(n):
            wd, v = [ZERO] * 3, [ZERO] * 3
            forces, moments, accelerations = [None] * n, [None] * n, [None] * n
            for i in range(column, n):
                link, moved = self.links[i], [ZERO] * 3
                if i == column:
                    wd, moved = ([ZERO, ZERO, ONE], moved) if link.kind == "R" else (wd, link.A[2])
                wd = times(link.AT, wd)
                U = [[ZERO, minus(wd[2]), wd[1]], [wd[2], ZERO, minus(wd[0])], [minus(wd[1]), wd[0], ZERO]]
                v = times(link.AT, v, times(U, link.r), moved)
                J = link.J
                moments[i] = [line((wd[0], J["xx"]), (wd[1], J["xy"]), (wd[2], J["xz"])), line((wd[1], J["yy"]), (wd[0], J["xy"]), (wd[2], J["yz"])),
                              line((wd[2], J["zz"]), (wd[1], J["yz"]), (wd[0], J["xz"]))]
                forces[i], accelerations[i] = self.force(link, U, v), v
            entries += self.backward(forces, moments, accelerations, column)
        return self.code.count(entries)


def counts(joints):
    return Robot(*joints).inverse(), Robot(*joints).mass()


HANDBOOK = [("P", 0, 0, 0, "", {}, 0), ("R", -90, 0, 0, "", DIAGONAL, 1), ("P", 0, 0, 0, "z", DIAGONAL, 1), ("R", 90, 0, 0, "", {}, 0),
            ("R", 0, 1, 0, "", {**DIAGONAL, "xx": 1}, 1)]


def puma(centers, second=0, third=1, elbow=1, hand=0, equal=()):
    """With diagonal inertias; which of the lengths d2, d3, a3, d6 are there, and which links have equal moments about x and y."""
    twists, a, d = (-90, 0, 90, -90, 90, 0), (0, 1, elbow, 0, 0, 0), (0, second, third, 1, 0, hand)
    return [("R", twists[i], a[i], d[i], centers[i], DIAGONAL, 1, i + 1 in equal) for i in range(6)]


def stanford(centers, hand=0):
    twists, d = (-90, 90, 0, -90, 90, 0), (0, 1, 0, 0, 0, hand)
    return [("RRPRRR"[i], twists[i], 0, d[i], centers[i], DIAGONAL, 1) for i in range(6)]


def main():
    print("handbook robot, inverse dynamics and inertia matrix:", *counts(HANDBOOK), "printed: (71, 52) (61, 28)")
    print("Stanford arm, centres at the origins:", *counts(stanford([""] * 6)), "printed: (178, 142) (230, 147)")
    print("PUMA, printed: (192, 150) (273, 175); nearest of those with 191 to 193 products in inverse dynamics:")
    axes = ["", "x", "y", "z", "xy", "xz", "yz", "xyz"]
    patterns = [c for c in itertools.product(axes, repeat=5) if sum(map(len, c)) <= 3]
    for equal, (second, third), elbow, hand in itertools.product(((), (4, 6), (4, 5, 6)), ((0, 0), (1, 0), (0, 1)), (0, 1), (0, 1)):
        found = []
        for centers in patterns:
            joints = puma(("", *centers), second, third, elbow, hand, equal)
            inverse = Robot(*joints).inverse()
            if abs(inverse[0] - 192) <= 1:
                mass = Robot(*joints).mass()
                found.append((abs(inverse[0] - 192) + abs(inverse[1] - 150) + abs(mass[0] - 273) + abs(mass[1] - 175), inverse, mass, centers))
        print("  equal moments", equal or "nowhere", "d2 d3 a3 d6", second, third, elbow, hand, "of", len(patterns), *sorted(found)[:1])


if __name__ == "__main__":
    main()
