//! Newton and Euler for every body by itself: the augmented form in which nothing is reduced, all joints are cut and all reactions are unknown.
//!
//! ```text
//! [balance]     f_j - Σ f_c ± λ e - m Σ ∂a/∂u̇ δ = m (a - g) - F           and moments about the origin of joint j alike
//! [no-power]    Σ f_j·∂v_j/∂u + n_j·∂w_j/∂u + λ G = 0                     a joint bears nothing along its freedom but what couples numbers or places contacts
//! [closed]      G δ = -v̇                                                  every row of every constraint, whether it says something new or not
//! ```
//!
//! One linear system for what the accelerations lack, δ, six reactions of each joint of the tree, and all multipliers, solved with the least
//! norm by singular values. δ is counted from the accelerations of the compiled model, so that large ones cost no digits; any others would do.

use cardan::expr::{Derivation, Expr};
use cardan::kinematics::{FrameId, Point, Vector};
use cardan::model::{JointId, LoadKind, Model, Output, Quantity, RowAction};
use cardan::sim::Trajectory;
use cardan::solve::linear::{Matrix, least_norm};
use cardan::units::Dimension;

type V3 = [f64; 3];
/// Places of three components among the numbers asked for.
type Asked = [usize; 3];

struct Joint {
    name: String,
    parent: Option<usize>,
    origin: Asked,
    /// Speed, relative velocity and relative angular velocity per unit of it.
    freedoms: Vec<(usize, Asked, Asked)>,
}

struct Body {
    joint: usize,
    mass: usize,
    inertia: [Asked; 3],
    axes: [Asked; 3],
    center: Asked,
    a: Asked,
    alpha: Asked,
    w: Asked,
}

/// A load on one body: through a point, or free.
struct Load {
    joint: usize,
    sign: f64,
    vector: Asked,
    at: Option<Asked>,
}

struct Row {
    constraint: String,
    /// The joints that carry the first and the second body, and the place of the force.
    ends: Option<(Option<usize>, Option<usize>, Asked)>,
    force: Option<Asked>,
    torque: Option<Asked>,
    jacobian: Vec<(usize, usize)>,
    rate: usize,
}

/// A model with outputs from which its bodies can be balanced one by one.
pub struct Bodies {
    pub model: Model,
    n_asked: usize,
    joints: Vec<Joint>,
    bodies: Vec<Body>,
    loads: Vec<Load>,
    rows: Vec<Row>,
    n_speeds: usize,
    /// Speeds that say where a contact goes: nothing is moved by them, so that nothing may act along them.
    of_contacts: Vec<bool>,
    gravity: Asked,
}

/// A component of a reaction, `arm.force.x`, as a combination of the unknowns.
pub struct Component {
    pub name: String,
    pub of: Vec<(usize, f64)>,
}

/// The whole system in one state.
pub struct System {
    pub matrix: Matrix,
    pub right: Vec<f64>,
    pub components: Vec<Component>,
    /// The largest of all loads, weights and forces of inertia.
    pub largest_force: f64,
}

fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: V3, b: V3) -> V3 {
    std::array::from_fn(|i| a[i] - b[i])
}

fn unit(k: usize) -> V3 {
    std::array::from_fn(|i| f64::from(u8::from(i == k)))
}

fn of_contacts(model: &Model) -> Vec<bool> {
    let contacts = model.joints.iter().filter(|(_, j)| j.is_contact());
    let rates: Vec<Expr> =
        contacts.flat_map(|(_, j)| &j.coordinates).map(|q| model.coordinates[*q].rate).collect();
    model.speeds.iter().map(|(_, u)| rates.contains(&u.symbol)).collect()
}

impl Bodies {
    /// Asks a model for its reactions and for all that it takes to check them.
    pub fn of(model: &Model) -> Bodies {
        let mut model = model.clone();
        model.ask_for_reactions();
        let mut new = Bodies {
            n_asked: 0,
            joints: vec![],
            bodies: vec![],
            loads: vec![],
            rows: vec![],
            n_speeds: model.speeds.len(),
            of_contacts: of_contacts(&model),
            gravity: [0; 3],
            model,
        };
        new.gravity = new.vector(&new.model.gravity.clone());
        new.ask_joints();
        new.ask_bodies();
        new.ask_loads();
        new.ask_rows();
        new
    }

    fn number(&mut self, value: Expr) -> usize {
        let name = format!("#{}", self.n_asked);
        self.model.outputs.push(Output { quantity: Quantity::new(name, Dimension::ONE), value });
        self.n_asked += 1;
        self.n_asked - 1
    }

    fn vector(&mut self, v: &Vector) -> Asked {
        let space = &self.model.space;
        let components = space.components(v, space.newtonian());
        components.map(|e| self.number(e))
    }

