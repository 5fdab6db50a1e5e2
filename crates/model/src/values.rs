//! Values of parameters and starts, given by name.

use std::fmt;

use cardan_base::nearest;
use cardan_expr::{Expr, Function, Rational};
use cardan_units::Dimension;

use crate::model::Model;
use crate::quantity::{Causality, CoordinateId, Given, Parameter, ParameterId, Quantity};
use crate::table::Table;

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

impl Model {
    /// Gives a parameter its value, or a coordinate, speed or auxiliary state its start, in SI units. A `dimension` is checked
    /// where it is given; a bare number is taken as SI. Assembly of loops never moves a start that was set.
    pub fn set_value(
        &mut self,
        name: &str,
        value: f64,
        dimension: Option<Dimension>,
    ) -> Result<(), SetError> {
        self.put_value(name, value, dimension, Given::Exactly)
    }

    /// Gives a coordinate or speed a start that assembly may move.
    pub fn guess_value(
        &mut self,
        name: &str,
        value: f64,
        dimension: Option<Dimension>,
    ) -> Result<(), SetError> {
        let coordinate = self.coordinates.iter().any(|(_, q)| q.quantity.name == name);
        let exact = self.parameters.iter().any(|(_, p)| p.quantity.name == name)
            || self.states.iter().any(|(_, s)| s.quantity.name == name)
            || self.hybrid.discretes.iter().any(|(_, d)| d.quantity.name == name);
        if exact && !coordinate {
            return Err(SetError::NoGuess { name: name.to_string() });
        }
        self.put_value(name, value, dimension, Given::Approximately)
    }

    /// The name of what a text may also call `arm.q`, `arm.u`, `ball.q2`: a coordinate of the joint on which a body hangs, or its rate if that
    /// is a speed.
    pub fn by_joint(&self, name: &str) -> Option<String> {
        let (body, last) = name.rsplit_once('.')?;
        let (kind, place) = last.split_at_checked(1)?;
        let (_, joint) = self.joints.iter().find(|(_, j)| j.name == body)?;
        let k = match place {
            "" if joint.coordinates.len() == 1 => 0,
            _ => place.parse::<usize>().ok()?.checked_sub(1)?,
        };
        let coordinate = &self.coordinates[*joint.coordinates.get(k)?];
        match kind {
            "q" => Some(coordinate.quantity.name.clone()),
            "u" => {
                let (_, speed) = self.speeds.iter().find(|(_, u)| u.symbol == coordinate.rate)?;
                Some(speed.quantity.name.clone())
            }
            _ => None,
        }
    }

    /// The one name of what has several: `q` for `arm.q`.
    pub fn own_name(&self, name: &str) -> String {
        self.by_joint(name).unwrap_or_else(|| name.to_string())
    }

    fn put_value(
        &mut self,
        name: &str,
        value: f64,
        dimension: Option<Dimension>,
        given: Given,
    ) -> Result<(), SetError> {
        let exact =
            Rational::from_f64(value).ok_or_else(|| SetError::NotFinite { name: name.to_string() })?;
        let number = self.space.pool().number(exact);
        let by_joint = self.by_joint(name);
        let name = by_joint.as_deref().unwrap_or(name);
        let fits = |quantity: &Quantity| match dimension {
            Some(found) if !found.compatible(&quantity.dimension) => Err(SetError::Dimension {
                name: name.to_string(),
                found: found.to_string(),
                expected: quantity.dimension.to_string(),
            }),
            _ => Ok(()),
        };
        if let Some((_, p)) = self.parameters.iter_mut().find(|(_, p)| p.quantity.name == name) {
            fits(&p.quantity)?;
            p.default = Some(number);
        } else if let Some((_, q)) = self.coordinates.iter_mut().find(|(_, q)| q.quantity.name == name) {
            fits(&q.quantity)?;
            (q.start, q.given) = (number, given);
        } else if let Some((_, u)) = self.speeds.iter_mut().find(|(_, u)| u.quantity.name == name) {
            fits(&u.quantity)?;
            (u.start, u.given) = (number, given);
        } else if let Some((_, s)) = self.states.iter_mut().find(|(_, s)| s.quantity.name == name) {
            fits(&s.quantity)?;
            s.start = number;
        } else if let Some((_, d)) = self.hybrid.discretes.iter_mut().find(|(_, d)| d.quantity.name == name) {
            fits(&d.quantity)?;
            d.start = number;
        } else {
            let names = self
                .parameters
                .iter()
                .map(|(_, p)| &p.quantity)
                .chain(self.coordinates.iter().map(|(_, q)| &q.quantity))
                .chain(self.speeds.iter().map(|(_, u)| &u.quantity))
                .chain(self.states.iter().map(|(_, s)| &s.quantity))
                .chain(self.hybrid.discretes.iter().map(|(_, d)| &d.quantity));
            let close = nearest(name, names.map(|q| q.name.as_str())).map(str::to_string);
            return Err(SetError::Unknown { name: name.to_string(), nearest: close });
        }
        Ok(())
    }

    /// Gives parameters their values.
    pub fn set_parameters(&mut self, values: impl IntoIterator<Item = (ParameterId, Expr)>) {
        values.into_iter().for_each(|(id, value)| self.parameters[id].default = Some(value));
    }

    /// Lets an input follow a table of the time; false if no input has this name.
    pub fn bind_input(&mut self, name: &str, table: Table) -> bool {
        let Some(id) = self.inputs().find(|(_, p)| p.quantity.name == name).map(|(id, _)| id) else {
            return false;
        };
        let title = table.name.clone();
        let function = Function::Table(self.tables.push(table), [0, 0]);
        let pool = self.space.pool();
        pool.call_function(function, &title);
        self.parameters[id].default = Some(pool.call(function, &[self.space.time()]));
        true
    }

    /// Says near which values coordinates start.
    pub fn guess_coordinates(&mut self, values: impl IntoIterator<Item = (CoordinateId, Expr)>) {
        for (id, value) in values {
            let q = &mut self.coordinates[id];
            (q.start, q.given) = (value, Given::Approximately);
        }
    }

    /// Adds a parameter `start(NAME)` that the start of a coordinate, speed or state is from now on; its name.
    pub fn free_start(&mut self, name: &str, dimension: Dimension, nominal: Option<Expr>) -> String {
        let parameter = format!("start({name})");
        let start = self.space.pool().symbol(&parameter, cardan_expr::Kind::Parameter);
        let quantity = Quantity::new(&parameter, dimension);
        self.parameters.push(Parameter {
            quantity,
            symbol: start,
            default: nominal,
            range: None,
            causality: Causality::Parameter,
        });
        if let Some((_, q)) = self.coordinates.iter_mut().find(|(_, q)| q.quantity.name == name) {
            (q.start, q.given) = (start, Given::Exactly);
        } else if let Some((_, u)) = self.speeds.iter_mut().find(|(_, u)| u.quantity.name == name) {
            (u.start, u.given) = (start, Given::Exactly);
        } else if let Some((_, s)) = self.states.iter_mut().find(|(_, s)| s.quantity.name == name) {
            s.start = start;
        } else if let Some((_, d)) = self.hybrid.discretes.iter_mut().find(|(_, d)| d.quantity.name == name) {
            d.start = start;
        }
        parameter
    }
}
