// pendulum
//
// Model pendulum, version 1.2; written by cardan 0.1.0.
//
// A driven pendulum with an elastic stop.
//
// Functions, in the order in which they are called:
//   setup: Computes what depends on parameters alone.
//   derivatives: Computes the time derivatives of the state.
//   outputs: Computes what is reported.
//
// Array w (4 numbers) carries intermediate results between them.
//
// Array p: parameters
//   0 m [kg] mass of the bob
//   1 L [m] length of the rod
//   2 g [m/s^2] gravity
//   3 k.stop [N*m/rad] stiffness of the stop
//
// Array start: values at the beginning
//   0 start angle [rad] angle at the beginning
//
// Number t: time
//   t [s] time
//
// Array x: state
//   0 θ [rad] angle from the vertical
//   1 der(θ) [rad/s] angular velocity
//
// Array dx: time derivatives of the state
//   0 der(θ) [rad/s] angular velocity
//   1 der(der(θ)) [rad/s^2] angular acceleration
//
// Array y: reported quantities
//   0 energy [J] kinetic and potential energy
//   1 torque of the stop [N*m]
//   2 hit whether the stop is touched
//
// Operations:
//   setup: 5 mul
//   derivatives: 2 mul + 3 add + 1 div + 2 trig + 2 compare
//   outputs: 4 mul + 3 add + 1 trig + 2 compare

#![allow(non_snake_case, unused_assignments, clippy::all)]

/// Length of the array w.
pub const N_WORK: usize = 4;

/// Computes what depends on parameters alone.
pub fn setup(p: &[f64; 4], w: &mut [f64; N_WORK], start: &mut [f64; 1]) {
    let m = p[0]; // [kg] mass of the bob
    let L = p[1]; // [m] length of the rod
    let g = p[2]; // [m/s^2] gravity
    let k_stop = p[3]; // [N*m/rad] stiffness of the stop

    // Stage setup.
    let z1 = m*(L*L);

    // What later functions need.
    w[0] = k_stop;
    w[1] = z1;
    w[2] = L*(m*g);
    w[3] = 0.5*z1;

    // Values at the beginning.
    start[0] = 0.3; // start angle [rad]: angle at the beginning
}

/// Computes the time derivatives of the state.
pub fn derivatives(t: f64, x: &[f64; 2], w: &[f64; N_WORK], dx: &mut [f64; 2]) {
    let theta = x[0]; // [rad] angle from the vertical
    let theta_dot = x[1]; // [rad/s] angular velocity

    let k_stop = w[0]; // [N*m/rad] stiffness of the stop
    let z1 = w[1];
    let z3 = w[2];

    // Time derivatives of the state.
    dx[0] = theta_dot; // der(θ) [rad/s]: angular velocity
    // der(der(θ)) [rad/s^2]: angular acceleration
    dx[1] = (cos(t) - z3*sin(theta) - (if 0.5 < theta { k_stop*(theta - 0.5) } else { 0.0 }))/z1;
}

/// Computes what is reported.
pub fn outputs(_t: f64, x: &[f64; 2], w: &[f64; N_WORK], y: &mut [f64; 3]) {
    let theta = x[0]; // [rad] angle from the vertical
    let theta_dot = x[1]; // [rad/s] angular velocity

    let k_stop = w[0]; // [N*m/rad] stiffness of the stop
    let z3 = w[2];
    let z4 = w[3];

    // Stage motion.
    let hit = 0.5 < theta;

    // Reported quantities.
    // energy [J]: kinetic and potential energy
    y[0] = z3*(1.0 - cos(theta)) + theta_dot*theta_dot*z4;
    y[1] = if hit { k_stop*(theta - 0.5) } else { 0.0 }; // torque of the stop [N*m]
    y[2] = if hit { 1.0 } else { 0.0 }; // hit: whether the stop is touched
}

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

/// Sine.
fn sin(x: f64) -> f64 {
    circular(x, 0)
}

/// Cosine.
fn cos(x: f64) -> f64 {
    circular(x, 1)
}
