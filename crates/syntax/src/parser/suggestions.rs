//! What was probably meant by signs that come from other languages, from word processors and from mathematics.

use crate::token::TokenKind;

use crate::parser::Parser;

/// What to write instead of a character that has no meaning here.
fn instead(character: &str) -> Option<&'static str> {
    Some(match character {
        "−" | "–" | "—" => "write the minus of the keyboard, `-`",
        "×" | "·" | "⋅" | "∙" => "a product is written `*`",
        "÷" => "a quotient is written `/`",
        "²" => "a power is written `^2`",
        "³" => "a power is written `^3`",
        "≤" => "write `<=`",
        "≥" => "write `>=`",
        "≠" | "!" => "write `!=`, or `not` before a condition",
        "&" => "write `and`",
        "|" => "write `or`; the size of a number is `abs(x)`, that of a vector `mag(v)`",
        "“" | "”" | "„" | "‘" | "’" => "write the quotation mark of the keyboard, `\"`",
        "'" => "the rate of x is written `der(x)`, a description stands in `\"`",
        "%" => "a comment begins with `#`",
        _ => return None,
    })
}

/// Letters of formulas with their names.
const LETTERS: [(char, &str); 28] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ϑ', "theta"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('φ', "phi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Δ', "Delta"),
    ('Ω', "Omega"),
    ('ä', "ae"),
    ('ö', "oe"),
    ('ü', "ue"),
];

/// A name in letters that every program knows.
pub(super) fn spelled_out(name: &str) -> String {
    let spell = |c: char| match LETTERS.iter().find(|(letter, _)| *letter == c) {
        Some((_, word)) => Some((*word).to_owned()),
        None => c.is_ascii().then(|| c.to_string()),
    };
    match name.chars().map(spell).collect::<Option<String>>() {
        Some(word) => format!("spell it out: `{word}`"),
        None => "spell it out: `alpha` for `α`, `ue` for `ü`".to_owned(),
    }
}

/// What to write instead of a word that begins a statement in another language.
fn instead_of_statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "end" | "endmodel" => "models and blocks need no `end`: a block stands in braces; remove this line",
        "NewtonianFrame" | "Newtonian" => {
            "the inertial frame `N` is there; `newtonian ground` gives it another name"
        }
        "RigidBody" | "rigid_body" | "part" | "Part" => {
            "a body is written `body B on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }`"
        }
        "let" | "var" | "const" | "real" | "Real" | "double" | "float" | "int" | "param" | "set" => {
            "a number is declared `parameter k = 3 [N/m]`, what varies `variable x = ...`, \
             what has a rate `state x = 1 [m] { der = v }`"
        }
        "def" | "fn" | "func" | "fun" => "a function is written `function f(x) = 2*x`",
        "plot" | "print" | "disp" | "printf" | "display" | "log" | "save" | "record" | "measure"
        | "sensor" => "results hold what `output` names: `output x = B.cm.x`",
        "class" | "system" | "mechanism" | "robot" => "a model begins with `model NAME`",
        "equation" | "equations" | "algorithm" | "initial" => {
            "equations stand by themselves: `der(x) = ...` of a state, `constraint ...`; starts in `start { }`"
        }
        "include" | "using" | "use" | "from" | "require" => "nothing needs to be imported; remove this line",
        "run" | "solve" | "simulation" | "integrate" => "ask with `simulate { to = 10 [s] }`",
        "init" | "initially" | "ic" => "start values stand in `start { q = 30 [deg] }`",
        "while" => "steps repeat in `for k in 1 .. 5 { }`, in an event or a procedure",
        "collision" => "write `contact c between B.o and N.o { normal = N.z; radius = 0.1 [m] }`",
        _ => return None,
    })
}

/// What to write instead of a method of another program: `B.SetMass(2)`, `A.orientnew(…)`.
fn instead_of_method(path: &str) -> Option<&'static str> {
    let (_, method) = path.rsplit_once('.')?;
    let method = method.to_ascii_lowercase().replace('_', "");
    let begins = |words: &[&str]| words.iter().any(|word| method.starts_with(word));
    Some(match () {
        () if begins(&["setmass", "setinertia", "setcenter"]) => {
            "masses stand in the braces of a body: `body B on N { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }`"
        }
        () if begins(&["addforce", "addtorque", "setforce", "settorque", "applyforce"]) => {
            "a load is a statement: `force f on B.cm = 3 [N] * N.x`, `torque m on B from A = 2 [N*m] * B.z`"
        }
        () if begins(&["rotate", "translate", "orient", "locate", "set"]) => {
            "how a body moves stands behind `by`: `body B on A by revolute(z, q = phi) at A.P { … }`"
        }
        () => return None,
    })
}

