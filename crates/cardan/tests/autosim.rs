//! AUTOSIM's language word by word: every command and keyword of Sayers' Fig. 6 and Tables 6 to 12 is read, run, and its
//! effect measured at the start of the motion.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

/// A body with mass that other words are tried on.
const PLAIN: &str = ":mass 2 :inertia-matrix (3 4 5)";

fn read(text: &str) -> (Model, String) {
    let mut routines = |path: &str| {
        (path == "routines.mbs")
            .then(|| "variable push = 7 [N]\nfunction twice(x [N]) [N] = 2 * x\n".to_string())
    };
    let (resolved, native) = cardan::resolve_autosim("words.lsp", text, &mut routines);
    let said: String =
        resolved.diagnostics.iter().map(|d| cardan::base::render(d, &resolved.sources, false)).collect();
    assert!(!resolved.diagnostics.has_errors(), "{text}\n{said}");
    (resolved.model.expect("a model"), native.expect("a text"))
}

/// What is said about a text that is wrong.
fn refused(text: &str) -> String {
    let (resolved, _) = cardan::resolve_autosim("words.lsp", text, &mut |_| None);
    assert!(resolved.diagnostics.has_errors(), "{text}");
    resolved.diagnostics.iter().map(|d| cardan::base::render(d, &resolved.sources, false)).collect()
}

/// The values of these expressions at the start of the motion.
fn values(text: &str, expressions: &[&str]) -> Vec<f64> {
    let outs: Vec<String> =
        expressions.iter().enumerate().map(|(k, e)| format!("(add-out {e} \"out{k}\")")).collect();
    let (model, native) = read(&format!("{text}\n{}\n(set-defaults stopt 1e-3)", outs.join("\n")));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{native}"));
    let motion = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e:?}\n{native}"));
    let first = |k: usize| motion.series(&format!("out{k}")).expect("an output")[0];
    (0..expressions.len()).map(first).collect()
}

/// A text and what expressions, as strings or in Lisp's notation, must be worth.
fn check(text: &str, wanted: &[(&str, f64)]) {
    let spelt: Vec<String> = wanted
        .iter()
        .map(|(e, _)| if e.starts_with('(') { (*e).to_string() } else { format!("\"{e}\"") })
        .collect();
    let found = values(text, &spelt.iter().map(String::as_str).collect::<Vec<_>>());
    for ((e, value), found) in wanted.iter().zip(found) {
        assert!((found - value).abs() < 1e-12 * value.abs().max(1.0), "{e} is {found}, not {value}:\n{text}");
    }
}

#[test]
fn parents_and_translations() {
    check(
        &format!(
            "(add-body a :translate 1 {PLAIN}) (add-body b :parent a :translate (2) {PLAIN}) (set-defaults q(1) 3 q(2) 4)"
        ),
        &[("dot(pos(b0), [n1])", 3.0), ("dot(pos(b0), [n2])", 4.0), ("dot(pos(b0, a0), [n1])", 0.0)],
    );
    let along = |axes: &str| format!("(add-body b :translate {axes} {PLAIN}) (set-defaults q(1) 5)");
    check(&along("-3"), &[("dot(pos(b0), [n3])", -5.0)]);
    check(&along("((3 4 0))"), &[("dot(pos(b0), [n1])", 3.0), ("dot(pos(b0), [n2])", 4.0)]);
    check(&format!("{}(set-defaults k 4)", along("((3 k 0))")), &[("dot(pos(b0), [n1])", 3.0)]);
    check(&along("\"3*[n1] + 4*[n3]\""), &[("dot(pos(b0), [n3])", 4.0)]);
    check(&along("([n2])"), &[("dot(pos(b0), [n2])", 5.0)]);
    check(&along("((cross [n1] [n2]))"), &[("dot(pos(b0), [n3])", 5.0)]);
    check(&along("(3 1)"), &[("dot(pos(b0), [n3])", 5.0)]);
    // The clock shares its axis with its parent; its other axes move in the ground.
    let clock = format!("(add-body a :body-rotation-axes 3 {PLAIN}) ");
    let start = "(set-defaults q(1) 0.3 q(2) 2)";
    check(
        &format!("{clock}(add-body b :parent a :translate [n3] {PLAIN}){start}"),
        &[("dot(pos(b0), [n3])", 2.0)],
    );
    let said = refused(&format!("{clock}(add-body b :parent a :translate [n1] {PLAIN})"));
    assert!(said.contains("axis") && said.contains("words.lsp"), "{said}");
}

