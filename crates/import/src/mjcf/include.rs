//! Included files: `<include file="…"/>` stands for the contents of that file's outermost element.

use cardan_base::{Diagnostic, Set, Sources};

use crate::codes;
use crate::findings::Findings;
use crate::xml::{self, Element, MAX_DEPTH};

/// Gives the text of a file by the path written, if it can be had.
pub type Reader<'r> = dyn FnMut(&str) -> Option<String> + 'r;

/// Files included in one another deeper than this run in a circle.
const MAX_INCLUDES: usize = 20;

/// No more files than this are included, all together.
const MAX_FILES: usize = 1_000;

/// All inclusions below an element replaced by what they stand for. Each file is included at most once, as in MuJoCo; files that include
/// others several times would grow without bounds.
pub(super) fn expand(
    root: &mut Element,
    sources: &mut Sources,
    read: &mut Reader<'_>,
    findings: &mut Findings,
) {
    Inclusion { sources, read, findings, files: Set::default() }.expand_below(root, 0, 0);
}

/// The inclusions of one robot.
struct Inclusion<'a, 'r> {
    sources: &'a mut Sources,
    read: &'a mut Reader<'r>,
    findings: &'a mut Findings,
    /// What has been included so far.
    files: Set<String>,
}

impl Inclusion<'_, '_> {
    fn expand_below(&mut self, e: &mut Element, n_includes: usize, depth: usize) {
        if depth > MAX_DEPTH {
            let found =
                Diagnostic::error(codes::DEPTH, format!("elements are nested more than {MAX_DEPTH} deep"));
            self.findings.push(found.at(e.span, "too deep").hint("flatten the tree"));
            e.children.clear();
            return;
        }
        let mut out = vec![];
        for mut child in std::mem::take(&mut e.children) {
            if child.name != "include" {
                self.expand_below(&mut child, n_includes, depth + 1);
                out.push(child);
                continue;
            }
            let Some(mut included) = self.contents(&child, n_includes) else { continue };
            self.expand_below(&mut included, n_includes + 1, depth);
            out.extend(included.children);
        }
        e.children = out;
    }

    /// The outermost element of the file that an element names.
    fn contents(&mut self, e: &Element, n_includes: usize) -> Option<Element> {
        let Some(file) = e.attribute("file") else {
            self.findings.push(crate::findings::missing(
                e.span,
                "the file to include",
                "write `<include file=\"…\"/>`",
            ));
            return None;
        };
        if n_includes >= MAX_INCLUDES {
            let found = Diagnostic::error(codes::FILE, "files include one another in a circle");
            self.findings
                .push(found.at(file.span, "included too deeply").hint("remove one of the inclusions"));
            return None;
        }
        let path = file.value.trim_start_matches("./");
        if !self.files.insert(path.to_owned()) {
            let found =
                Diagnostic::error(codes::FILE, format!("the file `{}` is included twice", file.value));
            self.findings
                .push(found.at(file.span, "included here again").hint("remove one of the inclusions"));
            return None;
        }
        if self.files.len() > MAX_FILES {
            let found = Diagnostic::error(codes::FILE, format!("more than {MAX_FILES} files are included"));
            self.findings.push(found.at(file.span, "one too many").hint("put several of them into one file"));
            return None;
        }
        let Some(text) = (self.read)(&file.value) else {
            let found = Diagnostic::error(codes::FILE, format!("the file `{}` cannot be read", file.value));
            self.findings.push(
                found.at(file.span, "included here").hint("put the file beside the one that includes it"),
            );
            return None;
        };
        let id = self.sources.add(file.value.clone(), text.clone());
        match xml::parse(id, &text) {
            Ok(root) => Some(root),
            Err(found) => {
                self.findings.push(*found);
                None
            }
        }
    }
}
