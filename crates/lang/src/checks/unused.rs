//! What a text declares and never speaks of again: most often the trace of a misspelling or of a part that was removed.
//!
//! Only a text that asks a question is complete enough to be judged; others may be libraries or beginnings. States and variables are never
//! unused, since results show them. A name counts as used wherever it stands outside comments and strings, so that doubt stays silent; one
//! that begins with `_` is meant to be unused.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use cardan_base::{Diagnostic, FileId, Span};

use crate::codes;
use crate::context::Resolver;
use crate::names::name_usage::mentioned;
use crate::names::scope::ItemKind;

/// How many are told one by one.
const MOST: usize = 5;
/// Of the others so many are named.
const NAMED: usize = 20;

impl Resolver<'_> {
    /// Reports parameters, inputs, constants, tables, functions, procedures, discrete states and points that nothing mentions.
    pub fn check_unused(&mut self) {
        let declared: Vec<(Span, &'static str, String)> = self
            .names
            .items
            .iter()
            .filter_map(|(_, item)| {
                let what = match item.kind {
                    ItemKind::Parameter(_) => "the parameter",
                    ItemKind::Input(_) => "the input",
                    ItemKind::Constant(_) => "the constant",
                    ItemKind::Discrete(_) => "the discrete state",
                    ItemKind::Function(_) | ItemKind::External(_) => "the function",
                    ItemKind::Procedure(_) => "the procedure",
                    ItemKind::Table(_) => "the table",
                    ItemKind::Point(..) => "the point",
                    _ => return None,
                };
                Some((item.span?, what, item.name.clone()))
            })
            .collect();
        // Instances of one definition share its text, and what one of them declares is told once.
        let mut own: BTreeMap<FileId, Vec<Range<usize>>> = BTreeMap::new();
        let mut places = BTreeSet::new();
        let declared: Vec<(Span, &'static str, String)> = declared
            .into_iter()
            .filter(|(span, ..)| {
                let place = self.sources.in_text(*span);
                own.entry(place.file).or_default().push(place.range());
                places.insert(place)
            })
            .collect();
        let texts = own.iter().filter_map(|(file, own)| Some(mentioned(&self.sources.get(*file)?.text, own)));
        let words: Vec<String> = texts.flatten().collect();
        let parts =
            |w: &'_ str| -> Vec<String> { w.split(['.', '[', ']', ',']).map(str::to_owned).collect() };
        let words: BTreeSet<String> = words.iter().flat_map(|w| parts(w)).collect();
        let last = |name: &str| {
            let last = name.rsplit('.').next().unwrap_or(name);
            last.split('[').next().unwrap_or(last).to_owned()
        };
        let unused: Vec<_> = declared
            .into_iter()
            .filter(|(.., name)| !words.contains(&last(name)) && !last(name).starts_with('_'))
            .collect();
        let others = unused.len().saturating_sub(MOST);
        let mut more: Vec<String> =
            unused.iter().skip(MOST).take(NAMED).map(|(.., name)| format!("`{name}`")).collect();
        if others > NAMED {
            more.push(format!("{} more", others - NAMED));
        }
        for (k, (span, what, name)) in unused.into_iter().take(MOST).enumerate() {
            let d = Diagnostic::warning(codes::UNUSED, format!("nothing uses {what} `{name}`")).at(span, "");
            let d = match k + 1 == MOST && !more.is_empty() {
                true => d.because(format!("nor does anything use {}", more.join(", "))),
                false => d,
            };
            self.report(d.hint(format!("remove it, or call it `_{}` if that is meant", last(&name))));
        }
    }
}
