//! Physical dimensions and units: parse, check, convert, format.
