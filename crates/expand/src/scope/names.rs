//! Names: what a dotted name stands for where it is written, and the structural values behind names.
//!
//! A name is looked for among the counting numbers of the loops, then in the instance, then in the text in which
//! its definition stands. What nobody declares (`sin`, `t`, the ground) is left as it is.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_syntax::{Expr, ExprKind, Path, Segment};

use crate::codes;
use crate::constants::{Constant, NotConstant, evaluate};
use crate::definition::{Flow, Symbol, SymbolKind, entries};
use crate::plan::{Expander, last_part};
use crate::scope::Place;

/// What the beginning of a path stands for, and how many of its parts that takes.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A counting number.
    Count(i64),
    /// Something of the flat tree.
    Flat {
        /// Its flat name.
        name: String,
        /// The parts of the path that this takes.
        taken: usize,
    },
    /// A port.
    Port {
        /// The instance.
        scope: usize,
        /// The number of the port.
        port: usize,
        /// The element of it.
        index: Vec<i64>,
        /// The parts of the path that this takes.
        taken: usize,
    },
    /// An instance as a whole.
    Instance(usize),
    /// Nothing that is declared.
    Foreign,
    /// Nothing, and a diagnostic says why.
    Wrong,
}

impl<'t> Expander<'t, '_> {
    /// The symbol of a name as seen from a scope, and the scope that has it.
    pub fn find(&self, scope: usize, name: &str) -> Option<(usize, Symbol<'t>)> {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let definition = self.scopes[scope].definition;
            if let Some(symbol) = self.definitions[definition].symbols.get(name) {
                return Some((scope, *symbol));
            }
            if let Some(module) = self.modules.get(definition) {
                // A model that is imported as a whole brings what it imports.
                let whole = module.links.iter().filter(|l| definition == 0 && l.names.is_empty());
                let further = whole.map(|l| &self.modules[l.module]).filter(|m| m.has_model());
                for link in module.links.iter().chain(further.flat_map(|m| &m.links)) {
                    let wanted = link.names.is_empty() || link.names.iter().any(|n| n.text == name);
                    let symbols = &self.definitions[link.module].symbols;
                    if let Some(symbol) = symbols.get(name).filter(|_| wanted) {
                        return Some((link.module, *symbol));
                    }
                }
            }
            at = self.scopes[scope].lexical;
        }
        None
    }

    /// The text in which the definition of a scope stands; the model is the first.
    pub fn module_of(&self, scope: usize) -> usize {
        let mut definition = self.scopes[scope].definition;
        while let Some(parent) = self.definitions[definition].parent {
            definition = parent;
        }
        definition
    }

    /// What the beginning of a path stands for.
    pub fn meaning(&mut self, path: &Path, place: &Place) -> Meaning {
        let Some(first) = path.segments.first() else { return Meaning::Foreign };
        let name = first.name.text.as_str();
        if place.locals.iter().any(|local| local == name) {
            return Meaning::Foreign;
        }
        if let Some(value) = place.count(name).filter(|_| first.index.is_empty()) {
            return Meaning::Count(value);
        }
        if let Some(meaning) = self.dotted(path, place) {
            return meaning;
        }
        match self.find(place.scope, name) {
            Some((scope, symbol)) => self.part(path, 0, scope, symbol, place),
            None => self.in_module(path, place),
        }
    }

    /// A path into an imported text or a package of the standard library: `std.step(…)`.
    fn in_module(&mut self, path: &Path, place: &Place) -> Meaning {
        let parts: Vec<&str> = path.segments.iter().map(|s| s.name.text.as_str()).collect();
        for taken in (1..parts.len()).rev() {
            let stem = parts[..taken].join(".");
            let Some(module) = self.modules.iter().skip(1).position(|m| m.stem == stem) else { continue };
            let module = module + 1;
            if let Some(symbol) = self.definitions[module].symbols.get(parts[taken]).copied() {
                return self.part(path, taken, module, symbol, place);
            }
        }
        Meaning::Foreign
    }

    /// A path that is declared as a whole, as in a flat text; the longest that is.
    fn dotted(&mut self, path: &Path, place: &Place) -> Option<Meaning> {
        let definition = self.scopes[place.scope].definition;
        if !self.definitions[definition].dotted || path.segments.len() < 2 {
            return None;
        }
        let mut names = vec![];
        let mut joined = self.scopes[place.scope].prefix.clone();
        for (k, segment) in path.segments.iter().enumerate() {
            let index = self.indices(&segment.index, place)?;
            joined += &format!("{}{}{index}", if k == 0 { "" } else { "." }, segment.name.text);
            names.push(joined.clone());
        }
        let taken = names.iter().rposition(|name| self.declared.contains_key(name))? + 1;
        Some(Meaning::Flat { name: names.swap_remove(taken - 1), taken })
    }

    /// What a symbol and the rest of a path stand for; `k` is the place of the symbol in the path.
    fn part(&mut self, path: &Path, k: usize, scope: usize, symbol: Symbol<'t>, place: &Place) -> Meaning {
        let segment = &path.segments[k];
        let Some(index) = self.index_values(&segment.index, place) else { return Meaning::Wrong };
        let flat = format!("{}{}{}", self.scopes[scope].prefix, segment.name.text, bracketed(&index));
        // The composite joint of a body is an instance beside its points: `arm.joint.first`.
        if let (Some(joint), Some(part)) = (path.segments.get(k + 1), path.segments.get(k + 2))
            && let Some(inner) = self.instances.get(&format!("{flat}.{}", joint.name.text)).copied()
        {
            let definition = self.scopes[inner].definition;
            return match self.definitions[definition].symbols.get(part.name.text.as_str()).copied() {
                Some(symbol) => self.part(path, k + 2, inner, symbol, place),
                None => {
                    self.no_part(path, k + 2, inner, place);
                    Meaning::Wrong
                }
            };
        }
        if let Some(inner) = self.instances.get(&flat).copied() {
            let Some(next) = path.segments.get(k + 1) else { return Meaning::Instance(inner) };
            let definition = self.scopes[inner].definition;
            return match self.definitions[definition].symbols.get(next.name.text.as_str()).copied() {
                Some(symbol) => self.part(path, k + 1, inner, symbol, place),
                None => {
                    self.no_part(path, k + 1, inner, place);
                    Meaning::Wrong
                }
            };
        }
        match symbol.kind {
            SymbolKind::Port(port) => Meaning::Port { scope, port, index, taken: k + 1 },
            SymbolKind::Subsystem(_) => Meaning::Foreign,
            _ if symbol.rank == index.len() && self.declared.contains_key(&flat) => {
                Meaning::Flat { name: flat, taken: k + 1 }
            }
            _ => {
                self.no_element(path, segment, &flat, symbol.span, place);
                Meaning::Wrong
            }
        }
    }

    fn no_part(&mut self, path: &Path, k: usize, inner: usize, place: &Place) {
        let segment = &path.segments[k];
        let definition = &self.definitions[self.scopes[inner].definition];
        let instance = self.scopes[inner].prefix.trim_end_matches('.').to_owned();
        let message = format!("`{instance}` has nothing called `{}`", segment.name.text);
        let near = nearest(&segment.name.text, definition.symbols.keys().copied());
        let d = Diagnostic::error(codes::UNKNOWN_PART, message);
        let d = d.at(self.span(segment.name.span, place.scope), "");
        let d = match definition.span {
            Some(span) => d.also(span, "its definition"),
            None => d,
        };
        let d = match near {
            Some(near) => d.hint(format!("write `{near}`")),
            None => {
                let mut known: Vec<&str> = definition.symbols.keys().copied().collect();
                known.sort_unstable();
                d.hint(format!("it has {}", known.join(", ")))
            }
        };
        self.report(d);
    }

    fn no_element(&mut self, path: &Path, segment: &Segment, flat: &str, first: Span, place: &Place) {
        let span = self.span(path.span, place.scope);
        let name = last_part(flat);
        let (message, help) = match segment.index.is_empty() {
            true if flat.ends_with(&format!(".{name}")) || flat == name => (
                format!("`{name}` is an array, or stands in a branch that is not taken"),
                format!("name one element: `{name}[1]`"),
            ),
            _ => {
                let elements = self.n_elements(flat);
                let help = match elements {
                    0 => format!("write `{name}` without an index"),
                    n => format!("there are {n} elements; the index lies between the first and the last"),
                };
                (format!("there is no `{flat}`"), help)
            }
        };
        let d = Diagnostic::error(codes::INDEX, message).at(span, "");
        self.report(d.also(first, format!("`{name}` is declared here")).hint(help));
    }

    /// How many elements the array has of which `flat` would be one.
    fn n_elements(&self, flat: &str) -> usize {
        let stem = flat.rsplit_once('[').map_or(flat, |(stem, _)| stem);
        let element = |name: &&String| {
            name.strip_prefix(stem)
                .is_some_and(|rest| rest.starts_with('[') && rest.find(']') == Some(rest.len() - 1))
        };
        self.declared.keys().chain(self.instances.keys()).filter(element).count()
    }

    /// A path of the scope itself as a flat name.
    pub fn flat_path(&mut self, path: &Path, place: &Place) -> Option<String> {
        let mut flat = self.scopes[place.scope].prefix.clone();
        for (k, segment) in path.segments.iter().enumerate() {
            let index = self.index_values(&segment.index, place)?;
            flat += &format!("{}{}{}", if k == 0 { "" } else { "." }, segment.name.text, bracketed(&index));
        }
        Some(flat)
    }

    /// The instance that a path names.
    pub fn instance_at(&mut self, path: &Path, place: &Place) -> Option<usize> {
        let flat = self.flat_path(path, place)?;
        self.instances.get(&flat).copied()
    }

    /// The outgoing port of the scope itself that a setting gives a value.
    pub fn own_output(&self, path: &Path, place: &Place) -> Option<usize> {
        let [only] = path.segments.as_slice() else { return None };
        let definition = &self.definitions[self.scopes[place.scope].definition];
        let SymbolKind::Port(port) = definition.symbols.get(only.name.text.as_str())?.kind else {
            return None;
        };
        matches!(definition.ports[port].flow, Flow::Out(_)).then_some(port)
    }

    // Structural values.

    /// The indices of a path as text, `[3]`; nothing to say if there are none.
    pub fn indices(&mut self, index: &[Expr], place: &Place) -> Option<String> {
        Some(bracketed(&self.index_values(index, place)?))
    }

    pub(crate) fn index_values(&mut self, index: &[Expr], place: &Place) -> Option<Vec<i64>> {
        index.iter().map(|e| self.whole(e, place)).collect()
    }

    /// A whole number that structure depends on.
    pub fn whole(&mut self, e: &Expr, place: &Place) -> Option<i64> {
        let value = self.structural(e, place)?;
        let number = value.to_int();
        if number.is_none() {
            let span = self.span(e.span, place.scope);
            let d = Diagnostic::error(codes::NOT_CONSTANT, "a whole number is needed here").at(span, "");
            self.report(d.hint("write a whole number, or a constant that is one"));
        }
        number
    }

    /// A condition that structure depends on.
    pub fn truth(&mut self, e: &Expr, place: &Place) -> Option<bool> {
        match self.structural(e, place)? {
            Constant::Truth(truth) => Some(truth),
            Constant::Number { .. } => {
                let span = self.span(e.span, place.scope);
                let d = Diagnostic::error(codes::NOT_CONSTANT, "a condition is needed here").at(span, "");
                self.report(d.hint("compare two values: `k == 1`"));
                None
            }
        }
    }

    /// A structural value; complains if it is none.
    fn structural(&mut self, e: &Expr, place: &Place) -> Option<Constant> {
        match self.try_structural(e, place) {
            Ok(value) => Some(value),
            Err(why) => {
                let (span, message) = match why {
                    NotConstant::Varies(span) => (span, "this decides about structure and is not constant"),
                    NotConstant::Undefined(span) => (span, "this has no structural value"),
                };
                let d = Diagnostic::error(codes::NOT_CONSTANT, message);
                let d = d.at(self.span(span, place.scope), "");
                let d = d.because("structure depends on literals, counting numbers and constants alone");
                self.report(d.hint("declare it: `constant n = 3`; a unit stands after a space: `m [kg]`"));
                None
            }
        }
    }

    /// A structural value, if it is one.
    pub fn try_structural(&mut self, e: &Expr, place: &Place) -> Result<Constant, NotConstant> {
        evaluate(e, &mut |path| self.constant_of(path, place).ok_or(NotConstant::Varies(path.span)))
    }

    fn constant_of(&mut self, path: &Path, place: &Place) -> Option<Constant> {
        let name = path.as_name()?.text.as_str();
        if let Some(value) = place.count(name) {
            return Some(Constant::int(value));
        }
        let (scope, symbol) = self.find(place.scope, name)?;
        let SymbolKind::Constant(declaration) = symbol.kind else { return None };
        if symbol.rank > 0 {
            return None;
        }
        let key = (scope, declaration.name.text.as_str());
        if let Some(value) = self.values.get(&key) {
            return Some(value.clone());
        }
        if !self.evaluating.insert(key) {
            return None;
        }
        let value = self.constant_value(scope, key.1, declaration.value.as_ref());
        self.evaluating.remove(&key);
        let value = value?;
        self.values.insert(key, value.clone());
        Some(value)
    }

    /// The value of a constant: as set for the run, as given to the instance, or as declared.
    fn constant_value(&mut self, scope: usize, name: &'t str, default: Option<&'t Expr>) -> Option<Constant> {
        let flat = format!("{}{name}", self.scopes[scope].prefix);
        let set = self.set_by_experiment(&flat);
        if let Some(e) = self.overrides.get(&flat) {
            self.taken.push(flat);
            return self.try_structural(e, &Place::new(0)).ok();
        }
        if let Some(e) = set {
            return self.try_structural(e, &Place::new(0)).ok();
        }
        let given = self.scopes[scope].given.iter().find(|g| g.name == name).cloned();
        match given {
            Some(given) => self.try_structural(given.value, &given.place).ok(),
            None => match self.n_given(scope, default?) {
                Some(n) => Some(Constant::int(n)),
                None => self.try_structural(default?, &Place::new(scope)).ok(),
            },
        }
    }

    /// The number of elements that an array of parameters is given: `constant n = length(num)`.
    pub(crate) fn n_given(&self, scope: usize, e: &Expr) -> Option<i64> {
        let ExprKind::Call(call) = &e.kind else { return None };
        if !call.function.is("length") {
            return None;
        }
        let [argument] = call.arguments.as_slice() else { return None };
        let array = argument.value.as_name()?;
        let given = self.scopes[scope].given.iter().find(|g| g.name == array.text)?;
        let entries = match &given.value.kind {
            ExprKind::Quantity { value, .. } => entries(value),
            _ => entries(given.value),
        };
        i64::try_from(entries.len()).ok()
    }

    /// Whether an expression speaks of a counting number.
    pub fn mentions_count(&self, e: &Expr, place: &Place) -> bool {
        mentions(e, &|path| path.as_name().is_some_and(|n| place.count(&n.text).is_some()))
    }

    /// Whether an expression speaks of a counting number or a structural constant.
    pub fn mentions_structure(&self, e: &Expr, place: &Place) -> bool {
        mentions(e, &|path| {
            let Some(name) = path.as_name() else { return false };
            let constant = || {
                let symbol = self.find(place.scope, &name.text).map(|(_, s)| s.kind);
                matches!(symbol, Some(SymbolKind::Constant(_)))
            };
            !place.locals.contains(&name.text) && (place.count(&name.text).is_some() || constant())
        })
    }
}

