//! A right-hand side that has few digits near an instant, and none at it: the motion before is continued across.

use cardan_solve::{Control, Failure, Method, Options, Problem, StopReason, System, integrate};

/// ẏ = cos t, with errors that grow as the square of the nearness to t = 1, as accelerations have near a singular position.
struct Undetermined {
    sign: f64,
    last: f64,
    passed: Vec<f64>,
}

const AT: f64 = 1.0;

impl System for Undetermined {
    fn dim(&self) -> usize {
        1
    }
    fn derivative(&mut self, t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = t.cos() + 1e-16 / (t - AT).powi(2) * (1e9 * t).sin();
        Ok(())
    }
    fn has_margin(&self) -> bool {
        true
    }
    fn margin(&mut self, t: f64, _y: &[f64]) -> Result<f64, Failure> {
        self.last = AT - t;
        Ok(self.last * self.sign)
    }
    fn mark(&mut self) {
        self.sign = if self.last < 0.0 { -1.0 } else { 1.0 };
    }
    fn passed(&mut self, t: f64, _y: &[f64]) -> Result<(), Failure> {
        self.passed.push(t);
        Ok(())
    }
}

#[test]
fn every_method_leaps_across_an_undetermined_instant() {
    for method in [Method::Rk4, Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf] {
        let mut system = Undetermined { sign: 1.0, last: 1.0, passed: vec![] };
        let options = Options::with_method(method);
        let outcome =
            integrate(&mut system, &Problem::new(0.0, 2.0, [0.0]), &options, &mut |_| Control::Continue);
        assert_eq!(outcome.stop, StopReason::ReachedEnd, "{method}");
        let error = (outcome.y_reached[0] - 2f64.sin()).abs();
        assert!(error < 1e-8, "{method}: {error:e}");
        assert_eq!(outcome.passages, system.passed, "{method}");
        assert_eq!(system.passed.len(), 1, "{method}");
        assert!((system.passed[0] - AT).abs() < 1e-12, "{method}: {}", system.passed[0]);
    }
}

/// A margin that comes near zero and turns back is no passage.
#[test]
fn a_near_miss_is_followed_by_ordinary_steps() {
    struct Miss;
    impl System for Miss {
        fn dim(&self) -> usize {
            1
        }
        fn derivative(&mut self, t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            dy[0] = t.cos();
            Ok(())
        }
        fn has_margin(&self) -> bool {
            true
        }
        fn margin(&mut self, t: f64, _y: &[f64]) -> Result<f64, Failure> {
            Ok((t - AT).hypot(1e-4))
        }
    }
    let options = Options::with_method(Method::Dop853);
    let outcome = integrate(&mut Miss, &Problem::new(0.0, 2.0, [0.0]), &options, &mut |_| Control::Continue);
    assert_eq!((outcome.stop, outcome.passages), (StopReason::ReachedEnd, vec![]));
    assert!((outcome.y_reached[0] - 2f64.sin()).abs() < 1e-10);
}
