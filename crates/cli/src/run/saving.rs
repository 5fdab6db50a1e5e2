//! Keeping what came of a run: each file by itself, so that one that cannot be written takes no other with it.

use std::io;
use std::path::{Path, PathBuf};

use cardan::sim::{Observer, Trajectory};

use super::watcher::Watcher;
use crate::files;
use crate::outcome::Problem;

/// The files of a run.
#[derive(Default)]
pub struct Saved {
    /// Those that are there.
    pub paths: Vec<PathBuf>,
    /// Why others are not.
    pub problems: Vec<Problem>,
}

impl Saved {
    /// Writes a file, or remembers why not.
    pub fn write(&mut self, path: &Path, bytes: &[u8]) {
        let written = files::write(path, bytes);
        self.note(path, written);
    }

    /// Remembers what became of a file.
    pub fn note(&mut self, path: &Path, written: Result<(), Problem>) {
        match written {
            Ok(()) => self.paths.push(path.to_owned()),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Remembers what became of the table of rows. Where it could not be written, the rows go into another one beside it.
    pub fn table(&mut self, csv: &Path, written: io::Result<()>, trajectory: &Trajectory) {
        let Err(error) = written else { return self.paths.push(csv.to_owned()) };
        let mut problem = Problem::failed(format!("{} could not be written: {error}", csv.display()));
        let other = csv.with_file_name("results-1.csv");
        match write_rows(&other, trajectory) {
            Ok(()) => {
                problem = problem.hint(format!("the samples are in {}", other.display()));
                self.paths.push(other);
            }
            Err(_) => drop(std::fs::remove_file(&other)),
        }
        self.problems.push(problem);
    }
}

fn write_rows(path: &Path, trajectory: &Trajectory) -> io::Result<()> {
    let mut watcher = Watcher::new(path, false);
    watcher.begin(&trajectory.columns);
    trajectory.rows.iter().for_each(|row| watcher.row(row));
    watcher.finish()
}
