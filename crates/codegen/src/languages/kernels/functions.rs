//= floor
/// Greatest whole number not above x.
fn floor(x: f64) -> f64 {
    if f64::abs(x) < 4503599627370496.0 {
        let magnitude = (f64::abs(x) as u64) as f64;
        if x < 0.0 {
            if magnitude < f64::abs(x) {
                return -magnitude - 1.0;
            }
            return -magnitude;
        }
        if magnitude == 0.0 {
            return x - x;
        }
        return magnitude;
    }
    x
}

//= sqrt
/// Square root: Newton's iteration from a guess by halving the exponent.
fn sqrt(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || !(x < f64::INFINITY) {
        return x;
    }
    if x < 1e-290 {
        return sqrt(x * 1.157920892373162e77) * 2.938735877055719e-39;
    }
    let mut root = f64::from_bits((x.to_bits() >> 1) + 2303591209400008704);
    let mut k = 0;
    while k < 5 {
        root = 0.5 * (root + x / root);
        k = k + 1;
    }
    root
}

//= trigonometry
/// Word number k of the binary digits of 2/π; the first is what stands before the point.
fn two_over_pi(k: u64) -> u64 {
    if k == 1 { return 0xa2f9836e4e441529; }
    if k == 2 { return 0xfc2757d1f534ddc0; }
    if k == 3 { return 0xdb6295993c439041; }
    if k == 4 { return 0xfe5163abdebbc561; }
    if k == 5 { return 0xb7246e3a424dd2e0; }
    if k == 6 { return 0x06492eea09d1921c; }
    if k == 7 { return 0xfe1deb1cb129a73e; }
    if k == 8 { return 0xe88235f52ebb4484; }
    if k == 9 { return 0xe99c7026b45f7e41; }
    if k == 10 { return 0x3991d639835339f4; }
    if k == 11 { return 0x9c845f8bbdf9283b; }
    if k == 12 { return 0x1ff897ffde05980f; }
    if k == 13 { return 0xef2f118b5a0a6d1f; }
    if k == 14 { return 0x6d367ecf27cb09b7; }
    if k == 15 { return 0x4f463f669e5fea2d; }
    if k == 16 { return 0x7527bac7ebe5f17b; }
    if k == 17 { return 0x3d0739f78a5292ea; }
    if k == 18 { return 0x6bfb5fb11f8d5d08; }
    if k == 19 { return 0x56033046fc7b6bab; }
    if k == 20 { return 0xf0cfbc209af4361d; }
    0
}

/// 32 binary digits of 2/π from digit k on; digit 64 has the weight 1/2.
fn digits_of_two_over_pi(k: u64) -> u64 {
    let offset = k & 63;
    let mut digits = two_over_pi(k >> 6) << offset;
    if offset > 32 {
        digits = digits | (two_over_pi((k >> 6) + 1) >> (64 - offset));
    }
    digits >> 32
}

/// A large positive number less the nearest multiple of π/2 (part 0), or that multiple modulo 4
/// (part 1).
/// The product with the digits of 2/π that matter is formed exactly (Payne and Hanek 1983).
fn reduced(x: f64, part: u64) -> f64 {
    let mask = 0xffffffff;
    let mantissa = (x.to_bits() & 0xfffffffffffff) | 0x10000000000000;
    let start = (x.to_bits() >> 52) - 1013;
    let low = mantissa & mask;
    let high = mantissa >> 32;
    let mut upper = 0;
    let mut lower = 0;
    let mut carry = 0;
    let mut below = 0;
    let mut k = 6;
    while k > 0 {
        k = k - 1;
        let digits = digits_of_two_over_pi(start + 32 * k);
        let a = low * digits;
        let b = high * below;
        let sum = (a & mask) + (b & mask) + carry;
        carry = (sum >> 32) + (a >> 32) + (b >> 32);
        below = digits;
        lower = (lower >> 32) | (upper << 32);
        upper = (upper >> 32) | (sum << 32);
    }
    let mut quadrant = upper >> 62;
    let mut fraction = (upper << 2) | (lower >> 62);
    let mut rest = lower << 2;
    let mut sign = 1.0;
    if fraction >> 63 == 1 {
        quadrant = quadrant + 1;
        fraction = fraction ^ 0xffffffffffffffff;
        rest = rest ^ 0xffffffffffffffff;
        sign = -1.0;
    }
    if part == 1 {
        return quadrant as f64;
    }
    let turns = fraction as f64 * 5.421010862427522e-20 + rest as f64 * 2.938735877055719e-39;
    sign * turns * 1.5707963267948966
}

