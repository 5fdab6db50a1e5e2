//! Laws of loads that depend on reactions, multipliers or accelerations, solved together with these.
//!
//! Everything that a mechanism does in a given state is affine in the efforts w of its loads, whatever their laws are. With the
//! unknowns z on which the laws depend, found by any formalism with w as letters,
//!
//! ```text
//! [efforts]    z = z0 + B w,       z0 and B free of unknowns: what happens without the efforts, and what each adds
//! [law]        ρ(z) = 0            as the model says, the efforts themselves among z: w - L(z) = 0, or a rate that is held
//! [newton]     ρ' B δ = -ρ(z0 + B w),   w ← w + δ        ρ' = ∂ρ/∂z exactly
//! [exact]      one step from w = 0 where ρ is affine in z: friction by a normal force whose side is known, contacts, locks
//! [unrolled]   else a fixed number of steps, so that the result is a function with derivatives, and [residual] tells what is left
//! [rounded]    before the last step kinks of ρ in z are taken as smooth: |x| as √(x² + ε), ε far below all squares of forces. The last
//!              step has the law as written, so each kink is one switch, and beyond it the motion goes on smoothly
//! [unique]     the pivots of ρ' B are positive: as without friction. Where one is not, another motion fits the same laws, or
//!              none does (Painlevé)
//! [shared]     held constraints that repeat others bear alike: the diagonal of ρ' B is larger by a part of 1e-13
//! [inserted]   u̇ = u̇0 + U w, λ = λ0 + Λ w, …
//! [kept]       u̇_j ← a c + (1 - a) u̇_j where a law holds one speed alone, lack = k (u̇_j - c): what is held at zero is so without rounding
//! [response]   R_k = U_k + Σ U_l x_l,   H U x = -H U_k among the active efforts l that hold on both sides: what a unit of impulse does
//! ```
//!
//! Pfeiffer, Glocker: Multibody Dynamics with Unilateral Contacts, chapters 5 and 6, has the coupled system for Coulomb's law.

use cardan_base::Map;
use cardan_expr::{Depends, Derivation, Expr, Function, Node, Pool, Rational, SymbolId};
use cardan_model::{Law, Model};

use crate::constrained::reaction_sharing::Place;

/// Steps where a law is not affine in the unknowns. [unrolled]
const STEPS: usize = 7;
/// What is added to squares of efforts. [rounded]
const TINY: &str = "1e-300";

/// Efforts that were solved for, and what tells whether they are the only ones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SolvedLaws {
    /// The letters of the efforts and what they are, free of unknowns.
    pub efforts: Vec<(Expr, Expr)>,
    /// What is left of the laws, and the size of each effort; nothing where they are solved exactly. [residual]
    pub residuals: Vec<(Expr, Expr)>,
    /// Positive where the efforts are unique. [unique]
    pub pivots: Vec<Expr>,
    /// What impulses along efforts do to speeds. [response]
    pub responses: Vec<(Expr, Expr)>,
}

/// What the unknowns of the laws are, with the efforts as letters.
pub(crate) struct Unknowns<'e> {
    pub u_dot: &'e [Expr],
    pub carried: &'e [(Place, Expr)],
    pub reactions: &'e [(Expr, Expr)],
}

/// Splits expressions into what happens without efforts and what each adds. [efforts]
pub(crate) struct Splitter<'m> {
    pool: &'m Pool,
    letters: Vec<Expr>,
    without: Map<SymbolId, Expr>,
    known: Map<Expr, Expr>,
    by: Vec<Derivation>,
}

