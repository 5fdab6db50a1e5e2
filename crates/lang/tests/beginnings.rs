//! What a first hour meets: words of other programs, missing statements, and forms that should just work.

use cardan_base::{Severity, render};
use cardan_expr::Expr;
use cardan_lang::compile_text;
use cardan_model::Model;

/// Everything that is said about a text.
fn said(text: &str) -> String {
    let compiled = compile_text("test.mbs", text);
    compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect()
}

fn model(text: &str) -> Model {
    let compiled = compile_text("test.mbs", text);
    assert!(compiled.diagnostics.iter().all(|d| d.severity == Severity::Note), "{}", said(text));
    compiled.model.expect("no errors, hence a model")
}

/// The value of an expression with everything at 1/2, but for parameters, which have their defaults.
fn value(model: &Model, e: Expr) -> f64 {
    let pool = model.space.pool();
    pool.evaluate(e, &|s| {
        let mut parameters = model.parameters.iter().map(|(_, p)| p);
        let own = parameters.find(|p| pool.as_symbol(p.symbol) == Some(s)).and_then(|p| p.default);
        own.map_or(if pool.symbol_expr(s) == pool.pi() { std::f64::consts::PI } else { 0.5 }, |e| {
            value(model, e)
        })
    })
}

fn output(model: &Model, name: &str) -> f64 {
    let found = model.outputs.iter().find(|o| o.quantity.name == name);
    value(model, found.unwrap_or_else(|| panic!("no output {name}")).value)
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
}

