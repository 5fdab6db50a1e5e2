//! Linear equations and transfer functions of mechanisms that the Multibody Systems Handbook (Schiehlen ed., 1990) treats.

use crate::common;

use cardan_analysis::{LinearOptions, kinematics, linearize};

/// Centre and angle of each link in mm and degrees, mass in t, moment of inertia in t mm².
const LINKS: [[f64; 5]; 7] = [
    [0.92192, -0.05722, -3.5520, 4.32e-5, 2.19e-3],
    [-4.4915, 0.27901, -3.5528, 3.65e-6, 4.41e-4],
    [-18.743, 20.4872, 26.0948, 2.37e-5, 5.25e-3],
    [-30.227, 12.0728, 40.7096, 7.06e-6, 5.66e-4],
    [-53.245, 16.6312, 27.9327, 7.05e-5, 1.17e-2],
    [-28.542, -10.715, 57.7470, 7.06e-6, 5.66e-4],
    [-59.264, -10.605, 70.5242, 5.49e-5, 1.91e-2],
];

/// Pins between links, 0 for the ground, at points of the links in mm.
const PINS: [(usize, [f64; 2], usize, [f64; 2]); 10] = [
    (1, [-0.9237, 0.0], 0, [0.0, 0.0]),
    (3, [-10.43, 18.745], 0, [0.0, 0.0]),
    (5, [-23.08, -9.163], 0, [0.0, 0.0]),
    (7, [4.493, 12.28], 0, [0.0, 0.0]),
    (1, [6.0763, 0.0], 2, [11.5, 0.0]),
    (5, [16.92, -9.163], 4, [0.0, 5.79]),
    (7, [4.493, -27.72], 6, [-5.79, 0.0]),
    (2, [-16.5, 0.0], 3, [-10.43, -16.255]),
    (4, [0.0, -14.21], 3, [-10.43, -16.255]),
    (6, [14.21, 0.0], 3, [-10.43, -16.255]),
];

/// The seven-body mechanism as NUBEMM linearises it: links in the positions of its data set, which leave the pins open by some
/// micrometres, held by conditions on velocities. Printed (Pankiewicz, "NUBEMM generated equations of the mechanism"): the
/// acceleration of the crank 431.68043 per N mm, the spring's elongation 8.4630679e-5 mm/rad, the observer's slopes
/// -3.9350438e-5 and -5.6590502e-5 mm/rad. Scanned moments of inertia begin with the bar of the form, which is no digit.
#[test]
fn nubemm_prints_the_linear_equations_of_the_mechanism() {
    let mut text = String::from("model mechanism\ngravity = 0\ninput drive [N*m]\n");
    for (k, [x, y, angle, mass, inertia]) in LINKS.iter().enumerate() {
        let (n, kg, izz) = (k + 1, mass * 1e3, inertia * 1e-3);
        let points = PINS.iter().enumerate().flat_map(|(j, (a, p, b, q))| {
            let at = |link: usize, p: &[f64; 2]| {
                (link == n).then(|| format!("  point p{j} = ({:?}, {:?}, 0) [mm]\n", p[0], p[1]))
            };
            [at(*a, p), at(*b, q)].into_iter().flatten().collect::<Vec<_>>()
        });
        let spring = if n == 3 { "  point spring = (9.57, 0.745, 0) [mm]\n" } else { "" };
        text += &format!(
            "body k{n} on N by translate(x = x{n}, y = y{n}) rotate(z = a{n}) {{\n  mass = {kg:?} [kg]; inertia = (0, 0, {izz:?}) [kg*m^2]\n{}{spring}}}\n",
            points.collect::<String>()
        );
        text += &format!("start {{ x{n} = {x:?} [mm]; y{n} = {y:?} [mm]; a{n} = {angle:?} [deg] }}\n");
    }
    for (j, (a, _, b, _)) in PINS.iter().enumerate() {
        for axis in ["x", "y"] {
            let against = if *b == 0 { String::new() } else { format!(" - velocity(k{b}.p{j})") };
            text += &format!("constraint pin{j}{axis} = dot(velocity(k{a}.p{j}){against}, N.{axis})\n");
        }
    }
    text += "torque motor on k1 from N = drive * N.z\n";
    text += "output elongation = der(mag(position(k3.spring, N(14, 72, 0) [mm])))\n";
    let mut study = common::study(&text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions { keep: vec!["der(a1)".into()] }).unwrap();
    let speed = linear.independent.iter().position(|i| i.named.name == "der(a1)").unwrap();
    let near = |found: f64, known: f64| assert!((found / known - 1.0).abs() < 2e-8, "{found} is not {known}");
    near(linear.b[(speed, 0)], 431.68043e3);
    near(linear.c[(0, speed)], 8.4630679e-8);
    let along = |name: &str| linear.basis[(study.place(name).unwrap(), speed)];
    near(along("der(x3)"), -3.9350438e-8);
    near(along("der(y3)"), -5.6590502e-8);
}

