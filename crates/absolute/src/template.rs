//! Two free bodies: the template on which every kind of element is derived once.
//!
//! ```text
//! [state]      x the mass centre, e Euler parameters, v = ẋ, w the angular velocity in the body
//! [tangent]    δx = δr,   δe = ½ e ∘ δφ           six directions of each body; ẋ = v and ė = ½ e ∘ w move along them
//! [rows]       g,  ġ = G (v_A; w_A; v_B; w_B) + ġ_t,  γ = d/dt ġ at constant v and w
//! [force]      Q = Σ F · ∂(velocity of its point)/∂(v; w)
//! ```
//!
//! What a kind demands is written once, by the constructors of the model's constraints and the vectors of its space; the
//! derivatives are exact, and one program serves all elements of the kind.

use cardan_base::Arena;
use cardan_expr::{Derivation, Expr, Kind, Pool, Rational};
use cardan_kinematics::{FrameId, Point, Segment, Space, Vector, rotation};
use cardan_lower::{Effort, LowerError, Phase, Request, lower};
use cardan_model::{Constraint, Marker, closing, pairs};
use cardan_program::{Label, Program};

use crate::pairing::PairKind;

/// Numbers that describe the motion of a part: x, e, v, w.
pub const STATE: usize = 13;
/// Directions in which a part moves.
pub const FREEDOMS: usize = 6;

/// A free body of the template.
struct Side {
    frame: FrameId,
    /// x and e.
    position: Vec<Expr>,
    /// v and w.
    velocity: Vec<Expr>,
    /// ė by w.
    turning: [[Expr; 3]; 4],
}

/// Two free bodies in a space of their own.
struct Template {
    space: Space,
    sides: [Side; 2],
    data: Vec<Expr>,
    outputs: Vec<Expr>,
}

impl Template {
    fn new() -> Template {
        let mut space = Space::new("N");
        let sides = ["A", "B"].map(|name| Template::side(&mut space, name));
        Template { space, sides, data: vec![], outputs: vec![] }
    }

    fn side(space: &mut Space, name: &str) -> Side {
        let symbol = |space: &Space, what: String, kind: Kind| space.pool().symbol(what, kind);
        let x: [Expr; 3] = std::array::from_fn(|i| symbol(space, format!("{name}.x{i}"), Kind::Coordinate));
        let e: [Expr; 4] = std::array::from_fn(|i| symbol(space, format!("{name}.e{i}"), Kind::Coordinate));
        let v: [Expr; 3] = std::array::from_fn(|i| symbol(space, format!("{name}.v{i}"), Kind::Speed));
        let w: [Expr; 3] = std::array::from_fn(|i| symbol(space, format!("{name}.w{i}"), Kind::Speed));
        let axes = rotation::identity(space.pool());
        let mut frame = space.newtonian();
        for i in 0..3 {
            let segment = Segment::Translation { direction: axes[i], q: x[i] };
            frame = space.add_segment(format!("{name}{i}"), frame, segment);
            let rates = space.frame(frame).motion.rates();
            rates.iter().for_each(|r| space.set_rate(*r, v[i]));
        }
        let R = rotation::from_euler_parameters(space.pool(), e);
        frame = space.add_segment(name, frame, Segment::Ball(R));
        let rates = space.frame(frame).motion.rates();
        rates.iter().zip(w).for_each(|(r, w)| space.set_rate(*r, w));
        // ė0 = -e·w/2, ė = (e0 w + e × w)/2 [tangent]
        let pool = space.pool();
        let half = |x: Expr| pool.scale(Rational::Small(1, 2), x);
        let minus = |x: Expr| pool.neg(half(x));
        let turning = [
            [minus(e[1]), minus(e[2]), minus(e[3])],
            [half(e[0]), minus(e[3]), half(e[2])],
            [half(e[3]), half(e[0]), minus(e[1])],
            [minus(e[2]), half(e[1]), half(e[0])],
        ];
        let turned = |row: &[Expr; 3]| pool.sum((0..3).map(|k| pool.mul(row[k], w[k])).collect::<Vec<_>>());
        let rates: Vec<Expr> = turning.iter().map(turned).collect();
        let zero = pool.zero();
        for i in 0..3 {
            space.set_derivative(x[i], v[i]);
        }
        for (e, rate) in e.iter().zip(rates) {
            space.set_derivative(*e, rate);
        }
        // Constant v and w: what a second derivative leaves is γ. [rows]
        v.iter().chain(&w).for_each(|s| space.set_derivative(*s, zero));
        let position = x.iter().chain(&e).copied().collect();
        let velocity = v.iter().chain(&w).copied().collect();
        Side { frame, position, velocity, turning }
    }

