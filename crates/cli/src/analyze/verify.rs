//! `cardan verify`: a model put to the test, one line per check as soon as it is made.

use cardan::absolute::{AbsoluteError, AbsoluteMotion};
use cardan::analysis::verify::{POINTS, against_whole, drops_small_quantities};
use cardan::analysis::{Check, Finding, Study, verify};
use cardan::assembly::ParameterValues;
use cardan::model::ExperimentKind;
use cardan::sim::settings::{ABSOLUTE, NATURAL};
use cardan::sim::{ColumnKind, Settings};
use serde_json::{Value, json};

use crate::analyze::arguments::Verify;
use crate::analyze::{Asked, prepare};
use crate::exit::{Outcome, Problem};
use crate::run::request::set_values;
use crate::terminal::Terminal;

/// More points than these tell nothing more.
const MAX_POINTS: f64 = 1e4;

pub fn run(terminal: &Terminal, arguments: &Verify) -> Result<Outcome, Problem> {
    let quiet = arguments.common.quiet;
    let terminal = &terminal.quieter(quiet);
    let asked = prepare(terminal, ExperimentKind::Verify, &arguments.common, &[], &[], Ok)?;
    let mut settings =
        Settings::of(&asked.model, &ParameterValues::of(&asked.model)).map_err(Problem::wrong)?;
    settings.to = asked.time("to", &arguments.to)?.unwrap_or(settings.to);
    settings.check().map_err(Problem::usage)?;
    let wanted = arguments.points.map(|n| n as f64).or(asked.number("points")).unwrap_or(POINTS as f64);
    if !(2.0..=MAX_POINTS).contains(&wanted) {
        let problem = format!("{wanted} points make no sense: 2 to {MAX_POINTS} are looked at");
        return Err(Problem::usage(problem));
    }
    let points = wanted as usize;
    let compiled = asked.compiled.for_constraints(settings.constraints).map_err(Problem::wrong)?;
    let mut asked = Asked { compiled, ..asked };
    let (from, to) = (settings.from, settings.to);
    if !quiet && !terminal.json {
        terminal.print(
            &asked.heading(terminal, &format!("put to the test along its motion from {from} to {to} s")),
        );
    }
    let mut say = |check: &Check| {
        if !quiet && !terminal.json {
            terminal.print(&line(terminal, check));
        }
    };
    let mut checks = verify(
        &asked.model,
        &asked.compiled.choice,
        &asked.compiled.simulation,
        &mut asked.study,
        (&settings, points),
        &mut say,
    )
    .map_err(Problem::failed)?;
    if let Some(mut whole) = whole(terminal, arguments, &asked)? {
        let check = against_whole(&mut asked.study, &mut whole, from).map_err(Problem::failed)?;
        say(&check);
        checks.push(check);
    }
    let name = arguments.common.formalism.as_deref();
    for word in [ABSOLUTE, NATURAL].into_iter().filter(|word| name == Some(word)) {
        let settings = Settings { natural: word == NATURAL, ..settings.clone() };
        let check = in_coordinates_of_parts(&asked, &settings, word)?;
        say(&check);
        checks.push(check);
    }
    let count = |finding: Finding| checks.iter().filter(|c| c.finding == finding).count();
    let (fail, doubtful) = (count(Finding::Fails), count(Finding::Doubtful));
    let facts = json!({
        "ok": fail == 0,
        "model": asked.model.name,
        "from": from,
        "to": to,
        "checks": checks.iter().map(described).collect::<Vec<_>>(),
    });
    let path = asked.write("verify.json", &format!("{facts:#}\n"))?;
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !quiet {
        let words = match (fail, doubtful) {
            (0, 0) => terminal.green("everything that can be compared agrees"),
            (0, n) => terminal.yellow(&format!("{n} doubtful")),
            (n, 0) => terminal.bold(&format!("{n} of {} checks fail", checks.len())),
            (n, m) => terminal.bold(&format!("{n} of {} checks fail, {m} doubtful", checks.len())),
        };
        terminal.print(&format!("  {words}\n  {}\n", path.display()));
    }
    Ok(if fail == 0 { Outcome::Done } else { Outcome::Failed })
}

