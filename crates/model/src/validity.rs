//! Validity of a finished model: what a builder must have done before equations can be derived.

use std::fmt::{self, Display, Formatter};

use cardan_base::Id;

use crate::model::Model;

/// The reason why a model is not complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InvalidModel {
    /// The structure was never ended: coordinates have no speeds.
    SpeedsNotFixed,
    /// This auxiliary state has no time derivative.
    StateWithoutRate(String),
    /// This body does not stand at the end of its joint.
    BodyOffItsJoint(String),
    /// The rows and the multipliers of this constraint differ in number.
    Multipliers(String),
    /// This element refers to a load or constraint that the model does not have.
    UnknownPart(String),
}

impl Display for InvalidModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            InvalidModel::SpeedsNotFixed => write!(f, "the speeds of the coordinates are not fixed"),
            InvalidModel::StateWithoutRate(name) => write!(f, "the state `{name}` has no derivative"),
            InvalidModel::BodyOffItsJoint(name) => {
                write!(f, "the body `{name}` does not stand at the end of its joint")
            }
            InvalidModel::Multipliers(name) => {
                write!(f, "the constraint `{name}` has other multipliers than rows")
            }
            InvalidModel::UnknownPart(name) => {
                write!(f, "the element `{name}` refers to a load or constraint that does not exist")
            }
        }
    }
}

impl std::error::Error for InvalidModel {}

impl Model {
    /// Whether the parts of the model fit together.
    pub(crate) fn validate(&self) -> Result<(), InvalidModel> {
        for (_, body) in self.bodies.iter() {
            let joint = body.joint.map(|j| &self.joints[j]);
            if joint.is_some_and(|j| j.frames.last() != Some(&body.frame)) {
                return Err(InvalidModel::BodyOffItsJoint(body.name.clone()));
            }
        }
        for (_, c) in self.constraints.iter() {
            if c.multipliers.len() != c.rows.len() {
                return Err(InvalidModel::Multipliers(c.name.clone()));
            }
        }
        for (_, e) in self.elements.iter() {
            let loads = e.loads.iter().all(|(_, l)| l.index() < self.loads.len());
            let constraint = e.constraint.is_none_or(|c| c.index() < self.constraints.len());
            if !(loads && constraint) {
                return Err(InvalidModel::UnknownPart(e.name.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use cardan_base::Id;
    use cardan_units::Dimension;

    use super::InvalidModel;
    use crate::{
        Body, Builder, CoordinateSpec, Element, ElementEnds, ElementKind, ElementPart, JointKind, LoadId,
        Quantity, Step,
    };

    /// A body on a hinge.
    fn hinged() -> Builder {
        let mut builder = Builder::new("hinge", "N");
        let ground = builder.space().newtonian();
        let (zero, one) = (builder.space().pool().zero(), builder.space().pool().one());
        let spec = CoordinateSpec::new(Quantity::new("q", Dimension::ANGLE), "u");
        let steps = vec![Step::Rotate([zero, zero, one], spec)];
        let joint = builder.add_joint("rod", JointKind::Revolute, ground, steps, None);
        let frame = builder.model().joints[joint].frames[0];
        builder.add_body(Body {
            name: "rod".into(),
            description: String::new(),
            frame,
            joint: Some(joint),
            mass: one,
            inertia: [[zero; 3]; 3],
            center: [zero; 3],
            shapes: vec![],
            span: None,
        });
        builder
    }

    #[test]
    fn a_model_is_finished_when_it_is_complete() {
        let mut whole = hinged();
        whole.fix_speeds(vec![]).expect("one rate");
        assert!(whole.finish().is_ok());
        assert_eq!(hinged().finish().err(), Some(InvalidModel::SpeedsNotFixed));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut open = hinged();
        open.fix_speeds(vec![]).expect("one rate");
        let zero = open.space().pool().zero();
        open.add_state(Quantity::new("x", Dimension::ONE), zero);
        assert_eq!(open.finish().err(), Some(InvalidModel::StateWithoutRate("x".into())));

        let mut moved = hinged();
        moved.fix_speeds(vec![]).expect("one rate");
        let (rod, ground) = (moved.model().bodies.ids().next().expect("a body"), moved.space().newtonian());
        moved.body_mut(rod).frame = ground;
        assert_eq!(moved.finish().err(), Some(InvalidModel::BodyOffItsJoint("rod".into())));

        let mut loose = hinged();
        loose.fix_speeds(vec![]).expect("one rate");
        let ends = ElementEnds::Frames(loose.space().newtonian(), loose.space().newtonian());
        let element = Element::new("k", ElementKind::TorsionSpring, ends, None);
        let loads = vec![(ElementPart::Spring, LoadId::from_index(3))];
        loose.add_element(Element { loads, ..element });
        assert_eq!(loose.finish().err(), Some(InvalidModel::UnknownPart("k".into())));
    }
}
