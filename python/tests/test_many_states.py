"""Functions at many states, copies that advance together, environments."""

from pathlib import Path
from typing import Any

import cardan
import numpy as np
import pytest

MODELS = Path(__file__).parents[2] / "models"
ARM = """
gravity = -9.81 [m/s^2] * N.z
input T [N*m] = 0 in -5 .. 5 [N*m]
parameter c = 0.3 [N*m*s/rad]
body upper on N by revolute(y, q = a) {
  mass = 2 [kg]; inertia = (0.05, 0.06, 0.02) [kg*m^2]; center = (0.3, 0, 0) [m]
}
body lower on upper by revolute(z, q = b) at (0.6, 0, 0) [m] {
  mass = 1 [kg]; inertia = (0.01, 0.03, 0.04) [kg*m^2]; center = (0.2, 0.05, 0) [m]
}
torque drag on lower from upper = -c * der(b) * upper.z
torque motor on upper = T * N.y
output reach = 0.6 [m] * cos(a) + T * 0.1 [1/N]
start { a = 0.3 [rad], b = 0.5 [rad] }
"""


@pytest.fixture
def arm() -> cardan.Model:
    return cardan.compile(ARM, "arm.mbs")


def test_rows_are_states(arm: cardan.Model) -> None:
    random = np.random.default_rng(1)
    x, t = random.standard_normal((21, 4)), random.standard_normal(21)
    u, a = random.standard_normal((21, 1)), random.standard_normal((21, 2))
    many = {
        "rhs": arm.rhs(t, x, u),
        "jacobian": arm.jacobian(t, x, u)[0],
        "mass": arm.mass_matrix(t, x),
        "inverse": arm.inverse_dynamics(t, x, a, u),
        "outputs": arm.outputs_at(t, x, u),
        "poses": arm.poses(t, x)["lower"],
        "coriolis": arm.coriolis(t, x),
        "point": arm.point_jacobian(t, x, "lower", (0.1, 0.2, 0.3)),
        "bias": arm.bias(t, x, u),
        "gravity": arm.gravity(t, x, u),
    }
    for k in range(21):
        one = {
            "rhs": arm.rhs(t[k], x[k], u[k]),
            "jacobian": arm.jacobian(t[k], x[k], u[k])[0],
            "mass": arm.mass_matrix(t[k], x[k]),
            "inverse": arm.inverse_dynamics(t[k], x[k], a[k], u[k]),
            "outputs": arm.outputs_at(t[k], x[k], u[k]),
            "poses": arm.poses(t[k], x[k])["lower"],
            "coriolis": arm.coriolis(t[k], x[k]),
            "point": arm.point_jacobian(t[k], x[k], "lower", (0.1, 0.2, 0.3)),
            "bias": arm.bias(t[k], x[k], u[k]),
            "gravity": arm.gravity(t[k], x[k], u[k]),
        }
        for name, found in one.items():
            assert np.allclose(many[name][k], found, rtol=1e-13, atol=1e-13), name


def test_results_come_into_arrays_of_the_caller(arm: cardan.Model) -> None:
    random = np.random.default_rng(2)
    x, u, a = random.standard_normal((5, 4)), random.standard_normal((5, 1)), np.ones(2)
    for rows in (x, x[0]):
        shape, inputs = rows.shape[:-1], u if rows is x else u[0]
        rates, mass = np.empty((*shape, 4)), np.empty((*shape, 2, 2))
        assert arm.rhs(0, rows, inputs, out=rates) is rates
        assert np.array_equal(rates, arm.rhs(0, rows, inputs))
        assert arm.mass_matrix(0, rows, out=mass) is mass
        assert np.array_equal(mass, arm.mass_matrix(0, rows))
        both = np.empty((*shape, 4, 5))
        by_x, by_u = arm.jacobian(0, rows, inputs, out=both)
        assert np.shares_memory(by_x, both) and np.shares_memory(by_u, both)
        for found, wanted in zip((by_x, by_u), arm.jacobian(0, rows, inputs), strict=True):
            assert np.array_equal(found, wanted)
    frozen = np.empty(4)
    frozen.setflags(write=False)
    wrong: list[Any] = [np.empty(3), np.empty((4, 1)), np.empty(8)[::2], frozen, [0.0] * 4]
    for out in (*wrong, np.empty(4, dtype=np.float32)):
        with pytest.raises(ValueError, match="out"):
            arm.rhs(0, x[0], out=out)
    # The state may be overwritten.
    state = x[0].copy()
    assert np.array_equal(arm.rhs(0, state, out=state), arm.rhs(0, x[0]))
    assert arm.inverse_dynamics(0, x, a, out=np.empty((5, 2))).shape == (5, 2)


