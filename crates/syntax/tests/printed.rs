//! Trees as text: what is printed reads back to the same tree.

use crate::common::{files, folder, outline, parsed};

fn round_trip(name: &str, text: &str) {
    let (tree, diagnostics, _) = parsed(text);
    assert!(!diagnostics.has_errors(), "{name}");
    let printed = cardan_syntax::print(&tree);
    assert_eq!(outline(&printed), outline(text), "{name}:\n{printed}");
}

#[test]
fn models_and_samples_are_printed_and_read_back() {
    let mut n = 0;
    for folder in [folder("../../models"), folder("tests/samples")] {
        for (path, text) in files(&folder, "mbs") {
            round_trip(&path.to_string_lossy(), &text);
            n += 1;
        }
    }
    assert!(n > 20, "{n}");
}

#[test]
fn every_sample_of_the_grammar_is_printed_and_read_back() {
    let page = std::fs::read_to_string(folder("../../docs/grammar.md")).expect("the page");
    let samples: Vec<&str> =
        page.split("```mbs\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(samples.len() > 8);
    for sample in samples {
        round_trip("grammar", sample);
    }
}

#[test]
fn names_may_be_paths_and_elements() {
    round_trip(
        "paths",
        "body front.left.wheel on rod[k - 1] by rotate(y = q[k])\nparameter leg[2].k [N/m] = 3\n\
         output leg[2].force = sum(k in 1 .. n: rod[k].q), x\nconstraint a[1] = rod[1].q - rod[2].q\n\
         std.maxwell m between A.P and B.Q { stiffness = 3 [N/m] }\ncorner wheel[4]\n\
         corner fl(side = 1) { chassis -> body1 by revolute(z) at (1, 2, 3) [m]; drive -> 2 * T }\n\
         body b on if k == 1 then N else rod[k - 1] by revolute(z)\nport v[3]: in [m]\nport a: point",
    );
}
