//! A model put to the test: what is believed of it, checked by ways that share as little as possible.
//!
//! ```text
//! formalisms      the same accelerations by every formalism that applies; where not, whose equations (`equation_rows`)
//! virtual power   Newton's law for every body, from nothing but places and attitudes                (`virtual_power`)
//! derivatives     exact Jacobians against differences                                               (`finite_differences`)
//! machine code    against the interpreter, which defines the meaning of a program
//! energy          what was put in is what is there
//! constraints     how far loops and norms were left open
//! integrators     the same motion by an integrator of another kind                                  (`second_integrator`)
//! events          in the same order there
//! small           linear equations of a model that drops small quantities against those of the whole model  (`full_model`)
//! ```
//!
//! All but `energy` to `events` look at single states of the motion, so they hold whatever the integrator did.

mod equation_rows;
mod finite_differences;
mod richardson;
mod second_integrator;

mod full_model;
mod virtual_power;

pub use full_model::against_whole;

use cardan_compile::Closure;
use cardan_compile::{Choice, choose};
use cardan_equations::Formalism;
use cardan_jit::{Engine, EngineKind};
use cardan_model::Model;
use cardan_program::Execute;
use cardan_sim::record::energy_balance;
use cardan_sim::{Settings, Simulation, Trajectory};

use crate::AnalysisError;
use crate::numeric_model::{Evaluator, Study};

const NAME_OF_SMALL: &str = "small";
/// How many states of a motion are looked at where nobody says.
pub const POINTS: usize = 12;
/// Formalisms differ by rounding alone, which a badly conditioned mass matrix magnifies.
const FORMALISMS: Limits = Limits { doubtful: 1e-9, wrong: 1e-5 };
/// Residuals of constraints, in SI units.
const CONSTRAINTS: Limits = Limits { doubtful: 1e-8, wrong: 1e-4 };
const ENERGY: Limits = Limits { doubtful: energy_balance::DOUBTFUL, wrong: energy_balance::WRONG };

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finding {
    /// No difference beyond what rounding and tolerances explain.
    Holds,
    /// A difference that they do not quite explain.
    Doubtful,
    /// A difference that nothing excuses.
    Fails,
    /// There was nothing to compare.
    Idle,
}

impl Finding {
    /// For people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Finding::Holds => "holds",
            Finding::Doubtful => "doubtful",
            Finding::Fails => "fails",
            Finding::Idle => "not applicable",
        }
    }
}

/// One line of a verification.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What was compared with what, or why nothing was.
    pub compared: String,
    /// The largest difference, relative unless `compared` says otherwise.
    pub difference: Option<f64>,
    /// What it may be.
    pub limit: f64,
    /// The judgement.
    pub finding: Finding,
}

/// Differences up to the first are none, beyond the second wrong.
#[derive(Clone, Copy, Debug)]
struct Limits {
    doubtful: f64,
    wrong: f64,
}

impl Limits {
    fn judge(self, name: &'static str, compared: String, difference: f64) -> Check {
        let finding = if difference <= self.doubtful {
            Finding::Holds
        } else if difference <= self.wrong {
            Finding::Doubtful
        } else {
            Finding::Fails
        };
        Check { name, compared, difference: Some(difference), limit: self.doubtful, finding }
    }
}

fn idle(name: &'static str, reason: impl Into<String>) -> Check {
    Check { name, compared: reason.into(), difference: None, limit: 0.0, finding: Finding::Idle }
}

/// A state of the motion.
struct State {
    t: f64,
    y: Vec<f64>,
    discretes: Vec<f64>,
}

/// Checks a model along its motion, single states at so many points of it; `each` sees every check as soon as it is made. `model` is the model as it was before anything was
/// derived from it: in a pool that knows the results of one formalism, another one would find them there.
pub fn verify(
    model: &Model,
    choice: &Choice,
    simulation: &Simulation,
    study: &mut Study,
    (settings, points): (&Settings, usize),
    each: &mut dyn FnMut(&Check),
) -> Result<Vec<Check>, AnalysisError> {
    let mut checks = vec![];
    let mut say = |check: Check| {
        each(&check);
        checks.push(check);
    };
    let motion = run(simulation, settings)?;
    let states = states(study, &motion, points.max(2))?;
    say(formalisms(model, choice, study, &states)?);
    say(virtual_power::check(study, &states)?);
    say(finite_differences::check(study, &states)?);
    say(machine_code(choice, study, &states)?);
    say(energy(&motion));
    say(constraints(study, &motion, &states)?);
    for check in second_integrator::checks(simulation, settings, &motion, study.n_states())? {
        say(check);
    }
    Ok(checks)
}

fn run(simulation: &Simulation, settings: &Settings) -> Result<Trajectory, AnalysisError> {
    simulation.run(settings, &mut ()).map_err(|e| AnalysisError::Evaluation(e.to_string()))
}

/// States at equal distances in time, the first and the last among them, moved onto the constraints.
fn states(study: &mut Study, motion: &Trajectory, points: usize) -> Result<Vec<State>, AnalysisError> {
    let (n, n_d) = (study.n_states(), study.discretes().len());
    let last = motion.rows.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..points).map(|k| k * last / (points - 1)).collect();
    places.dedup();
    let mut states = vec![];
    for k in places.into_iter().filter(|_| !motion.rows.is_empty()) {
        let row = motion.rows.row(k);
        // Discrete states stand behind the others.
        let (mut y, discretes) = (row[1..=n].to_vec(), row[n + 1..=n + n_d].to_vec());
        study.hold_discretes(&discretes);
        study.close(row[0], &mut y)?;
        states.push(State { t: row[0], y, discretes });
    }
    Ok(states)
}

