//! AUTOSIM's language ▶ native text ▶ model.

use cardan_base::Sources;
use cardan_import::mjcf::Reader;
use cardan_syntax::Tree;

use crate::Resolved;

/// AUTOSIM text ▶ model, by way of the native language; with the native text, if there are no errors in the commands. Findings point into
/// the text that was given. Texts that it loads come through `read`, by the paths written.
pub fn resolve_autosim(name: &str, text: &str, read: &mut Reader<'_>) -> (Resolved, Option<String>) {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let title = name.rsplit(['/', '\\']).next().unwrap_or(name).split('.').next().unwrap_or("");
    let title = if title.is_empty() { "autosim" } else { title };
    let (native, mut diagnostics) = cardan_import::autosim::translate(file, title, &mut sources, read);
    let Some(native) = native else {
        let tree = Tree { file, statements: vec![] };
        return (Resolved { sources, tree, model: None, diagnostics }, None);
    };
    let file = sources.add(format!("{title}.mbs"), native.text.clone());
    let (tree, mut findings) = cardan_syntax::parse(file, &native.text);
    let incomplete = findings.has_errors();
    let (model, more) = cardan_lang::resolve(&tree, &sources);
    if !incomplete {
        findings.append(more);
    }
    diagnostics.append(native.back(file, findings));
    let model = model.filter(|_| !incomplete);
    (Resolved { sources, tree, model, diagnostics }, Some(native.text))
}
