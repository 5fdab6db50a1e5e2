//! What a run has to say: to people before and after, to programs as JSON.

use std::path::PathBuf;

use cardan::Compiled;
use cardan::assembly::{Mobility, ParameterValues};
use cardan::compile::formalism_selection::short;
use cardan::compile::{ChosenLoops, ClosedForm, JacobianWay};
use cardan::model::{Model, Parameter};
use cardan::prelude::Method;
use cardan::program::Counts;
use cardan::sim::{ColumnKind, ConstraintForm, Ending, Settings, Verdict};
use serde_json::{Map, Value, json};

use super::{Story, reactions};
use crate::run::absolute::Derived;
use crate::run::artifacts::Saved;
use crate::run::{event_log, initial_state};
use crate::terminal::{Terminal, bodies, columns, counted, short_number};

/// More rows of final values than this are left to the file.
const MAX_ROWS: usize = 40;

/// More singular positions than this are left to the file.
const MAX_PASSAGES: usize = 5;

/// What the model is and how it will be moved, as label and value.
pub fn facts(derived: &Derived, settings: &Settings) -> Vec<(String, String)> {
    match derived {
        Derived::Equations(compiled) => facts_of_equations(compiled, settings),
        Derived::Absolute(facts) => facts.lines(settings),
    }
}

fn facts_of_equations(compiled: &Compiled, settings: &Settings) -> Vec<(String, String)> {
    let m = compiled.model();
    let simulation = &compiled.simulation;
    let plan = simulation.plan();
    let n_parameters = plan.parameters.len() - plan.inputs().len();
    let dependent = m.parameters.iter().filter(|(_, p)| !p.is_input());
    let dependent = dependent.filter(|(_, p)| plan.dependent.contains(&p.quantity.name)).count();
    let parameters = match dependent {
        0 => n_parameters.to_string(),
        n => format!("{n_parameters}, and {n} that follow from them"),
    };
    let structure = format!(
        "{}, {}, {}, {}",
        bodies(m),
        counted(m.joints.len(), "joint", "joints"),
        counted(m.loads.len(), "load", "loads"),
        counted(mobility(compiled), "degree of freedom", "degrees of freedom"),
    );
    let states = format!(
        "{}, {}, {}",
        counted(m.coordinates.len(), "coordinate", "coordinates"),
        counted(m.speeds.len(), "speed", "speeds"),
        counted(m.states.len(), "auxiliary state", "auxiliary states"),
    );
    let hybrid = &m.hybrid;
    let states = match (hybrid.discretes.len(), hybrid.events.len()) {
        (0, 0) => states,
        (n, k) => {
            let discretes = counted(n, "discrete state", "discrete states");
            format!("{states}, {discretes} changed by {}", counted(k, "block", "blocks"))
        }
    };
    let engine = match simulation.engine().code_size() {
        0 => simulation.engine().name().to_string(),
        bytes => format!("{}, {bytes} bytes", simulation.engine().name()),
    };
    let form = match (simulation.form(settings.constraints), &compiled.choice.loops) {
        (ConstraintForm::Projected, _) | (_, None) => String::new(),
        (form, Some(_)) => format!(", constraints {}", form.name()),
    };
    let longest = settings.max_step.map_or(String::new(), |h| format!(", steps up to {} s", short_number(h)));
    let steps = match settings.method {
        Method::Rk4 => format!("steps of {} s", short_number(settings.fixed_step())),
        _ => format!("rtol {:e}, atol {:e}{longest}", settings.rtol, settings.atol),
    };
    let integrator = format!(
        "{}{}, {}, from {} to {} s, a sample every {} s",
        settings.method,
        form,
        steps,
        short_number(settings.from),
        short_number(settings.to),
        short_number(settings.interval()),
    );
    let mut facts = vec![("structure", structure), ("states", states)];
    if let Some(found) = &compiled.choice.loops {
        facts.push(("constraints", constraints(m, found)));
        let counted = Mobility::of(m, found.implied.iter().chain(&found.redundant), found.mobility);
        facts.extend(counted.repetitions.iter().map(|r| ("", r.to_string())));
    }
    facts.push(("parameters", parameters));
    facts.extend((m.inputs().next().is_some()).then(|| ("inputs", inputs(compiled))));
    facts.extend([("formalism", compiled.choice.to_string())]);
    facts.extend(compiled.closed.as_ref().map(|c| ("closed form", closed(c))));
    facts.extend([("engine", engine), ("integrator", integrator)]);
    facts.into_iter().map(|(k, v)| (k.to_string(), v)).collect()
}

