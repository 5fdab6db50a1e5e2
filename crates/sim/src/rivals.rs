//! Formalisms beside one another: each on a thread and a copy of the model of its own, those far behind given up early.
//!
//! Deriving equations is quick, and so is counting their operations as they are written. Searching for common parts is not; so only what may
//! win is searched. How far behind is too far was found on the library's models, and a test holds it to that.

use cardan_equations::{ConstraintRows, Equations, Formalism, derive_with};
use cardan_lower::{CorrectionProgram, Effort, correction_program, simulation_draft, simulation_program};
use cardan_model::Model;

use crate::choice::{Choice, ChoiceError, Considered};

/// A formalism is given up if its operations as written are more per cent of the least than this. Of the models of the library the
/// cheapest in the end starts with at most 124.
pub(crate) const FAR_AS_WRITTEN: u64 = 130;

/// The same when common parts have been shared in one order; there the cheapest in the end has at most 106.
pub(crate) const FAR_WHEN_SHARED: u64 = 107;

/// So many operations may be found by the search in any program: what is behind by no more is searched.
const NEAR: u64 = 30;

/// Equations by one formalism.
pub(crate) struct Rival {
    pub model: Model,
    pub equations: Equations,
    /// Operations of one evaluation before the search for fewer, in multiplications; zero where nothing is compared.
    pub draft: u64,
}

impl Rival {
    /// The same with another draft; what cannot be lowered is found out when it is tried in earnest.
    pub fn drafted(self, effort: Effort) -> Rival {
        let draft = simulation_draft(&self.model, &self.equations, effort).unwrap_or(0);
        Rival { draft, ..self }
    }
}

/// Those whose draft is at most so many per cent of the least; the others are given up.
pub(crate) fn keep_near(
    derived: Vec<Rival>,
    per_cent: u64,
    how: &str,
    considered: &mut Vec<Considered>,
) -> Vec<Rival> {
    let Some((least, by)) = derived.iter().map(|d| (d.draft, d.equations.formalism)).min() else {
        return derived;
    };
    let mut kept = vec![];
    for d in derived {
        if d.draft.saturating_mul(100) <= least.saturating_mul(per_cent).saturating_add(100 * NEAR) {
            kept.push(d);
            continue;
        }
        let reason = format!("given up at {} operations {how}, {} has {least}", d.draft, by.name());
        considered.push(Considered { formalism: d.equations.formalism, result: Err(reason) });
    }
    kept
}

/// The equations by a formalism, or why it does not apply.
pub(crate) fn derived_by(
    formalism: Formalism,
    model: Model,
    kept: ConstraintRows,
    is_alone: bool,
) -> (Formalism, Result<Rival, String>) {
    let result = derive_with(&model, formalism, kept).map_err(|failure| failure.message(&model));
    let found = result.map(|equations| Rival { model, equations, draft: 0 });
    (formalism, found.map(|d| if is_alone { d } else { d.drafted(Effort::Plain) }))
}

/// A formalism with its program, and the program of corrections if that was asked for.
pub(crate) type Lowering = (Formalism, Result<(Choice, Option<CorrectionProgram>), ChoiceError>);

/// The program of derived equations; beside it, on a thread and a model of its own, that of the corrections.
pub(crate) fn lowered(derived: Rival, with_corrections: bool) -> Lowering {
    let Rival { model, equations, .. } = derived;
    let formalism = equations.formalism;
    let is_asked = with_corrections && equations.augmented.is_some();
    let result = std::thread::scope(|scope| {
        let beside = is_asked.then(|| {
            let (model, equations) = (model.clone(), equations.clone());
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, move || correction_program(&model, &equations))
        });
        let program = simulation_program(&model, &equations).map_err(ChoiceError::Lower)?;
        let corrections = match beside {
            None => None,
            Some(thread) => {
                let thread = thread.map_err(|e| ChoiceError::NoThread(e.to_string()))?;
                let found = thread.join().unwrap_or_else(|p| std::panic::resume_unwind(p));
                found.map_err(ChoiceError::Lower)?
            }
        };
        Ok((program, corrections))
    });
    let choice = |(lowered, corrections)| {
        (Choice { model, lowered, loops: None, events: None, considered: vec![], equations }, corrections)
    };
    (formalism, result.map(choice))
}

/// Does several things at once, each on a thread of its own, the last on this one where models are not deep; results in the order given.
pub(crate) fn side_by_side<A: Send, B: Send>(
    mut items: Vec<A>,
    is_deep: bool,
    work: impl Fn(A) -> B + Sync,
) -> Result<Vec<B>, ChoiceError> {
    std::thread::scope(|scope| {
        let here = if is_deep { None } else { items.pop() };
        let spawn = |item: A| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, || work(item)).map_err(|e| ChoiceError::NoThread(e.to_string()))
        };
        let threads: Vec<_> = items.into_iter().map(spawn).collect::<Result<_, _>>()?;
        let here = here.map(&work);
        let join = |t: std::thread::ScopedJoinHandle<'_, _>| {
            t.join().unwrap_or_else(|p| std::panic::resume_unwind(p))
        };
        Ok(threads.into_iter().map(join).chain(here).collect())
    })
}

/// Derivations climb long chains of frames.
const STACK: usize = 64 << 20;

/// With more frames than this they get a stack for it.
const SHALLOW: usize = 32;

/// Whether derivations of the model need a large stack.
pub(crate) fn is_deep(model: &Model) -> bool {
    model.space.frames().len() > SHALLOW
}
