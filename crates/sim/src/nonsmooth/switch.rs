//! One switch: on which side its number is, how far from the other, and what the frozen program is told.

use std::f64::consts::{PI, TAU};

/// An angle leaves the middle side here, and comes back there: not at the same place, so that it does not go to and fro.
const OUT: f64 = 0.75 * PI;
const BACK: f64 = 0.625 * PI;

/// What switches, by its number w. A side is a number too.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// 1 where w < 0, or w ≤ 0; otherwise 0.
    Below {
        /// Whether zero belongs to it.
        or_equal: bool,
    },
    /// 1 where w = 0, otherwise 0; or the opposite. What holds for an instant only is not looked for.
    Zero {
        /// Whether it is the opposite.
        opposite: bool,
    },
    /// The factor of |w|: 1 or -1.
    Factor,
    /// The sign of w: 1, 0 or -1.
    Sign,
    /// The greatest whole number not above w.
    Whole,
    /// An angle w = atan2(y, x), which jumps from π to -π: 0 in the middle; near the jump 1 above it and -1 below, where w goes on
    /// smoothly beyond ±π.
    Angle,
    /// The number of knots not above w; each piece is c₀ + c₁ (w - x₀), or a cubic of it.
    Pieces {
        /// The knots.
        knots: Vec<f64>,
        /// x₀, c₀, c₁ and for cubics c₂, c₃; one more than knots.
        pieces: Vec<Vec<f64>>,
    },
    /// The number of knots not above w; located, but not frozen.
    Knots {
        /// The knots.
        knots: Vec<f64>,
    },
}

impl Kind {
    /// The side on which w is.
    pub fn side(&self, w: f64) -> f64 {
        let truth = |b: bool| f64::from(u8::from(b));
        match self {
            Kind::Below { or_equal } => truth(w < 0.0 || (*or_equal && w == 0.0)),
            Kind::Zero { opposite } => truth((w == 0.0) != *opposite),
            Kind::Factor => truth(w >= 0.0) * 2.0 - 1.0,
            Kind::Sign => truth(w > 0.0) - truth(w < 0.0),
            Kind::Whole => w.floor(),
            Kind::Angle => {
                let wrapped = w - TAU * ((w + PI) / TAU).floor();
                truth(wrapped > OUT) - truth(wrapped < -OUT)
            }
            Kind::Pieces { knots, .. } | Kind::Knots { knots } => knots.partition_point(|k| *k <= w) as f64,
        }
    }

    /// How far w is inside a side; negative beyond its end. [inside]
    pub fn margin(&self, side: f64, w: f64) -> f64 {
        match self {
            Kind::Below { .. } => {
                if side > 0.5 {
                    -w
                } else {
                    w
                }
            }
            Kind::Zero { opposite } => {
                if (side > 0.5) != *opposite {
                    -w.abs()
                } else {
                    1.0
                }
            }
            Kind::Factor => side * w,
            Kind::Sign => {
                if side == 0.0 {
                    -w.abs()
                } else {
                    side * w
                }
            }
            Kind::Whole => (w - side).min(side + 1.0 - w),
            Kind::Angle if side == 0.0 => OUT - w.abs(),
            Kind::Angle => (side * w - BACK).min(PI - side * w),
            Kind::Pieces { knots, .. } | Kind::Knots { knots } => {
                let (low, high) = ends(knots, side);
                (w - low).min(high - w)
            }
        }
    }

    /// The side beyond the end that w has reached.
    pub fn beyond(&self, side: f64, w: f64) -> f64 {
        match self {
            Kind::Below { .. } | Kind::Zero { .. } => 1.0 - side,
            Kind::Factor => -side,
            Kind::Sign => {
                if side == 0.0 {
                    self.side(w)
                } else {
                    -side
                }
            }
            Kind::Whole => side + if w - side < side + 1.0 - w { -1.0 } else { 1.0 },
            Kind::Angle if side == 0.0 => 1f64.copysign(w),
            Kind::Angle => {
                if side * w < 0.5 * (BACK + PI) {
                    0.0
                } else {
                    -side
                }
            }
            Kind::Pieces { knots, .. } | Kind::Knots { knots } => {
                let (low, high) = ends(knots, side);
                let next = side + if w - low < high - w { -1.0 } else { 1.0 };
                next.clamp(0.0, knots.len() as f64)
            }
        }
    }

    /// How many inputs of the frozen program tell the side.
    pub fn n_inputs(&self) -> usize {
        match self {
            Kind::Pieces { pieces, .. } => pieces.first().map_or(0, Vec::len),
            Kind::Knots { .. } => 0,
            _ => 1,
        }
    }

    /// Tells the side to these inputs.
    pub fn tell(&self, side: f64, inputs: &mut [f64]) {
        match self {
            Kind::Pieces { pieces, .. } => {
                if let Some(piece) = pieces.get(side as usize) {
                    inputs.copy_from_slice(piece);
                }
            }
            _ => inputs.fill(side),
        }
    }
}

