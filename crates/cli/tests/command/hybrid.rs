//! Events and external functions on the command line.

use serde_json::Value;

use super::folder::{Folder, Said};

const BALL: &str = "
gravity = -9.81 [m/s^2] * N.z
particle ball on N by translate(z = h) { mass = 1 [kg] }
discrete hits = 0
when h <= 0 [m] and ball.u < 0 [m/s] \"bounce\" { ball.u := -0.8*ball.u; hits := hits + 1 }
every 0.1 [s] { hits := hits }
start { h = 1 [m] }
simulate { to = 2 [s] }
";

#[test]
fn events_are_listed_for_people_programs_and_the_page() {
    let folder = Folder::new("hybrid-ball");
    folder.write("ball.mbs", BALL);
    let Said { code, out: said, .. } = folder.say(&["run", "ball.mbs"]);
    assert_eq!(code, 0);
    assert!(said.contains("3 events, 21 runs of sampled blocks"), "{said}");
    assert!(said.contains("t = 0.451524 s  bounce"), "{said}");
    let summary = std::fs::read_to_string(folder.0.join("results/ball/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let events = &summary["events"];
    assert_eq!((&events["count"], &events["samples"]), (&3.into(), &21.into()));
    assert_eq!(events["list"][2]["event"], "bounce");
    assert_eq!(summary["final"]["hits"]["value"], 3.0);
    let csv = std::fs::read_to_string(folder.0.join("results/ball/results.csv")).unwrap();
    assert!(csv.starts_with("t [s],h [m],der(h) [m/s],hits [1],"), "{}", &csv[..80]);
    let page = std::fs::read_to_string(folder.0.join("results/ball/report.html")).unwrap();
    assert!(page.contains("bounce: 3"));
}

#[test]
fn switches_by_the_state_are_counted() {
    let folder = Folder::new("hybrid-push");
    let push = "
particle a on N by translate(x = x) { mass = 1 [kg] }
function w(x [m]) [N] = if x > 5 and x < 5.1 then 10 else 0
force f on a.o = w(x) * N.x
start { der(x) = 1 [m/s] }
simulate { to = 10 [s] }
";
    folder.write("push.mbs", push);
    let Said { code, out: said, .. } = folder.say(&["run", "push.mbs"]);
    assert!(code == 0 && said.contains("2 switches by the state located"), "{said}");
    let summary = std::fs::read_to_string(folder.0.join("results/push/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["crossings"], 2);
    let speed = summary["final"]["der(x)"]["value"].as_f64().unwrap();
    assert!((speed - 3f64.sqrt()).abs() < 1e-10, "{speed}");
}

#[test]
fn events_without_end_fail_with_what_was_saved() {
    let folder = Folder::new("hybrid-endless");
    folder.write("ball.mbs", BALL);
    let Said { code, err: complaint, .. } = folder.say(&["run", "ball.mbs", "--to", "5"]);
    assert_eq!(code, 3);
    for part in ["events crowd together at t = 4.06371", "`bounce`", "results up to t = 4.06371"] {
        assert!(complaint.contains(part), "{complaint}");
    }
}

const DRAG: &str = "
external function drag(v [m/s]) [N]
particle p on N by translate(x = x) { mass = 1 [kg] }
force air on p.cm = -drag(p.u) * N.x
start { p.u = 1 [m/s] }
simulate { to = 1 [s] }
";

#[test]
fn external_functions_are_bound_by_the_command_line_alone() {
    let folder = Folder::new("hybrid-external");
    folder.write("drag.mbs", DRAG);
    folder.write("drag.c", "double drag(double v) { return 2.0 * v; }\n");
    folder.write("broken.c", "double drag(double v) { return\n");
    let Said { code, err: complaint, .. } = folder.say(&["run", "drag.mbs"]);
    assert_eq!(code, 1);
    assert!(
        complaint.contains("`drag` is not bound") && complaint.contains("--bind drag=drag.c"),
        "{complaint}"
    );
    let Said { code, err: complaint, .. } = folder.say(&["run", "drag.mbs", "--bind", "drag=broken.c"]);
    assert!(code == 1 && complaint.contains("does not compile"), "{complaint}");
    let Said { code, err: complaint, .. } = folder.say(&["run", "drag.mbs", "--bind", "lift=drag.c"]);
    assert!(code == 2 && complaint.contains("no external function `lift`"), "{complaint}");
    for engine in [&["--interpret"][..], &["--method", "radau5"], &[]] {
        let arguments = [&["run", "drag.mbs", "--bind", "drag=drag.c"], engine].concat();
        let Said { code, err: complaint, .. } = folder.say(&arguments);
        assert_eq!(code, 0, "{complaint}");
        let summary = std::fs::read_to_string(folder.0.join("results/drag/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let speed = summary["final"]["der(x)"]["value"].as_f64().unwrap();
        assert!((speed - (-2.0f64).exp()).abs() < 1e-9, "{speed}");
    }
}

#[test]
fn a_block_ends_the_run_with_its_reason() {
    let folder = Folder::new("hybrid-stop");
    folder.write(
        "ball.mbs",
        &BALL.replace("hits := hits + 1 }", "hits := hits + 1; if hits > 1 { stop \"two bounces\" } }"),
    );
    let Said { code, .. } = folder.say(&["run", "ball.mbs"]);
    assert_eq!(code, 0);
    let summary = std::fs::read_to_string(folder.0.join("results/ball/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["ending"], &summary["reason"]), (&"stopped".into(), &"two bounces".into()));
    assert_eq!((&summary["ok"], &summary["final"]["hits"]["value"]), (&true.into(), &2.0.into()));
    // A program cannot end that way, and says so.
    let Said { code, err, .. } = folder.say(&["emit", "ball.mbs", "--target", "c", "--program"]);
    assert!(code != 0 && err.contains("`stop`"), "{err}");
}
