//! Absolute coordinates against the formalisms of the tree, closed forms and references.

mod comparison;

mod against_tree;
mod catalogue;
mod contacts;
mod events;
mod integrators;
mod large_systems;
mod natural_coordinates;
mod random_mechanisms;
mod small_motions;
