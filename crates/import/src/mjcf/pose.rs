//! Where an element sits in its parent: position and one of five ways to write an orientation.

use cardan_base::Diagnostic;
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::Matrix3;
use cardan_kinematics::rotation::{about_axis, about_direction, apply_transposed, compose, identity};

use crate::assembly::Assembly;
use crate::codes;
use crate::mjcf::defaults::Resolved;
use crate::mjcf::settings::Settings;
use crate::number::array;
use crate::orientation::{Triple, from_xy, from_z, no_direction, quaternion, unit};
use crate::xml::Attribute;

/// A constant place: the axes `R[i][j] = b_i · a_j` and the origin, components in the parent.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub R: Matrix3,
    pub p: [Expr; 3],
}

impl Place {
    pub fn origin(pool: &Pool) -> Place {
        Place { R: identity(pool), p: [pool.zero(); 3] }
    }
    /// A place given in this one, in this one's parent.
    pub fn then(&self, pool: &Pool, inner: &Place) -> Place {
        Place { R: compose(pool, &inner.R, &self.R), p: self.point(pool, inner.p) }
    }
    /// A point given in this place, in its parent.
    pub fn point(&self, pool: &Pool, p: [Expr; 3]) -> [Expr; 3] {
        let turned = self.direction(pool, p);
        std::array::from_fn(|i| pool.add(self.p[i], turned[i]))
    }
    /// A vector given in this place, in its parent.
    pub fn direction(&self, pool: &Pool, v: [Expr; 3]) -> [Expr; 3] {
        apply_transposed(pool, &self.R, v)
    }
}

/// The place of an element by its `pos` and its orientation.
pub(super) fn place(e: &Resolved<'_>, settings: &Settings, assembly: &mut Assembly<'_>) -> Place {
    let p = position(e, assembly);
    Place { R: orientation(e, settings, assembly), p }
}

/// `pos`, the origin if absent.
pub(super) fn position(e: &Resolved<'_>, assembly: &mut Assembly<'_>) -> [Expr; 3] {
    let given = e.attribute("pos").and_then(|a| Some((array::<3>(a, &mut assembly.findings)?, a.span)));
    match given {
        Some((p, span)) => assembly.lengths(&p, span),
        None => [assembly.pool().zero(); 3],
    }
}

/// `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`; none if absent.
pub(super) fn orientation(e: &Resolved<'_>, settings: &Settings, assembly: &mut Assembly<'_>) -> Matrix3 {
    let given = e.first_of(&["quat", "axisangle", "euler", "xyaxes", "zaxis"]);
    let identity = identity(assembly.pool());
    given.map_or(identity, |a| read(a, settings, assembly).unwrap_or(identity))
}

fn read(a: &Attribute, settings: &Settings, assembly: &mut Assembly<'_>) -> Option<Matrix3> {
    let Assembly { builder, findings, options, .. } = assembly;
    let pool = builder.space().pool();
    let triple = |v: &[Rational]| -> Triple { [v[0].clone(), v[1].clone(), v[2].clone()] };
    let found = match a.name.as_str() {
        "quat" => quaternion(pool, &array::<4>(a, findings)?, options, findings, a.span),
        "axisangle" => {
            let v = array::<4>(a, findings)?;
            let angle = settings.angle(pool, &v[3], options, findings, a.span);
            unit(pool, &triple(&v), options, findings, a.span).map(|d| about_direction(pool, d, angle))
        }
        "euler" => {
            let v = array::<3>(a, findings)?;
            let mut R = identity(pool);
            for ((axis, turned), value) in settings.sequence.iter().zip(&v) {
                let angle = settings.angle(pool, value, options, findings, a.span);
                let step = about_axis(pool, *axis, angle);
                R = if *turned { compose(pool, &step, &R) } else { compose(pool, &R, &step) };
            }
            Some(R)
        }
        "xyaxes" => {
            let v = array::<6>(a, findings)?;
            from_xy(pool, &triple(&v), &triple(&v[3..]))
        }
        _ => {
            let v = array::<3>(a, findings)?;
            unit(pool, &v, options, findings, a.span).map(|n| from_z(pool, n))
        }
    };
    if found.is_none() {
        findings.push(if a.name == "xyaxes" {
            Diagnostic::error(codes::DIRECTION, "the two axes do not make a frame")
                .at(a.span, "parallel, or one has no length")
                .hint("write two directions that are not parallel, such as `1 0 0 0 1 0`")
        } else {
            no_direction(a.span, &format!("`{}`", a.name))
        });
    }
    found
}
