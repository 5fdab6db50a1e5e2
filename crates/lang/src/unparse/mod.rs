//! A model as a text in the native language, whatever it came from.
//!
//! The text gives the same equations when it is read again: joints are found again from the frames that they left behind, expressions
//! are written with units that agree, names become words. What the language has no form for is listed beside the text.
//!
//! Not kept: gears (written as couplers), comments.
//!
//! Reading order: `names`, `scalar` (expressions), `joint`, `speeds`, `closing`, `higher_pairs`, `hybrid` (events), `positions`, `elements` (springs and their kin), `bounds` (limits, stops, rotor inertias), `parts` (bodies, loads, questions), `display_units`, then [`unparse`] here.

pub(crate) mod display_units;

mod bounds;
mod closing;
mod elements;
mod figures;
mod hybrid;
mod joint;
mod names;
mod pairs;
mod parts;
mod positions;
mod scalar;
mod speeds;

use cardan_base::{Map, Set};
use cardan_expr::{Expr, ExternalId, SymbolId, TableId};
use cardan_kinematics::FrameId;
use cardan_model::{Coordinate, CoordinateId, Model, SpeedId, Target};
use cardan_units::Dimension;

use crate::unparse::names::Names;
pub(crate) use crate::unparse::scalar::exponent;

/// A text and what it could not say.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// The text, in canonical layout.
    pub text: String,
    /// What is missing from it, in words; nothing if it says everything about the motion.
    pub left_out: Vec<String>,
}

/// The state of writing.
struct Writer<'m> {
    model: &'m Model,
    names: Names,
    /// What stands for a symbol, and its dimension.
    symbols: Map<SymbolId, (String, Dimension)>,
    /// Coordinates by their symbols.
    free: Map<SymbolId, CoordinateId>,
    /// Frames that the text can name.
    frames: Map<FrameId, String>,
    tables: Map<TableId, String>,
    externals: Map<ExternalId, String>,
    /// Coordinates whose rates are made of speeds that the analyst defined.
    driven: Vec<CoordinateId>,
    /// For each constraint how it is written, and its words.
    constraints: Vec<(pairs::Form, Vec<String>)>,
    dimensions: Map<Expr, Option<Dimension>>,
    /// How long expressions are when everything in them is written out.
    sizes: Map<Expr, u64>,
    /// Names of long expressions that are written once, as variables.
    shared: Map<Expr, String>,
    /// The statements of those variables.
    variables: String,
    /// Frames inside joints on which loads act.
    needed: Set<FrameId>,
    /// Lines of the `start` block that joints ask for.
    starts: Vec<String>,
    left_out: Vec<String>,
}

/// The text of a model.
pub fn write(model: &Model) -> Written {
    // Looking for joints and points makes expressions, which must not show in the model.
    let model = &model.clone();
    let mut writer = Writer {
        model,
        names: Names::default(),
        symbols: Map::default(),
        free: Map::default(),
        frames: Map::default(),
        tables: Map::default(),
        externals: Map::default(),
        driven: vec![],
        constraints: vec![],
        dimensions: Map::default(),
        sizes: Map::default(),
        shared: Map::default(),
        variables: String::new(),
        needed: Set::default(),
        starts: vec![],
        left_out: vec![],
    };
    writer.name_everything();
    let text = writer.text();
    let layout = cardan_syntax::format(&text).unwrap_or(text);
    Written { text: layout, left_out: writer.left_out }
}

