//! A part by its points and unit vectors: basis, constant mass matrix, pose.
//!
//! ```text
//! [basis]     r = O + Σ_k c_k e_k                    O a point, e_k unit vectors and differences of points over their length
//! [rigid]     e_i·e_j = const                        for each pair of the basis
//! [third]     e_3 = f × e / |f × e|                  linear where f is fixed in the ground
//!             e_3 = e_1 × e_2 / |e_1 × e_2|          where no mass lies outside the plane of both
//! [mass]      T = ½ ∫ |ṙ|² dm = ½ Σ μ_kl ė_k·ė_l     μ_00 = m,  μ_0k = m c̄_k,  μ_kl = ∫ c_k c_l dm
//! [turn]      R = Σ_k e_k d_kᵀ,  w = ½ Σ_i r_i × ṙ_i,  ẇ = ½ Σ_i r_i × r̈_i      d_k dual to the basis in the part
//! [moment]    forces ½ τ × e^k on e_k turn as τ does                             e^k dual to the basis now
//! ```
//!
//! (Jiménez and others, COMPAMM, eqs. 18 to 27.) A part with two directions and mass outside of
//! their plane gets a unit vector of its own, so
//! that the mass matrix stays constant.

use crate::geometry::{self as g, Mat3, Pose, Vec3};
use crate::natural::coordinates::Coordinates;
use crate::natural::form::{Form, Row};
use crate::natural::sharing::Kind;
use crate::parts::Part;

/// A direction whose part normal to the others is smaller than this does not join a basis.
const FLAT: f64 = 0.05;
/// Second moments of mass smaller than this part of their sum are none.
const THIN: f64 = 1e-8;

/// The third direction of a part.
#[derive(Clone, PartialEq, Debug)]
enum Third {
    /// Linear in the coordinates.
    Linear(Form),
    /// Normal to the two others, whose cross product has this length.
    Normal(f64),
}

/// A part by its points and vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    origin: Form,
    directions: [Form; 2],
    third: Third,
    /// Rows are dual to the directions, in the part.
    dual: Mat3,
    /// Of the mass centre. [basis]
    center: Vec3,
    /// The place of the origin in the part.
    origin_local: Vec3,
    /// The moments of [mass].
    moments: [[f64; 4]; 4],
}

/// Values of O, e_1, e_2, e_3.
pub type Quadruple = [Vec3; 4];

struct Basis {
    origin: (Vec3, Form),
    n_points: usize,
    directions: Vec<(Vec3, Form)>,
}

impl Basis {
    /// The part of a direction that is normal to those so far.
    fn outside(&self, d: Vec3) -> f64 {
        match &self.directions[..] {
            [] => 1.0,
            [(a, _)] => g::norm(g::cross(*a, d)),
            [(a, _), (b, _), ..] => {
                let n = g::cross(*a, *b);
                (g::dot(n, d) / g::norm(n)).abs()
            }
        }
    }
    fn is_full(&self) -> bool {
        self.directions.len() == 3
    }
    /// Whether all three directions are linear in the coordinates.
    fn is_complete(&self) -> bool {
        let fixed = self.directions.iter().any(|(_, f)| f.is_fixed());
        self.is_full() || (self.directions.len() == 2 && fixed)
    }
    fn add_vector(&mut self, local: Vec3, form: Form) {
        self.directions.push((local, form));
    }
    fn add_point(&mut self, local: Vec3, form: &Form) {
        let d = g::sub(local, self.origin.0);
        let length = g::norm(d);
        let direction = form.plus(-1.0, &self.origin.1).times(1.0 / length);
        self.directions.push((g::scale(1.0 / length, d), direction));
        self.n_points += 1;
    }
}

