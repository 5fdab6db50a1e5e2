//! Forks: a start in a singular position, from which a mechanism can go on in more than one way.
//!
//! ```text
//! [fork]       rank of G at the start < its rank in a position beside it
//! [free]       speeds k with (1 - G⁺G) e_k ≠ 0
//! [second]     G u̇ = -γ(u) has a solution: the speeds of the start belong to a motion
//! [gamma]      γ = (v(q + ε q̇, u, t + ε) - v(q - ε q̇, u, t - ε)) / 2ε
//! ```
//!
//! All bars of a parallelogram in one line are one: it goes on as a parallelogram or crossed. To first order any mixture of the two is a
//! motion, and to second order only the two are. Speeds that satisfy [second] tell which way it goes; rest tells nothing.

use std::fmt;

use cardan_solve::linear::{Matrix, least_norm};

use crate::assemble::RowName;
use crate::assembly_error::{AssemblyError, short};
use crate::newton::{Hold, Work};

/// How far from the fork γ is looked at, in radians or metres.
const BESIDE: f64 = 1e-4;
/// What [second] may leave of γ, with speeds squared.
const SECOND: f64 = 1e-5;
/// Parts of a speed below this are not free.
const FREE: f64 = 1e-6;
/// Speeds below this are rest, in SI units.
const AT_REST: f64 = 1e-9;

/// What the speeds at a fork say about the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Nothing: it is at rest.
    AtRest,
    /// They mix several ways, and belong to no motion.
    Mixed,
    /// They belong to a motion.
    Told,
}

/// A start in a singular position.
#[derive(Clone, PartialEq, Debug)]
pub struct Fork {
    /// The constraints that repeat one another there.
    pub constraints: Vec<String>,
    /// The joints of the tree that their loops go through.
    pub through: Vec<String>,
    /// Independent motions in an ordinary position, and here.
    pub motions: (usize, usize),
    /// The coordinates that can move there, with their values and SI units.
    pub free: Vec<(String, f64, String)>,
    /// What the speeds say.
    pub way: Way,
    /// The lengths that all rows of G have in positions beside it.
    pub lengths: Vec<f64>,
}

impl Fork {
    /// Looks at an assembled state whose rows, of the lengths `usual` in positions beside it, have less rank than there are independent
    /// ones; singular values below a part `tolerance` of the largest count as zero.
    pub(crate) fn of(
        work: &mut Work<'_>,
        state: &[f64],
        usual: &[f64],
        independent: &[usize],
        tolerance: f64,
    ) -> Result<Fork, AssemblyError> {
        let failed = |f: cardan_solve::Failure| AssemblyError::Evaluation(f.message);
        work.run(state)?;
        let n = work.n_speeds;
        let rows = work.rows();
        let lengths: Vec<f64> = usual.iter().map(|l| if *l > 0.0 { *l } else { 1.0 }).collect();
        let matrix = |out: Option<usize>| {
            let mut g = Matrix::zeros(rows.len(), n);
            for (i, row) in rows.iter().enumerate().filter(|(i, _)| Some(*i) != out) {
                row.iter().enumerate().for_each(|(k, x)| g[(i, k)] = x / lengths[i]);
            }
            g
        };
        let g = matrix(None);
        let nothing = vec![0.0; rows.len()];
        let rank = least_norm(&g, &nothing, tolerance).map_err(failed)?.rank;
        let (mut constraints, mut through): (Vec<String>, Vec<String>) = (vec![], vec![]);
        for (i, RowName { constraint, through: joints, .. }) in work.loops.rows.iter().enumerate() {
            let same = least_norm(&matrix(Some(i)), &nothing, tolerance).map_err(failed)?.rank == rank;
            if same && !constraints.contains(constraint) {
                constraints.push(constraint.clone());
                joints.iter().for_each(|j| {
                    if !through.contains(j) {
                        through.push(j.clone())
                    }
                });
            }
        }
        let mut free = vec![];
        for (i, q) in work.loops.coordinates.iter().enumerate() {
            let Some(k) = q.own_speed else { continue };
            let x = least_norm(&g, g.column(k), tolerance).map_err(failed)?.x; // [free]
            let left = (0..n).map(|j| (if j == k { 1.0 } else { 0.0 } - x[j]).powi(2)).sum::<f64>().sqrt();
            if left > FREE {
                free.push((q.name.clone(), state[i], q.unit.clone()));
            }
        }
        let first = work.loops.closure.rates.len();
        let fastest = state[first..first + n].iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        let way = if fastest < AT_REST {
            Way::AtRest
        } else {
            let mut gamma = second_order(work, state, BESIDE / fastest.max(1.0))?; // [gamma]
            gamma.iter_mut().zip(&lengths).for_each(|(x, l)| *x /= -l);
            let u_dot = least_norm(&g, &gamma, tolerance).map_err(failed)?.x;
            let mut met = vec![0.0; rows.len()];
            g.multiply(&u_dot, &mut met);
            let left = met.iter().zip(&gamma).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if left <= SECOND * fastest * fastest { Way::Told } else { Way::Mixed } // [second]
        };
        work.run(state)?;
        let motions = (n.saturating_sub(independent.len()), n.saturating_sub(rank));
        Ok(Fork { constraints, through, motions, free, way, lengths })
    }

    /// What the speeds say, as a sentence without full stop.
    pub fn doubt(&self) -> &'static str {
        match self.way {
            Way::AtRest => "at rest nothing says which way it goes",
            Way::Mixed => "the speeds of the start fit none of them",
            Way::Told => "the accelerations are not determined all the same",
        }
    }

    /// A start beside this one, to be typed: `start { p = 1 [deg] }`.
    pub fn beside(&self) -> Option<String> {
        let (name, value, unit) = self.free.first()?;
        Some(match unit.as_str() {
            "m" => format!("start {{ {name} = {} [m] }}", short(value + 0.01)),
            "rad" => format!("start {{ {name} = {} [deg] }}", short(value.to_degrees() + 1.0)),
            _ => format!("start {{ {name} = {} }}", short(value + 0.01)),
        })
    }

    /// The names of what can move, `p`, `r`, `s`.
    pub fn movers(&self) -> String {
        self.free.iter().map(|(name, ..)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Fork {
    /// `the start is a singular position of the loop through a, b, c: 2 motions are possible instead of 1, …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.through.is_empty() {
            true => self.constraints.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", "),
            false => format!("the loop through {}", self.through.join(", ")),
        };
        let (usual, here) = self.motions;
        write!(f, "the start is a singular position of {whose}: {here} motions are possible there")?;
        write!(f, " instead of {usual}, and {}", self.doubt())
    }
}

/// γ by central differences along the motion. [gamma]
fn second_order(work: &mut Work<'_>, state: &[f64], step: f64) -> Result<Vec<f64>, AssemblyError> {
    let t = work.time();
    let first = work.loops.closure.rates.len();
    let speeds = state[first..first + work.n_speeds].to_vec();
    let hold = Hold::nothing(work.n_speeds);
    work.run(state)?;
    let places = [1.0, -1.0].map(|side| (side, work.displaced(state, &speeds, side * step, &hold)));
    let mut gamma = vec![0.0; work.loops.rows.len()];
    for (side, place) in places {
        work.at(t + side * step);
        let run = work.run(&place);
        work.at(t);
        run?;
        work.velocities().into_iter().for_each(|(r, v)| gamma[r] += side * v / (2.0 * step));
    }
    Ok(gamma)
}
