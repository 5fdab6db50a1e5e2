//! Which surfaces hold a motion: met, kept and left, one surface per call of `happen`.
//!
//! ```text
//! [margin]   what is watched of a surface, negative where it is left:
//!            α (1 - α) where the motion slides,  s σ + o beside it,  r - |σ̇| / scale where others keep it there
//! [on]       A_ii < 0 and |σ_i| ≤ 1e-12 A_ii × the whole time: the motion is on a surface that draws it from both sides
//! [begin]    s = 0:  the side follows the state
//! [moved]    a block has changed the state:  no surface holds it, until it is met again
//! [leave]    slides, and α is beyond 0 … 1:  goes on above or below
//! [meet]     on, and has just come here, or s σ̇ < 0:  slides
//! [pass]     comes to a surface that cannot hold it:  goes on behind it
//! [rest]     on, beside others that slide, and σ̇ = 0:  they keep it there, its own weight at a bound
//! ```
//!
//! The first surface of which one of these is true changes, then all are asked again, until none is: principal pivoting with the least index first, which ends for
//! matrices whose principal minors are positive (Murty 1974; with bounds: Júdice & Pires 1994). What [rest] calls a surface changes only what is watched of it:
//! numbers that others keep at zero would cross it by rounding.

use cardan_codegen::{Memory, Watched};
use cardan_program::{Binary, Compare, Label, ProgramBuilder, Unary, ValueId};

use crate::error::Error;
use crate::functions::{setup, time};
use crate::link::Composer;
use crate::nonsmooth::sliding::{NAMES, Remembered, Sliding, Surface};

/// How far α may be beyond its bounds, and σ̇ beyond zero as a part of A_ii, by rounding.
const ROUNDING: f64 = 1e-10;
/// A motion that reaches a surface in this part of the whole time is on it.
const ON_SURFACE: f64 = 1e-12;
/// A surface on which others keep the motion is left where its rate is more than this part of what makes it up.
const RESTING: f64 = 1e-6;
/// Rounding of the time at which a surface is left, in units of the last place.
const LEFT_BY: f64 = 64.0 * f64::EPSILON;
/// Stands for a number that is zero.
const TINY: f64 = 1e-300;

/// What is to be done about a surface, and what is remembered of it then.
struct Change {
    due: ValueId,
    side: ValueId,
    held: ValueId,
    offset: ValueId,
}

/// |x|.
fn size(b: &mut ProgramBuilder, x: ValueId) -> ValueId {
    b.unary(Unary::Abs, x)
}

/// Whether a < b.
fn less(b: &mut ProgramBuilder, a: ValueId, c: ValueId) -> ValueId {
    b.compare(Compare::Lt, a, c)
}

/// The first value whose condition holds, else the last one.
fn first(b: &mut ProgramBuilder, cases: &[(ValueId, ValueId)], otherwise: ValueId) -> ValueId {
    cases.iter().rev().fold(otherwise, |rest, (condition, value)| b.select(*condition, *value, rest))
}

impl Sliding {
    /// Adds the surfaces to what is remembered and watched, and to the blocks; returns what is due. The block of the model that is `due` may have
    /// `moved` the state.
    pub fn join(
        &self,
        composer: &mut Composer,
        (due, moved): (ValueId, ValueId),
        (memory, watched, blocks): (&mut Vec<Memory>, &mut Vec<Watched>, &mut Vec<String>),
    ) -> Result<ValueId, Error> {
        let (margins, over) = self.watched(composer, watched.len());
        let (more, due) = self.settle(composer, &over, (due, moved), blocks.len())?;
        watched.extend(margins);
        memory.extend(more);
        blocks.extend(self.surfaces.iter().map(|s| s.words.clone()));
        Ok(due)
    }

