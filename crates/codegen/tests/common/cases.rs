//! Programs to be written, compiled and run, with the interpreter's results and how much they may differ.
//!
//! Library functions differ between languages in their last digits, and a badly conditioned program enlarges
//! such differences without limit. So each program is also run with every elementary function's result moved
//! by a few units in the last place: what moves the outputs there may move them in another language too.

use cardan_base::Id;
use cardan_codegen::{Argument, FunctionSpec, Library, Results};
use cardan_program::testing::{Dice, Flavour, Shape, host, random_inputs, random_program};
use cardan_program::{
    Binary, Compare, Execute, Interpreter, Label, Math, Op, Program, ProgramBuilder, Stages, Unary, ValueId,
};

/// A program with inputs.
pub struct Case {
    pub program: Program,
    pub library: Library,
    pub inputs: Vec<Vec<f64>>,
    pub expected: Vec<Vec<Expected>>,
}

/// What one output should be.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub value: f64,
    /// Absolute tolerance; infinite if the output is too sensitive to be compared.
    pub tolerance: f64,
}

impl Expected {
    pub fn admits(&self, found: f64) -> bool {
        let equal = found == self.value || (found.is_nan() && self.value.is_nan());
        equal || self.tolerance == f64::INFINITY || (found - self.value).abs() <= self.tolerance
    }
}

impl Case {
    pub fn new(program: Program, library: Library, inputs: Vec<Vec<f64>>) -> Self {
        let mut moved: Vec<Program> = (0..6).map(|seed| perturbed(&program, seed)).collect();
        moved.insert(0, program.clone());
        let mut expected = Vec::new();
        for x in &inputs {
            let runs: Vec<Vec<f64>> = moved.iter().map(|p| results(p, &library, x)).collect();
            let one = |k: usize| {
                let value = runs[0][k];
                let same = |y: f64| y == value || (y.is_nan() && value.is_nan());
                let spread = runs.iter().map(|r| r[k]).filter(|y| !same(*y)).map(|y| (y - value).abs());
                let spread = spread.fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) });
                Expected { value, tolerance: 1e-12 * value.abs() + 50.0 * spread + 1e-300 }
            };
            expected.push((0..runs[0].len()).map(one).collect());
        }
        Case { program, library, inputs, expected }
    }
}

/// The interpreter's results of all functions in order.
fn results(program: &Program, library: &Library, inputs: &[f64]) -> Vec<f64> {
    let mut interpreter = Interpreter::with_host(program, &host()).unwrap();
    let mut outputs = vec![0.0; program.outputs().len()];
    let mut list = Vec::new();
    let all = program.all_stages();
    for f in &library.functions {
        // What earlier functions computed is still there; singular systems are part of the meaning.
        let _ = interpreter.run(Stages { first: all.first, last: all.last }, inputs, &mut outputs);
        list.extend(f.results.iter().flat_map(|r| &r.outputs).map(|o| outputs[o.index()]));
    }
    list
}

fn is_library_function(op: &Op) -> bool {
    match op {
        Op::Unary(u, _) => !matches!(u, Unary::Neg | Unary::Abs | Unary::Sign | Unary::Floor),
        Op::Binary(b, ..) => matches!(b, Binary::Atan2 | Binary::Pow),
        Op::Fma(..) => true,
        _ => false,
    }
}

/// The program with the results of elementary functions moved by up to four units in the last place.
fn perturbed(program: &Program, seed: u64) -> Program {
    let mut dice = Dice::new(seed);
    let mut builder = ProgramBuilder::like(program, Math::Strict);
    let mut map: Vec<ValueId> = Vec::new();
    for (_, op) in program.values().iter() {
        let moved = match op {
            Op::Input(i) => builder.input_value(*i),
            op => {
                let value = builder.op(op.map_operands(|v| map[v.index()]));
                if is_library_function(op) {
                    let factor = builder.constant(1.0 + 4.0 * f64::EPSILON * dice.unit());
                    builder.mul(value, factor)
                } else {
                    value
                }
            }
        };
        map.push(moved);
    }
    for (_, o) in program.outputs().iter() {
        builder.output(o.label.clone(), o.stage, map[o.value.index()]);
    }
    builder.finish().unwrap()
}

