//! Every model of the library in every language: written, compiled with all warnings, run, equal to the interpreter.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use std::path::Path;
use std::sync::LazyLock;

use cardan_base::Id;
use cardan_codegen::{FunctionSpec, Target, Work, emit, interface};
use cardan_compile::{Choice, choose};
use cardan_emit::{By, Fix, Functions, Question, Request, functions};
use cardan_model::Model;
use cardan_program::{Execute, Interpreter};
use common::cases::Case;
use common::languages;

/// The models of the library by file name.
fn library() -> Vec<(String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mbs"));
    paths.sort();
    let autosim = |p: &std::path::PathBuf| {
        let text = std::fs::read_to_string(p).unwrap();
        let mut sources = cardan_base::Sources::new();
        let file = sources.add("spacecraft.lsp", text);
        let mut read = |written: &str| std::fs::read_to_string(folder.join(written)).ok();
        let (native, _) = cardan_import::autosim::translate(file, "spacecraft", &mut sources, &mut read);
        (
            "spacecraft-lsp".to_owned(),
            cardan_lang::compile_text("spacecraft", &native.unwrap().text).model.unwrap(),
        )
    };
    let read = |p: &std::path::PathBuf| {
        let name = p.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(p).unwrap();
        (name.clone(), cardan_lang::compile_text(&name, &text).model.unwrap())
    };
    let deck = folder.join("spacecraft.lsp");
    paths.iter().map(read).chain([autosim(&deck)]).collect()
}

/// All that can be asked of a model.
fn everything(choice: &Choice) -> Request {
    let loops = choice.equations.augmented.is_some();
    let asked = |q: &Question| match q {
        Question::Residuals => loops,
        Question::Reactions => loops || !choice.model.reactions.is_empty(),
        _ => true,
    };
    let questions = Question::ALL.iter().map(|(q, _)| *q).filter(asked).collect();
    let by = vec![By::States, By::Parameters, By::Time];
    Request { questions, by, fix: Fix::Nothing }
}

/// The function of this name.
fn function<'a>(functions: &'a Functions, name: &str) -> &'a FunctionSpec {
    functions.library.functions.iter().find(|f| f.name == name).unwrap()
}

/// A point near the start: default parameters (one where there is none), and everything else moved a little.
fn inputs(choice: &Choice, functions: &Functions, seed: u64) -> Vec<f64> {
    let mut dice = cardan_testkit::Random::new(seed);
    let layout = &choice.lowered.layout;
    let mut given = layout.inputs.defaults(choice.lowered.program.inputs().len());
    given.iter_mut().for_each(|x| *x = if x.is_nan() { 1.0 } else { *x });
    let mut outputs = vec![0.0; choice.lowered.program.outputs().len()];
    let mut interpreter = Interpreter::new(&choice.lowered.program).unwrap();
    let setup = choice.lowered.program.stage("setup").unwrap();
    interpreter.run(setup.into(), &given, &mut outputs).unwrap();
    let start = &outputs[layout.start.clone()];
    let program = &functions.program;
    let first = layout.inputs.coordinates.start;
    let mut all: Vec<f64> = given[..layout.inputs.parameters.len()].to_vec();
    all.push(0.3);
    all.extend(start.iter().map(|x| x + dice.between(-0.2, 0.2)));
    assert_eq!(first, layout.inputs.parameters.len() + 1);
    all.resize_with(program.inputs().len(), || dice.between(-1.0, 1.0));
    all
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let case = |(name, mut model): (String, Model)| {
        // Of a large model the reactions of its joints would be most of the text.
        if model.joints.len() <= 12 {
            model.ask_for_joint_reactions();
        }
        let choice = choose(&model, None).unwrap();
        let mut functions =
            functions(&choice, &everything(&choice)).unwrap_or_else(|e| panic!("{name}: {e}"));
        functions.library.name = name.replace('-', "_");
        let points = (0..2).map(|seed| inputs(&choice, &functions, seed)).collect();
        Case::new(functions.program, functions.library, points)
    };
    library().into_iter().map(case).collect()
});

