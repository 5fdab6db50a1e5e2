//! The HTML file: one template, filled once.
//!
//! What can be read without scripts (summary, equations, model text, tables, warnings) is written as HTML here; motion,
//! plots and energy are drawn by `assets/page/*.js` from the packed data.

pub mod highlight;
pub mod markup;
pub mod modules;
pub mod pack;

use crate::page::highlight::highlight;
use crate::page::markup::{allow, escape, script_json};
use crate::page::pack::pack;
use crate::report::{EquationBlock, Grade, Level, Notice, Report, Table};

const TEMPLATE: &str = include_str!("../../assets/page.html");
pub(crate) const STYLE: &str = include_str!("../../assets/page.css");
const VENDOR_STYLE: &str = include_str!("../../assets/vendor.css");
const VENDOR: &str = include_str!("../../assets/vendor.js");
const LICENSES: [(&str, &str); 2] = [
    ("three.js", include_str!("../../assets/licenses/three.txt")),
    ("uPlot", include_str!("../../assets/licenses/uplot.txt")),
];

/// Our scripts in the order in which they build on one another.
const SCRIPTS: [&str; 17] = [
    include_str!("../../assets/page/data.js"),
    include_str!("../../assets/page/player.js"),
    include_str!("../../assets/page/solids.js"),
    include_str!("../../assets/page/screen_size.js"),
    include_str!("../../assets/page/camera.js"),
    include_str!("../../assets/page/ground.js"),
    include_str!("../../assets/page/pointer.js"),
    include_str!("../../assets/page/stage.js"),
    include_str!("../../assets/page/chart.js"),
    include_str!("../../assets/page/export.js"),
    include_str!("../../assets/page/xy_plots.js"),
    include_str!("../../assets/page/plots.js"),
    include_str!("../../assets/page/compare.js"),
    include_str!("../../assets/page/chapters.js"),
    include_str!("../../assets/page/modules.js"),
    include_str!("../../assets/page/view_state.js"),
    include_str!("../../assets/page/page.js"),
];

/// The whole report as one HTML text that needs nothing else to be shown.
pub fn render_page(report: &Report) -> String {
    let title = if report.title.is_empty() { "Report" } else { &report.title };
    let scripts = SCRIPTS.join("\n");
    let data = script_json(&pack(report).to_string());
    let or_note = |html: String, note: &str| {
        if html.is_empty() { format!("<p class=\"empty\">{note}</p>") } else { html }
    };
    let hidden = |nothing: bool| if nothing { "hidden" } else { "" };
    let energy = &report.energy;
    fill(
        TEMPLATE,
        &[
            ("title", &escape(title)),
            ("description", &escape(&report.description)),
            ("generated_by", &escape(&report.generated_by)),
            ("results", &summary(&report.results)),
            ("summary", &summary(&report.summary)),
            ("badges", &badges(report)),
            ("audit", &audit(report)),
            ("energy_hidden", hidden(energy.rows.is_empty() && energy.verdict.is_none())),
            ("equations", &or_note(equations(&report.equations), "This report has no equations.")),
            ("equations_hidden", hidden(report.equations.is_empty())),
            ("drawing", &drawing(&report.drawing)),
            ("modules", &modules::modules(&report.structure)),
            ("model", &or_note(model(&report.model_text), "This report has no model text.")),
            ("tables", &tables(&report.tables)),
            ("tables_hidden", hidden(report.tables.is_empty())),
            ("warnings", &or_note(notices(&report.warnings), "Nothing to report: no warnings.")),
            ("warning_count", &warning_count(&report.warnings)),
            ("licenses", &licenses()),
            ("vendor_style", VENDOR_STYLE),
            ("style", STYLE),
            ("vendor", VENDOR),
            ("scripts", &scripts),
            ("data", &data),
        ],
    )
}

