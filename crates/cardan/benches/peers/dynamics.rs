//! Forward and inverse dynamics, mass matrix and derivatives of one robot: agreement and times.
//!
//! Products and sums are fused, as the peers' compilers do, and sums are taken in the order in which their terms become known. Parameters are inputs, as in every run; damping and friction, which the peers leave out, are set to zero.

use std::hint::black_box;

use cardan::base::Id;

use cardan::equations::{inverse, mass_matrix};
use cardan::jit::{Batch, MachineCode, lanes};
use cardan::lower::{
    InputLayout, Phase, SimulationProgram, columnwise_jacobian, inverse_program, mass_program,
};
use cardan::prelude::*;
use cardan::program::derive::Jacobian;
use cardan::program::{Execute, Program, StageId, Stages, count, passes};

use crate::reading::{exact_model, model, times};
use crate::states::{Slopes, States, difference};

/// A question as code that is ready to run.
struct Question {
    name: &'static str,
    engine: MachineCode,
    setup: StageId,
    stages: Stages,
    inputs: Vec<Vec<f64>>,
    n_outputs: usize,
    operations: u64,
}

pub fn stage(program: &Program, phase: Phase) -> StageId {
    program.stage(phase.name()).expect("a lowered program has all stages")
}

pub fn moving(program: &Program) -> Stages {
    Stages { first: stage(program, Phase::Time), last: stage(program, Phase::Motion) }
}

/// The input vector of a state.
pub fn inputs(program: &Program, layout: &InputLayout, model: &Model, states: &States, k: usize) -> Vec<f64> {
    let mut inputs = layout.defaults(program.inputs().len());
    for slot in &layout.parameters {
        let name = &model.parameters[slot.id].quantity.name;
        if name.ends_with(".damping") || name.ends_with(".friction") {
            inputs[slot.input.index()] = 0.0;
        }
    }
    let state = &states.states[k];
    for (place, x) in states.coordinates.iter().zip(&state.q) {
        inputs[layout.coordinates.start + place] = *x;
    }
    for (place, x) in states.speeds.iter().zip(&state.v) {
        inputs[layout.speeds.start + place] = *x;
    }
    inputs
}

/// The program as it is timed.
pub fn fused(program: &Program) -> Program {
    passes::schedule(&passes::fuse(&passes::hasten(program)))
}

fn question(
    name: &'static str,
    program: &Program,
    layout: &InputLayout,
    model: &Model,
    states: &States,
    accelerations: std::ops::Range<usize>,
) -> Question {
    let mut engine = MachineCode::compile(&fused(program)).expect("no functions of the host");
    let mut all: Vec<Vec<f64>> =
        (0..states.states.len()).map(|k| inputs(program, layout, model, states, k)).collect();
    if !accelerations.is_empty() {
        for (row, state) in all.iter_mut().zip(&states.states) {
            for (place, a) in states.speeds.iter().zip(&state.given) {
                row[accelerations.start + place] = *a;
            }
        }
    }
    let n_outputs = program.outputs().len();
    let setup = stage(program, Phase::Setup);
    engine.run(setup.into(), &all[0], &mut vec![0.0; n_outputs]).expect("the setup is regular");
    let stages = moving(program);
    Question {
        name,
        engine,
        setup,
        stages,
        inputs: all,
        n_outputs,
        operations: count(program, stages).total(),
    }
}

impl Question {
    fn at(&mut self, k: usize) -> Vec<f64> {
        let mut outputs = vec![0.0; self.n_outputs];
        let all = Stages { first: self.setup, ..self.stages };
        self.engine.run(all, &self.inputs[k], &mut outputs).expect("the states are regular");
        outputs
    }

    /// Times over all states, in nanoseconds per evaluation.
    fn time(&mut self, repetitions: usize, agreement: Option<f64>) {
        let mut outputs = vec![0.0; self.n_outputs];
        let n = self.inputs.len() as f64;
        let (best, median) = times(repetitions, || {
            for inputs in &self.inputs {
                self.engine.run(self.stages, inputs, &mut outputs).expect("the states are regular");
                black_box(&outputs);
            }
        });
        say(self.name, best / n, median / n, self.operations, agreement);
    }
}

fn say(name: &str, best: f64, median: f64, operations: u64, agreement: Option<f64>) {
    println!(
        "{}",
        serde_json::json!({
            "quantity": name, "best_ns": best, "median_ns": median, "operations": operations, "difference": agreement,
        })
    );
}

/// Several states at once.
fn time_batch<const LANES: usize>(
    name: &str,
    simulation: &SimulationProgram,
    forward: &Question,
    repetitions: usize,
) {
    if LANES > lanes() {
        return;
    }
    let mut batch = Batch::<LANES>::compile(&simulation.program).expect("no functions of the host");
    let n_inputs = simulation.program.inputs().len();
    let groups: Vec<Vec<[f64; LANES]>> = forward
        .inputs
        .chunks_exact(LANES)
        .map(|some| (0..n_inputs).map(|i| std::array::from_fn(|lane| some[lane][i])).collect())
        .collect();
    let mut outputs = vec![[0.0; LANES]; forward.n_outputs];
    let setup = stage(&simulation.program, Phase::Setup).into();
    batch.run(setup, &groups[0], &mut outputs).expect("the setup is regular");
    let (best, median) = times(repetitions, || {
        for group in &groups {
            batch.run(forward.stages, group, &mut outputs).expect("the states are regular");
            black_box(&outputs);
        }
    });
    let n = (groups.len() * LANES) as f64;
    say(name, best / n, median / n, forward.operations, None);
}

