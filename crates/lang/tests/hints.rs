//! What is said and advised, where the advice has to fit the case.

use cardan_base::render;
use cardan_lang::compile_text;

/// Everything that is said about a text.
fn said(text: &str) -> String {
    let compiled = compile_text("test.mbs", text);
    compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect()
}

const BODY: &str = "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]";

#[test]
fn a_hidden_name_is_mended_where_it_stands() {
    let point = said(
        "model m\nparameter m = 2 [kg]\nbody rod on N by revolute(z) { mass = m; inertia = (1, 1, 1) [kg*m^2]; point m = (1, 0, 0) [m] }",
    );
    assert!(
        point.contains("give the parameter or the point another name") && !point.contains("in the joint"),
        "{point}"
    );
    let speed = said(&format!(
        "model m\nparameter u = 2 [m]\nbody rod on N by revolute(z) {{ {BODY}; center = (u, 0, 0) }}"
    ));
    assert!(speed.contains("in the joint: `revolute("), "{speed}");
}

#[test]
fn a_function_that_calls_itself_is_told_of_procedures() {
    let function = said("model m\nfunction f(x) = if x < 1 then 1 else f(x - 1)*x\noutput f(3)");
    assert!(function.contains("M003") && function.contains("for k in 1 .. 5"), "{function}");
    let parameter = said("model m\nparameter a = b\nparameter b = a");
    assert!(parameter.contains("give one of these a value of its own"), "{parameter}");
    // What the hint says can be typed.
    let typed =
        said("model m\nprocedure f(x) -> y { y := 1; for k in 1 .. 5 { y := y*k } }\noutput a = f(3)");
    assert_eq!(typed, "");
}

#[test]
fn speeds_that_follow_from_one_another_are_all_shown() {
    let text = format!(
        "model m\nbody p on N by planar(z, q = (x, y, psi)) {{ {BODY} }}\nspeed w = der(psi)\nspeed a = der(x) + der(y)\nspeed b = 2*der(x) + 2*der(y)"
    );
    let said = said(&text);
    assert!(
        said.contains("4 │ speed a") && said.contains("5 │ speed b") && said.contains("follows from"),
        "{said}"
    );
    assert!(!said.contains("speed w"), "{said}");
}

#[test]
fn the_first_euler_parameter_starts_at_one_without_being_given() {
    let model =
        compile_text("test.mbs", &format!("model m\nbody b on N by free {{ {BODY} }}")).model.unwrap();
    let e0 = model.coordinates[model.unit_quadruples[0][0]].clone();
    assert_eq!(e0.start, model.space.pool().one());
    assert_eq!(e0.given, cardan_model::Given::Nothing);
}

#[test]
fn a_polynomial_of_angles_is_a_number() {
    let text = format!(
        "model m\nbody a on N by revolute(z, q = a1) {{ {BODY} }}\nbody b on a by revolute(z, q = b1) {{ {BODY} }}\nconstraint c = "
    );
    let dimension = |law: &str| {
        let model = compile_text("test.mbs", &format!("{text}{law}")).model.unwrap();
        model.constraints.iter().next().unwrap().1.rows[0].dimension.to_string()
    };
    assert_eq!(dimension("a1 - b1"), "rad");
    assert_eq!(dimension("a1 - 0.3*b1^2 + 0.1"), cardan_units::Dimension::ONE.to_string());
}

/// What the book says of units in the head of a function: plain numbers where that makes sense, else quantities throughout.
#[test]
fn letters_of_a_function_are_numbers_or_quantities() {
    let value = |functions: &str, call: &str| {
        let compiled = compile_text("test.mbs", &format!("model m\n{functions}\noutput a = {call}"));
        let model = compiled.model?;
        let pool = model.space.pool();
        pool.as_number(model.outputs[0].value).map(|n| n.to_f64())
    };
    let square = "function h(t [min]) [mm] = t^2";
    assert_eq!(value(square, "h(120 [s])"), Some(0.004));
    let calling = |sum: &str| format!("{square}\nfunction g(t [min]) [m] = {sum}");
    assert_eq!(value(&calling("h(t) + t"), "g(120 [s])"), None);
    assert_eq!(value(&calling("h(t) + t * 1 [m/min]"), "g(120 [s])"), Some(2.004));
}

