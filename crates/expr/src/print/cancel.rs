//! Terms that cancel between a sum and the intermediates in it.
//!
//! A derivation names what it computes on the way. With p3 = I + m L², the sum p2 - p3 + K + m L² is right and
//! holds m L² twice. Printed, it is p2 - I + K. The pool keeps what it has, since it returns an equal expression where
//! another form is built; so the shorter forms are nodes of their own that no search finds.
//!
//! ```text
//! [open]   Σ c_i m_i with m_k = Σ d_j n_j   →   Σ_{i≠k} c_i m_i + Σ_j c_k d_j n_j     if that is shorter to write
//! ```

use cardan_base::{Id, Map, Set};

use super::listing::count_uses;
use crate::canonical::product::Factors;
use crate::pool::Inner;
use crate::{Expr, Kind, Node, Pool, Rational, Symbol};

/// A sum as coefficients and monomials.
type Terms = Vec<(Rational, Expr)>;

/// Sums with more terms than this stay as they are.
const MOST_TERMS: usize = 24;
/// So many intermediates of a sum are looked at.
const MOST_SUMS: usize = 8;
/// So many of them are opened at a time.
const MOST_OPENED: usize = 3;

/// The expressions with every sum written without terms that cancel.
pub(super) fn cancelled(pool: &Pool, roots: &[Expr]) -> Vec<Expr> {
    let parts = pool.reachable(roots.iter().copied());
    let uses = count_uses(pool, &parts, roots.iter().copied());
    let lone: Set<Expr> = parts.iter().copied().filter(|e| uses.get(e).copied().unwrap_or(0) <= 1).collect();
    pool.with(|p| {
        let mut lone = lone;
        let mut shorter: Map<Expr, Expr> = Map::default();
        for e in parts {
            let new = |x: Expr| shorter.get(&x).copied().unwrap_or(x);
            let found = match p.node(e).clone() {
                Node::Number(_) | Node::Undefined => continue,
                Node::Symbol(s) => {
                    let symbol = p.symbol_of(s).clone();
                    let Some(definition) = symbol.definition.filter(|d| new(*d) != *d) else { continue };
                    let definition = Some(new(definition));
                    let again = p.renamed(Symbol { definition, kind: Kind::Intermediate, ..symbol }, e);
                    if lone.contains(&e) {
                        lone.insert(again);
                    }
                    again
                }
                Node::Sum(terms) => {
                    let is_new = terms.iter().any(|(_, m)| new(*m) != *m);
                    let terms: Terms = terms.iter().map(|(c, m)| (c.clone(), new(*m))).collect();
                    match p.opened(&terms, &lone) {
                        Some(less) => p.written(less, e),
                        None if is_new => p.written(terms, e),
                        None => continue,
                    }
                }
                Node::Product(c, factors) => {
                    let is_new = factors.iter().any(|(b, _)| new(*b) != *b);
                    let factors: Factors = factors.iter().map(|(b, n)| (new(*b), n.clone())).collect();
                    match p.joined_roots(&c, &factors) {
                        Some((c, factors)) => p.push(Node::Product(c, factors[..].into()), *p.meta(e)),
                        None if is_new => p.push(Node::Product(c, factors[..].into()), *p.meta(e)),
                        None => continue,
                    }
                }
                Node::Call(function, arguments) => {
                    if arguments.iter().all(|a| new(*a) == *a) {
                        continue;
                    }
                    p.push(Node::Call(function, arguments.iter().map(|a| new(*a)).collect()), *p.meta(e))
                }
            };
            shorter.insert(e, found);
        }
        roots.iter().map(|e| shorter.get(e).copied().unwrap_or(*e)).collect()
    })
}

impl Inner {
    /// An intermediate with another definition than the one it has in the pool.
    fn renamed(&mut self, symbol: Symbol, like: Expr) -> Expr {
        let meta = *self.meta(like);
        let id = self.add_symbol(symbol);
        let e = self.push(Node::Symbol(id), meta);
        self.symbol_exprs.push(e);
        e
    }

