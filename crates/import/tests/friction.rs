//! Dry friction of imported joints holds them, lets them go and takes the energy that it should.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_compile::choose;
use cardan_import::ImportOptions;
use cardan_jit::EngineKind;
use cardan_lang::{compile_text, write};
use cardan_model::Model;
use cardan_sim::{Settings, Simulation, Trajectory};
use common::{State, accelerations, assert_close, mjcf, robot, world};

/// A flywheel of 0.5 kg m² with a brake of 2 N m.
const WHEEL: &str = "<robot name='wheel'><link name='base'/><link name='disc'><inertial><mass value='1'/>
    <inertia ixx='0.5' iyy='0.5' izz='0.5'/></inertial></link>
    <joint name='pin' type='continuous'><parent link='base'/><child link='disc'/><axis xyz='0 0 1'/>
    <dynamics damping='0' friction='2'/></joint></robot>";

fn run(model: &Model, starts: &[(&str, f64)], to: f64) -> Trajectory {
    let mut model = model.clone();
    starts.iter().for_each(|(name, x)| model.set_value(name, *x, None).unwrap());
    let choice = choose(&model, None).unwrap();
    let simulation = Simulation::of(&choice, EngineKind::Native, Default::default()).unwrap();
    let settings = Settings { to, every: Some(to / 50.0), ..Settings::default() };
    let found = simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(found.reached, to, "{}", found.reason);
    found
}

fn column(found: &Trajectory, name: &str) -> Vec<f64> {
    let k = found.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("{name}"));
    found.rows.iter().map(|row| row[k]).collect()
}

#[test]
fn a_wheel_stops_when_its_energy_is_spent() {
    // u = u0 - F t / J until t = J u0 / F = 0.75 s; the angle is then J u0² / 2 F.
    let model = robot(WHEEL);
    let found = run(&model, &[("pin.u", 3.0)], 2.0);
    for (row, u) in found.rows.iter().zip(column(&found, "pin.u")) {
        assert!((u - (3.0 - 4.0 * row[0]).max(0.0)).abs() < 1e-7, "{u} at t = {}", row[0]);
    }
    let (q, work) = (column(&found, "pin.q"), column(&found, "work.pin.dry"));
    assert!((q[q.len() - 1] - 1.125).abs() < 1e-7, "{q:?}");
    assert!((work[work.len() - 1] + 0.5 * 0.5 * 9.0).abs() < 1e-7, "{work:?}");
}

/// A bar of 2 kg with its centre 0.5 m from a pin, held by 5 N m: it swings down from the side and stops where friction holds it.
#[test]
fn a_bar_comes_to_rest_where_friction_holds_it() {
    let model = world(
        "<body name='bar'><joint name='pin' axis='0 1 0' frictionloss='5'/>
         <inertial pos='0.5 0 0' mass='2' diaginertia='0.01 0.1 0.1'/></body>",
    );
    let found = run(&model, &[], 5.0);
    let (q, u) = (column(&found, "pin.q"), column(&found, "pin.u"));
    let (q, u) = (q[q.len() - 1], u[u.len() - 1]);
    assert!(u.abs() < 1e-9 && (2.0 * 9.81 * 0.5 * q.cos()).abs() <= 5.0, "{q} {u}");
    // All that it fell is spent, by 5 N m along the whole way there and back.
    let work = column(&found, "work.pin.dry");
    let fallen = 2.0 * 9.81 * 0.5 * q.sin();
    assert!((work[work.len() - 1] + fallen).abs() < 1e-6, "{work:?} {fallen}");
    // Held from the start on, it does not move.
    let held = run(&model, &[("pin.q", 1.3)], 1.0);
    assert!(column(&held, "pin.q").iter().all(|q| (q - 1.3).abs() < 1e-12));
}

#[test]
fn every_joint_of_a_chain_may_stick() {
    let link = |inner: &str, name: &str, axis: &str| {
        format!(
            "<body name='{name}' pos='0.2 0 0'><joint name='j{name}' axis='{axis}' frictionloss='3' damping='0.1'/>
             <inertial pos='0.1 0 0' mass='0.5' diaginertia='0.001 0.002 0.002'/>{inner}</body>"
        )
    };
    let c = link("", "c", "0 1 0");
    let b = link(&c, "b", "0 0 1");
    let model = world(&link(&b, "a", "0 1 0"));
    let found = run(&model, &[("ja.u", 4.0), ("jb.u", -6.0), ("jc.u", 8.0)], 3.0);
    for joint in ["ja", "jb", "jc"] {
        let u = column(&found, &format!("{joint}.u"));
        assert!(u[u.len() - 1].abs() < 1e-9, "{joint}: {u:?}");
    }
    let residual = column(&found, "energy.residual");
    assert!(residual.iter().all(|r| r.abs() < 1e-6), "{residual:?}");
}

