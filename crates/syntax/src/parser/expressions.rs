//! Expressions, by precedence climbing.
//!
//! ```text
//! rank        signs                     reading
//! or          or                        from the left
//! and         and                       from the left
//! compare     < <= > >= == !=           once only; `not` stands before a comparison
//! sum         + -                       from the left
//! product     * /                       from the left
//! power       ^                         from the right; binds tighter than a sign on its left
//! ```

use cardan_base::Diagnostic;

use crate::codes;
use crate::expression::{Argument, Call, ChainOp, CompareOp, Expr, ExprKind, Path, Segment, UnaryOp};
use crate::token::{Token, TokenKind};
use crate::words;

use super::{Mark, Parser};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Or,
    And,
    Compare,
    Sum,
    Product,
    Power,
}

enum Operator {
    Chain(ChainOp),
    Compare(CompareOp),
    Power,
}

impl Operator {
    fn rank(&self) -> Rank {
        match self {
            Operator::Chain(ChainOp::Or) => Rank::Or,
            Operator::Chain(ChainOp::And) => Rank::And,
            Operator::Chain(ChainOp::Add | ChainOp::Subtract) => Rank::Sum,
            Operator::Chain(ChainOp::Multiply | ChainOp::Divide) => Rank::Product,
            Operator::Compare(_) => Rank::Compare,
            Operator::Power => Rank::Power,
        }
    }
}

