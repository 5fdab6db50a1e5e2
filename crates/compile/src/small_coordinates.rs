//! Coordinates that a model declares small, and what each is small against.
//!
//! ```text
//! [angle]    1 - cos θ ≈ θ²/2   is the largest part of a kept term that one dropped term can be
//! [length]   x θ against L θ,   a small shift x beside the largest length L that is fixed in a body
//! ```

use cardan_assembly::ParameterValues;
use cardan_base::{Id, without_noise};
use cardan_expr::Expr;
use cardan_model::Model;
use cardan_units::Dimension;

/// A coordinate declared small.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Small {
    /// Its place among the states.
    pub state: usize,
    /// What it is small against.
    pub against: Against,
}

/// What a coordinate is small against.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Against {
    /// A radian, of which the coordinate is this part: an angle itself, or half of one.
    Radian(f64),
    /// A length in metres.
    Length(f64),
}

impl Small {
    /// The part that one dropped term can be of a kept one.
    pub fn neglected(&self, value: f64) -> f64 {
        match self.against {
            Against::Radian(part) => (value / part).powi(2) / 2.0, // [angle]
            Against::Length(length) => value.abs() / length,       // [length]
        }
    }

    /// A value in words.
    pub fn words(&self, value: f64) -> String {
        match self.against {
            Against::Radian(part) => format!("{:.2} rad", value.abs() / part),
            Against::Length(length) => {
                format!("{:.2} m in a mechanism of {} m", value.abs(), without_noise(length))
            }
        }
    }
}

/// The coordinates that a model declares small and that can be judged.
pub(crate) fn declared(model: &Model) -> Vec<Small> {
    let pool = model.space.pool();
    if model.coordinates.iter().all(|(_, q)| pool.small_order(q.symbol) <= 0) {
        return vec![];
    }
    let size = largest_length(model);
    let judged =
        model.coordinates.iter().filter(|(_, q)| pool.small_order(q.symbol) > 0).filter_map(|(id, q)| {
            let dimension = q.quantity.dimension;
            let of_four = model.unit_quadruples.iter().find(|group| group.contains(&id));
            let against = if let Some(group) = of_four {
                (group[0] != id).then_some(Against::Radian(0.5))?
            } else if dimension.is_dimensionless() {
                Against::Radian(1.0)
            } else if dimension.compatible(&Dimension::LENGTH) && size > 0.0 {
                Against::Length(size)
            } else {
                return None;
            };
            Some(Small { state: id.index(), against })
        });
    judged.collect()
}

/// The largest distance that is fixed in a body: from its origin to its mass centre or to a joint on it.
fn largest_length(model: &Model) -> f64 {
    let values = ParameterValues::of(model);
    let length = |v: [Expr; 3]| v.map(|e| values.evaluate(model, e).powi(2)).iter().sum::<f64>().sqrt();
    let centers = model.bodies.iter().map(|(_, b)| length(b.center));
    let joints = model.space.frames().iter().map(|(_, frame)| length(frame.p_PoBo_P));
    centers.chain(joints).filter(|l| l.is_finite()).fold(0.0, f64::max)
}
