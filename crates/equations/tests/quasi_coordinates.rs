//! Lagrange's equations of a body in Euler angles turn into those in quasi-coordinates, in the algebra, for all twelve sequences (Turner, Eqs. 10 to
//! 11 and 15 to 17).
//!
//! ```text
//! ω = Γ θ̇,   v = C ṙ,    a = ∂T/∂ω,  b = ∂T/∂v
//! [10]  Γ^-T (Γ̇^T - P) a - Γ^-T R b    with the rows  P_i = θ̇^T (∂Γ/∂θ_i)^T,   R_i = v^T C (∂C/∂θ_i)^T
//! [11]  ω × a + v × b
//! [15]  C^-T Ċ^T b
//! [17]  ω × b
//! ```
//!
//! The paper prints the second term of Eq. 10 without Γ̇^T; its Eqs. 6, 8 and 9 give it as it stands here.

#![allow(non_snake_case, reason = "matrices as in the source")]

use cardan_expr::{Derivation, Expr, Kind, Pool};
use cardan_kinematics::rotation::{about_axis, apply, apply_transposed, compose, cross, inner, transpose};
use cardan_kinematics::{Matrix3, Sequence};

const SEQUENCES: [&str; 12] =
    ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"];

fn symbols(pool: &Pool, name: &str, kind: Kind) -> [Expr; 3] {
    std::array::from_fn(|i| pool.symbol(format!("{name}{}", i + 1), kind))
}

fn derived(pool: &Pool, d: &mut Derivation, m: &Matrix3) -> Matrix3 {
    m.map(|row| row.map(|e| d.apply(pool, e)))
}

/// 1/det times the transposed matrix of cofactors.
fn inverse(pool: &Pool, m: &Matrix3) -> Matrix3 {
    let by_rows = [cross(pool, m[1], m[2]), cross(pool, m[2], m[0]), cross(pool, m[0], m[1])];
    let det = inner(pool, m[0], by_rows[0]);
    transpose(&by_rows.map(|row| row.map(|e| pool.div(e, det))))
}

#[test]
fn euler_angles_turn_into_quasi_coordinates() {
    for name in SEQUENCES {
        let pool = Pool::new();
        let sequence = Sequence::named(name).unwrap();
        let theta = symbols(&pool, "theta", Kind::Coordinate);
        let rates = symbols(&pool, "rate", Kind::Speed);
        let v = symbols(&pool, "v", Kind::Speed);
        let (a, b) = (symbols(&pool, "a", Kind::Parameter), symbols(&pool, "b", Kind::Parameter));
        let turns: [Matrix3; 3] = std::array::from_fn(|i| about_axis(&pool, sequence.0[i], theta[i]));
        let C = compose(&pool, &turns[2], &compose(&pool, &turns[1], &turns[0]));
        let axis = |i: usize| -> [Expr; 3] {
            std::array::from_fn(|k| if k == sequence.0[i].index() { pool.one() } else { pool.zero() })
        };
        let columns = [
            apply(&pool, &turns[2], apply(&pool, &turns[1], axis(0))),
            apply(&pool, &turns[2], axis(1)),
            axis(2),
        ];
        let gamma = transpose(&columns);
        let w = apply(&pool, &gamma, rates);
        let mut time = Derivation::new();
        for (q, rate) in theta.iter().zip(rates) {
            time.set(pool.as_symbol(*q).unwrap(), rate);
        }
        let mut by: Vec<Derivation> = theta.iter().map(|q| Derivation::partial(&pool, *q)).collect();
        let gamma_dot = derived(&pool, &mut time, &gamma);
        let onto = transpose(&inverse(&pool, &gamma));
        // [10]
        let mut rows = [pool.zero(); 3];
        for i in 0..3 {
            let column: [Expr; 3] = std::array::from_fn(|k| gamma_dot[k][i]);
            let place = apply(&pool, &derived(&pool, &mut by[i], &gamma), rates);
            let difference = std::array::from_fn(|k| pool.sub(column[k], place[k]));
            let turned = derived(&pool, &mut by[i], &C);
            let R_i = apply(&pool, &turned, apply_transposed(&pool, &C, v));
            rows[i] = pool.sub(inner(&pool, difference, a), inner(&pool, R_i, b));
        }
        let found = apply(&pool, &onto, rows);
        let (turning, pulling) = (cross(&pool, w, a), cross(&pool, v, b));
        for i in 0..3 {
            let expected = pool.add(turning[i], pulling[i]); // [11]
            assert!(pool.is_zero(pool.sub(found[i], expected)), "{name}, row {i} of Eq. 11");
        }
        // [15], [17]
        let C_dot = derived(&pool, &mut time, &C);
        let found = apply(&pool, &C, apply_transposed(&pool, &C_dot, b));
        let expected = cross(&pool, w, b);
        for i in 0..3 {
            assert!(pool.is_zero(pool.sub(found[i], expected[i])), "{name}, row {i} of Eq. 17");
            // It could fail: another sign is another equation.
            assert!(!pool.is_zero(pool.add(found[i], expected[i])), "{name}, row {i}");
        }
    }
}
