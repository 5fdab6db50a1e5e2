//! The complete simulation program: what it integrates, from where, how it stays on its constraints.
//!
//! ```text
//! [onto]    (q, u) ← (q + δq, u + δu)     the corrections of the constraints, both at once: Newton's method on (g, v)
//! [norm]    e ← e / |e|                   Euler parameters
//! ```
//!
//! A row of its table has the columns of `results.csv` of a run, in the same units: works are states that are only integrated, the rest is computed for the
//! row.
//!
//! What events need is in `events`, what functions of time need in `discontinuities`, what tells of singular positions in `singularity`, what dry friction that sticks needs in `sliding`, what drives bring where their rates jump in `impulse`.
//!
//! The start of a closed loop is assembled here at the given parameters; the program corrects it where its parameter file says
//! otherwise.

use cardan_assembly::assemble;
use cardan_base::{Id, nearest};
use cardan_codegen::{self as codegen, Correction, Parameter, Start, State};
use cardan_compile::{Choice, Plan};
use cardan_jit::{Engine, EngineKind};
use cardan_model::{Causality, Model};
use cardan_program::{Compare, InputId, Label, Op, OutputId, Program, Unary, ValueId};
use cardan_sim::Settings;
use cardan_solve::Method;

use crate::error::Error;
use crate::functions::{parameters_alone, setup, time};
use crate::header::{about, provided};
use crate::hybrid::discontinuities;
use crate::hybrid::events;
use crate::hybrid::impulse::{Corrected, brought, may_jump};
use crate::hybrid::singularity::pivots;
use crate::link::{Composer, InputsAre};
use crate::nonsmooth::sliding::Sliding;
use crate::programs;
use crate::request::Fix;
use crate::table_row::Row;

/// A program and how it is simulated.
#[derive(Clone, PartialEq, Debug)]
pub struct Complete {
    /// Everything that is computed.
    pub program: Program,
    /// What is integrated and reported.
    pub simulation: codegen::Simulation,
}

/// Whether what sticks does so in proportion to a sign, so that the weights of a program hold it.
fn follows_sticking(model: &Model, program: &Program) -> Result<(), Error> {
    let asks = |op: &Op| matches!(op, Op::Compare(Compare::Eq | Compare::Ne, ..));
    match model.laws.first() {
        Some(law) => {
            let is_this = |name: &str| {
                name == law.load || name.strip_prefix(&law.load).is_some_and(|n| n.starts_with('.'))
            };
            let at = model.loads.iter().find(|(_, load)| is_this(&load.name)).and_then(|(_, load)| load.span);
            Err(Error::Sticking { why: format!("`{}` depends on reactions", law.load), at })
        }
        None if program.values().iter().any(|(_, op)| asks(op)) => {
            Err(Error::Sticking { why: "a load asks whether a speed is zero".into(), at: None })
        }
        None => Ok(()),
    }
}

/// The inputs among `called`, or why one of them is none.
fn check_called(choice: &Choice, called: &[String]) -> Result<(), Error> {
    let slots = choice.lowered.layout.inputs.parameters.iter().filter(|p| p.causality == Causality::Input);
    let inputs: Vec<&str> = slots.map(|p| choice.model.parameters[p.id].quantity.name.as_str()).collect();
    match called.iter().find(|name| !inputs.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let close = nearest(name, inputs).map(str::to_owned);
            Err(Error::NoSuchInput { name: name.clone(), nearest: close })
        }
    }
}

/// The functions that the user provides: those of the model, and inputs that are functions of time.
fn provided_with(model: &Model, called: &[Label]) -> Vec<codegen::Provided> {
    let inputs = called.iter().map(|label| codegen::Provided {
        name: label.name.clone(),
        doc: label.description.clone(),
        arguments: vec![("t".to_owned(), "s".to_owned())],
        unit: label.unit.clone(),
    });
    provided(model).into_iter().chain(inputs).collect()
}