/// `template` with each `{{key}}` replaced. Values are not searched again, so a value may contain braces.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + values.iter().map(|(_, v)| v.len()).sum::<usize>());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (key, tail) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(values.iter().find(|(k, _)| *k == key).map_or("", |(_, v)| v));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A drawing on a sheet of its own, which is light in both themes. As an image it cannot do anything but be seen.
fn drawing(svg: &str) -> String {
    if svg.is_empty() {
        return String::new();
    }
    let image = data_image(svg);
    format!("<figure class=\"drawing\"><img alt=\"bodies and joints\" src=\"{image}\"></figure>")
}

/// A drawing as the address of an image.
pub(crate) fn data_image(svg: &str) -> String {
    let mut coded = String::with_capacity(2 * svg.len());
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'/' => {
                coded.push(char::from(byte))
            }
            _ => coded.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("data:image/svg+xml,{coded}")
}

/// Labels with their values; a value without a label belongs to the label before it.
pub(crate) fn summary(rows: &[(String, String)]) -> String {
    let mut out = String::new();
    for (k, (label, value)) in rows.iter().enumerate() {
        if k == 0 || !label.is_empty() {
            out += if k == 0 { "<div>" } else { "</div><div>" };
            out += &format!("<dt>{}</dt>", escape(label));
        }
        out += &format!("<dd>{}</dd>", escape(value));
    }
    if rows.is_empty() { out } else { out + "</div>" }
}

/// Verdicts that belong beside the title.
fn badges(report: &Report) -> String {
    let mut out = String::new();
    if let Some(verdict) = &report.energy.verdict {
        let class = shown_class(report, verdict.grade);
        let number = if verdict.grade == Grade::Open { "open".into() } else { power(verdict.relative) };
        out.push_str(&format!(
            "<a class=\"badge {class}\" href=\"#energy\" title=\"{}\">energy {number}</a>",
            "Largest unexplained energy as a fraction of the energy that moved",
        ));
    }
    let count = |level: Level| report.warnings.iter().filter(|n| n.level == level).count();
    for (level, class, word) in [(Level::Error, "poor", "error"), (Level::Warning, "fair", "warning")] {
        let n = count(level);
        if n > 0 {
            let s = if n == 1 { "" } else { "s" };
            out.push_str(&format!("<a class=\"badge {class}\" href=\"#warnings\">{n} {word}{s}</a>"));
        }
    }
    out
}

/// The colour of a verdict: none is called good beside an error.
fn shown_class(report: &Report, grade: Grade) -> &'static str {
    let has_errors = report.warnings.iter().any(|n| n.level == Level::Error);
    class(if has_errors && grade == Grade::Good { Grade::Open } else { grade })
}

fn class(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        Grade::Fair => "fair",
        Grade::Poor => "poor",
        Grade::Open => "open",
    }
}

fn audit(report: &Report) -> String {
    let Some(verdict) = &report.energy.verdict else {
        return String::new();
    };
    let advice = match verdict.grade {
        Grade::Good | Grade::Open => "",
        Grade::Fair => "Tighter tolerances should improve it.",
        Grade::Poor => "A force that is not a function of the state, an impact, or too loose tolerances.",
    };
    let number = if verdict.grade == Grade::Open { "open".into() } else { power(verdict.relative) };
    format!(
        "<div class=\"audit {}\"><strong>{number}</strong><div><p>{}</p><p class=\"fine\">{advice}</p></div></div>",
        shown_class(report, verdict.grade),
        escape(&verdict.words),
    )
}

/// A small number with two digits, as HTML: 3.1 × 10⁻⁹.
fn power(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return "not finite".into();
    }
    if (1e-2..1e4).contains(&value.abs()) {
        let digits = if value.abs() < 1.0 { 3 } else { 2 };
        return format!("{value:.digits$}");
    }
    let text = format!("{value:.1e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{mantissa} × 10<sup>{}</sup>", exponent.replace('-', "−"))
}

