//! Which body hangs on which, as a drawing: the ground at the left, each generation one column further right.

use cardan_base::Map;
use cardan_expr::print::{Mark, greek};
use cardan_kinematics::FrameId;
use cardan_model::{Constraint, Joint, JointKind, Model};

use crate::default_descriptions::spaced;

/// A box with a name and words below it. Columns and rows are counted from zero; a row may be between two others.
#[derive(Clone, PartialEq, Debug)]
pub struct Knot {
    /// Name of the body.
    pub name: String,
    /// Kind of its joint.
    pub joint: String,
    /// Names of its coordinates.
    pub coordinates: String,
    /// Distance from the ground in joints.
    pub column: usize,
    /// Place in the column.
    pub row: f64,
    /// The box that it hangs on.
    pub parent: Option<usize>,
    /// A frame without mass.
    pub massless: bool,
}

/// A joint that is cut, or another constraint.
#[derive(Clone, PartialEq, Debug)]
pub struct Closure {
    /// Name and kind.
    pub words: String,
    /// The boxes between which it lies, if it lies between two.
    pub ends: Option<(usize, usize)>,
}

/// The drawing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Drawing {
    /// Parents before children.
    pub knots: Vec<Knot>,
    /// What closes loops.
    pub closures: Vec<Closure>,
}

/// A coordinate of a body as it is written on one line: Greek letters, digits below the line, no mention of the body.
fn on_one_line(name: &str, body: &str) -> String {
    let own = name.strip_prefix(body).and_then(|n| n.strip_prefix('.')).unwrap_or(name);
    let mark = Mark::of(own);
    let stem = greek(mark.stem).unwrap_or(mark.stem);
    let below = |c: char| c.to_digit(10).and_then(|d| char::from_u32('₀' as u32 + d));
    match mark.index.chars().map(below).collect::<Option<String>>() {
        Some(index) => format!("{stem}{index}"),
        None => own.to_owned(),
    }
}

/// Words that follow one another are told once, with their number: `translate rotate rotate` is `translate, 2 rotate`.
fn told_once(joint: &Joint) -> String {
    let parts: Vec<&[JointKind]> = joint.kinds.chunk_by(|a, b| a == b).collect();
    if parts.iter().all(|alike| alike.len() == 1) {
        return joint.kind_name();
    }
    let part = |alike: &&[JointKind]| match alike {
        [kind] => kind.to_string(),
        _ => format!("{} {}", alike.len(), alike[0]),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

impl Drawing {
    /// The drawing of a model.
    pub fn of(model: &Model) -> Drawing {
        let ground = model.space.newtonian();
        let name = model.space.frame(ground).name.clone();
        let mut knots = vec![Knot {
            name,
            joint: String::new(),
            coordinates: String::new(),
            column: 0,
            row: 0.0,
            parent: None,
            massless: false,
        }];
        let mut place: Map<FrameId, usize> = Map::default();
        place.insert(ground, 0);
        for (_, body) in model.bodies.iter() {
            let joint = body.joint.map(|j| &model.joints[j]);
            let parent = joint.and_then(|j| place.get(&j.parent)).copied().unwrap_or(0);
            let names = joint.iter().flat_map(|j| &j.coordinates);
            let names: Vec<String> =
                names.map(|q| on_one_line(&model.coordinates[*q].quantity.name, &body.name)).collect();
            // A place of contact is a number, not a body.
            if joint.is_some_and(Joint::is_contact) {
                continue;
            }
            place.insert(body.frame, knots.len());
            let column = knots[parent].column + 1;
            knots.push(Knot {
                name: body.name.clone(),
                joint: joint.map_or(String::new(), told_once),
                coordinates: names.join(", "),
                column,
                row: 0.0,
                parent: Some(parent),
                massless: model.space.pool().is_zero(body.mass),
            });
        }
        let mut drawing = Drawing { knots, closures: vec![] };
        drawing.spread(0, &mut 0.0);
        let knot = |frame: FrameId| {
            let mut ways = std::iter::successors(Some(frame), |f| model.space.frame(*f).parent);
            ways.find_map(|f| place.get(&f)).copied()
        };
        let closure = |c: &Constraint| Closure {
            words: format!("{} ({})", c.name, spaced(c.kind.name())),
            ends: c.ends.as_ref().and_then(|e| knot(e.first).zip(knot(e.second))).filter(|(a, b)| a != b),
        };
        drawing.closures = model.constraints.iter().map(|(_, c)| closure(c)).collect();
        drawing
    }

    /// The names and kinds of what closes loops.
    pub fn closed_by(&self) -> String {
        self.closures.iter().map(|c| c.words.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// Leaves get rows of their own; a parent stands in the middle of its children.
    fn spread(&mut self, knot: usize, next: &mut f64) {
        let children: Vec<usize> =
            (0..self.knots.len()).filter(|k| self.knots[*k].parent == Some(knot)).collect();
        for child in &children {
            self.spread(*child, next);
        }
        self.knots[knot].row = match (children.first(), children.last()) {
            (Some(first), Some(last)) => (self.knots[*first].row + self.knots[*last].row) / 2.0,
            _ => {
                *next += 1.0;
                *next - 1.0
            }
        };
    }

    /// Columns and rows of the drawing.
    pub fn size(&self) -> (usize, f64) {
        let columns = self.knots.iter().map(|k| k.column + 1).max().unwrap_or(1);
        (columns, self.knots.iter().map(|k| k.row).fold(0.0, f64::max) + 1.0)
    }
}
