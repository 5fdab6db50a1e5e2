//! Joints of the tree and joints that close loops.
//!
//! - `catalogue`: the vocabulary of joints; `plan`, `axes`: steps and axes of one joint;
//! - `joint_limits`: limits and stops; `loop_joints`: joints that close loops;
//! - `higher_pairs`: gears, screws, belts, curves; `contact_pairs`, `contact_coordinates`: wheels and
//!   rollers on curves and surfaces;
//! - `prescribed_motion`, `nonsmooth_motion`: motions given in time.

pub(crate) mod axes;
pub(crate) mod catalogue;
pub(crate) mod contact_coordinates;
pub(crate) mod contact_pairs;
pub(crate) mod higher_pairs;
pub(crate) mod joint_limits;
pub(crate) mod loop_joints;
pub(crate) mod nonsmooth_motion;
pub(crate) mod plan;
pub(crate) mod prescribed_motion;
