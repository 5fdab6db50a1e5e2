//! Complete programs in every language: compiled with all warnings, run with a parameter file, and compared with
//! an integration of the interpreter.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use cardan_base::Id;
use cardan_codegen::{Method, Parameter, Simulation, Start, State, Target, emit_simulation};
use cardan_program::{Execute, InputId, Interpreter, Label, Math, Program, ProgramBuilder};
use common::cases::pendulum;
use common::toolchains::{LANGUAGES, built, host_file, ready, run_built};
use common::tools::{folder, numbers, write};

const RK4: Method = Method::RungeKutta4 { step: 0.01 };
const DOPRI5: Method = Method::DormandPrince { relative: 1e-9, absolute: 1e-9 };
const N_LINES: usize = 21;

fn simulation(program: &Program, method: Method) -> Simulation {
    let input = |name: &str| program.input_named(name).unwrap();
    let output = |name: &str| program.output_named(name).unwrap();
    let parameter = |name: &str, default: f64| Parameter { input: input(name), default };
    Simulation {
        name: "pendulum".into(),
        version: "1.2".into(),
        doc: "A driven pendulum with an elastic stop.".into(),
        provided: vec![],
        setup: program.stage("setup").unwrap(),
        parameters: vec![
            parameter("m", 1.5),
            parameter("L", 0.8),
            parameter("g", 9.81),
            parameter("k.stop", 2.0),
        ],
        time: Some(input("t")),
        states: vec![
            State {
                input: input("θ"),
                derivative: output("der(θ)"),
                start: Start::Output(output("start angle")),
            },
            State { input: input("der(θ)"), derivative: output("der(der(θ))"), start: Start::Value(-1.0) },
        ],
        reports: vec![output("der(θ)"), output("energy"), output("torque of the stop"), output("hit")],
        audited: false,
        t_start: 0.0,
        t_end: 2.0,
        every: 0.1,
        method,
        correction: None,
        events: None,
    }
}

/// What the parameter file changes.
const PARAMETERS: &str = "# a comment\n\nL = 0.9   # longer\n  k.stop=3.5\nder(θ) = 2.5e0\n";

