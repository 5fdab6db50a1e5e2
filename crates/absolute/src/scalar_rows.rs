//! Constraints between coordinates: gears, couplers, drives, equations, threads, prescribed displacements; and coordinates held at the start.
//!
//! ```text
//! [row]      g(q, t),   ġ = Σ c_j u_j + ġ_t,   γ = Σ c_j u̇_j|bias + d/dt ġ at constant u
//! [follow]   s_k - f(q, t)                      a displacement that follows an expression
//! [hold]     s_k - s_k0                         a displacement held at its start
//! ```
//!
//! Displacements and rates are measured between parts ([`joint_chain`](crate::joint_chain)), so that a row acts on the parts of
//! the joints that it names and on no others.

use cardan_base::{Id, Map};
use cardan_expr::{Derivation, Expr};
use cardan_jit::{Engine, EngineKind};
use cardan_lower::{GivenMotionProgram, InputLayout, Phase, measured_program, stages};
use cardan_model::{ConstraintKind, Model};
use cardan_program::{Execute, Label, Program, Stages};

use crate::error::Unsupported;
use crate::joint_chain::{Chain, Segment};
use crate::pairing::PairKind;

/// Expressions of time, coordinates, speeds and states that are evaluated together.
#[derive(Clone, Debug, Default)]
pub struct Scalars {
    expressions: Vec<Expr>,
    known: Map<Expr, usize>,
    compiled: Option<Compiled>,
}

#[derive(Clone, Debug)]
struct Compiled {
    layout: GivenMotionProgram,
    engine: Engine,
    stages: Stages,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl Scalars {
    /// Asks for an expression; its place among the values.
    pub fn ask(&mut self, e: Expr) -> usize {
        let next = self.expressions.len();
        let place = *self.known.entry(e).or_insert(next);
        if place == next {
            self.expressions.push(e);
        }
        place
    }
    /// The expression at a place.
    pub fn expression(&self, place: usize) -> Expr {
        self.expressions[place]
    }
    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.expressions.is_empty()
    }
    /// Makes a program of what was asked for; `unknowns` are further inputs.
    pub fn compile(&mut self, model: &Model, unknowns: &[Expr]) -> Result<(), Unsupported> {
        if self.expressions.is_empty() {
            return Ok(());
        }
        let named = self.expressions.iter().enumerate().map(|(k, e)| (Label::named(format!("e{k}")), *e));
        let layout = measured_program(model, "expressions", unknowns, named)
            .map_err(|e| Unsupported::Program(e.to_string()))?;
        let program = &layout.outputs.program;
        let engine =
            Engine::new(program, EngineKind::Native).map_err(|e| Unsupported::Program(e.to_string()))?;
        let inputs = layout.outputs.inputs.defaults(program.inputs().len());
        let outputs = vec![0.0; program.outputs().len()];
        let stages = stages(program, Phase::Setup, Phase::Report);
        self.compiled = Some(Compiled { engine, stages, inputs, outputs, layout });
        Ok(())
    }
    /// Discrete states have these values from now on.
    pub fn hold(&mut self, discretes: &[f64]) {
        if let Some(c) = &mut self.compiled {
            c.inputs[c.layout.outputs.inputs.discretes.clone()].copy_from_slice(discretes);
        }
    }
    /// The program and its inputs, if anything was asked for.
    pub fn program(&self) -> Option<(&Program, &InputLayout)> {
        self.compiled.as_ref().map(|c| (&c.layout.outputs.program, &c.layout.outputs.inputs))
    }
    /// Evaluates everything at a time, with coordinates, speeds, states, accelerations and unknowns.
    pub fn run(
        &mut self,
        t: f64,
        values: [&[f64]; 3],
        rates: &[f64],
        unknowns: &[f64],
    ) -> Result<(), String> {
        let Some(c) = &mut self.compiled else { return Ok(()) };
        let layout = &c.layout.outputs.inputs;
        c.inputs[layout.time.index()] = t;
        c.inputs[layout.coordinates.clone()].copy_from_slice(values[0]);
        c.inputs[layout.speeds.clone()].copy_from_slice(values[1]);
        c.inputs[layout.states.clone()].copy_from_slice(values[2]);
        if !rates.is_empty() {
            c.inputs[c.layout.outputs.accelerations.clone()].copy_from_slice(rates);
        }
        if !unknowns.is_empty() {
            c.inputs[c.layout.multipliers.clone()].copy_from_slice(unknowns);
        }
        c.engine.run(c.stages, &c.inputs, &mut c.outputs).map_err(|e| e.to_string())
    }
    /// The value at a place.
    pub fn value(&self, place: usize) -> f64 {
        self.compiled.as_ref().map_or(f64::NAN, |c| c.outputs[place])
    }
}

/// What a row is about.
#[derive(Clone, PartialEq, Debug)]
pub enum RowLaw {
    /// A row of the model: places of position, velocity and bias among the scalars. [row]
    Stated {
        /// Nothing for a nonholonomic row.
        position: Option<usize>,
        /// Of ġ.
        velocity: usize,
        /// Of its derivative at constant speeds.
        bias: usize,
        /// The constraint and row of the model.
        source: (usize, usize),
    },
    /// A displacement that follows an expression. [follow]
    Follows {
        /// Which freedom.
        freedom: usize,
        /// Of the expression, its rate and the derivative of that at constant speeds.
        places: [usize; 3],
    },
    /// A displacement or its rate held at the start. [hold]
    Held {
        /// Which freedom.
        freedom: usize,
        /// The displacement, if it is held.
        position: Option<f64>,
        /// The rate, if it is held.
        velocity: Option<f64>,
    },
}

