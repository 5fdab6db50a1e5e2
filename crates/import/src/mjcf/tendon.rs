//! Tendons: lengths that are fixed sums of joint coordinates, with springs and dampers along them.
//!
//! ```text
//! [tendon]   L = Σ c_k q_k,   force f along L acts as c_k f on joint k
//! ```

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Rational};
use cardan_model::Freedom;
use cardan_units::Dimension;

use super::build::Mechanism;
use super::defaults::{Defaults, Resolved};
use super::settings::Settings;
use crate::assembly::Assembly;
use crate::codes;

/// A length with the degrees of freedom that change it.
pub(super) struct Tendon {
    pub length: Expr,
    /// The length in the pose as written.
    pub start: Expr,
    /// The length where springs of joints rest.
    pub rest: Expr,
    pub rate: Expr,
    pub moments: Vec<(Freedom, Expr)>,
}

impl Tendon {
    /// The length that is the coordinate of a hinge or slide, times a factor.
    pub fn of_joint(mechanism: &Mechanism, joint: &str, assembly: &Assembly<'_>) -> Option<Tendon> {
        let built = mechanism.joints.get(joint)?;
        let (q, freedom) = (built.q?, *built.freedoms.first()?);
        let rate = assembly.builder.space().rate(freedom.rate);
        let moments = vec![(freedom, assembly.pool().one())];
        Some(Tendon { length: q.symbol, start: q.reference, rest: q.rest, rate, moments })
    }
    /// The same, longer by a factor.
    pub fn scaled(&self, factor: Expr, assembly: &Assembly<'_>) -> Tendon {
        let pool = assembly.pool();
        Tendon {
            length: pool.mul(factor, self.length),
            start: pool.mul(factor, self.start),
            rest: pool.mul(factor, self.rest),
            rate: pool.mul(factor, self.rate),
            moments: self.moments.iter().map(|(f, c)| (*f, pool.mul(factor, *c))).collect(),
        }
    }
    /// A force along the length. [tendon]
    pub fn pull(
        &self,
        name: &str,
        force: Expr,
        potential: Option<Expr>,
        span: Span,
        assembly: &mut Assembly<'_>,
    ) {
        for (k, (freedom, moment)) in self.moments.iter().enumerate() {
            let effort = assembly.pool().mul(*moment, force);
            let zero = assembly.pool().zero();
            // The first carries the energy of all.
            let potential = potential.map(|p| if k == 0 { p } else { zero });
            let name = if self.moments.len() == 1 { name.to_string() } else { format!("{name}{}", k + 1) };
            assembly.add_effort(name, *freedom, effort, potential, Some(span));
        }
    }
}

pub(super) fn read(
    root: &crate::xml::Element,
    defaults: &Defaults,
    mechanism: &Mechanism,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) -> BTreeMap<String, Tendon> {
    let mut out = BTreeMap::new();
    for e in root.named("tendon").flat_map(|t| &t.children) {
        let attributes = defaults.resolve(e, None, &mut assembly.findings).of_kind(defaults, "tendon", e);
        let name = e.value("name").unwrap_or("").to_string();
        match e.name.as_str() {
            "fixed" => {
                if let Some(tendon) = fixed(&attributes, mechanism, assembly) {
                    add_forces(&name, &tendon, &attributes, settings, assembly);
                    out.insert(name, tendon);
                }
            }
            "spatial" => {
                let acts = ["stiffness", "damping", "frictionloss", "armature"].iter().any(|a| {
                    attributes.list(a, &mut assembly.findings).is_some_and(|v| v.iter().any(|x| !x.is_zero()))
                });
                let limited = attributes.value("range").is_some()
                    && attributes.value("limited").is_none_or(|v| v.trim() != "false")
                    && !settings.is_disabled("constraint")
                    && !settings.is_disabled("limit");
                if acts || limited {
                    let found = Diagnostic::warning(
                        codes::LEFT_OUT,
                        format!("the spatial tendon `{name}` is left out"),
                    )
                    .at(e.span, "its forces are not part of the model");
                    assembly.findings.doubtful(found.hint("add a spring or a distance to the model"));
                }
            }
            _ => super::unknown(e, root, &mut assembly.findings),
        }
    }
    out
}