/// Geometric transfer functions of a four-bar: with the crank driven at one radian per second they are the position, the
/// velocity and the acceleration. SPACAR computes them from one factorisation (Jonker & Meijaard, eqs. 3.16 to 3.19); here the
/// first and second order stand against differences of the order below, extrapolated, and all three against the cosine rule.
#[test]
fn transfer_functions_of_a_four_bar_up_to_the_second_order() {
    let text = "
        model four_bar
        parameter a = 0.1 [m], b = 0.35 [m], c = 0.25 [m], g = 0.3 [m]
        body crank on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (0, 0, 1) [kg*m^2]; point end = (a, 0, 0) }
        body coupler on crank by revolute(z, q = psi) at crank.end { mass = 1 [kg]; inertia = (0, 0, 1) [kg*m^2]; point end = (b, 0, 0) }
        body rocker on N by revolute(z, q = theta) at (g, 0, 0) { mass = 1 [kg]; inertia = (0, 0, 1) [kg*m^2]; point end = (c, 0, 0) }
        joint pin = revolute(coupler.end, rocker.end, axis = z)
        motion drive on phi = 1 [rad/s] * t
        output turn = theta, first = der(theta), second = der(der(theta))
        start { psi ~ 60 [deg]; theta ~ 100 [deg] }
    ";
    let h = 2e-3;
    let middle: Vec<f64> = (1..12).map(|k| 0.5 * k as f64).collect();
    let offsets = [-2.0, -1.0, 0.0, 1.0, 2.0];
    let times: Vec<f64> = middle.iter().flat_map(|t| offsets.map(|o| t + o * h)).collect();
    let mut study = common::study(text, &[]);
    let motion = kinematics(&mut study, &times, &[]).unwrap();
    assert_eq!(motion.samples.len(), times.len());
    for (group, phi) in motion.samples.chunks(offsets.len()).zip(&middle) {
        let of = |order: usize| -> Vec<f64> { group.iter().map(|s| s.outputs[order]).collect() };
        // Central differences of the fourth order.
        let slope = |v: &[f64]| (v[0] - 8.0 * v[1] + 8.0 * v[3] - v[4]) / (12.0 * h);
        let (turn, first, second) = (of(0), of(1), of(2));
        assert!((slope(&turn) - first[2]).abs() < 1e-9, "{phi}: {} {}", slope(&turn), first[2]);
        assert!((slope(&first) - second[2]).abs() < 1e-9, "{phi}: {} {}", slope(&first), second[2]);
        // The rocker's angle by the triangle of the pin, the rocker's bearing and the crank's end.
        let (a, b, c, g) = (0.1_f64, 0.35_f64, 0.25_f64, 0.3_f64);
        let (x, y) = (a * phi.cos() - g, a * phi.sin());
        let side = x.hypot(y);
        let inner = ((side * side + c * c - b * b) / (2.0 * side * c)).acos();
        let known = y.atan2(x) - inner;
        let difference = (turn[2] - known) / std::f64::consts::TAU;
        assert!((difference - difference.round()).abs() < 1e-12, "{phi}: {} {known}", turn[2]);
    }
}

/// MEDYNA's static results for the seven-body mechanism, γ(β) and the force of the spring over one
/// turn of the crank (its Fig. 5). The chapter prints curves and no numbers; an independent
/// integration of the mechanism gives γ between 0.0406 and 0.455280 rad and forces between -114.05
/// and -63.87 N.
#[test]
fn medyna_turns_the_crank_of_the_mechanism() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/squeezer.mbs");
    let text = std::fs::read_to_string(path).unwrap();
    let motor = "torque motor on K1 from N = 0.033 [N*m] * N.z";
    assert!(text.contains(motor));
    let turn = "motion turn on beta = -0.0617138900142764 [rad] + 1 [rad/s] * t\n\
        output angle = gamma, length = mag(position(K3.P5, N(xc, yc, 0)))";
    let mut study = common::study(&text.replace(motor, turn), &[]);
    let times: Vec<f64> = (0..=314).map(|k| 0.02 * f64::from(k)).collect();
    let motion = kinematics(&mut study, &times, &[]).unwrap();
    let range = |of: &dyn Fn(&[f64]) -> f64| {
        let values = motion.samples.iter().map(|s| of(&s.outputs));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)))
    };
    let (least, most) = range(&|o| o[0]);
    assert!((least - 0.0406).abs() < 1e-4 && (most - 0.455280).abs() < 1e-6, "{least} {most}");
    let (least, most) = range(&|o| 4530.0 * (o[1] - 0.07785));
    assert!((least + 114.05).abs() < 0.01 && (most + 63.87).abs() < 0.01, "{least} {most}");
}
