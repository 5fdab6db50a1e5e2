//! Geoms: what they look like and what they weigh.
//!
//! Homogeneous solids of mass m about their own centre, axis z:
//!
//! ```text
//! [sphere]      V = 4/3 π r³                 J = 2/5 m r²
//! [ellipsoid]   V = 4/3 π a b c              Jx = m (b² + c²) / 5, …
//! [box]         V = 8 a b c                  Jx = m (b² + c²) / 3, …            half edges a, b, c
//! [cylinder]    V = π r² l                   Jz = m r² / 2,  Jx = m (3 r² + l²) / 12
//! [capsule]     V = π r² l + 4/3 π r³        the cylinder, and two halves of a sphere of mass s whose centres of
//!               mass lie 3/8 r beyond the ends:  Jz += 2/5 s r²,  Jx += s (2/5 r² + 3/8 r l + l²/4)
//! [round]       I = Jx 1 + (Jz - Jx) a a^T   in other axes, for a solid of revolution about a
//! ```

pub(crate) mod shell;

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::rotation::inner;
use cardan_model::{Shape, ShapeKind};

use super::defaults::Resolved;
use super::settings::Settings;
use crate::assembly::Assembly;
use crate::codes;
use crate::mjcf::pose::{Place, orientation, position};
use crate::number::{array, word};
use crate::orientation::{from_z, tensor_in_parent};

/// A solid with its place in the body.
pub(super) struct Geom {
    pub place: Place,
    pub solid: Option<Solid>,
    pub weight: Weight,
    /// Whether the mass lies in the surface.
    pub shell: bool,
    pub group: i64,
    pub color: Option<String>,
    pub collides: bool,
    pub span: Span,
}

/// How heavy a geom is.
pub(super) enum Weight {
    Mass(Rational),
    Density(Rational),
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Solid {
    Sphere(Expr),
    /// Radius and length of the straight part.
    Capsule(Expr, Expr),
    /// Radius and length.
    Cylinder(Expr, Expr),
    /// Semi-axes.
    Ellipsoid([Expr; 3]),
    /// Half edges.
    Box([Expr; 3]),
}

const TYPES: &[&str] =
    &["sphere", "capsule", "cylinder", "ellipsoid", "box", "plane", "hfield", "mesh", "sdf"];

pub(super) fn read(e: &Resolved<'_>, settings: &Settings, assembly: &mut Assembly<'_>) -> Option<Geom> {
    let span = e.element.span;
    let kind = match e.attribute("type") {
        Some(a) => word(a, TYPES, &mut assembly.findings)?,
        None if e.attribute("mesh").is_some() => "mesh",
        None => "sphere",
    };
    let (place, length) = ends(e, kind, settings, assembly)?;
    let sizes = e.list("size", &mut assembly.findings).unwrap_or_default();
    let need = |n: usize, assembly: &mut Assembly<'_>| -> Option<Vec<Expr>> {
        if sizes.len() < n || sizes.iter().take(n).any(|s| s.is_negative()) {
            let a = e.attribute("size").map_or(span, |a| a.span);
            let message = format!("a {kind} needs {n} sizes that are not negative");
            let found = Diagnostic::error(codes::VALUE, message).at(a, format!("{} given", sizes.len()));
            assembly.findings.push(found.hint("radii and half lengths, with blanks between them"));
            return None;
        }
        Some(sizes.iter().map(|s| assembly.pool().number(s.clone())).collect())
    };
    let twice = |pool: &Pool, e: Expr| pool.scale(Rational::int(2), e);
    let solid = match kind {
        "sphere" => Some(Solid::Sphere(need(1, assembly)?[0])),
        "capsule" | "cylinder" => {
            let size = need(if length.is_some() { 1 } else { 2 }, assembly)?;
            let l = length.unwrap_or_else(|| twice(assembly.pool(), size[1]));
            Some(if kind == "capsule" { Solid::Capsule(size[0], l) } else { Solid::Cylinder(size[0], l) })
        }
        "ellipsoid" | "box" => {
            let size = need(if length.is_some() { 1 } else { 3 }, assembly)?;
            let half = length.map(|l| assembly.pool().scale(Rational::Small(1, 2), l));
            let axes = match half {
                Some(half) => [size[0], size[0], half],
                None => [size[0], size[1], size[2]],
            };
            Some(if kind == "box" { Solid::Box(axes) } else { Solid::Ellipsoid(axes) })
        }
        _ => None,
    };
    let findings = &mut assembly.findings;
    let mass = e.scalar("mass", findings).map(Weight::Mass);
    let density = e.scalar("density", findings).unwrap_or(Rational::int(1000));
    let whole = |name: &str, default: i64, findings: &mut _| {
        e.scalar(name, findings).map_or(default, |v| v.to_f64().clamp(-1e9, 1e9) as i64)
    };
    // A plane or a height field belongs to the ground and weighs nothing.
    let heavy = solid.is_some() || kind == "mesh" || kind == "sdf";
    let weight = if heavy { mass.unwrap_or(Weight::Density(density)) } else { Weight::Mass(Rational::ZERO) };
    let collides = whole("contype", 1, findings) != 0 || whole("conaffinity", 1, findings) != 0;
    let group = whole("group", 0, findings);
    let shell =
        e.attribute("shellinertia").and_then(|a| word(a, &["true", "false"], findings)) == Some("true");
    Some(Geom { place, solid, weight, shell, group, color: color(e, findings), collides, span })
}

