//! What a simulation leaves behind: plain numbers with names, units and a reason for stopping.

use std::fmt;

use cardan_model::LoadId;
use cardan_program::Label;
use cardan_solve::{Stats, Switch};
use cardan_units::Unit;

use crate::record::contact_report::ContactReport;
use crate::{Audit, Handover, Happenings, Parting, Passage, Slide};
use cardan_assembly::{Assembled, Fork};

/// What kind of quantity a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// The time.
    Time,
    /// A generalised coordinate.
    Coordinate,
    /// A generalised speed.
    Speed,
    /// An auxiliary state.
    State,
    /// A discrete state.
    Discrete,
    /// An output of the model.
    Output,
    /// Kinetic or potential energy.
    Energy,
    /// Work since the start.
    Work,
    /// What the energy audit cannot explain.
    Residual,
}

/// A quantity over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    /// Path.
    pub name: String,
    /// The unit in which people want to see it; `1` for a plain number.
    pub unit: String,
    /// For people; may be empty.
    pub description: String,
    /// What it is.
    pub kind: ColumnKind,
    /// Numbers are kept in SI units; times this they are in `unit`.
    pub scale: f64,
}

impl Column {
    /// A column of numbers in SI, shown in the unit of the label.
    pub fn new(label: &Label, kind: ColumnKind) -> Self {
        let unit = if label.unit.is_empty() { "1" } else { &label.unit };
        let scale = Unit::parse(unit).map_or(1.0, |u| u.from_si(1.0));
        Column {
            name: label.name.clone(),
            unit: unit.to_string(),
            description: label.description.clone(),
            kind,
            scale,
        }
    }
    /// The heading in files: `name [unit]`.
    pub fn heading(&self) -> String {
        format!("{} [{}]", self.name, self.unit)
    }
}

/// Numbers row by row.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rows {
    width: usize,
    data: Vec<f64>,
}

impl Rows {
    /// No rows of this width.
    pub fn new(width: usize) -> Self {
        Rows { width, data: Vec::new() }
    }
    /// Adds a row; a shorter or longer one is a mistake of ours.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.width, "every row has one number per column");
        self.data.extend_from_slice(row);
    }
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.data.len() / self.width.max(1)
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }
    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.width
    }
    /// One row.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.data[k * self.width..(k + 1) * self.width]
    }
    /// All rows.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.data.chunks_exact(self.width.max(1))
    }
    /// One column.
    pub fn column(&self, c: usize) -> Vec<f64> {
        self.iter().map(|row| row[c]).collect()
    }
}

/// A rigid motion at one time: where the origin is, and the direction cosines by rows (`x_N = p + R x_B`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pose {
    /// The origin, components in the inertial frame.
    pub position: [f64; 3],
    /// From components in the body to components in the inertial frame.
    pub rotation: [[f64; 3]; 3],
}

/// A force or torque over time; components in the inertial frame, one entry per frame.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadTrack {
    /// Which load.
    pub load: LoadId,
    /// Where it acts.
    pub at: Vec<[f64; 3]>,
    /// Where the reaction acts, if elsewhere.
    pub reaction: Option<Vec<[f64; 3]>>,
    /// The force in newtons or the torque in newton metres.
    pub vector: Vec<[f64; 3]>,
}

/// What an animation needs, at fewer times than the results.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frames {
    /// The times.
    pub times: Vec<f64>,
    /// One list per body, in the order of the model, one pose per frame.
    pub bodies: Vec<Vec<Pose>>,
    /// Forces and torques.
    pub loads: Vec<LoadTrack>,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// At the final time.
    Finished,
    /// By the statement `stop` of an event.
    Stopped,
    /// On request.
    Interrupted,
    /// Because the computation could not go on.
    Failed,
}

impl Ending {
    /// Whether the motion ended where its text says: at the final time, or by `stop`.
    pub fn is_complete(self) -> bool {
        matches!(self, Ending::Finished | Ending::Stopped)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ending::Finished => "finished",
            Ending::Stopped => "stopped",
            Ending::Interrupted => "interrupted",
            Ending::Failed => "failed",
        })
    }
}

/// How a motion begins.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Beginning {
    /// What assembly did; nothing where no loop had to be closed.
    pub assembly: Option<Assembled>,
    /// Time derivatives of the speeds at the start, in SI units.
    pub accelerations: Vec<f64>,
}

impl Beginning {
    /// The singular position that it begins in, if it is one.
    pub fn fork(&self) -> Option<&Fork> {
        self.assembly.as_ref()?.fork.as_ref()
    }
}

/// The result of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Trajectory {
    /// What the rows hold; the first is the time.
    pub columns: Vec<Column>,
    /// One row per sample, in SI units.
    pub rows: Rows,
    /// How it began.
    pub beginning: Beginning,
    /// For the animation.
    pub frames: Frames,
    /// The energy audit.
    pub audit: Audit,
    /// How it ended.
    pub ending: Ending,
    /// Why it ended, in words.
    pub reason: String,
    /// The last time reached.
    pub reached: f64,
    /// What it cost.
    pub statistics: Stats,
    /// Changes of method on the way.
    pub switches: Vec<Switch>,
    /// Singular positions across which a step without error test carried the motion.
    pub passages: Vec<Passage>,
    /// The constraint that parted from those it had repeated; the motion ends there.
    pub parting: Option<Parting>,
    /// How often the independent coordinates were chosen anew.
    pub partitions: usize,
    /// Stretches near dead points that interrupted the closed form.
    pub handovers: Vec<Handover>,
    /// What happened at instants.
    pub happenings: Happenings,
    /// Times at which the model switches; the integrator ended a step at each.
    pub breakpoints: Vec<f64>,
    /// How many times something switched with the state; the integrator ended a step at each.
    pub crossings: usize,
    /// Stretches of time on which a switch held the motion where its sides meet.
    pub slides: Vec<Slide>,
    /// Largest departure of Euler parameters from unit norm before they were pulled back.
    pub norm_drift: f64,
    /// Largest residuals of constraints, of position and of velocity, after a step; nothing for a tree.
    pub left_open: Option<(f64, f64)>,
    /// What time stepping over contacts took; nothing for other methods.
    pub contacts: Option<ContactReport>,
    /// What a reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

impl Trajectory {
    /// The times.
    pub fn times(&self) -> Vec<f64> {
        self.rows.column(0)
    }
    /// The index of the column of this name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }
    /// The numbers of this name over time, in SI units.
    pub fn series(&self, name: &str) -> Option<Vec<f64>> {
        self.index_of(name).map(|c| self.rows.column(c))
    }
    /// The last number of this name, in SI units.
    pub fn last(&self, name: &str) -> Option<f64> {
        let c = self.index_of(name)?;
        self.rows.iter().next_back().map(|row| row[c])
    }
}

#[cfg(test)]
mod tests {
    use crate::record::trajectory::*;

    #[test]
    fn a_column_knows_its_heading_and_scale() {
        let c = Column::new(&Label::new("v", "km/h", "speed"), ColumnKind::Output);
        assert_eq!(c.heading(), "v [km/h]");
        assert!((c.scale * 10.0 - 36.0).abs() < 1e-12);
        assert_eq!(Column::new(&Label::named("n"), ColumnKind::Output).heading(), "n [1]");
    }

    #[test]
    fn rows_are_columns_too() {
        let mut rows = Rows::new(2);
        rows.push(&[0.0, 1.0]);
        rows.push(&[0.5, 2.0]);
        assert_eq!((rows.len(), rows.column(1), rows.row(1)), (2, vec![1.0, 2.0], &[0.5, 2.0][..]));
    }
}
