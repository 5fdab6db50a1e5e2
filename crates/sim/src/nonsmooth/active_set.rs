//! Which surfaces hold a motion: met, kept and left. [slide], [let-go]

use cardan_solve::Failure;

use crate::nonsmooth::filippov::{Goes, Rates};
use crate::nonsmooth::modes::Modes;
use crate::nonsmooth::sliding::{Blend, Member, Surface, dot, norm, weighted};
use crate::nonsmooth::sliding_interval::Slide;
use crate::nonsmooth::switch::Kind;

/// Gradients whose directions differ by less are parallel.
const PARALLEL: f64 = 1e-9;
/// Two numbers that vanish together differ by less than so many times, in the measure of their gradients.
const TOGETHER: f64 = 16.0;
/// A motion that reaches a surface in this part of the whole time is on it.
const ON_SURFACE: f64 = 1e-12;
/// A number that is less than this times its gradient from the end of a side may be at it.
const NEAR: f64 = 1e-9;
/// A weight that is less than this from its bound is spent; others that rest take over if they can bear so much more.
pub(crate) const SPENT: f64 = 1e-8;
/// Switches that act together change rates by the sum of what each changes alone, but for this part.
const ADDITIVE: f64 = 1e-9;
/// Looks at surfaces that act on one another.
const MAX_LOOKS: usize = 8;
/// Rounding of the time at which a surface is left, in units of the last place.
const LEFT_BY: f64 = 64.0 * f64::EPSILON;