#[test]
fn c() {
    languages::check_c99("models", &CASES);
}

#[test]
fn cpp() {
    languages::check_cpp17("models", &CASES);
}

#[test]
fn rust() {
    languages::check_rust("models", &CASES);
}

#[test]
fn fortran() {
    languages::check_fortran_2008("models", &CASES);
}

#[test]
fn fortran77() {
    languages::check_fortran_77("models", &CASES);
}

#[test]
fn python() {
    languages::check_python_numpy("models", &CASES);
}

#[test]
fn matlab() {
    languages::check_matlab_octave("models", &CASES);
}

#[test]
fn wasm() {
    languages::check_webassembly("models", &CASES);
}

/// Every language states the same operation counts, function by function.
#[test]
fn counts_are_the_same_in_every_language() {
    for case in CASES.iter() {
        let face = interface(&case.program, &case.library).unwrap();
        for (target, language) in Target::ALL {
            let files = emit(&case.program, &case.library, target).unwrap();
            let text: String =
                files.iter().map(|f| String::from_utf8_lossy(f.bytes()).into_owned()).collect();
            // Long lines are folded, each with its comment sign.
            let flat: Vec<&str> = text
                .split_whitespace()
                .filter(|w| !["//", "//!", "!", "C", "#", "%", ";;"].contains(w))
                .collect();
            let flat = flat.join(" ").to_lowercase();
            for (f, counts) in case.library.functions.iter().zip(&face.operations) {
                let expected = match counts.mul {
                    0 => continue,
                    n => format!("{}: {n} mul", f.name),
                };
                assert!(flat.contains(&expected), "{} in {language} lacks `{expected}`", case.library.name);
            }
        }
    }
}

/// Where there is a work array, every function after `setup` takes it, also one that has nothing to read there: the time derivative of
/// a pendulum that nothing drives.
#[test]
fn functions_are_called_alike() {
    for case in CASES.iter() {
        let face = interface(&case.program, &case.library).unwrap();
        assert!(face.functions.len() > 4, "{}", case.library.name);
        for (f, work) in case.library.functions.iter().zip(&face.functions) {
            let wanted = match f.name.as_str() {
                "defaults" => Work::Absent,
                _ if face.n_work == 0 => Work::Absent,
                "setup" => Work::Written,
                _ => Work::Read,
            };
            assert_eq!(*work, wanted, "{}: {}", case.library.name, f.name);
        }
    }
}

/// What a function costs is not changed by what else is asked.
#[test]
fn derivatives_cost_what_the_formalism_says() {
    for (name, model) in library() {
        let choice = choose(&model, None).unwrap();
        let functions = functions(&choice, &everything(&choice)).unwrap();
        let face = interface(&functions.program, &functions.library).unwrap();
        let index = functions.library.functions.iter().position(|f| f.name == "derivatives").unwrap();
        let found = face.operations[index].total();
        let bare = cardan_lower::SimulationOptions { works: false, pictures: false, ..Default::default() };
        let alone = cardan_lower::simulation_program_with(&choice.model, &choice.equations, &bare).unwrap();
        let expected = cardan_lower::counts_per_step(&alone.program).total();
        assert!(found <= expected, "{name}: {found} operations instead of {expected}");
    }
}

