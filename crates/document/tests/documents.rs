//! Documents of every model in every format: well formed, complete, the same each time; typeset where LaTeX is there.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use std::path::Path;
use std::process::Command;

use cardan_document::{Block, Document, Style, describe, html, latex, readable, rtf};
use cardan_model::Model;

fn library() -> Vec<(String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mbs"));
    paths.sort();
    let read = |p: &std::path::PathBuf| {
        let name = p.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(p).unwrap();
        (name.clone(), cardan_lang::compile_text(&name, &text).model.unwrap())
    };
    // The largest say nothing that the others do not.
    paths.iter().map(read).filter(|(_, m)| m.speeds.len() <= 12).collect()
}

fn document(model: &Model, style: Style) -> Document {
    describe(&readable(model, None).unwrap(), style)
}

fn balanced(text: &str, open: char, close: char) -> bool {
    let escaped = text.replace(&format!("\\{open}"), "").replace(&format!("\\{close}"), "");
    escaped.matches(open).count() == escaped.matches(close).count()
}

#[test]
fn every_model_has_every_chapter_in_every_format() {
    for (name, model) in library() {
        let document = document(&model, Style::Formulas);
        let titles: Vec<&str> = document.sections.iter().map(|s| s.title.as_str()).collect();
        for chapter in ["Symbols", "Topology", "Kinematics", "Operation counts"] {
            assert!(titles.contains(&chapter), "{name} lacks {chapter}: {titles:?}");
        }
        let loops = !model.constraints.is_empty();
        assert_eq!(titles.contains(&"Constraints"), loops && name != "door", "{name}");
        assert_eq!(titles.contains(&"Events"), !model.hybrid.events.is_empty(), "{name}");
        let equations = document.sections.iter().flat_map(|s| &s.blocks);
        let equations = equations.filter(|b| matches!(b, Block::Equation(_))).count();
        assert!(equations >= model.speeds.len(), "{name} has {equations} equations");

        let tex = latex(&document);
        assert!(balanced(&tex, '{', '}'), "{name}: braces in LaTeX");
        assert_eq!(tex.matches("\\begin{").count(), tex.matches("\\end{").count(), "{name}");
        let page = html(&document);
        for tag in ["math", "mrow", "mtd", "table", "section", "svg", "msub"] {
            let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
            let opened =
                page.matches(&format!("{open}>")).count() + page.matches(&format!("{open} ")).count();
            assert_eq!(opened, page.matches(&close).count(), "{name}: {tag}");
        }
        let rich = rtf(&document);
        assert!(rich.is_ascii() && balanced(&rich, '{', '}'), "{name}: RTF");
        for (_, p) in model.parameters.iter().filter(|(_, p)| p.quantity.description.is_ascii()) {
            assert!(page.contains(&p.quantity.description), "{name}: {}", p.quantity.name);
        }
    }
}

#[test]
fn the_same_model_gives_the_same_document() {
    let (_, model) = library().swap_remove(0);
    let one = latex(&document(&model, Style::Formulas));
    assert_eq!(one, latex(&document(&model, Style::Formulas)));
}

/// M, k, q of a pendulum against the closed form: m l² φ̈ + m g l sin φ = 0.
#[test]
fn listings_are_those_of_the_older_programs() {
    let text = "model p\nparameter m = 2 [kg], l = 3 [m], g = 9.81 [m/s^2]\ngravity = -g * N.z\n\
        body b on N by rotate(y = phi) { mass = m; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -l) }\n";
    let model = cardan_lang::compile_text("p", text).model.unwrap();
    let listing = |style: Style| -> Vec<String> {
        let document = document(&model, style);
        let blocks = document.sections.into_iter().flat_map(|s| s.blocks);
        blocks
            .filter_map(|b| if let Block::Listing(lines) = b { Some(lines) } else { None })
            .flatten()
            .collect()
    };
    let neweul = listing(Style::Neweul);
    assert!(neweul.contains(&"K(1) = 0".to_owned()), "{neweul:?}");
    assert_eq!(neweul.iter().filter(|l| l.starts_with("M(1,1) = ")).count(), 1, "{neweul:?}");
    assert!(neweul.iter().any(|l| l.starts_with("Q(1) = ") && l.contains("sin(phi)")), "{neweul:?}");
    let robotran = listing(Style::Robotran);
    assert!(robotran.iter().any(|l| l.starts_with("Phi1 = ")), "{robotran:?}");
}

/// Typesets some documents without errors and without lines beyond the margin, if there is a LaTeX.
#[test]
fn latex_typesets() {
    if !Command::new("pdflatex").arg("--version").output().is_ok_and(|o| o.status.success()) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    std::fs::create_dir_all(&folder).unwrap();
    let typeset = ["spacecraft", "handbook-robot", "four-bar", "squeezer"];
    for (name, model) in library().into_iter().filter(|(n, _)| typeset.contains(&n.as_str())) {
        std::fs::write(folder.join(format!("{name}.tex")), latex(&document(&model, Style::Formulas)))
            .unwrap();
        let command = ["-interaction=nonstopmode", "-halt-on-error", &format!("{name}.tex")];
        let output = Command::new("pdflatex").args(command).current_dir(&folder).output().unwrap();
        let log = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {log}");
        let wide: Vec<&str> = log.lines().filter(|l| l.contains("Overfull \\hbox")).collect();
        assert!(wide.is_empty(), "{name}: {wide:?}");
    }
}
