//! Links and joints of every kind against closed forms and against one another.

use crate::common;

use cardan_base::Severity;
use cardan_import::{ImportOptions, codes};
use common::{State, accelerations, assert_close, folder, recursive, robot, total_mass, urdf};

const INERTIAL: &str = "<inertial><mass value='2'/><inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.01' ixz='-0.02' iyz='0.03'/></inertial>";

fn two_links(joint: &str, inertial: &str) -> String {
    format!(
        "<robot name='r'><link name='base'/><link name='arm'>{inertial}</link>
         <joint name='j' {joint} <parent link='base'/><child link='arm'/></joint></robot>"
    )
}

#[test]
fn a_pendulum_swings_as_it_should() {
    // A point mass of 2 kg at 0.5 m below the pin, with a damper: u' = -g/l sin q - c/(m l²) u.
    let model = robot(
        "<robot name='pendulum'>
           <link name='base'/>
           <link name='rod'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/><inertia ixx='0' iyy='0' izz='0'/></inertial></link>
           <joint name='pin' type='continuous'>
             <parent link='base'/><child link='rod'/><axis xyz='0 -2 0'/><dynamics damping='0.25'/>
           </joint>
         </robot>",
    );
    assert_eq!(model.name, "pendulum");
    let state = State::start(&model).set(&model, "pin.q", 0.3).set(&model, "pin.u", -2.0);
    let expected = -9.81 / 0.5 * 0.3f64.sin() + 0.25 / (2.0 * 0.25) * 2.0;
    assert_close(&accelerations(&model, &state), &[expected], 1e-14, "u'");
    let energy = recursive(&model).energy;
    assert_close(&[state.at(&model, energy.powers[0].1)], &[-0.25 * 4.0], 1e-14, "power of the damper");
    let names: Vec<&str> = model.parameters.iter().map(|(_, p)| p.quantity.name.as_str()).collect();
    assert_eq!(names, ["gravity.z", "rod.mass", "rod.cz", "pin.damping"]);
}

#[test]
fn numbers_instead_of_parameters_give_the_same_motion() {
    let text = two_links("type='revolute'><axis xyz='1 2 2'/><dynamics damping='0.1'/>", INERTIAL);
    let (numeric, _, _) = urdf(&text, &ImportOptions { numeric: true, ..ImportOptions::default() });
    let (numeric, named) = (numeric.unwrap(), robot(&text));
    assert_eq!(numeric.parameters.len(), 0);
    assert!(named.parameters.len() > 5);
    let at = |m| accelerations(m, &State::random(m, 7));
    assert_close(&at(&numeric), &at(&named), 1e-12, "u'");
}

#[test]
fn the_axes_of_an_inertial_turn_its_tensor() {
    // A turn by atan(3/4) about z, tensor diag(1, 2, 3): moments about x, y and the product by hand.
    let (s, c) = (0.6, 0.8);
    let turned = "<inertial><origin rpy='0 0 0.643501108793284386803'/><mass value='1'/>
                  <inertia ixx='1' iyy='2' izz='2.5'/></inertial>";
    let axes = [("1 0 0", c * c + 2.0 * s * s), ("0 1 0", s * s + 2.0 * c * c), ("0 0 1", 2.5)];
    for (axis, expected) in axes {
        let model = robot(&two_links(&format!("type='revolute'><axis xyz='{axis}'/>"), turned));
        let state = State::random(&model, 3);
        assert_close(&state.mass_matrix(&model, &recursive(&model))[0], &[expected], 1e-14, axis);
    }
    let diagonal = "type='revolute'><axis xyz='1 1 0'/>";
    let model = robot(&two_links(diagonal, turned));
    // n·I n with n = (1, 1, 0)/√2 and Ixy = (1 - 2) s c.
    let expected = 0.5 * (3.0 + 2.0 * (1.0 - 2.0) * s * c);
    assert_close(
        &State::start(&model).mass_matrix(&model, &recursive(&model))[0],
        &[expected],
        1e-14,
        "1 1 0",
    );
}

#[test]
fn joints_have_their_degrees_of_freedom() {
    for (kind, n_q, n_u) in [
        ("revolute", 1, 1),
        ("continuous", 1, 1),
        ("prismatic", 1, 1),
        ("fixed", 0, 0),
        ("floating", 7, 6),
        ("planar", 3, 3),
    ] {
        let text = two_links(&format!("type='{kind}'><origin xyz='1 2 3' rpy='0.1 0.2 0.3'/>"), INERTIAL);
        let model = robot(&text);
        assert_eq!((model.coordinates.len(), model.speeds.len()), (n_q, n_u), "{kind}");
        accelerations(&model, &State::random(&model, 11));
        let (free, _, _) = urdf(&text, &ImportOptions { free_base: true, ..ImportOptions::default() });
        assert_eq!(free.unwrap().speeds.len(), n_u + 6, "{kind} on a free base");
    }
}