    fn pool(&self) -> &Pool {
        self.space.pool()
    }

    fn datum(&mut self, name: &str) -> Expr {
        let symbol = self.pool().symbol(name, Kind::Parameter);
        self.data.push(symbol);
        symbol
    }

    fn triple(&mut self, name: &str) -> [Expr; 3] {
        [0, 1, 2].map(|i| self.datum(&format!("{name}{i}")))
    }

    /// Point and axes of a side as data.
    fn marker(&mut self, side: usize) -> Marker {
        let coordinates = self.triple("p");
        let axes = ["x", "y", "z"].map(|name| self.triple(name));
        let point = Point { name: ["P", "Q"][side].into(), frame: self.sides[side].frame, coordinates };
        Marker { point, axes }
    }

    /// The derivations along the directions of a motion. [tangent]
    fn tangents(&self) -> Vec<Derivation> {
        let pool = self.pool();
        let mut found = vec![];
        for side in &self.sides {
            for k in 0..FREEDOMS {
                let mut d = Derivation::new();
                if k < 3 {
                    pool.as_symbol(side.position[k]).into_iter().for_each(|s| d.set(s, pool.one()));
                } else {
                    for (e, row) in side.position[3..].iter().zip(&side.turning) {
                        pool.as_symbol(*e).into_iter().for_each(|s| d.set(s, row[k - 3]));
                    }
                }
                found.push(d);
            }
        }
        found
    }

    /// Partial derivatives by the velocities of both sides.
    fn by_velocities(&self, e: Expr) -> Vec<Expr> {
        let pool = self.pool();
        let velocities = self.sides.iter().flat_map(|s| &s.velocity);
        velocities.map(|v| Derivation::partial(pool, *v).apply(pool, e)).collect()
    }

    /// Generalised forces of both sides of a force at a point. [force]
    fn of_force(&self, force: &Vector, at: &Point) -> Vec<Expr> {
        self.along_partials(force, &self.space.velocity(at))
    }

    fn of_torque(&self, torque: &Vector, side: usize) -> Vec<Expr> {
        self.along_partials(torque, &self.space.w(self.sides[side].frame))
    }

    /// A vector along the partial velocities of another: the force itself may depend on velocities and is not differentiated.
    fn along_partials(&self, force: &Vector, velocity: &Vector) -> Vec<Expr> {
        let space = &self.space;
        let velocities = self.sides.iter().flat_map(|s| &s.velocity);
        velocities
            .map(|v| {
                let partial = space.partial(velocity, &mut Derivation::partial(space.pool(), *v));
                space.dot(force, &partial)
            })
            .collect()
    }

    /// Derivatives of forces: along the twelve directions, then by the twelve velocities, force by force.
    fn slopes(&self, forces: &[Expr]) -> Vec<Expr> {
        let pool = self.pool();
        let mut tangents = self.tangents();
        let along: Vec<Expr> = forces
            .iter()
            .flat_map(|q| tangents.iter_mut().map(|d| d.apply(pool, *q)).collect::<Vec<_>>())
            .collect();
        let by: Vec<Expr> = forces.iter().flat_map(|q| self.by_velocities(*q)).collect();
        along.into_iter().chain(by).collect()
    }

    fn program(self, name: &str) -> Result<Program, LowerError> {
        let tables = Arena::new();
        let mut request = Request::new(name, self.space.pool(), &tables);
        request.effort = Effort::Little;
        let label = |k: usize| Label::named(format!("i{k}"));
        for side in &self.sides {
            for s in side.position.iter().chain(&side.velocity) {
                let k = request.inputs.len();
                request.input(*s, label(k), Phase::Motion);
            }
        }
        for s in &self.data {
            let k = request.inputs.len();
            request.input(*s, label(k), Phase::Motion);
        }
        for (k, e) in self.outputs.iter().enumerate() {
            request.output(Label::named(format!("o{k}")), *e, Phase::Setup);
        }
        lower(&request)
    }
}

/// The program of a kind and how many rows it has.
#[derive(Clone, Debug)]
pub struct PairProgram {
    /// Inputs: both states, both markers (point and axes), size and its two derivatives. Outputs: g, ġ, γ, then G by rows.
    pub program: Program,
    /// The number of rows.
    pub rows: usize,
    /// What each row keeps, in words.
    pub what: Vec<String>,
}

