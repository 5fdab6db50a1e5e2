//! What is finished, on disk: a file that only grows.
//!
//! ```text
//! [journal]   header line (JSON: what is computed)  record  record  …
//! [record]    length of payload (u32)  payload  checksum of payload (u64, FNV-1a)
//! [payload]   member (u64)  ending (u8)  time reached (f64)  numbers (f64 …)      all little-endian
//! ```
//!
//! A record is written by one call as soon as its motion has ended, so that what is finished survives the end of the program in
//! whatever way it comes. A record that was cut off fails its checksum and is removed when the journal is opened again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use cardan::sim::Ending;
use serde_json::Value;

use crate::checksum::checksum;
use crate::exit::Problem;
use crate::sweep::fingerprint;

/// What is kept of one motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub ending: Ending,
    pub reached: f64,
    pub numbers: Vec<f64>,
}

/// An open journal, to be continued.
pub struct Journal {
    file: File,
    /// What is finished, by member.
    pub entries: BTreeMap<usize, Entry>,
}

fn encode(member: usize, entry: &Entry) -> Vec<u8> {
    let ending = match entry.ending {
        Ending::Finished => 0u8,
        Ending::Interrupted => 1,
        Ending::Failed => 2,
        Ending::Stopped => 3,
    };
    let mut payload = (member as u64).to_le_bytes().to_vec();
    payload.push(ending);
    payload.extend(entry.reached.to_le_bytes());
    entry.numbers.iter().for_each(|x| payload.extend(x.to_le_bytes()));
    let mut record = (payload.len() as u32).to_le_bytes().to_vec();
    record.extend(&payload);
    record.extend(checksum(&payload).to_le_bytes());
    record
}

/// The first record of `bytes` and its length; nothing if it is incomplete or damaged.
fn decode(bytes: &[u8]) -> Option<(usize, Entry, usize)> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let payload = bytes.get(4..4 + length)?;
    if number(4 + length)? != checksum(payload) || length < 17 || !(length - 17).is_multiple_of(8) {
        return None;
    }
    let ending = match payload[8] {
        0 => Ending::Finished,
        1 => Ending::Interrupted,
        3 => Ending::Stopped,
        _ => Ending::Failed,
    };
    let floats: Option<Vec<f64>> =
        (13..4 + length).step_by(8).map(|at| number(at).map(f64::from_bits)).collect();
    let (reached, numbers) = floats?.split_first().map(|(first, rest)| (*first, rest.to_vec()))?;
    Some((usize::try_from(number(4)?).ok()?, Entry { ending, reached, numbers }, 4 + length + 8))
}

impl Journal {
    /// Opens the journal of what `header` describes, or begins it. A journal of something else is refused unless `fresh`. Nothing is
    /// changed before the journal is known to be in nobody else's use.
    pub fn open(path: &Path, header: &Value, fresh: bool) -> Result<Journal, Problem> {
        let failed = |e: io::Error| Problem::failed(format!("{} could not be opened: {e}", path.display()));
        let line = format!("{header}\n");
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message =
                    format!("another sweep is at work in {}", path.parent().unwrap_or(path).display());
                return Err(Problem::failed(message).hint("wait for it, or choose another folder with --out"));
            }
            // Where files cannot be locked, nobody is kept out.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        let mut bytes = vec![];
        file.read_to_end(&mut bytes).map_err(failed)?;
        // A header that was cut off has nothing behind it.
        if fresh || !bytes.contains(&b'\n') {
            file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
            file.write_all(line.as_bytes()).map_err(failed)?;
            return Ok(Journal { file, entries: BTreeMap::new() });
        }
        if !bytes.starts_with(line.as_bytes()) {
            let earlier = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
            let changed = fingerprint::difference(&String::from_utf8_lossy(earlier), header);
            let message = format!("{} belongs to another sweep; changed: {changed}", path.display());
            return Err(Problem::wrong(message).hint("--fresh begins anew, --out keeps both"));
        }
        let mut entries = BTreeMap::new();
        let mut at = line.len();
        while let Some((member, entry, length)) = decode(&bytes[at..]) {
            entries.insert(member, entry);
            at += length;
        }
        file.set_len(at as u64).map_err(failed)?;
        file.seek(SeekFrom::Start(at as u64)).map_err(failed)?;
        Ok(Journal { file, entries })
    }

    /// Writes down what came of a member.
    pub fn add(&mut self, member: usize, entry: Entry) -> io::Result<()> {
        self.file.write_all(&encode(member, &entry))?;
        self.entries.insert(member, entry);
        Ok(())
    }

    /// Everything has reached the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

/// A process that is being started holds copies of all open files until its program begins, and with them their locks. So the lock
/// is given back by name and not by closing the file.
impl Drop for Journal {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what fails fails the test")]

    use super::*;

    fn entry(k: usize) -> Entry {
        Entry { ending: Ending::Finished, reached: 2.0, numbers: vec![k as f64, -0.5, f64::INFINITY] }
    }

    /// Cut off anywhere, a journal keeps all complete records and nothing else, and goes on from there.
    #[test]
    fn a_journal_survives_every_cut() {
        let folder = std::env::temp_dir().join(format!("cardan-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("sweep.journal");
        let value = serde_json::json!({ "a": 1 });
        let header = value.to_string();
        let mut journal = Journal::open(&path, &value, true).unwrap();
        for k in 0..3 {
            journal.add(k, entry(k)).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let record = (whole.len() - header.len() - 1) / 3;
        for cut in header.len() + 1..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut journal = Journal::open(&path, &value, false).unwrap();
            let complete = (cut - header.len() - 1) / record;
            assert_eq!(journal.entries, (0..complete).map(|k| (k, entry(k))).collect());
            for k in complete..3 {
                journal.add(k, entry(k)).unwrap();
            }
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        let mut damaged = whole.clone();
        damaged[header.len() + 1 + record + 9] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(Journal::open(&path, &value, false).unwrap().entries.len(), 1);
        assert!(Journal::open(&path, &serde_json::json!({ "a": 2 }), false).is_err());
        let first = Journal::open(&path, &value, false).unwrap();
        assert!(Journal::open(&path, &value, false).is_err(), "one at a time");
        assert!(Journal::open(&path, &value, true).is_err(), "not even to begin anew");
        assert_eq!(std::fs::read(&path).unwrap().len(), header.len() + 1 + record, "left as it was");
        drop(first);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