    fn place(&mut self, point: &Point) -> Asked {
        self.model.space.place(point).map(|e| self.number(e))
    }

    /// The joint that carries a frame; nothing for the ground.
    fn carrier(&self, frame: FrameId) -> Option<usize> {
        let found = self.model.joints.iter().position(|(_, j)| j.frames.last() == Some(&frame));
        assert!(found.is_some() || frame == self.model.space.newtonian(), "a frame inside a joint");
        found
    }

    fn ask_joints(&mut self) {
        for joint in self.model.joints.ids().collect::<Vec<JointId>>() {
            let data = self.model.joints[joint].clone();
            let frame = *data.frames.last().expect("a joint has a frame");
            let space = &self.model.space;
            let origin = space.origin(frame);
            let (v, w) = (space.velocity_in(&origin, data.parent), space.w_in(frame, data.parent));
            let mut freedoms = vec![];
            let speeds: Vec<Expr> = self.model.speeds.iter().map(|(_, u)| u.symbol).collect();
            for (r, speed) in speeds.into_iter().enumerate() {
                let space = &self.model.space;
                let mut by = Derivation::partial(space.pool(), speed);
                let (v, w) = (space.partial(&v, &mut by), space.partial(&w, &mut by));
                if !v.is_zero() || !w.is_zero() {
                    freedoms.push((r, self.vector(&v), self.vector(&w)));
                }
            }
            let (parent, origin) = (self.carrier(data.parent), self.place(&origin));
            self.joints.push(Joint { name: data.name, parent, origin, freedoms });
        }
    }

    fn ask_bodies(&mut self) {
        for (_, body) in self.model.clone().bodies.iter() {
            let Some(joint) = self.carrier(body.frame) else { continue };
            let space = &self.model.space;
            let center = body.center_point();
            let axes = [0, 1, 2].map(|i| space.axis(body.frame, i));
            let (a, alpha, w) = (space.acceleration(&center), space.alpha(body.frame), space.w(body.frame));
            let asked = Body {
                joint,
                mass: self.number(body.mass),
                inertia: body.inertia.map(|row| row.map(|e| self.number(e))),
                axes: axes.map(|v| self.vector(&v)),
                a: self.vector(&a),
                alpha: self.vector(&alpha),
                w: self.vector(&w),
                center: self.place(&center),
            };
            self.bodies.push(asked);
        }
    }

    fn ask_loads(&mut self) {
        for (_, load) in self.model.clone().loads.iter() {
            let (vector, sides) = match &load.kind {
                LoadKind::Force { vector, at, reaction } => {
                    let other = reaction.as_ref().map(|r| (r.frame, -1.0, r.at.as_ref().or(Some(at))));
                    (vector, [Some((at.frame, 1.0, Some(at))), other])
                }
                LoadKind::Torque { vector, on, reaction } => {
                    (vector, [Some((*on, 1.0, None)), reaction.map(|frame| (frame, -1.0, None))])
                }
            };
            let vector = self.vector(vector);
            for (frame, sign, at) in sides.into_iter().flatten() {
                let at = at.map(|p| self.place(p));
                if let Some(joint) = self.carrier(frame) {
                    self.loads.push(Load { joint, sign, vector, at });
                }
            }
        }
    }

    fn ask_rows(&mut self) {
        for (_, constraint) in self.model.clone().constraints.iter() {
            for row in &constraint.rows {
                let pool = self.model.space.pool();
                let by = |(r, u): (usize, Expr)| (r, Derivation::partial(pool, u).apply(pool, row.velocity));
                let speeds = self.model.speeds.iter().map(|(_, u)| u.symbol).enumerate();
                let jacobian: Vec<(usize, Expr)> =
                    speeds.map(by).filter(|(_, e)| !pool.is_zero(*e)).collect();
                let rate = self.model.space.dt(row.velocity);
                let (force, torque) = match &row.action {
                    None => (None, None),
                    Some(RowAction::Force(e)) => (Some(e), None),
                    Some(RowAction::Torque(m)) => (None, Some(m)),
                    Some(RowAction::Wrench(e, m)) => (Some(e), Some(m)),
                };
                let ends = row.action.as_ref().and(constraint.ends.as_ref());
                let asked = Row {
                    constraint: constraint.name.clone(),
                    ends: ends.map(|e| (self.carrier(e.first), self.carrier(e.second), self.place(&e.at))),
                    force: force.map(|e| self.vector(e)),
                    torque: torque.map(|m| self.vector(m)),
                    jacobian: jacobian.into_iter().map(|(r, e)| (r, self.number(e))).collect(),
                    rate: self.number(rate),
                };
                self.rows.push(asked);
            }
        }
    }

