"""Right-hand side, linear equations and other answers."""

import time
from concurrent.futures import ThreadPoolExecutor

import cardan
import numpy as np
import pytest


def test_rhs_is_the_law_of_the_pendulum(pendulum: cardan.Model) -> None:
    x = np.array([0.3, 0.2])
    rate = pendulum.rhs(0.0, x)
    assert np.allclose(rate, [0.2, -9.81 * np.sin(0.3)])
    driven = pendulum.rhs(0.0, x, [4.0])
    assert np.allclose(driven - rate, [0, 4.0 / 2])
    assert np.array_equal(pendulum.rhs(0.0, x), rate)
    out = np.empty(2)
    assert pendulum.rhs(0.0, [0.3, 0.2], out=out) is out and np.array_equal(out, rate)


def test_threads_share_a_model(pendulum: cardan.Model) -> None:
    class Slow:
        """A vector whose conversion lets other threads in."""

        def __init__(self, numbers: list[float]) -> None:
            self.numbers = numbers

        def __array__(self, *_: object, **__: object) -> np.ndarray:
            time.sleep(1e-4)
            return np.array(self.numbers)

    def angle(k: int) -> float:
        return float(pendulum.rhs(0.0, Slow([0.0, float(k)]))[0])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(angle, range(200))) == [float(k) for k in range(200)]


@pytest.mark.parametrize(
    "x", [[0.1], [0.1, 0.2, 0.3], [[0.1]], [0.1, float("nan")], "ab", None, [1j, 0]]
)
def test_wrong_states_are_refused(pendulum: cardan.Model, x: object) -> None:
    for call in (pendulum.rhs, pendulum.jacobian, pendulum.mass_matrix):
        with pytest.raises(ValueError, match="x"):
            call(0.0, x)


def test_rhs_refuses_wrong_targets(pendulum: cardan.Model) -> None:
    fixed = np.zeros(2)
    fixed.flags.writeable = False
    for out in (np.zeros(3), fixed):
        with pytest.raises(ValueError, match="out"):
            pendulum.rhs(0.0, [0, 0], out=out)


def test_jacobian_and_mass(pendulum: cardan.Model) -> None:
    by_states, by_inputs = pendulum.jacobian(0.0, [0.3, 0.2])
    assert np.allclose(by_states, [[0, 1], [-9.81 * np.cos(0.3), 0]])
    assert np.allclose(by_inputs, [[0], [0.5]])
    assert np.allclose(pendulum.mass_matrix(0.0, [0.3, 0.2]), [[2]])
    forces, left = pendulum.inverse(0.0, [0.3, 0], [0])
    assert np.isclose(forces[0], 2 * 9.81 * np.sin(0.3)) and left < 1e-12
    with pytest.raises(KeyError):
        pendulum.inverse(0.0, [0.3, 0], [0], actuators=["psi"])


def test_linear_equations_and_modes(pendulum: cardan.Model) -> None:
    linear = pendulum.linearize(x=[0, 0])
    a, b, c, d = linear
    assert np.allclose(a, [[0, 1], [-9.81, 0]]) and np.allclose(b, [[0], [0.5]])
    assert c.shape == (1, 2) and d.shape == (1, 1)
    assert (linear.inputs, linear.outputs, linear.point) == (["T"], ["height"], "equilibrium")
    modes = pendulum.modes(x=[0, 0])
    assert np.isclose(modes[0].frequency, np.sqrt(9.81) / (2 * np.pi))
    found = pendulum.equilibrium()
    assert found.balanced and np.allclose(found.x, 0, atol=1e-9)


def test_python_control_takes_it(pendulum: cardan.Model) -> None:
    control = pytest.importorskip("control")
    linear = pendulum.linearize(x=[0, 0])
    assert np.allclose(control.ss(*linear).poles().imag.max(), np.sqrt(9.81))
    assert linear.to_control().input_labels == ["T"]


def test_the_model_verifies(pendulum: cardan.Model) -> None:
    checks = pendulum.verify(4)
    assert checks and all(check.finding != "fails" for check in checks)


def test_code_and_equations(pendulum: cardan.Model) -> None:
    files = pendulum.emit("c")
    assert any(name.endswith(".c") for name in files)
    with pytest.raises(KeyError, match="there are"):
        pendulum.emit("cobol")
    assert "\\" in pendulum.equations("latex")
    shown = pendulum.equations()._repr_html_()
    assert shown is not None and shown.startswith("<iframe sandbox")
    assert pendulum.program.startswith("program")


@pytest.mark.parametrize("package", ["casadi", "jax"])
def test_replay_agrees(pendulum: cardan.Model, package: str) -> None:
    pytest.importorskip(package)
    from cardan.replay import parameter_values

    x, u = [0.3, 0.2], [4.0]
    if package == "casadi":
        rate = pendulum.to_casadi()(0.0, x, u, parameter_values(pendulum)).full().ravel()
        assert np.allclose(rate, pendulum.rhs(0.0, x, u), rtol=1e-13)
    else:
        import jax

        jax.config.update("jax_enable_x64", True)
        assert np.allclose(pendulum.to_jax()(0.0, x, u), pendulum.rhs(0.0, x, u), rtol=1e-13)


def test_sympy_expressions(pendulum: cardan.Model) -> None:
    sympy = pytest.importorskip("sympy")
    field = pendulum.to_sympy()
    names = {str(symbol): symbol for symbol in [*field.x, *field.u, *field.p]}
    phi, length, mass, torque = (names[n] for n in ("phi", "L", "m", "T"))
    law = (torque - mass * 9.81 * length * sympy.sin(phi)) / (mass * length**2)
    point = {phi: 0.3, length: 1.5, mass: 2.0, torque: 4.0, field.x[1]: 0.2}
    assert abs((field.rates[1] - law).subs(point).evalf()) < 1e-12
