//! Bodies, joints, geoms and forces of MJCF against closed forms and against one another.

use crate::common;

use cardan_base::{Id, Sources};
use cardan_import::{ImportOptions, codes, import_mjcf};
use cardan_model::BodyId;
use common::{State, accelerations, assert_close, mjcf, recursive, total_mass, whole, world};

const BALL: &str = "<geom type='sphere' size='0.1' mass='2'/>";

/// The principal moments of a solid of revolution of unit density about its centre, by slices along z.
fn slices(half: f64, radius: impl Fn(f64) -> f64) -> [f64; 3] {
    let n = 200_000;
    let h = 2.0 * half / n as f64;
    let (mut mass, mut along, mut across) = (0.0, 0.0, 0.0);
    for k in 0..n {
        let z = -half + (k as f64 + 0.5) * h;
        let r2 = radius(z).powi(2);
        let m = std::f64::consts::PI * r2 * h;
        mass += m;
        along += m * r2 / 2.0;
        across += m * (r2 / 4.0 + z * z);
    }
    [mass, across, along]
}

#[test]
fn solids_weigh_what_their_slices_weigh() {
    let (r, l) = (0.3f64, 0.8f64);
    let capsule = |z: f64| {
        let beyond = (z.abs() - l / 2.0).max(0.0);
        (r * r - beyond * beyond).max(0.0).sqrt()
    };
    let cases = [
        ("type='sphere' size='0.3'", slices(r, |z| (r * r - z * z).sqrt())),
        ("type='capsule' size='0.3 0.4'", slices(l / 2.0 + r, capsule)),
        ("type='capsule' size='0.3' fromto='0 0 -0.4 0 0 0.4'", slices(l / 2.0 + r, capsule)),
        ("type='cylinder' size='0.3 0.4'", slices(l / 2.0, |_| r)),
        ("type='ellipsoid' size='0.3 0.3 0.5'", slices(0.5, |z| r * (1.0 - z * z / 0.25).sqrt())),
    ];
    for (geom, [mass, across, along]) in cases {
        let model = world(&format!("<body><freejoint/><geom {geom} density='1'/></body>"));
        let state = State::start(&model);
        let body = &model.bodies[BodyId::from_index(0)];
        let found = [body.mass, body.inertia[0][0], body.inertia[2][2]].map(|e| state.at(&model, e));
        assert_close(&found, &[mass, across, along], 1e-9, geom);
    }
    let model = world("<body><freejoint/><geom type='box' size='0.1 0.2 0.3' mass='6'/></body>");
    let body = &model.bodies[BodyId::from_index(0)];
    let found = [0, 1, 2].map(|i| State::start(&model).at(&model, body.inertia[i][i]));
    // Whole edges 0.2, 0.4, 0.6: m (b² + c²) / 12.
    assert_close(&found, &[0.26, 0.2, 0.1], 1e-15, "box");
}

/// Shells as differences of solids: the derivative of volume and moments by a growth of the surface by one thickness.
/// The numbers of the box and the capsule are also those of MuJoCo 3.3.
#[test]
fn shells_weigh_what_their_surface_weighs() {
    let solid = |size: [f64; 3], kind: &str, h: f64| -> [f64; 4] {
        let size = size.map(|s| if s > 0.0 { format!("{:.9}", s + h) } else { String::new() }).join(" ");
        moments(&format!("type='{kind}' size='{size}' density='1'"))
    };
    let cases = [("sphere", [0.3, 0.0, 0.0]), ("cylinder", [0.3, 0.4, 0.0]), ("box", [0.1, 0.2, 0.3])];
    let h = 1e-4;
    for (kind, size) in cases {
        let (outer, inner) = (solid(size, kind, h), solid(size, kind, -h));
        let expected: Vec<f64> = outer.iter().zip(inner).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let size = size.map(|s| if s > 0.0 { s.to_string() } else { String::new() }).join(" ");
        let found = moments(&format!("type='{kind}' size='{size}' density='1' shellinertia='true'"));
        assert_close(&found, &expected, 1e-6, kind);
    }
    let boxed = moments("type='box' size='0.1 0.2 0.3' density='1' shellinertia='true'");
    assert_close(&boxed, &[0.88, 0.054133333333, 0.042133333333, 0.0242666666667], 1e-11, "box");
    let capsule = moments("type='capsule' size='0.3 0.4' mass='1' shellinertia='true'");
    assert_close(
        &capsule,
        &[1.0, 0.2019047619047619, 0.2019047619047619, 0.0771428571428571],
        1e-14,
        "capsule",
    );
    let hollow = "<mujoco><worldbody><body><freejoint/><geom type='ellipsoid' size='1 2 3' shellinertia='true'/>\
                  </body></worldbody></mujoco>";
    let (model, _, said) = mjcf(hollow, &ImportOptions::default());
    assert!(model.is_none() && said.contains("an ellipsoidal shell"), "{said}");
}

