//! The one result of every formalism.
//!
//! ```text
//! [kinematic]   q̇ = W(q, t) u + X(q, t)
//! [dynamic]     M(q, t) u̇ = f(q, u, s, t)
//! [auxiliary]   ṡ = g(q, u, s, t)
//! [inverse]     τ = M u̇ - f        what motors in place of the speeds would have to add
//! ```
//!
//! Under constraints u̇ also contains the forces of the multipliers: see [`multipliers`](crate::constrained::multipliers).

use std::fmt;

use cardan_base::Map;
use cardan_expr::{Depends, Expr, SymbolId};
use cardan_model::{ConstraintId, JointKind, LoadId, Model, SpeedId};

use crate::constrained::elimination;
use crate::constrained::multipliers;
use crate::constrained::multipliers::Augmented;
use crate::constrained::reaction_sharing::Place;
use crate::constrained::rows;
use crate::constrained::rows::ConstraintRows;
use crate::constrained::{mass_augmentation, reaction_sharing};
use crate::reaction_laws::{self, SolvedLaws, Unknowns};
use crate::recursive::derivatives::{SlopeSystems, Slopes};
use crate::{energy, kane, lagrange, ldl, reactions, recursive, small};

/// How equations are derived.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formalism {
    /// Vectors and dyadics of mixed frames, partial velocities.
    Kane,
    /// Newton-Euler along the tree, composite bodies for the mass matrix.
    Recursive,
    /// Newton-Euler along the tree, articulated bodies: accelerations in O(n), no mass matrix.
    Articulated,
    /// Partials of the kinetic energy, quasi-coordinates for the base.
    Lagrange,
}

impl Formalism {
    /// All of them.
    pub const ALL: [Formalism; 4] =
        [Formalism::Kane, Formalism::Recursive, Formalism::Articulated, Formalism::Lagrange];
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Formalism::Kane => "kane",
            Formalism::Recursive => "recursive",
            Formalism::Articulated => "articulated",
            Formalism::Lagrange => "lagrange",
        }
    }
    /// The formalism with this name.
    pub fn named(name: &str) -> Option<Formalism> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// The parts of the energy balance.
#[derive(Clone, PartialEq, Debug)]
pub struct Energy {
    /// Of all bodies.
    pub kinetic: Expr,
    /// Of all bodies in uniform gravity.
    pub gravity: Expr,
    /// Of loads that have one.
    pub potentials: Vec<(LoadId, Expr)>,
    /// Power of loads whose work is not in a potential.
    pub powers: Vec<(LoadId, Expr)>,
    /// Power that constraints bring in because they vary in time: drives.
    pub drives: Vec<(ConstraintId, Expr)>,
}

/// Equations of motion. Expressions belong to the model's pool; the unknowns u̇ are `model.speeds[r].rate`.
#[derive(Clone, PartialEq, Debug)]
pub struct Equations {
    /// How they were derived.
    pub formalism: Formalism,
    /// The states y = (q, u, s) with their roles, in the order of the derivatives below.
    pub states: Vec<crate::forms::StateVariable>,
    /// dq/dt, one per coordinate. [kinematic]
    pub q_dot: Vec<Expr>,
    /// du/dt, one per speed, solved: free of unknowns. [dynamic]
    pub u_dot: Vec<Expr>,
    /// ds/dt, one per auxiliary state. [auxiliary]
    pub s_dot: Vec<Expr>,
    /// The full symmetric mass matrix; nothing where the formalism does not form it. [dynamic]
    pub mass: Option<Vec<Vec<Expr>>>,
    /// The right-hand side; nothing where the formalism does not form it. [dynamic]
    pub forcing: Option<Vec<Expr>>,
    /// Constraint rows; empty for a tree.
    pub constraints: ConstraintRows,
    /// Multipliers and corrections; nothing for a tree.
    pub augmented: Option<Augmented>,
    /// Multipliers of the rows that bear something, after joints that repeat one another have shared it.
    pub carried: Vec<(Place, Expr)>,
    /// What the unknowns of the joints' reactions are, in terms of accelerations and multipliers.
    pub reactions: Vec<(Expr, Expr)>,
    /// Efforts of loads that depend on unknowns.
    pub laws: SolvedLaws,
    /// The energy balance.
    pub energy: Energy,
}