/// A mistake and what the message must hold.
#[track_caller]
fn told(text: &str, parts: &[&str]) {
    let said = said(text);
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

const ROD: &str = "body rod on N by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }\n";

#[test]
fn synonyms_of_joints_elements_properties_and_functions_are_known() {
    told(
        "particle p on N by slider(x) { mass = 1 [kg] }",
        &["there is no joint called `slider`", "write `prismatic`"],
    );
    told("body c on N by hinge(z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }", &["write `revolute`"]);
    told(
        "particle p on N by prismatic(z, q = z) { mass = 1 [kg] }\nspring s between p and N(0, 0, 1) [m] { k = 100 [N/m]; l0 = 1 [m] }",
        &["write `stiffness = 100 [N/m]`", "write `length = 1 [m]`"],
    );
    told("particle p on N by prismatic(z, q = z) { m = 1 [kg] }", &["write `mass = 1 [kg]`"]);
    told(&format!("{ROD}output a = delay(phi, 0.1)"), &["`std.delay d(T = 0.1 [s]) { u -> x }`"]);
    told(&format!("{ROD}output a = arctan2(phi, 1)"), &["write `atan2(y, x)`"]);
    told(&format!("{ROD}output a = np.sin(phi)"), &["`np.sin` is not a function", "`sin(phi)`"]);
    told(&format!("{ROD}output a = cos(t)"), &["`2 [rad/s]*t`"]);
}

#[test]
fn colours_have_names_and_unknown_ones_the_nearest() {
    let shape = |color: &str| {
        format!(
            "{}\n",
            ROD.replace("center", &format!("shape sphere(radius = 1 [cm], color = {color}); center"))
        )
    };
    let color = |text: &str| {
        let model = model(&shape(text));
        let found = model.bodies.iter().next().and_then(|(_, b)| b.shapes[0].color.clone());
        found.expect("a colour")
    };
    assert_eq!(color("red"), "#ff0000");
    assert_eq!(color("\"SteelBlue\""), "#4682b4");
    assert_eq!(color("\"#0f0\""), "#00ff00");
    told(&shape("orang"), &["there is no colour called `orang`", "write `color = orange`"]);
    told(&shape("bluish"), &["there is no colour called `bluish`"]);
}

#[test]
fn degrees_without_a_unit_are_doubted_wherever_angles_are_taken() {
    let frame =
        |joint: &str| format!("body b on N by {joint} {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}");
    told(&frame("fixed(angles = (0, 0, 90))"), &["warning[M006]: this angle is 90 radians", "`90 [deg]`"]);
    told(&frame("revolute(z, orient = (45, 0, 0))"), &["this angle is 45 radians"]);
    told(&format!("{ROD}output s = sin(45)"), &["`sin` takes radians, and this is 45", "`45 [deg]`"]);
    assert_eq!(said(&frame("revolute(z, orient = (45, 0, 0) [deg])")), "");
    assert_eq!(said(&frame("fixed(angles = (0, 0, pi/2))")), "");
    assert_eq!(said(&format!("{ROD}output s = sin(2*pi*3), c = cos(1.5)")), "");
}

#[test]
fn no_gravity_and_no_degree_of_freedom_are_noted_once() {
    let run = "simulate { to = 1 [s] }";
    told(&format!("{ROD}{run}"), &["note[M039]: `rod` has mass, and there is no gravity", "`gravity = 0`"]);
    assert_eq!(said(&format!("gravity = 0\n{ROD}{run}")), "");
    assert_eq!(said(ROD), "", "a text that asks nothing is not judged");
    let welded =
        "gravity = -9.81 [m/s^2]*N.z\nbody rod on N { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n";
    told(
        &format!("{welded}{run}"),
        &["this model has no degree of freedom", "fixed to `N`", "`body rod on N by revolute(y)`"],
    );
    let driven = ROD.replace("q = phi", "motion = 1 [rad/s]*t");
    assert!(!said(&format!("gravity = 0\n{driven}{run}")).contains("M039"));
}

#[test]
fn a_state_without_a_unit_is_given_that_of_its_rate() {
    told(
        &format!("{ROD}state I = 0 {{ der = phi }}"),
        &["the state `I` has no unit, and its rate is in [rad]", "write `state I = 0 [rad*s]`"],
    );
    told(&format!("{ROD}state I = 0 {{ der = rod.cm.x }}"), &["write `state I = 0 [m*s]`"]);
    let mended = said(&format!("{ROD}state I = 0 [rad*s] {{ der = phi }}"));
    assert!(!mended.contains("error"), "{mended}");
}

#[test]
fn energies_are_quantities_like_any_other() {
    let text = format!(
        "gravity = -10 [m/s^2]*N.z\n{ROD}torsion_spring k between rod and N {{ stiffness = 8 [N*m/rad] }}\noutput T = energy.kinetic, G = energy.gravity, K = energy.k, V = energy.potential, E = energy.total"
    );
    let m = model(&text);
    // q and u are 1/2: T = (0.1 + 0.25)/2 u², G = -m g L/2 cos q, K = k q²/2.
    near(output(&m, "T"), 0.35 / 2.0 * 0.25);
    near(output(&m, "G"), -5.0 * 0.5_f64.cos());
    near(output(&m, "K"), 1.0);
    near(output(&m, "V"), 1.0 - 5.0 * 0.5_f64.cos());
    near(output(&m, "E"), 0.35 / 2.0 * 0.25 + 1.0 - 5.0 * 0.5_f64.cos());
    told(
        &format!("{ROD}output T = energy.kinetik"),
        &["there is no energy called `kinetik`", "`energy.kinetic`"],
    );
    // A controller may use them.
    model(&format!("{ROD}torque pump on rod from N = -0.1 [1/s]*energy.total*N.y/(1 [1/s])"));
}

#[test]
fn a_load_has_its_vector_behind_a_dot_as_an_element_has() {
    let text = format!(
        "{ROD}force push on rod = 3 [N]*N.x\ntorque twist on rod = 2 [N*m]*N.y\noutput f = push.force.x, same = push.x, n = mag(twist.torque)"
    );
    let m = model(&text);
    near(output(&m, "f"), 3.0);
    near(output(&m, "same"), 3.0);
    near(output(&m, "n"), 2.0);
    told(
        &format!("{ROD}force push on rod = 3 [N]*N.x\noutput f = push.torque.x"),
        &["has nothing called `torque`"],
    );
}

#[test]
fn a_body_stands_for_its_origin_where_a_point_is_meant() {
    let text = |p: &str| {
        format!(
            "body b on N by planar(y, q = (z, x, a)) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (1, 0, 0) [m] }}\nspring s between {p} and N(1, 2, 3) [m] {{ stiffness = 1 [N/m]; length = 1 [m] }}\nforce f on {p} = 1 [N]*N.x\noutput d = mag(position(N, {p})), v = mag(velocity({p})), l = s.length"
        )
    };
    let (body, origin) = (model(&text("b")), model(&text("b.o")));
    for name in ["d", "v", "l"] {
        near(output(&body, name), output(&origin, name));
    }
}

#[test]
fn inertias_are_scaled_and_added_and_solids_have_theirs() {
    let inertia = |text: &str| {
        let m = model(&format!(
            "parameter m = 3 [kg], r = 0.5 [m]\nbody b on N by spherical(q = (a, b1, c), rotate = xyz) {{ mass = m; inertia = {text} }}"
        ));
        let i = m.bodies.iter().next().expect("a body").1.inertia;
        [[0, 0], [1, 1], [2, 2], [0, 1]].map(|[a, b]| value(&m, i[a][b]))
    };
    let ball = 0.4 * 3.0 * 0.25;
    let all =
        |found: [f64; 4], expected: [f64; 4]| found.into_iter().zip(expected).for_each(|(a, b)| near(a, b));
    all(inertia("(1, 1, 1)*2/5*m*r^2"), [ball, ball, ball, 0.0]);
    all(inertia("(1, 2, 3)*1e-2 [kg*m^2]"), [0.01, 0.02, 0.03, 0.0]);
    all(inertia("m*r^2*(1, 1, 1, 0.1, 0, 0) - (0.1, 0, 0, 0, 0, 0) [kg*m^2]"), [0.65, 0.75, 0.75, 0.075]);
    all(inertia("sphere(m, r)"), [ball, ball, ball, 0.0]);
    all(inertia("box(m, 1 [m], 2 [m], 3 [m])"), [3.25, 2.5, 1.25, 0.0]);
    all(inertia("cylinder(m, r, 2 [m])"), [1.1875, 1.1875, 0.375, 0.0]);
    all(inertia("rod(m, 2 [m])"), [1.0, 1.0, 0.0, 0.0]);
    told(
        "body b on N by revolute(z) { mass = 1 [kg]; inertia = sphere(1 [m]) }",
        &["write `inertia = sphere(m, r)`"],
    );
    told(
        "body b on N by revolute(z) { mass = 1 [kg]; inertia = (0.1, -0.5, 0.1) [kg*m^2] }",
        &["a moment of inertia is never negative", "│", "write `0.5`"],
    );
}

/// A four-bar linkage by its hard points in the ground's axes: the same lengths as with points in the bodies' axes.
#[test]
fn hard_points_are_given_in_the_grounds_axes_of_the_design_position() {
    let data = "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]";
    let text = format!(
        "point A = (0, 0, 0) [m]\npoint B = (1, 0, 2) [m]\npoint C = (3, 0, 2.5) [m]\n\
         body crank on N at A by revolute(y, q = a) {{ {data}; point tip at B; center = N(0.5, 0, 1) [m] }}\n\
         body coupler on crank at B by revolute(y, q = b) {{ {data}; point tip at C }}\n\
         output l = mag(position(crank, crank.tip)), k = mag(position(coupler.o, coupler.tip)), x = dot(position(coupler.o, coupler.tip), coupler.x), c = dot(position(crank.o, crank.cm), crank.z)"
    );
    let m = model(&text);
    near(output(&m, "l"), 5.0_f64.sqrt());
    near(output(&m, "k"), 4.25_f64.sqrt());
    near(output(&m, "x"), 2.0);
    near(output(&m, "c"), 1.0);
    // A point of another body that moves is no fixed place.
    told(
        &format!(
            "body a on N by revolute(y) {{ {data}; point tip = (1, 0, 0) [m] }}\nbody b on N at a.tip by revolute(y) {{ {data} }}"
        ),
        &["must not vary"],
    );
}

#[test]
fn slips_of_the_pen_do_not_make_more_errors_than_one() {
    let n_errors = |text: &str| said(text).matches("error[").count();
    let slip =
        "parameter L == 1 [m]\nparticle p on N by prismatic(z, q = h) { mass = 1 [kg] }\noutput d = h - L";
    told(slip, &["`==` does not give `L` its value", "write `L = 1 […]`"]);
    assert_eq!(n_errors(slip), 1, "{}", said(slip));
    let bare = "parameter m 2 [kg]\nparticle p on N by prismatic(z) { mass = m }";
    told(bare, &["`=` is missing before `2`", "write `m = 2 […]`"]);
    assert_eq!(n_errors(bare), 1, "{}", said(bare));
    told("import numpy as np", &["nothing needs to be imported", "remove this line"]);
    let open = format!(
        "gravity = 0\n{}start {{ phi = 90 [deg] }}\nsimulate {{ to = 1 [s] }}\n",
        ROD.replace(" }\n", "\n")
    );
    told(&open, &["this `{` is not closed", "`}` expected before `start`"]);
    assert_eq!(n_errors(&open), 1, "{}", said(&open));
    let twice = ROD.replace("body rod on N", "body arm on N");
    told(&format!("{ROD}{twice}"), &["`phi` is defined twice", "such as `phi2`"]);
}

#[test]
fn torques_are_shown_in_newton_metres_and_slip_as_a_number() {
    let text = format!(
        "{ROD}parameter J = 2 [kg*m^2], r = 0.3 [m], v = 2 [m/s], w = 5 [rad/s]\noutput tau = J*der(der(phi)), slip = r*w/v - 1, slide = (v - r*w)/v, turn = phi*r/(1 [m]), E = energy.kinetic, rim = r*w"
    );
    let m = model(&text);
    let unit = |name: &str| {
        let found = m.outputs.iter().find(|o| o.quantity.name == name);
        found.expect("an output").quantity.dimension.to_string()
    };
    assert_eq!(["tau", "slip", "slide", "turn", "E", "rim"].map(unit), ["N*m", "1", "1", "rad", "J", "m/s"]);
}

/// Statements, methods and signs of MotionGenesis, SymPy, Adams and Modelica, and what to write instead.
#[test]
fn habits_of_other_programs_are_answered_with_a_line_to_type() {
    let body = "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]";
    let rod = format!("body rod on N by revolute(y, q = phi) {{ {body} }}\n");
    let cases = [
        ("NewtonianFrame N".into(), "the inertial frame `N` is there"),
        ("RigidBody B".into(), "`body B on N by revolute(z, q = phi) {"),
        (format!("{rod}rod.SetMass( 2 )"), "`body B on N { mass = 2 [kg];"),
        (format!("{rod}rod.RotateZ( N, q )"), "behind `by`"),
        (format!("{rod}rod.AddForce( 3 )"), "`force f on B.cm ="),
        (format!("{rod}force f on rod = 3*Nx>\noutput phi"), "unit vectors are `N.x`"),
        ("q1, q2 = symbols(a)".into(), "`revolute(z, q = q1)`"),
        ("A = ReferenceFrame(B)".into(), "`frame A on N by revolute(z, q = q1)`"),
        (format!("{rod}output w = phi.diff(t)"), "a rate is written `der(phi)`"),
        (format!("{rod}output w = rod.velocity()"), "`velocity(rod)`"),
        (format!("{rod}output a = dir(rod.x).dot(N.x)"), "S0"),
        (format!("{rod}output v = IF(t-1: 0, 5, 5)"), "`if x > 0 then a else b`"),
        (format!("{rod}start {{ phi = 30d }}"), "`30 [deg]`"),
        (format!("{rod}connect(rod.a, rod.b);"), "`joint j between A.P and B.Q by revolute(z)`"),
        (format!("{rod}reinit(phi, 3)"), "`when h < 0 [m] { der(h) := -0.8*der(h) }`"),
        (format!("{rod}when phi < 0 then\n  phi := 0\nend when"), "without `then` and `end`"),
        (format!("/* a rod */\n{rod}"), "a comment begins with `#`"),
        (format!("{rod}output rod.position"), "`position(N.o, rod)`"),
        (format!("{rod}output rod.vel"), "`velocity(rod)`"),
        (format!("{rod}output rod.omega"), "`omega(rod)`"),
        (format!("{rod}start {{ phi(0) = 30 [deg] }}"), "`phi = 30 [deg]`"),
        (
            "body b on N by revolute(z) { mass = 1 [kg]; inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }"
                .into(),
            "(xx, yy, zz, xy, xz, yz)",
        ),
        (format!("{rod}point P on rod = (0, 0, -0,5) [m]"), "a point separates decimals"),
        ("body b on N by revolute(z) { mass: 1 [kg] }".into(), "`mass = …`"),
        (
            format!("parameter k = 5 [N*m]\n{rod}torque m on rod = k*N.y\nwhen t > 1 [s] {{ k := 0 [N*m] }}"),
            "`discrete k = …`",
        ),
        (format!("{rod}variable a = 2*b + phi\nvariable b = a - 1\noutput a"), "with a lag"),
        (format!("body b on N by revolute(z, motion = 2*t) {{ {body} }}"), "`2 [rad/s]`"),
        (format!("body b on N by fixed(quat = (1, 0, 0, 0)) {{ {body} }}"), "three angles"),
        (
            format!("body b on N by revolute(z, range = (-1, 1)) {{ {body} }}"),
            "`limit = -90 [deg] .. 90 [deg]`",
        ),
        (format!("body b on N by revolute(z, damping = 1) {{ {body} }}"), "`torsion_damper d between"),
        ("L := 1 [m]".into(), "`parameter L = 1 [m]`"),
        (format!("{rod}friction f on rod {{ mu = 0.3 }}"), "dir(velocity(B.cm))"),
        (format!("{rod}force f on rod = 3 [N]*N.x {{ gain = 3 }}"), "{ energy = … }"),
    ];
    for (text, help) in cases {
        let said = said(&format!("model m\n{text}\n"));
        assert!(said.contains("error[") && said.contains(help), "{text}\n{said}");
        assert!(!said.contains("there is no element called `force`"), "{text}\n{said}");
    }
}

/// An angle that a load uses is told at the place of the load, not at an output of the same angle.
#[test]
fn a_principal_value_is_told_once() {
    let said = said(
        "model m\nbody bar on N by spherical { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
         torque tor on bar = -10 [N*m/rad] * angle(N.y, bar.y, N.z) * N.z\n\
         output a = angle(N.y, bar.y, N.z)\n",
    );
    assert_eq!(said.matches("M040").count(), 1, "{said}");
    assert!(said.contains("test.mbs:3:"), "{said}");
}
