//! Geoms whose mass lies in their surface: closed hollow shells of the same thickness everywhere.
//!
//! Mass m about their own centre, axis z; a density is one per area:
//!
//! ```text
//! [shell-sphere]     A = 4 π r²                J = 2/3 m r²
//! [shell-box]        A = 8 (a b + b c + c a)   six plates of half edges a, b, c: those at ±c carry m a b / (a b + b c + c a),
//!                    Jx = Σ m_k (b² w_b + c² w_c) with w = 1 in the direction of the plate's normal and 1/3 elsewhere
//! [shell-cylinder]   A = 2 π r l + 2 π r²      a tube of mass w and two discs of mass d together:
//!                    Jz = w r² + d r²/2,  Jx = w (r²/2 + l²/12) + d (r²/4 + l²/4)
//! [shell-capsule]    A = 2 π r l + 4 π r²      the tube, and two half spheres of mass s together whose centres of mass lie
//!                    r/2 beyond the ends:  Jz = w r² + 2/3 s r²,  Jx = w (r²/2 + l²/12) + s (2/3 r² + r l/2 + l²/4)
//! ```
//!
//! The surface of an ellipsoid has no such form, and its shell is refused where the mass is needed.

use cardan_expr::{Expr, Pool, Rational};

use super::Solid;

impl Solid {
    /// The area of the surface; nothing for an ellipsoid.
    pub fn area(&self, pool: &Pool) -> Option<Expr> {
        let pi = |n: i64, factors: &[Expr]| {
            pool.scale(Rational::int(n), pool.mul(pool.pi(), pool.product(factors.iter().copied())))
        };
        match *self {
            Solid::Sphere(r) => Some(pi(4, &[r, r])), // [shell-sphere]
            Solid::Box([a, b, c]) => {
                let faces = [[a, b], [b, c], [c, a]].map(|pair| pool.product(pair));
                Some(pool.scale(Rational::int(8), pool.sum(faces))) // [shell-box]
            }
            Solid::Cylinder(r, l) => Some(pool.add(pi(2, &[r, l]), pi(2, &[r, r]))), // [shell-cylinder]
            Solid::Capsule(r, l) => Some(pool.add(pi(2, &[r, l]), pi(4, &[r, r]))),  // [shell-capsule]
            Solid::Ellipsoid(_) => None,
        }
    }

    /// The principal moments of the surface with this mass; nothing for an ellipsoid.
    pub fn shell_moments(&self, pool: &Pool, m: Expr) -> Option<[Expr; 3]> {
        let times = |n: i64, d: i64, factors: &[Expr]| {
            pool.scale(Rational::Small(n, d), pool.product(factors.iter().copied()))
        };
        match *self {
            Solid::Sphere(r) => Some([times(2, 3, &[m, r, r]); 3]),
            Solid::Box(half) => Some(plates(pool, half, m)),
            Solid::Cylinder(r, l) => {
                // Tube to discs as l to r.
                let (w, d) = split(pool, m, l, r);
                let across = pool.sum([
                    times(1, 2, &[w, r, r]),
                    times(1, 12, &[w, l, l]),
                    times(1, 4, &[d, r, r]),
                    times(1, 4, &[d, l, l]),
                ]);
                Some([across, across, pool.add(times(1, 1, &[w, r, r]), times(1, 2, &[d, r, r]))])
            }
            Solid::Capsule(r, l) => {
                // Tube to sphere as l to 2 r.
                let (w, s) = split(pool, m, l, pool.scale(Rational::int(2), r));
                let across = pool.sum([
                    times(1, 2, &[w, r, r]),
                    times(1, 12, &[w, l, l]),
                    times(2, 3, &[s, r, r]),
                    times(1, 2, &[s, r, l]),
                    times(1, 4, &[s, l, l]),
                ]);
                Some([across, across, pool.add(times(1, 1, &[w, r, r]), times(2, 3, &[s, r, r]))])
            }
            Solid::Ellipsoid(_) => None,
        }
    }
}

/// A mass in two parts as `a` to `b`.
fn split(pool: &Pool, m: Expr, a: Expr, b: Expr) -> (Expr, Expr) {
    let share = pool.div(m, pool.add(a, b));
    (pool.mul(share, a), pool.mul(share, b))
}

/// [shell-box]
fn plates(pool: &Pool, half: [Expr; 3], m: Expr) -> [Expr; 3] {
    let face = |k: usize| pool.mul(half[(k + 1) % 3], half[(k + 2) % 3]);
    let share = pool.div(m, pool.sum([face(0), face(1), face(2)]));
    // ∫ x_i² dm over all plates.
    let second = |i: usize| {
        pool.sum([0, 1, 2].map(|k| {
            let weight = if k == i { Rational::ONE } else { Rational::Small(1, 3) };
            pool.scale(weight, pool.product([share, face(k), half[i], half[i]]))
        }))
    };
    [0, 1, 2].map(|i| pool.add(second((i + 1) % 3), second((i + 2) % 3)))
}
