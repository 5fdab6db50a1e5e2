//! Formalisms beside one another: each on a thread and a copy of the model of its own, those far behind given up early.
//!
//! Deriving equations is quick, and so is counting their operations as they are written. Searching for common parts is not; so it goes in
//! rounds, and only what may win enters the next one. Each goes on from where it was; reports, energies and corrections are made for the winner
//! alone. How far behind is too far was found on the library's models and on some seventy robots, and a test holds it to that.

use cardan_equations::{ConstraintRows, Formalism, derive_motion};
use cardan_lower::{CorrectionProgram, Effort, SimulationDraft, correction_program};
use cardan_model::Model;
use cardan_program::Counts;
use cardan_program::price::price_of_counts;

use crate::bids::{Meeting, Seat};
use crate::choice::{Choice, ChoiceError};

/// How far behind a formalism may be and go on.
struct Round {
    effort: Effort,
    /// In words.
    how: &'static str,
    /// In per cent of the least.
    far: u64,
    /// The same for Kane's equations: much of what they are written with is common.
    far_for_kane: u64,
}

const ROUNDS: [Round; 2] = [
    // The cheapest in the end starts with at most 107, by Kane's equations with 145.
    Round { effort: Effort::Plain, how: "as written", far: 118, far_for_kane: 165 },
    // There the cheapest in the end has at most 107.
    Round { effort: Effort::Little, how: "with common parts shared", far: 107, far_for_kane: 107 },
];

/// So many operations may be found by the search in any program: what is behind by no more is searched.
const NEAR: u64 = 20;

/// What became of a formalism.
pub(crate) enum Outcome {
    /// It does not apply or was given up: why, in words.
    Against(String),
    /// Another one costs less.
    Beaten(Counts),
    /// It is taken, with the program of the corrections where there are constraints.
    Taken(Box<(Choice, Option<CorrectionProgram>)>),
}

/// Lets formalisms compete; the later ones win ties. What became of each.
pub(crate) fn race(
    model: &Model,
    kept: &ConstraintRows,
    formalisms: &[Formalism],
) -> Result<Vec<(Formalism, Outcome)>, ChoiceError> {
    let meeting = Meeting::new(formalisms.len());
    let mut entrants: Vec<Entrant<'_>> = vec![];
    for (k, formalism) in formalisms.iter().enumerate() {
        let seat = meeting.seat(k);
        entrants.push(Entrant { seat, all: formalisms, formalism: *formalism, kept: kept.clone() });
    }
    let copies: Vec<Model> = formalisms.iter().map(|_| model.clone()).collect();
    let is_deep = model.space.frames().len() > SHALLOW;
    std::thread::scope(|scope| {
        let mut pairs: Vec<_> = entrants.into_iter().zip(copies).collect();
        // One stays on this thread where models are not deep.
        let here = if is_deep { None } else { pairs.pop() };
        let mut threads = vec![];
        for (entrant, model) in pairs {
            let thread = std::thread::Builder::new().stack_size(STACK);
            threads.push(thread.spawn_scoped(scope, move || entrant.compete(model)).map_err(no_thread)?);
        }
        let here = here.map(|(entrant, model)| entrant.compete(model));
        let outcomes = threads.into_iter().map(joined).chain(here);
        formalisms.iter().zip(outcomes).map(|(f, outcome)| Ok((*f, outcome?))).collect()
    })
}

/// A formalism that competes.
struct Entrant<'r> {
    seat: Seat<'r>,
    all: &'r [Formalism],
    formalism: Formalism,
    kept: ConstraintRows,
}