impl<'m> Splitter<'m> {
    fn of(model: &'m Model) -> Splitter<'m> {
        let pool = model.space.pool();
        let letters: Vec<Expr> = model.laws.iter().map(|l| l.symbol).collect();
        let without =
            letters.iter().filter_map(|w| pool.as_symbol(*w)).map(|symbol| (symbol, pool.zero())).collect();
        let by = letters.iter().map(|w| Derivation::partial(pool, *w)).collect();
        Splitter { pool, letters, without, known: Map::default(), by }
    }

    /// z0 and the row of B.
    fn split(&mut self, e: Expr) -> (Expr, Vec<Expr>) {
        let pool = self.pool;
        let slopes: Vec<Expr> = self.by.iter_mut().map(|d| pool.define(d.apply(pool, e))).collect();
        (pool.define(pool.substitute(e, &self.without, &mut self.known)), slopes)
    }

    /// The expression with solved efforts. [inserted]
    pub fn insert(&mut self, e: Expr, efforts: &[(Expr, Expr)]) -> Expr {
        let (alone, slopes) = self.split(e);
        moved(self.pool, alone, &slopes, &efforts.iter().map(|(_, w)| *w).collect::<Vec<_>>())
    }
}

/// z0 + B w for one row.
fn moved(pool: &Pool, alone: Expr, slopes: &[Expr], w: &[Expr]) -> Expr {
    let parts = slopes.iter().zip(w).map(|(b, w)| pool.mul(*b, *w));
    pool.define(pool.sum([alone].into_iter().chain(parts).collect::<Vec<_>>()))
}

/// The efforts of a model's laws, and what inserts them; nothing without laws.
pub(crate) fn solve<'m>(model: &'m Model, of: &Unknowns<'_>) -> Option<(SolvedLaws, Splitter<'m>)> {
    if model.laws.is_empty() {
        return None;
    }
    let pool = model.space.pool();
    let mut splitter = Splitter::of(model);
    // What cancels an effort is the same as what never had it, and must be written as the latter.
    pool.forget(&splitter.letters);
    let unknowns = asked(model);
    let values = meanings(model, of);
    let mut seen = Map::default();
    // [efforts]
    let rows: Vec<(Expr, Vec<Expr>)> = unknowns
        .iter()
        .map(|z| match splitter.letters.iter().position(|w| w == z) {
            Some(k) => {
                let unit = |j: usize| if j == k { pool.one() } else { pool.zero() };
                (pool.zero(), (0..splitter.letters.len()).map(unit).collect())
            }
            None => splitter.split(pool.substitute(*z, &values, &mut seen)),
        })
        .collect();
    let written: Vec<Expr> = model.laws.iter().map(|l| l.residual(pool)).collect();
    let laws: Vec<Expr> = written.iter().map(|l| rounded_off(pool, *l, false)).collect();
    let held = model.laws.iter().filter(|l| matches!(l.law, Law::Holds { .. })).count();
    let system = System { pool, unknowns: &unknowns, rows: &rows, shares: held > 1 };
    let mut w = vec![pool.zero(); laws.len()];
    let slopes = system.slopes(&laws);
    let is_affine = slopes.iter().flatten().all(|s| !pool.depends(*s).intersects(Depends::UNKNOWNS));
    if !is_affine {
        let smooth: Vec<Expr> = written.iter().map(|l| rounded_off(pool, *l, true)).collect();
        let slopes = system.slopes(&smooth);
        for _ in 1..STEPS {
            w = system.step(&smooth, &slopes, &w).0;
        }
    }
    let (w, pivots) = system.step(&laws, &slopes, &w);
    let residuals = match is_affine {
        true => vec![],
        false => {
            let (left, _) = system.at(&laws, &w);
            left.into_iter().zip(w.iter().copied()).collect()
        }
    };
    let efforts = splitter.letters.iter().copied().zip(w).collect();
    let responses = responses(model, &mut splitter, of.u_dot);
    Some((SolvedLaws { efforts, residuals, pivots, responses }, splitter))
}

