//! Transactions of result files: staged beside the earlier results, moved over them as a whole.
//!
//! ```text
//! FOLDER/.cardan/lock      held while a process is at work; says which
//! FOLDER/.cardan/new/      files that are being written
//! FOLDER/.cardan/whole/    the same folder after the commit: complete, on its way into FOLDER
//! ```
//!
//! The rename of `new` to `whole` is the commit. Before it the earlier results are as they were, and what is left of `new` is removed by the
//! next command. After it the files are moved one by one, which needs no room on the disk. Commit and moves are the work of a process of
//! its own ([`commit_in`]), which holds the lock as well: who ends the command by force does not end that one. Where that one ends too,
//! the next command in the folder finishes the moves first.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use crate::exit::Problem;
use crate::files;
use crate::program::RunningProgram;

/// The folder of the transaction within that of the results.
const HIDDEN: &str = ".cardan";
/// The verb of the process that commits; nobody types it.
pub const COMMIT: &str = "commit-results";
/// How often the lock is tried anew when another process removes it at the same moment.
const TRIES: usize = 100;

/// Result files of one command on their way into a folder. Dropped before [`Transaction::commit`], it leaves everything as it was.
pub struct Transaction {
    folder: PathBuf,
    /// Folders that did not exist before, the innermost first.
    made: Vec<PathBuf>,
    /// Names of the files, relative to the folder, in the order in which they were claimed.
    names: Vec<PathBuf>,
    lock: File,
}

impl Transaction {
    /// Begins to write results into a folder, which is made if it does not exist. Another process at work there is an error.
    pub fn begin(folder: &Path) -> Result<Transaction, Problem> {
        let made = files::missing_folders(folder);
        let begun = files::make_folder(folder).and_then(|()| lock(folder));
        let transaction = match begun {
            Ok(lock) => Transaction { folder: folder.to_owned(), made, names: vec![], lock },
            Err(problem) => {
                files::unmake_folders(&made);
                return Err(problem);
            }
        };
        let failed =
            |e: io::Error| Problem::failed(format!("{} could not be written: {e}", folder.display()));
        move_all(folder).map_err(failed)?;
        let new = transaction.part("new");
        remove(&new).and_then(|()| fs::create_dir(&new)).map_err(failed)?;
        Ok(transaction)
    }

    /// Finishes the commit of a process that ended in the midst of it, so that results are read as a whole.
    pub fn finish(folder: &Path) -> Result<(), Problem> {
        let pending = folder.join(HIDDEN).join("whole").is_dir();
        if pending { Transaction::begin(folder).map(drop) } else { Ok(()) }
    }

    /// Where a file of the results is written until the commit. A name that leads elsewhere, a file that the command reads, and a folder
    /// in the place of the file are refused.
    pub fn claim(&mut self, name: &str) -> Result<PathBuf, Problem> {
        let relative = Path::new(name);
        if !relative.components().all(|c| matches!(c, Component::Normal(_))) || name.is_empty() {
            return Err(Problem::failed(format!(
                "`{name}` is no name of a file in {}",
                self.folder.display()
            )));
        }
        let place = self.folder.join(relative);
        files::spare(&place)?;
        let taken = |what: &str, at: &Path| {
            Problem::usage(format!("{} is a {what}, and a result would take its place", at.display()))
                .hint("remove or rename it, or choose another folder with --out")
        };
        if place.is_dir() {
            return Err(taken("folder", &place));
        }
        let parent = relative.parent().filter(|p| !p.as_os_str().is_empty());
        if let Some(parent) = parent {
            let above = self.folder.join(parent);
            if above.exists() && !above.is_dir() {
                return Err(taken("file", &above));
            }
            files::make_folder(&self.part("new").join(parent))?;
        }
        if self.names.iter().all(|known| known != relative) {
            self.names.push(relative.to_owned());
        }
        Ok(self.part("new").join(relative))
    }

