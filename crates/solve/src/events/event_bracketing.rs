//! Whether an event function is known between two looks, and if not, where to look next.
//!
//! A condition such as |x - 1.2345| < 0.001 may hold for a thousandth of a step. Looks at fixed fractions of a step miss it, so a stretch
//! between two neighbouring looks a and b, s apart, counts as known only when what the looks around it say of the bends of g leaves no room for a
//! crossing. With u = (θ - a)/s, the turns Δ of the slope at the looks, and their bends c,
//!
//! ```text
//! [turn]       Δ_j = (g_{j+1} - g_j)/(θ_{j+1} - θ_j) - (g_j - g_{j-1})/(θ_j - θ_{j-1}),      c_j = Δ_j / (θ_{j+1} - θ_{j-1})
//! [convex]     g is above the lines of both neighbours:  g >= (1 - u) g_a + u g_b - min(s Δ_a u, s Δ_b (1 - u)) >= … - s (Δ_a + Δ_b) u (1 - u)
//! [curve]      g >= (1 - u) g_a + u g_b - K u (1 - u),      K = s (Δ_a + Δ_b) + 20 s² (c_max - c_min)
//! [same]       g_a, g_b > 0:  g > 0 everywhere   <=   K <= min over u of g_a/u + g_b/(1 - u) = (√g_a + √g_b)²
//! [other]      g_a > 0 > g_b:  g falls everywhere  <=   s |Δ|_max + 20 s² (c_max - c_min) <= |g_a - g_b|
//! [next]       where g_a/u + g_b/(1 - u) is least:  u = √g_a / (√g_a + √g_b)
//! ```
//!
//! A kink is convex or makes the function larger. Differences of four bends see jumps and waves shorter than the looks, since those never
//! look alike at four places that are not equally far apart; so looks are not. What is narrower than all of the first looks and flat beside (a needle in a plain) is not seen by looking: its kinks are functions
//! of their own, for which the system has to ask.
//!
//! **Work.** The doubt grows with s² for smooth functions and with s for kinks, while the distance from zero stays: a few looks end it. Near
//! a point of contact without crossing it ends where the stretch is [`NARROWEST`]. Functions that are noise around zero are in doubt everywhere; therefore looks
//! are numbered, and without any left only the first ones are made.

/// Bends between looks may lie beyond those at looks by so many times the difference of these.
const BEYOND: f64 = 20.0;

/// A stretch that is this part of a step is not divided any more.
pub(crate) const NARROWEST: f64 = 1e-10;

/// A bend over less than this part of a stretch says little about it.
const LOCAL: f64 = 1e-3;

/// No look comes closer to another one than this part of the stretch.
const INNER: f64 = 0.2;

/// Distances of looks from an end of the step: with the end itself they tell slope and bend there.
const CLOSE: [f64; 2] = [1e-3, 1e-2];

/// Where to divide a stretch in which the function changes its sign.
const NEAR_MIDDLE: f64 = 0.47;

/// The fractions of a step at which everything is looked at: both ends of the step have looks close by, and the others are a little
/// irregular on purpose.
pub(crate) fn first_looks(n: usize) -> impl Iterator<Item = f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let inner = n.saturating_sub(5);
    let place = move |i: usize| {
        let shift = (i as f64 * GOLDEN).fract() - 0.5;
        (i as f64 + 0.5 * shift) / (inner + 1) as f64
    };
    let [closest, close] = CLOSE;
    [closest, close].into_iter().chain((1..=inner).map(place)).chain([1.0 - close, 1.0 - closest, 1.0])
}

/// Looks at a function of the step.
pub(crate) struct Looks<'l> {
    /// How many.
    pub n: usize,
    /// The fraction of the step.
    pub theta: &'l dyn Fn(usize) -> f64,
    /// The function.
    pub g: &'l dyn Fn(usize) -> f64,
}

