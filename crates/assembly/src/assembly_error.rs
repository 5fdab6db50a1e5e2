//! Why a mechanism cannot be assembled: what stays open, by how much, and what fights what.
//!
//! ```text
//! [parties]    where the gap is least, Gᵀ r = 0: the rows with r ≠ 0 are the ones that contradict one another
//! ```

use std::fmt;

use crate::assemble::RowName;
use crate::gimbal_lock::Lock;
use crate::newton::{Residuals, Work, largest};

/// A given value that keeps the constraints from being met, in SI units.
#[derive(Clone, PartialEq, Debug)]
pub struct Fight {
    /// The coordinate or speed.
    pub name: String,
    /// Its SI unit.
    pub unit: String,
    /// The value given.
    pub value: f64,
    /// What it would be if it alone were free; nothing if that does not help.
    pub would_be: Option<f64>,
}

impl fmt::Display for Fight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.unit == "1" { String::new() } else { format!(" {}", self.unit) };
        write!(f, "`{}` = {}{unit}", self.name, short(self.value))?;
        self.would_be.map_or(Ok(()), |x| write!(f, " would have to be {}{unit}", short(x)))
    }
}

/// A constraint that stays open.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenLoop {
    /// The row that is open the most.
    pub row: RowName,
    /// The gap of its constraint in its unit: the root of the sum of squares of the rows with this unit.
    pub gap: f64,
    /// Whether it is a gap between rates.
    pub is_rate: bool,
    /// All constraints that are open where the gap is least, the widest first. [parties]
    pub parties: Vec<String>,
    /// Whether one of them follows a function of time.
    pub driven: bool,
    /// Iterations until nothing more could be gained.
    pub iterations: usize,
    /// Values given for the start that fight with the constraints; empty where the gap is not their fault.
    pub held: Vec<Fight>,
}

impl OpenLoop {
    /// From the residuals of positions where the gap is least.
    pub(crate) fn of(work: &Work<'_>, iterations: usize) -> OpenLoop {
        OpenLoop { iterations, ..OpenLoop::from(work, &work.positions()) }
    }

    /// From the residuals of velocities.
    pub(crate) fn of_rates(work: &Work<'_>) -> OpenLoop {
        OpenLoop { is_rate: true, ..OpenLoop::from(work, &work.velocities()) }
    }

    fn from(work: &Work<'_>, residuals: &Residuals) -> OpenLoop {
        let rows = &work.loops.rows;
        let (widest, most) = largest(residuals);
        let row = rows[widest].clone();
        let same = |r: &RowName| r.constraint == row.constraint && r.unit == row.unit;
        let gap = residuals.iter().filter(|(r, _)| same(&rows[*r])).map(|(_, x)| x * x).sum::<f64>().sqrt();
        let mut open: Vec<_> = residuals.iter().filter(|(_, x)| x.abs() > 1e-3 * most.abs()).collect();
        open.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let mut parties: Vec<String> = vec![];
        for (r, _) in &open {
            if !parties.contains(&rows[*r].constraint) {
                parties.push(rows[*r].constraint.clone());
            }
        }
        let driven = open.iter().any(|(r, _)| rows[*r].drives);
        OpenLoop { row, gap, is_rate: false, parties, driven, iterations: 0, held: vec![] }
    }

    /// The gap with its unit: `0.35 m`, `0.1 rad/s`.
    pub fn size(&self) -> String {
        if self.is_rate { self.row.size_of_rate(self.gap) } else { self.row.size(self.gap) }
    }

    /// `1 iteration`, `7 iterations`.
    pub fn effort(&self) -> String {
        let n = self.iterations;
        format!("{n} {}", if n == 1 { "iteration" } else { "iterations" })
    }

    /// The given values in one sentence without full stop.
    pub fn fighting(&self) -> String {
        self.held.iter().map(Fight::to_string).collect::<Vec<_>>().join(", or ")
    }

    /// The other constraints that are open too, `a`, `b` and `c`.
    pub fn others(&self) -> String {
        let list: Vec<String> =
            self.parties.iter().filter(|p| **p != self.row.constraint).map(|p| format!("`{p}`")).collect();
        match list.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => list.concat(),
        }
    }
}

/// Why a system cannot be assembled.
#[derive(Clone, PartialEq, Debug)]
pub enum AssemblyError {
    /// A loop stays open, or constraints contradict one another.
    Open(Box<OpenLoop>),
    /// A velocity that no motion can have.
    Velocity(Box<OpenLoop>),
    /// A constraint that has no direction where it holds.
    Aimless(Box<RowName>),
    /// The values of the start put three turns where they lose an axis, and rates have no bound there.
    Locked(Box<Lock>),
    /// The constraints could not be evaluated.
    Evaluation(String),
}

impl fmt::Display for AssemblyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AssemblyError::Open(open) => {
                let OpenLoop { row, .. } = open.as_ref();
                match row.through.is_empty() {
                    true => write!(f, "`{}` cannot be met", row.constraint)?,
                    false => write!(f, "the loop through {} cannot be closed", row.through.join(", "))?,
                }
                if !open.held.is_empty() {
                    write!(f, " with the values given for the start")?;
                }
                let (size, effort) = (open.size(), open.effort());
                write!(f, ": `{}` stays open by {size} ({}) after {effort}", row.constraint, row.what)?;
                if !open.others().is_empty() {
                    write!(f, "; it contradicts {}", open.others())?;
                }
                if open.held.is_empty() { Ok(()) } else { write!(f, "; {}", open.fighting()) }
            }
            AssemblyError::Velocity(open) => {
                let OpenLoop { row, .. } = open.as_ref();
                let size = open.size();
                write!(f, "no motion satisfies `{}`: {} keeps a rate of {size}", row.constraint, row.what)?;
                if !open.others().is_empty() {
                    write!(f, "; it contradicts {}", open.others())?;
                }
                if open.held.is_empty() { Ok(()) } else { write!(f, "; {}", open.fighting()) }
            }
            AssemblyError::Aimless(row) => {
                write!(f, "`{}` has no direction where it holds: {}", row.constraint, row.what)
            }
            AssemblyError::Locked(lock) => lock.fmt(f),
            AssemblyError::Evaluation(reason) => {
                write!(f, "the constraints could not be evaluated: {reason}")
            }
        }
    }
}

impl std::error::Error for AssemblyError {}

/// A number of a few digits.
pub fn short(x: f64) -> String {
    let rounded = format!("{x:.4e}").parse::<f64>().unwrap_or(x);
    match rounded.abs() {
        a if a == 0.0 || (1e-4..1e6).contains(&a) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}
