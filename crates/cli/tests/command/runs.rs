//! What `run`, `check`, `show`, `count`, `fmt` and `new` leave and say.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder::{Folder, Said};

const PENDULUM: &str = include_str!("texts/pendulum.mbs");

#[test]
fn a_run_leaves_results_summary_and_page() {
    let folder = Folder::new("run");
    folder.write("pendulum.mbs", PENDULUM);
    let said = folder.cardan(&["run", "pendulum.mbs"], 0);
    assert!(said.out.contains("1 body, 1 joint, 0 loads, 1 degree of freedom"), "{}", said.out);
    assert!(said.out.contains("→ "), "the choice of formalism is said\n{}", said.out);
    assert!(said.out.contains("the energy balance holds"), "{}", said.out);
    assert!(!said.out.contains('\x1b') && !said.err.contains('\x1b'), "colours only on terminals");
    let csv = folder.read("results/pendulum/results.csv");
    let mut lines = csv.lines();
    let heading = lines.next().unwrap();
    assert!(heading.starts_with("t [s],phi [rad],der(phi) [rad/s],x [m],y [m]"), "{heading}");
    assert_eq!(lines.clone().count(), 101);
    let last: Vec<f64> = lines.next_back().unwrap().split(',').map(|c| c.parse().unwrap()).collect();
    assert_eq!(last.len(), heading.split(',').count());
    // The published place at t = 10 s.
    assert_eq!(last[0], 10.0);
    assert!((last[3] + 0.275087462576118).abs() < 1e-8 && (last[4] + 0.961419205099125).abs() < 1e-8);
    let summary: Value = serde_json::from_str(&folder.read("results/pendulum/summary.json")).unwrap();
    assert_eq!(summary["ok"], true);
    assert_eq!(summary["ending"], "finished");
    assert_eq!(summary["energy"]["verdict"], "holds");
    assert_eq!(summary["final"]["phi"]["unit"], "rad");
    let page = folder.read("results/pendulum/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
    assert!(page.contains("Simple pendulum"));
}

#[test]
fn settings_and_values_come_from_the_command_line() {
    let folder = Folder::new("settings");
    folder.write("pendulum.mbs", PENDULUM);
    let arguments = [
        "run",
        "pendulum.mbs",
        "--json",
        "--set",
        "L=250[cm]",
        "--set",
        "phi=90 [deg]",
        "--to",
        "0.1[min]",
        "--every",
        "0.5",
        "--method",
        "radau5",
        "--rtol",
        "1e-8",
        "--atol",
        "1e-10",
        "--formalism",
        "kane",
        "--out",
        "here",
        "--figures",
        "svg",
        "--interpret",
    ];
    let facts = folder.cardan(&arguments, 0).json();
    assert_eq!(facts["reached"], 6.0);
    assert_eq!(facts["samples"], 13);
    assert_eq!(facts["method"], "radau5");
    assert_eq!(facts["formalism"], "kane");
    assert_eq!(facts["engine"], "interpreter");
    // A bob that hangs down at rest stays there.
    assert!((facts["final"]["y"]["value"].as_f64().unwrap() + 2.5).abs() < 1e-9);
    let paths = facts["files"].as_array().unwrap();
    assert!(paths.len() > 4, "{paths:?}");
    for path in paths {
        assert!(folder.0.join(path.as_str().unwrap()).exists(), "{path}");
    }
    let figure = paths.iter().filter_map(Value::as_str).find(|p| p.ends_with(".svg")).unwrap();
    assert!(folder.read(figure).contains("<svg"));
}

#[test]
fn quiet_is_quiet() {
    let folder = Folder::new("quiet");
    folder.write("pendulum.mbs", PENDULUM);
    let said = folder.cardan(&["run", "pendulum.mbs", "--quiet"], 0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let folder = Folder::new("usage");
    folder.write("pendulum.mbs", PENDULUM);
    for arguments in [
        vec!["run"],
        vec!["fly", "pendulum.mbs"],
        vec!["run", "pendulum.mbs", "--speed", "3"],
        vec!["run", "pendulum.mbs", "--method", "euler"],
        vec!["run", "pendulum.mbs", "--formalism", "newton"],
        vec!["run", "pendulum.mbs", "--set", "L"],
        vec!["run", "pendulum.mbs", "--set", "L=long"],
        vec!["run", "pendulum.mbs", "--to", "3[m]"],
        vec!["run", "pendulum.mbs", "--every", "0"],
        vec!["show", "colours", "pendulum.mbs"],
    ] {
        let said = folder.cardan(&arguments, 2);
        assert!(said.err.starts_with("error"), "{arguments:?}\n{}", said.err);
    }
}

#[test]
fn wrong_models_and_data_are_exit_code_1() {
    let folder = Folder::new("wrong");
    folder.write("pendulum.mbs", PENDULUM);
    folder.write("broken.mbs", "model broken\nbody rod on M by revolute(q\nparameter = 3\n");
    folder
        .write("open.mbs", "model open\nbody b on N by translate(x = x) { inertia = (1, 1, 1) [kg*m^2] }\n");
    folder.write("massless.mbs", "model massless\nframe f on N by rotate(z = q)\nsimulate { to = 1 [s] }\n");
    let missing = folder.cardan(&["run", "nothing.mbs"], 1);
    assert!(missing.err.contains("nothing.mbs could not be read"), "{}", missing.err);
    let forgotten = folder.cardan(&["run", "pendulum"], 1);
    assert!(forgotten.err.contains("is pendulum.mbs meant?"), "{}", forgotten.err);
    let broken = folder.cardan(&["check", "broken.mbs"], 1);
    assert!(broken.err.contains("error[") && broken.err.contains("broken.mbs:2"), "{}", broken.err);
    let unknown = folder.cardan(&["run", "pendulum.mbs", "--set", "l=1[m]"], 1);
    assert!(unknown.err.contains("is `L` meant?"), "{}", unknown.err);
    assert!(unknown.err.contains("write L=VALUE"), "{}", unknown.err);
    let unvaried = folder.cardan(&["sweep", "pendulum.mbs", "--vary", "l=1..2[m]:3"], 1);
    assert!(unvaried.err.contains("write L=VALUE"), "{}", unvaried.err);
    let nowhere = folder.cardan(&["sweep", "pendulum.mbs", "--vary", "nothing=1..2"], 1);
    assert!(nowhere.err.contains("`cardan show model FILE` lists"), "{}", nowhere.err);
    let dimension = folder.cardan(&["run", "pendulum.mbs", "--set", "L=1[kg]"], 1);
    assert!(dimension.err.contains("is in [kg], expected [m]"), "{}", dimension.err);
    let open = folder.cardan(&["run", "open.mbs"], 1);
    assert!(open.err.contains("`Mb`") || open.err.contains("has no value"), "{}", open.err);
    let massless = folder.cardan(&["run", "massless.mbs"], 1);
    assert!(massless.err.contains("no mass or inertia resists"), "{}", massless.err);
    assert!(!folder.0.join("results").exists(), "nothing is left behind");
}

/// Bars that are too short for the distance between their pivots.
const OPEN: &str = "model gap
body crank on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point tip = (1, 0, 0) [m] }
body rocker on N by revolute(z, q = c) at (4, 0, 0) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point tip = (1, 0, 0) [m] }
joint pin = revolute(crank.tip, rocker.tip, axis = z)
";

