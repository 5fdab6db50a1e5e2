//! Models that resolve, and what they resolve to.

use cardan_base::{Severity, render};
use cardan_lang::{Compiled, compile_text};
use cardan_model::{LoadKind, Model, Setting};

fn sample(name: &str) -> Model {
    let path = format!("{}/tests/samples/{name}.mbs", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the sample exists");
    let Compiled { model, sources, diagnostics } = compile_text(&format!("{name}.mbs"), &text);
    let said: String = diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    assert!(diagnostics.iter().all(|d| d.severity == Severity::Note), "{said}");
    model.expect("no errors, hence a model")
}

fn names<'a>(quantities: impl Iterator<Item = &'a cardan_model::Quantity>) -> Vec<String> {
    quantities.map(|q| q.name.clone()).collect()
}

#[test]
fn the_pendulum() {
    let model = sample("pendulum");
    assert_eq!(model.name, "pendulum");
    assert_eq!(model.description, "A rod on a pin");
    assert_eq!(names(model.coordinates.iter().map(|(_, c)| &c.quantity)), ["phi"]);
    assert_eq!(names(model.speeds.iter().map(|(_, c)| &c.quantity)), ["der(phi)"]);
    assert_eq!(names(model.outputs.iter().map(|o| &o.quantity)), ["height", "v"]);
    let pool = model.space.pool();
    let (_, phi) = model.coordinates.iter().next().expect("one");
    // 30 degrees are exactly pi/6.
    assert_eq!(phi.start, pool.div(pool.pi(), pool.int(6)));
    assert_eq!(model.loads.len(), 1);
    // height = L sin(phi)
    let value = |s| match pool.symbol_data(s).name.as_str() {
        "L" => 0.5,
        "phi" => 0.3,
        other => panic!("{other} should not matter"),
    };
    let height = pool.evaluate(model.outputs[0].value, &value);
    assert!((height - 0.5 * 0.3f64.sin()).abs() < 1e-15);
    assert_eq!(model.outputs[0].quantity.display_unit.as_deref(), Some("mm"));
}

#[test]
fn the_order_of_the_text_does_not_matter() {
    let model = sample("double_pendulum");
    let bodies: Vec<&str> = model.bodies.iter().map(|(_, b)| b.name.as_str()).collect();
    assert_eq!(bodies, ["upper", "lower"]);
    assert_eq!(names(model.coordinates.iter().map(|(_, c)| &c.quantity)), ["q1", "q2"]);
    let settings = &model.experiments[0];
    assert_eq!(settings.get("method"), Some(&Setting::Word("dopri".into())));
    let pool = model.space.pool();
    let hundredth = pool.number(cardan_expr::Rational::Small(1, 100));
    assert!(matches!(settings.get("every"), Some(Setting::Scalar(e, _)) if *e == hundredth));
}

#[test]
fn the_robot_of_the_handbook() {
    let model = sample("robot");
    let coordinates = names(model.coordinates.iter().map(|(_, c)| &c.quantity));
    assert_eq!(coordinates, ["Z1", "GA1", "Y2", "BE2", "AL3"]);
    assert_eq!(model.tables.len(), 2);
    assert_eq!(names(model.outputs.iter().map(|o| &o.quantity)), ["grip.x", "grip.y", "grip.z"]);
    // L1Z at t = 1: 148 exp(-5.5 * 0.5) + 8.
    let pool = model.space.pool();
    let turn = model.loads.iter().find(|(_, l)| l.name == "turn").map(|(_, l)| &l.kind).expect("it is there");
    let LoadKind::Torque { vector, reaction: None, .. } = turn else { panic!("{turn:?}") };
    let value = pool.evaluate(vector.terms()[0].1, &|_| 1.0);
    assert!((value - (148.0 * (-2.75f64).exp() + 8.0)).abs() < 1e-12, "{value}");
    // The arm pushes back on the post at its own mass centre.
    let push = model.loads.iter().find(|(_, l)| l.name == "push").map(|(_, l)| &l.kind).expect("it is there");
    let LoadKind::Force { reaction: Some(reaction), .. } = push else { panic!("{push:?}") };
    assert_eq!(reaction.at.as_ref().map(|p| p.name.as_str()), Some("post.cm"));
}

#[test]
fn the_spacecraft_has_default_symbols() {
    let model = sample("spacecraft");
    let parameters = names(model.parameters.iter().map(|(_, p)| &p.quantity));
    for name in ["MB", "IB11", "IB22", "IB33", "MC", "MD", "ID11", "MF"] {
        assert!(parameters.iter().any(|p| p == name), "{name} is missing in {parameters:?}");
    }
    assert!(!parameters.iter().any(|p| p == "ME" || p == "IC11"));
    assert_eq!(model.coordinates.len(), 10);
    let speeds = names(model.speeds.iter().map(|(_, c)| &c.quantity));
    assert_eq!(speeds, ["B.u1", "B.u2", "B.u3", "B.u4", "B.u5", "B.u6", "C.u", "D.u", "E.u", "F.u"]);
}

#[test]
fn every_kind_of_statement() {
    let model = sample("everything");
    assert_eq!(model.bodies.len(), 11);
    assert_eq!(model.states.len(), 2);
    assert_eq!(model.unit_quadruples.len(), 1);
}

#[test]
fn what_happens_in_order_becomes_assignments() {
    let model = sample("hybrid");
    assert_eq!(
        names(model.hybrid.discretes.iter().map(|(_, d)| &d.quantity)),
        ["push", "off", "n", "a", "b"]
    );
    let events: Vec<(&str, usize)> =
        model.hybrid.events.iter().map(|(_, e)| (e.name.as_str(), e.assignments.len())).collect();
    let second = "when not (x < band) or (t >= off and push > 0 [N])";
    assert_eq!(events, [("push", 3), (second, 5), ("sampler", 2)]);
    let pool = model.space.pool();
    let three = pool.int(3);
    assert_eq!(model.hybrid.discretes.iter().nth(2).map(|(_, d)| d.start), Some(three));
    // n := n + 2·(1 + 2 + 3)
    let (_, push) = model.hybrid.events.iter().next().expect("three events");
    let value = |s| if pool.symbol_data(s).name == "n" { 5.0 } else { f64::NAN };
    let found: Vec<f64> = push.assignments.iter().map(|(_, e)| pool.evaluate(*e, &value)).collect();
    assert!(found.contains(&17.0) && found.contains(&3.0), "{found:?}");
}

#[test]
fn every_model_of_the_library_resolves() {
    let folder = format!("{}/../../models", env!("CARGO_MANIFEST_DIR"));
    let mut n_models = 0;
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "mbs") {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let compiled = compile_text(&path.to_string_lossy(), &text);
            let said: String =
                compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect();
            assert!(compiled.model.is_some(), "{said}");
            n_models += 1;
        }
    }
    assert!(n_models > 3);
}