/// The interpreter integrated with the classical Runge-Kutta method: time, reports.
fn reference(program: &Program, step: f64) -> Vec<Vec<f64>> {
    let mut interpreter = Interpreter::new(program).unwrap();
    let mut outputs = vec![0.0; program.outputs().len()];
    let all = program.all_stages();
    let mut evaluate = |t: f64, x: [f64; 2]| {
        interpreter.run(all, &[1.5, 0.9, 9.81, 3.5, t, x[0], x[1]], &mut outputs).unwrap();
        outputs.clone()
    };
    let moved = |x: [f64; 2], h: f64, k: [f64; 2]| [x[0] + h * k[0], x[1] + h * k[1]];
    let mut x = [0.3, 2.5];
    let mut lines = Vec::new();
    for line in 0..N_LINES {
        let t = 0.1 * line as f64;
        let y = evaluate(t, x);
        lines.push(vec![t, x[1], y[3], y[4], y[5]]);
        let n = (0.1 / step).round() as usize;
        for k in 0..n {
            let h = 0.1 / n as f64;
            let t = t + k as f64 * h;
            let mut rates = |t, x| {
                let y = evaluate(t, x);
                [y[1], y[2]]
            };
            let k1 = rates(t, x);
            let k2 = rates(t + 0.5 * h, moved(x, 0.5 * h, k1));
            let k3 = rates(t + 0.5 * h, moved(x, 0.5 * h, k2));
            let k4 = rates(t + h, moved(x, h, k3));
            x = [0, 1].map(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
    }
    lines
}

/// The smallest simulation: x' = -x with no parameters, no time, nothing to set up.
fn decay() -> (Program, Simulation) {
    let mut b = ProgramBuilder::new("decay", ["setup", "motion"], Math::Strict);
    let [setup, motion] = ["setup", "motion"].map(|s| b.stage(s).unwrap());
    let x = b.input(Label::named("x"), motion);
    let rate = b.neg(x);
    let derivative = b.output(Label::named("der(x)"), motion, rate);
    let shown = b.output(Label::named("x"), motion, x);
    let program = b.finish().unwrap();
    let input = program.input_named("x").unwrap();
    let simulation = Simulation {
        name: "pendulum".into(),
        version: String::new(),
        doc: String::new(),
        provided: vec![],
        setup,
        parameters: vec![],
        time: None,
        states: vec![State { input, derivative, start: Start::Value(2.0) }],
        reports: vec![shown],
        audited: false,
        t_start: 1.0,
        t_end: 2.05,
        every: 0.25,
        method: RK4,
        correction: None,
        events: None,
    };
    (program, simulation)
}

fn check_decay(target: Target) {
    let (program, mut simulation) = decay();
    for (method, name, tolerance) in [(RK4, "rk4", 1e-8), (DOPRI5, "dopri5", 1e-7)] {
        simulation.method = method;
        let path = folder(&format!("decay-{}-{name}", target.name()));
        write(&path, &emit_simulation(&program, &simulation, target).unwrap());
        let command = built(target, &path, "pendulum", None);
        run_built(&path, &command);
        let table = std::fs::read_to_string(path.join("pendulum.csv")).unwrap();
        let found: Vec<Vec<f64>> = table.lines().skip(1).map(|l| numbers(&l.replace(',', "\n"))).collect();
        let times: Vec<f64> = found.iter().map(|l| l[0]).collect();
        assert_eq!(times, [1.0, 1.25, 1.5, 1.75, 2.0, 2.05], "{target:?} {name}");
        for line in &found {
            let exact = 2.0 * (1.0 - line[0]).exp();
            assert!(line.len() == 2 && (line[1] - exact).abs() < tolerance, "{target:?} {name}: {line:?}");
        }
    }
}

/// Writes, builds and runs the program with both methods, then with a wrong parameter file.
fn check(target: Target) {
    if !ready(target) {
        return;
    }
    check_decay(target);
    let program = pendulum();
    for (method, name, step, tolerance) in [(RK4, "rk4", 0.01, 1e-11), (DOPRI5, "dopri5", 1e-4, 3e-7)] {
        let path = folder(&format!("simulation-{}-{name}", target.name()));
        let files = emit_simulation(&program, &simulation(&program, method), target).unwrap();
        write(&path, &files);
        for file in &files {
            let limit = if target == Target::Fortran77 { 72 } else { 100 };
            let text = String::from_utf8_lossy(file.bytes());
            let wide = text.lines().find(|l| l.chars().count() > limit && !l.starts_with('C'));
            assert_eq!(wide, None, "{} has a long line", file.name);
        }
        let known = std::fs::read_to_string(path.join("pendulum_defaults.par")).unwrap();
        for line in ["L = 0.8", "der(θ) = -1.0", "#θ = 0.3", "every = 0.1"] {
            assert!(known.lines().any(|l| l == line), "{target:?}: {line} in\n{known}");
        }
        std::fs::write(path.join("pendulum.par"), known).unwrap();
        let command = built(target, &path, "pendulum", None);
        run_built(&path, &command);
        let usual = std::fs::read_to_string(path.join("pendulum.csv")).unwrap();
        let third = usual.lines().nth(4).unwrap();
        assert!(third.starts_with("0.3,"), "{target:?}: 3 · 0.1 is 0.3, not {third}");
        std::fs::remove_file(path.join("pendulum.par")).unwrap();
        run_built(&path, &command);
        assert_eq!(std::fs::read_to_string(path.join("pendulum.csv")).unwrap(), usual, "{target:?} {name}");
        std::fs::write(path.join("pendulum.par"), PARAMETERS).unwrap();
        let command = built(target, &path, "pendulum", None);
        run_built(&path, &command);
        let table = std::fs::read_to_string(path.join("pendulum.csv")).unwrap();
        let mut lines = table.lines();
        let header = "t [s],der(θ) [rad/s],energy [J],torque of the stop [N*m],hit";
        assert_eq!(lines.next(), Some(header));
        let found: Vec<Vec<f64>> = lines.map(|l| numbers(&l.replace(',', "\n"))).collect();
        let expected = reference(&program, step);
        assert_eq!(found.len(), N_LINES);
        let hits: f64 = expected.iter().map(|l| l[4]).sum();
        assert!(hits > 0.0 && hits < N_LINES as f64, "the stop should be touched at times");
        for (f, e) in found.iter().zip(&expected) {
            for (a, b) in f.iter().zip(e) {
                assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{target:?} {name}: {f:?} and {e:?}");
            }
        }
        let own = if method == RK4 {
            ("step = 0", "step must be positive")
        } else {
            ("relative = 0", "relative must be positive")
        };
        for (line, complaint) in [
            ("Ell = 0.9", "unknown name: Ell"),
            ("t_end = -1", "t_end must not be before t_start"),
            ("every = 0", "every must be positive"),
            own,
        ] {
            std::fs::write(path.join("pendulum.par"), format!("{line}\n")).unwrap();
            let mut refused = std::process::Command::new(&command[0]);
            let output = refused.args(&command[1..]).current_dir(&path).output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && message.contains(complaint), "{target:?} {line}: {message}");
        }
    }
}

#[test]
fn c() {
    check(Target::C);
}

#[test]
fn cpp() {
    check(Target::Cpp);
}

#[test]
fn rust() {
    check(Target::Rust);
}

#[test]
fn fortran() {
    check(Target::Fortran);
}

#[test]
fn fortran_77() {
    check(Target::Fortran77);
}

#[test]
fn python_numpy() {
    check(Target::Python);
}

#[test]
fn matlab_octave() {
    check(Target::Matlab);
}

#[test]
fn infinite_numbers_are_refused() {
    let program = pendulum();
    let mut endless = simulation(&program, RK4);
    endless.t_end = f64::INFINITY;
    let message = emit_simulation(&program, &endless, Target::C).unwrap_err().to_string();
    assert_eq!(message, "the end of the simulation is not a finite number");
}

/// x' = product(-1, x) - x = -2 x - 1 with the host's product(a, b) = a b + a, beginning at 1.
fn with_host() -> (Program, Simulation) {
    let mut b = ProgramBuilder::new("host", ["setup", "motion"], Math::Strict);
    let motion = b.stage("motion").unwrap();
    let label = Label::named("x \"@NAME@\" \\ '%d");
    let x = b.input(label.clone(), motion);
    let product = b.function("product", 2);
    let minus_one = b.constant(-1.0);
    let called = b.call(product, &[minus_one, x]);
    let rate = b.sub(called, x);
    let derivative = b.output(Label::named("der(x)"), motion, rate);
    let shown = b.output(label, motion, x);
    let program = b.finish().unwrap();
    let (_, mut simulation) = decay();
    simulation.reports = vec![shown];
    simulation.states = vec![State { input: InputId::from_index(0), derivative, start: Start::Value(1.0) }];
    (program, simulation)
}

#[test]
fn functions_of_the_host() {
    for target in LANGUAGES.into_iter().filter(|t| ready(*t)) {
        let (program, simulation) = with_host();
        let path = folder(&format!("host-{}", target.name()));
        write(&path, &emit_simulation(&program, &simulation, target).unwrap());
        let (file, text) = host_file(target, "pendulum");
        std::fs::write(path.join(file), text).unwrap();
        run_built(&path, &built(target, &path, "pendulum", Some(file)));
        let table = std::fs::read_to_string(path.join("pendulum.csv")).unwrap();
        assert_eq!(table.lines().next(), Some("t [s],\"x \"\"@NAME@\"\" \\ '%d\""));
        let last = numbers(&table.lines().last().unwrap().replace(',', "\n"));
        let exact = 1.5 * (2.0 * (1.0 - 2.05f64)).exp() - 0.5;
        assert!((last[1] - exact).abs() < 1e-7, "{target:?}: {last:?}, not {exact}");
    }
}