/// The sine of x + turn π/2.
fn circular(x: f64, turn: u64) -> f64 {
    let mut r = 0.0;
    let mut tail = 0.0;
    let mut quadrant = 0;
    if f64::abs(x) < 314159.0 {
        let shifted = x * 0.6366197723675814 + 6755399441055744.0;
        let n = shifted - 6755399441055744.0;
        quadrant = shifted.to_bits() & 3;
        let a = x - n * 1.5707963267923333;
        let second = n * 2.5633441515839558e-12;
        r = a - second;
        tail = n * 1.0562999066987428e-23 - ((a - r) - second);
    } else {
        if !(f64::abs(x) < f64::INFINITY) {
            return f64::NAN;
        }
        r = reduced(f64::abs(x), 0);
        quadrant = reduced(f64::abs(x), 1) as u64;
        if x < 0.0 {
            r = -r;
            quadrant = 8 - quadrant;
        }
    }
    quadrant = quadrant + turn;
    let z = r * r;
    let z2 = z * z;
    let half = 0.5 * z;
    let w = 1.0 - half;
    let mut result = 0.0;
    if quadrant & 1 == 0 {
        let q = ((0.16666666666666632 + z * -0.008333333333322413)
            + z2 * (0.0001984126982980723 + z * -2.755731369174883e-06))
            + (z2 * z2) * (2.5050758092068576e-08 + z * -1.5896794445879578e-10);
        result = r - (tail * w + (r * z) * q);
    } else {
        let q = ((0.0416666666666666 + z * -0.0013888888888874125)
            + z2 * (2.4801587289482103e-05 + z * -2.7557314352311716e-07))
            + (z2 * z2) * (2.0875723270634347e-09 + z * -1.1359647678961739e-11);
        result = w + (z2 * q + (r * tail + ((1.0 - w) - half)));
    }
    if quadrant & 2 == 2 {
        return -result;
    }
    result
}

//= sin
/// Sine.
fn sin(x: f64) -> f64 {
    circular(x, 0)
}

//= cos
/// Cosine.
fn cos(x: f64) -> f64 {
    circular(x, 1)
}

//= tan
/// Tangent.
fn tan(x: f64) -> f64 {
    circular(x, 0) / circular(x, 1)
}

//= atan
/// Inverse tangent: Taylor's series about the nearest of 0, π/8, π/4, after taking the reciprocal
/// above 1.
fn atan(x: f64) -> f64 {
    let magnitude = f64::abs(x);
    let mut t = magnitude;
    if magnitude > 1.0 {
        t = 1.0 / magnitude;
    }
    let mut base = 0.0;
    let mut u = t;
    if t > 0.6681786379192989 {
        base = 0.7853981633974483;
        u = (t - 1.0) / (t + 1.0);
    } else {
        if t > 0.198912367379658 {
            base = 0.39269908169872414;
            u = (t - 0.41421356237309503) / (1.0 + t * 0.41421356237309503);
        }
    }
    let z = u * u;
    let q = -0.3333333333333333 + z * (0.2 + z * (-0.14285714285714285 + z * (0.1111111111111111
        + z * (-0.09090909090909091 + z * (0.07692307692307693 + z * (-0.06666666666666667
        + z * (0.058823529411764705 + z * (-0.05263157894736842 + z * (0.047619047619047616
        + z * (-0.043478260869565216 + z * 0.04))))))))));
    let mut angle = base + (u + u * (z * q));
    if magnitude > 1.0 {
        angle = 1.5707963267948966 - (angle - 6.123233995736766e-17);
    }
    if x < 0.0 {
        return -angle;
    }
    if x == 0.0 {
        return x;
    }
    angle
}

//= atan2
/// Angle of the point (x, y).
fn atan2(y: f64, x: f64) -> f64 {
    let width = f64::abs(x);
    let height = f64::abs(y);
    let mut angle = 0.0;
    if width == f64::INFINITY && height == f64::INFINITY {
        angle = 0.7853981633974483;
    } else {
        if height > width {
            angle = 1.5707963267948966 - atan(width / height);
        } else {
            if height != 0.0 {
                angle = atan(height / width);
            }
        }
    }
    if x != x || y != y {
        return x + y;
    }
    if x.to_bits() >> 63 == 1 {
        angle = 3.141592653589793 - (angle - 1.2246467991473532e-16);
    }
    if y.to_bits() >> 63 == 1 {
        return -angle;
    }
    angle
}

//= asin
/// Inverse sine.
fn asin(x: f64) -> f64 {
    if f64::abs(x) <= 1.0 {
        return atan2(x, sqrt((1.0 - x) * (1.0 + x)));
    }
    f64::NAN
}

//= acos
/// Inverse cosine.
fn acos(x: f64) -> f64 {
    if f64::abs(x) <= 1.0 {
        return atan2(sqrt((1.0 - x) * (1.0 + x)), x);
    }
    f64::NAN
}