fn fixed(e: &Resolved<'_>, mechanism: &Mechanism, assembly: &mut Assembly<'_>) -> Option<Tendon> {
    let zero = assembly.pool().zero();
    let mut sum = Tendon { length: zero, start: zero, rest: zero, rate: zero, moments: vec![] };
    for part in e.element.named("joint") {
        let Some(joint) = part.attribute("joint") else {
            let found = crate::findings::missing(part.span, "`joint`", "write `joint=\"…\"`");
            assembly.findings.push(found);
            return None;
        };
        let Some(length) = Tendon::of_joint(mechanism, &joint.value, assembly) else {
            assembly.findings.push(no_joint(&joint.value, joint.span, mechanism));
            return None;
        };
        let factor = crate::number::scalar(part, "coef", &mut assembly.findings).unwrap_or(Rational::ZERO);
        let factor = assembly.pool().number(factor);
        let part = length.scaled(factor, assembly);
        let pool = assembly.pool();
        sum.length = pool.add(sum.length, part.length);
        sum.start = pool.add(sum.start, part.start);
        sum.rest = pool.add(sum.rest, part.rest);
        sum.rate = pool.add(sum.rate, part.rate);
        sum.moments.extend(part.moments.into_iter().filter(|(_, c)| !pool.is_zero(*c)));
    }
    Some(sum)
}

/// The finding about a joint that does not exist or has no single coordinate.
pub(super) fn no_joint(name: &str, span: Span, mechanism: &Mechanism) -> Diagnostic {
    if mechanism.joints.contains_key(name) {
        return Diagnostic::error(codes::FOLLOWER, format!("the joint `{name}` has no single coordinate"))
            .at(span, "a hinge or slide is needed here")
            .hint("name a hinge or a slide");
    }
    let found =
        Diagnostic::error(codes::UNKNOWN_NAME, format!("no joint is called `{name}`")).at(span, "not found");
    match cardan_base::nearest(name, mechanism.joints.keys().map(String::as_str)) {
        Some(near) => found.hint(format!("write `{near}`")),
        None => found.hint("name a joint of a body"),
    }
}

fn add_forces(
    name: &str,
    tendon: &Tendon,
    e: &Resolved<'_>,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) {
    let span = e.element.span;
    let limited = e.value("range").is_some() && e.value("limited").is_none_or(|v| v.trim() != "false");
    for (what, active) in [
        ("frictionloss", e.attribute("frictionloss").is_some_and(|a| a.value.trim() != "0")),
        ("armature", e.attribute("armature").is_some_and(|a| a.value.trim() != "0")),
        ("range", limited && !settings.is_disabled("limit") && !settings.is_disabled("constraint")),
    ] {
        if active {
            let message = format!("the `{what}` of tendon `{name}` is left out");
            let found = Diagnostic::warning(codes::LEFT_OUT, message).at(span, "this tendon");
            assembly.findings.doubtful(found.hint("add its effect to the model as a load"));
        }
    }
    let first = |name: &str, assembly: &mut Assembly<'_>| -> Option<Rational> {
        e.list(name, &mut assembly.findings)?.into_iter().next().filter(|v| !v.is_zero())
    };
    let off = |what: &str| settings.is_disabled(what) || settings.is_disabled("passive");
    if let Some(damping) = first("damping", assembly).filter(|_| !off("damper")) {
        let d = assembly.number_datum(format!("{name}.damping"), Dimension::DAMPING, &damping, span);
        let force = assembly.pool().neg(assembly.pool().mul(d, tendon.rate));
        tendon.pull(&format!("{name}.damper"), force, None, span, assembly);
    }
    if let Some(stiffness) = first("stiffness", assembly).filter(|_| !off("spring")) {
        let rest = e.list("springlength", &mut assembly.findings).unwrap_or_default();
        let rest = match &rest[..] {
            [] => tendon.rest,
            [one] if *one == Rational::MINUS_ONE => tendon.rest,
            [one] => assembly.pool().number(one.clone()),
            [a, b, ..] if a == b => assembly.pool().number(a.clone()),
            _ => {
                let message = format!("the spring of tendon `{name}` is left out");
                let found =
                    Diagnostic::warning(codes::LEFT_OUT, message).at(span, "it has a range without force");
                assembly.findings.doubtful(found.hint("write one rest length"));
                return;
            }
        };
        let k = assembly.number_datum(format!("{name}.stiffness"), Dimension::STIFFNESS, &stiffness, span);
        // A tendon of one joint and factor one is a spring of that joint.
        if let [(freedom, moment)] = tendon.moments[..]
            && moment == assembly.pool().one()
        {
            assembly.add_spring(format!("{name}.spring"), freedom, k, [tendon.length, rest], Some(span));
            return;
        }
        let pool = assembly.pool();
        let stretch = pool.sub(tendon.length, rest);
        let force = pool.neg(pool.mul(k, stretch));
        let potential = pool.scale(Rational::Small(1, 2), pool.product([k, stretch, stretch]));
        tendon.pull(&format!("{name}.spring"), force, Some(potential), span, assembly);
    }
}