/// Differences of motions up to the first are none, beyond the second wrong: each motion keeps its tolerance.
const MOTIONS: (f64, f64) = (1e-6, 1e-4);

/// The motion in absolute or natural coordinates against that of the tree: coordinates and speeds of all samples.
fn in_coordinates_of_parts(asked: &Asked, settings: &Settings, name: &'static str) -> Result<Check, Problem> {
    let check = |compared: String, difference: Option<f64>| Check {
        name,
        compared,
        difference,
        limit: MOTIONS.0,
        finding: match difference {
            None => Finding::Idle,
            Some(d) if d <= MOTIONS.0 => Finding::Holds,
            Some(d) if d <= MOTIONS.1 => Finding::Doubtful,
            Some(_) => Finding::Fails,
        },
    };
    let mut motion = match AbsoluteMotion::of(&asked.model, settings.from) {
        Ok(motion) => motion,
        Err(AbsoluteError::Unsupported(why)) => return Ok(check(why.to_string(), None)),
        Err(why) => return Err(Problem::failed(why)),
    };
    let own = match motion.run(settings, &mut ()) {
        Ok(own) => own,
        Err(AbsoluteError::Unsupported(why)) => return Ok(check(why.to_string(), None)),
        Err(why) => return Err(Problem::failed(why)),
    };
    let tree = asked.compiled.simulate(settings).map_err(Problem::failed)?.into_trajectory();
    let mut worst: f64 = 0.0;
    let moving = |kind: ColumnKind| matches!(kind, ColumnKind::Coordinate | ColumnKind::Speed);
    for (k, column) in tree.columns.iter().enumerate().filter(|(_, c)| moving(c.kind)) {
        let Some(place) = own.index_of(&column.name) else { continue };
        let size = tree.rows.iter().map(|row| row[k].abs()).fold(1.0, f64::max);
        let gaps = tree.rows.iter().zip(own.rows.iter()).map(|(a, b)| (a[k] - b[place]).abs() / size);
        worst = gaps.fold(worst, |w, g| if g.is_nan() { f64::INFINITY } else { w.max(g) });
    }
    let parts = motion.mechanism.n_parts();
    Ok(check(format!("the motion of {parts} parts with constraints, with that of the tree"), Some(worst)))
}

/// The model of the same text with nothing taken as small; nothing where nothing is.
fn whole(terminal: &Terminal, arguments: &Verify, asked: &Asked) -> Result<Option<Study>, Problem> {
    let common = &arguments.common;
    if !drops_small_quantities(&asked.study) || common.file.extension().is_none_or(|e| e != "mbs") {
        return Ok(None);
    }
    let resolved = cardan::resolve_whole(cardan::parse(&common.file.to_string_lossy(), &asked.text));
    let mut model = resolved.into_model().map_err(Problem::wrong)?;
    model = set_values(&terminal.quieter(true), model, &common.set)?;
    let host = crate::run::externals::host(&model, &common.bind)?;
    let compiled =
        cardan::compile_with(&model, cardan::Options::default(), host.clone()).map_err(Problem::wrong)?;
    Ok(Some(Study::with_host(&compiled.choice, &[], host).map_err(Problem::wrong)?))
}

/// `virtual power   holds     1.2e-12  Newton's law of …`
fn line(terminal: &Terminal, check: &Check) -> String {
    let difference =
        check.difference.map_or("-".to_string(), |d| if d == 0.0 { "0".into() } else { format!("{d:.1e}") });
    let finding = format!("{:<15}", check.finding.name());
    let finding = match check.finding {
        Finding::Holds => terminal.green(&finding),
        Finding::Doubtful => terminal.yellow(&finding),
        Finding::Fails => terminal.bold(&finding),
        Finding::Idle => terminal.dim(&finding),
    };
    format!("  {:<14} {finding} {difference:>8}  {}\n", check.name, check.compared)
}

fn described(check: &Check) -> Value {
    json!({
        "check": check.name,
        "finding": check.finding.name(),
        "difference": check.difference.filter(|d| d.is_finite()),
        "limit": check.limit,
        "compared": check.compared,
    })
}
