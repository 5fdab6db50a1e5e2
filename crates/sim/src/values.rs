//! Numbers for parameters, and for whatever depends on parameters alone.
//!
//! A parameter has a number, an expression of other parameters, or nothing. Values are given by name before a run: a parameter's,
//! or where a coordinate, speed or auxiliary state starts.

use std::fmt;

use cardan_base::{Map, nearest};
use cardan_expr::{Expr, SymbolId};
use cardan_model::{Given, Model, Quantity};
use cardan_units::Dimension;

/// The numbers of a model's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterValues {
    values: Map<SymbolId, f64>,
    /// Parameters that have no number, nor an expression of parameters that have one; in order of declaration. Moments of inertia
    /// about axes about which a body never turns are not missed.
    pub missing: Vec<String>,
}

impl ParameterValues {
    /// Follows dependent parameters to their numbers.
    pub fn of(model: &Model) -> Self {
        let pool = model.space.pool();
        let mut values: Map<SymbolId, f64> = Map::default();
        let symbols: Vec<Option<SymbolId>> =
            model.parameters.iter().map(|(_, p)| pool.as_symbol(p.symbol)).collect();
        let all: cardan_base::Set<SymbolId> = symbols.iter().flatten().copied().collect();
        // Each round settles at least one more parameter, or nothing is left to be settled.
        loop {
            let before = values.len();
            for ((_, p), symbol) in model.parameters.iter().zip(&symbols) {
                let (Some(symbol), Some(default)) = (*symbol, p.default) else { continue };
                if values.contains_key(&symbol) {
                    continue;
                }
                let ready = pool.reachable([default]).into_iter().all(|part| {
                    pool.as_symbol(part).is_none_or(|s| !all.contains(&s) || values.contains_key(&s))
                });
                if ready {
                    let number = pool.evaluate(default, &|s| values.get(&s).copied().unwrap_or(f64::NAN));
                    values.insert(symbol, number);
                }
            }
            if values.len() == before {
                break;
            }
        }
        // Only where it is needed: it makes expressions, and their order decides between programs that cost the same.
        let complete = symbols.iter().flatten().all(|s| values.contains_key(s));
        let idle = if complete { vec![] } else { idle_moments(model) };
        let missing = model
            .parameters
            .iter()
            .zip(&symbols)
            .filter(|((_, p), s)| s.is_none_or(|s| !values.contains_key(&s)) && !idle.contains(&p.symbol))
            .map(|((_, p), _)| p.quantity.name.clone())
            .collect();
        ParameterValues { values, missing }
    }

    /// The number of an expression of parameters; NaN where it depends on anything else or on a missing parameter.
    pub fn evaluate(&self, model: &Model, e: Expr) -> f64 {
        model.space.pool().evaluate(e, &|s| self.values.get(&s).copied().unwrap_or(f64::NAN))
    }
}

/// Moments of inertia about axes about which their bodies never turn: a sliding block has three.
fn idle_moments(model: &Model) -> Vec<Expr> {
    let (space, pool) = (&model.space, model.space.pool());
    let mut idle = vec![];
    for (_, body) in model.bodies.iter() {
        let w = space.components(&space.w(body.frame), body.frame);
        let still = (0..3).filter(|k| pool.is_zero(w[*k]));
        idle.extend(still.map(|k| body.inertia[k][k]).filter(|e| pool.as_symbol(*e).is_some()));
    }
    idle
}

/// Why a value cannot be given.
#[derive(Clone, PartialEq, Debug)]
pub enum SetError {
    /// Nothing has this name.
    Unknown {
        /// The name.
        name: String,
        /// What it may be a misspelling of.
        nearest: Option<String>,
    },
    /// The value is of another kind.
    Dimension {
        /// The name.
        name: String,
        /// The unit of the value given.
        found: String,
        /// A unit that would do.
        expected: String,
    },
    /// Nothing moves it, so it cannot be guessed.
    NoGuess {
        /// The name.
        name: String,
    },
    /// Infinite or undefined.
    NotFinite {
        /// The name.
        name: String,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetError::Unknown { name, nearest } => {
                write!(f, "the model has no parameter, coordinate, speed or state `{name}`")?;
                nearest.as_ref().map_or(Ok(()), |n| write!(f, "; is `{n}` meant?"))
            }
            SetError::Dimension { name, found, expected } => {
                write!(f, "the value for `{name}` is in [{found}], expected [{expected}]")
            }
            SetError::NoGuess { name } => {
                write!(f, "`{name}` is neither coordinate nor speed: it has a value, not a guess")
            }
            SetError::NotFinite { name } => write!(f, "the value for `{name}` is not finite"),
        }
    }
}

impl std::error::Error for SetError {}

/// Gives a parameter its value, or a coordinate, speed or auxiliary state its start, in SI units. A `dimension` is checked
/// where it is given; a bare number is taken as SI. Assembly of loops never moves a start that was set.
pub fn set_value(
    model: &mut Model,
    name: &str,
    value: f64,
    dimension: Option<Dimension>,
) -> Result<(), SetError> {
    put_value(model, name, value, dimension, Given::Exactly)
}

/// Gives a coordinate or speed a start that assembly may move.
pub fn guess_value(
    model: &mut Model,
    name: &str,
    value: f64,
    dimension: Option<Dimension>,
) -> Result<(), SetError> {
    let coordinate = model.coordinates.iter().any(|(_, q)| q.quantity.name == name);
    let exact = model.parameters.iter().any(|(_, p)| p.quantity.name == name)
        || model.states.iter().any(|(_, s)| s.quantity.name == name)
        || model.hybrid.discretes.iter().any(|(_, d)| d.quantity.name == name);
    if exact && !coordinate {
        return Err(SetError::NoGuess { name: name.to_string() });
    }
    put_value(model, name, value, dimension, Given::Approximately)
}

