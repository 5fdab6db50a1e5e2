//! A motion that goes on with a constraint that repeated others at the start.
//!
//! A row that says nothing new at the start is not kept. Where it says something later that the others allow, the right set of rows has
//! changed, and the motion is followed once more with all of them; where they contradict one another, there is no such motion.

use std::path::Path;

use cardan::model::Model;
use cardan::program::Host;
use cardan::sim::{Ending, Parting, Settings, Trajectory, Verdict};
use cardan::{Compiled, Options};

use super::watcher::Watcher;

/// The motion with a constraint kept that had parted from others, if it comes to its end and its energy is accounted for; its rows take
/// the place of those in the file `csv`.
pub fn go_on(
    model: &Model,
    options: Options,
    host: Host,
    settings: &Settings,
    parting: &Parting,
    csv: &Path,
) -> Option<(Compiled, Trajectory)> {
    let kept = cardan::compile_keeping(model, options, host, &[parting.place]).ok()?;
    let kept = kept.for_constraints(settings.constraints).ok()?;
    let trial = csv.with_extension("kept.csv");
    let mut watcher = Watcher::new(&trial, false);
    let motion = kept.simulation.run(settings, &mut watcher);
    let written = watcher.finish();
    let is_sound = |m: &Trajectory| {
        m.ending == Ending::Finished && !matches!(m.audit.verdict(), Verdict::Fails | Verdict::Doubtful)
    };
    let motion = motion.ok().filter(is_sound).filter(|_| written.is_ok());
    match motion {
        Some(motion) if std::fs::rename(&trial, csv).is_ok() => Some((kept, motion)),
        _ => {
            let _ = std::fs::remove_file(&trial);
            None
        }
    }
}