def test_the_regressor_is_linear_or_refused() -> None:
    model = cardan.compile(
        """
gravity = -9.81 [m/s^2] * N.z
parameter m = 2 [kg], J = 0.3 [kg*m^2], L = 0.4 [m]
body rod on N by revolute(y, q = a) {
  mass = m; inertia = (0.1 [kg*m^2], J, 0.1 [kg*m^2]); center = (0, 0, -L)
}
"""
    )
    x, a = [0.7, -1.2], [2.5]
    y, rest = model.regressor(0, x, a, ["m", "J"])
    assert np.allclose(y, [[0.16 * 2.5 + 9.81 * 0.4 * np.sin(0.7), 2.5]], rtol=1e-13)
    assert np.allclose(y @ [2, 0.3] + rest, model.inverse_dynamics(0, x, a), rtol=1e-13)
    with pytest.raises(cardan.ModelError, match="not linear"):
        model.regressor(0, x, a, ["m", "L"])
    with pytest.raises(cardan.ModelError, match="independent parameter"):
        model.regressor(0, x, a, ["mass"])


def test_joint_space_terms_belong_together(arm: cardan.Model) -> None:
    x = np.array([0.3, -0.7, 0.9, 1.3])
    mass, bias, gravity = arm.mass_matrix(0, x), arm.bias(0, x), arm.gravity(0, x)
    wanted = np.array([0.4, -2.0])
    assert np.allclose(arm.inverse_dynamics(0, x, wanted), mass @ wanted + bias)
    drag = np.array([0, 0.3 * x[3]])
    assert np.allclose(arm.coriolis(0, x) @ x[2:] + gravity + drag, bias)
    # A free motion needs no motors.
    assert np.allclose(arm.inverse_dynamics(0, x, arm.rhs(0, x)[2:]), 0, atol=1e-12)
    point, h = [0.2, 0.1, -0.3], 1e-6

    def place(x: np.ndarray) -> np.ndarray:
        pose = arm.poses(0, x)["lower"]
        return pose[:, :3] @ point + pose[:, 3]

    jacobian = arm.point_jacobian(0, x, "lower", point)
    for k in range(2):
        step = h * np.eye(4)[k]
        assert np.allclose((place(x + step) - place(x - step)) / (2 * h), jacobian[:3, k])
    with pytest.raises(KeyError, match="is `lower` meant"):
        arm.point_jacobian(0, x, "lowr")


@pytest.mark.parametrize(
    ("t", "u"), [([0.0, 1.0], None), (0.0, [[1.0], [2.0]]), (0.0, [1.0, 2.0]), ("a", None)]
)
def test_wrong_shapes_of_many(arm: cardan.Model, t: object, u: object) -> None:
    with pytest.raises(ValueError, match="shape"):
        arm.rhs(t, np.zeros((3, 4)), u)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        arm.rhs(0.0, np.zeros((3, 5)))
    with pytest.raises(ValueError, match="finite"):
        arm.rhs(0.0, np.full((3, 4), np.nan))


def test_copies_advance_as_the_run_does(arm: cardan.Model) -> None:
    stepper, start = arm.stepper(), arm.start()
    n = 37
    x, t = np.tile(start, (n, 1)), np.zeros(n)
    u = np.linspace(-1, 1, n)[:, None]
    stepper.advance(t, x, u, step=1e-3, steps=500)
    assert np.allclose(t, 0.5)
    for k in (0, 18, 36):
        exact = arm.set(T=float(u[k, 0])).run(to=0.5, every=0.5)
        assert np.allclose(x[k], [exact[s.name][-1] for s in arm.states], atol=1e-9)
    with pytest.raises(ValueError, match="shapes"):
        stepper.advance(t, np.zeros((n, 3)), u, step=1e-3)
    with pytest.raises(ValueError, match="step"):
        stepper.advance(t, x, u, step=-1.0)
    bouncing = cardan.compile("""
        particle ball on N by translate(z = z) { mass = 1 [kg] }
        when z < 0 [m] { der(z) := -der(z) }
    """)
    with pytest.raises(cardan.ModelError, match="events"):
        bouncing.stepper()


def test_environments(arm: cardan.Model) -> None:
    pytest.importorskip("gymnasium")
    from cardan.gym import Environment, VectorEnvironment
    from gymnasium.utils.env_checker import check_env

    task = {
        "reward": lambda t, x, u: -x[:, 0] ** 2 - 0.01 * u[:, 0] ** 2,
        "ended": lambda t, x: np.abs(x[:, 0]) > 3,
        "step": 0.05,
        "spread": 0.1,
        "horizon": 0.5,
    }
    one = Environment(arm, **task)
    check_env(one, skip_render_check=True)
    assert one.action_space.low == -5 and one.action_space.high == 5
    many = VectorEnvironment(arm, 5, substeps=50, **task)
    seen, _ = many.reset(seed=3)
    assert seen.shape == (5, 4)
    # One copy from the same start, by the integrator with steps of its own.
    one.reset(seed=0)
    one._session.state = seen[2]
    action = np.array([1.5])
    for k in range(10):
        seen, rewards, ended, late, _ = many.step(np.tile(action, (5, 1)))
        x, reward, _, truncated, _ = one.step(action)
        assert np.allclose(seen[2], x, atol=1e-7) and np.isclose(rewards[2], reward, atol=1e-7)
        assert late.all() == truncated == (k == 9)
    # The next step begins anew.
    _, rewards, ended, late, _ = many.step(np.tile(action, (5, 1)))
    assert not rewards.any() and not late.any() and not ended.any()
    with pytest.raises(ValueError, match="no inputs"):
        Environment(cardan.load(MODELS / "pendulum.mbs"), reward=task["reward"])
