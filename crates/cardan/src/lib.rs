//! cardan: a compiler and simulator for mechanical systems.
