//! `cardan equilibrium` and `cardan modes` in absolute coordinates: large systems, by the sparse matrix.

use std::f64::consts::TAU;

use cardan::absolute::statics::{Balance, Search, equilibrium as find};
use cardan::absolute::vibration::{SparseMode, modes as find_modes};
use cardan::absolute::{AbsoluteMotion, is_worth_it};
use cardan::model::{Model, Quantity};
use cardan::sim::Frames;
use cardan::sim::record::trajectory::Pose;
use cardan::sim::settings::ABSOLUTE;
use cardan_viewer::{Chapter, Chapters, Report, render_page};
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::analyze::modes::complex;
use crate::analyze::{Posed, number, page::table, scale};
use crate::exit::{Outcome, Problem};
use crate::files::{self, csv_cell, digits};
use crate::report::scene_of;
use crate::terminal::{Terminal, columns};
use crate::transaction::Transaction;

/// So many modes are looked for if nobody says how many.
pub const MODES: usize = 10;
/// More coordinates than this are in the files, not on the terminal.
const MAX_TOLD: usize = 12;
/// Pictures of one mode.
const PICTURES: usize = 40;
/// On the page each mode takes this long.
const SHOWN: f64 = 4.0;

/// Why a question is answered in absolute coordinates; nothing if it is not.
pub fn reason(model: &Model, common: &Common) -> Option<String> {
    match common.formalism.as_deref() {
        Some(ABSOLUTE) => Some("asked for".into()),
        Some(_) => None,
        None => is_worth_it(model),
    }
}

/// A model in absolute coordinates, and where its answer goes.
struct Question<'q> {
    posed: &'q Posed,
    motion: AbsoluteMotion<'q>,
    results: Transaction,
    reason: String,
}

