//! Root loci and stability maps against published and closed forms.

use std::f64::consts::TAU;

use crate::common;

use cardan_analysis::{About, LocusQuestion, RootLocus, Stability, stability_map};

fn question(parameter: &str) -> LocusQuestion {
    LocusQuestion { parameter: parameter.into(), about: About::Start, t: 0.0, keep: vec![] }
}

fn grid(from: f64, to: f64, n: usize) -> Vec<f64> {
    (0..n).map(|k| from + (to - from) * k as f64 / (n - 1) as f64).collect()
}

/// Weave and capsize speed of the benchmark bicycle: Meijaard, Papadopoulos, Ruina & Schwab, Proc.
/// R. Soc. A 463 (2007), section 6: 4.292 382 536 341 11 and 6.024 262 015 388 37 m/s.
#[test]
fn the_bicycle_gains_and_loses_its_balance_at_the_published_speeds() {
    let library = include_str!("../../../models/whipple-bicycle.mbs");
    for (text, push) in [(common::BICYCLE, false), (library, true)] {
        let mut study = common::study(text, &["v"]);
        if push {
            study.set("push", 0.0).unwrap();
        }
        let locus = RootLocus::of(&mut study, question("v"), &grid(1.0, 10.0, 37)).unwrap();
        let found = locus.critical(&mut study).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!((found[0].value - 4.292_382_536_341_11).abs() < 1e-9, "{}", found[0].value);
        assert!((found[0].eigenvalue.1 - 3.435_033_848_667).abs() < 1e-6, "{:?}", found[0]);
        assert_eq!(found[0].after, Stability::Asymptotic);
        assert!((found[1].value - 6.024_262_015_388_37).abs() < 1e-9, "{}", found[1].value);
        assert_eq!(found[1].eigenvalue.1, 0.0);
        assert_eq!(found[1].after, Stability::Unstable);
    }
}

/// A wheelset whose creep forces depend on the normal loads that its two rails bear: Kalker's linear coefficients, saturated by
/// Johnson and Vermeulen. Its linear equations lose their stability at 54.08093535 m/s, the critical speed of the model with two
/// degrees of freedom.
#[test]
fn a_wheelset_with_normal_loads_hunts_beyond_its_critical_speed() {
    let text = "
        parameter m = 1250 [kg], I = 700 [kg*m^2], r0 = 0.46 [m], b = 0.75 [m], lam = 0.1, g = 9.81 [m/s^2]
        parameter f11 = 1e7 [N], f22 = 9e6 [N], ky = 4e5 [N/m], kp = 1e6 [N*m/rad], mu = 0.3, V = 50 [m/s]
        gravity = -g * N.z
        body set on N by translate(y = y) translate(z = z) rotate(z = psi) rotate(x = phi) {
          mass = m; inertia = (1e-6 [kg*m^2], 1e-6 [kg*m^2], I)
        }
        constraint left = z + b*phi - lam*y
        constraint right = z - b*phi + lam*y
        variable along = lam*y/r0 + b*der(psi)/V, across = der(y)/V - psi
        variable linear = sqrt((f11*along)^2 + (f22*across)^2)
        function kept(rho) = if rho <= 3 then 1 - rho/3 + rho^2/27 else 1/rho
        variable kl = kept(linear/(mu*left.multiplier)), kr = kept(linear/(mu*right.multiplier))
        force creep on set.o = -(kl + kr)*f22*across * N.y
        torque steer on set = -b*(kl + kr)*f11*along * N.z
        force guide on set.o = -ky*y * N.y
        torque hold on set = -kp*psi * N.z
        # Beside the middle, where the size of the creepage has a derivative.
        start { y = 1e-12 [m] }
    ";
    let mut study = common::study(text, &["V"]);
    let locus = RootLocus::of(&mut study, question("V"), &grid(50.0, 58.0, 9)).unwrap();
    let found = locus.critical(&mut study).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].value - 54.08093535).abs() < 1e-7, "{}", found[0].value);
    assert_eq!(found[0].after, Stability::Unstable);
}

/// Two oscillators that do not know of one another: their frequencies cross, their branches do not
/// change places, however coarse the values are.
#[test]
fn branches_keep_their_shapes_through_a_crossing() {
    let text = "
        parameter k = 1 [N/m]
        particle a on N by translate(x = x) { mass = 1 [kg] }
        particle b on N by translate(y = y) { mass = 1 [kg] }
        force first on a.o from N = -4 [N/m] * x * N.x
        force second on b.o from N = -k * y * N.y
    ";
    let mut study = common::study(text, &["k"]);
    let locus = RootLocus::of(&mut study, question("k"), &grid(1.0, 9.0, 5)).unwrap();
    let constant = |k: usize| locus.points.iter().all(|p| (p.eigenvalues[k].1.abs() - 2.0).abs() < 1e-9);
    let growing =
        |k: usize| locus.points.iter().all(|p| (p.eigenvalues[k].1.abs() - p.value.sqrt()).abs() < 1e-9);
    let n = |f: &dyn Fn(usize) -> bool| (0..4).filter(|k| f(*k)).count();
    assert_eq!((n(&constant), n(&growing)), (2, 2), "{locus:?}");
    assert!(locus.critical(&mut study).unwrap().is_empty());
}

