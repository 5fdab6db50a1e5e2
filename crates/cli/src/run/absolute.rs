//! A run in absolute coordinates: chosen on request, or where straight-line code would grow too large.

use cardan::Compiled;
use cardan::absolute::natural::Natural;
use cardan::absolute::{AbsoluteError, AbsoluteMotion, is_worth_it};
use cardan::model::Model;
use cardan::prelude::Method;
use cardan::sim::settings::{ABSOLUTE, NATURAL};
use cardan::sim::{ConstraintForm, Settings};

use super::{Clock, Finished, PAGE, SUMMARY, Story, TABLE, tell};
use crate::arguments::Run;
use crate::exit::Problem;
use crate::files;
use crate::load::Loaded;
use crate::report;
use crate::run::artifacts::Saved;
use crate::run::progress::Watcher;
use crate::run::{contact, limits, summary};
use crate::terminal::{Terminal, bodies, counted, short_number};
use crate::transaction::Transaction;

/// More redundant constraint rows than this are counted and not named.
const MAX_NAMED: usize = 6;

/// What a motion was computed by.
pub enum Derived {
    /// Equations in closed form.
    Equations(Box<Compiled>),
    /// Kernels over parts.
    Absolute(Box<Facts>),
}

impl Derived {
    pub fn model(&self) -> &Model {
        match self {
            Derived::Equations(compiled) => compiled.model(),
            Derived::Absolute(facts) => &facts.model,
        }
    }
    pub fn compiled(&self) -> Option<&Compiled> {
        match self {
            Derived::Equations(compiled) => Some(compiled),
            Derived::Absolute(_) => None,
        }
    }
    pub fn formalism(&self) -> &'static str {
        match self {
            Derived::Equations(compiled) => compiled.choice.equations.formalism.name(),
            Derived::Absolute(facts) if facts.natural.is_some() => NATURAL,
            Derived::Absolute(_) => ABSOLUTE,
        }
    }
}

/// What is known about a model in absolute coordinates.
pub struct Facts {
    pub model: Model,
    reason: String,
    parts: usize,
    kernels: usize,
    rows: usize,
    filled: usize,
    mobility: usize,
    redundant: Vec<String>,
    /// Natural coordinates in words, where these are taken.
    natural: Option<String>,
}

impl Facts {
    fn of(
        found: &mut AbsoluteMotion<'_>,
        model: &Model,
        settings: &Settings,
        reason: String,
    ) -> Result<Facts, AbsoluteError> {
        let natural = settings.natural.then(|| found.natural()).transpose()?;
        let m = &found.mechanism;
        let described = |n: &Natural| {
            format!(
                "{} and {} that neighbours share, {}; {} equations, {} numbers in their Jacobian matrix, {} in the \
                 sparse factor",
                counted(n.n_points(), "point", "points"),
                counted(n.n_vectors(), "unit vector", "unit vectors"),
                counted(n.scalars.len(), "angle or displacement", "angles or displacements"),
                n.n_rows(),
                n.n_nonzeros(),
                n.n_filled(),
            )
        };
        Ok(Facts {
            model: model.clone(),
            reason,
            parts: m.n_parts(),
            kernels: m.n_kernels(),
            rows: m.n_rows(),
            filled: m.n_filled(),
            mobility: found.mobility(),
            redundant: found.redundant.clone(),
            natural: natural.as_ref().map(described),
        })
    }

    /// What the model is and how it will be moved, as label and value.
    pub fn lines(&self, settings: &Settings) -> Vec<(String, String)> {
        let m = &self.model;
        let structure = format!(
            "{}, {}, {}, {}",
            bodies(m),
            counted(m.joints.len(), "joint", "joints"),
            counted(m.loads.len(), "load", "loads"),
            counted(self.mobility, "degree of freedom", "degrees of freedom"),
        );
        let mut rows = counted(self.rows, "equation", "equations");
        if !self.redundant.is_empty() {
            rows += &format!("; {} of them repeat others", self.redundant.len());
        }
        let mut facts = vec![("structure", structure), ("constraints", rows)];
        facts.extend(self.redundant.iter().take(MAX_NAMED).map(|r| ("", format!("repeats others: {r}"))));
        if self.redundant.len() > MAX_NAMED {
            facts.push(("", format!("… and {} more", self.redundant.len() - MAX_NAMED)));
        }
        let absolute = format!(
            "{} with mass centre and Euler parameters, {}, {} numbers in the sparse factor",
            counted(self.parts, "part", "parts"),
            counted(self.kernels, "kernel", "kernels"),
            self.filled,
        );
        let formalism = if self.natural.is_some() { NATURAL } else { ABSOLUTE };
        facts.push(("formalism", format!("{formalism}: {}", self.reason)));
        facts.push(("coordinates", self.natural.clone().unwrap_or(absolute)));
        let integrator = format!(
            "{}, rtol {:e}, atol {:e}, from {} to {} s, a sample every {} s",
            settings.method,
            settings.rtol,
            settings.atol,
            short_number(settings.from),
            short_number(settings.to),
            short_number(settings.interval()),
        );
        facts.push(("integrator", integrator));
        facts.into_iter().map(|(k, v)| (k.to_string(), v)).collect()
    }
}

