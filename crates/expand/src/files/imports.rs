//! Imports: the texts that a model needs, each read once.
//!
//! Which file a name stands for is decided by the caller's `read`: this stage neither knows folders nor opens
//! files. The standard library is the text `std`, which is part of the program. A package is a folder on the
//! search path whose name carries its version, `suspension@1.2`; one model uses one version of it.

use cardan_base::{Diagnostic, Diagnostics, FileId, Sources, Span};
use cardan_syntax::{Import, Name, Statement, StatementKind, Tree};

use crate::library::{self, Package};
use crate::{codes, data, experiment, limits, mesh, tyre_file};

/// A text that was found for an import.
#[derive(Clone, Debug)]
pub struct Found {
    /// What identifies the text and is shown in messages: two imports of one file give one name.
    pub name: String,
    /// The text.
    pub text: String,
}

/// Why a text cannot be imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such file.
    Missing,
    /// It lies outside the folder of the model and the search path.
    Outside,
    /// It cannot be read, with the reason.
    Unreadable(String),
}

/// Finds the text of an import: what is written, and the name of the text in which it stands.
pub type Read<'a> = dyn FnMut(&str, &str) -> Result<Found, Refusal> + 'a;

/// A text with the texts that it imports.
pub struct Module {
    /// The name that begins the paths of its parts; nothing for the model itself.
    pub stem: String,
    /// What identifies it.
    pub name: String,
    /// Its statements.
    pub tree: Tree,
    /// What it imports.
    pub links: Vec<Link>,
}

impl Module {
    /// Whether it holds a model.
    pub fn has_model(&self) -> bool {
        self.tree.statements.iter().any(|s| matches!(s.kind, StatementKind::Model(_)))
    }
}

/// One import.
pub struct Link {
    /// What is wanted; everything if empty.
    pub names: Vec<Name>,
    /// From which text.
    pub module: usize,
    /// What is set of an imported model.
    pub settings: Vec<Statement>,
    /// Where it is asked for.
    pub span: Span,
}

struct Loader<'a> {
    sources: &'a mut Sources,
    read: &'a mut Read<'a>,
    diagnostics: &'a mut Diagnostics,
    modules: Vec<Module>,
    /// The texts on the way to this one, with the imports that led there.
    open: Vec<(usize, Option<Span>)>,
    /// Packages with their versions and the first import of each.
    packages: Vec<(String, String, Span)>,
    incomplete: bool,
}

/// The model and all texts that it imports; the model comes first. Also whether a text could not be read whole.
/// `chosen` are texts that may name packages of the standard library: what stands in slots for this run.
pub fn load<'a>(
    root: Tree,
    chosen: &[&str],
    sources: &'a mut Sources,
    read: &'a mut Read<'a>,
    diagnostics: &'a mut Diagnostics,
) -> (Vec<Module>, bool) {
    let (name, text) = match sources.get(root.file) {
        Some(source) => (source.name.clone(), source.text.clone()),
        None => (String::new(), String::new()),
    };
    let module = Module { stem: String::new(), name, tree: root, links: vec![] };
    let mut loader = Loader {
        sources,
        read,
        diagnostics,
        modules: vec![module],
        open: vec![(0, None)],
        packages: vec![],
        incomplete: false,
    };
    loader.read_data(0);
    loader.links(0);
    chosen.iter().for_each(|choice| loader.mentioned(choice));
    loader.mentioned(&text);
    experiment::replace_starts(&mut loader.modules);
    (loader.modules, loader.incomplete)
}

