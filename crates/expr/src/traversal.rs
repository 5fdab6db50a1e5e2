//! Looking at expressions: substitution, `nominal`, `constant part`, greatest common factor, coefficients
//! of a linear expression (Sayers, Table 6).

use cardan_base::Map;

use crate::{Depends, Expr, Node, Pool, Rational, SymbolId};

impl Pool {
    /// The expression with symbols replaced. Intermediates that contain a replaced symbol are rebuilt
    /// under new names; `known` remembers what was done and may be used again for the same replacement.
    pub fn substitute(&self, e: Expr, with: &Map<SymbolId, Expr>, known: &mut Map<Expr, Expr>) -> Expr {
        for part in self.reachable([e]) {
            if known.contains_key(&part) {
                continue;
            }
            let new = |x: &Expr| known.get(x).copied().unwrap_or(*x);
            let replaced = match self.node(part) {
                Node::Number(_) | Node::Undefined => part,
                Node::Symbol(s) => match (with.get(&s), self.definition(part)) {
                    (Some(value), _) => *value,
                    (None, Some(definition)) if new(&definition) != definition => {
                        self.define(new(&definition))
                    }
                    _ => part,
                },
                Node::Sum(terms) => {
                    if terms.iter().all(|(_, m)| new(m) == *m) {
                        part
                    } else {
                        self.sum(terms.iter().map(|(c, m)| self.scale(c.clone(), new(m))).collect::<Vec<_>>())
                    }
                }
                Node::Product(c, factors) => {
                    if factors.iter().all(|(b, _)| new(b) == *b) {
                        part
                    } else {
                        let product = self.product(
                            factors.iter().map(|(b, n)| self.pow(new(b), n.clone())).collect::<Vec<_>>(),
                        );
                        self.scale(c, product)
                    }
                }
                Node::Call(f, arguments) => {
                    if arguments.iter().all(|a| new(a) == *a) {
                        part
                    } else {
                        self.call(f, &arguments.iter().map(new).collect::<Vec<_>>())
                    }
                }
            };
            known.insert(part, replaced);
        }
        known.get(&e).copied().unwrap_or(e)
    }

    /// The value in the nominal configuration: all the given coordinates zero.
    pub fn nominal(&self, e: Expr, coordinates: &[SymbolId]) -> Expr {
        let zeros = coordinates.iter().map(|q| (*q, self.zero())).collect();
        self.substitute(e, &zeros, &mut Map::default())
    }

    /// The part that cannot vanish while the system moves: the constant term of a polynomial in whatever moves, however
    /// it is factored; zero where nothing of that kind is there. Used to choose divisors that stay away from zero.
    pub fn constant_part(&self, e: Expr) -> Expr {
        self.constant_part_with(e, &mut Map::default())
    }

    /// The same for one of many expressions; `known` remembers what was done, since they share their parts.
    pub fn constant_part_with(&self, e: Expr, known: &mut Map<Expr, Expr>) -> Expr {
        if self.depends(e).is_constant() {
            return e;
        }
        if let Some(&done) = known.get(&e) {
            return done;
        }
        let found = match self.node(e) {
            Node::Symbol(_) => self.definition(e).map_or(self.zero(), |d| self.constant_part_with(d, known)),
            Node::Sum(terms) => {
                let parts =
                    terms.iter().map(|(c, m)| self.scale(c.clone(), self.constant_part_with(*m, known)));
                self.sum(parts.collect::<Vec<_>>())
            }
            // The constant term of a product is the product of the constant terms.
            Node::Product(c, factors) => {
                let part = |(base, n): &(Expr, Rational)| {
                    let polynomial = self.is_constant(*base) || n.is_int() && !n.is_negative();
                    polynomial.then(|| self.pow(self.constant_part_with(*base, known), n.clone()))
                };
                let parts: Option<Vec<Expr>> = factors.iter().map(part).collect();
                parts.map_or(self.zero(), |parts| self.scale(c, self.product(parts)))
            }
            _ => self.zero(),
        };
        known.insert(e, found);
        found
    }

    /// Whether the expression is fixed during a motion.
    pub fn is_constant(&self, e: Expr) -> bool {
        self.depends(e).is_constant()
    }

    /// The greatest common factor that is visible in the factored forms of both, numbers included: 2 of 4 a and 6 b + 2.
    pub fn gcf(&self, a: Expr, b: Expr) -> Expr {
        let ((c, factors), (d, others)) = (self.content(a), self.content(b));
        let common = factors.iter().filter_map(|(base, n)| {
            let (_, m) = others.iter().find(|(b, _)| b == base)?;
            (n.is_negative() == m.is_negative())
                .then(|| self.pow(*base, if n.abs() < m.abs() { n.clone() } else { m.clone() }))
        });
        self.scale(c.gcd(&d), self.product(common.collect::<Vec<_>>()))
    }

    /// A positive number and factors whose product is the expression up to its sign; the numbers that all terms of a sum
    /// have in common stand in the number.
    fn content(&self, e: Expr) -> (Rational, Vec<(Expr, Rational)>) {
        let (mut number, factors) = match self.node(e) {
            Node::Product(c, factors) => (c.abs(), factors.to_vec()),
            Node::Number(r) => return (r.abs(), vec![]),
            _ => (Rational::ONE, vec![(e, Rational::ONE)]),
        };
        let mut primitive = vec![];
        for (base, n) in factors {
            let Node::Sum(terms) = self.node(base) else {
                primitive.push((base, n));
                continue;
            };
            let shared = terms.iter().fold(Rational::ZERO, |g, (c, _)| g.gcd(c));
            let power = n.to_int().and_then(|n| shared.powi(n));
            match (power, shared.recip()) {
                (Some(power), Some(inverse)) if !shared.is_one() => {
                    number = number.mul(&power);
                    let rest = terms.iter().map(|(c, m)| self.scale(c.mul(&inverse), *m));
                    primitive.push((self.sum(rest.collect::<Vec<_>>()), n));
                }
                _ => primitive.push((base, n)),
            }
        }
        (number, primitive)
    }

    /// Whether a symbol occurs, definitions of intermediates included.
    pub fn contains(&self, e: Expr, symbol: SymbolId) -> bool {
        let target = self.symbol_expr(symbol);
        self.reachable([e]).binary_search(&target).is_ok()
    }

    /// Whether any symbol of these kinds occurs.
    pub fn depends_on(&self, e: Expr, kinds: Depends) -> bool {
        self.depends(e).intersects(kinds)
    }
}
