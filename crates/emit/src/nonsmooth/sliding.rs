//! Motion on surfaces as part of a complete program: where both sides of a switch point back to it, Filippov's combination of the two is followed, as in a run
//! (`cardan_sim::nonsmooth`).
//!
//! With s the sides that the program remembers (-1 where the motion slides), f(s) the rates, and d_j what changes when the switch of surface j goes above:
//!
//! ```text
//! [changes]   d_j = -s_j (f(s with s_j turned over) - f(s))
//! [rates]     σ̇_i = b_i + Σ A_ij α_j over those that slide,   b_i = ∂σ_i/∂t + ∇σ_i · f(s),   A_ij = ∇σ_i · d_j
//! [hold]      A α = -b among those that slide: see `filippov_weights`
//! [slide]     ẏ = f(s) + Σ α_j d_j
//! [exact]     ẏ_k = -(∂σ/∂t)/(∂σ/∂y_k) where y_k is the only state of which σ is made: a block at rest has speed zero
//! [back]      y ← y - Σ δ_j d_j,  A δ = σ alike;   y_k ← y_k - σ/(∂σ/∂y_k) where [exact]
//! [sum]       switches act together by the sum of what each changes alone
//! ```
//!
//! All of it is straight-line: main files know nothing of it, and ask `watch`, `happen` and `correct` as they do in every program.

use cardan_base::Id;
use cardan_compile::Plan;
use cardan_lower::SimulationProgram as Lowered;
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Binary, Compare, InputId, Label, Math, OutputId, ProgramBuilder, Type, Unary, ValueId};

use crate::error::Error;
use crate::functions::time;
use crate::link::Composer;
use crate::nonsmooth::filippov_weights::weights;
use crate::nonsmooth::mode_program::{Switch, frozen};

/// Switches that act together change rates by the sum of what each changes alone, but for this part. [sum]
const ADDITIVE: f64 = 1e-9;
/// More surfaces than these are not held: what a program evaluates grows with their square.
const MOST: usize = 32;

/// A number that the program remembers: its value and its input.
pub(crate) type Remembered = (ValueId, InputId);

/// A surface σ = 0.
pub(crate) struct Surface {
    /// Its switch as people write it.
    pub words: String,
    /// -1 below and where the motion slides, 1 above; 0 before anything is known.
    pub side: Remembered,
    /// 0 beside the surface, 1 where the motion slides on it, 2 where others keep it there.
    pub held: Remembered,
    /// What is added to the distance from the surface, so that rounding does not end what has just begun.
    pub offset: Remembered,
    pub slides: ValueId,
    pub rests: ValueId,
    pub sigma: ValueId,
    /// ∇σ, by states.
    gradient: Vec<(usize, ValueId)>,
    /// ∂σ/∂t.
    drift: ValueId,
    is_number: bool,
}

/// The surfaces of a program, and what holds a motion on them.
pub(crate) struct Sliding {
    pub surfaces: Vec<Surface>,
    /// f(s), by states, then powers.
    pub base: Vec<ValueId>,
    /// d, by surface, then as `base`. [changes]
    changes: Vec<Vec<ValueId>>,
    /// A and b. [rates]
    pub a: Vec<Vec<ValueId>>,
    pub b: Vec<ValueId>,
    pub alpha: Vec<ValueId>,
    /// The outputs of the program of motion, on the surfaces.
    pub values: Vec<ValueId>,
    /// How long the motion is to last.
    pub span: f64,
    parts: Parts,
}

/// The program whose sides are told, and its outputs with each side turned over.
struct Parts {
    program: cardan_program::Program,
    base: Vec<ValueId>,
    turned: Vec<Vec<ValueId>>,
    /// States' derivatives and powers among the outputs.
    rates: Vec<usize>,
}

