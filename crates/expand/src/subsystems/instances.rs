//! Instances: which definition, with which arguments, under which path, connected to what.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_syntax::{Argument, Element, Expr, ExprKind, Instance, Name, Path, Statement, StatementKind};

use crate::definition::{DefinitionKind, Flow, SymbolKind};
use crate::plan::{Expander, last_part};
use crate::ports::number;
use crate::scope::{Drive, Given, Piece, Place, Scope, Source, Waiting};
use crate::{codes, library, limits};

/// How a filling of a slot or an instance is written.
pub(crate) struct Filling<'t> {
    pub kind: Name,
    pub arguments: Vec<(&'t Argument, Place)>,
}

impl<'t> Expander<'t, '_> {
    /// The definition that a kind names: `corner`, `std.maxwell`.
    pub fn subsystem(&self, kind: &Name, place: &Place) -> Option<usize> {
        if let Some((module, name)) = kind.text.rsplit_once('.') {
            let module = self.modules.iter().skip(1).position(|m| m.stem == module)? + 1;
            return match self.definitions[module].symbols.get(name)?.kind {
                SymbolKind::Subsystem(id) => Some(id),
                _ => None,
            };
        }
        let (_, symbol) = self.find(place.scope, &kind.text)?;
        match symbol.kind {
            SymbolKind::Subsystem(id) => Some(id),
            _ => None,
        }
    }

    /// Whether a kind is a word of the language inside the library that defines it: `spring` in the text of `std`.
    pub(crate) fn is_own_word(&self, kind: &Name, place: &Place) -> bool {
        let module = self.module_of(place.scope);
        let is_word = cardan_syntax::words::ELEMENTS.iter().any(|(word, _)| *word == kind.text);
        is_word && library::package(&self.modules[module].name).is_some()
    }

    pub(crate) fn unknown_kind(&mut self, kind: &Name, place: &Place) {
        // Where a text could not be read, missing names are no news.
        if self.incomplete {
            return;
        }
        let span = self.span(kind.span, place.scope);
        let message = format!("there is no subsystem called `{}`", kind.text);
        let d = Diagnostic::error(codes::UNKNOWN_KIND, message).at(span, "");
        let known: Vec<&str> = self
            .definitions
            .iter()
            .filter(|d| d.kind == DefinitionKind::Subsystem)
            .map(|d| d.name.as_str())
            .collect();
        let elements = cardan_syntax::words::ELEMENTS.iter().map(|(kind, _)| *kind);
        let d = match nearest(&kind.text, known.into_iter().chain(elements)) {
            Some(near) => d.hint(format!("write `{near}`")),
            None => d.hint(format!("define it: `subsystem {} {{ … }}`, or import it", kind.text)),
        };
        self.report(d);
    }

    pub(crate) fn instance(&mut self, instance: &'t Instance, span: Span, place: &Place) {
        if let Some(origin) = &instance.origin {
            // `corner fr = corner(side = -1)` is another way to write the arguments.
            let kind = origin.function.joined();
            if kind.text != instance.kind.text {
                let place = self.span(origin.span, place.scope);
                let d =
                    Diagnostic::error(codes::MIRROR, "an instance is made by its arguments or as an image");
                let d = d.at(place, "");
                self.report(d.hint("write `corner fr(side = -1)`, or `corner fr = mirror(fl, plane = xz)`"));
                return;
            }
            let arguments = origin.arguments.iter().map(|a| (a, place.clone())).collect();
            let filling = Filling { kind, arguments };
            return self.make(&instance.name, filling, &instance.content, &[], span, place);
        }
        let arguments = instance.arguments.iter().map(|a| (a, place.clone())).collect();
        let filling = Filling { kind: instance.kind.clone(), arguments };
        self.make(&instance.name, filling, &instance.content, &[], span, place);
    }

    pub(crate) fn element(&mut self, element: &'t Element, span: Span, place: &Place) {
        let filling = Filling { kind: element.kind.clone(), arguments: vec![] };
        let ends = Self::ends_of(&element.ends);
        self.make(&element.name, filling, &element.content, &ends, span, place);
    }

    /// Makes the instance or instances of one statement.
    pub(crate) fn make(
        &mut self,
        name: &'t Name,
        filling: Filling<'t>,
        content: &'t [Statement],
        ends: &[&'t Expr],
        span: Span,
        place: &Place,
    ) {
        let Some(definition) = self.subsystem(&filling.kind, place) else {
            return self.unknown_kind(&filling.kind, place);
        };
        let Some(given) = self.given(definition, filling.arguments, content, place) else { return };
        for path in self.elements(name, place) {
            let Some(scope) = self.open(definition, path, given.clone(), name.span, place) else { return };
            self.wire(scope, content, ends, span, place);
            self.fill(scope, span);
        }
    }

    /// The paths of an instance: one, an element of an array, or all elements of one.
    pub(crate) fn elements(&mut self, name: &'t Name, place: &Place) -> Vec<String> {
        let prefix = self.scopes[place.scope].prefix.clone();
        let counted = name.index.iter().any(|e| self.mentions_count(e, place));
        if name.index.is_empty() || counted {
            return self.flat_name(name, place).into_iter().collect();
        }
        let mut paths = vec![String::new()];
        for e in &name.index {
            let Some(n) = self.whole(e, place) else { return vec![] };
            if !(0..limits::REPETITIONS).contains(&n) {
                let span = self.span(e.span, place.scope);
                let d = Diagnostic::error(codes::TOO_LARGE, format!("an array cannot have {n} elements"));
                self.report(d.at(span, "").hint("give the number of elements: `corner wheel[4]`"));
                return vec![];
            }
            let longer = |p: &String| {
                let p = p.clone();
                (1..=n).map(move |k| if p.is_empty() { k.to_string() } else { format!("{p},{k}") })
            };
            paths = paths.iter().flat_map(longer).collect();
        }
        paths.into_iter().map(|index| format!("{prefix}{}[{index}]", name.text)).collect()
    }

    /// The arguments of an instance, checked against its definition.
    pub(crate) fn given(
        &mut self,
        definition: usize,
        arguments: Vec<(&'t Argument, Place)>,
        content: &'t [Statement],
        place: &Place,
    ) -> Option<Vec<Given<'t>>> {
        let mut given: Vec<Given<'t>> = vec![];
        for (argument, place) in arguments {
            let Some(name) = &argument.name else {
                let span = self.span(argument.value.span, place.scope);
                let d = Diagnostic::error(codes::ARGUMENT, "an argument of a subsystem needs its name");
                self.report(d.at(span, "").hint("write `stiffness = 3 [N/m]`"));
                return None;
            };
            given.push(Given { name: &name.text, value: &argument.value, span: name.span, place });
        }
        for statement in content {
            if let StatementKind::Assign(a) = &statement.kind
                && let Some(name) = a.target.as_name()
            {
                let place = place.clone();
                given.push(Given { name: &name.text, value: &a.value, span: name.span, place });
            }
        }
        // The instance is made without what does not fit, so that what uses it is judged by itself.
        given.retain(|g| {
            let fits = match self.definitions[definition].symbols.get(g.name).map(|s| s.kind) {
                Some(SymbolKind::Parameter(_) | SymbolKind::Constant(_) | SymbolKind::Instance) => true,
                Some(SymbolKind::Port(k)) => {
                    matches!(self.definitions[definition].ports[k].flow, Flow::In(_))
                }
                _ => false,
            };
            if !fits {
                self.no_argument(definition, g);
            }
            fits
        });
        Some(given)
    }

    /// The part of an argument that belongs to one element of an array: `num = (1, 2 [s])`.
    pub(crate) fn element_given(&mut self, given: &Given<'t>, name: &Name, place: &Place) -> Option<Expr> {
        let mut e = given.value.clone();
        let mut scale = None;
        for (axis, k) in self.index_values(&name.index, place)?.into_iter().enumerate() {
            if let ExprKind::Quantity { value, unit } = &e.kind
                && matches!(value.kind, ExprKind::Tuple(_))
            {
                scale = Some(unit.clone());
                e = (**value).clone();
            }
            let n = match &e.kind {
                ExprKind::Tuple(parts) => {
                    if let Some(part) = usize::try_from(k - 1).ok().and_then(|k| parts.get(k)) {
                        e = part.clone();
                        continue;
                    }
                    parts.len()
                }
                ExprKind::Name(path) if self.is_array(path, &given.place) => {
                    let mut path = path.clone();
                    let index = name.index[axis..].iter();
                    let index: Option<Vec<i64>> = index.map(|e| self.whole(e, place)).collect();
                    let index = index?.into_iter().map(|k| number(k, e.span));
                    path.segments.last_mut()?.index.extend(index);
                    return Some(Expr { kind: ExprKind::Name(path), span: e.span });
                }
                _ if k == 1 => continue,
                _ => 1,
            };
            let span = self.span(given.value.span, given.place.scope);
            let message = format!("`{}` has {k} elements or more, and {n} of them are given", name.text);
            let d = Diagnostic::error(codes::INDEX, message).at(span, "");
            let d = d.also(self.span(name.span, place.scope), "the array");
            self.report(d.hint("give every element, in brackets: `(1, 2, 3)`"));
            return None;
        }
        let span = e.span;
        Some(match scale {
            Some(unit) => Expr { kind: ExprKind::Quantity { value: Box::new(e), unit }, span },
            None => e,
        })
    }

    /// Whether a path names an array as a whole.
    fn is_array(&self, path: &Path, place: &Place) -> bool {
        let symbol = path.as_name().and_then(|name| self.find(place.scope, &name.text));
        symbol.is_some_and(|(_, symbol)| symbol.rank > 0)
    }

    pub(crate) fn no_argument(&mut self, definition: usize, g: &Given<'t>) {
        let span = self.span(g.span, g.place.scope);
        let d = &self.definitions[definition];
        let message = format!("`{}` takes no argument `{}`", d.name, g.name);
        let takes = |k: &SymbolKind<'_>| match k {
            SymbolKind::Parameter(_) | SymbolKind::Constant(_) => true,
            SymbolKind::Port(k) => matches!(d.ports[*k].flow, Flow::In(_)),
            _ => false,
        };
        let mut known: Vec<&str> =
            d.symbols.iter().filter(|(_, s)| takes(&s.kind)).map(|(name, _)| *name).collect();
        known.sort_unstable();
        let finding = Diagnostic::error(codes::ARGUMENT, message).at(span, "");
        let finding = match d.span {
            Some(place) => finding.also(place, "defined here"),
            None => finding,
        };
        let is_port =
            d.symbols.iter().any(|(name, s)| *name == g.name && matches!(s.kind, SymbolKind::Port(_)));
        let finding = match nearest(g.name, known.iter().copied()) {
            _ if is_port => finding.hint(match &g.value.kind {
                ExprKind::Name(path) => {
                    let parts: Vec<&str> = path.segments.iter().map(|s| s.name.text.as_str()).collect();
                    format!("`{0}` is a port; write `{{ {0} -> {1} }}`", g.name, parts.join("."))
                }
                _ => format!("`{0}` is a port; write `{0} -> …` in its braces", g.name),
            }),
            Some(near) => finding.hint(format!("write `{near}`")),
            None if known.is_empty() => finding.hint("remove it; the subsystem has no parameters"),
            None => finding.hint(format!("there is {}", known.join(", "))),
        };
        self.report(finding);
    }

    /// Opens the scope of an instance.
    pub(crate) fn open(
        &mut self,
        definition: usize,
        path: String,
        given: Vec<Given<'t>>,
        name: Span,
        place: &Place,
    ) -> Option<usize> {
        if self.full {
            return None;
        }
        let at = self.span(name, place.scope);
        let mut around = Some(place.scope);
        let mut nesting = 0;
        while let Some(scope) = around {
            if self.scopes[scope].definition == definition {
                let message =
                    format!("the subsystem `{}` contains itself", self.definitions[definition].name);
                let d = Diagnostic::error(codes::RECURSION, message).at(at, "an instance inside itself");
                let d = match self.scopes[scope].span {
                    Some(first) => d.also(first, "inside this one"),
                    None => d,
                };
                self.report(d.because(path).hint("write a loop: `for k in 1 .. n { … }`"));
                return None;
            }
            around = self.scopes[scope].outer;
            nesting += 1;
        }
        if nesting > limits::NESTING {
            let message = format!("instances are nested more than {} levels deep", limits::NESTING);
            let d = Diagnostic::error(codes::TOO_LARGE, message).at(at, "");
            self.report(d.hint("put less into one another"));
            return None;
        }
        if let Some(other) = self.instances.get(&path) {
            let d = Diagnostic::error(codes::CLASH, format!("there are two instances `{path}`"));
            let d = d.at(at, "here again");
            let d = match self.scopes[*other].span {
                Some(first) if first != at => d.also(first, "first here"),
                _ => d,
            };
            let help = match &place.counts {
                Some(count) => format!("write `{}[{}]`", last_part(&path), count.name),
                None => "give one of them another name; `corner wheel[4]` makes four at once".to_owned(),
            };
            self.report(d.hint(help));
            return None;
        }
        let text = self.definitions[definition].span.map_or(name.file, |span| span.file);
        let file = self.sources.add_instance(text, path.clone(), at);
        let lexical = self.lexical(definition, place.scope);
        let scope = self.scopes.len();
        self.scopes.push(Scope {
            definition,
            prefix: format!("{path}."),
            outer: Some(place.scope),
            lexical,
            given,
            file: Some(file),
            span: Some(at),
            signs: self.scopes[place.scope].signs,
            image_of: None,
        });
        self.instances.insert(path, scope);
        Some(scope)
    }

    /// The scope whose names a definition knows, seen from where an instance of it stands.
    pub(crate) fn lexical(&self, definition: usize, from: usize) -> Option<usize> {
        let parent = self.definitions[definition].parent?;
        if parent < self.modules.len() {
            return Some(parent);
        }
        let mut at = Some(from);
        while let Some(scope) = at {
            if self.scopes[scope].definition == parent {
                return Some(scope);
            }
            at = self.scopes[scope].outer;
        }
        None
    }

    /// Notes the connections in the braces of an instance, and the ends of an element.
    pub(crate) fn wire(
        &mut self,
        scope: usize,
        content: &'t [Statement],
        ends: &[&'t Expr],
        span: Span,
        place: &Place,
    ) {
        for statement in content {
            match &statement.kind {
                StatementKind::Connection(connection) => self.waiting.push(Waiting {
                    connection,
                    span: statement.span,
                    place: place.clone(),
                    instance: Some(scope),
                }),
                StatementKind::Assign(_) => {}
                _ => {
                    let span = self.span(statement.span, place.scope);
                    let d = Diagnostic::error(codes::MISPLACED, "this does not belong into an instance");
                    self.report(d.at(span, "").hint("write connections, such as `chassis -> body1`"));
                }
            }
        }
        self.drive_inputs(scope);
        let ports = self.mechanical_ports(scope);
        if ports.len() < ends.len() {
            return self.too_few_ends(scope, ports.len(), span, place);
        }
        for (port, end) in ports.into_iter().zip(ends) {
            let drive =
                Drive { source: Source::Value(end), place: place.clone(), joints: &[], at: None, span };
            self.drives.insert((scope, port.text.clone()), drive);
        }
    }

    /// Connects the incoming signals that the maker of an instance gives like parameters: `stiffness = 30 [N/m]`.
    pub(crate) fn drive_inputs(&mut self, scope: usize) {
        for given in self.scopes[scope].given.clone() {
            let symbols = &self.definitions[self.scopes[scope].definition].symbols;
            if let Some(SymbolKind::Port(port)) = symbols.get(given.name).map(|s| s.kind) {
                let span = self.span(given.span, given.place.scope);
                let source = Source::Value(given.value);
                self.drive(
                    scope,
                    port,
                    &[],
                    Drive { source, place: given.place, joints: &[], at: None, span },
                );
            }
        }
    }

    /// Walks the definition of an instance.
    pub(crate) fn fill(&mut self, scope: usize, span: Span) {
        self.piece(Piece::Ports(scope), span);
        let statements = self.definitions[self.scopes[scope].definition].statements.clone();
        self.block(&statements, &Place::new(scope));
    }
}
