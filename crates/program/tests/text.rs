//! Text form and verifier.

use cardan_program::testing::{Flavour, Shape, random_program};
use cardan_program::{Program, parse};
use proptest::prelude::*;

const PENDULUM: &str = r#"program "pendulum"
stages setup motion
input i0 setup "L" "m" "length of the \"rod\""
input i1 motion "q" "rad" ""
curve curve0 "lift" spline clamp (0.0 1.0) (1.0 2.5)
surface surface0 "map" linear extend x(0.0 1.0) y(0.0 1.0) z(0.0 1.0 2.0 3.0)
function f0 "tyre" 2 (f1 -)
function f1 "tyre_0" 2 (- -)
stage setup
  v0 = input i0
  v1 = const 9.81
  v2 = div v1 v0
stage motion
  v3 = input i1
  v4 = sin v3
  v5 = mul v2 v4
  v6 = lookup curve0 v5 d1
  v7 = lookup2 surface0 v5 v6 d0 d1
  v8 = call f0 (v6 v7)
  v9 = solve 2 (v1 v2 v3 v4) (v5 v6)
  v10 = extract v9 1
  v11 = lt v10 v8
  v12 = select v11 v10 v8
output o0 motion v12 "acceleration" "rad/s^2" ""
"#;

fn shape(flavour: Flavour) -> Shape {
    Shape { flavour, n_values: 80, n_inputs: 5, n_outputs: 6, n_stages: 3 }
}

#[test]
fn the_sample_prints_as_it_was_written() {
    let program = parse(PENDULUM).expect("the sample is sound");
    assert_eq!(program.to_string(), PENDULUM);
    assert_eq!(program.stage_values(program.stage("setup").unwrap()), 0..3);
    assert_eq!(
        program.inputs()[program.input_named("L").unwrap()].label.description,
        "length of the \"rod\""
    );
}

/// Replaces a line of the sample and says why it is then refused.
fn refusal(from: &str, to: &str) -> String {
    assert!(PENDULUM.contains(from));
    parse(&PENDULUM.replace(from, to)).expect_err("the change breaks a rule").to_string()
}

#[test]
fn broken_texts_are_refused_with_a_reason() {
    assert!(refusal("v4 = sin v3", "v4 = sine v3").contains("line 15: there is no operation `sine`"));
    assert!(refusal("v4 = sin v3", "v4 = sin v5").contains("v4 reads a value that is not computed before"));
    assert!(refusal("v4 = sin v3", "v4 = sin v4").contains("v4 reads a value"));
    assert!(refusal("v12 = select v11 v10 v8", "v12 = select v10 v10 v8").contains("operand of v12"));
    assert!(refusal("v12 = select v11 v10 v8", "v12 = add v9 v8").contains("operand of v12"));
    assert!(refusal("v10 = extract v9 1", "v10 = extract v9 2").contains("v10"));
    assert!(refusal("(v1 v2 v3 v4) (v5 v6)", "(v1 v2 v3) (v5 v6)").contains("v9"));
    assert!(refusal("(v1 v2 v3 v4) (v5 v6)", "(v1 v2 v3 v4) (v5)").contains("v9"));
    assert!(refusal("call f0 (v6 v7)", "call f0 (v6)").contains("v8"));
    assert!(refusal("call f0 (v6 v7)", "call f7 (v6 v7)").contains("v8 refers"));
    assert!(refusal("tyre_0\" 2 (- -)", "tyre_0\" 1 (-)").contains("`tyre`"));
    assert!(refusal("lookup curve0 v5", "lookup curve3 v5").contains("v6 refers"));
    assert!(refusal("output o0 motion v12", "output o0 setup v12").contains("o0"));
    assert!(refusal("output o0 motion v12", "output o0 motion v9").contains("o0"));
    assert!(refusal("stages setup motion", "stages setup motion setup").contains("stages must be"));
    assert!(refusal("  v0 = input i0", "  v0 = input i1").contains("v0 refers"));
    assert!(refusal("(0.0 1.0) (1.0 2.5)", "(0.0 1.0) (0.0 2.5)").contains("must increase"));
    assert!(refusal("\"pendulum\"", "\"pendulum").contains("not closed"));
}

#[test]
fn a_type_deep_in_a_chain_of_selections_is_found() {
    let mut text = String::from("program \"\"\nstages a\nstage a\n  v0 = truth true\n");
    for i in 1..200_000 {
        text += &format!("  v{i} = select v0 v{} v0\n", i - 1);
    }
    let program = parse(&text).unwrap();
    let last = program.values().ids().next_back().unwrap();
    assert_eq!(program.type_of(last), cardan_program::Type::Bool);
}

proptest! {
    #[test]
    fn what_prints_parses_back(seed in any::<u64>()) {
        let program = random_program(seed, &shape(Flavour::Everything));
        let text = program.to_string();
        let again: Program = parse(&text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&again, &program);
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(seed in any::<u64>(), cut in 0usize..4000, junk in "[a-z0-9 ()\"\\\\;=\n-]{0,20}") {
        let mut text = random_program(seed, &shape(Flavour::Everything)).to_string();
        let at = cut.min(text.len());
        let end = (at + junk.len()).min(text.len());
        text.replace_range(at..end, &junk);
        let outcome = parse(&text);
        prop_assert!(outcome.is_ok() || !outcome.unwrap_err().message.is_empty());
    }
}
