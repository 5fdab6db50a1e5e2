//! Results never take the place of what a command reads, and files are what their endings say.

use super::folder::{Folder, Said};

const SWING: &str = "model swing
parameter l = 1 [m]
gravity = -9.81 [m/s^2]*N.z
external function drag(v [rad/s]) [N*m]
particle bob on N by rotate(y = q) { mass = 1 [kg]; center = (0, 0, -l) }
torque T on bob = -drag(bob.u)*N.y
start { q = 1 [rad] }
simulate { to = 0.1 [s] }
";

const FREE: &str = "model fall
gravity = -9.81 [m/s^2]*N.z
particle bob on N by translate(z = z) { mass = 1 [kg] }
";

/// The refusal with its code, and every file as it was.
fn refused(folder: &Folder, words: &[&str], file: &str) -> Said {
    let before = folder.bytes(file);
    let said = folder.cardan(words, 2);
    assert!(said.err.contains("is read by this command"), "{}", said.err);
    assert!(said.err.contains("name another file"), "{}", said.err);
    assert_eq!(folder.bytes(file), before, "{words:?}");
    said
}

#[test]
fn no_command_writes_over_the_model_that_it_reads() {
    let folder = Folder::with("spared-model", "fall.mbs", FREE);
    refused(&folder, &["import", "fall.mbs", "-o", "fall.mbs"], "fall.mbs");
    refused(&folder, &["import", "fall.mbs", "-o", "./fall.mbs"], "fall.mbs");
    for (name, words) in [
        ("fall.html", &["document", "fall.html", "-o", "fall.html"][..]),
        ("fall.svg", &["show", "topology", "fall.svg", "--figure", "fall.svg"]),
        ("results.csv", &["run", "results.csv", "--out", "."]),
        ("report.html", &["run", "report.html", "--out", "."]),
        ("fall.c", &["emit", "fall.c", "--target", "c", "--out", "."]),
        ("summary.json", &["sweep", "summary.json", "--vary", "z=0..1:2", "--out", "."]),
        ("linear.json", &["linearize", "linear.json", "--out", ".", "--at", "start"]),
    ] {
        folder.write(name, FREE);
        refused(&folder, words, name);
    }
}

/// Files are written beside their places under names that nobody else has.
#[test]
fn files_that_look_unfinished_are_left_alone() {
    let folder = Folder::with("spared-part", "again.part", FREE);
    folder.cardan(&["import", "again.part", "-o", "again"], 0);
    assert_eq!(folder.read("again.part"), FREE);
    assert!(folder.read("again").contains("particle bob"));
}

#[test]
fn bound_functions_are_not_written_over() {
    let folder = Folder::with("spared-bound", "swing.mbs", SWING);
    folder.write("results.csv", "double drag(double v) { return v; }\n");
    std::fs::rename(folder.0.join("results.csv"), folder.0.join("drag.c")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("drag.c", folder.0.join("results.csv")).unwrap();
        refused(&folder, &["run", "swing.mbs", "--bind", "drag=drag.c", "--out", "."], "drag.c");
    }
    let twice = &["run", "swing.mbs", "--bind", "drag=drag.c", "--bind", "drag=drag.c"];
    assert!(folder.cardan(twice, 2).err.contains("`drag` is bound twice"));
}

#[test]
fn models_are_laid_out_in_place_all_the_same() {
    let folder = Folder::with("spared-fmt", "fall.mbs", &FREE.replace(" = ", "  =  "));
    folder.cardan(&["fmt", "fall.mbs"], 0);
    assert!(folder.read("fall.mbs").contains("gravity = "));
}

#[test]
fn files_are_what_their_endings_say() {
    let folder = Folder::with("spared-endings", "fall.mbs", FREE);
    let said = folder.cardan(&["document", "fall.mbs", "-o", "fall.pdf"], 2);
    assert!(said.err.contains(".html, .htm, .tex, .latex, .rtf"), "{}", said.err);
    assert!(said.err.contains("pdflatex"), "{}", said.err);
    folder.cardan(&["document", "fall.mbs", "--format", "rtf", "-o", "fall.tex"], 2);
    folder.cardan(&["document", "fall.mbs", "-o", "fall.TEX"], 0);
    assert!(folder.read("fall.TEX").starts_with("\\documentclass"));
    let said = folder.cardan(&["import", "fall.mbs", "-o", "fall.urdf"], 2);
    assert!(said.err.contains("write -o fall.mbs"), "{}", said.err);
    let said = folder.cardan(&["show", "topology", "fall.mbs", "--figure", "fall.png"], 2);
    assert!(said.err.contains("write --figure fall.svg"), "{}", said.err);
    assert!(!folder.0.join("fall.pdf").exists() && !folder.0.join("fall.png").exists());
}

#[test]
fn what_only_jacobians_need_is_refused_without_one() {
    let folder = Folder::with("spared-by", "fall.mbs", FREE);
    let said = folder.cardan(&["emit", "fall.mbs", "--target", "c", "--by", "time"], 2);
    assert!(said.err.contains("--what derivatives,outputs,jacobian"), "{}", said.err);
}
