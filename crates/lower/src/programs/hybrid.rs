//! The program of events: when they happen and what they change.
//!
//! A condition is a combination of comparisons. Each comparison becomes a number that is negative where it holds, so that
//! its switching can be located as a root:
//!
//! ```text
//! [root]     a < b, a <= b     g = a - b
//! [clock]    g = c + d t       switches at t* = -c/d, known as soon as the discrete states are
//! [kink]     |x|, sign x:  x;   floor x:  sin πx;   min(a, b), max(a, b), if a < b:  a - b
//! ```
//!
//! Between its kinks a number is smooth, so they are watched beside it: where |x - 1.2| < 0.001 holds between two looks, x - 1.2 changes its sign.
//!
//! A comparison whose `g` is affine in time and otherwise made of parameters and discrete states has a switching time that
//! needs no search. One that is made of parameters and discrete states alone changes only in events.

use std::ops::Range;

use cardan_base::{Map, Set};
use cardan_equations::Equations;
use cardan_expr::{Derivation, Expr, Function, Kind, Node, Pool};
use cardan_model::{Model, Target, Trigger};
use cardan_program::{Label, Program};

use crate::impact::{ImpactPlaces, add_impact};
use crate::inputs::{InputLayout, add_inputs, label};
use crate::{Effort, LowerError, Phase, Request, lower};

/// Which values of `g` mean true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// g < 0
    Negative,
    /// g <= 0
    NotPositive,
    /// g = 0
    Zero,
}

/// How a comparison is followed; places are positions in the output vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Watch {
    /// By the root of this output. [root]
    Root(usize),
    /// By the clock. [clock]
    Clock {
        /// The switching time.
        at: usize,
        /// Whether it holds from then on, or until then.
        after: bool,
    },
    /// It changes only in events; its `g` is this output.
    Held(usize),
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// How it is followed.
    pub watch: Watch,
    /// Which values mean true.
    pub holds: Holds,
}

/// A condition, made of comparisons by their numbers.
#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// A comparison.
    Comparison(usize),
    /// The opposite.
    Not(Box<Condition>),
    /// Both.
    And(Box<[Condition; 2]>),
    /// At least one.
    Or(Box<[Condition; 2]>),
    /// The second where the first holds, else the third.
    Select(Box<[Condition; 3]>),
}

impl Condition {
    /// Whether it holds, given which comparisons hold.
    pub fn holds(&self, comparisons: &[bool]) -> bool {
        match self {
            Condition::Constant(b) => *b,
            Condition::Comparison(k) => comparisons.get(*k).copied().unwrap_or(false),
            Condition::Not(a) => !a.holds(comparisons),
            Condition::And(both) => both.iter().all(|c| c.holds(comparisons)),
            Condition::Or(either) => either.iter().any(|c| c.holds(comparisons)),
            Condition::Select(three) => {
                let [c, a, b] = three.as_ref();
                if c.holds(comparisons) { a.holds(comparisons) } else { b.holds(comparisons) }
            }
        }
    }
}

/// When an event happens.
#[derive(Clone, PartialEq, Debug)]
pub enum Happens {
    /// When this becomes true.
    When(Condition),
    /// At offset + k period, both outputs of the setup.
    Every {
        /// Time between two.
        period: usize,
        /// Time of the first.
        offset: usize,
    },
}

/// An event: what it changes, and to which outputs.
#[derive(Clone, PartialEq, Debug)]
pub struct EventPlace {
    /// For people.
    pub name: String,
    /// When it happens.
    pub happens: Happens,
    /// What is new, and the output that says so.
    pub assignments: Vec<(Target, usize)>,
    /// Coordinates and speeds, and the output that is 1 if this block really assigns them, 0 if its branches leave them alone; empty
    /// without an `impact`, unless the motion is measured.
    pub marks: Vec<(Target, usize)>,
    /// Outputs that are not zero where the run ends after the block, and why.
    pub stops: Vec<(usize, String)>,
}

