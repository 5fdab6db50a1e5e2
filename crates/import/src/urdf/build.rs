//! Links and joints to bodies, coordinates and loads.

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, Diagnostics, Span};
use cardan_expr::{Expr, Rational};
use cardan_kinematics::rotation::{cross, identity};
use cardan_kinematics::{FrameId, Matrix3};
use cardan_model::{BodyId, CoordinateSpec, JointId, Limit, Model, Orientation, Shape, ShapeKind, Step};
use cardan_units::Dimension;

use super::read::{Geometry, Inertial, Joint, JointKind, Pose, Robot, Solid};
use super::tree::{Following, Order};
use crate::assembly::{Assembly, MassProperties, coordinate, free_coordinates, free_speeds};
use crate::codes;
use crate::findings::Findings;
use crate::friction;
use crate::inertia::impossible;
use crate::options::ImportOptions;
use crate::orientation::{no_direction, radians, roll_pitch_yaw, tensor_in_parent, unit};

/// What was built of a joint, for those that follow it and for its forces.
struct Built {
    joint: JointId,
    /// The coordinate, or what it is in terms of the coordinate that it follows.
    q: Option<Expr>,
}

pub(super) fn model(
    robot: &Robot,
    order: &Order,
    findings: Findings,
    options: &ImportOptions,
) -> (Option<Model>, Diagnostics) {
    let taken: BTreeSet<&str> = robot.links.iter().map(|l| l.name.as_str()).collect();
    let mut assembly = Assembly::new(&robot.name, &taken, options);
    assembly.findings = findings;
    let down = [Rational::ZERO, Rational::ZERO, Rational::Small(-981, 100)];
    assembly.set_gravity(options.gravity.as_ref().unwrap_or(&down));

    let mut frames: BTreeMap<&str, FrameId> = BTreeMap::new();
    let root = &robot.links[order.root];
    let ground = assembly.builder.space().newtonian();
    if options.free_base {
        report_idle_base(robot, order, &mut assembly.findings);
    }
    let (kind, steps) = if options.free_base {
        let specs = free_coordinates(&root.name, root.span);
        (
            cardan_model::JointKind::Free,
            vec![Step::Free(Orientation::EulerParameters, specs, free_speeds(&root.name))],
        )
    } else {
        (cardan_model::JointKind::Fixed, vec![])
    };
    let joint = assembly.builder.add_joint(&root.name, kind, ground, steps, Some(root.span));
    frames.insert(&root.name, assembly.frame_of(joint));
    add_link(&mut assembly, robot, order.root, joint);

    let mut built: BTreeMap<usize, Built> = BTreeMap::new();
    for (k, following) in &order.joints {
        let joint = &robot.joints[*k];
        let Some(parent) = frames.get(joint.parent.0.as_str()) else { continue };
        let leader = following.as_ref().and_then(|f| Some((f, built.get(&f.leader)?.q?)));
        let made = add_joint(&mut assembly, joint, *parent, leader);
        frames.insert(&joint.child.0, assembly.frame_of(made.joint));
        let link = robot.links.iter().position(|l| l.name == joint.child.0);
        if let Some(link) = link {
            add_link(&mut assembly, robot, link, made.joint);
        }
        built.insert(*k, made);
    }
    // Only user-defined speeds can fail, and there are none.
    let _ = assembly.builder.fix_speeds(vec![]);
    for (k, made) in &built {
        add_forces(&mut assembly, &robot.joints[*k], made);
    }
    assembly.finish()
}

/// Reports a floating base without mass that carries everything by one joint: the base can move so that nothing else does.
fn report_idle_base(robot: &Robot, order: &Order, findings: &mut Findings) {
    let root = &robot.links[order.root];
    let mut base = BTreeSet::from([root.name.as_str()]);
    let mut moving = vec![];
    for (k, _) in &order.joints {
        let joint = &robot.joints[*k];
        match joint.kind {
            _ if !base.contains(joint.parent.0.as_str()) => {}
            JointKind::Fixed => {
                base.insert(&joint.child.0);
            }
            _ => moving.push(joint),
        }
    }
    let heavy = |name: &str| {
        let link = robot.links.iter().find(|l| l.name == name);
        link.and_then(|l| l.inertial.as_ref()).is_some_and(|i| !i.mass.is_zero())
    };
    let [joint] = moving[..] else { return };
    if base.iter().any(|name| heavy(name)) {
        return;
    }
    let message = format!("no mass resists the free motion of the base `{}`", root.name);
    let found = Diagnostic::warning(codes::NO_INERTIA, message)
        .at(root.span, "floats, and has no mass")
        .also(joint.span, "moves against all the rest by this joint")
        .because("the base can move one way and the joint the other, so that nothing with mass moves at all");
    findings.doubtful(found.hint(format!(
        "import without `--free`, or remove the link `{}` and this joint, so that `{}` floats itself",
        root.name, joint.child.0
    )));
}

