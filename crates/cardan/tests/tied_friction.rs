//! Dry friction on speeds that a gear or a loop ties together: they come to rest at once, share what holds them, and let go when all is spent.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

const METHODS: [Method; 5] = [Method::Auto, Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];

fn run(text: &str, change: impl Fn(&mut Settings)) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    change(&mut settings);
    let compiled = compile_model(&model, Options::default()).unwrap();
    let compiled = compiled.for_constraints(settings.constraints).unwrap();
    let run = compiled.simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(run.ending, Ending::Finished, "{}: {}", settings.method, run.reason);
    assert!(run.warnings.is_empty(), "{}: {:?}", settings.method, run.warnings);
    run
}

/// Two shafts of 1 kg m², the second at half the speed, 0.5 N m of friction on each: as one shaft of 1 + 1/4 kg m² with 0.5 + 0.5/2 N m.
#[test]
fn geared_shafts_move_as_one_with_the_friction_of_both() {
    let pull = "1 [N*m]*sin(2 [rad/s]*t)";
    let end = "start { der(p) = 0.1 [rad/s] }\n simulate { to = 4 [s], every = 0.02 [s] }";
    let one = format!(
        "body a on N by revolute(z, q = p) {{ mass = 1 [kg]; inertia = (1, 1, 1.25) [kg*m^2] }}
         torque f on a from N = -0.75 [N*m]*sign(der(p))*N.z
         torque pull on a from N = {pull}*N.z
         {end}"
    );
    let both = format!(
        "body a on N by revolute(z, q = p) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
         body b on N by revolute(z, q = r) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
         joint wheels = gear(b, a, ratio = -0.5)
         torque f1 on a from N = -0.5 [N*m]*sign(der(p))*N.z
         torque f2 on b from N = -0.5 [N*m]*sign(der(r))*N.z
         torque pull on a from N = {pull}*N.z
         output f1 = -0.5 [N*m]*sign(der(p)), f2 = -0.5 [N*m]*sign(der(r))
         {end}"
    );
    let expected = run(&one, |_| {});
    for method in METHODS {
        let found = run(&both, |s| s.method = method);
        for (name, t) in [("p", 4.0), ("der(p)", 4.0)] {
            let (x, y) = (found.last(name).unwrap(), expected.last(name).unwrap());
            assert!((x - y).abs() < 2e-8, "{method}: {name}({t}) = {x}, as one shaft {y}");
        }
        // Both stick in each stretch in which the one shaft does, and no longer.
        for slide in &expected.slides {
            let same = |s: &&cardan::sim::Slide| {
                (s.from - slide.from).abs() < 1e-6 && (s.to - slide.to).abs() < 1e-6
            };
            assert_eq!(
                found.slides.iter().filter(same).count(),
                2,
                "{method}: {slide} in {:?}",
                found.slides
            );
        }
        assert_eq!(found.slides.len(), 2 * expected.slides.len(), "{method}: {:?}", found.slides);
        // No friction is more than it can be.
        for name in ["f1", "f2"] {
            let most = found.series(name).unwrap().iter().fold(0.0f64, |m, f| m.max(f.abs()));
            assert!(most < 0.5 + 1e-6, "{method}: {name} reaches {most}");
        }
    }
}

const FOUR_BAR: &str = "
    gravity = -9.81 [m/s^2]*N.y
    body crank on N by revolute(z, q = alpha) { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0.1, 0, 0) [m]; point pin = (0.2, 0, 0) [m] }
    body coupler on crank by revolute(z, q = beta) at crank.pin { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0.25, 0, 0) [m]; point pin = (0.5, 0, 0) [m] }
    body rocker on N by revolute(z, q = gamma) at (0.5, 0, 0) [m] { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0, 0.2, 0) [m]; point pin = (0, 0.4, 0) [m] }
    joint knee = revolute(coupler.pin, rocker.pin, axis = z)
    torque motor on crank from N = 3 [N*m]*sin(4 [rad/s]*t)*N.z
    start { alpha = 60 [deg]; der(alpha) = 3 [rad/s] }
    simulate { to = 3 [s] }";

/// Friction at crank and rocker. It is the limit of tanh(rate/ε) for ε → 0, which a stiff method follows without any switch: at ε = 1e-4, 1e-5,
/// 1e-6 rad/s the crank ends 2e-3, 1.3e-4, 1e-5 rad away.
#[test]
fn a_four_bar_linkage_with_friction_at_two_joints() {
    let with = |friction: &dyn Fn(&str) -> String| {
        format!(
            "{FOUR_BAR}
             torque f1 on crank from N = {f1}*N.z
             torque f3 on rocker from N = {f3}*N.z
             output f1 = {f1}, f3 = {f3}",
            f1 = friction("der(alpha)"),
            f3 = friction("der(gamma)")
        )
    };
    let smooth = with(&|rate| format!("-1 [N*m]*tanh({rate}/(1e-6 [rad/s]))"));
    let limit = run(&smooth, |s| (s.method, s.rtol) = (Method::Radau5, 1e-9)).last("alpha").unwrap();
    let dry = with(&|rate| format!("-1 [N*m]*sign({rate})"));
    let forms = [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised];
    let asked = METHODS.map(|m| (m, forms[0])).into_iter().chain(forms.map(|f| (Method::Auto, f)));
    let mut first = None;
    for (method, form) in asked {
        let found = run(&dry, |s| (s.method, s.constraints) = (method, form));
        let alpha = found.last("alpha").unwrap();
        assert!((alpha - limit).abs() < 3e-5, "{method}, {}: {alpha}, the limit {limit}", form.name());
        let first = *first.get_or_insert(alpha);
        assert!((alpha - first).abs() < 1e-7, "{method}, {}: {alpha} and {first}", form.name());
        for name in ["f1", "f3"] {
            let most = found.series(name).unwrap().iter().fold(0.0f64, |m, f| m.max(f.abs()));
            assert!(most < 1.0 + 1e-6, "{method}, {}: {name} reaches {most}", form.name());
        }
    }
}

/// Friction in three joints of one freedom: it stops, and moves again when all three are spent. At mu = 2 N m it stays.
#[test]
fn a_four_bar_linkage_with_friction_everywhere_comes_to_rest() {
    for (mu, stays) in [(1.0, false), (2.0, true)] {
        let text = format!(
            "{FOUR_BAR}
             parameter mu = {mu} [N*m]
             torque f1 on crank from N = -mu*sign(der(alpha))*N.z
             torque f2 on coupler from crank = -mu*sign(der(beta))*N.z
             torque f3 on rocker from N = -mu*sign(der(gamma))*N.z"
        );
        let last: Vec<f64> = METHODS
            .map(|method| {
                let found = run(&text, |s| s.method = method);
                assert_eq!(found.last("der(alpha)").unwrap() == 0.0, stays, "{method}, mu = {mu}");
                found.last("alpha").unwrap()
            })
            .to_vec();
        let apart = last.iter().map(|x| (x - last[0]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-7, "mu = {mu}: {last:?}");
    }
}
