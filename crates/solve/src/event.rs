//! Sign changes of event functions, located on the dense output of an accepted step.
//!
//! The functions are looked at at the ends of several equal parts of the step, and where |g| has a minimum between looks also
//! there, so that a double crossing within a step is seen. A crossing found between two looks is located by Brent's method; the
//! reported time is just after it, so that the sign has changed. Where another function has changed its sign by then, its
//! crossing came first, and is looked for in the same way. In the first step after a start the looks begin very close to
//! it, so that an event that follows at once (the last bounces of a ball) is seen.

use crate::evaluate::{Evaluator, Trouble};
use crate::roots::{RootFailure, brent_from};
use crate::stepper::Stepper;
use crate::system::Crossing;

/// The looks of the first step after a start, as fractions of the step.
const CLOSE_LOOKS: [f64; 5] = [1e-9, 1e-7, 1e-5, 1e-3, 1e-2];
/// Attempts to find the bottom between two looks.
const DIPS: usize = 5;

/// An accepted step, open to questions.
pub(crate) struct Span<'a> {
    pub(crate) t: f64,
    pub(crate) h: f64,
    /// The end state, after projection.
    pub(crate) end: &'a [f64],
    pub(crate) t_end: f64,
    pub(crate) stepper: &'a dyn Stepper,
}

impl Span<'_> {
    /// The time at a fraction of the step.
    pub(crate) fn time(&self, theta: f64) -> f64 {
        if theta >= 1.0 { self.t_end } else { self.t + theta * self.h }
    }

    /// The state at a fraction of the step.
    pub(crate) fn state(&self, theta: f64, out: &mut [f64]) {
        if theta >= 1.0 { out.copy_from_slice(self.end) } else { self.stepper.interpolate(theta, out) }
    }
}

/// One or more events at one time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hit {
    pub(crate) theta: f64,
    /// Which, and whether rising.
    pub(crate) events: Vec<(usize, bool)>,
}

/// What is remembered about the event functions from step to step.
pub(crate) struct EventWatch {
    /// The value and the sign before the next look; sign 0 is not decided yet.
    g: Vec<f64>,
    sign: Vec<i8>,
    crossing: Vec<Crossing>,
    just_started: bool,
    asleep: bool,
    probes: usize,
    y: Vec<f64>,
}

/// The event functions at a fraction of the step.
struct Look {
    theta: f64,
    g: Vec<f64>,
}

fn sign(g: f64) -> i8 {
    i8::from(g > 0.0) - i8::from(g < 0.0)
}

fn counts(crossing: Crossing, new_sign: i8) -> bool {
    match crossing {
        Crossing::Up => new_sign > 0,
        Crossing::Down => new_sign < 0,
        Crossing::Both => true,
    }
}

