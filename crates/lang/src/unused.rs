//! What a text declares and never speaks of again: most often the trace of a misspelling or of a part that was removed.
//!
//! Only a text that asks a question is complete enough to be judged; others may be libraries or beginnings. States and variables are never
//! unused, since results show them. A name counts as used wherever it stands outside comments and strings, so that doubt stays silent; one
//! that begins with `_` is meant to be unused.

use std::collections::BTreeSet;

use cardan_base::{Diagnostic, Span};

use crate::codes;
use crate::mention::mentioned;
use crate::resolver::Resolver;
use crate::scope::ItemKind;

/// How many are told one by one.
const MOST: usize = 5;
/// Of the others so many are named.
const NAMED: usize = 20;

impl Resolver<'_> {
    /// Reports parameters, constants, tables, functions, procedures, discrete states and points that nothing mentions.
    pub fn check_unused(&mut self) {
        let declared: Vec<(Span, &'static str, String)> = self
            .names
            .items
            .iter()
            .filter_map(|(_, item)| {
                let what = match item.kind {
                    ItemKind::Parameter(_) => "the parameter",
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
        let Some(file) = declared.first().map(|(span, ..)| span.file) else { return };
        let Some(text) = self.sources.get(file).map(|s| s.text.as_str()) else { return };
        let own: Vec<_> = declared.iter().map(|(span, ..)| span.range()).collect();
        let words = mentioned(text, &own);
        let words: BTreeSet<&str> = words.iter().flat_map(|w| w.split('.')).collect();
        let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        let unused: Vec<_> = declared
            .into_iter()
            .filter(|(.., name)| !words.contains(&*last(name)) && !last(name).starts_with('_'))
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
