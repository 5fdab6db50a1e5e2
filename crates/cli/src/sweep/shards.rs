//! Shards: parts of one sweep on several machines, and their merging.
//!
//! ```text
//! [shard]    motion k belongs to shard 1 + (k mod N)
//! ```
//!
//! A shard has a folder with a journal of its own below the folder of the sweep, `shard-3-of-16`. All journals have the
//! header of the sweep: what is merged was computed from the same files, by the same command and program. A motion
//! does not depend on those beside it, so merged results are those of the sweep on one machine.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::exit::Problem;
use crate::sweep::JOURNAL;
use crate::sweep::journal::Journal;

/// A part of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Its number, from 1 on.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// The shard of a text such as `3/16`.
    pub fn parse(text: &str) -> Result<Shard, Problem> {
        let wrong = || {
            Problem::usage(format!("`{text}` is no shard"))
                .hint("write --shard K/N, the K-th of N, from 1/N to N/N: --shard 3/16")
        };
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let parsed = |s: &str| s.trim().parse::<usize>().map_err(|_| wrong());
        let shard = Shard { number: parsed(number)?, of: parsed(of)? };
        if shard.number == 0 || shard.number > shard.of { Err(wrong()) } else { Ok(shard) }
    }

    /// Whether a motion belongs to it. [shard]
    pub fn has(self, member: usize) -> bool {
        member % self.of == self.number - 1
    }

    /// Its folder below that of the sweep.
    pub fn folder(self, sweep: &Path) -> PathBuf {
        sweep.join(format!("shard-{}-of-{}", self.number, self.of))
    }
}

/// Takes over what the shards below a folder have finished; how many journals there were.
pub fn merge(sweep: &Path, header: &Value, journal: &mut Journal) -> Result<usize, Problem> {
    let failed = |e: std::io::Error| Problem::failed(format!("{} could not be read: {e}", sweep.display()));
    let mut folders = vec![];
    for entry in std::fs::read_dir(sweep).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_shard = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("shard-"));
        if is_shard && path.join(JOURNAL).is_file() {
            folders.push(path);
        }
    }
    folders.sort();
    for folder in &folders {
        let shard = Journal::open(&folder.join(JOURNAL), header, false)?;
        for (member, entry) in &shard.entries {
            if !journal.entries.contains_key(member) {
                journal.add(*member, entry.clone()).map_err(failed)?;
            }
        }
    }
    Ok(folders.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_motion_is_in_one_shard() {
        for of in 1..8 {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            assert!((0..100).all(|k| shards.iter().filter(|s| s.has(k)).count() == 1));
        }
        assert_eq!(Shard::parse("3/16").unwrap(), Shard { number: 3, of: 16 });
        for wrong in ["0/4", "5/4", "3", "a/b", "1/0", "-1/3"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
    }
}
