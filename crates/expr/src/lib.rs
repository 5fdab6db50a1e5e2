//! Scalar algebra: a shared, hash-consed graph of exact expressions.