/// The inputs with the values that they keep, or the tables that they follow.
fn inputs(compiled: &Compiled) -> String {
    let m = compiled.model();
    let values = ParameterValues::of(m);
    let told = |p: &Parameter| {
        let unit = p.quantity.dimension.to_string();
        let unit = if unit == "1" { String::new() } else { format!(" {unit}") };
        let value = p.default.map_or(f64::NAN, |e| values.evaluate(m, e));
        match value.is_nan() {
            true => format!("{} follows the time", p.quantity.name),
            false => format!("{} = {}{unit}", p.quantity.name, short_number(value)),
        }
    };
    m.inputs().map(|(_, p)| told(p)).collect::<Vec<_>>().join(", ")
}

/// What the closed form is and takes.
fn closed(found: &ClosedForm) -> String {
    let counts = short(&found.counts);
    let from = found.independent.join(", ");
    let [step, other] = found.steps;
    let dead = if found.is_cheaper() && !found.is_better() { "; it meets dead points" } else { "" };
    format!("of the loops from {from}: {counts}; {step} operations per step, with multipliers {other}{dead}")
}

/// Independent motions that the constraints leave.
fn mobility(compiled: &Compiled) -> usize {
    compiled.choice.loops.as_ref().map_or(compiled.model().speeds.len(), |found| found.mobility)
}

/// How many constraints there are and which of them say nothing new.
fn constraints(model: &Model, found: &ChosenLoops) -> String {
    let rows = found.loops.rows.len();
    let mut text = format!(
        "{} with {}",
        counted(model.constraints.len(), "constraint", "constraints"),
        counted(rows, "equation", "equations"),
    );
    if !found.implied.is_empty() {
        text += &format!("; {} more hold by themselves", found.implied.len());
    }
    if !found.redundant.is_empty() {
        text += &format!("; {} more repeat them, and all share the reactions", found.redundant.len());
    }
    text
}

/// What was understood.
pub fn understood(terminal: &Terminal, compiled: &Compiled, settings: &Settings) -> String {
    heading(terminal, compiled.model(), facts_of_equations(compiled, settings))
}

/// The name of a model and facts about it.
pub fn heading(terminal: &Terminal, m: &Model, facts: Vec<(String, String)>) -> String {
    let mut out = terminal.bold(&m.name);
    if !m.description.is_empty() {
        out += &format!("  {}", m.description);
    }
    out.push('\n');
    let rows: Vec<Vec<String>> = facts.into_iter().map(|(label, value)| vec![label, value]).collect();
    out + &columns(&rows, &[])
}