fn equations(blocks: &[EquationBlock]) -> String {
    blocks
        .iter()
        .map(|b| {
            format!(
                "<section class=\"card equation\"><h3>{}</h3><div class=\"scroll\">{}</div></section>",
                escape(&b.title),
                allow(&b.html)
            )
        })
        .collect()
}

pub(crate) fn model(text: &str) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    format!("<ol class=\"code\">{}</ol>", highlight(text))
}

pub(crate) fn tables(tables: &[Table]) -> String {
    tables
        .iter()
        .map(|t| {
            let note = if t.note.is_empty() {
                String::new()
            } else {
                format!("<p class=\"fine\">{}</p>", escape(&t.note))
            };
            let holds_numbers = |k: usize| t.rows.iter().filter_map(|r| r.get(k)).all(|c| reads_as_number(c));
            let n_columns = t.rows.iter().map(Vec::len).chain([t.columns.len()]).max().unwrap_or(0);
            let numeric: Vec<bool> = (0..n_columns).map(holds_numbers).collect();
            let row = |tag: &str, cells: &[String]| {
                let cell = |(k, text): (usize, &String)| {
                    let class = if numeric[k] { " class=\"number\"" } else { "" };
                    format!("<{tag}{class}>{}</{tag}>", escape(text))
                };
                format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
            };
            format!(
                "<section class=\"card\"><h3>{}</h3>{note}<div class=\"scroll\"><table><thead>{}</thead>\
                 <tbody>{}</tbody></table></div></section>",
                escape(&t.title),
                row("th", &t.columns),
                t.rows.iter().map(|r| row("td", r)).collect::<String>()
            )
        })
        .collect()
}

/// Whether a cell holds a number, or nothing.
fn reads_as_number(cell: &str) -> bool {
    let plain = cell.trim().replace('−', "-");
    plain.is_empty() || plain == "-" || plain.parse::<f64>().is_ok()
}

pub(crate) fn notices(notices: &[Notice]) -> String {
    notices
        .iter()
        .map(|n| {
            let (class, word) = match n.level {
                Level::Error => ("poor", "error"),
                Level::Warning => ("fair", "warning"),
                Level::Note => ("note", "note"),
            };
            let code = if n.code.is_empty() { String::new() } else { format!("[{}]", escape(&n.code)) };
            let detail =
                if n.detail.is_empty() { String::new() } else { format!("<pre>{}</pre>", escape(&n.detail)) };
            let place = n.line.map_or(String::new(), |l| format!("<a href=\"#L{l}\">line {l}</a>"));
            format!(
                "<section class=\"card notice {class}\"><h3><span class=\"tag\">{word}{code}</span> {} {place}</h3>\
                 {detail}</section>",
                escape(&n.message)
            )
        })
        .collect()
}

fn licenses() -> String {
    LICENSES.iter().map(|(name, text)| format!("{name}\n\n{}\n", escape(text))).collect()
}