/// Mass and principal moments of the body of one geom.
fn moments(geom: &str) -> [f64; 4] {
    let model = world(&format!("<body><freejoint/><geom {geom}/></body>"));
    let (state, body) = (State::start(&model), &model.bodies[BodyId::from_index(0)]);
    [body.mass, body.inertia[0][0], body.inertia[1][1], body.inertia[2][2]].map(|e| state.at(&model, e))
}

#[test]
fn ranges_of_forces_are_said_to_be_left_out() {
    let text = |more: &str| {
        format!(
            "<mujoco><worldbody><body><joint axis='0 0 1' actuatorfrcrange='-1 1' {more}/>{BALL}</body></worldbody></mujoco>"
        )
    };
    assert!(
        mjcf(&text(""), &ImportOptions::default())
            .2
            .contains("`actuatorfrcrange` of a joint is not enforced")
    );
    assert!(
        !mjcf(&text("actuatorfrclimited='false'"), &ImportOptions::default()).2.contains("actuatorfrcrange")
    );
}

#[test]
fn two_geoms_make_one_body() {
    // Two balls of 2 kg at ±0.5 along (3, 4, 0)/5: centre in the middle, J = 2 (2/5 m r²) + m d²/2 across.
    let model = world(
        "<body><joint axis='0 0 1'/><geom type='sphere' size='0.1' mass='2' pos='0.3 0.4 0'/>
         <geom type='sphere' size='0.1' mass='2' pos='-0.3 -0.4 0'/></body>",
    );
    let m = State::random(&model, 1).mass_matrix(&model, &recursive(&model));
    assert_close(&m[0], &[2.0 * 0.4 * 2.0 * 0.01 + 2.0 * 2.0 * 0.25], 1e-15, "about z");
    let body = &model.bodies[BodyId::from_index(0)];
    assert!(body.center.iter().all(|c| model.space.pool().is_zero(*c)), "the centre is exactly the origin");
}

/// Different ways to write the same place give the same motion.
#[test]
fn orientations_agree() {
    let arm = |orientation: &str| {
        world(&format!(
            "<body pos='0 0 1'><joint axis='0 1 0'/>{BALL}
             <body name='b' pos='0.3 0.1 0' {orientation}><joint name='j' axis='1 0 0' pos='0 0.2 0'/>
             <geom type='box' size='0.1 0.2 0.3' pos='0 0 0.4' mass='1'/></body></body>"
        ))
    };
    let at = |m: cardan_model::Model| accelerations(&m, &State::random(&m, 9));
    // atan2(3, 4) about z, so that sine and cosine are 0.6 and 0.8.
    let angle = 0.6f64.asin();
    let quat = format!("quat='{} 0 0 {}'", (angle / 2.0).cos(), (angle / 2.0).sin());
    let expected = at(arm(&quat));
    for orientation in [
        "quat='3 0 0 1'".to_string(),
        format!("axisangle='0 0 2 {angle}'"),
        format!("euler='0 0 {angle}'"),
        "xyaxes='4 3 0 0 1 0'".to_string(),
    ] {
        assert_close(&at(arm(&orientation)), &expected, 1e-12, &orientation);
    }
    let tilted = at(arm("zaxis='0 -3 4'"));
    assert_close(&tilted, &at(arm(&format!("euler='{angle} 0 0'"))), 1e-12, "zaxis");
    let sequence = |s: &str, angles: &str| {
        at(whole(&format!(
            "<mujoco><compiler angle='radian' eulerseq='{s}'/><worldbody><body euler='{angles}'><joint axis='1 2 2'/>
             <geom type='box' size='0.1 0.2 0.3' pos='0 0 0.4' mass='1'/></body></worldbody></mujoco>"
        )))
    };
    assert_close(
        &sequence("xyz", "0.1 0.2 0.3"),
        &sequence("ZYX", "0.3 0.2 0.1"),
        1e-13,
        "turned or fixed axes",
    );
}