impl Loader<'_> {
    /// Follows the imports of a text.
    fn links(&mut self, module: usize) {
        let imports: Vec<(Import, Span)> = imports(&self.modules[module].tree.statements);
        for (import, span) in imports {
            if let Some(target) = self.import(module, &import) {
                let Import { names, settings, .. } = import;
                self.modules[module].links.push(Link { names, module: target, settings, span });
            }
        }
    }

    fn import(&mut self, from: usize, import: &Import) -> Option<usize> {
        let span = import.file.span;
        let wanted = import.file.text.as_str();
        if let Some(package) = library::package(wanted) {
            return Some(self.standard(package));
        }
        self.package(wanted, span)?;
        let importer = self.modules[from].name.clone();
        let found = match (self.read)(wanted, &importer) {
            Ok(found) => found,
            Err(refusal) => {
                self.incomplete = true;
                self.refused(wanted, span, &refusal);
                return None;
            }
        };
        if let Some(k) = self.open.iter().position(|(m, _)| self.modules[*m].name == found.name) {
            self.incomplete = true;
            self.cycle(k, span);
            return None;
        }
        if let Some(known) = self.modules.iter().position(|m| m.name == found.name) {
            return Some(known);
        }
        if self.modules.len() >= limits::FILES {
            let d = Diagnostic::error(codes::TOO_LARGE, "too many texts are imported").at(span, "");
            self.diagnostics.push(d.hint(format!("at most {} texts make one model", limits::FILES)));
            return None;
        }
        let stem = self.stem(wanted);
        let found = match wanted
            .to_lowercase()
            .ends_with(".tir")
            .then(|| tyre_file::definition(&stem, &found.text))
        {
            None => found,
            Some(Ok(text)) => Found { text, ..found },
            Some(Err(reason)) => {
                self.incomplete = true;
                self.refused(wanted, span, &Refusal::Unreadable(reason));
                return None;
            }
        };
        let file = self.sources.add(found.name.clone(), found.text.clone());
        let (tree, findings) = cardan_syntax::parse(file, &found.text);
        self.incomplete |= findings.has_errors();
        self.diagnostics.append(findings);
        self.mentioned(&found.text);
        let target = self.modules.len();
        self.modules.push(Module { stem, name: found.name, tree, links: vec![] });
        self.read_data(target);
        self.open.push((target, Some(span)));
        self.links(target);
        self.open.pop();
        Some(target)
    }

    /// Reads the files in which the numbers of tables and the surfaces of solids stand.
    fn read_data(&mut self, module: usize) {
        let importer = self.modules[module].name.clone();
        let mut tree = std::mem::take(&mut self.modules[module].tree.statements);
        let mut tables = vec![];
        data::tables_of(&mut tree, &mut tables);
        for table in tables {
            let Some(source) = table.data.clone() else { continue };
            let found = match (self.read)(&source.path.text, &importer) {
                Ok(found) => found,
                Err(refusal) => {
                    self.refused(&source.path.text, source.path.span, &refusal);
                    continue;
                }
            };
            let file = self.sources.add(found.name, found.text.clone());
            match data::fill(table, &source, file, &found.text) {
                Ok(()) => table.data = None,
                Err(d) => self.diagnostics.push(d),
            }
        }
        let mut meshes = vec![];
        mesh::meshes_of(&mut tree, &mut meshes);
        for call in meshes {
            let Some(path) = mesh::path_of(call) else { continue };
            match (self.read)(&path.text, &importer) {
                Ok(found) => {
                    if let Err(d) = mesh::fill(call, &path, &found.text) {
                        self.diagnostics.push(d);
                    }
                }
                Err(refusal) => self.refused(&path.text, path.span, &refusal),
            }
        }
        self.modules[module].tree.statements = tree;
    }

    /// Reads the packages of the standard library that a text names in its paths.
    fn mentioned(&mut self, text: &str) {
        for package in library::PACKAGES {
            if text.contains(&format!("{}.", package.name)) {
                self.standard(package);
            }
        }
    }

    /// A package of the standard library, read when it is first needed.
    fn standard(&mut self, package: &Package) -> usize {
        if let Some(known) = self.modules.iter().position(|m| m.name == package.name) {
            return known;
        }
        let mut statements = vec![];
        let mut first = None;
        for (name, text) in package.texts {
            let file: FileId = self.sources.add(*name, *text);
            let (tree, findings) = cardan_syntax::parse(file, text);
            self.diagnostics.append(findings);
            statements.extend(tree.statements);
            first = first.or(Some(file));
        }
        let Some(file) = first else { unreachable!("a package of the library has at least one text") };
        let name = package.name.to_owned();
        let target = self.modules.len();
        let tree = Tree { file, statements };
        self.modules.push(Module { stem: name.clone(), name, tree, links: vec![] });
        for (_, text) in package.texts {
            self.mentioned(text);
        }
        target
    }

    /// The name of a file without folder and ending, made a name of the language that no other text has.
    fn stem(&self, wanted: &str) -> String {
        let file = wanted.rsplit('/').next().unwrap_or(wanted);
        let stem = file.split('.').next().unwrap_or(file);
        let mut name: String =
            stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, '_');
        }
        let taken = |name: &str| self.modules.iter().any(|m| m.stem == name);
        let first = name.clone();
        let mut k = 2;
        while taken(&name) {
            name = format!("{first}_{k}");
            k += 1;
        }
        name
    }

    /// Notes the version of a package; two versions of one do not mix.
    fn package(&mut self, wanted: &str, span: Span) -> Option<()> {
        let Some((name, version)) = wanted.split('/').find_map(|part| part.split_once('@')) else {
            return Some(());
        };
        match self.packages.iter().find(|(n, ..)| n == name) {
            None => self.packages.push((name.to_owned(), version.to_owned(), span)),
            Some((_, first, place)) if first != version => {
                let message = format!("two versions of the package `{name}` are imported");
                let d = Diagnostic::error(codes::VERSIONS, message).at(span, format!("version {version}"));
                let d = d.also(*place, format!("version {first}"));
                self.incomplete = true;
                self.diagnostics.push(d.hint(format!("import `{name}@{first}` in both places")));
                return None;
            }
            Some(_) => {}
        }
        Some(())
    }

    fn refused(&mut self, wanted: &str, span: Span, refusal: &Refusal) {
        let d = match refusal {
            Refusal::Missing => Diagnostic::error(codes::IMPORT, format!("there is no file `{wanted}`"))
                .at(span, "")
                .hint("name a file below the folder of the model, or give its folder: `--path DIR`"),
            Refusal::Outside => {
                let message = format!("`{wanted}` lies outside the folder of the model");
                Diagnostic::error(codes::IMPORT, message)
                    .at(span, "")
                    .because("a text reads only files below its own folder and on the search path")
                    .hint("copy the file below the folder of the model, or give its folder: `--path DIR`")
            }
            Refusal::Unreadable(reason) => {
                Diagnostic::error(codes::IMPORT, format!("`{wanted}` cannot be read: {reason}"))
                    .at(span, "")
                    .hint("save it as UTF-8 text that can be read")
            }
        };
        self.diagnostics.push(d);
    }

    fn cycle(&mut self, first: usize, span: Span) {
        let names: Vec<&str> = self.open[first..].iter().map(|(m, _)| &*self.modules[*m].name).collect();
        let round = format!("{} -> {}", names.join(" -> "), names[0]);
        let mut d = Diagnostic::error(codes::IMPORT_CYCLE, "these texts import one another");
        d = d.at(span, "this import closes the circle");
        for (_, place) in self.open[first..].iter().skip(1) {
            if let Some(place) = place {
                d = d.also(*place, "and this one leads to it");
            }
        }
        let help = "move what both need into a text of its own, and import that";
        self.diagnostics.push(d.because(round).hint(help));
    }
}

/// The imports of a text, those inside its model included.
fn imports(statements: &[Statement]) -> Vec<(Import, Span)> {
    let mut found = vec![];
    for statement in statements {
        match &statement.kind {
            StatementKind::Import(import) => found.push((import.clone(), statement.span)),
            StatementKind::Model(block) => found.extend(imports(&block.content)),
            _ => {}
        }
    }
    found
}
