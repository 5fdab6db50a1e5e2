"""The program of a model replayed over the numbers of another package.

A program is a list of operations in order; its text is read here, and each operation is carried out
by the package: CasADi's `SX`, JAX's arrays, SymPy's expressions. Tables and external functions are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cardan._cardan import ModelError

if TYPE_CHECKING:
    from cardan.model import Model


class Arithmetic(Protocol):
    """What a package must provide: the operations by name, selection and linear systems."""

    operations: dict[str, Callable[..., Any]]

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`."""

    def solve(self, n: int, matrix: Sequence[Any], rhs: Sequence[Any]) -> Sequence[Any]:
        """X of A X = B; A by rows, B and X by columns."""


def _plain() -> dict[str, Callable[..., Any]]:
    """The operations that Python's operators do."""
    return {
        "neg": lambda a: -a,
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "fma": lambda a, b, c: a * b + c,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
    }


def _basic(package: Any, **others: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """The operations that packages of numbers call alike, and those that they do not."""
    alike = ("floor", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "sign")
    return {
        **_plain(),
        **{name: getattr(package, name) for name in alike},
        "ln": package.log,
        **others,
    }


def _lists(words: str) -> list[list[str]]:
    """The words of each pair of parentheses."""
    return [part.split(")")[0].split() for part in words.split("(")[1:]]


def replay(program: str, inputs: Sequence[Any], package: Arithmetic) -> dict[int, Any]:
    """The outputs of a program by their places."""
    values: dict[str, Any] = {}
    outputs: dict[int, Any] = {}
    for line in program.splitlines():
        if line.startswith("output "):
            _, place, _, value, _ = line.split(" ", 4)
            outputs[int(place.lstrip("abcdefghijklmnopqrstuvwxyz"))] = values[value]
        if not line.startswith("  "):
            continue
        name, _, words = line.strip().partition(" = ")
        op, *rest = words.split()
        if op == "const":
            values[name] = float(rest[0])
        elif op == "truth":
            values[name] = rest[0] == "true"
        elif op == "input":
            values[name] = inputs[int(rest[0].lstrip("abcdefghijklmnopqrstuvwxyz"))]
        elif op == "powi":
            values[name] = values[rest[0]] ** int(rest[1])
        elif op == "select":
            values[name] = package.select(*(values[word] for word in rest))
        elif op == "solve":
            matrix, rhs = ([values[word] for word in part] for part in _lists(words))
            values[name] = package.solve(int(rest[0]), matrix, rhs)
        elif op == "extract":
            values[name] = values[rest[0]][int(rest[1])]
        elif op in package.operations:
            values[name] = package.operations[op](*(values[word] for word in rest))
        else:
            raise ModelError(f"the operation `{op}` of the program cannot be replayed")
    return outputs


def _derivative(model: Model, package: Arithmetic, t: Any, x: Any, u: Any, p: Any) -> list[Any]:
    """dx/dt of symbols or arrays; p holds the independent parameters, u replaces the inputs."""
    layout = model._raw.program_layout()
    n = 1 + max(
        [layout["time"]]
        + [place for place, _ in layout["states"]]
        + [place for _, place, _ in layout["parameters"]]
        + [place for place, _ in layout["discretes"]]
    )
    inputs: list[Any] = [0.0] * n
    inputs[layout["time"]] = t
    for k, (place, _) in enumerate(layout["states"]):
        inputs[place] = x[k]
    for k, (name, place, _) in enumerate(layout["parameters"]):
        inputs[place] = u[model.inputs.index(name)] if name in model.inputs else p[k]
    for place, value in layout["discretes"]:
        inputs[place] = value
    outputs = replay(model.program, inputs, package)
    return [outputs[derivative] for _, derivative in layout["states"]]


class _Casadi:
    def __init__(self) -> None:
        import casadi

        self.casadi = casadi
        self.operations = _basic(
            casadi,
            abs=casadi.fabs,
            asin=casadi.asin,
            acos=casadi.acos,
            atan=casadi.atan,
            min=casadi.fmin,
            max=casadi.fmax,
            atan2=casadi.atan2,
            pow=lambda a, b: a**b,
            **{"and": casadi.logic_and, "or": casadi.logic_or, "not": casadi.logic_not},
        )

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return self.casadi.if_else(condition, a, b)

    def solve(self, n: int, matrix: Sequence[Any], rhs: Sequence[Any]) -> Sequence[Any]:
        sx = self.casadi.SX
        a = sx(n, n)
        for k, entry in enumerate(matrix):
            a[k // n, k % n] = entry
        b = sx(n, len(rhs) // n)
        for k, entry in enumerate(rhs):
            b[k % n, k // n] = entry
        x = self.casadi.solve(a, b)
        return [x[k % n, k // n] for k in range(len(rhs))]


class _Jax:
    def __init__(self) -> None:
        import jax.numpy as jnp

        self.jnp = jnp
        self.operations = _basic(
            jnp,
            abs=jnp.abs,
            asin=jnp.arcsin,
            acos=jnp.arccos,
            atan=jnp.arctan,
            min=jnp.minimum,
            max=jnp.maximum,
            atan2=jnp.arctan2,
            pow=jnp.power,
            **{"and": jnp.logical_and, "or": jnp.logical_or, "not": jnp.logical_not},
        )

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return self.jnp.where(condition, a, b)

    def solve(self, n: int, matrix: Sequence[Any], rhs: Sequence[Any]) -> Sequence[Any]:
        jnp = self.jnp
        a = jnp.stack([jnp.asarray(m, dtype=float) for m in matrix]).reshape(n, n)
        b = jnp.stack([jnp.asarray(r, dtype=float) for r in rhs]).reshape(-1, n).T
        x = jnp.linalg.solve(a, b).T.reshape(-1)
        return [x[k] for k in range(len(rhs))]


class _Sympy:
    def __init__(self) -> None:
        import sympy

        self.sympy = sympy
        alike = ("asin", "acos", "atan", "atan2", "sin", "cos", "tan", "sinh", "cosh", "tanh")
        self.operations = {
            **_plain(),
            **{name: getattr(sympy, name) for name in (*alike, "sqrt", "exp", "sign", "floor")},
            "abs": sympy.Abs,
            "ln": sympy.log,
            "min": sympy.Min,
            "max": sympy.Max,
            "pow": sympy.Pow,
            "lt": sympy.Lt,
            "le": sympy.Le,
            "eq": sympy.Eq,
            "ne": sympy.Ne,
            "and": sympy.And,
            "or": sympy.Or,
            "not": sympy.Not,
        }

    def select(self, condition: Any, a: Any, b: Any) -> Any:
        return self.sympy.Piecewise((a, condition), (b, True))

    def solve(self, n: int, matrix: Sequence[Any], rhs: Sequence[Any]) -> Sequence[Any]:
        a = self.sympy.Matrix(n, n, list(matrix))
        b = self.sympy.Matrix(len(rhs) // n, n, list(rhs)).T
        x = a.LUsolve(b)
        return [x[k % n, k // n] for k in range(len(rhs))]


@dataclass(frozen=True)
class SymbolicField:
    """dx/dt as SymPy expressions of symbols."""

    t: Any
    x: list[Any]
    u: list[Any]
    p: list[Any]
    rates: list[Any]


def sympy_field(model: Model) -> SymbolicField:
    """dx/dt as SymPy expressions; symbols have the names of states, inputs and parameters."""
    package = _Sympy()
    symbol = package.sympy.Symbol
    names = [name for name, _, _ in model._raw.program_layout()["parameters"]]
    t, x = symbol("t", real=True), [symbol(s.name, real=True) for s in model.states]
    u = [symbol(name, real=True) for name in model.inputs]
    p = [symbol(name, real=True) for name in names]
    return SymbolicField(t, x, u, p, _derivative(model, package, t, x, u, p))


def casadi_function(model: Model) -> Any:
    """f(t, x, u, p) -> dx/dt as a `casadi.Function` over `SX`."""
    package = _Casadi()
    sx = package.casadi.SX
    layout = model._raw.program_layout()
    names = [name for name, _, _ in layout["parameters"]]
    t, x = sx.sym("t"), sx.sym("x", len(layout["states"]))
    u, p = sx.sym("u", len(model.inputs)), sx.sym("p", len(names))
    rates = package.casadi.vertcat(*_derivative(model, package, t, x, u, p))
    return package.casadi.Function("f", [t, x, u, p], [rates], ["t", "x", "u", "p"], ["dx"])


def parameter_values(model: Model) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The values of the independent parameters in the order of p; NaN where there is none."""
    rows = model._raw.program_layout()["parameters"]
    return np.array([np.nan if value is None else value for _, _, value in rows], dtype=np.float64)


def jax_function(model: Model) -> Callable[..., Any]:
    """f(t, x, u=values, p=values) -> dx/dt in the operations of `jax.numpy`."""
    package = _Jax()
    values = parameter_values(model)
    known = model.parameters
    inputs = tuple(known[name].value for name in model.inputs)

    def f(t: Any, x: Any, u: Any = inputs, p: Any = values) -> Any:
        """dx/dt at a state."""
        return package.jnp.stack(
            [package.jnp.asarray(rate) for rate in _derivative(model, package, t, x, u, p)]
        )

    return f