#[test]
fn frames_move_what_is_in_them() {
    let inside = "<joint name='j' axis='1 2 2' pos='0.1 0 0'/><geom type='box' size='0.1 0.2 0.3' mass='1'/>";
    let nested = world(&format!(
        "<frame pos='1 0 0' euler='0.3 0 0'><body pos='0 0 1' euler='0 0.4 0'>
         <frame euler='0 0 0.5' pos='0 0.2 0'>{inside}</frame></body></frame>"
    ));
    // The frame inside the body as a body without joint.
    let bodies = world(&format!(
        "<body pos='1 0 0' euler='0.3 0 0'><body pos='0 0 1' euler='0 0.4 0'>
         <body euler='0 0 0.5' pos='0 0.2 0'>{inside}</body></body></body>"
    ));
    let at = |m| accelerations(m, &State::random(m, 4));
    assert_close(&at(&nested), &at(&bodies), 1e-13, "u'");
}

#[test]
fn classes_inherit_and_yield() {
    let model = whole(
        "<mujoco><default><joint damping='1' armature='0.5'/><default class='outer'><joint damping='2'/>
           <default class='inner'><joint stiffness='7'/></default></default></default>
         <worldbody><body childclass='outer'><joint name='a'/><geom size='0.1'/>
           <body><joint name='b' class='inner' damping='3'/><geom size='0.1'/>
             <body><joint name='c' class='main'/><geom size='0.1'/></body></body></body></worldbody></mujoco>",
    );
    let value = |name: &str| {
        let p = model.parameters.iter().find(|(_, p)| p.quantity.name == name)?.1;
        model.space.pool().as_number(p.default?).map(|r| r.to_f64())
    };
    assert_eq!(["a", "b", "c"].map(|j| value(&format!("{j}.damping"))), [Some(2.0), Some(3.0), Some(1.0)]);
    assert_eq!(["a", "b", "c"].map(|j| value(&format!("{j}.armature"))), [Some(0.5); 3]);
    assert_eq!(["a", "b", "c"].map(|j| value(&format!("{j}.stiffness"))), [None, Some(7.0), None]);
}

#[test]
fn springs_dampers_rotors_and_motors_act_on_their_joint() {
    let model = whole(
        "<mujoco><compiler angle='radian'/><worldbody><body>
           <joint name='j' axis='0 0 1' stiffness='3' springref='0.2' damping='0.5' armature='0.25' ref='0.1'/>
           <geom type='sphere' size='0.5' mass='10'/></body></worldbody>
         <actuator><motor name='m' joint='j' gear='4'/><position name='p' joint='j' kp='2' kv='0.3'/>
           <general name='g' joint='j' dyntype='filter' dynprm='0.5' gainprm='6'/></actuator></mujoco>",
    );
    let state = State::random(&model, 2).set(&model, "j.q", 0.7).set(&model, "j.u", -1.5);
    let state = state.set(&model, "m.ctrl", 0.8).set(&model, "p.ctrl", 0.4).set(&model, "g.act", -0.3);
    let effort = -3.0 * 0.5 + 0.5 * 1.5 + 4.0 * 0.8 + 2.0 * (0.4 - 0.7) + 0.3 * 1.5 - 6.0 * 0.3;
    assert_close(&accelerations(&model, &state), &[effort / (0.4 * 10.0 * 0.25 + 0.25)], 1e-14, "u'");
    let energy = recursive(&model).energy;
    assert_close(
        &[state.at(&model, energy.kinetic)],
        &[0.5 * 1.25 * 1.5 * 1.5],
        1e-14,
        "kinetic energy with the rotor",
    );
    assert_close(&[state.at(&model, energy.potentials[0].1)], &[1.5 * 0.25], 1e-14, "energy of the spring");
    let rate = model.states.iter().next().expect("the filter has a state").1.rate;
    let state = state.set(&model, "g.ctrl", 1.0);
    assert_close(&[state.at(&model, rate)], &[(1.0 + 0.3) / 0.5], 1e-14, "rate of the activation");
    assert_close(
        &[State::start(&model).at(&model, model.coordinates.iter().next().unwrap().1.symbol)],
        &[0.1],
        0.0,
        "ref",
    );
}

