//! Vectors that are linear in natural coordinates, and the constraint rows between them.
//!
//! ```text
//! [form]    x = Σ_j A_j q_j + x_0                         q_j points and unit vectors, A_j numbers or fixed matrices
//! [dot]     a·b - c = 0            gradient A_jᵀ b + B_jᵀ a        γ = 2 ȧ·ḃ
//! [cross]   e_i·(a × b) = 0        gradient A_jᵀ (b × e_i) + B_jᵀ (e_i × a)   γ = 2 e_i·(ȧ × ḃ)
//! [level]   e_i·a = 0              gradient A_jᵀ e_i               γ = 0
//! [angle]   (e·f) sin ψ - (g·f) cos ψ = 0                 f turned by ψ from e towards g
//! [slide]   d·u - h s - c = 0                             s a displacement along u, or h s that of a thread
//! ```
//!
//! (Jiménez, Avello, García-Alonso and García de Jalón, COMPAMM, eqs. 1 to 8.) Where COMPAMM
//! replaces the scalar by the vector product near
//! whole and half turns, [angle] takes both, so that its derivative by ψ never vanishes.

use crate::geometry::{self as g, Mat3, Vec3};

/// A factor of a coordinate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Factor {
    /// A number.
    Number(f64),
    /// A fixed matrix.
    Matrix(Mat3),
}

impl Factor {
    fn apply(&self, x: Vec3) -> Vec3 {
        match self {
            Factor::Number(c) => g::scale(*c, x),
            Factor::Matrix(m) => g::apply(m, x),
        }
    }
    /// By the transposed.
    pub fn back(&self, x: Vec3) -> Vec3 {
        match self {
            Factor::Number(c) => g::scale(*c, x),
            Factor::Matrix(m) => g::apply_transposed(m, x),
        }
    }
    fn times(&self, c: f64) -> Factor {
        match self {
            Factor::Number(x) => Factor::Number(c * x),
            Factor::Matrix(m) => Factor::Matrix(m.map(|row| g::scale(c, row))),
        }
    }
    fn matrix(&self) -> Mat3 {
        match self {
            Factor::Number(c) => g::IDENTITY.map(|row| g::scale(*c, row)),
            Factor::Matrix(m) => *m,
        }
    }
    fn plus(&self, other: &Factor) -> Factor {
        match (self, other) {
            (Factor::Number(a), Factor::Number(b)) => Factor::Number(a + b),
            _ => {
                let (a, b) = (self.matrix(), other.matrix());
                Factor::Matrix(std::array::from_fn(|i| g::add(a[i], b[i])))
            }
        }
    }
    /// self ᵀ other
    pub fn product(&self, other: &Factor) -> Mat3 {
        g::compose(&g::transpose(&self.matrix()), &other.matrix())
    }
}

/// A vector that is linear in the coordinates. [form]
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Form {
    /// Points and vectors with their factors, in order.
    pub terms: Vec<(usize, Factor)>,
    /// What does not move.
    pub constant: Vec3,
}

impl Form {
    /// A point or vector itself, times a number.
    pub fn of(triple: usize, factor: f64) -> Form {
        Form { terms: vec![(triple, Factor::Number(factor))], constant: [0.0; 3] }
    }
    /// A vector that does not move.
    pub fn fixed(constant: Vec3) -> Form {
        Form { terms: vec![], constant }
    }
    /// Whether it does not move.
    pub fn is_fixed(&self) -> bool {
        self.terms.is_empty()
    }
    /// self + c other
    #[must_use]
    pub fn plus(&self, c: f64, other: &Form) -> Form {
        let mut terms = self.terms.clone();
        for (triple, factor) in &other.terms {
            let factor = factor.times(c);
            match terms.binary_search_by_key(triple, |t| t.0) {
                Ok(at) => terms[at].1 = terms[at].1.plus(&factor),
                Err(at) => terms.insert(at, (*triple, factor)),
            }
        }
        terms.retain(|(_, f)| *f != Factor::Number(0.0));
        Form { terms, constant: g::add(self.constant, g::scale(c, other.constant)) }
    }
    /// c self
    #[must_use]
    pub fn times(&self, c: f64) -> Form {
        Form::default().plus(c, self)
    }
    /// A fixed vector times this.
    #[must_use]
    pub fn crossed_by(&self, fixed: Vec3) -> Form {
        let [x, y, z] = fixed;
        let skew = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
        let turned = |f: &Factor| Factor::Matrix(g::compose(&skew, &f.matrix()));
        Form {
            terms: self.terms.iter().map(|(t, f)| (*t, turned(f))).collect(),
            constant: g::cross(fixed, self.constant),
        }
    }
    /// Its value for these coordinates.
    pub fn value(&self, q: &[f64]) -> Vec3 {
        g::add(self.constant, self.rate(q))
    }
    /// Its rate for these rates of coordinates.
    pub fn rate(&self, v: &[f64]) -> Vec3 {
        self.terms.iter().fold([0.0; 3], |sum, (t, f)| g::add(sum, f.apply(triple(v, *t))))
    }
    /// Adds the transposed factors times a vector to a list.
    pub fn spread(&self, x: Vec3, out: &mut [f64]) {
        for (t, f) in &self.terms {
            let back = f.back(x);
            (0..3).for_each(|i| out[3 * t + i] += back[i]);
        }
    }
    /// A text that is the same for the same form, whatever its sign.
    fn key(&self) -> String {
        let first = self.terms.first().map_or(1.0, |(_, f)| match f {
            Factor::Number(c) => c.signum(),
            Factor::Matrix(_) => 1.0,
        });
        format!("{:?}", self.times(first))
    }
}

