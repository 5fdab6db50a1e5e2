//! `show`: in which unit and with which words results show what they hold anyway.

use cardan_base::render;
use cardan_lang::compile_text;
use cardan_lang::unparse::write;
use cardan_model::Model;

const ARM: &str = "model m
parameter L = 1 [m]
body arm on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body tip on arm by translate(x = x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body puck on N by free(rotate = xyz) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
state level = 1 [m] { der = -level/(1 [s]) }
discrete hits = 0
variable height = L*sin(phi)
output reach = x in [mm]
spring coil between tip.o and N.o { stiffness = 1 [N/m] }
force push on tip.o = 1 [N] * N.x
";

fn compiled(statements: &str) -> (Option<Model>, String) {
    let compiled = compile_text("test.mbs", &format!("{ARM}{statements}\n"));
    let said = compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect();
    (compiled.model, said)
}

/// Unit and words of everything that results hold by themselves and show otherwise than by themselves.
fn shown(model: &Model) -> Vec<(String, String, String)> {
    let coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let all = coordinates.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
    let all = all.chain(model.states.iter().map(|(_, s)| &s.quantity)).chain(&model.shown);
    let all = all.filter(|q| q.unit() != q.dimension.to_string() || !q.description.is_empty());
    all.map(|q| (q.name.clone(), q.unit(), q.description.clone())).collect()
}

#[test]
fn columns_get_their_units_and_words_and_keep_them_when_written() {
    let statement = "show phi in [deg] \"swing\", puck.q4 in [deg], der(x) in [mm/s] \"slip\", puck.u1 \"surge\", level in [cm], energy.kinetic in [kJ], work.push in [mJ] \"drive\"";
    let (model, said) = compiled(statement);
    assert_eq!(said, "");
    let model = model.expect("a model");
    let wanted = [
        ("phi", "deg", "swing"),
        ("puck.q4", "deg", ""),
        ("der(x)", "mm/s", "slip"),
        ("puck.u1", "m/s", "surge"),
        ("level", "cm", ""),
        ("energy.kinetic", "kJ", ""),
        ("work.push", "mJ", "drive"),
    ];
    let wanted = wanted.map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string()));
    assert_eq!(shown(&model), wanted);
    let written = write(&model);
    let again = compile_text("written.mbs", &written.text);
    let again = again.model.unwrap_or_else(|| panic!("{}\n{:?}", written.text, again.diagnostics));
    assert_eq!(shown(&again), wanted, "{}", written.text);
}

#[test]
fn a_locked_coordinate_is_shown_as_well() {
    let (model, said) = compiled("lock x\nshow x in [mm] \"reach\"");
    assert_eq!(said, "");
    let model = model.expect("a model");
    let x = model.parameters.iter().find(|(_, p)| p.quantity.name == "x").expect("a parameter").1;
    assert_eq!((x.quantity.unit().as_str(), x.quantity.description.as_str()), ("mm", "reach"));
}

#[test]
fn what_cannot_be_shown_so_is_told() {
    let cases = [
        ("show phi in [m]", "M012", "an angle cannot be shown in [m]"),
        ("show energy.kinetic in [N]", "M012", "an energy cannot be shown in [N]"),
        ("show phi in [deg], arm.q in [rad]", "M002", "`phi` is shown in two ways"),
        ("show der(x) in [mm/s]\nshow tip.u in [m/s]", "M002", "`der(x)` is shown in two ways"),
        ("show ph in [deg]", "M001", "write `phi`"),
        ("show arm.w in [deg]", "M001", "arm"),
        ("show energy.kinetik in [kJ]", "M038", "write `energy.kinetic`"),
        ("show work.coil in [kJ]", "M038", "results hold no `work.coil`"),
        ("show height in [mm]", "M038", "make it an output: `output height in [unit]`"),
        ("show reach in [m]", "M038", "the output `reach` says itself how it is shown"),
        ("show t in [ms]", "M038", "time is shown in seconds"),
        ("show L in [mm]", "M038", "results hold no column of a parameter"),
        ("show 2*phi in [deg]", "M038", "`output x = 2*phi in [unit]`"),
        ("show der(level) in [mm/s]", "M038", "results hold no column of a state"),
        ("show arm in [mm]", "M038", "results hold no column of a body"),
        ("show der(phi) in [Hz]", "M036", "write `der(phi)/(2*pi)`"),
        ("show phi", "S", "write `show arm.q in [deg]`"),
        ("show phi in deg", "S", "write `show arm.q in [deg]`"),
    ];
    for (statement, code, words) in cases {
        let (_, said) = compiled(statement);
        assert!(said.contains(&format!("[{code}")) && said.contains(words), "{statement}\n{said}");
        assert_eq!(said.matches("[M").count() + said.matches("[S").count(), 1, "{said}");
    }
}

/// The word begins statements only where something to show follows; elsewhere it is a name like any other.
#[test]
fn the_word_may_still_be_a_name() {
    let text = "model m\nparameter show = 2\nvariable twice = 2*show\noutput twice";
    assert!(compile_text("test.mbs", text).model.is_some());
}
