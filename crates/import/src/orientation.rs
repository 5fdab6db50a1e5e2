//! Exact rotations from angles, quaternions and directions.
//!
//! A matrix is `R[i][j] = b_i · a_j`: the axes of the turned frame B in terms of those of A.
//!
//! ```text
//! [rpy]          roll, pitch, yaw about the axes of A in this order = yaw z, pitch y, roll x about turned axes
//! [quaternion]   R_ij = ((e0² - e·e) δ_ij + 2 e_i e_j + 2 e0 ε_ijk e_k) / (e0² + e·e)
//! [least-turn]   from z to n:  R^T = 1 + [v×] + [v×]² / (1 + n_z),  v = z × n
//! ```
//!
//! A quaternion with rational components gives rational entries whatever its norm is, because the entries are quadratic
//! in it.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::{about_axis, compose, cross, identity, inner, transpose};
use cardan_kinematics::{Axis, Matrix3};

use crate::codes;
use crate::findings::Findings;
use crate::options::ImportOptions;

/// Three exact numbers.
pub(crate) type Triple = [Rational; 3];

/// Inner product.
pub(crate) fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).fold(Rational::ZERO, |sum, (x, y)| sum.add(&x.mul(y)))
}

fn note_snap(findings: &mut Findings, span: Span, tolerance: f64) {
    let one = Diagnostic::note(codes::SNAPPED, "an angle or direction is taken as exact")
        .at(span, "nearly a quarter turn or nearly along an axis")
        .because(format!("it differs by less than {tolerance:e} rad; exact zeros make the equations smaller"))
        .hint("`--exact` takes every number as written");
    findings.tally(one, "{n} angles and directions are taken as exact");
}

/// An angle in radians; near a whole number of quarter turns it is that, where options allow.
pub(crate) fn radians(
    pool: &Pool,
    value: &Rational,
    options: &ImportOptions,
    findings: &mut Findings,
    span: Span,
) -> Expr {
    let quarter = std::f64::consts::FRAC_PI_2;
    let turns = (value.to_f64() / quarter).round();
    match options.snap_angles {
        Some(tolerance)
            if !value.is_zero()
                && turns.abs() < 1000.0
                && (value.to_f64() - turns * quarter).abs() <= tolerance =>
        {
            note_snap(findings, span, tolerance);
            pool.scale(half(turns), pool.pi())
        }
        _ => pool.number(value.clone()),
    }
}

/// An angle in degrees, as a multiple of pi.
pub(crate) fn degrees(
    pool: &Pool,
    value: &Rational,
    options: &ImportOptions,
    findings: &mut Findings,
    span: Span,
) -> Expr {
    let turns = (value.to_f64() / 90.0).round();
    let off = (value.to_f64() - turns * 90.0).abs().to_radians();
    let half_turns = match options.snap_angles {
        Some(tolerance) if off > 0.0 && off <= tolerance && turns.abs() < 1000.0 => {
            note_snap(findings, span, tolerance);
            half(turns)
        }
        _ => value.mul(&Rational::Small(1, 180)),
    };
    pool.scale(half_turns, pool.pi())
}

fn half(turns: f64) -> Rational {
    Rational::new(turns as i64, 2).unwrap_or(Rational::ZERO)
}

/// Turns about axes of the frame turned so far, first to last.
pub(crate) fn successive(pool: &Pool, turns: &[(Axis, Expr)]) -> Matrix3 {
    turns.iter().fold(identity(pool), |R, (axis, angle)| compose(pool, &about_axis(pool, *axis, *angle), &R))
}

/// [rpy]
pub(crate) fn roll_pitch_yaw(pool: &Pool, [roll, pitch, yaw]: [Expr; 3]) -> Matrix3 {
    successive(pool, &[(Axis::Z, yaw), (Axis::Y, pitch), (Axis::X, roll)])
}

/// A unit vector along these components; nothing if they vanish. Exact: where the length is not rational it is the root
/// of a rational number.
pub(crate) fn unit(
    pool: &Pool,
    components: &Triple,
    options: &ImportOptions,
    findings: &mut Findings,
    span: Span,
) -> Option<[Expr; 3]> {
    let length = dot(components, components).to_f64().sqrt();
    if length == 0.0 {
        return None;
    }
    let mut c = components.clone();
    if let Some(tolerance) = options.snap_angles {
        let tiny = |x: &Rational| !x.is_zero() && x.to_f64().abs() <= tolerance * length;
        if c.iter().any(tiny) {
            note_snap(findings, span, tolerance);
            c = c.map(|x| if tiny(&x) { Rational::ZERO } else { x });
        }
    }
    let square = pool.number(dot(&c, &c));
    let scale = pool.pow(square, Rational::Small(-1, 2));
    Some(c.map(|x| pool.mul(pool.number(x), scale)))
}

