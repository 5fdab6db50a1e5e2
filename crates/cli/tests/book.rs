//! The book is true: its models are checked and run, its commands executed, its equations found in the sources.
//!
//! Blocks of a page are worked through in order, in a folder of the page's own that holds a copy of `models/`:
//!
//! ```text
//! mbs [run] [NAME.mbs]     a whole model: checked without errors or warnings, run if so marked, kept under its name
//! mbs wrong CODE           a text about which CODE is said
//! xml NAME, lisp NAME      a mechanism of another format, kept under its name
//! csv NAME                 data, kept under its name
//! sh                       lines that begin with `cardan ` are executed; `# exit 1` at the end is the expected code
//! text output              lines that the commands of the block before must have said; `…` stands for anything
//! text                     on the pages of theory: lines that begin with a [label] stand so in the sources
//! ```

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Files below a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The pages of the book with their paths below `book/src`.
fn pages() -> Vec<(String, String)> {
    let source = Path::new(ROOT).join("book/src");
    let name = |p: &PathBuf| p.strip_prefix(&source).unwrap().to_string_lossy().replace('\\', "/");
    let pages: Vec<_> =
        files(&source, ".md").iter().map(|p| (name(p), std::fs::read_to_string(p).unwrap())).collect();
    assert!(pages.len() > 30, "the book has {} pages", pages.len());
    pages
}

/// The page that everybody reads first.
fn front_page() -> (String, String) {
    ("../README.md".into(), std::fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap())
}

/// A fenced block: the words after the fence, and the content.
struct Block<'a> {
    words: Vec<&'a str>,
    content: String,
    line: usize,
}

impl Block<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block> = Vec::new();
    let mut inside = false;
    for (k, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), false) => {
                found.push(Block {
                    words: info.split_whitespace().collect(),
                    content: String::new(),
                    line: k + 1,
                });
                inside = true;
            }
            (Some(_), true) => inside = false,
            (None, true) => {
                let block = found.last_mut().unwrap();
                block.content += line;
                block.content.push('\n');
            }
            (None, false) => {}
        }
    }
    assert!(!inside, "a block is not closed:\n{page}");
    found
}

/// Where the blocks of one page are worked through.
struct Desk {
    folder: PathBuf,
    page: String,
    /// What the last commands said.
    said: String,
}

impl Desk {
    fn new(page: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{}", page.replace(['/', '.'], "-")));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("models")).unwrap();
        let library = Path::new(ROOT).join("models");
        for model in [".mbs", ".lsp"].iter().flat_map(|ending| files(&library, ending)) {
            let copy = folder.join("models").join(model.strip_prefix(&library).unwrap());
            std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
            std::fs::copy(&model, copy).unwrap();
        }
        Desk { folder, page: page.to_owned(), said: String::new() }
    }