#[test]
fn rotations() {
    let (a, b, c) = (0.3f64, -0.4f64, 0.7f64);
    let turned = |axes: &str| {
        let rest = if axes.starts_with('(') { format!("q(2) {b} q(3) {c}") } else { String::new() };
        format!("(add-body b :body-rotation-axes {axes} {PLAIN}) (set-defaults q(1) {a} {rest})")
    };
    check(&turned("3"), &[("dot([b1], [n1])", a.cos()), ("dot([b1], [n2])", a.sin())]);
    // Table 8, the cosine matrix of the bus.
    let (s4, c4, s5, c5, s6, c6) = (a.sin(), a.cos(), b.sin(), b.cos(), c.sin(), c.cos());
    check(
        &turned("(1 2 3)"),
        &[
            ("dot([b1], [n1])", c5 * c6),
            ("dot([b1], [n2])", c4 * s6 + c6 * s5 * s4),
            ("dot([b2], [n3])", c6 * s4 + c4 * s5 * s6),
            ("dot([b3], [n2])", -c5 * s4),
        ],
    );
    check(&turned("(3 1 3)"), &[("dot([b3], [n3])", b.cos()), ("dot([b3], [n1])", b.sin() * a.sin())]);
    let half = 0.5f64.sqrt();
    let about = |axis: &str| turned(&format!("3 {axis}"));
    // Eq. 8: b3 is the axis, b1 nominally the reference.
    check(
        &about(":parent-rotation-axis 1"),
        &[("dot([b3], [n1])", 1.0), ("dot([b1], [n2])", a.cos()), ("dot([b1], [n3])", a.sin())],
    );
    check(
        &about(":parent-rotation-axis (0 1 1) :reference-axis 1"),
        &[("dot([b3], [n2])", half), ("dot([b1], [n1])", a.cos()), ("dot([b2], [n1])", -a.sin())],
    );
    check(
        &format!(
            "{}(set-defaults tilt 0.2)",
            about(":parent-rotation-axis \"cos(tilt)*[n3] + sin(tilt)*[n1]\" :reference-axis [n2]")
        ),
        &[("dot([b3], [n1])", 0.2f64.sin()), ("dot([b1], [n2])", a.cos())],
    );
    check(
        &about(":reference-axis (1 1 0)"),
        &[("dot([b3], [n3])", 1.0), ("dot([b1], [n1])", (std::f64::consts::FRAC_PI_4 + a).cos())],
    );
    // A reference that leans towards the axis counts by its part across it.
    check(&about(":parent-rotation-axis 3 :reference-axis (1 0 2)"), &[("dot([b1], [n1])", a.cos())]);
    // Turned and fixed.
    check(
        &format!("(add-body b :translate 1 :parent-rotation-axis 2 :reference-axis 3 {PLAIN})"),
        &[("dot([b3], [n2])", 1.0), ("dot([b1], [n3])", 1.0)],
    );
}

