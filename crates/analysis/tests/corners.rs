//! Corners of recorded speeds: no derivative is taken across a jump of a force.

use cardan_analysis::{corners, differences_in_pieces};

fn curve(n: usize, f: &dyn Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>) {
    let times: Vec<f64> = (0..n).map(|k| 0.01 * k as f64).collect();
    let values = times.iter().map(|t| f(*t)).collect();
    (times, values)
}

#[test]
fn a_jump_of_the_slope_is_found_between_samples_and_at_them() {
    for at in [0.3, 0.3037, 0.3099] {
        let f = |t: f64| if t < at { t.sin() } else { at.sin() - 2.0 * (t - at) + (t - at).powi(2) };
        let (times, values) = curve(101, &f);
        let starts = corners(&times, &values);
        assert_eq!(starts.len(), 1, "{at}: {starts:?}");
        let slopes = differences_in_pieces(&times, &values, &starts);
        for (t, slope) in times.iter().zip(&slopes) {
            let exact = if *t < at { t.cos() } else { -2.0 + 2.0 * (t - at) };
            assert!((slope - exact).abs() < 1e-5 || (t - at).abs() < 1e-12, "{at}: {slope} at {t}");
        }
    }
}

#[test]
fn smooth_curves_have_no_corners() {
    for (name, f) in [
        ("sine", &(|t: f64| (7.0 * t).sin()) as &dyn Fn(f64) -> f64),
        ("line", &|t| 3.0 * t - 1.0),
        ("cubic", &|t| (t - 0.5).powi(3)),
        ("decay", &|t| (-5.0 * t).exp()),
        ("rest", &|_| 0.0),
    ] {
        let (times, values) = curve(101, f);
        assert_eq!(corners(&times, &values), Vec::<usize>::new(), "{name}");
    }
}
