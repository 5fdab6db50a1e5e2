//! The times at which a program's functions of time switch.
//!
//! A load that is `if t < 0.5 then …`, a table of steps, a square wave by `floor(t/T)`: the derivative of the state jumps
//! there, and an integrator that steps across loses its order. Such times depend on parameters only, so they are found before the
//! motion and given to the integrator, which then ends a step exactly at each of them.
//!
//! ```text
//! [switch]     g(t) = level     g = a - b for a < b, min(a, b), max(a, b);  x for |x|, sign x, floor x, table(x)
//! [affine]     g = c + d t   =>   t = (level - c) / d
//! ```
//!
//! Where `g` is not affine in time, its switches are searched with bounds, one after the other ([`clock`]): none is missed because it is short.

pub(crate) mod clock;
mod form;
mod interval;

use cardan_program::{Binary, InputId, Op, Program, Unary, ValueId};

use crate::breakpoints::clock::Cone;
use crate::breakpoints::form::{Form, Forms};

/// More than this many are not returned.
pub const LIMIT: usize = 100_000;

/// Times of switching inside an interval.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Breakpoints {
    /// Strictly inside the interval, increasing, each once.
    pub times: Vec<f64>,
    /// Whether there are more than [`LIMIT`].
    pub truncated: bool,
}

impl Breakpoints {
    /// Takes those of another program in.
    pub fn join(&mut self, others: Breakpoints) {
        self.times.extend(others.times);
        self.times.sort_by(f64::total_cmp);
        self.times.dedup();
        self.truncated |= others.truncated;
    }
}

/// Where a switching function switches.
enum Levels<'p> {
    Zero,
    Integers,
    These(&'p [f64]),
}

impl Levels<'_> {
    /// The number of the side on which a value is.
    fn cell(&self, g: f64) -> f64 {
        match self {
            Levels::Zero => f64::from(u8::from(g >= 0.0) + u8::from(g > 0.0)),
            Levels::Integers => g.floor(),
            Levels::These(knots) => knots.partition_point(|k| *k <= g) as f64,
        }
    }
}

/// The times between `from` and `to` at which `program` switches. `known` gives the inputs that are fixed during the motion.
pub fn breakpoints(
    program: &Program,
    time: InputId,
    known: &dyn Fn(InputId) -> Option<f64>,
    from: f64,
    to: f64,
) -> Breakpoints {
    // Most programs switch nowhere, and pieces of a motion ask again and again.
    if program.values().iter().all(|(_, op)| switches(program, op).is_empty()) {
        return Breakpoints::default();
    }
    let forms = Forms::of(program, time, known);
    let (low, high) = (from.min(to), from.max(to));
    let mut times = Vec::new();
    for (_, op) in program.values().iter() {
        if times.len() > LIMIT {
            break;
        }
        for (function, levels) in switches(program, op) {
            match forms.of_difference(function) {
                Form::Affine(c, d) => affine_crossings(c, d, &levels, low, high, &mut times), // [affine]
                Form::Curve => {
                    let Some(mut cone) = Cone::of(program, function, time) else { continue };
                    cone.give(&|i| known(i).unwrap_or(f64::NAN));
                    curve_crossings(program, &mut cone, &levels, (low, high), &mut times);
                }
                Form::Known(_) | Form::Other => {}
            }
        }
    }
    times.retain(|t| *t > low && *t < high);
    times.sort_by(f64::total_cmp);
    times.dedup();
    let truncated = times.len() > LIMIT;
    times.truncate(LIMIT);
    Breakpoints { times, truncated }
}

/// Operations that switch at a time which discrete states decide: `if t < off then …`, `if mod(t, T) < width then …`.
pub struct Held {
    switching: Vec<ValueId>,
}

/// When operations switch next.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Coming {
    /// Times that are known.
    pub times: Vec<f64>,
    /// The first switch of functions that are not affine in time; what comes after it is to be asked then.
    pub first: Option<f64>,
}

impl Held {
    /// Those of a program; `known` gives what is fixed during the motion, `held` the discrete states besides.
    pub fn of(
        program: &Program,
        time: InputId,
        known: &dyn Fn(InputId) -> Option<f64>,
        held: &dyn Fn(InputId) -> Option<f64>,
    ) -> Held {
        let fixed = Forms::of(program, time, known);
        let all = Forms::of(program, time, &|i| known(i).or_else(|| held(i)));
        let switches_in = |forms: &Forms, op: &Op| {
            let found = switches(program, op);
            found.iter().any(|(f, _)| matches!(forms.of_difference(*f), Form::Affine(..) | Form::Curve))
        };
        let values = program.values().iter();
        let switching = values.filter(|(_, op)| switches_in(&all, op) && !switches_in(&fixed, op));
        Held { switching: switching.map(|(v, _)| v).collect() }
    }

