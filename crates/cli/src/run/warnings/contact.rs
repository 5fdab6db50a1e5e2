//! Why a place of contact cannot be followed, and where a contact would part, in mechanical words.
//!
//! Contacts hold in both directions. Where one pulls, what is only pressed against the other would leave it; a motion that shows how hard a
//! contact presses tells so.
//!
//! The coordinate of a contact runs away where two places of contact meet and vanish. The reason of a failed run names the state that was the hardest to
//! follow; if it is such a coordinate, its joint tells what that means.

use cardan::expr::Expr;
use cardan::model::cam::Follower;
use cardan::model::{Figure, Model};
use cardan::sim::{ColumnKind, Trajectory};

use crate::analyze::number;

/// A sentence for each contact that pulls in a sample of a motion, if an output looks at its press.
pub fn pulls(model: &Model, trajectory: &Trajectory) -> Vec<String> {
    let first_output = trajectory.columns.iter().position(|c| c.kind == ColumnKind::Output);
    let Some(first_output) = first_output else { return vec![] };
    let said = |name: &str, press: Expr| {
        let place = model.outputs.iter().position(|o| o.value == press)?;
        let column = first_output + place;
        let most = trajectory.rows.iter().fold(0.0, |m: f64, row| row[column].abs().max(m));
        let row = trajectory.rows.iter().find(|row| row[column] < -1e-9 * most)?;
        Some(format!(
            "the contact of `{name}` pulls at t = {} s, with {} N: what is only pressed together parts there, which this contact does not",
            number(row[0]),
            number(-row[column]),
        ))
    };
    let contacts = model.constraints.iter().filter_map(|(_, c)| Some((&c.name, c.press(&model.space)?)));
    contacts.filter_map(|(name, press)| said(name, press)).collect()
}

/// What the reason of a failed run means where it names the coordinate of a contact.
pub fn explain(model: &Model, reason: &str) -> Option<String> {
    let named = |q: &Expr| {
        let (_, c) = model.coordinates.iter().find(|(_, c)| c.symbol == *q)?;
        let speed = model.speeds.iter().find(|(_, u)| u.symbol == c.rate).map(|(_, u)| &u.quantity.name);
        let names = [Some(&c.quantity.name), speed];
        names.into_iter().flatten().any(|n| reason.contains(&format!("`{n}`"))).then_some(())
    };
    model.constraints.iter().find_map(|(_, c)| {
        let (own, words) = match c.figure.as_deref()? {
            Figure::Road(_, _, touching) => (
                touching.beside.into_iter().flatten().chain(touching.turn).collect::<Vec<_>>(),
                "the road is hollowed more than what rolls on it is round, so that it touches in several places at once",
            ),
            Figure::Cam(_, Some((Follower::Roller(..), q))) => {
                (vec![*q], "the cam is hollowed more than its roller is round, so that the roller does not fit in")
            }
            Figure::Cam(_, Some((Follower::Face(..), q))) => {
                (vec![*q], "the cam is hollow where the face should touch it, so that the face bridges the hollow")
            }
            Figure::Cam(_, None) | Figure::Plane(..) => return None,
            Figure::Track(track) => (vec![track.coordinate], "the curve has a corner or an end there"),
        };
        own.iter().any(|q| named(q).is_some()).then(|| format!("the contact of `{}` jumps: {words}", c.name))
    })
}

#[cfg(test)]
mod tests {
    use cardan::prelude::*;

    use super::explain;

    #[test]
    fn a_roller_that_does_not_fit_is_told() {
        let text = |touching: &str| {
            format!(
                "function r(phi [rad]) [mm] = 30 + 6 * cos(3 * phi)
body cam on N by revolute(z) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
body follower on N by prismatic(y) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
joint contact = on_curve(cam.o, follower.o, axis = z, radius = r, {touching})"
            )
        };
        let told = |touching: &str, reason: &str| {
            let model = resolve(parse("cam.mbs", &text(touching))).into_model().expect("a model");
            explain(&model, reason)
        };
        let roller = told("roller = 40 [mm]", "the step size fell; `contact.u` is the hardest to follow");
        assert!(roller.is_some_and(|w| w.contains("`contact`") && w.contains("roller does not fit")));
        let face = told("face = y", "the step size fell; `contact.q` is the hardest to follow");
        assert!(face.is_some_and(|w| w.contains("bridges the hollow")));
        assert_eq!(told("face = y", "the step size fell; `cam.q` is the hardest to follow"), None);
    }
}