/// The events of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct EventProgram {
    /// The program; its stages are those of [`Phase`], its inputs those of the simulation program, then those of `impact`.
    pub program: Program,
    /// Its inputs.
    pub inputs: InputLayout,
    /// Inputs beside time and state that whoever measures a motion gives; empty where the equations say all.
    pub given: Range<usize>,
    /// The discrete states at the start.
    pub start: Range<usize>,
    /// The comparisons of all conditions.
    pub comparisons: Vec<Comparison>,
    /// Outputs that vanish where the number of a comparison has a kink or a jump. [kink]
    pub kinks: Vec<usize>,
    /// The events in the order of the text.
    pub events: Vec<EventPlace>,
    /// Whether an event can change the energy of the mechanism.
    pub does_work: bool,
    /// How a mechanism jumps; nothing where blocks say all there is to say.
    pub impact: Option<ImpactPlaces>,
}

/// The program of a model's events; nothing if it has neither events nor discrete states.
pub fn event_program(model: &Model, equations: &Equations) -> Result<Option<EventProgram>, LowerError> {
    program_of_events(model, Some(equations), &[])
}

/// As [`event_program`], for a motion in other coordinates, whose equations are not known here: `given` are the unknowns that
/// are measured with it, impulses are left to whoever moves it, and marks say what a block assigns.
pub fn measured_event_program(model: &Model, given: &[Expr]) -> Result<Option<EventProgram>, LowerError> {
    program_of_events(model, None, given)
}

