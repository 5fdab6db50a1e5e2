//! Texts whose dimensions agree, from strings of plain numbers.
//!
//! AUTOSIM computes with numbers in the units of one system: `"exp(-t)"` as a force is that many newtons at so many seconds. The native language
//! checks dimensions. A number in a product takes the unit that its place wants; where there is none, one stands in front:
//!
//! ```text
//! [unit]   e of dimension D, where W is wanted:   1 [W/D] * e
//! ```
//!
//! Units of the SI are coherent, so that no number changes.

use cardan_base::Diagnostic;
use cardan_units::Dimension;

use crate::autosim::algebra::{Rank, bracketed};
use crate::autosim::codes;
use crate::autosim::declare::bracket;
use crate::autosim::dimension::{Found, PLAIN, SAME, power_of};
use crate::autosim::reader::infix::{Expr, Term};
use crate::autosim::scene::{Role, Scene};

/// The dimension that a function of a plain number takes; nothing for other functions, and for `sign`, which takes any.
pub(super) fn argument(name: &str) -> Option<Dimension> {
    match name {
        "SIN" | "COS" | "TAN" => Some(Dimension::ANGLE),
        "SIGN" => None,
        _ => PLAIN.contains(&name).then_some(Dimension::ONE),
    }
}

/// Whether a function is one of several values of one dimension.
pub(super) fn is_choice(name: &str) -> bool {
    SAME.contains(&name) && name != "MAG"
}

impl Scene {
    /// The text of an expression with the dimension wanted, by a unit in front if need be. [unit]
    pub fn fit(&mut self, e: &Expr, wanted: Dimension) -> (String, Rank) {
        let (text, rank) = self.write(e, Some(wanted));
        match self.written(e, Some(wanted)) {
            Some(d) if !d.compatible(&wanted) => {
                let part = bracketed((text, rank), Rank::Product);
                let part = if part.starts_with('-') { format!("({part})") } else { part };
                // Where there are errors, the units may be right once they are mended.
                if !self.in_numbers.contains(&e.span) && !self.findings.has_errors() {
                    self.in_numbers.push(e.span);
                    let unit = |d: Dimension| if d.is_dimensionless() { "1".into() } else { d.to_string() };
                    let message = format!("this is in [{}] where [{}] is wanted", unit(d), unit(wanted));
                    let note = Diagnostic::note(codes::NUMBERS, message)
                        .at(e.span, "taken as a number")
                        .because("AUTOSIM computes with numbers; each quantity counts in its SI unit");
                    let help =
                        "write a number in front, such as `1*t`: it takes the unit that its place wants";
                    self.findings.push(note.hint(help));
                }
                (format!("1 {} * {part}", bracket(wanted / d)), Rank::Product)
            }
            _ => (text, rank),
        }
    }

    /// The dimension of what [`Scene::write`] writes; nothing where a routine decides it.
    pub fn written(&self, e: &Expr, wanted: Option<Dimension>) -> Option<Dimension> {
        match &e.term {
            Term::Number(_) => Some(wanted.unwrap_or(Dimension::ONE)),
            Term::Direction(_) => Some(Dimension::ONE),
            Term::List(list) => wanted.or_else(|| self.shared(list.iter(), None)),
            Term::Name(name) => match name.as_str() {
                "T" => Some(Dimension::TIME),
                "PI" => Some(Dimension::ONE),
                _ if self.routines.contains_key(name) => None,
                _ => {
                    let symbol = self.symbols.get(name)?;
                    match &symbol.role {
                        Role::Rate(state) => Some(self.symbols.get(state)?.dimension? / Dimension::TIME),
                        _ => symbol.dimension,
                    }
                }
            },
            Term::Minus(e) => self.written(e, wanted),
            Term::Sum(terms) => self.shared(terms.iter().map(|(_, e)| e), wanted),
            Term::Product(factors) => match (self.missing(factors, wanted), wanted) {
                (Some(_), Some(w)) => Some(w),
                _ => self.product_of(factors),
            },
            Term::Power(base, exponent) => match self.written(base, None)? {
                d if d.is_dimensionless() => Some(Dimension::ONE),
                d => Some(power_of(exponent).map_or(Dimension::ONE, |n| d.pow(n))),
            },
            Term::Call(name, arguments) => self.written_call(name, arguments, wanted),
        }
    }

    fn written_call(&self, name: &str, arguments: &[Expr], wanted: Option<Dimension>) -> Option<Dimension> {
        let of = |k: usize| arguments.get(k).and_then(|e| self.written(e, None));
        match name {
            "DOT" | "CROSS" => Some(of(0)? * of(1)?),
            "PARTIAL" => Some(of(0)? / of(1)?),
            "DXDT" => Some(of(0)? / Dimension::TIME),
            "SQRT" => Some(self.written(arguments.first()?, wanted.map(|w| w.powi(2)))?.sqrt()),
            "MAG" | "DOT-PLANE" | "NOMINAL" | "CONSTANT-PART" => of(0),
            "GCF" => None,
            "CONVERT-COORDINATES" => match self.dimension(arguments.first()?) {
                Found::Known(d) => Some(d),
                _ => wanted.or(Some(Dimension::ONE)),
            },
            _ if is_choice(name) => self.shared(arguments.iter(), wanted),
            _ => match self.dimension_of_call(name, arguments) {
                Found::Known(d) => Some(d),
                _ => None,
            },
        }
    }

    /// The dimension in which terms are added or compared: the one wanted if a term can have it, otherwise that of the first term that has one.
    pub fn shared<'e>(
        &self,
        terms: impl Iterator<Item = &'e Expr>,
        wanted: Option<Dimension>,
    ) -> Option<Dimension> {
        let quantities: Vec<&Expr> = terms.filter(|e| self.dimension(e) != Found::Plain).collect();
        let fits = |w: &Dimension| {
            let fit = |e: &&Expr| self.written(e, Some(*w)).is_none_or(|d| d.compatible(w));
            quantities.is_empty() || quantities.iter().any(fit)
        };
        wanted.filter(fits).or_else(|| {
            let found = quantities.iter().filter_map(|e| self.written(e, None));
            let joined = found.reduce(|a, b| a.join(b).unwrap_or(a));
            joined.or(quantities.is_empty().then_some(Dimension::ONE))
        })
    }

    /// The dimension of a product whose numbers have none.
    fn product_of(&self, factors: &[(bool, Expr)]) -> Option<Dimension> {
        factors.iter().try_fold(Dimension::ONE, |product, (divides, factor)| {
            let d = self.written(factor, None)?;
            Some(if *divides { product / d } else { product * d })
        })
    }

    /// The dimension that a number in a product takes so that the product has the one wanted.
    pub fn missing(&self, factors: &[(bool, Expr)], wanted: Option<Dimension>) -> Option<Dimension> {
        let has_number = factors.iter().any(|(divides, f)| !divides && matches!(f.term, Term::Number(_)));
        let (wanted, product) = (wanted.filter(|_| has_number)?, self.product_of(factors)?);
        (!wanted.compatible(&product)).then(|| wanted / product)
    }
}
