//! The example programs run, and what they assert holds.

#[path = "../examples/equations.rs"]
mod equations;
#[path = "../examples/four_bar.rs"]
mod four_bar;
#[path = "../examples/modes.rs"]
mod modes;
#[path = "../examples/parameter_study.rs"]
mod parameter_study;
#[path = "../examples/pendulum.rs"]
mod pendulum;

#[test]
fn examples_run() {
    for (name, main) in [
        ("pendulum", pendulum::main as fn() -> Result<(), cardan::Error>),
        ("four_bar", four_bar::main),
        ("modes", modes::main),
        ("parameter_study", parameter_study::main),
        ("equations", equations::main),
    ] {
        assert!(main().is_ok(), "{name}: {}", main().unwrap_err());
    }
}