/// Random programs of every flavour, as one function each or one per stage.
pub fn random_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for seed in 0..14 {
        let (flavour, n_values) = match seed {
            0..3 => (Flavour::Arithmetic, 250),
            3..7 => (Flavour::Smooth, 200),
            _ => (Flavour::Everything, 160),
        };
        let shape = Shape { flavour, n_values, n_inputs: 6, n_outputs: 12, n_stages: 3 };
        let program = random_program(seed, &shape);
        let library = if seed % 3 == 0 { Library::whole(&program) } else { Library::by_stage(&program) };
        let wild = flavour == Flavour::Everything;
        let inputs = (0..4).map(|k| random_inputs(100 * seed + k, &program, wild && k > 1)).collect();
        cases.push(Case::new(program, library, inputs));
    }
    cases
}

/// A pendulum with a stop: names, units and descriptions as a model has them.
pub fn pendulum() -> Program {
    let mut b = ProgramBuilder::new("pendulum", ["setup", "motion", "report"], Math::Strict);
    let [setup, motion, report] = ["setup", "motion", "report"].map(|s| b.stage(s).unwrap());
    let m = b.input(Label::new("m", "kg", "mass of the bob"), setup);
    let l = b.input(Label::new("L", "m", "length of the rod"), setup);
    let g = b.input(Label::new("g", "m/s^2", "gravity"), setup);
    let k = b.input(Label::new("k.stop", "N*m/rad", "stiffness of the stop"), setup);
    let t = b.input(Label::new("t", "s", "time"), motion);
    let q = b.input(Label::new("θ", "rad", "angle from the vertical"), motion);
    let u = b.input(Label::new("der(θ)", "rad/s", "angular velocity"), motion);

    let l2 = b.powi(l, 2);
    let inertia = b.mul(m, l2);
    let weight = b.mul(m, g);
    let moment = b.mul(weight, l);
    let sine = b.unary(Unary::Sin, q);
    let pull = b.mul(moment, sine);
    let limit = b.constant(0.5);
    let excess = b.sub(q, limit);
    let hit = b.compare(Compare::Lt, limit, q);
    let push = b.mul(k, excess);
    let zero = b.constant(0.0);
    let stop = b.select(hit, push, zero);
    let drive = b.unary(Unary::Cos, t);
    let torque = b.sub(drive, pull);
    let torque = b.sub(torque, stop);
    let acceleration = b.div(torque, inertia);
    let cosine = b.unary(Unary::Cos, q);
    let one = b.constant(1.0);
    let height = b.sub(one, cosine);
    let potential = b.mul(moment, height);
    let half = b.constant(0.5);
    let u2 = b.powi(u, 2);
    let half_inertia = b.mul(half, inertia);
    let kinetic = b.mul(half_inertia, u2);
    let energy = b.add(kinetic, potential);

    let start = b.constant(0.3);
    b.output(Label::new("start angle", "rad", "angle at the beginning"), setup, start);
    b.output(Label::new("der(θ)", "rad/s", "angular velocity"), motion, u);
    b.output(Label::new("der(der(θ))", "rad/s^2", "angular acceleration"), motion, acceleration);
    b.output(Label::new("energy", "J", "kinetic and potential energy"), report, energy);
    b.output(Label::new("torque of the stop", "N*m", ""), report, stop);
    b.output(Label::new("hit", "", "whether the stop is touched"), report, hit);
    b.finish().unwrap()
}

