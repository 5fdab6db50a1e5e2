//! What `compiler` makes of mass properties, springs of balls and free bodies, and limits and rotors on their way to text and back. Figures beside
//! bounds are MuJoCo's (4.0, `body_mass`, `body_inertia`, `body_ipos` of the same texts).

#![allow(non_snake_case, reason = "tensors and potentials are written in capitals")]
#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_lang::{compile_text, write};
use cardan_model::Model;
use common::{State, accelerations, assert_close, robot, whole, world};

/// Mass, mass centre and principal moments, which have the body's axes, of a body on an arm, under settings of the compiler.
fn body(compiler: &str, content: &str) -> [f64; 7] {
    let model = whole(&format!(
        "<mujoco><compiler {compiler}/><worldbody><body name='a'><joint axis='0 0 1'/><geom size='.1'/>
           <body name='b' pos='1 0 0'><joint axis='1 0 0'/>{content}</body></body></worldbody></mujoco>"
    ));
    let (_, body) = model.bodies.iter().find(|(_, b)| b.name == "b").unwrap();
    let state = State::start(&model);
    let at = |e| state.at(&model, e);
    let [c, i] = [body.center.map(at), [0, 1, 2].map(|k| at(body.inertia[k][k]))];
    [at(body.mass), c[0], c[1], c[2], i[0], i[1], i[2]]
}

#[test]
fn least_masses_and_moments_are_those_of_mujoco() {
    let light = "<inertial pos='0 0 .1' mass='.1' diaginertia='.001 .02 .02'/>";
    let flat = "<inertial pos='0 0 .1' mass='.1' diaginertia='.001 .02 .05'/>";
    let bounds = "boundmass='0.5' boundinertia='0.01'";
    for (compiler, content, expected) in [
        (bounds, light, [0.5, 0.0, 0.0, 0.1, 0.01, 0.02, 0.02]),
        (bounds, "", [0.5, 1.0, 0.0, 0.0, 0.01, 0.01, 0.01]),
        (bounds, "<geom size='.2' mass='0' pos='0 .5 0'/>", [0.5, 1.0, 0.0, 0.0, 0.01, 0.01, 0.01]),
        ("balanceinertia='true'", flat, [0.1, 0.0, 0.0, 0.1, 0.071 / 3.0, 0.071 / 3.0, 0.071 / 3.0]),
        ("balanceinertia='true' boundinertia='0.035'", flat, [0.1, 0.0, 0.0, 0.1, 0.035, 0.035, 0.05]),
        ("inertiafromgeom='true'", light, [0.1, 0.0, 0.0, 0.1, 0.001, 0.02, 0.02]),
        (
            "inertiafromgeom='true'",
            &format!("{light}<geom size='.2' mass='0'/>"),
            [0.1, 0.0, 0.0, 0.1, 0.001, 0.02, 0.02],
        ),
    ] {
        assert_close(&body(compiler, content), &expected, 1e-15, compiler);
    }
    let total = body("balanceinertia='true' boundmass='0.5' settotalmass='10'", flat);
    assert_close(&[total[0], total[4]], &[1.066373149, 0.050475], 1e-6, "scaled after it is bounded");
}

/// Full tensors are bounded along their principal axes, which stay.
#[test]
fn a_full_tensor_is_bounded_along_its_axes() {
    let model = whole(
        "<mujoco><compiler boundinertia='0.015'/><worldbody><body name='b'><joint/>
           <inertial pos='0 0 0' mass='.1' fullinertia='.01 .02 .02 .004 0 0'/></body></worldbody></mujoco>",
    );
    let (_, b) = model.bodies.iter().next().unwrap();
    let I = b.inertia.map(|row| row.map(|e| State::start(&model).at(&model, e)));
    // MuJoCo: moments 0.02140312, 0.02, 0.015. Trace and determinant of the upper block tell them.
    let high = 0.015 + (0.005f64.powi(2) + 0.004f64.powi(2)).sqrt();
    assert_close(&[I[0][0] + I[1][1], I[2][2]], &[high + 0.015, 0.02], 1e-14, "moments");
    assert_close(&[I[0][0] * I[1][1] - I[0][1] * I[0][1]], &[high * 0.015], 1e-14, "determinant");
    // The axis of the largest moment stays: (I - high) v = 0 for v of the tensor as written.
    let v = [0.004, high - 0.01];
    assert_close(&[I[0][0] * v[0] + I[0][1] * v[1]], &[high * v[0]], 1e-14, "axis");
}