/// A disc on elastic bearings: I ω² ∓ J Ω ω − k = 0, and in resonance with its unbalance, ω = Ω,
/// at Ω = √(k/(I − J)) forwards and √(k/(I + J)) backwards.
#[test]
fn a_rotor_has_its_critical_speeds() {
    let text = "
        parameter W = 10 [rad/s], k = 100 [N*m]
        frame gimbal on N by universal(xy, q = (a, b))
        body disc on gimbal by revolute(z, q = s) { mass = 1 [kg]; inertia = (2, 2, 0.5) [kg*m^2] }
        torque bearing on disc from N = -k * a * N.x - k * b * gimbal.y
        start { der(s) = W }
    ";
    let mut study = common::study(text, &["W"]);
    let locus = RootLocus::of(&mut study, question("W"), &grid(1.0, 20.0, 20)).unwrap();
    let found = locus.resonances(&mut study, 1.0).unwrap();
    let known = [(100.0_f64 / 2.5).sqrt(), (100.0_f64 / 1.5).sqrt()];
    assert_eq!(found.len(), 2, "{found:?}");
    for (c, known) in found.iter().zip(known) {
        assert!(
            (c.value - known).abs() < 1e-10 && (c.eigenvalue.1 - known).abs() < 1e-9,
            "{c:?} {}",
            known / TAU
        );
    }
}

/// Ziegler's idea in its simplest form: two undamped coordinates with a circulatory stiffness s
/// flutter where the frequencies meet, s = (k₂ − k₁)/2.
#[test]
fn flutter_begins_where_two_frequencies_meet() {
    let text = "
        parameter s = 0 [N/m]
        particle p on N by translate(x = x, y = y) { mass = 1 [kg] }
        force spring on p.o from N = (-1 [N/m] * x - s * y) * N.x + (s * x - 3 [N/m] * y) * N.y
    ";
    let mut study = common::study(text, &["s"]);
    let locus = RootLocus::of(&mut study, question("s"), &grid(0.0, 2.0, 8)).unwrap();
    let found = locus.critical(&mut study).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].value - 1.0).abs() < 1e-7, "{}", found[0].value);
    assert!((found[0].eigenvalue.1 - 2.0_f64.sqrt()).abs() < 1e-6, "{found:?}");
    assert_eq!(found[0].after, Stability::Unstable);
}

/// A pendulum held upright by stiffness p and damping d: stable for p > m g l and d > 0.
#[test]
fn the_map_of_a_held_pendulum_has_straight_borders() {
    let text = "
        parameter p = 1 [N*m], d = 0 [N*m*s]
        gravity = -10 [m/s^2] * N.z
        body rod on N by rotate(y = q) { mass = 1 [kg]; inertia = (0, 1, 0) [kg*m^2]; center = (0, 0, 0.5) [m] }
        torque servo on rod from N = (-p * q - d * der(q)) * N.y
    ";
    let mut study = common::study(text, &["p", "d"]);
    let map =
        stability_map(&mut study, &question("p"), &grid(0.0, 10.0, 8), ("d", &grid(-1.0, 2.0, 7))).unwrap();
    for (i, p) in map.first.iter().enumerate() {
        for (j, d) in map.second.iter().enumerate() {
            let known = match (*p > 5.0, d.total_cmp(&0.0)) {
                (true, std::cmp::Ordering::Greater) => Stability::Asymptotic,
                (true, std::cmp::Ordering::Equal) => Stability::Marginal,
                _ => Stability::Unstable,
            };
            assert_eq!(map.verdicts[i][j], Some(known), "{p} {d}");
        }
    }
    assert!(map.boundary.len() > 8);
    for (p, d) in &map.boundary {
        let away = f64::min((p - 5.0).abs(), d.abs());
        assert!(away < 1e-6 || (*p > 5.0 && *d <= 0.5 && *d >= -0.5), "{p} {d}");
    }
}

/// A wheelset on conical treads, held by springs, with linear creep (Wickens, Fundamentals of Rail Vehicle Dynamics, 3.2):
/// m ÿ + 2f (ẏ/v − ψ) + k y = 0, J ψ̈ + 2f (l² ψ̇/v + λ l y/r) + c ψ = 0. Where J = m l² and c = k l² both motions have one
/// frequency ω₀, and hunting begins where Klingel's kinematic one, v √(λ/(r l)), reaches it.
#[test]
fn a_wheelset_hunts_beyond_its_critical_speed() {
    let text = "
        gravity = 0
        parameter v = 10 [m/s], m = 1300 [kg], l = 0.75 [m], r = 0.46 [m], cone = 0.15, creep = 7 [MN], k = 230 [kN/m]
        body wheelset on N by translate(y = y) rotate(z = psi) { mass = m; inertia = (0, 0, m * l^2) }
        force lateral on wheelset.o from N = (-2 * creep * (der(y) / v - psi) - k * y) * N.y
        torque spin on wheelset from N = (-2 * creep * (l^2 * der(psi) / v + cone * l * y / r) - k * l^2 * psi) * N.z
    ";
    let mut study = common::study(text, &["v"]);
    let locus = RootLocus::of(&mut study, question("v"), &grid(5.0, 60.0, 12)).unwrap();
    let found = locus.critical(&mut study).unwrap();
    let omega = (230e3_f64 / 1300.0).sqrt();
    let known = omega * (0.46_f64 * 0.75 / 0.15).sqrt();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].value - known).abs() < 1e-9 * known, "{} {known}", found[0].value);
    assert!((found[0].eigenvalue.1 - omega).abs() < 1e-6, "{found:?}");
    assert_eq!(found[0].after, Stability::Unstable);
}
