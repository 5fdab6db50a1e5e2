//! `cardan new`: a small model to start from.

use std::path::Path;

use serde_json::json;

use crate::arguments::{New, Template};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::terminal::Terminal;

/// Rods of an n-pendulum where nothing is said.
const LINKS: u16 = 20;

/// The text of a template, for a model of this name.
pub fn text(template: Template, name: &str, links: u16) -> String {
    let text = match template {
        Template::Pendulum => include_str!("../templates/pendulum.mbs"),
        Template::DoublePendulum => include_str!("../templates/double-pendulum.mbs"),
        Template::Oscillator => include_str!("../templates/oscillator.mbs"),
        Template::Top => include_str!("../templates/top.mbs"),
        Template::CartPole => include_str!("../templates/cart-pole.mbs"),
        Template::NPendulum => include_str!("../templates/n-pendulum.mbs"),
    };
    text.replacen("NAME", name, 1).replace("LINKS", &links.to_string())
}

/// The file name as a name of the language.
fn identifier(stem: &str) -> String {
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "model_");
    }
    name
}

pub fn run(terminal: &Terminal, arguments: &New) -> Result<Outcome, Problem> {
    let path = Path::new(&arguments.name).with_extension("mbs");
    let Some(stem) = path.file_stem().filter(|s| !s.is_empty()) else {
        return Err(Problem::usage(format!("`{}` names no file", arguments.name)));
    };
    if arguments.links.is_some() && arguments.template != Template::NPendulum {
        return Err(Problem::usage("`--links` belongs to the template n-pendulum")
            .hint("write --template n-pendulum --links 20"));
    }
    if path.exists() {
        return Err(Problem::wrong(format!("{} exists already", path.display()))
            .hint("choose another name, or remove the file"));
    }
    let name = identifier(&stem.to_string_lossy());
    files::write(&path, text(arguments.template, &name, arguments.links.unwrap_or(LINKS)).as_bytes())?;
    if terminal.json {
        terminal.print_json(&json!({ "ok": true, "file": path.to_string_lossy(), "model": name }));
    } else {
        let shown = path.display();
        terminal.print(&format!("{shown} written; next: cardan run {shown}\n"));
    }
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_file_name_gives_a_name_of_the_language() {
        assert_eq!(identifier("my-arm 2"), "my_arm_2");
        assert_eq!(identifier("2nd"), "model_2nd");
        assert_eq!(identifier("_x"), "model__x");
    }

    #[test]
    fn every_template_simulates_and_balances_its_energy() {
        use clap::ValueEnum;
        for template in Template::value_variants() {
            let text = text(*template, "trial", 5);
            let run = cardan::run("trial.mbs", &text).unwrap_or_else(|e| panic!("{template:?}\n{e}"));
            assert_eq!(run.trajectory.ending, cardan::sim::Ending::Finished, "{template:?}");
            assert!(run.trajectory.audit.relative() < 1e-8, "{template:?}: {}", run.trajectory.audit);
            assert!(run.trajectory.warnings.is_empty(), "{template:?}: {:?}", run.trajectory.warnings);
        }
    }

    /// What the title of each template claims, as properties of its motion.
    #[test]
    fn every_template_does_what_its_title_claims() {
        use clap::ValueEnum;
        for template in Template::value_variants() {
            let run = cardan::run("trial.mbs", &text(*template, "trial", 5)).expect("a template runs");
            let t = &run.trajectory;
            let times = t.times();
            let series = |name: &str| t.series(name).unwrap_or_else(|| panic!("{template:?} has no {name}"));
            let between = |name: &str, from: f64, to: f64| {
                let pairs = times.iter().zip(series(name));
                let within = pairs.filter(|(t, _)| (from..=to).contains(*t));
                within.fold(0.0, |most: f64, (_, x)| most.max(x.abs()))
            };
            let reach = |name: &str| -> Vec<f64> {
                let [x, y, z] = ["x", "y", "z"].map(|axis| series(&format!("{name}.{axis}")));
                (0..x.len()).map(|k| (x[k].powi(2) + y[k].powi(2) + z[k].powi(2)).sqrt()).collect()
            };
            let g = 9.81f64;
            match template {
                // A rod on a pin: its tip stays 1 m away, and it passes the vertical after a
                // quarter of the period of a physical pendulum, T = 2π / (ω agm(1, cos(θ/2))) with
                // ω² = 3g/2L.
                Template::Pendulum => {
                    assert!(reach("tip").iter().all(|r| (r - 1.0).abs() < 1e-9));
                    let (mut a, mut b): (f64, f64) = (1.0, 30f64.to_radians().cos());
                    for _ in 0..6 {
                        (a, b) = (0.5 * (a + b), (a * b).sqrt());
                    }
                    let quarter = std::f64::consts::FRAC_PI_2 / ((1.5 * g).sqrt() * a);
                    let q = series("q");
                    let k = q.iter().position(|q| *q < 0.0).expect("it swings through");
                    let crossing = times[k - 1] + 0.01 * q[k - 1] / (q[k - 1] - q[k]);
                    assert!((crossing - quarter).abs() < 1e-4, "{crossing} against {quarter}");
                }
                // Two rods, one on the other: the free end is one rod away from the end of the
                // upper one.
                Template::DoublePendulum => {
                    let (q, x, z) = (series("q1"), series("tip.x"), series("tip.z"));
                    let apart = |k: usize| (x[k] + q[k].sin()).hypot(z[k] + q[k].cos());
                    assert!((0..q.len()).all(|k| (apart(k) - 1.0).abs() < 1e-9));
                    assert!(between("q2", 0.0, 10.0) > 1.0, "the lower rod swings on its own");
                }
                // The force is switched off after 3 s: what is left decays as exp(-c t / 2 m).
                Template::Oscillator => {
                    let driven = between("x", 0.0, 3.0);
                    let (early, late) = (between("x", 3.5, 4.0), between("x", 5.5, 6.0));
                    assert!(driven > 0.01 && early < driven, "{driven} {early}");
                    assert!((late / early / (-2.0f64).exp() - 1.0).abs() < 0.2, "{late} after {early}");
                }
                // A heavy top on a ball joint: its centre stays 1 m away, its spin about the axis
                // of symmetry is an invariant of Lagrange's top, and its weight makes it precess
                // and nutate.
                Template::Top => {
                    assert!(reach("center").iter().all(|r| (r - 1.0).abs() < 1e-9));
                    assert!(series("top.u2").iter().all(|u| (u - 150.0).abs() < 1e-6));
                    assert!(between("center.x", 0.0, 2.0) > 0.5 && between("center.z", 0.0, 2.0) > 0.5);
                }
                // Held upright by a controller: it never falls, and comes to rest where it began.
                Template::CartPole => {
                    assert!(between("tilt", 0.0, 5.0) < 11f64.to_radians());
                    assert!(between("tilt", 4.5, 5.0) < 0.1f64.to_radians());
                    assert!(between("x", 4.5, 5.0) < 0.02, "{}", between("x", 4.5, 5.0));
                }
                // A chain of as many rods as were asked for, released stretched out: never longer
                // than 1 m.
                Template::NPendulum => {
                    assert_eq!(run.compiled.model().bodies.len(), 5);
                    let reach = reach("tip");
                    assert!((reach[0] - 1.0).abs() < 1e-9 && reach.iter().all(|r| *r < 1.0 + 1e-9));
                    assert!(reach.iter().any(|r| *r < 0.99), "it moves like one rod");
                }
            }
        }
    }

    #[test]
    fn the_library_has_the_chain_of_twenty_rods() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/n-pendulum.mbs");
        let model = std::fs::read_to_string(path).expect("the model is in the library");
        assert_eq!(model, text(Template::NPendulum, "n_pendulum", LINKS));
    }

    #[test]
    fn every_template_is_laid_out_canonically() {
        use clap::ValueEnum;
        for template in Template::value_variants() {
            let text = text(*template, "trial", 5);
            assert_eq!(cardan::syntax::format(&text).as_ref(), Ok(&text), "{template:?}");
        }
    }
}