    /// The numbers asked for, in the order of asking, at a sample.
    fn numbers(&self, run: &Trajectory, sample: usize) -> Vec<f64> {
        let row = run.rows.iter().nth(sample).expect("a sample");
        let mut numbers = vec![f64::NAN; self.n_asked];
        for (column, value) in run.columns.iter().zip(row) {
            if let Some(k) = column.name.strip_prefix('#').and_then(|k| k.parse::<usize>().ok()) {
                numbers[k] = *value;
            }
        }
        numbers
    }

    /// The augmented form at a sample of a run of [`Bodies::model`].
    pub fn system(&self, run: &Trajectory, sample: usize) -> System {
        let numbers = self.numbers(run, sample);
        let get = |a: Asked| a.map(|k| numbers[k]);
        let (nu, nj) = (self.n_speeds, self.joints.len());
        let n = nu + 6 * nj + self.rows.len();
        let mut a = Matrix::zeros(n, n);
        let mut b = vec![0.0; n];
        let origin: Vec<V3> = self.joints.iter().map(|j| get(j.origin)).collect();
        let force = |j: usize| nu + 6 * j;
        let multiplier = |k: usize| nu + 6 * nj + k;
        // [balance] Row 6 j + i; joints first, then speeds, then constraints.
        for (j, joint) in self.joints.iter().enumerate() {
            (0..6).for_each(|i| a[(6 * j + i, force(j) + i)] += 1.0);
            let Some(p) = joint.parent else { continue };
            for i in 0..3 {
                a[(6 * p + i, force(j) + i)] -= 1.0;
                a[(6 * p + 3 + i, force(j) + 3 + i)] -= 1.0;
                let lever = cross(minus(origin[j], origin[p]), unit(i));
                (0..3).for_each(|k| a[(6 * p + 3 + k, force(j) + i)] -= lever[k]);
            }
        }
        for (k, row) in self.rows.iter().enumerate() {
            let Some((first, second, at)) = row.ends else { continue };
            let at = get(at);
            for (joint, sign) in [(first, -1.0), (second, 1.0)] {
                let Some(j) = joint else { continue };
                let e = row.force.map_or([0.0; 3], get);
                let m = row.torque.map_or([0.0; 3], get);
                let lever = cross(minus(at, origin[j]), e);
                for i in 0..3 {
                    a[(6 * j + i, multiplier(k))] += sign * e[i];
                    a[(6 * j + 3 + i, multiplier(k))] += sign * (lever[i] + m[i]);
                }
            }
        }
        for load in &self.loads {
            let v = get(load.vector);
            let j = load.joint;
            match load.at {
                None => (0..3).for_each(|i| b[6 * j + 3 + i] -= load.sign * v[i]),
                Some(at) => {
                    let lever = cross(minus(get(at), origin[j]), v);
                    for i in 0..3 {
                        b[6 * j + i] -= load.sign * v[i];
                        b[6 * j + 3 + i] -= load.sign * lever[i];
                    }
                }
            }
        }
        for body in &self.bodies {
            self.inertia(body, &numbers, &origin, &mut a, &mut b);
        }
        // [no-power]
        for (j, joint) in self.joints.iter().enumerate() {
            for (r, v, w) in &joint.freedoms {
                for (i, x) in get(*v).into_iter().chain(get(*w)).enumerate() {
                    a[(6 * nj + r, force(j) + i)] += x;
                }
            }
        }
        // [closed]
        for (k, row) in self.rows.iter().enumerate() {
            b[6 * nj + nu + k] -= numbers[row.rate];
            for (r, entry) in &row.jacobian {
                a[(6 * nj + nu + k, *r)] += numbers[*entry];
                if row.ends.is_none() || self.of_contacts[*r] {
                    a[(6 * nj + r, multiplier(k))] += numbers[*entry];
                }
            }
        }
        let size = |v: V3| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let loads = self.loads.iter().map(|l| size(get(l.vector)));
        let moved =
            self.bodies.iter().flat_map(|b| [b.a, self.gravity].map(|v| numbers[b.mass] * size(get(v))));
        let largest_force = loads.chain(moved).fold(0.0, f64::max);
        System { matrix: a, right: b, components: self.components(&numbers), largest_force }
    }

