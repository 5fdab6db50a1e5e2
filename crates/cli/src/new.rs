//! `cardan new`: a small model to start from.

use std::path::Path;

use serde_json::json;

use crate::arguments::{New, Template};
use crate::files;
use crate::outcome::{Outcome, Problem};
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
        Template::NPendulum => return chain(name, links),
    };
    text.replacen("NAME", name, 1)
}

/// A planar chain: uniform rods of equal length and mass, each pinned to the end of the one before.
fn chain(name: &str, links: u16) -> String {
    let mut bodies = String::new();
    for k in 1..=links {
        let (parent, at) = match k {
            1 => ("N".to_owned(), ""),
            _ => (format!("rod{}", k - 1), " at (0, 0, -l)"),
        };
        bodies += &format!("body rod{k} on {parent} by rotate(y = q{k}){at} {{\n");
        bodies += "  mass = m / n; inertia = (J, J, 0 [kg*m^2]); center = (0, 0, -l / 2)\n";
        bodies += "  shape rod((0, 0, -l), radius = l / 10)\n}\n";
    }
    let text = include_str!("../templates/n-pendulum.mbs");
    text.replacen("NAME", name, 1).replace("LINKS", &links.to_string()).replacen("# BODIES\n", &bodies, 1)
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

    #[test]
    fn the_library_has_the_chain_of_twenty_rods() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/n-pendulum.mbs");
        let model = std::fs::read_to_string(path).expect("the model is in the library");
        assert_eq!(model, text(Template::NPendulum, "n_pendulum", LINKS));
        assert_eq!(model.matches("\nbody ").count(), 20);
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
