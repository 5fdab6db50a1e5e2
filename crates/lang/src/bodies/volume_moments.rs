//! Volume, first and second moments of homogeneous solids, exactly, in the axes of the body.
//!
//! ```text
//! [moments]        V = ∫ dV,   F = ∫ r dV,   S = ∫ r rᵀ dV          about the body's origin
//! [axisymmetric]   S = a (1 - e eᵀ) + b e eᵀ + V c cᵀ                axis e, centroid c; a across, b along
//! [polygon]        ∫ f dA = Σ over the edges of the triangles (0, Pi, Pj), exact for polynomials
//! [revolution]     V = 2π ∫ r dA,   a = π ∫ r³ dA,   ∫ z² dV = 2π ∫ r z² dA
//! [mesh]           V = Σ a·(b × c)/6,   S = Σ V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20,   s = a + b + c: tetrahedra from the origin
//! [inertia]        I = ρ (tr(S') 1 - S'),   S' = S - V c cᵀ
//! ```
//!
//! Any handbook has the results for single solids, e.g. Wittenburg, Dynamics of Multibody Systems, ch. 3; polygons after Steger,
//! On the Calculation of Arbitrary Moments of Polygons, 1996; meshes by the divergence theorem, Tonon, Explicit Exact Formulas for the
//! 3-D Tetrahedron Inertia Tensor, J. Mathematics and Statistics 1 (2004) 8. The moments of a mesh are numbers, not exact.

use cardan_expr::{Expr, Pool, Rational};
use cardan_model::{Shape, ShapeKind};

/// Moments of a solid about the body's origin, or of matter if they are weighted by densities. [moments]
#[derive(Clone, Copy)]
pub struct Moments {
    /// The volume, or the mass.
    pub volume: Expr,
    /// The first moments.
    pub first: [Expr; 3],
    /// The second moments.
    pub second: [[Expr; 3]; 3],
}

impl Moments {
    /// Nothing.
    pub fn none(pool: &Pool) -> Self {
        let zero = pool.zero();
        Moments { volume: zero, first: [zero; 3], second: [[zero; 3]; 3] }
    }

    /// These and those of another solid times a factor, such as its density, negative for a hole.
    pub fn with(self, pool: &Pool, factor: Expr, other: &Moments) -> Self {
        let sum = |a: Expr, b: Expr| pool.add(a, pool.mul(factor, b));
        Moments {
            volume: sum(self.volume, other.volume),
            first: std::array::from_fn(|i| sum(self.first[i], other.first[i])),
            second: std::array::from_fn(|i| {
                std::array::from_fn(|j| sum(self.second[i][j], other.second[i][j]))
            }),
        }
    }

    /// The centroid.
    pub fn center(&self, pool: &Pool) -> [Expr; 3] {
        self.first.map(|f| pool.div(f, self.volume))
    }

    /// The inertia about the centroid, for a density of one. [inertia]
    pub fn inertia(&self, pool: &Pool) -> [[Expr; 3]; 3] {
        let c = self.center(pool);
        let central = |i: usize, j: usize| pool.sub(self.second[i][j], pool.mul(self.first[i], c[j]));
        let trace = pool.sum((0..3).map(|i| central(i, i)).collect::<Vec<_>>());
        std::array::from_fn(|i| {
            std::array::from_fn(|j| match i == j {
                true => pool.sub(trace, central(i, j)),
                false => pool.neg(central(i, j)),
            })
        })
    }

    /// A solid with its centroid at `c` and these second moments about it.
    fn at(pool: &Pool, volume: Expr, c: [Expr; 3], central: [[Expr; 3]; 3]) -> Self {
        let first = c.map(|x| pool.mul(volume, x));
        let moved = |i: usize, j: usize| pool.add(central[i][j], pool.mul(first[i], c[j]));
        Moments { volume, first, second: std::array::from_fn(|i| std::array::from_fn(|j| moved(i, j))) }
    }

