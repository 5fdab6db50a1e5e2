//! From tree to model: names, units, checks.
