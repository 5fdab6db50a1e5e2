//! Tables, refusals, parameters, and expressions of unusual shapes.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use cardan_base::{Arena, Id};
use cardan_equations::{Formalism, derive};
use cardan_expr::{Expr, Function, Kind, Pool, Rational, TableId};
use cardan_kinematics::Vector;
use cardan_lower::{
    LowerError, Phase, Request, SimulationOptions, SimulationProgram, lower, simulation_program,
    simulation_program_with,
};
use cardan_model::{
    Body, Builder, CoordinateSpec, Interpolation, Load, LoadKind, Model, Output, Quantity, Step, Table,
};
use cardan_program::{Execute, Interpreter, Label, Program, Stages};
use cardan_units::Dimension;

fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    run_stages(program, program.all_stages(), inputs)
}

fn run_stages(program: &Program, stages: Stages, inputs: &[f64]) -> Vec<f64> {
    let mut outputs = vec![f64::NAN; program.outputs().len()];
    Interpreter::new(program).unwrap().run(stages, inputs, &mut outputs).unwrap();
    outputs
}

fn table(interpolation: Interpolation, y: Vec<f64>, values: Vec<f64>) -> Table {
    let arguments = ["x", "y"].into_iter().take(1 + usize::from(!y.is_empty()));
    Table {
        name: "T".into(),
        description: String::new(),
        arguments: arguments.map(|name| (name.into(), Dimension::ONE)).collect(),
        dimension: Dimension::ONE,
        interpolation,
        x: vec![0.0, 1.0, 3.0],
        y,
        values,
    }
}

#[test]
fn tables_are_looked_up() {
    let pool = Pool::new();
    let (x, y) = (pool.symbol("x", Kind::Coordinate), pool.symbol("y", Kind::Coordinate));
    let mut tables: Arena<TableId, Table> = Arena::new();
    let line = tables.push(table(Interpolation::Linear, vec![], vec![2.0, 4.0, 0.0]));
    // All x for the first y, then all x for the second.
    let grid =
        tables.push(table(Interpolation::Linear, vec![0.0, 10.0], vec![1.0, 2.0, 3.0, 11.0, 12.0, 13.0]));
    let mut request = Request::new("tables", &pool, &tables);
    request.input(x, Label::named("x"), Phase::Position);
    request.input(y, Label::named("y"), Phase::Position);
    let value = pool.call(Function::Table(line, [0, 0]), &[x]);
    let slope = pool.call(Function::Table(line, [1, 0]), &[x]);
    let height = pool.call(Function::Table(grid, [0, 0]), &[x, y]);
    for (name, e) in [("value", value), ("slope", slope), ("height", height)] {
        request.output(Label::named(name), e, Phase::Motion);
    }
    let program = lower(&request).unwrap();
    assert_eq!(run(&program, &[0.5, 0.0]), [3.0, 2.0, 1.5]);
    assert_eq!(run(&program, &[2.0, 5.0]), [2.0, -2.0, 7.5]);
    assert_eq!(run(&program, &[9.0, 99.0])[0], 0.0);
}

fn refusal(make: impl Fn(&Pool, &mut Request<'_>) -> Expr) -> LowerError {
    let pool = Pool::new();
    let tables = Arena::new();
    let mut request = Request::new("refused", &pool, &tables);
    let e = make(&pool, &mut request);
    request.output(Label::named("result"), e, Phase::Motion);
    lower(&request).unwrap_err()
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let unknown = refusal(|pool, _| pool.sin(pool.symbol("x", Kind::Coordinate)));
    assert_eq!(unknown, LowerError::NoMeaning { symbol: "x".into() });
    let circular = refusal(|pool, request| {
        let (a, b) = (pool.symbol("a", Kind::Parameter), pool.symbol("b", Kind::Parameter));
        request.given.insert(a, pool.add(b, pool.one()));
        request.given.insert(b, pool.cos(a));
        pool.mul(a, a)
    });
    assert!(matches!(circular, LowerError::Circular { .. }), "{circular}");
    let undefined = refusal(|pool, _| pool.div(pool.one(), pool.zero()));
    assert_eq!(undefined, LowerError::Undefined { output: "result".into() });

    let pool = Pool::new();
    let mut tables = Arena::new();
    tables.push(table(Interpolation::Monotone, vec![1.0, 0.0], vec![0.0; 6]));
    let refused = lower(&Request::new("refused", &pool, &tables)).unwrap_err();
    assert!(matches!(refused, LowerError::Table { .. }), "{refused}");
}

/// A chain of sums and one of functions, far deeper than any stack.
#[test]
fn deep_expressions_do_not_recurse() {
    let pool = Pool::new();
    let (x, y) = (pool.symbol("x", Kind::Coordinate), pool.symbol("y", Kind::Speed));
    let mut sum = x;
    let mut nested = y;
    for k in 1..20_000 {
        let term = pool.mul(pool.cos(pool.scale(Rational::int(k), x)), y);
        if k < 3_000 {
            sum = pool.define(pool.add(sum, term));
        }
        nested = pool.define(pool.add(pool.sin(nested), x));
    }
    let tables = Arena::new();
    let mut request = Request::new("deep", &pool, &tables);
    request.input(x, Label::named("x"), Phase::Position);
    request.input(y, Label::named("y"), Phase::Motion);
    request.output(Label::named("sum"), sum, Phase::Motion);
    request.output(Label::named("nested"), nested, Phase::Motion);
    let program = lower(&request).unwrap();
    let point = |s| if pool.as_symbol(x) == Some(s) { 0.3 } else { 0.7 };
    let expected = pool.evaluate_all(&[sum, nested], &point);
    for (found, expected) in run(&program, &[0.3, 0.7]).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} instead of {expected}");
    }
}