impl<'q> Question<'q> {
    fn new(posed: &'q Posed, common: &Common, reason: String, t: f64) -> Result<Question<'q>, Problem> {
        let motion = AbsoluteMotion::of(&posed.model, t).map_err(Problem::wrong)?;
        let folder =
            common.out.clone().unwrap_or_else(|| files::default_folder("results", &posed.model.name));
        Ok(Question { posed, motion, results: Transaction::begin(&folder)?, reason })
    }

    fn balance(&mut self, t: f64, search: Search) -> Result<Balance, Problem> {
        let start = self.motion.start.clone();
        find(&mut self.motion.mechanism, t, &start, search).map_err(Problem::failed)
    }

    fn heading(&self, terminal: &Terminal, what: &str) -> String {
        let name = terminal.bold(&self.posed.model.name);
        format!("{name}  {}\n  {what}\n  {ABSOLUTE}: {}\n", self.posed.model.description, self.reason)
    }

    /// The part that keeps a state from being balance.
    fn unbalanced(&self, at: &Balance) -> Problem {
        let part = &self.motion.mechanism.structure.parts[at.part].name;
        let (newton, relaxation) = at.steps;
        Problem::failed(format!(
            "no equilibrium was found: `{part}` is left with an acceleration of {} after {newton} steps of \
             Newton's method and {relaxation} of relaxation",
            number(at.residual)
        ))
        .hint("start nearer to it with --set, or roll downhill with --stable")
    }

    /// The pose of every body in a state.
    fn picture(&self, t: f64, y: &[f64], frames: &mut Frames) {
        let m = &self.motion.mechanism;
        frames.times.push(t);
        frames.bodies.resize(self.posed.model.bodies.len(), vec![]);
        for (track, pose) in frames.bodies.iter_mut().zip(m.poses_of_bodies(y)) {
            track.push(Pose { position: pose.p, rotation: pose.r });
        }
    }

    fn page(
        &self,
        title: &str,
        frames: &Frames,
        tables: Vec<cardan_viewer::Table>,
        chapters: Chapters,
    ) -> String {
        let model = &self.posed.model;
        render_page(&Report {
            title: format!("{}: {title}", model.name),
            description: model.description.clone(),
            generated_by: format!("cardan {}", env!("CARGO_PKG_VERSION")),
            time: frames.times.clone(),
            scene: scene_of(model, frames),
            model_text: self.posed.text.clone(),
            tables,
            chapters,
            ..Report::default()
        })
    }
}

/// Coordinates with their values, as people see them.
fn coordinates(model: &Model, q: &[f64]) -> Vec<(String, f64, String)> {
    let shown = |(quantity, value): (&Quantity, &f64)| {
        let (factor, unit) = scale(quantity);
        (quantity.name.clone(), value * factor, unit)
    };
    model.coordinates.iter().map(|(_, c)| &c.quantity).zip(q).map(shown).collect()
}

/// `cardan equilibrium`
pub fn equilibrium(
    terminal: &Terminal,
    posed: &Posed,
    common: &Common,
    reason: String,
    (t, search): (f64, Search),
) -> Result<Outcome, Problem> {
    let mut question = Question::new(posed, common, reason, t)?;
    let at = question.balance(t, search)?;
    question.motion.mechanism.measure(&at.state, true);
    let list = coordinates(&posed.model, question.motion.mechanism.coordinates());
    let facts = json!({
        "ok": at.is_balanced,
        "model": posed.model.name,
        "time": t,
        "formalism": ABSOLUTE,
        "balanced": at.is_balanced,
        "residual": at.residual,
        "newton_steps": at.steps.0,
        "relaxation_steps": at.steps.1,
        "coordinates": list.iter().map(|(n, v, u)| json!({ "name": n, "value": v, "unit": u })).collect::<Vec<_>>(),
    });
    let csv: String =
        list.iter().map(|(n, v, u)| format!("{},{},{}\n", csv_cell(n), digits(*v), csv_cell(u))).collect();
    let rows: Vec<Vec<String>> =
        list.iter().map(|(n, v, u)| vec![n.clone(), number(*v), format!("[{u}]")]).collect();
    let mut frames = Frames::default();
    question.picture(t, &at.state, &mut frames);
    let page = question.page(
        "equilibrium",
        &frames,
        vec![table("Coordinates", "", &["", "value", "unit"], rows.clone())],
        Chapters::default(),
    );
    let paths = [
        question.results.write("equilibrium.json", format!("{facts:#}\n").as_bytes())?,
        question.results.write("equilibrium.csv", format!("name,value,unit\n{csv}").as_bytes())?,
        question.results.write("equilibrium.html", page.as_bytes())?,
    ];
    if terminal.json {
        terminal.print_json(&facts);
    } else if !common.quiet {
        let what = format!("equilibrium at t = {} s, by {} + {} steps", number(t), at.steps.0, at.steps.1);
        let mut out = question.heading(terminal, &what);
        out += &columns(&rows[..rows.len().min(MAX_TOLD)], &[1]);
        if rows.len() > MAX_TOLD {
            out += &format!("  … and {} more\n", rows.len() - MAX_TOLD);
        }
        out += &format!("  largest acceleration left over {:.1e}\n", at.residual);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    let problem = (!at.is_balanced).then(|| question.unbalanced(&at));
    question.results.commit()?;
    Ok(match problem {
        None => Outcome::Done,
        Some(problem) => {
            terminal.problem(&problem);
            Outcome::Failed
        }
    })
}

/// `cardan modes`
pub fn modes(
    terminal: &Terminal,
    posed: &Posed,
    common: &Common,
    reason: String,
    (about, count): (&About, usize),
) -> Result<Outcome, Problem> {
    let mut question = Question::new(posed, common, reason, 0.0)?;
    let word = about.at.as_deref().unwrap_or("equilibrium");
    let state = match word {
        "start" => {
            let mut y = question.motion.start.clone();
            question.motion.mechanism.bring_to_rest(&mut y);
            y
        }
        "equilibrium" => {
            let at = question.balance(0.0, Search::Nearest)?;
            if !at.is_balanced {
                return Err(question.unbalanced(&at));
            }
            at.state
        }
        other => {
            let message =
                format!("modes in absolute coordinates are about the start or an equilibrium, not `{other}`");
            return Err(Problem::usage(message));
        }
    };
    let m = &mut question.motion.mechanism;
    m.measure(&state, true);
    let found = find_modes(m, 0.0, &state, count, None).map_err(Problem::failed)?;
    let names: Vec<String> = posed.model.speeds.iter().map(|(_, u)| u.quantity.name.clone()).collect();
    let shapes: Vec<Vec<(f64, f64)>> = found.iter().map(|mode| mode.by_speeds(m, &state)).collect();
    let rows: Vec<Vec<String>> =
        found.iter().zip(&shapes).enumerate().map(|(k, (mode, shape))| row(k, mode, shape, &names)).collect();
    let facts = describe(&posed.model, &found, &shapes, &names, word);
    let mut csv = String::from("re [1/s],im [1/s],frequency [Hz],damping\n");
    for mode in &found {
        let (re, im) = mode.eigenvalue;
        csv +=
            &format!("{},{},{},{}\n", digits(re), digits(im), digits(frequency(mode)), digits(damping(mode)));
    }
    let (mut frames, mut chapters) = (Frames::default(), vec![]);
    for (k, mode) in found.iter().enumerate() {
        let from = SHOWN * k as f64;
        let size = 0.15 * question.motion.mechanism.size(&state);
        for i in 0..PICTURES {
            let part = i as f64 / PICTURES as f64;
            let y = mode.displaced(&question.motion.mechanism, &state, 2.0 * TAU * part, size);
            question.picture(from + SHOWN * part, &y, &mut frames);
        }
        let to = from + SHOWN * (PICTURES - 1) as f64 / PICTURES as f64;
        chapters.push(Chapter { title: format!("Mode {}", k + 1), cells: rows[k].clone(), from, to });
    }
    let heads = ["", "most in", "eigenvalue", "Hz", "damping"];
    let chapters =
        Chapters { title: "Modes: choose one".into(), columns: heads.map(String::from).to_vec(), chapters };
    let page = question.page("modes", &frames, vec![table("Modes", "", &heads, rows.clone())], chapters);
    let paths = [
        question.results.write("modes.json", format!("{facts:#}\n").as_bytes())?,
        question.results.write("modes.csv", csv.as_bytes())?,
        question.results.write("modes.html", page.as_bytes())?,
    ];
    if terminal.json {
        terminal.print_json(&facts);
    } else if !common.quiet {
        let mut out =
            question.heading(terminal, &format!("the {} lowest modes about the {word}", found.len()));
        let heading = heads.map(String::from).to_vec();
        out += &columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>(), &[0, 2, 3, 4]);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    question.results.commit()?;
    Ok(Outcome::Done)
}

fn frequency(mode: &SparseMode) -> f64 {
    let (re, im) = mode.eigenvalue;
    if im == 0.0 { 0.0 } else { re.hypot(im) / TAU }
}

fn damping(mode: &SparseMode) -> f64 {
    let (re, im) = mode.eigenvalue;
    let size = re.hypot(im);
    if size == 0.0 { 0.0 } else { -re / size }
}

fn row(k: usize, mode: &SparseMode, shape: &[(f64, f64)], names: &[String]) -> Vec<String> {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    let size = |i: usize| shape[i].0.hypot(shape[i].1);
    order.sort_by(|a, b| size(*b).total_cmp(&size(*a)));
    let largest: Vec<&str> =
        order.iter().take(3).filter(|i| size(**i) > 0.1).map(|i| names[*i].as_str()).collect();
    vec![
        format!("{}", k + 1),
        largest.join(", "),
        complex(mode.eigenvalue),
        if frequency(mode) > 0.0 { number(frequency(mode)) } else { "–".into() },
        number(damping(mode)),
    ]
}

fn describe(
    model: &Model,
    found: &[SparseMode],
    shapes: &[Vec<(f64, f64)>],
    names: &[String],
    about: &str,
) -> Value {
    let mode = |(mode, shape): (&SparseMode, &Vec<(f64, f64)>)| {
        let shape: serde_json::Map<String, Value> =
            names.iter().zip(shape).map(|(n, z)| (n.clone(), json!([z.0, z.1]))).collect();
        json!({
            "eigenvalue": [mode.eigenvalue.0, mode.eigenvalue.1],
            "frequency": frequency(mode),
            "damping": damping(mode),
            "shape": shape,
        })
    };
    json!({
        "ok": true,
        "model": model.name,
        "formalism": ABSOLUTE,
        "point": about,
        "modes": found.iter().zip(shapes).map(mode).collect::<Vec<_>>(),
    })
}
