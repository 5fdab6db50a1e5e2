//! What linear equations do not decide is said to be undecided, and where they have two sides, both are named.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{Equilibrium, EquilibriumOptions, Stability, equilibrium};

fn rest(text: &str) -> Equilibrium {
    equilibrium(&mut common::study(text, &[]), 0.0, &EquilibriumOptions::default()).unwrap()
}

fn names(list: &[cardan_analysis::Named]) -> Vec<&str> {
    list.iter().map(|n| n.name.as_str()).collect()
}

/// x'' = 4 x³ runs away, though its linear part is that of a free mass.
#[test]
fn a_force_without_a_linear_part_is_felt() {
    let text = |force: &str| {
        format!(
            "model m\nparticle a on N by translate(x = x) {{ mass = 1 [kg] }}\nforce f on a.o = {force} * N.x\n"
        )
    };
    let cubic = rest(&text("4 [N/m^3] * x^3"));
    assert_eq!((names(&cubic.ignorable), names(&cubic.flat)), (vec![], vec!["x"]));
    assert!(!cubic.decided);
    let verdict = &cubic.verdict;
    assert!(verdict.starts_with("not decided by the linear equations"), "{verdict}");
    let damped = rest(&text("(4 [N/m^3] * x^3 - 2 [N*s/m] * der(x))"));
    assert_eq!((damped.stability, damped.decided), (Some(Stability::Asymptotic), false));
    let free = rest(&text("0 [N]"));
    assert_eq!((names(&free.ignorable), names(&free.flat), free.decided), (vec!["x"], vec![], true));
}

/// On the axis eigenvalues decide where the equations are linear, or where the energy has a minimum.
#[test]
fn eigenvalues_on_the_axis_decide_with_energy_or_without_further_terms() {
    let on_a_spring = |force: &str| {
        rest(&format!(
            "model m\nparticle a on N by translate(x = x) {{ mass = 1 [kg] }}\nforce f on a.o = {force} * N.x\n"
        ))
    };
    for (force, decided) in [("-30 [N/m] * x", true), ("(-30 [N/m] * x + 2 [N*s/m^3] * der(x) * x^2)", false)]
    {
        let found = on_a_spring(force);
        assert_eq!((found.stability, found.decided), (Some(Stability::Marginal), decided), "{force}");
    }
    let pendulum = rest(
        "model m\ngravity = -9.81 [m/s^2] * N.z\nbody rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, -1) [m] }\n",
    );
    assert_eq!((pendulum.stability, pendulum.decided), (Some(Stability::Marginal), true));
}

fn at_zero(force: &str) -> Equilibrium {
    let table = "table k(x [m]) [N] = linear { -1: -10, 0: 0, 1: 30 }";
    rest(&format!(
        "model m\n{table}\nparticle a on N by translate(x = x) {{ mass = 1 [kg] }}\nforce f on a.o = {force} * N.x\n"
    ))
}

#[test]
fn both_slopes_of_a_kink_are_named() {
    let sides = [
        ("(-k(x))", -10.0, -30.0),
        ("(-30 [N/m]*x - 20 [N/m]*abs(x) - (if x > 0 [m] then 5 [N/m]*x else 0 [N]))", -10.0, -55.0),
    ];
    for (force, below, above) in sides {
        let found = at_zero(force);
        let [kink] = &found.kinks[..] else { panic!("{force}: {:?}", found.kinks) };
        assert_eq!((kink.along.name.as_str(), kink.of.name.as_str(), kink.jumps), ("x", "der(x)", false));
        assert!((kink.below - below).abs() < 1e-6 && (kink.above - above).abs() < 1e-6, "{kink}");
        assert!(!found.decided, "{kink}");
        let said = format!("its slope is {below} below and {above} above");
        assert!(kink.to_string().contains(&said), "{kink}");
    }
}

#[test]
fn dry_friction_jumps_where_nothing_moves() {
    let found = at_zero("(-30 [N/m]*x - 2 [N]*sign(der(x)))");
    let [kink] = &found.kinks[..] else { panic!("{:?}", found.kinks) };
    assert!(kink.jumps && kink.along.name == "der(x)", "{kink}");
    assert!((kink.below - 2.0).abs() < 1e-6 && (kink.above + 2.0).abs() < 1e-6, "{kink}");
}

/// A contact that begins with a square, a steep but smooth friction, a drag of |v| v.
#[test]
fn what_is_smooth_to_first_order_is_no_kink() {
    for force in [
        "(-30 [N/m]*x - 1000 [N/m^2]*max(x, 0 [m])^2)",
        "(-30 [N/m]*x - 2 [N]*tanh(der(x)/(0.001 [m/s])))",
        "(-30 [N/m]*x - 2 [N*s^2/m^2]*abs(der(x))*der(x))",
        "(-30 [N/m]*(x + 5 [m^-2]*x^3))",
    ] {
        let found = at_zero(force);
        assert!(found.kinks.is_empty(), "{force}: {:?}", found.kinks);
    }
}