/// The complete simulation of the equations of a choice. Inputs of the model are in its parameter file.
pub fn complete(choice: &Choice, settings: &Settings, fix: &Fix) -> Result<Complete, Error> {
    complete_calling(choice, settings, fix, &[])
}

/// The same where some inputs are functions of time that the user of the program provides.
pub fn complete_calling(
    choice: &Choice,
    settings: &Settings,
    fix: &Fix,
    called: &[String],
) -> Result<Complete, Error> {
    check_called(choice, called)?;
    if settings.to < settings.from {
        return Err(Error::Backward);
    }
    let model = &choice.model;
    let motion = programs::motion(choice, true)?;
    let layout = &motion.layout;
    let mut composer = {
        let fix = parameters_alone(fix, choice);
        Composer::new(model, &motion.program, &layout.inputs, &fix, InputsAre::ParametersBut(called))?
    };
    let mut plan = Plan::of(model, &choice.equations, &motion);
    let sliding = Sliding::of(&mut composer, &motion, &plan, settings.to - settings.from)?;
    if sliding.is_some() {
        follows_sticking(model, &motion.program)?;
    }
    let values = match &sliding {
        Some(sliding) => sliding.values.clone(),
        None => composer.add(&motion.program, "motion")?,
    };
    let labels = programs::labels(&motion.program);
    let deliver =
        |composer: &mut Composer, k: usize, earliest| composer.output(labels[k].clone(), values[k], earliest);
    let derivatives: Vec<OutputId> =
        layout.derivatives.clone().map(|k| deliver(&mut composer, k, time())).collect();
    let starts: Vec<Start> = match assembled(choice, settings)? {
        Some(state) => state.into_iter().map(Start::Value).collect(),
        None => layout.start.clone().map(|k| Start::Output(deliver(&mut composer, k, setup()))).collect(),
    };
    plan.jumps = choice.events.as_ref().is_some_and(|found| found.does_work);
    let powers: Vec<OutputId> = plan.powers.iter().map(|(_, k)| deliver(&mut composer, *k, time())).collect();
    let works: Vec<(ValueId, InputId)> = plan
        .powers
        .iter()
        .map(|(name, _)| composer.memory(Label::new(format!("work.{name}"), "J", "since the start")))
        .collect();
    let gained = plan.jumps.then(|| composer.memory(Label::new("events.work", "J", "since the start")));
    let corrections = correction(choice, sliding.as_ref(), &mut composer)?;
    let (mut correction, corrected) = corrections.unzip();
    // What equal steps leave cannot be told from what an impulse does.
    let jumps =
        choice.loops.as_ref().and_then(|l| l.correction.as_ref()).is_some_and(|c| may_jump(&c.program));
    let corrected = corrected.filter(|_| jumps && settings.method != Method::Rk4);
    let alone = plan.n_drives == 1;
    let label = Label::new(
        "work.impulses",
        "J",
        "of all drives together where rates jump, or lost there, since the start",
    );
    let impulses = (corrected.is_some() && !alone).then(|| composer.memory(label));
    // Those that surfaces hold are watched as such.
    let rates: Vec<ValueId> = match &sliding {
        Some(sliding) => sliding.base[..layout.derivatives.len()].to_vec(),
        None => layout.derivatives.clone().map(|k| values[k]).collect(),
    };
    let switches = discontinuities::switches(&mut composer, &rates);
    let row = Row { plan: &plan, values: &values, works: &works, gained, impulses };
    let mut events = match &choice.events {
        Some(found) => {
            let (mut events, after) =
                events::events(model, found, switches, sliding.as_ref(), &mut composer)?;
            events.memory.extend(row.gain(&mut composer, &motion.program, &after)?);
            Some(events)
        }
        None => events::switching(&switches, sliding.as_ref(), &mut composer)?,
    };
    let reports = row.write(&mut composer);
    // Blocks do not change works, and corrections only where they are impulses.
    let energy = match &corrected {
        Some(corrected) => {
            let sizes = (cardan_sim::events::impulse::struck(settings.rtol), settings.from);
            Some(brought(corrected, &row, &motion.program, &layout.inputs, &mut composer, sizes)?)
        }
        None => None,
    };
    let n_works = works.len() + impulses.iter().len();
    for (k, (value, _)) in works.iter().chain(&impulses).enumerate() {
        // The works of drives come last, and what no drive bears alone behind them.
        let bears = k + 1 == n_works;
        if let Some(correction) = &mut correction {
            let more = energy.filter(|_| bears).map(|energy| composer.builder.add(*value, energy));
            let kept =
                composer.output(Label::named("work after a correction"), more.unwrap_or(*value), time());
            correction.states.push(kept);
        }
        if let Some(events) = &mut events {
            events.states.push(composer.output(Label::named("work as it is"), *value, time()));
        }
    }

    let struck = impulses.map(|(_, input)| {
        let still = composer.builder.constant(0.0);
        let derivative = composer.output(Label::named("power of impulses"), still, time());
        State { input, derivative, start: Start::Value(0.0) }
    });
    let program = composer.builder.finish();
    let program = program.map_err(|e| Error::Lower(cardan_lower::LowerError::Unsound(e)))?;
    let slots = &layout.inputs.parameters;
    let known = |place: usize| slots.iter().find(|p| p.input.index() == place).and_then(|p| p.default);
    let mut without = Vec::new();
    let mut parameters = Vec::new();
    for (input, place) in &composer.parameters {
        match known(*place) {
            Some(default) => parameters.push(Parameter { input: *input, default }),
            None if !reads(&program, *input) => {}
            None => without.push(motion.program.inputs()[InputId::from_index(*place)].label.name.clone()),
        }
    }
    if !without.is_empty() {
        return Err(Error::NoValue(without));
    }
    let states = composer.states.iter().zip(derivatives).zip(starts);
    let states = states.map(|((input, derivative), start)| State { input: *input, derivative, start });
    let works = works.iter().zip(powers);
    let works =
        works.map(|((_, input), power)| State { input: *input, derivative: power, start: Start::Value(0.0) });
    let method = match settings.method {
        Method::Rk4 => codegen::Method::RungeKutta4 { step: settings.fixed_step() },
        _ => codegen::Method::DormandPrince { relative: settings.rtol, absolute: settings.atol },
    };
    let simulation = codegen::Simulation {
        name: model.name.clone(),
        version: String::new(),
        doc: about(choice, &composer.fixed),
        provided: provided_with(model, &composer.called),
        setup: setup(),
        parameters,
        time: Some(composer.time),
        states: states.chain(works).chain(struck).collect(),
        reports,
        audited: true,
        t_start: settings.from,
        t_end: settings.to,
        every: settings.interval(),
        method,
        correction,
        events,
    };
    Ok(Complete { program, simulation })
}

