//! Every stage of a model has a text form: flat text, model, system, equations, program.

use super::folder::Folder;

const FOUR_BAR: &str = include_str!("../../../../models/four-bar.mbs");

#[test]
fn the_four_bar_is_shown_at_every_stage() {
    let folder = Folder::new("stages");
    folder.write("four-bar.mbs", FOUR_BAR);
    let show = |what: &[&str]| folder.cardan(&[&["show"], what, &["four-bar.mbs"]].concat(), 0).out;
    let all = |text: &str, lines: &[&str]| {
        for line in lines {
            assert!(text.contains(line), "no `{line}` in\n{text}");
        }
    };
    all(&show(&["expanded"]), &["model four_bar", "joint pin ="]);
    all(&show(&["model"]), &["pin      revolute  between coupler and rocker  cut"]);
    let system = show(&["system"]);
    all(
        &system,
        &[
            "1 cut joint, 5 constraint rows",
            "└─ rocker: revolute at N (g, 0, 0), q = theta",
            "loop coupler – crank – N – rocker",
            "phi, psi, theta",
        ],
    );
    all(&show(&["equations"]), &["M(1,1) =", "g(pin.1) =", "G(2,3) ="]);
    let rows = show(&["equations", "--form", "residual"]);
    all(&rows, &["Differential rows, y = (phi, psi, theta, der(phi)", "index 2", "lambda2, mu1, mu2"]);
    all(&show(&["program"]), &["program \"four_bar\"", "stage position", "output o0"]);
    let facts = folder.cardan(&["show", "system", "four-bar.mbs", "--json"], 0).json();
    assert_eq!(facts["cut_joints"][0]["loop"][2], "N");
    assert_eq!(facts["bodies"].as_array().unwrap().len(), 4);
}

#[test]
fn a_tree_has_no_residual_form() {
    let folder = Folder::new("no-residual-form");
    folder.write("pendulum.mbs", include_str!("texts/pendulum.mbs"));
    let said = folder.cardan(&["show", "equations", "pendulum.mbs", "--form", "residual"], 2).err;
    assert!(said.contains("has no loops"), "{said}");
    let said = folder.cardan(&["show", "program", "pendulum.mbs", "--form", "residual"], 2).err;
    assert!(said.contains("only equations have a form"), "{said}");
}