impl Entrant<'_> {
    fn compete(self, model: Model) -> Result<Outcome, ChoiceError> {
        let Entrant { seat, all, formalism, kept } = self;
        let motion = match derive_motion(&model, formalism, kept) {
            Ok(motion) => motion,
            Err(failure) => return Ok(Outcome::Against(failure.message(&model))),
        };
        let mut draft = SimulationDraft::new(&model, motion.equations()).map_err(ChoiceError::Lower)?;
        let mut is_alone = all.len() == 1;
        for round in &ROUNDS {
            if is_alone {
                break;
            }
            let has_time = seat.say(draft.pursue(round.effort).map_err(ChoiceError::Lower)?);
            // Who leads will go on as a rule: the next round's work is begun instead of waiting. What comes of it is the same.
            if has_time && round.effort == Effort::Plain {
                draft.pursue(Effort::Little).map_err(ChoiceError::Lower)?;
            }
            let offers = seat.hear();
            let near = round.near(all, &offers);
            if !near.contains(&seat.number()) {
                return Ok(Outcome::Against(round.reason(all, &offers, seat.number())));
            }
            is_alone = near.len() == 1;
        }
        let finished = std::thread::scope(|scope| {
            // Corrections wait until the formalism is known; then they are made beside, on a model of their own.
            let beside = || {
                let (model, equations) = (model.clone(), motion.equations().clone());
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, move || correction_program(&model, &equations)).map_err(no_thread)
            };
            let is_constrained = motion.equations().augmented.is_some();
            let early = if is_alone && is_constrained { Some(beside()?) } else { None };
            draft.pursue(Effort::Full).map_err(ChoiceError::Lower)?;
            if !is_alone {
                let counts = draft.counts();
                let offers = seat.offer(price_of_counts(&counts));
                // The more readable formalism wins a tie.
                let winner = offers.iter().rev().min_by_key(|(_, price)| *price);
                if winner.is_some_and(|(k, _)| *k != seat.number()) {
                    return Ok(Err(Outcome::Beaten(counts)));
                }
            }
            let corrections = match early {
                None if is_constrained => Some(beside()?),
                early => early,
            };
            let equations = match motion.balanced(&model) {
                Ok(equations) => equations,
                Err(failure) => return Ok(Err(Outcome::Against(failure.message(&model)))),
            };
            let lowered = draft.finish(&equations).map_err(ChoiceError::Lower)?;
            let corrections = corrections.map(joined).transpose().map_err(ChoiceError::Lower)?.flatten();
            Ok::<_, ChoiceError>(Ok((equations, lowered, corrections)))
        })?;
        Ok(match finished {
            Err(outcome) => outcome,
            Ok((equations, lowered, corrections)) => {
                let choice =
                    Choice { model, lowered, loops: None, events: None, considered: vec![], equations };
                Outcome::Taken(Box::new((choice, corrections)))
            }
        })
    }
}

impl Round {
    /// The seats whose offers are near enough to the least.
    fn near(&self, all: &[Formalism], offers: &[(usize, u64)]) -> Vec<usize> {
        let least = offers.iter().map(|(_, n)| *n).min().unwrap_or(0);
        let is_near = |(k, n): &&(usize, u64)| {
            let far = if all[*k] == Formalism::Kane { self.far_for_kane } else { self.far };
            n.saturating_mul(100) <= least.saturating_mul(far).saturating_add(100 * NEAR)
        };
        offers.iter().filter(is_near).map(|(k, _)| *k).collect()
    }

    /// Why a seat is given up.
    fn reason(&self, all: &[Formalism], offers: &[(usize, u64)], seat: usize) -> String {
        let own = offers.iter().find(|(k, _)| *k == seat).map_or(0, |(_, n)| *n);
        let least = offers.iter().map(|(k, n)| (*n, all[*k])).min();
        let (least, by) = least.map_or((0, ""), |(n, f)| (n, f.name()));
        format!("given up at {own} operations {}, {by} has {least}", self.how)
    }
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn no_thread(error: std::io::Error) -> ChoiceError {
    ChoiceError::NoThread(error.to_string())
}

/// Derivations climb long chains of frames.
const STACK: usize = 64 << 20;

/// With more frames than this they get a stack for it.
const SHALLOW: usize = 32;