/// Why equations could not be derived.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// Nothing resists a change of this speed: its row of the mass matrix vanishes.
    NoInertia(SpeedId),
    /// The formalism needs speeds that are the natural rates of the joints.
    SpeedsAreNotRates,
    /// The formalism is for trees without constraints.
    ConstrainedArticulated,
    /// The formalism differentiates energies, which hold nothing of second order in what is declared small.
    SmallInEnergy,
    /// Derivatives by structure are for trees without constraints and small quantities, of constant masses, whose joints turn about axes
    /// or slide along them, roots excepted.
    NoStructure,
}

impl Failure {
    /// What is wrong, in mechanical words.
    pub fn message(&self, model: &Model) -> String {
        match self {
            Failure::NoInertia(u) => {
                format!("no mass or inertia resists `{}`", model.speeds[*u].quantity.name)
            }
            Failure::ConstrainedArticulated => "articulated bodies are for trees without constraints".into(),
            Failure::SmallInEnergy => {
                "partials of the energy need terms of second order in what is declared small".into()
            }
            Failure::NoStructure => {
                "derivatives by structure are for trees of hinges and slides without constraints or small quantities"
                    .into()
            }
            Failure::SpeedsAreNotRates if model.joints.iter().any(|(_, j)| j.kinds.contains(&JointKind::Screw)) => {
                "articulated bodies are for joints that turn or slide; a screw does both at once".into()
            }
            Failure::SpeedsAreNotRates => {
                "articulated bodies need speeds that are rates of joints; some are defined otherwise, or a joint follows a motion that accelerates".into()
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NoInertia(u) => write!(f, "no inertia resists speed {u:?}"),
            Failure::SpeedsAreNotRates => write!(f, "speeds are not rates of joints"),
            Failure::ConstrainedArticulated => write!(f, "articulated bodies under constraints"),
            Failure::SmallInEnergy => write!(f, "small quantities in energies"),
            Failure::NoStructure => write!(f, "no structure for derivatives"),
        }
    }
}

/// The equations of motion of a model. All constraint rows that say something must be independent; where some repeat
/// others, [`derive_with`] takes the ones to keep.
pub fn derive(model: &Model, formalism: Formalism) -> Result<Equations, Failure> {
    derive_with(model, formalism, rows::rows(model))
}

/// The same with chosen constraint rows. Speeds that follow from others by a safe pivot are eliminated.
pub fn derive_with(
    model: &Model,
    formalism: Formalism,
    constraints: ConstraintRows,
) -> Result<Equations, Failure> {
    derive_motion(model, formalism, constraints)?.balanced(model)
}

/// Equations without their energies: what is needed to compare them with others.
pub struct Motion {
    equations: Equations,
    walk: Option<energy::Walk>,
}

impl Motion {
    /// The equations; their kinetic energy and potentials are not there yet.
    pub fn equations(&self) -> &Equations {
        &self.equations
    }

