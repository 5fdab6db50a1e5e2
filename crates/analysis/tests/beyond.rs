//! What linear equations do not decide is said to be undecided.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

mod common;

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
    let verdict = cubic.stability.unwrap().verdict(cubic.decided);
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
    for (force, decided) in
        [("-30 [N/m] * x", true), ("(-30 [N/m] * x + 2 [N*s/m^3] * der(x) * x^2)", false)]
    {
        let found = on_a_spring(force);
        assert_eq!((found.stability, found.decided), (Some(Stability::Stable), decided), "{force}");
    }
    let pendulum = rest(
        "model m\ngravity = -9.81 [m/s^2] * N.z\nbody rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, -1) [m] }\n",
    );
    assert_eq!((pendulum.stability, pendulum.decided), (Some(Stability::Stable), true));
}