fn warning_count(notices: &[Notice]) -> String {
    if notices.is_empty() { String::new() } else { format!("<span class=\"count\">{}</span>", notices.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Chapter, Chapters, Energy, Series, Verdict};
    use crate::scene::{BodyTrack, Scene};

    const EVIL: &str = "</script><img src=x onerror=\"alert(1)\">{{data}}";

    #[test]
    fn a_line_without_a_label_stays_with_the_one_before() {
        let row = |label: &str, value: &str| (label.to_string(), value.to_string());
        let rows = [row("constraints", "2"), row("", "rail repeats 1"), row("engine", "code")];
        let expected = "<div><dt>constraints</dt><dd>2</dd><dd>rail repeats 1</dd></div><div><dt>engine</dt><dd>code</dd></div>";
        assert_eq!(summary(&rows), expected);
        assert_eq!(summary(&[]), "");
    }

    #[test]
    fn hostile_texts_stay_texts_everywhere() {
        let evil = || EVIL.to_string();
        let report = Report {
            title: evil(),
            description: evil(),
            generated_by: evil(),
            drawing: evil(),
            results: vec![(evil(), evil())],
            summary: vec![(evil(), evil())],
            chapters: Chapters {
                title: evil(),
                columns: vec![evil()],
                chapters: vec![Chapter { title: evil(), cells: vec![evil()], ..Chapter::default() }],
            },
            warnings: vec![Notice { code: evil(), message: evil(), detail: evil(), ..Notice::default() }],
            series: vec![Series { name: evil(), unit: evil(), ..Series::default() }],
            scene: Scene {
                bodies: vec![BodyTrack {
                    name: evil(),
                    description: evil(),
                    facts: vec![(evil(), evil())],
                    ..BodyTrack::default()
                }],
                ..Scene::default()
            },
            equations: vec![EquationBlock { title: evil(), html: evil() }],
            model_text: evil(),
            energy: Energy { unit: evil(), residual: vec![0.0], ..Energy::default() },
            tables: vec![Table {
                title: evil(),
                note: evil(),
                columns: vec![evil()],
                rows: vec![vec![evil()]],
            }],
            ..Report::default()
        };
        let plain = render_page(&Report::default());
        let page = render_page(&report);
        assert!(!page.contains("<img src=x"));
        assert_eq!(page.matches("</script").count(), plain.matches("</script").count());
    }

    #[test]
    fn the_page_is_self_contained() {
        let page = render_page(&Report::default());
        assert!(page.contains("default-src 'none'"));
        for outside in ["<link", "src=\"", "@import", "url(http"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(!page.contains("connect-src"));
        assert!(!VENDOR.contains("</script") && SCRIPTS.iter().all(|s| !s.contains("</script")));
    }

    #[test]
    fn every_placeholder_is_filled() {
        let keys: Vec<&str> = TEMPLATE.split("{{").skip(1).filter_map(|s| s.split("}}").next()).collect();
        assert!(keys.len() >= 15);
        assert_eq!(fill("a{{x}}b{{y}}", &[("x", "{{y}}"), ("y", "2")]), "a{{y}}b2");
        let body = render_page(&Report::default());
        let visible = body.split("<script>").next().unwrap_or_default();
        assert!(!visible.contains("{{"));
    }

    #[test]
    fn columns_of_numbers_are_aligned() {
        let text = |row: [&str; 2]| row.map(String::from).to_vec();
        let table = Table {
            columns: text(["n", "name"]),
            rows: vec![text(["−1.5", "a"]), text(["", "2"])],
            ..Table::default()
        };
        let html = tables(&[table]);
        assert!(html.contains("<th class=\"number\">n</th><th>name</th>"));
        assert!(html.contains("<td class=\"number\">−1.5</td><td>a</td>") && html.contains("<td>2</td>"));
    }

    #[test]
    fn the_verdict_is_shown() {
        let words = "1 J of 2 J < 3 J".to_string();
        let shown = |grade| {
            let verdict = Some(Verdict { grade, relative: 3e-9, words: words.clone() });
            render_page(&Report { energy: Energy { verdict, ..Energy::default() }, ..Report::default() })
        };
        let page = shown(Grade::Good);
        assert!(page.contains("3.0 × 10<sup>−9</sup>") && page.contains("badge good"));
        assert!(page.contains("1 J of 2 J &lt; 3 J"));
        assert!(!shown(Grade::Open).contains("3.0 × 10"));
    }

    #[test]
    fn nothing_is_good_beside_an_error() {
        let verdict = Some(Verdict { grade: Grade::Good, relative: 3e-9, ..Verdict::default() });
        let page = render_page(&Report {
            energy: Energy { verdict, ..Energy::default() },
            warnings: vec![Notice { level: Level::Error, ..Notice::default() }],
            ..Report::default()
        });
        assert!(page.contains("3.0 × 10<sup>−9</sup>") && page.contains("badge open"));
        assert!(!page.contains("badge good") && !page.contains("audit good"));
    }
}
