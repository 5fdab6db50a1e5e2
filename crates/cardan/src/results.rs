//! Results of a simulation, with columns by name.

use std::ops::{Deref, Index};

use cardan_base::nearest;
use cardan_sim::{Parting, Trajectory};

use crate::Compiled;

/// A trajectory whose columns are read by name: `results["phi"]`, in SI units.
#[derive(Debug)]
pub struct Results {
    trajectory: Trajectory,
    columns: Vec<Vec<f64>>,
    /// The model compiled anew with the constraint row that lost its redundancy on the way, and that
    /// row; nothing where none did.
    pub recompiled: Option<(Box<Compiled>, Parting)>,
}

impl Results {
    pub(crate) fn new(trajectory: Trajectory, recompiled: Option<(Box<Compiled>, Parting)>) -> Self {
        let columns = (0..trajectory.columns.len()).map(|c| trajectory.rows.column(c)).collect();
        Results { trajectory, columns, recompiled }
    }

    /// The column of this name, in SI units; nothing if there is none.
    pub fn get(&self, name: &str) -> Option<&[f64]> {
        self.trajectory.index_of(name).map(|c| self.columns[c].as_slice())
    }

    /// The trajectory itself.
    pub fn into_trajectory(self) -> Trajectory {
        self.trajectory
    }
}

impl Deref for Results {
    type Target = Trajectory;
    fn deref(&self) -> &Trajectory {
        &self.trajectory
    }
}

impl Index<&str> for Results {
    type Output = [f64];
    /// The column of this name. As with a map, a name that is not there is a mistake of the caller;
    /// [`Results::get`] asks.
    fn index(&self, name: &str) -> &[f64] {
        self.get(name).unwrap_or_else(|| {
            let known = self.trajectory.columns.iter().map(|c| c.name.as_str());
            let hint = nearest(name, known).map_or(String::new(), |n| format!("; there is `{n}`"));
            panic!("the results have no column `{name}`{hint}")
        })
    }
}