impl Sliding {
    /// Nothing where nothing can hold the motion.
    pub fn of(
        composer: &mut Composer,
        motion: &Lowered,
        plan: &Plan,
        span: f64,
    ) -> Result<Option<Sliding>, Error> {
        let states = motion.layout.inputs.state_inputs();
        let derivatives: Vec<OutputId> =
            motion.layout.derivatives.clone().map(OutputId::from_index).collect();
        let Some(frozen) = frozen(&motion.program, &states, &derivatives, time()) else { return Ok(None) };
        let n = frozen.switches.len();
        let numbers: Vec<OutputId> =
            frozen.program.outputs().ids().skip(motion.program.outputs().len()).collect();
        let by: Vec<InputId> = states.iter().copied().chain([motion.layout.inputs.time]).collect();
        let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
        let Ok(slopes) = jacobian_with(&frozen.program, &numbers, &by, options) else { return Ok(None) };
        if n > MOST {
            return Ok(None);
        }
        let words = frozen.switches.iter().map(|s| s.words.as_str());
        let remembered: Vec<[Remembered; 3]> =
            words.enumerate().map(|(k, words)| memory(composer, k, words)).collect();
        let sides: Vec<ValueId> = remembered.iter().map(|[side, ..]| side.0).collect();
        let base = composer.add_with(&frozen.program, &[], &sides, "motion")?;
        let entries = composer.add_with(&slopes.program, &[], &sides, "slopes of switches")?;
        let mut turned = vec![];
        for j in 0..n {
            let mut sides = sides.clone();
            sides[j] = composer.builder.neg(sides[j]);
            turned.push(composer.add_with(&frozen.program, &[], &sides, "motion")?);
        }
        let mut surfaces = vec![];
        for (i, (switch, memory)) in frozen.switches.into_iter().zip(remembered).enumerate() {
            let row = slopes.pattern.iter().zip(&entries).filter(|((row, _), _)| *row == i);
            let row: Vec<(usize, ValueId)> = row.map(|((_, column), value)| (*column, *value)).collect();
            let sigma = base[numbers[i].index()];
            surfaces.push(Surface::new(&mut composer.builder, switch, memory, sigma, (row, states.len())));
        }
        if let [only] = &mut surfaces[..] {
            // No others can keep the motion there.
            only.rests = composer.builder.truth(false);
        }
        let rates: Vec<usize> =
            motion.layout.derivatives.clone().chain(plan.powers.iter().map(|(_, k)| *k)).collect();
        let parts = Parts { program: frozen.program, base, turned, rates };
        Sliding::on(composer, surfaces, parts, span).map(Some)
    }

    fn on(
        composer: &mut Composer,
        surfaces: Vec<Surface>,
        parts: Parts,
        span: f64,
    ) -> Result<Sliding, Error> {
        let b = &mut composer.builder;
        let mut changes = vec![];
        for (surface, turned) in surfaces.iter().zip(&parts.turned) {
            let change = |b: &mut ProgramBuilder, k: &usize| {
                let less = b.sub(parts.base[*k], turned[*k]);
                b.mul(surface.side.0, less)
            };
            changes.push(parts.rates.iter().map(|k| change(b, k)).collect::<Vec<_>>());
        }
        let base: Vec<ValueId> = parts.rates.iter().map(|k| parts.base[*k]).collect();
        let along = |b: &mut ProgramBuilder, surface: &Surface, x: &[ValueId], from: ValueId| {
            surface.gradient.iter().fold(from, |sum, (k, slope)| {
                let term = b.mul(*slope, x[*k]);
                b.add(sum, term)
            })
        };
        let zero = b.constant(0.0);
        let rates: Vec<ValueId> = surfaces.iter().map(|s| along(b, s, &base, s.drift)).collect();
        let a: Vec<Vec<ValueId>> =
            surfaces.iter().map(|s| changes.iter().map(|d| along(b, s, d, zero)).collect()).collect();
        let mut sliding =
            Sliding { surfaces, base, changes, a, b: rates, alpha: vec![], values: vec![], span, parts };
        let loads: Vec<ValueId> = sliding.b.iter().map(|x| b.neg(*x)).collect();
        sliding.alpha = sliding.hold(b, &loads);
        sliding.values = sliding.blended(composer)?;
        Ok(sliding)
    }

    /// The solution x of A x = r among the surfaces on which the motion slides; zero for the others.
    fn hold(&self, b: &mut ProgramBuilder, r: &[ValueId]) -> Vec<ValueId> {
        let slides: Vec<ValueId> = self.surfaces.iter().map(|s| s.slides).collect();
        weights(b, &self.a, r, &slides)
    }

