//! What every language writes the same: which values each function computes, names and keeps.
//!
//! A function computes only what its results, and the functions after it, need. Of these values it names
//! those that are read more than once and those that would make an expression too large; the others are
//! written where they are read. The choice does not depend on the language, so operation counts and the
//! numbers of intermediate values are the same in all of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cardan_base::Id;
use cardan_program::{Counts, InputId, Op, Program, StageId, Type, ValueId, count_values};

use crate::library::{EmitError, FunctionSpec, Library, check};
use crate::order::heights;

/// Largest number of operations in one expression.
const LARGEST_EXPRESSION: usize = 20;

/// A program and a library, analysed.
pub(crate) struct Plan<'a> {
    pub program: &'a Program,
    pub library: &'a Library,
    pub types: Vec<Type>,
    pub functions: Vec<FunctionPlan>,
    /// Length of the work array.
    pub n_work: usize,
    /// Values that some function names, numbered from 1 in the order of the text.
    pub numbers: BTreeMap<ValueId, usize>,
}

/// What the work array keeps between functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kept {
    Input(InputId),
    Value(ValueId),
}

/// Where a function finds an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    Argument { argument: usize, index: usize },
    Work(usize),
}

/// The body of one function.
pub(crate) struct FunctionPlan {
    /// Position in the library.
    pub index: usize,
    /// Inputs that are read, and where from.
    pub inputs: Vec<(InputId, Source)>,
    /// Values of earlier functions that are read, and their places in the work array.
    pub loads: Vec<(ValueId, usize)>,
    /// Stages that have named values.
    pub stages: Vec<StageId>,
    /// Named values of all stages, those first that the longest chain of operations waits for.
    pub values: Vec<ValueId>,
    /// What is kept for later functions, and where.
    pub stores: Vec<(Kept, usize)>,
    /// Values with a name here: loads and those.
    pub named: BTreeSet<ValueId>,
    /// All values that are computed here, named or not.
    pub live: BTreeSet<ValueId>,
    /// Whether the work array is an argument. Functions after the first stage all take it where there is one, needed or not, so that all are
    /// called alike.
    pub takes_work: bool,
}

impl FunctionPlan {
    pub fn reads_work(&self) -> bool {
        !self.loads.is_empty() || self.inputs.iter().any(|(_, s)| matches!(s, Source::Work(_)))
    }
    pub fn writes_work(&self) -> bool {
        !self.stores.is_empty()
    }
    /// Whether any number of this argument is read.
    pub fn reads_argument(&self, number: usize) -> bool {
        let here = |s: &Source| matches!(s, Source::Argument { argument, .. } if *argument == number);
        self.inputs.iter().any(|(_, s)| here(s))
    }
}

impl<'a> Plan<'a> {
    pub fn new(program: &'a Program, library: &'a Library) -> Result<Self, EmitError> {
        check(program, library)?;
        let types = program.types();
        let needs: Vec<Needs> = library.functions.iter().map(|f| Needs::of(program, f)).collect();
        let work = kept(program, library, &needs)?;
        let mut place = BTreeMap::new();
        let mut n_work = 0;
        for item in work {
            place.insert(item, n_work);
            n_work += match item {
                Kept::Value(v) => match types[v.index()] {
                    Type::Block(n) => n as usize,
                    _ => 1,
                },
                Kept::Input(_) => 1,
            };
        }
        let functions: Vec<FunctionPlan> = (0..library.functions.len())
            .map(|i| function_plan(program, library, &types, i, &place))
            .collect();
        let mut numbers: BTreeMap<ValueId, usize> = BTreeMap::new();
        let written = functions.iter().flat_map(|f| &f.values);
        for v in written.chain(functions.iter().flat_map(|f| &f.named)) {
            let next = numbers.len() + 1;
            numbers.entry(*v).or_insert(next);
        }
        Ok(Plan { program, library, types, functions, n_work, numbers })
    }

    pub fn spec(&self, function: &FunctionPlan) -> &'a FunctionSpec {
        &self.library.functions[function.index]
    }

    /// The operations of a function.
    pub fn operations(&self, function: &FunctionPlan) -> Counts {
        count_values(self.program, function.live.iter().copied())
    }

    /// Whether any value of any function satisfies the condition.
    pub fn any(&self, condition: impl Fn(&Op) -> bool) -> bool {
        self.functions.iter().any(|f| f.live.iter().any(|v| condition(&self.program.values()[*v])))
    }
}

