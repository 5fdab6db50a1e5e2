//! Languages of other programs ▶ native text ▶ model.

use cardan_base::{Diagnostics, FileId, Sources};
use cardan_import::mjcf::Reader;
use cardan_import::native::Native;
use cardan_lang::codes;
use cardan_syntax::Tree;

use crate::Resolved;

/// AUTOSIM text ▶ model, by way of the native language; with the native text, if there are no errors in the commands. Findings point into
/// the text that was given. Texts that it loads come through `read`, by the paths written.
pub fn resolve_autosim(name: &str, text: &str, read: &mut Reader<'_>) -> (Resolved, Option<String>) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let title = title(name, "autosim");
    let translated = cardan_import::autosim::translate(file, title, &mut sources, read);
    resolve_native(title, file, sources, translated)
}

/// ADAMS data set ▶ model, by way of the native language; with the native text, if there are no errors in the data set. Findings
/// point into the data set.
pub fn resolve_adams(name: &str, text: &str) -> (Resolved, Option<String>) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let title = title(name, "adams");
    let translated = cardan_import::adams::translate(file, title, &sources);
    resolve_native(title, file, sources, translated)
}

/// The name of a model, from that of its file.
fn title<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    let title = name.rsplit(['/', '\\']).next().unwrap_or(name).split('.').next().unwrap_or("");
    if title.is_empty() { otherwise } else { title }
}

fn resolve_native(
    title: &str,
    file: FileId,
    mut sources: Sources,
    (native, mut diagnostics): (Option<Native>, Diagnostics),
) -> (Resolved, Option<String>) {
    let Some(native) = native else {
        let tree = Tree { file, statements: vec![] };
        return (Resolved { sources, tree, model: None, diagnostics, taken: vec![] }, None);
    };
    let file = sources.add(format!("{title}.mbs"), native.text.clone());
    let (tree, mut findings) = cardan_syntax::parse(file, &native.text);
    let incomplete = findings.has_errors();
    let (model, more) = cardan_lang::resolve(&tree, &sources);
    if !incomplete {
        // Routines that are loaded may hold more than one text needs, AUTOSIM's symbols come by themselves, and
        // its texts have no gravity as a rule. Data sets declare markers and variables that nothing uses.
        let is_meant = |d: &cardan_base::Diagnostic| ![codes::UNUSED, codes::OMISSION].contains(&d.code);
        more.into_iter().filter(is_meant).for_each(|d| findings.push(d));
    }
    diagnostics.append(native.back(file, findings));
    let mut model = model.filter(|_| !incomplete);
    if let Some(model) = &mut model {
        // What is found later, at assembly or in a run, points into the text that was given.
        model.map_spans(|span| match span.file == file {
            true => native.origin(span.start as usize, span.end as usize).unwrap_or(span),
            false => span,
        });
    }
    (Resolved { sources, tree, model, diagnostics, taken: vec![] }, Some(native.text))
}
