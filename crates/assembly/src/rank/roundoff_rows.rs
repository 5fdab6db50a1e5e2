//! Rows of joints that are rounding, and what tells them from others.
//!
//! ```text
//! [reach]      L = Σ |p|      the lengths fixed in the bodies of a loop: from joint to joint, to the mass centres, and to the ends of what closes it
//! [natural]    n_rk           of a length by a turn L, of a length by a shift 1, of an angle by a turn 1: what entries of G are sums of
//! [rounding]   |G_rk| ≤ ε n_rk    for all speeds k
//! [met]        |g_r| ≤ ε L  or  ε     of a length or of an angle that no motion changes
//! ```
//!
//! A hinge on the line of another says nothing new; written in other digits it says something of the size of the last digit, which no hinge
//! can hold. How large such a row is tells nothing: all of it is what cancellation left. It is compared with what the sums are made of.

use cardan_base::Set;
use cardan_equations::ConstraintRows;
use cardan_expr::Expr;
use cardan_kinematics::FrameId;
use cardan_model::{Constraint, Model};

use crate::assemble::Loops;
use crate::newton::{RANK_TOLERANCE, is_turn};
use crate::parameter_values::ParameterValues;

impl Loops {
    /// Whether entries of a row by variables of these units are nothing but rounding. [rounding]
    pub fn is_rounding<'a>(&self, row: usize, entries: impl IntoIterator<Item = (&'a str, f64)>) -> bool {
        let Some(reach) = self.reach[row] else { return false };
        let unit = &self.rows[row].unit;
        let is_small = |by: &str, x: f64| x == 0.0 || x.abs() <= RANK_TOLERANCE * natural(unit, by, reach);
        entries.into_iter().all(|(by, entry)| is_small(by, entry))
    }
}

/// [natural] Zero where nothing is known of it.
fn natural(of: &str, by: &str, reach: f64) -> f64 {
    match (of, is_turn(by), by.starts_with('m')) {
        ("m", true, _) => reach,
        ("m", _, true) => 1.0,
        (of, true, _) if is_turn(of) => 1.0,
        _ => 0.0,
    }
}

/// [reach] Nothing of what does not lie between two bodies, whose rows may be of any size.
pub fn reach(model: &Model, values: &ParameterValues, constraint: &Constraint) -> Option<f64> {
    let (ends, tips): ([FrameId; 2], Vec<[Expr; 3]>) = match (&constraint.markers, &constraint.ends) {
        (Some(markers), _) => {
            let [a, b] = &**markers;
            ([a.frame(), b.frame()], vec![a.point.coordinates, b.point.coordinates])
        }
        (None, Some(ends)) => ([ends.first, ends.second], vec![ends.at.coordinates]),
        (None, None) => return None,
    };
    let way_down = |frame: FrameId| -> Set<FrameId> {
        std::iter::successors(Some(frame), |f| model.space.frame(*f).parent).collect()
    };
    let (first, second) = (way_down(ends[0]), way_down(ends[1]));
    let is_between = |f: &FrameId| first.contains(f) != second.contains(f);
    let frames = model.space.frames().iter().filter(|(id, _)| is_between(id)).map(|(_, f)| f.p_PoBo_P);
    let centers =
        model.bodies.iter().filter(|(_, body)| is_between(&body.frame)).map(|(_, body)| body.center);
    let length = |v: [Expr; 3]| v.map(|e| values.evaluate(model, e).powi(2)).iter().sum::<f64>().sqrt();
    let all = frames.chain(centers).chain(tips);
    // What coordinates are part of is no number, and is not fixed.
    Some(all.map(length).filter(|l| l.is_finite()).sum())
}

/// Takes rows that no motion changes for met where what they are open by is rounding. [met]
pub fn forgive(model: &Model, values: &ParameterValues, rows: &mut ConstraintRows) {
    let is_met = |(c, r): &(_, usize)| {
        let constraint: &Constraint = &model.constraints[*c];
        let row = &constraint.rows[*r];
        let size = match row.dimension.to_string().as_str() {
            "m" => reach(model, values, constraint),
            unit if is_turn(unit) => constraint.markers.as_ref().map(|_| 1.0),
            _ => None,
        };
        let gap = row.position.map_or(0.0, |g| values.evaluate(model, g));
        size.is_some_and(|size| gap.abs() <= RANK_TOLERANCE * size)
    };
    let (met, open) = std::mem::take(&mut rows.contradictory).into_iter().partition(is_met);
    rows.contradictory = open;
    rows.implied.extend::<Vec<_>>(met);
}
