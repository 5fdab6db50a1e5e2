//! Machine code from a program.