#[test]
fn a_planar_joint_moves_normal_to_its_axis() {
    // Whatever the plane, a body that slides freely on it has its mass twice and its moment about the normal.
    for axis in ["0 0 1", "0 1 0", "2 0 0", "1 2 2", "12 3 4"] {
        let model = robot(&two_links(&format!("type='planar'><axis xyz='{axis}'/>"), INERTIAL));
        let m = State::start(&model).mass_matrix(&model, &recursive(&model));
        assert_close(&[m[0][0], m[1][1], m[0][1], m[0][2], m[1][2]], &[2.0, 2.0, 0.0, 0.0, 0.0], 1e-14, axis);
    }
}

fn sliders(first: &str, second: &str) -> String {
    format!(
        "<robot name='r'><link name='base'/><link name='a'>{INERTIAL}</link><link name='b'>{INERTIAL}</link>
         <joint name='ja' type='prismatic'><parent link='base'/><child link='a'/>{first}</joint>
         <joint name='jb' type='prismatic'><parent link='base'/><child link='b'/>{second}</joint></robot>"
    )
}

#[test]
fn a_follower_adds_its_mass_by_the_square_of_the_ratio() {
    let text = sliders("<mimic joint='jb' multiplier='-3' offset='0.5'/>", "<dynamics damping='2'/>");
    let model = robot(&text);
    assert_eq!(model.speeds.len(), 1);
    let state = State::random(&model, 5).set(&model, "jb.u", 1.5);
    assert_close(&state.mass_matrix(&model, &recursive(&model))[0], &[2.0 * (1.0 + 9.0)], 1e-14, "mass");
    assert_close(&accelerations(&model, &state), &[-2.0 * 1.5 / 20.0], 1e-14, "u'");
    let position = model.space.position(
        &model.space.origin(model.space.newtonian()),
        &model.bodies.iter().find(|(_, b)| b.name == "a").unwrap().1.center_point(),
    );
    let x = model.space.components(&position, model.space.newtonian())[0];
    let state = state.set(&model, "jb.q", 0.25);
    assert_close(&[state.at(&model, x)], &[-3.0 * 0.25 + 0.5], 1e-14, "place of the follower");
}

#[test]
fn a_follower_of_a_joint_further_out_leads_instead() {
    let chain = |inner: &str, outer: &str| {
        format!(
            "<robot name='r'><link name='base'/><link name='a'>{INERTIAL}</link><link name='b'>{INERTIAL}</link>
             <joint name='ja' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/>{inner}</joint>
             <joint name='jb' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>
               <origin xyz='1 0 0'/>{outer}</joint></robot>"
        )
    };
    let outer_leads = robot(&chain("<mimic joint='jb' multiplier='0.5' offset='0.1'/>", ""));
    let inner_leads = robot(&chain("", "<mimic joint='ja' multiplier='2' offset='-0.2'/>"));
    let at = |m| accelerations(m, &State::start(m).set(m, "ja.q", 0.7).set(m, "ja.u", -1.2));
    assert_close(&at(&outer_leads), &at(&inner_leads), 1e-12, "u'");
}

#[test]
fn followers_in_a_circle_are_refused() {
    let text = sliders("<mimic joint='jb'/>", "<mimic joint='ja'/>");
    let (model, diagnostics, said) = urdf(&text, &ImportOptions::default());
    assert!(model.is_none(), "{said}");
    assert!(diagnostics.iter().any(|d| d.code == codes::FOLLOWER), "{said}");
}

#[test]
fn limits_are_kept() {
    let text =
        two_links("type='revolute'><limit lower='-1' upper='2' velocity='3' effort='1e30'/>", INERTIAL);
    let model = robot(&text);
    let limit = &model.limits[0];
    let number =
        |e: Option<cardan_expr::Expr>| e.and_then(|e| model.space.pool().as_number(e)).map(|r| r.to_f64());
    assert_eq!(number(limit.lower), Some(-1.0));
    assert_eq!(number(limit.upper), Some(2.0));
    assert_eq!(number(limit.speed), Some(3.0));
    assert_eq!(number(limit.effort), None);
}

#[test]
fn impossible_inertias_warn_or_refuse() {
    let wrong = INERTIAL.replace("izz='0.5'", "izz='0.75'");
    let text = two_links("type='revolute'>", &wrong);
    let (model, diagnostics, _) = urdf(&text, &ImportOptions::default());
    assert!(model.is_some());
    let found = diagnostics.iter().find(|d| d.code == codes::IMPOSSIBLE).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    let (model, diagnostics, _) = urdf(&text, &ImportOptions { strict: true, ..ImportOptions::default() });
    assert!(model.is_none() && diagnostics.n_errors() == 1);
}

