//! Bodies and joints to frames, coordinates and loads.

use std::collections::BTreeMap;

use cardan_base::Diagnostic;
use cardan_expr::{Expr, Rational};
use cardan_kinematics::FrameId;
use cardan_kinematics::rotation::{about_direction, identity};
use cardan_model::{BodyId, CoordinateId, Freedom, Limit, Load, LoadKind, Orientation, SpeedChoice, Step};
use cardan_units::Dimension;

use super::body::{BodyText, JointKind, JointText};
use super::geom::{Geom, Lump};
use super::settings::Settings;
use super::spring;
use crate::assembly::{
    Assembly, MassProperties, ball_coordinates, ball_speeds, coordinate, free_coordinates, free_speeds,
};
use crate::codes;
use crate::friction;
use crate::mjcf::joint_space_inertia;
use crate::orientation::quaternion_of;

/// What became of a joint.
pub(super) struct Built {
    pub freedoms: Vec<Freedom>,
    pub coordinates: Vec<CoordinateId>,
    /// The coordinate of a hinge or slide.
    pub q: Option<Single>,
    /// Stiffness and damping that follow from a `springdamper`, which replace others.
    pub settled: Option<[Rational; 2]>,
}

/// The coordinate of a hinge or slide with two of its values.
#[derive(Clone, Copy)]
pub(super) struct Single {
    pub symbol: Expr,
    /// In the pose as written.
    pub reference: Expr,
    /// Where springs rest.
    pub rest: Expr,
}

/// Everything that later sections refer to.
#[derive(Default)]
pub(super) struct Mechanism {
    /// In the order of the bodies as written.
    pub frames: Vec<FrameId>,
    bodies: Vec<BodyId>,
    pub joints: BTreeMap<String, Built>,
}

