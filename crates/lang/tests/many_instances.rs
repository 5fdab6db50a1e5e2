//! Elaboration of many instances: a thousand of five elements well under a second, and growth with their number.

use std::time::Instant;

use cardan_lang::compile_text;

fn text(n: usize) -> String {
    format!(
        "subsystem cell {{
           parameter k = 3 [N/m], m = 1 [kg]
           port base: frame
           particle p on base by translate(x = x, y = y) {{ mass = m }}
           spring s between p.cm and base.o {{ stiffness = k }}
           damper d between p.cm and base.o {{ damping = 1 [N*s/m] }}
           force f on p.cm = -k * x * N.x
           output pull = k * x
         }}
         constant n = {n}
         for k in 1 .. n {{ cell c[k](m = k * 1 [kg]) {{ base -> N at (k, 0, 0) [m] }} }}"
    )
}

#[test]
fn instances_elaborate_in_time_that_grows_with_their_number() {
    let time = |n: usize| {
        let text = text(n);
        let start = Instant::now();
        let found = compile_text("many.mbs", &text);
        let model = found.model.unwrap_or_else(|| panic!("{:?}", found.diagnostics));
        assert_eq!((model.bodies.len(), model.coordinates.len()), (n, 2 * n));
        start.elapsed().as_secs_f64()
    };
    let least = |n: usize| (0..3).map(|_| time(n)).fold(f64::INFINITY, f64::min);
    let (small, large) = (least(1_000), least(8_000));
    assert!(small < 1.0, "{small} s");
    // Eight times as many, with room for memory that no cache holds any more.
    assert!(large < 20.0 * small, "{small} s, {large} s");
}
