//! Statements with a place: bodies, points, shapes, joints, constraints, loads, elements, instances.

use cardan_base::Diagnostic;

use crate::codes;
use crate::expression::{Call, Expr, Name, Text};
use crate::token::TokenKind;
use crate::tree::{
    Body, BodyKind, Constraint, Element, Ends, Instance, Joint, Link, Load, LoadKind, Point, Shape,
    Statement, StatementKind,
};
use crate::words;

use super::Parser;

impl Parser<'_> {
    /// `body NAME "…" on PARENT by joint(…) joint(…) at EXPR { … }`.
    pub(super) fn body(&mut self) -> Option<StatementKind> {
        let word = self.bump();
        let (kind, what) = match self.slice(word) {
            "body" => (BodyKind::Body, "the body"),
            "frame" => (BodyKind::Frame, "the frame"),
            _ => (BodyKind::Particle, "the particle"),
        };
        let word = self.slice(word);
        let name = self.declared(what, &format!("{word} B on N by revolute(z)"))?;
        let description = self.description();
        let parent = if self.eat_word("on") {
            Some(self.parent(&format!("{word} {} on N", name.text))?)
        } else if !self.at_word("by") && !self.at_word("at") {
            None
        } else {
            let message = format!("{what} `{}` hangs on nothing", name.text);
            let diagnostic = Diagnostic::error(codes::ATTACHMENT, message)
                .at(self.here(), "`on` with its parent is expected here")
                .hint(format!("write `{word} {} on N` for one that moves on the inertial frame", name.text));
            if !self.complain_about_token() {
                self.give_up(diagnostic);
            }
            None
        };
        let mut body = Body { kind, name, description, parent, joints: vec![], at: None, content: vec![] };
        while !self.silent {
            if body.joints.is_empty() && self.eat_word("by") {
                body.joints = self.joints();
            } else if body.at.is_none() && self.eat_word("at") {
                body.at = Some(self.expression());
            } else {
                break;
            }
        }
        body.content = self.optional_braces();
        Some(StatementKind::Body(body))
    }

    /// The frame that something moves on: a name, or a choice between names.
    fn parent(&mut self, example: &str) -> Option<Expr> {
        if self.at_word("if") || self.at(TokenKind::LeftParen) {
            return Some(self.operand());
        }
        let path = self.path("the parent", example)?;
        let span = path.span;
        Some(Expr { kind: crate::ExprKind::Name(path), span })
    }

    pub(super) fn joints(&mut self) -> Vec<Call> {
        let mut calls = vec![];
        loop {
            calls.extend(self.call("the joint", "body B on N by revolute(z)"));
            let another = self.word(0).is_some_and(|word| !words::is_reserved(word));
            if self.silent || !another {
                return calls;
            }
        }
    }

    pub(super) fn point(&mut self) -> Option<StatementKind> {
        let example = "point P = (0, 0, 1) [m]";
        self.bump();
        let name = self.declared("the point", example)?;
        let on = if self.eat_word("on") { Some(self.path("the body", "point P on B = B.x")?) } else { None };
        let fixed = self.eat_word("at");
        if !fixed && !self.expect(TokenKind::Equals, "`=`", &format!("write `{example}`")) {
            return None;
        }
        let value = self.expression();
        let description = self.description();
        Some(StatementKind::Point(Point { name, on, fixed, value, description }))
    }

    pub(super) fn shape(&mut self) -> Option<StatementKind> {
        let example = "shape box(size = (1, 2, 3) [m])";
        self.bump();
        let named = self.at_named();
        let name = if named { Some(self.declared("the shape", example)?) } else { None };
        if named {
            self.bump();
        }
        let form = self.call("the shape", example)?;
        Some(StatementKind::Shape(Shape { name, form }))
    }

    pub(super) fn joint(&mut self) -> Option<StatementKind> {
        let example = "joint pin = revolute(A.P, B.Q, axis = z)";
        self.bump();
        let name = self.declared("the joint", example)?;
        let first = self.description();
        if self.eat_word("between") {
            return self.link(name, first);
        }
        if !self.expect(TokenKind::Equals, "`=`", &format!("write `{example}`")) {
            return None;
        }
        let form = self.call("the joint", example)?;
        let description = if self.silent { first } else { self.second_description(first) };
        Some(StatementKind::Joint(Joint { name, form, description }))
    }

    /// What follows `joint NAME between`.
    fn link(&mut self, name: Name, first_words: Option<Text>) -> Option<StatementKind> {
        let help = "write `joint pin between A.P and B.Q by revolute(z)`";
        let first = self.operand();
        if !self.silent && !self.eat_word("and") {
            self.missing_sign("`and`", help);
        }
        if self.silent {
            return None;
        }
        let second = self.operand();
        if !self.silent && !self.eat_word("by") {
            self.missing_sign("`by`", help);
        }
        if self.silent {
            return None;
        }
        let joints = self.joints();
        let description = if self.silent { first_words } else { self.second_description(first_words) };
        Some(StatementKind::Link(Link { name, description, first, second, joints }))
    }

    pub(super) fn constraint(&mut self) -> Option<StatementKind> {
        self.bump();
        let named = self.at_named();
        let name =
            if named { Some(self.declared("the constraint", "constraint rod = mag(r) - L")?) } else { None };
        if named {
            self.bump();
        }
        let relation = self.condition();
        let description = if self.silent { None } else { self.description() };
        Some(StatementKind::Constraint(Constraint { name, relation, description }))
    }

    /// Every statement of the form `KIND NAME …`: loads, elements of the library, instances.
    pub(super) fn element_or_instance(&mut self) -> Option<StatementKind> {
        let token = self.bump();
        let kind = Name::new(self.slice(token), self.span_of(token));
        let load = matches!(kind.text.as_str(), "force" | "torque");
        let named = self.word(0).is_some_and(|word| !words::is_reserved(word));
        if words::is_reserved(&kind.text) || (!named && !load) {
            self.unknown_statement(&kind.text, kind.span);
            return None;
        }
        self.checked_name(token);
        self.of_kind(kind)
    }

    /// What follows the kind of a load, an element or an instance.
    pub(super) fn of_kind(&mut self, kind: Name) -> Option<StatementKind> {
        let load = matches!(kind.text.as_str(), "force" | "torque");
        let name = self.declared(&format!("the {}", kind.text), "force f on B.cm from N = F * N.z")?;
        let description = self.description();
        match self.kind() {
            TokenKind::Word if self.at_word("on") || self.at_word("between") => {
                self.element(kind, name, description)
            }
            _ if load => {
                self.load_hangs_on_nothing(&kind, &name);
                None
            }
            _ => self.instance(kind, name, description),
        }
    }

    fn load_hangs_on_nothing(&mut self, kind: &Name, name: &Name) {
        if self.complain_about_token() {
            return;
        }
        let (place, end) = if kind.text == "force" { ("B.cm", "a point") } else { ("B", "a body") };
        if self.at_word("at") {
            let place = self.written(self.span_of(self.token(1)));
            let message = format!("a {kind} acts `on` something");
            let diagnostic = Diagnostic::error(codes::ATTACHMENT, message).at(self.here(), "expected `on`");
            self.give_up(diagnostic.hint(format!("write `{kind} {name} on {place}…`")));
            return;
        }
        let message = format!("the {kind} `{name}` acts on nothing");
        let diagnostic = Diagnostic::error(codes::ATTACHMENT, message)
            .at(self.here(), format!("`on` with {end} is expected here"));
        self.give_up(diagnostic.hint(format!("write `{kind} {name} on {place} from N = ...`")));
    }

    fn element(&mut self, kind: Name, name: Name, description: Option<Text>) -> Option<StatementKind> {
        let ends = self.ends()?;
        let value = (!self.silent && self.eat(TokenKind::Equals)).then(|| self.expression());
        let content = self.optional_braces();
        if self.silent {
            return None;
        }
        let load = match kind.text.as_str() {
            "force" => Some(LoadKind::Force),
            "torque" => Some(LoadKind::Torque),
            _ => None,
        };
        let complete = load.is_none() || value.is_some() || !content.is_empty();
        if !complete || !(self.at_end() || self.at(TokenKind::Text)) {
            self.unfinished(&kind, &name);
            return None;
        }
        let description = self.second_description(description);
        let energy = energy_of(&content);
        Some(match (load, ends, value) {
            (Some(kind), Ends::On { on, from }, Some(value)) if content.is_empty() || energy.is_some() => {
                StatementKind::Load(Load { kind, name, on, from, value, energy, description })
            }
            (_, ends, value) => {
                StatementKind::Element(Element { kind, name, description, ends, value, content })
            }
        })
    }

    /// Something follows the ends of an element that fits no element.
    fn unfinished(&mut self, kind: &Name, name: &Name) {
        match kind.text.as_str() {
            "force" | "torque" => {
                self.missing_sign("`=`", format!("write `{kind} {name} on B from N = ...`"))
            }
            _ => self.unknown_statement(&kind.text, kind.span),
        }
    }

    fn ends(&mut self) -> Option<Ends> {
        if self.eat_word("between") {
            let first = self.operand();
            if !self.silent && !self.eat_word("and") {
                self.missing_sign("`and`", "write `between P and Q`");
            }
            if self.silent {
                return None;
            }
            return Some(Ends::Between(first, self.operand()));
        }
        self.bump();
        let on = self.operand();
        let from = (!self.silent && self.eat_word("from")).then(|| self.operand());
        Some(Ends::On { on, from })
    }

    fn instance(&mut self, kind: Name, name: Name, description: Option<Text>) -> Option<StatementKind> {
        let mut instance =
            Instance { kind, name, description, arguments: vec![], origin: None, content: vec![] };
        match self.kind() {
            TokenKind::LeftParen => instance.arguments = self.arguments(),
            TokenKind::Equals => {
                let call =
                    self.token(1).kind == TokenKind::Word && self.token(2).kind == TokenKind::LeftParen;
                if !call {
                    self.unknown_statement(&instance.kind.text, instance.kind.span);
                    return None;
                }
                self.bump();
                instance.origin = self.call("the instance", "corner fr = mirror(fl, plane = xz)");
            }
            TokenKind::LeftBrace => {}
            _ if !instance.name.index.is_empty() && (self.at_end() || self.at(TokenKind::Text)) => {}
            _ => {
                self.unknown_statement(&instance.kind.text, instance.kind.span);
                return None;
            }
        }
        instance.content = self.optional_braces();
        if self.silent {
            return Some(StatementKind::Instance(instance));
        }
        let first = instance.description.take();
        instance.description = self.second_description(first);
        Some(StatementKind::Instance(instance))
    }
}

/// The energy in the braces of a load: `{ energy = k * x^2 / 2 }` and nothing else.
fn energy_of(content: &[Statement]) -> Option<Expr> {
    let [Statement { kind: StatementKind::Assign(a), .. }] = content else { return None };
    a.target.is("energy").then(|| a.value.clone())
}
