//! Dimensions of symbols, found from what they are used for.
//!
//! AUTOSIM's symbols have no units unless `set-units` gives them, and the native language checks every one. A stiffness is known
//! by its use: in the moment `-kb*q(9)`, `kb` is a torque per angle. Demands go down from where a dimension is
//! known to the one symbol in a product that has none yet, over and over until nothing new is found.
//!
//! ```text
//! [sum]       every term has the dimension of the sum
//! [product]   the dimension of one factor is that of the product divided by those of the others
//! [power]     the dimension of the base is the root of that of the power
//! [routine]   a function in the native language says in its head what it takes and gives
//! ```

use cardan_units::{Dimension, Exponent};

use crate::autosim::reader::infix::{Expr, Term};
use crate::autosim::scene::{Item, Role, Scene};

/// What is known about the dimension of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Found {
    Known(Dimension),
    /// Numbers only: any dimension that is wanted.
    Plain,
    /// Depends on a symbol without a dimension.
    Unknown,
}

/// Functions of a plain number.
pub(super) const PLAIN: [&str; 15] = [
    "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "SINH", "COSH", "TANH", "EXP", "LN", "LOG", "LOG10",
    "FLOOR", "SIGN",
];
/// Functions whose value has the dimension of their arguments.
pub(super) const SAME: [&str; 4] = ["ABS", "MIN", "MAX", "MAG"];

impl Scene {
    /// The dimension of an expression as far as it is known.
    pub fn dimension(&self, e: &Expr) -> Found {
        match &e.term {
            Term::Number(_) => Found::Plain,
            Term::Direction(_) => Found::Known(Dimension::ONE),
            Term::List(list) => self.common(list.iter()),
            Term::Name(name) => match name.as_str() {
                "T" => Found::Known(Dimension::TIME),
                "PI" => Found::Plain,
                _ => match self.symbols.get(name) {
                    Some(s) => s.dimension.map_or(Found::Unknown, Found::Known),
                    None => Found::Unknown,
                },
            },
            Term::Minus(e) => self.dimension(e),
            Term::Sum(terms) => self.common(terms.iter().map(|(_, e)| e)),
            Term::Product(factors) => {
                let mut product = Dimension::ONE;
                let mut plain = true;
                for (divides, factor) in factors {
                    match self.dimension(factor) {
                        Found::Known(d) => {
                            product = if *divides { product / d } else { product * d };
                            plain = false;
                        }
                        Found::Plain => {}
                        Found::Unknown => return Found::Unknown,
                    }
                }
                // A number in front of plain numbers may carry any unit.
                let has_number =
                    factors.iter().any(|(divides, f)| !divides && matches!(f.term, Term::Number(_)));
                if plain || (has_number && product.is_dimensionless() && product.angle().is_zero()) {
                    Found::Plain
                } else {
                    Found::Known(product)
                }
            }
            Term::Power(base, exponent) => match (self.dimension(base), power_of(exponent)) {
                (Found::Known(d), Some(n)) => Found::Known(d.pow(n)),
                (Found::Known(_), None) => Found::Known(Dimension::ONE),
                (other, _) => other,
            },
            Term::Call(name, arguments) => self.dimension_of_call(name, arguments),
        }
    }

