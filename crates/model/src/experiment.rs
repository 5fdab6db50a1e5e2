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
    /// Two ends of a range in SI units.
    Range([Expr; 2], Dimension),
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
    /// The frequency response between inputs and outputs.
    Response,
    /// Eigenvalues over a parameter.
    RootLocus,
    /// Where in the plane of two parameters a state is stable.
    Stability,
    /// The stationary response to random excitation.
    RandomResponse,
    /// A linear quadratic regulator.
    Lqr,
    /// A Kalman filter.
    Kalman,
    /// A feedback with given poles.
    PolePlacement,
    /// Inputs and coordinates of a wanted steady motion.
    Trim,
    /// Derivatives of a motion by parameters.
    Sensitivity,
    /// How a vehicle answers to its steering.
    Handling,
}

impl ExperimentKind {
    /// Every kind.
    pub const ALL: [ExperimentKind; 17] = [
        ExperimentKind::Simulate,
        ExperimentKind::Equilibrium,
        ExperimentKind::Linearize,
        ExperimentKind::Modes,
        ExperimentKind::Kinematics,
        ExperimentKind::Inverse,
        ExperimentKind::Verify,
        ExperimentKind::Response,
        ExperimentKind::RootLocus,
        ExperimentKind::Stability,
        ExperimentKind::RandomResponse,
        ExperimentKind::Lqr,
        ExperimentKind::Kalman,
        ExperimentKind::PolePlacement,
        ExperimentKind::Trim,
        ExperimentKind::Sensitivity,
        ExperimentKind::Handling,
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
            ExperimentKind::Response => "response",
            ExperimentKind::RootLocus => "root_locus",
            ExperimentKind::Stability => "stability",
            ExperimentKind::RandomResponse => "random_response",
            ExperimentKind::Lqr => "lqr",
            ExperimentKind::Kalman => "kalman",
            ExperimentKind::PolePlacement => "pole_placement",
            ExperimentKind::Trim => "trim",
            ExperimentKind::Sensitivity => "sensitivity",
            ExperimentKind::Handling => "handling",
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