#[test]
fn places() {
    let body = |more: &str| {
        format!(
            "(add-body a :translate 1 :body-rotation-axes 3 {PLAIN}) (add-body b :parent a :translate 3 {more}) (set-defaults L 2 q(1) 1 q(2) 0.3)"
        )
    };
    let (s, c) = 0.3f64.sin_cos();
    check(
        &body(&format!(":joint-coordinates (0 L 5) {PLAIN}")),
        &[("dot(pos(b0, a0), [a2])", 2.0), ("dot(pos(b0, a0), [n1])", -2.0 * s), ("dot(pos(b0), [n3])", 5.0)],
    );
    check(
        &body(&format!(":joint-coordinates \"L*[a1] + 3*[a3]\" {PLAIN}")),
        &[("dot(pos(b0, a0), [a1])", 2.0), ("dot(pos(b0), [n3])", 3.0)],
    );
    check(
        &body(&format!(":cm-coordinates (1 0 -L) {PLAIN}")),
        &[("dot(pos(bcm, b0), [b1])", 1.0), ("dot(pos(bcm, b0), [n3])", -2.0)],
    );
    let points = "(add-point p :body a :coordinates (L 0 1) :name \"pin\") (add-point r :body b :coordinates \"0.5*[b2]\")
        (add-point s :body a :coordinates (convert-coordinates (L 0 1) n a)) (add-point w :body a :coordinates (\"q(1)*3\" 0 0))";
    check(
        &format!("{}{points}", body(PLAIN)),
        &[
            ("dot(pos(p, a0), [n1])", 2.0 * c),
            ("dot(pos(r, b0), [n2])", 0.5 * c),
            ("dot(pos(s, a0), [n1])", 2.0),
            ("dot(pos(s, a0), [a2])", -2.0 * s),
            ("dot(pos(w, a0), [a1])", 3.0),
        ],
    );
}

#[test]
fn masses_and_inertias() {
    let pushed = |mass: &str| {
        format!(
            "(add-body b :translate 1 :inertia-matrix 1 {mass}) (add-line-force f :direction [n1] :point1 b0 :magnitude 12)"
        )
    };
    check(&pushed(":mass 3"), &[("dxdt(u(1))", 4.0)]);
    check(
        &pushed(":mass \"2*m\"").replace("(add-line", "(set-defaults m 2) (add-line"),
        &[("dxdt(u(1))", 3.0)],
    );
    check(&format!("{}(set-defaults mb 6)", pushed("")), &[("dxdt(u(1))", 2.0)]);
    let turned = |inertia: &str| {
        format!(
            "(add-body b :body-rotation-axes 3 :mass 1 {inertia}) (add-moment m :direction [n3] :body1 b :magnitude 12)"
        )
    };
    check(&turned(":inertia-matrix 3"), &[("dxdt(u(1))", 4.0)]);
    check(&turned(":inertia-matrix (1 1 6)"), &[("dxdt(u(1))", 2.0)]);
    check(&turned(":inertia-matrix ((1 0 0) (0 1 0) (0 0 24))"), &[("dxdt(u(1))", 0.5)]);
    check(
        &format!("{}(set-defaults ib11 1 ib22 1 ib33 4 ib12 0 ib13 0 ib23 0)", turned("")),
        &[("dxdt(u(1))", 3.0)],
    );
}

#[test]
fn smallness_names_and_units() {
    let small = |model: &Model, name: &str| {
        let (_, c) = model.coordinates.iter().find(|(_, c)| c.quantity.name == name).expect("a coordinate");
        model.space.pool().small_order(c.symbol)
    };
    let text = format!("(add-body b :name \"Bus\" :translate (1 2) :body-rotation-axes 3 :small-angles t :small-translations (t nil) {PLAIN})
        (add-body c :parent b :translate 1 {PLAIN}) (small q(4)) (set-names k \"stiffness\") (set-units k \"N-cm/m2\") (set-defaults k 50 q(3) 0.5)
        (add-line-force f :direction [n1] :point1 b0 :magnitude \"-k*q(1)\") (add-out \"q(3)\" \"turn\" :units \"deg\" :long-name \"how far\" :gen-name \"angle\" :body b)");
    let (model, _) = read(&text);
    let orders: Vec<i32> = ["q1", "q2", "q3", "q4"].iter().map(|q| small(&model, q)).collect();
    assert_eq!(orders, [1, 0, 1, 1]);
    assert_eq!(model.bodies.iter().next().expect("a body").1.description, "Bus");
    let k = &model.parameters.iter().find(|(_, p)| p.quantity.name == "K").expect("k").1;
    assert_eq!(k.quantity.description, "stiffness");
    assert_eq!(ParameterValues::of(&model).evaluate(&model, k.symbol), 0.5);
    let turn = model.outputs.iter().find(|o| o.quantity.name == "turn").expect("an output");
    assert_eq!(
        (turn.quantity.description.as_str(), turn.quantity.display_unit.as_deref()),
        ("how far", Some("deg"))
    );
    // Small angles: the sine of the angle is the angle.
    check(&text, &[("dot([b1], [n2])", 0.5), ("dot([b1], [n1])", 1.0)]);
}

#[test]
fn loads() {
    let two = format!(
        "(add-body a :translate 1 {PLAIN}) (add-body b :translate 1 :mass 4 :inertia-matrix 1) (set-defaults q(1) 1 q(2) 4 u(2) 2)"
    );
    check(
        &format!("{two}(add-line-force f :direction [n1] :point1 b0 :point2 a0 :magnitude \"8\")"),
        &[("dxdt(u(1))", -4.0), ("dxdt(u(2))", 2.0)],
    );
    check(
        &format!("{two}(add-line-force f :direction \"[n1] + 0*[n2]\" :point1 a0 :magnitude (* 2 4))"),
        &[("dxdt(u(1))", 4.0)],
    );
    // The strut is three long and grows by two per second.
    check(
        &format!(
            "{two}(add-strut s :point1 b0 :point2 a0 :magnitude \"-k*(x - L0) - c*v\") (set-defaults k 10 L0 1 c 3)"
        ),
        &[("dxdt(u(1))", 13.0), ("dxdt(u(2))", -6.5)],
    );
    let turned = "(add-body a :body-rotation-axes 3 :mass 1 :inertia-matrix (1 1 2)) (add-body b :body-rotation-axes 3 :mass 1 :inertia-matrix (1 1 4))";
    check(
        &format!("{turned}(add-moment m :direction [n3] :body1 b :body2 a :magnitude 8)"),
        &[("dxdt(u(1))", -4.0), ("dxdt(u(2))", 2.0)],
    );
    let fall = |more: &str| format!("(add-body b :translate (1 2 3) {PLAIN}) (add-gravity {more})");
    check(&fall(""), &[("dxdt(u(3))", 9.80665)]);
    check(&fall(":direction [n2] :gees 2"), &[("dxdt(u(2))", 19.6133)]);
    check(&fall(":direction \"-[n1]\" :magnitude 5"), &[("dxdt(u(1))", -5.0), ("dxdt(u(3))", 0.0)]);
}

#[test]
fn equations_variables_states_and_routines() {
    let body = format!("(add-body b :translate 1 {PLAIN}) (set-defaults q(1) 3)");
    check(
        &format!("{body}(add-variables difeqn real push) (add-subroutine difeqn cmd (t push)) (load \"routines.mbs\")
        (add-line-force f :direction [n1] :point1 b0 :magnitude \"push + twice(k)\") (set-defaults k 1)"),
        &[("dxdt(u(1))", 4.5)],
    );
    check(
        &format!("{body}(add-equation difeqn y \"2*q(1)\") (setsym z \"y + q(1)\")"),
        &[("y", 6.0), ("z", 9.0)],
    );
    check(
        &format!(
            "{body}(add-state-variable s sd \"m\" :name \"slow\") (add-equation difeqn sd \"-a*s\") (set-defaults s 2 a 3)"
        ),
        &[("s", 2.0), ("dxdt(s)", -6.0)],
    );
}

#[test]
fn constraints() {
    let two = format!(
        "(add-body a :translate 1 {PLAIN}) (add-body b :translate 1 {PLAIN}) (add-line-force f :direction [n1] :point1 a0 :magnitude 8)"
    );
    check(
        &format!("{two}(add-position-constraint \"q(1) - 3*q(2)\" :q q(1) :u u(1) :name \"gear\")"),
        &[("dxdt(u(1))", 3.6), ("dxdt(u(2))", 1.2)],
    );
    check(
        &format!("{two}(add-speed-constraint \"u(1) - u(2)\" :u u(2))"),
        &[("dxdt(u(1))", 2.0), ("dxdt(u(2))", 2.0)],
    );
}

#[test]
fn the_run_and_what_is_asked() {
    let (model, native) = read(&format!(
        "; a comment\n#| another |#\n(reset) (si) (mks) (setsym *multibody-system-name* \"A cart\")
        (add-body b :translate 1 {PLAIN}) (dynamics) (linear) (write-sim) (write-to-file write-sim \"x.f\")
        (set-defaults startt 1 stopt 3 step 0.1 iprint 2)"
    ));
    assert_eq!(model.description, "A cart");
    let kinds: Vec<&str> = model.experiments.iter().map(|e| e.kind.name()).collect();
    assert_eq!(kinds, ["linearize", "simulate"], "{native}");
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let motion = compile_model(&model, Options::default())
        .expect("equations")
        .simulation
        .run(&settings, &mut ())
        .expect("a motion");
    let t = motion.series("t").expect("time");
    assert_eq!((t.first(), t.last(), t.len()), (Some(&1.0), Some(&3.0), 11));
}

/// Tables 6 and 12, in strings and in Lisp's notation.
#[test]
fn the_algebra() {
    let bodies = format!("(add-body a :translate (1 2 3) :body-rotation-axes (1 2 3) {PLAIN}) (add-body b :parent a :body-rotation-axes 3 :joint-coordinates (0 0 L) {PLAIN})
        (add-point p :body b :coordinates (L 0 0)) (set-defaults L 2 k 5 q(1) 3 q(2) 4 q(6) 0.1 q(7) 0.3 u(1) 6 u(7) 0.5)");
    let turn = 0.4f64;
    check(
        &bodies,
        &[
            ("add(L, q(1))", 5.0),
            ("(add L q(1))", 5.0),
            ("angle([n1], [b1])", turn),
            ("angle([b1], [n1], [n3])", -turn),
            ("(angle [a1] [b1] [a3])", 0.3),
            ("const-or-var(L)", 1.0),
            ("const-or-var(L + q(1))", 0.0),
            ("(const-or-var [n1])", 1.0),
            ("const-or-var([b1])", 0.0),
            ("constant-part(L + q(1))", 2.0),
            ("constant-part(q(1))", 0.0),
            ("(constant-part L)", 2.0),
            ("dot(cross([n1], [b1]), [n3])", turn.sin()),
            ("(dot (cross [a1] [b1]) [a3])", 0.3f64.sin()),
            ("dot(dir(3*[n1] + 4*[n2]), [n1])", 0.6),
            ("div(q(1), L)", 1.5),
            ("dot([n1], [b1])", turn.cos()),
            ("mag(dot-plane([n1] + 2*[n3], [a3]))", 1.0),
            ("dxdt(q(7))", 0.5),
            ("dot(dxdt([b1]), [b2])", 0.5),
            ("gcf(3*L*q(1), L*k)", 2.0),
            ("(gcf \"L^2*sin(q(7))\" \"k*L*sin(q(7))\")", 2.0 * 0.3f64.sin()),
            ("gcf(L, k)", 1.0),
            ("inv(L)", 0.5),
            ("mag(3*[n1] + 4*[n2])", 5.0),
            ("mul(L, q(1))", 6.0),
            ("neg(L)", -2.0),
            ("nominal(L*cos(q(7)) + q(1))", 2.0),
            ("nominal(dot([n1], [b1]))", 1.0),
            ("partial(L*q(1)^2, q(1))", 12.0),
            ("(partial \"L*q(1)\" L)", 3.0),
            ("sub(L, q(1))", -1.0),
            ("dot(pos(p, b0), [b1])", 2.0),
            ("dot(pos(b0), [n3])", 2.0),
            ("dot(rot(b), [n3])", 0.5),
            ("dot(rot(b, a), [a3])", 0.5),
            ("dot(vel(p, b0), [b2])", 1.0),
            ("dot(vel(a0), [a1])", 6.0),
            ("sqrt(4) + atan(1, 1)*0 + max(1, 2)", 4.0),
        ],
    );
}

/// What is said of q(1) before a body has it waits until one does.
#[test]
fn coordinates_may_be_spoken_of_before_their_bodies() {
    let text = format!(
        "(set-defaults q(1) 0.25 u(1) 3) (set-names q(1) \"way\") (small q(2)) (add-body b :translate (1 2) {PLAIN})"
    );
    check(&text, &[("q(1)", 0.25), ("u(1)", 3.0)]);
    let (model, _) = read(&text);
    let coordinates: Vec<_> = model.coordinates.iter().map(|(_, q)| q).collect();
    assert_eq!(coordinates[0].quantity.description, "way");
    let orders: Vec<i32> = coordinates.iter().map(|q| model.space.pool().small_order(q.symbol)).collect();
    assert_eq!(orders, [0, 1]);
    assert!(
        refused("(set-defaults q(2) 1) (add-body b :translate 1)").contains("there is no such coordinate")
    );
}

/// The native text shows coordinates and speeds as the commands ask, and so does what is written from its model.
#[test]
fn units_and_words_of_coordinates_survive_the_way_through_native_text() {
    let text = format!(
        "(add-body b :translate (1 2) {PLAIN}) (set-defaults q(1) 3) (set-units q(1) \"mm\" q(2) \"m\" u(1) \"mm/s\") (set-names q(1) \"way\" u(2) \"drift\")"
    );
    let (model, native) = read(&text);
    let shown = |model: &Model| -> Vec<(String, String, String)> {
        let coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
        let all = coordinates.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
        all.map(|q| (q.name.clone(), q.unit(), q.description.clone())).collect()
    };
    let wanted = [("q1", "mm", "way"), ("q2", "m", ""), ("u1", "mm/s", ""), ("u2", "m/s", "drift")];
    let wanted = wanted.map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string()));
    assert_eq!(shown(&model), wanted);
    let resolved = resolve(parse("native.mbs", &native));
    let again = resolved.into_model().unwrap_or_else(|e| panic!("{e}\n{native}"));
    assert_eq!(shown(&again), wanted);
    let written = cardan::lang::write(&again);
    assert_eq!(written.left_out, Vec::<String>::new());
    let third = resolve(parse("written.mbs", &written.text));
    let third = third.into_model().unwrap_or_else(|e| panic!("{e}\n{}", written.text));
    assert_eq!(shown(&third), wanted);
}

/// Symbols are small as coordinates are: products of three are dropped beside one, whether they are parameters, states or computed.
#[test]
fn symbols_may_be_small() {
    let body = format!("(add-body b :translate (1 2) {PLAIN})");
    let push = |sum: &str| format!("(add-line-force f :direction [n1] :point1 b0 :magnitude \"{sum}\")");
    let parameter = format!("{body}(small e z1) {} (set-defaults e 0.5 z1 0.25)", push("e + e*z1*z1"));
    check(&parameter, &[("dxdt(u(1))", 0.25)]);
    let state = format!(
        "{body}(add-state-variable z1 z1d) (add-equation difeqn z1d \"1\") (small e z1) {} (set-defaults e 0.5 z1 0.25)",
        push("e + e*z1*z1")
    );
    check(&state, &[("dxdt(u(1))", 0.25)]);
    let computed = format!(
        "{body}(add-variables difeqn real z1) (add-equation difeqn z1 \"0.25 + t\") (small e z1) {} (set-defaults e 0.5)",
        push("e + e*z1*z1")
    );
    check(&computed, &[("dxdt(u(1))", 0.25), ("z1", 0.25)]);
    let plain = format!("{body}{} (set-defaults e 0.5 z1 0.25)", push("e + e*z1*z1"));
    check(&plain, &[("dxdt(u(1))", 0.265625)]);
}
