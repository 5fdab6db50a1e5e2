//! Questions asked of a model in its own text.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_units::Dimension;

/// A value in an experiment block.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// A number in SI units, perhaps in terms of parameters.
    Scalar(Expr, Dimension),
    /// A bare word, such as the name of a method.
    Word(String),
    /// A quoted text.
    Text(String),
}

/// `simulate { to = 2 [s] }` and its kin.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    /// `simulate`, `equilibrium`, …
    pub kind: String,
    /// A name, where there are several of a kind.
    pub name: Option<String>,
    /// The settings, in the order written.
    pub settings: Vec<(String, Setting, Option<Span>)>,
    /// Where it was written.
    pub span: Option<Span>,
}

impl Experiment {
    /// A setting by name.
    pub fn get(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|(n, _, _)| n == name).map(|(_, s, _)| s)
    }
}
