//! What `compiler` and `option` say: units, conventions, gravity, what is switched off.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Pool, Rational};
use cardan_kinematics::Axis;

use crate::codes;
use crate::findings::Findings;
use crate::number::{array, scalar, word};
use crate::options::ImportOptions;
use crate::orientation::{Triple, degrees, radians};
use crate::xml::Element;

/// Whether geoms give mass properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FromGeoms {
    Never,
    Always,
    /// Where no `inertial` does.
    Auto,
}

pub(super) struct Settings {
    pub degrees: bool,
    /// Axes, and whether they are those of the turned frame (rather than the fixed one).
    pub sequence: [(Axis, bool); 3],
    pub from_geoms: FromGeoms,
    pub total_mass: Option<Rational>,
    /// The least mass of a body.
    pub least_mass: Rational,
    /// The least principal moment of a body.
    pub least_moment: Rational,
    /// Whether impossible moments are replaced by their mean.
    pub balanced: bool,
    pub geom_groups: [i64; 2],
    /// Whether a range is a limit even if nothing says so.
    pub auto_limits: bool,
    /// Whether free bodies that say nothing ask for the frame of their inertia.
    pub aligns_free: bool,
    pub gravity: Triple,
    disabled: Vec<String>,
}

impl Settings {
    pub fn of(root: &Element, findings: &mut Findings) -> Settings {
        let mut s = Settings {
            degrees: true,
            sequence: [(Axis::X, true), (Axis::Y, true), (Axis::Z, true)],
            from_geoms: FromGeoms::Auto,
            total_mass: None,
            least_mass: Rational::ZERO,
            least_moment: Rational::ZERO,
            balanced: false,
            geom_groups: [0, 5],
            auto_limits: true,
            aligns_free: false,
            gravity: [Rational::ZERO, Rational::ZERO, Rational::Small(-981, 100)],
            disabled: vec![],
        };
        root.named("compiler").for_each(|e| s.read_compiler(e, findings));
        root.named("option").for_each(|e| s.read_option(e, findings));
        s
    }

    /// Whether something is switched off by a flag.
    pub fn is_disabled(&self, flag: &str) -> bool {
        self.disabled.iter().any(|f| f == flag)
    }

    /// An angle in the unit of the text.
    pub fn angle(
        &self,
        pool: &Pool,
        value: &Rational,
        options: &ImportOptions,
        findings: &mut Findings,
        span: Span,
    ) -> Expr {
        let read = if self.degrees { degrees } else { radians };
        read(pool, value, options, findings, span)
    }

    fn read_compiler(&mut self, e: &Element, findings: &mut Findings) {
        for a in &e.attributes {
            match a.name.as_str() {
                "angle" => self.degrees = word(a, &["degree", "radian"], findings) != Some("radian"),
                "coordinate" if a.value.trim() != "local" => {
                    let message = "coordinates of the whole model in one frame cannot be imported";
                    let found =
                        Diagnostic::error(codes::NOT_IMPORTED, message).at(a.span, "every place is global");
                    findings
                        .push(found.hint(
                            "load the file in MuJoCo and save it again; it then has local coordinates",
                        ));
                }
                "eulerseq" => self.read_sequence(a, findings),
                "autolimits" => self.auto_limits = word(a, &["true", "false"], findings) != Some("false"),
                "inertiafromgeom" => {
                    self.from_geoms = match word(a, &["true", "false", "auto"], findings) {
                        Some("true") => FromGeoms::Always,
                        Some("false") => FromGeoms::Never,
                        _ => FromGeoms::Auto,
                    }
                }
                "settotalmass" => {
                    self.total_mass = scalar(e, "settotalmass", findings).filter(|m| m.to_f64() > 0.0)
                }
                "inertiagrouprange" => {
                    if let Some(range) = array::<2>(a, findings) {
                        self.geom_groups = range.map(|r| r.to_f64().clamp(-1e6, 1e6) as i64);
                    }
                }
                "boundmass" => self.least_mass = scalar(e, "boundmass", findings).unwrap_or(Rational::ZERO),
                "boundinertia" => {
                    self.least_moment = scalar(e, "boundinertia", findings).unwrap_or(Rational::ZERO);
                }
                "alignfree" => self.aligns_free = word(a, &["true", "false"], findings) == Some("true"),
                "balanceinertia" => self.balanced = word(a, &["true", "false"], findings) == Some("true"),
                // Conventions about files, drawing and storage.
                _ => {}
            }
        }
    }

    fn read_sequence(&mut self, a: &crate::xml::Attribute, findings: &mut Findings) {
        let axes: Vec<(Axis, bool)> = a
            .value
            .trim()
            .chars()
            .filter_map(|c| Some((Axis::named(c).filter(|_| c.is_alphabetic())?, c.is_lowercase())))
            .collect();
        match <[(Axis, bool); 3]>::try_from(axes) {
            Ok(sequence) if a.value.trim().len() == 3 => self.sequence = sequence,
            _ => {
                let message = format!("`{}` is not a sequence of three axes", a.value);
                let found = Diagnostic::error(codes::VALUE, message).at(a.span, "three of x, y, z, X, Y, Z");
                findings.push(found.hint("write `xyz` for turned axes or `XYZ` for fixed ones"));
            }
        }
    }

    fn read_option(&mut self, e: &Element, findings: &mut Findings) {
        if let Some(g) = e.attribute("gravity").and_then(|a| array(a, findings)) {
            self.gravity = g;
        }
        for flag in e.named("flag") {
            let off = flag.attributes.iter().filter(|a| a.value.trim() == "disable");
            self.disabled.extend(off.map(|a| a.name.clone()));
        }
        for name in ["density", "viscosity"] {
            if scalar(e, name, findings).is_some_and(|v| !v.is_zero()) {
                let message = "forces of the surrounding fluid are left out";
                let span = e.attribute(name).map_or(e.span, |a| a.span);
                let found = Diagnostic::warning(codes::LEFT_OUT, message).at(span, format!("its {name}"));
                findings.doubtful(found.hint("add drag to the model as loads"));
            }
        }
        if self.is_disabled("gravity") {
            self.gravity = [0; 3].map(Rational::int);
        }
    }
}
