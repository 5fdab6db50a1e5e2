//! Declarations: parameters and their kin, states, functions, outputs, ports and slots.

use cardan_base::{Diagnostic, nearest};

use crate::codes;
use crate::expression::Path;
use crate::token::TokenKind;
use crate::tree::{Declaration, Function, Input, Output, Port, PortKind, Shown, Slot, State, StatementKind};
use crate::words;

use super::{Mark, Parser};

/// An output in a unit.
const OUTPUT: &str = "output v = speed in [km/h]";
/// A column in a unit.
const SHOW: &str = "show arm.q in [deg]";

impl Parser<'_> {
    /// `word a = 1 [m] in 0 .. 2 [m] "…", b [kg]`.
    pub(super) fn declarations(
        &mut self,
        what: &str,
        example: &str,
        form: fn(Vec<Declaration>) -> StatementKind,
    ) -> Option<StatementKind> {
        self.bump();
        let list = self.list(|p| p.declaration(what, example));
        (!list.is_empty()).then(|| form(list))
    }

    fn declaration(&mut self, what: &str, example: &str) -> Option<Declaration> {
        let name = self.declared(what, example)?;
        let unit = self.unit();
        let value = (!self.silent && self.gives_value(&name)).then(|| self.expression());
        let range = (!self.silent && self.eat_word("in")).then(|| self.limits());
        let description = self.description();
        Some(Declaration { name, unit, value, range, description })
    }

    /// Reads the `=` before a value. A `==`, a `:=` or a number without any sign is taken for it, with a complaint, so
    /// that the name is known to the rest of the text.
    fn gives_value(&mut self, name: &crate::Name) -> bool {
        let other = match self.kind() {
            TokenKind::Equals => {
                self.bump();
                return true;
            }
            TokenKind::EqualsEquals | TokenKind::ColonEquals => {
                let sign = self.slice(self.token(0));
                format!("`{sign}` does not give `{}` its value", name.text)
            }
            TokenKind::Number => format!("`=` is missing before {}", self.found()),
            _ => return false,
        };
        let diagnostic = Diagnostic::error(codes::MISSING_SIGN, other).at(self.here(), "expected `=`");
        let is_sign = !self.at(TokenKind::Number);
        let value = self.token(usize::from(is_sign));
        let (text, next) = (self.slice(value), self.token(usize::from(is_sign) + 1).kind);
        let unit = if next == TokenKind::LeftBracket { " […]" } else { "" };
        self.report(diagnostic.hint(format!("write `{} = {text}{unit}`", name.text)));
        if is_sign {
            self.bump();
        }
        true
    }

    /// `low .. high`.
    pub(super) fn limits(&mut self) -> crate::Expr {
        let range = self.value();
        if !self.silent && !matches!(range.kind, crate::ExprKind::Range { .. }) {
            self.missing_sign("`..`", "write a range as `in 0 .. 10 [N/m]`");
        }
        range
    }

    pub(super) fn state(&mut self) -> Option<StatementKind> {
        self.bump();
        let list = self.list(|p| {
            let declaration = p.declaration("a state", "state x = 0 { der = v }")?;
            let derivative = if p.at(TokenKind::LeftBrace) && !p.silent { p.derivative() } else { None };
            Some(State { declaration, derivative })
        });
        (!list.is_empty()).then_some(StatementKind::State(list))
    }

    /// `{ der = value }`, where the opening brace stands.
    fn derivative(&mut self) -> Option<crate::Expr> {
        let open = self.bump();
        let separators = |p: &mut Self| while p.eat(TokenKind::Newline) || p.eat(TokenKind::Semicolon) {};
        separators(self);
        self.mark(Mark::Beginning);
        if !self.eat_word("der") {
            self.missing_sign("`der`", "write `state x = 0 { der = v }`");
            return None;
        }
        if !self.expect(TokenKind::Equals, "`=`", "write `state x = 0 { der = v }`") {
            return None;
        }
        let derivative = self.expression();
        if !self.silent {
            separators(self);
            self.close(open, TokenKind::RightBrace);
        }
        Some(derivative)
    }

    pub(super) fn function(&mut self) -> Option<StatementKind> {
        self.bump();
        let name = self.declared("the function", "function f(x [m]) [N] = 3 [N/m] * x")?;
        let inputs = self.inputs("function f(x [m]) [N] = 3 [N/m] * x");
        if self.silent {
            return None;
        }
        let unit = self.unit();
        if self.silent || !self.expect(TokenKind::Equals, "`=`", "write `function f(x) = 2*x`") {
            return None;
        }
        let value = self.expression();
        let description = self.description();
        Some(StatementKind::Function(Function { name, inputs, unit, value, description }))
    }

    /// `(x [m], y)`.
    pub(super) fn inputs(&mut self, example: &str) -> Vec<Input> {
        if !self.at(TokenKind::LeftParen) {
            self.missing_sign("`(`", format!("write `{example}`"));
            return Vec::new();
        }
        self.mark(Mark::Arguments);
        let open = self.bump();
        let inputs = if self.at(TokenKind::RightParen) {
            Vec::new()
        } else {
            self.list(|p| {
                let name = p.name("an argument", example)?;
                Some(Input { name, unit: p.unit() })
            })
        };
        if !self.silent {
            self.close(open, TokenKind::RightParen);
        }
        inputs
    }

    pub(super) fn output(&mut self) -> Option<StatementKind> {
        self.bump();
        let list = self.list(|p| {
            let named = p.at_named();
            let name = if named { Some(p.declared("the output", "output v = der(x)")?) } else { None };
            if named {
                p.bump();
            }
            let value = p.expression();
            if !named && !p.silent && p.at(TokenKind::Equals) {
                let diagnostic = Diagnostic::error(codes::NAME, "this cannot be the name of an output")
                    .at(value.span, "not a name");
                p.give_up(diagnostic.hint("write a name: `output tip_x = ...`"));
            }
            let display = if !p.silent && p.eat_word("in") { p.display_unit(OUTPUT) } else { None };
            let description = p.description();
            Some(Output { name, value, display, description })
        });
        (!list.is_empty()).then_some(StatementKind::Output(list))
    }

    /// `show arm.q in [deg] "…"`: a unit, words, or both.
    pub(super) fn show(&mut self) -> Option<StatementKind> {
        self.bump();
        let list = self.list(|p| {
            let target = p.expression();
            let display = if !p.silent && p.eat_word("in") { p.display_unit(SHOW) } else { None };
            let description = p.description();
            if !p.silent && display.is_none() && description.is_none() {
                p.missing_sign("`in` and a unit", format!("write `{SHOW}`"));
            }
            Some(Shown { target, display, description })
        });
        (!list.is_empty()).then_some(StatementKind::Show(list))
    }

    fn display_unit(&mut self, example: &str) -> Option<crate::UnitText> {
        if !self.at(TokenKind::LeftBracket) {
            self.missing_sign("a unit in brackets", format!("write `{example}`"));
        }
        self.unit()
    }

    pub(super) fn paths(&mut self, what: &str, example: &str) -> Option<Vec<Path>> {
        self.bump();
        let list = self.list(|p| p.path(what, example));
        (!list.is_empty()).then_some(list)
    }

    pub(super) fn port(&mut self) -> Option<StatementKind> {
        self.bump();
        let names = self.list(|p| p.declared("the port", "port wheel: frame"));
        if self.silent || !self.expect(TokenKind::Colon, "`:`", "write `port wheel: frame`") {
            return None;
        }
        let kind = match self.word(0) {
            Some("frame") => {
                self.bump();
                PortKind::Frame
            }
            Some("point") => {
                self.bump();
                PortKind::Point
            }
            Some("in") => {
                self.bump();
                PortKind::In(self.unit())
            }
            Some("out") => {
                self.bump();
                PortKind::Out(self.unit())
            }
            _ => {
                self.not_among("what passes through this port", words::PORT_KINDS);
                return None;
            }
        };
        let goes_out = matches!(kind, PortKind::Out(_));
        let default = (!self.silent && !goes_out && self.eat(TokenKind::Equals)).then(|| self.expression());
        let description = if self.silent { None } else { self.description() };
        Some(StatementKind::Port(Port { names, kind, default, description }))
    }

    /// Gives up because the next word is none of the few allowed.
    pub(super) fn not_among(&mut self, what: &str, choices: &[&'static str]) {
        if self.complain_about_token() {
            return;
        }
        let listed = choices.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
        let message = format!("{} does not say {what}", self.found());
        let mut diagnostic =
            Diagnostic::error(codes::CHOICE, message).at(self.here(), format!("one of {listed} is expected"));
        diagnostic = match self.word(0).and_then(|word| nearest(word, choices.iter().copied())) {
            Some(choice) => diagnostic.hint(format!("did this mean `{choice}`?")),
            None => diagnostic.hint(format!("write one of {listed}")),
        };
        self.give_up(diagnostic);
    }

    pub(super) fn slot(&mut self) -> Option<StatementKind> {
        let example = "slot tyre: Tyre = fiala(stiffness = 50000)";
        self.bump();
        let name = self.name("the slot", example)?;
        if !self.expect(TokenKind::Colon, "`:`", &format!("write `{example}`")) {
            return None;
        }
        let interface = self.path("what fits into the slot", example)?.joined();
        let default =
            if self.eat(TokenKind::Equals) { Some(self.call("the default", example)?) } else { None };
        let content = self.optional_braces();
        let description = if self.silent { None } else { self.description() };
        Some(StatementKind::Slot(Slot { name, interface, default, description, content }))
    }
}