impl Parser<'_> {
    /// An expression, or a range `low .. high`.
    pub(super) fn value(&mut self) -> Expr {
        let low = self.expression();
        if !self.eat(TokenKind::DotDot) {
            return low;
        }
        let high = self.expression();
        let span = low.span.to(high.span);
        Expr { kind: ExprKind::Range { low: Box::new(low), high: Box::new(high) }, span }
    }

    /// An expression; `Missing`, with a complaint, if there is none.
    pub(crate) fn expression(&mut self) -> Expr {
        self.ranked(Rank::Or)
    }

    /// An expression in which `and` and `or` do not occur outside brackets.
    pub(super) fn operand(&mut self) -> Expr {
        self.ranked(Rank::Compare)
    }

    /// An expression that is to be true or false: `=` gets its own complaint.
    pub(super) fn condition(&mut self) -> Expr {
        let condition = self.expression();
        if self.at(TokenKind::Equals) {
            let diagnostic =
                Diagnostic::error(codes::EQUALS, "`=` gives a value; here two values are compared")
                    .at(self.here(), "a comparison is expected");
            self.give_up(diagnostic.hint("write `==`"));
        }
        condition
    }

    fn ranked(&mut self, rank: Rank) -> Expr {
        match self.deeper(|p| p.climb(rank)) {
            Some(expr) => expr,
            None => self.missing(),
        }
    }

    fn missing(&self) -> Expr {
        let here = self.here();
        Expr { kind: ExprKind::Missing, span: self.span(here.start as usize, here.start as usize) }
    }

    fn climb(&mut self, least: Rank) -> Expr {
        let mut left = self.prefix();
        while !self.silent
            && let Some(operator) = self.operator(least)
        {
            left = match operator {
                Operator::Chain(_) => self.chain(left, operator.rank()),
                Operator::Compare(op) => self.comparison(left, op),
                Operator::Power => {
                    self.bump();
                    let exponent = self.ranked(Rank::Power);
                    let span = left.span.to(exponent.span);
                    let (base, exponent) = (Box::new(left), Box::new(exponent));
                    Expr { kind: ExprKind::Power { base, exponent }, span }
                }
            };
        }
        left
    }

    /// The operator that is next, if it is at least of the given rank.
    fn operator(&self, least: Rank) -> Option<Operator> {
        let operator = match self.kind() {
            TokenKind::Plus => Operator::Chain(ChainOp::Add),
            TokenKind::Minus => Operator::Chain(ChainOp::Subtract),
            TokenKind::Star => Operator::Chain(ChainOp::Multiply),
            TokenKind::Slash => Operator::Chain(ChainOp::Divide),
            TokenKind::Caret => Operator::Power,
            TokenKind::Less => Operator::Compare(CompareOp::Less),
            TokenKind::LessEquals => Operator::Compare(CompareOp::LessEqual),
            TokenKind::Greater => Operator::Compare(CompareOp::Greater),
            TokenKind::GreaterEquals => Operator::Compare(CompareOp::GreaterEqual),
            TokenKind::EqualsEquals => Operator::Compare(CompareOp::Equal),
            TokenKind::NotEquals => Operator::Compare(CompareOp::NotEqual),
            TokenKind::Word => match self.word(0) {
                Some("and") => Operator::Chain(ChainOp::And),
                Some("or") => Operator::Chain(ChainOp::Or),
                _ => return None,
            },
            _ => return None,
        };
        (operator.rank() >= least).then_some(operator)
    }

    fn chain(&mut self, first: Expr, rank: Rank) -> Expr {
        let tighter = match rank {
            Rank::Or => Rank::And,
            Rank::And => Rank::Compare,
            Rank::Sum => Rank::Product,
            _ => Rank::Power,
        };
        let mut span = first.span;
        let mut rest = Vec::new();
        while let Some(Operator::Chain(op)) = self.operator(rank) {
            if Operator::Chain(op).rank() != rank || self.silent {
                break;
            }
            self.bump();
            let operand = self.ranked(tighter);
            span = span.to(operand.span);
            rest.push((op, operand));
        }
        Expr { kind: ExprKind::Chain { first: Box::new(first), rest }, span }
    }

    fn comparison(&mut self, left: Expr, op: CompareOp) -> Expr {
        let sign = self.bump();
        let line_ends = self.text[sign.end..self.token(0).start].contains('\n') || self.at_end();
        if op == CompareOp::Greater && line_ends && sign.start == left.span.end as usize {
            let message = "a vector is written without `>`";
            let diagnostic = Diagnostic::error(codes::MISSING_VALUE, message)
                .at(self.span_of(sign), "a comparison has a value on both sides");
            self.give_up(
                diagnostic.hint("unit vectors are `N.x`, `N.y`, `N.z`: `force f on B.cm = 3 [N] * N.x`"),
            );
            return left;
        }
        let right = self.ranked(Rank::Sum);
        let span = left.span.to(right.span);
        if let Some(Operator::Compare(second)) = self.operator(Rank::Compare) {
            let mut written = [left.span, right.span].map(|s| self.written(s));
            if written.iter().any(|text| text.len() > 30 || text.contains('\n')) {
                written = ["a", "b"];
            }
            let [a, b] = written;
            let (op, second) = (op.symbol(), second.symbol());
            let diagnostic = Diagnostic::error(codes::COMPARISON, "two comparisons cannot share one operand")
                .at(self.here(), "second comparison")
                .hint(format!("join them with `and`: `{a} {op} {b} and {b} {second} ...`"));
            self.give_up(diagnostic);
        }
        Expr { kind: ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }, span }
    }

    fn prefix(&mut self) -> Expr {
        let start = self.token(0).start;
        let (op, rank) = match self.kind() {
            TokenKind::Minus => (UnaryOp::Minus, Rank::Power),
            TokenKind::Plus => (UnaryOp::Plus, Rank::Power),
            TokenKind::Word if self.at_word("not") => (UnaryOp::Not, Rank::Compare),
            _ => return self.with_unit(),
        };
        self.mark(Mark::Sign);
        self.bump();
        let operand = Box::new(self.ranked(rank));
        let span = self.span(start, operand.span.end as usize);
        Expr { kind: ExprKind::Unary { op, operand }, span }
    }

    /// A primary and the unit that may follow it.
    fn with_unit(&mut self) -> Expr {
        let value = self.primary();
        if !self.at(TokenKind::LeftBracket) || self.silent {
            return value;
        }
        let closed = self.previous().is_some_and(|t| t.kind == TokenKind::RightParen);
        if let ExprKind::Name(path) = &value.kind
            && !closed
        {
            let name = self.written(path.span);
            let start = self.token(0).start;
            self.unit();
            let diagnostic = Diagnostic::error(codes::UNIT, "a unit cannot follow a name")
                .at(self.span_from(start), format!("`{name}` has a unit of its own"))
                .because("only a number or a closing bracket takes a unit")
                .hint(format!("to show it in a unit write `in`: `output {name} in […]`"))
                .hint("remove the unit elsewhere; an index stands without a space: `links[3]`")
                .hint("the unit of a function stands before its `=`: `function f(t) [N] = ...`");
            self.report(diagnostic);
            return value;
        }
        if !closed && !matches!(value.kind, ExprKind::Number(_)) {
            return value;
        }
        let start = value.span.start as usize;
        match self.unit() {
            Some(unit) => Expr {
                kind: ExprKind::Quantity { value: Box::new(value), unit },
                span: self.span_from(start),
            },
            None => value,
        }
    }

    fn primary(&mut self) -> Expr {
        let token = self.token(0);
        match token.kind {
            TokenKind::Number => self.number(),
            TokenKind::Text => {
                let text = self.text_literal();
                Expr { kind: ExprKind::Text(text.text), span: text.span }
            }
            TokenKind::LeftParen => self.grouped(),
            TokenKind::Word => match self.slice(token) {
                "if" => self.branches(),
                word if words::is_reserved(word) && self.is_used_as_name() => self.kept_word(),
                word if words::is_reserved(word) => self.no_value(),
                _ => self.name_or_call(),
            },
            _ => self.no_value(),
        }
    }

    /// Whether what comes next could only follow a name: in a list, in brackets, beside an operator.
    fn is_used_as_name(&self) -> bool {
        use TokenKind::{Caret, Comma, Plus, RightParen, Slash, Star};
        matches!(self.token(1).kind, Comma | RightParen | Plus | Star | Slash | Caret)
    }

    /// A reserved word in place of a name: the rest is read as if the name were there.
    fn kept_word(&mut self) -> Expr {
        let token = self.bump();
        let (text, span) = (self.slice(token), self.span_of(token));
        let diagnostic = Diagnostic::error(codes::NAME, format!("`{text}` cannot be a name"))
            .at(span, "a word that the language keeps for itself")
            .because(format!("`{text}` joins parts of a statement and can name nothing"));
        self.report(diagnostic.hint(format!("write another name, for example `{text}_`")));
        Expr { kind: ExprKind::Missing, span }
    }

    fn no_value(&mut self) -> Expr {
        if !self.complain_about_token() {
            let message = format!("a value is missing before {}", self.found());
            let hint = self.meant_by_operator().unwrap_or(match self.kind() {
                TokenKind::Word if self.word(0) == Some("on") => {
                    "a body has one parent; a joint closes the loop: `joint j = revolute(A.P, B.P, axis = z)`"
                }
                TokenKind::LeftBracket if self.token(1).kind == TokenKind::LeftBracket => {
                    "a matrix is given by its components: an inertia is `(xx, yy, zz) [kg*m^2]`, with products \
                     `(xx, yy, zz, xy, xz, yz) [kg*m^2]`"
                }
                TokenKind::LeftBracket => "components stand in round brackets: `(0, 0, 1) [m]`",
                _ => self.example_of_setting(),
            });
            let diagnostic = Diagnostic::error(codes::MISSING_VALUE, message)
                .at(self.here(), "a number, a name or `(` is expected here");
            self.give_up(diagnostic.hint(hint));
        }
        self.missing()
    }

    /// What to write after `NAME =` where the value is missing.
    fn example_of_setting(&self) -> &'static str {
        let is_setting = self.previous().is_some_and(|t| t.kind == TokenKind::Equals);
        match self.before_previous().filter(|_| is_setting).map(|t| self.slice(t)) {
            Some("mass") => "write the value, for example `mass = 1 [kg]`",
            Some("inertia") => "write the value, for example `inertia = (0.1, 0.1, 0.1) [kg*m^2]`",
            Some("center") => "write the value, for example `center = (0, 0, -0.5) [m]`",
            Some("stiffness") => "write the value, for example `stiffness = 100 [N/m]`",
            Some("damping") => "write the value, for example `damping = 1 [N*s/m]`",
            Some("length") => "write the value, for example `length = 1 [m]`",
            Some("to") => "write the value, for example `to = 10 [s]`",
            Some("every") => "write the value, for example `every = 0.01 [s]`",
            Some("gravity") => "write the value, for example `gravity = -9.81 [m/s^2] * N.z`",
            _ => "write the value, for example `0.5 [m]`, `2*L` or `(1, 0, 0)`",
        }
    }

    fn number(&mut self) -> Expr {
        let token = self.bump();
        while self.touches() && matches!(self.kind(), TokenKind::Word | TokenKind::Number | TokenKind::Dot) {
            self.bump();
        }
        let span = self.span_from(token.start);
        let text = self.written(span);
        let digits = self.slice(token);
        if text != digits {
            let tail = &text[digits.len()..];
            let hint = match tail {
                "." => format!("write `{digits}.0`"),
                "d" | "D" => format!("an angle in degrees is written `{digits} [deg]`"),
                tail if tail.starts_with(|c: char| c.is_alphabetic()) => {
                    format!("write `{digits}*{tail}` for a product, `{digits} [{tail}]` for a unit")
                }
                _ => "write numbers like `12`, `0.5` or `2.1e-6`".into(),
            };
            let diagnostic = Diagnostic::error(codes::NUMBER, format!("`{text}` is not a number"))
                .at(span, format!("`{tail}` does not belong to the number `{digits}`"));
            self.report(diagnostic.hint(hint));
            return Expr { kind: ExprKind::Missing, span };
        }
        Expr { kind: ExprKind::Number(digits.to_string()), span }
    }

    /// `(a)` groups, `(a, b)` is a tuple.
    fn grouped(&mut self) -> Expr {
        let open = self.bump();
        let mut items = self.list(|p| Some(p.expression()));
        self.close(open, TokenKind::RightParen);
        let span = self.span_from(open.start);
        match (items.len(), items.pop()) {
            (1, Some(only)) => Expr { kind: only.kind, span },
            (_, last) => {
                items.extend(last);
                Expr { kind: ExprKind::Tuple(items), span }
            }
        }
    }

    fn branches(&mut self) -> Expr {
        let start = self.token(0).start;
        let mut arms = Vec::new();
        while self.eat_word("if") {
            let condition = self.condition();
            if !self.silent && !self.eat_word("then") {
                self.branch_lacks("then");
            }
            if self.silent {
                break;
            }
            let value = self.expression();
            arms.push((condition, value));
            if !self.silent && !self.eat_word("else") {
                self.branch_lacks("else");
            }
            if self.silent {
                break;
            }
        }
        let otherwise = Box::new(if self.silent { self.missing() } else { self.expression() });
        Expr { kind: ExprKind::If { arms, otherwise }, span: self.span_from(start) }
    }

    fn branch_lacks(&mut self, word: &str) {
        if self.complain_about_token() {
            return;
        }
        let message = format!("`{word}` is missing before {}", self.found());
        let diagnostic = Diagnostic::error(codes::BRANCH, message)
            .at(self.here(), format!("expected `{word}`"))
            .because("every `if` has a value for both cases");
        self.give_up(diagnostic.hint("write `if condition then value else value`"));
    }

    /// `sum(k in 1 .. n: term)`, where the word `sum` stands.
    fn sum(&mut self) -> Expr {
        let start = self.token(0).start;
        let example = "sum(k in 1 .. 3: x[k])";
        self.bump();
        self.mark(Mark::Arguments);
        let open = self.bump();
        let token = self.bump();
        let name = self.checked_name(token);
        self.bump();
        let range = Box::new(self.limits());
        if !self.silent && !self.eat(TokenKind::Colon) {
            self.missing_sign("`:`", format!("write `{example}`"));
        }
        let term = Box::new(if self.silent { self.missing() } else { self.expression() });
        if !self.silent {
            self.close(open, TokenKind::RightParen);
        }
        Expr { kind: ExprKind::Sum { name, range, term }, span: self.span_from(start) }
    }

    /// Whether `sum(k in` is next.
    fn at_sum(&self) -> bool {
        self.at_word("sum")
            && self.token(1).kind == TokenKind::LeftParen
            && self.token(2).kind == TokenKind::Word
            && self.word(3) == Some("in")
    }

    fn name_or_call(&mut self) -> Expr {
        if self.at_sum() {
            return self.sum();
        }
        let path = self.path_here();
        if self.at(TokenKind::LeftParen) {
            let call = self.call_with(path);
            let span = call.span;
            let start = span.start as usize;
            let call = Expr { kind: ExprKind::Call(call), span };
            if self.silent || !self.at(TokenKind::Dot) || self.token(1).kind != TokenKind::Word {
                return call;
            }
            self.bump();
            let token = self.bump();
            let name = self.checked_name(token);
            return Expr { kind: ExprKind::Part { of: Box::new(call), name }, span: self.span_from(start) };
        }
        let span = path.span;
        Expr { kind: ExprKind::Name(path), span }
    }

    /// A dotted name; complains if there is none.
    pub(super) fn path(&mut self, what: &str, example: &str) -> Option<Path> {
        let reserved = self.word(0).is_some_and(words::is_reserved);
        if self.at(TokenKind::Word) && !reserved {
            return Some(self.path_here());
        }
        self.name(what, example);
        None
    }

    /// The dotted name at the cursor, where a word stands.
    pub(super) fn path_here(&mut self) -> Path {
        let start = self.token(0).start;
        let mut segments = Vec::new();
        loop {
            let token = self.bump();
            let name = self.checked_name(token);
            let mut index = Vec::new();
            if self.at(TokenKind::LeftBracket) && self.touches() {
                let open = self.bump();
                index = self.list(|p| Some(p.expression()));
                self.close(open, TokenKind::RightBracket);
            }
            segments.push(Segment { name, index });
            if self.silent || !self.at(TokenKind::Dot) {
                break;
            }
            if self.token(1).kind != TokenKind::Word {
                self.bump();
                self.name("a part", "hand.cm");
                break;
            }
            self.bump();
        }
        Path { segments, span: self.span_from(start) }
    }

    /// `(arguments)` after the name that is called.
    fn call_with(&mut self, function: Path) -> Call {
        let start = function.span.start as usize;
        let arguments = self.arguments();
        Call { function, arguments, span: self.span_from(start) }
    }

    /// `kind(arguments)` or a bare `kind`; complains about anything else.
    pub(super) fn call(&mut self, what: &str, example: &str) -> Option<Call> {
        let reserved = self.word(0).is_some_and(words::is_reserved);
        if !self.at(TokenKind::Word) || reserved {
            if !self.complain_about_token() {
                let message = format!("the kind of {what} is missing before {}", self.found());
                let diagnostic = Diagnostic::error(codes::CALL, message)
                    .at(self.here(), "a kind with its arguments is expected here");
                self.give_up(diagnostic.hint(format!("write `{example}`")));
            }
            return None;
        }
        let path = self.path_here();
        if self.at(TokenKind::LeftParen) {
            return Some(self.call_with(path));
        }
        let span = path.span;
        Some(Call { function: path, arguments: Vec::new(), span })
    }

    /// `(a, b, c = 1)`, where the opening bracket stands.
    pub(super) fn arguments(&mut self) -> Vec<Argument> {
        self.mark(Mark::Arguments);
        let open: Token = self.bump();
        let mut arguments = Vec::new();
        while !self.at(TokenKind::RightParen) && !self.silent {
            let named = self.at(TokenKind::Word) && self.token(1).kind == TokenKind::Equals;
            let name = named.then(|| {
                let token = self.bump();
                self.bump();
                self.checked_name(token)
            });
            let value = self.value();
            if self.at(TokenKind::Equals) {
                self.no_argument_name(&value);
            }
            arguments.push(Argument { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.silent {
            self.close(open, TokenKind::RightParen);
        }
        arguments
    }

    /// `rotate((1, 1, 1) = b)`: a value where the name of an argument should stand.
    fn no_argument_name(&mut self, value: &Expr) {
        let text = self.written(value.span);
        let message = "the name of an argument is one word".to_string();
        let diagnostic = Diagnostic::error(codes::MISSING_NAME, message)
            .at(value.span, "this is a value")
            .also(self.here(), "a name is expected before this");
        let meant = format!("give a direction and a coordinate apart: `revolute({text}, q = angle)`");
        self.give_up(diagnostic.hint(meant));
    }
}
