//! Questions asked of a model.