    /// from + Σ x_j c_j over the surfaces on which the motion slides.
    fn weighted(
        &self,
        b: &mut ProgramBuilder,
        from: ValueId,
        x: &[ValueId],
        c: impl Fn(usize) -> ValueId,
    ) -> ValueId {
        let zero = b.constant(0.0);
        self.surfaces.iter().enumerate().fold(from, |sum, (j, surface)| {
            let term = b.mul(x[j], c(j));
            let term = b.select(surface.slides, term, zero);
            b.add(sum, term)
        })
    }

    /// σ̇ of a surface. [rates]
    pub fn surface_rate(&self, b: &mut ProgramBuilder, i: usize) -> ValueId {
        self.weighted(b, self.b[i], &self.alpha, |j| self.a[i][j])
    }

    /// The outputs of the program of motion: rates by [slide], others with the sides that the weights are. Those of sides that are told as truths are
    /// weighted themselves.
    fn blended(&self, composer: &mut Composer) -> Result<Vec<ValueId>, Error> {
        let b = &mut composer.builder;
        let [zero, one, two] = [0.0, 1.0, 2.0].map(|x| b.constant(x));
        let mut sides = vec![];
        for (surface, alpha) in self.surfaces.iter().zip(&self.alpha) {
            let twice = b.mul(two, *alpha);
            let between = b.sub(twice, one);
            let told = b.select(surface.slides, between, surface.side.0);
            sides.push(if surface.is_number { told } else { surface.side.0 });
        }
        let shown = composer.add_with(&self.parts.program, &[], &sides, "motion")?;
        let mut values = shown.clone();
        for (j, surface) in self.surfaces.iter().enumerate().filter(|(_, s)| !s.is_number) {
            let mut above = sides.clone();
            above[j] = one;
            let above = composer.add_with(&self.parts.program, &[], &above, "motion")?;
            let program = &self.parts.program;
            let real = program.outputs().iter().map(|(_, o)| program.type_of(o.value) == Type::Real);
            for (k, _) in real.enumerate().filter(|(_, real)| *real) {
                let b = &mut composer.builder;
                let change = b.sub(above[k], shown[k]);
                let part = b.mul(self.alpha[j], change);
                let part = b.select(surface.slides, part, zero);
                values[k] = b.add(values[k], part);
            }
        }
        let b = &mut composer.builder;
        for (k, place) in self.parts.rates.iter().enumerate() {
            values[*place] = self.weighted(b, self.base[k], &self.alpha, |j| self.changes[j][k]);
        }
        for surface in &self.surfaces {
            if let Some((k, slope)) = surface.only_state() {
                let stays = surface.stays(b);
                let slope = b.select(stays, slope, one);
                let rate = b.div(surface.drift, slope);
                let rate = b.sub(zero, rate);
                let place = self.parts.rates[k];
                values[place] = b.select(stays, rate, values[place]); // [exact]
            }
        }
        Ok(values)
    }

    /// Pulls a state onto its surfaces. [back]
    pub fn pull_back(&self, b: &mut ProgramBuilder, state: &mut [ValueId], given: &[ValueId]) {
        let sigma: Vec<ValueId> = self.surfaces.iter().map(|s| s.sigma).collect();
        let delta = self.hold(b, &sigma);
        let delta: Vec<ValueId> = delta.into_iter().map(|x| b.neg(x)).collect();
        for (k, place) in state.iter_mut().enumerate() {
            *place = self.weighted(b, *place, &delta, |j| self.changes[j][k]);
        }
        for surface in &self.surfaces {
            if let Some((k, slope)) = surface.only_state() {
                let stays = surface.stays(b);
                let one = b.constant(1.0);
                let slope = b.select(stays, slope, one);
                let gap = b.div(surface.sigma, slope);
                let exact = b.sub(given[k], gap);
                state[k] = b.select(stays, exact, state[k]);
            }
        }
    }

