//! A folder of a test's own, and the command run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The models of the library.
pub const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");

/// An empty folder that is removed at the end.
pub struct Folder(pub PathBuf);

/// What a command left: its exit code, standard output and standard error.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    /// A folder with one file in it.
    pub fn with(name: &str, file: &str, text: &str) -> Self {
        let folder = Folder::new(name);
        folder.write(file, text);
        folder
    }
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
    pub fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cardan"));
        command.args(words).current_dir(&self.0).stdin(Stdio::null());
        command
    }
    /// Runs the command, whatever comes of it.
    pub fn say(&self, words: &[&str]) -> Said {
        Said::new(self.command(words).output().unwrap())
    }
    /// Runs the command and checks its exit code.
    pub fn cardan(&self, words: &[&str], code: i32) -> Said {
        let said = self.say(words);
        assert_eq!(said.code, code, "{words:?}\n{}\n{}", said.out, said.err);
        said
    }
    /// Runs the command with `--json` and checks its exit code.
    pub fn json(&self, words: &[&str], code: i32) -> Value {
        self.cardan(&[words, &["--json"]].concat(), code).json()
    }
}

impl Said {
    pub fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}\n{}", self.out))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