/// Whether anything is computed from an input: a run needs no other parameters either.
fn reads(program: &Program, input: InputId) -> bool {
    let is_it = |v: ValueId| matches!(program.values()[v], Op::Input(i) if i == input);
    let delivers = program.outputs().iter().any(|(_, output)| is_it(output.value));
    delivers || program.values().iter().any(|(_, op)| op.operands().into_iter().any(is_it))
}

/// The state at the start with its loops closed; nothing for a tree.
fn assembled(choice: &Choice, settings: &Settings) -> Result<Option<Vec<f64>>, Error> {
    let Some(found) = choice.loops.as_ref().filter(|f| f.correction.is_some()) else { return Ok(None) };
    let closure = &found.loops.closure;
    let failed = |e: &dyn std::fmt::Display| Error::Assembly(e.to_string());
    let engine = Engine::new(&closure.program, EngineKind::Interpreter).map_err(|e| failed(&e))?;
    let mut inputs = closure.inputs.defaults(closure.program.inputs().len());
    inputs[closure.inputs.time.index()] = settings.from;
    Ok(Some(assemble(&found.loops, &engine, &inputs).map_err(|e| failed(&e))?.state))
}

/// A time behind the present one by as little as integrators keep off breakpoints: where the rate of a drive jumps, a correction gives the speeds after it,
/// whichever side the drive's law counts the instant to.
///
/// ```text
/// [just-after]   t + 8 ε |t|
/// ```
fn just_after(composer: &mut Composer) -> ValueId {
    let t = composer.builder.input_value(composer.time);
    let b = &mut composer.builder;
    let (size, part) = (b.unary(Unary::Abs, t), b.constant(8.0 * f64::EPSILON));
    let ahead = b.mul(part, size);
    b.add(t, ahead)
}