/// Accelerations of speeds that held constraints determine alone: the speed, where it is held, and what it is there. [kept]
pub(crate) fn kept(model: &Model) -> Vec<(usize, Expr, Expr)> {
    let pool = model.space.pool();
    let mut by: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.rate)).collect();
    let mut found = vec![];
    for law in &model.laws {
        let Law::Holds { active, lack, .. } = law.law else { continue };
        let slopes = by.iter_mut().enumerate().map(|(j, d)| (j, d.apply(pool, lack)));
        let slopes: Vec<(usize, Expr)> = slopes.filter(|(_, slope)| !pool.is_zero(*slope)).collect();
        let [(j, slope)] = slopes[..] else { continue };
        let rate = model.speeds.iter().nth(j).and_then(|(_, u)| pool.as_symbol(u.rate));
        let (Some(rate), true) = (rate, pool.as_number(slope).is_some()) else { continue };
        let without: Map<SymbolId, Expr> = [(rate, pool.zero())].into_iter().collect();
        let rest = pool.substitute(lack, &without, &mut Map::default());
        found.push((j, active, pool.define(pool.neg(pool.div(rest, slope)))));
    }
    found
}

/// What impulses along efforts do to the speeds, where the model asks. [response]
fn responses(model: &Model, splitter: &mut Splitter<'_>, u_dot: &[Expr]) -> Vec<(Expr, Expr)> {
    if model.laws.iter().all(|l| l.responses.is_empty()) {
        return vec![];
    }
    let pool = model.space.pool();
    let columns: Vec<Vec<Expr>> = u_dot.iter().map(|u| splitter.split(*u).1).collect();
    let mut by: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.rate)).collect();
    // Constraints that are held on both sides, with the derivative of what they hold by the accelerations.
    let mut locks: Vec<(usize, Expr, Vec<Expr>)> = vec![];
    for (k, law) in model.laws.iter().enumerate() {
        if let Law::Holds { active, lack, one_sided: false, .. } = law.law {
            locks.push((k, active, by.iter_mut().map(|d| pool.define(d.apply(pool, lack))).collect()));
        }
    }
    let along = |row: &[Expr], k: usize| {
        pool.sum(row.iter().zip(&columns).map(|(h, u)| pool.mul(*h, u[k])).collect::<Vec<_>>())
    };
    let mut found = vec![];
    for (k, law) in model.laws.iter().enumerate().filter(|(_, l)| !l.responses.is_empty()) {
        let others: Vec<&(usize, Expr, Vec<Expr>)> = locks.iter().filter(|(l, ..)| *l != k).collect();
        let mut arguments = vec![];
        for (i, (_, active, row)) in others.iter().enumerate() {
            for (l, other, _) in &others[..=i] {
                arguments.push(pool.define(pool.product([*active, *other, along(row, *l)])));
            }
        }
        arguments.extend(
            others.iter().map(|(_, active, row)| pool.define(pool.neg(pool.mul(*active, along(row, k))))),
        );
        let n = others.len() as u16;
        let borne: Vec<Expr> =
            (0..n).map(|j| pool.define(pool.call(Function::Solve(n, j), &arguments))).collect();
        for (symbol, column) in law.responses.iter().zip(&columns) {
            let more =
                others.iter().zip(&borne).map(|((l, active, _), x)| pool.product([*active, column[*l], *x]));
            found.push((
                *symbol,
                pool.define(pool.sum([column[k]].into_iter().chain(more).collect::<Vec<_>>())),
            ));
        }
    }
    found
}

/// The unknowns that the laws of a model contain.
fn asked(model: &Model) -> Vec<Expr> {
    let pool = model.space.pool();
    let laws: Vec<Expr> = model.laws.iter().map(|l| l.residual(pool)).collect();
    let seen = pool.reachable(laws);
    let is_unknown =
        |e: &Expr| pool.as_symbol(*e).is_some_and(|s| pool.symbol_data(s).kind == cardan_expr::Kind::Unknown);
    seen.into_iter().filter(is_unknown).collect()
}

