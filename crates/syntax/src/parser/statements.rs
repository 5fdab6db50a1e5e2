//! Statements: which form is next, where it ends, and what to do when it is none.

use cardan_base::{Diagnostic, nearest};

use crate::codes;
use crate::token::TokenKind;
use crate::tree::{Assign, Block, Connection, Experiment, Import, Statement, StatementKind, Tree};
use crate::words;
use crate::{Expr, ExprKind};

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
            self.end_statement(around == Around::Braces && setting);
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
        let bare_unit = self.bare_unit();
        let diagnostic = Diagnostic::error(codes::LEFT_OVER, message)
            .at(self.here(), "the statement is complete before this");
        self.give_up(diagnostic.hint(bare_unit.unwrap_or(hint.to_owned())));
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
                _ => format!("a unit stands in brackets: `{number} [{word}]`"),
            }
        })
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
        self.bump();
        self.blocks += 1;
        let content = self.statements(Around::Braces);
        self.blocks -= 1;
        self.close(open, TokenKind::RightBrace);
        content
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
            "small" => self.paths("a coordinate", "small q1, q2").map(StatementKind::Small),
            "show" => self.show(),
            "start" => {
                self.bump();
                Some(StatementKind::Start(self.required_braces("start { q = 0.5 [rad] }")))
            }
            "output" => self.output(),
            "when" => self.when(),
            "every" => self.every(),
            "if" => self.branches_of_statements(),
            "for" => self.repetition(),
            "local" => self.declarations("a local variable", "local y = 2*x", StatementKind::Local),
            "return" => self.returned(),
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
        let message = format!("`{word}` does not begin any known statement");
        let diagnostic = Diagnostic::error(codes::STATEMENT, message).at(span, "not known");
        let elements = words::ELEMENTS.iter().map(|(kind, _)| kind);
        let known = words::STATEMENTS.iter().chain(words::EXPERIMENTS).chain(elements).copied();
        let hint = match nearest(word, known) {
            Some(known) => format!("did this mean `{known}`?"),
            None => {
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
                Some(StatementKind::Update(Assign { target, value }))
            }
            TokenKind::Tilde => {
                self.bump();
                let left = Expr { span: target.span, kind: ExprKind::Name(target) };
                Some(StatementKind::Guess { left, right: self.value() })
            }
            TokenKind::Arrow => {
                self.bump();
                let to = self.path("the other end", "chassis -> body1")?;
                Some(StatementKind::Connection(Connection { port: target, to }))
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

    /// `der(x) = value`, `der(x) ~ value`.
    fn equation(&mut self) -> Option<StatementKind> {
        let left = self.expression();
        if self.silent {
            return None;
        }
        if self.eat(TokenKind::Tilde) {
            return Some(StatementKind::Guess { left, right: self.expression() });
        }
        let help = match self.kind() {
            TokenKind::ColonEquals => {
                "a speed is set by its name: `arm.u := value`, or the name that the joint gives it"
            }
            _ => "an equation is written `der(x) = value`",
        };
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
                self.missing_sign("`from`", "write `import corner from \"corner.mbs\"`");
            }
        }
        if self.silent {
            return None;
        }
        if !self.at(TokenKind::Text) {
            self.missing_sign("the file in quotes", "write `import \"corner.mbs\"`");
            return None;
        }
        Some(StatementKind::Import(Import { names, file: self.text_literal() }))
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
        let example = format!("{} {{ }}", kind.text);
        let name = match self.kind() {
            TokenKind::Word => Some(self.name("the experiment", &example)?),
            _ => None,
        };
        let description = self.description();
        let content = self.required_braces(&example);
        Some(StatementKind::Experiment(Experiment { kind, name, description, content }))
    }
}
