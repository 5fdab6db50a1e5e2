//! Coulomb friction along the direction of a velocity: the friction disc.
//!
//! A force F dir(v) has one direction where a body slides, v ≠ 0, and any force of the disc |F n| ≤ F
//! where it rests, v = 0: the one that keeps it at rest. The law is set-valued at a point of the
//! velocity space of two or three dimensions, not on a surface, so `filippov` does not cover it.
//!
//! In a program dir(v) is a division by √s with s = v·v, a quadratic form of the speeds:
//!
//! ```text
//! [form]       s = σᵀσ,   σ = Lᵀ (u - u₀),   L Lᵀ = H/2,   H = ∂²s/∂u²     by pivoted Cholesky, rank r ≤ 3
//! [sigma]      ∂s/∂u = 2 L σ                                               σ from the gradient, by substitution
//! [disc-affine]     ẏ = f₀ + Σ n_i d_i     with n for the direction: each d_i from two states beside rest, σ = ± ε e_i
//! [disc-limit]      2 f(ε) - f(2 ε): what is proportional to the speed beside rest, such as a power, is none at rest
//! [rest]       σ̇ = b + A n = 0,   A_ij = L_i·d_j,   b_i = L_i·f₀ + drift_i     and |n| ≤ 1 of each disc: it sticks
//! [disc-let-go]     an event where |n| exceeds 1: it slides on along n
//! [slip]       |n| > 1 at rest: n = dir(b + A n), the direction in which the motion sets in
//! [disc-static]     `mag(v) == 0` is told: yes beside rest of a disc that sticks or may stick, else no
//! [through]    while it slides, √s has the sign of v·a, a = the direction at the last restart: smooth across v = 0
//! [stop]       an event where v·a falls through zero: v = 0, or v has turned by a right angle and a is taken anew
//! ```
//!
//! A velocity that is exactly zero on its way has the limit of the side on which it slides. Surfaces of `filippov` are
//! solved with the friction of the discs that hold, and bear the load where both hold one velocity.
//!
//! Several discs at rest are solved together; where they repeat one another (four feet of one table) they share
//! the load with the least norm. Moreau: Unilateral contact and dry friction in finite freedom dynamics (1988);
//! Acary & Brogliato, Numerical Methods for Nonsmooth Dynamical Systems (2008), 3.9.

use cardan_base::Id;
use cardan_solve::linear::least_norm;
use cardan_solve::{Failure, Matrix};

use crate::nonsmooth::modes::Modes;
use crate::nonsmooth::sliding::{Surface, dot, weighted};
use crate::nonsmooth::sliding_interval::Slide;

/// A pivot of H below this part of the largest is rounding.
const RANK: f64 = 1e-10;
/// Speeds beside rest at which sides of a disc are looked at, as a part of one and all speeds.
const NEAR: f64 = 1e-7;
/// Their limit at rest.
const BESIDE: Beside = Beside { part: NEAR, is_limit: true };
/// A velocity below this part of one and all speeds is shown as none.
const SHOWN_AT_REST: f64 = 1e-12;
/// A velocity that friction would stop in this part of the whole time is none.
const AT_REST: f64 = 1e-7;
/// A motion sets in with what friction would stop in this part of the whole time.
const SETS_IN: f64 = 1e-8;
/// The disc is left where |n| exceeds one by more than rounding.
const ROUNDING: f64 = 1e-9;
/// Friction below this part of the strongest changes nothing: a surface holds that velocity.
const POWERLESS: f64 = 1e-6;
/// Iterations for the direction in which a motion sets in.
const DIRECTIONS: usize = 200;

/// A division by the size of a velocity.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Disc {
    /// The input that tells the sign of the root. [through]
    pub input: usize,
    /// The input that tells whether it is at rest, where a law asks. [disc-static]
    pub rests: Option<usize>,
    /// The velocity as people write it.
    pub words: String,
}

/// A disc during a motion.
#[derive(Clone, Debug, Default)]
pub(super) struct DiscState {
    /// A direction of speeds along which the velocity was the unit vector `a`; nothing before the start. [through]
    along: Vec<f64>,
    /// Since when it sticks.
    held: Option<f64>,
    /// Whether no friction goes along this direction.
    is_smooth: bool,
}

