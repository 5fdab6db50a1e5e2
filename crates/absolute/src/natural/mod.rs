//! Natural coordinates: points and unit vectors that neighbouring parts share (García de Jalón;
//! COMPAMM).
//!
//! ```text
//! [natural]   M q̈ + Φ_qᵀ λ = Q,   Φ_q q̈ + γ = 0            M constant, Φ quadratic, Φ_q linear in q
//! [penalty]     K = M + Φ_qᵀ α Φ_q,   K δ = r + Φ_qᵀ α s       r and s what is left of both equations
//! [multiplier]  δλ = α (Φ_q δ - s)                             repeated with exact residuals until δ vanishes
//! [mixed]       of all steps so far the combination with the least δ is taken (Anderson 1965)
//! ```
//!
//! K is regular where equations repeat others and where points have no mass, so that both need no
//! care. Residuals are those of
//! [natural], so that the penalty leaves no trace. Parts that a joint lets share a point or an
//! axis have no equations
//! for it. Neither Coriolis nor gyroscopic forces occur.
//!
//! Loads, measured coordinates, outputs and reactions are those of absolute coordinates: a part's
//! pose and velocity follow from its points.
//!
//! - `sharing`: who shares what; `coordinates`: what becomes a coordinate; `form`: linear vectors
//!   and rows between them;
//! - `element`: a part by its basis; `joints`: joints; `equations`: [natural] solved; `motion`: a
//!   run.

pub mod coordinates;
pub mod element;
pub mod equations;
pub mod form;
pub mod joints;
pub mod motion;
pub mod sharing;

pub use equations::Natural;
