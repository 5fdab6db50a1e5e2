//! Slips at the command line and in settings: what is said, and where.

use super::folder::Folder;

const PENDULUM: &str = include_str!("texts/pendulum.mbs");
const CART: &str = "model cart\nparticle b on N by prismatic(x, q = x) { mass = 1 [kg] }\n";

/// A folder with the pendulum.
fn pendulum(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("p.mbs", PENDULUM);
    folder
}

#[test]
fn the_order_of_words_and_brackets_of_units_are_told() {
    let folder = pendulum("slips-words");
    let shown = folder.cardan(&["show", "p.mbs", "equations"], 2);
    assert!(shown.err.contains("write `cardan show equations p.mbs`"), "{}", shown.err);
    folder.cardan(&["run", "p.mbs", "--set", "phi=90 deg"], 0);
    let set = folder.cardan(&["run", "p.mbs", "--set", "phi=2lbf"], 1);
    assert!(set.err.contains("phi") && set.err.contains("[rad]"), "{}", set.err);
}

#[test]
fn angles_and_cycles_without_their_unit_are_doubted() {
    let folder = pendulum("slips-angles");
    let run = |value: &str| folder.cardan(&["run", "p.mbs", "--to", "0.1", "--set", value], 0).err;
    assert!(run("phi=90").contains("write `phi=90[deg]`"));
    assert!(run("der(phi)=1[Hz]").contains("[rev/s]"));
    for fine in ["phi=1.5", "phi=90[deg]", "der(phi)=1[rev/s]", "der(phi)=90"] {
        assert!(!run(fine).contains("warning"), "{fine}");
    }
}

#[test]
fn check_refuses_the_settings_that_run_refuses() {
    let folder = Folder::new("slips-settings");
    for (setting, words) in
        [("method = euler", "no method `euler`"), ("every = 0 [s]", "not a positive number")]
    {
        folder.write("c.mbs", &format!("{CART}simulate {{ to = 1 [s]; {setting} }}\n"));
        let checked = folder.cardan(&["check", "c.mbs"], 1);
        assert!(checked.err.contains("error[K013]") && checked.err.contains(words), "{}", checked.err);
        assert!(checked.err.contains("c.mbs:3:"), "{}", checked.err);
    }
    folder.write("c.mbs", &format!("{CART}simulate {{ to = 1 [s]; step = 5 [s] }}\n"));
    let run = folder.cardan(&["run", "c.mbs"], 0);
    assert!(run.err.contains("warning[K014]") && run.err.contains("method = rk4"), "{}", run.err);
}

#[test]
fn fixed_steps_are_shown_and_take_no_tolerance() {
    let folder = Folder::new("slips-rk4");
    folder.write("c.mbs", CART);
    let refused = folder.cardan(&["run", "c.mbs", "--method", "rk4", "--rtol", "1e-3"], 2);
    assert!(refused.err.contains("those of `rk4` are fixed"), "{}", refused.err);
    let run = folder.cardan(&["run", "c.mbs", "--to", "1", "--method", "rk4", "--step", "0.002"], 0);
    assert!(run.out.contains("rk4, steps of 0.002 s") && !run.out.contains("rtol"), "{}", run.out);
}

#[test]
fn a_text_in_sixteen_bits_is_told_how_to_be_saved() {
    let folder = Folder::new("slips-utf16");
    folder.write("c.mbs", "");
    let bytes: Vec<u8> = [0xfeff].into_iter().chain(CART.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(folder.0.join("c.mbs"), bytes).unwrap();
    let checked = folder.cardan(&["check", "c.mbs"], 1);
    assert!(checked.err.contains("UTF-16") && checked.err.contains("save it as UTF-8"), "{}", checked.err);
}