impl DiscState {
    /// Of a velocity whose square never falls below this: with ε² > 0, v/√(v² + ε²) is smooth.
    pub(super) fn above(floor: f64) -> DiscState {
        DiscState { is_smooth: floor > 0.0, ..DiscState::default() }
    }

    /// Since when it sticks (undefined if it does not), whether it is smooth, and the direction.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let first = [self.held.unwrap_or(f64::NAN), f64::from(u8::from(self.is_smooth))];
        first.into_iter().chain(self.along.iter().copied()).collect()
    }

    /// The disc of such numbers.
    pub(super) fn of_numbers(numbers: &[f64]) -> DiscState {
        match numbers {
            [held, smooth, along @ ..] => DiscState {
                along: along.to_vec(),
                held: (!held.is_nan()).then_some(*held),
                is_smooth: *smooth != 0.0,
            },
            _ => DiscState::default(),
        }
    }
}

/// How numbers beside rest are taken.
#[derive(Clone, Copy)]
struct Beside {
    /// How far from rest, as a part of one and all speeds.
    part: f64,
    /// Whether the limit at rest is taken. [disc-limit]
    is_limit: bool,
}

/// A velocity in terms of the speeds. [form]
struct Form {
    /// The columns of L.
    columns: Vec<Vec<f64>>,
    pivots: Vec<usize>,
    /// [sigma]
    sigma: Vec<f64>,
}

impl Form {
    /// From H and the gradient.
    fn new(h: &Matrix, gradient: &[f64]) -> Form {
        let n = gradient.len();
        let mut left: Vec<f64> = (0..n).map(|i| 0.5 * h[(i, i)]).collect();
        let largest = left.iter().fold(0.0f64, |m, d| m.max(*d));
        let (mut columns, mut pivots): (Vec<Vec<f64>>, Vec<usize>) = (vec![], vec![]);
        while let Some(p) = (0..n).max_by(|a, b| left[*a].total_cmp(&left[*b]))
            && left[p] > RANK * largest
        {
            let root = left[p].sqrt();
            let known = |i: usize| columns.iter().map(|c| c[i] * c[p]).sum::<f64>();
            let column: Vec<f64> = (0..n).map(|i| (0.5 * h[(i, p)] - known(i)) / root).collect();
            (0..n).for_each(|i| left[i] -= column[i] * column[i]);
            left[p] = 0.0;
            columns.push(column);
            pivots.push(p);
        }
        let mut form = Form { columns, pivots, sigma: vec![] };
        form.sigma = form.coordinates(gradient);
        form
    }

    fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// x of 2 L x = g. [sigma]
    fn coordinates(&self, g: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = vec![];
        for (i, p) in self.pivots.iter().enumerate() {
            let known: f64 = x.iter().zip(&self.columns).map(|(x, c)| x * c[*p]).sum();
            x.push((0.5 * g[*p] - known) / self.columns[i][*p]);
        }
        x
    }

    /// Speeds δ with Lᵀ δ = x, of the pivots alone.
    fn speeds(&self, x: &[f64], n: usize) -> Vec<f64> {
        let mut delta = vec![0.0; n];
        for j in (0..self.rank()).rev() {
            let column = &self.columns[j];
            let known: f64 = self.pivots[j + 1..].iter().map(|p| column[*p] * delta[*p]).sum();
            delta[self.pivots[j]] = (x[j] - known) / column[self.pivots[j]];
        }
        delta
    }
}

/// Friction that holds velocities: these, and its directions one after the other.
pub(super) struct HeldFriction {
    forms: Vec<(usize, Form)>,
    n: Vec<f64>,
}

/// Rates as a function of the directions of some discs. [disc-affine]
struct Affine {
    forms: Vec<(usize, Form)>,
    base: Vec<f64>,
    changes: Vec<Vec<f64>>,
    a: Matrix,
    b: Vec<f64>,
}

impl Affine {
    /// The part of the stacked directions that belongs to a disc.
    fn part(&self, place: usize) -> std::ops::Range<usize> {
        let first: usize = self.forms[..place].iter().map(|(_, f)| f.rank()).sum();
        first..first + self.forms[place].1.rank()
    }

    /// [rest]
    fn directions(&self) -> Result<Vec<f64>, Failure> {
        let wanted: Vec<f64> = self.b.iter().map(|b| -b).collect();
        Ok(least_norm(&self.a, &wanted, RANK)?.x)
    }

