//! Formalisms beside one another: each on a thread and a copy of the model of its own, those far behind given up early.
//!
//! Deriving equations is quick, and so is counting their operations as they are written. Searching for common parts is not; so it goes in
//! rounds, and only what may win enters the next one. Each goes on from where it was; reports, energies and corrections are made for the winner
//! alone. How far behind is too far was found on the library's models and on some seventy robots, and a test holds it to that.

use cardan_equations::{ConstraintRows, Equations, Formalism, derive_motion};
use cardan_lower::{CorrectionProgram, Effort, LowerError, SimulationDraft, correction_program};
use cardan_model::Model;
use cardan_program::Counts;
use cardan_program::price::price_of_counts;

use crate::bids::{Meeting, Seat};
use crate::choice::{Choice, ChoiceError};
use crate::errand::{Errand, Owner};

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

/// A copy of a model with its equations, from which corrections are made.
type Copied = Box<(Model, Equations)>;
type Made = Result<Option<CorrectionProgram>, LowerError>;

fn corrections(copied: Copied) -> Made {
    correction_program(&copied.0, &copied.1)
}

/// Lets formalisms compete; the later ones win ties. What became of each.
pub(crate) fn race(
    model: &Model,
    kept: &ConstraintRows,
    formalisms: &[Formalism],
) -> Result<Vec<(Formalism, Outcome)>, ChoiceError> {
    let (meeting, errand) = (Meeting::new(formalisms.len()), Errand::new(formalisms.len()));
    let mut entrants: Vec<Entrant<'_>> = vec![];
    for (k, formalism) in formalisms.iter().enumerate() {
        let (seat, errand) = (meeting.seat(k), errand.owner(k));
        entrants.push(Entrant { seat, errand, all: formalisms, formalism: *formalism, kept: kept.clone() });
    }
    let copies: Vec<Model> = formalisms.iter().map(|_| model.clone()).collect();
    let is_deep = model.space.frames().len() > SHALLOW;
    let is_constrained = !kept.rows.is_empty();
    let compete = |entrant: Entrant<'_>, model: Model| {
        let outcome = entrant.compete(model);
        if is_constrained && matches!(outcome, Ok(Outcome::Against(_) | Outcome::Beaten(_))) {
            errand.run(corrections);
        }
        outcome
    };
    std::thread::scope(|scope| {
        let thread = || std::thread::Builder::new().stack_size(STACK);
        let mut pairs: Vec<_> = entrants.into_iter().zip(copies).collect();
        // One stays on this thread where models are not deep.
        let here = if is_deep { None } else { pairs.pop() };
        let mut threads = vec![];
        for (entrant, model) in pairs {
            threads.push(thread().spawn_scoped(scope, move || compete(entrant, model)).map_err(no_thread)?);
        }
        if is_constrained && formalisms.len() == 1 {
            thread().spawn_scoped(scope, || errand.run(corrections)).map_err(no_thread)?;
        }
        let here = here.map(|(entrant, model)| compete(entrant, model));
        let outcomes = threads.into_iter().map(joined).chain(here);
        formalisms.iter().zip(outcomes).map(|(f, outcome)| Ok((*f, outcome?))).collect()
    })
}

/// A formalism that competes.
struct Entrant<'r> {
    seat: Seat<'r>,
    /// Corrections wait until the formalism is known; then another thread makes them, on a model of their own.
    errand: Owner<'r, Copied, Made>,
    all: &'r [Formalism],
    formalism: Formalism,
    kept: ConstraintRows,
}

impl Entrant<'_> {
    fn compete(self, model: Model) -> Result<Outcome, ChoiceError> {
        let Entrant { seat, errand, all, formalism, kept } = self;
        let motion = match derive_motion(&model, formalism, kept) {
            Ok(motion) => motion,
            Err(failure) => return Ok(Outcome::Against(failure.message(&model))),
        };
        let mut draft = SimulationDraft::new(&model, motion.equations()).map_err(ChoiceError::Lower)?;
        let offer = || {
            if motion.equations().augmented.is_some() {
                errand.offer(Box::new((model.clone(), motion.equations().clone())));
            }
        };
        let mut is_alone = all.len() == 1;
        let mut is_offered = false;
        for round in &ROUNDS {
            if is_alone {
                break;
            }
            let has_time = seat.say(draft.pursue(round.effort).map_err(ChoiceError::Lower)?);
            // Who leads will go on as a rule: the next round's work is begun instead of waiting. What comes of it is the same. The search adds
            // to the pool, so the copy for corrections is taken before it, as it would be without the time.
            if has_time && round.effort == Effort::Plain {
                offer();
                is_offered = true;
                draft.pursue(Effort::Little).map_err(ChoiceError::Lower)?;
            }
            let offers = seat.hear();
            let near = round.near(all, &offers);
            if !near.contains(&seat.number()) {
                return Ok(Outcome::Against(round.reason(all, &offers, seat.number())));
            }
            is_alone = near.len() == 1;
            if !is_alone {
                errand.withdraw();
                is_offered = false;
            }
        }
        if is_alone && !is_offered {
            offer();
        }
        draft.pursue(Effort::Full).map_err(ChoiceError::Lower)?;
        if !is_alone {
            let counts = draft.counts();
            let offers = seat.offer(price_of_counts(&counts));
            // The more readable formalism wins a tie.
            let winner = offers.iter().rev().min_by_key(|(_, price)| *price);
            if winner.is_some_and(|(k, _)| *k != seat.number()) {
                return Ok(Outcome::Beaten(counts));
            }
            offer();
        }
        let equations = match motion.balanced(&model) {
            Ok(equations) => equations,
            Err(failure) => return Ok(Outcome::Against(failure.message(&model))),
        };
        let lowered = draft.finish(&equations).map_err(ChoiceError::Lower)?;
        let corrections = errand.outcome(corrections).transpose().map_err(ChoiceError::Lower)?.flatten();
        let choice = Choice { model, lowered, loops: None, events: None, considered: vec![], equations };
        Ok(Outcome::Taken(Box::new((choice, corrections))))
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