#[test]
fn a_mechanism_that_cannot_be_assembled_is_named_wherever_it_is_needed() {
    let folder = Folder::new("gap");
    folder.write("gap.mbs", OPEN);
    for (words, code) in [
        (vec!["run", "gap.mbs"], 1),
        (vec!["show", "equations", "gap.mbs"], 1),
        (vec!["show", "program", "gap.mbs"], 1),
        (vec!["emit", "gap.mbs", "--target", "c"], 1),
        (vec!["document", "gap.mbs"], 1),
        // The tree and the operations are there all the same.
        (vec!["show", "topology", "gap.mbs"], 0),
        (vec!["count", "gap.mbs"], 0),
    ] {
        let said = folder.cardan(&words, code);
        let known = said.err.contains("error[K001]: the loop through crank, rocker cannot be closed");
        assert!(known && said.err.contains("gap.mbs:4:1"), "{words:?}\n{}", said.err);
    }
}

#[test]
fn a_run_tells_which_jacobian_it_took() {
    let folder = Folder::new("jacobian");
    folder.write("pendulum.mbs", PENDULUM);
    let explicit = folder.cardan(&["run", "pendulum.mbs", "--to", "0.1", "--method", "dop853"], 0);
    assert!(explicit.out.contains(" 0 Jacobians\n"), "{}", explicit.out);
    let stiff = folder.cardan(&["run", "pendulum.mbs", "--to", "0.1", "--method", "radau5"], 0);
    assert!(stiff.out.contains(" Jacobians, exact, by "), "{}", stiff.out);
    let summary: Value = serde_json::from_str(&folder.read("results/pendulum/summary.json")).unwrap();
    let way = summary["statistics"]["jacobian_way"].as_str().unwrap();
    assert!(way.starts_with("exact, by "), "{way}");
}

