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

    /// The part that cannot vanish while the system moves: the expression itself if it is constant,
    /// the constant terms of a sum, else zero. Used to choose divisors that stay away from zero.
    pub fn constant_part(&self, e: Expr) -> Expr {
        if self.depends(e).is_constant() {
            return e;
        }
        match self.node(e) {
            Node::Symbol(_) => self.definition(e).map_or(self.zero(), |d| self.constant_part(d)),
            Node::Sum(terms) => {
                let constant = terms.iter().filter(|(_, m)| self.depends(*m).is_constant());
                self.sum(constant.map(|(c, m)| self.scale(c.clone(), *m)).collect::<Vec<_>>())
            }
            _ => self.zero(),
        }
    }

    /// Whether the expression is fixed during a motion.
    pub fn is_constant(&self, e: Expr) -> bool {
        self.depends(e).is_constant()
    }

    /// The greatest common factor that is visible in the factored forms of both.
    pub fn gcf(&self, a: Expr, b: Expr) -> Expr {
        let split = |e: Expr| match self.node(e) {
            Node::Product(c, factors) => (c.abs(), factors.to_vec()),
            Node::Number(r) => (r.abs(), vec![]),
            _ => (Rational::ONE, vec![(e, Rational::ONE)]),
        };
        let ((c, factors), (d, others)) = (split(a), split(b));
        let number = if c == d { c } else { Rational::ONE };
        let common = factors.iter().filter_map(|(base, n)| {
            let (_, m) = others.iter().find(|(b, _)| b == base)?;
            (n.is_negative() == m.is_negative())
                .then(|| self.pow(*base, if n.abs() < m.abs() { n.clone() } else { m.clone() }))
        });
        self.scale(number, self.product(common.collect::<Vec<_>>()))
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
