//! A hundred random controllers: no event is missed, and none depends on the integrator.
//!
//! Each block makes its own condition false, so that a condition that holds at any sample is an event that was missed. The
//! samples are a microsecond apart. Conditions that are outputs would help the integrator to see them, so all others run without.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::Random;

const CONTROLLERS: u64 = 100;
/// Duration of each motion, in seconds; the plants move on a scale of milliseconds.
const DURATION: f64 = 0.1;

/// A model, and the conditions of its blocks as outputs.
fn controller(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut between = |low: f64, high: f64| random.between(low, high);
    let (stiffness, damping) = (between(2e3, 4e4), between(0.0, 10.0));
    let mut text = format!(
        "particle load on N by translate(x = x) {{ mass = 1 [kg] }}
         force spring on load.cm = (-{stiffness} [N/m] * x - {damping} [N*s/m] * load.u) * N.x
         force drive on load.cm = (push + hold + {} [N] * sin({} [rad/s] * t)) * N.x
         discrete push = 0 [N], hold = 0 [N], off = 0 [s], n = 0, mode = 0
         start {{ x = {} [m]; load.u = {} [m/s] }}\n",
        between(0.0, 50.0),
        between(50.0, 400.0),
        between(-0.01, 0.01),
        between(-1.0, 1.0),
    );
    let band = between(5e-4, 5e-3);
    let force = between(5.0, 40.0);
    let mut blocks: Vec<(String, String)> = vec![];
    match seed % 5 {
        // A relay with hysteresis.
        0 => {
            blocks.push((
                format!("x < -{band} [m] and push <= 0 [N]"),
                format!("push := {force} [N]; n := n + 1"),
            ));
            blocks.push((
                format!("x > {band} [m] and push >= 0 [N]"),
                format!("push := -{force} [N]; n := n + 1"),
            ));
        }
        // A dead zone on position and speed, with a shortest on-time.
        1 => {
            let lead = between(1e-4, 2e-3);
            let least = between(5e-4, 4e-3);
            let error = format!("x + {lead} [s] * load.u");
            blocks.push((
                format!("{error} < -{band} [m] and push <= 0 [N] and t >= off"),
                format!("push := {force} [N]; off := t + {least} [s]; n := n + 1"),
            ));
            blocks.push((
                format!("{error} > {band} [m] and push >= 0 [N] and t >= off"),
                format!("push := -{force} [N]; off := t + {least} [s]; n := n + 1"),
            ));
            blocks.push((
                format!("abs({error}) <= {band} [m] and t >= off and push != 0 [N]"),
                "push := 0 [N]".into(),
            ));
        }
        // A sampled law that is switched on and off by the amplitude.
        2 => {
            let period = between(2e-4, 2e-3);
            let (kp, kd) = (between(0.0, 500.0), between(1.0, 20.0));
            text += &format!(
                "every {period} [s] {{ if mode > 0 {{ hold := -{kp} [N/m] * x - {kd} [N*s/m] * load.u }} else {{ hold := 0 [N] }} }}\n"
            );
            blocks.push((format!("abs(x) > {band} [m] and mode < 1"), "mode := 1; n := n + 1".into()));
            blocks.push((
                format!("abs(x) < {} [m] and abs(load.u) < 0.2 [m/s] and mode > 0", 0.5 * band),
                "mode := 0".into(),
            ));
        }
        // A counter of crossings that kicks at every third.
        3 => {
            blocks.push(("x > 0 [m] and mode < 1".into(), "mode := 1; n := n + 1".into()));
            blocks.push((format!("x < -{} [m] and mode > 0", 0.2 * band), "mode := 0".into()));
            blocks.push((
                "mod(n, 3) > 1.5".into(),
                format!("load.u := load.u + {} [m/s]; n := n + 1", between(-0.3, 0.3)),
            ));
        }
        // Stops on both sides, and a latch that a procedure decides.
        _ => {
            let wall = between(2e-3, 8e-3);
            let bounce = between(0.3, 0.9);
            text += &format!(
                "procedure choose(x [m], v [m/s]) -> f [N] {{
                   local s = 0
                   for k in 1 .. 3 {{ if x > k*{} [m] {{ s := s - 1 }} if x < -k*{} [m] {{ s := s + 1 }} }}
                   f := s*{force} [N] / 3
                 }}\n",
                0.3 * wall,
                0.3 * wall,
            )
            .replace("} if", "}\n if");
            let (a, b) = (
                format!("x >= {wall} [m] and load.u > 0 [m/s]"),
                format!("x <= -{wall} [m] and load.u < 0 [m/s]"),
            );
            blocks.push((a, format!("load.u := -{bounce}*load.u; n := n + 1")));
            blocks.push((b, format!("load.u := -{bounce}*load.u; n := n + 1")));
            blocks.push(("t >= off".into(), "push := choose(x, load.u); off := t + 0.0037 [s]".into()));
        }
    }
    for (k, (condition, content)) in blocks.iter().enumerate() {
        text += &format!("when {condition} {{ {content} }}\n");
        text += &format!("output missed{k} = if {condition} then 1 else 0\n");
    }
    text + &format!("simulate {{ to = {DURATION} [s] }}\n")
}