#[test]
fn an_element_written_otherwise_is_shown_its_form_and_every_form_can_be_typed() {
    for (kind, form) in cardan_syntax::words::ELEMENTS {
        let wrong = said(&format!("model m\n{kind} thing: psi = 3"));
        assert!(wrong.contains(&format!("`{form}`")), "{wrong}");
        let bodies = "body A on N by revolute(x, q = q) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (1, 2, 3) [m] }\n\
                      body B on A by revolute(x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\npoint Q on B = (0, 1, 0) [m]";
        let text = format!("model m\n{bodies}\n{}", form.replace(" P ", " A.P "));
        let right = said(&text);
        assert!(!right.contains("error"), "{text}\n{right}");
    }
}

#[test]
fn sizes_that_no_part_can_have_are_refused() {
    let text = |joint: &str| {
        format!(
            "model m\nparameter R = 0 [m]\nbody a on N by revolute(y, q = q1) {{ {BODY}; point P = (1, 0, 0) [m] }}\n\
             body b on N by free {{ {BODY} }}\nbody c on N by revolute(y, q = q3) {{ {BODY} }}\n\
             body s on N by prismatic(x, q = s1) {{ {BODY} }}\nbody k on N by revolute(y, q = q5) {{ {BODY} }}\nlock q5\n{joint}"
        )
    };
    let refused = [
        ("joint j = rolling(b.o, N.o, radius = R)", "what rolls has a radius, and this is 0 m"),
        ("joint j = rolling(b.o, N.o, radius = -0.1 [m])", "this is -0.1 m"),
        (
            "joint j = rolling(b.o, N.o, axis = y, radius = 0.1 [m], tyre = 0.2 [m])",
            "no smaller than its tyre",
        ),
        ("joint j = rolling(b.o, N.o, axis = y, radius = 0.1 [m], tyre = -0.02 [m])", "radius of its own"),
        ("joint j = distance(a.P, N.o, length = -1 [m])", "a rod has a length, and this is -1 m"),
        ("joint j = gear(a, a, ratio = 2)", "joined with itself"),
        ("joint j = gear(a, c, ratio = 0)", "holds its first part still"),
        ("joint j = belt(a, c, radii = (0, 20) [mm])", "a pulley has a radius"),
        ("joint j = rack(s, a, radius = 0 [m])", "holds its rack still"),
        ("joint j = coupler(a, c, factors = (0, 0))", "couple nothing"),
        ("joint j = angle(b.o, N.o, axis = z, angle = 0 [deg])", "write `parallel("),
        ("joint j = angle(b.o, N.o, axis = z, angle = 180 [deg])", "write `parallel("),
        ("joint j = angle(b.o, N.o, axis = z, angle = 400 [deg])", "at most half a turn"),
        ("joint j = gear(a, k, ratio = 2)", "this body is locked"),
        ("motion m on q5 = 1 [rad/s] * t", "this coordinate is locked"),
    ];
    for (joint, words) in refused {
        let said = said(&text(joint));
        assert!(said.contains("error") && said.contains(words), "{joint}\n{said}");
    }
    for joint in ["joint j = gear(a, c, ratio = -2)", "joint j = angle(b.o, N.o, axis = z, angle = 60 [deg])"]
    {
        let said = said(&text(joint));
        assert!(!said.contains("error"), "{said}");
    }
}

#[test]
fn components_are_given_a_frame_where_they_are_written() {
    let text =
        |e: &str| said(&format!("model m\nbody b on N by revolute(z) {{ {BODY} }}\noutput dot({e}, N.x)"));
    let written = text("(1, 2, 3)");
    assert!(written.contains("say in which frame: `N(1, 2, 3)`"), "{written}");
    let computed = text("components(b.x, in = N)");
    assert!(computed.contains("use the vector itself") && !computed.contains("Ncomponents"), "{computed}");
}