/// Builds all bodies; speeds are fixed at the end.
pub(super) fn build(
    bodies: &[BodyText<'_>],
    ground: &[Geom],
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) -> Mechanism {
    let mut mechanism = Mechanism::default();
    let newtonian = assembly.builder.space().newtonian();
    let scale = scale_of_masses(bodies, settings, assembly);
    draw_ground(ground, assembly);
    let mut made = vec![];
    for body in bodies {
        let parent = body.parent.map_or(newtonian, |p| mechanism.frames[p]);
        let (joint, parts) = add_joints(body, parent, settings, assembly);
        mechanism.frames.push(assembly.frame_of(joint));
        let mass = body.lump.map(|l| mass_properties(&body.name, l, scale, body, assembly));
        let id = assembly.add_body(&body.name, joint, mass, body.span);
        mechanism.bodies.push(id);
        draw(id, &body.geoms, assembly);
        made.extend(parts);
    }
    // Only user-defined speeds can fail, and there are none.
    let _ = assembly.builder.fix_speeds(vec![]);
    mechanism.joints = made.into_iter().collect();
    mechanism
}

/// The factor that makes the total mass what the settings ask for.
fn scale_of_masses(bodies: &[BodyText<'_>], settings: &Settings, assembly: &Assembly<'_>) -> Option<Expr> {
    let wanted = settings.total_mass.as_ref()?;
    let pool = assembly.pool();
    let total = pool.sum(bodies.iter().filter_map(|b| b.lump).map(|l| l.mass).collect::<Vec<_>>());
    (!pool.is_zero(total)).then(|| pool.div(pool.number(wanted.clone()), total))
}

fn mass_properties(
    name: &str,
    lump: Lump,
    scale: Option<Expr>,
    body: &BodyText<'_>,
    assembly: &mut Assembly<'_>,
) -> MassProperties {
    let span = Some(body.span);
    let scaled = |e: Expr, assembly: &Assembly<'_>| scale.map_or(e, |s| assembly.pool().mul(s, e));
    let mass = scaled(lump.mass, assembly);
    let mass = assembly.datum(format!("{name}.mass"), Dimension::MASS, mass, span);
    let center = [0, 1, 2].map(|i| {
        assembly.datum(format!("{name}.c{}", ["x", "y", "z"][i]), Dimension::LENGTH, lump.center[i], span)
    });
    let mut inertia = lump.inertia;
    for i in 0..3 {
        for j in i..3 {
            let value = scaled(lump.inertia[i][j], assembly);
            let name = format!("{name}.i{}{}", ["x", "y", "z"][i], ["x", "y", "z"][j]);
            inertia[i][j] = assembly.datum(name, Dimension::INERTIA, value, span);
            inertia[j][i] = inertia[i][j];
        }
    }
    MassProperties { mass, center, inertia }
}

fn draw_ground(ground: &[Geom], assembly: &mut Assembly<'_>) {
    let Some(first) = ground.iter().find(|g| g.solid.is_some()) else { return };
    let newtonian = assembly.builder.space().newtonian();
    let joint = assembly.builder.add_joint(
        "world",
        cardan_model::JointKind::Fixed,
        newtonian,
        vec![],
        Some(first.span),
    );
    let id = assembly.add_body("world", joint, None, first.span);
    draw(id, ground, assembly);
}

fn draw(body: BodyId, geoms: &[Geom], assembly: &mut Assembly<'_>) {
    for geom in geoms {
        if let Some((shape, turned)) = geom.shape(assembly.pool()) {
            assembly.add_shape(body, shape, turned.then_some(geom.place.R), geom.span);
        }
    }
}

/// One chain of steps for all joints of a body.
fn add_joints(
    body: &BodyText<'_>,
    parent: FrameId,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) -> (cardan_model::JointId, Vec<(String, Built)>) {
    let free = body.joints.iter().any(|j| j.kind == JointKind::Free);
    let mut steps = if free { vec![] } else { assembly.place(body.place.p, body.place.R) };
    let mut references = vec![];
    for joint in &body.joints {
        let reference = value_of(joint, "ref", settings, assembly);
        add_steps(joint, reference, assembly, &mut steps);
        references.push((reference, value_of(joint, "springref", settings, assembly)));
    }
    let kinds = match body.joints.is_empty() {
        true => vec![cardan_model::JointKind::Fixed],
        false => body.joints.iter().map(|j| j.kind.in_model()).collect(),
    };
    let span = body.joints.first().map_or(body.span, |j| j.span);
    let id = assembly.builder.add_joint(&body.name, kinds, parent, steps, Some(span));
    let mut freedoms = assembly.freedoms(id).into_iter();
    let mut coordinates = assembly.builder.model().joints[id].coordinates.clone().into_iter();
    let mut out = vec![];
    for (joint, reference) in body.joints.iter().zip(references) {
        let (n_u, n_q) = match joint.kind {
            JointKind::Hinge | JointKind::Slide => (1, 1),
            JointKind::Ball => (3, 4),
            JointKind::Free => (6, 7),
        };
        let built = Built {
            freedoms: freedoms.by_ref().take(n_u).collect(),
            coordinates: coordinates.by_ref().take(n_q).collect(),
            q: None,
            settled: None,
        };
        out.push((joint.name.clone(), start(built, joint, reference, body, assembly)));
    }
    (id, out)
}

/// A value of the coordinate of a hinge or slide; zero where nothing is said.
fn value_of(joint: &JointText<'_>, name: &str, settings: &Settings, assembly: &mut Assembly<'_>) -> Expr {
    let single = matches!(joint.kind, JointKind::Hinge | JointKind::Slide);
    let Some(a) = joint.attributes.attribute(name).filter(|_| single) else { return assembly.pool().zero() };
    let value = joint.attributes.scalar(name, &mut assembly.findings).unwrap_or(Rational::ZERO);
    let Assembly { builder, findings, options, .. } = &mut *assembly;
    let pool = builder.space().pool();
    match joint.kind {
        JointKind::Hinge => settings.angle(pool, &value, options, findings, a.span),
        _ => pool.number(value),
    }
}

/// Adds the steps of one joint, whose coordinate has the value `reference` in the pose as written.
fn add_steps(joint: &JointText<'_>, reference: Expr, assembly: &mut Assembly<'_>, steps: &mut Vec<Step>) {
    let pool = assembly.pool();
    let moved = joint.at.iter().any(|c| !pool.is_zero(*c))
        && matches!(joint.kind, JointKind::Hinge | JointKind::Ball);
    if moved {
        steps.push(Step::Shift(joint.at));
    }
    let before = pool.neg(reference);
    match joint.kind {
        JointKind::Hinge => {
            if !pool.is_zero(reference) {
                steps.push(Step::Turn(about_direction(pool, joint.axis, before)));
            }
            steps.push(Step::Rotate(joint.axis, coordinate(&joint.name, "q", Dimension::ANGLE, joint.span)));
        }
        JointKind::Slide => {
            if !pool.is_zero(reference) {
                steps.push(Step::Shift(joint.axis.map(|c| pool.mul(c, before))));
            }
            steps.push(Step::Translate(
                joint.axis,
                coordinate(&joint.name, "q", Dimension::LENGTH, joint.span),
            ));
        }
        JointKind::Ball => steps.push(Step::Ball(
            Orientation::EulerParameters,
            SpeedChoice::BodyFixed,
            ball_coordinates(&joint.name, joint.span),
            ball_speeds(&joint.name),
        )),
        JointKind::Free => steps.push(Step::Free(
            Orientation::EulerParameters,
            free_coordinates(&joint.name, joint.span),
            free_speeds(&joint.name),
        )),
    }
    if moved {
        steps.push(Step::Shift(joint.at.map(|c| assembly.pool().neg(c))));
    }
}

/// Where the coordinates of a joint start: in the pose as written.
fn start(
    mut built: Built,
    joint: &JointText<'_>,
    (reference, rest): (Expr, Expr),
    body: &BodyText<'_>,
    assembly: &mut Assembly<'_>,
) -> Built {
    match joint.kind {
        JointKind::Ball => {}
        JointKind::Hinge | JointKind::Slide => {
            if let Some(c) = built.coordinates.first() {
                assembly.builder.start_coordinate(*c, reference);
                let symbol = assembly.builder.model().coordinates[*c].symbol;
                built.q = Some(Single { symbol, reference, rest });
            }
        }
        JointKind::Free => {
            let pool = assembly.pool();
            let turned = body.place.R != identity(pool);
            let e = if turned { quaternion_of(pool, &body.place.R).to_vec() } else { vec![] };
            let values: Vec<Expr> = body.place.p.into_iter().chain(e).collect();
            for (c, value) in built.coordinates.iter().zip(values) {
                assembly.builder.start_coordinate(*c, value);
            }
        }
    }
    built
}

/// Springs, dampers, dry friction, rotors and limits of the joints, and what balances weights.
pub(super) fn add_passive(
    bodies: &[BodyText<'_>],
    mechanism: &mut Mechanism,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) {
    let joints = || bodies.iter().flat_map(|b| b.joints.iter().map(move |j| (b, j)));
    // Rotors first: joints feel them.
    for (_, joint) in joints() {
        if let Some(built) = mechanism.joints.get(&joint.name) {
            add_armature(joint, built, assembly);
        }
    }
    for (_, joint) in joints() {
        if let Some(built) = mechanism.joints.get_mut(&joint.name) {
            built.settled = settled(joint, &built.freedoms, assembly);
        }
    }
    if !settings.is_disabled("passive") {
        for (body, id) in bodies.iter().zip(&mechanism.bodies) {
            add_lift(body, *id, assembly);
        }
    }
    for (body, joint) in joints() {
        if let Some(built) = mechanism.joints.get(&joint.name) {
            add_damping(joint, built, settings, assembly);
            add_friction(joint, built, settings, assembly);
            spring::add(joint, built, body, settings, assembly);
            add_limit(joint, built, settings, assembly);
            report_force_range(joint, settings, assembly);
        }
    }
}

/// Says that the range of the forces of all actuators of a joint together is not enforced.
fn report_force_range(joint: &JointText<'_>, settings: &Settings, assembly: &mut Assembly<'_>) {
    let limited = match joint.attributes.value("actuatorfrclimited").map(str::trim) {
        Some("true") => true,
        Some("false") => false,
        _ => settings.auto_limits,
    };
    let Some(a) = joint.attributes.attribute("actuatorfrcrange").filter(|_| limited) else { return };
    let one = Diagnostic::note(codes::LEFT_OUT, "the `actuatorfrcrange` of a joint is not enforced")
        .at(a.span, "inputs are free")
        .hint("limit the input itself");
    assembly.findings.tally(one, "the `actuatorfrcrange` of {n} joints is not enforced");
}

/// Forces from outside that balance a part of the weight of bodies.
fn add_lift(body: &BodyText<'_>, id: BodyId, assembly: &mut Assembly<'_>) {
    let Some(part) = &body.lifted else { return };
    let part = assembly.number_datum(format!("{}.gravcomp", body.name), Dimension::ONE, part, body.span);
    let model = assembly.builder.model();
    let pool = model.space.pool();
    let host = &model.bodies[id];
    let vector = model.gravity.scale(pool, pool.neg(pool.mul(part, host.mass)));
    let kind = LoadKind::Force { vector, at: host.center_point(), reaction: None };
    assembly.builder.add_load(Load {
        name: format!("{}.lift", body.name),
        description: String::new(),
        kind,
        potential: None,
        conservative: false,
        span: Some(body.span),
    });
}

/// A coefficient that may be followed by coefficients of higher powers.
pub(super) fn coefficient(
    joint: &JointText<'_>,
    name: &str,
    assembly: &mut Assembly<'_>,
) -> Option<Rational> {
    let values = joint.attributes.list(name, &mut assembly.findings)?;
    if values.iter().skip(1).any(|v| !v.is_zero()) {
        left_out(joint, &format!("the nonlinear part of `{name}`"), assembly);
    }
    values.into_iter().next().filter(|v| !v.is_zero())
}

pub(super) fn left_out(joint: &JointText<'_>, what: &str, assembly: &mut Assembly<'_>) {
    let mut one =
        Diagnostic::warning(codes::LEFT_OUT, format!("{what} of joint `{}` is left out", joint.name))
            .at(joint.span, "this joint")
            .hint("add its effect to the model as a load");
    one.severity = assembly.findings.severity();
    assembly.findings.tally(one, &format!("{what} of {{n}} joints is left out"));
}

/// Stiffness and damping of a joint that are given by a time constant and a damping ratio, both positive.
fn settled(
    joint: &JointText<'_>,
    freedoms: &[Freedom],
    assembly: &mut Assembly<'_>,
) -> Option<[Rational; 2]> {
    let a = joint.attributes.attribute("springdamper")?;
    let [time, ratio] = crate::number::array::<2>(a, &mut assembly.findings)?.map(|x| x.to_f64());
    if time <= 0.0 || ratio <= 0.0 {
        return None;
    }
    let found = joint_space_inertia::settled(assembly.builder.model(), freedoms, time, ratio);
    if found.is_none() {
        left_out(joint, "the `springdamper`", assembly);
    }
    found
}

fn add_damping(joint: &JointText<'_>, built: &Built, settings: &Settings, assembly: &mut Assembly<'_>) {
    let damping = match &built.settled {
        Some([_, damping]) => damping.clone(),
        None => match coefficient(joint, "damping", assembly) {
            Some(damping) => damping,
            None => return,
        },
    };
    if settings.is_disabled("damper") || settings.is_disabled("passive") {
        return;
    }
    let slides = matches!(joint.kind, JointKind::Slide);
    let dimension = if slides { Dimension::DAMPING } else { Dimension::ANGULAR_DAMPING };
    let name = format!("{}.damping", joint.name);
    let d = assembly.number_datum(name, dimension, &damping, joint.span);
    for freedom in &built.freedoms {
        let pool = assembly.pool();
        let effort = pool.neg(pool.mul(d, assembly.builder.space().rate(freedom.rate)));
        assembly.add_effort(format!("{}.damper", joint.name), *freedom, effort, None, Some(joint.span));
    }
}

fn add_friction(joint: &JointText<'_>, built: &Built, settings: &Settings, assembly: &mut Assembly<'_>) {
    let size = joint.attributes.scalar("frictionloss", &mut assembly.findings);
    let size = size.filter(|f| {
        !f.is_zero() && !settings.is_disabled("frictionloss") && !settings.is_disabled("constraint")
    });
    let Some(size) = size else { return };
    let dimension = match joint.kind {
        JointKind::Free => return friction::left_out(assembly, &joint.name, joint.span),
        JointKind::Slide => Dimension::FORCE,
        JointKind::Hinge | JointKind::Ball => Dimension::TORQUE,
    };
    friction::add(assembly, &joint.name, &built.freedoms, dimension, &size, joint.span);
}

fn add_armature(joint: &JointText<'_>, built: &Built, assembly: &mut Assembly<'_>) {
    let Some(armature) = joint.attributes.scalar("armature", &mut assembly.findings).filter(|a| !a.is_zero())
    else {
        return;
    };
    let dimension = if joint.kind == JointKind::Slide { Dimension::MASS } else { Dimension::INERTIA };
    let J = assembly.number_datum(format!("{}.armature", joint.name), dimension, &armature, joint.span);
    // Of a free body only the turns are rates of its own axes; added mass along fixed axes is another thing.
    let turning = if joint.kind == JointKind::Free { 3 } else { 0 };
    if turning > 0 {
        left_out(joint, "the armature along the axes", assembly);
    }
    for (k, freedom) in built.freedoms.iter().enumerate().skip(turning) {
        let name = if built.freedoms.len() == 1 {
            format!("{}.rotor", joint.name)
        } else {
            format!("{}.rotor{}", joint.name, k + 1)
        };
        assembly.add_rotor(name, *freedom, J);
    }
}

fn add_limit(joint: &JointText<'_>, built: &Built, settings: &Settings, assembly: &mut Assembly<'_>) {
    let limited = match joint.attributes.value("limited").map(str::trim) {
        Some("true") => true,
        Some("false") => false,
        _ => settings.auto_limits,
    };
    let (Some(c), Some(a), true) = (built.coordinates.first(), joint.attributes.attribute("range"), limited)
    else {
        return;
    };
    if built.q.is_none() {
        return;
    }
    let Some(range) = crate::number::array::<2>(a, &mut assembly.findings) else { return };
    let Assembly { builder, findings, options, .. } = &mut *assembly;
    let pool = builder.space().pool();
    let ends = range.map(|r| match joint.kind {
        JointKind::Hinge => settings.angle(pool, &r, options, findings, a.span),
        _ => pool.number(r),
    });
    let limit = Limit {
        coordinate: *c,
        lower: Some(ends[0]),
        upper: Some(ends[1]),
        speed: None,
        effort: None,
        stop: None,
        span: Some(a.span),
    };
    assembly.builder.add_limit(limit);
}
