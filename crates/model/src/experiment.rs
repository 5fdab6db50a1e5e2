//! Questions asked of a model in its own text.

use std::fmt::{self, Display, Formatter};

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

/// The kind of an experiment: the analysis that it asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExperimentKind {
    /// A motion from start values.
    Simulate,
    /// A position at rest.
    Equilibrium,
    /// The linear equations about a state.
    Linearize,
    /// Eigenvalues and mode shapes.
    Modes,
    /// The motion that drives determine.
    Kinematics,
    /// The efforts of a given motion.
    Inverse,
    /// A check of the equations by independent means.
    Verify,
}

impl ExperimentKind {
    /// Every kind.
    pub const ALL: [ExperimentKind; 7] = [
        ExperimentKind::Simulate,
        ExperimentKind::Equilibrium,
        ExperimentKind::Linearize,
        ExperimentKind::Modes,
        ExperimentKind::Kinematics,
        ExperimentKind::Inverse,
        ExperimentKind::Verify,
    ];
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            ExperimentKind::Simulate => "simulate",
            ExperimentKind::Equilibrium => "equilibrium",
            ExperimentKind::Linearize => "linearize",
            ExperimentKind::Modes => "modes",
            ExperimentKind::Kinematics => "kinematics",
            ExperimentKind::Inverse => "inverse",
            ExperimentKind::Verify => "verify",
        }
    }
    /// The kind with this name.
    pub fn named(name: &str) -> Option<ExperimentKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

impl Display for ExperimentKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `simulate { to = 2 [s] }` and its kin.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    /// The question.
    pub kind: ExperimentKind,
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