/// Fixed parameters leave no arguments, and fewer operations, but the same numbers.
#[test]
fn fixed_parameters_are_numbers_in_the_code() {
    for (name, model) in library() {
        let choice = choose(&model, None).unwrap();
        if !cardan_assembly::ParameterValues::of(&model).missing.is_empty() {
            continue;
        }
        let ask = |fix: Fix| functions(&choice, &Request { fix, ..Request::default() }).unwrap();
        let (free, fixed) = (ask(Fix::Nothing), ask(Fix::Everything));
        assert!(function(&fixed, "setup").arguments[0].inputs.is_empty(), "{name}");
        assert!(fixed.library.functions.iter().all(|f| f.name != "defaults"), "{name}");
        let results = |f: &Functions, x: &[f64]| {
            let mut y = vec![0.0; f.program.outputs().len()];
            Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), x, &mut y).unwrap();
            y
        };
        let x = inputs(&choice, &free, 7);
        let n = function(&free, "setup").arguments[0].inputs.len();
        let expected = results(&free, &x);
        // The values of the parameters come first.
        for (a, b) in results(&fixed, &x[n..]).iter().zip(&expected[n..]) {
            assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{name}: {a} and {b}");
        }
        let total = |f: &Functions| {
            interface(&f.program, &f.library).unwrap().operations.iter().map(|c| c.total()).sum::<u64>()
        };
        assert!(total(&fixed) <= total(&free), "{name}");
    }
}

/// `defaults` delivers what `setup` takes, parameter by parameter; the tests of languages call it like any other function.
#[test]
fn defaults_are_those_of_the_model_in_the_order_of_the_arguments() {
    let mut n_described = 0;
    for (name, model) in library() {
        let choice = choose(&model, None).unwrap();
        let f = functions(&choice, &Request::default()).unwrap();
        let taken = &function(&f, "setup").arguments[0].inputs;
        if taken.is_empty() {
            continue;
        }
        let mut y = vec![0.0; f.program.outputs().len()];
        // Whatever is passed elsewhere.
        let x = vec![f64::NAN; f.program.inputs().len()];
        let setup = f.program.stage("setup").unwrap();
        Interpreter::new(&f.program).unwrap().run(setup.into(), &x, &mut y).unwrap();
        let given = &function(&f, "defaults").results[0].outputs;
        assert_eq!(given.len(), taken.len(), "{name}");
        let values = cardan_assembly::ParameterValues::of(&model);
        for (output, input) in given.iter().zip(taken) {
            let label = &f.program.outputs()[*output].label;
            let (_, parameter) =
                model.parameters.iter().find(|(_, p)| p.quantity.name == label.name).unwrap();
            assert_eq!(label.name, f.program.inputs()[*input].label.name, "{name}");
            assert_eq!(label.unit, f.program.inputs()[*input].label.unit, "{name}");
            assert_eq!(label.description, parameter.quantity.description, "{name}");
            assert_eq!(
                y[output.index()],
                values.evaluate(&model, parameter.symbol),
                "{name}: {}",
                label.name
            );
            n_described += usize::from(!label.description.is_empty());
        }
    }
    assert!(n_described > 10, "{n_described}");
}

/// A file in each language says what the parameters are called, measured in and for, and what they are in the model.
#[test]
fn every_language_lists_parameters_with_units_and_values() {
    let text = "model spring \"A cart\"
parameter k = 20 [N/m] \"stiffness of the spring\", rate = 90 [deg/s]
parameter c [N*s/m] \"damping\"
table lift(x [m]) [N] = linear { 0: 0, 1: 2, 2: 3 } \"what the wing bears\"
particle cart on N by translate(x = x) { mass = 2 [kg] }
force pull on cart.cm = (-k*x - c*cart.u + 1 [N]*sin(rate*t) + lift(x)) * N.x";
    let model = cardan_lang::compile_text("spring", text).model.unwrap();
    let choice = choose(&model, None).unwrap();
    let f = functions(&choice, &Request::default()).unwrap();
    for (target, language) in Target::ALL {
        let files = emit(&f.program, &f.library, target).unwrap();
        let text: String = files.iter().map(|f| String::from_utf8_lossy(f.bytes()).into_owned()).collect();
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for what in ["k [N/m] stiffness of the spring, 20 in the model", "1.5707963267948966 in the model"] {
            assert!(flat.contains(what), "{language} lacks `{what}`");
        }
        assert!(flat.contains("lift(x [m]) [N]: what the wing bears"), "{language}: {text}");
        if target != Target::Wasm {
            let remark = ["k [N/m]: stiffness of the spring", "damping, without value in the model"];
            assert!(remark.iter().all(|r| flat.contains(r)), "{language}: {text}");
        }
    }
    let mut y = vec![0.0; f.program.outputs().len()];
    let x = vec![1.0; f.program.inputs().len()];
    Interpreter::new(&f.program).unwrap().run(f.program.all_stages(), &x, &mut y).unwrap();
    let given: Vec<f64> = function(&f, "defaults").results[0].outputs.iter().map(|o| y[o.index()]).collect();
    assert_eq!(given[..2], [20.0, std::f64::consts::FRAC_PI_2]);
    assert!(given[2].is_nan());
}