/// The place of a geom or site, and its length where both ends are given.
pub(super) fn ends(
    e: &Resolved<'_>,
    kind: &str,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) -> Option<(Place, Option<Expr>)> {
    let long = ["capsule", "cylinder", "ellipsoid", "box"].contains(&kind);
    let Some(a) = e.attribute("fromto").filter(|_| long) else {
        let p = position(e, assembly);
        return Some((Place { R: orientation(e, settings, assembly), p }, None));
    };
    let v = array::<6>(a, &mut assembly.findings)?;
    let pool = assembly.pool();
    let difference: [Rational; 3] = std::array::from_fn(|i| v[i + 3].sub(&v[i]));
    let square = crate::orientation::dot(&difference, &difference);
    if square.is_zero() {
        assembly.findings.push(crate::orientation::no_direction(a.span, "`fromto`"));
        return None;
    }
    let length = pool.sqrt(pool.number(square));
    let n = difference.map(|d| pool.div(pool.number(d), length));
    let half = Rational::Small(1, 2);
    let p = std::array::from_fn(|i| pool.number(v[i].add(&v[i + 3]).mul(&half)));
    Some((Place { R: from_z(pool, n), p }, Some(length)))
}

fn color(e: &Resolved<'_>, findings: &mut crate::findings::Findings) -> Option<String> {
    let rgba = crate::number::list(e.attribute("rgba")?, findings)?;
    let byte = |k: usize| rgba.get(k).map(|v| (v.to_f64().clamp(0.0, 1.0) * 255.0).round() as u8);
    Some(format!("#{:02x}{:02x}{:02x}", byte(0)?, byte(1)?, byte(2)?))
}

/// Mass, mass centre and central inertia, components in the body's axes.
#[derive(Clone, Copy)]
pub(super) struct Lump {
    pub mass: Expr,
    pub center: [Expr; 3],
    pub inertia: [[Expr; 3]; 3],
}

impl Geom {
    /// Whether it weighs nothing.
    pub fn is_weightless(&self) -> bool {
        match &self.weight {
            Weight::Mass(m) => m.is_zero(),
            Weight::Density(d) => d.is_zero(),
        }
    }
    /// Its mass properties; nothing for a mesh, whose volume is not known here, or the shell of an ellipsoid.
    pub fn lump(&self, pool: &Pool) -> Option<Lump> {
        let solid = self.solid?;
        let mass = match &self.weight {
            Weight::Mass(m) => pool.number(m.clone()),
            Weight::Density(d) if self.shell => pool.scale(d.clone(), solid.area(pool)?),
            Weight::Density(d) => pool.scale(d.clone(), solid.volume(pool)),
        };
        let J = if self.shell { solid.shell_moments(pool, mass)? } else { solid.moments(pool, mass) };
        let inertia = match solid {
            Solid::Sphere(_) => diagonal(pool, J),
            // A solid of revolution needs its axis only, and the squares of its components are simple numbers.
            Solid::Capsule(..) | Solid::Cylinder(..) => {
                let a = self.place.R[2];
                let round = diagonal(pool, [J[0]; 3]);
                let excess = pool.sub(J[2], J[0]);
                std::array::from_fn(|i| {
                    std::array::from_fn(|j| pool.add(round[i][j], pool.product([excess, a[i], a[j]]))) // [round]
                })
            }
            Solid::Ellipsoid(_) | Solid::Box(_) => tensor_in_parent(pool, &self.place.R, &diagonal(pool, J)),
        };
        Some(Lump { mass, center: self.place.p, inertia })
    }
    /// What it looks like, and whether it needs axes of its own.
    pub fn shape(&self, pool: &Pool) -> Option<(Shape, bool)> {
        let double = |v: [Expr; 3]| v.map(|e| pool.scale(Rational::int(2), e));
        let (kind, round, turned) = match self.solid? {
            Solid::Sphere(r) => (ShapeKind::Sphere(r), false, false),
            Solid::Capsule(r, l) => (ShapeKind::Capsule(r, l), true, false),
            Solid::Cylinder(r, l) => (ShapeKind::Cylinder(r, l), true, false),
            Solid::Ellipsoid(a) => (ShapeKind::Ellipsoid(a), false, true),
            Solid::Box(a) => (ShapeKind::Box(double(a)), false, true),
        };
        let plain = cardan_kinematics::rotation::identity(pool);
        let axis = (round && self.place.R[2] != plain[2]).then_some(self.place.R[2]);
        let shape = Shape { kind, at: self.place.p, axis, color: self.color.clone() };
        Some((shape, turned && self.place.R != plain))
    }
}

