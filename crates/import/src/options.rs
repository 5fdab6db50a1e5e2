//! How a text is to be read.

use cardan_expr::Rational;

/// What the importers may decide.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportOptions {
    /// Whether the root link of a URDF moves freely in space instead of being fixed to the ground.
    pub free_base: bool,
    /// The acceleration of free fall; nothing for the format's own (URDF: 9.81 m/s² downwards along z).
    pub gravity: Option<[Rational; 3]>,
    /// Whether everything that would be left out or mended with a warning is refused with an error.
    pub strict: bool,
    /// Whether masses, inertias and coefficients become numbers instead of parameters with default values.
    pub numeric: bool,
    /// Angles this close (in radians) to a whole number of quarter turns are taken as exactly that, and components of
    /// directions this small as zero: exact zeros make equations small. Nothing to take every angle as written.
    pub snap_angles: Option<f64>,
    /// Whether equality constraints of MJCF become constraints of the model. Otherwise a text with such constraints is
    /// refused, because without them it would be another mechanism.
    pub loops: bool,
    /// Lengths below this (in metres) are taken as zero. Nothing to take every length as written.
    pub snap_lengths: Option<f64>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        ImportOptions {
            free_base: false,
            gravity: None,
            strict: false,
            numeric: false,
            loops: false,
            snap_angles: Some(1e-6),
            snap_lengths: Some(1e-12),
        }
    }
}

/// A format that can be imported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// The Unified Robot Description Format.
    Urdf,
    /// MuJoCo's own format.
    Mjcf,
}

impl Format {
    /// The format of a text, by its outermost element; nothing if that is neither `robot` nor `mujoco`.
    pub fn of(text: &str) -> Option<Format> {
        let mut rest = text;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = comment.find("-->").map_or("", |end| &comment[end..]);
                continue;
            }
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            match name.as_str() {
                "" => continue,
                "robot" => return Some(Format::Urdf),
                "mujoco" | "mujocoinclude" => return Some(Format::Mjcf),
                _ => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn the_outermost_element_tells() {
        assert_eq!(
            Format::of("<?xml version='1.0'?>\n<!-- <mujoco> -->\n<robot name='a'/>"),
            Some(Format::Urdf)
        );
        assert_eq!(Format::of("<mujoco model='a'><worldbody/></mujoco>"), Some(Format::Mjcf));
        assert_eq!(Format::of("<html><robot/></html>"), None);
        assert_eq!(Format::of("<!-- never closed <robot>"), None);
        assert_eq!(Format::of("model pendulum"), None);
    }
}
