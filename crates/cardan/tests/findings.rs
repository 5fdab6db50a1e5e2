//! What is wrong with a mechanism as a whole: the pages under `docs/errors` show what is really said; `BLESS=1` refreshes them.

use cardan::assembly::ParameterValues;
use cardan::base::{Code, Diagnostics, Severity, Sources, render};
use cardan::prelude::*;
use cardan::sim::{diagnostics, examine};

/// The fenced blocks of a page that begin with ` ```kind `.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let fence = format!("```{kind}\n");
    let closed = |rest: &'a str| rest.split_once("```").expect("every block is closed").0;
    page.split(&fence).skip(1).map(closed).collect()
}

fn examined(text: &str) -> (Diagnostics, Sources) {
    let resolved = resolve(parse("example.mbs", text));
    let words: String = resolved.diagnostics.iter().map(|d| render(d, &resolved.sources, false)).collect();
    let model = resolved.model.unwrap_or_else(|| panic!("the text is unsound:\n{words}"));
    let mut found = examine(&model);
    if found.is_empty() && !model.experiments.is_empty() {
        found = moved(&model);
    }
    (found, resolved.sources)
}

/// What is found along the motion that a text asks for.
fn moved(model: &Model) -> Diagnostics {
    let compiled = compile_model(model, Options::default()).expect("a sound mechanism");
    let settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    let mut found = Diagnostics::new();
    let run = match compiled.simulation.run(&settings, &mut ()) {
        Ok(run) => run,
        Err(error) => {
            found
                .push(cardan::sim::diagnose_start(model, &error).expect("it starts, or it is known why not"));
            return found;
        }
    };
    run.parting.iter().for_each(|p| found.push(cardan::sim::diagnose_parting(model, p)));
    found
}

fn said(text: &str) -> String {
    let (found, sources) = examined(text);
    let rendered: String = found.iter().map(|d| render(d, &sources, false)).collect();
    rendered.lines().map(|l| format!("{}\n", l.trim_end())).collect()
}

#[test]
fn each_page_shows_its_own_finding_and_a_text_that_mends_it() {
    for (Code(code), title) in diagnostics::ALL {
        let path = format!("{}/../../docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}");
        let examples = blocks(&page, "mbs");
        let (found, _) = examined(examples[0]);
        assert!(found.iter().all(|d| d.code.0 == *code) && found.len() == 1, "{code}\n{}", said(examples[0]));
        for d in found.iter() {
            assert!(!d.help.is_empty() && d.span().is_some(), "{code}: {}", d.message);
            assert_eq!(d.severity == Severity::Warning, matches!(*code, "K006" | "K010" | "K014"), "{code}");
        }
        assert_eq!(said(examples[examples.len() - 1]), "", "{code}: something is said about the mended text");
        let (shown, now) = (blocks(&page, "text")[0], said(examples[0]));
        if std::env::var_os("BLESS").is_some() {
            let old = format!("```text\n{shown}```");
            let new = page.replacen(&old, &format!("```text\n{}\n```", now.trim_end()), 1);
            std::fs::write(&path, new).expect("the page can be written");
        } else {
            assert_eq!(shown.trim_end(), now.trim_end(), "{code} differs; refresh with BLESS=1");
        }
    }
}

/// Drives that agree at the start and part afterwards contradict each other at the level of velocity.
#[test]
fn drives_that_part_after_the_start_contradict_each_other() {
    let text = "body crank on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
motion fast on a = 2 [rad/s] * t
motion slow on a = 1 [rad/s] * t\n";
    let words = said(text);
    assert!(words.contains("K002") && words.contains("`slow`") && words.contains("`fast`"), "{words}");
    assert!(words.contains("off by 0.5 rad/s"), "each gives way by half of the difference:\n{words}");
}

/// Conditions on velocities are off by velocities, those on positions by rates of positions.
#[test]
fn a_gap_of_rates_has_the_unit_of_a_rate() {
    let text = "body cart on N by translate(x = x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
constraint fast = dot(velocity(cart.o), N.x) - 2 [m/s]
constraint slow = dot(velocity(cart.o), N.x) - 1 [m/s]\n";
    let words = said(text);
    assert!(words.contains("K002") && words.contains("off by 0.5 m/s\n"), "{words}");
}

/// The library of models keeps its published data: only the triangle rule is broken, by the bus of the spacecraft.
#[test]
fn the_models_of_the_library_can_be_put_together() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut warned = vec![];
    for entry in std::fs::read_dir(folder).expect("the models are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let Some(model) = resolve(parse("m.mbs", &text)).model else { continue };
        let found = examine(&model);
        assert!(!found.has_errors(), "{}: {:?}", path.display(), found);
        warned.extend(found.iter().map(|d| (model.name.clone(), d.code.0)));
    }
    assert!(warned.contains(&("spacecraft".into(), "K006")), "{warned:?}");
    assert!(
        warned.iter().all(|(name, code)| name.starts_with("spacecraft") && *code == "K006"),
        "{warned:?}"
    );
}

/// What stops a run is found without one: a damper without a length has no direction. Where loops close elsewhere, that is what counts.
#[test]
fn loads_without_a_value_are_found_before_a_run() {
    let ball = "body ball on N by free { mass = 1 [kg]; inertia = (0.04, 0.1, 0.1) [kg*m^2] }\n";
    let damper = "spring_damper s between ball.o and N.o { stiffness = 10 [N/m]; damping = 0.5 [N*s/m] }\n";
    let (found, _) = examined(&format!("{ball}{damper}"));
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code("K011")]);
    let (found, _) = examined(&format!("{ball}spring s between ball.o and N.o {{ stiffness = 10 [N/m] }}\n"));
    assert!(found.is_empty(), "a spring without a length pulls by nothing");
    let (found, _) = examined(&format!("{ball}{damper}joint rod = distance(ball.o, N.o, length = 1 [m])\n"));
    assert!(found.is_empty(), "the rod keeps its ends apart");
}

/// Moments of inertia that are rounding beside the mass are no violation; those that are not are one.
#[test]
fn inertias_that_are_rounding_are_accepted() {
    let hand = |moments: &str| {
        examined(&format!(
            "parameter one = 1\nbody hand on N by revolute(z) {{ mass = 0.02 [kg]; inertia = ({moments}) [kg*m^2]; center = (0.1, 0, 0) [m] }}\n"
        ))
        .0
    };
    for rounding in ["5e-20, -5e-20, 2e-20", "5e-20, 1e-21, 1e-21, 3e-20, 0, 0", "0, 0, -1e-22"] {
        assert!(hand(rounding).is_empty(), "{rounding}");
    }
    assert!(hand("5e-6, -5e-6*one, 2e-6").has_errors());
    assert!(hand("1e-6, 1e-6, 1e-6, 5e-6, 0, 0").has_errors());
}

/// Masses that only products make infinite.
#[test]
fn an_infinite_mass_is_refused() {
    for data in ["mass = 1e300*1e300 [kg]", "mass = 1 [kg]; inertia = (1, 1, 1e300*1e300) [kg*m^2]"] {
        let (found, _) = examined(&format!("model m\nbody p on N by revolute(z) {{ {data} }}\n"));
        assert!(
            found.iter().any(|d| d.severity == Severity::Error && d.message.contains("infinite")),
            "{data}"
        );
    }
}
