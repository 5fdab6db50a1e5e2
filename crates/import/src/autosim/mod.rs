//! AUTOSIM's language, as printed in Sayers, "Symbolic computer language for multibody systems", J. Guidance 14 (1991).
//!
//! A text in Lisp's notation becomes a text in the native language, statement by statement, so that everything after it is the
//! same for both. [`Native`] remembers which command each statement comes from, and [`Native::back`] takes findings about
//! the native text back to the commands.
//!
//! Names are kept in capitals, as Lisp does; `q(7)` and `u(7)` become `q7` and `u7`; `[b1]` becomes `B.x`. Symbols without units get their dimension
//! from their use. Subroutines and functions of the simulation program come from texts in the native language, which `(load "routines.mbs")` names.
//!
//! Reading order: [`codes`], `lisp` (text to forms), `infix` (the algebra), `command` and `keyword` (the vocabulary), `extra_arguments` (values without a place), `scene` (what is declared), `load` and `routine` (other texts, and what native ones declare), `body`, `axis`
//! and `declare` (commands to declarations), `set` (what is said of them later), `dimension` (what symbols measure), `unit_fit` (units for plain numbers), `unused` (values without use), `spelling_check` (symbols without value), `name_clash` and `shape` (what names and expressions must be), `algebra` and `write` (declarations to native text).

pub(crate) mod checks;
pub(crate) mod reader;
pub(crate) mod unit_fit;

mod algebra;
mod axis;
mod body;
pub mod codes;
mod command;
mod declare;
mod dimension;
mod keyword;
mod scene;
mod set;
mod write;

use cardan_base::{Diagnostics, FileId, Sources, Span};

use crate::autosim::reader::load::Loads;
use crate::autosim::scene::{Axis, Item, Orient, Scene};

/// Where a part of the native text comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    start: usize,
    end: usize,
    span: Span,
    /// Whether the part is the span's text, character by character.
    exact: bool,
}

/// A text in the native language, with where it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Native {
    /// The text.
    pub text: String,
    places: Vec<Place>,
    /// Parameters without a value, and the symbols that may be meant.
    alike: Vec<(String, String)>,
}

impl Native {
    /// The place in the sources of a range of the native text.
    pub fn origin(&self, start: usize, end: usize) -> Option<Span> {
        let place = self.places.iter().find(|p| (p.start..=p.end).contains(&start))?;
        if !place.exact {
            return Some(place.span);
        }
        let at = |offset: usize| place.span.start as usize + (offset - place.start);
        Some(Span::new(place.span.file, at(start), at(end.clamp(start, place.end))))
    }

    /// Findings about the native text `file`, with their places taken back to the text that was read.
    pub fn back(&self, file: FileId, findings: Diagnostics) -> Diagnostics {
        let mut out = Diagnostics::new();
        for mut finding in findings {
            let exact = finding.labels.iter().filter(|l| l.span.file == file).all(|l| {
                self.places.iter().any(|p| p.exact && (p.start..=p.end).contains(&(l.span.start as usize)))
            });
            let place = finding.span().filter(|s| s.file == file && !exact).map_or(0..0, Span::range);
            let written = self.text.get(..place.start).filter(|_| !place.is_empty()).map(|before| {
                let line = before.rfind('\n').map_or(0, |n| n + 1);
                self.text[line..].lines().next().unwrap_or("").trim().to_string()
            });
            for label in &mut finding.labels {
                if label.span.file == file
                    && let Some(span) = self.origin(label.span.start as usize, label.span.end as usize)
                {
                    label.span = span;
                }
            }
            let mut meant = vec![];
            // A value is given by a command of this language.
            for help in &mut finding.help {
                let name = help.strip_prefix("write `parameter ").and_then(|h| h.split_once(" = "));
                if let Some((name, _)) = name.filter(|_| help.ends_with("or set it for the run")) {
                    *help =
                        format!("write `(set-defaults {} 1)`, or set it for the run", name.to_lowercase());
                    let told = finding.notes.iter().chain([&finding.message]);
                    let words: Vec<&str> = told.flat_map(|t| t.split([' ', ','])).collect();
                    let slips = self.alike.iter().filter(|(name, _)| words.contains(&name.as_str()));
                    meant.extend(slips.map(|(name, near)| {
                        format!(
                            "write `{}` for `{}` if that is meant",
                            near.to_lowercase(),
                            name.to_lowercase()
                        )
                    }));
                }
            }
            finding.help.extend(meant);
            if let Some(line) = written.filter(|l| !l.is_empty()) {
                finding.notes.push(format!("in the native language: {line}"));
            }
            out.push(finding);
        }
        out
    }
}

/// The native text of an AUTOSIM text that is among the sources; nothing if there are errors. The model gets this name. Texts that it
/// loads come through `read`, by the paths written, and are added to the sources.
pub fn translate(
    file: FileId,
    name: &str,
    sources: &mut Sources,
    read: &mut crate::mjcf::Reader<'_>,
) -> (Option<Native>, Diagnostics) {
    let mut scene = Scene::new(file);
    scene.path = sources.get(file).map_or(String::new(), |s| s.name.clone());
    let mut loads = Loads::new(sources, read);
    loads.carry_out(file, &mut scene);
    let routines = loads.routines;
    scene.carry_out_later();
    let expressions: Vec<reader::infix::Expr> =
        scene.items.iter().flat_map(|(item, _)| parts(item)).collect();
    // Symbols that nothing declares are parameters.
    expressions.iter().for_each(|e| scene.register(e));
    checks::unused::report(&mut scene, &expressions, &routines);
    checks::name_clash::report(&mut scene);
    checks::shape::report(&mut scene);
    scene.infer();
    let mut native = scene.write_all(name, &routines);
    native.alike = checks::spelling_check::pairs(&scene);
    let native = (!scene.findings.has_errors()).then_some(native);
    (native, scene.findings)
}

/// All expressions of a statement.
fn parts(item: &Item) -> Vec<reader::infix::Expr> {
    match item {
        Item::Body(b) => {
            let turned = match &b.orient {
                Some(Orient::Axes(_, along, _, towards)) => vec![&**along, &**towards],
                _ => vec![],
            };
            let axes = b.translate.iter().chain(turned).flat_map(Axis::expressions);
            let all = b.joint.0.iter().chain(axes).chain(&b.center.0).chain([&b.mass]).chain(&b.inertia);
            all.cloned().collect()
        }
        Item::Point { coordinates, .. } => coordinates.0.to_vec(),
        Item::Load { direction, magnitude, .. } | Item::Gravity { direction, magnitude } => {
            vec![direction.clone(), magnitude.clone()]
        }
        Item::Equation { value, .. } | Item::Constraint { value, .. } | Item::Output { value, .. } => {
            vec![value.clone()]
        }
        Item::Linearize => vec![],
    }
}