    /// What it takes to move a body.
    fn inertia(&self, body: &Body, numbers: &[f64], origin: &[V3], a: &mut Matrix, b: &mut [f64]) {
        let get = |a: Asked| a.map(|k| numbers[k]);
        let (mass, center, j) = (numbers[body.mass], get(body.center), body.joint);
        let axes = body.axes.map(get);
        let turned = |w: V3| -> V3 {
            let own: V3 = std::array::from_fn(|i| (0..3).map(|k| axes[i][k] * w[k]).sum());
            let h: V3 = std::array::from_fn(|i| (0..3).map(|k| numbers[body.inertia[i][k]] * own[k]).sum());
            std::array::from_fn(|k| (0..3).map(|i| axes[i][k] * h[i]).sum())
        };
        let arm = minus(center, origin[j]);
        let effect = |acceleration: V3, alpha: V3| {
            let f = acceleration.map(|x| mass * x);
            let (lever, h) = (cross(arm, f), turned(alpha));
            [f[0], f[1], f[2], lever[0] + h[0], lever[1] + h[1], lever[2] + h[2]]
        };
        let w = get(body.w);
        let gyroscopic = cross(w, turned(w));
        let known = effect(minus(get(body.a), get(self.gravity)), get(body.alpha));
        (0..6).for_each(|i| b[6 * j + i] += known[i] + if i < 3 { 0.0 } else { gyroscopic[i - 3] });
        let mut way = Some(j);
        while let Some(k) = way {
            for (r, v, w) in &self.joints[k].freedoms {
                let (v, w) = (get(*v), get(*w));
                let lever = cross(w, minus(center, origin[k]));
                let share = effect(std::array::from_fn(|i| v[i] + lever[i]), w);
                (0..6).for_each(|i| a[(6 * j + i, *r)] -= share[i]);
            }
            way = self.joints[k].parent;
        }
    }

    fn components(&self, numbers: &[f64]) -> Vec<Component> {
        let (nu, nj) = (self.n_speeds, self.joints.len());
        let mut components = vec![];
        for (j, joint) in self.joints.iter().enumerate() {
            for (i, end) in
                ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"].iter().enumerate()
            {
                components.push(Component {
                    name: format!("{}.{end}", joint.name),
                    of: vec![(nu + 6 * j + i, 1.0)],
                });
            }
        }
        for (kind, of) in
            [("force", |r: &Row| r.force), ("torque", |r: &Row| r.torque)] as [(_, fn(&Row) -> _); 2]
        {
            for (i, axis) in ["x", "y", "z"].iter().enumerate() {
                for (k, row) in self.rows.iter().enumerate() {
                    let Some(v) = of(row) else { continue };
                    let name = format!("{}.{kind}.{axis}", row.constraint);
                    let term = (nu + 6 * nj + k, -numbers[v[i]]);
                    match components.iter_mut().find(|c| c.name == name) {
                        Some(known) => known.of.push(term),
                        None => components.push(Component { name, of: vec![term] }),
                    }
                }
            }
        }
        components
    }
}

impl System {
    /// Rows and the columns of accelerations brought to like sizes: neither changes which reactions are shortest.
    pub fn scaled(mut self, n_accelerations: usize) -> System {
        let n = self.matrix.n_rows();
        for r in 0..n_accelerations {
            let size = (0..n).map(|i| self.matrix[(i, r)].powi(2)).sum::<f64>().sqrt();
            (0..n).filter(|_| size > 0.0).for_each(|i| self.matrix[(i, r)] /= size);
        }
        for i in 0..n {
            let size = (0..n).map(|k| self.matrix[(i, k)].powi(2)).sum::<f64>().sqrt();
            if size > 0.0 {
                (0..n).for_each(|k| self.matrix[(i, k)] /= size);
                self.right[i] /= size;
            }
        }
        self
    }

    /// The shortest solution, refined, the rank, and the least singular value that counts by the largest.
    pub fn solve(&self) -> (Vec<f64>, usize, f64) {
        let n = self.right.len();
        let mut found = least_norm(&self.matrix, &self.right, RANK).expect("finite numbers");
        for _ in 0..3 {
            let image = |i: usize| (0..n).map(|k| self.matrix[(i, k)] * found.x[k]).sum::<f64>();
            let left: Vec<f64> = (0..n).map(|i| self.right[i] - image(i)).collect();
            let more = least_norm(&self.matrix, &left, RANK).expect("finite numbers").x;
            found.x.iter_mut().zip(more).for_each(|(x, d)| *x += d);
        }
        let least = found.singular_values[found.rank - 1] / found.singular_values[0];
        (found.x, found.rank, least)
    }

    /// Whether a component is the same in every solution.
    pub fn is_unique(&self, component: &Component) -> bool {
        let n = self.right.len();
        let mut along = vec![0.0; n];
        component.of.iter().for_each(|(k, x)| along[*k] += x);
        let image: Vec<f64> = (0..n).map(|i| (0..n).map(|k| self.matrix[(i, k)] * along[k]).sum()).collect();
        let shadow = least_norm(&self.matrix, &image, RANK).expect("finite numbers").x;
        along.iter().zip(shadow).all(|(a, s)| (a - s).abs() < 1e-7)
    }
}

/// Singular values below this part of the largest are rounding.
const RANK: f64 = 1e-11;
