//! Linear equations of small departures from a state: ẋ = A x + B δp, w = C x + D δp.
//!
//! The vector field is tangent to the constraints, so its derivative maps their tangent space into itself:
//!
//! ```text
//! [departure]    δy = Z x + Y δp                       x: independent states
//! [linear]       A = P f_y Z,   B = P (f_y Y + f_p)    P picks the independent rows
//! [seen]         C = h_y Z,     D = h_y Y + h_p
//! [second]       M = Zᵤᵀ 𝐌 Zᵤ,  C₁ = -M A_uu,  K = -M A_uq      M ü + C₁ u + K q = 0
//! [split]        C₁ = D + G,  K₁ = K + N                          symmetric and skew-symmetric parts
//! ```
//!
//! Dependent coordinates and multipliers are accounted for without being seen: f contains the multipliers as functions of the
//! state, Z contains how dependent positions and velocities follow, ∂v/∂q included. The state need not be at rest; where it moves
//! along ignorable coordinates only, A is constant along the motion (a bicycle at constant speed).

use cardan_solve::Matrix;

use crate::AnalysisError;
use crate::kinematics::singular_configuration::lost_constraints;
use crate::linear::higher_order_terms::{flat, has_potential, is_nonlinear};
use crate::linear::nonsmooth_points::{Kink, kinks};
use crate::linear::tangent_space::{Tangent, tangent, tangent_near};
use crate::linear::uncertainty::{Seen, seen, uncertainty};
use crate::numeric_model::{Named, StateKind, Study};

/// What is wanted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LinearOptions {
    /// States that are to be independent if the constraints allow.
    pub keep: Vec<String>,
}

/// What kind of state the departures are from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Nothing moves.
    Equilibrium,
    /// Only ignorable coordinates move, at constant rates.
    Steady,
    /// Nothing moves, but something is about to.
    Unbalanced,
    /// Nothing moves because dry friction holds it: the matrices are those of the model with sign(0) = 0, without that friction.
    Held,
    /// Everything may move: the matrices hold for this instant.
    Moving,
}

impl Point {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Point::Equilibrium => "equilibrium",
            Point::Steady => "steady motion",
            Point::Unbalanced => "a state at rest that is not an equilibrium",
            Point::Held => "a state that dry friction holds",
            Point::Moving => "a moving state",
        }
    }
}

/// What keeps a state at rest from being an equilibrium.
#[derive(Clone, PartialEq, Debug)]
pub struct Imbalance {
    /// The place in y of the speed or auxiliary state that is about to change.
    pub place: usize,
    /// Its rate, in SI units.
    pub rate: f64,
    /// The generalised force along the speed that nothing balances; nothing for an auxiliary state.
    pub force: Option<f64>,
}

/// An independent state.
#[derive(Clone, PartialEq, Debug)]
pub struct Independent {
    /// Its name and unit.
    pub named: Named,
    /// What it is.
    pub kind: StateKind,
    /// Its place in y.
    pub place: usize,
}

/// The second-order form in independent coordinates and speeds.
#[derive(Clone, PartialEq, Debug)]
pub struct SecondOrder {
    /// The speeds: rows and columns of M and C₁, rows of K.
    pub speeds: Vec<Named>,
    /// The coordinates: columns of K.
    pub coordinates: Vec<Named>,
    /// M.
    pub mass: Matrix,
    /// C₁.
    pub damping: Matrix,
    /// K.
    pub stiffness: Matrix,
    /// M B: generalised forces per input.
    pub forcing: Matrix,
}

/// The matrices of M q̈ + (D + G) q̇ + (K + N) q = 0, apart by their symmetry. [split]
#[derive(Clone, PartialEq, Debug)]
pub struct SplitMatrices {
    /// D, symmetric: damping.
    pub damping: Matrix,
    /// G, skew-symmetric: gyroscopic terms.
    pub gyroscopic: Matrix,
    /// K, symmetric: stiffness, with the geometric stiffness of nominal loads.
    pub stiffness: Matrix,
    /// N, skew-symmetric: circulatory terms.
    pub circulatory: Matrix,
}