/// Three numbers of a list.
pub fn triple(q: &[f64], k: usize) -> Vec3 {
    [q[3 * k], q[3 * k + 1], q[3 * k + 2]]
}

/// A constraint row.
#[derive(Clone, PartialEq, Debug)]
pub enum Row {
    /// [dot]
    Dot(Form, Form, f64),
    /// [cross]
    Cross(Form, Form, usize),
    /// [level]
    Level(Form, usize),
    /// [angle]: e, g and f, and the place of ψ.
    Angle(Box<[Form; 3]>, usize),
    /// [slide]: d, u, the place of s, h and c.
    Slide(Form, Form, usize, [f64; 2]),
    /// Between angles and displacements of joints: the row of the mechanism and the places in it,
    /// with that of each term.
    Between(usize, Vec<usize>),
}

/// Value, rate and γ of a row.
#[derive(Clone, Copy, Default, Debug)]
pub struct Level {
    /// Of the constraint.
    pub value: f64,
    /// Its derivative by time.
    pub rate: f64,
    /// The second derivative without accelerations.
    pub gamma: f64,
}

impl Row {
    /// The forms in it.
    pub fn forms(&self) -> Vec<&Form> {
        match self {
            Row::Dot(a, b, _) | Row::Cross(a, b, _) | Row::Slide(a, b, ..) => vec![a, b],
            Row::Level(a, _) => vec![a],
            Row::Angle(list, _) => list.iter().collect(),
            Row::Between(..) => vec![],
        }
    }

