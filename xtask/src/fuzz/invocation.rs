//! One command under limits of memory and time.

use std::path::Path;
use std::process::{Command, Stdio};

/// Address space, in KiB: 2 GiB.
const MEMORY: u32 = 2 << 20;
/// Seconds of a processor.
const PROCESSOR: u32 = 10;
/// Seconds after which a command is asked to stop, and the seconds that it has to do so. A busy machine lets commands wait for the
/// processor, so these are more than [`PROCESSOR`].
const ELAPSED: [u32; 2] = [60, 20];

/// A command with its words, in a folder.
pub struct Invocation<'a> {
    pub command: &'a Path,
    pub words: &'a [&'a str],
    pub folder: &'a Path,
}

/// How a command ended.
pub enum Ending {
    /// With an exit code that it documents: 0 done, 1 wrong, 2 usage, 3 failed.
    Documented(i32),
    /// A motion that goes on for long stopped when it was asked to.
    Stopped,
    /// In a way in which no input may end it.
    Failed(String),
}

impl Invocation<'_> {
    /// Runs the command. A motion may be long, and is asked to stop then; everything else has to end by itself.
    pub fn run(&self) -> Ending {
        let moves = matches!(self.words[0], "run" | "sweep" | "verify");
        let processor = if moves { String::new() } else { format!("ulimit -t {PROCESSOR}; ") };
        let limits = format!(
            "ulimit -v {MEMORY}; ulimit -c 0; {processor}\
             exec timeout --preserve-status -s INT -k {} {} \"$0\" \"$@\"",
            ELAPSED[1], ELAPSED[0],
        );
        let output = Command::new("sh")
            .args(["-c", &limits])
            .arg(self.command)
            .args(self.words)
            .current_dir(self.folder)
            // Threads share their memory, so that the limit is one of use.
            .env("MALLOC_ARENA_MAX", "2")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output();
        let output = match output {
            Ok(output) => output,
            Err(error) => return Ending::Failed(format!("cannot be started: {error}")),
        };
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("panicked at") {
            let line = said.lines().find(|l| l.contains("panicked at")).unwrap_or_default();
            return Ending::Failed(format!("a panic: {line}"));
        }
        match output.status.code() {
            Some(3) if said.contains("stopped on request") => Ending::Stopped,
            // 130: ended by the request itself. That happens before a motion begins, and in a verification.
            Some(130) if moves => Ending::Stopped,
            Some(code @ 0..=3) => Ending::Documented(code),
            Some(130 | 137 | 143) | None => Ending::Failed(format!(
                "over the limits or killed ({}): {}",
                output.status,
                said.lines().last().unwrap_or_default()
            )),
            Some(code) => {
                Ending::Failed(format!("exit code {code}: {}", said.lines().last().unwrap_or_default()))
            }
        }
    }
}