#[test]
fn several_mistakes_are_told_at_once() {
    let (model, diagnostics, said) = urdf(
        "<robot name='r'><link name='a'/><link name='a'/>
         <joint name='j' type='revolut'><parent link='a'/><child link='b'/></joint>
         <joint name='k' type='fixed'><parent link='aa'/><child link='b'/><origin xyz='1 2'/></joint></robot>",
        &ImportOptions::default(),
    );
    assert!(model.is_none());
    let codes: Vec<&str> = diagnostics.iter().map(|d| d.code.0).collect();
    assert_eq!(codes, ["I003", "I003", "I005", "I006", "I006"], "{said}");
}

#[test]
fn shapes_are_drawn() {
    let visual = format!(
        "{INERTIAL}<visual><origin xyz='1 0 0' rpy='0 1.5707963 0'/><geometry><cylinder radius='0.1' length='2'/></geometry>
         <material name='red'><color rgba='1 0 0.2 1'/></material></visual>
         <visual><origin rpy='0.3 0 0'/><geometry><box size='1 2 3'/></geometry><material name='red'/></visual>
         <visual><geometry><mesh filename='a.stl'/></geometry></visual>"
    );
    let (model, diagnostics, _) = urdf(&two_links("type='fixed'>", &visual), &ImportOptions::default());
    let model = model.unwrap();
    let shapes: Vec<_> =
        model.bodies.iter().flat_map(|(_, b)| b.shapes.iter().map(|s| (b.name.clone(), s))).collect();
    assert_eq!(shapes.len(), 2);
    assert!(shapes.iter().all(|(_, s)| s.color.as_deref() == Some("#ff0033")));
    let axis = shapes[0].1.axis.unwrap();
    assert_eq!(axis[0], model.space.pool().one());
    assert_eq!(shapes[1].0, "arm.shape2");
    assert!(diagnostics.iter().any(|d| d.code == codes::LEFT_OUT));
}

/// Robots that others published, where they are at hand: degrees of freedom and total mass.
#[test]
fn published_robots_are_read() {
    for (name, n_u, mass) in [
        ("a1__a1", 12, 13.741),
        ("double_pendulum__double_pendulum", 2, 0.701),
        ("iiwa14_numbers", 7, 30.61),
        ("panda__panda", 8, 17.451901),
        ("solo__solo12", 12, 2.50000279),
        ("talos__talos_full_v2", 32, 93.335724),
        ("ur__ur5_robot", 6, 20.9939),
    ] {
        let path = folder("../../../shared/data/urdf").join(format!("{name}.urdf"));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let model = robot(&text);
        assert_eq!(model.speeds.len(), n_u, "{name}");
        assert_close(&[total_mass(&model)], &[mass], 1e-12, name);
        let state = State::random(&model, 1);
        assert!(state.all(&model, &recursive(&model).u_dot).iter().all(|x| x.is_finite()), "{name}");
    }
}

/// A floating base without mass that carries the robot by one joint moves without moving anything; it is named.
#[test]
fn an_idle_floating_base_is_named() {
    let inertial =
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    let text = |base: &str, kind: &str| {
        format!(
            "<robot name='r'><link name='world'>{base}</link><link name='arm'>{inertial}</link>
             <joint name='j' type='{kind}'><parent link='world'/><child link='arm'/><axis xyz='0 0 1'/></joint></robot>"
        )
    };
    let free = ImportOptions { free_base: true, ..ImportOptions::default() };
    let (_, _, said) = urdf(&text("", "continuous"), &free);
    assert!(said.contains("I014") && said.contains("the base `world`"), "{said}");
    assert_eq!(urdf(&text("", "fixed"), &free).2, "");
    assert_eq!(urdf(&text(inertial, "continuous"), &free).2, "");
    assert_eq!(urdf(&text("", "continuous"), &ImportOptions::default()).2, "");
}

/// A misspelt attribute would leave its default in place without a word.
#[test]
fn attributes_that_a_format_does_not_have_are_told() {
    let joint = "type='revolute'><axis xyx='0 1 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/><dynamics damping='1' K='7'/>";
    let (model, findings, said) = urdf(&two_links(joint, INERTIAL), &ImportOptions::default());
    assert!(model.is_some(), "{said}");
    assert!(said.contains("warning[I010]: `axis` has no attribute `xyx`"), "{said}");
    assert!(said.contains("write `xyz=\"0 1 0\"`"), "{said}");
    assert!(said.contains("note[I010]: `dynamics` has no attribute `K`"), "{said}");
    assert_eq!(findings.iter().filter(|d| d.code == codes::UNKNOWN_ELEMENT).count(), 2, "{said}");
    let text = "<mujoco><worldbody><body name='a'><joint axs='0 1 0'/><joint name='b' axis='1 0 0'/>\
                <geom size='0.1'/></body></worldbody></mujoco>";
    let (model, findings, said) = common::mjcf(text, &ImportOptions::default());
    assert!(model.is_some() && said.contains("write `axis=\"0 1 0\"`"), "{said}");
    assert_eq!(findings.iter().filter(|d| d.code == codes::UNKNOWN_ELEMENT).count(), 1, "{said}");
}
