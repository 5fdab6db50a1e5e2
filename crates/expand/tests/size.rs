//! Many instances: time and memory stay within bounds.

use std::time::Instant;

use cardan_expand::Settings;

use crate::common::expanded;

fn text(n: usize) -> String {
    format!(
        "subsystem cell {{
           parameter k = 3 [N/m], m = 1 [kg]
           port base: frame
           particle p on base by translate(x = x, y = y) {{ mass = m }}
           spring s between p.cm and base.o {{ stiffness = k }}
           damper d between p.cm and base.o {{ damping = 1 [N*s/m] }}
           output pull = k * x
         }}
         constant n = {n}
         for k in 1 .. n {{ cell c[k](m = k * 1 [kg]) {{ base -> N at (k, 0, 0) [m] }} }}
         output all = c[1].x + c[n].x"
    )
}

#[test]
fn a_thousand_instances_take_well_under_a_second_and_ten_times_as_many_ten_times_as_long() {
    let time = |n: usize| {
        let text = text(n);
        let start = Instant::now();
        let (found, _) = expanded(&text, &Settings::default(), &[]);
        assert!(!found.diagnostics.has_errors());
        assert_eq!(found.tree.statements.len(), 6 * n + 2);
        start.elapsed().as_secs_f64()
    };
    let least = |n: usize| (0..4).map(|_| time(n)).fold(f64::INFINITY, f64::min);
    let (small, large) = (least(1_000), least(10_000));
    assert!(small < 0.5, "{small} s");
    assert!(large < 40.0 * small, "{small} s, {large} s");
}

#[test]
fn a_hundred_thousand_instances_end_with_a_clear_limit() {
    let start = Instant::now();
    let (found, _) = expanded(&text(100_000), &Settings::default(), &[]);
    assert!(found.diagnostics.iter().any(|d| d.message.contains("more than")), "{:?}", found.diagnostics);
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn repetitions_within_repetitions_end_though_they_leave_nothing_behind() {
    let text = format!("constant n = 2\n{}{}", "for k in 1 .. n {\n".repeat(34), "}\n".repeat(34));
    let (found, _) = expanded(&text, &Settings::default(), &[]);
    assert!(found.diagnostics.iter().any(|d| d.message.contains("repeats more than 1000000 times")));
}
