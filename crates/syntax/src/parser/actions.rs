//! Statements that happen in order, and the blocks that hold them.

use cardan_base::Diagnostic;

use crate::action::{Attach, Branches, Detach, Every, External, For, Procedure, Several, Stop, Update, When};
use crate::codes;
use crate::expression::{Expr, ExprKind};
use crate::token::TokenKind;
use crate::tree::StatementKind;

use super::{Mark, Parser};

const PROCEDURE: &str = "procedure f(x [m]) -> y [N] { y := 3 [N/m] * x }";
const EXTERNAL: &str = "external function f(x [m]) [N]";

impl Parser<'_> {
    pub(super) fn when(&mut self) -> Option<StatementKind> {
        self.bump();
        let condition = self.condition();
        let description = if self.silent { None } else { self.description() };
        if !self.silent && self.at_word("then") {
            let help =
                "write the block in braces, without `then` and `end`: `when h < 0 [m] { der(h) := 0 }`";
            self.missing_sign("`{`", help);
        }
        let content = self.required_braces("when x < 0 { hit := 1 }");
        Some(StatementKind::When(When { condition, description, content }))
    }

    pub(super) fn every(&mut self) -> Option<StatementKind> {
        self.bump();
        let period = self.expression();
        let offset = (!self.silent && self.eat_word("from")).then(|| self.expression());
        let description = if self.silent { None } else { self.description() };
        let content = self.required_braces("every 0.01 [s] { x := 1 }");
        Some(StatementKind::Every(Every { period, offset, description, content }))
    }

    /// `if … { } else if … { } else { }`.
    pub(super) fn branches_of_statements(&mut self) -> Option<StatementKind> {
        let example = "if x < 0 { y := 1 } else { y := 2 }";
        let mut branches = Branches { arms: Vec::new(), otherwise: Vec::new() };
        while self.eat_word("if") {
            let condition = self.condition();
            let content = self.required_braces(example);
            branches.arms.push((condition, content));
            if self.at_word("else") {
                self.mark(Mark::Beginning);
            }
            if self.silent || !self.eat_word("else") {
                return Some(StatementKind::If(branches));
            }
        }
        branches.otherwise = self.required_braces(example);
        Some(StatementKind::If(branches))
    }

    /// `for k in 1 .. 5 { }`.
    pub(super) fn repetition(&mut self) -> Option<StatementKind> {
        let example = "for k in 1 .. 5 { x := x + k }";
        self.bump();
        let name = self.name("the number that counts", example)?;
        if !self.eat_word("in") {
            self.missing_sign("`in`", format!("write `{example}`"));
            return None;
        }
        if self.word(0) == Some("range") && self.token(1).kind == TokenKind::LeftParen {
            let hint = "write `in 0 .. n - 1`; both ends belong to the range";
            self.missing_sign("`..`", hint);
            return None;
        }
        let range = self.limits();
        let content = self.required_braces(example);
        Some(StatementKind::For(For { name, range, content }))
    }

    /// `attach A to B at P`.
    pub(super) fn attach(&mut self) -> Option<StatementKind> {
        const EXAMPLE: &str = "attach probe to station at station.port";
        self.bump();
        let body = self.path("the body that is attached", EXAMPLE)?;
        if !self.eat_word("to") {
            self.missing_sign("`to`", format!("write `{EXAMPLE}`"));
            return None;
        }
        let to = self.path("what it is attached to", EXAMPLE)?;
        let at = (!self.silent && self.eat_word("at")).then(|| self.expression());
        Some(StatementKind::Attach(Attach { body, to, at }))
    }

    /// `detach A`, `detach A from B`.
    pub(super) fn detach(&mut self) -> Option<StatementKind> {
        const EXAMPLE: &str = "detach probe from station";
        self.bump();
        let body = self.path("the body that is detached", EXAMPLE)?;
        let from = match !self.silent && self.eat_word("from") {
            true => Some(self.path("what it is detached from", EXAMPLE)?),
            false => None,
        };
        Some(StatementKind::Detach(Detach { body, from }))
    }

    pub(super) fn returned(&mut self) -> Option<StatementKind> {
        self.bump();
        let values = self.list(|p| Some(p.expression()));
        (!self.silent).then_some(StatementKind::Return(values))
    }

    /// `procedure f(x [m]) -> (a [N], b) { }`.
    pub(super) fn procedure(&mut self) -> Option<StatementKind> {
        self.bump();
        let name = self.declared("the procedure", PROCEDURE)?;
        let inputs = self.inputs(PROCEDURE);
        if self.silent || !self.expect(TokenKind::Arrow, "`->`", &format!("write `{PROCEDURE}`")) {
            return None;
        }
        let results = match self.kind() {
            TokenKind::LeftParen => self.inputs(PROCEDURE),
            _ => vec![crate::tree::Input { name: self.name("the result", PROCEDURE)?, unit: self.unit() }],
        };
        if self.silent {
            return None;
        }
        if results.is_empty() {
            self.missing_sign("the name of a result", format!("write `{PROCEDURE}`"));
            return None;
        }
        let description = self.description();
        let content = self.required_braces(PROCEDURE);
        Some(StatementKind::Procedure(Procedure { name, inputs, results, description, content }))
    }

    /// `external function f(x [m]) [N]`.
    pub(super) fn external(&mut self) -> Option<StatementKind> {
        self.bump();
        if !self.eat_word("function") {
            self.missing_sign("`function`", format!("write `{EXTERNAL}`"));
            return None;
        }
        let name = self.declared("the function", EXTERNAL)?;
        let inputs = self.inputs(EXTERNAL);
        if self.silent {
            return None;
        }
        let unit = self.unit();
        if self.at(TokenKind::Equals) {
            let diagnostic =
                Diagnostic::error(codes::LEFT_OVER, "an external function has no value in the text")
                    .at(self.here(), "it is written elsewhere");
            self.give_up(diagnostic.hint("remove the word `external`, or the value"));
            return None;
        }
        let description = self.description();
        Some(StatementKind::External(External { name, inputs, unit, description }))
    }

    /// `der(q) := value`, where `:=` stands.
    pub(super) fn rate_update(&mut self, left: Expr) -> Option<StatementKind> {
        let target = match left.kind {
            ExprKind::Call(call) if call.function.is("der") && call.arguments.len() == 1 => {
                call.arguments.into_iter().find_map(|a| match a.value.kind {
                    ExprKind::Name(path) if a.name.is_none() => Some(path),
                    _ => None,
                })
            }
            _ => None,
        };
        let Some(target) = target else {
            let d = Diagnostic::error(codes::STATEMENT, "this cannot be given a value").at(left.span, "");
            self.give_up(d.hint("name what is set: `x := value`, `arm.u := value` or `der(q) := value`"));
            return None;
        };
        self.bump();
        let value = self.expression();
        Some(StatementKind::Update(Update { target, is_rate: true, overwrites: false, value }))
    }

    /// `overwrite u := value`, `overwrite der(q) := value`.
    pub(super) fn overwriting(&mut self) -> Option<StatementKind> {
        const EXAMPLE: &str = "overwrite arm.u := 0 [rad/s]";
        self.bump();
        let left = self.expression();
        if self.silent {
            return None;
        }
        if !self.at(TokenKind::ColonEquals) {
            self.missing_sign("`:=`", format!("write `{EXAMPLE}`"));
            return None;
        }
        let target = match left.kind {
            ExprKind::Name(target) => {
                self.bump();
                let value = self.expression();
                return Some(StatementKind::Update(Update {
                    target,
                    is_rate: false,
                    overwrites: true,
                    value,
                }));
            }
            _ => self.rate_update(left)?,
        };
        match target {
            StatementKind::Update(update) => {
                Some(StatementKind::Update(Update { overwrites: true, ..update }))
            }
            other => Some(other),
        }
    }

    /// Whether a statement that is `n` words long ends here, or only a description follows.
    pub(super) fn ends_after(&self, n: usize) -> bool {
        use TokenKind::{End, Newline, RightBrace, Semicolon, Text};
        matches!(self.token(n).kind, End | Newline | RightBrace | Semicolon | Text)
    }

    /// `stop "reason"`.
    pub(super) fn stop(&mut self) -> Option<StatementKind> {
        self.bump();
        Some(StatementKind::Stop(Stop { reason: self.description() }))
    }

    /// `(a, b) := value`, where the opening bracket stands.
    pub(super) fn several(&mut self) -> Option<StatementKind> {
        let open = self.bump();
        let targets = self.list(|p| p.path("what is set", "(a, b) := command(t)"));
        if self.silent || !self.close(open, TokenKind::RightParen) {
            return None;
        }
        let span = self.span_from(open.start);
        if !self.expect(TokenKind::ColonEquals, "`:=`", "write `(a, b) := command(t)`") {
            return None;
        }
        let value = self.expression();
        Some(StatementKind::Several(Several { targets, span, value }))
    }
}
