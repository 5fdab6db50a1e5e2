//! Checks of connections: whether both ends are frames or both signals, with equal numbers of elements.
//!
//! A connection is compared where it is written, whether or not the definition uses its port.

use cardan_base::{Diagnostic, Span};
use cardan_syntax::{Expr, ExprKind, Path};

use crate::codes;
use crate::definition::{Flow, SymbolKind};
use crate::names::{Meaning, bracketed};
use crate::plan::Expander;
use crate::ports::components_in;
use crate::scope::{Drive, Place, Source};

/// What stands at the far end of a connection.
enum FarEnd {
    /// A frame or a point, as declared there.
    Place(Span),
    /// A signal with the sizes of an array; none for one number or one vector.
    Signal(Span, Vec<i64>),
    /// Something that is known later.
    Open,
}

impl<'t> Expander<'t, '_> {
    /// Compares both ends of every connection of an instance.
    pub(crate) fn check_connections(&mut self, scope: usize) {
        for port in 0..self.definitions[self.scopes[scope].definition].ports.len() {
            let symbol = self.port(scope, port);
            let Some(sizes) = self.port_sizes(scope, port) else { continue };
            let whole = symbol.name.text.clone();
            let elements = self.elements_of(&sizes).into_iter().filter(|index| !index.is_empty());
            let keys: Vec<(String, bool)> = std::iter::once((whole.clone(), true))
                .chain(elements.map(|k| (format!("{whole}{}", bracketed(&k)), false)))
                .collect();
            for (key, is_whole) in keys {
                let Some(drive) = self.drives.get(&(scope, key.clone())).cloned() else { continue };
                let expected: &[i64] = if is_whole { &sizes } else { &[] };
                let (found, declared) = match (symbol.flow, self.far_end(&drive, !expected.is_empty())) {
                    (Flow::Frame | Flow::Point, FarEnd::Signal(span, _)) => ("a signal".to_owned(), span),
                    (Flow::In(_) | Flow::Out(_), FarEnd::Place(span)) => ("a frame or point".into(), span),
                    (Flow::In(_) | Flow::Out(_), FarEnd::Signal(span, sizes))
                        // Three signals are also a vector.
                        if sizes != expected && !(expected.is_empty() && sizes == [3]) =>
                    {
                        (number_of_elements(&sizes), span)
                    }
                    _ => continue,
                };
                let wanted = match symbol.flow {
                    Flow::Frame => "a frame".to_owned(),
                    Flow::Point => "a point".to_owned(),
                    _ if found.starts_with("a frame") => "a signal".to_owned(),
                    _ => number_of_elements(expected),
                };
                let path = format!("{}{key}", self.scopes[scope].prefix);
                let message = format!("the port `{path}` takes {wanted}, and this is {found}");
                let d = Diagnostic::error(codes::MISMATCH, message).at(drive.span, "this connection");
                let d = d.also(symbol.name.span, format!("takes {wanted}")).also(declared, found);
                self.report(d.hint("connect frames with frames, and signals of equal size"));
            }
        }
    }

    /// The far end of a connection; `as_array` if the port is an array.
    fn far_end(&mut self, drive: &Drive<'t>, as_array: bool) -> FarEnd {
        if !drive.joints.is_empty() || drive.at.is_some() {
            return FarEnd::Open;
        }
        match &drive.source {
            Source::Port { scope, port, index } => self.end_at_port(*scope, *port, index),
            Source::Part(_) => FarEnd::Open,
            Source::Value(e) => self.end_of_value(e, &drive.place, as_array),
        }
    }

    fn end_of_value(&mut self, e: &Expr, place: &Place, as_array: bool) -> FarEnd {
        let n = |parts: &[Expr]| vec![i64::try_from(parts.len()).unwrap_or(i64::MAX)];
        match &e.kind {
            ExprKind::Name(path) => self.end_of_path(path, place),
            _ if components_in(e).is_some() => FarEnd::Open,
            // Three numbers in brackets may also be a vector.
            ExprKind::Tuple(parts) if as_array => FarEnd::Signal(e.span, n(parts)),
            ExprKind::Tuple(_) => FarEnd::Open,
            ExprKind::Quantity { value, .. } => match &value.kind {
                ExprKind::Tuple(parts) if as_array => FarEnd::Signal(e.span, n(parts)),
                ExprKind::Tuple(_) => FarEnd::Open,
                _ => FarEnd::Signal(e.span, vec![]),
            },
            ExprKind::Number(_) => FarEnd::Signal(e.span, vec![]),
            // An expression is one signal, and may be a vector.
            _ if as_array => FarEnd::Signal(e.span, vec![]),
            _ => FarEnd::Open,
        }
    }

    fn end_of_path(&mut self, path: &Path, place: &Place) -> FarEnd {
        let n_segments = path.segments.len();
        match self.quietly(|this| this.meaning(path, place)) {
            Meaning::Port { scope, port, index, taken } if taken == n_segments => {
                self.end_at_port(scope, port, &index)
            }
            Meaning::Count(_) => FarEnd::Signal(path.span, vec![]),
            Meaning::Flat { taken, .. } if taken == 1 && n_segments == 1 => {
                let name = &path.segments[0].name.text;
                let Some((_, symbol)) = self.find(place.scope, name) else { return FarEnd::Open };
                match symbol.kind {
                    SymbolKind::Body | SymbolKind::Point => FarEnd::Place(symbol.span),
                    SymbolKind::Coordinate if symbol.rank == 0 => FarEnd::Signal(symbol.span, vec![]),
                    _ => FarEnd::Open,
                }
            }
            Meaning::Foreign if n_segments == 1 && path.segments[0].name.text == self.ground => {
                FarEnd::Place(path.span)
            }
            _ => FarEnd::Open,
        }
    }

    fn end_at_port(&mut self, scope: usize, port: usize, index: &[i64]) -> FarEnd {
        let symbol = self.port(scope, port);
        match symbol.flow {
            Flow::Frame | Flow::Point => FarEnd::Place(symbol.name.span),
            Flow::In(_) | Flow::Out(_) => match self.port_sizes(scope, port) {
                Some(_) if !index.is_empty() => FarEnd::Signal(symbol.name.span, vec![]),
                Some(sizes) => FarEnd::Signal(symbol.name.span, sizes),
                None => FarEnd::Open,
            },
        }
    }
}

fn number_of_elements(sizes: &[i64]) -> String {
    match sizes {
        [] => "one signal".to_owned(),
        [n] => format!("{n} signals"),
        _ => format!("signals{}", bracketed(sizes)),
    }
}
