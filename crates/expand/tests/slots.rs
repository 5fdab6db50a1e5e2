//! Slots: structure apart from behaviour.

use cardan_expand::Settings;

use crate::common::{expanded, flat, flat_with};

const TEXT: &str = "
subsystem Law { port x: in [m]; port f: out [N] }
subsystem linear { port x: in [m]; port f: out [N]; parameter k = 3 [N/m]; f = k * x }
subsystem cubic { port x: in [m]; port f: out [N]; parameter k = 1 [N/m^3]; f = k * x^3 }
subsystem mount { port s: in [m]; slot law: Law = linear(k = 5 [N/m]) { x -> s }; variable pull = law.f }
parameter u = 1 [m]
mount a { s -> u }
mount b(law = cubic(k = 7 [N/m^3])) { s -> u }
";

#[test]
fn a_slot_is_filled_by_default_and_by_its_maker() {
    let text = flat(TEXT);
    assert!(text.contains("parameter a.law.k [N/m] = 5 [N/m]"), "{text}");
    assert!(text.contains("variable b.law.f [N] = b.law.k * u^3"), "{text}");
}

#[test]
fn a_slot_is_filled_for_the_run() {
    let settings = Settings { fillings: vec![("a.law".into(), "cubic".into())], ..Settings::default() };
    let text = flat_with(TEXT, &settings, &[]);
    assert!(text.contains("variable a.law.f [N] = a.law.k * u^3"), "{text}");
    assert!(text.contains("parameter a.law.k = 1 [N/m^3]"), "{text}");
}

#[test]
fn a_slot_that_is_not_there_is_named() {
    let settings = Settings { fillings: vec![("a.lwa".into(), "cubic".into())], ..Settings::default() };
    let (found, _) = expanded(TEXT, &settings, &[]);
    let d = found.diagnostics.iter().next().expect("a finding");
    assert!(d.message.contains("no slot `a.lwa`") && d.help[0].contains("a.law"), "{d:?}");
}

#[test]
fn a_star_fills_all_slots_of_a_name() {
    let fillings = vec![("*.law".into(), "cubic".into()), ("b.law".into(), "linear".into())];
    let text = flat_with(TEXT, &Settings { fillings, ..Settings::default() }, &[]);
    assert!(text.contains("variable a.law.f [N] = a.law.k * u^3"), "{text}");
    assert!(text.contains("variable b.law.f [N] = b.law.k * u"), "{text}");
    let fillings = vec![("*.lwa".into(), "cubic".into())];
    let (found, _) = expanded(TEXT, &Settings { fillings, ..Settings::default() }, &[]);
    assert!(found.diagnostics.iter().any(|d| d.message.contains("no slot `*.lwa`")));
}