/// The corrected state and the residuals, and the values of the state; nothing where no constraint, no Euler parameters and no surfaces are. [onto] [norm]
fn correction(
    choice: &Choice,
    sliding: Option<&Sliding>,
    composer: &mut Composer,
) -> Result<Option<(Correction, Corrected)>, Error> {
    let model = &choice.model;
    let program = choice.loops.as_ref().and_then(|l| l.correction.as_ref());
    if program.is_none() && model.unit_quadruples.is_empty() && sliding.is_none() {
        return Ok(None);
    }
    let input = |composer: &Composer, k: usize| composer.builder.input_value(composer.states[k]);
    let mut state: Vec<ValueId> = (0..composer.states.len()).map(|k| input(composer, k)).collect();
    let given = state.clone();
    let mut residuals: Vec<(String, ValueId)> = Vec::new();
    if let Some(program) = program {
        let values = match may_jump(&program.program) {
            true => {
                let later = just_after(composer);
                let time = (program.inputs.time.index(), later);
                composer.add_with(&program.program, &[time], &[], "corrections")?
            }
            false => composer.add(&program.program, "corrections")?,
        };
        let n = program.inputs.coordinates.len();
        let changes = program.coordinates.clone().enumerate();
        let changes = changes.chain(program.speeds.clone().enumerate().map(|(k, output)| (n + k, output)));
        for (k, output) in changes {
            state[k] = composer.builder.add(state[k], values[output]);
        }
        for (kind, range) in [("gap", &program.positions), ("rate of gap", &program.velocities)] {
            let named =
                range.clone().enumerate().map(|(k, output)| (format!("{kind} {}", k + 1), values[output]));
            residuals.extend(named);
        }
    }
    for quadruple in &model.unit_quadruples {
        let b = &mut composer.builder;
        let squares = quadruple.map(|q| b.powi(state[q.index()], 2));
        let pairs = [b.add(squares[0], squares[1]), b.add(squares[2], squares[3])];
        let sum = b.add(pairs[0], pairs[1]);
        let norm = b.unary(Unary::Sqrt, sum);
        let one = b.constant(1.0);
        let excess = b.sub(norm, one);
        for q in quadruple {
            state[q.index()] = b.div(state[q.index()], norm);
        }
        let first = &model.coordinates[quadruple[0]].quantity.name;
        residuals.push((format!("norm of Euler parameters from {first}, less one"), excess));
    }
    if let Some(sliding) = sliding {
        sliding.pull_back(&mut composer.builder, &mut state, &given);
        residuals.extend(sliding.gaps(&mut composer.builder));
    }
    let mut states = Vec::new();
    let quantities = choice.equations.states.iter().filter_map(|state| state.quantity(model));
    for (value, quantity) in state.iter().copied().zip(quantities) {
        let label = Label::new(format!("new {}", quantity.name), quantity.dimension.to_string(), "corrected");
        states.push(composer.output(label, value, time()));
    }
    let residuals = residuals
        .into_iter()
        .map(|(name, value)| composer.output(Label::named(name), value, time()))
        .collect();
    let pivots = if program.is_some() { pivots(choice, composer)? } else { vec![] };
    let first_speed = choice.equations.states.iter().filter(|s| s.is_coordinate()).count();
    let n_speeds = choice.equations.states.iter().filter(|s| s.is_speed()).count();
    let speeds = first_speed..first_speed + n_speeds;
    let corrected = Corrected { before: given, after: state, speeds };
    Ok(Some((Correction { states, residuals, pivots }, corrected)))
}
