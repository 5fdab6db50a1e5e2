//! A mechanical system: bodies, joints, points, loads, signals; valid by construction.