/// Linear equations of small departures.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearization {
    /// When.
    pub time: f64,
    /// From which state.
    pub state: Vec<f64>,
    /// What kind of state it is.
    pub point: Point,
    /// Largest rate of a state that is felt.
    pub unrest: f64,
    /// The largest load that nothing balances, where nothing moves yet.
    pub imbalance: Option<Imbalance>,
    /// x.
    pub independent: Vec<Independent>,
    /// Places among x of coordinates that nothing feels but one another.
    pub ignorable: Vec<usize>,
    /// Places among x of those of them that are felt beside the state, though not to first order.
    pub flat: Vec<usize>,
    /// Whether the equations have terms beyond the linear ones.
    pub is_nonlinear: bool,
    /// Whether all loads have potentials.
    pub conserves: bool,
    /// Corners and jumps of the equations in the state: there the matrices are those of one side, or of neither.
    pub kinks: Vec<Kink>,
    /// δp.
    pub inputs: Vec<Named>,
    /// w.
    pub outputs: Vec<Named>,
    /// A.
    pub a: Matrix,
    /// What rounding may have changed in the entries of A.
    pub uncertainty: Matrix,
    /// B.
    pub b: Matrix,
    /// C.
    pub c: Matrix,
    /// D.
    pub d: Matrix,
    /// Z: all states in terms of x.
    pub basis: Matrix,
    /// Y: how dependent states follow the inputs at once.
    pub shift: Matrix,
    /// M, C₁, K.
    pub second_order: SecondOrder,
    /// Outputs whose derivative is not finite, each with a variable that it is by: their rows of C and D mean nothing.
    pub undefined: Vec<(Named, Named)>,
}

impl Linearization {
    /// The coordinates that nothing feels, to no order.
    pub fn unfelt(&self) -> Vec<Named> {
        let unfelt = self.ignorable.iter().filter(|k| !self.flat.contains(k));
        unfelt.map(|k| self.independent[*k].named.clone()).collect()
    }
    /// The coordinates that are felt, though not to first order.
    pub fn flat(&self) -> Vec<Named> {
        self.flat.iter().map(|k| self.independent[*k].named.clone()).collect()
    }
    /// D, G, K and N; nothing unless each speed is the rate of the coordinate at its place. Nothing
    /// feels an ignorable coordinate, so that its column of K + N is zero. [split]
    pub fn split(&self) -> Option<SplitMatrices> {
        let second = &self.second_order;
        let of_kind = |kind: StateKind| -> Vec<usize> {
            (0..self.independent.len()).filter(|k| self.independent[*k].kind == kind).collect()
        };
        let (q, u) = (of_kind(StateKind::Coordinate), of_kind(StateKind::Speed));
        let n = u.len();
        let is_rate = |i: usize, j: usize| self.a[(q[i], u[j])] == if i == j { 1.0 } else { 0.0 };
        let places = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        if q.len() != n || second.speeds.len() != n || !places().all(|(i, j)| is_rate(i, j)) {
            return None;
        }
        let felt = |j: usize| {
            let before = q[..j].iter().filter(|k| !self.ignorable.contains(k)).count();
            (!self.ignorable.contains(&q[j])).then_some(before)
        };
        let mut stiffness = Matrix::zeros(n, n);
        for (i, j) in places() {
            stiffness[(i, j)] = felt(j).map_or(0.0, |k| second.stiffness[(i, k)]);
        }
        let half = |m: &Matrix, sign: f64| {
            let mut out = Matrix::zeros(n, n);
            places().for_each(|(i, j)| out[(i, j)] = 0.5 * (m[(i, j)] + sign * m[(j, i)]));
            out
        };
        Some(SplitMatrices {
            damping: half(&second.damping, 1.0),
            gyroscopic: half(&second.damping, -1.0),
            stiffness: half(&stiffness, 1.0),
            circulatory: half(&stiffness, -1.0),
        })
    }
    /// The places among x of what is felt.
    pub(crate) fn felt(&self) -> Vec<usize> {
        (0..self.independent.len()).filter(|k| !self.ignorable.contains(k)).collect()
    }
    /// The same without the coordinates that nothing feels.
    pub fn without_ignorable(&self) -> Linearization {
        let felt = self.felt();
        let every = |n: usize| (0..n).collect::<Vec<_>>();
        Linearization {
            a: part(&self.a, &felt, &felt),
            uncertainty: part(&self.uncertainty, &felt, &felt),
            b: part(&self.b, &felt, &every(self.b.n_cols())),
            c: part(&self.c, &every(self.c.n_rows()), &felt),
            basis: part(&self.basis, &every(self.basis.n_rows()), &felt),
            independent: felt.iter().map(|k| self.independent[*k].clone()).collect(),
            ignorable: vec![],
            flat: vec![],
            ..self.clone()
        }
    }
}

