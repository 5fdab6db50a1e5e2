//! Statements: which form is next, where it ends, and what to do when it is none.

use cardan_base::{Diagnostic, nearest};

use crate::action::Update;
use crate::codes;
use crate::token::TokenKind;
use crate::tree::{Assign, Block, Connection, Experiment, Import, Statement, StatementKind, Tree};
use crate::words;
use crate::{Expr, ExprKind, Name};

use super::{BLOCK_DEPTH, Mark, Parser};

/// What surrounds a run of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing: the text itself.
    Text,
    /// A model without braces, which the next model ends.
    Model,
    /// Braces.
    Braces,
    /// Braces that are never closed: they end before the next statement that cannot stand in them.
    OpenBraces,
}

impl Parser<'_> {
    pub(crate) fn tree(&mut self) -> Tree {
        Tree { file: self.file, statements: self.statements(Around::Text) }
    }

    /// Complains if an expression that should be the whole text is followed by something.
    pub(crate) fn nothing_more(&mut self) {
        while !self.silent && matches!(self.kind(), TokenKind::Newline | TokenKind::Semicolon) {
            self.bump();
        }
        if !self.at(TokenKind::End) {
            self.left_over();
        }
    }

    fn statements(&mut self, around: Around) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            match self.kind() {
                TokenKind::End => break,
                TokenKind::Newline | TokenKind::Semicolon => {
                    self.bump();
                    continue;
                }
                TokenKind::RightBrace if self.blocks > 0 => break,
                TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                    self.stray_bracket();
                    continue;
                }
                TokenKind::Word if around == Around::Model && self.at_model() => break,
                TokenKind::Word if around == Around::OpenBraces && self.begins_outside() => break,
                _ => {}
            }
            let start = self.token(0).start;
            self.mark(Mark::Beginning);
            let kind = self.statement();
            let setting = matches!(
                kind,
                Some(
                    StatementKind::Assign(_)
                        | StatementKind::Update(_)
                        | StatementKind::Several(_)
                        | StatementKind::Equation { .. }
                        | StatementKind::Guess { .. }
                        | StatementKind::Connection(_)
                )
            );
            statements.extend(kind.map(|kind| Statement { kind, span: self.span_from(start) }));
            self.end_statement(matches!(around, Around::Braces | Around::OpenBraces) && setting);
        }
        statements
    }

    fn at_model(&self) -> bool {
        self.at_word("model") && self.token(1).kind == TokenKind::Word
    }

    fn stray_bracket(&mut self) {
        let message = format!("{} closes nothing", self.found());
        let diagnostic =
            Diagnostic::error(codes::STRAY_BRACKET, message).at(self.here(), "no bracket is open");
        self.report(diagnostic.hint("remove it, or open the bracket before it"));
        self.bump();
    }

    /// Leaves the cursor where the next statement may begin.
    fn end_statement(&mut self, comma_allowed: bool) {
        let ended = self.at_end() || self.after_separator() || (comma_allowed && self.at(TokenKind::Comma));
        if !self.silent && !ended {
            self.left_over();
        }
        if self.silent {
            self.silent = false;
            self.skip_statement();
        } else if comma_allowed {
            self.eat(TokenKind::Comma);
        }
    }

    /// Whether the statement has read its own end, as a model without braces does.
    fn after_separator(&self) -> bool {
        self.previous().is_some_and(|t| matches!(t.kind, TokenKind::Newline | TokenKind::Semicolon))
    }

    fn left_over(&mut self) {
        if self.complain_about_token() {
            return;
        }
        if matches!(self.kind(), TokenKind::RightParen | TokenKind::RightBracket) {
            self.stray_bracket();
            self.silent = true;
            return;
        }
        let message = format!("{} does not belong to this statement", self.found());
        let hint = self.meant_by_operator().unwrap_or(match self.kind() {
            TokenKind::Equals => "a comparison is written `==`",
            TokenKind::Text => "a description stands once, at the end or after the name of a block",
            TokenKind::Dot => "the name in a declaration has no dots",
            TokenKind::LeftBracket => "a unit stands after a number or a closing bracket",
            _ => "add the operator or comma that is missing, or begin a new line",
        });
        let bare_unit = self.bare_unit().or_else(|| self.numbered_name()).or_else(|| self.typed_name());
        let diagnostic = Diagnostic::error(codes::LEFT_OVER, message)
            .at(self.here(), "the statement is complete before this");
        self.give_up(diagnostic.hint(bare_unit.unwrap_or(hint.to_owned())));
    }

    /// What to write where a declaration has a type: `parameter Real L = 1`.
    fn typed_name(&self) -> Option<String> {
        let (kind, name) = (self.previous()?, self.token(0));
        let types = ["Real", "real", "double", "float", "int", "Integer", "SI"];
        let is_typed = types.contains(&self.slice(kind)) && name.kind == TokenKind::Word;
        is_typed.then(|| format!("a name has a unit and no type: `{} = 1 [m]`", self.slice(name)))
    }

    /// What to write where a declared name has an index: `body link[1]`.
    fn numbered_name(&self) -> Option<String> {
        let name =
            self.previous().filter(|t| t.kind == TokenKind::Word && self.at(TokenKind::LeftBracket))?;
        let (index, close) = (self.token(1), self.token(2).kind);
        let is_index = index.kind == TokenKind::Number && close == TokenKind::RightBracket;
        let (name, index) = (self.slice(name), self.slice(index));
        is_index.then(|| format!("a name has no index; the number is part of it: `{name}{index}`"))
    }

    /// What to write where `1 kg` is written, or `2 pi`.
    fn bare_unit(&self) -> Option<String> {
        let number = self.previous().filter(|t| t.kind == TokenKind::Number)?;
        let (word, next) = (self.token(0), self.token(1).kind);
        let goes_on = matches!(next, TokenKind::LeftParen | TokenKind::Equals | TokenKind::Dot);
        (word.kind == TokenKind::Word && !goes_on).then(|| {
            let (number, word) = (self.slice(number), self.slice(word));
            match word {
                "pi" => format!("a product is written `{number} * pi`"),
                _ => format!("a unit stands in brackets: `{number} [{}]`", self.unit_written()),
            }
        })
    }

    /// A unit without its brackets, `N/m` or `kg*m^2`, as far as it is written without spaces.
    fn unit_written(&self) -> String {
        let first = self.token(0);
        let mut unit = self.slice(first).to_owned();
        let mut end = first.end;
        for k in 1.. {
            let token = self.token(k);
            let joins = matches!(
                token.kind,
                TokenKind::Star | TokenKind::Slash | TokenKind::Caret | TokenKind::Word | TokenKind::Number
            );
            if !joins || token.start != end {
                break;
            }
            unit += self.slice(token);
            end = token.end;
        }
        unit
    }

    /// `{ … }`, where the opening brace stands.
    pub(super) fn braces(&mut self) -> Vec<Statement> {
        let open = self.token(0);
        if self.blocks >= BLOCK_DEPTH {
            let message = format!("blocks are nested more than {BLOCK_DEPTH} levels deep");
            let diagnostic = Diagnostic::error(codes::DEPTH, message).at(self.here(), "too deep");
            self.give_up(diagnostic.hint("move the inner block into a `subsystem`"));
            return Vec::new();
        }
        let around = if self.is_closed[self.position] { Around::Braces } else { Around::OpenBraces };
        self.bump();
        self.blocks += 1;
        let content = self.statements(around);
        self.blocks -= 1;
        if around == Around::OpenBraces && self.at(TokenKind::Word) {
            self.unclosed(open);
        } else {
            self.close(open, TokenKind::RightBrace);
        }
        content
    }

    /// Whether a line begins here with a statement that stands in no braces of a body or an element.
    fn begins_outside(&self) -> bool {
        let first = self.previous().is_some_and(|t| t.kind == TokenKind::Newline);
        let word = self.word(0).unwrap_or("");
        let inside = ["point", "shape", "if", "for", "local", "return"].contains(&word);
        let outside = words::STATEMENTS.contains(&word) || words::EXPERIMENTS.contains(&word);
        first
            && outside
            && !inside
            && !matches!(self.token(1).kind, TokenKind::Equals | TokenKind::ColonEquals)
    }

    /// Complains about braces that end before a statement of the model, which is then read as such.
    fn unclosed(&mut self, open: crate::token::Token) {
        let diagnostic = Diagnostic::error(codes::OPEN_BRACKET, "this `{` is not closed")
            .at(self.span_of(open), "opened here")
            .also(self.here(), format!("`}}` expected before {}", self.found()));
        self.report(diagnostic.hint("add `}` at the end of the line before"));
    }

    /// A block if one is next, nothing otherwise.
    pub(super) fn optional_braces(&mut self) -> Vec<Statement> {
        if self.at(TokenKind::LeftBrace) && !self.silent { self.braces() } else { Vec::new() }
    }

    /// A block; complains if there is none.
    pub(super) fn required_braces(&mut self, example: &str) -> Vec<Statement> {
        if self.silent {
            return Vec::new();
        }
        if !self.at(TokenKind::LeftBrace) {
            self.missing_sign("`{`", format!("write `{example}`"));
            return Vec::new();
        }
        self.braces()
    }

    fn statement(&mut self) -> Option<StatementKind> {
        let Some(word) = self.word(0) else {
            if self.at(TokenKind::LeftParen) {
                return self.several();
            }
            self.no_statement();
            return None;
        };
        match self.token(1).kind {
            TokenKind::Equals
            | TokenKind::ColonEquals
            | TokenKind::Tilde
            | TokenKind::Arrow
            | TokenKind::Dot => {
                return self.setting();
            }
            TokenKind::LeftBracket if !words::STATEMENTS.contains(&word) => return self.setting(),
            _ => {}
        }
        match word {
            "model" => self.model(),
            "subsystem" => self.subsystem(),
            "import" => self.import(),
            "strict" => self.strict_units(),
            "newtonian" => self.newtonian(),
            "gravity" => {
                self.bump();
                self.missing_sign("`=`", "write `gravity = -9.81 [m/s^2] * N.z`");
                None
            }
            "parameter" => {
                self.declarations("a parameter", "parameter k = 3 [N/m]", StatementKind::Parameter)
            }
            "input" => self.declarations("an input", "input F [N] = 0", StatementKind::Input),
            "constant" => {
                self.declarations("a constant", "constant g = 9.81 [m/s^2]", StatementKind::Constant)
            }
            "variable" => self.declarations("a variable", "variable r = x - x0", StatementKind::Variable),
            "discrete" => {
                self.declarations("a discrete state", "discrete on_off = 0", StatementKind::Discrete)
            }
            "speed" => self.declarations("a speed", "speed u1 = der(q1)", StatementKind::Speed),
            "state" => self.state(),
            "function" => self.function(),
            "table" => self.table(),
            "body" | "frame" | "particle" => self.body(),
            "point" => self.point(),
            "shape" => self.shape(),
            "joint" => self.joint(),
            "constraint" => self.constraint(),
            "port" => self.port(),
            "slot" => self.slot(),
            "cut" => self.paths("a joint", "cut pin, slide").map(StatementKind::Cut),
            "lock" => self.paths("a coordinate", "lock q1, q2").map(StatementKind::Lock),
            "release" if self.token(1).kind == TokenKind::Word => {
                self.paths("a joint", "release arm").map(StatementKind::Release)
            }
            "attach" if self.token(1).kind == TokenKind::Word => self.attach(),
            "detach" if self.token(1).kind == TokenKind::Word => self.detach(),
            "small" => self.paths("a coordinate", "small q1, q2").map(StatementKind::Small),
            "show" => self.show(),
            "start" => {
                self.bump();
                let example = match self.rest_of_line() {
                    Some(rest) if self.at(TokenKind::Word) => format!("start {{ {rest} }}"),
                    _ => "start { q = 0.5 [rad] }".to_owned(),
                };
                Some(StatementKind::Start(self.required_braces(&example)))
            }
            "output" => self.output(),
            "when" => self.when(),
            "every" => self.every(),
            "if" => self.branches_of_statements(),
            "for" => self.repetition(),
            "local" => self.declarations("a local variable", "local y = 2*x", StatementKind::Local),
            "return" => self.returned(),
            "overwrite" if self.token(1).kind == TokenKind::Word => self.overwriting(),
            "stop" if self.ends_after(1) => self.stop(),
            "procedure" => self.procedure(),
            "external" => self.external(),
            word if words::EXPERIMENTS.contains(&word) => self.experiment(),
            _ if self.token(1).kind == TokenKind::LeftParen => self.equation(),
            _ => self.element_or_instance(),
        }
    }

    /// Nothing that begins a statement is next.
    fn no_statement(&mut self) {
        if self.complain_about_token() {
            return;
        }
        if self.at(TokenKind::Minus) {
            let diagnostic =
                Diagnostic::error(codes::MINUS_LINE, "a statement cannot begin with a minus sign")
                    .at(self.here(), "this line stands alone")
                    .because("the line before it is complete, so it ends there");
            self.give_up(diagnostic.hint("to go on from the line before, end that line with `-`"));
            return;
        }
        let message = format!("a statement cannot begin with {}", self.found());
        let diagnostic =
            Diagnostic::error(codes::STATEMENT, message).at(self.here(), "a word is expected here");
        let usual = "begin with a word such as `body`, `parameter` or `mass = ...`";
        let hint = self.decimal_comma().unwrap_or(self.meant_by_operator().unwrap_or(usual).to_string());
        self.give_up(diagnostic.hint(hint));
    }

    /// The first word of the statement is not known and what follows does not fit any form.
    pub(super) fn unknown_statement(&mut self, word: &str, span: cardan_base::Span) {
        if self.complain_about_token() {
            return;
        }
        if let Some((_, form)) = words::ELEMENTS.iter().find(|(kind, _)| *kind == word) {
            let diagnostic = Diagnostic::error(codes::STATEMENT, format!("`{word}` is written otherwise"))
                .at(span, "what follows does not fit");
            self.give_up(diagnostic.hint(format!("write it like `{form}`")));
            return;
        }
        if let Some(sign) = self.augmented_assignment() {
            let diagnostic =
                Diagnostic::error(codes::STATEMENT, format!("`{sign}=` is no sign of the language"))
                    .at(self.here(), "");
            self.give_up(diagnostic.hint(format!("write `{word} := {word} {sign} …`")));
            return;
        }
        let message = format!("`{word}` does not begin any known statement");
        let diagnostic = Diagnostic::error(codes::STATEMENT, message).at(span, "not known");
        let elements = words::ELEMENTS.iter().map(|(kind, _)| kind);
        let known = words::STATEMENTS.iter().chain(words::EXPERIMENTS).chain(elements).copied();
        let hint = match (self.meant_by_statement(word), nearest(word, known)) {
            (Some(instead), _) => instead,
            (None, Some(known)) => format!("did this mean `{known}`?"),
            (None, None) => {
                "an element is written `kind name between P and Q { ... }`, a value `name = value`".into()
            }
        };
        self.give_up(diagnostic.hint(hint));
    }

    /// `path = value`, `path := value`, `path ~ value`, `path -> path`.
    fn setting(&mut self) -> Option<StatementKind> {
        let target = self.path_here();
        match self.kind() {
            _ if self.silent => None,
            TokenKind::Equals => {
                self.bump();
                let value = self.value();
                if target.is("gravity") {
                    return Some(StatementKind::Gravity(value));
                }
                Some(StatementKind::Assign(Assign { target, value }))
            }
            TokenKind::ColonEquals => {
                self.bump();
                let value = self.value();
                Some(StatementKind::Update(Update { target, is_rate: false, overwrites: false, value }))
            }
            TokenKind::Tilde => {
                self.bump();
                let left = Expr { span: target.span, kind: ExprKind::Name(target) };
                Some(StatementKind::Guess { left, right: self.value() })
            }
            TokenKind::Arrow => self.connection(target),
            TokenKind::Word if self.names_element(&target) => {
                let kind = Name::new(target.to_string(), target.span);
                self.of_kind(kind)
            }
            TokenKind::LeftParen => {
                let word = self.written(target.span).to_string();
                self.unknown_statement(&word, target.span);
                None
            }
            _ => {
                self.missing_sign("`=`", format!("write `{} = value`", self.written(target.span)));
                None
            }
        }
    }

    /// Whether a path is the kind of what follows: `std.maxwell m between P and Q`.
    fn names_element(&self, kind: &crate::Path) -> bool {
        let plain = kind.segments.iter().all(|s| s.index.is_empty());
        plain && self.word(0).is_some_and(|word| !words::is_reserved(word))
    }

    /// `port -> value`, `port -> frame by joint(…) at place`, where the arrow stands.
    fn connection(&mut self, port: crate::Path) -> Option<StatementKind> {
        self.bump();
        let to = self.operand();
        let mut connection = Connection { port, to, joints: vec![], at: None };
        while !self.silent {
            if connection.joints.is_empty() && self.eat_word("by") {
                connection.joints = self.joints();
            } else if connection.at.is_none() && self.eat_word("at") {
                connection.at = Some(self.expression());
            } else {
                break;
            }
        }
        (!self.silent).then_some(StatementKind::Connection(connection))
    }

    /// `der(x) = value`, `der(x) ~ value`.
    fn equation(&mut self) -> Option<StatementKind> {
        let left = self.expression();
        if self.silent {
            return None;
        }
        if self.eat(TokenKind::Tilde) {
            return Some(StatementKind::Guess { left, right: self.expression() });
        }
        if self.at(TokenKind::ColonEquals) {
            return self.rate_update(left);
        }
        if let ExprKind::Call(call) = &left.kind
            && !self.at(TokenKind::Equals)
            && let Some(instead) = self.meant_by_call(self.written(call.function.span))
        {
            let message =
                format!("`{}` does not begin any known statement", self.written(call.function.span));
            let diagnostic = Diagnostic::error(codes::STATEMENT, message).at(call.function.span, "not known");
            self.give_up(diagnostic.hint(instead));
            return None;
        }
        let help = "an equation is written `der(x) = value`";
        self.expect(TokenKind::Equals, "`=`", help).then(|| {
            let right = self.expression();
            StatementKind::Equation { left, right }
        })
    }

    fn model(&mut self) -> Option<StatementKind> {
        self.bump();
        let name = self.name("the model", "model pendulum")?;
        let description = self.description();
        if self.at(TokenKind::LeftBrace) {
            let content = self.braces();
            return Some(StatementKind::Model(Block { name, description, content }));
        }
        self.end_statement(false);
        let content = self.statements(Around::Model);
        Some(StatementKind::Model(Block { name, description, content }))
    }

    fn subsystem(&mut self) -> Option<StatementKind> {
        self.bump();
        let name = self.name("the subsystem", "subsystem corner { ... }")?;
        let description = self.description();
        let content = self.required_braces("subsystem corner { ... }");
        Some(StatementKind::Subsystem(Block { name, description, content }))
    }

    fn import(&mut self) -> Option<StatementKind> {
        self.bump();
        let mut names = Vec::new();
        if self.at(TokenKind::Word) {
            names = self.list(|p| p.name("the thing to import", "import corner from \"corner.mbs\""));
            if !self.silent && !self.eat_word("from") {
                if self.at(TokenKind::Text) {
                    self.missing_sign("`from`", "write `import corner from \"corner.mbs\"`");
                } else {
                    self.no_import();
                }
            }
        }
        if self.silent {
            return None;
        }
        if !self.at(TokenKind::Text) {
            self.missing_sign("the file in quotes", "write `import \"corner.mbs\"`");
            return None;
        }
        let file = self.text_literal();
        let settings = self.optional_braces();
        Some(StatementKind::Import(Import { names, file, settings }))
    }

    /// `import numpy as np`: a habit of other languages.
    fn no_import(&mut self) {
        if self.complain_about_token() {
            return;
        }
        let message = "nothing needs to be imported";
        let diagnostic = Diagnostic::error(codes::MISSING_SIGN, message)
            .at(self.here(), "`from` and a file would follow here")
            .because(
                "functions such as `sin`, `sqrt` and `atan2` and the number `pi` are there without an import",
            );
        self.give_up(diagnostic.hint("remove this line"));
    }

    /// What stands on the line from the cursor on, if it is short.
    fn rest_of_line(&self) -> Option<String> {
        let start = self.token(0).start;
        let line = self.text.get(start..)?.lines().next()?.trim();
        (line.len() <= 60).then(|| line.to_owned())
    }

    fn strict_units(&mut self) -> Option<StatementKind> {
        self.bump();
        if self.eat_word("units") {
            return Some(StatementKind::StrictUnits);
        }
        self.missing_sign("`units`", "write `strict units`");
        None
    }

    fn newtonian(&mut self) -> Option<StatementKind> {
        self.bump();
        self.name("the inertial frame", "newtonian ground").map(StatementKind::Newtonian)
    }

    fn experiment(&mut self) -> Option<StatementKind> {
        let token = self.bump();
        let kind = self.checked_name(token);
        let example = match self.rest_of_line() {
            Some(rest) if self.at(TokenKind::Number) => format!("{} {{ to = {rest} }}", kind.text),
            _ => format!("{} {{ }}", kind.text),
        };
        let name = match self.kind() {
            TokenKind::Word => Some(self.name("the experiment", &example)?),
            _ => None,
        };
        let description = self.description();
        let content = self.required_braces(&example);
        Some(StatementKind::Experiment(Experiment { kind, name, description, content }))
    }
}