/// Why absolute coordinates are taken; nothing if they are not.
pub fn reason(model: &Model, settings: &Settings) -> Option<String> {
    if settings.absolute {
        return Some("asked for".into());
    }
    if settings.formalism.is_none() && settings.method == Method::Alpha {
        return Some("the method alpha is theirs".into());
    }
    if settings.formalism.is_none() && settings.constraints == ConstraintForm::Positions {
        return Some("positions alone are imposed".into());
    }
    let is_sparse = settings.method == Method::Bdf
        && matches!(settings.constraints, ConstraintForm::Projected | ConstraintForm::Stabilised);
    let is_explicit = settings.constraints == ConstraintForm::Projected
        && matches!(settings.method, Method::Auto | Method::Dopri5 | Method::Dop853 | Method::Rk4);
    let is_free = settings.formalism.is_none() && (is_explicit || is_sparse);
    let touches = model.shape_contacts().next().is_some();
    is_worth_it(model).filter(|_| is_free || touches)
}

/// What a run begins with.
pub struct Ready<'r> {
    pub loaded: &'r Loaded,
    pub settings: &'r Settings,
    pub reactions: &'r [String],
    pub doubts: &'r [String],
}

/// Runs the model once in absolute coordinates; nothing if they do not apply and nobody asked for them.
pub(super) fn once(
    terminal: &Terminal,
    arguments: &Run,
    clock: &mut Clock,
    ready: Ready<'_>,
    reason: String,
) -> Result<Option<Finished>, Problem> {
    let Ready { loaded, settings, reactions, doubts } = ready;
    let model = &loaded.model;
    let mut found = match AbsoluteMotion::of(model, settings.from) {
        Ok(found) => found,
        Err(AbsoluteError::Unsupported(why))
            if !settings.absolute && model.shape_contacts().next().is_none() =>
        {
            terminal.note(&format!("{why}; equations are derived instead"));
            return Ok(None);
        }
        Err(AbsoluteError::Unsupported(why)) if settings.absolute => {
            let asked = if settings.natural { NATURAL } else { ABSOLUTE };
            let hint = "leave `formalism` out, or take kane, recursive, articulated or lagrange";
            return Err(Problem::wrong(why.told_of(asked)).hint(hint));
        }
        Err(error) => return Err(Problem::wrong(error)),
    };
    clock.lap("derive and compile");
    let facts = Facts::of(&mut found, model, settings, reason).map_err(Problem::wrong)?;
    let speaks = !terminal.json && !arguments.quiet;
    if speaks {
        terminal.print(&summary::heading(terminal, model, facts.lines(settings)));
    }
    let folder = arguments.out.clone().unwrap_or_else(|| files::default_folder("results", &model.name));
    let mut results = Transaction::begin(&folder)?;
    let csv = results.claim(TABLE)?;
    [SUMMARY, PAGE].into_iter().try_for_each(|name| results.claim(name).map(drop))?;
    if arguments.figures.is_some() {
        results.claim(&format!("{}/any", report::FIGURES))?;
    }
    let mut watcher = Watcher::new(&csv, speaks);
    let motion = found.run(settings, &mut watcher);
    let written = watcher.finish();
    let mut trajectory = motion.map_err(Problem::wrong)?;
    let saved = Saved::new(results, &csv, written);
    trajectory.warnings.extend(limits::passed(model, &trajectory));
    trajectory.warnings.extend(contact::pulls(model, &trajectory));
    clock.lap("run");
    let story = Story {
        file: arguments.file.clone(),
        folder,
        text: loaded.text.clone(),
        derived: Derived::Absolute(Box::new(facts)),
        settings: settings.clone(),
        trajectory,
        findings: crate::load::findings(&loaded.diagnostics, &loaded.sources),
        notices: report::findings(&loaded.diagnostics, &loaded.sources),
        doubts: doubts.to_vec(),
        reactions: reactions.to_vec(),
        phases: clock.phases.clone(),
    };
    let clock = Clock { last: clock.last, phases: clock.phases.clone() };
    tell(terminal, arguments, clock, story, saved).map(Some)
}