pub fn answer(robot: &str, free: bool, file: &str, repetitions: usize, slopes: Option<&str>) {
    // References take every angle as written.
    let model = if repetitions == 0 { exact_model(robot, free) } else { model(robot, free) };
    let states = States::read(file, &model);
    let choice = cardan::derive(&model, None).unwrap_or_else(|e| panic!("{e}"));
    let (model, simulation) = (&choice.model, &choice.lowered);
    let layout = &simulation.layout;
    let mut forward = question("forward", &simulation.program, &layout.inputs, model, &states, 0..0);
    let n_q = model.coordinates.len();
    let mut worst = 0.0f64;
    for (k, state) in states.states.iter().enumerate() {
        let outputs = forward.at(k);
        let ours: Vec<f64> =
            states.speeds.iter().map(|p| outputs[layout.derivatives.start + n_q + p]).collect();
        worst = worst.max(difference(&ours, &state.forward));
    }
    if repetitions == 0 {
        say("forward", 0.0, 0.0, forward.operations, Some(worst));
        return;
    }
    forward.time(repetitions, Some(worst));
    time_batch::<2>("forward, two at once", simulation, &forward, repetitions);
    time_batch::<4>("forward, four at once", simulation, &forward, repetitions);
    time_batch::<8>("forward, eight at once", simulation, &forward, repetitions);

    let own = model.clone();
    let expressions = inverse(&own, Formalism::Recursive).unwrap_or_else(|f| panic!("{}", f.message(&own)));
    let lowered = inverse_program(&own, &expressions).expect("it can be lowered");
    let a = lowered.accelerations.clone();
    let mut inverse = question("inverse", &lowered.program, &lowered.inputs, &own, &states, a);
    let mut worst = 0.0f64;
    for (k, state) in states.states.iter().enumerate() {
        let outputs = inverse.at(k);
        let ours: Vec<f64> = states.speeds.iter().map(|p| outputs[*p]).collect();
        worst = worst.max(difference(&ours, &state.force));
    }
    inverse.time(repetitions, Some(worst));

    let references = slopes.map_or_else(Vec::new, Slopes::read);
    let own = model.clone();
    let expressions =
        mass_matrix(&own, Formalism::Recursive).unwrap_or_else(|f| panic!("{}", f.message(&own)));
    let lowered = mass_program(&own, &expressions, None).expect("it can be lowered");
    let mut mass = question("mass", &lowered.program, &lowered.inputs, &own, &states, 0..0);
    let worst = references.iter().enumerate().map(|(k, reference)| {
        let triangle = mass.at(k);
        let entry = |i: usize, j: usize| triangle[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
        let ours: Vec<f64> =
            states.speeds.iter().flat_map(|i| states.speeds.iter().map(|j| entry(*i, *j))).collect();
        difference(&ours, &reference.mass)
    });
    let worst = worst.collect::<Vec<_>>().into_iter().reduce(f64::max);
    mass.time(repetitions, worst);

    let own = model.clone();
    let (jacobian, inputs) = columnwise_jacobian(&own, true).unwrap_or_else(|e| panic!("{e}"));
    let mut derivatives = question("derivatives", &jacobian.program, &inputs, &own, &states, 0..0);
    let worst = references.iter().enumerate().map(|(k, reference)| {
        let [by_turn, by_speed, by_force] = dense(&jacobian, &derivatives.at(k), &states, k, free);
        let parts =
            [(by_turn, &reference.by_turn), (by_speed, &reference.by_speed), (by_force, &reference.by_force)];
        parts.iter().map(|(ours, theirs)| difference(ours, theirs)).fold(0.0, f64::max)
    });
    let worst = worst.collect::<Vec<_>>().into_iter().reduce(f64::max);
    derivatives.time(repetitions, worst);
}

/// Derivatives of the accelerations by displacements, speeds and forces, in the peer's order. A free base is displaced in its own axes: a
/// turn dφ changes its Euler parameters by half of E(e) dφ; no acceleration depends on its place.
fn dense(jacobian: &Jacobian, outputs: &[f64], states: &States, k: usize, free: bool) -> [Vec<f64>; 3] {
    let (n_q, n_u) = (states.coordinates.len(), states.speeds.len());
    let mut all = vec![vec![0.0; n_q + 2 * n_u]; n_q + n_u];
    for ((row, column), x) in jacobian.pattern.iter().zip(outputs) {
        all[*row][*column] = *x;
    }
    let mut parts = [vec![], vec![], vec![]];
    for r in &states.speeds {
        let row = &all[n_q + r];
        let mut by_q: Vec<f64> = states.coordinates.iter().map(|c| row[*c]).collect();
        if free {
            let [e0, e1, e2, e3] = [3, 4, 5, 6].map(|c| 0.5 * states.states[k].q[c]);
            let d = [by_q[3], by_q[4], by_q[5], by_q[6]];
            let turned = [[-e1, e0, e3, -e2], [-e2, -e3, e0, e1], [-e3, e2, -e1, e0]];
            let turned = turned.map(|t| t.iter().zip(d).map(|(t, d)| t * d).sum::<f64>());
            by_q.splice(..7, [0.0; 3].into_iter().chain(turned));
        }
        parts[0].extend(by_q);
        parts[1].extend(states.speeds.iter().map(|c| row[n_q + c]));
        parts[2].extend(states.speeds.iter().map(|c| row[n_q + n_u + c]));
    }
    parts
}