//= exp
/// Exponential: x = k ln 2 + r, Taylor's series in r, scaled by 2 to the power k in two steps.
fn exp(x: f64) -> f64 {
    if x != x {
        return x;
    }
    if x > 709.8 {
        return f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let shifted = x * 1.4426950408889634 + 6755399441055744.0;
    let k = shifted - 6755399441055744.0;
    let r = (x - k * 0.6931467056274414) - k * 4.7493250390316726e-07;
    let p = 0.5 + r * (0.16666666666666666 + r * (0.041666666666666664 + r * (0.008333333333333333
        + r * (0.001388888888888889 + r * (0.0001984126984126984 + r * (2.48015873015873e-05
        + r * (2.7557319223985893e-06 + r * (2.755731922398589e-07 + r * (2.505210838544172e-08
        + r * (2.08767569878681e-09 + r * 1.6059043836821613e-10))))))))));
    let mantissa = 1.0 + (r + r * r * p);
    let exponent = (k + 2048.0) as u64;
    let first = exponent >> 1;
    let second = exponent - first;
    mantissa * f64::from_bits((first - 1) << 52) * f64::from_bits((second - 1) << 52)
}

//= ln
/// Natural logarithm: x = m 2 to the power k with m near 1, then twice the inverse hyperbolic tangent
/// of (m - 1)/(m + 1).
fn ln(x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return -f64::INFINITY;
    }
    if !(x < f64::INFINITY) {
        return x;
    }
    let mut scaled = x;
    let mut k = -1023.0;
    if x < 2.2250738585072014e-308 {
        scaled = x * 18014398509481984.0;
        k = -1077.0;
    }
    k = k + (scaled.to_bits() >> 52) as f64;
    let mut m = f64::from_bits((scaled.to_bits() & 0xfffffffffffff) | 0x3ff0000000000000);
    if m > 1.4142135623730951 {
        m = 0.5 * m;
        k = k + 1.0;
    }
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let q = 0.6666666666666666 + z * (0.4 + z * (0.2857142857142857 + z * (0.2222222222222222
        + z * (0.18181818181818182 + z * (0.15384615384615385 + z * (0.13333333333333333
        + z * (0.11764705882352941 + z * (0.10526315789473684 + z * (0.09523809523809523
        + z * 0.08695652173913043)))))))));
    let half = 0.5 * f * f;
    let rest = s * (half + z * q) + k * 4.7493250390316726e-07;
    k * 0.6931467056274414 - ((half - rest) - f)
}

//= pow
/// x to the real power y.
fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x != x || y != y {
        return x + y;
    }
    let size = f64::abs(x);
    let whole = floor(y) == y;
    let odd = whole && f64::abs(y) < 9007199254740992.0 && floor(0.5 * y) != 0.5 * y;
    if size == 1.0 && (whole || f64::abs(y) == f64::INFINITY) {
        if x < 0.0 && odd {
            return -1.0;
        }
        return 1.0;
    }
    let mut power = 0.0;
    if size == 0.0 || size == f64::INFINITY || f64::abs(y) == f64::INFINITY {
        if (size > 1.0) == (y > 0.0) {
            power = f64::INFINITY;
        }
    } else {
        if x < 0.0 && !whole {
            return f64::NAN;
        }
        power = exp(y * ln(size));
    }
    if x.to_bits() >> 63 == 1 && odd {
        return -power;
    }
    power
}

//= sinh
/// Hyperbolic sine.
fn sinh(x: f64) -> f64 {
    let magnitude = f64::abs(x);
    if magnitude < 0.3 {
        let z = x * x;
        let q = 0.16666666666666666 + z * (0.008333333333333333 + z * (0.0001984126984126984
            + z * (2.7557319223985893e-06 + z * (2.505210838544172e-08
            + z * 1.6059043836821613e-10))));
        return x + x * (z * q);
    }
    let mut result = 0.0;
    if magnitude < 700.0 {
        let e = exp(magnitude);
        result = 0.5 * (e - 1.0 / e);
    } else {
        let root = exp(0.5 * magnitude);
        result = (0.5 * root) * root;
    }
    if x < 0.0 {
        return -result;
    }
    result
}

//= cosh
/// Hyperbolic cosine.
fn cosh(x: f64) -> f64 {
    let magnitude = f64::abs(x);
    if magnitude < 700.0 {
        let e = exp(magnitude);
        return 0.5 * (e + 1.0 / e);
    }
    let root = exp(0.5 * magnitude);
    (0.5 * root) * root
}

//= tanh
/// Hyperbolic tangent.
fn tanh(x: f64) -> f64 {
    let magnitude = f64::abs(x);
    if magnitude < 0.3 {
        return sinh(x) / cosh(x);
    }
    if magnitude > 22.0 {
        if x < 0.0 {
            return -1.0;
        }
        return 1.0;
    }
    let e = exp(2.0 * x);
    1.0 - 2.0 / (e + 1.0)
}

//= fma
/// The high half of a number's digits.
fn high_half(x: f64) -> f64 {
    let shifted = 134217729.0 * x;
    shifted - (shifted - x)
}

/// a b + c with the product exact and the sum of the parts rounded at the end (Dekker 1971, Knuth).
fn fused(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let plain = product + c;
    if !(f64::abs(a) < 1e140 && f64::abs(b) < 1e140 && f64::abs(c) < 1e290) {
        return plain;
    }
    let a_high = high_half(a);
    let b_high = high_half(b);
    let a_low = a - a_high;
    let b_low = b - b_high;
    let cross = a_high * b_low + a_low * b_high;
    let product_rest = ((a_high * b_high - product) + cross) + a_low * b_low;
    let seen = plain - product;
    let sum_rest = (product - (plain - seen)) + (c - seen);
    plain + (sum_rest + product_rest)
}