/// What came of it.
pub fn results(terminal: &Terminal, story: &Story, paths: &[PathBuf]) -> String {
    let t = &story.trajectory;
    let mut out = initial_state::lines(terminal, story.model(), t);
    if let Some(last) = t.rows.iter().next_back() {
        let shown = |kind: ColumnKind| {
            matches!(
                kind,
                ColumnKind::Coordinate
                    | ColumnKind::Speed
                    | ColumnKind::State
                    | ColumnKind::Discrete
                    | ColumnKind::Output
            )
        };
        let all: Vec<Vec<String>> = t
            .columns
            .iter()
            .zip(last)
            .filter(|(c, _)| shown(c.kind) && !reactions::is_component(&story.reactions, &c.name))
            .map(|(c, v)| {
                let value = format!("{:.9}", v * c.scale);
                let value = if (v * c.scale).abs() >= 1e7 || (*v != 0.0 && (v * c.scale).abs() < 1e-4) {
                    format!("{:.9e}", v * c.scale)
                } else {
                    value
                };
                vec![c.name.clone(), value, format!("[{}]", c.unit), c.description.clone()]
            })
            .collect();
        out += &format!("{}\n", terminal.bold(&format!("at t = {} s", short_number(t.reached))));
        out += &columns(&all[..all.len().min(MAX_ROWS)], &[1]);
        if all.len() > MAX_ROWS {
            out += &format!("  … and {} more in results.csv\n", all.len() - MAX_ROWS);
        }
    }
    out += &reactions::lines(terminal, t, &story.reactions, story.not_unique());
    out += &event_log::lines(terminal, t);
    if t.ending == Ending::Stopped {
        out += &format!("stopped: {}\n", t.reason);
    }
    let s = &t.statistics;
    let mut notes = vec![format!(
        "{} accepted, {} rejected, {} evaluations, {} Jacobians{}",
        counted(s.accepted as usize, "step", "steps"),
        s.rejected,
        s.evaluations,
        s.jacobians,
        jacobian_way(story).map_or(String::new(), |way| format!(", {way}")),
    )];
    notes.extend(
        t.switches.iter().map(|w| format!("{} → {} at t = {:.6} s: {}", w.from, w.to, w.t, w.reason)),
    );
    if let Some(report) = &t.contacts {
        notes.push(report.to_string());
        if report.unsettled > 0 {
            let steps = counted(report.unsettled as usize, "step", "steps");
            notes.push(format!(
                "impulses of {steps} had not settled: velocities to {:.1e} m/s",
                report.change
            ));
        }
    }
    let n_handovers = t.handovers.len();
    notes.extend(t.handovers.iter().take(MAX_PASSAGES).map(|h| format!("closed form interrupted: {h}")));
    if n_handovers > MAX_PASSAGES {
        notes.push(format!("… and {} more interruptions in summary.json", n_handovers - MAX_PASSAGES));
    }
    let n_passages = t.passages.len();
    notes.extend(t.passages.iter().take(MAX_PASSAGES).map(|p| format!("singular position passed: {p}")));
    if n_passages > MAX_PASSAGES {
        notes.push(format!("… and {} more singular positions in summary.json", n_passages - MAX_PASSAGES));
    }
    if t.partitions > 0 {
        let times = counted(t.partitions, "time", "times");
        notes.push(format!("the independent coordinates were chosen anew {times}"));
    }
    if !t.breakpoints.is_empty() {
        notes.push(format!(
            "{} met exactly",
            counted(t.breakpoints.len(), "switching time", "switching times")
        ));
    }
    if t.crossings > 0 {
        notes.push(format!(
            "{} located",
            counted(t.crossings, "switch by the state", "switches by the state")
        ));
    }
    notes.extend(t.slides.iter().take(MAX_PASSAGES).map(|slide| slide.to_string()));
    if t.slides.len() > MAX_PASSAGES {
        notes.push(format!("… and {} more in summary.json", t.slides.len() - MAX_PASSAGES));
    }
    if !story.model().unit_quadruples.is_empty() || matches!(story.derived, Derived::Absolute(_)) {
        notes.push(format!(
            "Euler parameters drifted from unit norm by at most {:.1e} per step",
            t.norm_drift
        ));
    }
    let phases: Vec<String> = story.phases.iter().map(|(name, ms)| format!("{name} {ms:.1} ms")).collect();
    notes.push(phases.join(", "));
    for note in notes {
        out += &format!("  {}\n", terminal.dim(&note));
    }
    let audit = t.audit.to_string();
    out += &match t.audit.verdict() {
        // Nothing is good about a motion that could not be followed.
        Verdict::Holds if t.ending != Ending::Failed => terminal.green(&audit),
        Verdict::Holds => audit,
        Verdict::Open => audit,
        Verdict::Doubtful | Verdict::Fails => terminal.yellow(&audit),
    };
    out.push('\n');
    for path in paths {
        out += &format!("  {}\n", path.display());
    }
    out
}

/// How the Jacobian was found; nothing if none was needed.
fn jacobian_way(story: &Story) -> Option<&'static str> {
    if story.trajectory.statistics.jacobians == 0 {
        return None;
    }
    // The residuals of stabilised equations are differentiated as a program.
    let Derived::Equations(compiled) = &story.derived else { return None };
    let way = compiled.simulation.jacobian_way().unwrap_or(match story.settings {
        // No motion has been worth a derivation.
        Settings { method: Method::Auto, constraints: ConstraintForm::Projected, .. } => {
            JacobianWay::Differences
        }
        _ => JacobianWay::Program,
    });
    Some(way.words())
}

fn counts(c: &Counts) -> Value {
    json!({
        "mul": c.mul, "add": c.add, "div": c.div, "sqrt": c.sqrt, "trig": c.trig,
        "compare": c.compare, "other": c.other, "total": c.total(),
    })
}

