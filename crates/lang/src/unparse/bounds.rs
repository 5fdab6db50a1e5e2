//! Limits, stops and rotor inertias: in the joint where they fit there, else as elements on the coordinate.

use std::fmt::Write as _;

use cardan_expr::{Expr, Rational};
use cardan_kinematics::{Motion, RateId};
use cardan_model::{CoordinateId, Limit};
use cardan_units::Dimension;

use crate::unparse::Writer;
use crate::unparse::names::described;

impl Writer<'_> {
    /// Arguments of a joint with one coordinate: `, limit = a .. b, armature = J`
    pub fn bounds(&mut self, coordinate: CoordinateId, rate: RateId) -> String {
        let dimension = self.model.coordinates[coordinate].quantity.dimension;
        let slides = dimension == Dimension::LENGTH;
        let mut out = String::new();
        let own = self.model.limits.iter().find(|l| l.coordinate == coordinate && is_range(l));
        if let Some(Limit { lower: Some(lower), upper: Some(upper), .. }) = own {
            let (lower, upper) = (self.end(*lower, dimension), self.end(*upper, dimension));
            let _ = write!(out, ", limit = {lower} .. {upper}");
        }
        if let Some(inertia) = self.rotor(rate) {
            let wanted = if slides { Dimension::MASS } else { Dimension::INERTIA };
            let _ = write!(out, ", armature = {}", self.scalar(inertia, wanted));
        }
        out
    }

    /// The rotor inertias of a joint with speeds in the body: `, armature = (J, J, J)`
    pub fn armatures(&mut self, motion: &Motion) -> String {
        let inertias: Vec<Option<Expr>> = motion.rates().into_iter().map(|r| self.rotor(r)).collect();
        if inertias.iter().all(Option::is_none) {
            return String::new();
        }
        let n = inertias.len();
        let texts: Vec<String> = inertias
            .into_iter()
            .enumerate()
            .map(|(k, inertia)| {
                let wanted = if n == 6 && k < 3 { Dimension::MASS } else { Dimension::INERTIA };
                inertia.map_or("0".to_string(), |e| self.scalar(e, wanted))
            })
            .collect();
        format!(", armature = ({})", texts.join(", "))
    }

    /// An end of a range; a part of a turn in degrees.
    fn end(&mut self, e: Expr, dimension: Dimension) -> String {
        let pool = self.model.space.pool();
        let degrees = pool.scale(Rational::int(180), pool.div(e, pool.pi()));
        match pool.as_number(degrees).map(|d| d.to_f64()) {
            Some(d) if dimension == Dimension::ANGLE && d != 0.0 && d == d.round() => format!("{d} [deg]"),
            _ => self.scalar(e, dimension),
        }
    }

    /// All that is added to a rate.
    fn rotor(&self, rate: RateId) -> Option<Expr> {
        let pool = self.model.space.pool();
        let found: Vec<Expr> =
            self.model.rotors.iter().filter(|r| r.rate == rate).map(|r| r.inertia).collect();
        (!found.is_empty()).then(|| pool.sum(found))
    }

    /// `limit NAME on q { … }` and `stop NAME on q { … }`
    pub fn limits(&mut self) -> String {
        let model = self.model;
        let mut out = String::new();
        let mut in_joints = vec![];
        for limit in &model.limits {
            let coordinate = &model.coordinates[limit.coordinate];
            let first = is_range(limit) && !in_joints.contains(&limit.coordinate);
            if first && model.freedom_of(limit.coordinate).is_some() {
                in_joints.push(limit.coordinate);
                continue;
            }
            let dimension = coordinate.quantity.dimension;
            let effort = (Dimension::ENERGY / dimension).without_angle();
            let stop = limit.stop.as_ref();
            let parts = [
                ("lower", limit.lower, dimension),
                ("upper", limit.upper, dimension),
                ("speed", limit.speed, dimension / Dimension::TIME),
                ("effort", limit.effort, effort),
                ("stiffness", stop.map(|s| s.stiffness), Dimension::ENERGY / dimension / dimension),
                (
                    "damping",
                    stop.map(|s| s.damping),
                    Dimension::ENERGY * Dimension::TIME / dimension / dimension,
                ),
            ];
            let told = |e: &Expr| stop.is_none() || !model.space.pool().is_zero(*e);
            let mut watched = vec![];
            let mut list = vec![];
            for (name, value, dimension) in parts {
                let Some(value) = value.filter(|v| name != "damping" || told(v)) else { continue };
                let value = match name {
                    "lower" | "upper" => self.end(value, dimension),
                    _ => self.scalar(value, dimension),
                };
                let text = format!("{name} = {value}");
                // A stop has no speed and no effort of its own.
                match (stop, name) {
                    (Some(_), "speed" | "effort") => watched.push(text),
                    _ => list.push(text),
                }
            }
            let q =
                self.names.get(&coordinate.quantity.name).unwrap_or(&coordinate.quantity.name).to_string();
            let plain = q.replace('.', "_");
            if let Some(stop) = stop {
                let (name, about) = (self.names.word(&stop.name), described(&stop.description));
                let _ = writeln!(out, "stop {name}{about} on {q} {{ {} }}", list.join(", "));
                list = watched;
            }
            if !list.is_empty() {
                let name = self.names.word(&format!("{plain}_limit"));
                let _ = writeln!(out, "limit {name} on {q} {{ {} }}", list.join(", "));
            }
        }
        out
    }
}

/// Whether nothing but two ends are given.
fn is_range(limit: &Limit) -> bool {
    limit.lower.is_some()
        && limit.upper.is_some()
        && limit.speed.is_none()
        && limit.effort.is_none()
        && limit.stop.is_none()
}