/// Who uses the work array, and how long it is.
pub fn interface(program: &Program, library: &Library) -> Result<Interface, EmitError> {
    let plan = Plan::new(program, library)?;
    let work = |f: &FunctionPlan| match (f.takes_work, f.writes_work()) {
        (_, true) => Work::Written,
        (true, false) => Work::Read,
        (false, false) => Work::Absent,
    };
    Ok(Interface {
        n_work: plan.n_work,
        functions: plan.functions.iter().map(work).collect(),
        operations: plan.functions.iter().map(|f| plan.operations(f)).collect(),
    })
}

/// What a caller must know beyond the library that it asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interface {
    /// Length of the work array.
    pub n_work: usize,
    /// For each function, whether it takes the work array: after its arguments, before its results.
    pub functions: Vec<Work>,
    /// For each function, its operations.
    pub operations: Vec<Counts>,
}

/// How a function uses the work array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// It does not take it.
    Absent,
    /// It only reads it.
    Read,
    /// It writes to it, and may read.
    Written,
}

/// Whether a value is written where it is read and costs nothing.
fn is_free(op: &Op) -> bool {
    op.is_leaf() || matches!(op, Op::Extract { .. })
}

/// What a function needs to deliver its results, regardless of what others need.
struct Needs {
    inputs: BTreeSet<InputId>,
    /// Values of earlier stages.
    earlier: BTreeSet<ValueId>,
}

impl Needs {
    fn of(program: &Program, function: &FunctionSpec) -> Self {
        let roots = function.results.iter().flat_map(|r| &r.outputs).map(|o| program.outputs()[*o].value);
        let reached = reach(program, function, roots);
        let mut needs = Needs { inputs: BTreeSet::new(), earlier: BTreeSet::new() };
        needs.add(program, function, &reached);
        needs
    }
    fn add(&mut self, program: &Program, function: &FunctionSpec, reached: &BTreeSet<ValueId>) {
        for v in reached {
            match &program.values()[*v] {
                Op::Const(_) | Op::Truth(_) => {}
                Op::Input(i) => {
                    self.inputs.insert(*i);
                }
                _ if program.stage_of(*v) < function.stages.first => {
                    self.earlier.insert(*v);
                }
                _ => {}
            }
        }
    }
}

/// The values from which a function computes the roots, back to values of earlier stages.
fn reach(
    program: &Program,
    function: &FunctionSpec,
    roots: impl Iterator<Item = ValueId>,
) -> BTreeSet<ValueId> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<ValueId> = roots.collect();
    while let Some(v) = open.pop() {
        if reached.insert(v) && program.stage_of(v) >= function.stages.first {
            program.values()[v].for_each_operand(|o| open.push(o));
        }
    }
    reached
}

/// What the work array must keep, in order.
///
/// A function may have to compute more than its own results need because a later function needs it, and that
/// may in turn need more from before: functions are visited backwards, by descending first stage.
fn kept(program: &Program, library: &Library, needs: &[Needs]) -> Result<BTreeSet<Kept>, EmitError> {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    order.sort_by_key(|i| Reverse(library.functions[*i].stages.first));
    let mut kept = BTreeSet::new();
    for i in order {
        let function = &library.functions[i];
        let own = stores(program, function, &kept);
        let mut needs = Needs { inputs: needs[i].inputs.clone(), earlier: needs[i].earlier.clone() };
        needs.add(program, function, &reach(program, function, own.iter().copied()));
        for v in needs.earlier {
            let stage = program.stage_of(v);
            if !library.functions.iter().any(|f| f.stages.contains(stage)) {
                let stage = program.stages()[stage].name.clone();
                return Err(EmitError::NotComputed { function: function.name.clone(), value: v, stage });
            }
            kept.insert(Kept::Value(v));
        }
        for input in needs.inputs {
            if provides(function, input) {
                continue;
            }
            let earlier = |f: &&FunctionSpec| f.stages.first < function.stages.first;
            if !library.functions.iter().filter(earlier).any(|f| provides(f, input)) {
                let input = program.inputs()[input].label.name.clone();
                return Err(EmitError::MissingInput { function: function.name.clone(), input });
            }
            kept.insert(Kept::Input(input));
        }
    }
    Ok(kept)
}

fn provides(function: &FunctionSpec, input: InputId) -> bool {
    function.arguments.iter().any(|a| a.inputs.contains(&input))
}

/// The kept values that this function computes. One that takes nothing delivers constants, and keeps nothing for others.
fn stores(program: &Program, function: &FunctionSpec, kept: &BTreeSet<Kept>) -> Vec<ValueId> {
    if function.arguments.is_empty() {
        return vec![];
    }
    let own = |k: &Kept| match k {
        Kept::Value(v) if function.stages.contains(program.stage_of(*v)) => Some(*v),
        _ => None,
    };
    kept.iter().filter_map(own).collect()
}

