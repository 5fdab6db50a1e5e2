//! Integrators, root finding and linear algebra over plain slices.
