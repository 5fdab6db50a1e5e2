//! Run-time inputs: read at every evaluation, constant or along tables in a run, B and D of linear equations.

use cardan::analysis::{LinearOptions, linearize};
use cardan::model::{Causality, Interpolation, Table};
use cardan::prelude::*;
use cardan::units::Dimension;

/// A pole on a cart, with two inputs: the push acts on the cart, the other is seen by an output at once.
const CART: &str = "
    model cart_pole
    parameter M = 1 [kg], m = 0.1 [kg], L = 0.5 [m]
    input F [N] = 0 in -10 .. 10 [N] \"push\", offset [m] = 0
    gravity = -9.81 [m/s^2] * N.z
    particle cart on N by translate(x = x) { mass = M }
    particle bob on cart by rotate(y = q) { mass = m; center = (0, 0, L) }
    force push on cart.cm = F * N.x
    output tip = x + L*sin(q) + 3*offset
";

fn model(text: &str) -> Model {
    resolve(parse("inputs.mbs", text)).into_model().unwrap()
}

fn settings(to: f64) -> Settings {
    Settings { to, ..Settings::default() }
}

#[test]
fn an_input_belongs_to_the_stage_of_the_time_and_never_to_the_setup() {
    let compiled = compile_model(&model(CART), Options::default()).unwrap();
    let plan = compiled.simulation.plan();
    let names: Vec<&str> = plan.inputs().iter().map(|k| plan.parameters[*k].label.name.as_str()).collect();
    assert_eq!(names, ["F", "offset"]);
    let text = compiled.simulation.program().to_string();
    assert!(text.contains("time \"F\" \"N\" \"push\""), "{text}");
    assert!(text.contains("setup \"M\""), "{text}");
}

#[test]
fn the_text_of_a_model_gives_its_inputs_back() {
    let first = model(CART);
    let text = cardan::lang::write(&first).text;
    assert!(text.contains("input F = 0 [N] in -10 [N] .. 10 [N] \"push\""), "{text}");
    let second = model(&text);
    let told = |m: &Model| -> Vec<(String, Causality)> {
        m.parameters.iter().map(|(_, p)| (p.quantity.name.clone(), p.causality)).collect()
    };
    assert_eq!(told(&first), told(&second));
    assert_eq!(text, cardan::lang::write(&second).text);
}

#[test]
fn a_builder_declares_inputs_too() {
    let mut m = cardan::builder::ModelBuilder::new("pushed");
    let push = m.input("F", 2.0, "N");
    m.statement("particle block on N by translate(x = x) { mass = 2 [kg] }");
    m.statement(&format!("force f on block.cm = {push} * N.x"));
    let built = m.build().unwrap();
    assert_eq!(built.inputs().count(), 1);
    let mut compiled = compile_model(&built, Options::default()).unwrap();
    let motion = compiled.simulation.run(&settings(1.0), &mut ()).unwrap();
    // x = F t² / 2m
    assert!((motion.last("x").unwrap() - 0.5).abs() < 1e-12);
    compiled.set("F", -4.0).unwrap();
    let motion = compiled.simulation.run(&settings(1.0), &mut ()).unwrap();
    assert!((motion.last("x").unwrap() + 1.0).abs() < 1e-12);
}

/// About the upright pole: ẍ = (F - m g q)/M, q̈ = ((M + m) g q - F)/(M L).
#[test]
fn linear_equations_take_the_inputs_of_the_model() {
    let mut study = cardan::study(&model(CART), &[]).unwrap();
    let upright = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &upright, &LinearOptions::default()).unwrap();
    let names: Vec<&str> = linear.inputs.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names, ["F", "offset"]);
    let place = |name: &str| linear.independent.iter().position(|i| i.named.name == name).unwrap();
    assert!((linear.b[(place("der(x)"), 0)] - 1.0).abs() < 1e-14);
    assert!((linear.b[(place("der(q)"), 0)] + 2.0).abs() < 1e-14);
    assert_eq!(linear.b[(place("der(q)"), 1)], 0.0);
    assert_eq!((linear.d[(0, 0)], linear.d[(0, 1)]), (0.0, 3.0));
    // One of them alone, and a parameter beside it.
    let some = cardan::study(&model(CART), &["F".into(), "m".into()]).unwrap();
    let names: Vec<String> = some.input_names().into_iter().map(|n| n.name).collect();
    assert_eq!(names, ["F", "m"]);
}