/// What to write instead of a call that stands alone in another language.
fn instead_of_call(word: &str) -> Option<&'static str> {
    Some(match word {
        "connect" => {
            "a joint connects points: `joint j between A.P and B.Q by revolute(z)`, \
             or stands with its body: `body B on A by revolute(z) at A.P`"
        }
        "reinit" => "an event sets a speed or a state by `:=`: `when h < 0 [m] { der(h) := -0.8*der(h) }`",
        "assert" | "terminate" => "an event ends a run: `when h < 0 [m] { stop \"on the ground\" }`",
        _ => return instead_of_statement(word),
    })
}

impl Parser<'_> {
    /// The hint for a word or a path that begins a statement in another language.
    pub(super) fn meant_by_statement(&self, word: &str) -> Option<String> {
        let known = instead_of_statement(word).or_else(|| instead_of_method(word)).map(str::to_owned);
        known.or_else(|| match self.kind() {
            TokenKind::Colon => Some(format!("a value is given by `=`: `{word} = …`")),
            TokenKind::Comma if self.token(1).kind == TokenKind::Word => Some(
                "one name has one value: `parameter a = 1`; coordinates are named by their joint: \
                 `revolute(z, q = q1)`"
                    .to_owned(),
            ),
            _ => None,
        })
    }

    /// The hint for a call that stands alone.
    pub(super) fn meant_by_call(&self, word: &str) -> Option<&'static str> {
        instead_of_call(word)
    }

    /// The hint for a `(` that is not closed where it begins a choice of another language: `IF(x: a, b, c)`.
    pub(super) fn meant_by_open_bracket(&self, open: usize) -> Option<&'static str> {
        let before = self.text.get(..open)?;
        let is_choice = (before.ends_with("if") || before.ends_with("IF")) && self.kind() == TokenKind::Colon;
        is_choice.then_some("a value of two cases is written `if x > 0 then a else b`")
    }

    /// The hint for a character that fits nowhere.
    pub(crate) fn meant_by_character(&self) -> String {
        let character = self.slice(self.token(0));
        if character == "°" {
            let number = self.previous().filter(|t| t.kind == TokenKind::Number);
            let number = number.map_or("30", |t| self.slice(t));
            return format!("angles have their unit in brackets: `{number} [deg]`");
        }
        if character == "'"
            && let Some(rated) = self.previous().filter(|t| t.kind == TokenKind::Word && self.touches())
        {
            return format!("a rate is written `der({})`", self.slice(rated));
        }
        let known = instead(character);
        known.map_or("remove it; `#` begins a comment, `\"` a description".to_owned(), str::to_owned)
    }

    /// The sign before `=` in `x += 1`, `x -= 1`, `x *= 2`, `x /= 2`.
    pub(super) fn augmented_assignment(&self) -> Option<&'static str> {
        let sign = match self.kind() {
            TokenKind::Plus => "+",
            TokenKind::Minus => "-",
            TokenKind::Star => "*",
            TokenKind::Slash => "/",
            _ => return None,
        };
        (self.token(1).kind == TokenKind::Equals).then_some(sign)
    }

    /// The hint for operators of other languages: `**`, `//`, `/*`.
    pub(crate) fn meant_by_operator(&self) -> Option<&'static str> {
        let twice = |kind: TokenKind| {
            let here = self.kind() == kind;
            here && (self.token(1).kind == kind || self.previous().is_some_and(|t| t.kind == kind))
        };
        let after_slash = self.previous().is_some_and(|t| t.kind == TokenKind::Slash);
        let opens_comment = match self.kind() {
            TokenKind::Slash => self.token(1).kind == TokenKind::Star,
            kind => kind == TokenKind::Star && after_slash,
        };
        if opens_comment {
            Some("a comment begins with `#` on every line")
        } else if twice(TokenKind::Star) {
            Some("a power is written `^`: `L^2`")
        } else if twice(TokenKind::Slash) {
            Some("a comment begins with `#`")
        } else {
            None
        }
    }
}