/// `[1,2]`, or nothing.
pub fn bracketed(index: &[i64]) -> String {
    if index.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = index.iter().map(i64::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Whether a name of an expression passes a test.
pub(crate) fn mentions(e: &Expr, test: &dyn Fn(&Path) -> bool) -> bool {
    let any = |e: &Expr| mentions(e, test);
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Missing => false,
        ExprKind::Name(path) => test(path) || path.segments.iter().flat_map(|s| &s.index).any(any),
        ExprKind::Call(call) => call.arguments.iter().any(|a| any(&a.value)),
        ExprKind::Tuple(parts) => parts.iter().any(any),
        ExprKind::Quantity { value, .. } => any(value),
        ExprKind::Unary { operand, .. } => any(operand),
        ExprKind::Chain { first, rest } => any(first) || rest.iter().any(|(_, e)| any(e)),
        ExprKind::Power { base, exponent } => any(base) || any(exponent),
        ExprKind::Compare { left, right, .. } => any(left) || any(right),
        ExprKind::If { arms, otherwise } => arms.iter().any(|(c, v)| any(c) || any(v)) || any(otherwise),
        ExprKind::Range { low, high } => any(low) || any(high),
        ExprKind::Sum { range, term, .. } => any(range) || any(term),
        ExprKind::Part { of, .. } => any(of),
    }
}