/// Partial derivatives against central differences.
#[test]
fn jacobians_are_slopes() {
    for (name, model) in library() {
        let choice = choose(&model, None).unwrap();
        let request = Request {
            questions: vec![Question::Derivatives, Question::Jacobian],
            by: vec![By::States, By::Parameters, By::Time],
            fix: Fix::Nothing,
        };
        let f = functions(&choice, &request).unwrap();
        let mut interpreter = Interpreter::new(&f.program).unwrap();
        let mut results = |x: &[f64]| {
            let mut y = vec![0.0; f.program.outputs().len()];
            interpreter.run(f.program.all_stages(), x, &mut y).unwrap();
            y
        };
        let x = inputs(&choice, &f, 3);
        let at = results(&x);
        let derivatives = function(&f, "derivatives");
        let rates = &derivatives.results[0].outputs;
        let [p, t, s] = [
            function(&f, "setup").arguments[0].inputs.clone(),
            derivatives.arguments[0].inputs.clone(),
            derivatives.arguments[1].inputs.clone(),
        ];
        for function in f.library.functions.iter().filter(|f| f.name.starts_with("jacobian")) {
            let columns = match function.name.as_str() {
                "jacobian" => &s,
                "jacobian_parameters" => &p,
                _ => &t,
            };
            // Difference quotients, and how far those of a step and of half of it are apart.
            let mut slopes = vec![vec![(0.0, 0.0); columns.len()]; rates.len()];
            for (k, column) in columns.iter().enumerate() {
                let mut quotients = |h: f64| -> Vec<f64> {
                    let mut moved = |d: f64| {
                        let mut x = x.clone();
                        x[column.index()] += d;
                        results(&x)
                    };
                    let (above, below) = (moved(h), moved(-h));
                    rates.iter().map(|o| (above[o.index()] - below[o.index()]) / (2.0 * h)).collect()
                };
                let h = 1e-6 * (1.0 + x[column.index()].abs());
                for (row, (whole, half)) in slopes.iter_mut().zip(quotients(h).iter().zip(quotients(0.5 * h)))
                {
                    row[k] = (half, (whole - half).abs());
                }
            }
            for entry in &function.results[0].outputs {
                let label = &f.program.outputs()[*entry].label;
                let place: Vec<usize> = label
                    .description
                    .split(|c: char| !c.is_ascii_digit())
                    .filter_map(|n| n.parse().ok())
                    .collect();
                let (slope, doubt) = std::mem::take(&mut slopes[place[0] - 1][place[1] - 1]);
                let exact = at[entry.index()];
                let close = (slope - exact).abs() <= 1e-5 * (1.0 + exact.abs()) + 3.0 * doubt;
                assert!(close, "{name} {}: {exact}, difference quotient {slope}", label.name);
            }
            // What is left out is zero.
            let is_zero = |(slope, doubt): &(f64, f64)| slope.abs() < 1e-5 + 3.0 * doubt;
            assert!(slopes.iter().flatten().all(is_zero), "{name} {}: {slopes:?}", function.name);
        }
    }
}
