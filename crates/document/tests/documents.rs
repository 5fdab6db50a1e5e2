//! Documents of every model in every format: well formed, complete, the same each time; typeset where LaTeX is there.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use std::path::Path;
use std::process::Command;

use cardan_document::{Block, Document, Formula, Section, Style, describe, html, latex, readable, rtf};
use cardan_expr::print::Layout;
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
    paths.iter().map(read).filter(|(_, m)| m.speeds.len() <= 20).collect()
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

/// A column of results may have another unit than formulas; words of the text take the place of those that joints give.
#[test]
fn units_of_results_are_told_beside_those_of_formulas() {
    let text = "model p\nbody b on N by rotate(y = phi) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
        show phi in [deg] \"swing\", der(phi) in [rpm]\n";
    let model = cardan_lang::compile_text("p", text).model.unwrap();
    let page = html(&document(&model, Style::Formulas));
    for words in ["rad, in results °", "rad/s, in results rpm", "swing"] {
        assert!(page.contains(words), "{words}");
    }
}

/// Every table, load, body with mass and constraint of a model is in its document, by its name.
#[test]
fn nothing_of_a_model_is_left_out() {
    let (mut tables, mut loads) = (0, 0);
    for (name, model) in library() {
        let document = document(&model, Style::Formulas);
        let page = html(&document);
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
        let massive = model.bodies.iter().filter(|(_, b)| !b.is_massless(&model.space));
        let names = massive.map(|(_, b)| b.name.clone());
        let names = names.chain(model.loads.iter().map(|(_, l)| l.name.clone()));
        let names = names.chain(model.constraints.iter().map(|(_, c)| c.name.clone()));
        for thing in names.chain(model.tables.iter().map(|(_, t)| t.name.clone())) {
            assert!(page.contains(&escaped(&thing)), "{name} lacks {thing}");
        }
        tables += model.tables.len();
        loads += model.loads.len();
        // Tables and comparisons are mathematics, not code.
        let (tex, rich) = (latex(&document), rtf(&document));
        for code in ["{table}", "{external}", "{abs}", "{not}", "{less}", "{floor}", "{select}"] {
            assert!(!tex.contains(code), "{name}: {code}");
        }
        for code in [" table(", " abs(", "not(", " external("] {
            assert!(!rich.contains(code), "{name}: {code}");
        }
        // Every row of a table has as many cells as edges.
        for row in rich.split("\\trowd").skip(1) {
            let row = row.split("\\row").next().unwrap();
            assert_eq!(row.matches("\\cellx").count(), row.matches("\\cell").count() / 2, "{name}: {row}");
        }
        // Nobody reads fifteen digits.
        let long = tex.split(|c: char| !c.is_ascii_digit()).find(|digits| digits.len() > 12);
        assert_eq!(long, None, "{name}");
    }
    assert!(tables >= 4 && loads >= 10, "{tables} tables, {loads} loads");
}

/// A block of procedures is set as mathematics: cases, bars, signs of inequality.
#[test]
fn events_are_mathematics() {
    let text = "model e\ndiscrete fire = 0, off = 0 [s]\ntable lift(x [m]) [N] = linear { 0: 0, 1: 2, 2: 3 } \"what the wing bears\"\n\
        body b on N by prismatic(x) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2] }\n\
        force f on b.cm from N = -lift(b.q) * fire * N.x\n\
        when abs(b.q) > 0.5 [m] and fire != 1 { fire := 1; off := t + 1 [s] }\nevery 0.25 [s] { fire := 0 }\n";
    let compiled = cardan_lang::compile_text("e", text);
    let model = compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let document = document(&model, Style::Formulas);
    let tex = latex(&document);
    for part in [
        "\\text{when}\\quad  & \\left|q_{\\mathrm{b}}\\right| > 0.5 \\wedge \\mathit{fire} \\ne 1",
        "\\mathit{fire} &\\mathrel{:=} 1",
        "\\text{every}\\quad  & 0.25",
        "\\mathit{lift}(q_{\\mathrm{b}})",
        "plot coordinates",
    ] {
        assert!(tex.contains(part), "no {part} in {tex}");
    }
    // What the table is, takes and gives.
    let page = html(&document);
    for part in ["What the wing bears.", "lift(x [m]) [N]", "value [N]"] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let rich = rtf(&document);
    assert!(rich.contains("{\\i lift}({\\i q}{\\sub b})"), "{rich}");
}

