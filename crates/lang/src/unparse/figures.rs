//! What touches curves and surfaces, written as the joint that it was.
//!
//! The model remembers the curve or surface of such a joint. Its law becomes a function, and the coordinates of its contact get their names in the joint.

use cardan_expr::Expr;
use cardan_kinematics::rotation;
use cardan_model::cam::{Follower, Profile};
use cardan_model::closing::Marker;
use cardan_model::rolling::Wheel;
use cardan_model::surface::{Surface, Touching};
use cardan_model::{Constraint, Figure, Track};
use cardan_units::Dimension;

use crate::unparse::Writer;
use crate::unparse::names::described;

impl Writer<'_> {
    /// The joint of a figure with its functions.
    pub(crate) fn figure(&mut self, c: &Constraint, word: &str, figure: &Figure) -> String {
        let about = described(&c.description);
        match figure {
            Figure::Road(wheel, ground, touching) => self.road((c, word), wheel, ground, *touching, &about),
            Figure::Cam(profile, Some((follower, q))) => self.cam((c, word), profile, follower, *q, &about),
            Figure::Track(track) => self.track((c, word), track, &about),
            Figure::Cam(profile, None) => self.path((c, word), profile, &about),
            Figure::Plane(wheel, plane) => {
                let words = self.rolls(wheel, plane);
                let sharp = wheel.axis.is_none() || self.model.space.pool().is_zero(wheel.tyre);
                let tyre = match sharp {
                    true => String::new(),
                    false => format!(", tyre = {}", self.scalar(wheel.tyre, Dimension::LENGTH)),
                };
                format!("joint {word} = rolling({words}{tyre}){about}\n")
            }
        }
    }

    /// The function of a law in some letters, and its name.
    fn law(
        &mut self,
        (c, name): (&Constraint, String),
        letters: &[(Expr, &str, Dimension)],
        value: Expr,
    ) -> (String, String) {
        for (symbol, text, dimension) in letters {
            self.set_symbol(*symbol, (*text).to_owned(), *dimension);
        }
        let before = (self.variables.clone(), self.shared.clone());
        let law = self.scalar(value, Dimension::LENGTH);
        if self.variables != before.0 {
            (self.variables, self.shared) = before;
            self.leave_out(format!("the shape of `{}`, which is too long to be one formula", c.name));
        }
        let unit = |d: &Dimension| if *d == Dimension::LENGTH { "m" } else { "rad" };
        let inputs: Vec<String> = letters.iter().map(|(_, t, d)| format!("{t} [{}]", unit(d))).collect();
        let function = self.names.word(&name);
        (format!("function {function}({}) [m] = {law}\n", inputs.join(", ")), function)
    }

    /// `, q = (a, b)`
    fn called(&self, coordinates: &[Expr]) -> String {
        let pool = self.model.space.pool();
        let word =
            |q: &Expr| pool.as_symbol(*q).and_then(|s| self.symbols.get(&s)).map(|(text, _)| text.clone());
        let words: Vec<String> = coordinates.iter().filter_map(word).collect();
        match words.as_slice() {
            [] => String::new(),
            [one] => format!(", q = {one}"),
            several => format!(", q = ({})", several.join(", ")),
        }
    }

    fn road(
        &mut self,
        (c, word): (&Constraint, &str),
        wheel: &Wheel,
        ground: &Surface,
        touching: Touching,
        about: &str,
    ) -> String {
        let pool = self.model.space.pool();
        let sharp = wheel.axis.is_some() && pool.is_zero(wheel.tyre);
        let kind = if touching.beside.is_some() || sharp { "road" } else { "surface" };
        let letters =
            [(ground.places[0], "x", Dimension::LENGTH), (ground.places[1], "y", Dimension::LENGTH)];
        let (law, function) = self.law((c, format!("{word}_{kind}")), &letters, ground.height);
        let mut words = self.rolls(wheel, &ground.marker);
        if wheel.axis.is_some() && !(sharp && touching.beside.is_none()) {
            words += &format!(", tyre = {}", self.scalar(wheel.tyre, Dimension::LENGTH));
        }
        let own: Vec<Expr> = touching.beside.into_iter().flatten().chain(touching.turn).collect();
        let called = self.called(&own);
        format!("{law}joint {word} = rolling({words}, {kind} = {function}{called}){about}\n")
    }

    /// The points, axis, normal and radius of what rolls.
    fn rolls(&mut self, wheel: &Wheel, ground: &Marker) -> String {
        let mut words = format!("{}, {}", self.point(&wheel.centre), self.point(&ground.point));
        if let Some(axis) = &wheel.axis {
            let components = self.model.space.components(axis, wheel.centre.frame);
            words += &format!(", axis = {}", self.axis(components));
        }
        if ground.axes[2] != rotation::identity(self.model.space.pool())[2] {
            words += &format!(", normal = {}", self.axis(ground.axes[2]));
        }
        let radius = self.model.space.pool().add(wheel.ring, wheel.tyre);
        words + &format!(", radius = {}", self.scalar(radius, Dimension::LENGTH))
    }

    /// A point on a curve in polar coordinates.
    fn path(&mut self, (c, word): (&Constraint, &str), cam: &Profile, about: &str) -> String {
        let letters = [(cam.angle, "angle", Dimension::ANGLE)];
        let (law, function) = self.law((c, format!("{word}_radius")), &letters, cam.radius);
        let Some(ends) = &c.ends else { return String::new() };
        let points = format!("{}, {}", self.point(&cam.marker.point), self.point(&ends.at));
        let axis = self.axis(cam.marker.axes[2]);
        format!("{law}joint {word} = on_curve({points}, axis = {axis}, radius = {function}){about}\n")
    }

    fn cam(
        &mut self,
        (c, word): (&Constraint, &str),
        cam: &Profile,
        follower: &Follower,
        q: Expr,
        about: &str,
    ) -> String {
        let letters = [(cam.angle, "angle", Dimension::ANGLE)];
        let (law, function) = self.law((c, format!("{word}_radius")), &letters, cam.radius);
        let (point, touching) = match follower {
            Follower::Roller(point, r) => (point, format!("roller = {}", self.scalar(*r, Dimension::LENGTH))),
            Follower::Face(point, across) => {
                let components = self.model.space.components(across, point.frame);
                (point, format!("face = {}", self.axis(components)))
            }
        };
        let points = format!("{}, {}", self.point(&cam.marker.point), self.point(point));
        let axis = self.axis(cam.marker.axes[2]);
        let called = self.called(&[q]);
        format!(
            "{law}joint {word} = on_curve({points}, axis = {axis}, radius = {function}, {touching}{called}){about}\n"
        )
    }

    fn track(&mut self, (c, word): (&Constraint, &str), track: &Track, about: &str) -> String {
        let pool = self.model.space.pool();
        let own = self.model.coordinates.iter().find(|(_, q)| q.symbol == track.coordinate);
        let dimension = own.map_or(Dimension::ANGLE, |(_, q)| q.quantity.dimension);
        let shaped = |e: &Expr| pool.reachable([*e]).contains(&track.parameter);
        let is_shaped = track.places.map(|e| shaped(&e));
        let (mut laws, mut words) = (String::new(), String::new());
        for (k, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let place = track.places[k];
            if is_shaped[k] {
                let letters = [(track.parameter, "s", dimension)];
                let (law, function) = self.law((c, format!("{word}_{letter}")), &letters, place);
                laws += &law;
                words += &format!(", {letter} = {function}");
            } else if !self.model.space.pool().is_zero(place) {
                words += &format!(", {letter} = {}", self.scalar(place, Dimension::LENGTH));
            }
        }
        let Some(ends) = &c.ends else { return String::new() };
        let points = format!("{}, {}", self.point(&track.marker.point), self.point(&ends.at));
        let called = self.called(&[track.coordinate]);
        format!("{laws}joint {word} = on_curve({points}{words}{called}){about}\n")
    }
}
