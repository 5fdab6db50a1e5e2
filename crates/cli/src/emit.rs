//! `cardan emit`: the equations as source code.

use cardan::assembly::ParameterValues;
use cardan::codegen::{EmitError, Library, SourceFile, Target, emit as write, emit_simulation, interface};
use cardan::compile::formalism_selection::short;
use cardan::emit::{self, By, Fix, Question, Request};
use cardan::model::{Causality, Model};
use cardan::program::Program;
use cardan::program::derive::DeriveError;
use cardan::sim::Settings;
use serde_json::json;

use crate::arguments::Emit;
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{load, refused};
use crate::run::request::set_values;
use crate::show;
use crate::terminal::{Terminal, columns};
use crate::transaction::Transaction;

pub fn run(terminal: &Terminal, arguments: &Emit) -> Result<Outcome, Problem> {
    let target = named(&arguments.target, "language", &Target::ALL)?;
    let questions: Vec<Question> =
        arguments.what.iter().map(|n| named(n, "function", &Question::ALL)).collect::<Result<_, _>>()?;
    let mut by: Vec<By> =
        arguments.by.iter().map(|n| named(n, "choice", &By::ALL)).collect::<Result<_, _>>()?;
    if !by.is_empty() && !questions.contains(&Question::Jacobian) {
        let hint = format!("write --what {},jacobian", arguments.what.join(","));
        return Err(Problem::usage("`--by` is for Jacobians, and none is asked for").hint(hint));
    }
    if by.is_empty() {
        by.push(By::States);
    }
    let formalism = arguments.formalism.as_deref().map(show::formalism).transpose()?;
    let (fix, given) = fixed(arguments.fix.as_deref());

    let loaded = load(terminal, &arguments.file, &arguments.reading.setting(&arguments.set))?;
    let set = loaded.remaining(&arguments.set);
    let (mut model, version) = (loaded.model, emit::version(&loaded.text));
    model = set_values(terminal, model, &set)?;
    model = set_values(terminal, model, &given)?;
    if questions.contains(&Question::Reactions) {
        model.ask_for_joint_reactions();
    }
    let settings = Settings::of(&model, &ParameterValues::of(&model)).map_err(Problem::wrong)?;
    let choice = cardan::derive(&model, formalism.or(settings.formalism))
        .map_err(|e| refused(terminal, &model, &loaded.sources, e))?;
    let (program, library, written) = if arguments.program {
        let placed = |error: emit::Error| {
            let at = if let emit::Error::Sticking { at, .. } = &error { *at } else { None };
            let found = problem(error);
            let message = match at.and_then(|at| Some((at, loaded.sources.get(at.file)?))) {
                Some((at, source)) => {
                    let (line, column) = loaded.sources.line_column(at.file, at.range().start);
                    format!("{}:{line}:{column}: {}", source.name, found.message)
                }
                None => found.message,
            };
            Problem { message, help: found.help, outcome: found.outcome }
        };
        let called = match arguments.external.as_deref() {
            None => vec![],
            Some([]) => inputs(&choice.model),
            Some(names) => names.to_vec(),
        };
        let mut complete = emit::complete_calling(&choice, &settings, &fix, &called).map_err(placed)?;
        complete.simulation.version = version;
        let library = complete.simulation.library(&complete.program);
        let written = emit_simulation(&complete.program, &complete.simulation, target).map_err(unwritten)?;
        (complete.program, library, written)
    } else {
        let mut functions = emit::functions(&choice, &Request { questions, by, fix }).map_err(problem)?;
        functions.library.version = version;
        let written = write(&functions.program, &functions.library, target).map_err(unwritten)?;
        (functions.program, functions.library, written)
    };
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| files::default_folder("generated", &model.name).join(target.name()));
    let mut results = Transaction::begin(&folder)?;
    for file in &written {
        results.write(&file.name, file.bytes())?;
    }
    results.commit()?;
    say(terminal, &folder.to_string_lossy(), &written, &program, &library)?;
    Ok(Outcome::Done)
}