    /// Their times between `from` and `to`, with the discrete states as they are now.
    pub fn coming(
        &self,
        program: &Program,
        time: InputId,
        known: &dyn Fn(InputId) -> Option<f64>,
        (from, to): (f64, f64),
    ) -> Coming {
        let mut coming = Coming::default();
        if self.switching.is_empty() {
            return coming;
        }
        let forms = Forms::of(program, time, known);
        for value in &self.switching {
            for (function, levels) in switches(program, &program.values()[*value]) {
                match forms.of_difference(function) {
                    Form::Affine(c, d) => affine_crossings(c, d, &levels, from, to, &mut coming.times),
                    Form::Curve => {
                        let Some(mut cone) = Cone::of(program, function, time) else { continue };
                        cone.give(&|i| known(i).unwrap_or(f64::NAN));
                        let next = cone.next(program, &|g| levels.cell(g), from, to).at;
                        coming.first = coming.first.into_iter().chain(next).reduce(f64::min);
                    }
                    Form::Known(_) | Form::Other => {}
                }
            }
        }
        coming.times.retain(|t| *t > from && *t < to);
        coming
    }
}

/// `a`, or `a - b`.
type Difference = (ValueId, Option<ValueId>);

/// The switching functions of one operation. [switch]
fn switches<'p>(program: &'p Program, op: &Op) -> Vec<(Difference, Levels<'p>)> {
    match op {
        Op::Compare(_, a, b) | Op::Binary(Binary::Min | Binary::Max, a, b) => {
            vec![((*a, Some(*b)), Levels::Zero)]
        }
        Op::Unary(Unary::Abs | Unary::Sign, x) => vec![((*x, None), Levels::Zero)],
        Op::Unary(Unary::Floor, x) => vec![((*x, None), Levels::Integers)],
        Op::Lookup1 { table, x, .. } => {
            vec![((*x, None), Levels::These(program.curves()[*table].knots()))]
        }
        Op::Lookup2 { table, x, y, .. } => {
            let surface = &program.surfaces()[*table];
            vec![((*x, None), Levels::These(surface.x())), ((*y, None), Levels::These(surface.y()))]
        }
        _ => vec![],
    }
}

fn affine_crossings(c: f64, d: f64, levels: &Levels<'_>, low: f64, high: f64, times: &mut Vec<f64>) {
    let mut add = |level: f64| times.push((level - c) / d);
    match levels {
        Levels::Zero => add(0.0),
        Levels::These(knots) => knots.iter().for_each(|k| add(*k)),
        Levels::Integers => {
            let (g0, g1) = (c + d * low, c + d * high);
            integers_between(g0, g1).for_each(add);
        }
    }
}

/// The whole numbers between two values in any order, at most [`LIMIT`] and one of them.
fn integers_between(a: f64, b: f64) -> impl Iterator<Item = f64> {
    let (low, high) = (a.min(b).ceil(), a.max(b).floor());
    let n =
        if high >= low && (high - low).is_finite() { (high - low).min(LIMIT as f64) as usize + 1 } else { 0 };
    (0..n).map(move |k| low + k as f64)
}

fn curve_crossings(
    program: &Program,
    cone: &mut Cone,
    levels: &Levels<'_>,
    (low, high): (f64, f64),
    times: &mut Vec<f64>,
) {
    let mut t = low;
    while times.len() <= LIMIT
        && let Some(next) = cone.next(program, &|g| levels.cell(g), t, high).at
    {
        times.push(next);
        t = next;
    }
}

#[cfg(test)]
mod tests {
    use cardan_base::Id;
    use cardan_program::{Beyond, Compare, Curve, Kind, Label, Math, ProgramBuilder};

    use super::*;

