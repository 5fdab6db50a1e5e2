//! The literate suite: cases written as text in `tests/suite/**/*.md` and `tests/std/*.md`.
//!
//! A case is a block `mbs` (a model), optional blocks, and a block `expect`. Headings name it.
//! The format stands in `tests/suite/README.md`. `CARDAN_CASE=words/of/a/place` runs some of them.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::assembly::ParameterValues;
use cardan::compile::Choice;
use cardan::compile::formalism_selection::motion_counts;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, Verdict};

/// A model with what is asked and expected of it.
pub struct Case {
    /// File and line of the expectations, and the heading above them.
    pub place: String,
    /// The words of the heading, parted by commas.
    pub names: Vec<String>,
    model: String,
    /// Texts of which each in turn is added to the model; one empty text where there are none.
    variants: Vec<String>,
    /// Lines of the block `call`, each of which is run; one empty line where there is none.
    calls: Vec<String>,
    expected: Vec<String>,
}

/// All files with cases below a folder of `tests`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).expect("a folder of cases") {
        let path = entry.expect("readable").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false if path.extension().is_some_and(|e| e == "md") => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// All cases below a folder of `tests`.
pub fn cases(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut cases = vec![];
    for file in files(&root.join(folder)) {
        let text = fs::read_to_string(&file).expect("readable");
        let name = file.strip_prefix(&root).expect("below the root").display().to_string();
        if !name.ends_with("README.md") {
            read(&name, &text, &mut cases);
        }
    }
    cases
}

/// Adds the cases of one file. A block `mbs` begins a case; `expect` ends it.
fn read(file: &str, text: &str, cases: &mut Vec<Case>) {
    let (mut names, mut fence, mut block) = (vec![], None, String::new());
    let (mut model, mut variants, mut calls) = (String::new(), vec![], vec![]);
    for (k, line) in text.lines().enumerate() {
        let place = || format!("{file}:{}", k + 1);
        match (fence, line) {
            (None, line) if line.starts_with("## ") => {
                names = line[3..].split(", ").map(str::to_owned).collect();
            }
            (None, line) if line.starts_with("```") => (fence, block) = (Some(&line[3..]), String::new()),
            (Some(kind), "```") => {
                fence = None;
                let lines = || block.lines().map(str::to_owned).collect::<Vec<_>>();
                match kind {
                    "mbs" => (model, variants, calls) = (block.clone(), vec![], vec![]),
                    "each" => variants = block.split("---\n").map(str::to_owned).collect(),
                    "call" => calls = lines(),
                    "expect" => {
                        assert!(!model.is_empty(), "{}: expectations without a model", place());
                        assert!(!block.is_empty(), "{}: nothing is expected", place());
                        let or_one = |list: &[String]| {
                            if list.is_empty() { vec![String::new()] } else { list.to_vec() }
                        };
                        cases.push(Case {
                            place: format!("{}: {}", place(), names.join(", ")),
                            names: names.clone(),
                            model: model.clone(),
                            variants: or_one(&variants),
                            calls: or_one(&calls),
                            expected: lines(),
                        });
                        (variants, calls) = (vec![], vec![]);
                    }
                    "text" => {}
                    other => panic!("{}: `{other}` is no block of a case", place()),
                }
            }
            (Some(_), line) => block += &format!("{line}\n"),
            (None, _) => {}
        }
    }
    assert!(fence.is_none(), "{file}: a block has no end");
}

impl Case {
    /// What does not hold, in words.
    pub fn failures(&self) -> Vec<String> {
        let mut failed = vec![];
        let mut first = None;
        for variant in &self.variants {
            for call in &self.calls {
                let told = |what: String| format!("{}: {what}\n{call}\n{variant}", self.place);
                match self.answer(variant, call) {
                    Err(error) => failed.push(told(error)),
                    Ok(answer) => {
                        let wrong =
                            self.expected.iter().filter_map(|l| answer.check(l, first.as_ref()).err());
                        failed.extend(wrong.map(told));
                        first.get_or_insert(answer);
                    }
                }
            }
        }
        failed
    }

    fn answer(&self, variant: &str, call: &str) -> Result<Answer, String> {
        let mut words = call.split_whitespace();
        let verb = words.next().unwrap_or("simulate");
        let resolved = resolve(parse("case.mbs", &format!("{}{variant}", self.model)));
        if verb == "check" {
            let codes = resolved.diagnostics.iter().map(|d| d.code.0.to_owned()).collect();
            return Ok(Answer::Codes(codes));
        }
        let model = resolved.into_model().map_err(|e| e.to_string())?;
        match verb {
            "simulate" => simulated(&model, words).map(|t| Answer::Motion(Box::new(t))),
            "derive" => {
                let by = words.next();
                let formalism = by.map(|w| Formalism::named(w).ok_or(format!("no formalism `{w}`")));
                let choice = cardan::derive(&model, formalism.transpose()?).map_err(|e| e.to_string())?;
                Ok(Answer::Equations(Box::new(choice)))
            }
            other => Err(format!("`{other}` is no call")),
        }
    }
}

