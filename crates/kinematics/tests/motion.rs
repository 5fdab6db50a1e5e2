//! Vectors of mixed frames against plain matrices, and velocities against differences.

use cardan_base::{Id, Map};
use cardan_expr::{Expr, Rational, SymbolId};
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::Model;
use cardan_testkit::{Random, TreeOptions, random_tree};

type V = [f64; 3];

/// A tree in a state, with everything computed by floats from the frames' own matrices.
struct Posed<'m> {
    model: &'m Model,
    values: Map<SymbolId, f64>,
}

impl Posed<'_> {
    fn at(&self, e: Expr) -> f64 {
        self.model.space.pool().evaluate(e, &|s| self.values.get(&s).copied().unwrap_or(f64::NAN))
    }
    /// Rows are the frame's axes in N; and the origin in N.
    fn pose(&self, frame: FrameId) -> ([V; 3], V) {
        let f = self.model.space.frame(frame);
        let Some(parent) = f.parent else {
            return ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);
        };
        let (axes, origin) = self.pose(parent);
        let combine =
            |row: [f64; 3]| -> V { std::array::from_fn(|c| (0..3).map(|j| row[j] * axes[j][c]).sum()) };
        let p = combine(f.p_PoBo_P.map(|e| self.at(e)));
        let rows = f.R_PB.map(|row| combine(row.map(|e| self.at(e))));
        (rows, std::array::from_fn(|c| origin[c] + p[c]))
    }
    /// A vector in N, by the axes of its unit vectors.
    fn vector(&self, v: &Vector) -> V {
        let mut out = [0.0; 3];
        for (u, c) in v.terms() {
            let uv = self.model.space.unit_vector(*u);
            let axis = self.pose(uv.frame).0[uv.axis];
            let c = self.at(*c);
            (0..3).for_each(|i| out[i] += c * axis[i]);
        }
        out
    }
    fn place(&self, p: &Point) -> V {
        let (axes, origin) = self.pose(p.frame);
        let c = p.coordinates.map(|e| self.at(e));
        std::array::from_fn(|i| origin[i] + (0..3).map(|j| c[j] * axes[j][i]).sum::<f64>())
    }
}

fn posed(model: &Model, seed: u64) -> Posed<'_> {
    let pool = model.space.pool();
    let mut random = Random::new(seed);
    let mut values = Map::default();
    for (_, p) in model.parameters.iter() {
        let v = pool.evaluate(p.default.expect("given"), &|_| f64::NAN);
        values.insert(pool.as_symbol(p.symbol).expect("a symbol"), v);
    }
    let mut set = |e: Expr, v: f64| {
        values.insert(pool.as_symbol(e).expect("a symbol"), v);
    };
    set(model.space.time(), 0.7);
    model.coordinates.iter().for_each(|(_, q)| set(q.symbol, random.between(-1.0, 1.0)));
    for quadruple in &model.unit_quadruples {
        let e: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
        let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
        quadruple.iter().zip(e).for_each(|(q, x)| set(model.coordinates[*q].symbol, x / norm));
    }
    model.speeds.iter().for_each(|(_, u)| set(u.symbol, random.between(-1.0, 1.0)));
    model.speeds.iter().for_each(|(_, u)| set(u.rate, random.between(-1.0, 1.0)));
    Posed { model, values }
}

/// The state a time h later, by Taylor's formula to third order in h, so that second differences are exact enough.
fn later(now: &Posed<'_>, h: f64) -> Map<SymbolId, f64> {
    let model = now.model;
    let pool = model.space.pool();
    let mut values = now.values.clone();
    let mut put = |e: Expr, v: f64| {
        values.insert(pool.as_symbol(e).expect("a symbol"), v);
    };
    put(model.space.time(), now.at(model.space.time()) + h);
    for (_, q) in model.coordinates.iter() {
        // q̈ with the given u̇: the time derivative of q̇.
        put(q.symbol, now.at(q.symbol) + h * now.at(q.rate) + h * h / 2.0 * now.at(model.space.dt(q.rate)));
    }
    model.speeds.iter().for_each(|(_, u)| put(u.symbol, now.at(u.symbol) + h * now.at(u.rate)));
    values
}

fn dot(a: V, b: V) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn close(a: V, b: V, tolerance: f64, what: &str) {
    let scale = 1.0 + dot(a, a).sqrt();
    (0..3).for_each(|i| assert!((a[i] - b[i]).abs() < tolerance * scale, "{what}: {a:?} against {b:?}"));
}

fn trees() -> impl Iterator<Item = (u64, Model)> {
    (0..120).map(|seed| {
        (seed, random_tree(seed, TreeOptions { bodies: 3, loads: false, user_speeds: seed % 3 == 0 }))
    })
}

fn random_vector(model: &Model, random: &mut Random) -> Vector {
    let space = &model.space;
    let n = space.frames().len();
    let mut v = Vector::ZERO;
    for _ in 0..3 {
        let frame = FrameId::from_index(random.below(n));
        let c = space.pool().int(random.below(5) as i64 - 2);
        v = v.add(space.pool(), &space.axis(frame, random.below(3)).scale(space.pool(), c));
    }
    v
}