    /// A program of time `t`, a parameter `p` and a state `x`; `build` adds what switches.
    fn found(build: impl FnOnce(&mut ProgramBuilder, [ValueId; 3]) -> ValueId, to: f64) -> Vec<f64> {
        let mut b = ProgramBuilder::new("p", ["setup", "time", "motion"], Math::Strict);
        let stages = ["setup", "time", "motion"].map(|s| b.stage(s).unwrap());
        let p = b.input(Label::named("p"), stages[0]);
        let t = b.input(Label::named("t"), stages[1]);
        let x = b.input(Label::named("x"), stages[2]);
        let y = build(&mut b, [t, p, x]);
        b.output(Label::named("y"), stages[2], y);
        let program = b.finish().unwrap();
        let known = |i: InputId| (i.index() == 0).then_some(0.25);
        breakpoints(&program, InputId::from_index(1), &known, 0.0, to).times
    }

    #[test]
    fn a_comparison_with_a_parameter_is_found_exactly() {
        let times = found(
            |b, [t, p, x]| {
                let two = b.constant(2.0);
                let limit = b.mul(two, p);
                let early = b.compare(Compare::Lt, t, limit);
                b.select(early, x, p)
            },
            10.0,
        );
        assert_eq!(times, [0.5]);
    }

    #[test]
    fn a_comparison_with_the_state_is_not_a_matter_of_time() {
        let times = found(
            |b, [t, p, x]| {
                let early = b.compare(Compare::Lt, t, x);
                b.select(early, x, p)
            },
            10.0,
        );
        assert!(times.is_empty());
    }

    #[test]
    fn knots_of_a_table_and_steps_of_a_wave_are_found() {
        let steps = |b: &mut ProgramBuilder| {
            let curve = Curve::new("c", Kind::Steps, Beyond::Clamp, vec![0.0, 0.5, 1.5], vec![1.0, 2.0, 3.0]);
            b.curve(curve.unwrap())
        };
        let times = found(
            |b, [t, _, _]| {
                let c = steps(b);
                b.lookup1(c, t, 0)
            },
            10.0,
        );
        assert_eq!(times, [0.5, 1.5]);
        let wave = found(
            |b, [t, p, _]| {
                let phase = b.div(t, p);
                b.unary(Unary::Floor, phase)
            },
            1.1,
        );
        assert_eq!(wave, [0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn crossings_of_a_sine_are_refined() {
        let times = found(
            |b, [t, _, _]| {
                let s = b.unary(Unary::Sin, t);
                b.unary(Unary::Abs, s)
            },
            10.0,
        );
        let expected = [1.0, 2.0, 3.0].map(|k: f64| k * std::f64::consts::PI);
        assert_eq!(times.len(), 3);
        for (found, exact) in times.iter().zip(expected) {
            assert!((found - exact).abs() < 1e-14 * exact, "{found} is not {exact}");
        }
    }

    #[test]
    fn a_pulse_is_found_however_short() {
        for width in [0.1, 1e-4, 1e-8] {
            let times = found(
                |b, [t, p, _]| {
                    // mod(t, p) > p - width
                    let phase = b.div(t, p);
                    let whole = b.unary(Unary::Floor, phase);
                    let passed = b.mul(whole, p);
                    let rest = b.sub(t, passed);
                    let width = b.constant(width);
                    let least = b.sub(p, width);
                    let late = b.compare(Compare::Lt, least, rest);
                    b.select(late, t, p)
                },
                5.1,
            );
            let expected: Vec<f64> =
                (1..=20).flat_map(|k| [0.25 * f64::from(k) - width, 0.25 * f64::from(k)]).collect();
            assert_eq!(times.len(), expected.len(), "{times:?}");
            assert!(times.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14), "{times:?}");
        }
    }

    #[test]
    fn what_nearly_touches_its_level_does_not_take_for_ever() {
        // Time occurs twice in sin² t + cos² t, so its bounds are too wide for all but the shortest stretches.
        let times = found(
            |b, [t, _, _]| {
                let [s, c] = [Unary::Sin, Unary::Cos].map(|f| b.unary(f, t));
                let [s, c] = [s, c].map(|x| b.powi(x, 2));
                let (sum, level) = (b.add(s, c), b.constant(1.000001));
                b.binary(Binary::Max, sum, level)
            },
            1000.0,
        );
        assert!(times.is_empty(), "{times:?}");
    }

    #[test]
    fn a_very_fast_wave_is_cut_off() {
        let times = found(
            |b, [t, _, _]| {
                let fast = b.constant(1e9);
                let phase = b.mul(t, fast);
                b.unary(Unary::Floor, phase)
            },
            1.0,
        );
        assert_eq!(times.len(), LIMIT);
    }
}
