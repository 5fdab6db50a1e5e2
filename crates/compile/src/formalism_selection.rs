//! Which formalism: the one whose operations cost least per evaluation ([`cardan_program::cost_model`]).
//!
//! Each formalism works on an overlay of the model's pool ([`cardan_expr::Pool`]). In one pool equal
//! expressions are one, so a second derivation would borrow the intermediate results of the first,
//! and its count would not be its own. The model itself stays as it was.

use std::collections::BTreeSet;
use std::fmt;

use cardan_base::Map;
use cardan_equations::{ConstraintRows, Equations, Failure, Formalism};
use cardan_lower::{
    CorrectionProgram, EventProgram, LowerError, Phase, SimulationProgram as Lowered, event_program,
};
use cardan_model::Model;
use cardan_program::{Counts, count};

use crate::checks::singular_mass::{is_massless_by_value, unresisted};
use crate::parallel_selection::{Outcome, race};
use cardan_assembly::assemble::{Assembled, Loops, RowName};
use cardan_assembly::assembly_error::AssemblyError;
use cardan_assembly::constraint_system::{ConstraintError, constraints_at_start, row_name};
use cardan_assembly::rank::redundancy::{NOT_UNIQUE, not_unique};
use cardan_lower::stages;

/// With more speeds than this, Kane's equations are not even derived: the recursive formalisms have long won.
pub const MAX_SPEEDS_FOR_KANE: usize = 25;

/// Trees deeper than this are for absolute coordinates: derivations walk from the tip to the ground.
const MAX_DEPTH: usize = 1_000;

/// Nor where eliminating the mass matrix takes more multiplications than this: the tree is too deep.
const MAX_ELIMINATION_FOR_KANE: usize = 300;

/// With more pairs of speeds and coordinates between the base and the bodies, Lagrange's equations are not derived unless asked for.
const MAX_PAIRS_FOR_LAGRANGE: usize = 1000;

/// With more, they do not compete: each pair has partials of its own, which the other formalisms do not form. Nor with more constraint rows: their
/// solution, the same by every formalism, would be made once more.
const MAX_PAIRS_TO_COMPETE: usize = 20;
const MAX_ROWS_TO_COMPETE: usize = 3;

/// About as many multiplications as articulated bodies take per speed. Where eliminating the mass matrix alone takes
/// more, the formalism that forms it is not derived.
const ARTICULATED_PER_SPEED: usize = 160;

/// The formalisms that were looked at and the one that was taken.
#[derive(Debug)]
pub struct Choice {
    /// The copy of the model that the equations belong to.
    pub model: Model,
    /// The equations by the formalism taken.
    pub equations: Equations,
    /// Their program.
    pub lowered: Lowered,
    /// What closes the loops; nothing for a tree.
    pub loops: Option<ChosenLoops>,
    /// What happens at instants; nothing for a model without events.
    pub events: Option<EventProgram>,
    /// All that were considered, with counts or with the reason against them.
    pub considered: Vec<Considered>,
}

/// A formalism that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Considered {
    /// Which one.
    pub formalism: Formalism,
    /// Operations of one evaluation of the state's derivative, or why there is none, in words.
    pub result: Result<Counts, String>,
}

