//! Reactions in generated functions: they explain the accelerations, and where constraints repeat one another they share the load as
//! in a run.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use std::path::Path;

use cardan_base::Id;
use cardan_compile::choose;
use cardan_emit::{Fix, Functions, Question, Request, functions};
use cardan_lang::compile_text;
use cardan_program::{Execute, Interpreter};
use cardan_solve::linear::Matrix;

/// A plate on three parallel cranks: the third says nothing that the other two do not say.
const CRANKS: &str = "model cranks \"A plate on three parallel cranks\"
gravity = -9.81 [m/s^2] * N.y
body left on N by rotate(z = a) { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
body plate on left by rotate(z = b) at (1, 0, 0) [m] {
  mass = 5 [kg]; inertia = (0.1, 1, 1) [kg*m^2]; center = (1, 0.1, 0) [m]
  point middle = (1, 0, 0) [m]
  point right = (2, 0, 0) [m]
}
body second on N by rotate(z = c) at (1, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
body third on N by rotate(z = d) at (2, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point tip = (1, 0, 0) [m] }
joint two = revolute(plate.middle, second.tip, axis = z)
joint three = revolute(plate.right, third.tip, axis = z)
start { a = 40 [deg]; b = -40 [deg]; c = 40 [deg]; d = 40 [deg] }
simulate { to = 1 [s] }";

/// Results of a function by name of the function and of the array, with their labels.
fn results(f: &Functions, values: &[f64], function: &str, array: &str) -> Vec<(String, f64)> {
    let function = f.library.functions.iter().find(|g| g.name == function).unwrap();
    let array = function.results.iter().find(|r| r.name == array).unwrap();
    let one = |o: &cardan_program::OutputId| (f.program.outputs()[*o].label.name.clone(), values[o.index()]);
    array.outputs.iter().map(one).collect()
}

/// M du/dt = f + G^T r with all rows. Gives reactions and outputs with their names, and how many rows repeat others.
fn check(name: &str, text: &str) -> (Vec<(String, f64)>, usize) {
    let model = compile_text(name, text).model.unwrap();
    let choice = choose(&model, None).unwrap();
    if choice.equations.augmented.is_none() {
        return (vec![], 0);
    }
    let mut questions = vec![
        Question::Derivatives,
        Question::Mass,
        Question::Forcing,
        Question::Residuals,
        Question::Reactions,
    ];
    questions.extend((!model.outputs.is_empty()).then_some(Question::Outputs));
    let request = Request { questions, by: vec![], fix: Fix::Nothing };
    let f = functions(&choice, &request).unwrap();
    let settings = cardan_sim::Settings::of(&model, &cardan_assembly::ParameterValues::of(&model)).unwrap();
    let complete = cardan_emit::complete(&choice, &settings, &Fix::Nothing).unwrap();
    let start = complete.simulation.states.iter().map(|s| match s.start {
        cardan_codegen::Start::Value(x) => x,
        cardan_codegen::Start::Output(_) => panic!("the loops of {name} are closed before"),
    });
    let layout = &choice.lowered.layout.inputs;
    let mut inputs = layout.defaults(f.program.inputs().len());
    inputs.resize(f.program.inputs().len(), 0.0);
    inputs[layout.time.index()] = settings.from;
    let first = layout.coordinates.start;
    let state: Vec<f64> = start.collect();
    inputs[first..first + state.len()].copy_from_slice(&state);
    let mut y = vec![0.0; f.program.outputs().len()];
    Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &inputs, &mut y).unwrap();

    let n = model.speeds.len();
    let nq = model.coordinates.len();
    let du: Vec<f64> = results(&f, &y, "derivatives", "dx")[nq..nq + n].iter().map(|r| r.1).collect();
    let mut force: Vec<f64> = results(&f, &y, "forcing", "f").iter().map(|r| -r.1).collect();
    let triangle = results(&f, &y, "mass_matrix", "m");
    for i in 0..n {
        for j in 0..=i {
            let m = triangle[i * (i + 1) / 2 + j].1;
            force[i] += m * du[j];
            if i != j {
                force[j] += m * du[i];
            }
        }
    }
    let named = results(&f, &y, "reactions", "r");
    let r: Vec<f64> = named.iter().map(|r| r.1).collect();
    let gaps = results(&f, &y, "residuals", "v");
    assert_eq!(r.len(), gaps.len() + choice.equations.constraints.implied.len(), "{name}");
    let mut g = Matrix::zeros(n, gaps.len());
    for (label, value) in results(&f, &y, "residuals", "gu") {
        let place: Vec<usize> =
            label.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        g[(place[1] - 1, place[0] - 1)] = value;
    }
    let size = force.iter().chain(&r).fold(1.0, |a: f64, b| a.max(b.abs()));
    for i in 0..n {
        let found: f64 = (0..gaps.len()).map(|k| g[(i, k)] * r[k]).sum();
        assert!((found - force[i]).abs() < 1e-9 * size, "{name}: {found} instead of {}", force[i]);
    }
    let asked = f.library.functions.iter().find(|g| g.name == "outputs");
    let outputs = asked.map_or(vec![], |g| results(&f, &y, "outputs", &g.results[0].name));
    (named.into_iter().chain(outputs).collect(), choice.equations.constraints.repeated.len())
}

#[test]
fn models_of_the_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut n_loops = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "mbs") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            check(&name, &std::fs::read_to_string(&path).unwrap());
            n_loops += 1;
        }
    }
    assert!(n_loops > 5);
}