    /// How far the state is from each surface that holds it: names and numbers.
    pub fn gaps(&self, b: &mut ProgramBuilder) -> Vec<(String, ValueId)> {
        let zero = b.constant(0.0);
        let gap = |surface: &Surface| {
            let stays = surface.stays(b);
            let name = format!("distance from where {} switches", surface.words);
            (name, b.select(stays, surface.sigma, zero))
        };
        self.surfaces.iter().map(gap).collect()
    }

    /// Whether the switches of the surfaces that are `near` act by the sum of what each does alone. [sum]
    pub fn acts_by_sum(&self, composer: &mut Composer, near: &[ValueId]) -> Result<ValueId, Error> {
        let mut sides = vec![];
        for (surface, near) in self.surfaces.iter().zip(near) {
            let over = composer.builder.neg(surface.side.0);
            sides.push(composer.builder.select(*near, over, surface.side.0));
        }
        let all = composer.add_with(&self.parts.program, &[], &sides, "motion")?;
        let b = &mut composer.builder;
        let mut holds = b.truth(true);
        for k in &self.parts.rates {
            let base = self.parts.base[*k];
            let alone = self.parts.turned.iter().zip(near).filter(|(turned, _)| turned[*k] != base);
            let alone: Vec<(ValueId, ValueId)> = alone.map(|(turned, near)| (turned[*k], *near)).collect();
            if alone.len() < 2 {
                continue;
            }
            let [zero, part] = [0.0, ADDITIVE].map(|x| b.constant(x));
            let (mut sum, mut size) = (base, b.unary(Unary::Abs, base));
            for (turned, near) in alone {
                let change = b.sub(turned, base);
                let change = b.select(near, change, zero);
                sum = b.add(sum, change);
                let change = b.unary(Unary::Abs, change);
                size = b.add(size, change);
            }
            let gap = b.sub(all[*k], sum);
            let gap = b.unary(Unary::Abs, gap);
            let most = b.mul(part, size);
            let alike = b.compare(Compare::Le, gap, most);
            holds = b.and(holds, alike);
        }
        Ok(holds)
    }

    /// What σ̇ of a surface is measured by.
    pub fn scale(&self, b: &mut ProgramBuilder, i: usize) -> ValueId {
        let first = b.unary(Unary::Abs, self.b[i]);
        self.a[i].iter().fold(first, |sum, x| {
            let size = b.unary(Unary::Abs, *x);
            b.binary(Binary::Add, sum, size)
        })
    }
}

/// What is remembered of a surface: its side, whether it holds the motion, its offset.
pub(crate) const NAMES: [&str; 3] = ["side", "held", "rounding"];

fn memory(composer: &mut Composer, k: usize, words: &str) -> [Remembered; 3] {
    let about = [
        "-1 below or sliding, 1 above, 0 unknown",
        "1 where the motion slides there, 2 where others keep it there, else 0",
        "added to the distance from where it switches",
    ];
    [0, 1, 2].map(|n| {
        let (name, about) = (format!("{} {}", NAMES[n], k + 1), format!("of {words}: {}", about[n]));
        composer.memory(Label::new(name, "", about))
    })
}

impl Surface {
    fn new(
        b: &mut ProgramBuilder,
        switch: Switch,
        [side, held, offset]: [Remembered; 3],
        sigma: ValueId,
        (row, n_states): (Vec<(usize, ValueId)>, usize),
    ) -> Surface {
        let [zero, one, two] = [0.0, 1.0, 2.0].map(|x| b.constant(x));
        let (gradient, drift): (Vec<_>, Vec<_>) = row.into_iter().partition(|(k, _)| *k < n_states);
        Surface {
            words: switch.words,
            side,
            held,
            offset,
            slides: b.compare(Compare::Eq, held.0, one),
            rests: b.compare(Compare::Eq, held.0, two),
            sigma,
            gradient,
            drift: drift.first().map_or(zero, |(_, value)| *value),
            is_number: switch.is_number,
        }
    }

    /// Whether the motion is held on the surface.
    pub fn stays(&self, b: &mut ProgramBuilder) -> ValueId {
        b.or(self.slides, self.rests)
    }

    /// The only state of which σ is made, if it is one, and its slope. [exact]
    fn only_state(&self) -> Option<(usize, ValueId)> {
        match self.gradient[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}
