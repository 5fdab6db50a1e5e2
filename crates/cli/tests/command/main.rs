//! The command as people and programs use it: texts in, files, messages and exit codes out.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

mod folder;

mod runs;

mod ask;
mod bound;
mod held;
mod hybrid;
mod imports;
mod limits;
#[cfg(unix)]
mod native;
mod parted;
mod reactions;
mod shown;
mod slips;
mod spared;
mod sweep;
mod written;
