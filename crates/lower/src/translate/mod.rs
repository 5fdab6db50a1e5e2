//! Expressions as values of a program, one by one.
//!
//! Intermediates are transparent: what counts is their definition. Symbols are inputs or stand for other expressions.
//! The walk goes through parts before wholes and never recurses, however deep the expressions are.

pub(crate) mod arithmetic;
pub(crate) mod tables;

use cardan_base::{Arena, Id, Map};
use cardan_expr::{Expr, Function, Node, Pool, Rational, TableId};
use cardan_program::{Binary, Compare, Math, ProgramBuilder, StageId, Unary, ValueId};
use smallvec::SmallVec;

use crate::translate::arithmetic::{Factors, Signed};
use crate::translate::tables::{Place, add_tables};
use crate::{LowerError, Phase, Request};

/// What a symbol is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    Input(ValueId),
    Given(Expr),
}

/// A program in the making, and what the symbols of a pool are in it.
#[derive(Clone, Debug)]
pub(crate) struct Lowering<'p> {
    pub pool: &'p Pool,
    pub builder: ProgramBuilder,
    pub stages: [StageId; 5],
    meanings: Map<Expr, Meaning>,
    tables: Arena<TableId, Place>,
    externals: Vec<(String, usize)>,
    /// By expression.
    known: Vec<Option<Signed>>,
}

impl<'p> Lowering<'p> {
    /// A program with the inputs of a request and nothing computed yet.
    pub fn new(request: &Request<'p>) -> Result<Self, LowerError> {
        let mut builder =
            ProgramBuilder::new(request.name.clone(), Phase::ALL.map(Phase::name), Math::Finite);
        let stages = Phase::ALL.map(|p| builder.stage(p.name()).unwrap_or(Id::from_index(0)));
        let tables = add_tables(&mut builder, request.tables)?;
        let mut meanings: Map<Expr, Meaning> =
            request.given.iter().map(|(symbol, e)| (*symbol, Meaning::Given(*e))).collect();
        for (symbol, label, phase) in &request.inputs {
            let value = builder.input(label.clone(), stages[*phase as usize]);
            meanings.insert(*symbol, Meaning::Input(value));
        }
        let externals = request.externals.clone();
        Ok(Lowering { pool: request.pool, builder, stages, meanings, tables, externals, known: vec![] })
    }

    /// What a symbol is, if anything was said about it.
    pub fn meaning(&self, e: Expr) -> Option<Meaning> {
        self.meanings.get(&e).copied()
    }

    /// The expression that an intermediate or a given symbol stands for.
    pub fn stands_for(&self, e: Expr) -> Option<Expr> {
        match self.meaning(e) {
            Some(Meaning::Given(other)) => Some(other),
            Some(Meaning::Input(_)) => None,
            None => self.pool.definition(e),
        }
    }

    /// Calls `visit` with the parts that an expression is computed from, the last first.
    fn parts_backwards(&self, e: Expr, visit: impl FnMut(Expr)) {
        match self.pool.as_symbol(e) {
            Some(_) => self.stands_for(e).into_iter().for_each(visit),
            None => self.pool.parts_backwards(e, visit),
        }
    }

