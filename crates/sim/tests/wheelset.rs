//! A conical wheelset on two rails: creep forces by Kalker's linear coefficients, saturated by Johnson and Vermeulen's law with the
//! normal loads that the same motion brings about.

use cardan_sim::{Ending, Trajectory};

use crate::reaction_laws::{close, last, run};

/// y to the left; wheels at ± b; two rails hold z = 0 and φ = λ y/b, and their multipliers are the normal loads.
fn wheelset(speed: f64, springs: bool, start: f64, simulate: &str) -> Trajectory {
    let (ky, kp) = if springs { (4e5, 1e6) } else { (0.0, 0.0) };
    run(&format!(
        "parameter m = 1250 [kg], I = 700 [kg*m^2], r0 = 0.46 [m], b = 0.75 [m], lam = 0.1, g = 9.81 [m/s^2]
        parameter f11 = 1e7 [N], f22 = 9e6 [N], ky = {ky} [N/m], kp = {kp} [N*m/rad], mu = 0.3, V = {speed} [m/s]
        gravity = -g * N.z
        body set on N by translate(y = y) translate(z = z) rotate(z = psi) rotate(x = phi) {{
          mass = m; inertia = (1e-3 [kg*m^2], 1e-3 [kg*m^2], I)
        }}
        constraint left = z + b*phi - lam*y
        constraint right = z - b*phi + lam*y
        # Creepages, and forces of the linear theory on each wheel.
        variable along = lam*y/r0 + b*der(psi)/V, across = der(y)/V - psi
        variable linear = sqrt((f11*along)^2 + (f22*across)^2)
        function kept(rho) = if rho <= 3 then 1 - rho/3 + rho^2/27 else 1/rho
        variable kl = kept(linear/(mu*left.multiplier)), kr = kept(linear/(mu*right.multiplier))
        force creep on set.o = -(kl + kr)*f22*across * N.y
        torque steer on set = -b*(kl + kr)*f11*along * N.z
        force guide on set.o = -ky*y * N.y
        torque hold on set = -kp*psi * N.z
        output weight = left.multiplier + right.multiplier, left.multiplier
        start {{ y = {start} [m] }}
        simulate {{ {simulate} }}"
    ))
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, y| m.max(y.abs()))
}

/// Klingel: at low speed the wheelset follows a wave of length 2π √(r₀ b/λ).
#[test]
fn a_slow_wheelset_moves_along_klingels_wave() {
    let motion = wheelset(0.5, false, 1e-6, "to = 60 [s], every = 0.01 [s], rtol = 1e-9");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    for weight in motion.series("weight").expect("weight") {
        close(weight, 1250.0 * 9.81, 1e-6);
    }
    let (t, y) = (motion.times(), motion.series("y").expect("y"));
    let crossings: Vec<f64> = (1..y.len())
        .filter(|k| y[k - 1] * y[*k] < 0.0)
        .map(|k| t[k - 1] + 0.01 * y[k - 1] / (y[k - 1] - y[k]))
        .collect();
    let length = std::f64::consts::TAU * f64::sqrt(0.46 * 0.75 / 0.1);
    let n = crossings.len() - 1;
    close(2.0 * 0.5 * (crossings[n] - crossings[0]) / n as f64, length, 1e-4 * length);
}

/// The linear wheelset loses its stability at 54.08093535 m/s; beyond, the nonlinear one hunts in a limit cycle.
#[test]
fn a_fast_wheelset_hunts_beyond_its_critical_speed() {
    const CRITICAL: f64 = 54.08093535;
    for (factor, grows) in [(0.99, false), (1.01, true)] {
        let motion = wheelset(factor * CRITICAL, true, 1e-8, "to = 10 [s], every = 0.005 [s], rtol = 1e-9");
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        let y = motion.series("y").expect("y");
        let half = y.len() / 2;
        let (before, after) = (largest(&y[half / 2..half]), largest(&y[half + half / 2..]));
        assert_eq!(after > before, grows, "{factor}: {before} {after}");
    }
    let hunts = wheelset(1.3 * CRITICAL, true, 1e-3, "to = 12 [s], every = 0.005 [s], rtol = 1e-8");
    assert_eq!(hunts.ending, Ending::Finished, "{}", hunts.reason);
    let y = hunts.series("y").expect("y");
    let quarter = y.len() / 4;
    let (third, fourth) = (largest(&y[2 * quarter..3 * quarter]), largest(&y[3 * quarter..]));
    assert!(fourth > 1e-3 && (third - fourth).abs() < 0.02 * fourth, "{third} {fourth}");
    assert!(last(&hunts, "left.multiplier") > 0.0);
}