fn function_plan(
    program: &Program,
    library: &Library,
    types: &[Type],
    index: usize,
    place: &BTreeMap<Kept, usize>,
) -> FunctionPlan {
    let function = &library.functions[index];
    let kept: BTreeSet<Kept> = place.keys().copied().collect();
    let own = stores(program, function, &kept);
    let results: Vec<ValueId> =
        function.results.iter().flat_map(|r| &r.outputs).map(|o| program.outputs()[*o].value).collect();
    let reached = reach(program, function, own.iter().chain(&results).copied());

    let mut inputs = Vec::new();
    let mut loads = Vec::new();
    let mut live = BTreeSet::new();
    for v in &reached {
        match &program.values()[*v] {
            Op::Const(_) | Op::Truth(_) => {}
            Op::Input(i) => inputs.push((*i, source(function, *i, place))),
            _ if program.stage_of(*v) < function.stages.first => {
                loads.push((*v, place.get(&Kept::Value(*v)).copied().unwrap_or(0)));
            }
            _ => {
                live.insert(*v);
            }
        }
    }
    let mut stores: Vec<(Kept, usize)> =
        own.iter().map(|v| Kept::Value(*v)).map(|k| (k, place[&k])).collect();
    stores.extend(
        place
            .iter()
            .filter(|(k, _)| matches!(k, Kept::Input(i) if provides(function, *i)))
            .map(|(k, p)| (*k, *p)),
    );
    for (k, _) in &stores {
        if let Kept::Input(i) = k
            && !inputs.iter().any(|(known, _)| known == i)
        {
            inputs.push((*i, source(function, *i, place)));
        }
    }
    inputs.sort_by_key(|(i, source)| (matches!(source, Source::Work(_)), *i));
    stores.sort_by_key(|(_, p)| *p);

    let mut named = name_values(program, types, &live, own.iter().chain(&results).copied());
    let mut stages: Vec<StageId> = named.iter().map(|v| program.stage_of(*v)).collect();
    stages.sort_unstable();
    stages.dedup();
    let heights = heights(program, &live);
    let mut values: Vec<ValueId> = named.iter().copied().collect();
    values.sort_by_key(|v| (Reverse(heights.get(v).copied().unwrap_or(0)), *v));
    named.extend(loads.iter().map(|(v, _)| *v));
    let later = function.stages.first.index() > 0 && !place.is_empty();
    let mut plan =
        FunctionPlan { index, inputs, loads, stages, values, stores, named, live, takes_work: later };
    plan.takes_work |= plan.reads_work() || plan.writes_work();
    plan
}

fn source(function: &FunctionSpec, input: InputId, place: &BTreeMap<Kept, usize>) -> Source {
    for (argument, a) in function.arguments.iter().enumerate() {
        if let Some(index) = a.inputs.iter().position(|i| *i == input) {
            return Source::Argument { argument, index };
        }
    }
    Source::Work(place.get(&Kept::Input(input)).copied().unwrap_or(0))
}

/// Which of the live values deserve a name.
fn name_values(
    program: &Program,
    types: &[Type],
    live: &BTreeSet<ValueId>,
    roots: impl Iterator<Item = ValueId>,
) -> BTreeSet<ValueId> {
    let mut uses: BTreeMap<ValueId, usize> = BTreeMap::new();
    for v in live {
        let op = &program.values()[*v];
        let times = if matches!(op, Op::Powi(..)) { 2 } else { 1 };
        op.for_each_operand(|o| *uses.entry(o).or_default() += times);
    }
    for v in roots {
        *uses.entry(v).or_default() += 1;
    }
    let mut named = BTreeSet::new();
    let mut size: BTreeMap<ValueId, usize> = BTreeMap::new();
    for v in live {
        let op = &program.values()[*v];
        if is_free(op) {
            continue;
        }
        let block = matches!(types[v.index()], Type::Block(_));
        let mut parts: Vec<(usize, ValueId)> = Vec::new();
        op.for_each_operand(|o| parts.push((size.get(&o).copied().unwrap_or(0), o)));
        let mut total = 1 + parts.iter().map(|(s, _)| s).sum::<usize>();
        while total > LARGEST_EXPRESSION && !block {
            let Some((largest, o)) = parts.iter().copied().max_by_key(|(s, o)| (*s, Reverse(*o))) else {
                break;
            };
            if largest == 0 {
                break;
            }
            named.insert(o);
            parts.iter_mut().filter(|(_, p)| *p == o).for_each(|(s, _)| *s = 0);
            total = 1 + parts.iter().map(|(s, _)| s).sum::<usize>();
        }
        if block || uses.get(v).copied().unwrap_or(0) > 1 {
            named.insert(*v);
            total = 0;
        }
        size.insert(*v, total);
    }
    named
}
