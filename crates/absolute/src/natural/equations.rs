//! The equations of a mechanism in natural coordinates: values, accelerations, projection.

use std::collections::BTreeSet;

use cardan_base::Map;
use cardan_solve::sparse::{SparseLdl, minimum_degree};

use crate::error::Unsupported;
use crate::geometry::{self as g, Pose};
use crate::mechanism::Mechanism;
use crate::natural::coordinates::{Coordinates, NamedRow, Triple};
use crate::natural::element::{Element, radius};
use crate::natural::form::{Level, Row};
use crate::natural::joints::{Joints, Scalar};
use crate::natural::sharing::Kind;
use crate::pairing::Place;
use crate::parts::GROUND;
use crate::scalar_rows::RowLaw;
use crate::template::{FREEDOMS, STATE};

/// The penalty relative to the mass that a row feels. [penalty]
const PENALTY: f64 = 1e7;
/// Pivots below this part of the diagonal belong to motions without mass.
const WEIGHTLESS: f64 = 3e-15;

/// One equation with its place in the matrix.
#[derive(Clone, Debug)]
struct Placed {
    named: NamedRow,
    triples: Vec<usize>,
    /// The columns of its gradient.
    columns: Vec<usize>,
    /// Where its gradient begins.
    first: usize,
    /// Slots of the lower triangle of gradient times gradient.
    slots: Vec<usize>,
}

/// A mechanism in natural coordinates.
#[derive(Clone, Debug)]
pub struct Natural {
    /// Points and vectors: the coordinates, three numbers each.
    pub triples: Vec<Triple>,
    /// Angles and displacements: coordinates behind those.
    pub scalars: Vec<Scalar>,
    elements: Vec<Element>,
    rows: Vec<Placed>,
    penalties: Vec<f64>,
    /// M by entries (i, j, value) of both triangles.
    mass: Vec<(usize, usize, f64)>,
    mass_slots: Vec<usize>,
    ldl: SparseLdl,
    values: Vec<f64>,
    levels: Vec<Level>,
    gradient: Vec<f64>,
    /// States of the parts in absolute coordinates at the last evaluation.
    pub parts: Vec<f64>,
    /// Accelerations at the last evaluation.
    pub acceleration: Vec<f64>,
    /// Multipliers at the last evaluation, by row.
    pub lambda: Vec<f64>,
}

impl Natural {
    /// Chooses the coordinates of a mechanism at its start.
    pub fn of(mechanism: &mut Mechanism<'_>, start: &[f64]) -> Result<Natural, Unsupported> {
        if mechanism.contacts.is_some() {
            return Err(Unsupported::Coordinates("contacts between shapes".into()));
        }
        mechanism.measure(start, true);
        let mut joints = Joints::default();
        for (name, pair, varies) in mechanism.pairs() {
            if varies {
                return Err(Unsupported::Coordinates(format!("`{name}`, whose size varies")));
            }
            let now = |p: &Place, k: usize| g::apply(&mechanism.pose(start, p.part).r, p.axes[k]);
            let [a, b] = [&pair.a, &pair.b].map(|p| mechanism.pose(start, p.part).at(p.point));
            joints.add(&name, &pair, &now, g::sub(b, a));
        }
        let mut between = vec![];
        for (k, row) in mechanism.rows.iter().enumerate() {
            if let RowLaw::Stated { position: None, .. } = row.law {
                return Err(Unsupported::Coordinates(format!("`{}`, a constraint of velocities", row.name)));
            }
            let mut places = vec![];
            for (freedom, ..) in &row.terms {
                let c = mechanism.structure.chains.partition_point(|c| c.first <= *freedom) - 1;
                let chain = &mechanism.structure.chains[c];
                places.push(joints.scalar(chain, *freedom, mechanism.travels[*freedom])?);
            }
            between.push((row.name.clone(), k, places));
        }
        let (sharing, demands, scalars) = joints.finish();
        let mut coordinates = Coordinates::of(sharing);
        let parts = &mechanism.structure.parts;
        let elements: Vec<Element> =
            parts.iter().enumerate().map(|(k, p)| Element::new(p, k, &mut coordinates)).collect();
        let first = 3 * coordinates.triples.len();
        Joints::write(demands, &mut coordinates, first);
        for (name, k, places) in between {
            let places = places.into_iter().map(|p| first + p).collect();
            coordinates.add_row(&name, "equation between joints", Row::Between(k, places));
        }
        let mut found = Natural::assembled(mechanism, elements, coordinates, scalars);
        let mut y = found.state_of(mechanism, start);
        found.weigh_rows(mechanism, &y)?;
        found.project(mechanism, 0.0, &mut y).map_err(Unsupported::Program)?;
        Ok(found)
    }