#[test]
fn slips_of_newcomers_are_answered() {
    let folder = Folder::new("slips");
    folder.write("empty.mbs", "");
    let said = folder.cardan(&["run", "empty.mbs"], 1);
    assert!(said.err.contains("nothing to move") && said.err.contains("cardan new"), "{}", said.err);

    folder.write("bare.mbs", "parameter m = 1 kg\nparameter p = [0, 0, 1]\n");
    let said = folder.cardan(&["check", "bare.mbs"], 1);
    assert!(said.err.contains("`1 [kg]`") && said.err.contains("round brackets"), "{}", said.err);

    let rod = "body rod on N by revolute(y, q = q) { mass = m; inertia = (1, 1, J) [kg*m^2] }\n";
    folder.write("rod.mbs", &format!("parameter m = 1 [kg], J = 1\n{rod}"));
    let run = |more: &[&str], code| folder.cardan(&[&["run", "rod.mbs", "--to", "0.1"], more].concat(), code);
    assert_eq!(run(&[], 0).err, "");
    assert!(run(&["--set", "m=-1"], 1).err.contains("error[K005]: the mass of `rod` is negative"));
    assert!(run(&["--set", "J=3"], 0).err.contains("the inertia of `rod`"));
    assert!(run(&["--set", "mm=1"], 1).err.contains("is `m` meant?"));
    assert!(run(&["--every", "-1"], 2).err.contains("not a positive number"));
    run(&["--from", "-1"], 0);
    folder.write(
        "rope.mbs",
        "particle load on N by spherical(rotate = xyz) { mass = 1 [kg]; center = (0, 0, -1) [m] }\n",
    );
    let said = folder.cardan(&["run", "rope.mbs"], 1);
    assert!(said.err.contains("resists `load.u3`") && said.err.contains("`universal`"), "{}", said.err);
    let said = folder.cardan(&["new", "chain", "--links", "3"], 2);
    assert!(said.err.contains("n-pendulum"), "{}", said.err);
    folder.cardan(&["new", "chain", "--template", "n-pendulum", "--links", "3"], 0);
    assert!(folder.read("chain.mbs").contains("= 3"));
    let said = folder.cardan(&["check", "chain.mbs"], 0);
    assert!(said.out.contains("3 bodies, 3 degrees of freedom"), "{}", said.out);
}

