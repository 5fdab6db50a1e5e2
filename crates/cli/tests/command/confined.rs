//! Foreign names and files stay where they belong: in the folder of results, out of formulas, terminals and spreadsheets.

use super::folder::Folder;

fn urdf(robot: &str, joint: &str) -> String {
    format!(
        "<robot name='{robot}'><link name='base'/><link name='arm'><inertial><mass value='1'/>\
         <origin xyz='0.1 0.2 0.3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\
         <joint name='{joint}' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>\
         <limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
    )
}

/// All files below a folder.
fn files(folder: &std::path::Path) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path().to_string_lossy().into_owned()),
        }
    }
    found
}

#[test]
fn names_of_robots_do_not_leave_the_folder() {
    let folder = Folder::new("confined-names");
    let work = folder.0.join("work");
    std::fs::create_dir(&work).unwrap();
    let absolute = folder.0.join("absolute").to_string_lossy().into_owned();
    for robot in ["../escaped", &absolute, "..", "a/../../b", ""] {
        folder.write("work/robot.urdf", &urdf(robot, "pin"));
        for words in [
            &["run", "robot.urdf", "--to", "0.1", "--figures", "svg"][..],
            &["sweep", "robot.urdf", "--vary", "pin.q=0,1", "--to", "0.1", "--fresh"],
            &["emit", "robot.urdf", "--target", "c"],
            &["emit", "robot.urdf", "--target", "rust", "--program"],
            &["document", "robot.urdf", "--format", "latex"],
            &["modes", "robot.urdf"],
            &["linearize", "robot.urdf"],
            &["verify", "robot.urdf", "--to", "0.1"],
        ] {
            let output = folder.command(words).current_dir(&work).output().unwrap();
            let code = output.status.code();
            assert!(
                matches!(code, Some(0 | 3)),
                "{robot} {words:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    let below = |path: &&String| {
        !["work/results/", "work/generated/", "work/robot.urdf"].iter().any(|p| path.contains(p))
    };
    let all = files(&folder.0);
    assert_eq!(all.iter().filter(below).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(all.iter().any(|f| f.contains("work/results/_escaped/results.csv")), "{all:?}");
}

#[test]
fn names_are_no_commands_of_tex() {
    let folder = Folder::with("confined-tex", "r.urdf", &urdf("r", "\\input secret.txt "));
    folder.write("s.urdf", &urdf("s", "\\immediate\\write18^^7btouch pwned^^7d"));
    folder.write("v.urdf", &urdf("v", "\\end{verbatim}\\input x"));
    for robot in ["r", "s", "v"] {
        folder.cardan(&["document", &format!("{robot}.urdf"), "--format", "latex"], 0);
        let tex = folder.read(&format!("generated/{robot}/{robot}.tex"));
        let tex =
            tex.replace("\\input enc", "").replace("\\begin{verbatim}", "").replace("\\end{verbatim}\n", "");
        for command in ["\\input ", "\\immediate", "\\write18", "^^", "\\end{verbatim}"] {
            assert!(!tex.contains(command), "{robot}: {command}");
        }
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text =
        "model m \"bell \u{7} and \u{1b}]0;title\u{7} \u{9b}2J\"\nparameter a = 1\noutput b = c\u{1b}[2J\n";
    let folder = Folder::with("confined-terminal", "m.mbs", text);
    folder.write(
        "n.mbs",
        "model n \"one \u{1b}[31m\u{9b}2J\"\nparticle p \"two \u{1b}[2J\" on N by translate(x = x) { mass = 1 [kg] }\n\
         output y = x \"three \u{202e}\u{1b}[2J\"\nsimulate { to = 0.1 [s] }\n",
    );
    for words in [
        &["check", "m.mbs"][..],
        &["check", "m.mbs", "--json"],
        &["run", "n.mbs"],
        &["run", "n.mbs", "--json"],
        &["show", "model", "n.mbs"],
        &["show", "topology", "n.mbs"],
        &["modes", "n.mbs"],
    ] {
        let said = folder.say(words);
        for text in [&said.out, &said.err] {
            let obeyed = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
            assert!(!text.contains(obeyed), "{words:?}: {text:?}");
        }
    }
}

#[test]
fn headings_are_no_formulas() {
    let folder = Folder::with("confined-csv", "r.urdf", &urdf("r", "=cmd()+1,\"2"));
    folder.cardan(&["run", "r.urdf", "--to", "0.1", "--quiet", "--out", "out"], 0);
    let csv = folder.read("out/results.csv");
    let head = csv.lines().next().unwrap();
    assert!(head.contains("\"'=cmd()+1,\"\"2"), "{head}");
    assert!(!head.split(',').any(|cell| cell.trim_start_matches('"').starts_with('=')), "{head}");
}

#[cfg(unix)]
#[test]
fn included_files_are_not_reached_by_links() {
    let folder = Folder::new("confined-links");
    for sub in ["work", "work/below", "outside"] {
        std::fs::create_dir(folder.0.join(sub)).unwrap();
    }
    let part = "<mujocoinclude><body><joint/><geom size='0.1' pos='0.1 0 0'/></body></mujocoinclude>";
    folder.write("outside/part.xml", part);
    folder.write("work/below/part.xml", part);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, folder.0.join(at)).unwrap();
    link("../outside/part.xml", "work/link.xml");
    link("../outside", "work/away");
    link("below/part.xml", "work/inside.xml");
    let check = |file: &str| {
        let text = format!("<mujoco><worldbody><include file='{file}'/></worldbody></mujoco>");
        folder.write("work/robot.xml", &text);
        folder.say(&["check", "work/robot.xml"])
    };
    for away in ["link.xml", "away/part.xml", "../outside/part.xml"] {
        let said = check(away);
        assert!(said.code == 1 && said.err.contains("cannot be read"), "{away}: {}", said.err);
    }
    for inside in ["below/part.xml", "inside.xml"] {
        let said = check(inside);
        assert_eq!(said.code, 0, "{inside}: {}", said.err);
    }
}

#[cfg(unix)]
#[test]
fn a_text_keeps_its_mode_and_its_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with("confined-fmt", "real.mbs", "model m\nparameter   a=1\n");
    folder.write("real.mbs.part", "somebody's\n");
    std::os::unix::fs::symlink("real.mbs", folder.0.join("link.mbs")).unwrap();
    let path = folder.0.join("real.mbs");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    folder.cardan(&["fmt", "link.mbs"], 0);
    assert!(folder.read("real.mbs").contains("a = 1"));
    assert!(std::fs::symlink_metadata(folder.0.join("link.mbs")).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(folder.read("real.mbs.part"), "somebody's\n");
    assert_eq!(files(&folder.0).len(), 3, "{:?}", files(&folder.0));
}

#[cfg(unix)]
#[test]
fn compiled_functions_leave_nothing_behind() {
    let text = "model b\nexternal function pull(x [m]) [N]\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
                force f on p.o = -pull(x) * N.x\nstart { x = 1 [m] }\nsimulate { to = 0.1 [s] }\n";
    let folder = Folder::with("confined-bind", "b.mbs", text);
    folder.write("pull.c", "double pull(double x) { return 2 * x; }\n");
    folder.write("broken.c", "double pull(double x) { return 2 * ; }\n");
    std::fs::create_dir(folder.0.join("tmp")).unwrap();
    for (file, code) in [("pull.c", 0), ("broken.c", 1)] {
        let mut command = folder.command(&["run", "b.mbs", "--bind", &format!("pull={file}"), "--quiet"]);
        let status = command.env("TMPDIR", folder.0.join("tmp")).output().unwrap().status;
        assert_eq!(status.code(), Some(code), "{file}");
        assert_eq!(std::fs::read_dir(folder.0.join("tmp")).unwrap().count(), 0, "{file}");
    }
}