    /// The same solid moved by a vector.
    fn moved(&self, pool: &Pool, by: [Expr; 3]) -> Self {
        let (v, f) = (self.volume, self.first);
        let part = |i: usize, j: usize| {
            let mixed = pool.add(pool.mul(f[i], by[j]), pool.mul(by[i], f[j]));
            pool.sum([self.second[i][j], mixed, pool.mul(v, pool.mul(by[i], by[j]))])
        };
        Moments {
            volume: v,
            first: std::array::from_fn(|i| pool.add(f[i], pool.mul(v, by[i]))),
            second: std::array::from_fn(|i| std::array::from_fn(|j| part(i, j))),
        }
    }

    /// A solid of revolution. [axisymmetric]
    fn round(pool: &Pool, volume: Expr, across: Expr, along: Expr, e: [Expr; 3], c: [Expr; 3]) -> Self {
        let more = pool.sub(along, across);
        let part = |i: usize, j: usize| {
            let tilted = pool.mul(more, pool.mul(e[i], e[j]));
            if i == j { pool.add(across, tilted) } else { tilted }
        };
        let central = std::array::from_fn(|i| std::array::from_fn(|j| part(i, j)));
        Moments::at(pool, volume, c, central)
    }

    /// A solid with three planes of symmetry across the axes.
    fn symmetric(pool: &Pool, volume: Expr, factor: Rational, sizes: [Expr; 3], c: [Expr; 3]) -> Self {
        let zero = pool.zero();
        let part = |i: usize, j: usize| match i == j {
            true => pool.scale(factor.clone(), pool.mul(volume, pool.powi(sizes[i], 2))),
            false => zero,
        };
        let central = std::array::from_fn(|i| std::array::from_fn(|j| part(i, j)));
        Moments::at(pool, volume, c, central)
    }
}