fn turn(assembly: &mut Assembly<'_>, pose: &Pose) -> Matrix3 {
    let angles = pose.rpy.clone().map(|a| {
        let pool = assembly.builder.space().pool();
        radians(pool, &a, assembly.options, &mut assembly.findings, pose.span)
    });
    roll_pitch_yaw(assembly.pool(), angles)
}

fn add_joint(
    assembly: &mut Assembly<'_>,
    joint: &Joint,
    parent: FrameId,
    leader: Option<(&Following, Expr)>,
) -> Built {
    let R = turn(assembly, &joint.origin);
    let p = assembly.lengths(&joint.origin.xyz, joint.origin.span);
    let mut steps = assembly.place(p, R);
    let motion = leader.map(|(f, q)| {
        let pool = assembly.pool();
        pool.add(pool.scale(f.factor.clone(), q), pool.number(f.offset.clone()))
    });
    let spec = |dimension: Dimension| {
        let mut spec = coordinate(&joint.name, "q", dimension, joint.span);
        spec.prescribed = motion;
        spec
    };
    let axis = match joint.kind {
        JointKind::Fixed | JointKind::Floating => identity(assembly.pool())[0],
        _ => axis(assembly, joint),
    };
    match joint.kind {
        JointKind::Fixed => {}
        JointKind::Revolute | JointKind::Continuous => steps.push(Step::Rotate(axis, spec(Dimension::ANGLE))),
        JointKind::Prismatic => steps.push(Step::Translate(axis, spec(Dimension::LENGTH))),
        JointKind::Floating => {
            let specs = free_coordinates(&joint.name, joint.span);
            steps.push(Step::Free(Orientation::EulerParameters, specs, free_speeds(&joint.name)));
        }
        JointKind::Planar => steps.extend(planar(assembly, joint, axis)),
    }
    let made =
        assembly.builder.add_joint(&joint.child.0, joint.kind.in_model(), parent, steps, Some(joint.span));
    let coordinates = &assembly.builder.model().joints[made].coordinates;
    let own = coordinates.first().map(|c| assembly.builder.model().coordinates[*c].symbol);
    Built { joint: made, q: motion.or(own) }
}

fn axis(assembly: &mut Assembly<'_>, joint: &Joint) -> [Expr; 3] {
    let pool = assembly.builder.space().pool();
    match unit(pool, &joint.axis, assembly.options, &mut assembly.findings, joint.axis_span) {
        Some(axis) => axis,
        None => {
            assembly
                .findings
                .push(no_direction(joint.axis_span, &format!("the axis of joint `{}`", joint.name)));
            identity(pool)[0]
        }
    }
}

/// Two translations normal to the axis and a rotation about it. Normal to z they are along x and y, and cyclically.
fn planar(assembly: &Assembly<'_>, joint: &Joint, normal: [Expr; 3]) -> Vec<Step> {
    let pool = assembly.pool();
    let axes = identity(pool);
    let along = (0..3).find(|k| (0..3).all(|i| i == *k || pool.is_zero(normal[i])));
    let first = match along {
        Some(k) => axes[(k + 1) % 3],
        None => {
            // Normal to the axis and to x, or to y where the axis is too near to x.
            let near_x = pool.evaluate(normal[0], &|_| f64::NAN).abs() > 0.9;
            let v = cross(pool, normal, axes[usize::from(near_x)]);
            let square = pool.sum(v.map(|c| pool.powi(c, 2)));
            v.map(|c| pool.mul(c, pool.pow(square, Rational::Small(-1, 2))))
        }
    };
    let second = cross(pool, normal, first);
    let spec = |letter: &str, dimension: Dimension| -> CoordinateSpec {
        coordinate(&joint.name, letter, dimension, joint.span)
    };
    vec![
        Step::Translate(first, spec("x", Dimension::LENGTH)),
        Step::Translate(second, spec("y", Dimension::LENGTH)),
        Step::Rotate(normal, spec("a", Dimension::ANGLE)),
    ]
}

fn add_link(assembly: &mut Assembly<'_>, robot: &Robot, link: usize, joint: JointId) {
    let link = &robot.links[link];
    let mass = link.inertial.as_ref().map(|i| mass_properties(assembly, &link.name, i));
    let body = assembly.add_body(&link.name, joint, mass, link.span);
    for shape in &link.shapes {
        add_shape(assembly, body, shape);
    }
}

