//! Which loops repeat constraints, in mechanical words.
//!
//! ```text
//! [grubler]    freedom of the tree - all equations of what closes its loops
//! [mobility]   freedom of the tree - independent equations
//! ```
//!
//! The two differ by the equations that say nothing new. They change no motion; but what the joints of such a loop bear in those
//! directions is not unique.

use std::fmt;

use cardan_model::Model;

use crate::assembly::RowName;

/// What a joint that closes a loop says again.
#[derive(Clone, PartialEq, Debug)]
pub struct Repetition {
    /// The joint or constraint.
    pub constraint: String,
    /// The joints of the tree that its loop goes through; empty where it couples numbers.
    pub through: Vec<String>,
    /// What is repeated, equation by equation.
    pub what: Vec<String>,
}

impl fmt::Display for Repetition {
    /// `pin repeats 3 constraints of the loop through crank, coupler, rocker: translation along z of coupler; …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.what.len();
        write!(f, "{} repeats {n} constraint{}", self.constraint, if n == 1 { "" } else { "s" })?;
        if !self.through.is_empty() {
            write!(f, " of the loop through {}", self.through.join(", "))?;
        }
        write!(f, ": {}", self.what.join("; "))
    }
}

/// How freely a mechanism with loops moves, counted and true.
#[derive(Clone, PartialEq, Debug)]
pub struct Mobility {
    /// By counting equations. [grubler]
    pub counted: i64,
    /// By their rank. [mobility]
    pub freedom: usize,
    /// Where the two differ.
    pub repetitions: Vec<Repetition>,
}

impl Mobility {
    /// From the equations that say nothing new.
    pub fn of<'a>(model: &Model, repeated: impl Iterator<Item = &'a RowName>, freedom: usize) -> Mobility {
        let mut repetitions: Vec<Repetition> = vec![];
        for row in repeated {
            match repetitions.iter_mut().find(|r| r.constraint == row.constraint) {
                Some(known) => known.what.push(row.what.clone()),
                None => repetitions.push(Repetition {
                    constraint: row.constraint.clone(),
                    through: through(model, &row.constraint),
                    what: vec![row.what.clone()],
                }),
            }
        }
        let equations: usize = model.constraints.iter().map(|(_, c)| c.rows.len()).sum();
        Mobility { counted: model.speeds.len() as i64 - equations as i64, freedom, repetitions }
    }
}

/// The joints of the tree between the two bodies of a constraint.
pub(crate) fn through(model: &Model, constraint: &str) -> Vec<String> {
    let found = model.constraints.iter().find(|(_, c)| c.name == constraint);
    let Some(ends) = found.and_then(|(_, c)| c.ends.as_ref()) else { return vec![] };
    let joints = model.joints_between(ends.first, ends.second);
    joints.into_iter().map(|j| model.joints[j].name.clone()).collect()
}
