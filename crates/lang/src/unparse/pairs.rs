//! The forms in which constraints are written, and what stands for their multipliers.

use cardan_kinematics::Vector;
use cardan_model::{Constraint, ConstraintKind, RowAction};
use cardan_units::Dimension;

use crate::unparse::Writer;

/// How a constraint is written.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Row by row.
    Rows,
    /// A joint between two markers.
    Closing,
    /// What the model remembers the curve or surface of.
    Figure,
}

impl Writer<'_> {
    /// The form in which a constraint says all that it is. The axes of a joint are those of frames that the text can name.
    pub(crate) fn form(&self, c: &Constraint) -> Form {
        let markers = c.markers.iter().flat_map(|m| m.iter().map(|m| m.point.frame));
        let mut frames = markers.chain(c.ends.iter().flat_map(|e| [e.first, e.second]));
        if frames.any(|f| !self.frames.contains_key(&f)) {
            return Form::Rows;
        }
        if c.markers.is_some() && matches!(c.kind, ConstraintKind::Closing(_)) {
            return Form::Closing;
        }
        if c.figure.is_some() { Form::Figure } else { Form::Rows }
    }

    /// What stands for the multipliers of a joint that is written as a whole: the parts of its force and torque along the actions of its
    /// rows; nothing if these are not perpendicular to one another.
    pub(crate) fn multipliers(&mut self, c: &Constraint, word: &str) -> Option<Vec<(String, Dimension)>> {
        let space = &self.model.space;
        let pool = space.pool();
        let mut kinds: [Vec<&Vector>; 2] = [vec![], vec![]];
        let mut list = vec![];
        for row in &c.rows {
            let (kind, e) = match row.action.as_ref()? {
                RowAction::Force(e) => (0, e),
                RowAction::Torque(e) => (1, e),
                RowAction::Wrench(..) => return None,
            };
            let is_new = kinds[kind].iter().all(|other| pool.is_zero(space.dot(other, e)));
            let square = space.dot(e, e);
            if !is_new || square != pool.one() && c.rows.len() > 1 {
                return None;
            }
            kinds[kind].push(e);
            list.push((kind, e.clone(), square));
        }
        let before = (self.variables.clone(), self.shared.clone(), self.left_out.len());
        let mut texts = vec![];
        for (kind, e, square) in list {
            let along = self.vector(&e, Dimension::ONE);
            let (part, dimension) =
                [("force", Dimension::FORCE), ("torque", Dimension::TORQUE.without_angle())][kind];
            let over = if square == self.model.space.pool().one() {
                String::new()
            } else {
                format!(" / dot({along}, {along})")
            };
            texts.push((format!("(-dot({word}.{part}, {along}){over})"), dimension));
        }
        // A direction that cannot be written, or not in one piece, is none.
        if self.left_out.len() > before.2 || self.variables != before.0 {
            self.left_out.truncate(before.2);
            (self.variables, self.shared) = (before.0, before.1);
            return None;
        }
        Some(texts)
    }
}
