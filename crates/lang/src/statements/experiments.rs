//! Questions asked in the text: `simulate { to = 2 [s] }` and its kin.
//!
//! Some questions are about quantities of the model, which are settings by their own names: ranges
//! of parameters, `root_locus { v = 0 .. 10 [m/s] }`, or sizes, `lqr { x = 10 [cm] }`.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::Expr;
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

/// Which quantities of the model may be settings of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OfModel {
    Nothing,
    /// Parameters, each with a range.
    Ranges,
    /// States, inputs and outputs, each with a size in its own unit.
    Sizes,
}

use Holds::{Number, Word};

/// Which quantities of the model may be settings of a question.
fn of_model(kind: ExperimentKind) -> OfModel {
    match kind {
        ExperimentKind::Equilibrium | ExperimentKind::RootLocus | ExperimentKind::Stability => {
            OfModel::Ranges
        }
        ExperimentKind::Lqr | ExperimentKind::Kalman | ExperimentKind::Trim => OfModel::Sizes,
        _ => OfModel::Nothing,
    }
}

/// Settings of each question; questions that are missing here are not answered yet.
#[rustfmt::skip]
pub const EXPERIMENTS: &[(ExperimentKind, &[(&str, Holds)])] = &[
    (ExperimentKind::Simulate, &[
        ("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME)),
        ("rtol", Number(Dimension::ONE)), ("atol", Number(Dimension::ONE)), ("step", Number(Dimension::TIME)),
        ("max_step", Number(Dimension::TIME)), ("steps", Number(Dimension::ONE)), ("method", Word), ("formalism", Word), ("constraints", Word),
        ("baumgarte", Number(Dimension::FREQUENCY)), ("start", Word),
    ]),
    (ExperimentKind::Equilibrium, &[("at", Number(Dimension::TIME)), ("tolerance", Number(Dimension::ONE)), ("hold", Word), ("points", Number(Dimension::ONE)), ("formalism", Word)]),
    (ExperimentKind::Linearize,   &[("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Modes,       &[("at", Word), ("time", Number(Dimension::TIME)), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Kinematics,  &[("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME))]),
    (ExperimentKind::Inverse,     &[("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME)), ("actuate", Word)]),
    (ExperimentKind::Verify,      &[("to", Number(Dimension::TIME)), ("points", Number(Dimension::ONE)), ("formalism", Word)]),
    (ExperimentKind::Response, &[
        ("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("output", Word), ("keep", Word), ("delay", Word),
        ("open", Word), ("sample", Number(Dimension::TIME)), ("reduce", Number(Dimension::ONE)),
        ("from", Number(Dimension::FREQUENCY)), ("to", Number(Dimension::FREQUENCY)), ("points", Number(Dimension::ONE)), ("formalism", Word),
    ]),
    (ExperimentKind::RootLocus,   &[("at", Word), ("keep", Word), ("points", Number(Dimension::ONE)), ("formalism", Word)]),
    (ExperimentKind::Stability,   &[("at", Word), ("keep", Word), ("points", Number(Dimension::ONE)), ("formalism", Word)]),
    (ExperimentKind::RandomResponse, &[
        ("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("output", Word), ("keep", Word), ("delay", Word),
        ("spectrum", Word), ("class", Word), ("speed", Number(Dimension::VELOCITY)), ("comfort", Word), ("duration", Number(Dimension::TIME)),
        ("from", Number(Dimension::FREQUENCY)), ("to", Number(Dimension::FREQUENCY)), ("points", Number(Dimension::ONE)), ("formalism", Word),
    ]),
    (ExperimentKind::Lqr,         &[("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("output", Word), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Kalman,      &[("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("output", Word), ("keep", Word), ("formalism", Word)]),
    (ExperimentKind::Trim,        &[("input", Word), ("formalism", Word)]),
    (ExperimentKind::Sensitivity, &[("input", Word), ("to", Number(Dimension::TIME)), ("from", Number(Dimension::TIME)), ("every", Number(Dimension::TIME)), ("formalism", Word)]),
    (ExperimentKind::Handling, &[
        ("speed", Word), ("input", Word), ("angle", Word), ("yaw_rate", Word), ("lateral", Word), ("sideslip", Word), ("loads", Word), ("time", Number(Dimension::TIME)),
        ("from", Number(Dimension::VELOCITY)), ("to", Number(Dimension::VELOCITY)), ("points", Number(Dimension::ONE)), ("wheelbase", Number(Dimension::LENGTH)), ("formalism", Word),
    ]),
    (ExperimentKind::PolePlacement, &[("at", Word), ("time", Number(Dimension::TIME)), ("input", Word), ("keep", Word), ("output", Word), ("poles", Word), ("observer", Word), ("formalism", Word)]),
];

/// What settings are called elsewhere.
#[rustfmt::skip]
const OTHERWISE: &[(&str, &str)] = &[
    ("stop", "to"), ("end", "to"), ("t_end", "to"), ("tmax", "to"), ("t_max", "to"), ("tfinal", "to"), ("t_final", "to"), ("end_time", "to"), ("stop_time", "to"), ("until", "to"), ("duration", "to"), ("tstop", "to"), ("tend", "to"), ("time", "to"),
    ("start", "from"), ("begin", "from"), ("dt", "every"), ("interval", "every"), ("output", "every"),
    ("solver", "method"), ("integrator", "method"), ("tolerance", "rtol"), ("tol", "rtol"), ("reltol", "rtol"), ("abstol", "atol"),
];

/// Whether a question designs a feedback, for which other programs want matrices.
fn designs(kind: ExperimentKind) -> bool {
    matches!(kind, ExperimentKind::Lqr | ExperimentKind::Kalman | ExperimentKind::PolePlacement)
}

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
            if let Some(found) = self.quantity_setting(*asked, known, &statement.kind) {
                if let Some((name, setting, span)) = found {
                    settings.push((name, setting, Some(span)));
                }
                continue;
            }
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
                let near = nearest(name, names.iter().copied()).filter(|_| name.len() > 1);
                let help = match meant.or(near) {
                    _ if designs(*asked) && ["A", "B", "C", "D"].contains(&name) => {
                        "remove it: the matrices follow from the model".to_owned()
                    }
                    _ if designs(*asked) && ["Q", "R", "W", "V"].contains(&name) => {
                        "weigh by sizes that are tolerable: `F = 10 [N]; x = 10 [cm]; phi = 5 [deg]`"
                            .to_owned()
                    }
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

    /// A setting that is a quantity of the model: a range or a size. Nothing where the statement is
    /// none of these; nothing inside where it is one with a mistake, which is reported.
    fn quantity_setting(
        &mut self,
        asked: ExperimentKind,
        known: &[(&str, Holds)],
        statement: &'t StatementKind,
    ) -> Option<Option<(String, Setting, Span)>> {
        let (span, value) = match statement {
            StatementKind::Assign(a) => (a.target.span, &a.value),
            StatementKind::Equation { left, right } => (left.span, right),
            _ => return None,
        };
        let name = self.text(span).replace(' ', "");
        if known.iter().any(|(n, _)| *n == name) {
            return None;
        }
        let dimension = self.dimension_of(of_model(asked), &name)?;
        let made = match (of_model(asked), &value.kind) {
            (OfModel::Ranges, ExprKind::Range { low, high }) => self.varied_range(low, high, dimension),
            (OfModel::Ranges, _) => {
                let help = format!("write `{name} = 0 .. 1 [{dimension}]`");
                self.error(codes::KIND, format!("`{name}` goes through a range"), value.span, help);
                None
            }
            _ => self.setting(&name, Number(dimension), value),
        };
        Some(made.map(|setting| (name, setting, span)))
    }

    /// The dimension of a quantity of the model that may be a setting.
    fn dimension_of(&self, of: OfModel, name: &str) -> Option<Dimension> {
        let model = self.builder.model();
        let parameters = model.parameters.iter().map(|(_, p)| &p.quantity);
        let states = model.coordinates.iter().map(|(_, q)| &q.quantity);
        let states = states.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
        let states = states.chain(model.states.iter().map(|(_, s)| &s.quantity));
        let outputs = model.outputs.iter().map(|o| &o.quantity);
        let mut of_kind: Box<dyn Iterator<Item = &cardan_model::Quantity>> = match of {
            OfModel::Nothing => return None,
            OfModel::Ranges => Box::new(parameters),
            OfModel::Sizes => Box::new(parameters.chain(states).chain(outputs)),
        };
        of_kind.find(|q| q.name == name).map(|q| q.dimension)
    }

    /// Both ends of a range; a unit that only the upper end has is meant for both.
    fn varied_range(
        &mut self,
        low: &'t syntax::Expr,
        high: &'t syntax::Expr,
        dimension: Dimension,
    ) -> Option<Setting> {
        let unit = unit_of(high).filter(|_| is_plain_number(low));
        let mut lower = self.end(low, dimension, unit.is_some())?;
        let upper = self.end(high, dimension, false)?;
        if let Some(unit) = unit {
            let factor = self.unit(unit).map(|unit| self.factor(unit.scale()))?;
            lower = self.pool().mul(lower, factor);
        }
        Some(Setting::Range([lower, upper], dimension))
    }

    fn end(&mut self, e: &'t syntax::Expr, dimension: Dimension, unit_follows: bool) -> Option<Expr> {
        self.settle_expression(e, self.root);
        let value = match self.evaluate(e, &Env::default())? {
            Value::Scalar(s) if unit_follows => s.expr,
            Value::Scalar(s) => self.expect(&s, e, dimension, "the end of a range", &Env::default())?,
            other => {
                self.wrong_kind(&other, e.span, "a number");
                return None;
            }
        };
        self.constant(value, e.span, "the end of a range")
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
                        // 1 [rad/s] is an angular frequency, 1/(2 pi) [Hz].
                        let is_angular =
                            dimension == Dimension::FREQUENCY && s.dimension.without_angle() != s.dimension;
                        let pool = self.pool();
                        let value = match is_angular {
                            true => pool.div(value, pool.mul(pool.int(2), pool.pi())),
                            false => value,
                        };
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

/// A number without a unit, perhaps with a sign.
fn is_plain_number(e: &syntax::Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) => true,
        ExprKind::Unary { operand, .. } => is_plain_number(operand),
        _ => false,
    }
}

/// The unit that a number is written with.
fn unit_of(e: &syntax::Expr) -> Option<&syntax::UnitText> {
    match &e.kind {
        ExprKind::Quantity { unit, .. } => Some(unit),
        ExprKind::Unary { operand, .. } => unit_of(operand),
        _ => None,
    }
}