impl Element {
    /// Chooses the basis of a part and gives it coordinates. [basis]
    pub fn new(part: &Part, index: usize, coordinates: &mut Coordinates) -> Element {
        let nodes = coordinates.nodes_of_part(index);
        let first = nodes.iter().find(|n| n.kind == Kind::Point);
        let origin = match first {
            Some(node) => (node.local, coordinates.promote(node.node)),
            None => (part.center, coordinates.own(index, Kind::Point, part.center)),
        };
        let mut basis = Basis { origin, n_points: 1, directions: vec![] };
        for node in &nodes {
            let local = match node.kind {
                Kind::Vector => node.local,
                Kind::Point => {
                    let d = g::sub(node.local, basis.origin.0);
                    match g::norm(d) {
                        0.0 => continue,
                        length => g::scale(1.0 / length, d),
                    }
                }
            };
            let is_point = node.kind == Kind::Point;
            let is_wanted = !node.is_single || !basis.is_complete() || (is_point && basis.n_points < 2);
            if basis.is_full() || !is_wanted || basis.outside(local) < FLAT {
                continue;
            }
            let form = coordinates.promote(node.node);
            match node.kind {
                Kind::Vector => basis.add_vector(local, form),
                Kind::Point => basis.add_point(node.local, &form),
            }
        }
        Element::complete(part, index, basis, coordinates)
    }

    /// Adds what a basis lacks: the mass centre, then unit vectors.
    fn complete(part: &Part, index: usize, mut basis: Basis, coordinates: &mut Coordinates) -> Element {
        let arm = g::sub(part.center, basis.origin.0);
        let size = (radius(part) + g::norm(arm)).max(f64::MIN_POSITIVE);
        let is_far = g::norm(arm) > FLAT * size;
        if !basis.is_complete()
            && basis.n_points < 2
            && is_far
            && basis.outside(g::scale(1.0 / g::norm(arm), arm)) > FLAT
        {
            let form = coordinates.own(index, Kind::Point, part.center);
            basis.add_point(part.center, &form);
        }
        let mut add = |basis: &mut Basis, local: Vec3| {
            let form = coordinates.own(index, Kind::Vector, local);
            basis.add_vector(local, form);
        };
        if basis.directions.is_empty() {
            add(&mut basis, [0.0, 0.0, 1.0]);
        }
        if basis.directions.len() == 1 {
            let across = g::normals(basis.directions[0].0).0;
            add(&mut basis, across);
        }
        if !basis.is_complete() {
            let n = g::cross(basis.directions[0].0, basis.directions[1].0);
            let n = g::scale(1.0 / g::norm(n), n);
            let spread = second_moments(part, basis.origin.0);
            let total: f64 = (0..3).map(|i| spread[i][i]).sum();
            let is_thin = g::dot(n, g::apply(&spread, n)) <= THIN * total;
            let origin = basis.origin.0;
            let in_plane = coordinates.nodes_of_part(index).iter().all(|node| {
                let d = if node.kind == Kind::Point { g::sub(node.local, origin) } else { node.local };
                g::dot(n, d).abs() <= 1e-9 * (1.0 + g::norm(d))
            });
            if !is_thin || !in_plane {
                let form = coordinates.own(index, Kind::Vector, n);
                basis.add_vector(n, form);
            }
        }
        Element::of(part, basis, coordinates, index)
    }

    fn of(part: &Part, basis: Basis, coordinates: &mut Coordinates, index: usize) -> Element {
        let [(a, fa), (b, fb)] = [&basis.directions[0], &basis.directions[1]].map(Clone::clone);
        let normal = g::cross(a, b);
        let area = g::norm(normal);
        let (c, third) = match basis.directions.get(2) {
            Some((c, form)) => (*c, Third::Linear(form.clone())),
            None if fa.is_fixed() => {
                (g::scale(1.0 / area, normal), Third::Linear(fb.crossed_by(fa.constant).times(1.0 / area)))
            }
            None if fb.is_fixed() => {
                let back = fa.crossed_by(fb.constant).times(-1.0 / area);
                (g::scale(1.0 / area, normal), Third::Linear(back))
            }
            None => (g::scale(1.0 / area, normal), Third::Normal(area)),
        };
        let dual = dual_basis([a, b, c]);
        let arm = g::sub(part.center, basis.origin.0);
        let center = g::apply(&dual, arm);
        let spread = second_moments(part, basis.origin.0);
        let moments = g::compose(&g::compose(&dual, &spread), &g::transpose(&dual));
        let is_flat = matches!(third, Third::Normal(_));
        let mut all = [[0.0; 4]; 4];
        all[0][0] = part.mass;
        for k in 0..3 {
            if is_flat && k == 2 {
                continue;
            }
            all[0][k + 1] = part.mass * center[k];
            all[k + 1][0] = all[0][k + 1];
            (0..if is_flat { 2 } else { 3 }).for_each(|l| all[k + 1][l + 1] = moments[k][l]);
        }
        for (i, (x, f)) in basis.directions.iter().enumerate() {
            for (y, h) in &basis.directions[i..] {
                coordinates.add_row(&part.name, "rigid part", Row::Dot(f.clone(), h.clone(), g::dot(*x, *y)));
            }
        }
        let (origin_local, origin) = basis.origin;
        let found = Element { origin, directions: [fa, fb], third, dual, center, origin_local, moments: all };
        found.tie(part, coordinates, index);
        found
    }