#[test]
fn high_powers_do_not_overflow() {
    let pool = Pool::new();
    let (x, y) = (pool.symbol("x", Kind::Coordinate), pool.symbol("y", Kind::Coordinate));
    let mut e = pool.define(pool.mul(pool.powi(x, 2_000_000_000), y));
    for k in 0..40 {
        let other = pool.define(pool.mul(pool.powi(e, 3), pool.powi(y, k + 1)));
        e = pool.define(pool.product([e, other, x]));
    }
    let inverse = pool.powi(pool.mul(x, pool.sin(y)), -100);
    let tables = Arena::new();
    let mut request = Request::new("high", &pool, &tables);
    request.input(x, Label::named("x"), Phase::Position);
    request.input(y, Label::named("y"), Phase::Position);
    request.output(Label::named("e"), e, Phase::Motion);
    request.output(Label::named("inverse"), inverse, Phase::Motion);
    let program = lower(&request).unwrap();
    assert_eq!(run(&program, &[1.0, 1.0])[0], 1.0);
    let expected = (2.0 * 0.5f64.sin()).powi(-100);
    assert!((run(&program, &[2.0, 0.5])[1] / expected - 1.0).abs() < 1e-12);
}

/// A body on a rail with a dependent mass, a spring with a potential, a drive and an output.
fn cart() -> Model {
    let mut builder = Builder::new("cart", "N");
    let density = builder.add_parameter(Quantity::new("density", Dimension::ONE), None);
    let density = builder.model().parameters[density].symbol;
    let pool = builder.space().pool();
    let (one, zero, half) = (pool.one(), pool.zero(), pool.number(Rational::new(1, 2).unwrap()));
    let mass = pool.mul(density, pool.int(3));
    let mass = builder.add_parameter(Quantity::new("mass", Dimension::ONE), Some(mass));
    let mass = builder.model().parameters[mass].symbol;
    let start = builder.add_parameter(Quantity::new("start", Dimension::ONE), Some(half));
    let start = builder.model().parameters[start].symbol;
    let ground = builder.space().newtonian();
    let spec = CoordinateSpec::new(Quantity::new("x", Dimension::ONE), "v");
    let joint = builder.add_joint(
        "cart",
        cardan_model::JointKind::Prismatic,
        ground,
        vec![Step::Translate([one, zero, zero], spec)],
        None,
    );
    let frame = builder.model().joints[joint].frames[0];
    builder.add_body(Body {
        name: "cart".into(),
        description: String::new(),
        frame,
        joint: Some(joint),
        mass,
        inertia: [[zero; 3]; 3],
        center: [zero; 3],
        shapes: vec![],
        span: None,
    });
    builder.fix_speeds(vec![]).unwrap();
    let (q, speed) = {
        let model = builder.model();
        (model.coordinates.iter().next().unwrap(), model.speeds.iter().next().unwrap())
    };
    let (x_id, x, a) = (q.0, q.1.symbol, speed.1.rate);
    let space = builder.space();
    let pool = space.pool();
    let along = |e: Expr| -> Vector { space.axis(ground, 0).scale(pool, e) };
    let at = space.origin(frame);
    let force = |name: &str, vector: Vector, potential: Option<Expr>| Load {
        name: name.into(),
        description: String::new(),
        kind: LoadKind::Force { vector, at: at.clone(), reaction: None },
        potential,
        conservative: potential.is_some(),
        span: None,
    };
    let spring =
        force("spring", along(pool.neg(x)), Some(pool.scale(Rational::new(1, 2).unwrap(), pool.mul(x, x))));
    let drive = force("drive", along(pool.sin(space.time())), None);
    let acceleration = Output { quantity: Quantity::new("acceleration", Dimension::ONE), value: a };
    builder.add_load(spring);
    builder.add_load(drive);
    builder.add_output(acceleration);
    builder.start_coordinate(x_id, start);
    builder.finish().expect("a whole model")
}