/// The moments of a shape.
pub fn moments(pool: &Pool, shape: &Shape) -> Moments {
    let part = |n: i64, d: i64, e: Expr| pool.scale(Rational::Small(n, d), e);
    let square = |x: Expr| pool.powi(x, 2);
    let product = |list: &[Expr]| list.iter().fold(pool.one(), |p, x| pool.mul(p, *x));
    let e = shape.axis.unwrap_or([pool.zero(), pool.zero(), pool.one()]);
    let shifted = |by: Expr| std::array::from_fn(|i| pool.add(shape.at[i], pool.mul(by, e[i])));
    let cylinder = |r: Expr, l: Expr, e: [Expr; 3], c: [Expr; 3]| {
        let v = product(&[pool.pi(), square(r), l]);
        Moments::round(pool, v, part(1, 4, pool.mul(v, square(r))), part(1, 12, pool.mul(v, square(l))), e, c)
    };
    match &shape.kind {
        ShapeKind::Plane => Moments::none(pool),
        ShapeKind::Box(size) => {
            Moments::symmetric(pool, product(size), Rational::Small(1, 12), *size, shape.at)
        }
        ShapeKind::Ellipsoid(radii) => {
            let v = part(4, 3, pool.mul(pool.pi(), product(radii)));
            Moments::symmetric(pool, v, Rational::Small(1, 5), *radii, shape.at)
        }
        ShapeKind::Sphere(r) => {
            let v = part(4, 3, pool.mul(pool.pi(), pool.powi(*r, 3)));
            Moments::symmetric(pool, v, Rational::Small(1, 5), [*r; 3], shape.at)
        }
        ShapeKind::Cylinder(r, l) => cylinder(*r, *l, e, shape.at),
        ShapeKind::Tube(outer, inner, l) => {
            let hole = cylinder(*inner, *l, e, shape.at);
            cylinder(*outer, *l, e, shape.at).with(pool, pool.int(-1), &hole)
        }
        ShapeKind::Capsule(r, l) => {
            let middle = product(&[pool.pi(), square(*r), *l]);
            let ball = part(4, 3, pool.mul(pool.pi(), pool.powi(*r, 3)));
            let across =
                pool.add(part(1, 4, pool.mul(middle, square(*r))), part(1, 5, pool.mul(ball, square(*r))));
            // A half ball whose flat side is at l/2: ∫ (l/2 + ζ)² with the mean 3r/8 and the mean square r²/5 of ζ.
            let caps = [part(1, 4, square(*l)), part(3, 8, pool.mul(*l, *r)), part(1, 5, square(*r))];
            let along = pool.add(part(1, 12, pool.mul(middle, square(*l))), pool.mul(ball, pool.sum(caps)));
            Moments::round(pool, pool.add(middle, ball), across, along, e, shape.at)
        }
        ShapeKind::Cone(r, l) => {
            let v = part(1, 3, product(&[pool.pi(), square(*r), *l]));
            let (across, along) =
                (part(3, 20, pool.mul(v, square(*r))), part(3, 80, pool.mul(v, square(*l))));
            Moments::round(pool, v, across, along, e, shifted(part(-1, 4, *l)))
        }
        ShapeKind::Rod(to, r) => {
            let span: [Expr; 3] = std::array::from_fn(|i| pool.sub(to[i], shape.at[i]));
            let length = pool.sqrt(pool.sum(span.map(square)));
            let middle = std::array::from_fn(|i| part(1, 2, pool.add(to[i], shape.at[i])));
            cylinder(*r, length, span.map(|x| pool.div(x, length)), middle)
        }
        ShapeKind::Mesh(vertices, triangles) => mesh(pool, vertices, triangles).moved(pool, shape.at),
        ShapeKind::Extrusion(corners, l) => extrusion(pool, corners, *l, shape.at),
        ShapeKind::Revolution(profile) => {
            let over = Polygon { pool, corners: profile };
            let two_pi = part(2, 1, pool.pi());
            let v = pool.mul(two_pi, over.integral(|p, q| over.linear(p[0], q[0]), 6));
            let first = pool.mul(two_pi, over.integral(|p, q| over.bilinear(p, q), 24));
            let across = pool.mul(pool.pi(), over.integral(|p, q| over.cubic(p[0], q[0]), 20));
            let along = pool.mul(two_pi, over.integral(|p, q| over.height(p, q), 60));
            let z = pool.div(first, v);
            let along = pool.sub(along, pool.mul(first, z));
            Moments::round(pool, v, across, along, e, shifted(z))
        }
    }
}

/// A polygon in the plane x, y, drawn out by a length that is halved by the plane.
fn extrusion(pool: &Pool, corners: &[[Expr; 2]], length: Expr, at: [Expr; 3]) -> Moments {
    let over = Polygon { pool, corners };
    let times = |e: Expr| pool.mul(length, e);
    let volume = times(over.integral(|_, _| pool.one(), 2));
    let x = times(over.integral(|p, q| over.linear(p[0], q[0]), 6));
    let y = times(over.integral(|p, q| over.linear(p[1], q[1]), 6));
    let xx = times(over.integral(|p, q| over.quadratic(p[0], q[0]), 12));
    let yy = times(over.integral(|p, q| over.quadratic(p[1], q[1]), 12));
    let xy = times(over.integral(|p, q| over.bilinear(p, q), 24));
    let zz = pool.scale(Rational::Small(1, 12), pool.mul(volume, pool.powi(length, 2)));
    let zero = pool.zero();
    let c = [pool.div(x, volume), pool.div(y, volume)];
    let central = |s: Expr, f: Expr, c: Expr| pool.sub(s, pool.mul(f, c));
    let (xx, yy, xy) = (central(xx, x, c[0]), central(yy, y, c[1]), central(xy, x, c[1]));
    let place = [pool.add(at[0], c[0]), pool.add(at[1], c[1]), at[2]];
    Moments::at(pool, volume, place, [[xx, xy, zero], [xy, yy, zero], [zero, zero, zz]])
}

