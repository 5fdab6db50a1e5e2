//! What coordinates and speeds mean where the model does not say, and units as people write them.

use cardan_kinematics::Motion;
use cardan_model::{Coordinate, Joint, Model, Quantity, Speed};
use cardan_units::Dimension;

/// A unit as people write it: `N·m/rad`, `kg·m²`.
pub(crate) fn unit(dimension: &Dimension) -> String {
    written(&dimension.to_string())
}

/// The unit in which a quantity is shown.
pub(crate) fn shown_unit(q: &Quantity) -> String {
    q.display_unit.as_ref().map_or_else(|| unit(&q.dimension), |text| written(text))
}

fn written(text: &str) -> String {
    let text = text.replace('*', "·");
    [("^2", "²"), ("^3", "³"), ("deg", "°")]
        .iter()
        .fold(text, |text, (plain, raised)| text.replace(plain, raised))
}

/// A name of the language in words: `on_curve` is `on curve`.
pub(crate) fn spaced(name: &str) -> String {
    name.replace('_', " ")
}

/// What a coordinate describes: a translation or rotation of the body that its joint carries.
pub(crate) fn coordinate(model: &Model, q: &Coordinate) -> String {
    let own = |j: &&Joint| j.coordinates.iter().any(|c| model.coordinates[*c].symbol == q.symbol);
    let Some(joint) = model.joints.iter().map(|(_, j)| j).find(own) else { return String::new() };
    if joint.is_contact() {
        return format!("place of contact of {}", contact_of(&joint.name));
    }
    let (what, along) = match () {
        () if q.quantity.dimension == Dimension::LENGTH => ("translation", "along"),
        () if q.quantity.dimension == Dimension::ANGLE => ("rotation", "about"),
        () => return format!("orientation of {}", joint.name),
    };
    match axis(model, joint, q) {
        Some(axis) => format!("{what} of {} {along} {axis}", joint.name),
        None => match turn(model, joint, q) {
            Some(which) => format!("{which} {what} of {}", joint.name),
            None => format!("{what} of {}", joint.name),
        },
    }
}

/// Which of the three angles of a body that turns freely it is.
fn turn(model: &Model, joint: &Joint, q: &Coordinate) -> Option<&'static str> {
    let is_angle = |q: &&Coordinate| q.quantity.dimension == Dimension::ANGLE;
    let angles: Vec<&Coordinate> =
        joint.coordinates.iter().map(|c| &model.coordinates[*c]).filter(is_angle).collect();
    let place = angles.iter().position(|a| a.symbol == q.symbol)?;
    (angles.len() == 3).then_some(["first", "second", "third"][place])
}

/// What a speed describes: the velocity or angular velocity of the body that its joint carries.
pub(crate) fn speed(model: &Model, u: &Speed) -> String {
    if let Some((_, q)) = model.coordinates.iter().find(|(_, q)| q.rate == u.symbol) {
        return format!("rate of the {}", coordinate(model, q));
    }
    let pool = model.space.pool();
    let moves = |j: &&Joint| {
        let parts = pool.reachable(j.coordinates.iter().map(|c| model.coordinates[*c].rate));
        parts.binary_search(&u.symbol).is_ok()
    };
    let Some(joint) = model.joints.iter().map(|(_, j)| j).find(moves) else { return String::new() };
    // Three speeds of one kind are the components along the axes.
    let parts = pool.reachable(joint.coordinates.iter().map(|c| model.coordinates[*c].rate));
    let alike =
        |s: &&Speed| s.quantity.dimension == u.quantity.dimension && parts.binary_search(&s.symbol).is_ok();
    let alike: Vec<&Speed> = model.speeds.iter().map(|(_, s)| s).filter(alike).collect();
    let place = alike.iter().position(|s| s.symbol == u.symbol);
    let own = match place.filter(|_| alike.len() == 3) {
        Some(k) => format!("own {}", ["x", "y", "z"][k]),
        None => "own axes".to_owned(),
    };
    match u.quantity.dimension {
        d if d == Dimension::VELOCITY => format!("velocity of {} along its {own}", joint.name),
        d if d == Dimension::ANGULAR_VELOCITY => {
            format!("angular velocity of {} about its {own}", joint.name)
        }
        _ => String::new(),
    }
}

/// The constraint that a place of contact belongs to.
fn contact_of(name: &str) -> &str {
    name.strip_suffix("_contact").unwrap_or(name)
}

/// The axis along or about which a coordinate moves its body, if it is one of x, y, z.
fn axis(model: &Model, joint: &Joint, q: &Coordinate) -> Option<&'static str> {
    let pool = model.space.pool();
    let letters = ["x", "y", "z"];
    for id in &joint.frames {
        let frame = model.space.frame(*id);
        let has = |list: &[cardan_expr::Expr]| {
            pool.reachable(list.iter().copied()).binary_search(&q.symbol).is_ok()
        };
        match &frame.motion {
            Motion::Translation { direction, .. } if has(&frame.p_PoBo_P) => {
                return (0..3).find(|k| direction[*k] == pool.one()).map(|k| letters[k]);
            }
            Motion::Rotation { direction, .. } if has(frame.R_PB.as_flattened()) => {
                return (0..3).find(|k| direction[*k] == pool.one()).map(|k| letters[k]);
            }
            Motion::Free { .. } => {
                if let Some(k) = (0..3).find(|k| frame.p_PoBo_P[*k] == q.symbol) {
                    return Some(letters[k]);
                }
            }
            _ => {}
        }
    }
    None
}