    /// The dimension that several expressions share.
    fn common<'e>(&self, es: impl Iterator<Item = &'e Expr>) -> Found {
        let found: Vec<Found> = es.map(|e| self.dimension(e)).collect();
        let known = found.iter().filter_map(|f| match f {
            Found::Known(d) => Some(*d),
            _ => None,
        });
        match known.reduce(|a, b| a.join(b).unwrap_or(a)) {
            Some(d) => Found::Known(d),
            None if found.contains(&Found::Unknown) => Found::Unknown,
            None => Found::Plain,
        }
    }

    /// The dimension of a function as far as it is known.
    pub fn dimension_of_call(&self, name: &str, arguments: &[Expr]) -> Found {
        let of = |k: usize| arguments.get(k).map_or(Found::Unknown, |e| self.dimension(e));
        let both = |f: fn(Dimension, Dimension) -> Dimension| match (of(0), of(1)) {
            (Found::Known(a), Found::Known(b)) => Found::Known(f(a, b)),
            (Found::Plain, b) => b,
            (a, Found::Plain) => a,
            _ => Found::Unknown,
        };
        match name {
            "Q" | "U" => match self.coordinate(arguments) {
                Some(k) => {
                    let d = self.coordinates[k].dimension;
                    Found::Known(if name == "Q" { d } else { d / Dimension::TIME })
                }
                None => Found::Unknown,
            },
            "POS" => Found::Known(Dimension::LENGTH),
            "VEL" => Found::Known(Dimension::VELOCITY),
            "ROT" => Found::Known(Dimension::ANGULAR_VELOCITY),
            "ANGLE" | "ASIN" | "ACOS" | "ATAN" | "ATAN2" => Found::Known(Dimension::ANGLE),
            "DIR" | "SIGN" => Found::Known(Dimension::ONE),
            "DOT" | "CROSS" => both(|a, b| a * b),
            "PARTIAL" => both(|a, b| a / b),
            "DXDT" => match of(0) {
                Found::Known(d) => Found::Known(d / Dimension::TIME),
                other => other,
            },
            "SQRT" => match of(0) {
                Found::Known(d) => Found::Known(d.sqrt()),
                other => other,
            },
            "DOT-PLANE" | "NOMINAL" | "CONSTANT-PART" => self.common(arguments.iter().take(1)),
            "CONST-OR-VAR" => Found::Known(Dimension::ONE),
            "CONVERT-COORDINATES" => match arguments.first().map(|e| &e.term) {
                Some(Term::List(list)) => self.common(list.iter()),
                _ => of(0),
            },
            _ if PLAIN.contains(&name) => Found::Known(Dimension::ONE),
            _ if SAME.contains(&name) => self.common(arguments.iter()),
            _ => match self.signatures.get(name).and_then(|s| s.value) {
                Some(d) => Found::Known(d), // [routine]
                None => Found::Unknown,
            },
        }
    }

    /// The number of the coordinate that an index means, from zero.
    pub fn coordinate(&self, arguments: &[Expr]) -> Option<usize> {
        let [index] = arguments else { return None };
        let Term::Number(digits) = &index.term else { return None };
        digits.parse::<usize>().ok().filter(|k| (1..=self.coordinates.len()).contains(k)).map(|k| k - 1)
    }

    /// Gives symbols without dimension the one that makes the expression have the dimension wanted.
    fn demand(&mut self, e: &Expr, wanted: Dimension) {
        match &e.term {
            Term::Name(name) => {
                if let Some(symbol) = self.symbols.get_mut(name) {
                    symbol.dimension.get_or_insert(wanted);
                }
            }
            Term::Minus(e) => self.demand(e, wanted),
            Term::Sum(terms) => terms.iter().for_each(|(_, e)| self.demand(e, wanted)), // [sum]
            Term::Product(factors) => {
                let mut rest = wanted;
                let mut open = None;
                for (divides, factor) in factors {
                    match self.dimension(factor) {
                        Found::Known(d) => rest = if *divides { rest * d } else { rest / d },
                        Found::Plain => {}
                        Found::Unknown if open.is_some() => return,
                        Found::Unknown => open = Some((*divides, factor)),
                    }
                }
                if let Some((divides, factor)) = open {
                    self.demand(factor, if divides { rest.recip() } else { rest }); // [product]
                }
            }
            Term::Power(base, exponent) => {
                let root = power_of(exponent).filter(|n| *n != Exponent::ZERO);
                if let Some(root) = root.and_then(exponent_ratio) {
                    self.demand(base, wanted.pow(root)); // [power]
                }
            }
            Term::Call(name, arguments) => match name.as_str() {
                "SQRT" => arguments.iter().for_each(|a| self.demand(a, wanted.powi(2))),
                "CONVERT-COORDINATES" => {
                    if let Some(Term::List(list)) = arguments.first().map(|e| &e.term) {
                        list.iter().for_each(|a| self.demand(a, wanted));
                    }
                }
                "NOMINAL" | "CONSTANT-PART" => arguments.iter().for_each(|a| self.demand(a, wanted)),
                _ if SAME.contains(&name.as_str()) => arguments.iter().for_each(|a| self.demand(a, wanted)),
                _ => {}
            },
            Term::Number(_) | Term::Direction(_) | Term::List(_) => {}
        }
    }

    /// Demands that come from inside an expression: arguments of functions, terms of sums.
    fn settle(&mut self, e: &Expr) {
        match &e.term {
            Term::Minus(e) => self.settle(e),
            Term::Sum(terms) => {
                terms.iter().for_each(|(_, e)| self.settle(e));
                if let Found::Known(d) = self.dimension(e) {
                    self.demand(e, d);
                }
            }
            Term::Product(factors) => factors.iter().for_each(|(_, e)| self.settle(e)),
            Term::List(list) => list.iter().for_each(|e| self.settle(e)),
            Term::Power(base, exponent) => {
                self.settle(base);
                self.settle(exponent);
            }
            Term::Call(name, arguments) => {
                arguments.iter().for_each(|a| self.settle(a));
                if PLAIN.contains(&name.as_str()) {
                    let wanted = if name.starts_with('A') || !matches!(name.as_str(), "SIN" | "COS" | "TAN") {
                        Dimension::ONE
                    } else {
                        Dimension::ANGLE
                    };
                    arguments.iter().for_each(|a| self.demand(a, wanted));
                } else if (SAME.contains(&name.as_str()) || name == "ATAN2")
                    && let Found::Known(d) = self.common(arguments.iter())
                {
                    arguments.iter().for_each(|a| self.demand(a, d));
                } else if let Some(signature) = self.signatures.get(name).cloned() {
                    let wanted = arguments.iter().zip(signature.arguments);
                    wanted.filter_map(|(a, d)| Some((a, d?))).for_each(|(a, d)| self.demand(a, d)); // [routine]
                }
            }
            Term::Number(_) | Term::Name(_) | Term::Direction(_) => {}
        }
    }

    /// Finds the dimension of every symbol that its uses determine; what is left is a plain number.
    pub fn infer(&mut self) {
        let items: Vec<Item> = self.items.iter().map(|(item, _)| item.clone()).collect();
        let mut known = usize::MAX;
        loop {
            for item in &items {
                self.infer_item(item);
            }
            let now = self.symbols.values().filter(|s| s.dimension.is_some()).count();
            if now == known {
                break;
            }
            known = now;
        }
        for symbol in self.symbols.values_mut() {
            symbol.dimension.get_or_insert(Dimension::ONE);
        }
    }

    fn use_as(&mut self, e: &Expr, wanted: Dimension) {
        self.demand(e, wanted);
        self.settle(e);
    }

    fn infer_item(&mut self, item: &Item) {
        match item {
            Item::Body(b) => {
                b.joint.0.iter().chain(&b.center.0).for_each(|e| self.use_as(e, Dimension::LENGTH));
                self.use_as(&b.mass, Dimension::MASS);
                b.inertia.iter().for_each(|e| self.use_as(e, Dimension::INERTIA));
            }
            Item::Point { coordinates, .. } => {
                coordinates.0.iter().for_each(|e| self.use_as(e, Dimension::LENGTH));
            }
            Item::Load { is_force, direction, magnitude, .. } => {
                self.use_as(direction, Dimension::ONE);
                self.use_as(magnitude, if *is_force { Dimension::FORCE } else { Dimension::TORQUE });
            }
            Item::Gravity { direction, magnitude } => {
                self.use_as(direction, Dimension::ONE);
                self.use_as(magnitude, Dimension::ACCELERATION);
            }
            Item::Equation { name, value } => {
                self.settle(value);
                let state = match self.symbols.get(name).map(|s| s.role.clone()) {
                    Some(Role::Rate(state)) => Some(state),
                    _ => None,
                };
                let target = state.clone().unwrap_or(name.clone());
                let per_time = |d: Dimension| if state.is_some() { d / Dimension::TIME } else { d };
                match (self.symbols.get(&target).and_then(|s| s.dimension), self.dimension(value)) {
                    (Some(d), _) => self.demand(value, per_time(d)),
                    (None, Found::Known(d)) => {
                        let d = if state.is_some() { d * Dimension::TIME } else { d };
                        if let Some(symbol) = self.symbols.get_mut(&target) {
                            symbol.dimension = Some(d);
                        }
                    }
                    _ => {}
                }
            }
            Item::Constraint { value, .. } => self.settle(value),
            Item::Output { value, unit, .. } => {
                self.settle(value);
                let unit = unit.as_deref().and_then(|u| cardan_units::Unit::parse(u).ok());
                if let Some(unit) = unit {
                    self.demand(value, unit.dimension());
                }
            }
            Item::Linearize => {}
        }
    }
}

/// A whole exponent.
pub(super) fn power_of(e: &Expr) -> Option<Exponent> {
    let n = e.number().filter(|n| n.fract() == 0.0 && n.abs() <= 12.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number between -12 and 12")]
    Exponent::new(n as i64, 1)
}

/// One over an exponent.
fn exponent_ratio(n: Exponent) -> Option<Exponent> {
    (1..=12i64)
        .flat_map(|k| [k, -k])
        .find(|k| Exponent::new(*k, 1) == Some(n))
        .and_then(|k| Exponent::new(k.signum(), k.abs()))
}