    /// The margins of the surfaces after so many other comparisons, and whether each is known to be negative. [margin]
    fn watched(&self, composer: &mut Composer, n_before: usize) -> (Vec<Watched>, Vec<ValueId>) {
        let (mut watched, mut over) = (vec![], vec![]);
        let what = "switches, or lets go";
        for (i, surface) in self.surfaces.iter().enumerate() {
            let name = format!("comparison {}", n_before + i + 1);
            let (holds, input) =
                composer.memory(Label::new(&name, "", format!("1 where {} {what}", surface.words)));
            let b = &mut composer.builder;
            let [zero, one, resting, tiny] = [0.0, 1.0, RESTING, TINY].map(|x| b.constant(x));
            let other = b.sub(one, self.alpha[i]);
            let weight = b.mul(self.alpha[i], other);
            let beside = b.mul(surface.side.0, surface.sigma);
            let beside = b.add(beside, surface.offset.0);
            let kept = match self.surfaces.len() {
                1 => beside,
                _ => {
                    let (rate, scale) = (self.surface_rate(b, i), self.scale(b, i));
                    let scale = b.select(surface.rests, scale, one);
                    let part = size(b, rate);
                    let part = b.div(part, scale);
                    b.sub(resting, part)
                }
            };
            let margin = first(b, &[(surface.slides, weight), (surface.rests, kept)], beside);
            let vanishes = b.compare(Compare::Eq, margin, zero);
            let margin = b.select(vanishes, tiny, margin);
            over.push(less(b, zero, holds));
            let label = Label::new(&name, "", format!("negative where {} {what}", surface.words));
            watched.push(Watched { holds: input, number: composer.output(label, margin, time()) });
        }
        (watched, over)
    }

    /// What becomes of the surfaces after the block of the model that is due, and where none of its `n_blocks` blocks is; then what is due.
    fn settle(
        &self,
        composer: &mut Composer,
        over: &[ValueId],
        (due, moved): (ValueId, ValueId),
        n_blocks: usize,
    ) -> Result<(Vec<Memory>, ValueId), Error> {
        let on = self.on_surfaces(composer)?;
        let changes: Vec<Change> =
            (0..self.surfaces.len()).map(|i| self.change(composer, i, on[i], over[i])).collect();
        let b = &mut composer.builder;
        let zero = b.constant(0.0);
        let mut free = b.compare(Compare::Eq, due, zero);
        let mut all = due;
        let mut kept: Vec<[ValueId; 3]> = vec![];
        for (i, (surface, change)) in self.surfaces.iter().zip(&changes).enumerate() {
            let happens = b.and(change.due, free);
            let others = b.not(change.due);
            free = b.and(free, others);
            let number = b.constant(4.0 * (n_blocks + i + 1) as f64 + 1.0);
            all = b.select(happens, number, all);
            let pairs =
                [(change.side, surface.side), (change.held, surface.held), (change.offset, surface.offset)];
            kept.push(pairs.map(|(new, (old, _))| b.select(happens, new, old)));
            kept[i][1] = b.select(moved, zero, kept[i][1]); // [moved]
        }
        if self.surfaces.len() > 1 {
            for (i, kept) in kept.iter_mut().enumerate() {
                let [two, number] = [2.0, 4.0 * (n_blocks + i + 1) as f64 + 1.0].map(|x| b.constant(x));
                let rests = self.comes_to_rest(b, i, on[i]);
                let happens = b.and(rests, free);
                all = b.select(happens, number, all);
                kept[1] = b.select(happens, two, kept[1]);
            }
        }
        let mut memory = vec![];
        for (i, (surface, new)) in self.surfaces.iter().zip(kept).enumerate() {
            let places: [Remembered; 3] = [surface.side, surface.held, surface.offset];
            for (n, (_, input)) in places.into_iter().enumerate() {
                let label = |what: &str| Label::named(format!("{what} {} {}", NAMES[n], i + 1));
                let start = composer.output(label("start of"), zero, setup());
                let new = composer.output(label("new"), new[n], time());
                memory.push(Memory { input, start, new });
            }
        }
        Ok((memory, all))
    }