impl EventWatch {
    pub(crate) fn new(evaluator: &Evaluator<'_>, n: usize, probes: usize) -> Self {
        let n_events = evaluator.system.n_events();
        EventWatch {
            g: vec![0.0; n_events],
            sign: vec![0; n_events],
            crossing: (0..n_events).map(|k| evaluator.system.crossing(k)).collect(),
            just_started: true,
            asleep: false,
            probes: probes.max(1),
            y: vec![0.0; n],
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.g.is_empty() || self.asleep
    }

    /// Begins anew at (t, y), where the events `fired` have just happened: index and whether rising.
    pub(crate) fn start(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        t: f64,
        y: &[f64],
        fired: &[(usize, bool)],
    ) -> Result<(), Trouble> {
        self.asleep = !evaluator.system.watches();
        if self.is_idle() {
            return Ok(());
        }
        evaluator.events(t, y, &mut self.g)?;
        for k in 0..self.g.len() {
            self.crossing[k] = evaluator.system.crossing(k);
            self.sign[k] = sign(self.g[k]);
        }
        for &(k, rising) in fired {
            if self.sign[k] == 0 {
                self.sign[k] = if rising { 1 } else { -1 };
            }
        }
        self.just_started = true;
        Ok(())
    }

    /// The first hit after the fraction `from` of the step.
    pub(crate) fn scan(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        from: f64,
    ) -> Result<Option<Hit>, Trouble> {
        let looks = self.looks(evaluator, span, from)?;
        for pair in looks.windows(2) {
            let crossed = self.crossed(&pair[1]);
            if !crossed.is_empty() {
                return self.locate(evaluator, span, &pair[0], &pair[1], &crossed).map(Some);
            }
        }
        if let Some(last) = looks.into_iter().next_back() {
            self.g = last.g;
        }
        self.just_started = false;
        Ok(None)
    }

    /// The event functions at a fraction of the step.
    fn look(&mut self, evaluator: &mut Evaluator<'_>, span: &Span<'_>, theta: f64) -> Result<Look, Trouble> {
        let mut g = vec![0.0; self.g.len()];
        span.state(theta, &mut self.y);
        evaluator.events(span.time(theta), &self.y, &mut g)?;
        Ok(Look { theta, g })
    }

    /// All looks from the fraction `from` to the end of the step, dips included.
    fn looks(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        from: f64,
    ) -> Result<Vec<Look>, Trouble> {
        let mut looks = vec![Look { theta: from, g: self.g.clone() }];
        if self.just_started && from == 0.0 {
            for theta in CLOSE_LOOKS {
                looks.push(self.look(evaluator, span, theta)?);
            }
        }
        for i in 1..=self.probes {
            let theta = i as f64 / self.probes as f64;
            if theta > from {
                looks.push(self.look(evaluator, span, theta)?);
            }
        }
        let mut dips = Vec::new();
        for triple in looks.windows(3) {
            for k in 0..self.g.len() {
                dips.extend(self.dip(evaluator, span, k, triple)?);
            }
        }
        looks.extend(dips);
        looks.sort_by(|a, b| a.theta.total_cmp(&b.theta));
        Ok(looks)
    }

    /// A look at which function `k`, of one sign at three looks, has the other sign between them.
    ///
    /// Follows the bottoms of parabolas as long as they promise a crossing.
    fn dip(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        k: usize,
        triple: &[Look],
    ) -> Result<Option<Look>, Trouble> {
        let side = f64::from(sign(triple[0].g[k]));
        let mut points: [(f64, f64); 3] = std::array::from_fn(|i| (triple[i].theta, side * triple[i].g[k]));
        if points.iter().any(|&(_, g)| g <= 0.0) {
            return Ok(None);
        }
        for _ in 0..DIPS {
            let Some((theta, bottom)) = parabola_bottom(points) else { return Ok(None) };
            let lowest = points.iter().fold(f64::INFINITY, |low, p| low.min(p.1));
            let known = points.iter().any(|p| (p.0 - theta).abs() <= 1e-9 * (points[2].0 - points[0].0));
            if bottom > 0.5 * lowest || known {
                return Ok(None);
            }
            let look = self.look(evaluator, span, theta)?;
            let g = side * look.g[k];
            if g < 0.0 {
                return Ok(Some(look));
            }
            points = narrowed(points, (theta, g));
        }
        Ok(None)
    }

    /// The functions whose relevant crossings become visible at `look`, with their new signs.
    fn crossed(&mut self, look: &Look) -> Vec<(usize, i8)> {
        let mut crossed = Vec::new();
        for k in 0..self.g.len() {
            let seen = sign(look.g[k]);
            if self.sign[k] == 0 {
                self.sign[k] = seen;
                continue;
            }
            // Zero itself counts as the other side: the root is exactly at this look.
            let new_sign = if seen == 0 { -self.sign[k] } else { seen };
            if new_sign != self.sign[k] {
                if counts(self.crossing[k], new_sign) {
                    crossed.push((k, new_sign));
                } else {
                    self.sign[k] = new_sign;
                }
            }
        }
        crossed
    }

    /// The earliest crossing between two looks, with those at the same time; those in `crossed` are seen at the second.
    fn locate(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        before: &Look,
        after: &Look,
        crossed: &[(usize, i8)],
    ) -> Result<Hit, Trouble> {
        let magnitude = span.t.abs().max(span.t_end.abs()).max(span.h.abs());
        let tolerance = 4.0 * f64::EPSILON * magnitude / span.h.abs();
        let (mut roots, mut found) = self.roots(evaluator, span, (before, after), crossed, tolerance)?;
        for _ in 0..self.g.len() {
            let earlier = self.others(&found, &roots);
            if earlier.is_empty() || found.theta <= before.theta {
                break;
            }
            (roots, found) = self.roots(evaluator, span, (before, &found), &earlier, tolerance)?;
        }
        let theta = found.theta;
        self.g = found.g;
        for k in 0..self.g.len() {
            if sign(self.g[k]) != 0 {
                self.sign[k] = sign(self.g[k]);
            }
        }
        for &(k, new_sign) in &roots {
            self.sign[k] = new_sign;
        }
        Ok(Hit { theta, events: roots.into_iter().map(|(k, new_sign)| (k, new_sign > 0)).collect() })
    }

    /// The first of these crossings between two looks, with those at the same time, and a look there.
    fn roots(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        span: &Span<'_>,
        (before, after): (&Look, &Look),
        crossed: &[(usize, i8)],
        tolerance: f64,
    ) -> Result<(Vec<(usize, i8)>, Look), Trouble> {
        let mut roots = Vec::with_capacity(crossed.len());
        for &(k, new_sign) in crossed {
            let ends = ((before.theta, before.g[k]), (after.theta, after.g[k]));
            let mut value = |theta: f64| self.look(evaluator, span, theta).map(|look| look.g[k]);
            let mut theta = match brent_from(&mut value, ends.0, ends.1, tolerance) {
                Ok(theta) => theta,
                Err(RootFailure::NoSignChange { .. }) => after.theta,
                Err(RootFailure::Function(trouble)) => return Err(trouble),
            };
            let mut nudge = tolerance;
            while theta < after.theta && sign(value(theta)?) != new_sign {
                theta = (theta + nudge).min(after.theta);
                nudge *= 2.0;
            }
            roots.push((theta, k, new_sign));
        }
        let first = roots.iter().fold(f64::INFINITY, |first, root| first.min(root.0));
        roots.retain(|root| root.0 <= first + 2.0 * tolerance);
        let theta = roots.iter().fold(first, |last, root| last.max(root.0));
        let found = self.look(evaluator, span, theta)?;
        Ok((roots.into_iter().map(|(_, k, new_sign)| (k, new_sign)).collect(), found))
    }

    /// The functions besides `roots` that have made a relevant crossing before a look.
    fn others(&self, look: &Look, roots: &[(usize, i8)]) -> Vec<(usize, i8)> {
        let changed = |k: usize| {
            let seen = sign(look.g[k]);
            let relevant = self.sign[k] != 0 && seen != 0 && seen != self.sign[k];
            (relevant && counts(self.crossing[k], seen)).then_some((k, seen))
        };
        (0..self.g.len()).filter(|k| roots.iter().all(|r| r.0 != *k)).filter_map(changed).collect()
    }
}

/// Place and value of the lowest point of the parabola through three points, if it lies between the outer two.
fn parabola_bottom([(x0, g0), (x1, g1), (x2, g2)]: [(f64, f64); 3]) -> Option<(f64, f64)> {
    let (s01, s12) = ((g1 - g0) / (x1 - x0), (g2 - g1) / (x2 - x1));
    let curvature = (s12 - s01) / (x2 - x0);
    if curvature.is_nan() || curvature <= 0.0 {
        return None;
    }
    let x = 0.5 * (x0 + x1) - 0.5 * s01 / curvature;
    let bottom = g0 + (x - x0) * (s01 + curvature * (x - x1));
    (x > x0 && x < x2).then_some((x, bottom))
}

/// The three of four points that enclose the lowest one most closely.
fn narrowed(points: [(f64, f64); 3], new: (f64, f64)) -> [(f64, f64); 3] {
    let mut four = [points[0], points[1], points[2], new];
    four.sort_by(|a, b| a.0.total_cmp(&b.0));
    if four[1].1 <= four[2].1 { [four[0], four[1], four[2]] } else { [four[1], four[2], four[3]] }
}
