//! Excitation by a motion that is given: a base, a drive, a length, whose rates act as well.
//!
//! ```text
//! [given]      ẋ = A x + B₀ p + B₁ ṗ + B₂ p̈,   y = C x + D₀ p + D₁ ṗ + D₂ p̈
//! [position]   x = z + B₂ ṗ + E p,  E = B₁ + A B₂:   ż = A z + (B₀ + A E) p,  y = C z + (D₀ + C E) p
//!              where C B₂ + D₁ = 0 and D₂ = 0
//! [rate]       x = z + B₂ ṗ:   ż = A z + B₀ p + (B₁ + A B₂) ṗ,  y = C z + D₀ p + (D₁ + C B₂) ṗ
//!              where D₂ = 0; p is a state
//! [acceleration]   p and ṗ are states
//! ```
//!
//! Constraints that a quantity p moves hold positions, velocities and accelerations by p, ṗ and p̈.
//! The three are independent at one instant, where p stands for p₀ + p₁ t + p₂ t²/2: the
//! derivatives by the coefficients at t = 0 are the columns of [given].

use cardan_control::matrix::part;
use cardan_control::{Matrix, StateSpace};

use crate::AnalysisError;
use crate::frequency::state_space::LinearSystem;
use crate::numeric_model::Named;

/// Which derivative of a given motion counts as the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MotionInput {
    /// p itself.
    Position,
    /// ṗ.
    Rate,
    /// p̈.
    Acceleration,
}

/// A given motion among the inputs of a linear system.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenInput {
    /// The places of the columns by p, ṗ and p̈.
    pub places: [usize; 3],
    /// The input that takes their place.
    pub named: Named,
    /// Which derivative it is.
    pub input: MotionInput,
}

/// Parts of a matrix below this part of what makes them up are rounding.
const ROUNDING: f64 = 1e-10;

impl LinearSystem {
    /// The system in which a motion that is given takes the place of its three columns; it comes
    /// last.
    pub fn with_given_motion(&self, given: &GivenInput) -> Result<LinearSystem, AnalysisError> {
        let StateSpace { a, b, c, d, .. } = &self.system;
        let (n, n_out) = (self.states.len(), self.outputs.len());
        let column = |m: &Matrix, k: usize| part(m, 0, m.nrows(), given.places[k], 1);
        let (b0, b1, b2) = (column(b, 0), column(b, 1), column(b, 2));
        let (d0, d1, d2) = (column(d, 0), column(d, 1), column(d, 2));
        let through = c * &b2;
        for (i, output) in self.outputs.iter().enumerate() {
            let made = (0..n).map(|k| (c[(i, k)] * b2[(k, 0)]).abs()).sum::<f64>() + d1[(i, 0)].abs();
            let by_rate = (through[(i, 0)] + d1[(i, 0)]).abs() > ROUNDING * made;
            let follows = match given.input {
                MotionInput::Position if d2[(i, 0)] != 0.0 => "acceleration",
                MotionInput::Position if by_rate => "rate",
                MotionInput::Rate if d2[(i, 0)] != 0.0 => "acceleration",
                _ => continue,
            };
            return Err(AnalysisError::Question(format!(
                "the output `{}` follows the {follows} of `{}` at once, so that its gain grows without end",
                output.name, given.named.name
            )));
        }
        let kept: Vec<usize> = (0..b.ncols()).filter(|k| !given.places.contains(k)).collect();
        let (a, entry, output, direct) = match given.input {
            MotionInput::Position => {
                let shift = &b1 + &(a * &b2); // [position]
                (a.clone(), &b0 + &(a * &shift), c.clone(), &d0 + &(c * &shift))
            }
            MotionInput::Rate => {
                let entry = &b1 + &(a * &b2); // [rate]
                (bordered(a, &[&b0]), below(&entry, &[1.0]), beside(c, &[&d0]), &d1 + &through)
            }
            MotionInput::Acceleration => {
                let mut wide = bordered(a, &[&b0, &b1]);
                wide[(n, n + 1)] = 1.0;
                (wide, below(&b2, &[0.0, 1.0]), beside(c, &[&d0, &d1]), d2)
            }
        };
        let (rows, m) = (a.nrows(), kept.len());
        let at = |i: usize, j: usize| if i < n { b[(i, kept[j])] } else { 0.0 };
        let b = Matrix::from_fn(rows, m + 1, |i, j| if j < m { at(i, j) } else { entry[(i, 0)] });
        let d = Matrix::from_fn(n_out, m + 1, |i, j| if j < m { d[(i, kept[j])] } else { direct[(i, 0)] });
        let mut inputs: Vec<Named> = kept.iter().map(|k| self.inputs[*k].clone()).collect();
        inputs.push(given.named.clone());
        let mut states = self.states.clone();
        let own =
            |what: &str| Named { name: format!("{} of {}", what, given.named.name), ..given.named.clone() };
        states.extend(["integral", "rate"].iter().take(rows - n).map(|what| own(what)));
        let names = |list: &[Named]| list.iter().map(|q| q.name.clone()).collect::<Vec<_>>();
        let mut system = StateSpace::new(a, b, output, d)?;
        (system.inputs, system.outputs) = (names(&inputs), names(&self.outputs));
        Ok(LinearSystem { system, inputs, outputs: self.outputs.clone(), states })
    }
}