    /// Everything that the roots are computed from, parts first; what has a value already is left out.
    pub fn parts_first(&self, roots: &[Expr]) -> Result<Vec<Expr>, LowerError> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut states = vec![State::New; self.pool.len()];
        let mut order = vec![];
        let mut stack: Vec<(Expr, bool)> = vec![];
        for root in roots {
            stack.push((*root, false));
            while let Some((e, is_complete)) = stack.pop() {
                if is_complete {
                    states[e.index()] = State::Done;
                    order.push(e);
                    continue;
                }
                if self.known(e).is_some() {
                    continue;
                }
                match states[e.index()] {
                    State::Done => continue,
                    State::Open => return Err(LowerError::Circular { symbol: self.pool.text(e) }),
                    State::New => {}
                }
                self.check_symbol(e)?;
                states[e.index()] = State::Open;
                stack.push((e, true));
                self.parts_backwards(e, |part| {
                    if states[part.index()] != State::Done {
                        stack.push((part, false));
                    }
                });
            }
        }
        Ok(order)
    }

    fn check_symbol(&self, e: Expr) -> Result<(), LowerError> {
        let is_known = self.pool.as_symbol(e).is_none()
            || e == self.pool.pi()
            || self.meanings.contains_key(&e)
            || self.pool.definition(e).is_some();
        if is_known { Ok(()) } else { Err(LowerError::NoMeaning { symbol: self.pool.text(e) }) }
    }

    /// The value of an expression, computed as it is written.
    pub fn value(&mut self, e: Expr) -> Result<Signed, LowerError> {
        let mut stack = vec![(e, false)];
        // Only a symbol that stands for an expression can be part of itself.
        let mut open: Vec<Expr> = vec![];
        while let Some((e, is_complete)) = stack.pop() {
            if self.known(e).is_some() {
                continue;
            }
            let is_given = matches!(self.meaning(e), Some(Meaning::Given(_)));
            if is_complete {
                open.pop_if(|_| is_given);
                let value = self.translate(e);
                self.remember(e, value);
                continue;
            }
            self.check_symbol(e)?;
            if is_given {
                if open.contains(&e) {
                    return Err(LowerError::Circular { symbol: self.pool.text(e) });
                }
                open.push(e);
            }
            stack.push((e, true));
            let known = &self.known;
            self.parts_backwards(e, |part| {
                if !matches!(known.get(part.index()), Some(Some(_))) {
                    stack.push((part, false));
                }
            });
        }
        Ok(self.at(e))
    }

    /// The value of an expression, if it has been computed already.
    pub fn known(&self, e: Expr) -> Option<Signed> {
        self.known.get(e.index()).copied().flatten()
    }
    /// Notes the value of an expression that was computed elsewhere.
    pub fn remember(&mut self, e: Expr, value: Signed) {
        if self.known.len() <= e.index() {
            self.known.resize(self.pool.len(), None);
        }
        self.known[e.index()] = Some(value);
    }

    /// The value of a part that has been computed.
    fn at(&self, e: Expr) -> Signed {
        self.known(e).expect("parts are translated before what they are parts of")
    }

    fn translate(&mut self, e: Expr) -> Signed {
        match self.pool.node(e) {
            Node::Number(r) => arithmetic::number(&mut self.builder, &r),
            Node::Undefined => Signed::plus(self.builder.constant(f64::NAN)),
            Node::Symbol(_) => match (self.meaning(e), self.stands_for(e)) {
                (Some(Meaning::Input(value)), _) => Signed::plus(value),
                (_, Some(other)) => self.at(other),
                _ => Signed::plus(self.builder.constant(std::f64::consts::PI)),
            },
            Node::Sum(terms) => {
                let mut added = Factors::new();
                for (c, monomial) in terms.iter() {
                    added.push(self.product(c, &[(*monomial, Rational::ONE)]));
                }
                arithmetic::sum(&mut self.builder, added)
            }
            Node::Product(c, factors) => self.product(&c, &factors),
            Node::Call(function, arguments) => {
                let values: Vec<Signed> = arguments.iter().map(|a| self.at(*a)).collect();
                self.call(function, &values)
            }
        }
    }

    fn product(&mut self, coefficient: &Rational, factors: &[(Expr, Rational)]) -> Signed {
        let (mut above, mut below) = (Factors::new(), Factors::new());
        if !coefficient.is_one() {
            above.push(arithmetic::number(&mut self.builder, coefficient));
        }
        for (base, exponent) in factors {
            let base = self.real(self.at(*base));
            arithmetic::power(&mut self.builder, base, exponent, &mut above, &mut below);
        }
        arithmetic::quotient(&mut self.builder, &above, &below)
    }

    fn real(&mut self, x: Signed) -> Signed {
        Signed { value: arithmetic::real(&mut self.builder, x.value), ..x }
    }

    /// A function of values.
    pub fn call(&mut self, function: Function, arguments: &[Signed]) -> Signed {
        let b = &mut self.builder;
        match function {
            Function::And | Function::Or | Function::Not | Function::Select => {
                let condition = arithmetic::truth(b, arguments[0].value);
                return Signed::plus(match function {
                    Function::Not => b.not(condition),
                    Function::And => {
                        let other = arithmetic::truth(b, arguments[1].value);
                        b.and(condition, other)
                    }
                    Function::Or => {
                        let other = arithmetic::truth(b, arguments[1].value);
                        b.or(condition, other)
                    }
                    _ => {
                        let [x, y] = [1, 2].map(|i| {
                            let settled = arguments[i].settle(b);
                            arithmetic::real(b, settled)
                        });
                        b.select(condition, x, y)
                    }
                });
            }
            _ => {}
        }
        let a: SmallVec<[ValueId; 4]> = arguments
            .iter()
            .map(|x| {
                let value = arithmetic::real(b, x.value);
                Signed { value, ..*x }.settle(b)
            })
            .collect();
        let value = match (function, &a[..]) {
            (Function::Atan2, [y, x]) => b.binary(Binary::Atan2, *y, *x),
            (Function::Pow, [x, y]) => b.binary(Binary::Pow, *x, *y),
            (Function::Min, [x, y]) => b.binary(Binary::Min, *x, *y),
            (Function::Max, [x, y]) => b.binary(Binary::Max, *x, *y),
            (Function::Less, [x, y]) => b.compare(Compare::Lt, *x, *y),
            (Function::LessEqual, [x, y]) => b.compare(Compare::Le, *x, *y),
            (Function::Equal, [x, y]) => b.compare(Compare::Eq, *x, *y),
            (Function::Solve(n, k), _) => solve(b, usize::from(n), usize::from(k), &a),
            (Function::External(id), _) => match self.externals.get(id.index()) {
                Some((name, arity)) if *arity == a.len() => {
                    let function = b.function(name.clone(), u32::try_from(*arity).unwrap_or(u32::MAX));
                    b.call(function, &a)
                }
                _ => b.constant(f64::NAN),
            },
            (Function::Table(id, [dx, dy]), _) => match (self.tables.get(id), &a[..]) {
                (Some(Place::Curve(table)), [x]) => b.lookup1(*table, *x, dx),
                (Some(Place::Surface(table)), [x, y]) => b.lookup2(*table, *x, *y, dx, dy),
                _ => b.constant(f64::NAN),
            },
            (_, [x]) => match unary(function) {
                Some(op) => b.unary(op, *x),
                None => b.constant(f64::NAN),
            },
            _ => b.constant(f64::NAN),
        };
        // An odd function of a negative may come back as a negation: its sign is better kept aside.
        match *self.builder.operation(value) {
            cardan_program::Op::Unary(Unary::Neg, inner) => Signed { negative: true, value: inner },
            _ => Signed::plus(value),
        }
    }
}

