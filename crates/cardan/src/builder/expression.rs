//! ScalarExpr and vector expressions of a model that is built in a program.
//!
//! An expression is kept in the notation of the model language with the binding strength of its
//! outermost operator, so that operators add just the parentheses that are needed.

use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Binding strength of the outermost operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    Sum,
    Product,
    Primary,
}

/// Text of an expression.
#[derive(Clone, PartialEq, Debug)]
struct Term {
    text: String,
    strength: Strength,
}

impl Term {
    fn primary(text: impl Into<String>) -> Term {
        Term { text: text.into(), strength: Strength::Primary }
    }
    /// The text, in parentheses where its operator binds less than `least`.
    fn at(&self, least: Strength) -> String {
        if self.strength < least { format!("({})", self.text) } else { self.text.clone() }
    }
    fn sum(a: &Term, sign: char, b: &Term) -> Term {
        let right = if sign == '+' { Strength::Sum } else { Strength::Product };
        Term { text: format!("{} {sign} {}", a.text, b.at(right)), strength: Strength::Sum }
    }
    fn product(a: &Term, sign: char, b: &Term) -> Term {
        let right = if sign == '*' { Strength::Product } else { Strength::Primary };
        Term {
            text: format!("{}{sign}{}", a.at(Strength::Product), b.at(right)),
            strength: Strength::Product,
        }
    }
    fn negative(&self) -> Term {
        Term { text: format!("-{}", self.at(Strength::Product)), strength: Strength::Sum }
    }
}

/// A scalar expression.
#[derive(Clone, PartialEq, Debug)]
pub struct ScalarExpr(Term);

/// A vector expression.
#[derive(Clone, PartialEq, Debug)]
pub struct VectorExpr(Term);

/// A number with a unit: `quantity(9.81, "m/s^2")`.
pub fn quantity(value: f64, unit: &str) -> ScalarExpr {
    let number = ScalarExpr::from(value);
    if unit.is_empty() || unit == "1" {
        return number;
    }
    let [sign, size] =
        if value.is_sign_negative() { ["-", &number.0.text[1..]] } else { ["", &number.0.text] };
    let text = format!("{sign}{size} [{unit}]");
    ScalarExpr(Term { text, strength: if sign.is_empty() { Strength::Primary } else { Strength::Sum } })
}

impl ScalarExpr {
    /// A quantity by its name.
    pub(super) fn named(name: &str) -> ScalarExpr {
        ScalarExpr(Term::primary(name))
    }
    /// A function of scalars.
    fn call(function: &str, arguments: &[&ScalarExpr]) -> ScalarExpr {
        let list: Vec<&str> = arguments.iter().map(|a| a.0.text.as_str()).collect();
        ScalarExpr(Term::primary(format!("{function}({})", list.join(", "))))
    }
    /// sin x.
    pub fn sin(&self) -> ScalarExpr {
        ScalarExpr::call("sin", &[self])
    }
    /// cos x.
    pub fn cos(&self) -> ScalarExpr {
        ScalarExpr::call("cos", &[self])
    }
    /// √x.
    pub fn sqrt(&self) -> ScalarExpr {
        ScalarExpr::call("sqrt", &[self])
    }
    /// |x|.
    pub fn abs(&self) -> ScalarExpr {
        ScalarExpr::call("abs", &[self])
    }
    /// The exponential of x.
    pub fn exp(&self) -> ScalarExpr {
        ScalarExpr::call("exp", &[self])
    }
    /// The hyperbolic tangent of x.
    pub fn tanh(&self) -> ScalarExpr {
        ScalarExpr::call("tanh", &[self])
    }
    /// The angle of the point (x, y), where `self` is y.
    pub fn atan2(&self, x: &ScalarExpr) -> ScalarExpr {
        ScalarExpr::call("atan2", &[self, x])
    }
    /// The smaller one.
    pub fn min(&self, other: &ScalarExpr) -> ScalarExpr {
        ScalarExpr::call("min", &[self, other])
    }
    /// The larger one.
    pub fn max(&self, other: &ScalarExpr) -> ScalarExpr {
        ScalarExpr::call("max", &[self, other])
    }
    /// The time derivative.
    pub fn der(&self) -> ScalarExpr {
        ScalarExpr::call("der", &[self])
    }
    /// A whole power.
    pub fn powi(&self, n: i32) -> ScalarExpr {
        let exponent = if n < 0 { format!("({n})") } else { n.to_string() };
        ScalarExpr(Term {
            text: format!("{}^{exponent}", self.0.at(Strength::Primary)),
            strength: Strength::Product,
        })
    }
}

impl VectorExpr {
    /// A vector by its text, which binds like a name.
    pub(super) fn named(text: impl Into<String>) -> VectorExpr {
        VectorExpr(Term::primary(text))
    }
    /// The scalar product.
    pub fn dot(&self, other: &VectorExpr) -> ScalarExpr {
        ScalarExpr(Term::primary(format!("dot({self}, {other})")))
    }
    /// The vector product.
    pub fn cross(&self, other: &VectorExpr) -> VectorExpr {
        VectorExpr(Term::primary(format!("cross({self}, {other})")))
    }
    /// The length.
    pub fn magnitude(&self) -> ScalarExpr {
        ScalarExpr(Term::primary(format!("mag({self})")))
    }
    /// The unit vector of the same direction.
    pub fn direction(&self) -> VectorExpr {
        VectorExpr(Term::primary(format!("dir({self})")))
    }
}

impl fmt::Display for ScalarExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Display for VectorExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl From<f64> for ScalarExpr {
    fn from(x: f64) -> ScalarExpr {
        let text = format!("{x:?}");
        let text = text.strip_suffix(".0").map_or(text.clone(), str::to_string);
        ScalarExpr(Term {
            text,
            strength: if x.is_sign_negative() { Strength::Sum } else { Strength::Primary },
        })
    }
}

