//! Decompositions and equations of matrices.
//!
//! - `matrix`: matrices of the linear algebra library; `matrix_exponential`; `hessenberg`, `schur`: reduced forms;
//! - `lyapunov`, `riccati`: equations of matrices.

pub mod hessenberg;
pub mod lyapunov;
pub mod matrix;
pub mod matrix_exponential;
pub mod riccati;
pub mod schur;