    /// Points and vectors that neighbours share and that the basis does not hold follow it; others
    /// are expressed by it.
    fn tie(&self, part: &Part, coordinates: &mut Coordinates, index: usize) {
        for node in coordinates.nodes_of_part(index) {
            let form = self.form(node.kind, node.local);
            match coordinates.form(node.node) {
                None => coordinates.express(node.node, form),
                Some(own) => {
                    let gap = own.plus(-1.0, &form);
                    // What belongs to the basis follows itself.
                    if gap.terms.iter().all(|(_, f)| is_small(f)) {
                        continue;
                    }
                    for i in 0..3 {
                        coordinates.add_row(&part.name, "rigid part", Row::Level(gap.clone(), i));
                    }
                }
            }
        }
    }

    /// A point or vector of the part in terms of its basis. A normal third direction has no share
    /// in it.
    pub fn form(&self, kind: Kind, local: Vec3) -> Form {
        let d = if kind == Kind::Point { g::sub(local, self.origin_local) } else { local };
        let c = g::apply(&self.dual, d);
        let start = if kind == Kind::Point { self.origin.clone() } else { Form::default() };
        let found = start.plus(c[0], &self.directions[0]).plus(c[1], &self.directions[1]);
        match &self.third {
            Third::Linear(form) if c[2].abs() > 1e-14 => found.plus(c[2], form),
            _ => found,
        }
    }

    /// Adds the mass of the part: `put(i, j, block)` for the triples i and j.
    pub fn weigh(&self, put: &mut dyn FnMut(usize, usize, Mat3)) {
        let mut forms = vec![&self.origin, &self.directions[0], &self.directions[1]];
        if let Third::Linear(form) = &self.third {
            forms.push(form);
        }
        for (k, a) in forms.iter().enumerate() {
            for (l, b) in forms.iter().enumerate() {
                let mu = self.moments[k][l];
                for (i, f) in &a.terms {
                    for (j, h) in &b.terms {
                        put(*i, *j, f.product(h).map(|row| g::scale(mu, row))); // [mass]
                    }
                }
            }
        }
    }

    /// O and the directions.
    fn values(&self, q: &[f64]) -> Quadruple {
        let [a, b] = [&self.directions[0], &self.directions[1]].map(|f| f.value(q));
        let c = match &self.third {
            Third::Linear(form) => form.value(q),
            Third::Normal(area) => g::scale(1.0 / area, g::cross(a, b)),
        };
        [self.origin.value(q), a, b, c]
    }

    /// Their rates.
    fn rates(&self, x: &Quadruple, v: &[f64]) -> Quadruple {
        let [a, b] = [&self.directions[0], &self.directions[1]].map(|f| f.rate(v));
        let c = match &self.third {
            Third::Linear(form) => form.rate(v),
            Third::Normal(area) => g::scale(1.0 / area, g::add(g::cross(a, x[2]), g::cross(x[1], b))),
        };
        [self.origin.rate(v), a, b, c]
    }

    /// The point that a quadruple of values or rates gives the mass centre.
    fn at_center(&self, x: &Quadruple) -> Vec3 {
        (0..3).fold(x[0], |sum, k| g::add(sum, g::scale(self.center[k], x[k + 1])))
    }

    /// Σ e_k d_kᵀ
    fn matrix(&self, x: &Quadruple) -> Mat3 {
        let columns = g::transpose(&[x[1], x[2], x[3]]);
        g::compose(&columns, &self.dual)
    }

