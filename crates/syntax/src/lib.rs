//! Model text to a tree of statements and expressions; the formatter.
