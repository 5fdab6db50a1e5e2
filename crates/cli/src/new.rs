//! `cardan new`: a small model to start from.

use std::path::Path;

use serde_json::json;

use crate::arguments::{New, Template};
use crate::files;
use crate::outcome::{Outcome, Problem};
use crate::terminal::Terminal;

/// The text of a template, for a model of this name.
pub fn text(template: Template, name: &str) -> String {
    let text = match template {
        Template::Pendulum => include_str!("../templates/pendulum.mbs"),
        Template::DoublePendulum => include_str!("../templates/double-pendulum.mbs"),
        Template::Oscillator => include_str!("../templates/oscillator.mbs"),
        Template::Top => include_str!("../templates/top.mbs"),
        Template::CartPole => include_str!("../templates/cart-pole.mbs"),
    };
    text.replacen("NAME", name, 1)
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
    if path.exists() {
        return Err(Problem::wrong(format!("{} exists already", path.display()))
            .hint("choose another name, or remove the file"));
    }
    let name = identifier(&stem.to_string_lossy());
    files::write(&path, text(arguments.template, &name).as_bytes())?;
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
            let text = text(*template, "trial");
            let run = cardan::run("trial.mbs", &text).unwrap_or_else(|e| panic!("{template:?}\n{e}"));
            assert_eq!(run.trajectory.ending, cardan::sim::Ending::Finished, "{template:?}");
            assert!(run.trajectory.audit.relative() < 1e-8, "{template:?}: {}", run.trajectory.audit);
            assert!(run.trajectory.warnings.is_empty(), "{template:?}: {:?}", run.trajectory.warnings);
        }
    }

    #[test]
    fn every_template_is_laid_out_canonically() {
        use clap::ValueEnum;
        for template in Template::value_variants() {
            let text = text(*template, "trial");
            assert_eq!(cardan::syntax::format(&text).as_ref(), Ok(&text), "{template:?}");
        }
    }
}