/// The pendulum as functions `setup`, `derivatives`, `outputs`.
pub fn pendulum_library(program: &Program) -> Library {
    let input = |names: &[&str]| names.iter().map(|n| program.input_named(n).unwrap()).collect::<Vec<_>>();
    let output = |names: &[&str]| names.iter().map(|n| program.output_named(n).unwrap()).collect::<Vec<_>>();
    let stage = |name: &str| program.stage(name).unwrap();
    let time = || Argument::scalar("t", program.input_named("t").unwrap(), "time");
    let state = || Argument::array("x", input(&["θ", "der(θ)"]), "state");
    let reports = output(&["energy", "torque of the stop", "hit"]);
    Library {
        name: "pendulum".into(),
        version: "1.2".into(),
        doc: "A driven pendulum with an elastic stop.".into(),
        provided: vec![],
        functions: vec![
            FunctionSpec {
                name: "setup".into(),
                doc: "Computes what depends on parameters alone.".into(),
                stages: stage("setup").into(),
                arguments: vec![Argument::array("p", input(&["m", "L", "g", "k.stop"]), "parameters")],
                results: vec![Results::new("start", output(&["start angle"]), "values at the beginning")],
            },
            FunctionSpec {
                name: "derivatives".into(),
                doc: "Computes the time derivatives of the state.".into(),
                stages: stage("motion").into(),
                arguments: vec![time(), state()],
                results: vec![Results::new(
                    "dx",
                    output(&["der(θ)", "der(der(θ))"]),
                    "time derivatives of the state",
                )],
            },
            FunctionSpec {
                name: "outputs".into(),
                doc: "Computes what is reported.".into(),
                stages: Stages { first: stage("motion"), last: stage("report") },
                arguments: vec![time(), state()],
                results: vec![Results::new("y", reports, "reported quantities")],
            },
        ],
    }
}

/// The pendulum with some inputs.
pub fn pendulum_case() -> Case {
    let program = pendulum();
    let library = pendulum_library(&program);
    let inputs = vec![vec![1.5, 0.8, 9.81, 30.0, 0.7, 0.4, -2.0], vec![1.0, 1.0, 9.81, 30.0, 0.0, 0.9, 1.0]];
    Case::new(program, library, inputs)
}

/// A program whose texts try to break every language.
pub fn awkward_case() -> Case {
    let texts = [
        "*/ // \\",
        "\"\"\"",
        "a\r\nb",
        "if",
        "end",
        "lambda",
        "'quoted'",
        "% #{ %{",
        "??/",
        "\u{202E}abc",
        "é ü 漢",
        "int",
        "INT",
        "x_dot",
        "der(x)",
        "x'",
        "[link](http://x) <b>",
        "&amp; &",
        "{{",
        "@NAME@",
        "z1",
        "w",
        "sin",
        "n_work",
        "_",
        "3",
        "very long name that goes on and on and on until it no longer fits anywhere at all",
    ];
    let mut b = ProgramBuilder::new("awkward \"*/ \\", ["first*/", "s%econd'"], Math::Strict);
    let [first, second] = ["first*/", "s%econd'"].map(|s| b.stage(s).unwrap());
    let inputs: Vec<ValueId> = texts.iter().map(|t| b.input(Label::new(*t, *t, *t), first)).collect();
    let mut sums = Vec::new();
    for (k, text) in texts.iter().enumerate() {
        let other = inputs[(3 * k + 1) % inputs.len()];
        let product = b.mul(inputs[k], other);
        let late = b.set_earliest_stage(second);
        let sum = b.add(product, *sums.last().unwrap_or(&inputs[0]));
        b.set_earliest_stage(late);
        sums.push(sum);
        b.output(Label::new(*text, *text, *text), second, sum);
    }
    let program = b.finish().unwrap();
    let function = |name: &str, stages: Stages, outputs| FunctionSpec {
        name: name.into(),
        doc: texts.join(" "),
        stages,
        arguments: vec![Argument::array("x", program.inputs().ids().collect(), texts.join(" "))],
        results: vec![Results::new("y", outputs, texts.join(" "))],
    };
    let functions = vec![
        function("begin", first.into(), Vec::new()),
        function("finish", second.into(), program.outputs().ids().collect()),
    ];
    let library = Library {
        name: "awkward".into(),
        version: texts.join(" "),
        doc: texts.join("\n"),
        functions,
        provided: vec![],
    };
    let inputs = (0..texts.len()).map(|k| 0.25 * k as f64 - 1.0).collect();
    Case::new(program, library, vec![inputs])
}