/// Accelerations by every formalism that applies, relative to the largest rate of the state.
fn formalisms(
    model: &Model,
    choice: &Choice,
    study: &mut Study,
    states: &[State],
) -> Result<Check, AnalysisError> {
    const NAME: &str = "formalisms";
    let own = choice.equations.formalism;
    if drops_small_quantities(study) {
        return Ok(idle(NAME, "quantities are declared small, and each formalism drops what it may"));
    }
    let (mut worst, mut others) = (0.0f64, vec![]);
    for other in Formalism::ALL.into_iter().filter(|f| *f != own) {
        // One that does not apply says so where formalisms are compared.
        let Ok(derived) = choose(model, Some(other)) else { continue };
        let mut evaluator = Evaluator::new(&derived.lowered.program, study.host())?;
        let derivatives = derived.lowered.layout.derivatives.clone();
        for state in states {
            study.hold_discretes(&state.discretes);
            let rates = study.rates(state.t, &state.y)?;
            let inputs = study.placed(state.t, &state.y);
            let found = &evaluator.run(&inputs)?[derivatives.clone()];
            worst = worst.max(relative(&rates, found));
        }
        others.push(other.name());
    }
    if others.is_empty() {
        return Ok(idle(NAME, format!("no formalism but {} applies", own.name())));
    }
    let mut compared = format!("{} against {}, {} states", others.join(" and "), own.name(), states.len());
    if worst > FORMALISMS.doubtful {
        compared += &equation_rows::at_odds(model, choice, study, states)?;
    }
    Ok(FORMALISMS.judge(NAME, compared, worst))
}

/// Rates below this, in SI units, are not told from none: what is held still against gravity is held to rounding.
const STILL: f64 = 1e-3;

/// The largest difference as a part of the largest number; what is not finite must be so on both sides.
fn relative(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).filter(|x| x.is_finite()).fold(STILL, |m, x| m.max(x.abs()));
    let difference = |(x, y): (&f64, &f64)| match (x.is_finite(), y.is_finite()) {
        (true, true) if x == y => 0.0,
        (true, true) => (x - y).abs() / size,
        (false, false) => 0.0,
        _ => f64::INFINITY,
    };
    a.iter().zip(b).map(difference).fold(0.0, f64::max)
}

/// Whether a model has coordinates that are declared small.
pub fn drops_small_quantities(study: &Study) -> bool {
    let pool = study.model().space.pool();
    study.model().coordinates.iter().any(|(_, q)| pool.small_order(q.symbol) > 0)
}

/// All results of the program, bit by bit.
fn machine_code(choice: &Choice, study: &mut Study, states: &[State]) -> Result<Check, AnalysisError> {
    let program = &choice.lowered.program;
    let [mut code, mut meaning] = [
        Engine::with_host(program, EngineKind::Native, study.host())?,
        Engine::with_host(program, EngineKind::Interpreter, study.host())?,
    ];
    let [mut a, mut b] = [vec![0.0; code.n_outputs()], vec![0.0; code.n_outputs()]];
    let mut different = 0;
    for state in states {
        study.hold_discretes(&state.discretes);
        let inputs = study.placed(state.t, &state.y);
        code.run(program.all_stages(), &inputs, &mut a)?;
        meaning.run(program.all_stages(), &inputs, &mut b)?;
        let same = |(x, y): &(&f64, &f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        different += a.iter().zip(&b).filter(|pair| !same(pair)).count();
    }
    let compared = format!("{} results against the interpreter bit by bit, {} states", a.len(), states.len());
    let finding = if different == 0 { Finding::Holds } else { Finding::Fails };
    Ok(Check { name: "machine code", compared, difference: Some(different as f64), limit: 0.0, finding })
}

fn energy(motion: &Trajectory) -> Check {
    match motion.audit.closure {
        Closure::Closed => {
            let compared =
                format!("kinetic and potential energy against work, {} samples", motion.rows.len());
            ENERGY.judge("energy", compared, motion.audit.relative())
        }
        Closure::Stepped => idle("energy", "the balance of time stepping is of the order of the step"),
        Closure::Driven => idle("energy", "a motion or field that is prescribed in time does work"),
        Closure::Small => {
            idle("energy", "quantities are declared small: the balance holds to their order only")
        }
    }
}

fn constraints(study: &mut Study, motion: &Trajectory, states: &[State]) -> Result<Check, AnalysisError> {
    const NAME: &str = "constraints";
    let left = motion.left_open.map(|(position, velocity)| position.max(velocity));
    let quadruples = !study.model().unit_quadruples.is_empty();
    let Some(left) = left.or(quadruples.then_some(0.0)) else {
        return Ok(idle(NAME, "the model is a tree"));
    };
    let mut worst = left;
    for state in states {
        study.hold_discretes(&state.discretes);
        worst = worst.max(study.left_open(state.t, &state.y)?);
    }
    let compared = "loops, speeds and norms after every step against zero, in SI units".to_string();
    Ok(CONSTRAINTS.judge(NAME, compared, worst))
}

/// Whether a motion reached its end; why not, in words.
fn unfinished(motion: &Trajectory) -> Option<&str> {
    (!motion.ending.is_complete()).then_some(motion.reason.as_str())
}