    /// A sum as it stands.
    fn written(&mut self, terms: Terms, like: Expr) -> Expr {
        let meta = *self.meta(like);
        match &terms[..] {
            [] => Expr::from_index(0),
            [(c, only)] if c.is_one() => *only,
            [(c, only)] => self.push(Node::Product(c.clone(), [(*only, Rational::ONE)].into()), meta),
            _ => self.push(Node::Sum(terms.into()), meta),
        }
    }

    /// A product in which roots of numbers meet that intermediates kept apart: z √2 with z = √2 m is 2 m. Nothing where
    /// none meet.
    fn joined_roots(&mut self, coefficient: &Rational, factors: &Factors) -> Option<(Rational, Factors)> {
        let is_root = |p: &Self, b: Expr, n: &Rational| p.as_number(b).is_some() && !n.is_int();
        let inside = |p: &Self, (b, n): &(Expr, Rational)| {
            let Node::Symbol(s) = p.node(*b) else { return None };
            let definition = p.symbol_of(*s).definition.filter(|_| n.is_int())?;
            match p.node(definition) {
                Node::Product(c, parts) if parts.iter().any(|(b, n)| is_root(p, *b, n)) => {
                    let power = n.to_int().and_then(|n| c.powi(n))?;
                    Some((power, parts.iter().map(|(b, m)| (*b, m.mul(n))).collect::<Factors>()))
                }
                _ => None,
            }
        };
        let mut coefficient = coefficient.clone();
        let mut all = Factors::new();
        let mut n_roots = 0;
        for factor in factors {
            let (c, parts) =
                inside(self, factor).unwrap_or((Rational::ONE, [factor.clone()].into_iter().collect()));
            coefficient = coefficient.mul(&c);
            n_roots += parts.iter().filter(|(b, _)| self.as_number(*b).is_some()).count();
            all.extend(parts);
        }
        let has_whole = all.iter().any(|(b, n)| self.as_number(*b).is_some() && n.is_int());
        if n_roots < 2 && !has_whole {
            return None;
        }
        let numbers: Factors = all.iter().filter(|(b, _)| self.as_number(*b).is_some()).cloned().collect();
        all.retain(|(b, _)| self.as_number(*b).is_none());
        let number = self.product(coefficient, numbers);
        match self.node(number) {
            Node::Number(r) => coefficient = r.clone(),
            Node::Product(c, roots) => {
                coefficient = c.clone();
                all.extend(roots.iter().cloned());
            }
            _ => return None,
        }
        (!all.is_empty()).then_some((coefficient, all))
    }

    /// The terms of what a monomial stands for, if that is a sum.
    fn inside(&self, monomial: Expr) -> Option<&[(Rational, Expr)]> {
        let behind = match self.node(monomial) {
            Node::Symbol(s) => self.symbol_of(*s).definition?,
            _ => monomial,
        };
        match self.node(behind) {
            Node::Sum(terms) => Some(terms),
            _ => None,
        }
    }

    /// The shortest sum of those that opening up to three intermediates gives, again and again; nothing if none is
    /// shorter. `[open]`
    fn opened(&self, terms: &[(Rational, Expr)], lone: &Set<Expr>) -> Option<Terms> {
        let mut best: Option<Terms> = None;
        loop {
            let now = best.as_deref().unwrap_or(terms);
            if now.len() > MOST_TERMS {
                return best;
            }
            let sums = self.sums_that_meet(now);
            let mut shortest: Option<(u32, Terms)> = None;
            for chosen in subsets(&sums, MOST_OPENED) {
                let found = self.without(now, &chosen);
                let size = self.length(&found, lone);
                let least = shortest.as_ref().map_or_else(|| self.length(now, lone), |(size, _)| *size);
                if size < least {
                    shortest = Some((size, found));
                }
            }
            match shortest {
                Some((_, found)) => best = Some(found),
                None => return best,
            }
        }
    }

    /// The terms that stand for sums and hold a monomial that occurs elsewhere in the sum too.
    fn sums_that_meet(&self, terms: &[(Rational, Expr)]) -> Vec<usize> {
        let mut n_uses: Map<Expr, usize> = Map::default();
        for (_, m) in terms {
            *n_uses.entry(*m).or_default() += 1;
            self.inside(*m).into_iter().flatten().for_each(|(_, n)| *n_uses.entry(*n).or_default() += 1);
        }
        let meets = |k: &usize| {
            let inner = self.inside(terms[*k].1).unwrap_or_default();
            inner.iter().any(|(_, n)| n_uses.get(n).is_some_and(|uses| *uses > 1))
        };
        (0..terms.len()).filter(meets).take(MOST_SUMS).collect()
    }

