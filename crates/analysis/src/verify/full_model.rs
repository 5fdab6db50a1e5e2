//! Models that drop small quantities, against the whole model linearised at the same state.
//!
//! ```text
//! [reference]   y₀: the start, what is small and its speed zero
//! [full-linear]      ẋ = A x of both about y₀, in the same independent states x
//! ```
//!
//! What is dropped is of second order, so A of both is one and the same where y₀ is an equilibrium or a steady motion. Elsewhere
//! accelerations are not small, and first-order terms of the mass matrix that multiply them are dropped by intention.

use cardan_base::Id;

use super::{Check, Limits, NAME_OF_SMALL, idle, relative};
use crate::linear::linearize::{LinearOptions, Linearization, Point, linearize};
use crate::{AnalysisError, Study};

/// Both matrices are known to rounding, magnified by the solution of the constraints.
const LINEAR: Limits = Limits { doubtful: 1e-8, wrong: 1e-5 };

/// Compares a model that drops small quantities with the whole one, at the time `t`.
pub fn against_whole(small: &mut Study, whole: &mut Study, t: f64) -> Result<Check, AnalysisError> {
    if small.n_states() != whole.n_states() {
        return Ok(idle(NAME_OF_SMALL, "the model has other states without small quantities"));
    }
    let mut y = small.start(t)?;
    rest_small(small, &mut y);
    small.close(t, &mut y)?;
    let mut y_whole = y.clone();
    whole.close(t, &mut y_whole)?;
    let about = linearize(small, t, &y, &LinearOptions::default())?;
    if !matches!(about.point, Point::Equilibrium | Point::Steady) {
        return Ok(idle(
            NAME_OF_SMALL,
            "with what is small at zero the model is not in equilibrium, so accelerations are not small",
        ));
    }
    let keep = about.independent.iter().map(|x| x.named.name.clone()).collect();
    let full = linearize(whole, t, &y_whole, &LinearOptions { keep })?;
    let places = |l: &Linearization| l.independent.iter().map(|x| x.place).collect::<Vec<_>>();
    if places(&about) != places(&full) {
        let compared = format!(
            "{} independent states against {} of the whole model",
            about.independent.len(),
            full.independent.len()
        );
        return Ok(LINEAR.judge(NAME_OF_SMALL, compared, f64::INFINITY));
    }
    let compared = format!(
        "linear equations of {} states against those of the model without `small`",
        about.independent.len()
    );
    let difference = relative(about.a.as_slice(), full.a.as_slice());
    Ok(LINEAR.judge(NAME_OF_SMALL, compared, difference))
}

/// [reference]
fn rest_small(study: &Study, y: &mut [f64]) {
    let (model, (n_q, ..)) = (study.model(), study.sizes());
    let pool = model.space.pool();
    let coordinates = model.coordinates.iter().map(|(id, q)| (id.index(), q.symbol));
    let speeds = model.speeds.iter().map(|(id, u)| (n_q + id.index(), u.symbol));
    for (place, symbol) in coordinates.chain(speeds) {
        if pool.small_order(symbol) > 0 {
            y[place] = 0.0;
        }
    }
}