/// Why no program could be made.
#[derive(Clone, PartialEq, Debug)]
pub enum ChoiceError {
    /// A constraint that nothing can satisfy, and what it demands.
    Contradiction(String, String),
    /// The loops cannot be closed.
    Assembly(AssemblyError),
    /// No formalism applies; each with its reason.
    NoFormalism(Vec<Considered>),
    /// The equations could not be made into a program.
    Lower(LowerError),
    /// The system gives no thread to derive on.
    NoThread(String),
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceError::NoFormalism(considered) => {
                let mut reasons: Vec<&str> =
                    considered.iter().filter_map(|c| c.result.as_ref().err()).map(String::as_str).collect();
                reasons.dedup();
                f.write_str(&reasons.join("; "))
            }
            ChoiceError::Lower(error) => error.fmt(f),
            ChoiceError::NoThread(reason) => write!(f, "the system gives no thread to derive on: {reason}"),
            ChoiceError::Contradiction(name, what) => {
                write!(f, "nothing can satisfy `{name}`: no motion changes its {what}, and it is not zero")
            }
            ChoiceError::Assembly(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChoiceError {}

impl From<ConstraintError> for ChoiceError {
    fn from(error: ConstraintError) -> Self {
        match error {
            ConstraintError::Contradiction(name, what) => ChoiceError::Contradiction(name, what),
            ConstraintError::Assembly(error) => ChoiceError::Assembly(error),
            ConstraintError::Lower(error) => ChoiceError::Lower(error),
        }
    }
}

/// Operations of one evaluation of the state's derivative.
pub fn motion_counts(lowered: &Lowered) -> Counts {
    count(&lowered.program, stages(&lowered.program, Phase::Time, Phase::Motion))
}

/// Constraints as they were found: which rows are kept, which repeat others, and the programs that keep a motion on them.
#[derive(Clone, PartialEq, Debug)]
pub struct ChosenLoops {
    /// What assembles a start.
    pub loops: Loops,
    /// What pulls a state back; nothing if every row holds by itself.
    pub correction: Option<CorrectionProgram>,
    /// Rows that hold by themselves, found in the algebra.
    pub implied: Vec<RowName>,
    /// Rows that repeat others, found by their rank at the start.
    pub redundant: Vec<RowName>,
    /// Their places among the rows of `loops`.
    pub dropped: Vec<usize>,
    /// Speeds less independent rows.
    pub mobility: usize,
    /// Outputs that depend on how joints share what they bear: given with the least norm.
    pub not_unique: Vec<String>,
    /// The state at the start with its loops closed, at the default parameters.
    pub start: Vec<f64>,
}

/// Derives the model by the formalism `wanted`, or by every one that applies, and takes the cheapest.
pub fn choose(model: &Model, wanted: Option<Formalism>) -> Result<Choice, ChoiceError> {
    choose_keeping(model, wanted, &[])
}

/// The same with some of the rows kept that repeat others at the start, by their places: they say something later.
pub fn choose_keeping(
    model: &Model,
    wanted: Option<Formalism>,
    also: &[usize],
) -> Result<Choice, ChoiceError> {
    let depth = model.space.frames().iter().map(|(_, f)| f.level).max().unwrap_or(0);
    if depth > MAX_DEPTH {
        let result =
            Err(format!("bodies hang on one another {depth} frames deep; take `formalism = absolute`"));
        return Err(ChoiceError::NoFormalism(vec![Considered { formalism: Formalism::Recursive, result }]));
    }
    if let Some((_, contact)) = model.shape_contacts().next() {
        let result = Err(format!(
            "`{}` is a contact between shapes, which `cardan run` follows in absolute coordinates; there are no \
             equations in closed form",
            contact.name
        ));
        return Err(ChoiceError::NoFormalism(vec![Considered { formalism: Formalism::Recursive, result }]));
    }
    // The rows of the constraints are expressions, too, which must not show in the model.
    let model = &model.clone();
    let mut looked = constraints_at_start(model)?;
    if let Some(speed) = unresisted(model, looked.as_ref().map(|(_, _, assembled)| &assembled.state[..])) {
        let result = Err(Failure::NoInertia(speed).message(model));
        return Err(ChoiceError::NoFormalism(vec![Considered { formalism: Formalism::Recursive, result }]));
    }
    if let Some((_, _, assembled)) = &mut looked {
        assembled.redundant.retain(|r| !also.contains(r));
        assembled.independent.extend(also);
        assembled.independent.sort_unstable();
        assembled.independent.dedup();
    }
    let kept = looked.as_ref().map_or_else(ConstraintRows::default, |(rows, _, assembled)| ConstraintRows {
        rows: assembled.independent.iter().map(|k| rows.rows[*k].clone()).collect(),
        repeated: assembled.redundant.iter().map(|k| rows.rows[*k].clone()).collect(),
        all_lend: is_massless_by_value(model, &assembled.state),
        ..rows.clone()
    });
    let mut considered = Vec::new();
    let mut best = None;
    // In a deep tree articulated bodies come first: whether they apply decides whether others are worth the time.
    let all = [Formalism::Articulated, Formalism::Lagrange, Formalism::Recursive, Formalism::Kane];
    let first = if not_worth_it(model, Formalism::Recursive, true).is_some() { 1 } else { all.len() };
    for group in [&all[..first], &all[first..]] {
        let mut tried = vec![];
        for formalism in group.iter().copied().filter(|f| wanted.is_none_or(|w| w == *f)) {
            let doubt = || {
                not_worth_it(model, formalism, best.is_some()).or_else(|| cannot_win(model, &kept, formalism))
            };
            let doubt = if wanted.is_none() { doubt() } else { None };
            // Known without a copy of the model and a thread for it.
            let failure = Failure::ConstrainedArticulated;
            let is_for_trees = formalism == Formalism::Articulated && !kept.rows.is_empty();
            match doubt.or_else(|| is_for_trees.then(|| failure.message(model))) {
                Some(reason) => considered.push(Considered { formalism, result: Err(reason) }),
                None => tried.push(formalism),
            }
        }
        for (formalism, outcome) in race(model, &kept, &tried)? {
            let result = match outcome {
                Outcome::Against(reason) => Err(reason),
                Outcome::Beaten(counts) => Ok(counts),
                Outcome::Taken(taken) => {
                    let counts = motion_counts(&taken.0.lowered);
                    best = Some(*taken);
                    Ok(counts)
                }
            };
            considered.push(Considered { formalism, result });
        }
    }
    considered.sort_by_key(|c| c.formalism);
    match best {
        Some((mut choice, correction)) => {
            let loops = looked.map(|found| chosen(&mut choice, found, correction, also.len()));
            let events = event_program(&choice.model, &choice.equations).map_err(ChoiceError::Lower)?;
            Ok(Choice { considered, loops, events, ..choice })
        }
        None => Err(ChoiceError::NoFormalism(considered)),
    }
}

fn chosen(
    choice: &mut Choice,
    found: (ConstraintRows, Loops, Assembled),
    correction: Option<CorrectionProgram>,
    also: usize,
) -> ChosenLoops {
    let (rows, loops, assembled) = found;
    let places = std::iter::once(&assembled.state).chain(&assembled.neighbour);
    let open: BTreeSet<usize> =
        places.flat_map(|y| not_unique(&choice.model, &choice.equations.constraints, y)).collect();
    for k in &open {
        let words = &mut choice.model.outputs[*k].quantity.description;
        *words = if words.is_empty() { NOT_UNIQUE.into() } else { format!("{words} ({NOT_UNIQUE})") };
    }
    let model = &choice.model;
    let implied = rows.implied.iter().map(|(c, r)| row_name(model, *c, *r));
    ChosenLoops {
        implied: implied.collect(),
        redundant: assembled.redundant.iter().map(|k| loops.rows[*k].clone()).collect(),
        dropped: assembled.redundant.clone(),
        mobility: (model.speeds.len() + also).saturating_sub(assembled.independent.len()),
        not_unique: open.iter().map(|k| model.outputs[*k].quantity.name.clone()).collect(),
        start: assembled.state,
        correction,
        loops,
    }
}

/// Why a formalism is not worth deriving, in words. `other` says that another one applies.
pub fn not_worth_it(model: &Model, formalism: Formalism, other: bool) -> Option<String> {
    let n = model.speeds.len();
    let work = elimination(model);
    match formalism {
        Formalism::Kane if n > MAX_SPEEDS_FOR_KANE => {
            Some(format!("not derived: {n} speeds are more than {MAX_SPEEDS_FOR_KANE}"))
        }
        Formalism::Lagrange if pairs(model) > MAX_PAIRS_FOR_LAGRANGE => {
            Some("not derived: its partials grow with the square of the depth, and the tree is deep".into())
        }
        Formalism::Kane if work > MAX_ELIMINATION_FOR_KANE => Some("not derived: the tree is deep".into()),
        Formalism::Recursive if other && work > ARTICULATED_PER_SPEED * n => {
            Some(format!("not derived: eliminating its mass matrix alone takes {work} mul"))
        }
        _ => None,
    }
}

/// Why a formalism that could be derived does not compete, in words.
fn cannot_win(model: &Model, kept: &ConstraintRows, formalism: Formalism) -> Option<String> {
    let (pairs, rows) = (pairs(model), kept.rows.len());
    let reason = match formalism {
        Formalism::Lagrange if pairs > MAX_PAIRS_TO_COMPETE => "its pairs of partials are many",
        Formalism::Lagrange if rows > MAX_ROWS_TO_COMPETE => "constraints take most of the operations",
        _ => return None,
    };
    Some(format!("not derived: {reason}"))
}

/// Pairs of a speed and a coordinate before it, between the base and the bodies: Σ d², where a speed is the d-th behind the base. A first joint
/// with six coordinates, or three, makes a base.
fn pairs(model: &Model) -> usize {
    let mut before = Map::default();
    let mut total = 0;
    for (_, joint) in model.joints.iter() {
        let first: Option<usize> = before.get(&joint.parent).copied();
        let n = joint.coordinates.len();
        let is_base = first.is_none() && n >= 3;
        let first = first.unwrap_or(0);
        if !is_base {
            total += (first + 1..=first + n).map(|d| d * d).sum::<usize>();
        }
        let last = if is_base { first } else { first + n };
        before.extend(joint.frames.last().map(|f| (*f, last)));
    }
    total
}

/// Multiplications to eliminate the mass matrix: Σ d (d + 1) / 2, where d speeds come before a speed on its way to the ground.
fn elimination(model: &Model) -> usize {
    depths(model).iter().map(|(_, d)| d * (d + 1) / 2).sum()
}

/// For each speed of a joint the tree that it belongs to, and how many speeds come before it on its way to the ground.
pub(crate) fn depths(model: &Model) -> Vec<(usize, usize)> {
    let mut before = Map::default();
    let mut found = vec![];
    for (k, (_, joint)) in model.joints.iter().enumerate() {
        let (tree, first): (usize, usize) = before.get(&joint.parent).copied().unwrap_or((k, 0));
        let n = joint.coordinates.len();
        found.extend((first..first + n).map(|d| (tree, d)));
        // Bodies hang on the last frame of a joint.
        before.extend(joint.frames.last().map(|f| (*f, (tree, first + n))));
    }
    found
}

impl fmt::Display for Choice {
    /// `kane 123 mul + 80 add, recursive 90 mul + 60 add → recursive`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .considered
            .iter()
            .map(|c| match &c.result {
                Ok(counts) => format!("{} {}", c.formalism.name(), short(counts)),
                Err(reason) => format!("{} ({reason})", c.formalism.name()),
            })
            .collect();
        write!(f, "{} → {}", parts.join(", "), self.equations.formalism.name())
    }
}

/// Counts in a few words: `90 mul + 60 add + 2 div + 4 trig`.
pub fn short(counts: &Counts) -> String {
    let kinds = [
        ("mul", counts.mul),
        ("add", counts.add),
        ("div", counts.div),
        ("sqrt", counts.sqrt),
        ("trig", counts.trig),
        ("compare", counts.compare),
        ("other", counts.other),
    ];
    let parts: Vec<String> =
        kinds.iter().filter(|(_, n)| *n > 0).map(|(kind, n)| format!("{n} {kind}")).collect();
    if parts.is_empty() { "nothing".to_string() } else { parts.join(" + ") }
}