#[test]
fn rows_that_repeat_others_share_the_load() {
    let (found, n_repeated) = check("cranks", CRANKS);
    assert!(n_repeated > 0);
    // Whether a model looks at its reactions or not, they are the same; and they are what a run says that the joints bear.
    let outputs = "\noutput n2 = mag(two.force)\noutput n3 = mag(three.force)";
    let (same, _) = check("cranks", &format!("{CRANKS}{outputs}"));
    for (joint, output) in [("two", "n2"), ("three", "n3")] {
        let force = |list: &[(String, f64)]| {
            let translations = (1..=3).map(|k| format!("reaction({joint}.{k})"));
            let values = translations.filter_map(|n| Some(list.iter().find(|(name, _)| *name == n)?.1));
            values.map(|x| x * x).sum::<f64>().sqrt()
        };
        let expected = same.iter().find(|(name, _)| name == output).unwrap().1;
        assert!(expected > 0.1, "{joint} bears nothing");
        for list in [&found, &same] {
            assert!((force(list) - expected).abs() < 1e-9 * expected, "{joint}: {} {expected}", force(list));
        }
    }
}

/// The joints of a tree and of a tree with loops do what the outputs of a run say.
#[test]
fn joints_of_the_tree_do_what_a_run_says() {
    let tree = "model two \"Two rods\"
gravity = -9.81 [m/s^2] * N.z
body a on N by rotate(y = p) { mass = 2 [kg]; inertia = (0.1, 0.2, 0.05) [kg*m^2]; center = (0, 0, -0.5) [m] }
body b on a by rotate(x = q) at (0, 0, -1) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0.02) [kg*m^2]; center = (0.1, 0, -0.4) [m] }
start { p = 40 [deg]; q = 20 [deg]; a.u = 1 [rad/s]; b.u = -2 [rad/s] }
simulate { to = 1 [s] }";
    for (name, text, n_joints) in [("two", tree, 2), ("cranks", CRANKS, 4)] {
        let mut model = compile_text(name, text).model.unwrap();
        model.ask_for_reactions();
        let choice = choose(&model, None).unwrap();
        let request = Request {
            questions: vec![Question::Outputs, Question::Reactions],
            by: vec![],
            fix: Fix::Nothing,
        };
        let f = functions(&choice, &request).unwrap();
        let layout = &choice.lowered.layout.inputs;
        let mut inputs = layout.defaults(f.program.inputs().len());
        inputs.resize(f.program.inputs().len(), 0.0);
        inputs[layout.time.index()] = 0.0;
        let first = layout.coordinates.start;
        let angles = if name == "two" {
            vec![0.7, 0.35, 1.0, -2.0]
        } else {
            vec![0.7, -0.7, 0.7, 0.7, 2.0, -2.0, 2.0, 2.0]
        };
        inputs[first..first + angles.len()].copy_from_slice(&angles);
        let mut y = vec![0.0; f.program.outputs().len()];
        Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &inputs, &mut y).unwrap();
        let asked = f.library.functions.iter().find(|g| g.name == "outputs").unwrap();
        let outputs = results(&f, &y, "outputs", &asked.results[0].name);
        let joints = results(&f, &y, "reactions", "j");
        assert_eq!(joints.len(), 6 * n_joints, "{joints:?}");
        assert!(joints.iter().any(|(_, x)| x.abs() > 1.0));
        for (component, value) in joints {
            let told =
                outputs.iter().find(|(n, _)| *n == component).unwrap_or_else(|| panic!("{component}")).1;
            assert!(
                (told - value).abs() < 1e-9 * (1.0 + told.abs()),
                "{component}: {value} instead of {told}"
            );
        }
    }
}

/// A rod that hangs at rest on its pin: the pin bears its weight.
#[test]
fn a_pin_bears_the_weight_of_a_hanging_rod() {
    let text = "model rod
gravity = -9.81 [m/s^2] * N.z
body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (1, 1, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m] }";
    let mut model = compile_text("rod", text).model.unwrap();
    model.ask_for_joint_reactions();
    let choice = choose(&model, None).unwrap();
    let request = Request { questions: vec![Question::Reactions], by: vec![], fix: Fix::Nothing };
    let f = functions(&choice, &request).unwrap();
    let inputs = vec![0.0; f.program.inputs().len()];
    let mut y = vec![0.0; f.program.outputs().len()];
    Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &inputs, &mut y).unwrap();
    let joints = results(&f, &y, "reactions", "j");
    assert!((joints[2].1 - 2.0 * 9.81).abs() < 1e-12 && joints[2].0 == "rod.force.z", "{joints:?}");
}