/// The name of what a text may also call `arm.q`, `arm.u`, `ball.q2`: a coordinate of the joint on which a body hangs, or its rate if that
/// is a speed.
pub(crate) fn by_joint(model: &Model, name: &str) -> Option<String> {
    let (body, last) = name.rsplit_once('.')?;
    let (kind, place) = last.split_at_checked(1)?;
    let (_, joint) = model.joints.iter().find(|(_, j)| j.name == body)?;
    let k = match place {
        "" if joint.coordinates.len() == 1 => 0,
        _ => place.parse::<usize>().ok()?.checked_sub(1)?,
    };
    let coordinate = &model.coordinates[*joint.coordinates.get(k)?];
    match kind {
        "q" => Some(coordinate.quantity.name.clone()),
        "u" => {
            let (_, speed) = model.speeds.iter().find(|(_, u)| u.symbol == coordinate.rate)?;
            Some(speed.quantity.name.clone())
        }
        _ => None,
    }
}

fn put_value(
    model: &mut Model,
    name: &str,
    value: f64,
    dimension: Option<Dimension>,
    given: Given,
) -> Result<(), SetError> {
    let exact = cardan_expr::Rational::from_f64(value)
        .ok_or_else(|| SetError::NotFinite { name: name.to_string() })?;
    let number = model.space.pool().number(exact);
    let by_joint = by_joint(model, name);
    let name = by_joint.as_deref().unwrap_or(name);
    let fits = |quantity: &Quantity| match dimension {
        Some(found) if !found.compatible(&quantity.dimension) => Err(SetError::Dimension {
            name: name.to_string(),
            found: found.to_string(),
            expected: quantity.dimension.to_string(),
        }),
        _ => Ok(()),
    };
    if let Some((_, p)) = model.parameters.iter_mut().find(|(_, p)| p.quantity.name == name) {
        fits(&p.quantity)?;
        p.default = Some(number);
    } else if let Some((_, q)) = model.coordinates.iter_mut().find(|(_, q)| q.quantity.name == name) {
        fits(&q.quantity)?;
        (q.start, q.given) = (number, given);
    } else if let Some((_, u)) = model.speeds.iter_mut().find(|(_, u)| u.quantity.name == name) {
        fits(&u.quantity)?;
        (u.start, u.given) = (number, given);
    } else if let Some((_, s)) = model.states.iter_mut().find(|(_, s)| s.quantity.name == name) {
        fits(&s.quantity)?;
        s.start = number;
    } else if let Some((_, d)) = model.hybrid.discretes.iter_mut().find(|(_, d)| d.quantity.name == name) {
        fits(&d.quantity)?;
        d.start = number;
    } else {
        let names = model
            .parameters
            .iter()
            .map(|(_, p)| &p.quantity)
            .chain(model.coordinates.iter().map(|(_, q)| &q.quantity))
            .chain(model.speeds.iter().map(|(_, u)| &u.quantity))
            .chain(model.states.iter().map(|(_, s)| &s.quantity))
            .chain(model.hybrid.discretes.iter().map(|(_, d)| &d.quantity));
        let close = nearest(name, names.map(|q| q.name.as_str())).map(str::to_string);
        return Err(SetError::Unknown { name: name.to_string(), nearest: close });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cardan_model::Builder;

    use super::*;

    /// a = 2, b = 3 a, c without a value, d = c + 1.
    fn model() -> Model {
        let mut b = Builder::new("m", "N");
        let plain = |name: &str| Quantity::new(name, Dimension::ONE);
        let two = b.space().pool().int(2);
        let a = b.add_parameter(plain("a"), Some(two));
        let a = b.model().parameters[a].symbol;
        let triple = b.space().pool().mul(b.space().pool().int(3), a);
        b.add_parameter(plain("b"), Some(triple));
        let c = b.add_parameter(plain("c"), None);
        let c = b.model().parameters[c].symbol;
        let more = b.space().pool().add(c, b.space().pool().one());
        b.add_parameter(plain("d"), Some(more));
        b.finish()
    }

    #[test]
    fn dependent_parameters_follow_and_missing_ones_are_listed() {
        let mut m = model();
        let values = ParameterValues::of(&m);
        assert_eq!(values.missing, ["c", "d"]);
        let b = m.parameters.iter().nth(1).map(|(_, p)| p.symbol).unwrap();
        assert_eq!(values.evaluate(&m, b), 6.0);
        set_value(&mut m, "a", 5.0, None).unwrap();
        set_value(&mut m, "c", 1.0, Some(Dimension::ONE)).unwrap();
        let values = ParameterValues::of(&m);
        assert!(values.missing.is_empty());
        assert_eq!(values.evaluate(&m, b), 15.0);
    }

    #[test]
    fn unknown_names_and_wrong_units_are_refused() {
        let mut m = model();
        let wrong = set_value(&mut m, "a", 1.0, Some(Dimension::TIME)).unwrap_err();
        assert_eq!(wrong.to_string(), "the value for `a` is in [s], expected [1]");
        let unknown = set_value(&mut m, "stiffness", 1.0, None).unwrap_err();
        assert!(matches!(unknown, SetError::Unknown { nearest: None, .. }));
        assert!(set_value(&mut m, "a", f64::NAN, None).is_err());
    }
}