    /// Whether the motion is on each surface, and it can hold it. [on]
    fn on_surfaces(&self, composer: &mut Composer) -> Result<Vec<ValueId>, Error> {
        let mut on = vec![];
        for (i, surface) in self.surfaces.iter().enumerate() {
            let b = &mut composer.builder;
            let [least, far] = [-ROUNDING, ON_SURFACE * self.span].map(|x| b.constant(x));
            let scale = self.scale(b, i);
            let least = b.mul(least, scale);
            let attracts = less(b, self.a[i][i], least);
            let (reach, sigma) = (size(b, self.a[i][i]), size(b, surface.sigma));
            let reach = b.mul(far, reach);
            let near = b.compare(Compare::Le, sigma, reach);
            let near = b.or(near, surface.slides);
            on.push(b.and(attracts, near));
        }
        if on.len() > 1 {
            let additive = self.acts_by_sum(composer, &on)?;
            on.iter_mut().for_each(|on| *on = composer.builder.and(*on, additive));
        }
        Ok(on)
    }

    /// What is due at a surface.
    fn change(&self, composer: &mut Composer, i: usize, on: ValueId, over: ValueId) -> Change {
        let surface = &self.surfaces[i];
        let t = composer.builder.input_value(composer.time);
        let b = &mut composer.builder;
        let [zero, half, one, minus, slack] = [0.0, 0.5, 1.0, -1.0, ROUNDING].map(|x| b.constant(x));
        let (side, alpha) = (surface.side.0, self.alpha[i]);
        let (reach, distance) = (size(b, self.a[i][i]), size(b, surface.sigma));
        let turned = b.neg(side);
        let stays = surface.stays(b);
        // [begin]
        let begin = b.compare(Compare::Eq, side, zero);
        let above = less(b, zero, surface.sigma);
        let seen = b.select(above, one, minus);
        // [leave]
        let (low, high) = (b.neg(slack), b.add(one, slack));
        let (below, beyond) = (less(b, alpha, low), less(b, high, alpha));
        let out = b.or(below, beyond);
        let out = b.or(out, over);
        let leave = b.and(surface.slides, out);
        let above = less(b, half, alpha);
        let left = b.select(above, one, minus);
        // [meet]
        let rate = self.surface_rate(b, i);
        let inwards = b.mul(side, rate);
        let least = b.mul(low, reach);
        let back = less(b, inwards, least);
        let free = b.not(stays);
        let comes = b.and(free, over);
        let meet = b.or(back, comes);
        let meet = b.and(meet, on);
        let aside = b.not(surface.slides);
        let meet = b.and(meet, aside);
        // [pass], and the end of [rest]
        let loose = b.and(surface.rests, over);
        let ends = b.or(comes, loose);

        let due = [begin, leave, meet, ends].into_iter().reduce(|a, c| b.or(a, c)).unwrap_or(begin);
        let next = b.select(comes, turned, side);
        let next = first(b, &[(begin, seen), (leave, left), (meet, minus)], next);
        let held = first(b, &[(begin, zero), (leave, zero), (meet, one)], zero);
        // A surface that was just left is not met again by rounding.
        let [least, span, two] = [LEFT_BY, self.span, 2.0].map(|x| b.constant(x));
        let late = size(b, t);
        let late = b.binary(Binary::Max, late, span);
        let by = b.mul(least, reach);
        let by = b.mul(by, late);
        let gap = b.mul(two, distance);
        let by = b.add(gap, by);
        let offset = first(b, &[(begin, zero), (leave, by), (meet, zero), (loose, by)], zero);
        Change { due, side: next, held, offset }
    }

    /// Whether others keep the motion on a surface beside which it is. [rest]
    fn comes_to_rest(&self, b: &mut ProgramBuilder, i: usize, on: ValueId) -> ValueId {
        let surface: &Surface = &self.surfaces[i];
        let part = b.constant(0.5 * RESTING);
        let (rate, scale) = (self.surface_rate(b, i), self.scale(b, i));
        let rate = size(b, rate);
        let most = b.mul(part, scale);
        let still = b.compare(Compare::Le, rate, most);
        let others = self.surfaces.iter().map(|s| s.slides).reduce(|a, c| b.or(a, c)).unwrap_or(still);
        let stays = surface.stays(b);
        let free = b.not(stays);
        [still, others, free].into_iter().fold(on, |all, more| b.and(all, more))
    }
}