    /// The equations with their energies.
    pub fn balanced(self, model: &Model) -> Result<Equations, Failure> {
        let Motion { mut equations, walk } = self;
        let walk = walk.map_or_else(|| energy::Walk::of(model), Ok)?;
        (equations.energy.kinetic, equations.energy.gravity) = walk.energies(model);
        equations.energy.potentials =
            model.loads.iter().filter_map(|(id, l)| Some((id, l.potential?))).collect();
        Ok(equations)
    }
}

/// The same without energies, which [`Motion::balanced`] adds.
pub fn derive_motion(
    model: &Model,
    formalism: Formalism,
    constraints: ConstraintRows,
) -> Result<Motion, Failure> {
    assemble(model, formalism, dynamics(model, formalism, &constraints)?, constraints, true)
}

/// The same with a multiplier for every row and no speed eliminated.
pub fn derive_unreduced(
    model: &Model,
    formalism: Formalism,
    constraints: ConstraintRows,
) -> Result<Equations, Failure> {
    assemble(model, formalism, dynamics(model, formalism, &constraints)?, constraints, false)?.balanced(model)
}

fn dynamics(model: &Model, formalism: Formalism, constraints: &ConstraintRows) -> Result<Dynamics, Failure> {
    match formalism {
        Formalism::Articulated if !constraints.rows.is_empty() => Err(Failure::ConstrainedArticulated),
        Formalism::Kane => kane::derive(model),
        Formalism::Recursive => recursive::derive(model),
        Formalism::Articulated => recursive::derive_articulated(model),
        Formalism::Lagrange => lagrange::derive(model),
    }
}

pub(crate) fn assemble(
    model: &Model,
    formalism: Formalism,
    dynamics: Dynamics,
    constraints: ConstraintRows,
    reduce: bool,
) -> Result<Motion, Failure> {
    let pool = model.space.pool();
    let (augmented, u_dot, mass, forcing) = match dynamics {
        Dynamics::Solved { u_dot } => (None, u_dot, None, None),
        Dynamics::Implicit { mass, forcing } if constraints.rows.is_empty() => {
            let u_dot = ldl::factor(pool, &mass)?.solve(pool, &forcing);
            (None, u_dot, Some(mass), Some(forcing))
        }
        Dynamics::Implicit { mass, forcing } => {
            let system =
                mass_augmentation::factor(model, &mass, &forcing, &constraints.rows, constraints.all_lend)?;
            let found = if reduce { elimination::eliminate(model, &constraints) } else { None };
            let solved = match found {
                None => multipliers::solve(model, system, &constraints),
                Some(found) => {
                    let (multipliers, u_dot) =
                        elimination::solve(model, &mass, &forcing, &constraints, &found)?;
                    let whole = multipliers::whole(pool, &system, &constraints.rows);
                    Augmented { multipliers, u_dot, factors: system.factors, whole }
                }
            };
            let u_dot = solved.u_dot.clone();
            (Some(solved), u_dot, Some(mass), Some(forcing))
        }
    };
    let drives =
        augmented.as_ref().map_or(vec![], |a| multipliers::powers(model, &constraints, &a.multipliers));
    let found = augmented.as_ref().map_or(&[][..], |a| &a.multipliers);
    let carried = reaction_sharing::shared_if_asked(model, &constraints, found)?;
    // Powers are integrated along; energies are only shown.
    let walk = if energy::has_powers(model) { Some(energy::Walk::of(model)?) } else { None };
    let powers = walk.as_ref().map_or(vec![], |walk| walk.powers(model));
    let energy = Energy { kinetic: pool.zero(), gravity: pool.zero(), potentials: vec![], powers, drives };
    let mut equations = Equations {
        formalism,
        states: crate::forms::states(model),
        carried,
        q_dot: small::kinematic(model),
        s_dot: model.states.iter().map(|(_, s)| s.rate).collect(),
        u_dot,
        mass,
        forcing,
        constraints,
        augmented,
        reactions: reactions::of_joints(model)?,
        laws: SolvedLaws::default(),
        energy,
    };
    equations.insert_efforts(model);
    equations.insert_unknowns(model);
    Ok(Motion { equations, walk })
}

impl Equations {
    /// Solves for efforts that depend on unknowns, and puts them into what was found with letters for them.
    fn insert_efforts(&mut self, model: &Model) {
        let of = Unknowns { u_dot: &self.u_dot, carried: &self.carried, reactions: &self.reactions };
        let Some((laws, mut splitter)) = reaction_laws::solve(model, &of) else { return };
        let mut insert = |e: &mut Expr| *e = splitter.insert(*e, &laws.efforts);
        self.u_dot.iter_mut().for_each(&mut insert);
        let pool = model.space.pool();
        for (j, active, value) in reaction_laws::kept(model) {
            let open = pool.mul(pool.sub(pool.one(), active), self.u_dot[j]);
            self.u_dot[j] = pool.define(pool.add(pool.mul(active, value), open));
        }
        self.forcing.iter_mut().flatten().for_each(&mut insert);
        self.carried.iter_mut().for_each(|(_, e)| insert(e));
        self.energy.powers.iter_mut().for_each(|(_, e)| insert(e));
        self.energy.drives.iter_mut().for_each(|(_, e)| insert(e));
        if let Some(augmented) = &mut self.augmented {
            augmented.multipliers.iter_mut().for_each(&mut insert);
            augmented.u_dot.clone_from(&self.u_dot);
        }
        self.laws = laws;
    }

    /// Rates of states may depend on unknowns; what these are is known now.
    fn insert_unknowns(&mut self, model: &Model) {
        let pool = model.space.pool();
        if !self.s_dot.iter().any(|e| pool.depends(*e).intersects(Depends::UNKNOWNS)) {
            return;
        }
        let mut values: Map<SymbolId, Expr> = Map::default();
        // Reactions are written in terms of the others, which come before them.
        for (symbol, value) in self.solved(model) {
            let value = pool.substitute(value, &values, &mut Map::default());
            pool.as_symbol(symbol).into_iter().for_each(|s| _ = values.insert(s, value));
        }
        let mut known = Map::default();
        for e in &mut self.s_dot {
            *e = pool.substitute(*e, &values, &mut known);
        }
    }

    /// What each row M u̇ = f lacks at the accelerations `model.speeds[r].rate`; nothing where the formalism forms no rows. [inverse]
    pub fn lacks(&self, model: &Model) -> Option<Vec<Expr>> {
        Some(inverse_of(model, self.mass.as_ref()?, self.forcing.as_ref()?))
    }