/// The finding about a direction of no length.
pub(crate) fn no_direction(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(codes::DIRECTION, format!("{what} has no length"))
        .at(span, "all components are zero")
        .hint("write a direction such as `0 0 1`")
}

/// [quaternion], scalar first; nothing for the zero quaternion.
pub(crate) fn quaternion(
    pool: &Pool,
    e: &[Rational; 4],
    options: &ImportOptions,
    findings: &mut Findings,
    span: Span,
) -> Option<Matrix3> {
    let norm = dot(e, e).recip()?;
    let two = Rational::int(2);
    let mut R = [const { [const { Rational::ZERO }; 3] }; 3];
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let others = e[j + 1].mul(&e[j + 1]).add(&e[k + 1].mul(&e[k + 1]));
        R[i][i] = Rational::ONE.sub(&two.mul(&others).mul(&norm));
        let (p, s) = (e[i + 1].mul(&e[j + 1]), e[0].mul(&e[k + 1]));
        R[i][j] = two.mul(&p.add(&s)).mul(&norm);
        R[j][i] = two.mul(&p.sub(&s)).mul(&norm);
    }
    if let Some(tolerance) = options.snap_angles {
        let whole = |x: &Rational| (x.to_f64() - x.to_f64().round()).abs() <= tolerance;
        let inexact = R.iter().flatten().any(|x| !x.is_int());
        if inexact && R.iter().flatten().all(whole) {
            note_snap(findings, span, tolerance);
            R = R.map(|row| row.map(|x| Rational::int(x.to_f64().round() as i64)));
        }
    }
    Some(R.map(|row| row.map(|x| pool.number(x))))
}

/// [least-turn]; `n` is a unit vector.
pub(crate) fn from_z(pool: &Pool, n: [Expr; 3]) -> Matrix3 {
    let [x, y, z] = n;
    if z == pool.int(-1) {
        return about_axis(pool, Axis::X, pool.pi());
    }
    let f = pool.powi(pool.add(pool.one(), z), -1);
    let xy = pool.neg(pool.product([f, x, y]));
    let xx = pool.sub(pool.one(), pool.product([f, x, x]));
    let yy = pool.sub(pool.one(), pool.product([f, y, y]));
    [[xx, xy, pool.neg(x)], [xy, yy, pool.neg(y)], [x, y, z]]
}

/// The frame whose x axis is along `x` and whose y axis is as near to `y` as it can be; nothing if the two are parallel.
pub(crate) fn from_xy(pool: &Pool, x: &Triple, y: &Triple) -> Option<Matrix3> {
    let xx = dot(x, x);
    let along = dot(x, y).mul(&xx.recip()?);
    let y: Triple = std::array::from_fn(|i| y[i].sub(&x[i].mul(&along)));
    let yy = dot(&y, &y);
    if yy.to_f64() <= 1e-20 {
        return None;
    }
    let normal = |v: &Triple, square: Rational| -> [Expr; 3] {
        let scale = pool.pow(pool.number(square), Rational::Small(-1, 2));
        std::array::from_fn(|i| pool.mul(pool.number(v[i].clone()), scale))
    };
    let (b1, b2) = (normal(x, xx), normal(&y, yy));
    Some([b1, b2, cross(pool, b1, b2)])
}

/// The quaternion of a constant rotation, scalar first and positive, to the precision of a float.
pub(crate) fn quaternion_of(pool: &Pool, R: &Matrix3) -> [Expr; 4] {
    let m = R.map(|row| row.map(|e| pool.evaluate(e, &|_| f64::NAN)));
    let trace = m[0][0] + m[1][1] + m[2][2];
    // The largest component first, so that nothing small divides.
    let squares =
        [1.0 + trace, 1.0 + 2.0 * m[0][0] - trace, 1.0 + 2.0 * m[1][1] - trace, 1.0 + 2.0 * m[2][2] - trace];
    let largest = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).unwrap_or(0);
    // 4 e_a e_b for every pair, from [quaternion].
    let skew = |k: usize| m[(k + 1) % 3][(k + 2) % 3] - m[(k + 2) % 3][(k + 1) % 3];
    let product = |a: usize, b: usize| match (a, b) {
        (a, b) if a == b => squares[a],
        (0, k) | (k, 0) => skew(k - 1),
        (a, b) => m[a - 1][b - 1] + m[b - 1][a - 1],
    };
    let scale = squares[largest].sqrt();
    let sign = if product(0, largest) < 0.0 { -1.0 } else { 1.0 };
    [0, 1, 2, 3].map(|k| {
        let e = sign * product(k, largest) / (2.0 * scale);
        pool.number(Rational::from_f64(e).unwrap_or(Rational::ZERO))
    })
}

