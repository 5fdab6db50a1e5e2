//! Equations of motion from a model, by several formalisms.