fn mass_properties(assembly: &mut Assembly<'_>, link: &str, inertial: &Inertial) -> MassProperties {
    let span = inertial.span;
    if let Some(why) = impossible(inertial.mass.to_f64(), &inertial.moments.clone().map(|m| m.to_f64())) {
        let message = format!("no body can have the mass properties of link `{link}`");
        let found = Diagnostic::warning(codes::IMPOSSIBLE, message).at(span, why);
        assembly.findings.doubtful(
            found
                .because("a mass is positive, and no principal moment exceeds the sum of the other two")
                .hint(
                    "compute the inertia again about the mass centre, in the axes of the inertial's `origin`",
                ),
        );
    }
    let R = turn(assembly, &inertial.origin);
    let mass = assembly.number_datum(format!("{link}.mass"), Dimension::MASS, &inertial.mass, span);
    let names = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
    let moments: Vec<Expr> = names
        .iter()
        .zip(&inertial.moments)
        .map(|(n, m)| assembly.number_datum(format!("{link}.{n}"), Dimension::INERTIA, m, span))
        .collect();
    let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|k| moments[k]);
    let tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let names = ["cx", "cy", "cz"];
    let center = [0, 1, 2].map(|i| {
        let value = assembly.length(&inertial.origin.xyz[i], inertial.origin.span);
        assembly.number_datum(format!("{link}.{}", names[i]), Dimension::LENGTH, &value, span)
    });
    MassProperties { mass, center, inertia: tensor_in_parent(assembly.pool(), &R, &tensor) }
}

fn add_shape(assembly: &mut Assembly<'_>, body: BodyId, shape: &Geometry) {
    let R = turn(assembly, &shape.origin);
    let pool = assembly.pool();
    let number = |r: &Rational| pool.number(r.clone());
    let at = shape.origin.xyz.clone().map(|c| pool.number(c));
    let (kind, turned) = match &shape.solid {
        Solid::Box(edges) => (ShapeKind::Box(edges.clone().map(|e| pool.number(e))), R != identity(pool)),
        Solid::Sphere(radius) => (ShapeKind::Sphere(number(radius)), false),
        Solid::Cylinder(radius, length) => (ShapeKind::Cylinder(number(radius), number(length)), false),
        Solid::Capsule(radius, length) => (ShapeKind::Capsule(number(radius), number(length)), false),
    };
    let axis = (R[2] != identity(pool)[2]).then_some(R[2]);
    let axis = axis.filter(|_| matches!(kind, ShapeKind::Cylinder(..) | ShapeKind::Capsule(..)));
    let shape_of = Shape { kind, at, axis, color: shape.color.clone() };
    assembly.add_shape(body, shape_of, turned.then_some(R), shape.origin.span);
}

fn add_forces(assembly: &mut Assembly<'_>, joint: &Joint, made: &Built) {
    let coordinate = assembly.builder.model().joints[made.joint].coordinates.first().copied();
    if let (Some(limit), Some(coordinate), true) = (&joint.limit, coordinate, joint.kind.is_single()) {
        let number = |r: &Option<Rational>| r.as_ref().map(|r| assembly.pool().number(r.clone()));
        // A continuous joint has no ends, whatever is written.
        let ends = joint.kind != JointKind::Continuous;
        let limit = Limit {
            coordinate,
            lower: number(&limit.lower).filter(|_| ends),
            upper: number(&limit.upper).filter(|_| ends),
            speed: number(&limit.velocity),
            effort: number(&limit.effort),
            stop: None,
            span: Some(joint.span),
        };
        assembly.builder.add_limit(limit);
    }
    if let Some(size) = &joint.friction {
        let freedoms = assembly.freedoms(made.joint);
        let slides = joint.kind == JointKind::Prismatic;
        let dimension = if slides { Dimension::FORCE } else { Dimension::TORQUE };
        match joint.kind.is_single() {
            true => friction::add(assembly, &joint.name, &freedoms, dimension, size, joint.span),
            false if freedoms.is_empty() => {}
            false => friction::left_out(assembly, &joint.name, joint.span),
        }
    }
    if let Some(damping) = &joint.damping {
        add_damping(assembly, joint, made, damping, joint.span);
    }
}

/// A force against the motion of each degree of freedom.
fn add_damping(assembly: &mut Assembly<'_>, joint: &Joint, made: &Built, damping: &Rational, span: Span) {
    let dimension =
        if joint.kind == JointKind::Prismatic { Dimension::DAMPING } else { Dimension::ANGULAR_DAMPING };
    let coefficient = assembly.number_datum(format!("{}.damping", joint.name), dimension, damping, span);
    for freedom in assembly.freedoms(made.joint) {
        let pool = assembly.pool();
        let effort = pool.neg(pool.mul(coefficient, assembly.builder.space().rate(freedom.rate)));
        assembly.add_effort(format!("{}.damper", joint.name), freedom, effort, None, Some(span));
    }
}
