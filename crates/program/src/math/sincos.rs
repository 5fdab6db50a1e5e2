//! Sine and cosine together, with the same bits on every machine.
//!
//! For |x| < [`MAIN_RANGE`] the argument is reduced to b − e with b ∈ [−π/4, π/4] by subtracting n π/2 in three parts
//! (Cody and Waite 1980), of 35, 35 and 53 bits:
//!
//! ```text
//! [first-part]       a = x − n H₀                                exactly: the product has 53 bits, the difference no more
//! [second-part]      b = a − n H₁,  d = (a − b) − n H₁           b + d = a − n H₁ exactly
//! [third-part]       e = n H₂ − d
//! [sine-kernel]      sin(b − e) ≈ b − (e (1 − z/2) + b z Q(z)),            z = b²
//! [cosine-kernel]    cos(b − e) ≈ 1 − z/2 + (z² C(z) + b e)
//! ```
//!
//! `[second-part]` recovers what rounding takes away by two operations rather than six because a is a multiple of the last bit of n H₁
//! (Boldo, Graillat and Muller, ACM Transactions on Mathematical Software 44 (2017) 4). After the second part 37 bits of
//! zeros follow in π/2 − H₀ − H₁, so that n H₂ < 2⁻⁵⁸: the reduced argument is right to well below an ulp even for the
//! doubles closest to a multiple of π/2.
//!
//! Q and C are minimax polynomials on [0, (π/4)²], computed by the Remez exchange in 300-bit arithmetic;
//! their errors are 2⁻⁵⁸ of the sine and 2⁻⁶⁰. They are summed by Estrin's scheme, in which few operations wait for one another. The main path
//! is free of branches and needs no fused operations, so that every engine can repeat it, in lanes too; where a
//! product is exact (`[first-part]`, `[second-part]`, z/2), a fused operation gives the same bits. The error is below 0.8 ulp. Larger
//! arguments go to `libm`, which reduces them with as many digits of π as they need.

/// Arguments below this in magnitude take the branch-free path: 10⁵ π.
pub const MAIN_RANGE: f64 = 314_159.0;

/// 2/π.
pub const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// Adding and subtracting it rounds to a whole number, which then stands in the low bits of the sum.
pub const ROUNDER: f64 = 6755399441055744.0;
/// π/2 in three parts, 35 + 35 + 53 bits.
pub const HALF_PI: [f64; 3] = [1.5707963267923333, 2.5633441515839558e-12, 1.0562999066987428e-23];
/// Q of the sine kernel, lowest power first.
pub const SINE: [f64; 6] = [
    0.16666666666666632,
    -0.008333333333322413,
    0.0001984126982980723,
    -2.755731369174883e-06,
    2.5050758092068576e-08,
    -1.5896794445879578e-10,
];
/// C of the cosine kernel, lowest power first.
pub const COSINE: [f64; 6] = [
    0.0416666666666666,
    -0.0013888888888874125,
    2.4801587289482103e-05,
    -2.7557314352311716e-07,
    2.0875723270634347e-09,
    -1.1359647678961739e-11,
];

/// Sine and cosine of x.
pub fn sincos(x: f64) -> (f64, f64) {
    if x.abs() < MAIN_RANGE { main_path(x) } else { (libm::sin(x), libm::cos(x)) }
}

#[inline(always)]
fn main_path(x: f64) -> (f64, f64) {
    let shifted = x * TWO_OVER_PI + ROUNDER;
    let quadrant = shifted.to_bits();
    let n = shifted - ROUNDER;

    let a = x - n * HALF_PI[0]; // [first-part]
    let second = n * HALF_PI[1];
    let b = a - second;
    let d = (a - b) - second; // [second-part]
    let e = n * HALF_PI[2] - d; // [third-part]

    let z = b * b;
    let half = 0.5 * z;
    let w = 1.0 - half;
    let sine = b - (e * w + (b * z) * polynomial(&SINE, z)); // [sine-kernel]
    let rest = b * e + ((1.0 - w) - half);
    let cosine = w + ((z * z) * polynomial(&COSINE, z) + rest); // [cosine-kernel]

    let odd = 0u64.wrapping_sub(quadrant & 1);
    let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
    let swap = (sine ^ cosine) & odd;
    let sine_sign = (quadrant & 2) << 62;
    let cosine_sign = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits(sine ^ swap ^ sine_sign), f64::from_bits(cosine ^ swap ^ cosine_sign))
}