/// The ends of a stretch between knots; infinite before the first and beyond the last.
fn ends(knots: &[f64], side: f64) -> (f64, f64) {
    let k = side as usize;
    let low = k.checked_sub(1).and_then(|k| knots.get(k)).copied().unwrap_or(f64::NEG_INFINITY);
    (low, knots.get(k).copied().unwrap_or(f64::INFINITY))
}

/// The part of the way from `a` to `b` that passes no more than one knot: to the middle of the stretch beyond it. [stretch]
pub(crate) fn passable(knots: &[f64], a: f64, b: f64) -> f64 {
    let (i, j) = (knots.partition_point(|k| *k <= a), knots.partition_point(|k| *k <= b));
    let stretch = match (i, j) {
        _ if a.is_nan() || b.is_nan() => return 1.0,
        _ if j > i + 1 => (knots[i], knots[i + 1]),
        _ if i > j + 1 => (knots[i - 1], knots[i - 2]),
        _ => return 1.0,
    };
    ((0.5 * (stretch.0 + stretch.1) - a) / (b - a)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use crate::nonsmooth::switch::*;

    fn all() -> Vec<Kind> {
        let knots = vec![-1.0, 0.5, 2.0];
        let pieces = vec![vec![0.0; 3]; 4];
        vec![
            Kind::Below { or_equal: false },
            Kind::Below { or_equal: true },
            Kind::Factor,
            Kind::Sign,
            Kind::Whole,
            Kind::Pieces { knots: knots.clone(), pieces },
            Kind::Knots { knots },
        ]
    }

    #[test]
    fn the_margin_falls_through_zero_where_the_side_is_left() {
        for kind in all() {
            let mut w = -3.0;
            let mut side = kind.side(w);
            while w < 3.0 {
                w += 0.0173;
                let margin = kind.margin(side, w);
                assert_eq!(margin > 0.0, kind.side(w) == side, "{kind:?} at {w}");
                if margin < 0.0 {
                    side = kind.beyond(side, w);
                    assert_eq!(side, kind.side(w), "{kind:?} at {w}");
                }
            }
            while w > -3.0 {
                w -= 0.0173;
                if kind.margin(side, w) < 0.0 {
                    side = kind.beyond(side, w);
                }
                assert_eq!(side, kind.side(w), "{kind:?} at {w}");
            }
        }
    }

    /// An angle that turns twice forward and twice back, as the frozen program would give it.
    #[test]
    fn an_angle_goes_on_smoothly_beyond_the_jump() {
        let turn = |k: i32| if k < 1000 { f64::from(k) } else { f64::from(2000 - k) } * 0.0125;
        let (mut side, mut changes) = (0.0, vec![]);
        for angle in (0..2000).map(turn) {
            let (y, x) = angle.sin_cos();
            let rest = 1.0 - side * side;
            let w = (-side * x + rest * y).atan2(side * y + rest * x) + side * 0.5 * PI;
            assert!(((w - angle) / TAU - ((w - angle) / TAU).round()).abs() < 1e-12, "{w} is not {angle}");
            if Kind::Angle.margin(side, w) < 0.0 {
                side = Kind::Angle.beyond(side, w);
                changes.push(side);
            }
            assert!(w.abs() < PI + 0.02);
        }
        let (forward, back) = ([1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]);
        assert_eq!(changes, [forward, forward, back, back].concat());
        assert_eq!([0.0, 3.0, -3.0, 3.5, -3.5].map(|w| Kind::Angle.side(w)), [0.0, 1.0, -1.0, -1.0, 1.0]);
    }

    #[test]
    fn what_is_zero_for_ever_stays_and_what_is_not_never_becomes_it() {
        let equal = Kind::Zero { opposite: false };
        assert_eq!((equal.side(0.0), equal.side(0.1)), (1.0, 0.0));
        assert!(equal.margin(1.0, 1e-9) < 0.0 && equal.margin(0.0, 0.0) > 0.0);
        let differs = Kind::Zero { opposite: true };
        assert_eq!((differs.side(0.0), differs.side(0.1)), (0.0, 1.0));
        assert!(differs.margin(0.0, 1e-9) < 0.0 && differs.margin(1.0, 0.0) > 0.0);
    }

    #[test]
    fn a_step_goes_to_the_middle_of_the_next_stretch() {
        let knots = [0.0, 1.0, 2.0, 4.0];
        assert_eq!(passable(&knots, -2.0, -1.0), 1.0);
        assert_eq!(passable(&knots, -2.0, 0.5), 1.0);
        assert_eq!(passable(&knots, -1.5, 2.5), 0.5);
        assert_eq!(passable(&knots, 3.0, -3.0), 0.25);
        assert_eq!(passable(&knots, f64::NAN, 1.0), 1.0);
    }
}
