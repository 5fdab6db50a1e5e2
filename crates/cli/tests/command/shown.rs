//! `show`: units and words of columns, from the text to results, summary, page, written programs and back.

use serde_json::Value;

use super::folder::Folder;

const PENDULUM: &str = include_str!("texts/pendulum.mbs");
const SHOW: &str = "\nshow phi in [deg] \"swing of the rod\", der(phi) in [deg/s], energy.kinetic in [mJ]\n";

/// The numbers of a column with this heading.
fn column(csv: &str, heading: &str) -> Vec<f64> {
    let headings = csv.lines().next().unwrap();
    let k = headings.split(',').position(|h| h == heading);
    let k = k.unwrap_or_else(|| panic!("no {heading} in {headings}"));
    csv.lines().skip(1).map(|l| l.split(',').nth(k).unwrap().parse().unwrap()).collect()
}

#[test]
fn results_have_the_units_and_words_of_the_text() {
    let folder = Folder::new("shown");
    folder.write("plain.mbs", PENDULUM);
    folder.write("shown.mbs", &format!("{PENDULUM}{SHOW}"));
    folder.cardan(&["run", "plain.mbs", "--out", "a"], 0);
    let said = folder.cardan(&["run", "shown.mbs", "--out", "b"], 0);
    assert!(said.out.contains("[deg/s]") && said.out.contains("swing of the rod"), "{}", said.out);
    let (plain, shown) = (folder.read("a/results.csv"), folder.read("b/results.csv"));
    let degree = 1.0_f64.to_radians();
    for (si, other, factor) in [
        ("phi [rad]", "phi [deg]", degree),
        ("der(phi) [rad/s]", "der(phi) [deg/s]", degree),
        ("energy.kinetic [J]", "energy.kinetic [mJ]", 1e-3),
    ] {
        for (a, b) in column(&plain, si).into_iter().zip(column(&shown, other)) {
            assert!((a - factor * b).abs() < 1e-9 * (1.0 + a.abs()), "{other}: {a} {b}");
        }
    }
    let summary: Value = serde_json::from_str(&folder.read("b/summary.json")).unwrap();
    assert_eq!(summary["final"]["phi"]["unit"], "deg");
    assert!(folder.read("b/report.html").contains("swing of the rod"));
    let model = folder.cardan(&["show", "shown.mbs"], 0).out;
    assert!(model.contains("starts at 0  [deg]    swing of the rod"), "{model}");
    folder.cardan(&["emit", "shown.mbs", "--target", "c", "--program", "-o", "c"], 0);
    let written = std::fs::read_dir(folder.0.join("c")).unwrap().map(|e| e.unwrap().path());
    let written: String = written.filter_map(|p| std::fs::read_to_string(p).ok()).collect();
    assert!(written.contains("der(phi) [deg/s]") && written.contains("energy.kinetic [mJ]"));
}

/// What is formatted, written anew and translated says the same.
#[test]
fn texts_keep_what_is_shown() {
    let folder = Folder::new("keeps-shown");
    folder.write("shown.mbs", &format!("{PENDULUM}{}", SHOW.replace(", ", " ,")));
    folder.cardan(&["fmt", "shown.mbs"], 0);
    assert!(folder.read("shown.mbs").contains(SHOW.trim()), "{}", folder.read("shown.mbs"));
    let written = folder.cardan(&["import", "shown.mbs", "--to", "mbs"], 0);
    for line in
        ["show phi in [deg] \"swing of the rod\"", "show der(phi) in [deg/s]", "show energy.kinetic in [mJ]"]
    {
        assert!(written.out.contains(line), "{}", written.out);
    }
    folder.write(
        "bus.lsp",
        "(add-body b :translate 1 :mass 2 :inertia-matrix (1 1 1))\n(set-units q(1) \"mm\" u(1) \"mm/s\")\n(set-names q(1) \"way\")\n",
    );
    let translated = folder.cardan(&["import", "bus.lsp", "--to", "mbs"], 0);
    assert!(translated.out.contains("show q1 in [mm] \"way\"\nshow u1 in [mm/s]"), "{}", translated.out);
    assert!(!translated.err.contains("not written"), "{}", translated.err);
}