/// A ramp from 0 to 1 N within half a second, then nothing: u = ∫F/m, x by integrating twice.
#[test]
fn an_input_follows_a_table() {
    let text = "
        input F [N] = 0
        particle block on N by translate(x = x) { mass = 1 [kg] }
        force push on block.cm = F * N.x
    ";
    let mut bound = model(text);
    let table = Table {
        name: "push".into(),
        description: String::new(),
        arguments: vec![("t".into(), Dimension::TIME)],
        dimension: Dimension::FORCE,
        interpolation: Interpolation::Linear,
        x: vec![0.0, 0.5, 0.5 + 1e-9, 2.0],
        y: vec![],
        values: vec![0.0, 1.0, 0.0, 0.0],
    };
    assert!(!bound.bind_input("G", table.clone()));
    assert!(bound.bind_input("F", table));
    let compiled = compile_model(&bound, Options::default()).unwrap();
    assert!(compiled.simulation.plan().inputs().is_empty(), "what follows a table is not free");
    let motion = compiled.simulation.run(&settings(1.0), &mut ()).unwrap();
    // u(0.5) = 0.25, x(0.5) = 1/24, then at constant speed.
    assert!((motion.last("der(x)").unwrap() - 0.25).abs() < 2e-9);
    assert!((motion.last("x").unwrap() - (1.0 / 24.0 + 0.125)).abs() < 2e-9);
    // A number sets it free again, and a linearisation may ask for it.
    bound.set_value("F", 3.0, None).unwrap();
    let compiled = compile_model(&bound, Options::default()).unwrap();
    assert_eq!(compiled.simulation.plan().inputs().len(), 1);
}

#[test]
fn the_text_may_let_an_input_follow_the_time() {
    let text = "
        parameter A = 2 [N]
        table drive(t [s]) [N] = linear { 0: 0, 1: 1 }
        input F [N] = drive(t) + A*sin(3 [rad/s] * t)
        particle block on N by translate(x = x) { mass = 1 [kg] }
        force push on block.cm = F * N.x
    ";
    let made = model(text);
    let compiled = compile_model(&made, Options::default()).unwrap();
    let motion = compiled.simulation.run(&settings(1.0), &mut ()).unwrap();
    let exact = 0.5 + 2.0 * (1.0 - 3.0f64.cos()) / 3.0;
    assert!((motion.last("der(x)").unwrap() - exact).abs() < 1e-10);
    assert!(
        cardan::lang::write(&made).text.contains("input F [N] = "),
        "{}",
        cardan::lang::write(&made).text
    );
}

#[test]
fn what_is_fixed_in_a_motion_uses_no_input() {
    for (statement, code) in [
        ("parameter k = F", "M014"),
        ("particle p on N by translate(x = x) { mass = F * 1 [s^2/m] }", "M014"),
        ("input G [N] = 2*m*9.81 [m/s^2]", "M014"),
        ("start { q = F / 1 [N] }", "M014"),
    ] {
        let resolved = resolve(parse("wrong.mbs", &format!("{CART}\n{statement}\n")));
        let codes: Vec<&str> = resolved.diagnostics.iter().map(|d| d.code.0).collect();
        assert!(codes.contains(&code), "{statement}: {codes:?}");
    }
}

/// Written functions take inputs as an argument of their own, and complete programs hold them.
#[test]
fn emitted_functions_take_inputs() {
    use cardan::emit::{Fix, Question, Request, complete, functions};
    let choice = cardan::derive(&model(CART), None).unwrap();
    let request = Request { questions: vec![Question::Derivatives], by: vec![], fix: Fix::Nothing };
    let made = functions(&choice, &request).unwrap();
    let derivatives = made.library.functions.iter().find(|f| f.name == "derivatives").unwrap();
    assert!(derivatives.arguments.iter().any(|a| a.name == "u" && a.inputs.len() == 2), "{derivatives:?}");
    let setup = made.library.functions.iter().find(|f| f.name == "setup").unwrap();
    assert_eq!(setup.arguments[0].inputs.len(), 3, "parameters alone");
    assert!(complete(&choice, &settings(1.0), &Fix::Nothing).is_ok());
}