/// A closed surface of triangles; one whose normals point inwards is turned inside out. [mesh]
fn mesh(pool: &Pool, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Moments {
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|k| vertices[k as usize]);
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let v = (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0;
        volume += v;
        for i in 0..3 {
            let s_i = a[i] + b[i] + c[i];
            first[i] += v * s_i / 4.0;
            for j in 0..3 {
                let s_j = a[j] + b[j] + c[j];
                second[i][j] += v * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + s_i * s_j) / 20.0;
            }
        }
    }
    let sign = if volume < 0.0 { -1.0 } else { 1.0 };
    let number = |x: f64| pool.number(Rational::from_f64(sign * x).unwrap_or(Rational::int(0)));
    Moments { volume: number(volume), first: first.map(number), second: second.map(|row| row.map(number)) }
}

/// How far a surface is from being closed: the sum of its areas as vectors, over the sum of their sizes.
pub fn gap(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let (mut sum, mut size) = ([0.0; 3], 0.0);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|k| vertices[k as usize]);
        let u: [f64; 3] = std::array::from_fn(|i| b[i] - a[i]);
        let v: [f64; 3] = std::array::from_fn(|i| c[i] - a[i]);
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        size += n.iter().map(|x| x * x).sum::<f64>().sqrt();
        sum = std::array::from_fn(|i| sum[i] + n[i]);
    }
    if size > 0.0 { sum.iter().map(|x| x * x).sum::<f64>().sqrt() / size } else { 1.0 }
}

/// Integrals over a polygon. [polygon]
struct Polygon<'p> {
    pool: &'p Pool,
    corners: &'p [[Expr; 2]],
}

impl Polygon<'_> {
    /// Σ (xi yj - xj yi) f(Pi, Pj)/divisor.
    fn integral(&self, f: impl Fn([Expr; 2], [Expr; 2]) -> Expr, divisor: i64) -> Expr {
        let (pool, n) = (self.pool, self.corners.len());
        let term = |k: usize| {
            let (p, q) = (self.corners[k], self.corners[(k + 1) % n]);
            let cross = pool.sub(pool.mul(p[0], q[1]), pool.mul(q[0], p[1]));
            pool.mul(cross, f(p, q))
        };
        pool.scale(Rational::Small(1, divisor), pool.sum((0..n).map(term).collect::<Vec<_>>()))
    }
    /// Of x: a + b.
    fn linear(&self, a: Expr, b: Expr) -> Expr {
        self.pool.add(a, b)
    }
    /// Of x²: a² + a b + b².
    fn quadratic(&self, a: Expr, b: Expr) -> Expr {
        let pool = self.pool;
        pool.sum([pool.powi(a, 2), pool.mul(a, b), pool.powi(b, 2)])
    }
    /// Of x³: (a + b)(a² + b²).
    fn cubic(&self, a: Expr, b: Expr) -> Expr {
        let pool = self.pool;
        pool.mul(pool.add(a, b), pool.add(pool.powi(a, 2), pool.powi(b, 2)))
    }
    /// Of x y: xi yj + 2 xi yi + 2 xj yj + xj yi.
    fn bilinear(&self, p: [Expr; 2], q: [Expr; 2]) -> Expr {
        let pool = self.pool;
        let twice = |x: Expr, y: Expr| pool.scale(Rational::int(2), pool.mul(x, y));
        pool.sum([pool.mul(p[0], q[1]), twice(p[0], p[1]), twice(q[0], q[1]), pool.mul(q[0], p[1])])
    }
    /// Of x y²: xi (3 yi² + 2 yi yj + yj²) + xj (yi² + 2 yi yj + 3 yj²).
    fn height(&self, p: [Expr; 2], q: [Expr; 2]) -> Expr {
        let pool = self.pool;
        let (y, w) = (pool.powi(p[1], 2), pool.powi(q[1], 2));
        let both = pool.scale(Rational::int(2), pool.mul(p[1], q[1]));
        let three = |e: Expr| pool.scale(Rational::int(3), e);
        let first = pool.mul(p[0], pool.sum([three(y), both, w]));
        pool.add(first, pool.mul(q[0], pool.sum([y, both, three(w)])))
    }
}