/// A B, in the order of the sums that is the same on every machine.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = Matrix::zeros(a.n_rows(), b.n_cols());
    for j in 0..b.n_cols() {
        a.multiply(b.column(j), c.column_mut(j));
    }
    c
}

/// Some rows and columns of a matrix.
pub(crate) fn part(a: &Matrix, rows: &[usize], columns: &[usize]) -> Matrix {
    let mut out = Matrix::zeros(rows.len(), columns.len());
    for (j, c) in columns.iter().enumerate() {
        for (i, r) in rows.iter().enumerate() {
            out[(i, j)] = a[(*r, *c)];
        }
    }
    out
}

/// The largest set of coordinates among x that nothing outside the set feels.
fn ignorable(a: &Matrix, uncertainty: &Matrix, independent: &[Independent]) -> Vec<usize> {
    let is_coordinate = |k: &usize| independent[*k].kind == StateKind::Coordinate;
    let mut set: Vec<usize> = (0..independent.len()).filter(is_coordinate).collect();
    loop {
        let outside: Vec<usize> = (0..independent.len()).filter(|k| !set.contains(k)).collect();
        let before = set.len();
        set.retain(|j| outside.iter().all(|i| a[(*i, *j)].abs() <= uncertainty[(*i, *j)]));
        if set.len() == before {
            return set;
        }
    }
}

