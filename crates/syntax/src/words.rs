//! The words of the language.
//!
//! Only the reserved words are kept from being names. A word that begins a statement is recognised
//! by its position, so a parameter may still be called `state` or `table`.

/// Words that join parts of a statement or an expression and can name nothing.
pub const RESERVED: &[&str] =
    &["and", "at", "between", "by", "else", "from", "if", "in", "not", "on", "or", "then"];

/// Words that begin a statement of a fixed form.
pub const STATEMENTS: &[&str] = &[
    "attach",
    "body",
    "constant",
    "constraint",
    "cut",
    "detach",
    "discrete",
    "every",
    "external",
    "for",
    "force",
    "frame",
    "function",
    "gravity",
    "import",
    "input",
    "joint",
    "local",
    "lock",
    "model",
    "newtonian",
    "output",
    "overwrite",
    "parameter",
    "particle",
    "point",
    "port",
    "procedure",
    "release",
    "return",
    "shape",
    "show",
    "slot",
    "small",
    "speed",
    "start",
    "state",
    "strict",
    "subsystem",
    "table",
    "torque",
    "variable",
    "when",
];

/// Words that ask a question of a model.
pub const EXPERIMENTS: &[&str] = &[
    "assemble",
    "equilibrium",
    "handling",
    "identify",
    "inverse",
    "kalman",
    "kinematics",
    "linearize",
    "lqr",
    "modes",
    "optimize",
    "pole_placement",
    "random_response",
    "response",
    "root_locus",
    "sensitivity",
    "simulate",
    "stability",
    "sweep",
    "trim",
    "verify",
];

/// Elements that hang on points, bodies or coordinates, with a form of each. `lang` says what they do.
pub const ELEMENTS: &[(&str, &str)] = &[
    ("bushing", "bushing b between P and Q { stiffness = (1e5, 1e5, 1e4) [N/m] }"),
    ("contact", "contact c between P and N.o { normal = N.z; restitution = 0.5 }"),
    ("damper", "damper d between P and Q { damping = 10 [N*s/m] }"),
    ("limit", "limit l on q { lower = -1 [rad]; upper = 1 [rad] }"),
    ("motion", "motion m on q = 0.5 [rad/s] * t"),
    ("spring", "spring s between P and Q { stiffness = 100 [N/m] }"),
    ("spring_damper", "spring_damper s between P and Q { stiffness = 100 [N/m]; damping = 10 [N*s/m] }"),
    ("stop", "stop s on q { upper = 1 [rad]; stiffness = 1e4 [N*m/rad] }"),
    ("torsion_damper", "torsion_damper d between B and A { damping = 1 [N*m*s/rad] }"),
    ("torsion_spring", "torsion_spring s between B and A { stiffness = 10 [N*m/rad] }"),
    (
        "torsion_spring_damper",
        "torsion_spring_damper s between B and A { stiffness = 10 [N*m/rad]; damping = 1 [N*m*s/rad] }",
    ),
];

/// How a table finds values between the given ones.
pub const TABLE_METHODS: &[&str] = &["linear", "monotone", "periodic", "spline", "steps"];

/// What passes through a port.
pub const PORT_KINDS: &[&str] = &["frame", "in", "out", "point"];

/// Whether `word` can name nothing.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_disjoint() {
        for list in [RESERVED, STATEMENTS, EXPERIMENTS, TABLE_METHODS, PORT_KINDS] {
            assert!(list.is_sorted());
        }
        assert!(ELEMENTS.is_sorted());
        for word in STATEMENTS.iter().chain(EXPERIMENTS) {
            assert!(!is_reserved(word), "{word}");
            assert!(!(STATEMENTS.contains(word) && EXPERIMENTS.contains(word)), "{word}");
        }
    }
}