/// The rows of a kind of pair. [rows]
pub fn pair_program(kind: PairKind) -> Result<PairProgram, LowerError> {
    let (mut t, constraint) = posed(kind);
    let rows = &constraint.rows;
    let zero = t.pool().zero();
    t.outputs.extend(rows.iter().map(|r| r.position.unwrap_or(zero)));
    t.outputs.extend(rows.iter().map(|r| r.velocity));
    let rates: Vec<Expr> = rows.iter().map(|r| t.space.dt(r.velocity)).collect();
    t.outputs.extend(rates);
    for row in rows {
        let gradient = t.by_velocities(row.velocity);
        t.outputs.extend(gradient);
    }
    let what = rows.iter().map(|r| r.what.clone()).collect();
    let rows = rows.len();
    Ok(PairProgram { program: t.program(&format!("{kind:?}"))?, rows, what })
}

/// What a kind of pair demands between two markers that are data.
fn posed(kind: PairKind) -> (Template, Constraint) {
    let mut t = Template::new();
    let (a, b) = (t.marker(0), t.marker(1));
    let size = ["l", "l'", "l''"].map(|name| t.datum(name));
    t.space.set_derivative(size[0], size[1]);
    t.space.set_derivative(size[1], size[2]);
    let constraint = match kind {
        PairKind::Closing(closing) => closing::close(&t.space, "", closing, &a, &b, None),
        PairKind::Distance => closing::distance(&t.space, "", &a.point, &b.point, size[0], None),
        PairKind::Angle => pairs::at_angle(&t.space, "", &a, &b, size[0], None),
        PairKind::Screw => pairs::screw(&t.space, "", &a, &b, size[0], None),
    };
    (t, constraint)
}

/// Derivatives of the forces Gᵀλ of a kind of pair along the twelve directions. Data as for the rows, then the multipliers.
pub fn pair_slopes_program(kind: PairKind) -> Result<Program, LowerError> {
    let (mut t, constraint) = posed(kind);
    let multipliers: Vec<Expr> = (0..constraint.rows.len()).map(|r| t.datum(&format!("lambda{r}"))).collect();
    let pool = t.pool();
    let mut forces = [pool.zero(); 2 * FREEDOMS];
    for (row, lambda) in constraint.rows.iter().zip(&multipliers) {
        for (force, slope) in forces.iter_mut().zip(t.by_velocities(row.velocity)) {
            *force = pool.add(*force, pool.mul(*lambda, slope));
        }
    }
    let mut tangents = t.tangents();
    let along: Vec<Expr> = forces
        .iter()
        .flat_map(|q| tangents.iter_mut().map(|d| d.apply(pool, *q)).collect::<Vec<_>>())
        .collect();
    t.outputs = along;
    t.program(&format!("{kind:?} slopes"))
}

/// A spring and damper between points. Data: both points, stiffness, damping, length. Outputs: Q, potential, power of the damper; with
/// `slopes` instead the derivatives of Q along all directions, then by all velocities.
///
/// ```text
/// [spring]   F_P = (k (L - L0) + c dL/dt) e          e from P to Q, L their distance
/// ```
pub fn spring_program(slopes: bool) -> Result<Program, LowerError> {
    let mut t = Template::new();
    let points = [0, 1].map(|side| {
        let coordinates = t.triple("p");
        Point { name: "P".into(), frame: t.sides[side].frame, coordinates }
    });
    let [k, c, rest] = ["k", "c", "l"].map(|name| t.datum(name));
    let (space, pool) = (&t.space, t.pool());
    let [p, q] = &points;
    let offset = space.position(p, q);
    let e = space.direction(&offset).define(pool);
    let length = pool.define(space.magnitude(&offset));
    let rate = pool.define(space.dot(&space.velocity(q).sub(pool, &space.velocity(p)), &e));
    let stretch = pool.sub(length, rest);
    let pull = pool.define(pool.add(pool.mul(k, stretch), pool.mul(c, rate))); // [spring]
    let force = e.scale(pool, pull);
    let (near, far) = (t.of_force(&force, p), t.of_force(&force.neg(pool), q));
    let forces: Vec<Expr> = near.iter().zip(&far).map(|(a, b)| pool.add(*a, *b)).collect();
    let half = |e: Expr| pool.scale(Rational::Small(1, 2), e);
    let potential = half(pool.mul(k, pool.powi(stretch, 2)));
    let power = pool.neg(pool.mul(c, pool.powi(rate, 2)));
    t.outputs.extend(forces);
    t.outputs.extend([potential, power]);
    if slopes {
        t.outputs = t.slopes(&t.outputs[..2 * FREEDOMS]);
    }
    t.program("spring")
}