    /// The points and vectors in it, in order.
    pub fn triples(&self) -> Vec<usize> {
        let mut found: Vec<usize> =
            self.forms().iter().flat_map(|f| f.terms.iter().map(|(t, _)| *t)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The places of angles and displacements in it.
    pub fn scalars(&self) -> Vec<usize> {
        match self {
            Row::Angle(_, place) | Row::Slide(_, _, place, _) => vec![*place],
            Row::Between(_, places) => places.clone(),
            _ => vec![],
        }
    }

    /// Numbers in its gradient that need not be zero, whatever the position.
    pub fn n_nonzeros(&self) -> usize {
        let is_number = |t: usize| {
            let mut own = self.forms().into_iter().flat_map(|f| &f.terms).filter(|(k, _)| *k == t);
            own.all(|(_, f)| matches!(f, Factor::Number(_)))
        };
        let of = |t: usize| match self {
            Row::Cross(..) if is_number(t) => 2,
            Row::Level(..) if is_number(t) => 1,
            _ => 3,
        };
        self.triples().into_iter().map(of).sum::<usize>() + self.scalars().len()
    }

    /// Differences of points that its gradient needs, as pairs of forms' texts; scaling is not
    /// counted.
    pub fn differences(&self) -> Vec<String> {
        let moving = self.forms().into_iter().filter(|f| {
            let points = f.terms.len() + usize::from(f.constant != [0.0; 3]);
            !f.is_fixed() && points > 1
        });
        moving.map(Form::key).collect()
    }

    /// A text that is the same for rows that demand the same.
    pub fn key(&self) -> String {
        match self {
            Row::Dot(a, b, _) => {
                let mut keys = [a.key(), b.key()];
                keys.sort();
                format!("dot {keys:?}")
            }
            other => format!("{other:?}"),
        }
    }

    /// Whether no coordinate occurs in it.
    pub fn is_fixed(&self) -> bool {
        self.triples().is_empty() && self.scalars().is_empty()
    }

    /// Value, rate and γ of a row of forms, and its gradient: three numbers for each of its
    /// triples, then its scalars.
    pub fn evaluate(&self, triples: &[usize], x: [&[f64]; 2], gradient: &mut [f64]) -> Level {
        let [q, v] = x;
        gradient.fill(0.0);
        let mut put = |form: &Form, by: Vec3| {
            for (t, f) in &form.terms {
                if let Ok(at) = triples.binary_search(t) {
                    let back = f.back(by);
                    (0..3).for_each(|i| gradient[3 * at + i] += back[i]);
                }
            }
        };
        let both = |a: &Form, b: &Form| (a.value(q), b.value(q), a.rate(v), b.rate(v));
        match self {
            Row::Dot(a, b, c) => {
                let (x, y, dx, dy) = both(a, b);
                put(a, y);
                put(b, x);
                let rate = g::dot(dx, y) + g::dot(x, dy);
                Level { value: g::dot(x, y) - c, rate, gamma: 2.0 * g::dot(dx, dy) }
            }
            Row::Cross(a, b, i) => {
                let (x, y, dx, dy) = both(a, b);
                let e = g::IDENTITY[*i];
                put(a, g::cross(y, e));
                put(b, g::cross(e, x));
                let rate = g::dot(e, g::add(g::cross(dx, y), g::cross(x, dy)));
                Level { value: g::cross(x, y)[*i], rate, gamma: 2.0 * g::cross(dx, dy)[*i] }
            }
            Row::Level(a, i) => {
                put(a, g::IDENTITY[*i]);
                Level { value: a.value(q)[*i], rate: a.rate(v)[*i], gamma: 0.0 }
            }
            Row::Angle(list, place) => {
                let [e, h, f] = &**list;
                let (psi, spin) = (q[*place], v[*place]);
                let (s, c) = psi.sin_cos();
                let (x, y, z) = (e.value(q), h.value(q), f.value(q));
                let (dx, dy, dz) = (e.rate(v), h.rate(v), f.rate(v));
                let (cosine, sine) = (g::dot(x, z), g::dot(y, z));
                let (dc, ds) = (g::dot(dx, z) + g::dot(x, dz), g::dot(dy, z) + g::dot(y, dz));
                put(e, g::scale(s, z));
                put(h, g::scale(-c, z));
                put(f, g::sub(g::scale(s, x), g::scale(c, y)));
                let by_angle = cosine * c + sine * s;
                gradient[3 * triples.len()] = by_angle;
                let bent = 2.0 * (s * g::dot(dx, dz) - c * g::dot(dy, dz));
                Level {
                    value: cosine * s - sine * c,
                    rate: dc * s - ds * c + by_angle * spin,
                    gamma: bent + 2.0 * (dc * c + ds * s) * spin + (sine * c - cosine * s) * spin * spin,
                }
            }
            Row::Slide(d, u, place, [h, c]) => {
                let (x, y, dx, dy) = both(d, u);
                put(d, y);
                put(u, x);
                gradient[3 * triples.len()] = -h;
                Level {
                    value: g::dot(x, y) - h * q[*place] - c,
                    rate: g::dot(dx, y) + g::dot(x, dy) - h * v[*place],
                    gamma: 2.0 * g::dot(dx, dy),
                }
            }
            Row::Between(..) => Level::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates and second derivatives of every kind of row against differences along a curve.
    #[test]
    fn rows_are_differentiated() {
        let tilted = Form::of(0, 0.7).plus(-0.7, &Form::of(1, 1.0)).plus(1.0, &Form::fixed([0.1, 0.2, -0.3]));
        let turned = Form::of(2, 1.0).plus(0.5, &Form::of(1, 1.0).crossed_by([0.3, -0.4, 0.5]));
        let other = Form::of(2, 0.4).plus(1.0, &Form::of(0, 0.3));
        let rows = [
            Row::Dot(tilted.clone(), turned.clone(), 0.3),
            Row::Cross(tilted.clone(), turned.clone(), 1),
            Row::Level(turned.clone(), 2),
            Row::Angle(Box::new([tilted.clone(), turned.clone(), other.clone()]), 9),
            Row::Slide(tilted, other, 9, [0.7, 0.2]),
        ];
        let n = 10;
        let at =
            |t: f64| -> Vec<f64> { (0..n).map(|k| (0.3 * k as f64 + 1.3 * t).sin() + 0.1 * t * t).collect() };
        let rates = |t: f64| -> Vec<f64> {
            (0..n).map(|k| 1.3 * (0.3 * k as f64 + 1.3 * t).cos() + 0.2 * t).collect()
        };
        let seconds: Vec<f64> = (0..n).map(|k| -1.69 * (0.3 * k as f64 + 1.3 * 0.4f64).sin() + 0.2).collect();
        for row in rows {
            let triples = row.triples();
            let mut gradient = vec![0.0; 3 * triples.len() + row.scalars().len()];
            let mut level =
                |t: f64| (row.evaluate(&triples, [&at(t), &rates(t)], &mut gradient), gradient.clone());
            let h = 1e-5;
            let ((below, _), (above, _), (here, gradient)) = (level(0.4 - h), level(0.4 + h), level(0.4));
            let places: Vec<usize> =
                triples.iter().flat_map(|t| 3 * t..3 * t + 3).chain(row.scalars()).collect();
            let along = |x: &[f64]| places.iter().zip(&gradient).map(|(p, d)| x[*p] * d).sum::<f64>();
            assert!(((above.value - below.value) / (2.0 * h) - here.rate).abs() < 1e-8, "{row:?}");
            assert!((along(&rates(0.4)) - here.rate).abs() < 1e-13, "{row:?}");
            let second = (above.rate - below.rate) / (2.0 * h);
            assert!((along(&seconds) + here.gamma - second).abs() < 1e-8, "{row:?}");
        }
    }
}