    /// The sum with the chosen terms opened and equal monomials collected.
    fn without(&self, terms: &[(Rational, Expr)], chosen: &[usize]) -> Terms {
        let mut all: Terms = vec![];
        let mut add = |c: Rational, m: Expr| match all.iter_mut().find(|(_, other)| *other == m) {
            Some((sum, _)) => *sum = sum.add(&c),
            None => all.push((c, m)),
        };
        for (k, (c, m)) in terms.iter().enumerate() {
            match self.inside(*m).filter(|_| chosen.contains(&k)) {
                Some(inner) => inner.iter().for_each(|(d, n)| add(c.mul(d), *n)),
                None => add(c.clone(), *m),
            }
        }
        all.retain(|(c, _)| !c.is_zero());
        // A sum begins with a positive term where it can.
        if let Some(first) = all.iter().position(|(c, _)| !c.is_negative()) {
            all.swap(0, first);
        }
        all
    }

    /// Operations of a sum as written; what is used nowhere else is written out.
    fn length(&self, terms: &[(Rational, Expr)], lone: &Set<Expr>) -> u32 {
        let one = |(c, m): &(Rational, Expr)| {
            let scaled = u32::from(c.abs() != Rational::ONE && self.as_number(*m).is_none());
            let behind = match self.node(*m) {
                Node::Symbol(s) if lone.contains(m) => self.symbol_of(*s).definition.unwrap_or(*m),
                _ => *m,
            };
            self.meta(behind).cost.saturating_add(scaled)
        };
        terms.iter().map(one).fold(terms.len() as u32, u32::saturating_add)
    }
}

/// The subsets of a few with at most so many members, none left out but the empty one.
fn subsets(of: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for k in of {
        let more: Vec<Vec<usize>> =
            all.iter().filter(|s| s.len() < most).map(|s| s.iter().chain([k]).copied().collect()).collect();
        all.extend(more);
    }
    all.retain(|s| !s.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use crate::{Kind, Listing, Pool, print::text};

    #[test]
    fn terms_that_cancel_between_a_sum_and_its_intermediates_are_not_printed() {
        let pool = Pool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.symbol(name, Kind::Parameter));
        let p = pool.define(pool.add(a, pool.mul(b, c)));
        let sum = pool.sum([d, pool.neg(p), pool.mul(b, c)]);
        let listing = Listing::of(&pool, &[("x".into(), sum), ("y".into(), pool.mul(p, p)), ("z".into(), p)]);
        let lines: Vec<String> = listing.results.iter().map(|(_, l)| text::render(l)).collect();
        assert_eq!(lines[0].matches("b*c").count(), 0, "{lines:?}");
        assert!(lines[0] == "d - a" || lines[0] == "-a + d", "{lines:?}");
        // The pool itself is as before.
        assert_eq!(pool.sum([d, pool.neg(p), pool.mul(b, c)]), sum);
    }

    #[test]
    fn a_part_that_two_scaled_sums_share_cancels() {
        let pool = Pool::new();
        let [a, b, c, x] = ["a", "b", "c", "x"].map(|name| pool.symbol(name, Kind::Coordinate));
        let long = pool.define(pool.div(pool.add(x, pool.one()), pool.sin(x)));
        let ninety = crate::Rational::Small(9, 10);
        let first = pool.scale(crate::Rational::Small(9, 500), pool.define(pool.sum([long, a, c])));
        let second =
            pool.scale(crate::Rational::Small(-1, 50), pool.define(pool.add(pool.scale(ninety, long), b)));
        let listing = Listing::of(&pool, &[("f".into(), pool.add(first, second))]);
        assert_eq!(listing.definitions().count(), 0);
        let line = text::render(&listing.results[0].1);
        assert!(!line.contains("sin"), "{line}");
    }
}