/// Without its blocks a controller misses its events, and the look for them says so.
#[test]
fn a_deaf_controller_is_found_out() {
    let mut n_found = 0;
    for seed in 0..10 {
        let text = controller(seed);
        let deaf: String =
            text.lines().filter(|l| !l.starts_with("when ")).map(|l| format!("{l}\n")).collect();
        let model = resolve(parse("deaf.mbs", &deaf)).into_model().unwrap_or_else(|e| panic!("{deaf}\n{e}"));
        let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{deaf}\n{e}"));
        let settings = Settings { to: DURATION, every: Some(1e-4), ..Settings::default() };
        let motion = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{deaf}\n{e}"));
        let missed = |name: &str| motion.series(name).is_some_and(|s| s.iter().any(|x| *x != 0.0));
        n_found += usize::from(["missed0", "missed1", "missed2"].into_iter().any(missed));
    }
    assert!(n_found >= 8, "{n_found} of 10");
}

#[test]
fn no_event_is_missed_and_none_depends_on_the_integrator() {
    let mut n_events = 0;
    for seed in 0..CONTROLLERS {
        let text = controller(seed);
        let model =
            resolve(parse("controller.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
        let options = Options { formalism: Some(Formalism::Kane), ..Options::default() };
        let compiled = compile_model(&model, options).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let plain = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        let bare: String =
            text.lines().filter(|l| !l.starts_with("output ")).map(|l| format!("{l}\n")).collect();
        let bare = resolve(parse("bare.mbs", &bare)).into_model().unwrap_or_else(|e| panic!("{bare}\n{e}"));
        let bare = compile_model(&bare, options).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let settings = [
            (&compiled, Settings { every: Some(1e-6), ..plain.clone() }),
            (&bare, plain.clone()),
            (&bare, Settings { method: Method::Dopri5, rtol: 1e-9, atol: 1e-12, ..plain.clone() }),
            (&bare, Settings { method: Method::Radau5, rtol: 1e-10, atol: 1e-13, ..plain.clone() }),
            (&bare, Settings { method: Method::Dop853, every: Some(DURATION), ..plain }),
        ];
        let motions =
            settings.map(|(c, s)| c.simulation.run(&s, &mut ()).unwrap_or_else(|e| panic!("{text}\n{e}")));
        for motion in &motions {
            assert_eq!(motion.ending, Ending::Finished, "{text}\n{}", motion.reason);
        }
        let [scanned, others @ ..] = &motions;
        assert_eq!(scanned.rows.len(), 100_001);
        for (c, column) in scanned.columns.iter().enumerate().filter(|(_, c)| c.name.starts_with("missed")) {
            let first = scanned.rows.iter().find(|row| row[c] != 0.0);
            assert!(first.is_none(), "{} at t = {}\n{text}", column.name, first.map_or(0.0, |r| r[0]));
        }
        let list = &scanned.happenings.list;
        n_events += list.len();
        for other in others {
            let order = |m: &Trajectory| m.happenings.list.iter().map(|e| e.event).collect::<Vec<_>>();
            assert_eq!(order(other), order(scanned), "{text}");
            for (a, b) in other.happenings.list.iter().zip(list) {
                assert!((a.t - b.t).abs() < 1e-6, "{} and {}\n{text}", a.t, b.t);
            }
            assert_eq!(other.happenings.counts, scanned.happenings.counts, "{text}");
        }
        assert!(scanned.audit.relative() < 1e-6, "{}\n{text}", scanned.audit);
    }
    assert!(n_events > 1000, "{n_events} events are too few to mean much");
}