/// Which parameters become numbers, and the values that are given with them: `k`, `k=12[N/m]`.
fn fixed(list: Option<&[String]>) -> (Fix, Vec<String>) {
    let Some(list) = list else { return (Fix::Nothing, vec![]) };
    let name = |text: &String| text.split_once('=').map_or(text.as_str(), |(name, _)| name).trim().to_owned();
    let given = list.iter().filter(|text| text.contains('=')).cloned().collect();
    let fix = if list.is_empty() { Fix::Everything } else { Fix::Named(list.iter().map(name).collect()) };
    (fix, given)
}

/// The inputs of a model.
fn inputs(model: &Model) -> Vec<String> {
    let found = model.parameters.iter().filter(|(_, p)| p.causality == Causality::Input);
    found.map(|(_, p)| p.quantity.name.clone()).collect()
}

/// The files, and what each function costs.
fn say(
    terminal: &Terminal,
    folder: &str,
    written: &[SourceFile],
    program: &Program,
    library: &Library,
) -> Result<(), Problem> {
    let face = interface(program, library).map_err(unwritten)?;
    let functions = library.functions.iter().zip(&face.operations);
    if terminal.json {
        let functions: Vec<_> = functions
            .map(|(f, c)| json!({ "name": f.name, "does": f.doc, "operations": c.total() }))
            .collect();
        let names: Vec<&str> = written.iter().map(|f| f.name.as_str()).collect();
        terminal.print_json(&json!({ "ok": true, "folder": folder, "files": names, "functions": functions }));
        return Ok(());
    }
    let table: Vec<Vec<String>> = functions.map(|(f, c)| vec![f.name.clone(), short(c)]).collect();
    let mut out = columns(&table, &[]);
    for file in written {
        out += &format!("{folder}/{}\n", file.name);
    }
    terminal.print(&out);
    Ok(())
}

/// What has this name, or a problem that lists what there is.
pub fn named<T: Copy>(name: &str, kind: &str, all: &[(T, &str)]) -> Result<T, Problem> {
    all.iter().find(|(_, n)| *n == name.trim()).map(|(value, _)| *value).ok_or_else(|| {
        let known = all.iter().map(|(_, n)| *n).collect::<Vec<_>>().join(", ");
        Problem::usage(format!("there is no {kind} `{name}`")).hint(format!("there are {known}"))
    })
}

fn problem(error: emit::Error) -> Problem {
    let help = match &error {
        emit::Error::NoValue(names) => names.first().map(|n| format!("give one with --set {n}=VALUE")),
        emit::Error::NoSuchParameter { nearest: Some(name), .. } => Some(format!("write --fix {name}")),
        emit::Error::NoSuchInput { nearest: Some(name), .. } => Some(format!("write --external {name}")),
        emit::Error::NoSuchInput { .. } => {
            Some("an input is declared by `input F [N] = 0`; `cardan show model FILE` lists them".into())
        }
        emit::Error::NoSuchParameter { .. } => Some("`cardan show model FILE` lists the parameters".into()),
        emit::Error::Backward => Some("let `to` be after `from` in the simulate block".into()),
        emit::Error::MovingEquality => Some("write the condition with `<` or `>`".into()),
        emit::Error::Derive(DeriveError::NoDerivative { .. }) => {
            Some("leave `jacobian` out of --what, or write the function in the model: formulas and tables have derivatives".into())
        }
        emit::Error::Sticking { .. } => Some(
            "leave out --program for the functions alone, or write the friction with a force that is known, as `-mu * load * sign(v)`"
                .into(),
        ),
        emit::Error::NoConstraints(_) => Some("leave it out of --what".into()),
        _ => None,
    };
    let problem = Problem::wrong(error);
    match help {
        Some(help) => problem.hint(help),
        None => problem,
    }
}

fn unwritten(error: EmitError) -> Problem {
    match error {
        EmitError::Unsupported { .. } => {
            Problem::usage(error).hint("leave out --program, or choose another --target")
        }
        other => Problem::wrong(other),
    }
}
