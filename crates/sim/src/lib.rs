//! Motion: a program driven by an integrator.