    /// How fast friction of a disc stops a velocity.
    fn deceleration(&self, place: usize) -> f64 {
        self.part(place).map(|i| self.a[(i, i)].abs()).fold(0.0, f64::max)
    }

    /// Whether friction of a disc opposes each velocity, but for those that a surface holds already.
    fn attracts(&self, place: usize) -> bool {
        let strongest = self.deceleration(place);
        strongest > 0.0 && self.part(place).all(|i| self.a[(i, i)] < POWERLESS * strongest)
    }

    fn rate(&self, i: usize, n: &[f64]) -> f64 {
        self.b[i] + n.iter().enumerate().map(|(j, n)| self.a[(i, j)] * n).sum::<f64>()
    }
}

fn size(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Modes<'_> {
    /// Whether friction holds a velocity at zero.
    pub fn is_held(&self) -> bool {
        self.discs.iter().any(|d| d.held.is_some())
    }

    fn held(&self) -> Vec<usize> {
        (0..self.discs.len()).filter(|k| self.discs[*k].held.is_some()).collect()
    }

    fn sign(&mut self, k: usize, value: f64) {
        let input = self.compiled.frozen.discs[k].input;
        self.inputs[input] = value;
    }

    /// ∂s/∂u of a disc at the inputs as they are; nothing where it is not known.
    fn speed_gradient(&mut self, k: usize) -> Result<Option<Vec<f64>>, Failure> {
        let (first, n) = (self.plan.n_coordinates, self.plan.n_speeds);
        let row = self.len() + k;
        Ok(self.gradients()?.map(|rows| rows[row][first..first + n].to_vec()))
    }

    fn speed_input(&self, j: usize) -> usize {
        self.plan.states[self.plan.n_coordinates + j].input
    }

    fn speeds_now(&self) -> Vec<f64> {
        (0..self.plan.n_speeds).map(|j| self.inputs[self.speed_input(j)]).collect()
    }

    fn put_speeds(&mut self, u: &[f64]) {
        for (j, u) in u.iter().enumerate() {
            let input = self.speed_input(j);
            self.inputs[input] = *u;
        }
    }

    /// The velocity of a disc at the state that is placed. [form]
    fn form(&mut self, k: usize) -> Result<Option<Form>, Failure> {
        let Some(gradient) = self.speed_gradient(k)? else { return Ok(None) };
        let (n, u) = (self.plan.n_speeds, self.speeds_now());
        let mut h = Matrix::zeros(n, n);
        for j in 0..n {
            let input = self.speed_input(j);
            self.inputs[input] = u[j] + 1.0;
            let beside = self.speed_gradient(k)?;
            self.inputs[input] = u[j];
            let Some(beside) = beside else { return Ok(None) };
            (0..n).for_each(|i| h[(i, j)] = beside[i] - gradient[i]);
        }
        Ok(Some(Form::new(&h, &gradient)))
    }

    /// Rates at the inputs as they are, surfaces included.
    fn rates_here(&mut self) -> Result<Vec<f64>, Failure> {
        let mut rates = vec![0.0; self.rates.len()];
        if self.is_sliding() {
            self.rates_sliding(&mut rates)?;
        } else {
            self.run()?;
            rates.copy_from_slice(&self.rates);
        }
        match rates.iter().all(|r| r.is_finite()) {
            true => Ok(rates),
            false => Err(Failure::recoverable("rates beside rest are not finite")),
        }
    }

    /// How σ changes with the position and with time alone. [rest]
    fn drift(&mut self, k: usize, form: &Form, q_dot: &[f64]) -> Result<Vec<f64>, Failure> {
        let kept = self.inputs.clone();
        let h = 1e-6 * self.span.max(f64::MIN_POSITIVE);
        let mut sides = vec![];
        for step in [h, -h] {
            self.inputs[self.plan.time.index()] += step;
            for (slot, rate) in self.plan.states.iter().zip(q_dot) {
                self.inputs[slot.input] += step * rate;
            }
            sides.push(self.speed_gradient(k)?.unwrap_or_default());
            self.inputs.copy_from_slice(&kept);
        }
        let rate: Vec<f64> = sides[0].iter().zip(&sides[1]).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        Ok(form.coordinates(&rate))
    }

    /// Numbers beside rest, with the laws of what rests. [disc-static]
    fn beside(
        &mut self,
        forms: &[(usize, Form)],
        beside: Beside,
        numbers: &mut dyn FnMut(&mut Self) -> Result<Vec<f64>, Failure>,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        let told = forms.iter().filter_map(|(k, _)| self.compiled.frozen.discs[*k].rests);
        let before: Vec<(usize, f64)> = told.map(|input| (input, self.inputs[input])).collect();
        before.iter().for_each(|(input, _)| self.inputs[*input] = 1.0);
        let found = self.at_both_sides(forms, beside, numbers);
        before.iter().for_each(|(input, value)| self.inputs[*input] = *value);
        found
    }

    /// What numbers beside rest are for no direction, and what each direction changes. [disc-affine]
    fn at_both_sides(
        &mut self,
        forms: &[(usize, Form)],
        beside: Beside,
        numbers: &mut dyn FnMut(&mut Self) -> Result<Vec<f64>, Failure>,
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Failure> {
        let u = self.speeds_now();
        let n = u.len();
        let fastest = u.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let epsilon = beside.part * (1.0 + fastest);
        // All other discs stay beside rest along their first direction.
        let at = |place: usize, i: usize, sign: f64, epsilon: f64| {
            let mut moved = u.clone();
            for (other, (_, form)) in forms.iter().enumerate() {
                let mut x: Vec<f64> = form.sigma.iter().map(|s| -s).collect();
                if other == place {
                    x[i] += sign * epsilon;
                } else if let Some(x) = x.first_mut() {
                    *x += epsilon;
                }
                let delta = form.speeds(&x, n);
                moved.iter_mut().zip(delta).for_each(|(u, d)| *u += d);
            }
            moved
        };
        let (mut base, mut changes): (Vec<f64>, Vec<Vec<f64>>) = (vec![], vec![]);
        for (place, (_, form)) in forms.iter().enumerate() {
            for i in 0..form.rank() {
                let mut limit = |sign: f64| {
                    let outer = std::mem::replace(&mut self.is_beside_rest, true);
                    self.put_speeds(&at(place, i, sign, epsilon));
                    let near = numbers(self);
                    self.put_speeds(&at(place, i, sign, 2.0 * epsilon));
                    let far = numbers(self);
                    self.put_speeds(&u);
                    self.is_beside_rest = outer;
                    let (near, far) = (near?, far?);
                    let reach = if beside.is_limit { 1.0 } else { 0.0 };
                    Ok(near.iter().zip(far).map(|(a, b)| a + reach * (a - b)).collect::<Vec<f64>>()) // [disc-limit]
                };
                let (ahead, behind) = (limit(1.0)?, limit(-1.0)?);
                if base.is_empty() {
                    base = ahead.iter().zip(&behind).map(|(a, b)| 0.5 * (a + b)).collect();
                }
                changes.push(ahead.iter().zip(&behind).map(|(a, b)| 0.5 * (a - b)).collect());
            }
        }
        // The base holds the first directions of all discs but the first still.
        let mut first = 0;
        for (place, (_, form)) in forms.iter().enumerate() {
            if place > 0 && form.rank() > 0 {
                base.iter_mut().zip(&changes[first]).for_each(|(b, d)| *b -= d);
            }
            first += form.rank();
        }
        Ok((base, changes))
    }

    /// Rates as a function of the directions of some discs at the state that is placed. [disc-affine]
    fn affine(&mut self, which: &[usize], beside: Beside) -> Result<Option<Affine>, Failure> {
        let mut forms = vec![];
        for k in which {
            let Some(form) = self.form(*k)? else { return Ok(None) };
            self.sign(*k, 1.0);
            forms.push((*k, form));
        }
        let (base, changes) = self.beside(&forms, beside, &mut |m| m.rates_here())?;
        if changes.is_empty() {
            return Ok(None);
        }
        let speeds = self.plan.n_coordinates..self.plan.n_coordinates + self.plan.n_speeds;
        let q_dot = base[..self.plan.n_coordinates].to_vec();
        let m = changes.len();
        let (mut a, mut b) = (Matrix::zeros(m, m), vec![]);
        for (k, form) in &forms {
            let drift = self.drift(*k, form, &q_dot)?;
            for (column, drift) in form.columns.iter().zip(drift) {
                let i = b.len();
                changes.iter().enumerate().for_each(|(j, d)| a[(i, j)] = dot(column, &d[speeds.clone()]));
                b.push(dot(column, &base[speeds.clone()]) + drift);
            }
        }
        Ok(Some(Affine { forms, base, changes, a, b }))
    }

    /// Whether there is friction along a velocity that may stop.
    pub(super) fn watches_discs(&self) -> bool {
        self.discs.iter().any(|d| !d.is_smooth)
    }

    /// Signs of the roots of all discs that slide, at the state that is placed. [through]
    pub(super) fn follow_discs(&mut self) -> Result<(), Failure> {
        let mut margins = std::mem::take(&mut self.disc_numbers);
        margins.resize(self.discs.len(), 1.0);
        let found = self.sliding_margins(&mut margins);
        margins.iter().enumerate().for_each(|(k, m)| self.sign(k, if *m < 0.0 { -1.0 } else { 1.0 }));
        self.disc_numbers = margins;
        found
    }

    /// v·a of each disc that slides; positive where it is not known. All gradients are found together. [stop]
    fn sliding_margins(&mut self, margins: &mut [f64]) -> Result<(), Failure> {
        margins.fill(1.0);
        let slides = |d: &DiscState| d.held.is_none() && !d.is_smooth && !d.along.is_empty();
        if !self.discs.iter().any(slides) || !self.run_gradient()? {
            return Ok(());
        }
        let (first, n) = (self.plan.n_coordinates, self.plan.n_speeds);
        let (switches, Some((exact, _, outputs))) = (self.len(), &self.gradient) else { return Ok(()) };
        for (k, disc) in self.discs.iter().enumerate().filter(|(_, d)| slides(d)) {
            let entries = exact.pattern.iter().enumerate().filter(|(_, (row, _))| *row == switches + k);
            let along = |(place, (_, column)): (usize, &(usize, usize))| match column.checked_sub(first) {
                Some(j) if j < n => outputs[exact.first + place] * disc.along[j],
                _ => 0.0,
            };
            let margin = 0.5 * entries.map(along).sum::<f64>();
            if margin.is_finite() {
                margins[k] = margin;
            }
        }
        Ok(())
    }

    /// What the integrator watches of each disc, at the state that is placed.
    pub(super) fn disc_margins(&mut self, g: &mut [f64]) -> Result<(), Failure> {
        if g.is_empty() {
            return Ok(());
        }
        let held = self.held();
        self.sliding_margins(g)?;
        if let Some(affine) = self.affine(&held, BESIDE)?.filter(|_| !held.is_empty()) {
            let n = affine.directions()?;
            for (place, (k, _)) in affine.forms.iter().enumerate() {
                g[*k] = 1.0 + ROUNDING - size(&n[affine.part(place)]);
            }
        }
        Ok(())
    }

    /// Rates with the friction that holds, at the state that is placed. [rest]
    pub(super) fn rates_held(&mut self, dy: &mut [f64]) -> Result<(), Failure> {
        let held = self.held();
        let unknown = || Failure::recoverable("nothing tells what friction holds");
        let affine = self.affine(&held, BESIDE)?.ok_or_else(unknown)?;
        let n = affine.directions()?;
        weighted(&affine.base, &affine.changes, &n, dy);
        Ok(())
    }

    /// The friction that holds velocities at the state that is placed, where surfaces hold others; nothing where none
    /// is held. Where both hold one velocity, the surfaces bear the load. [rest]
    pub(super) fn held_friction(&mut self, surfaces: &[Surface]) -> Result<Option<HeldFriction>, Failure> {
        let held = self.held();
        if held.is_empty() || self.is_beside_rest {
            return Ok(None);
        }
        let before = std::mem::replace(&mut self.surfaces, surfaces.to_vec());
        let mut found = self.affine(&held, BESIDE);
        if found.as_ref().is_err_and(|failure| failure.recoverable) {
            // Not all of these surfaces hold the motion.
            self.surfaces.clear();
            found = self.affine(&held, BESIDE);
        }
        self.surfaces = before;
        let unknown = || Failure::recoverable("nothing tells what friction holds");
        let affine = found?.ok_or_else(unknown)?;
        let n = affine.directions()?;
        Ok(Some(HeldFriction { forms: affine.forms, n }))
    }

    /// Rates with the sides that are told, and with the friction that holds velocities.
    pub(super) fn run_told(&mut self, friction: Option<&HeldFriction>) -> Result<(), Failure> {
        let Some(friction) = friction else { return self.run() };
        let mut plainly = |m: &mut Self| {
            m.run()?;
            Ok(m.rates.clone())
        };
        let (base, changes) = self.beside(&friction.forms, BESIDE, &mut plainly)?;
        let mut rates = vec![0.0; base.len()];
        weighted(&base, &changes, &friction.n, &mut rates);
        self.rates.copy_from_slice(&rates);
        Ok(())
    }

    /// Rates where a velocity along which friction acts is exactly zero, on its way through zero: the limit from the
    /// side on which it slides. [through], [disc-limit]
    pub(super) fn run_through_rest(&mut self) -> Result<(), Failure> {
        let u = self.speeds_now();
        let fastest = u.iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let mut way = vec![0.0; u.len()];
        for k in 0..self.discs.len() {
            let slides = self.discs[k].held.is_none() && !self.discs[k].along.is_empty();
            if slides && self.form(k)?.is_some_and(|form| size(&form.sigma) == 0.0) {
                self.sign(k, 1.0);
                way.iter_mut().zip(&self.discs[k].along).for_each(|(w, a)| *w += a);
            }
        }
        if way.iter().all(|w| *w == 0.0) {
            return Ok(());
        }
        let mut sides = vec![];
        for part in [NEAR, 2.0 * NEAR] {
            let beside: Vec<f64> = u.iter().zip(&way).map(|(u, w)| u + part * (1.0 + fastest) * w).collect();
            self.put_speeds(&beside);
            let run = self.run_plainly();
            self.put_speeds(&u);
            run?;
            sides.push(self.rates.clone());
        }
        let limits = sides[0].iter().zip(&sides[1]).map(|(near, far)| 2.0 * near - far);
        self.rates.iter_mut().zip(limits).for_each(|(rate, limit)| *rate = limit);
        Ok(())
    }

    /// Lets friction hold all velocities that vanish at a state, whatever else happens at that instant; whether there
    /// are any. What they cannot bear is looked at afterwards.
    pub(super) fn hold_resting(&mut self, at: f64, t: f64, y: &[f64]) -> Result<bool, Failure> {
        self.place(t, y);
        let mut which = self.held();
        let known = which.len();
        let fastest = self.speeds_now().iter().fold(1.0f64, |m, u| m.max(u.abs()));
        for k in (0..self.discs.len()).filter(|k| !self.discs[*k].is_smooth).collect::<Vec<usize>>() {
            let slides = self.discs[k].held.is_none();
            if slides && self.form(k)?.is_some_and(|form| size(&form.sigma) <= NEAR * fastest) {
                which.push(k);
            }
        }
        if which.len() == known {
            return Ok(false);
        }
        let affine = match self.affine(&which, BESIDE) {
            Ok(Some(affine)) => affine,
            Err(failure) if !failure.recoverable => return Err(failure),
            _ => return Ok(false),
        };
        let mut is_any = false;
        for place in known..which.len() {
            let stopping = affine.deceleration(place) * self.span;
            let rests = affine.attracts(place) && size(&affine.forms[place].1.sigma) <= AT_REST * stopping;
            if rests && self.jumps(&which, place)? {
                self.discs[which[place]].held = Some(at);
                is_any = true;
            }
        }
        Ok(is_any)
    }

    /// Removes what is left of velocities that friction holds, along that friction.
    pub(super) fn project_discs(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let held = self.held();
        if held.is_empty() {
            return Ok(false);
        }
        for _ in 0..2 {
            self.place(t, y);
            let Some(affine) = self.affine(&held, BESIDE)? else { return Ok(false) };
            let sigma: Vec<f64> = affine.forms.iter().flat_map(|(_, f)| f.sigma.clone()).collect();
            if sigma.iter().all(|s| *s == 0.0) {
                break;
            }
            let weights = least_norm(&affine.a, &sigma, RANK)?.x;
            self.shift(y, &affine, &weights, -1.0);
        }
        self.place(t, y);
        Ok(true)
    }

    /// Adds so many times the changes of friction to the speeds.
    fn shift(&self, y: &mut [f64], affine: &Affine, weights: &[f64], sign: f64) {
        for j in self.plan.n_coordinates..self.plan.n_coordinates + self.plan.n_speeds {
            y[j] += sign * affine.changes.iter().zip(weights).map(|(d, w)| d[j] * w).sum::<f64>();
        }
    }

    /// A motion begins or goes on at this state: each disc sticks, sets in or slides.
    pub(super) fn settle_discs(&mut self, at: f64, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        // Of several that rest none has a direction, so that each is looked at with the others held.
        if self.discs.iter().filter(|d| !d.is_smooth && d.held.is_none()).count() > 1 {
            self.hold_resting(at, t, y)?;
        }
        for k in 0..self.discs.len() {
            self.settle_disc(k, at, t, y)?;
        }
        self.place(t, y);
        self.follow_discs()
    }

    fn settle_disc(&mut self, k: usize, at: f64, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.place(t, y);
        if self.discs[k].is_smooth {
            return Ok(());
        }
        let mut which: Vec<usize> = self.held().into_iter().filter(|j| *j != k).collect();
        which.push(k);
        let place = which.len() - 1;
        let affine = match self.affine(&which, BESIDE) {
            Ok(Some(affine)) => affine,
            Ok(None) => return Ok(()),
            // Another load has no value beside rest.
            Err(failure) if failure.recoverable && self.discs[k].held.is_none() => {
                return self.anchor(k);
            }
            Err(failure) => return Err(failure),
        };
        let sigma = affine.forms[place].1.sigma.clone();
        let stopping = affine.deceleration(place) * self.span;
        if !affine.attracts(place) || size(&sigma) > AT_REST * stopping {
            self.let_go(k, at);
            return self.anchor(k);
        }
        if !self.jumps(&which, place)? {
            self.discs[k].is_smooth = true;
            return Ok(());
        }
        let n = affine.directions()?;
        if size(&n[affine.part(place)]) <= 1.0 + ROUNDING {
            let since = self.discs[k].held.unwrap_or(at);
            self.discs[k].held = Some(since);
            self.project_discs(t, y)?;
            return Ok(());
        }
        let mut n = n;
        let part = affine.part(place);
        let mut direction: Vec<f64> = n[part.clone()].to_vec();
        for _ in 0..DIRECTIONS {
            let length = size(&direction);
            n[part.clone()].iter_mut().zip(&direction).for_each(|(n, d)| *n = d / length);
            // Between the old direction and that of the acceleration: A attracts, so the whole way may overshoot.
            let rate: Vec<f64> = part.clone().map(|i| affine.rate(i, &n)).collect();
            let fast = size(&rate);
            if fast == 0.0 {
                break;
            }
            direction = n[part.clone()].iter().zip(&rate).map(|(n, r)| n + 0.5 * r / fast).collect(); // [slip]
        }
        self.set_in(k, place, &affine, at, &n[part], y);
        self.place(t, y);
        self.anchor(k)
    }

    /// A motion sets in along a direction, with hardly any speed. [disc-let-go]
    fn set_in(&mut self, k: usize, place: usize, affine: &Affine, at: f64, n: &[f64], y: &mut [f64]) {
        self.let_go(k, at);
        let speed = SETS_IN * affine.deceleration(place) * self.span;
        let mut wanted = vec![0.0; affine.b.len()];
        let sigma = &affine.forms[place].1.sigma;
        for ((i, n), s) in affine.part(place).zip(n).zip(sigma) {
            wanted[i] = speed * n - s;
        }
        if let Ok(found) = least_norm(&affine.a, &wanted, RANK) {
            self.shift(y, affine, &found.x, 1.0);
        }
    }

    /// Whether rates jump at rest, as they do by friction; what is smooth is smaller the nearer to rest.
    fn jumps(&mut self, which: &[usize], place: usize) -> Result<bool, Failure> {
        let Some(near) = self.affine(which, Beside { part: NEAR, is_limit: false })? else {
            return Ok(false);
        };
        let Some(far) = self.affine(which, Beside { part: 100.0 * NEAR, is_limit: false })? else {
            return Ok(false);
        };
        Ok(far.deceleration(place) < 10.0 * near.deceleration(place))
    }

    /// The direction of the velocity at the state that is placed is the one to go on along. [through]
    fn anchor(&mut self, k: usize) -> Result<(), Failure> {
        let Some(form) = self.form(k)? else { return Ok(()) };
        let speed = size(&form.sigma);
        if speed > 0.0 {
            let unit: Vec<f64> = form.sigma.iter().map(|s| s / speed).collect();
            self.discs[k].along = form.speeds(&unit, self.plan.n_speeds);
        }
        Ok(())
    }

    /// Notes the end of a stretch of sticking.
    fn let_go(&mut self, k: usize, t: f64) {
        let Some(from) = self.discs[k].held.take() else { return };
        if t > from {
            let surface = self.compiled.frozen.discs[k].words.clone();
            self.crossings.slides.push(Slide { surface, sticks: true, from, to: t });
        }
    }

    /// The integrator has located where a disc lets go, or where a velocity vanishes or has turned. [disc-let-go], [stop]
    pub(super) fn cross_disc(&mut self, k: usize, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.place(t, y);
        if self.discs[k].held == Some(t) {
            // It came to rest at this instant together with another one.
            return self.follow_discs();
        }
        if self.discs[k].held.is_some() {
            let held = self.held();
            let place = held.iter().position(|j| *j == k).unwrap_or(0);
            if let Some(affine) = self.affine(&held, BESIDE)? {
                let n = affine.directions()?;
                let part = affine.part(place);
                let length = size(&n[part.clone()]);
                let unit: Vec<f64> = n[part].iter().map(|n| n / length).collect();
                self.set_in(k, place, &affine, t, &unit, y);
                self.place(t, y);
                self.anchor(k)?;
            }
        } else {
            self.settle_disc(k, t, t, y)?;
        }
        self.place(t, y);
        self.follow_discs()
    }

    /// An event has moved the state: friction does not pull back what moves now.
    pub(super) fn moved_discs(&mut self, at: f64, t: f64, y: &[f64]) -> Result<(), Failure> {
        let mut state = y.to_vec();
        self.settle_discs(at, t, &mut state)
    }

    /// Ends all stretches of sticking where the motion ends.
    pub(super) fn finish_discs(&mut self, t: f64) {
        (0..self.discs.len()).for_each(|k| self.let_go(k, t));
    }

    /// Velocities that friction holds at zero, as equations.
    pub(super) fn held_words(&self) -> Vec<String> {
        self.held().into_iter().map(|k| self.compiled.frozen.discs[k].words.clone()).collect()
    }

    /// Discs whose velocity vanishes at the state that is placed; nothing where a velocity is not known.
    fn resting(&mut self) -> Result<Option<Vec<usize>>, Failure> {
        let mut resting = vec![];
        for k in (0..self.discs.len()).filter(|k| !self.discs[*k].is_smooth).collect::<Vec<usize>>() {
            let Some(form) = self.form(k)? else { return Ok(None) };
            let fastest = self.speeds_now().iter().fold(1.0f64, |m, u| m.max(u.abs()));
            if size(&form.sigma) <= SHOWN_AT_REST * fastest || self.discs[k].held.is_some() {
                resting.push(k);
            }
        }
        Ok(Some(resting))
    }

    /// All results at a state that is placed, with the friction that holds where velocities vanish; `false` where
    /// none does.
    pub(super) fn report_discs(&mut self, t: f64, outputs: &mut [f64]) -> Result<bool, Failure> {
        let resting = match self.resting()? {
            Some(resting) if !resting.is_empty() && self.compiled.report().is_some() => resting,
            _ => return Ok(false),
        };
        // Surfaces are looked at with the friction that holds.
        let before: Vec<Option<f64>> = self.discs.iter().map(|d| d.held).collect();
        resting.iter().for_each(|k| self.discs[*k].held = before[*k].or(Some(t)));
        let found = self.report_resting(t, &resting, outputs);
        self.discs.iter_mut().zip(before).for_each(|(disc, held)| disc.held = held);
        found
    }

    fn report_resting(&mut self, t: f64, resting: &[usize], outputs: &mut [f64]) -> Result<bool, Failure> {
        self.is_told(t)?;
        let Some(affine) = self.affine(resting, BESIDE)? else { return Ok(false) };
        let mut n = affine.directions()?;
        for place in 0..affine.forms.len() {
            let part = affine.part(place);
            let length = size(&n[part.clone()]);
            if length > 1.0 {
                n[part].iter_mut().for_each(|n| *n /= length);
            }
        }
        let n_outputs = outputs.len();
        let mut run = |m: &mut Self| -> Result<Vec<f64>, Failure> {
            let mut found = vec![0.0; n_outputs];
            m.report_told(&mut found)?;
            Ok(found)
        };
        let (base, changes) = self.beside(&affine.forms, BESIDE, &mut run)?;
        weighted(&base, &changes, &n, outputs);
        Ok(true)
    }
}
