//! Files of a run: written apart, and put into the folder as a whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Problem;
use crate::transaction::Transaction;

/// The files of a run.
pub struct Saved {
    results: Option<Transaction>,
    /// Where they are; until they are delivered, where they will be.
    pub paths: Vec<PathBuf>,
    /// Why they are not there.
    pub problems: Vec<Problem>,
}

impl Saved {
    /// Nothing so far. The table goes to `csv`, and `written` is what became of it.
    pub fn new(results: Transaction, csv: &Path, written: io::Result<()>) -> Saved {
        let mut saved = Saved { results: Some(results), paths: vec![], problems: vec![] };
        if let Err(error) = written {
            let name = csv.file_name().unwrap_or_default().to_string_lossy();
            saved.problems.push(Problem::failed(format!("{name} could not be written: {error}")));
        }
        saved.list();
        saved
    }

    /// Writes a file, or remembers why not.
    pub fn write(&mut self, name: &str, bytes: &[u8]) {
        let Some(results) = &mut self.results else { return };
        if let Err(problem) = results.write(name, bytes) {
            self.problems.push(problem);
        }
        self.list();
    }

    /// Puts all files into the folder, unless one of them could not be written: earlier results stay then.
    pub fn deliver(&mut self) {
        if let Some(results) = self.results.take().filter(|_| self.problems.is_empty())
            && let Err(problem) = results.commit()
        {
            self.problems.push(problem);
        }
        if !self.problems.is_empty() {
            self.paths.clear();
        }
    }

    fn list(&mut self) {
        self.paths = self.results.as_ref().map_or(vec![], Transaction::places);
    }
}