/// A ball on a spring is pushed back by k θ about its axis, wherever it is, and the work is that of k θ²/2.
#[test]
fn a_ball_is_turned_back_by_its_angle() {
    let text = "<body name='b'><joint name='j' type='ball' stiffness='3'/><geom type='sphere' size='0.5' mass='10'/></body>";
    let model = whole(&format!("<mujoco><option gravity='0 0 0'/><worldbody>{text}</worldbody></mujoco>"));
    let axis = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];
    for angle in [0.0, 1e-12, 1e-3, 1.0, 2.5, -2.5, 3.1, 4.0] {
        let (s, c) = f64::sin_cos(angle / 2.0);
        let mut state = State::start(&model).set(&model, "j.e0", c);
        for (k, a) in axis.iter().enumerate() {
            state = state.set(&model, &format!("j.e{}", k + 1), s * a);
        }
        // Turns beyond half a turn are shorter the other way round.
        let short = if angle > std::f64::consts::PI { angle - std::f64::consts::TAU } else { angle };
        let expected = axis.map(|a| -3.0 * short * a);
        assert_close(&accelerations(&model, &state), &expected, 1e-14, &format!("{angle}"));
        let (_, load) = model.loads.iter().next().unwrap();
        let V = state.at(&model, load.potential.unwrap());
        assert_close(&[V], &[1.5 * short * short], 1e-14, "potential");
    }
}

/// At the pose as written a free body on a spring rests, and a shift or a turn from there is felt.
#[test]
fn a_free_body_is_pulled_back_to_where_it_is_written() {
    let model = whole(
        "<mujoco><option gravity='0 0 0'/><worldbody><body name='b' pos='1 2 3' euler='30 40 50'>
           <joint name='f' type='free' stiffness='2'/><geom type='sphere' size='0.5' mass='10'/></body></worldbody></mujoco>",
    );
    let start = State::start(&model);
    assert_close(&accelerations(&model, &start), &[0.0; 6], 1e-14, "rest");
    let shifted = accelerations(&model, &State::start(&model).set(&model, "f.x", 1.5));
    assert_close(&[shifted[..3].iter().map(|a| a * a).sum::<f64>().sqrt()], &[0.1], 1e-14, "pull");
    assert_close(&shifted[3..], &[0.0; 3], 1e-14, "no turn");
}

/// The model, its text and the model from that.
fn returns(model: &Model) -> (String, Model) {
    let written = write(model);
    // The energy of a ball's spring is no property of an element; its torque is kept.
    let lost: Vec<&String> = written.left_out.iter().filter(|l| !l.contains("`j.spring.turning`")).collect();
    assert!(lost.is_empty(), "{lost:?}\n{}", written.text);
    let compiled = compile_text("written.mbs", &written.text);
    let again = compiled.model.unwrap_or_else(|| panic!("{:?}\n{}", compiled.diagnostics, written.text));
    for seed in 1..4 {
        let before = accelerations(model, &State::random(model, seed));
        let after = accelerations(&again, &State::random(&again, seed));
        assert_close(&before, &after, 1e-10, &written.text);
    }
    assert_eq!(again.rotors.len(), model.rotors.len(), "{}", written.text);
    assert_eq!(again.limits.len(), model.limits.len(), "{}", written.text);
    for (a, b) in model.limits.iter().zip(&again.limits) {
        for (x, y) in [(a.lower, b.lower), (a.upper, b.upper), (a.speed, b.speed), (a.effort, b.effort)] {
            let value = |m: &Model, e: Option<_>| e.map(|e| State::start(m).at(m, e));
            let (x, y) = (value(model, x), value(&again, y));
            assert!(x == y || (x.unwrap() - y.unwrap()).abs() < 1e-14, "{x:?} {y:?} {}", written.text);
        }
    }
    (written.text, again)
}

#[test]
fn rotors_limits_and_springs_return_from_their_text() {
    let geom = "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0.2 0' mass='1'/>";
    let joints = "<joint name='s' type='slide' axis='0 1 0' armature='0.3' range='-0.1 0.2' limited='true'/>
        <joint name='h' axis='1 0 0' pos='0 0.1 0' armature='0.2' range='-90 120' damping='0.1' stiffness='2' springref='10'/>";
    let (text, _) = returns(&whole(&format!(
        "<mujoco><worldbody><body name='b'>{joints}{geom}</body></worldbody></mujoco>"
    )));
    assert!(text.contains("limit = -90 [deg] .. 120 [deg]"), "{text}");
    assert!(text.contains("armature = "), "{text}");
    let ball = "<joint name='j' type='ball' armature='0.1' damping='0.2' stiffness='4'/>";
    let (text, _) = returns(&world(&format!("<body name='b'>{ball}{geom}</body>")));
    assert!(text.contains("armature = ("), "{text}");
    let link = "<inertial><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0' ixz='0' iyz='0'/></inertial>";
    let (text, _) = returns(&robot(&format!(
        "<robot name='r'><link name='base'/><link name='a'>{link}</link>
         <joint name='j' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/>
           <limit lower='-0.5' upper='0.25' effort='7' velocity='3'/></joint></robot>"
    )));
    assert!(
        text.contains("limit ") && text.contains("effort = 7 [N*m]") && text.contains("speed = 3"),
        "{text}"
    );
}
