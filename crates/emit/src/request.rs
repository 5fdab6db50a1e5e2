//! What can be asked of a model in source code.

/// A function of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Question {
    /// The time derivatives of the state.
    Derivatives,
    /// The outputs of the model and its energies.
    Outputs,
    /// The mass matrix M of M u̇ = f.
    Mass,
    /// The right-hand side f of M u̇ = f.
    Forcing,
    /// The generalised forces that bring about given accelerations.
    Inverse,
    /// Partial derivatives of the time derivatives.
    Jacobian,
    /// What vanishes where the constraints hold, and their Jacobian.
    Residuals,
    /// The forces and torques of the constraints, and of the joints of the tree that the model was asked about.
    Reactions,
    /// Origin and direction cosines of the bodies.
    Poses,
    /// Velocities and angular velocities of the bodies by the speeds.
    BodyJacobians,
    /// The generalised forces at rest.
    Gravity,
    /// The Coriolis matrix of the Christoffel symbols.
    Coriolis,
}

impl Question {
    /// All of them with the names by which people choose them.
    pub const ALL: [(Question, &'static str); 12] = [
        (Question::Derivatives, "derivatives"),
        (Question::Outputs, "outputs"),
        (Question::Mass, "mass"),
        (Question::Forcing, "forcing"),
        (Question::Inverse, "inverse"),
        (Question::Jacobian, "jacobian"),
        (Question::Residuals, "residuals"),
        (Question::Reactions, "reactions"),
        (Question::Poses, "poses"),
        (Question::BodyJacobians, "body_jacobians"),
        (Question::Gravity, "gravity"),
        (Question::Coriolis, "coriolis"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(q, _)| *q == self).map_or("", |(_, name)| name)
    }

    /// The question of this name.
    pub fn named(name: &str) -> Option<Question> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(q, _)| *q)
    }
}

/// With respect to what partial derivatives are taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum By {
    /// Coordinates, speeds and auxiliary states.
    States,
    /// Independent parameters.
    Parameters,
    /// Time.
    Time,
}

impl By {
    /// All of them with the names by which people choose them.
    pub const ALL: [(By, &'static str); 3] =
        [(By::States, "states"), (By::Parameters, "parameters"), (By::Time, "time")];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(b, _)| *b == self).map_or("", |(_, name)| name)
    }

    /// The choice of this name.
    pub fn named(name: &str) -> Option<By> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(b, _)| *b)
    }
}

/// Which parameters become numbers in the code, so that whatever depends on them alone is computed here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Fix {
    /// None: all are arguments.
    #[default]
    Nothing,
    /// These.
    Named(Vec<String>),
    /// All.
    Everything,
}

/// What is to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The functions, in any order; each once.
    pub questions: Vec<Question>,
    /// What Jacobians are taken with respect to.
    pub by: Vec<By>,
    /// Parameters that become numbers.
    pub fix: Fix,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            questions: vec![Question::Derivatives, Question::Outputs],
            by: vec![By::States],
            fix: Fix::Nothing,
        }
    }
}
