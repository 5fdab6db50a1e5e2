//! The command as people and programs use it: texts in, files, messages and exit codes out.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

mod folder;

mod runs;

mod ask;
mod bound;
#[cfg(unix)]
mod bounds;
mod confined;
mod durability;
mod held;
mod hybrid;
mod imports;
mod instances;
mod limits;
#[cfg(unix)]
mod native;
mod pages;
mod parted;
mod reactions;
mod shown;
mod slips;
mod spared;
mod stages;
mod stale;
mod sweep;
#[cfg(unix)]
mod watch;
mod written;