    /// Writes a whole file of the results; where it will be.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<PathBuf, Problem> {
        let (staged, place) = (self.claim(name)?, self.folder.join(name));
        match fs::write(&staged, bytes) {
            Ok(()) => Ok(place),
            Err(error) => {
                let _ = fs::remove_file(&staged);
                Err(Problem::failed(format!("{} could not be written: {error}", place.display())))
            }
        }
    }

    /// Where the files will be that have been written so far.
    pub fn places(&self) -> Vec<PathBuf> {
        let new = self.part("new");
        self.names.iter().filter(|n| new.join(n).exists()).map(|n| self.folder.join(n)).collect()
    }

    /// Puts all files into their places.
    pub fn commit(self) -> Result<(), Problem> {
        self.delegate();
        // Nothing is left to do where that succeeded.
        commit_in(&self.folder)
            .map_err(|e| Problem::failed(format!("{} could not be written: {e}", self.folder.display())))
    }

    /// Lets a process of its own commit, if there can be one. It is in a group of its own, where Control-C does not reach it, and has the
    /// lock as its standard input, which keeps the folder locked until it has ended.
    fn delegate(&self) {
        let (Some((program, first)), Ok(lock)) =
            (RunningProgram::running().start.split_first(), self.lock.try_clone())
        else {
            return;
        };
        let mut command = Command::new(program);
        command.args(first).args([COMMIT, "--"]).arg(&self.folder);
        command.stdin(lock).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let _ = command.status();
    }

    fn part(&self, name: &str) -> PathBuf {
        self.folder.join(HIDDEN).join(name)
    }
}

/// Commits the transaction in a folder, or goes on with its commit: the rename, then the moves.
pub fn commit_in(folder: &Path) -> io::Result<()> {
    let [new, whole] = ["new", "whole"].map(|part| folder.join(HIDDEN).join(part));
    if new.is_dir() {
        fs::rename(new, &whole)?;
    }
    move_all(folder)
}

/// Moves the files of a committed transaction into the folder.
fn move_all(folder: &Path) -> io::Result<()> {
    let whole = folder.join(HIDDEN).join("whole");
    if !whole.is_dir() {
        return Ok(());
    }
    move_below(&whole, folder)?;
    fs::remove_dir(whole)
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let _ = remove(&self.part("new"));
        // Files that could not be moved are left for the next command.
        if !self.part("whole").exists() {
            let _ = fs::remove_file(self.part("lock"));
            let _ = fs::remove_dir(self.folder.join(HIDDEN));
        }
        files::unmake_folders(&self.made);
    }
}

/// Moves all files below a folder to the same places below another.
fn move_below(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&place)?;
            move_below(&entry.path(), &place)?;
            fs::remove_dir(entry.path())?;
        } else {
            fs::rename(entry.path(), place)?;
        }
    }
    Ok(())
}

/// Removes a folder with all that it holds, if it is there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The lock of a folder, with this process written into it.
fn lock(folder: &Path) -> Result<File, Problem> {
    let hidden = folder.join(HIDDEN);
    let failed = |e: &io::Error| Problem::failed(format!("{} could not be written: {e}", hidden.display()));
    let path = hidden.join("lock");
    for _ in 0..TRIES {
        match fs::create_dir(&hidden) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&error)),
            _ => {}
        }
        if !fs::symlink_metadata(&hidden).is_ok_and(|m| m.is_dir()) {
            if !hidden.exists() {
                continue;
            }
            let message = format!("{} is not a folder of this program", hidden.display());
            return Err(Problem::wrong(message).hint("remove it, or choose another folder with --out"));
        }
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened.map_err(|e| failed(&e))?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(busy(folder, &mut file)),
            // Where files cannot be locked, nobody is kept out.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        // The process that held the lock may have removed it after it was opened here.
        if is_at(&file, &path) {
            let words: Vec<String> = std::env::args().skip(1).collect();
            let said = format!("process {}, `cardan {}`", std::process::id(), words.join(" "));
            file.set_len(0).and_then(|()| file.write_all(said.as_bytes())).map_err(|e| failed(&e))?;
            return Ok(file);
        }
    }
    Err(Problem::failed(format!("{} could not be locked", folder.display())))
}

