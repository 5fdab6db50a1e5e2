//! Energies in expressions: `energy.kinetic`, `energy.gravity`, `energy.potential`, `energy.total`, `energy.strut`.
//!
//! ```text
//! [kinetic]     T = Σ_B  m v·v / 2 + w·I·w / 2  + Σ_rotors  J η² / 2      v of the mass centre
//! [gravity]     V_g = -Σ_B  m g·p                                        p from the ground's origin
//! [potential]   V = V_g + Σ_elements V_e
//! [total]       E = T + V
//! ```
//!
//! They are those of the energy balance, whose columns have the same names. A controller may use them (swing-up by
//! energy); elements must be known before their potentials are, so a spring whose stiffness depends on
//! `energy.potential` needs itself.

use cardan_base::{Diagnostic, nearest};
use cardan_expr::{Expr, Rational};
use cardan_syntax::Path;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Phase, Resolver};
use crate::names::scope::{ItemId, ItemKind};
use crate::types::value::Value;

/// The word that energies begin with, unless something else has it as its name.
const ENERGY: &str = "energy";
/// Energies of every model.
const KINDS: [&str; 4] = ["kinetic", "gravity", "potential", "total"];

/// The kind of energy that a path asks for.
pub fn asked(path: &Path) -> Option<&str> {
    match path.segments.as_slice() {
        [first, kind] if first.name.text == ENERGY => Some(&kind.name.text),
        _ => None,
    }
}

impl<'t> Resolver<'t> {
    /// The elements whose potentials must be known before this energy is.
    pub fn stores_of(&self, path: &Path) -> Vec<ItemId> {
        let Some(kind) = asked(path) else { return vec![] };
        let is_needed = |name: &str| matches!(kind, "potential" | "total") || kind == name;
        let items = self.names.items.iter();
        let elements = items.filter(|(_, item)| matches!(item.kind, ItemKind::Element(_)));
        elements.filter(|(_, item)| is_needed(&item.name)).map(|(id, _)| id).collect()
    }

    /// The energy that a path names.
    pub fn energy(&mut self, path: &Path, kind: &str) -> Option<Value> {
        if self.phase != Phase::Motion {
            self.too_early(path.span);
            return None;
        }
        let pool = self.pool();
        let found = match kind {
            "kinetic" => Some(self.kinetic_energy()),
            "gravity" => Some(self.gravity_potential()),
            "potential" => Some(self.potential_energy()),
            "total" => Some(pool.add(self.kinetic_energy(), self.potential_energy())), // [total]
            name => {
                let loads = &self.builder.model().loads;
                let mut own =
                    loads.iter().filter(|(_, l)| l.name == name || l.name == format!("{name}.spring"));
                own.find_map(|(_, l)| l.potential)
            }
        };
        if let Some(energy) = found {
            return Some(Value::quantity(self.pool().define(energy), Dimension::ENERGY));
        }
        let loads = &self.builder.model().loads;
        let stores = loads.iter().filter(|(_, l)| l.potential.is_some()).map(|(_, l)| l.name.as_str());
        let known: Vec<&str> = KINDS.into_iter().chain(stores).collect();
        let message = format!("there is no energy called `{kind}`");
        let d = Diagnostic::error(codes::UNKNOWN_NAME, message).at(path.span, "");
        let d = match nearest(kind, known.iter().copied()) {
            Some(near) => d.hint(format!("write `{ENERGY}.{near}`")),
            None => d.hint(format!("energies are {}", known.join(", "))),
        };
        self.report(d);
        None
    }

    fn half(&self, e: Expr) -> Expr {
        self.pool().scale(Rational::Small(1, 2), e)
    }

    /// `[kinetic]`
    fn kinetic_energy(&self) -> Expr {
        let (pool, space, model) = (self.pool(), self.space(), self.builder.model());
        let mut parts = vec![];
        for (_, body) in model.bodies.iter() {
            if !pool.is_zero(body.mass) {
                let v = space.velocity(&body.center_point());
                parts.push(self.half(pool.mul(body.mass, space.dot(&v, &v))));
            }
            let inertia = space.dyadic(body.frame, &body.inertia);
            if !inertia.is_zero() {
                let w = space.w(body.frame);
                parts.push(self.half(space.dot(&w, &space.dyadic_dot(&inertia, &w))));
            }
        }
        for rotor in &model.rotors {
            let rate = space.rate(rotor.rate);
            parts.push(self.half(pool.product([rotor.inertia, rate, rate])));
        }
        pool.sum(parts.into_iter().map(|e| pool.define(e)).collect::<Vec<_>>())
    }

    /// `[gravity]`
    fn gravity_potential(&self) -> Expr {
        let (pool, space, model) = (self.pool(), self.space(), self.builder.model());
        let origin = space.origin(space.newtonian());
        let parts = model.bodies.iter().map(|(_, body)| {
            let p = space.position(&origin, &body.center_point());
            pool.neg(pool.mul(body.mass, space.dot(&model.gravity, &p)))
        });
        pool.sum(parts.collect::<Vec<_>>())
    }

    /// `[potential]`
    fn potential_energy(&self) -> Expr {
        let loads = &self.builder.model().loads;
        let stored: Vec<Expr> = loads.iter().filter_map(|(_, load)| load.potential).collect();
        self.pool().sum(stored.into_iter().chain([self.gravity_potential()]).collect::<Vec<_>>())
    }
}
