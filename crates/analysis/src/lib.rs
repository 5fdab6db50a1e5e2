//! Analyses of a model: equilibria, linear equations, modes, driven motion, inverse dynamics.
//!
//! ```text
//! Model ─choose▶ Choice ─Study::of▶ Study ─equilibrium▶ Equilibrium
//!                                         ─linearize▶ Linearization ─modes▶ Modes
//!                                         ─kinematics▶ DrivenMotion ─inverse▶ ActuatorForces
//!                                         ─verify▶ Check
//! ```
//!
//! Absent by design: printing, files, text, derivations of equations. Results are plain data in SI
//! units with names beside them.
//!
//! In reading order:
//!
//! - [`error`]: reasons for an analysis without a result;
//! - [`numeric_model`]: a model as numbers, with exact
//!   `derivatives`;
//! - [`mod@equilibrium`]: static equilibria; [`statics`]: series of them;
//! - [`linear`]: linear equations, modes, root loci;
//! - [`frequency`]: transfer functions, frequency and random response, feedback;
//! - [`mod@kinematics`]: driven motion; [`dynamics`]: forces of drives and actuators;
//! - [`mod@verify`]: independent checks of a model.

pub(crate) mod derivatives;
pub mod dynamics;
pub mod frequency;
pub mod kinematics;
pub mod linear;
pub mod numeric_model;
pub mod statics;

pub mod error;

pub mod equilibrium;
pub mod verify;

pub use crate::dynamics::drive::{coordinate_named, held_at};
pub use crate::dynamics::drive_removal::{driven_coordinates, superseded};
pub use crate::dynamics::inverse::{
    ActuatorForces, actuator, corners, differences, differences_in_pieces, inverse,
};
pub use crate::dynamics::joint_space::{BodyPose, JointSpace};
pub use crate::dynamics::outputs_along_motion::GivenMotion;
pub use crate::dynamics::regressor::Regressor;
pub use crate::dynamics::sensitivity::{SensitiveSample, Sensitivity, sensitivity};
pub use crate::dynamics::state_function::{ManyArguments, StateArguments, StateFunction, StateQuestion};
pub use crate::dynamics::varied_states::{coriolis_at_many, point_jacobian_at_many};
pub use crate::equilibrium::{Equilibrium, EquilibriumOptions, Found, Obstacle, equilibrium};
pub use crate::error::AnalysisError;
pub use crate::frequency::base_motion::{GivenInput, MotionInput};
pub use crate::frequency::frequency_response::{Channel, FrequencyRange, Response};
pub use crate::frequency::handling::{Handling, HandlingPoint, HandlingQuestion};
pub use crate::frequency::harmonic_balance::{HarmonicOptions, PeriodicOrbit, harmonic_balance};
pub use crate::frequency::noise_response::{NoiseDrive, NoiseOptions, NoiseResponse, noise_response};
pub use crate::frequency::random_response::{
    Comfort, RandomExcitation, RandomOptions, RandomResponse, Stationary, random_response,
};
pub use crate::frequency::sampled_blocks::{Kept, SampledModel, SampledSystem};
pub use crate::frequency::state_space::LinearSystem;
pub use crate::frequency::stepped_sine::{SineDrive, SteppedOptions, SteppedPoint, stepped_sine};
pub use crate::kinematics::driven::{DrivenMotion, DrivenSample, kinematics};
pub use crate::kinematics::inverse_kinematics::{orient, orient_like, reach};
pub use crate::linear::descriptor::{DescriptorForm, descriptor_form};
pub use crate::linear::effective_mass::{EffectiveMass, effective_masses};
pub use crate::linear::linearize::{
    Imbalance, Independent, LinearOptions, Linearization, Point, SecondOrder, SplitMatrices, linearize,
};
pub use crate::linear::mode_shapes::mode_motion;
pub use crate::linear::modes::{Complex, Mode, Modes, modes};
pub use crate::linear::nonsmooth_points::Kink;
pub use crate::linear::root_locus::{About, Critical, LocusPoint, LocusQuestion, RootLocus};
pub use crate::linear::stability::Stability;
pub use crate::linear::stability_map::{StabilityMap, stability_map};
pub use crate::numeric_model::{Named, StateKind, Study, free_parameters};
pub use crate::statics::continuation::{
    EquilibriumSeries, SeriesPoint, SeriesQuestion, TIME_PARAMETER, equilibrium_series,
};
pub use crate::statics::trim::{Trim, trim};
pub use crate::verify::{Check, Finding, verify};