fn diagonal(pool: &Pool, J: [Expr; 3]) -> [[Expr; 3]; 3] {
    let o = pool.zero();
    [[J[0], o, o], [o, J[1], o], [o, o, J[2]]]
}

impl Solid {
    fn volume(&self, pool: &Pool) -> Expr {
        let pi = |r: Rational, factors: &[Expr]| {
            pool.scale(r, pool.mul(pool.pi(), pool.product(factors.iter().copied())))
        };
        match *self {
            Solid::Sphere(r) => pi(Rational::Small(4, 3), &[r, r, r]), // [sphere]
            Solid::Ellipsoid(a) => pi(Rational::Small(4, 3), &a),      // [ellipsoid]
            Solid::Box(a) => pool.scale(Rational::int(8), pool.product(a)), // [box]
            Solid::Cylinder(r, l) => pi(Rational::ONE, &[r, r, l]),    // [cylinder]
            Solid::Capsule(r, l) => {
                pool.add(pi(Rational::ONE, &[r, r, l]), pi(Rational::Small(4, 3), &[r, r, r])) // [capsule]
            }
        }
    }

    /// The principal moments of a solid of this mass.
    fn moments(&self, pool: &Pool, m: Expr) -> [Expr; 3] {
        let times = |n: i64, d: i64, factors: &[Expr]| {
            pool.scale(Rational::Small(n, d), pool.product(factors.iter().copied()))
        };
        let squares = |a: [Expr; 3], d: i64| {
            [0, 1, 2].map(|i| {
                let (b, c) = (a[(i + 1) % 3], a[(i + 2) % 3]);
                pool.add(times(1, d, &[m, b, b]), times(1, d, &[m, c, c]))
            })
        };
        match *self {
            Solid::Sphere(r) => [times(2, 5, &[m, r, r]); 3],
            Solid::Ellipsoid(a) => squares(a, 5),
            Solid::Box(a) => squares(a, 3),
            Solid::Cylinder(r, l) => {
                let across = pool.add(times(1, 4, &[m, r, r]), times(1, 12, &[m, l, l]));
                [across, across, times(1, 2, &[m, r, r])]
            }
            Solid::Capsule(r, l) => {
                let sphere = pool.scale(Rational::int(4), r);
                let whole = pool.add(sphere, pool.scale(Rational::int(3), l));
                let s = pool.product([m, sphere, pool.powi(whole, -1)]);
                let c = pool.sub(m, s);
                let across = pool.sum([
                    times(1, 4, &[c, r, r]),
                    times(1, 12, &[c, l, l]),
                    times(2, 5, &[s, r, r]),
                    times(3, 8, &[s, r, l]),
                    times(1, 4, &[s, l, l]),
                ]);
                [across, across, pool.add(times(1, 2, &[c, r, r]), times(2, 5, &[s, r, r]))]
            }
        }
    }
}

/// Several lumps as one; nothing if they weigh nothing.
///
/// ```text
/// [lump]   m = Σ m_k,   c = Σ m_k c_k / m,   I = Σ I_k + m_k (d·d 1 - d d^T),  d = c_k - c
/// ```
pub(super) fn combine(pool: &Pool, lumps: &[Lump]) -> Option<Lump> {
    let lumps: Vec<&Lump> = lumps.iter().filter(|l| !pool.is_zero(l.mass)).collect();
    if let [one] = lumps[..] {
        return Some(*one);
    }
    let mass = pool.sum(lumps.iter().map(|l| l.mass));
    if pool.is_zero(mass) {
        return None;
    }
    let center: [Expr; 3] = std::array::from_fn(|i| {
        let moment = pool.sum(lumps.iter().map(|l| pool.mul(l.mass, l.center[i])));
        pool.div(moment, mass)
    });
    let mut terms: [[Vec<Expr>; 3]; 3] = Default::default();
    for l in &lumps {
        let d: [Expr; 3] = std::array::from_fn(|i| pool.sub(l.center[i], center[i]));
        let dd = inner(pool, d, d);
        for i in 0..3 {
            for j in 0..3 {
                terms[i][j].push(l.inertia[i][j]);
                terms[i][j].push(pool.neg(pool.product([l.mass, d[i], d[j]])));
                if i == j {
                    terms[i][j].push(pool.mul(l.mass, dd)); // [lump]
                }
            }
        }
    }
    let inertia = terms.map(|row| row.map(|t| pool.sum(t)));
    Some(Lump { mass, center, inertia })
}