/// A number, or nothing where JSON has none.
fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// All facts about a run, with stable keys.
pub fn for_programs(story: &Story, saved: &Saved) -> Value {
    let (t, m) = (&story.trajectory, story.model());
    let compiled = story.derived.compiled();
    let considered: Vec<Value> = compiled
        .map_or(&[][..], |c| &c.choice.considered)
        .iter()
        .map(|c| {
            json!({
                "formalism": c.formalism.name(),
                "operations": c.result.as_ref().ok().map(counts),
                "reason": c.result.as_ref().err(),
            })
        })
        .collect();
    let last = t.rows.iter().next_back();
    let mut finals = Map::new();
    for (c, v) in t.columns.iter().zip(last.unwrap_or_default()) {
        // An output may be a coordinate in another unit.
        let key =
            if finals.contains_key(&c.name) { format!("{} [{}]", c.name, c.unit) } else { c.name.clone() };
        finals.insert(key, json!({ "value": number(v * c.scale), "unit": c.unit }));
    }
    let switches: Vec<Value> = t
        .switches
        .iter()
        .map(|w| json!({ "t": w.t, "from": w.from.to_string(), "to": w.to.to_string(), "reason": w.reason }))
        .collect();
    let verdict = match t.audit.verdict() {
        Verdict::Holds => "holds",
        Verdict::Doubtful => "doubtful",
        Verdict::Fails => "fails",
        Verdict::Open => "open",
    };
    let handovers: Vec<Value> = t
        .handovers
        .iter()
        .map(|h| json!({ "from": h.from, "until": h.until, "constraint": h.constraint }))
        .collect();
    let passages: Vec<Value> =
        t.passages.iter().map(|p| json!({ "t": p.t, "constraints": p.constraints })).collect();
    let s = &t.statistics;
    let phases: Map<String, Value> =
        story.phases.iter().map(|(name, ms)| (name.replace(' ', "_"), number(*ms))).collect();
    let mut facts = json!({
        "ok": t.ending.is_complete() && saved.problems.is_empty(),
        "model": m.name,
        "description": m.description,
        "file": story.file.to_string_lossy(),
        "bodies": m.bodies.len(),
        "joints": m.joints.len(),
        "loads": m.loads.len(),
        "coordinates": m.coordinates.len(),
        "speeds": m.speeds.len(),
        "states": m.states.len(),
        "parameters": compiled.map_or(m.parameters.len() - m.inputs().count(), |c| {
            let plan = c.simulation.plan();
            plan.parameters.len() - plan.inputs().len()
        }),
        "formalism": story.derived.formalism(),
        "considered": considered,
        "engine": compiled.map_or("machine code", |c| c.simulation.engine().name()),
        "method": story.settings.method.to_string(),
        "rtol": story.settings.rtol,
        "atol": story.settings.atol,
        "from": story.settings.from,
        "to": story.settings.to,
        "reached": t.reached,
        "samples": t.rows.len(),
        "start": initial_state::for_programs(m, t),
        "ending": t.ending.to_string(),
        "reason": t.reason,
        "final": finals,
        "energy": {
            "verdict": verdict,
            "residual": number(t.audit.worst().0),
            "residual_at": t.audit.worst().1,
            "scale": number(t.audit.scale()),
            "relative": number(t.audit.relative()),
        },
        "statistics": {
            "accepted": s.accepted, "rejected": s.rejected, "evaluations": s.evaluations,
            "jacobians": s.jacobians, "jacobian_way": jacobian_way(story), "factorisations": s.factorisations,
            "newton_iterations": s.newton_iterations, "projections": s.projections,
        },
        "events": event_log::for_programs(&t.happenings),
        "reactions": reactions::for_programs(t, &story.reactions, story.not_unique()),
        "not_unique": story.not_unique(),
        "switches": switches,
        "singular_positions": passages,
        "closed_form_interrupted": handovers,
        "breakpoints": t.breakpoints.len(),
        "crossings": t.crossings,
        "slides": t.slides.iter().map(|s| json!({
            "surface": s.surface, "sticks": s.sticks, "from": s.from, "to": s.to,
        })).collect::<Vec<_>>(),
        "norm_drift": t.norm_drift,
        "warnings": story.doubts.iter().chain(&t.warnings).collect::<Vec<_>>(),
        "diagnostics": story.findings,
        "phases_ms": phases,
        "files": saved.paths.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>(),
    });
    if let Some(c) = &t.contacts {
        facts["contacts"] = json!({
            "steps": c.steps, "points": c.points, "sweeps": c.sweeps, "unsettled": c.unsettled,
            "together": c.together, "change": c.change, "residual": c.residual, "depth": c.depth, "momentum": c.momentum,
        });
    }
    facts["inputs"] = match compiled.map(|c| c.simulation.plan()) {
        Some(plan) => plan.inputs().iter().map(|k| plan.parameters[*k].label.name.as_str()).collect(),
        None => m.inputs().map(|(_, p)| p.quantity.name.as_str()).collect(),
    };
    facts["not_written"] = saved.problems.iter().map(|p| p.message.as_str()).collect();
    facts
}
