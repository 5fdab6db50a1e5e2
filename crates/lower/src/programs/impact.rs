//! The part of the program of events that gives impulses, and keeps a mechanism on its constraints.
//!
//! Its inputs come after those that all programs about a model share; its outputs are computed only when an event happens. See
//! [`cardan_equations::impact`] for what they mean.

use std::ops::Range;

use cardan_equations::{Equations, impact};
use cardan_model::{CoordinateId, Model, SpeedId};
use cardan_program::Label;

use crate::{LowerError, Phase, Request};

/// A coordinate that events assign; places are positions in the input vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoordinatePlace {
    /// Which one.
    pub id: CoordinateId,
    /// Where 1 goes if the event assigns it, else 0.
    pub mark: usize,
}

/// A speed that events assign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpeedPlace {
    /// Which one.
    pub id: SpeedId,
    /// The input for 1 if the event assigns it, else 0.
    pub mark: usize,
    /// The input for its value.
    pub value: usize,
    /// The output that is positive where the constraints cannot have this value.
    pub unmet: usize,
}

/// Where the jump of a mechanism with constraints is computed; ranges are positions in the output vector.
#[derive(Clone, PartialEq, Debug)]
pub struct ImpactPlaces {
    /// Coordinates that events assign.
    pub coordinates: Vec<CoordinatePlace>,
    /// Speeds that events assign.
    pub speeds: Vec<SpeedPlace>,
    /// What vanishes where the loops are closed.
    pub gaps: Range<usize>,
    /// Changes of all coordinates that close the loops; empty if no coordinate is assigned.
    pub position: Range<usize>,
    /// Changes of all speeds.
    pub velocity: Range<usize>,
}

/// Asks for the jump; nothing where events say all there is to say.
pub(crate) fn add_impact(
    request: &mut Request<'_>,
    model: &Model,
    equations: &Equations,
) -> Result<Option<ImpactPlaces>, LowerError> {
    let found = impact(model, equations).map_err(|f| LowerError::NoStructure(f.message(model)))?;
    let Some(found) = found else { return Ok(None) };
    let mut coordinates = vec![];
    for c in &found.coordinates {
        let label = Label::named(format!("mark of {}", model.coordinates[c.id].quantity.name));
        coordinates.push(CoordinatePlace { id: c.id, mark: request.input(c.mark, label, Phase::Report) });
    }
    let mut speeds = vec![];
    for s in &found.speeds {
        let name = &model.speeds[s.id].quantity.name;
        let mark = request.input(s.mark, Label::named(format!("mark of {name}")), Phase::Report);
        let value = request.input(s.value, Label::named(format!("assigned {name}")), Phase::Report);
        let unmet = request.output(Label::named(format!("unmet {name}")), s.unmet, Phase::Report);
        speeds.push(SpeedPlace { id: s.id, mark, value, unmet });
    }
    let mut ask = |list: &[cardan_expr::Expr], what: &str| {
        let first = request.outputs.len();
        for (k, e) in list.iter().enumerate() {
            request.output(Label::named(format!("{what}{}", k + 1)), *e, Phase::Report);
        }
        first..request.outputs.len()
    };
    let gaps = ask(&found.gaps, "gap ");
    let position = ask(&found.position, "jump of coordinate ");
    let velocity = ask(&found.velocity, "jump of speed ");
    Ok(Some(ImpactPlaces { coordinates, speeds, gaps, position, velocity }))
}
