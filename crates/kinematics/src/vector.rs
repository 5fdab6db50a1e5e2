//! Vectors and dyadics as sums over unit vectors of any frames.

use cardan_expr::{Expr, Pool};

use crate::UnitVectorId;

/// `Σ c_k e_k`, each unit vector at most once, sorted; no zero coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Vector(pub(crate) Vec<(UnitVectorId, Expr)>);

/// `Σ c_k e_k f_k`, each pair of unit vectors at most once, sorted; no zero coefficients.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dyadic(pub(crate) Vec<((UnitVectorId, UnitVectorId), Expr)>);

fn collect<K: Copy + Ord>(pool: &Pool, mut terms: Vec<(K, Expr)>) -> Vec<(K, Expr)> {
    terms.sort_by_key(|(k, _)| *k);
    let mut out: Vec<(K, Expr)> = Vec::with_capacity(terms.len());
    let mut rest = &terms[..];
    while let Some((key, _)) = rest.first() {
        let n = rest.iter().take_while(|(k, _)| k == key).count();
        let coefficient = pool.sum(rest[..n].iter().map(|(_, e)| *e).collect::<Vec<_>>());
        if !pool.is_zero(coefficient) {
            out.push((*key, coefficient));
        }
        rest = &rest[n..];
    }
    out
}

impl Vector {
    /// The zero vector.
    pub const ZERO: Vector = Vector(Vec::new());

    /// A vector from its terms.
    pub fn new(pool: &Pool, terms: impl IntoIterator<Item = (UnitVectorId, Expr)>) -> Vector {
        Vector(collect(pool, terms.into_iter().collect()))
    }
    /// Whether this is the zero vector as written.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
    /// The terms: unit vector and coefficient.
    pub fn terms(&self) -> &[(UnitVectorId, Expr)] {
        &self.0
    }
    /// Sum.
    pub fn add(&self, pool: &Pool, other: &Vector) -> Vector {
        if other.is_zero() {
            return self.clone();
        }
        Vector::new(pool, self.0.iter().chain(&other.0).copied())
    }
    /// Difference.
    pub fn sub(&self, pool: &Pool, other: &Vector) -> Vector {
        self.add(pool, &other.neg(pool))
    }
    /// Minus the vector.
    pub fn neg(&self, pool: &Pool) -> Vector {
        self.map(pool, |e| pool.neg(e))
    }
    /// A scalar times the vector.
    pub fn scale(&self, pool: &Pool, s: Expr) -> Vector {
        self.map(pool, |e| pool.mul(s, e))
    }
    /// Every coefficient changed by a linear map.
    pub fn map(&self, pool: &Pool, f: impl Fn(Expr) -> Expr) -> Vector {
        Vector(self.0.iter().map(|(u, e)| (*u, f(*e))).filter(|(_, e)| !pool.is_zero(*e)).collect())
    }
    /// Every coefficient under a name of its own: «v».
    pub fn define(&self, pool: &Pool) -> Vector {
        self.map(pool, |e| pool.define(e))
    }
    /// Whether a division by zero is hidden in a coefficient.
    pub fn is_undefined(&self, pool: &Pool) -> bool {
        self.0.iter().any(|(_, e)| pool.is_undefined(*e))
    }
}

impl Dyadic {
    /// The zero dyadic.
    pub const ZERO: Dyadic = Dyadic(Vec::new());

    /// A dyadic from its terms.
    pub fn new(pool: &Pool, terms: impl IntoIterator<Item = ((UnitVectorId, UnitVectorId), Expr)>) -> Dyadic {
        Dyadic(collect(pool, terms.into_iter().collect()))
    }
    /// The dyad of two vectors.
    pub fn outer(pool: &Pool, a: &Vector, b: &Vector) -> Dyadic {
        let pairs = a.0.iter().flat_map(|(u, x)| b.0.iter().map(move |(v, y)| ((*u, *v), pool.mul(*x, *y))));
        Dyadic::new(pool, pairs)
    }
    /// The terms: pair of unit vectors and coefficient.
    pub fn terms(&self) -> &[((UnitVectorId, UnitVectorId), Expr)] {
        &self.0
    }
    /// Sum.
    pub fn add(&self, pool: &Pool, other: &Dyadic) -> Dyadic {
        Dyadic::new(pool, self.0.iter().chain(&other.0).copied())
    }
    /// A scalar times the dyadic.
    pub fn scale(&self, pool: &Pool, s: Expr) -> Dyadic {
        Dyadic::new(pool, self.0.iter().map(|(k, e)| (*k, pool.mul(s, *e))))
    }
    /// Whether this is the zero dyadic as written.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
}