fn program_of_events(
    model: &Model,
    equations: Option<&Equations>,
    given: &[Expr],
) -> Result<Option<EventProgram>, LowerError> {
    if model.hybrid.is_empty() {
        return Ok(None);
    }
    let pool = model.space.pool();
    let mut request = Request::new(format!("events of {}", model.name), pool, &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let first_given = request.inputs.len();
    for (k, symbol) in given.iter().enumerate() {
        request.input(*symbol, Label::named(format!("unknown({})", k + 1)), Phase::Motion);
    }
    let given = first_given..request.inputs.len();
    request.given.extend(equations.into_iter().flat_map(|e| e.solved(model)));
    let first = request.outputs.len();
    for (_, d) in model.hybrid.discretes.iter() {
        let mut label = label(&d.quantity);
        label.name = format!("start of {}", d.quantity.name);
        request.output(label, d.start, Phase::Setup);
    }
    let start = first..request.outputs.len();
    let impact = match equations {
        Some(equations) => add_impact(&mut request, model, equations)?,
        None => None,
    };
    let is_marked = impact.is_some() || equations.is_none();
    if is_marked {
        request.effort = Effort::Little;
    }
    let mut asked = Asked {
        model,
        request,
        kinds: Symbols::of(model),
        comparisons: vec![],
        known: Map::default(),
        kinks: Map::default(),
    };
    let mut events = vec![];
    for (_, event) in model.hybrid.events.iter() {
        let happens = match &event.trigger {
            Trigger::When(condition) => Happens::When(asked.condition(*condition)),
            Trigger::Every { period, offset } => Happens::Every {
                period: asked.request.output(Label::new("period", "s", ""), *period, Phase::Setup),
                offset: asked.request.output(Label::new("offset", "s", ""), *offset, Phase::Setup),
            },
        };
        let new = |(target, e): &(Target, Expr)| {
            let label = Label::named(format!("new {}", target_name(model, *target)));
            (*target, asked.request.output(label, *e, Phase::Report))
        };
        let assignments = event.assignments.iter().map(new).collect();
        let mut marks = vec![];
        for (target, e) in event.assignments.iter().filter(|_| is_marked) {
            let symbol = match target {
                Target::Coordinate(id) => model.coordinates[*id].symbol,
                Target::Speed(id) | Target::Overwrite(id) => model.speeds[*id].symbol,
                // What was struck keeps the constraints as it is, and demands nothing.
                Target::Discrete(_) | Target::State(_) | Target::Struck(_) => continue,
            };
            let label = Label::named(format!("assigns {}", target_name(model, *target)));
            marks.push((*target, asked.request.output(label, mark(pool, *e, symbol), Phase::Report)));
        }
        let stop = |(when, reason): &(Expr, String)| {
            let value = pool.call(Function::Select, &[*when, pool.one(), pool.zero()]);
            (asked.request.output(Label::named("stop"), value, Phase::Report), reason.clone())
        };
        let stops = event.stops.iter().map(stop).collect();
        events.push(EventPlace { name: event.name.clone(), happens, assignments, marks, stops });
    }
    let Asked { request, comparisons, kinks, .. } = asked;
    let mut kinks: Vec<usize> = kinks.into_values().collect();
    kinks.sort_unstable();
    let program = lower(&request)?;
    let does_work = does_work(model);
    Ok(Some(EventProgram { program, inputs, given, start, comparisons, kinks, events, does_work, impact }))
}

/// What an event changes, by name.
fn target_name(model: &Model, target: Target) -> &str {
    match target {
        Target::Discrete(id) => &model.hybrid.discretes[id].quantity.name,
        Target::Coordinate(id) => &model.coordinates[id].quantity.name,
        Target::Speed(id) | Target::Overwrite(id) | Target::Struck(id) => &model.speeds[id].quantity.name,
        Target::State(id) => &model.states[id].quantity.name,
    }
}

/// 1 where a new value is assigned to a symbol, 0 in the branches that leave it as it is.
fn mark(pool: &Pool, new: Expr, symbol: Expr) -> Expr {
    if new == symbol {
        return pool.zero();
    }
    match pool.node(new) {
        Node::Symbol(_) => pool.definition(new).map_or(pool.one(), |e| mark(pool, e, symbol)),
        Node::Call(Function::Select, arguments) => match &arguments[..] {
            [c, a, b] => {
                let [a, b] = [*a, *b].map(|e| mark(pool, e, symbol));
                if a == b { a } else { pool.call(Function::Select, &[*c, a, b]) }
            }
            _ => pool.one(),
        },
        _ => pool.one(),
    }
}

/// A motion that jumps, or a potential that does.
fn does_work(model: &Model) -> bool {
    let pool = model.space.pool();
    let jumps = |t: &Target| !matches!(t, Target::Discrete(_));
    let mut events = model.hybrid.events.iter();
    if events.any(|(_, e)| e.assignments.iter().any(|(t, _)| jumps(t))) {
        return true;
    }
    let potentials = model.loads.iter().filter_map(|(_, load)| load.potential);
    let fields = potentials.chain(model.gravity.terms().iter().map(|(_, e)| *e));
    let parts = pool.reachable(fields);
    model.hybrid.discretes.iter().any(|(_, d)| parts.binary_search(&d.symbol).is_ok())
}

/// The symbols of a model by the way in which they change.
///
/// A symbol moves unless it is known to be fixed between events: parameters and discrete states are, and
/// everything else (coordinates, speeds, accelerations, multipliers, reactions, states, inputs) moves.
struct Symbols {
    time: Expr,
    discretes: Set<Expr>,
}

impl Symbols {
    fn of(model: &Model) -> Symbols {
        let discretes = model.hybrid.discretes.iter().map(|(_, d)| d.symbol).collect();
        Symbols { time: model.space.time(), discretes }
    }
    fn is_moving(&self, pool: &Pool, e: Expr) -> bool {
        let moves = |part: &Expr| match pool.as_symbol(*part).map(|s| pool.symbol_data(s).kind) {
            Some(Kind::Coordinate | Kind::Speed | Kind::Unknown) => true,
            Some(Kind::State) => !self.discretes.contains(part),
            Some(Kind::Constant | Kind::Parameter | Kind::Time | Kind::Intermediate) | None => false,
        };
        pool.reachable([e]).iter().any(moves)
    }
    fn has_time(&self, pool: &Pool, e: Expr) -> bool {
        pool.reachable([e]).binary_search(&self.time).is_ok()
    }
}

struct Asked<'m> {
    model: &'m Model,
    request: Request<'m>,
    kinds: Symbols,
    comparisons: Vec<Comparison>,
    known: Map<Expr, usize>,
    /// What vanishes at kinks, and its output.
    kinks: Map<Expr, usize>,
}