/// Brackets around a sum beside a broken one stay: x (a0 + … + a40) (b + c).
#[test]
fn a_sum_beside_broken_brackets_keeps_its_own() {
    let letter = |name: String| Layout::Symbol(name);
    let long = Layout::Sum((0..40).map(|k| (false, letter(format!("a{k}")))).collect());
    let short = Layout::Sum(vec![(false, letter("b".into())), (false, letter("c".into()))]);
    for factors in [vec![long.clone(), short.clone()], vec![short, long]] {
        let mut section = Section::new("s");
        let right = Formula::Scalar(Layout::Product(factors, vec![]));
        section.equation(Formula::Name("y".into()), right);
        let document = Document { sections: vec![section], ..Document::default() };
        assert!(latex(&document).contains("(b + c)"), "{}", latex(&document));
        let page = html(&document);
        assert!(page.contains("<mo>(</mo><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow><mo>)</mo>"), "{page}");
    }
}

/// Typesets every document without errors, without lines beyond the margin and without shrinking any, if there is a LaTeX.
#[test]
fn latex_typesets() {
    if !Command::new("pdflatex").arg("--version").output().is_ok_and(|o| o.status.success()) {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    std::fs::create_dir_all(&folder).unwrap();
    let typeset = |name: &str, model: &Model| {
        std::fs::write(folder.join(format!("{name}.tex")), latex(&document(model, Style::Formulas))).unwrap();
        let command = ["-interaction=nonstopmode", "-halt-on-error", &format!("{name}.tex")];
        let output = Command::new("pdflatex").args(command).current_dir(&folder).output().unwrap();
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {log}");
        let points = |line: &str| -> Option<f64> {
            line.strip_prefix("Overfull \\hbox (")?.split_once("pt")?.0.parse().ok()
        };
        let wide: Vec<&str> = log.lines().filter(|l| points(l).is_some_and(|p| p > 5.0)).collect();
        assert!(wide.is_empty(), "{name}: {wide:?}");
        assert!(!log.contains("Shrunk to fit"), "{name}: a line was shrunk");
    };
    let models = library();
    std::thread::scope(|scope| {
        for part in models.chunks(models.len().div_ceil(2)) {
            // A model's pool is for one thread at a time.
            let texts: Vec<(String, Model)> = part.to_vec();
            let typeset = &typeset;
            scope.spawn(move || texts.iter().for_each(|(name, model)| typeset(name, model)));
        }
    });
}

/// No formula, table or figure of a page is wider than its place, if there is a browser.
#[test]
fn pages_fit_their_width() {
    let browser = ["chromium", "chromium-browser", "google-chrome"];
    let works = |b: &&str| Command::new(b).arg("--version").output().is_ok_and(|o| o.status.success());
    let Some(browser) = browser.iter().find(|b| works(b)) else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    let looked_at = ["spacecraft", "squeezer", "coaster", "whipple-bicycle"];
    let script = "<script>addEventListener('load', () => { const wide = [...document.querySelectorAll('div.formula, table, svg, pre')]\
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth);\
        document.body.innerHTML = 'wide: ' + wide.length + ' of ' + document.querySelectorAll('div.formula').length + ' ' + wide.map(e => e.textContent.slice(0, 60)).join(' | '); })</script>";
    // One page with all of them: a browser is slow to start.
    let mut all = String::new();
    let models: Vec<_> = library().into_iter().filter(|(n, _)| looked_at.contains(&n.as_str())).collect();
    for (_, model) in &models {
        all += &html(&document(model, Style::Formulas)).replace("</body>", "").replace("</html>", "");
    }
    let path = folder.join("all.html");
    std::fs::write(&path, all + script + "</body></html>").unwrap();
    let place = format!("file://{}", path.display());
    let command =
        ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,900", "--dump-dom", &place];
    let output = Command::new(browser).args(command).output().unwrap();
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some((_, found)) = page.split_once("wide: ") else {
        // A browser that cannot start says nothing about pages.
        assert!(!output.status.success(), "{page}");
        return;
    };
    assert_eq!(models.len(), looked_at.len());
    assert!(
        found.starts_with("0 of ") && !found.starts_with("0 of 0"),
        "{}",
        &found[..found.len().min(2000)]
    );
}