/// A bushing between the frames of two points. Data: both markers, then stiffness, damping, torsion stiffness and torsion damping
/// along three axes. Outputs: Q, potential of the springs, powers of the dampers and of
/// the torque; slopes as for springs.
///
/// ```text
/// [bushing]   F_P = -Σ (k_i d_i + c_i ḋ_i) b_i,   T_P = -Σ (κ_i θ_i + γ_i w_i) b_i      d from Q to P, b_i the axes of Q
/// ```
pub fn bushing_program(slopes: bool) -> Result<Program, LowerError> {
    let mut t = Template::new();
    let (p, q) = (t.marker(0), t.marker(1));
    let [k, c, kt, ct] = ["k", "c", "kt", "ct"].map(|name| t.triple(name));
    let (space, pool) = (&t.space, t.pool());
    let b = [0, 1, 2].map(|i| q.axis(space, i));
    let own = [0, 1, 2].map(|i| p.axis(space, i));
    let d = space.position(&q.point, &p.point);
    let v = space.velocity(&p.point).sub(pool, &space.velocity(&q.point));
    let v = v.sub(pool, &space.cross(&space.w(q.frame()), &d));
    let w = space.w_in(p.frame(), q.frame());
    let turn = (0..3).fold(Vector::ZERO, |sum, j| sum.add(pool, &space.cross(&b[j], &own[j])));
    let half = |e: Expr| pool.scale(Rational::Small(1, 2), e);
    let (mut force, mut torque, mut stored, mut lost) = (Vector::ZERO, Vector::ZERO, vec![], vec![]);
    for i in 0..3 {
        let along = pool.define(space.dot(&d, &b[i]));
        let about = pool.define(half(space.dot(&turn, &b[i])));
        let rate = pool.define(space.dot(&v, &b[i]));
        let pull = pool.add(pool.mul(k[i], along), pool.mul(c[i], rate));
        let twist = pool.add(pool.mul(kt[i], about), pool.mul(ct[i], space.dot(&w, &b[i])));
        force = force.sub(pool, &b[i].scale(pool, pool.define(pull)));
        torque = torque.sub(pool, &b[i].scale(pool, pool.define(twist))); // [bushing]
        stored.push(half(pool.mul(k[i], pool.powi(along, 2))));
        lost.push(pool.mul(c[i], pool.powi(rate, 2)));
    }
    let terms = [
        t.of_force(&force, &p.point),
        // The opposite acts on Q's body through the place of P.
        t.of_force(&force.neg(pool), &q.point),
        t.of_torque(&torque, 0),
        t.of_torque(&torque.neg(pool), 1),
        t.of_torque(&space.cross(&d, &force).neg(pool), 1),
    ];
    let forces: Vec<Expr> =
        (0..2 * FREEDOMS).map(|j| pool.sum(terms.iter().map(|row| row[j]).collect::<Vec<_>>())).collect();
    let potential = pool.sum(stored);
    let lost = pool.neg(pool.sum(lost));
    let twisting = space.dot(&torque, &w);
    t.outputs.extend(forces);
    t.outputs.extend([potential, lost, twisting]);
    if slopes {
        t.outputs = t.slopes(&t.outputs[..2 * FREEDOMS]);
    }
    t.program("bushing")
}

/// Whether a direction of the template is moved by the tangent derivations as the rates say; a check of this crate's own.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_are_what_rates_move_along() {
        let t = Template::new();
        let pool = t.pool();
        let x = t.space.dot(&t.space.axis(t.sides[0].frame, 0), &t.space.axis(t.sides[1].frame, 1));
        let rate = t.space.dt(x);
        let velocities: Vec<Expr> = t.sides.iter().flat_map(|s| &s.velocity).copied().collect();
        let sum = t
            .tangents()
            .iter_mut()
            .zip(&velocities)
            .map(|(d, v)| pool.mul(d.apply(pool, x), *v))
            .collect::<Vec<_>>();
        let difference = pool.sub(rate, pool.sum(sum));
        let value = pool.evaluate(difference, &|s| ((cardan_base::Id::index(s) * 7919) % 101) as f64 / 101.0);
        assert!(value.abs() < 1e-12, "{value}");
    }
}