/// A constraint row between freedoms of joints.
#[derive(Clone, PartialEq, Debug)]
pub struct ScalarRow {
    /// Of the constraint.
    pub name: String,
    /// What it keeps, in words.
    pub what: String,
    /// What it is about.
    pub law: RowLaw,
    /// Freedoms and the places of their coefficients among the scalars; one where there is none.
    pub terms: Vec<(usize, f64, Option<usize>)>,
}

/// Freedoms by speed.
pub fn freedoms_of_speeds(model: &Model, chains: &[Chain]) -> Result<Vec<usize>, Unsupported> {
    let by_symbol: Map<Expr, usize> = model.speeds.iter().map(|(id, u)| (u.symbol, id.index())).collect();
    let mut found = vec![usize::MAX; model.speeds.len()];
    for chain in chains {
        let mut k = chain.first;
        for segment in &chain.segments {
            let speeds: Vec<Option<usize>> = match segment {
                Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } => vec![travel.speed],
                Segment::Ball { rates, .. } => {
                    rates.iter().map(|r| by_symbol.get(&model.space.rate(*r)).copied()).collect()
                }
                Segment::Free { rates, .. } => {
                    rates.iter().map(|r| by_symbol.get(&model.space.rate(*r)).copied()).collect()
                }
                _ => vec![],
            };
            for (i, speed) in speeds.iter().enumerate() {
                if let Some(s) = speed {
                    found[*s] = k + i;
                }
            }
            k += segment.freedoms();
        }
    }
    match found.iter().position(|f| *f == usize::MAX) {
        None => Ok(found),
        Some(k) => {
            let (_, speed) = model.speeds.iter().nth(k).ok_or(Unsupported::Small)?;
            Err(Unsupported::Speed(speed.quantity.name.clone()))
        }
    }
}

/// The kind of pair that a constraint is, if it is one between markers.
pub fn pair_kind(kind: ConstraintKind) -> Option<PairKind> {
    match kind {
        ConstraintKind::Closing(closing) => Some(PairKind::Closing(closing)),
        ConstraintKind::Distance => Some(PairKind::Distance),
        ConstraintKind::Angle => Some(PairKind::Angle),
        ConstraintKind::Screw => Some(PairKind::Screw),
        _ => None,
    }
}

/// The rows of a model between coordinates. Pairs of markers are none.
pub fn stated_rows(
    model: &Model,
    is_pair: &dyn Fn(usize) -> bool,
    freedoms: &[usize],
    scalars: &mut Scalars,
) -> Result<Vec<ScalarRow>, Unsupported> {
    let mut rows = vec![];
    for (id, constraint) in model.constraints.iter().filter(|(id, _)| !is_pair(id.index())) {
        for (r, row) in constraint.rows.iter().enumerate() {
            let bias = model.space.dt(row.velocity);
            rows.push(ScalarRow {
                name: constraint.name.clone(),
                what: row.what.clone(),
                terms: coefficients(model, row.velocity, freedoms, scalars, 1.0),
                law: RowLaw::Stated {
                    position: row.position.map(|e| scalars.ask(e)),
                    velocity: scalars.ask(row.velocity),
                    bias: scalars.ask(bias),
                    source: (id.index(), r),
                },
            });
        }
    }
    Ok(rows)
}

/// Displacements that follow expressions: prescribed ones, and the advance of a thread.
pub fn following_rows(
    model: &Model,
    chains: &[Chain],
    freedoms: &[usize],
    scalars: &mut Scalars,
) -> Vec<ScalarRow> {
    let mut rows = vec![];
    for chain in chains {
        let mut k = chain.first;
        for segment in &chain.segments {
            if let Segment::Translation { travel, .. } | Segment::Rotation { travel, .. } = segment
                && travel.coordinate.is_none()
            {
                let mut terms = coefficients(model, travel.rate, freedoms, scalars, -1.0);
                terms.push((k, 1.0, None));
                let bias = model.space.dt(travel.rate);
                let places = [travel.value, travel.rate, bias].map(|e| scalars.ask(e));
                let law = RowLaw::Follows { freedom: k, places };
                let what = "prescribed displacement".to_owned();
                rows.push(ScalarRow { name: chain.name.clone(), what, law, terms });
            }
            k += segment.freedoms();
        }
    }
    rows
}

/// Derivatives of a velocity by the speeds in it.
fn coefficients(
    model: &Model,
    velocity: Expr,
    freedoms: &[usize],
    scalars: &mut Scalars,
    sign: f64,
) -> Vec<(usize, f64, Option<usize>)> {
    let pool = model.space.pool();
    let parts = pool.reachable([velocity]);
    let mut terms = vec![];
    for (id, speed) in model.speeds.iter() {
        if parts.binary_search(&speed.symbol).is_err() {
            continue;
        }
        let c = Derivation::partial(pool, speed.symbol).apply(pool, velocity);
        match pool.as_number(c) {
            Some(number) if pool.is_zero(c) => drop(number),
            Some(number) => terms.push((freedoms[id.index()], sign * number.to_f64(), None)),
            None => terms.push((freedoms[id.index()], sign, Some(scalars.ask(c)))),
        }
    }
    terms
}