/// Linearises about the state `y` at the time `t`; `y` must satisfy the constraints. In a singular position they have no tangent space: several
/// motions cross there, and linear equations belong to none of them.
pub fn linearize(
    study: &mut Study,
    t: f64,
    y: &[f64],
    options: &LinearOptions,
) -> Result<Linearization, AnalysisError> {
    let keep = options.keep.iter().map(|n| study.place(n)).collect::<Result<Vec<_>, _>>()?;
    let local = study.local(t, y)?;
    // Where the start cannot be assembled at this time, nothing is known of what is usual.
    let lost = lost_constraints(study, t, y).unwrap_or_default();
    if !lost.is_empty() {
        return Err(AnalysisError::Question(format!(
            "there are no linear equations in this singular position, in which the equations of {} say nothing new and motions cross; a position a little beside it has some",
            lost.join(", ")
        )));
    }
    let tangent = tangent(study, &local, &keep)?;
    let n = study.n_states();
    let n_out = study.model().outputs.len();
    let inputs = study.input_names();
    let (all, rows): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..n + n_out).collect());
    let by_input: Vec<usize> = (n..n + inputs.len()).collect();
    let f_y = part(&local.field, &all, &all);
    let h_y = part(&local.field, &rows, &all);

    let moved = product(&f_y, &tangent.basis); // [linear]
    let columns: Vec<usize> = (0..tangent.independent.len()).collect();
    let a = part(&moved, &tangent.independent, &columns);
    let mut pushed = product(&f_y, &tangent.shift);
    let mut d = product(&h_y, &tangent.shift); // [seen]
    for j in 0..inputs.len() {
        for i in 0..n {
            pushed[(i, j)] += local.field[(i, by_input[j])];
        }
        for i in 0..n_out {
            d[(i, j)] += local.field[(n + i, by_input[j])];
        }
    }
    let every: Vec<usize> = (0..inputs.len()).collect();
    let b = part(&pushed, &tangent.independent, &every);
    let c = product(&h_y, &tangent.basis);
    let independent = independent(study, &tangent);

    let kinks = kinks(study, t, y, (&tangent.basis, &moved), &independent);
    let seen = seen(study, (t, y), &tangent, (&f_y, &a));
    let uncertainty = uncertainty(&seen, &tangent, (&f_y, &a));
    let unfelt = ignorable(&a, &uncertainty, &independent);
    let rates = study.rates(t, y)?;
    let (mut point, unrest) = judge(study, &rates, &independent, &unfelt);
    // What nobody can tell of friction is no reason to refuse.
    let hold = if point == Point::Unbalanced { study.held(t, y).ok().flatten() } else { None };
    if hold.is_some_and(|h| judge(study, &h.rates, &independent, &unfelt).0 == Point::Equilibrium) {
        point = Point::Held;
    }
    let imbalance = if point == Point::Unbalanced { imbalance(study, t, y, &rates)? } else { None };
    let felt: Vec<usize> = columns.iter().copied().filter(|k| !unfelt.contains(k)).collect();
    let second_order = second_order(study, t, y, &a, &b, &tangent.basis, &independent, &felt)?;
    let mut linear = Linearization {
        time: t,
        state: y.to_vec(),
        point,
        unrest,
        imbalance,
        ignorable: unfelt,
        flat: vec![],
        is_nonlinear: false,
        conserves: false,
        kinks,
        outputs: study.output_names(),
        undefined: study.undefined_outputs(&local),
        a,
        uncertainty,
        b,
        c,
        basis: tangent.basis,
        shift: tangent.shift,
        independent,
        inputs,
        d,
        second_order,
    };
    linear.flat = flat(study, &linear);
    linear.is_nonlinear = is_nonlinear(study, &linear);
    linear.conserves = has_potential(study, &linear);
    Ok(linear)
}

/// The homogeneous equations alone, without inputs and outputs: ẋ = A x.
pub(crate) struct LinearMatrices {
    /// A.
    pub a: Matrix,
    /// What rounding may have changed in the entries of A.
    pub uncertainty: Matrix,
    /// Z: all states in terms of x.
    pub basis: Matrix,
    /// x.
    pub independent: Vec<Independent>,
    /// Places among x of coordinates that nothing feels but one another.
    pub ignorable: Vec<usize>,
}

/// The homogeneous equations, for many values of a parameter: nothing is said about the state and
/// about terms beyond the linear ones. Roundings that were seen at a value near are not looked for
/// again.
pub(crate) fn linear_matrices(
    study: &mut Study,
    t: f64,
    y: &[f64],
    keep: &[usize],
    near: Option<&Seen>,
) -> Result<(LinearMatrices, Seen), AnalysisError> {
    let local = study.local(t, y)?;
    let tangent = match near {
        Some(near) => tangent_near(study, &local, &near.independent)?,
        None => tangent(study, &local, keep)?,
    };
    let all: Vec<usize> = (0..study.n_states()).collect();
    let f_y = part(&local.field, &all, &all);
    let columns: Vec<usize> = (0..tangent.independent.len()).collect();
    let a = part(&product(&f_y, &tangent.basis), &tangent.independent, &columns); // [linear]
    let found = match near {
        Some(near) if near.independent == tangent.independent => near.clone(),
        _ => seen(study, (t, y), &tangent, (&f_y, &a)),
    };
    let uncertainty = uncertainty(&found, &tangent, (&f_y, &a));
    let independent = independent(study, &tangent);
    let ignorable = ignorable(&a, &uncertainty, &independent);
    Ok((LinearMatrices { a, uncertainty, basis: tangent.basis, independent, ignorable }, found))
}