/// Shortcuts over a class of `general` actuators, as MuJoCo 3.3 compiles them: `position` keeps the bias of the rate, `velocity` takes the gain.
#[test]
fn shortcuts_change_what_a_class_says_of_general_actuators() {
    let body = |name: &str| {
        format!(
            "<body><joint name='{name}' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
        )
    };
    let model = whole(&format!(
        "<mujoco><option gravity='0 0 0'/><default><general gainprm='5' biastype='affine' biasprm='0 -3 -1'/></default>
         <worldbody>{}{}{}</worldbody>
         <actuator><motor name='m' joint='j'/><position name='p' joint='k' kp='4'/><velocity name='v' joint='l'/></actuator></mujoco>",
        body("j"), body("k"), body("l")
    ));
    let mut state = State::start(&model);
    for joint in ["j", "k", "l"] {
        state = state.set(&model, &format!("{joint}.q"), 0.7).set(&model, &format!("{joint}.u"), -1.5);
    }
    let state = state.set(&model, "m.ctrl", 0.2).set(&model, "p.ctrl", 0.3).set(&model, "v.ctrl", 0.4);
    let wanted = [0.2, 4.0 * (0.3 - 0.7) + 1.5, 5.0 * (0.4 + 1.5)];
    assert_close(&accelerations(&model, &state), &wanted, 1e-14, "u'");
}

#[test]
fn constraints_that_a_class_puts_out_of_action_are_left_out() {
    let text = "<mujoco><default><default class='off'><equality active='false'/></default></default>
         <worldbody><body><joint name='a' axis='0 1 0'/><geom size='0.1'/></body></worldbody>
         <equality><joint joint1='a' class='off'/></equality></mujoco>";
    let loops = ImportOptions { loops: true, ..ImportOptions::default() };
    for (text, n) in [(text.to_string(), 0), (text.replace("false", "true"), 1)] {
        let (model, _, said) = mjcf(&text, &loops);
        assert_eq!(model.unwrap_or_else(|| panic!("{said}")).constraints.len(), n);
    }
}

#[test]
fn rotors_on_every_kind_of_joint_agree_between_formalisms() {
    for joints in [
        "<joint axis='1 2 2' armature='0.3'/>",
        "<joint type='slide' axis='0 1 0' armature='0.3'/><joint axis='1 0 0' armature='0.2'/>",
        "<joint type='ball' armature='0.1' damping='0.2'/>",
        "<joint axis='0 0 1'/><joint axis='1 0 0' armature='2'/><joint axis='0 1 0'/>",
    ] {
        let geom = "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0.2 0'/>";
        let model = world(&format!("<body>{joints}{geom}<body pos='0.3 0 0'>{joints}{geom}</body></body>"));
        assert!(!model.rotors.is_empty());
        accelerations(&model, &State::random(&model, 8));
    }
}

#[test]
fn a_tendon_pulls_at_all_its_joints() {
    let model = whole(
        "<mujoco><option gravity='0 0 0'/><worldbody>
           <body><joint name='a' type='slide' axis='1 0 0'/><geom size='1' mass='2'/></body>
           <body><joint name='b' type='slide' axis='1 0 0'/><geom size='1' mass='4'/></body></worldbody>
         <tendon><fixed name='t' stiffness='5' damping='0.5'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/></fixed></tendon>
         <actuator><motor name='m' tendon='t' gear='2'/></actuator></mujoco>",
    );
    let state = State::start(&model).set(&model, "a.q", 0.3).set(&model, "b.q", 0.1).set(&model, "a.u", 1.0);
    let state = state.set(&model, "m.ctrl", 0.7);
    let force = -5.0 * (0.6 - 0.3) - 0.5 * 2.0 + 2.0 * 0.7;
    assert_close(&accelerations(&model, &state), &[2.0 * force / 2.0, -3.0 * force / 4.0], 1e-14, "u'");
}

