//! Questions asked in the text: `simulate { to = 2 [s] }` and its kin.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_model::{Experiment, ExperimentKind, Setting};
use cardan_syntax::{self as syntax, ExprKind, StatementKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::plan::word_of;
use crate::types::value::Value;

/// What a setting holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Holds {
    Number(Dimension),
    Word,
}

use Holds::{Number, Word};

/// Settings of each question; questions that are missing here are not answered yet.
#[rustfmt::skip]
pub const EXPERIMENTS: &[(ExperimentKind, &[(&str, Holds)])] = &[
    (ExperimentKind::Simulate, &[
        ("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME)),
        ("rtol", Number(Dimension::ONE)), ("atol", Number(Dimension::ONE)), ("step", Number(Dimension::TIME)),
        ("max_step", Number(Dimension::TIME)), ("steps", Number(Dimension::ONE)), ("method", Word), ("formalism", Word), ("constraints", Word),
        ("baumgarte", Number(Dimension::FREQUENCY)),
    ]),
    (ExperimentKind::Equilibrium, &[("at", Number(Dimension::TIME)), ("tolerance", Number(Dimension::ONE)), ("hold", Word), ("formalism", Word)]),
    (ExperimentKind::Linearize,   &[("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Modes,       &[("at", Word), ("time", Number(Dimension::TIME)), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Kinematics,  &[("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME))]),
    (ExperimentKind::Inverse,     &[("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME)), ("actuate", Word)]),
    (ExperimentKind::Verify,      &[("to", Number(Dimension::TIME)), ("points", Number(Dimension::ONE)), ("formalism", Word)]),
];

/// What settings are called elsewhere.
#[rustfmt::skip]
const OTHERWISE: &[(&str, &str)] = &[
    ("stop", "to"), ("end", "to"), ("t_end", "to"), ("tmax", "to"), ("t_max", "to"), ("tfinal", "to"), ("t_final", "to"), ("end_time", "to"), ("stop_time", "to"), ("until", "to"), ("duration", "to"), ("tstop", "to"), ("tend", "to"), ("time", "to"),
    ("start", "from"), ("begin", "from"), ("dt", "every"), ("interval", "every"), ("output", "every"),
    ("solver", "method"), ("integrator", "method"), ("tolerance", "rtol"), ("tol", "rtol"), ("reltol", "rtol"), ("abstol", "atol"),
];

impl<'t> Resolver<'t> {
    /// One question with its settings.
    pub fn experiment(&mut self, experiment: &'t syntax::Experiment, span: Span) {
        let kind = experiment.kind.text.as_str();
        let Some((asked, known)) = EXPERIMENTS.iter().find(|(k, _)| k.name() == kind) else {
            let d = Diagnostic::warning(codes::UNSUPPORTED, format!("`{kind}` is not supported yet"));
            let d = d.at(experiment.kind.span, "").because("the rest of the model is used without it");
            self.report(d.hint("remove the block, or ask with `simulate`"));
            return;
        };
        let mut settings: Vec<(String, Setting, Option<Span>)> = vec![];
        for statement in &experiment.content {
            let StatementKind::Assign(a) = &statement.kind else {
                let help = format!("inside `{kind}` stand settings, such as `{} = …`", known[0].0);
                self.error(codes::MISPLACED, "this is not a setting", statement.span, help);
                continue;
            };
            let name = a.target.as_name().map_or("", |n| n.text.as_str());
            let Some((name, holds)) = known.iter().find(|(n, _)| *n == name) else {
                let names: Vec<&str> = known.iter().map(|(n, _)| *n).collect();
                let message = format!("`{kind}` has no setting `{}`", self.text(a.target.span));
                let meant = OTHERWISE.iter().find(|(said, _)| *said == name).map(|(_, meant)| *meant);
                let meant = meant.filter(|m| names.contains(m));
                let help = match meant.or_else(|| nearest(name, names.iter().copied())) {
                    Some(near) => format!("write `{near}`"),
                    None => format!("settings are {}", names.join(", ")),
                };
                self.error(codes::UNKNOWN_WORD, message, a.target.span, help);
                continue;
            };
            if let Some((_, _, Some(first))) = settings.iter().find(|(n, _, _)| n == name) {
                let d = Diagnostic::error(codes::DUPLICATE, format!("`{name}` is given twice"))
                    .at(a.target.span, "here again");
                let d = d.also(*first, "first here");
                self.report(d.hint("remove one of them"));
                continue;
            }
            if let Some(setting) = self.setting(name, *holds, &a.value) {
                settings.push(((*name).to_owned(), setting, Some(a.target.span)));
            }
        }
        let name = experiment.name.as_ref().map(|n| n.text.clone());
        let same = |e: &&Experiment| e.kind == *asked && e.name == name;
        if let Some(first) = self.builder.model().experiments.iter().find(same).and_then(|e| e.span) {
            let message = match &name {
                Some(name) => format!("there are two questions `{kind} {name}`"),
                None => format!("there are two questions `{kind}` without a name"),
            };
            let d = Diagnostic::error(codes::DUPLICATE, message).at(span, "here again");
            self.report(d.also(first, "first here").hint(format!("name it: `{kind} another {{ … }}`")));
            return;
        }
        self.builder.add_experiment(Experiment { kind: *asked, name, settings, span: Some(span) });
    }

    fn setting(&mut self, name: &str, holds: Holds, e: &'t syntax::Expr) -> Option<Setting> {
        match (holds, &e.kind) {
            (Word, ExprKind::Text(text)) => Some(Setting::Text(text.clone())),
            (Word, _) => match word_of(e) {
                Some(word) => Some(Setting::Word(word.to_owned())),
                None => {
                    self.error(
                        codes::KIND,
                        format!("`{name}` is one word"),
                        e.span,
                        format!("write `{name} = word`"),
                    );
                    None
                }
            },
            (Number(dimension), _) => {
                self.settle_expression(e, self.root);
                match self.evaluate(e, &Env::default())? {
                    Value::Scalar(s) => {
                        let what = format!("`{name}`");
                        let value = self.expect(&s, e, dimension, &what, &Env::default())?;
                        let value = self.constant(value, e.span, "a setting")?;
                        Some(Setting::Scalar(value, dimension))
                    }
                    other => {
                        self.wrong_kind(&other, e.span, "a number");
                        None
                    }
                }
            }
        }
    }
}
