//! Numbers and vectors: that every expression is what its place wants.
//!
//! The native language checks this too, but speaks of its own text. Here the place is known to the letter.

use crate::autosim::codes;
use crate::autosim::dimension::{PLAIN, SAME};
use crate::autosim::reader::infix::{Expr, Term};
use crate::autosim::scene::{Axis, Body, Item, Orient, Place, Role, Scene};

/// Equations that give one another their values deeper than this are not looked into.
const MAX_DEPTH: usize = 8;

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::autosim) enum Shape {
    Number,
    Vector,
    /// Three numbers, of which nothing says whose components they are.
    Components,
    /// Zero, or what a routine decides.
    Any,
}

impl Shape {
    fn words(self) -> &'static str {
        match self {
            Shape::Number => "a number",
            Shape::Vector => "a vector",
            Shape::Components => "a list of components",
            Shape::Any => "a value",
        }
    }
}

/// Says which expressions are of the wrong kind, one finding for each statement.
pub(in crate::autosim) fn report(scene: &mut Scene) {
    let items = std::mem::take(&mut scene.items);
    let starts = scene.coordinates.iter().flat_map(|c| c.of.iter().filter_map(|a| a.start.clone()));
    let defaults = scene.symbols.values().filter_map(|s| s.default.clone());
    let values: Vec<Expr> = starts.chain(defaults).collect();
    let judge = Judge { scene, items: &items };
    let wrong: Vec<Wrong> = (items.iter().filter_map(|(item, _)| judge.item(item).err()))
        .chain(values.iter().filter_map(|e| judge.number(e, "a value").err()))
        .collect();
    scene.items = items;
    for w in wrong {
        scene.refuse(codes::VALUE, w.message, w.at.span, w.help);
    }
}

/// An expression of the wrong kind.
struct Wrong {
    message: String,
    at: Expr,
    help: String,
}

fn wrong<T>(message: impl Into<String>, at: &Expr, help: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { message: message.into(), at: at.clone(), help: help.into() })
}

struct Judge<'a> {
    scene: &'a Scene,
    items: &'a [(Item, cardan_base::Span)],
}

