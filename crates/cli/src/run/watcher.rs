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

use crate::files::{digits, time_digits};

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

/// A heading as a cell of a comma-separated file.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

impl Observer for Watcher {
    fn begin(&mut self, columns: &[Column]) {
        match File::create(&self.path) {
            Ok(file) => self.csv = Some(BufWriter::with_capacity(1 << 16, file)),
            Err(error) => self.error = Some(error),
        }
        self.scales = columns.iter().map(|c| c.scale).collect();
        let names: Vec<String> = columns.iter().map(|c| cell(&c.heading())).collect();
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

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn headings_with_commas_are_quoted() {
        assert_eq!(cell("q [rad]"), "q [rad]");
        assert_eq!(cell("f(a, b) [1]"), "\"f(a, b) [1]\"");
    }
}
