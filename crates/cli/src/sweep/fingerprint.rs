//! The fingerprint of a sweep: all inputs of the command that computes it.
//!
//! A motion follows from the files that were read, the words of the command line and the program that computes it, and from nothing else:
//! no stage below this layer reads a file, a clock or the environment. So these three are hashed as they are, and no list of settings and
//! values has to be complete. A change that leaves the motions as they were, in a comment for instance, makes another fingerprint as well.

use serde_json::{Value, json};

use crate::checksum::{checksum, checksum_of_many};
use crate::files;
use crate::program::RunningProgram;
use crate::sweep::arguments::Sweep;

/// What is compared, by its key in the header of a journal, and in words.
const INPUTS: [(&str, &str); 3] = [
    ("files", "a file that it reads, such as the model text"),
    ("arguments", "what varies, or another option of the command line"),
    ("program", "the program that computes it"),
];

/// The header of the journal of a sweep, after all files were read.
pub fn header(model: &str, members: usize, arguments: &Sweep) -> Value {
    json!({
        "journal": 2,
        "model": model,
        "members": members,
        "files": hex(files::inputs()),
        "arguments": hex(checksum(words(arguments).as_bytes())),
        "program": format!("{} {}", env!("CARGO_PKG_VERSION"), hex(executable())),
    })
}

/// What is different in the header of another journal, in words.
pub fn difference(earlier: &str, header: &Value) -> String {
    let earlier: Value = serde_json::from_str(earlier).unwrap_or_default();
    let changed = INPUTS.iter().filter(|(key, _)| earlier[*key] != header[*key]);
    let words: Vec<&str> = changed.map(|(_, words)| *words).collect();
    if words.is_empty() { "it is of another format".into() } else { words.join("; ") }
}

/// The command line without what cannot change a motion. All options are named, so that a new one has to be placed as well.
fn words(arguments: &Sweep) -> String {
    let Sweep {
        vary,
        design,
        samples,
        seed,
        set,
        bind,
        to,
        every,
        rtol,
        method,
        step,
        reading,
        // Files count by what they hold.
        file: _,
        threads: _,
        shard: _,
        merge: _,
        out: _,
        fresh: _,
        quiet: _,
    } = arguments;
    let bound: Vec<&str> = bind.iter().filter_map(|b| b.split_once('=')).map(|(name, _)| name).collect();
    format!("{:?}", (vary, design, samples, seed, set, (bound, to, every, rtol, method, step, reading)))
}

/// The program that is running; nothing where the system does not tell.
fn executable() -> u64 {
    std::fs::read(&RunningProgram::running().code).map_or(0, |bytes| checksum_of_many(&bytes))
}

fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}