fn cart_simulation(options: &SimulationOptions) -> (Model, SimulationProgram) {
    let model = cart();
    let equations = derive(&model, Formalism::Kane).unwrap();
    let simulation = simulation_program_with(&model, &equations, options).unwrap();
    (model, simulation)
}

#[test]
fn a_simulation_program_has_everything_in_place() {
    let (model, simulation) = cart_simulation(&SimulationOptions::default());
    let SimulationProgram { program, layout } = &simulation;
    let names: Vec<&str> = program.inputs().iter().map(|(_, i)| i.label.name.as_str()).collect();
    assert_eq!(names, ["density", "start", "t", "x", "v"]);
    let defaults = layout.inputs.defaults(program.inputs().len());
    assert!(defaults[0].is_nan() && defaults[1] == 0.5);
    assert_eq!(layout.inputs.dependent.len(), 1);

    // density 2, start 0.5, t = 0.3, x = 0.4, v = 1.5: mass 6.
    let inputs = [2.0, 0.5, 0.3, 0.4, 1.5];
    let all = run(program, &inputs);
    let acceleration = (0.3f64.sin() - 0.4) / 6.0;
    let close =
        |found: f64, expected: f64| assert!((found - expected).abs() < 1e-14, "{found} not {expected}");
    close(all[layout.derivatives.start], 1.5);
    close(all[layout.derivatives.start + 1], acceleration);
    close(all[layout.outputs.start], acceleration);
    close(all[layout.powers.start], 0.3f64.sin() * 1.5);
    assert_eq!(model.loads[layout.powered[0]].name, "drive");
    close(all[layout.kinetic.index()], 3.0 * 1.5 * 1.5);
    close(all[layout.potentials[0].1.index()], 0.08);
    close(all[layout.dependent.start], 6.0);
    assert_eq!(all[layout.start.clone()], [0.5, 0.0]);
    let pose = layout.poses[0].1.index();
    assert_eq!(all[pose..pose + 12], [0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(all[layout.loads[0].vector.index()], -0.4);
    assert_eq!(all[layout.loads[0].at.index()], 0.4);

    // The first stage alone knows the start; the stages of a step know the derivatives and the powers, but no reports.
    let setup = run_stages(program, program.stage_range("setup", "setup").unwrap(), &inputs);
    assert_eq!(setup[layout.start.start], 0.5);
    assert!(setup[layout.derivatives.start + 1].is_nan());
    let step = run_stages(program, program.stage_range("setup", "motion").unwrap(), &inputs);
    close(step[layout.derivatives.start + 1], acceleration);
    close(step[layout.powers.start], 0.3f64.sin() * 1.5);
    assert!(step[layout.kinetic.index()].is_nan());
}

#[test]
fn options_of_a_simulation_program() {
    let (model, with) = cart_simulation(&SimulationOptions::default());
    let (_, without) = cart_simulation(&SimulationOptions { works: false, pictures: false, free: vec![] });
    let motion = |s: &SimulationProgram| s.program.stage("motion");
    let power = |s: &SimulationProgram| s.program.outputs().as_slice()[s.layout.powers.start].stage;
    assert_eq!(Some(power(&with)), motion(&with));
    assert!(Some(power(&without)) > motion(&without));
    assert!(without.layout.poses.is_empty() && without.layout.loads.is_empty());

    let mass = model.parameters.iter().find(|(_, p)| p.quantity.name == "mass").unwrap().0;
    let (_, free) = cart_simulation(&SimulationOptions { free: vec![mass], ..SimulationOptions::default() });
    assert!(free.layout.inputs.dependent.is_empty());
    let slot = free.layout.inputs.parameters.iter().find(|s| s.id == mass).unwrap();
    assert_eq!(slot.default, None);
    let outputs = run(&free.program, &[2.0, 12.0, 0.5, 0.3, 0.4, 1.5]);
    assert!((outputs[free.layout.derivatives.start + 1] - (0.3f64.sin() - 0.4) / 12.0).abs() < 1e-15);
    let plain = simulation_program(&model, &derive(&model, Formalism::Kane).unwrap()).unwrap();
    assert_eq!(plain.layout, with.layout);
}
