//! Which formalism: the one whose program needs the fewest operations per evaluation.
//!
//! Each formalism gets a model of its own. In one pool equal expressions are one, so a second derivation would borrow the
//! intermediate results of the first, and its count would not be its own.

use std::fmt;

use cardan_equations::{Equations, Formalism, derive};
use cardan_lower::{LowerError, Phase, Simulation as Lowered, simulation_program};
use cardan_model::Model;
use cardan_program::{Counts, count};

use crate::plan::stages;

/// With more speeds than this, Kane's equations are not even derived: their cost grows with the cube, and the
/// recursive formalisms have long won.
pub const MAX_SPEEDS_FOR_KANE: usize = 25;

/// The formalisms that were looked at and the one that was taken.
#[derive(Debug)]
pub struct Choice {
    /// The model that the equations belong to.
    pub model: Model,
    /// The equations by the formalism taken.
    pub equations: Equations,
    /// Their program.
    pub lowered: Lowered,
    /// All that were considered, with counts or with the reason against them.
    pub considered: Vec<Considered>,
}

/// A formalism that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Considered {
    /// Which one.
    pub formalism: Formalism,
    /// Operations of one evaluation of the state's derivative, or why there is none, in words.
    pub result: Result<Counts, String>,
}

/// Why no program could be made.
#[derive(Clone, PartialEq, Debug)]
pub enum ChoiceError {
    /// No formalism applies; each with its reason.
    NoFormalism(Vec<Considered>),
    /// The equations could not be made into a program.
    Lower(LowerError),
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::NoFormalism(considered) => {
                let mut reasons: Vec<&str> =
                    considered.iter().filter_map(|c| c.result.as_ref().err()).map(String::as_str).collect();
                reasons.dedup();
                f.write_str(&reasons.join("; "))
            }
            ChoiceError::Lower(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChoiceError {}

/// Operations of one evaluation of the state's derivative.
pub fn motion_counts(lowered: &Lowered) -> Counts {
    count(&lowered.program, stages(&lowered.program, Phase::Time, Phase::Motion))
}

/// Derives the model by the formalism `wanted`, or by every one that applies, and takes the cheapest. `make` makes the
/// same model each time.
pub fn choose(make: &dyn Fn() -> Model, wanted: Option<Formalism>) -> Result<Choice, ChoiceError> {
    let mut considered = Vec::new();
    let mut best: Option<(u64, Choice)> = None;
    for formalism in Formalism::ALL {
        if wanted.is_some_and(|w| w != formalism) {
            continue;
        }
        let model = make();
        let n = model.speeds.len();
        if wanted.is_none() && formalism == Formalism::Kane && n > MAX_SPEEDS_FOR_KANE {
            let reason = format!("not derived: {n} speeds are more than {MAX_SPEEDS_FOR_KANE}");
            considered.push(Considered { formalism, result: Err(reason) });
            continue;
        }
        match derive(&model, formalism) {
            Err(failure) => {
                considered.push(Considered { formalism, result: Err(failure.message(&model)) });
            }
            Ok(equations) => {
                let lowered = simulation_program(&model, &equations).map_err(ChoiceError::Lower)?;
                let counts = motion_counts(&lowered);
                considered.push(Considered { formalism, result: Ok(counts) });
                if best.as_ref().is_none_or(|(total, _)| counts.total() < *total) {
                    best = Some((counts.total(), Choice { model, equations, lowered, considered: vec![] }));
                }
            }
        }
    }
    match best {
        Some((_, choice)) => Ok(Choice { considered, ..choice }),
        None => Err(ChoiceError::NoFormalism(considered)),
    }
}

impl fmt::Display for Choice {
    /// `kane 123 mul + 80 add, recursive 90 mul + 60 add → recursive`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .considered
            .iter()
            .map(|c| match &c.result {
                Ok(counts) => format!("{} {}", c.formalism.name(), short(counts)),
                Err(reason) => format!("{} ({reason})", c.formalism.name()),
            })
            .collect();
        write!(f, "{} → {}", parts.join(", "), self.equations.formalism.name())
    }
}

/// Counts in a few words: `90 mul + 60 add + 2 div + 4 trig`.
pub fn short(counts: &Counts) -> String {
    let kinds = [
        ("mul", counts.mul),
        ("add", counts.add),
        ("div", counts.div),
        ("sqrt", counts.sqrt),
        ("trig", counts.trig),
        ("compare", counts.compare),
        ("other", counts.other),
    ];
    let parts: Vec<String> =
        kinds.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{n} {kind}")).collect();
    if parts.is_empty() { "nothing".to_string() } else { parts.join(" + ") }
}