impl Writer<'_> {
    /// Notes something that the language cannot say.
    fn leave_out(&mut self, what: String) {
        if !self.left_out.contains(&what) {
            self.left_out.push(what);
        }
    }

    fn set_symbol(&mut self, symbol: Expr, text: String, dimension: Dimension) {
        if let Some(s) = self.model.space.pool().as_symbol(symbol) {
            self.symbols.insert(s, (text, dimension));
        }
    }

    /// Words for frames, parameters, coordinates, speeds, states and tables.
    fn name_everything(&mut self) {
        let model = self.model;
        let space = &model.space;
        let newtonian = space.newtonian();
        let ground = self.names.give(&space.frame(newtonian).name);
        self.frames.insert(newtonian, ground);
        self.set_symbol(space.time(), "t".into(), Dimension::TIME);
        for (_, body) in model.bodies.iter() {
            let word = self.names.give(&body.name);
            self.frames.insert(body.frame, word);
        }
        for (_, joint) in model.joints.iter() {
            let bare = joint.frames.last().copied().filter(|f| !self.frames.contains_key(f));
            if let Some(frame) = bare {
                let word = self.names.give(&joint.name);
                self.frames.insert(frame, word);
            }
        }
        self.find_loads_inside_joints();
        // A coordinate has the language's own name where its body kept its own and its joint is written in one piece.
        let parted: Set<&str> =
            model.joints.iter().filter(|(_, j)| self.is_parted(j)).map(|(_, j)| j.name.as_str()).collect();
        for (_, joint) in model.joints.iter() {
            let own = |w: &Self, path: &str| {
                let (head, tail) = path.split_once('.')?;
                let kept = head == joint.name && w.names.get(head) == Some(head) && !parted.contains(head);
                let digits = tail.strip_prefix(['q', 'u'])?;
                (kept && digits.chars().all(|c| c.is_ascii_digit())).then(|| path.to_string())
            };
            for id in &joint.coordinates {
                let c = &model.coordinates[*id];
                let path = c.quantity.name.clone();
                let text = match own(self, &path) {
                    Some(text) => {
                        self.names.set(&path, text.clone());
                        text
                    }
                    None => self.names.give(&path),
                };
                self.set_symbol(c.symbol, text, c.quantity.dimension);
                if let Some(s) = space.pool().as_symbol(c.symbol) {
                    self.free.insert(s, *id);
                }
            }
        }
        for (id, u) in model.speeds.iter() {
            let path = u.quantity.name.clone();
            let rate_of = path.strip_prefix("der(").and_then(|p| p.strip_suffix(')'));
            // A speed that an event sets gets a name of its own.
            if let Some(word) = rate_of.and_then(|q| self.names.get(q)).filter(|_| self.is_set(id)) {
                let text = self.names.word(&format!("u_{word}"));
                self.names.set(&path, text);
            }
            let named = self.names.get(&path).map(str::to_string);
            let own = named
                .or_else(|| rate_of.and_then(|q| self.names.get(q).map(|word| format!("der({word})"))))
                .or_else(|| self.contact_rate(u.symbol))
                .or_else(|| {
                    let (head, tail) = path.split_once('.')?;
                    let digits = tail.strip_prefix('u')?;
                    let kept = self.names.get(head) == Some(head)
                        && !parted.contains(head)
                        && model.joints.iter().any(|(_, j)| j.name == head);
                    (kept && digits.chars().all(|c| c.is_ascii_digit())).then(|| path.clone())
                });
            let text = match own {
                Some(text) => {
                    self.names.set(&path, text.clone());
                    text
                }
                None => self.names.give(&path),
            };
            self.set_symbol(u.rate, format!("der({text})"), u.quantity.dimension / Dimension::TIME);
            self.set_symbol(u.symbol, text, u.quantity.dimension);
        }
        for (_, p) in model.parameters.iter() {
            let text = self.names.give(&p.quantity.name);
            self.set_symbol(p.symbol, text, p.quantity.dimension);
        }
        for (_, s) in model.states.iter() {
            let text = self.names.give(&s.quantity.name);
            self.set_symbol(s.symbol, text, s.quantity.dimension);
        }
        for (id, table) in model.tables.iter() {
            let text = self.names.give(&table.name);
            self.tables.insert(id, text);
        }
        self.name_hybrid();
        self.name_constraints();
    }

    /// The speed of a coordinate of a contact: the joint of the contact names coordinates alone.
    fn contact_rate(&self, speed: Expr) -> Option<String> {
        let model = self.model;
        let contacts = model.joints.iter().filter(|(_, j)| j.is_contact());
        let mut own = contacts.flat_map(|(_, j)| &j.coordinates).map(|id| &model.coordinates[*id]);
        let coordinate = own.find(|c| c.rate == speed)?;
        self.names.get(&coordinate.quantity.name).map(|word| format!("der({word})"))
    }

    /// Whether an event sets a speed.
    fn is_set(&self, speed: SpeedId) -> bool {
        let mut set = self.model.hybrid.events.iter().flat_map(|(_, e)| &e.assignments);
        set.any(|(target, _)| target.quantity() == Target::Speed(speed))
    }

    /// The texts of the speeds of some coordinates of one step of a joint.
    fn speeds_of(&self, own: &[&Coordinate]) -> Vec<String> {
        let pool = self.model.space.pool();
        let parts = pool.reachable(own.iter().map(|c| c.rate));
        let speeds = self.model.speeds.iter().filter(|(_, u)| parts.binary_search(&u.symbol).is_ok());
        speeds.map(|(_, u)| self.names.get(&u.quantity.name).unwrap_or("").to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use cardan_model::Model;

    use crate::compile_text;
    use crate::unparse::write;

    /// The line of the written text that begins so, after a model was read.
    fn line(text: &str, beginning: &str) -> String {
        let compiled = compile_text("given.mbs", text);
        let model = compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let written = write(&model);
        assert!(written.left_out.is_empty(), "{:?}", written.left_out);
        let found = written.text.lines().find(|l| l.starts_with(beginning));
        found.unwrap_or_else(|| panic!("{}", written.text)).to_string()
    }

    /// Events and rounding, which need names and plain numbers, are read again with the same events and outputs.
    #[test]
    fn what_is_written_can_be_read() {
        let head = "model m\nbody B on N by translate(z = h) rotate(x = a) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n";
        for rest in [
            "when h <= 0 [m] and B.u1 < 0 [m/s] { B.u1 := -0.8*B.u1 }",
            "when a <= 0 { B.u2 := 0.5*B.u2; B.u1 := 2*B.u1 + der(h) }",
            "output a1 = floor(h/(1 [m])), b = mod(h, 1 [m]), c = floor(t/(2 [s]))",
            "lock a\noutput rate = der(a) in [deg/s], turn = omega(B) in [deg/s]",
        ] {
            let compiled = compile_text("given.mbs", &format!("{head}{rest}"));
            let model = compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
            let written = write(&model);
            let again = compile_text("written.mbs", &written.text);
            let again = again.model.unwrap_or_else(|| panic!("{}\n{:?}", written.text, again.diagnostics));
            assert_eq!(again.hybrid.events.len(), model.hybrid.events.len());
            assert_eq!(write(&again).text, written.text);
        }
    }

    /// What is written is what was read.
    #[test]
    fn joints_are_found_again() {
        for joint in [
            "free(rotate = xyz)",
            "free(rotate = zyx, small)",
            "free(rotate = xyz, q = (q1, q2, q3, q4, q5, q6), speed = (u1, u2, u3, u4, u5, u6), small)",
            "free",
            "spherical(rotate = zxz)",
            "spherical(q = (e0, e1, e2, e3), speed = (wx, wy, wz))",
            "revolute(-z, q = phi)",
            "revolute(x, small)",
            "prismatic((0.6, 0.8, 0), q = s, speed = v)",
            "prismatic(x, motion = 0.1 [m] * sin(2 * t / (1 [s])))",
            "screw(z, lead = 0.005 [m], q = phi)",
            "revolute(y, q = phi, orient = (90 [deg], 0, 0))",
        ] {
            let text =
                format!("body B on N by {joint} {{\n  mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]\n}}");
            let found = line(&format!("model m\n{text}"), "body B");
            let wanted = text.lines().next().unwrap_or("");
            if joint == "free" {
                assert_eq!(found, "body B on N by free() {");
            } else if joint.contains("motion") {
                assert!(found.starts_with("body B on N by prismatic(x, motion = "), "{found}");
            } else {
                assert_eq!(found, wanted);
            }
        }
    }

    /// The turn of the second of two bodies, at some time and place.
    fn turn(model: &Model) -> Vec<f64> {
        let pool = model.space.pool();
        let value = |s| match pool.symbol_data(s).name.as_str() {
            "t" => 0.7,
            "pi" => std::f64::consts::PI,
            "a.q" => 0.4,
            "eps" => 0.01,
            other => panic!("{other}"),
        };
        let (_, joint) = model.joints.iter().last().expect("two joints");
        let frames = joint.frames.iter().flat_map(|f| model.space.frame(*f).R_PB);
        frames.flatten().map(|e| pool.evaluate(e, &value)).collect()
    }

    /// Sines may stand in the angle of a turn as they do in its matrix, or be lost in it.
    #[test]
    fn a_driven_turn_keeps_its_law() {
        let head = "model m\nparameter eps = 0.01\nsmall eps\nbody a on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n";
        for law in [
            "2 [rad/s]*t",
            "0.5 [rad]*sin(2 [rad/s]*t)",
            "0.5 [rad]*cos(2 [rad/s]*t) + 1 [rad]",
            "-0.5 [rad]*sin(a.q) + cos(t/(1 [s]))*sin(3*a.q)*1 [rad]",
            "sin(sin(a.q))*1 [rad]",
            "-a.q",
            "pi/2 - a.q",
            "30 [deg]",
            "atan2(sin(a.q), 2)",
            "asin(0.5*sin(a.q))",
            "eps*sin(3*a.q)",
        ] {
            for axis in ["x", "-y", "(1, 1, 0)", "(0, -2, 1)"] {
                for (kind, lead) in [("revolute", ""), ("screw", ", lead = 0.1 [m]")] {
                    let joint = format!("{kind}({axis}{lead}, motion = {law})");
                    let text = format!(
                        "{head}body b on a by {joint} {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}"
                    );
                    let compiled = compile_text("given.mbs", &text);
                    let model =
                        compiled.model.unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics));
                    let written = write(&model);
                    assert!(written.left_out.is_empty(), "{joint}: {:?}", written.left_out);
                    let again = compile_text("written.mbs", &written.text);
                    let again =
                        again.model.unwrap_or_else(|| panic!("{}\n{:?}", written.text, again.diagnostics));
                    for (x, y) in turn(&model).iter().zip(turn(&again)) {
                        assert!((x - y).abs() < 1e-14, "{joint}: {x} and {y}\n{}", written.text);
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_get_the_unit_that_their_place_wants() {
        let head = "model m\nparameter k = 2 [N/m]\nbody B on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n";
        let force = |law: &str| {
            let text = line(&format!("{head}force f on B.o = ({law}) * N.x"), "force f");
            text.trim_start_matches("force f on B.o = ").trim_end_matches(" * N.x").to_string()
        };
        assert_eq!(force("-3 [N/m] * s"), "(-3 [N/m] * s)");
        assert_eq!(force("-k * s + 4 [N]"), "(4 [N] - k * s)");
        assert_eq!(force("5 [N] * sin(s / (1 [m]))"), "5 [N] * sin(1 [1/m] * s)");
        assert_eq!(force("if t < 1 [s] then 0 else k * s"), "(if t < 1 [s] then 0 else k * s)");
    }
}
