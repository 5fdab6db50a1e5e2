//! Frames, points, vectors and dyadics; velocity, acceleration, partial velocity.