#[test]
fn products_of_mixed_frames() {
    for (seed, model) in trees() {
        let now = posed(&model, seed);
        let mut random = Random::new(seed + 7);
        let space = &model.space;
        let (a, b) = (random_vector(&model, &mut random), random_vector(&model, &mut random));
        let (x, y) = (now.vector(&a), now.vector(&b));
        assert!((now.at(space.dot(&a, &b)) - dot(x, y)).abs() < 1e-12, "seed {seed}");
        close(now.vector(&space.cross(&a, &b)), cross(x, y), 1e-12, "cross");
        assert!((now.at(space.magnitude(&a)) - dot(x, x).sqrt()).abs() < 1e-12);
        let frame = FrameId::from_index(random.below(space.frames().len()));
        let components = space.components(&a, frame).map(|e| now.at(e));
        let axes = now.pose(frame).0;
        close(components, std::array::from_fn(|i| dot(x, axes[i])), 1e-12, "components");
        if dot(y, y) > 1e-6 {
            let plane = now.vector(&space.dot_plane(&a, &b));
            close(plane, std::array::from_fn(|i| x[i] - dot(x, y) / dot(y, y) * y[i]), 1e-10, "dot-plane");
            assert!(dot(plane, y).abs() < 1e-10);
        }
        if dot(x, x) > 1e-6 && dot(y, y) > 1e-6 {
            let angle = now.at(space.angle(&a, &b, None));
            let expected = (dot(x, y) / (dot(x, x) * dot(y, y)).sqrt()).clamp(-1.0, 1.0).acos();
            assert!((angle - expected).abs() < 1e-6, "seed {seed}: {angle} against {expected}");
        }
    }
}

#[test]
fn velocities_are_rates_of_positions() {
    let h = 1e-5;
    for (seed, model) in trees() {
        let space = &model.space;
        let now = posed(&model, seed);
        let ahead = Posed { model: &model, values: later(&now, h) };
        let behind = Posed { model: &model, values: later(&now, -h) };
        let mut random = Random::new(seed + 11);
        let frame = FrameId::from_index(random.below(space.frames().len()));
        let pool = space.pool();
        // A point that slides in its frame.
        let slide = pool.mul(space.time(), pool.sin(space.time()));
        let point = Point { name: "P".into(), frame, coordinates: [slide, pool.one(), pool.int(2)] };
        let difference = |f: &dyn Fn(&Posed<'_>) -> V| -> V {
            let (a, b) = (f(&ahead), f(&behind));
            std::array::from_fn(|i| (a[i] - b[i]) / (2.0 * h))
        };
        close(
            now.vector(&space.velocity(&point)),
            difference(&|s| s.place(&point)),
            1e-6,
            &format!(
                "velocity {seed} {:?} {frame:?}",
                model.joints.iter().map(|(_, j)| (j.kinds.clone(), j.frames.clone())).collect::<Vec<_>>()
            ),
        );
        let v = space.velocity(&point);
        close(now.vector(&space.acceleration(&point)), difference(&|s| s.vector(&v)), 1e-6, "acceleration");
        // An axis turns with w; w itself changes with alpha.
        let axis = space.axis(frame, 1);
        let turned = cross(now.vector(&space.w(frame)), now.vector(&axis));
        close(turned, difference(&|s| s.vector(&axis)), 1e-6, "omega");
        let w = space.w(frame);
        close(now.vector(&space.alpha(frame)), difference(&|s| s.vector(&w)), 1e-6, "alpha");
        // Relative to another frame.
        let other = FrameId::from_index(random.below(space.frames().len()));
        let relative = now.vector(&space.velocity_in(&point, other));
        let carried = {
            let w = now.vector(&space.w(other));
            let origin = space.origin(other);
            let r: V = std::array::from_fn(|i| now.place(&point)[i] - now.place(&origin)[i]);
            let (swept, vo) = (cross(w, r), now.vector(&space.velocity(&origin)));
            std::array::from_fn(|i| now.vector(&v)[i] - vo[i] - swept[i])
        };
        close(relative, carried, 1e-10, "relative velocity");
    }
}

#[test]
fn a_revolute_joint_shares_its_axis() {
    use cardan_model::{Builder, CoordinateSpec, Quantity, Step};
    use cardan_units::Dimension;
    let mut b = Builder::new("m", "N");
    let (o, i) = (b.space().pool().zero(), b.space().pool().one());
    let n = b.space().newtonian();
    let spec = CoordinateSpec::new(Quantity::new("q", Dimension::ANGLE), "u");
    let joint =
        b.add_joint("C", cardan_model::JointKind::Revolute, n, vec![Step::Rotate([o, o, i], spec)], None);
    let c = b.model().joints[joint].frames[0];
    let space = b.space();
    assert_eq!(space.axis(c, 2), space.axis(n, 2));
    assert_ne!(space.axis(c, 0), space.axis(n, 0));
    assert_eq!(space.pool().text(space.dot(&space.axis(c, 0), &space.axis(n, 1))), "z1");
}

/// A place on a body less the same place in the ground's axes: what is left is rounding, and so is its size. Multiplied
/// out, the square would leave 1e-16 of the squares of the lengths, the root 1e-8 of a length, or not a number.
#[test]
fn sizes_of_differences_in_mixed_frames_keep_their_digits() {
    let mut n_mixed = 0;
    for (seed, model) in trees() {
        let (space, now) = (&model.space, posed(&model, seed));
        let pool = space.pool();
        let Some((frame, _)) = space.frames().iter().last() else { continue };
        let tip = space.position(&space.origin(space.newtonian()), &space.origin(frame));
        let place = now.vector(&tip);
        let number = |x: f64| {
            let digits =
                pool.number(Rational::from_decimal(&format!("{:.17e}", x.abs())).expect("a decimal"));
            if x < 0.0 { pool.neg(digits) } else { digits }
        };
        let gap = tip.sub(pool, &space.vector(space.newtonian(), place.map(number)));
        n_mixed += usize::from(gap.terms().len() > 3);
        let size = now.at(space.magnitude(&gap));
        let bound = 1e-14 * (1.0 + dot(place, place).sqrt());
        assert!(size <= bound, "seed {seed}: {size} of {bound}");
    }
    assert!(n_mixed > 10, "{n_mixed} vectors of several frames");
}