/// Unknown k of a symmetric system given by its lower triangle, row by row, and its right-hand side. Equal systems are one
/// operation of the program, whichever unknowns are asked for.
fn solve(b: &mut ProgramBuilder, n: usize, k: usize, a: &[ValueId]) -> ValueId {
    let entry = |i: usize, j: usize| if i >= j { a[i * (i + 1) / 2 + j] } else { a[j * (j + 1) / 2 + i] };
    let matrix: Vec<ValueId> = (0..n * n).map(|m| entry(m / n, m % n)).collect();
    match u32::try_from(n) {
        Ok(size) => b.solve(size, &matrix, &a[n * (n + 1) / 2..])[k],
        Err(_) => b.constant(f64::NAN),
    }
}

fn unary(function: Function) -> Option<Unary> {
    Some(match function {
        Function::Sin => Unary::Sin,
        Function::Cos => Unary::Cos,
        Function::Tan => Unary::Tan,
        Function::Asin => Unary::Asin,
        Function::Acos => Unary::Acos,
        Function::Atan => Unary::Atan,
        Function::Sinh => Unary::Sinh,
        Function::Cosh => Unary::Cosh,
        Function::Tanh => Unary::Tanh,
        Function::Exp => Unary::Exp,
        Function::Ln => Unary::Ln,
        Function::Abs => Unary::Abs,
        Function::Sign => Unary::Sign,
        Function::Floor => Unary::Floor,
        _ => return None,
    })
}