#[test]
fn friction_returns_from_text() {
    let written = write(&robot(WHEEL));
    assert_eq!(written.left_out, [""; 0]);
    let again = compile_text("wheel.mbs", &written.text).model.unwrap_or_else(|| panic!("{}", written.text));
    let speed = again.speeds.iter().map(|(_, u)| u.quantity.name.as_str()).next().unwrap();
    let coordinate = again.coordinates.iter().map(|(_, q)| q.quantity.name.as_str()).next().unwrap();
    let q = column(&run(&again, &[(speed, 3.0)], 2.0), coordinate);
    assert!((q[q.len() - 1] - 1.125).abs() < 1e-7, "{q:?}\n{}", written.text);
}

#[test]
fn a_flag_switches_it_off() {
    for flag in ["frictionloss", "constraint"] {
        let text = format!(
            "<mujoco><option gravity='0 0 0'><flag {flag}='disable'/></option><worldbody><body>
             <joint name='j' frictionloss='5'/><geom size='0.1'/></body></worldbody></mujoco>"
        );
        let (model, _, said) = mjcf(&text, &ImportOptions::default());
        let model = model.unwrap_or_else(|| panic!("{said}"));
        assert_eq!(model.loads.len(), 0);
    }
}

/// Time constant 0.2 s and damping ratio 0.7 of a joint alone: q'' = -(1/(T ζ))² q - 2/T q', whatever its inertia.
#[test]
fn springs_settle_in_the_time_that_they_are_given() {
    let (time, ratio) = (0.2f64, 0.7f64);
    let expected = |q: f64, u: f64| -q / (time * ratio).powi(2) - 2.0 / time * u;
    let model = world(
        "<body gravcomp='1'><joint name='j' axis='0 0 1' springdamper='0.2 0.7' stiffness='99' damping='9' armature='0.3'/>
         <inertial pos='0.5 0 0' mass='2' diaginertia='0.01 0.1 0.1'/></body>",
    );
    let state = State::start(&model).set(&model, "j.q", 0.3).set(&model, "j.u", -2.0);
    assert_close(&accelerations(&model, &state), &[expected(0.3, -2.0)], 1e-10, "u'");
    // In a chain the others rest: M⁻¹ has the diagonal 1/J of what the joint feels in the pose as written.
    let model = world(
        "<body gravcomp='1'><joint name='a' axis='0 0 1' springdamper='0.2 0.7'/><geom type='box' size='0.2 0.1 0.1' mass='2'/>
         <body gravcomp='1' pos='0.4 0 0'><joint name='b' axis='0 0 1' springdamper='0.5 1'/>
         <geom type='box' size='0.2 0.1 0.1' mass='1' pos='0.2 0 0'/></body></body>",
    );
    let m = State::start(&model).mass_matrix(&model, &common::recursive(&model));
    let det = m[0][0] * m[1][1] - m[1][0] * m[1][0];
    let [felt_a, felt_b] = [det / m[1][1], det / m[0][0]];
    let value = |name: &str| {
        let (_, p) = model.parameters.iter().find(|(_, p)| p.quantity.name == name).unwrap();
        State::start(&model).at(&model, p.symbol)
    };
    let found = ["a.stiffness", "a.damping", "b.stiffness", "b.damping"].map(value);
    let wanted = [felt_a / (time * ratio).powi(2), 2.0 * felt_a / time, felt_b / 0.25, 2.0 * felt_b / 0.5];
    assert_close(&found, &wanted, 1e-12, "stiffness and damping");
    // A ball that is alike about all axes is a joint alone.
    let model = world(
        "<body gravcomp='1'><joint name='j' type='ball' springdamper='0.2 0.7'/><geom type='sphere' size='0.1' mass='3'/></body>",
    );
    let state = State::start(&model).set(&model, "j.wy", -2.0);
    assert_close(&accelerations(&model, &state), &[0.0, expected(0.0, -2.0), 0.0], 1e-10, "ball");
}
