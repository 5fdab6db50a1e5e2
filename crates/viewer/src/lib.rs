//! A page that shows a motion.
