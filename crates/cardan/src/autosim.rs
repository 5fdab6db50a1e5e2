//! AUTOSIM's language ▶ native text ▶ model.

use cardan_base::{Sources, Span};
use cardan_import::mjcf::Reader;
use cardan_model::Model;
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
        // Routines that are loaded may hold more than one text needs, and AUTOSIM's symbols come by themselves.
        more.into_iter().filter(|d| d.code != cardan_lang::codes::UNUSED).for_each(|d| findings.push(d));
    }
    diagnostics.append(native.back(file, findings));
    let mut model = model.filter(|_| !incomplete);
    if let Some(model) = &mut model {
        point_back(model, |span| match span.file == file {
            true => native.origin(span.start as usize, span.end as usize).unwrap_or(span),
            false => span,
        });
    }
    (Resolved { sources, tree, model, diagnostics }, Some(native.text))
}

/// Lets what is found later, at assembly or in a run, point into the text that was given.
fn point_back(model: &mut Model, origin: impl Fn(Span) -> Span) {
    let move_to = |span: &mut Option<Span>| *span = span.map(&origin);
    model.bodies.iter_mut().for_each(|(_, b)| move_to(&mut b.span));
    model.joints.iter_mut().for_each(|(_, j)| move_to(&mut j.span));
    model.constraints.iter_mut().for_each(|(_, c)| move_to(&mut c.span));
    model.loads.iter_mut().for_each(|(_, l)| move_to(&mut l.span));
    model.parameters.iter_mut().for_each(|(_, p)| move_to(&mut p.quantity.span));
    model.coordinates.iter_mut().for_each(|(_, q)| move_to(&mut q.quantity.span));
    model.speeds.iter_mut().for_each(|(_, u)| move_to(&mut u.quantity.span));
}
