//! Follows a run: rows go to the file as they come, the bar moves, Ctrl-C stops, and so does a request to end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cardan::sim::{Column, Observer};
use indicatif::{ProgressBar, ProgressStyle};

use crate::files::{csv_cell, digits, time_digits};

static STOP: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// Who is asked to stop has this long to keep what was computed. Only a motion looks up; deriving, and writing a long page, do not.
const GRACE: Duration = Duration::from_secs(20);

/// Listens to Ctrl-C, and to SIGTERM and SIGHUP, from now on: the first asks to stop and ends the program after a while, the second at once.
pub fn listen() {
    HANDLER.call_once(|| {
        // Without a handler a signal ends the program at once; what is in the file by then stays. There is none where the program
        // was told to ignore one of them, as `nohup` does: it goes on after its terminal is gone.
        let _ = ctrlc::try_set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(3);
            }
            std::thread::spawn(|| {
                std::thread::sleep(GRACE);
                std::process::exit(3);
            });
        });
    });
}

/// Whether somebody asked to stop.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// What is in the buffer reaches the file at least this often.
const FLUSH: Duration = Duration::from_millis(500);

/// Writes rows and listens.
pub struct Watcher {
    path: PathBuf,
    /// Nothing before the motion begins: a motion that does not begin leaves no file, and that of another motion as it was.
    csv: Option<BufWriter<File>>,
    scales: Vec<f64>,
    line: String,
    error: Option<io::Error>,
    /// The file of the first motion and what went wrong with it, while the motion is repeated.
    first: Option<(PathBuf, Option<io::Error>)>,
    bar: Option<ProgressBar>,
    looked: Instant,
}

impl Watcher {
    /// Will write this file, and listens to requests to stop from now on ([`listen`]).
    pub fn new(csv: &Path, speaks: bool) -> Self {
        listen();
        let bar = (speaks && io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("  {bar:40.cyan/blue} {percent:>3} %  {eta} left");
            let bar = ProgressBar::new(1000);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Watcher {
            path: csv.to_owned(),
            csv: None,
            scales: vec![],
            line: String::new(),
            error: None,
            first: None,
            bar,
            looked: Instant::now(),
        }
    }

    /// Everything is in the file, or the reason why not.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        match self.error.take() {
            Some(error) => Err(error),
            None => self.csv.as_mut().map_or(Ok(()), BufWriter::flush),
        }
    }

    fn write_line(&mut self) {
        if self.error.is_none()
            && let Some(csv) = &mut self.csv
            && let Err(error) = csv.write_all(self.line.as_bytes())
        {
            self.error = Some(error);
        }
    }
}

impl Observer for Watcher {
    /// Rows of the repetition go to a file beside that of the first motion.
    fn repeat(&mut self) {
        if let Some(csv) = &mut self.csv
            && let Err(error) = csv.flush()
        {
            self.error = Some(error);
        }
        self.csv = None;
        self.first = Some((self.path.clone(), self.error.take()));
        self.path = self.path.with_extension("repeated.csv");
    }

    fn repeated(&mut self, accepted: bool) {
        let Some((path, error)) = self.first.take() else { return };
        let flushed = self.csv.take().map_or(Ok(()), |mut csv| csv.flush());
        let is_whole = accepted && self.error.is_none() && flushed.is_ok();
        let trial = std::mem::replace(&mut self.path, path);
        self.error = match is_whole {
            true => std::fs::rename(&trial, &self.path).err(),
            false if accepted => flushed.err().or(self.error.take()),
            false => error,
        };
        // A trial that was moved is no longer there.
        let _ = std::fs::remove_file(&trial);
    }

    fn begin(&mut self, columns: &[Column]) {
        match File::create(&self.path) {
            Ok(file) => self.csv = Some(BufWriter::with_capacity(1 << 16, file)),
            Err(error) => self.error = Some(error),
        }
        self.scales = columns.iter().map(|c| c.scale).collect();
        let names: Vec<String> = columns.iter().map(|c| csv_cell(&c.heading())).collect();
        self.line = names.join(",") + "\n";
        self.write_line();
    }

    fn row(&mut self, row: &[f64]) {
        self.line.clear();
        for (k, (value, scale)) in row.iter().zip(&self.scales).enumerate() {
            let comma = if k == 0 { "" } else { "," };
            // The first column is the time.
            let text = if k == 0 { time_digits(value * scale) } else { digits(value * scale) };
            let _ = write!(self.line, "{comma}{text}");
        }
        self.line.push('\n');
        self.write_line();
    }

    fn progress(&mut self, fraction: f64) -> bool {
        let now = Instant::now();
        if now.duration_since(self.looked) > FLUSH {
            self.looked = now;
            if self.error.is_none()
                && let Some(csv) = &mut self.csv
                && let Err(error) = csv.flush()
            {
                self.error = Some(error);
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_position((fraction * 1000.0) as u64);
        }
        // A file that cannot be written does not end the motion: its rows are kept until the end.
        !stop_requested()
    }
}