impl LinearSystem {
    /// The response per unbalance: each force F = m e ω² cos ωt is -p̈ of p = m e cos ωt.
    pub fn by_unbalance(&self) -> Result<LinearSystem, AnalysisError> {
        let mut system = self.clone();
        let (n, n_out) = (self.states.len(), self.outputs.len());
        for k in 0..self.inputs.len() {
            // The first input that is left becomes the acceleration of an unbalance and goes behind
            // the others.
            let m = system.inputs.len();
            let wide = |of: &Matrix, rows: usize| {
                Matrix::from_fn(rows, m + 2, |i, j| match j {
                    0 | 1 => 0.0,
                    2 => -of[(i, 0)],
                    j => of[(i, j - 2)],
                })
            };
            let named = |name: &str| Named { name: name.into(), ..self.inputs[k].clone() };
            let mut inputs = vec![named("value"), named("rate")];
            inputs.extend(system.inputs.iter().cloned());
            let (b, d) = (wide(&system.system.b, n), wide(&system.system.d, n_out));
            let widened = LinearSystem {
                system: StateSpace::new(system.system.a.clone(), b, system.system.c.clone(), d)?,
                inputs,
                ..system
            };
            let unit = format!("({})*s^2", self.inputs[k].unit);
            let named = Named { unit, ..self.inputs[k].clone() };
            let given = GivenInput { places: [0, 1, 2], named, input: MotionInput::Position };
            system = widened.with_given_motion(&given)?;
        }
        Ok(system)
    }
}

/// A matrix with columns beside it and as many rows of zeros below.
fn bordered(a: &Matrix, columns: &[&Matrix]) -> Matrix {
    let (n, k) = (a.nrows(), columns.len());
    let entry = |i: usize, j: usize| match (i < n, j < n) {
        (true, true) => a[(i, j)],
        (true, false) => columns[j - n][(i, 0)],
        _ => 0.0,
    };
    Matrix::from_fn(n + k, n + k, entry)
}

/// A column with numbers below it.
fn below(column: &Matrix, more: &[f64]) -> Matrix {
    let n = column.nrows();
    Matrix::from_fn(n + more.len(), 1, |i, _| if i < n { column[(i, 0)] } else { more[i - n] })
}

/// A matrix with columns beside it.
fn beside(c: &Matrix, columns: &[&Matrix]) -> Matrix {
    let n = c.ncols();
    Matrix::from_fn(
        c.nrows(),
        n + columns.len(),
        |i, j| if j < n { c[(i, j)] } else { columns[j - n][(i, 0)] },
    )
}