/// What unknowns are, in terms of efforts.
fn meanings(model: &Model, of: &Unknowns<'_>) -> Map<SymbolId, Expr> {
    let pool = model.space.pool();
    let zero = pool.zero();
    let mut values: Map<SymbolId, Expr> = Map::default();
    let mut set = |symbol: Expr, value: Expr| {
        if let Some(symbol) = pool.as_symbol(symbol) {
            values.insert(symbol, value);
        }
    };
    model.speeds.iter().zip(of.u_dot).for_each(|((_, u), solved)| set(u.rate, *solved));
    for (id, constraint) in model.constraints.iter() {
        for (row, symbol) in constraint.multipliers.iter().enumerate() {
            let value = of.carried.iter().find(|(place, _)| *place == (id, row)).map_or(zero, |(_, e)| *e);
            set(*symbol, value);
        }
    }
    let mut seen = Map::default();
    let reactions: Vec<(Expr, Expr)> =
        of.reactions.iter().map(|(symbol, e)| (*symbol, pool.substitute(*e, &values, &mut seen))).collect();
    for (symbol, value) in reactions {
        if let Some(symbol) = pool.as_symbol(symbol) {
            values.insert(symbol, value);
        }
    }
    values
}

/// What [newton] works on.
struct System<'s> {
    pool: &'s Pool,
    unknowns: &'s [Expr],
    rows: &'s [(Expr, Vec<Expr>)],
    /// Whether several constraints may be held that repeat one another. [shared]
    shares: bool,
}

impl System<'_> {
    /// ρ', one row per law.
    fn slopes(&self, laws: &[Expr]) -> Vec<Vec<Expr>> {
        let mut by: Vec<Derivation> =
            self.unknowns.iter().map(|z| Derivation::partial(self.pool, *z)).collect();
        laws.iter().map(|l| by.iter_mut().map(|d| d.apply(self.pool, *l)).collect()).collect()
    }

    /// Laws where the efforts are these, and what inserts the unknowns there.
    fn at(&self, laws: &[Expr], w: &[Expr]) -> (Vec<Expr>, Map<SymbolId, Expr>) {
        let pool = self.pool;
        let place = |(z, (alone, slopes)): (&Expr, &(Expr, Vec<Expr>))| {
            Some((pool.as_symbol(*z)?, moved(pool, *alone, slopes, w)))
        };
        let values: Map<SymbolId, Expr> = self.unknowns.iter().zip(self.rows).filter_map(place).collect();
        let mut known = Map::default();
        let found = laws.iter().map(|l| pool.define(pool.substitute(*l, &values, &mut known))).collect();
        (found, values)
    }

    /// The next efforts, and the pivots. [newton]
    fn step(&self, laws: &[Expr], slopes: &[Vec<Expr>], w: &[Expr]) -> (Vec<Expr>, Vec<Expr>) {
        let pool = self.pool;
        let (found, values) = self.at(laws, w);
        let mut known = Map::default();
        let n = laws.len();
        let mut matrix = vec![vec![pool.zero(); n]; n];
        for (i, row) in slopes.iter().enumerate() {
            let here: Vec<Expr> =
                row.iter().map(|e| pool.define(pool.substitute(*e, &values, &mut known))).collect();
            for (j, entry) in matrix[i].iter_mut().enumerate() {
                let terms = here.iter().zip(self.rows).map(|(l, (_, b))| pool.mul(*l, b[j]));
                *entry = pool.define(pool.sum(terms.collect::<Vec<_>>()));
            }
        }
        if self.shares {
            let more = pool.add(pool.one(), pool.number(Rational::Small(1, 10_000_000_000_000))); // [shared]
            (0..n).for_each(|i| matrix[i][i] = pool.define(pool.mul(matrix[i][i], more)));
        }
        let lack: Vec<Expr> = found.iter().map(|law| pool.define(pool.neg(*law))).collect();
        let (change, pivots) = eliminate(pool, matrix, lack);
        (w.iter().zip(change).map(|(w, d)| pool.define(pool.add(*w, d))).collect(), pivots)
    }
}

