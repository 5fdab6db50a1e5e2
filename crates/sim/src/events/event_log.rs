//! What happened, and when.

use cardan_lower::{EventProgram, Happens};

/// More events than this are counted but not listed.
pub const LIMIT: usize = 100_000;

/// An event that happened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Happening {
    /// When.
    pub t: f64,
    /// Which: its number in the text.
    pub event: usize,
}

/// All events of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Happenings {
    /// The name of each event of the model: its description, or its head as written.
    pub names: Vec<String>,
    /// Whether each is a sampled block, whose times are known without a list.
    pub sampled: Vec<bool>,
    /// How often each happened.
    pub counts: Vec<usize>,
    /// The events `when` in the order in which they happened; no more than [`LIMIT`].
    pub list: Vec<Happening>,
}

impl Happenings {
    /// None yet, of the events of a program.
    pub fn of(program: &EventProgram) -> Self {
        Happenings {
            names: program.events.iter().map(|e| e.name.clone()).collect(),
            sampled: program.events.iter().map(|e| matches!(e.happens, Happens::Every { .. })).collect(),
            counts: vec![0; program.events.len()],
            list: vec![],
        }
    }

    pub(crate) fn note(&mut self, t: f64, event: usize) {
        self.counts[event] += 1;
        if !self.sampled[event] && self.list.len() < LIMIT {
            self.list.push(Happening { t, event });
        }
    }

    /// The name of an event that happened.
    pub fn name(&self, happening: &Happening) -> &str {
        self.names.get(happening.event).map_or("", String::as_str)
    }
    /// How many events `when` there were.
    pub fn n_events(&self) -> usize {
        self.counts.iter().zip(&self.sampled).filter(|(_, sampled)| !**sampled).map(|(n, _)| n).sum()
    }
    /// How often sampled blocks ran.
    pub fn n_samples(&self) -> usize {
        self.counts.iter().zip(&self.sampled).filter(|(_, sampled)| **sampled).map(|(n, _)| n).sum()
    }
}