impl Judge<'_> {
    fn item(&self, item: &Item) -> Result<(), Wrong> {
        match item {
            Item::Body(b) => self.body(b),
            Item::Point { coordinates, .. } => self.place(coordinates),
            Item::Load { direction, magnitude, .. } | Item::Gravity { direction, magnitude } => {
                self.number(magnitude, "a magnitude")?;
                self.vector(direction, "a direction")
            }
            Item::Equation { name, value } => {
                let role = self.scene.symbols.get(name).map(|s| &s.role);
                match role {
                    Some(Role::Rate(_)) => self.number(value, "the rate of a state"),
                    _ => self.shape(value, 0).map(|_| ()),
                }
            }
            Item::Constraint { value, .. } | Item::Output { value, .. } => self.shape(value, 0).map(|_| ()),
            Item::Linearize => Ok(()),
        }
    }

    fn body(&self, b: &Body) -> Result<(), Wrong> {
        self.number(&b.mass, "a mass")?;
        b.inertia.iter().try_for_each(|e| self.number(e, "a moment of inertia"))?;
        self.place(&b.joint)?;
        self.place(&b.center)?;
        let turned = match &b.orient {
            Some(Orient::Axes(_, along, _, towards)) => vec![&**along, &**towards],
            _ => vec![],
        };
        b.translate.iter().chain(turned).try_for_each(|axis| match axis {
            Axis::Index(..) => Ok(()),
            Axis::Components(c) => c.iter().try_for_each(|e| self.number(e, "a component")),
            Axis::Vector(e) => self.vector(e, "an axis"),
        })
    }

    fn place(&self, place: &Place) -> Result<(), Wrong> {
        let [e] = place.0.as_slice() else {
            return place.0.iter().try_for_each(|e| self.number(e, "a component"));
        };
        match self.shape(e, 0)? {
            Shape::Number => {
                wrong("a place is a vector, and this is a number", e, "write `(0 0 L1)` or `\"L1*[n3]\"`")
            }
            _ => Ok(()),
        }
    }

    /// Demands a number.
    fn number(&self, e: &Expr, what: &str) -> Result<(), Wrong> {
        match self.shape(e, 0)? {
            Shape::Number | Shape::Any => Ok(()),
            other => {
                let message = format!("{what} is a number, and this is {}", other.words());
                wrong(message, e, "take its size, `mag(…)`, or its component along an axis, `dot(…, [n1])`")
            }
        }
    }

    /// Demands a vector.
    fn vector(&self, e: &Expr, what: &str) -> Result<(), Wrong> {
        let found = self.shape(e, 0)?;
        self.is_vector(found, e, what)
    }

    fn is_vector(&self, found: Shape, e: &Expr, what: &str) -> Result<(), Wrong> {
        if matches!(found, Shape::Vector | Shape::Any) {
            return Ok(());
        }
        let message = format!("{what} is a vector, and this is {}", found.words());
        let help = match (&e.term, found) {
            (Term::Name(name), _) if self.is_axis(name) => format!("write `[{}]`", name.to_lowercase()),
            (_, Shape::Components) => "write the vector with its axes, such as `L2*[b2] + L3*[b3]`".into(),
            _ => "multiply it by an axis, such as `[n1]`".into(),
        };
        wrong(message, e, help)
    }

    /// Whether brackets would make a unit vector of a name.
    fn is_axis(&self, name: &str) -> bool {
        let body = ["1", "2", "3"].iter().find_map(|axis| name.strip_suffix(axis));
        body.is_some_and(|body| self.scene.bodies.iter().any(|b| b == body))
    }

    /// What an expression is, if its parts go together.
    fn shape(&self, e: &Expr, depth: usize) -> Result<Shape, Wrong> {
        Ok(match &e.term {
            Term::Number(_) if e.is_zero() => Shape::Any,
            Term::Number(_) => Shape::Number,
            Term::Direction(_) => Shape::Vector,
            Term::Name(name) => self.name(name, depth),
            Term::Minus(e) => self.shape(e, depth)?,
            Term::Sum(terms) => {
                let mut shape = Shape::Any;
                for (_, term) in terms {
                    match (shape, self.shape(term, depth)?) {
                        (Shape::Any, found) => shape = found,
                        (known, found) if found == Shape::Any || found == known => {}
                        (known, found) => {
                            let message = format!("{} is added to {}", found.words(), known.words());
                            let help =
                                "add vectors to vectors: multiply the number by an axis, such as `[n1]`";
                            return wrong(message, term, help);
                        }
                    }
                }
                shape
            }
            Term::Product(factors) => self.product(factors, depth)?,
            Term::Power(base, exponent) => {
                for part in [base, exponent] {
                    if self.shape(part, depth)? == Shape::Vector {
                        return wrong(
                            "a power of a vector has no meaning",
                            part,
                            "write `mag(…)` for its size",
                        );
                    }
                }
                Shape::Number
            }
            Term::Call(name, arguments) => self.call(name, arguments, depth)?,
            Term::List(list) => {
                list.iter().try_for_each(|e| self.shape(e, depth).map(|_| ()))?;
                Shape::Components
            }
        })
    }

    fn name(&self, name: &str, depth: usize) -> Shape {
        let is_value = |item: &Item| matches!(item, Item::Equation { name: n, .. } if n == name);
        match self.items.iter().map(|(item, _)| item).find(|item| is_value(item)) {
            _ if self.scene.routines.contains_key(name) => Shape::Any,
            // What is wrong in the equation is told of the equation.
            Some(Item::Equation { value, .. }) if depth < MAX_DEPTH => {
                self.shape(value, depth + 1).unwrap_or(Shape::Any)
            }
            Some(_) => Shape::Any,
            None => Shape::Number,
        }
    }

    fn product(&self, factors: &[(bool, Expr)], depth: usize) -> Result<Shape, Wrong> {
        let mut shape = Shape::Number;
        for (divides, factor) in factors {
            let found = self.shape(factor, depth)?;
            match (shape, found) {
                (_, Shape::Vector | Shape::Components) if *divides => {
                    return wrong(
                        "nothing can be divided by a vector",
                        factor,
                        "divide by its size, `mag(…)`",
                    );
                }
                (Shape::Vector | Shape::Components, Shape::Vector | Shape::Components) => {
                    let help = "write `dot(…, …)` or `cross(…, …)`";
                    return wrong("a vector times a vector has two meanings", factor, help);
                }
                (_, Shape::Number) => {}
                (Shape::Number, _) => shape = found,
                _ => {}
            }
        }
        Ok(shape)
    }

    fn call(&self, name: &str, arguments: &[Expr], depth: usize) -> Result<Shape, Wrong> {
        if matches!(name, "POS" | "VEL" | "ROT") {
            return Ok(Shape::Vector);
        }
        let parts =
            if name == "CONVERT-COORDINATES" { &arguments[..1.min(arguments.len())] } else { arguments };
        let found: Vec<Shape> = parts.iter().map(|e| self.shape(e, depth)).collect::<Result<_, _>>()?;
        let lower = name.to_lowercase();
        if matches!(name, "DOT" | "CROSS" | "DOT-PLANE" | "ANGLE" | "MAG" | "DIR") {
            for (shape, e) in found.iter().zip(parts) {
                self.is_vector(*shape, e, &format!("what `{lower}` takes"))?;
            }
        }
        let of_numbers = PLAIN.contains(&name) || (SAME.contains(&name) && name != "MAG");
        if of_numbers || matches!(name, "SQRT" | "ATAN2") {
            let wrong_one =
                found.iter().zip(parts).find(|(s, _)| matches!(s, Shape::Vector | Shape::Components));
            if let Some((shape, e)) = wrong_one {
                let message = format!("what `{lower}` takes is a number, and this is {}", shape.words());
                return wrong(
                    message,
                    e,
                    "take its size, `mag(…)`, or its component along an axis, `dot(…, [n1])`",
                );
            }
        }
        Ok(match name {
            "CROSS" | "DIR" | "DOT-PLANE" => Shape::Vector,
            "CONVERT-COORDINATES" => Shape::Components,
            "DXDT" | "NOMINAL" | "CONSTANT-PART" | "PARTIAL" => found.first().copied().unwrap_or(Shape::Any),
            "DOT" | "MAG" | "ANGLE" | "SQRT" | "ATAN2" | "CONST-OR-VAR" | "Q" | "U" => Shape::Number,
            _ if of_numbers => Shape::Number,
            _ => Shape::Any,
        })
    }
}