    /// Mass centre, Euler parameters, velocity and angular velocity in the part. [turn]
    pub fn state(&self, q: &[f64], v: &[f64]) -> [f64; 13] {
        let x = self.values(q);
        let dx = self.rates(&x, v);
        let r = self.matrix(&x);
        let e = g::normalised(g::euler_parameters(&r));
        let w = half_curl(&r, &self.matrix(&dx));
        let w = g::apply_transposed(&g::matrix(e), w);
        let (p, u) = (self.at_center(&x), self.at_center(&dx));
        [p[0], p[1], p[2], e[0], e[1], e[2], e[3], u[0], u[1], u[2], w[0], w[1], w[2]]
    }

    /// Acceleration of the mass centre, and of the turn, in the part. [turn]
    pub fn acceleration(&self, q: &[f64], v: &[f64], a: &[f64]) -> [f64; 6] {
        let x = self.values(q);
        let dx = self.rates(&x, v);
        let mut ddx = self.rates(&x, a);
        if let Third::Normal(area) = &self.third {
            ddx[3] = g::add(ddx[3], g::scale(2.0 / area, g::cross(dx[1], dx[2])));
        }
        let r = self.matrix(&x);
        let w = g::apply_transposed(&r, half_curl(&r, &self.matrix(&ddx)));
        let p = self.at_center(&ddx);
        [p[0], p[1], p[2], w[0], w[1], w[2]]
    }

    /// Adds a force at the mass centre and a torque, both in inertial axes, to the forces of the
    /// coordinates. [moment]
    pub fn push(&self, q: &[f64], force: Vec3, torque: Vec3, out: &mut [f64]) {
        let x = self.values(q);
        let turning = dual_basis([x[1], x[2], x[3]]).map(|d| g::scale(0.5, g::cross(torque, d)));
        let mut on: [Vec3; 3] = std::array::from_fn(|k| g::add(g::scale(self.center[k], force), turning[k]));
        match &self.third {
            Third::Linear(form) => form.spread(on[2], out),
            Third::Normal(area) => {
                let last = g::scale(1.0 / area, on[2]);
                on[0] = g::add(on[0], g::cross(x[2], last));
                on[1] = g::add(on[1], g::cross(last, x[1]));
            }
        }
        self.origin.spread(force, out);
        self.directions.iter().zip(&on).for_each(|(form, f)| form.spread(*f, out));
    }

    /// The place of a point of the part at the start.
    pub fn place(pose: &Pose, kind: Kind, local: Vec3) -> Vec3 {
        match kind {
            Kind::Point => pose.at(local),
            Kind::Vector => g::apply(&pose.r, local),
        }
    }
}

fn is_small(f: &crate::natural::form::Factor) -> bool {
    use crate::natural::form::Factor;
    match f {
        Factor::Number(c) => c.abs() < 1e-12,
        Factor::Matrix(m) => m.iter().flatten().all(|x| x.abs() < 1e-12),
    }
}

/// The vectors d_i with d_i·e_j = δ_ij.
fn dual_basis(e: [Vec3; 3]) -> Mat3 {
    let volume = g::dot(e[0], g::cross(e[1], e[2]));
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| g::scale(1.0 / volume, g::cross(e[i], e[j])))
}

/// ½ Σ r_i × s_i over the columns of two matrices.
fn half_curl(r: &Mat3, s: &Mat3) -> Vec3 {
    let (r, s) = (g::transpose(r), g::transpose(s));
    g::scale(0.5, (0..3).fold([0.0; 3], |sum, i| g::add(sum, g::cross(r[i], s[i]))))
}

/// ∫ d dᵀ dm about a place of the part.
fn second_moments(part: &Part, about: Vec3) -> Mat3 {
    let half: f64 = 0.5 * (0..3).map(|i| part.inertia[i][i]).sum::<f64>();
    let d = g::sub(part.center, about);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let own = if i == j { half } else { 0.0 };
            own - part.inertia[i][j] + part.mass * d[i] * d[j]
        })
    })
}

/// About how far the mass of a part is spread.
pub fn radius(part: &Part) -> f64 {
    let trace: f64 = (0..3).map(|i| part.inertia[i][i]).sum();
    (0.5 * trace / part.mass).sqrt()
}