impl Asked<'_> {
    /// A condition as a combination of comparisons.
    fn condition(&mut self, e: Expr) -> Condition {
        let pool = self.model.space.pool();
        match pool.node(e) {
            Node::Number(n) => Condition::Constant(!n.is_zero()),
            Node::Symbol(_) => match pool.definition(e) {
                Some(definition) => self.condition(definition),
                None => self.comparison(e, e, Function::Equal, true),
            },
            Node::Call(function, arguments) => match (function, &arguments[..]) {
                (Function::Not, [a]) => Condition::Not(Box::new(self.condition(*a))),
                (Function::And, [a, b]) => Condition::And(Box::new([self.condition(*a), self.condition(*b)])),
                (Function::Or, [a, b]) => Condition::Or(Box::new([self.condition(*a), self.condition(*b)])),
                (Function::Select, [c, a, b]) => {
                    Condition::Select(Box::new([self.condition(*c), self.condition(*a), self.condition(*b)]))
                }
                (Function::Less | Function::LessEqual | Function::Equal, [a, b]) => {
                    self.comparison(e, pool.sub(*a, *b), function, false)
                }
                _ => self.comparison(e, e, Function::Equal, true),
            },
            _ => self.comparison(e, e, Function::Equal, true),
        }
    }

    /// The comparison of `g` with zero, which stands for the condition `e`; the opposite of it where `negated`.
    fn comparison(&mut self, e: Expr, g: Expr, function: Function, negated: bool) -> Condition {
        let k = match self.known.get(&e) {
            Some(k) => *k,
            None => {
                let holds = match function {
                    Function::Less => Holds::Negative,
                    Function::LessEqual => Holds::NotPositive,
                    _ => Holds::Zero,
                };
                let watch = self.watch(g);
                self.comparisons.push(Comparison { watch, holds });
                self.known.insert(e, self.comparisons.len() - 1);
                self.comparisons.len() - 1
            }
        };
        let condition = Condition::Comparison(k);
        if negated { Condition::Not(Box::new(condition)) } else { condition }
    }

    fn watch(&mut self, g: Expr) -> Watch {
        let pool = self.model.space.pool();
        let root = |request: &mut Request<'_>| request.output(Label::named("root"), g, Phase::Motion);
        if self.kinds.is_moving(pool, g) {
            self.watch_kinks(g);
            return Watch::Root(root(&mut self.request));
        }
        if !self.kinds.has_time(pool, g) {
            return Watch::Held(root(&mut self.request));
        }
        let slope = Derivation::partial(pool, self.kinds.time).apply(pool, g);
        if let Some(number) = pool.as_number(slope).filter(|n| !n.is_zero()) {
            let at = pool.sub(self.kinds.time, pool.div(g, slope));
            if !self.kinds.has_time(pool, at) {
                let at = self.request.output(Label::new("switching time", "s", ""), at, Phase::Time);
                return Watch::Clock { at, after: number.is_negative() };
            }
        }
        // What the clock alone decides is computed, not watched, unless it is written elsewhere.
        let elsewhere = |e: &Expr| matches!(pool.node(*e), Node::Call(Function::External(_), _));
        if pool.reachable([g]).iter().any(elsewhere) {
            self.watch_kinks(g);
        }
        Watch::Root(root(&mut self.request))
    }

    /// Watches what decides between the smooth pieces of a number. [kink]
    fn watch_kinks(&mut self, g: Expr) {
        let pool = self.model.space.pool();
        for part in pool.reachable([g]) {
            let Node::Call(function, arguments) = pool.node(part) else { continue };
            let number = match (function, &arguments[..]) {
                (Function::Abs | Function::Sign, [x]) => *x,
                (Function::Floor, [x]) => pool.sin(pool.mul(pool.pi(), *x)),
                (
                    Function::Min | Function::Max | Function::Less | Function::LessEqual | Function::Equal,
                    [a, b],
                ) => pool.sub(*a, *b),
                _ => continue,
            };
            let changes = self.kinds.is_moving(pool, number) || self.kinds.has_time(pool, number);
            if changes && !self.kinks.contains_key(&number) {
                let output = self.request.output(Label::named("kink"), number, Phase::Motion);
                self.kinks.insert(number, output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_combine() {
        let c = |k: usize| Condition::Comparison(k);
        let both = Condition::And(Box::new([c(0), Condition::Not(Box::new(c(1)))]));
        assert!(both.holds(&[true, false]) && !both.holds(&[true, true]) && !both.holds(&[false, false]));
        let chosen = Condition::Select(Box::new([c(0), c(1), Condition::Constant(true)]));
        assert!(
            chosen.holds(&[false, false]) && !chosen.holds(&[true, false]) && chosen.holds(&[true, true])
        );
        let either = Condition::Or(Box::new([c(0), c(1)]));
        assert!(either.holds(&[false, true]) && !either.holds(&[false, false]));
    }
}
