//! The weights of surfaces on which a motion slides, as part of a program.
//!
//! ```text
//! [scaled]   B_ij = A_ij/A_ii,  r_i ← r_i/A_ii       rows and columns of surfaces that do not slide are those of the unit matrix, and their r_i is zero
//! [shared]   (B + ε) x' = r,   (B + ε) (x - x') = r - B x'
//! ```
//!
//! ε decides what each of several surfaces bears where a loop or a gear makes one follow from the others: none bears what the others bear already, and the motion is
//! the same as with any other weights. The second solution takes away what ε changes in weights that are unique, but for ε². All principal minors of B are positive for
//! friction, or zero where surfaces are tied, so B + ε is eliminated without exchange of rows.

use cardan_program::{ProgramBuilder, ValueId};

/// ε.
const SHARED: f64 = 1e-9;

/// The solution x of A x = r among the surfaces that slide; zero for the others.
pub(crate) fn weights(
    b: &mut ProgramBuilder,
    a: &[Vec<ValueId>],
    r: &[ValueId],
    slides: &[ValueId],
) -> Vec<ValueId> {
    let n = slides.len();
    let [zero, one] = [0.0, 1.0].map(|x| b.constant(x));
    let (mut matrix, mut load) = (vec![vec![one; n]; n], vec![zero; n]);
    for i in 0..n {
        let own = b.select(slides[i], a[i][i], one);
        for j in (0..n).filter(|j| *j != i) {
            let both = b.and(slides[i], slides[j]);
            let entry = b.select(both, a[i][j], zero);
            matrix[i][j] = b.div(entry, own);
        }
        let own_load = b.select(slides[i], r[i], zero);
        load[i] = b.div(own_load, own);
    }
    if n == 1 {
        return load;
    }
    let mut x = eliminated(b, &matrix, load.clone());
    for (i, row) in matrix.iter().enumerate() {
        for (entry, x) in row.iter().zip(&x) {
            let less = b.mul(*entry, *x);
            load[i] = b.sub(load[i], less);
        }
    }
    let more = eliminated(b, &matrix, load);
    x.iter_mut().zip(more).for_each(|(x, more)| *x = b.add(*x, more));
    x
}

/// The solution x of (B + ε) x = r, without exchange of rows.
fn eliminated(b: &mut ProgramBuilder, matrix: &[Vec<ValueId>], mut x: Vec<ValueId>) -> Vec<ValueId> {
    let n = x.len();
    let mut matrix = matrix.to_vec();
    (0..n).for_each(|k| matrix[k][k] = b.constant(1.0 + SHARED));
    for k in 0..n {
        for i in k + 1..n {
            let factor = b.div(matrix[i][k], matrix[k][k]);
            for j in k + 1..n {
                let less = b.mul(factor, matrix[k][j]);
                matrix[i][j] = b.sub(matrix[i][j], less);
            }
            let less = b.mul(factor, x[k]);
            x[i] = b.sub(x[i], less);
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            let less = b.mul(matrix[k][j], x[j]);
            x[k] = b.sub(x[k], less);
        }
        x[k] = b.div(x[k], matrix[k][k]);
    }
    x
}

#[cfg(test)]
mod tests {
    use cardan_program::{Compare, Execute, Interpreter, Label, Math, Stages};

    use crate::nonsmooth::filippov_weights::*;

    /// Surfaces with A = -J M⁻¹ Jᵀ F of a gear 1 : -0.5 whose shafts have friction 1 and 2, and one that is independent.
    #[test]
    fn weights_hold_tied_surfaces_and_leave_out_those_that_do_not_slide() {
        let a = [[-2.0, 2.0, 0.4], [1.0, -1.0, -0.2], [0.3, -0.3, -3.0]];
        let r = [-0.6, 0.3, -1.2];
        for slides in [[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]] {
            let mut b = ProgramBuilder::new("weights", ["main"], Math::Finite);
            let stage = b.stage("main").expect("it has one stage");
            let zero = b.constant(0.0);
            let told = slides.map(|_| b.input(Label::named("slides"), stage));
            let told = told.map(|s| b.compare(Compare::Lt, zero, s));
            let matrix = a.map(|row| row.map(|x| b.constant(x)).to_vec());
            let load = r.map(|x| b.constant(x));
            for x in weights(&mut b, &matrix, &load, &told) {
                b.output(Label::named("weight"), stage, x);
            }
            let program = b.finish().expect("a sound program");
            let mut x = [0.0; 3];
            let mut interpreter = Interpreter::new(&program).expect("it calls nothing");
            let stages = Stages { first: stage, last: stage };
            interpreter.run(stages, &slides, &mut x).expect("it has a value");
            for i in 0..3 {
                let sum: f64 = (0..3).map(|j| a[i][j] * x[j]).sum();
                let gap = if slides[i] > 0.0 { sum - r[i] } else { x[i] };
                assert!(gap.abs() < 1e-12, "{slides:?}: {x:?} misses by {gap}");
            }
            assert!(x.iter().all(|x| x.abs() < 1.0), "{slides:?}: {x:?}");
        }
    }
}