/// Estrin's scheme for six coefficients.
#[inline(always)]
fn polynomial(c: &[f64; 6], z: f64) -> f64 {
    let z2 = z * z;
    ((c[0] + z * c[1]) + z2 * (c[2] + z * c[3])) + (z2 * z2) * (c[4] + z * c[5])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> i64 {
        let order = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
        };
        (order(a) - order(b)).abs()
    }

    #[test]
    fn within_one_ulp_of_libm_on_a_million_points() {
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for i in 0..1_000_000 {
            let unit = (next() >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0;
            let x = match i % 4 {
                0 => unit * 4.0,
                1 => unit * 1000.0,
                2 => unit * MAIN_RANGE * 1.01,
                _ => unit * libm::exp2(-((next() % 60) as f64)),
            };
            let (s, c) = sincos(x);
            assert!(ulps(s, libm::sin(x)) <= 1, "sin({x:?}) = {s:?}");
            assert!(ulps(c, libm::cos(x)) <= 1, "cos({x:?}) = {c:?}");
        }
    }

    /// Correctly rounded from 400-bit arithmetic. The first eight arguments are the doubles closest to a
    /// multiple of π/2.
    #[rustfmt::skip]
    #[expect(clippy::approx_constant, reason = "the neighbourhood of multiples of π/4 is the point")]
    const REFERENCE: [(f64, f64, f64); 22] = [
        (45.553093477052, 1.0, -6.189806365883577e-19),
        (91.106186954104, -1.2379612731767154e-18, -1.0),
        (182.212373908208, 2.475922546353431e-18, 1.0),
        (364.424747816416, 4.951845092706862e-18, 1.0),
        (728.849495632832, 9.903690185413723e-18, 1.0),
        (1457.698991265664, 1.9807380370827447e-17, 1.0),
        (2915.397982531328, 3.9614760741654893e-17, 1.0),
        (1.5707963267948966, 1.0, 6.123233995736766e-17),
        (-2.1938145353255925, -0.8121210670031673, -0.5834889652166844),
        (2.084602421623396, 0.8708801418000655, -0.49149545126918304),
        (1.582647713859684, 0.9999297731343044, -0.011851109634899208),
        (-1.4695858455634698, -0.9948825898582112, 0.10103777707876566),
        (-2738.947744835401, 0.4977902889180305, 0.8672974277944699),
        (-30305.36112675711, -0.9999230453677451, 0.012405778592833353),
        (90955.78363365779, 0.38307867400903706, 0.9237157189955565),
        (173234.01068130793, 0.3037032141109991, 0.9527666858883389),
        (-243684.24793545908, 0.32458643798821357, -0.9458560378166032),
        (-282991.5140867962, -0.010555722746123233, -0.9999442868066736),
        (0.7853981633974483, 0.7071067811865475, 0.7071067811865476),
        (2.356194490192345, 0.7071067811865476, -0.7071067811865475),
        (1e-08, 1e-08, 1.0),
        (314158.99, -0.27189241020774746, 0.9623276558799617),
    ];

    #[test]
    fn within_one_ulp_of_correct_rounding() {
        for (x, sine, cosine) in REFERENCE {
            for sign in [1.0, -1.0] {
                let (s, c) = sincos(sign * x);
                assert!(ulps(s, sign * sine) <= 1 && ulps(c, cosine) <= 1, "{x:?}: {s:?} {c:?}");
            }
        }
    }

    #[test]
    fn special_arguments() {
        assert!(sincos(-0.0).0.is_sign_negative() && sincos(0.0).0.is_sign_positive());
        assert_eq!(sincos(-0.0).1, 1.0);
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(sincos(x).0.is_nan() && sincos(x).1.is_nan());
        }
        assert_eq!(sincos(5e-324).0, 5e-324);
        assert_eq!(sincos(1e22).0, -0.8522008497671888);
    }
}
