//! Whether a number vanishes when everything rests: then a surface on which it has a given value is one of sticking.
//!
//! ```text
//! [at-rest]    speeds are zero;  0 · x = 0,  0 / x = 0,  0 ± 0 = 0;  what depends on parameters and time alone is given
//! [floor]      s = Σ x_i² + Σ p_j,  p_j by parameters alone:  s ≥ Σ p_j,  so that √s never vanishes where Σ p_j > 0
//! ```
//!
//! So `v`, `r*omega - v` and the sliding speed of a point of contact are speeds, and `v - belt(t)` is one against a given speed; `v + 2*x` is not.

use cardan_base::Id;
use cardan_program::{Binary, Op, Program, StageId, Unary, ValueId};

use cardan_compile::Plan;

/// What is left of a value when all speeds vanish.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    Nothing,
    Given,
    Something,
}

/// What is known of the values of a program at rest.
pub(crate) struct Rest {
    left: Vec<Left>,
    moves: Vec<bool>,
    /// Whether the form of a value says that it is not negative. [floor]
    never_negative: Vec<bool>,
}

impl Rest {
    pub fn of(program: &Program, plan: &Plan) -> Rest {
        let speeds = plan.n_coordinates..plan.n_coordinates + plan.n_speeds;
        let place = |i: usize| plan.states.iter().position(|s| s.input == i);
        let mut rest = Rest { left: vec![], moves: vec![], never_negative: vec![] };
        for (_, op) in program.values().iter() {
            let state = match op {
                Op::Input(i) => place(i.index()),
                _ => None,
            };
            let is_speed = state.is_some_and(|k| speeds.contains(&k));
            let mut moves = is_speed;
            op.for_each_operand(|v| moves |= rest.moves[v.index()]);
            let left = match (state, is_speed) {
                (_, true) => Left::Nothing,
                (Some(_), false) => Left::Something,
                (None, _) => rest.of_operation(op),
            };
            let never_negative = rest.is_never_negative(op);
            rest.never_negative.push(never_negative);
            rest.left.push(left);
            rest.moves.push(moves);
        }
        rest
    }

    fn at(&self, v: ValueId) -> Left {
        self.left[v.index()]
    }

    fn of_operation(&self, op: &Op) -> Left {
        use Left::{Given, Nothing, Something};
        let product = |a: Left, b: Left| match (a, b) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Given, Given) => Given,
            _ => Something,
        };
        let sum = |a: Left, b: Left| match (a, b) {
            (Nothing, x) | (x, Nothing) => x,
            (Given, Given) => Given,
            _ => Something,
        };
        match op {
            Op::Const(c) => {
                if c.value() == 0.0 {
                    Nothing
                } else {
                    Given
                }
            }
            Op::Unary(Unary::Neg | Unary::Abs | Unary::Sqrt | Unary::Sin | Unary::Tan | Unary::Sign, x) => {
                self.at(*x)
            }
            Op::Binary(Binary::Mul, a, b) => product(self.at(*a), self.at(*b)),
            Op::Binary(Binary::Add | Binary::Sub, a, b) => sum(self.at(*a), self.at(*b)),
            Op::Binary(Binary::Div, a, _) if self.at(*a) == Nothing => Nothing,
            Op::Fma(a, b, c) => sum(product(self.at(*a), self.at(*b)), self.at(*c)),
            Op::Powi(x, n) if *n > 0 => self.at(*x),
            _ => {
                let mut all_given = true;
                op.for_each_operand(|v| all_given &= self.at(v) != Something);
                if all_given { Given } else { Something }
            }
        }
    }

    /// The summands p_j that parameters alone decide; nothing where other summands may be negative. [floor]
    pub fn floor(&self, program: &Program, setup: StageId, v: ValueId) -> Option<Vec<ValueId>> {
        if program.stage_of(v) <= setup {
            return Some(vec![v]);
        }
        match &program.values()[v] {
            Op::Fma(a, b, c) if self.is_square(*a, *b) => self.floor(program, setup, *c),
            Op::Binary(Binary::Add, a, b) => {
                let (a, b) = (self.floor(program, setup, *a)?, self.floor(program, setup, *b)?);
                Some(a.into_iter().chain(b).collect())
            }
            _ => self.never_negative[v.index()].then(Vec::new),
        }
    }

    /// Whether the form of a value says that it is not negative.
    pub fn is_not_negative(&self, v: ValueId) -> bool {
        self.never_negative[v.index()]
    }

    /// Whether a b ≥ 0 whatever the state, and a/b as well.
    fn is_square(&self, a: ValueId, b: ValueId) -> bool {
        a == b || (self.never_negative[a.index()] && self.never_negative[b.index()])
    }

    /// Squares and roots, their sums, products and quotients. [floor]
    fn is_never_negative(&self, op: &Op) -> bool {
        let is = |v: &ValueId| self.never_negative[v.index()];
        match op {
            Op::Const(c) => c.value() >= 0.0,
            Op::Powi(x, n) => n % 2 == 0 || is(x),
            Op::Unary(Unary::Abs | Unary::Sqrt | Unary::Exp, _) => true,
            Op::Binary(Binary::Mul | Binary::Div, a, b) => self.is_square(*a, *b),
            Op::Binary(Binary::Add, a, b) => is(a) && is(b),
            Op::Fma(a, b, c) => self.is_square(*a, *b) && is(c),
            _ => false,
        }
    }

    /// Whether these values are speeds against given ones.
    pub fn are_speeds(&self, values: &[ValueId]) -> bool {
        values.iter().any(|v| self.moves[v.index()]) && values.iter().all(|v| self.at(*v) != Left::Something)
    }
}