impl From<i32> for ScalarExpr {
    fn from(x: i32) -> ScalarExpr {
        ScalarExpr::from(f64::from(x))
    }
}

impl From<&ScalarExpr> for ScalarExpr {
    fn from(x: &ScalarExpr) -> ScalarExpr {
        x.clone()
    }
}

impl From<&VectorExpr> for VectorExpr {
    fn from(v: &VectorExpr) -> VectorExpr {
        v.clone()
    }
}

/// Components in the frame that the place in the model means, as `(a, b, c)` in the language.
impl<A: Into<ScalarExpr>, B: Into<ScalarExpr>, C: Into<ScalarExpr>> From<(A, B, C)> for VectorExpr {
    fn from((a, b, c): (A, B, C)) -> VectorExpr {
        VectorExpr(Term::primary(format!("({}, {}, {})", a.into(), b.into(), c.into())))
    }
}

impl Neg for ScalarExpr {
    type Output = ScalarExpr;
    fn neg(self) -> ScalarExpr {
        ScalarExpr(self.0.negative())
    }
}

impl Neg for &ScalarExpr {
    type Output = ScalarExpr;
    fn neg(self) -> ScalarExpr {
        ScalarExpr(self.0.negative())
    }
}

impl Neg for VectorExpr {
    type Output = VectorExpr;
    fn neg(self) -> VectorExpr {
        VectorExpr(self.0.negative())
    }
}

/// An operator for owned and borrowed operands.
macro_rules! operator {
    ($trait:ident, $method:ident, $form:ident, $sign:literal, $left:ty, $right:ty, $result:ident) => {
        operator!(@one $trait, $method, $form, $sign, $left, $right, $result);
        operator!(@one $trait, $method, $form, $sign, &$left, $right, $result);
        operator!(@one $trait, $method, $form, $sign, $left, &$right, $result);
        operator!(@one $trait, $method, $form, $sign, &$left, &$right, $result);
    };
    (@one $trait:ident, $method:ident, $form:ident, $sign:literal, $left:ty, $right:ty, $result:ident) => {
        impl $trait<$right> for $left {
            type Output = $result;
            fn $method(self, other: $right) -> $result {
                $result(Term::$form(&self.0, $sign, &other.0))
            }
        }
    };
}

operator!(Add, add, sum, '+', ScalarExpr, ScalarExpr, ScalarExpr);
operator!(Sub, sub, sum, '-', ScalarExpr, ScalarExpr, ScalarExpr);
operator!(Mul, mul, product, '*', ScalarExpr, ScalarExpr, ScalarExpr);
operator!(Div, div, product, '/', ScalarExpr, ScalarExpr, ScalarExpr);
operator!(Add, add, sum, '+', VectorExpr, VectorExpr, VectorExpr);
operator!(Sub, sub, sum, '-', VectorExpr, VectorExpr, VectorExpr);
operator!(Mul, mul, product, '*', ScalarExpr, VectorExpr, VectorExpr);
operator!(Div, div, product, '/', VectorExpr, ScalarExpr, VectorExpr);

/// An operator between a scalar and a number.
macro_rules! with_number {
    ($trait:ident, $method:ident, $form:ident, $sign:literal) => {
        impl $trait<f64> for ScalarExpr {
            type Output = ScalarExpr;
            fn $method(self, other: f64) -> ScalarExpr {
                ScalarExpr(Term::$form(&self.0, $sign, &ScalarExpr::from(other).0))
            }
        }
        impl $trait<f64> for &ScalarExpr {
            type Output = ScalarExpr;
            fn $method(self, other: f64) -> ScalarExpr {
                ScalarExpr(Term::$form(&self.0, $sign, &ScalarExpr::from(other).0))
            }
        }
        impl $trait<ScalarExpr> for f64 {
            type Output = ScalarExpr;
            fn $method(self, other: ScalarExpr) -> ScalarExpr {
                ScalarExpr(Term::$form(&ScalarExpr::from(self).0, $sign, &other.0))
            }
        }
        impl $trait<&ScalarExpr> for f64 {
            type Output = ScalarExpr;
            fn $method(self, other: &ScalarExpr) -> ScalarExpr {
                ScalarExpr(Term::$form(&ScalarExpr::from(self).0, $sign, &other.0))
            }
        }
    };
}

with_number!(Add, add, sum, '+');
with_number!(Sub, sub, sum, '-');
with_number!(Mul, mul, product, '*');
with_number!(Div, div, product, '/');

impl Mul<VectorExpr> for f64 {
    type Output = VectorExpr;
    fn mul(self, other: VectorExpr) -> VectorExpr {
        VectorExpr(Term::product(&ScalarExpr::from(self).0, '*', &other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_add_the_parentheses_that_are_needed() {
        let [a, b, c] = ["a", "b", "c"].map(ScalarExpr::named);
        let x = VectorExpr::named("N.x");
        assert_eq!((&a - (&b - &c)).to_string(), "a - (b - c)");
        assert_eq!(((&a + &b) * &c / (&a * &b)).to_string(), "(a + b)*c/(a*b)");
        assert_eq!((-(&a) * 2.0).to_string(), "(-a)*2");
        assert_eq!((&a * -1.5).to_string(), "a*(-1.5)");
        assert_eq!((quantity(-9.81, "m/s^2") * &x).to_string(), "(-9.81 [m/s^2])*N.x");
        assert_eq!((-(a.powi(2) * &x)).to_string(), "-a^2*N.x");
        assert_eq!((&a / &b / &c).to_string(), "a/b/c");
        assert_eq!((-&a).powi(2).to_string(), "(-a)^2");
    }
}
