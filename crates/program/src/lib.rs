//! The numeric program: straight-line values with a text form, a verifier and an interpreter.