/// The independent states of a tangent space.
fn independent(study: &Study, tangent: &Tangent) -> Vec<Independent> {
    let of = |k: &usize| {
        let (named, kind) = study.state(*k);
        Independent { named, kind, place: *k }
    };
    tangent.independent.iter().map(of).collect()
}

/// Whether a state is at rest, in steady motion, or neither.
fn judge(study: &Study, rates: &[f64], independent: &[Independent], unfelt: &[usize]) -> (Point, f64) {
    let (n_q, ..) = study.sizes();
    let at_rest = |x: f64| x.abs() <= 1e-8;
    let largest =
        |places: &mut dyn Iterator<Item = usize>| places.fold(0.0, |m: f64, k| rates[k].abs().max(m));
    if at_rest(largest(&mut (0..rates.len()))) {
        return (Point::Equilibrium, largest(&mut (0..rates.len())));
    }
    let felt = (0..independent.len()).filter(|k| !unfelt.contains(k)).map(|k| independent[k].place);
    let mut places = (n_q..rates.len()).chain(felt.filter(|k| *k < n_q));
    let unrest = largest(&mut places);
    let point = match (at_rest(unrest), at_rest(largest(&mut (0..n_q)))) {
        (true, _) => Point::Steady,
        (false, true) => Point::Unbalanced,
        (false, false) => Point::Moving,
    };
    (point, unrest)
}

/// The largest of the loads that nothing balances, or else the largest rate of an auxiliary state.
fn imbalance(
    study: &mut Study,
    t: f64,
    y: &[f64],
    rates: &[f64],
) -> Result<Option<Imbalance>, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let mut loads = vec![0.0; n_u];
    study.mass(t, y)?.multiply(&rates[n_q..n_q + n_u], &mut loads);
    let largest = |list: &[f64]| {
        let all = list.iter().copied().enumerate().filter(|(_, x)| x.abs() > 1e-8);
        all.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    };
    let load = largest(&loads).map(|(k, force)| (n_q + k, Some(force)));
    let place = load.or_else(|| largest(&rates[n_q + n_u..]).map(|(k, _)| (n_q + n_u + k, None)));
    Ok(place.map(|(place, force)| Imbalance { place, rate: rates[place], force }))
}

/// [second]
#[allow(clippy::too_many_arguments, reason = "the parts of one linearisation, used once")]
fn second_order(
    study: &mut Study,
    t: f64,
    y: &[f64],
    a: &Matrix,
    b: &Matrix,
    basis: &Matrix,
    independent: &[Independent],
    felt: &[usize],
) -> Result<SecondOrder, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let of_kind = |kind: StateKind| -> Vec<usize> {
        felt.iter().copied().filter(|k| independent[*k].kind == kind).collect()
    };
    let (q, u) = (of_kind(StateKind::Coordinate), of_kind(StateKind::Speed));
    let speeds: Vec<usize> = (n_q..n_q + n_u).collect();
    let z = part(basis, &speeds, &u);
    let m_z = product(&study.mass(t, y)?, &z);
    let mut mass = Matrix::zeros(u.len(), u.len());
    for j in 0..u.len() {
        z.multiply_transposed(m_z.column(j), mass.column_mut(j));
    }
    let minus = |mut m: Matrix| {
        m.as_mut_slice().iter_mut().for_each(|x| *x = -*x);
        m
    };
    let every: Vec<usize> = (0..b.n_cols()).collect();
    let names = |list: &[usize]| list.iter().map(|k| independent[*k].named.clone()).collect();
    Ok(SecondOrder {
        damping: minus(product(&mass, &part(a, &u, &u))),
        stiffness: minus(product(&mass, &part(a, &u, &q))),
        forcing: product(&mass, &part(b, &u, &every)),
        speeds: names(&u),
        coordinates: names(&q),
        mass,
    })
}
