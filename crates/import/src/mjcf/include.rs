//! Included files: `<include file="…"/>` stands for the contents of that file's outermost element.

use cardan_base::{Diagnostic, Sources};

use crate::codes;
use crate::findings::Findings;
use crate::xml::{self, Element, MAX_DEPTH};

/// Gives the text of a file by the path written, if it can be had.
pub type Reader<'r> = dyn FnMut(&str) -> Option<String> + 'r;

/// Files included in one another deeper than this run in a circle.
const MAX_INCLUDES: usize = 20;

/// All inclusions below an element replaced by what they stand for.
pub(super) fn expand(
    root: &mut Element,
    sources: &mut Sources,
    read: &mut Reader<'_>,
    findings: &mut Findings,
) {
    expand_below(root, sources, read, findings, 0, 0);
}

fn expand_below(
    e: &mut Element,
    sources: &mut Sources,
    read: &mut Reader<'_>,
    findings: &mut Findings,
    n_includes: usize,
    depth: usize,
) {
    if depth > MAX_DEPTH {
        let found =
            Diagnostic::error(codes::DEPTH, format!("elements are nested more than {MAX_DEPTH} deep"));
        findings.push(found.at(e.span, "too deep").hint("flatten the tree"));
        e.children.clear();
        return;
    }
    let mut out = vec![];
    for mut child in std::mem::take(&mut e.children) {
        if child.name != "include" {
            expand_below(&mut child, sources, read, findings, n_includes, depth + 1);
            out.push(child);
            continue;
        }
        let Some(mut included) = contents(&child, sources, read, findings, n_includes) else { continue };
        expand_below(&mut included, sources, read, findings, n_includes + 1, depth);
        out.extend(included.children);
    }
    e.children = out;
}

/// The outermost element of the file that an element names.
fn contents(
    e: &Element,
    sources: &mut Sources,
    read: &mut Reader<'_>,
    findings: &mut Findings,
    n_includes: usize,
) -> Option<Element> {
    let Some(file) = e.attribute("file") else {
        findings.push(crate::findings::missing(
            e.span,
            "the file to include",
            "write `<include file=\"…\"/>`",
        ));
        return None;
    };
    if n_includes >= MAX_INCLUDES {
        let found = Diagnostic::error(codes::FILE, "files include one another in a circle");
        findings.push(found.at(file.span, "included too deeply").hint("remove one of the inclusions"));
        return None;
    }
    let Some(text) = read(&file.value) else {
        let found = Diagnostic::error(codes::FILE, format!("the file `{}` cannot be read", file.value));
        findings
            .push(found.at(file.span, "included here").hint("put the file beside the one that includes it"));
        return None;
    };
    let id = sources.add(file.value.clone(), text.clone());
    match xml::parse(id, &text) {
        Ok(root) => Some(root),
        Err(found) => {
            findings.push(*found);
            None
        }
    }
}
