//! Ports: what passes through them from where.
//!
//! A mechanical connection is substitution: inside the instance the port *is* the frame or point that it is
//! connected to, so it adds no equation. A connection with a place or a joint makes one frame, fixed or moving on
//! the other end. An incoming signal is substituted as well; an outgoing one is a variable of its own, which
//! results show under its path.

use cardan_base::{Diagnostic, Span};
use cardan_syntax::{
    Body, BodyKind, ChainOp, Declaration, Expr, ExprKind, Name, Path, Segment, Statement, StatementKind,
    UnaryOp,
};
use cardan_units::{Dimension, Unit};

use crate::definition::{Flow, PortSymbol, SymbolKind};
use crate::names::{Meaning, bracketed};
use crate::plan::Expander;
use crate::scope::{Drive, Place, Source};
use crate::{codes, limits};

/// What is known about the dimension of a signal before anything is resolved.
enum Known {
    /// It has this dimension, as declared there.
    As(Dimension, Span),
    /// A product of this dimension stands there.
    Computed(Dimension, Span),
    /// A number without a unit.
    Bare,
    /// Nothing.
    Nothing,
}

impl<'t> Expander<'t, '_> {
    pub(crate) fn port(&self, scope: usize, port: usize) -> PortSymbol<'t> {
        self.definitions[self.scopes[scope].definition].ports[port]
    }

    /// Connects everything that waits, then the images, then looks for what is left open.
    pub(crate) fn connect_all(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            let (place, connection) = (&waiting.place, waiting.connection);
            self.declare_coordinates(&connection.joints, place);
            let end = match waiting.instance {
                Some(scope) => self.inner_port(scope, &connection.port, place),
                None => match self.meaning(&connection.port, place) {
                    Meaning::Port { scope, port, index, taken }
                        if taken == connection.port.segments.len() =>
                    {
                        Some((scope, port, index))
                    }
                    Meaning::Wrong => continue,
                    _ => None,
                },
            };
            let Some((scope, port, index)) = end else {
                self.no_port(&connection.port, waiting.instance, place);
                continue;
            };
            let flow = self.port(scope, port).flow;
            let span = self.span(waiting.span, place.scope);
            let own = scope == place.scope;
            if matches!(flow, Flow::Out(_)) && !own {
                self.lead_out((scope, port, index), &connection.to, span, place);
                continue;
            }
            if own && !matches!(flow, Flow::Out(_)) {
                let name = self.port(scope, port).name;
                let message = format!("`{}` is connected from outside", name.text);
                let d = Diagnostic::error(codes::TWICE, message).at(span, "");
                let d = d.also(name.span, "a port that comes in");
                self.report(d.hint("connect it where the instance is made"));
                continue;
            }
            let drive = Drive {
                source: Source::Value(&connection.to),
                place: place.clone(),
                joints: &connection.joints,
                at: connection.at.as_ref(),
                span,
            };
            self.drive(scope, port, &index, drive);
        }
        for scope in 0..self.scopes.len() {
            if let Some(original) = self.scopes[scope].image_of {
                self.copy_drives(original, scope);
            }
        }
        for scope in self.modules.len()..self.scopes.len() {
            self.connect_defaults(scope);
            self.check_ports(scope);
            self.check_connections(scope);
        }
    }

    /// Connects what nobody connects to what the definition says.
    fn connect_defaults(&mut self, scope: usize) {
        for port in 0..self.definitions[self.scopes[scope].definition].ports.len() {
            let symbol = self.port(scope, port);
            let Some(default) = &symbol.statement.default else { continue };
            let whole = symbol.name.text.clone();
            if self.drives.contains_key(&(scope, whole.clone())) {
                continue;
            }
            let Some(sizes) = self.port_sizes(scope, port) else { continue };
            for index in self.elements_of(&sizes) {
                let drive = Drive {
                    source: Source::Value(default),
                    place: Place::new(scope),
                    joints: &[],
                    at: None,
                    span: self.span(default.span, scope),
                };
                self.drives.entry((scope, format!("{whole}{}", bracketed(&index)))).or_insert(drive);
            }
        }
    }

    /// A port of an instance by the name that stands in its braces.
    fn inner_port(&mut self, scope: usize, path: &Path, place: &Place) -> Option<(usize, usize, Vec<i64>)> {
        let [only] = path.segments.as_slice() else { return None };
        let definition = &self.definitions[self.scopes[scope].definition];
        let SymbolKind::Port(port) = definition.symbols.get(only.name.text.as_str())?.kind else {
            return None;
        };
        Some((scope, port, self.index_values(&only.index, place)?))
    }

    fn no_port(&mut self, path: &Path, instance: Option<usize>, place: &Place) {
        let text = self.sources.slice(path.span).to_owned();
        let span = self.span(path.span, place.scope);
        let d = Diagnostic::error(codes::NO_PORT, format!("`{text}` is not a port")).at(span, "");
        let d = match instance.map(|scope| &self.definitions[self.scopes[scope].definition]) {
            Some(definition) => {
                let ports: Vec<String> =
                    definition.ports.iter().map(|p| format!("`{}`", p.name.text)).collect();
                let d = match definition.span {
                    Some(span) => d.also(span, "its definition"),
                    None => d,
                };
                match ports.is_empty() {
                    true => d.hint("remove the connection; this subsystem has no ports"),
                    false => d.hint(format!("its ports are {}", ports.join(", "))),
                }
            }
            None => d.hint("name a port of an instance: `left.chassis -> body1`"),
        };
        self.report(d);
    }

    /// `converter.out -> …`: an outgoing signal drives the port at the other end.
    fn lead_out(&mut self, from: (usize, usize, Vec<i64>), to: &'t Expr, span: Span, place: &Place) {
        let (scope, port, index) = from;
        let meaning = match &to.kind {
            ExprKind::Name(path) => self.meaning(path, place),
            _ => Meaning::Foreign,
        };
        let Meaning::Port { scope: other, port: driven, index: element, .. } = meaning else {
            if !matches!(meaning, Meaning::Wrong) {
                let name = self.port(scope, port).name;
                let message = format!("the signal of `{}` goes to something that is not a port", name.text);
                let d = Diagnostic::error(codes::NO_PORT, message).at(span, "");
                let d = d.also(name.span, "a port that goes out");
                self.report(d.hint("name a port that comes in, or one that goes out of this subsystem"));
            }
            return;
        };
        let flow = self.port(other, driven).flow;
        let fits = match flow {
            Flow::In(_) => other != place.scope,
            Flow::Out(_) => other == place.scope,
            Flow::Frame | Flow::Point => false,
        };
        if !fits {
            let name = self.port(other, driven).name;
            let d = Diagnostic::error(codes::MISMATCH, "these two ports do not fit together").at(span, "");
            let d = d.also(self.port(scope, port).name.span, "a signal that goes out");
            let d = d.also(name.span, "which cannot take it");
            return self.report(d.hint("connect what goes out with what comes in"));
        }
        let source = Source::Port { scope, port, index };
        let drive = Drive { source, place: place.clone(), joints: &[], at: None, span };
        self.drive(other, driven, &element, drive);
    }

    /// The value that a definition gives to one of its outgoing ports.
    pub(crate) fn outgoing(&mut self, statement: &'t Statement, place: &Place) {
        let StatementKind::Assign(assign) = &statement.kind else { return };
        let Some(port) = self.own_output(&assign.target, place) else { return };
        let index = assign.target.segments.first().map_or(&[][..], |s| &s.index);
        let Some(index) = self.index_values(index, place) else { return };
        let span = self.span(statement.span, place.scope);
        let drive =
            Drive { source: Source::Value(&assign.value), place: place.clone(), joints: &[], at: None, span };
        self.drive(place.scope, port, &index, drive);
    }

    /// Notes a connection; a port or element of one has only one.
    pub(crate) fn drive(&mut self, scope: usize, port: usize, index: &[i64], drive: Drive<'t>) {
        let symbol = self.port(scope, port);
        let Some(sizes) = self.port_sizes(scope, port) else { return };
        let fits = index.is_empty()
            || (index.len() == sizes.len() && index.iter().zip(&sizes).all(|(k, n)| (1..=*n).contains(k)));
        if !fits {
            let name = &symbol.name.text;
            let message = format!("the port `{name}` has no element `{name}{}`", bracketed(index));
            let d = Diagnostic::error(codes::INDEX, message).at(drive.span, "");
            let d = d.also(symbol.name.span, "declared here");
            return self.report(d.hint(format!("it is declared as `{name}{}`", bracketed(&sizes))));
        }
        let whole = symbol.name.text.clone();
        let element = format!("{whole}{}", bracketed(index));
        let elements = || self.elements_of(&sizes).into_iter().map(|k| format!("{whole}{}", bracketed(&k)));
        let other = match index.is_empty() {
            false => self.drives.get(&(scope, element.clone())).or(self.drives.get(&(scope, whole.clone()))),
            true => std::iter::once(whole.clone())
                .chain(elements())
                .find_map(|key| self.drives.get(&(scope, key))),
        };
        if let Some(first) = other {
            let path = format!("{}{element}", self.scopes[scope].prefix);
            let message = format!("the port `{path}` is connected twice");
            let d = Diagnostic::error(codes::TWICE, message).at(drive.span, "second connection");
            let d = d.also(first.span, "first connection");
            return self.report(d.hint("remove one of the two"));
        }
        self.drives.insert((scope, element), drive);
    }

    /// Every index of an array of these sizes; one empty index if it is none.
    pub(crate) fn elements_of(&self, sizes: &[i64]) -> Vec<Vec<i64>> {
        let mut all = vec![vec![]];
        for n in sizes {
            all = all
                .iter()
                .flat_map(|index| {
                    (1..=*n).map(move |k| {
                        let mut index = index.clone();
                        index.push(k);
                        index
                    })
                })
                .collect();
        }
        all
    }

    pub(crate) fn port_sizes(&mut self, scope: usize, port: usize) -> Option<Vec<i64>> {
        let name = self.port(scope, port).name;
        let sizes = self.index_values(&name.index, &Place::new(scope))?;
        let n: i64 = sizes.iter().fold(1, |n, k| n.saturating_mul(*k));
        if sizes.iter().any(|k| *k < 0) || n > limits::REPETITIONS {
            let d = Diagnostic::error(codes::TOO_LARGE, "a port cannot have that many elements");
            self.report(d.at(self.span(name.span, scope), "").hint("give their number: `port v[3]: in`"));
            return None;
        }
        Some(sizes)
    }

    /// An image is connected as its original, but for what its own braces say.
    fn copy_drives(&mut self, original: usize, image: usize) {
        for port in 0..self.definitions[self.scopes[image].definition].ports.len() {
            let symbol = self.port(image, port);
            if matches!(symbol.flow, Flow::Out(_)) {
                continue;
            }
            let Some(sizes) = self.port_sizes(image, port) else { continue };
            let mut keys: Vec<String> = vec![symbol.name.text.clone()];
            keys.extend(
                self.elements_of(&sizes).iter().map(|k| format!("{}{}", symbol.name.text, bracketed(k))),
            );
            if keys.iter().any(|key| self.drives.contains_key(&(image, key.clone()))) {
                continue;
            }
            for key in keys {
                if let Some(drive) = self.drives.get(&(original, key.clone())).cloned() {
                    self.drives.insert((image, key), drive);
                }
            }
        }
    }

    fn check_ports(&mut self, scope: usize) {
        for port in 0..self.definitions[self.scopes[scope].definition].ports.len() {
            let symbol = self.port(scope, port);
            let Some(sizes) = self.port_sizes(scope, port) else { continue };
            if self.drives.contains_key(&(scope, symbol.name.text.clone())) {
                continue;
            }
            let open = self.elements_of(&sizes).into_iter().find(|index| {
                !self.drives.contains_key(&(scope, format!("{}{}", symbol.name.text, bracketed(index))))
            });
            let Some(index) = open else { continue };
            let name = format!("{}{}", symbol.name.text, bracketed(&index));
            let path = format!("{}{name}", self.scopes[scope].prefix);
            let maker = self.scopes[scope].span.unwrap_or(symbol.name.span);
            let d = match symbol.flow {
                Flow::Out(_) => {
                    let message = format!("nothing gives the port `{path}` its value");
                    let d = Diagnostic::error(codes::UNCONNECTED, message);
                    let d = d.at(symbol.name.span, "goes out").also(maker, "made here");
                    d.hint(format!("write `{name} = …` into the subsystem"))
                }
                _ => {
                    let message = format!("the port `{path}` is not connected");
                    let d = Diagnostic::error(codes::UNCONNECTED, message);
                    let d = d.at(maker, "made here").also(symbol.name.span, "the port");
                    d.hint(format!("write `{{ {name} -> … }}` after the instance"))
                }
            };
            self.report(d);
        }
    }

    // What a port stands for.

    /// The value of a port, or of an element of it, in the flat tree.
    pub(crate) fn port_value(
        &mut self,
        scope: usize,
        port: usize,
        index: &[i64],
        span: Span,
    ) -> Option<Expr> {
        if self.depth > limits::CONNECTIONS {
            let d = Diagnostic::error(codes::TWICE, "these connections lead back to themselves");
            self.report(d.at(span, "").hint("let one of the ports go out, and give it a value"));
            return None;
        }
        self.depth += 1;
        let value = self.port_value_of(scope, port, index, span);
        self.depth -= 1;
        value
    }

    fn port_value_of(&mut self, scope: usize, port: usize, index: &[i64], span: Span) -> Option<Expr> {
        let symbol = self.port(scope, port);
        let sizes = self.port_sizes(scope, port)?;
        if index.is_empty() && !sizes.is_empty() {
            let parts: Option<Vec<Expr>> =
                self.elements_of(&sizes).iter().map(|k| self.port_value(scope, port, k, span)).collect();
            return Some(Expr { kind: ExprKind::Tuple(parts?), span });
        }
        let outside =
            index.len() != sizes.len() || index.iter().zip(&sizes).any(|(k, n)| !(1..=*n).contains(k));
        if outside {
            let name = &symbol.name.text;
            let d = Diagnostic::error(codes::INDEX, format!("there is no `{name}{}`", bracketed(index)));
            let d = d.at(span, "").also(symbol.name.span, "the port");
            self.report(d.hint(format!("it is declared as `{name}{}`", bracketed(&sizes))));
            return None;
        }
        let key = format!("{}{}", symbol.name.text, bracketed(index));
        let flat = format!("{}{key}", self.scopes[scope].prefix);
        let named = |text: String| {
            let path = Path::of(Name::new(text, span));
            Expr { kind: ExprKind::Name(path), span }
        };
        if matches!(symbol.flow, Flow::Out(_)) {
            return Some(named(flat));
        }
        let whole = symbol.name.text.clone();
        let (drive, element) = match self.drives.get(&(scope, key)) {
            Some(drive) => (drive.clone(), &[][..]),
            None => (self.drives.get(&(scope, whole))?.clone(), index),
        };
        if matches!(symbol.flow, Flow::Frame) && self.has_own_frame(&drive) {
            return Some(named(flat));
        }
        let value = self.drive_value(&drive, element)?;
        Some(match (symbol.flow, &value.kind) {
            (Flow::In(Some(unit)), kind) if is_bare(kind) => {
                let span = value.span;
                Expr { kind: ExprKind::Quantity { value: Box::new(value), unit: unit.clone() }, span }
            }
            _ => value,
        })
    }

    /// Whether a frame port is a frame of its own: it has a place or a joint, or sits at a point.
    fn has_own_frame(&mut self, drive: &Drive<'t>) -> bool {
        if !drive.joints.is_empty() || drive.at.is_some() {
            return true;
        }
        let Source::Value(e) = drive.source else { return false };
        if components_in(e).is_some() {
            return true;
        }
        let Some(Expr { kind: ExprKind::Name(path), .. }) = self.quietly(|this| this.frame(e, &drive.place))
        else {
            return false;
        };
        let point = |name: &str| self.declared.get(name).is_some_and(|d| d.point);
        path.segments.len() > 1 || path.segments.first().is_some_and(|s| point(&s.name.text))
    }

    /// Does something without reporting.
    pub(crate) fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.diagnostics.clone();
        let result = f(self);
        self.diagnostics = before;
        result
    }

    /// What stands at the other end of a connection, or an element of it; nothing if the numbers of elements differ
    /// (`connection_check`).
    fn drive_value(&mut self, drive: &Drive<'t>, element: &[i64]) -> Option<Expr> {
        let e = match &drive.source {
            Source::Port { scope, port, index } => {
                let index: Vec<i64> = index.iter().chain(element).copied().collect();
                return self.port_value(*scope, *port, &index, drive.span);
            }
            Source::Part(name) => {
                let path = Path::of(Name::new(name.clone(), drive.span));
                return Some(Expr { kind: ExprKind::Name(path), span: drive.span });
            }
            Source::Value(e) => *e,
        };
        let place = &drive.place;
        let Some(first) = element.first() else {
            let e = self.reflected_scalar(e, place);
            return self.choice(&e, place);
        };
        match &e.kind {
            ExprKind::Tuple(parts) if element.len() == 1 => {
                let part = usize::try_from(*first - 1).ok().and_then(|k| parts.get(k));
                match part {
                    Some(part) => {
                        let part = self.reflected_scalar(part, place);
                        Some(self.expr(&part, place))
                    }
                    None => None,
                }
            }
            ExprKind::Quantity { value, unit } => match &value.kind {
                ExprKind::Tuple(parts) if element.len() == 1 => {
                    let part = usize::try_from(*first - 1).ok().and_then(|k| parts.get(k));
                    let value = Box::new(self.expr(part?, place));
                    let span = value.span;
                    Some(Expr { kind: ExprKind::Quantity { value, unit: unit.clone() }, span })
                }
                _ => None,
            },
            ExprKind::Name(path) => {
                let mut path = path.clone();
                let digits = |k: &i64| number(*k, e.span);
                path.segments.last_mut()?.index.extend(element.iter().map(digits));
                let span = path.span;
                Some(self.expr(&Expr { kind: ExprKind::Name(path), span }, place))
            }
            _ => None,
        }
    }

    // What is written for ports.

    /// The frames and variables that the ports of an instance need.
    pub(crate) fn port_statements(&mut self, scope: usize) -> Vec<Statement> {
        let mut out = vec![];
        for port in 0..self.definitions[self.scopes[scope].definition].ports.len() {
            let symbol = self.port(scope, port);
            let Some(sizes) = self.port_sizes(scope, port) else { continue };
            for index in self.elements_of(&sizes) {
                match symbol.flow {
                    Flow::Frame => out.extend(self.port_frame(scope, port)),
                    Flow::Point => {}
                    Flow::In(unit) | Flow::Out(unit) => {
                        out.extend(self.port_signal(scope, port, &index, unit));
                    }
                }
            }
        }
        out
    }

    fn port_frame(&mut self, scope: usize, port: usize) -> Option<Statement> {
        let symbol = self.port(scope, port);
        let drive = self.drives.get(&(scope, symbol.name.text.clone()))?.clone();
        if !self.has_own_frame(&drive) {
            return None;
        }
        let Source::Value(e) = drive.source else { return None };
        let components = components_in(e);
        let (frame, place) = match &components {
            Some((frame, place)) if drive.at.is_none() => (frame, Some(place)),
            _ => (e, drive.at),
        };
        let parent = self.frame(frame, &drive.place)?;
        let signs = self.scopes[scope].signs.then(self.scopes[drive.place.scope].signs);
        let reflected = self.reflected_mount(signs, drive.joints, place, scope)?;
        let joints = reflected.0.iter().map(|call| self.joint_call(call, &drive.place)).collect();
        let at = reflected.1.map(|e| self.expr(&e, &drive.place));
        let text = format!("{}{}", self.scopes[scope].prefix, symbol.name.text);
        let name = Name::new(text, self.scopes[scope].span.unwrap_or(symbol.name.span));
        let description = symbol.statement.description.clone();
        let kind = BodyKind::Frame;
        let body = Body { kind, name, description, parent: Some(parent), joints, at, content: vec![] };
        Some(Statement { kind: StatementKind::Body(body), span: drive.span })
    }

    fn port_signal(
        &mut self,
        scope: usize,
        port: usize,
        index: &[i64],
        unit: Option<&'t cardan_syntax::UnitText>,
    ) -> Option<Statement> {
        let symbol = self.port(scope, port);
        let key = format!("{}{}", symbol.name.text, bracketed(index));
        let (drive, element) = match self.drives.get(&(scope, key.clone())) {
            Some(drive) => (drive.clone(), vec![]),
            None => (self.drives.get(&(scope, symbol.name.text.clone()))?.clone(), index.to_vec()),
        };
        let incoming = matches!(symbol.flow, Flow::In(_));
        match (self.known(&drive), unit.and_then(|u| Some((u, Unit::parse(&u.text).ok()?.dimension())))) {
            (Known::As(found, declared) | Known::Computed(found, declared), Some((unit, expected)))
                if !found.compatible(&expected) =>
            {
                let path = format!("{}{key}", self.scopes[scope].prefix);
                let message = format!("the signal at the port `{path}` has another dimension");
                let d = Diagnostic::error(codes::MISMATCH, message).at(drive.span, "this connection");
                let d = d.also(declared, format!("[{}]", Unit::si(found).text()));
                let d = d.also(symbol.name.span, format!("expected [{}]", unit.text));
                self.report(d.hint("connect a signal of the same dimension, or change the unit of the port"));
                return None;
            }
            (Known::As(..) | Known::Bare, _) | (_, None) if incoming => return None,
            _ => {}
        }
        let value = self.drive_value(&drive, &element)?;
        let name =
            Name::new(format!("{}{key}", self.scopes[scope].prefix), self.span(symbol.name.span, scope));
        let description = symbol.statement.description.clone();
        let declaration =
            Declaration { name, unit: unit.cloned(), value: Some(value), range: None, description };
        Some(Statement { kind: StatementKind::Variable(vec![declaration]), span: drive.span })
    }

    /// What is known about the dimension of a source.
    fn known(&mut self, drive: &Drive<'t>) -> Known {
        match &drive.source {
            Source::Port { scope, port, .. } => self.port_dimension(*scope, *port),
            Source::Part(_) => Known::Nothing,
            Source::Value(e) => self.dimension_of(e, &drive.place),
        }
    }

    fn port_dimension(&self, scope: usize, port: usize) -> Known {
        let symbol = self.port(scope, port);
        match symbol.flow {
            Flow::In(Some(unit)) | Flow::Out(Some(unit)) => match Unit::parse(&unit.text) {
                Ok(unit) => Known::As(unit.dimension(), symbol.name.span),
                Err(_) => Known::Nothing,
            },
            _ => Known::Nothing,
        }
    }

    /// The dimension of a product of known factors.
    fn dimension_of_chain(
        &mut self,
        e: &Expr,
        first: &Expr,
        rest: &[(ChainOp, Expr)],
        place: &Place,
    ) -> Known {
        let mut product = match self.dimension_of(first, place) {
            Known::As(dimension, _) | Known::Computed(dimension, _) => dimension,
            Known::Bare => Dimension::ONE,
            Known::Nothing => return Known::Nothing,
        };
        for (op, operand) in rest {
            match (op, self.dimension_of(operand, place)) {
                (ChainOp::Multiply, Known::As(d, _) | Known::Computed(d, _)) => product = product * d,
                (ChainOp::Divide, Known::As(d, _) | Known::Computed(d, _)) => product = product / d,
                (ChainOp::Multiply | ChainOp::Divide, Known::Bare) => {}
                _ => return Known::Nothing,
            }
        }
        Known::Computed(product, e.span)
    }

    fn dimension_of(&mut self, e: &Expr, place: &Place) -> Known {
        match &e.kind {
            kind if is_bare(kind) => Known::Bare,
            ExprKind::Unary { operand, .. } => self.dimension_of(operand, place),
            ExprKind::Chain { first, rest } => self.dimension_of_chain(e, first, rest, place),
            ExprKind::Quantity { unit, .. } => match Unit::parse(&unit.text) {
                Ok(unit) => Known::As(unit.dimension(), e.span),
                Err(_) => Known::Nothing,
            },
            ExprKind::Name(path) => {
                if let Meaning::Port { scope, port, .. } = self.quietly(|this| this.meaning(path, place)) {
                    return self.port_dimension(scope, port);
                }
                let [Segment { name, .. }] = path.segments.as_slice() else { return Known::Nothing };
                let Some((_, symbol)) = self.find(place.scope, &name.text) else { return Known::Nothing };
                let (SymbolKind::Parameter(d) | SymbolKind::Constant(d) | SymbolKind::Quantity(d)) =
                    symbol.kind
                else {
                    return Known::Nothing;
                };
                let unit = d.unit.as_ref().or(match d.value.as_ref().map(|e| &e.kind) {
                    Some(ExprKind::Quantity { unit, .. }) => Some(unit),
                    _ => None,
                });
                match unit.map(|u| Unit::parse(&u.text)) {
                    Some(Ok(unit)) => Known::As(unit.dimension(), symbol.span),
                    _ => Known::Nothing,
                }
            }
            _ => Known::Nothing,
        }
    }
}