impl Modes<'_> {
    /// The sides of a switch around the place where its number is, and that place; nothing where it has no two sides.
    fn around(&self, k: usize) -> Option<(f64, f64, f64)> {
        let w = self.numbers[k];
        match &self.compiled.frozen.switches[k].kind {
            Kind::Below { .. } => Some((1.0, 0.0, 0.0)),
            Kind::Factor | Kind::Sign => Some((-1.0, 1.0, 0.0)),
            // It holds for an instant only, which is no side.
            Kind::Zero { opposite } => {
                let side = f64::from(u8::from(*opposite));
                Some((side, side, 0.0))
            }
            Kind::Whole => Some((w.round() - 1.0, w.round(), w.round())),
            Kind::Pieces { knots, .. } => {
                let near = |a: &usize, b: &usize| (knots[*a] - w).abs().total_cmp(&(knots[*b] - w).abs());
                let knot = (0..knots.len()).min_by(near)?;
                Some((knot as f64, knot as f64 + 1.0, knots[knot]))
            }
            Kind::Angle | Kind::Knots { .. } => None,
        }
    }

    /// The surface of a switch that is at its end, with all switches that end together with it.
    fn surface_of(&self, k: usize, gradients: &[Vec<f64>], t: f64) -> Option<Surface> {
        let (below, above, level) = self.around(k)?;
        let (size, sigma) = (norm(&gradients[k]), self.numbers[k] - level);
        if size == 0.0 || self.free[k] {
            return None;
        }
        let mut surface = Surface {
            members: vec![Member { switch: k, below, above, held: self.held_side(k) }],
            level,
            goes: Goes::Slides,
            since: t,
            signed: false,
        };
        for j in (0..self.len()).filter(|j| *j != k && !self.free[*j]) {
            let Some((below, above, level)) = self.around(j) else { continue };
            let (other, along) = (norm(&gradients[j]), dot(&gradients[j], &gradients[k]));
            let parallel = other > 0.0 && along.abs() >= (1.0 - PARALLEL) * other * size;
            let together = (self.numbers[j] - level).abs() * size <= TOGETHER * sigma.abs() * other;
            if parallel && together && !self.is_member(j) {
                let (below, above) = if along > 0.0 { (below, above) } else { (above, below) };
                surface.members.push(Member { switch: j, below, above, held: self.held_side(j) });
            }
        }
        Some(surface)
    }

    /// The side of an equality while a surface holds the motion. [static]
    fn held_side(&self, k: usize) -> Option<f64> {
        match &self.compiled.frozen.switches[k].kind {
            Kind::Zero { opposite } => Some(f64::from(u8::from(!opposite))),
            _ => None,
        }
    }

    /// Whether a surface tells nothing but numbers, so that they may be between its sides. [sign]
    fn is_of_numbers(&self, surface: &Surface) -> bool {
        let kind = |m: &Member| &self.compiled.frozen.switches[m.switch].kind;
        surface.members.iter().all(|m| m.held.is_some() || matches!(kind(m), Kind::Sign | Kind::Factor))
    }

    fn is_member(&self, k: usize) -> bool {
        self.surfaces.iter().any(|s| s.has(k))
    }

    /// A motion begins at the state that is placed: surfaces on which it is may hold it, those that did and others.
    pub(crate) fn begin_sliding(&mut self, t: f64, before: Vec<Surface>) -> Result<(), Failure> {
        let found = if self.may_slide { self.surfaces_here(t, &before)? } else { vec![] };
        let kept = self.hold_on(found)?;
        let ended = |s: &&Surface| !kept.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        self.surfaces = kept;
        Ok(())
    }

    /// Whether the number of a switch is at the end of a side.
    pub(crate) fn is_at_end(&self, k: usize) -> bool {
        self.around(k).is_some_and(|(.., level)| self.numbers[k] == level)
    }

    /// The surfaces that may hold a motion from the state that is placed on: those that did, and those on which it is.
    pub(crate) fn surfaces_here(&mut self, t: f64, before: &[Surface]) -> Result<Vec<Surface>, Failure> {
        let starts: Vec<usize> = (0..self.len()).filter(|k| self.is_at_end(*k)).collect();
        let mut found: Vec<Surface> = vec![];
        if starts.is_empty() && before.is_empty() {
            return Ok(found);
        }
        let Some(gradients) = self.gradients()? else { return Ok(found) };
        let ended = before.iter().map(|s| (s.leader(), Some(s)));
        for (k, old) in ended.chain(starts.into_iter().map(|k| (k, None))) {
            if found.iter().any(|s| s.has(k)) {
                continue;
            }
            if let Some(surface) = self.surface_of(k, &gradients, old.map_or(t, |s| s.since)) {
                found.push(surface);
            }
        }
        Ok(found)
    }

    /// Whether the state that is placed is on a surface, whose σ and A_ii are these.
    pub(crate) fn is_on(&self, sigma: f64, a: f64) -> bool {
        sigma.abs() <= ON_SURFACE * self.span * a.abs()
    }

    /// Those of some surfaces on which the motion stays; switches of the others are told where it goes on.
    pub(crate) fn hold_on(&mut self, mut surfaces: Vec<Surface>) -> Result<Vec<Surface>, Failure> {
        let sides = self.sides.clone();
        let restore =
            |m: &mut Self, s: &Surface| s.members.iter().for_each(|x| m.set(x.switch, sides[x.switch]));
        loop {
            if surfaces.is_empty() {
                return Ok(surfaces);
            }
            let blend = self.blend(&surfaces)?;
            let holds = |i: usize| blend.on.attracts(i) && self.is_on(blend.sigma[i], blend.on.a[(i, i)]);
            let Some(i) = (0..surfaces.len()).find(|i| !holds(*i)) else {
                let signed = !self.acts_by_sum(&surfaces, &blend)?;
                if signed && !surfaces.iter().all(|s| self.is_of_numbers(s)) {
                    surfaces.iter().for_each(|s| restore(self, s));
                    return Ok(vec![]);
                }
                surfaces.iter_mut().for_each(|s| s.signed = signed);
                let Some(goes) = self.resolved(&mut surfaces, blend)? else {
                    surfaces.iter().for_each(|s| restore(self, s));
                    return Ok(vec![]);
                };
                let mut kept = vec![];
                // One that goes on has another level than one that is held, so that others are to be asked again.
                let mut levels = false;
                for (surface, goes) in surfaces.into_iter().zip(goes) {
                    if goes.stays() {
                        kept.push(Surface { goes, ..surface });
                    } else {
                        self.tell(&surface, goes == Goes::Above);
                        self.changed.extend(surface.members.iter().map(|m| m.switch));
                        levels |= surface.members.iter().any(|m| m.held.is_some());
                    }
                }
                if levels && !kept.is_empty() {
                    surfaces = kept;
                    continue;
                }
                return Ok(kept);
            };
            let surface = surfaces.remove(i);
            restore(self, &surface);
        }
    }

    /// An event or an impulse `at` an instant has moved the state, looked at a time `t`: surfaces on which it is no longer do not pull it back, and their switches follow it.
    pub fn moved(&mut self, at: f64, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.moved_discs(at, t, y)?;
        if !self.is_sliding() {
            return Ok(());
        }
        self.place(t, y);
        let surfaces = std::mem::take(&mut self.surfaces);
        let blend = self.blend(&surfaces)?;
        for (i, surface) in surfaces.into_iter().enumerate() {
            if self.is_on(blend.sigma[i], blend.on.a[(i, i)]) {
                self.surfaces.push(surface);
            } else {
                self.note(&surface, at);
                for k in surface.members.iter().map(|m| m.switch) {
                    self.set(k, self.compiled.frozen.switches[k].kind.side(self.numbers[k]));
                }
            }
        }
        self.show();
        Ok(())
    }

    /// Where the motion goes on with respect to each surface; where they act on one another, what is found is looked at again with
    /// the weights that belong to it. [side], [sign]
    fn resolved(&mut self, surfaces: &mut [Surface], blend: Blend) -> Result<Option<Vec<Goes>>, Failure> {
        let Some(mut goes) = blend.on.resolve() else { return Ok(None) };
        if !surfaces.iter().any(|s| s.signed) {
            return Ok(Some(goes));
        }
        let mut blend = blend;
        for _ in 0..MAX_LOOKS {
            surfaces.iter_mut().zip(&goes).for_each(|(s, goes)| s.goes = *goes);
            blend = self.refined(surfaces, blend)?.0;
            let Some(next) = blend.on.resolve() else { return Ok(None) };
            if next == goes {
                break;
            }
            goes = next;
        }
        Ok(Some(goes))
    }

    /// Whether surfaces act together as the sum of what each does alone, and each in proportion to its weight.
    fn acts_by_sum(&mut self, surfaces: &[Surface], blend: &Blend) -> Result<bool, Failure> {
        let size = |k: usize| {
            blend.rates.0[k].abs() + blend.rates.1.iter().map(|d| d[k].abs()).sum::<f64>() + f64::MIN_POSITIVE
        };
        let of_numbers = surfaces.iter().all(|s| self.is_of_numbers(s));
        let tries: &[f64] = if of_numbers { &[1.0, 0.5] } else { &[1.0] };
        let friction = self.held_friction(surfaces)?;
        for alpha in tries {
            surfaces.iter().for_each(|s| self.tell_held(s, *alpha));
            self.run_told(friction.as_ref())?;
            surfaces.iter().for_each(|s| self.tell_held(s, 0.0));
            let mut sum = vec![0.0; self.rates.len()];
            weighted(&blend.rates.0, &blend.rates.1, &vec![*alpha; surfaces.len()], &mut sum);
            if !(0..sum.len()).all(|k| (self.rates[k] - sum[k]).abs() <= ADDITIVE * size(k)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the number of a switch is at the end of a side, but for rounding.
    fn is_near(&self, k: usize, gradients: &[Vec<f64>]) -> bool {
        let near = |level: f64| (self.numbers[k] - level).abs() <= NEAR * norm(&gradients[k]);
        !self.free[k] && !self.is_member(k) && self.around(k).is_some_and(|(.., level)| near(level))
    }

    /// The integrator stands at the end of a side: the motion slides on from here, or not. The switch has changed its side already.
    pub(crate) fn meet_surface(&mut self, k: usize, t: f64) -> Result<(), Failure> {
        if !self.may_slide {
            return Ok(());
        }
        let before = std::mem::take(&mut self.surfaces);
        let mut all = before.clone();
        if let Some(gradients) = self.gradients()? {
            // What a loop or a gear ties together comes to rest together, but for rounding.
            let others = (0..self.len()).filter(|j| *j != k && self.is_near(*j, &gradients));
            for j in std::iter::once(k).chain(others.collect::<Vec<_>>()) {
                if !all.iter().any(|s| s.has(j))
                    && let Some(surface) = self.surface_of(j, &gradients, t)
                {
                    all.push(surface);
                }
            }
        }
        self.surfaces = match self.hold_on(all) {
            Ok(kept) => kept,
            Err(failure) if failure.recoverable => vec![],
            Err(failure) => return Err(failure),
        };
        let surfaces = self.surfaces.clone();
        let ended = |s: &&Surface| !surfaces.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        self.changed.extend(surfaces.iter().flat_map(|s| &s.members).map(|m| m.switch));
        Ok(())
    }

    /// The weight of a surface has left its bounds: others that rest take over what it cannot bear; if they cannot, the motion goes on beside it,
    /// and may leave others. [let-go], [borne]
    pub(crate) fn leave_surface(&mut self, k: usize, t: f64) -> Result<(), Failure> {
        let Some(place) = self.surfaces.iter().position(|s| s.leader() == k) else { return Ok(()) };
        let (blend, alpha) = self.sliding_blend()?;
        let above = alpha[place] > 0.5;
        if let Some(goes) = self.taken_over(&blend, place, above) {
            let (stay, leave): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.surfaces).into_iter().zip(goes).partition(|(_, goes)| goes.stays());
            self.surfaces = stay.into_iter().map(|(surface, goes)| Surface { goes, ..surface }).collect();
            for (surface, goes) in leave {
                self.note(&surface, t);
                self.tell(&surface, goes == Goes::Above);
                self.changed.extend(surface.members.iter().map(|m| m.switch));
            }
            return Ok(());
        }
        let before = std::mem::take(&mut self.surfaces);
        let shared = before.iter().any(|s| s.goes != Goes::Slides);
        let mut kept = before.clone();
        let mut left = vec![(kept.remove(place), above)];
        self.tell(&left[0].0, left[0].1);
        kept = self.hold_on(kept)?;
        // What could have taken over is spent as well.
        while shared && !kept.is_empty() {
            let blend = self.blend(&kept)?;
            let alpha = self.refined(&kept, blend)?.1;
            let spent = |i: usize| kept[i].goes == Goes::Slides && alpha[i].min(1.0 - alpha[i]) < SPENT;
            let Some(i) = (0..kept.len()).find(|i| spent(*i)) else { break };
            left.push((kept.remove(i), alpha[i] > 0.5));
            left.iter().for_each(|(s, above)| self.tell(s, *above));
            kept = self.hold_on(kept)?;
        }
        for (surface, above) in left {
            self.tell(&surface, above);
            self.changed.extend(surface.members.iter().map(|m| m.switch));
            let leader = surface.leader();
            let place = before.iter().position(|s| s.leader() == leader).unwrap_or(place);
            self.just_left
                .push((leader, LEFT_BY * blend.on.a[(place, place)].abs() * self.span.max(t.abs())));
        }
        let ended = |s: &&Surface| !kept.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        self.surfaces = kept;
        Ok(())
    }

    /// Where the motion goes on with respect to each surface if those that rest bear a little more than a weight at its bound can; nothing if that
    /// leaves its surface. [borne]
    fn taken_over(&self, blend: &Blend, place: usize, above: bool) -> Option<Vec<Goes>> {
        let others: Vec<usize> = (0..self.surfaces.len()).filter(|i| *i != place).collect();
        if self.surfaces.iter().all(|s| s.goes == Goes::Slides) {
            return None;
        }
        // A little less than its bound: others must bear what is missing.
        let bears = if above { 1.0 - SPENT } else { SPENT };
        let told = others.iter().map(|i| blend.on.b[*i] + blend.on.a[(*i, place)] * bears).collect();
        let found = Rates { a: blend.on.among(&others), b: told }.resolve()?;
        let mut goes = vec![Goes::Rests { above }; self.surfaces.len()];
        others.iter().zip(found).for_each(|(i, found)| goes[*i] = found);
        let sliding: Vec<usize> = others.into_iter().filter(|i| goes[*i] == Goes::Slides).collect();
        (!sliding.is_empty() && blend.on.follows(place, &sliding)).then_some(goes)
    }

    /// Speeds that have a given value because switches hold them, as equations.
    pub fn sticking(&self) -> Vec<String> {
        let switches = &self.compiled.frozen.switches;
        let held = self.surfaces.iter().map(|s| (&switches[s.leader()].surface, s.level));
        let held = held.filter(|(surface, _)| surface.sticks).map(|(surface, level)| surface.words(level));
        held.chain(self.held_words()).collect()
    }

    /// Remembers a stretch of sliding that has ended.
    fn note(&mut self, surface: &Surface, t: f64) {
        let switch = &self.compiled.frozen.switches[surface.leader()];
        let slide = Slide {
            surface: switch.surface.words(surface.level),
            sticks: switch.surface.sticks,
            from: surface.since,
            to: t,
        };
        // A stretch that a new start has cut in two is one.
        match self.crossings.slides.iter_mut().rev().find(|s| s.surface == slide.surface) {
            Some(last) if slide.from == last.to => last.to = t,
            _ if slide.to > slide.from => self.crossings.slides.push(slide),
            _ => {}
        }
    }

    /// Ends all stretches where the motion ends.
    pub fn finish(&mut self, t: f64) {
        let surfaces = std::mem::take(&mut self.surfaces);
        surfaces.iter().for_each(|s| self.note(s, t));
        self.finish_discs(t);
        self.crossings.slides.sort_by(|a, b| a.from.total_cmp(&b.from));
    }
}
