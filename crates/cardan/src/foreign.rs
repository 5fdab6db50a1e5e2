//! Texts of other formats ▶ model: URDF and MJCF.

use cardan_base::Sources;
use cardan_import::{ImportOptions, mjcf::Reader};
use cardan_syntax::Tree;

use crate::Resolved;

/// text of another format ▶ model. The outermost element tells the format; files that the text includes come through `read`,
/// by the paths written. The tree of what comes back has no statements.
pub fn import_text(name: &str, text: &str, read: &mut Reader<'_>, options: &ImportOptions) -> Resolved {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (model, diagnostics) = cardan_import::import(file, &mut sources, read, options);
    Resolved { sources, tree: Tree { file, statements: vec![] }, model, diagnostics, taken: vec![] }
}