    /// Runs a command line; gives its exit code, and remembers what it said.
    fn shell(&mut self, line: &str) -> i32 {
        let cardan = Path::new(env!("CARGO_BIN_EXE_cardan")).parent().unwrap();
        let path = format!("{}:{}", cardan.display(), std::env::var("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .args(["-c", line])
            .env("PATH", path)
            .env("XDG_CACHE_HOME", self.folder.join("cache"))
            .current_dir(&self.folder)
            .output()
            .unwrap();
        self.said += &String::from_utf8_lossy(&output.stdout);
        self.said += &String::from_utf8_lossy(&output.stderr);
        output.status.code().unwrap_or(-1)
    }

    fn work(&mut self, block: &Block) {
        let place = format!("{}:{}", self.page, block.line);
        match block.words.first() {
            Some(&"mbs") => {
                let name = block.words.iter().find(|w| w.ends_with(".mbs")).unwrap_or(&"example.mbs");
                std::fs::write(self.folder.join(name), &block.content).unwrap();
                self.said.clear();
                if let Some(k) = block.words.iter().position(|w| *w == "wrong") {
                    self.shell(&format!("cardan check {name}"));
                    assert!(
                        self.said.contains(&format!("[{}]", block.words[k + 1])),
                        "{place}\n{}",
                        self.said
                    );
                    return;
                }
                let code = self.shell(&format!("cardan check {name}"));
                assert!(code == 0 && !self.said.contains("warning["), "{place}\n{}", self.said);
                if block.has("run") {
                    assert_eq!(self.shell(&format!("cardan run {name}")), 0, "{place}\n{}", self.said);
                    assert!(!self.said.contains("warning"), "{place}\n{}", self.said);
                }
            }
            Some(&("xml" | "lisp" | "csv")) => {
                if let Some(name) = block.words.get(1) {
                    std::fs::write(self.folder.join(name), &block.content).unwrap();
                }
            }
            Some(&"sh") => {
                self.said.clear();
                for line in block.content.lines().filter(|l| l.starts_with("cardan ")) {
                    let expected =
                        line.split_once("# exit ").map_or(0, |(_, code)| code.trim().parse().unwrap());
                    assert_eq!(self.shell(line), expected, "{place}: {line}\n{}", self.said);
                }
            }
            Some(&"text") if block.has("output") => {
                let wanted: Vec<&str> = block.content.lines().flat_map(|l| l.split('…')).collect();
                for part in wanted.iter().map(|p| p.trim()).filter(|p| !p.is_empty()) {
                    assert!(self.said.contains(part), "{place}: nobody said `{part}`\n{}", self.said);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn models_commands_and_outputs_are_real() {
    let (mut models, mut runs) = (0, 0);
    for (name, text) in pages().into_iter().chain([front_page()]) {
        let mut desk = Desk::new(&name);
        for block in blocks(&text) {
            models += usize::from(block.words.first() == Some(&"mbs"));
            runs += usize::from(block.has("run"));
            desk.work(&block);
        }
        std::fs::remove_dir_all(&desk.folder).unwrap();
    }
    assert!(models > 30 && runs > 12, "{models} models, {runs} runs");
}

/// A word of a command line as the shell reads it, with whether it is quoted.
fn shell_words(line: &str) -> Vec<(String, bool)> {
    let mut words = vec![(String::new(), false)];
    let mut quote = None;
    for c in line.chars() {
        let last = words.last_mut().expect("there is a first word");
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => (quote, last.1) = (Some(c), true),
            (None, ' ') => words.push((String::new(), false)),
            _ => last.0.push(c),
        }
    }
    words
}

/// zsh, the shell of macOS, refuses a word in brackets that names no file.
#[test]
fn values_with_units_are_quoted_in_every_command() {
    let mut seen = 0;
    for (name, text) in pages().into_iter().chain([front_page()]) {
        for block in blocks(&text).into_iter().filter(|b| b.words.first() == Some(&"sh")) {
            for line in block.content.lines().filter(|l| l.starts_with("cardan ")) {
                for (word, quoted) in shell_words(line.split(" #").next().unwrap_or(line)) {
                    let is_value = word.contains('[');
                    seen += usize::from(is_value);
                    assert!(quoted || !is_value, "{name}:{}: `{word}` needs quotes in zsh", block.line);
                }
            }
        }
    }
    assert!(seen > 30, "{seen} values with units");
}

#[test]
fn the_summary_lists_every_page_and_nothing_else() {
    let pages = pages();
    let summary = &pages.iter().find(|(name, _)| name == "SUMMARY.md").unwrap().1;
    let listed: BTreeSet<&str> =
        summary.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(path, _)| path).collect();
    let there: BTreeSet<&str> =
        pages.iter().map(|(name, _)| name.as_str()).filter(|n| *n != "SUMMARY.md").collect();
    assert_eq!(listed, there);
}

#[test]
fn every_model_has_its_page_and_its_picture() {
    let models = files(&Path::new(ROOT).join("models"), ".mbs");
    // Routines are parts of models.
    for model in models.iter().filter(|m| !m.to_string_lossy().contains("/routines/")) {
        let stem = model.file_stem().unwrap().to_string_lossy().into_owned();
        let folder = Path::new(ROOT).join("book/src/models");
        // What is done with another model stands on that one's page.
        let text = std::fs::read_to_string(model).unwrap();
        let other = text.lines().find_map(|line| line.split_once(" from \"")?.1.strip_suffix(".mbs\""));
        if let Some(other) = other {
            let page = std::fs::read_to_string(folder.join(format!("{other}.md"))).unwrap();
            assert!(page.contains(&format!("`{stem}.mbs`")), "{stem}");
            continue;
        }
        let path = model.strip_prefix(ROOT).unwrap().to_string_lossy().into_owned();
        // Models of any size have one page together.
        if path.starts_with("models/large/") {
            let page = std::fs::read_to_string(folder.join("large.md")).unwrap();
            assert!(page.contains(&path), "{path}");
            continue;
        }
        let page = std::fs::read_to_string(folder.join(format!("{stem}.md")))
            .unwrap_or_else(|e| panic!("{stem}: {e}"));
        assert!(page.contains(&path) && page.contains(&format!("({stem}.png)")), "{path}");
        let size = std::fs::metadata(folder.join(format!("{stem}.png"))).unwrap().len();
        assert!(size > 4_000 && size <= 120_000, "{stem}.png has {size} bytes");
    }
}

/// Words as code somewhere in the language reference: `` `word` `` or `` `word(…)` ``, or in a block.
#[test]
fn the_reference_knows_every_word() {
    let text: String =
        pages().into_iter().filter(|(name, _)| name.starts_with("language/")).map(|(_, t)| t).collect();
    let words: BTreeSet<&str> = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let vocabulary = cardan::lang::vocabulary::joints().into_iter().map(|(n, _)| n);
    let vocabulary = vocabulary.chain(cardan::lang::vocabulary::closing_joints());
    let vocabulary = vocabulary.chain(
        cardan::lang::vocabulary::elements()
            .into_iter()
            .flat_map(|(n, p, s)| [vec![n], p, s.to_vec()].concat()),
    );
    let vocabulary = vocabulary.chain(cardan::lang::vocabulary::functions().into_iter().map(|(n, _)| n));
    let vocabulary = vocabulary.chain(
        cardan::lang::vocabulary::shapes().into_iter().flat_map(|(n, a)| [vec![n], a.to_vec()].concat()),
    );
    let vocabulary = vocabulary
        .chain(cardan::lang::vocabulary::experiments().into_iter().flat_map(|(n, s)| [vec![n], s].concat()));
    let syntax = [
        cardan::syntax::words::RESERVED,
        cardan::syntax::words::STATEMENTS,
        cardan::syntax::words::EXPERIMENTS,
        cardan::syntax::words::TABLE_METHODS,
    ];
    let missing: Vec<&str> = vocabulary.chain(syntax.concat()).filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "the language reference does not mention {missing:?}");
    // Functions are shown as they are written.
    for (name, form) in cardan::lang::vocabulary::functions() {
        assert!(text.contains(&format!("`{form}`")), "{name} is written `{form}`");
    }
    for (name, example) in cardan::lang::vocabulary::joints() {
        assert!(text.contains(&format!("`{example}`")), "{name} is written `{example}`");
    }
}

#[test]
fn every_element_of_the_library_is_listed() {
    let pages = pages();
    let page = &pages.iter().find(|(name, _)| name == "language/library.md").unwrap().1;
    for entry in cardan::expand::reference::entries() {
        let name = entry.path.rsplit('.').next().unwrap();
        let folder = if entry.path.starts_with("std.vehicle.") { "library/vehicle" } else { "library" };
        let picture = format!("{folder}/{name}.svg");
        let row = format!("| `{}` | {} | ![{name}]({picture}) |", entry.path, entry.title);
        assert!(page.contains(&row), "the page of the library lacks: {row}");
        let picture = Path::new(ROOT).join("book/src/language").join(picture);
        let text = std::fs::read_to_string(&picture).unwrap_or_else(|e| panic!("{}: {e}", picture.display()));
        let n_drawn = ["<path", "<circle", "<rect", "<text"].iter().map(|mark| text.matches(mark).count());
        assert!(text.starts_with("<svg") && n_drawn.sum::<usize>() > 1, "{} is empty", picture.display());
    }
}

#[test]
fn every_message_is_in_the_index() {
    let pages = pages();
    let index = &pages.iter().find(|(name, _)| name == "messages/index.md").unwrap().1;
    for page in files(&Path::new(ROOT).join("docs/errors"), ".md") {
        let heading = std::fs::read_to_string(&page).unwrap().lines().next().unwrap_or("").replace("# ", "");
        let (code, title) = heading.split_once(": ").unwrap();
        let line = format!("[{code}](../../../docs/errors/{code}.md) | {title} |");
        assert!(index.contains(&line), "the index lacks: | {line}");
    }
}

/// Runs of blanks as one.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_equations_of_the_theory_stand_in_the_sources() {
    let mut lines = BTreeSet::new();
    for krate in std::fs::read_dir(Path::new(ROOT).join("crates")).unwrap() {
        let source = krate.unwrap().path().join("src");
        for file in if source.exists() { files(&source, ".rs") } else { vec![] } {
            let text = std::fs::read_to_string(file).unwrap();
            let documented = |l: &str| l.starts_with("//!") || l.starts_with("///");
            lines.extend(text.lines().map(str::trim_start).filter(|l| documented(l)).map(|l| plain(&l[3..])));
        }
    }
    let mut compared = 0;
    for (name, text) in pages().into_iter().filter(|(name, _)| name.starts_with("theory/")) {
        for block in blocks(&text).iter().filter(|b| b.words == ["text"]) {
            for line in block.content.lines().filter(|l| l.starts_with('[')) {
                assert!(lines.contains(&plain(line)), "{name}: not in the sources: {line}");
                compared += 1;
            }
        }
        for path in text.split('`').filter(|p| p.starts_with("crates/") && !p.contains(char::is_whitespace)) {
            assert!(Path::new(ROOT).join(path).exists(), "{name}: there is no {path}");
        }
    }
    assert!(compared > 30, "{compared} equations");
}