/// A tensor given in B, in the axes of A.
pub(crate) fn tensor_in_parent(pool: &Pool, R: &Matrix3, tensor: &Matrix3) -> Matrix3 {
    let Rt = transpose(R);
    let half: Matrix3 = std::array::from_fn(|k| std::array::from_fn(|j| inner(pool, tensor[k], Rt[j])));
    std::array::from_fn(|i| std::array::from_fn(|j| inner(pool, Rt[i], std::array::from_fn(|k| half[k][j]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cardan_base::{FileId, Id};
    use cardan_kinematics::rotation::about_direction;

    fn here() -> Span {
        Span::new(FileId::from_index(0), 0, 1)
    }
    fn r(text: &str) -> Rational {
        crate::number::decimal(text).unwrap()
    }
    fn close(pool: &Pool, a: &Matrix3, b: &Matrix3) {
        for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
            let [x, y] = [x, y].map(|e| pool.evaluate(*e, &|_| f64::NAN));
            assert!((x - y).abs() < 1e-14, "{x} against {y}");
        }
    }

    #[test]
    fn a_rounded_quarter_turn_is_exact() {
        let pool = Pool::new();
        let mut findings = Findings::new(false);
        let options = ImportOptions::default();
        let angle = radians(&pool, &r("-1.5707963"), &options, &mut findings, here());
        assert_eq!(pool.sin(angle), pool.int(-1));
        assert_eq!(pool.cos(angle), pool.zero());
        let degree = degrees(&pool, &r("90"), &options, &mut findings, here());
        assert_eq!(pool.cos(degree), pool.zero());
        assert_eq!(findings.finish().len(), 1);
    }

    #[test]
    fn without_snapping_numbers_stay_as_written() {
        let pool = Pool::new();
        let mut findings = Findings::new(false);
        let options = ImportOptions { snap_angles: None, ..ImportOptions::default() };
        let angle = radians(&pool, &r("1.5707963"), &options, &mut findings, here());
        assert_eq!(pool.as_number(angle), Some(r("1.5707963")));
        assert!(findings.finish().is_empty());
    }

    #[test]
    fn quaternions_angles_and_directions_agree() {
        let pool = Pool::new();
        let mut findings = Findings::new(false);
        let options = ImportOptions { snap_angles: None, ..ImportOptions::default() };
        // A turn about (1, 2, 2)/3 with tan(angle/2) = 3/4: e = (4, (1, 2, 2))/5.
        let e = ["4", "1", "2", "2"].map(r);
        let R = quaternion(&pool, &e, &options, &mut findings, here()).unwrap();
        let d = unit(&pool, &["1", "2", "2"].map(r), &options, &mut findings, here()).unwrap();
        assert_eq!(pool.as_number(d[0]), Rational::new(1, 3));
        let angle = pool.number(Rational::from_f64(2.0 * (0.75f64).atan()).unwrap());
        close(&pool, &R, &about_direction(&pool, d, angle));
        let (x, y) = (["1", "1", "0"].map(r), ["0", "3", "0"].map(r));
        let fourth = pool.scale(Rational::Small(1, 4), pool.pi());
        close(&pool, &from_xy(&pool, &x, &y).unwrap(), &successive(&pool, &[(Axis::Z, fourth)]));
        let tilted = unit(&pool, &["0", "-3", "4"].map(r), &options, &mut findings, here()).unwrap();
        let tilt = pool.number(Rational::from_f64((0.75f64).atan()).unwrap());
        close(&pool, &from_z(&pool, tilted), &successive(&pool, &[(Axis::X, tilt)]));
    }

    #[test]
    fn roll_pitch_and_yaw_turn_about_fixed_axes() {
        // A quarter roll then a quarter yaw about fixed axes brings y to z and leaves it there.
        let pool = Pool::new();
        let quarter = pool.scale(Rational::Small(1, 2), pool.pi());
        let R = roll_pitch_yaw(&pool, [quarter, pool.zero(), quarter]);
        assert_eq!(R[1], identity(&pool)[2]);
        assert_eq!(R[0], identity(&pool)[1]);
    }
}