#[test]
fn a_motion_that_cannot_be_followed_is_exit_code_3_and_kept() {
    let folder = Folder::new("failed");
    // The force grows without bound at t = 1 s.
    folder.write(
        "wall.mbs",
        "model wall\nparticle b on N by translate(x = x) { mass = 1 [kg] }\n\
         force f on b.o from N = 1 [N] / (1 - t/1 [s])^3 * N.x\nsimulate { to = 2 [s] }\n",
    );
    let said = folder.cardan(&["run", "wall.mbs"], 3);
    assert!(
        said.err.contains("results up to t = 0.99") || said.err.contains("results up to t = 1"),
        "{}",
        said.err
    );
    let csv = folder.read("results/wall/results.csv");
    assert!(csv.lines().count() > 400, "{}", csv.lines().count());
    let summary: Value = serde_json::from_str(&folder.read("results/wall/summary.json")).unwrap();
    assert_eq!((&summary["ok"], &summary["ending"]), (&Value::Bool(false), &Value::String("failed".into())));
    assert!(folder.0.join("results/wall/report.html").exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_results() {
    for signal in ["-INT", "-TERM"] {
        interrupted_by(signal);
    }
}

#[cfg(unix)]
fn interrupted_by(signal: &str) {
    let folder = Folder::new(&format!("interrupt{signal}"));
    folder.write("pendulum.mbs", PENDULUM);
    // Long enough for any machine; stopped as soon as rows reach the file.
    let child = folder
        .command(&["run", "pendulum.mbs", "--to", "1e7", "--every", "10"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Until the run has ended, its rows are beside the results of an earlier one.
    let csv = folder.0.join("results/pendulum/.cardan/new/results.csv");
    let begin = Instant::now();
    while std::fs::metadata(&csv).map_or(0, |m| m.len()) < 1000 {
        assert!(begin.elapsed() < Duration::from_secs(60), "no rows within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = Said::new(output);
    assert!(said.err.contains("stopped on request at t = "), "{}", said.err);
    let rows = folder.read("results/pendulum/results.csv");
    assert!(rows.ends_with('\n') && rows.lines().count() > 10);
    let summary: Value = serde_json::from_str(&folder.read("results/pendulum/summary.json")).unwrap();
    assert_eq!(summary["ending"], "interrupted");
    assert_eq!(summary["samples"].as_u64().unwrap() as usize, rows.lines().count() - 1);
}

/// What stands in the way of one result is said before the motion is followed, and nothing is written beside it.
#[test]
fn results_take_their_places_together_or_not_at_all() {
    let folder = Folder::with("unwritten", "pendulum.mbs", PENDULUM);
    for (out, taken) in [("a", "results.csv"), ("b", "report.html"), ("c", "summary.json"), ("d", "figures")]
    {
        // A file cannot take the place of a folder, nor a folder that of a file.
        std::fs::create_dir_all(folder.0.join(out)).unwrap();
        match taken {
            "figures" => folder.write("d/figures", ""),
            _ => std::fs::create_dir(folder.0.join(out).join(taken)).unwrap(),
        }
        let said = folder.cardan(&["run", "pendulum.mbs", "--out", out, "--json", "--figures", "svg"], 2);
        assert!(said.err.contains(taken) && said.err.contains("--out"), "{}", said.err);
        assert_eq!(said.json()["ok"], false);
        let left: Vec<_> =
            std::fs::read_dir(folder.0.join(out)).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(left, [taken]);
    }
}

#[test]
fn sample_times_are_written_as_they_are_meant() {
    let folder = Folder::with("times", "pendulum.mbs", PENDULUM);
    folder.cardan(&["run", "pendulum.mbs", "--to", "1.5", "--every", "0.3", "--quiet"], 0);
    let csv = folder.read("results/pendulum/results.csv");
    let times: Vec<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(times, ["0.0", "0.3", "0.6", "0.9", "1.2", "1.5"]);
}

#[test]
fn the_page_has_the_tables_that_the_book_promises() {
    let folder = Folder::with("tables", "pendulum.mbs", PENDULUM);
    folder.cardan(&["run", "pendulum.mbs", "--quiet"], 0);
    let page = folder.read("results/pendulum/report.html");
    for title in ["Parameters", "Start values", "Final values", "Operations", "Statistics"] {
        assert!(page.contains(&format!("<h3>{title}</h3>")), "{title}");
    }
    assert!(page.contains("<td>taken</td>") && page.contains("<td>steps accepted</td>"));
}

#[test]
fn every_verb_speaks_json() {
    let folder = Folder::new("json");
    folder.write("pendulum.mbs", PENDULUM);
    folder.write("broken.mbs", "model broken\nbody rod on M by revolute(y)\n");
    for what in ["model", "topology", "kinematics", "equations", "program"] {
        let facts = folder.cardan(&["show", what, "pendulum.mbs", "--json"], 0).json();
        assert_eq!(facts["model"], "pendulum", "{what}");
    }
    let counts = folder.cardan(&["--json", "count", "pendulum.mbs"], 0).json();
    assert!(counts["counts"].as_array().unwrap().iter().any(|c| c["question"] == "inverse dynamics"));
    let checked = folder.cardan(&["check", "pendulum.mbs", "broken.mbs", "--json"], 1).json();
    assert_eq!(checked["files"][0]["ok"], true);
    let label = &checked["files"][1]["diagnostics"][0]["labels"][0];
    assert_eq!(label["line"], 2);
    let made = folder.cardan(&["new", "made", "--template", "top", "--json"], 0).json();
    assert_eq!(made["file"], "made.mbs");
    let laid = folder.cardan(&["fmt", "--check", "made.mbs", "--json"], 0).json();
    assert_eq!(laid["files"][0]["changed"], false);
    let refused = folder.cardan(&["run", "broken.mbs", "--json"], 1).json();
    assert_eq!(refused["ok"], false);
    let absent = folder.cardan(&["run", "absent.mbs", "--json"], 1).json();
    assert_eq!(absent["ok"], false);
}

#[test]
fn texts_are_shown_counted_and_laid_out() {
    let folder = Folder::new("texts");
    folder.write("pendulum.mbs", PENDULUM);
    let equations = folder.cardan(&["show", "equations", "pendulum.mbs", "--formalism", "kane"], 0).out;
    assert!(equations.contains("M(1,1)") && equations.contains("f(1)"), "{equations}");
    let tree = folder.cardan(&["show", "topology", "pendulum.mbs"], 0).out;
    assert!(tree.contains("└─ bob: "), "{tree}");
    let counts = folder.cardan(&["count", "pendulum.mbs"], 0).out;
    assert!(counts.contains("forward dynamics") && counts.contains("recursive"), "{counts}");
    folder.write("untidy.mbs", "model untidy\nparameter   a=1\n");
    folder.cardan(&["fmt", "--check", "untidy.mbs"], 1);
    folder.cardan(&["fmt", "untidy.mbs"], 0);
    folder.cardan(&["fmt", "--check", "untidy.mbs"], 0);
    assert!(folder.read("untidy.mbs").contains("parameter a = 1"));
    folder.cardan(&["new", "untidy"], 1);
}

const NAMED: &str = "model named
body a on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 3) [kg*m^2]; point P = (1, 0, 0) [m] }
body b on N by prismatic(x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
damper brake between a.P and b.o { damping = 1 [N*s/m] }
force push on a.P from b.o = 2 [N] * N.x
output a.q in [deg]
start { a.q = 30 [deg] }
simulate { to = 1 [s] }
simulate slow { to = 2 [s], every = 1e-6 [h] }
";

#[test]
fn one_of_several_questions_is_chosen_by_name() {
    let folder = Folder::new("named");
    folder.write("named.mbs", NAMED);
    assert_eq!(folder.cardan(&["run", "named.mbs", "--json"], 0).json()["to"], 1.0);
    let slow = folder.cardan(&["run", "named.mbs", "--json", "--experiment", "slow"], 0).json();
    assert_eq!(slow["to"], 2.0);
    let wrong = folder.cardan(&["run", "named.mbs", "--experiment", "fast"], 2);
    assert!(wrong.err.contains("the names are slow"), "{}", wrong.err);
    folder.write("twice.mbs", &format!("{NAMED}simulate slow {{ to = 3 [s] }}\n"));
    let twice = folder.cardan(&["run", "twice.mbs"], 1);
    assert!(twice.err.contains("there are two questions `simulate slow`"), "{}", twice.err);
}

/// What is doubtful is said in the terminal, to programs and on the page alike; an output in another unit keeps its place.
#[test]
fn the_summary_and_the_page_tell_the_same_story() {
    let folder = Folder::new("story");
    folder.write("named.mbs", NAMED);
    let run = folder.cardan(&["run", "named.mbs", "--json"], 0);
    let (summary, page) = (run.json(), folder.read("results/named/report.html"));
    let doubt = "the inertia of `a`, (1, 1, 3) kg*m^2, violates the triangle inequality: each principal moment is at most the sum of the other two";
    assert!(run.err.contains(doubt), "{}", run.err);
    assert_eq!(summary["warnings"][0], doubt);
    assert!(page.contains(doubt));
    let last = &summary["final"];
    let (radians, degrees) = (&last["a.q"], &last["a.q [deg]"]);
    let ratio = degrees["value"].as_f64().unwrap() / radians["value"].as_f64().unwrap();
    assert!((ratio - 180.0 / std::f64::consts::PI).abs() < 1e-9, "{last}");
    assert_eq!(summary["energy"]["verdict"], "holds");
    assert!(page.contains("The energy balance holds"));
    assert!(page.contains("\"kind\":\"damper\",\"name\":\"brake\""), "it vanishes at rest");
    assert!(page.contains("\"kind\":\"force\",\"name\":\"push\""), "it does not");
}

#[test]
fn parameters_are_fixed_to_given_numbers() {
    let folder = Folder::new("fixed");
    folder.write("pendulum.mbs", PENDULUM);
    let emit = |more: &[&str], code| {
        folder.cardan(&[&["emit", "pendulum.mbs", "--target", "c", "-o", "c"], more].concat(), code)
    };
    emit(&["--fix", "L=250[mm]"], 0);
    let given = folder.read("c/pendulum.c");
    emit(&["--set", "L=0.25[m]", "--fix", "L"], 0);
    assert_eq!(folder.read("c/pendulum.c"), given);
    emit(&[], 0);
    assert_ne!(folder.read("c/pendulum.c"), given);
    let unknown = emit(&["--fix", "l=2"], 1);
    assert!(unknown.err.contains("is `L` meant?"), "{}", unknown.err);
    let unknown = emit(&["--fix", "l"], 1);
    assert!(unknown.err.contains("write --fix L"), "{}", unknown.err);
    let dimension = emit(&["--fix", "L=2[kg]"], 1);
    assert!(dimension.err.contains("expected [m]"), "{}", dimension.err);
}

/// A block that only slides needs no moments of inertia, one that turns about z only that about z.
#[test]
fn what_has_no_effect_needs_no_value() {
    let folder = Folder::new("idle");
    let text = |joint: &str| {
        format!(
            "body b on N by {joint} {{ mass = 1 [kg] }}\nforce f on b.o = 1 [N] * N.x\nsimulate {{ to = 1 [s] }}\n"
        )
    };
    folder.write("slides.mbs", &text("prismatic(x, q = x)"));
    let said = folder.cardan(&["run", "slides.mbs", "--json"], 0);
    assert_eq!(said.json()["ok"], true);
    folder.write("turns.mbs", &text("revolute(z, q = a)"));
    let said = folder.cardan(&["run", "turns.mbs"], 1);
    assert!(said.err.contains("`Ib33`") && !said.err.contains("the parameters `Ib11`"), "{}", said.err);
    folder.cardan(&["run", "turns.mbs", "--set", "Ib33=2"], 0);
    folder.cardan(&["linearize", "turns.mbs", "--set", "Ib33=2"], 0);
}

/// A start that gives one of two free speeds leaves a choice, which is said; all of them, or none, leave nothing.
#[test]
fn speeds_that_the_start_leaves_open_are_named() {
    let text = |start: &str| {
        format!(
            "model m\nbody a on N by rotate(z = a1) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}\n\
             body b on N by rotate(z = b1) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}\n\
             body c on N by rotate(z = c1) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}\n\
             constraint sum = a1 + b1 - c1\nstart {{ {start} }}\nsimulate {{ to = 0.1 [s] }}\n"
        )
    };
    let folder = Folder::with("open-speeds", "one.mbs", &text("der(a1) = 1 [rad/s]"));
    folder.write("two.mbs", &text("der(a1) = 1 [rad/s]; der(b1) = 0 [rad/s]"));
    folder.write("none.mbs", &text("a1 = 0.1"));
    // What a rod decides is not asked for, and neither is what nothing holds.
    folder.write(
        "rod.mbs",
        "model rod\nbody b on N by translate(x = x, y = y) rotate(z = p) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
         joint r = distance(b.o, N.o, length = 1 [m])\n\
         start { x = 0.6 [m]; y ~ 0.8 [m]; der(x) = 1 [m/s] }\nsimulate { to = 0.1 [s] }\n",
    );
    let said = folder.cardan(&["run", "one.mbs"], 0).err;
    assert!(said.contains("leaves 1 speed open") && said.contains("`start { der(b1) = … }`"), "{said}");
    for file in ["two.mbs", "none.mbs", "rod.mbs"] {
        let said = folder.cardan(&["run", file], 0).err;
        assert!(!said.contains("the start leaves"), "{file}: {said}");
    }
}

/// A document is what the ending of its file says.
#[test]
fn documents_are_what_their_files_are_called() {
    let folder = Folder::with("document-format", "swing.mbs", PENDULUM);
    for (file, begins) in [("a.tex", "\\documentclass"), ("a.rtf", "{\\rtf1"), ("a.html", "<!doctype html>")]
    {
        folder.cardan(&["document", "swing.mbs", "-o", file], 0);
        let text = folder.read(file);
        assert!(text.contains(begins) && text.find(begins) < Some(200), "{file}");
    }
}

/// A form of the constraints that the model does not have is refused before anything is written: no folder of results, and an older one as it was.
#[test]
fn a_run_that_does_not_begin_leaves_nothing_behind() {
    let text = include_str!("../../../cardan/tests/through/delta.mbs");
    let folder = Folder::with("nothing-behind", "delta.mbs", text);
    let said = folder.say(&["run", "delta.mbs", "--constraints", "closed"]);
    assert!(said.code != 0 && said.err.contains("do not close by one dyad after the other"), "{}", said.err);
    assert!(!folder.0.join("results").exists());
    std::fs::create_dir_all(folder.0.join("results/delta")).unwrap();
    folder.write("results/delta/results.csv", "t [s]\n");
    assert!(folder.say(&["run", "delta.mbs", "--constraints", "closed"]).code != 0);
    assert_eq!(folder.read("results/delta/results.csv"), "t [s]\n");
}

/// A rod without mass is drawn between the points that it ties; a body without shapes reaches to them and to a spring.
#[test]
fn rods_and_what_they_hold_are_drawn() {
    let text = "model rod\nbody a on N by revolute(y, q = q1) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (1, 0, 0) [m]; point S = (0, 0, 2) [m] }\n\
                body b on N by revolute(y, q = q2) at (2, 0, 0) [m] { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (0, 0, 1) [m] }\n\
                joint tie = distance(a.P, b.P, length = 1.5 [m])\nspring s between a.S and N(0, 0, 3) [m] { stiffness = 10 [N/m] }\n\
                simulate { to = 0.1 [s] }\n";
    let folder = Folder::with("rods", "rod.mbs", text);
    folder.cardan(&["run", "rod.mbs", "--out", "out", "--quiet"], 0);
    let page = String::from_utf8(folder.bytes("out/report.html")).unwrap();
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let scene = &serde_json::from_str::<Value>(data).unwrap()["scene"];
    let links: Vec<_> = scene["links"].as_array().unwrap().iter().map(|l| (&l["name"], &l["kind"])).collect();
    assert!(links.contains(&(&"tie".into(), &"line".into())), "{links:?}");
    let reach = |body: usize| -> Vec<f64> {
        let shapes = scene["bodies"][body]["shapes"].as_array().unwrap().iter();
        let capsules = shapes.map(|s| &s["solid"]).filter(|s| s["kind"] == "capsule");
        capsules.map(|s| s["length"].as_f64().unwrap()).collect()
    };
    assert_eq!((reach(0), reach(1)), (vec![1.0, 2.0], vec![1.0]));
}