/// Another process is at work in the folder.
fn busy(folder: &Path, lock: &mut File) -> Problem {
    let mut said = vec![];
    // The name of the process is a help and no more: a lock that has just been made is still empty.
    let _ = lock.take(1000).read_to_end(&mut said);
    let who = String::from_utf8_lossy(&said);
    let who = if who.is_empty() { "another process".into() } else { who };
    Problem::failed(format!("another command is at work in {}: {who}", folder.display()))
        .hint("wait for it, or choose another folder with --out")
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if same(&a, &b))
}

/// Whether an open file is the one at this path: an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what fails fails the test")]

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("cardan-transaction-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    fn texts(folder: &Path) -> [String; 2] {
        ["a.txt", "below/b.txt"].map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default())
    }

    #[test]
    fn files_appear_together_or_not_at_all() {
        let folder = folder("whole");
        let write = |text: &str| {
            let mut t = Transaction::begin(&folder).unwrap();
            t.write("a.txt", text.as_bytes()).unwrap();
            t.write("below/b.txt", text.as_bytes()).unwrap();
            t
        };
        drop(write("never"));
        assert!(!folder.exists());
        write("old").commit().unwrap();
        assert_eq!(texts(&folder), ["old", "old"]);
        drop(write("never"));
        assert_eq!(texts(&folder), ["old", "old"]);
        write("new").commit().unwrap();
        assert_eq!(texts(&folder), ["new", "new"]);
        assert!(!folder.join(HIDDEN).exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Cut off after each step of the commit: the next transaction finishes what was committed and removes what was not.
    #[test]
    fn a_commit_that_was_cut_off_is_finished() {
        let folder = folder("cut");
        for moved in 0..3 {
            fs::create_dir_all(folder.join(".cardan/whole/below")).unwrap();
            for (k, name) in ["a.txt", "below/b.txt"].into_iter().enumerate() {
                fs::create_dir_all(folder.join("below")).unwrap();
                let text = format!("new {moved}");
                let (old, whole) = (folder.join(name), folder.join(".cardan/whole").join(name));
                fs::write(&old, if k < moved { &text } else { "old" }).unwrap();
                if k >= moved {
                    fs::write(whole, &text).unwrap();
                }
            }
            drop(Transaction::begin(&folder).unwrap());
            assert_eq!(texts(&folder), [format!("new {moved}"), format!("new {moved}")]);
            fs::create_dir_all(folder.join(".cardan/new")).unwrap();
            fs::write(folder.join(".cardan/new/a.txt"), "torn").unwrap();
            drop(Transaction::begin(&folder).unwrap());
            assert_eq!(texts(&folder), [format!("new {moved}"), format!("new {moved}")]);
            assert!(!folder.join(HIDDEN).exists());
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn one_process_works_in_a_folder() {
        let folder = folder("lock");
        let first = Transaction::begin(&folder).unwrap();
        let refused = Transaction::begin(&folder).err().unwrap();
        assert!(refused.message.contains(&format!("process {}", std::process::id())), "{}", refused.message);
        drop(first);
        drop(Transaction::begin(&folder).unwrap());
        assert!(!folder.exists());
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let folder = folder("names");
        let mut t = Transaction::begin(&folder).unwrap();
        for name in ["", "../a", "/a", "a/../../b", "./a/../b"] {
            assert!(t.claim(name).is_err(), "{name}");
        }
        fs::create_dir(folder.join("taken")).unwrap();
        assert!(t.claim("taken").is_err());
        fs::write(folder.join("file"), "").unwrap();
        assert!(t.claim("file/below").is_err());
        drop(t);
        fs::remove_dir_all(&folder).unwrap();
    }
}
