//! Source code in other languages from a program.