/// The integration method with a name.
fn method(name: &str) -> Option<Method> {
    let all = [Method::Auto, Method::Rk4, Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf];
    all.into_iter().find(|m| m.to_string() == name)
}

/// The motion of a model with some settings changed: `method=radau5`.
fn simulated<'t>(model: &Model, changes: impl Iterator<Item = &'t str>) -> Result<Trajectory, String> {
    let mut settings = Settings::of(model, &ParameterValues::of(model)).map_err(|e| e.to_string())?;
    for change in changes {
        let wrong = || format!("`{change}` is no setting");
        let (name, value) = change.split_once('=').ok_or_else(wrong)?;
        let number = || value.parse::<f64>().map_err(|_| wrong());
        match name {
            "method" => settings.method = method(value).ok_or_else(wrong)?,
            "constraints" => settings.constraints = ConstraintForm::named(value).ok_or_else(wrong)?,
            "rtol" => settings.rtol = number()?,
            "atol" => settings.atol = number()?,
            "to" => settings.to = number()?,
            "every" => settings.every = Some(number()?),
            _ => return Err(wrong()),
        }
    }
    let compiled = compile_model(model, Options::default()).map_err(|e| e.to_string())?;
    let compiled = compiled.for_constraints(settings.constraints).map_err(|e| e.to_string())?;
    compiled.simulation.run(&settings, &mut ()).map_err(|e| e.to_string())
}

/// What a call returns.
enum Answer {
    Motion(Box<Trajectory>),
    Equations(Box<Choice>),
    Codes(Vec<String>),
}

impl Answer {
    /// Whether an expectation holds; if not, what is there instead. `first` is the answer to the
    /// first call of the case.
    fn check(&self, line: &str, first: Option<&Answer>) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match self {
            Answer::Motion(motion) => match first {
                Some(Answer::Motion(first)) => of_motion(motion, first, &words),
                _ => of_motion(motion, motion, &words),
            },
            Answer::Equations(choice) => of_equations(choice, &words),
            Answer::Codes(codes) => of_codes(codes, &words),
        }
        .unwrap_or_else(|| Err(format!("`{line}` is no expectation of this call")))
    }
}

fn holds(is_so: bool, otherwise: impl FnOnce() -> String) -> Option<Result<(), String>> {
    Some(if is_so { Ok(()) } else { Err(otherwise()) })
}

fn of_motion(motion: &Trajectory, first: &Trajectory, words: &[&str]) -> Option<Result<(), String>> {
    let number = |word: &str| word.parse::<f64>().unwrap_or(f64::NAN);
    let series = |name: &str| motion.series(name).ok_or(format!("there is no result `{name}`"));
    let values = match series(words[0]) {
        Ok(values) => values,
        Err(_)
            if ["balance", "ends", "warnings", "events", "rows", "steps", "sticks"].contains(&words[0]) =>
        {
            vec![]
        }
        Err(error) => return Some(Err(error)),
    };
    let size = || values.iter().fold(0.0, |m: f64, y| if y.is_nan() { *y } else { m.max(y.abs()) });
    match words {
        ["balance", "holds"] => {
            holds(motion.audit.verdict() == Verdict::Holds, || format!("the balance fails: {}", motion.audit))
        }
        ["ends", "finished"] => {
            holds(motion.ending == Ending::Finished, || format!("it ends early: {}", motion.reason))
        }
        ["warnings", "none"] => holds(motion.warnings.is_empty(), || format!("{:?}", motion.warnings)),
        ["rows", "=", n] => holds(motion.times().len() as f64 == number(n), || {
            format!("there are {} rows", motion.times().len())
        }),
        ["events", "=", n] => {
            let found = motion.happenings.list.len();
            holds(found as f64 == number(n), || format!("{found} events"))
        }
        ["steps", "<", n] => {
            let steps = motion.statistics.accepted;
            holds((steps as f64) < number(n), || format!("{steps} steps"))
        }
        ["sticks", "at", "the", "end"] => {
            let end = motion.times().last().copied();
            holds(motion.slides.iter().any(|s| s.sticks && Some(s.to) == end), || {
                format!("it does not stick at the end: {:?}", motion.slides)
            })
        }
        [_, "alike", "+-", allowed] => {
            let others = first.series(words[0]).unwrap_or_default();
            let gap = values.iter().zip(&others).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            let is_so = values.len() == others.len() && gap <= number(allowed);
            holds(is_so, || format!("{} differs by {gap:e} from the first run", words[0]))
        }
        [name, "end", "alike", "+-", allowed] => {
            let gap = (motion.last(name)? - first.last(name)?).abs();
            holds(gap <= number(allowed), || format!("{} ends {gap:e} from the first run", words[0]))
        }
        [_, "<", most] => holds(size() < number(most), || format!("{} reaches {:e}", words[0], size())),
        [_, ">", least] => {
            holds(size() > number(least), || format!("{} reaches only {:e}", words[0], size()))
        }
        [_, "at", time, "=", expected, "+-", allowed] => {
            let at = motion.times().iter().position(|t| (t - number(time)).abs() < 1e-9);
            let Some(at) = at else { return Some(Err(format!("no row at {time} s"))) };
            let value = values[at];
            holds((value - number(expected)).abs() <= number(allowed), || {
                format!("{} at {time} s is {value:.12}, not {expected}", words[0])
            })
        }
        [_, "ends", "at", expected, "+-", allowed] => {
            let value = values.last().copied().unwrap_or(f64::NAN);
            holds((value - number(expected)).abs() <= number(allowed), || {
                format!("{} ends at {value:.12}, not {expected}", words[0])
            })
        }
        _ => None,
    }
}