#[test]
fn a_lifted_body_falls_by_the_rest_of_its_weight() {
    let model =
        world(&format!("<body gravcomp='0.75'><joint name='j' type='slide' axis='0 0 1'/>{BALL}</body>"));
    assert_close(&accelerations(&model, &State::start(&model)), &[-9.81 / 4.0], 1e-15, "u'");
}

#[test]
fn the_total_mass_can_be_set() {
    let bodies =
        "<body><joint/><geom size='0.1'/><body><joint/><geom type='capsule' size='0.1 0.3'/></body></body>";
    let model =
        whole(&format!("<mujoco><compiler settotalmass='14'/><worldbody>{bodies}</worldbody></mujoco>"));
    assert_close(&[total_mass(&model)], &[14.0], 1e-14, "total mass");
    let plain = whole(&format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>"));
    let at = |m| accelerations(m, &State::random(m, 6));
    assert_close(&at(&model), &at(&plain), 1e-12, "gravity alone does not feel the scale");
}

#[test]
fn a_free_body_starts_where_it_is_written() {
    let model = world(&format!("<body pos='1 2 3' quat='-1 2 3 4'><freejoint name='f'/>{BALL}</body>"));
    let state = State::start(&model);
    let q: Vec<f64> = model.coordinates.iter().map(|(_, q)| state.at(&model, q.symbol)).collect();
    let n = 30f64.sqrt();
    assert_close(&q, &[1.0, 2.0, 3.0, 1.0 / n, -2.0 / n, -3.0 / n, -4.0 / n], 1e-15, "start");
    assert_eq!(model.speeds.len(), 6);
}

/// In the pose as written every closed loop is closed.
#[test]
fn equalities_hold_in_the_pose_as_written() {
    let text =
        "<mujoco><compiler angle='radian'/><worldbody>
           <body name='a' pos='0.1 0.2 0.3' euler='0.1 0.2 0.3'><joint name='ja' axis='1 0 0' ref='0.4'/><geom size='0.1'/>
             <body name='b' pos='0.5 0 0' euler='0 0.6 0'><joint name='jb' axis='0 1 0' pos='0.1 0 0'/><geom size='0.1'/></body></body>
           <body name='c' pos='1 0 0' euler='0.7 0 0.1'><joint name='jc' type='slide' axis='0 0 1' ref='0.2'/><geom size='0.1'/></body>
         </worldbody>
         <equality><connect body1='b' body2='c' anchor='0.1 0.2 0.3'/><weld body1='c' body2='a' anchor='0 0.1 0'/>
           <connect body1='a' anchor='1 0 0'/><joint joint1='ja' joint2='jc' polycoef='0 2 1'/></equality></mujoco>";
    let (model, diagnostics, _) = mjcf(text, &ImportOptions::default());
    assert!(model.is_none() && diagnostics.iter().any(|d| d.code == codes::NOT_IMPORTED));
    let (model, _, said) = mjcf(text, &ImportOptions { loops: true, ..ImportOptions::default() });
    let model = model.unwrap_or_else(|| panic!("{said}"));
    let rows = |model: &cardan_model::Model| -> Vec<f64> {
        let state = State::start(model);
        let rows = model.constraints.iter().flat_map(|(_, c)| c.rows.iter().filter_map(|r| r.position));
        rows.map(|e| state.at(model, e)).collect()
    };
    assert_eq!(model.constraints.len(), 4);
    let found = rows(&model);
    assert_eq!(found.len(), 3 + 6 + 3 + 1);
    assert_close(&found, &vec![0.0; found.len()], 1e-14, "rows");
    let moved = State::start(&model).set(&model, "jb.q", 0.1);
    let first = model.constraints.iter().next().unwrap().1.rows[0].position.unwrap();
    assert!(moved.at(&model, first).abs() > 1e-3, "the row feels the joint");
    // (q_a - 0.4) = 2 x + x² with x = q_c - 0.2.
    let coupling = &model.constraints.iter().last().unwrap().1.rows[0];
    let moved = moved.set(&model, "jc.q", 0.5).set(&model, "ja.q", 0.4 + 0.6 + 0.09);
    assert_close(&[moved.at(&model, coupling.position.unwrap())], &[0.0], 1e-14, "coupling");
    let moved = moved.set(&model, "jc.u", 1.0).set(&model, "ja.u", 2.0 + 2.0 * 0.3);
    assert_close(&[moved.at(&model, coupling.velocity)], &[0.0], 1e-14, "rate of the coupling");
}

#[test]
fn included_files_come_from_the_caller() {
    let mut sources = Sources::new();
    let file = sources.add(
        "main.xml",
        "<mujoco><include file='parts/arm.xml'/><worldbody><include file='body.xml'/></worldbody></mujoco>",
    );
    let mut asked = vec![];
    let mut read = |path: &str| {
        asked.push(path.to_string());
        match path {
            "parts/arm.xml" => Some("<mujoco><default><geom density='500'/></default></mujoco>".to_string()),
            "body.xml" => Some(
                "<mujocoinclude><body><joint/><geom type='box' size='1 1 1'/></body></mujocoinclude>".into(),
            ),
            _ => None,
        }
    };
    let (model, _) = import_mjcf(file, &mut sources, &mut read, &ImportOptions::default());
    assert_close(&[total_mass(&model.unwrap())], &[4000.0], 1e-15, "mass");
    assert_eq!(asked, ["parts/arm.xml", "body.xml"]);

    let (model, diagnostics, _) =
        mjcf("<mujoco><include file='gone.xml'/></mujoco>", &ImportOptions::default());
    assert!(model.is_none() && diagnostics.iter().any(|d| d.code == codes::FILE));
    let file = sources.add("loop.xml", "<mujoco><include file='loop.xml'/></mujoco>");
    let mut read = |_: &str| Some("<mujoco><include file='loop.xml'/></mujoco>".to_string());
    let (model, diagnostics) = import_mjcf(file, &mut sources, &mut read, &ImportOptions::default());
    assert!(model.is_none() && diagnostics.iter().any(|d| d.code == codes::FILE));
}

#[test]
fn what_is_left_out_is_said() {
    let text = "<mujoco><option density='1.2'/><worldbody><geom type='plane' size='1 1 1'/>
        <body><joint name='j' stiffness='1 2'/><geom size='0.1'/><site name='s'/><wheel/></body>
        <body><joint name='f' type='free' align='true' frictionloss='1'/><geom size='0.1'/></body></worldbody>
        <tendon><spatial name='t' stiffness='3'><site site='s'/></spatial></tendon>
        <actuator><muscle name='m' joint='j'/><motor site='s'/></actuator><sensor/><mechanism/></mujoco>";
    let (model, diagnostics, said) = mjcf(text, &ImportOptions::default());
    assert!(model.is_some(), "{said}");
    for word in [
        "fluid",
        "contacts",
        "nonlinear part of `stiffness`",
        "dry friction of joint `f`",
        "keeps the frame",
        "spatial tendon",
        "actuator `m`",
        "`wheel`",
        "`sensor`",
        "`mechanism`",
    ] {
        assert!(said.contains(word), "{word} is not in\n{said}");
    }
    assert!(diagnostics.iter().all(|d| d.severity != cardan_base::Severity::Error));
    let (model, diagnostics, _) = mjcf(text, &ImportOptions { strict: true, ..ImportOptions::default() });
    assert!(model.is_none() && diagnostics.n_errors() >= 6);
}

#[test]
fn what_would_be_another_model_is_refused() {
    for (text, code) in [
        ("<body><joint/><geom type='mesh' mesh='m'/></body>", codes::NOT_IMPORTED),
        ("<body><replicate count='3'/></body>", codes::NOT_IMPORTED),
        ("<body><body><freejoint/></body></body>", codes::TREE),
        ("<body name='a'/><body name='a'/>", codes::DUPLICATE),
        ("<body><joint axis='0 0 0'/></body>", codes::DIRECTION),
        ("<body xyaxes='1 0 0 2 0 0'/>", codes::DIRECTION),
        ("<body><joint class='none'/></body>", codes::UNKNOWN_NAME),
        ("<body><geom type='box' size='1'/></body>", codes::VALUE),
        ("<body><joint type='hing'/></body>", codes::VALUE),
    ] {
        let text = format!("<mujoco><worldbody>{text}</worldbody></mujoco>");
        let (model, diagnostics, said) = mjcf(&text, &ImportOptions::default());
        assert!(model.is_none(), "{text}");
        assert!(diagnostics.iter().any(|d| d.code == code), "{text}\n{said}");
    }
}

/// A point of one body held to a point of another, by sites and by bodies; under constraints the pose as written is a guess.
#[test]
fn sites_are_places_of_their_bodies() {
    let text = |constraint: &str| {
        format!(
            "<mujoco><compiler angle='radian'/><worldbody><site name='g' pos='0 0 1'/>
             <body name='a'><joint name='ja' axis='0 1 0'/>{BALL}<frame pos='0 0.1 0'><site name='sa' pos='0.4 -0.1 0' euler='0 0 0.3'/></frame></body>
             <body name='w' pos='0.5 0 0.2'><freejoint name='wf'/>{BALL}<site name='sw' pos='0.1 0 0' euler='0 0.2 0'/></body></worldbody>
             <equality>{constraint}</equality></mujoco>"
        )
    };
    let rows = |constraint: &str| {
        let (model, _, said) =
            mjcf(&text(constraint), &ImportOptions { loops: true, ..ImportOptions::default() });
        let model = model.unwrap_or_else(|| panic!("{said}"));
        assert!(model.coordinates.iter().all(|(_, q)| q.given != cardan_model::Given::Exactly));
        let state = State::random(&model, 5);
        let rows = &model.constraints.iter().next().expect("one constraint").1.rows;
        rows.iter().map(|r| state.at(&model, r.position.expect("a position"))).collect::<Vec<f64>>()
    };
    assert_eq!(rows("<connect site1='sa' site2='sw'/>").len(), 3);
    assert_eq!(rows("<weld site1='sa' site2='sw'/>").len(), 6);
    assert_eq!(rows("<connect site1='g' site2='sw'/>").len(), 3);
    let (model, _, said) = mjcf(
        &text("<connect site1='sa' site2='no'/>"),
        &ImportOptions { loops: true, ..ImportOptions::default() },
    );
    assert!(model.is_none() && said.contains("no site is called `no`"), "{said}");
}

/// The gap between two sites is the difference of their places, computed here by hand.
#[test]
fn the_gap_between_sites_is_their_distance() {
    let text = format!(
        "<mujoco><compiler angle='radian'/><worldbody>
         <body name='a'><joint name='ja' axis='0 0 1'/>{BALL}<site name='sa' pos='0.4 0.1 0'/></body>
         <body name='b' pos='1 0 0'><joint name='jb' axis='0 0 1'/>{BALL}<site name='sb' pos='-0.3 0 0'/></body></worldbody>
         <equality><connect site1='sa' site2='sb'/></equality></mujoco>"
    );
    let (model, _, said) = mjcf(&text, &ImportOptions { loops: true, ..ImportOptions::default() });
    let model = model.unwrap_or_else(|| panic!("{said}"));
    let (qa, qb) = (0.3f64, -0.7f64);
    let state = State::start(&model).set(&model, "ja.q", qa).set(&model, "jb.q", qb);
    let rows = &model.constraints.iter().next().expect("one constraint").1.rows;
    let gap: Vec<f64> = rows.iter().map(|r| state.at(&model, r.position.expect("a position"))).collect();
    let a = [0.4 * qa.cos() - 0.1 * qa.sin(), 0.4 * qa.sin() + 0.1 * qa.cos()];
    let b = [1.0 - 0.3 * qb.cos(), -0.3 * qb.sin()];
    let size = (a[0] - b[0]).hypot(a[1] - b[1]);
    let found = gap.iter().map(|g| g * g).sum::<f64>().sqrt();
    assert_close(&[found], &[size], 1e-14, "gap");
}