/// A place by its components in a frame, `B(1, 2, 3) [m]`: the frame and `(1, 2, 3) [m]`.
pub(crate) fn components_in(e: &Expr) -> Option<(Expr, Expr)> {
    let span = e.span;
    match &e.kind {
        ExprKind::Quantity { value, unit } => {
            let (frame, place) = components_in(value)?;
            let kind = ExprKind::Quantity { value: Box::new(place), unit: unit.clone() };
            Some((frame, Expr { kind, span }))
        }
        ExprKind::Call(call) if call.arguments.len() == 3 && call.positional().count() == 3 => {
            let frame = Expr { kind: ExprKind::Name(call.function.clone()), span: call.function.span };
            let place = ExprKind::Tuple(call.positional().cloned().collect());
            Some((frame, Expr { kind: place, span }))
        }
        _ => None,
    }
}

/// A number without a unit.
fn is_bare(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Number(_) => true,
        ExprKind::Unary { op: UnaryOp::Minus, operand } => is_bare(&operand.kind),
        _ => false,
    }
}

/// A whole number as an expression.
pub fn number(k: i64, span: Span) -> Expr {
    let digits = Expr { kind: ExprKind::Number(k.unsigned_abs().to_string()), span };
    match k < 0 {
        true => Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(digits) }, span },
        false => digits,
    }
}