/// Common slips, each with the words that mend it.
#[test]
fn help_fits_the_slip() {
    let arm = format!("body arm on N by revolute(z) {{ {BODY}; point tip = (1, 0, 0) [m] }}");
    let cart = "particle b on N by prismatic(x, q = x) { mass = 1 [kg] }";
    let cases = [
        (
            format!("{arm}\nparticle bob on arm by revolute(z) at tip {{ mass = 1 [kg] }}"),
            "M001",
            "write `arm.tip`",
        ),
        (
            format!("{cart}\nspring s between b.o and ground {{ stiffness = 1 [N/m] }}"),
            "M001",
            "the inertial frame is called `N`",
        ),
        (format!("body b on N by revolute(w) {{ {BODY} }}"), "M016", "axes are x, y, z, or a direction"),
        (format!("{cart}\nforce F on b.o = -k*x*N.x"), "M001", "`parameter k = 1 [N/m]`"),
        (format!("{cart}\nforce F on b.o = -x/c*N.x"), "M001", "`parameter c = 1 [m/N]`"),
        (format!("{cart}\noutput a = x.dot"), "M001", "a rate is written `der(x)`"),
        (format!("{cart}\nsimulate {{ stop = 5 [s] }}"), "M008", "write `to`"),
        (format!("{cart}\nsimulate {{ to = 5 [m] }}"), "M012", "write a value in [s]"),
        (
            "body b on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 1) [lbf*ft] }".into(),
            "M012",
            "`[lbf*ft*s^2]`",
        ),
        ("parameter a = 1,5 [kg]".into(), "S005", "a point separates decimals: `1.5`"),
        ("particle b on N by prismatic(x) { mass = 1,5 [kg] }".into(), "S006", "`1.5`"),
        (
            format!("body b on N by rotate((1, 1, 1) = c) {{ {BODY} }}"),
            "S005",
            "`revolute((1, 1, 1), q = angle)`",
        ),
        (format!("body b by revolute(z) {{ {BODY} }}"), "S014", "write `body b on N`"),
        (
            format!("parameter a = 0\nbody b on N by revolute((a, a, 0)) {{ {BODY} }}"),
            "M016",
            "no length at the values of its parameters",
        ),
    ];
    for (text, code, help) in cases {
        let said = said(&format!("model m\n{text}"));
        assert!(said.contains(&format!("error[{code}]")) && said.contains(help), "{text}\n{said}");
        assert_eq!(said.matches("error[").count() + said.matches("note[").count(), 1, "{text}\n{said}");
    }
    let direction = said(&format!("model m\nbody b on N by revolute((1, 1, 1), q = angle) {{ {BODY} }}"));
    assert_eq!(direction, "");
}

#[test]
fn helps_name_what_the_model_has_and_mean_what_was_meant() {
    let pair = "model m\nbody a on N by revolute(z, q = q1) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
                body b on N by revolute(z, q = q2) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n";
    // An equation with one sign is taken for a name.
    let equation = said(&format!("{pair}constraint q1 = 2*q2"));
    assert!(equation.contains("`constraint q1 == …`"), "{equation}");
    assert!(!said(&format!("{pair}constraint q1 == 2*q2")).contains("error"));
    // A start value that a motion does not begin with is told; one that it begins with is not.
    let driven = |start: &str, more: &str| {
        said(&format!(
            "{pair}motion drive on q1 = 0.1 [rad] + 2 [rad/s]*t\nstart {{ q1 = {start} }}\nsimulate {{ to = 1 [s]{more} }}"
        ))
    };
    let other = driven("30 [deg]", "");
    assert!(other.contains("`drive` puts `q1` at 0.1 at t = 0, not at 0.5235"), "{other}");
    assert!(!driven("0.1 [rad]", "").contains("M018"));
    assert!(!driven("2.1 [rad]", ", from = 1 [s]").contains("M018"));
    // An overlap names the coordinate that moves the bodies apart, and the normal.
    let ball = "model m\nparticle ball on N by translate(z = h) { mass = 2 [kg] }\n\
                contact floor between ball.o and N.o { normal = -N.z }\nstart { h = 1 [m] }";
    let overlap = said(ball);
    assert!(
        overlap.contains("`start { h = … }`") && overlap.contains("turn the `normal` round"),
        "{overlap}"
    );
}