    /// The pattern of [penalty].
    fn assembled(
        mechanism: &Mechanism<'_>,
        elements: Vec<Element>,
        coordinates: Coordinates,
        scalars: Vec<Scalar>,
    ) -> Natural {
        let Coordinates { triples, rows, .. } = coordinates;
        let n = 3 * triples.len() + scalars.len();
        let mut masses: Map<(usize, usize), f64> = Map::default();
        for element in &elements {
            element.weigh(&mut |i, j, block| {
                for (a, row) in block.iter().enumerate() {
                    for (b, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                        *masses.entry((3 * i + a, 3 * j + b)).or_default() += x;
                    }
                }
            });
        }
        let mut mass: Vec<(usize, usize, f64)> = masses.into_iter().map(|((i, j), x)| (i, j, x)).collect();
        mass.sort_unstable_by_key(|(i, j, _)| (*i, *j));
        let mut entries: Vec<(usize, usize)> = vec![];
        let mut known: Map<(usize, usize), usize> = Map::default();
        let mut slot = |i: usize, j: usize| {
            *known.entry((i.max(j), i.min(j))).or_insert_with(|| {
                entries.push((i.max(j), i.min(j)));
                entries.len() - 1
            })
        };
        let mut places: Vec<usize> =
            mass.iter().filter(|(i, j, _)| i >= j).map(|(i, j, _)| slot(*i, *j)).collect();
        let mut placed = vec![];
        let mut first = 0;
        for named in rows {
            let own = named.row.triples();
            let scalars = named.row.scalars();
            let columns: Vec<usize> = own.iter().flat_map(|t| 3 * t..3 * t + 3).chain(scalars).collect();
            let mut slots = vec![];
            for (k, i) in columns.iter().enumerate() {
                slots.extend(columns[..=k].iter().map(|j| slot(*i, *j)));
            }
            let row = Placed { named, triples: own, first, slots, columns };
            first += row.columns.len();
            placed.push(row);
        }
        (0..n).for_each(|i| _ = slot(i, i));
        // Triples are eliminated as wholes.
        let block = |i: usize| if i < 3 * triples.len() { i / 3 } else { i - 2 * triples.len() };
        let n_blocks = triples.len() + scalars.len();
        let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n_blocks];
        for (i, j) in &entries {
            let (a, b) = (block(*i), block(*j));
            if a != b {
                neighbours[a].insert(b);
                neighbours[b].insert(a);
            }
        }
        let neighbours: Vec<Vec<usize>> = neighbours.into_iter().map(|s| s.into_iter().collect()).collect();
        let members = |b: usize| {
            if b < triples.len() {
                3 * b..3 * b + 3
            } else {
                b + 2 * triples.len()..b + 2 * triples.len() + 1
            }
        };
        let order: Vec<usize> = minimum_degree(&neighbours).into_iter().flat_map(members).collect();
        let (ldl, slots) = SparseLdl::new(n, &entries, &order);
        places.iter_mut().for_each(|p| *p = slots[*p]);
        placed.iter_mut().for_each(|row| row.slots.iter_mut().for_each(|p| *p = slots[*p]));
        Natural {
            values: vec![0.0; ldl.n_values()],
            ldl,
            levels: vec![Level::default(); placed.len()],
            penalties: vec![1.0; placed.len()],
            lambda: vec![0.0; placed.len()],
            gradient: vec![0.0; first],
            rows: placed,
            mass,
            mass_slots: places,
            elements,
            triples,
            scalars,
            parts: vec![0.0; STATE * mechanism.n_parts()],
            acceleration: vec![0.0; n],
        }
    }

    /// The number of coordinates.
    pub fn n_coordinates(&self) -> usize {
        3 * self.triples.len() + self.scalars.len()
    }

    /// Points among them.
    pub fn n_points(&self) -> usize {
        self.triples.iter().filter(|t| t.kind == Kind::Point).count()
    }

    /// Unit vectors among them.
    pub fn n_vectors(&self) -> usize {
        self.triples.len() - self.n_points()
    }

    /// The number of equations.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Numbers in the Jacobian matrix of the equations that need not be zero.
    pub fn n_nonzeros(&self) -> usize {
        self.rows.iter().map(|r| r.named.row.n_nonzeros()).sum()
    }

    /// Subtractions that the Jacobian matrix takes: three for each difference of points. Nothing
    /// else is computed for it but scaling.
    pub fn n_operations(&self) -> usize {
        let all: BTreeSet<String> = self.rows.iter().flat_map(|r| r.named.row.differences()).collect();
        3 * all.len()
    }

    /// Numbers in the factor of the sparse matrix.
    pub fn n_filled(&self) -> usize {
        self.ldl.n_filled()
    }

    /// A row in words.
    pub fn row_name(&self, row: usize) -> String {
        let named = &self.rows[row].named;
        format!("{}: {}", named.name, named.what)
    }

    /// The constant mass matrix by entries of both triangles.
    pub fn mass(&self) -> &[(usize, usize, f64)] {
        &self.mass
    }

    /// The natural state of a state in absolute coordinates: coordinates, their rates, auxiliary
    /// states.
    pub fn state_of(&self, mechanism: &Mechanism<'_>, y: &[f64]) -> Vec<f64> {
        let n = self.n_coordinates();
        let mut found = vec![0.0; 2 * n];
        for (k, triple) in self.triples.iter().enumerate() {
            let pose: Pose = mechanism.pose(y, triple.part);
            let x = Element::place(&pose, triple.kind, triple.local);
            let (v, w) = match triple.part {
                GROUND => ([0.0; 3], [0.0; 3]),
                part => mechanism.velocity(y, part),
            };
            let moved = match triple.kind {
                Kind::Point => g::add(v, g::cross(w, g::sub(x, pose.p))),
                Kind::Vector => g::cross(w, x),
            };
            (0..3).for_each(|i| {
                found[3 * k + i] = x[i];
                found[n + 3 * k + i] = moved[i];
            });
        }
        for (k, scalar) in self.scalars.iter().enumerate() {
            let at = 3 * self.triples.len() + k;
            found[at] = scalar.start;
            found[n + at] = scalar.freedom.map_or(0.0, |f| mechanism.rate_of(f));
        }
        found.extend(&y[STATE * mechanism.n_parts()..]);
        found
    }

    /// Evaluates parts, expressions and equations.
    fn evaluate(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Result<(), String> {
        let n = self.n_coordinates();
        let (q, v) = (&y[..n], &y[n..2 * n]);
        for (k, element) in self.elements.iter().enumerate() {
            self.parts[STATE * k..][..STATE].copy_from_slice(&element.state(q, v));
        }
        if m.measures() {
            m.measure(&self.parts, false);
            let first = 3 * self.triples.len();
            for (k, scalar) in self.scalars.iter().enumerate() {
                if let Some(freedom) = scalar.freedom {
                    m.set_measured(freedom, q[first + k], v[first + k]);
                }
            }
            m.run_scalars(t, &y[2 * n..])?;
        }
        for (row, level) in self.rows.iter().zip(&mut self.levels) {
            let gradient = &mut self.gradient[row.first..row.first + row.columns.len()];
            *level = match &row.named.row {
                Row::Between(k, places) => m.between(*k, places, [q, v], gradient),
                other => other.evaluate(&row.triples, [q, v], gradient),
            };
        }
        Ok(())
    }

    /// Penalties by the mass that each row feels at the start.
    fn weigh_rows(&mut self, m: &mut Mechanism<'_>, y: &[f64]) -> Result<(), Unsupported> {
        self.evaluate(m, 0.0, y).map_err(Unsupported::Program)?;
        let parts = &m.structure.parts;
        let mut weights = vec![0.0; self.n_coordinates()];
        for (i, j, x) in &self.mass {
            if i == j {
                weights[*i] = *x;
            }
        }
        let weight = |part: usize, turns: bool| {
            let data = parts.get(part).or(parts.first());
            data.map_or(1.0, |p| if turns { p.mass * radius(p).powi(2).max(1e-12) } else { p.mass })
        };
        for (k, triple) in self.triples.iter().enumerate() {
            let least = 1e-3 * weight(triple.part, triple.kind == Kind::Vector);
            (3 * k..3 * k + 3).for_each(|i| weights[i] = weights[i].max(least));
        }
        for (k, scalar) in self.scalars.iter().enumerate() {
            weights[3 * self.triples.len() + k] = weight(scalar.part, true);
        }
        let ease = |row: &Placed| -> f64 {
            let own = &self.gradient[row.first..row.first + row.columns.len()];
            row.columns.iter().zip(own).map(|(c, d)| d * d / weights[*c]).sum()
        };
        let mut eases: Vec<f64> = self.rows.iter().map(ease).collect();
        // A component of a cross product may say nothing now and all that is to be said later.
        for k in 2..self.rows.len() {
            let is_third = |row: &Placed| matches!(row.named.row, Row::Cross(_, _, 2));
            if is_third(&self.rows[k]) {
                let most = eases[k - 2..=k].iter().copied().fold(0.0, f64::max);
                eases[k - 2..=k].fill(most);
            }
        }
        let most = eases.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for (penalty, ease) in self.penalties.iter_mut().zip(eases) {
            *penalty = PENALTY / ease.max(1e-9 * most);
        }
        Ok(())
    }

    fn factorise(&mut self) {
        self.values.fill(0.0);
        let lower = self.mass.iter().filter(|(i, j, _)| i >= j);
        lower.zip(&self.mass_slots).for_each(|((.., x), slot)| self.values[*slot] += x);
        for (row, penalty) in self.rows.iter().zip(&self.penalties) {
            let own = &self.gradient[row.first..row.first + row.columns.len()];
            let mut slots = row.slots.iter();
            for (k, x) in own.iter().enumerate() {
                for (y, slot) in own[..=k].iter().zip(&mut slots) {
                    self.values[*slot] += penalty * x * y; // [penalty]
                }
            }
        }
        self.ldl.factorise(&self.values, &[], WEIGHTLESS);
    }

    /// Φ_q x
    fn gather(&self, x: &[f64]) -> Vec<f64> {
        let along = |row: &Placed| {
            let own = &self.gradient[row.first..row.first + row.columns.len()];
            row.columns.iter().zip(own).map(|(c, d)| x[*c] * d).sum()
        };
        self.rows.iter().map(along).collect()
    }

    /// out += Φ_qᵀ x
    fn pull(&self, x: &[f64], out: &mut [f64]) {
        for (row, x) in self.rows.iter().zip(x) {
            let own = &self.gradient[row.first..row.first + row.columns.len()];
            row.columns.iter().zip(own).for_each(|(c, d)| out[*c] += x * d);
        }
    }

    /// M x + Φ_qᵀ λ = r and Φ_q x = s, by the factors of the last factorisation, with exact
    /// residuals. [multiplier], [mixed]
    fn solve(&mut self, r: &[f64], s: &[f64]) -> (Vec<f64>, Vec<f64>) {
        const PASSES: usize = 30;
        // Well-conditioned mechanisms are done before steps are mixed.
        const PLAIN: usize = 6;
        let n = r.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        // What no step reaches: repeated equations that differ by rounding, or by second order.
        let floor = 1e-14 * dot(s, s).sqrt();
        // Coordinates, then multipliers.
        let mut x = vec![0.0; n + s.len()];
        let (mut last_x, mut last_step): (Vec<f64>, Vec<f64>) = (vec![], vec![]);
        // Unit changes of steps, and what they change in x.
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = vec![];
        for pass in 0..PASSES {
            let step = self.step(r, s, &x);
            let (length, size) = (dot(&step[..n], &step[..n]).sqrt(), dot(&x[..n], &x[..n]).sqrt());
            let is_slow = pass > 0 && length > 0.1 * dot(&last_step[..n], &last_step[..n]).sqrt();
            // Rounding is as far as one comes.
            if is_slow && length <= 1e-9 * size {
                break;
            }
            if pass > 0 && length <= 1e-13 * size + floor {
                x.iter_mut().zip(&step).for_each(|(x, d)| *x += d);
                break;
            }
            let is_mixed = pass >= PLAIN && length > 1e-7 * size;
            if is_mixed {
                let mut change: Vec<f64> = step.iter().zip(&last_step).map(|(a, b)| a - b).collect();
                let mut whole: Vec<f64> =
                    x.iter().zip(&last_x).zip(&change).map(|((a, b), c)| a - b + c).collect();
                for (unit, moved) in &basis {
                    let c = dot(unit, &change[..n]);
                    change.iter_mut().zip(unit).for_each(|(d, u)| *d -= c * u);
                    whole.iter_mut().zip(moved).for_each(|(d, u)| *d -= c * u);
                }
                let length = dot(&change[..n], &change[..n]).sqrt();
                if length > 1e-3 * dot(&last_step[..n], &last_step[..n]).sqrt() {
                    let unit = change[..n].iter().map(|d| d / length).collect();
                    basis.push((unit, whole.iter().map(|d| d / length).collect()));
                }
            }
            let mut next: Vec<f64> = x.iter().zip(&step).map(|(x, d)| x + d).collect();
            for (unit, moved) in basis.iter().filter(|_| is_mixed) {
                let c = dot(unit, &step[..n]);
                next.iter_mut().zip(moved).for_each(|(d, u)| *d -= c * u); // [mixed]
            }
            (last_x, last_step) = (std::mem::replace(&mut x, next), step);
        }
        let lambda = x.split_off(n);
        (x, lambda)
    }

    /// The step of [multiplier] from coordinates and multipliers.
    fn step(&mut self, r: &[f64], s: &[f64], x: &[f64]) -> Vec<f64> {
        let (q, lambda) = x.split_at(r.len());
        let reached = self.gather(q);
        let open: Vec<f64> = s.iter().zip(&reached).map(|(s, y)| s - y).collect();
        let pulls = open.iter().zip(&self.penalties).zip(lambda).map(|((s, a), l)| s * a - l);
        let pulls: Vec<f64> = pulls.collect();
        let mut step = r.to_vec();
        for (i, j, m) in &self.mass {
            step[*i] -= m * q[*j];
        }
        self.pull(&pulls, &mut step);
        self.ldl.solve(&mut step);
        let moved = self.gather(&step);
        let added = moved.iter().zip(&open).zip(&self.penalties).map(|((m, s), a)| a * (m - s));
        let added: Vec<f64> = added.collect();
        step.extend(added);
        step
    }

    /// Accelerations and multipliers at a state. [natural]
    pub fn accelerate(&mut self, m: &mut Mechanism<'_>, t: f64, y: &[f64]) -> Result<(), String> {
        self.evaluate(m, t, y)?;
        m.apply_loads(&self.parts)?;
        let n = self.n_coordinates();
        let mut forces = vec![0.0; n];
        for (k, element) in self.elements.iter().enumerate() {
            let f = &m.force[FREEDOMS * k..][..FREEDOMS];
            let s = &self.parts[STATE * k..][..STATE];
            // The mass matrix is constant: gyroscopic torques are no forces here.
            let w = [s[10], s[11], s[12]];
            let gyroscopic = g::cross(w, g::apply(&m.structure.parts[k].inertia, w));
            let torque = g::add([f[3], f[4], f[5]], gyroscopic);
            let torque = g::apply(&g::matrix([s[3], s[4], s[5], s[6]]), torque);
            element.push(&y[..n], [f[0], f[1], f[2]], torque, &mut forces);
        }
        self.factorise();
        let bias: Vec<f64> = self.levels.iter().map(|l| -l.gamma).collect();
        (self.acceleration, self.lambda) = self.solve(&forces, &bias);
        for (row, lambda) in self.rows.iter().zip(&self.lambda) {
            if let Row::Between(k, _) = &row.named.row {
                m.set_multiplier(*k, -lambda);
            }
        }
        match self.acceleration.iter().all(|a| a.is_finite()) {
            true => Ok(()),
            false => Err("accelerations are not finite".into()),
        }
    }

    /// The time derivative of a state.
    pub fn derivative(
        &mut self,
        m: &mut Mechanism<'_>,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), String> {
        self.accelerate(m, t, y)?;
        let n = self.n_coordinates();
        dy[..n].copy_from_slice(&y[n..2 * n]);
        dy[n..2 * n].copy_from_slice(&self.acceleration);
        m.rates_of_states(&mut dy[2 * n..]);
        Ok(())
    }

    /// Pulls a state onto the equations of positions and velocities by the shortest way, measured
    /// by mass; what is left of both.
    pub fn project(&mut self, m: &mut Mechanism<'_>, t: f64, y: &mut [f64]) -> Result<(f64, f64), String> {
        let n = self.n_coordinates();
        let none = vec![0.0; n];
        let worst = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0, |a: f64, x| a.max(x.abs()));
        self.evaluate(m, t, y)?;
        self.factorise();
        let mut open = worst(&mut self.levels.iter().map(|l| l.value));
        for _ in 0..6 {
            if open < 1e-14 {
                break;
            }
            let gaps: Vec<f64> = self.levels.iter().map(|l| -l.value).collect();
            let (step, _) = self.solve(&none, &gaps);
            y.iter_mut().zip(&step).for_each(|(y, d)| *y += d);
            self.evaluate(m, t, y)?;
            let now = worst(&mut self.levels.iter().map(|l| l.value));
            if now >= 0.5 * open {
                open = now;
                break;
            }
            open = now;
        }
        self.factorise();
        let gaps: Vec<f64> = self.levels.iter().map(|l| -l.rate).collect();
        let (step, _) = self.solve(&none, &gaps);
        y[n..2 * n].iter_mut().zip(&step).for_each(|(y, d)| *y += d);
        Ok((open, worst(&mut self.levels.iter().map(|l| l.rate))))
    }

    /// States of the parts in absolute coordinates, then auxiliary states.
    pub fn absolute(&self, y: &[f64]) -> Vec<f64> {
        let n = self.n_coordinates();
        let states = self.elements.iter().flat_map(|e| e.state(&y[..n], &y[n..2 * n]));
        states.chain(y[2 * n..].iter().copied()).collect()
    }

    /// Accelerations of the parts in absolute coordinates at the last evaluation.
    pub fn accelerations_of_parts(&self, y: &[f64]) -> Vec<f64> {
        let n = self.n_coordinates();
        self.elements.iter().flat_map(|e| e.acceleration(&y[..n], &y[n..2 * n], &self.acceleration)).collect()
    }
}
