//! From equations to programs: sharing, sections, derivatives.
