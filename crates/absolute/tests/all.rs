//! Absolute coordinates against the formalisms of the tree.

mod against_tree;