/// The solution of A x = b by elimination in the order of the rows, and the pivots: A is near to one.
fn eliminate(pool: &Pool, mut a: Vec<Vec<Expr>>, mut b: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
    let n = b.len();
    for k in 0..n {
        for i in k + 1..n {
            if pool.is_zero(a[i][k]) {
                continue;
            }
            let factor = pool.define(pool.div(a[i][k], a[k][k]));
            for j in k..n {
                let less = pool.mul(factor, a[k][j]);
                a[i][j] = pool.define(pool.sub(a[i][j], less));
            }
            b[i] = pool.define(pool.sub(b[i], pool.mul(factor, b[k])));
        }
    }
    let mut x = vec![pool.zero(); n];
    for k in (0..n).rev() {
        let known = (k + 1..n).map(|j| pool.mul(a[k][j], x[j]));
        let rest = pool.sub(b[k], pool.sum(known.collect::<Vec<_>>()));
        x[k] = pool.define(pool.div(rest, a[k][k]));
    }
    let pivots = (0..n).map(|k| a[k][k]).collect();
    (x, pivots)
}

/// The law with roots of unknowns that have a derivative at zero, and with its kinks in them rounded off where `all`. [rounded]
fn rounded_off(pool: &Pool, law: Expr, all: bool) -> Expr {
    let tiny = Rational::from_decimal(TINY).map_or(pool.zero(), |r| pool.number(r));
    let half = Rational::Small(1, 2);
    let size = |x: Expr| pool.sqrt(pool.add(pool.powi(x, 2), tiny));
    let sign = |x: Expr| pool.div(x, size(x));
    let mean = |a: Expr, b: Expr| pool.scale(half.clone(), pool.add(a, b));
    let mut known: Map<Expr, Expr> = Map::default();
    for part in pool.reachable([law]) {
        if !pool.depends(part).intersects(Depends::UNKNOWNS) {
            continue;
        }
        let new = |x: &Expr| known.get(x).copied().unwrap_or(*x);
        let made = match pool.node(part) {
            Node::Number(_) | Node::Undefined => part,
            Node::Symbol(_) => pool.definition(part).map_or(part, |d| pool.define(new(&d))),
            Node::Sum(terms) => {
                pool.sum(terms.iter().map(|(c, m)| pool.scale(c.clone(), new(m))).collect::<Vec<_>>())
            }
            Node::Product(c, factors) => {
                let power = |(base, n): &(Expr, Rational)| {
                    let unknown = pool.depends(*base).intersects(Depends::UNKNOWNS);
                    let base = new(base);
                    let base = if unknown && !n.is_int() { pool.add(base, tiny) } else { base };
                    pool.pow(base, n.clone())
                };
                pool.scale(c, pool.product(factors.iter().map(power).collect::<Vec<_>>()))
            }
            Node::Call(f, arguments) => {
                let x: Vec<Expr> = arguments.iter().map(new).collect();
                match (f, &x[..]) {
                    _ if !all => pool.call(f, &x),
                    (Function::Abs, [x]) => size(*x),
                    (Function::Sign, [x]) => sign(*x),
                    (Function::Min, [a, b]) => {
                        pool.sub(mean(*a, *b), pool.scale(half.clone(), size(pool.sub(*a, *b))))
                    }
                    (Function::Max, [a, b]) => {
                        pool.add(mean(*a, *b), pool.scale(half.clone(), size(pool.sub(*a, *b))))
                    }
                    // Truths become the numbers one and zero.
                    (Function::Less | Function::LessEqual, [a, b]) => {
                        mean(pool.one(), sign(pool.sub(*b, *a)))
                    }
                    (Function::And, [a, b]) => pool.mul(*a, *b),
                    (Function::Or, [a, b]) => pool.sub(pool.add(*a, *b), pool.mul(*a, *b)),
                    (Function::Not, [a]) => pool.sub(pool.one(), *a),
                    (Function::Select, [c, a, b])
                        if pool.depends(arguments[0]).intersects(Depends::UNKNOWNS) =>
                    {
                        pool.add(*b, pool.mul(*c, pool.sub(*a, *b)))
                    }
                    _ => pool.call(f, &x),
                }
            }
        };
        known.insert(part, made);
    }
    known.get(&law).copied().unwrap_or(law)
}