    /// The multipliers of all rows that bear something, whether the model looks at them or not: where joints repeat one another they share
    /// what they bear, each as little as possible.
    pub fn shared(&self, model: &Model) -> Result<Vec<(Place, Expr)>, Failure> {
        let kept = self.augmented.as_ref().map_or(&[][..], |a| &a.multipliers);
        reaction_sharing::shared(model, &self.constraints, kept)
    }

    /// What the unknowns of the model are: accelerations, multipliers and reactions of joints. Where joints repeat one another and the
    /// model looks at what they bear, all of them carry together, each as little as possible; else rows that say nothing new carry nothing.
    pub fn solved(&self, model: &Model) -> Vec<(Expr, Expr)> {
        let zero = model.space.pool().zero();
        let mut out: Vec<(Expr, Expr)> =
            model.speeds.iter().zip(&self.u_dot).map(|((_, u), solved)| (u.rate, *solved)).collect();
        for (id, constraint) in model.constraints.iter() {
            for (row, symbol) in constraint.multipliers.iter().enumerate() {
                let value =
                    self.carried.iter().find(|(place, _)| *place == (id, row)).map_or(zero, |(_, e)| *e);
                out.push((*symbol, value));
            }
        }
        out.extend(&self.laws.efforts);
        out.extend(&self.laws.responses);
        out.extend(&self.reactions);
        out
    }
}

/// Inverse dynamics: the generalised forces that bring about the accelerations `model.speeds[r].rate`. [inverse]
///
/// A pool prefers what it already knows; for the cheapest form derive this on a model of its own (a clone).
pub fn inverse(model: &Model, formalism: Formalism) -> Result<Vec<Expr>, Failure> {
    let efforts = match formalism {
        Formalism::Kane => kane::mass_and_forcing(model).map(|(M, f)| inverse_of(model, &M, &f))?,
        Formalism::Lagrange => lagrange::mass_and_forcing(model).map(|(M, f)| inverse_of(model, &M, &f))?,
        Formalism::Recursive | Formalism::Articulated => recursive::inverse(model)?,
    };
    let u_dot: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let carried: Vec<(Place, Expr)> = model
        .constraints
        .iter()
        .flat_map(|(id, c)| c.multipliers.iter().enumerate().map(move |(row, symbol)| ((id, row), *symbol)))
        .collect();
    let reactions = if model.laws.is_empty() { vec![] } else { reactions::of_joints(model)? };
    let of = Unknowns { u_dot: &u_dot, carried: &carried, reactions: &reactions };
    let Some((laws, mut splitter)) = reaction_laws::solve(model, &of) else { return Ok(efforts) };
    Ok(efforts.into_iter().map(|e| splitter.insert(e, &laws.efforts)).collect())
}

/// τ = M u̇ - f [inverse]
fn inverse_of(model: &Model, M: &[Vec<Expr>], f: &[Expr]) -> Vec<Expr> {
    let pool = model.space.pool();
    let unknowns: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let force = |r: usize| {
        let inertia = unknowns.iter().enumerate().map(|(s, u_dot)| pool.mul(M[r][s], *u_dot));
        pool.sub(pool.sum(inertia.collect::<Vec<_>>()), f[r])
    };
    (0..f.len()).map(force).collect()
}

/// The mass matrix alone.
pub fn mass_matrix(model: &Model, formalism: Formalism) -> Result<Vec<Vec<Expr>>, Failure> {
    match formalism {
        Formalism::Kane => Ok(kane::mass_and_forcing(model)?.0),
        Formalism::Lagrange => Ok(lagrange::mass_and_forcing(model)?.0),
        Formalism::Recursive | Formalism::Articulated => recursive::mass_matrix(model),
    }
}

/// What derivatives of accelerations are solutions of, by the structure of a tree; see [`SlopeSystems`].
pub fn slope_systems(model: &Model) -> Result<SlopeSystems, Failure> {
    recursive::derivatives::slope_systems(model)
}

/// Accelerations and their derivatives by the structure of a tree; see [`Slopes`].
pub fn slopes(model: &Model) -> Result<Slopes, Failure> {
    recursive::derivatives::slopes(model)
}

/// What a formalism finds. [dynamic]
pub(crate) enum Dynamics {
    /// The mass matrix and the right-hand side.
    Implicit { mass: Vec<Vec<Expr>>, forcing: Vec<Expr> },
    /// The accelerations themselves.
    Solved { u_dot: Vec<Expr> },
}