impl Looks<'_> {
    /// The slope after the look `j`.
    fn slope(&self, j: usize) -> f64 {
        ((self.g)(j + 1) - (self.g)(j)) / ((self.theta)(j + 1) - (self.theta)(j))
    }

    /// The change of slope at the look `j`, and the distance of its neighbours.
    fn turn(&self, j: usize) -> (f64, f64) {
        (self.slope(j) - self.slope(j - 1), (self.theta)(j + 1) - (self.theta)(j - 1))
    }

    /// Where to look between the looks `i` and `i + 1`, if what happens there is not known.
    pub(crate) fn next(&self, i: usize) -> Option<f64> {
        let s = (self.theta)(i + 1) - (self.theta)(i);
        if self.n < 4 || s <= NARROWEST {
            return None;
        }
        let (at_a, at_b) = ((self.g)(i), (self.g)(i + 1));
        let crosses = at_a * at_b < 0.0;
        // Turns count where they bring the function closer to zero.
        let side = if at_a + at_b < 0.0 { -1.0 } else { 1.0 };
        let (mut low, mut high, mut turns, mut most) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0f64);
        for j in i.saturating_sub(1).max(1)..=(i + 2).min(self.n - 2) {
            let (turn, span) = self.turn(j);
            let is_end = j == i || j == i + 1;
            if is_end {
                turns += (side * turn).max(0.0);
                most = most.max(turn.abs());
            }
            if is_end || span >= LOCAL * s {
                let bend = side * turn / span;
                (low, high) = (low.min(bend), high.max(bend));
            }
        }
        let beyond = BEYOND * s * s * (high - low);
        let u = if crosses {
            (s * most + beyond > (at_a - at_b).abs()).then_some(NEAR_MIDDLE)? // [other]
        } else {
            let (a, b) = (at_a.abs().sqrt(), at_b.abs().sqrt());
            (s * turns + beyond > (a + b) * (a + b)) // [same]
                .then(|| if a + b > 0.0 { a / (a + b) } else { NEAR_MIDDLE })? // [next]
        };
        Some((self.theta)(i) + s * u.clamp(INNER, 1.0 - INNER))
    }
}

#[cfg(test)]
mod tests {
    use crate::event_bracketing::*;

    /// All looks at a function of the step, and how many sign changes they show.
    fn looks(f: impl Fn(f64) -> f64) -> (usize, usize) {
        let mut points: Vec<(f64, f64)> =
            [0.0].into_iter().chain(first_looks(8)).map(|theta| (theta, f(theta))).collect();
        let mut i = 0;
        while i + 1 < points.len() && points.len() < 100_000 {
            let looks = Looks { n: points.len(), theta: &|j| points[j].0, g: &|j| points[j].1 };
            match looks.next(i) {
                Some(theta) => points.insert(i + 1, (theta, f(theta))),
                None => i += 1,
            }
        }
        let changes = points.windows(2).filter(|p| (p[0].1 < 0.0) != (p[1].1 < 0.0)).count();
        (points.len(), changes)
    }

    #[test]
    fn what_is_smooth_and_far_from_zero_takes_no_look_more() {
        assert_eq!(looks(|x| 2.0 + x), (9, 0));
        assert_eq!(looks(|x| 2.0 + x.sin()), (9, 0));
        assert_eq!(looks(|x| x - 0.3), (9, 1));
        assert_eq!(looks(|_| 0.0), (9, 0));
        assert_eq!(looks(|_| f64::NAN).0, 9);
    }

    #[test]
    fn narrow_windows_are_seen() {
        for k in 1..1000 {
            // Not in the stretch at an end whose slope on the other side nobody knows.
            let c = 0.0011 + 0.9978 * (f64::from(k) * 0.618_033_988_749 % 1.0);
            for width in [1e-2, 1e-4, 1e-6] {
                let (n, changes) = looks(|x| (x - c).abs() - width);
                let expected = usize::from(c > width) + usize::from(c + width < 1.0);
                assert_eq!(changes, expected, "|x - {c}| < {width}");
                assert!(n < 200, "{n} looks for |x - {c}| < {width}");
                let (n, changes) = looks(|x| (x - c).powi(2) - width * width);
                assert_eq!(changes, expected, "(x - {c})² < {width}²");
                assert!(n < 250, "{n} looks for (x - {c})² < {width}²");
            }
        }
    }

    #[test]
    fn waves_are_followed_whatever_their_length() {
        for k in 1..150 {
            for level in [0.0, 0.9, 0.9999] {
                let turns = f64::from(k);
                let (n, changes) = looks(|x| (std::f64::consts::TAU * turns * x + 0.1).sin() - level);
                assert_eq!(changes, 2 * k as usize, "{turns} turns, level {level}");
                assert!(n < 64 * k as usize + 64, "{n} looks for {turns} turns, level {level}");
            }
            // A wave that stays away from zero.
            let (_, changes) = looks(|x| (std::f64::consts::TAU * f64::from(k) * x).sin() - 1.001);
            assert_eq!(changes, 0);
        }
    }

    #[test]
    fn a_touch_without_crossing_ends() {
        assert!(looks(|x| (x - 0.377).abs()).0 < 200);
        assert!(looks(|x| (x - 0.377).powi(2)).0 < 400);
        assert!(looks(|x| if x < 0.377 { -1.0 } else { 1.0 }).0 < 200);
    }
}