fn of_equations(choice: &Choice, words: &[&str]) -> Option<Result<(), String>> {
    let counts = motion_counts(&choice.lowered);
    let loops = choice.loops.as_ref();
    let found = match words[0] {
        "mul" => counts.mul as usize,
        "add" => counts.add as usize,
        "div" => counts.div as usize,
        "trig" => counts.trig as usize,
        "mobility" => loops.map_or(choice.model.speeds.len(), |l| l.mobility),
        "redundant" => loops.map_or(0, |l| l.redundant.len() + l.implied.len()),
        "states" => choice.equations.states.len(),
        "formalism" => {
            let name = choice.equations.formalism.name();
            return holds(words == ["formalism", "=", name], || format!("the formalism is {name}"));
        }
        _ => return None,
    };
    match words {
        [what, "=", n] => holds(*n == found.to_string(), || format!("{what} is {found}")),
        [what, "<=", n] => holds(n.parse().is_ok_and(|n: usize| found <= n), || format!("{what} is {found}")),
        _ => None,
    }
}

fn of_codes(codes: &[String], words: &[&str]) -> Option<Result<(), String>> {
    match words {
        ["nothing"] => holds(codes.is_empty(), || format!("it says {codes:?}")),
        ["no", code] => holds(!codes.iter().any(|c| c == code), || format!("it says {codes:?}")),
        [code] => holds(codes.iter().any(|c| c == code), || format!("it says {codes:?}")),
        _ => None,
    }
}

/// Runs the cases of a folder, or those whose place has the words of `CARDAN_CASE`.
fn run(folder: &str) {
    let only = std::env::var("CARDAN_CASE").ok();
    let chosen = |c: &&Case| only.as_ref().is_none_or(|only| c.place.contains(only.as_str()));
    let all = cases(folder);
    assert!(!all.is_empty(), "no cases in {folder}");
    let failed: Vec<String> = all.iter().filter(chosen).flat_map(Case::failures).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn elements_of_the_library_obey_their_laws() {
    run("std");
}

#[test]
fn cases_of_motion_hold() {
    run("suite/motion");
}

#[test]
fn cases_of_constraints_hold() {
    run("suite/constraints");
}

#[test]
fn cases_of_events_hold() {
    run("suite/events");
}

#[test]
fn cases_of_friction_hold() {
    run("suite/friction");
}

/// The driver itself: expectations that do not hold are told, and so is what it cannot read.
#[test]
fn a_wrong_expectation_fails() {
    let text = "## a falling point\n```mbs\nparticle p on N by translate(x = x) { mass = 1 [kg] }
start { der(x) = 1 [m/s] }\nsimulate { to = 1 [s], every = 0.5 [s] }\n```\n```expect\n";
    let told = |expectation: &str| {
        let mut found = vec![];
        read("own.md", &format!("{text}{expectation}\n```\n"), &mut found);
        found[0].failures().len()
    };
    for holds in
        ["x at 0.5 = 0.5 +- 1e-9", "x < 1.1", "x > 0.9", "x ends at 1 +- 1e-9", "balance holds", "rows = 3"]
    {
        assert_eq!(told(holds), 0, "{holds}");
    }
    for fails in [
        "x at 0.5 = 0.6 +- 1e-9",
        "x at 0.7 = 0.7 +- 1",
        "x < 0.9",
        "x > 1.1",
        "x < a",
        "x ends at 2 +- 0.5",
        "y < 1",
        "events = 1",
        "rows = 4",
        "x",
    ] {
        assert_eq!(told(fails), 1, "{fails}");
    }
}
