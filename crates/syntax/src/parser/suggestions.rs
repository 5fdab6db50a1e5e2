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

/// What to write instead of a word that begins a statement in another language.
fn instead_of_statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "end" | "endmodel" => "a model ends with its text; remove this line",
        "let" | "var" | "const" | "real" | "Real" | "double" | "float" | "int" | "param" | "set" => {
            "a number is declared `parameter k = 3 [N/m]`, what varies `variable x = ...`, \
             what has a rate `state x = 1 [m] { der = v }`"
        }
        "def" | "fn" | "func" | "fun" => "a function is written `function f(x) = 2*x`",
        "plot" | "print" | "disp" | "printf" | "display" | "log" | "save" | "record" | "measure"
        | "sensor" => "results hold what `output` names: `output x = position(B.cm).x`",
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

impl Parser<'_> {
    /// The hint for a word that begins a statement in another language.
    pub(super) fn meant_by_statement(&self, word: &str) -> Option<&'static str> {
        instead_of_statement(word)
    }

    /// The hint for a character that fits nowhere.
    pub(crate) fn meant_by_character(&self) -> String {
        let character = self.slice(self.token(0));
        if character == "°" {
            let number = self.previous().filter(|t| t.kind == TokenKind::Number);
            let number = number.map_or("30", |t| self.slice(t));
            return format!("angles have their unit in brackets: `{number} [deg]`");
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

    /// The hint for operators of other languages: `**`, `//`.
    pub(crate) fn meant_by_operator(&self) -> Option<&'static str> {
        let twice = |kind: TokenKind| {
            let here = self.kind() == kind;
            here && (self.token(1).kind == kind || self.previous().is_some_and(|t| t.kind == kind))
        };
        if twice(TokenKind::Star) {
            Some("a power is written `^`: `L^2`")
        } else if twice(TokenKind::Slash) {
            Some("a comment begins with `#`")
        } else {
            None
        }
    }
}
