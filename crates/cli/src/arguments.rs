//! The command line: verbs, options, examples.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::sweep::arguments::Sweep;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Cyan.on_default().bold())
    .usage(AnsiColor::Cyan.on_default().bold())
    .literal(AnsiColor::Green.on_default())
    .placeholder(AnsiColor::Yellow.on_default());

/// Describe a mechanism; get its equations, its motion and a page that shows both.
#[derive(Debug, Parser)]
#[command(
    name = "cardan",
    version,
    styles = STYLES,
    about = "A compiler and simulator for mechanical systems",
    after_help = "Examples:
  cardan new swing                     write swing.mbs, a pendulum to start from
  cardan run swing.mbs                 simulate it; results and a page in results/swing
  cardan show equations swing.mbs      the equations of motion
  cardan check *.mbs                   look for mistakes without running

Exit codes: 0 done, 1 the model or its data are wrong, 2 wrong usage, 3 the computation failed."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Write a small model to start from
    #[command(after_help = "Examples:
  cardan new swing
  cardan new crane --template double-pendulum
  cardan new chain --template n-pendulum --links 200")]
    New(New),
    /// Look for mistakes in models without running them
    #[command(after_help = "Example:\n  cardan check models/*.mbs")]
    Check(Files),
    /// Show what a model became: structure, formulas, program
    #[command(after_help = "Examples:
  cardan show topology arm.mbs         which body hangs on which
  cardan show equations arm.mbs --formalism kane
  cardan show program arm.mbs --json   every operation, for programs")]
    Show(Show),
    /// Simulate a model; leaves a folder with results.csv, summary.json and report.html
    #[command(after_help = "Examples:
  cardan run arm.mbs
  cardan run arm.mbs --set k=12[N/m] --set 'arm.q=30 [deg]' --to 5
  cardan run arm.mbs --method radau5 --rtol 1e-8 --out trial --figures svg")]
    Run(Box<Run>),
    /// Simulate a model many times with other parameters and starts; goes on where it was interrupted
    #[command(after_help = "Examples:
  cardan sweep arm.mbs --vary L=0.5..2[m]:31
  cardan sweep arm.mbs --vary 'q=-90..90 [deg]:19' --vary k=1,2,5 --to 5
  cardan sweep arm.mbs --vary 'm=normal(2 [kg], 50 [g])' --vary L=0.9..1.1 --samples 1000 --seed 7")]
    Sweep(Box<Sweep>),
    /// Count the operations of the equations by each formalism
    #[command(after_help = "Example:\n  cardan count arm.mbs")]
    Count(OneFile),
    /// Say what becomes of a robot described in another format: URDF or MJCF
    #[command(after_help = "Examples:
  cardan import robot.urdf
  cardan import humanoid.urdf --free --strict

Every verb reads such files as it reads model texts: cardan run robot.urdf")]
    Import(OneFile),
    /// Lay out model texts in the canonical way
    #[command(after_help = "Examples:
  cardan fmt arm.mbs                   rewrite in place
  cardan fmt --check models/*.mbs      say which would change; exit code 1 if any")]
    Fmt(Fmt),
}

#[derive(Debug, Args)]
pub struct New {
    /// The model's name; the file is NAME.mbs
    pub name: String,
    /// What to start from
    #[arg(long, value_enum, default_value_t = Template::Pendulum)]
    pub template: Template,
    /// Rods of the n-pendulum; 20 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=400))]
    pub links: Option<u16>,
}

/// Models to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// A rod on a pin
    Pendulum,
    /// Two rods, one on the other: chaos
    DoublePendulum,
    /// A mass on a spring and a damper, driven
    Oscillator,
    /// A spinning top on a ball joint, by Euler parameters
    Top,
    /// A pole on a cart
    CartPole,
    /// A chain of rods, as many as `--links` says
    NPendulum,
}

#[derive(Debug, Args)]
pub struct Files {
    /// Model texts
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct OneFile {
    /// A model text
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// How robots of other formats are read.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Robots of other formats")]
pub struct Reading {
    /// Let the root link of a URDF robot move freely in space instead of standing on the ground
    #[arg(long)]
    pub free: bool,
    /// Refuse what would otherwise be left out or mended with a warning
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub struct Show {
    /// What to show
    #[arg(value_enum)]
    pub what: What,
    /// A model text
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Derive the equations so; the cheapest formalism if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
}

/// What can be shown of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Parameters, bodies, joints, loads, outputs
    Model,
    /// Which body hangs on which, by which joint
    Topology,
    /// Angular velocities and velocities of mass centres
    Kinematics,
    /// The equations of motion
    Equations,
    /// The numeric program
    Program,
}

#[derive(Debug, Args)]
pub struct Run {
    /// A model text
    pub file: PathBuf,
    /// Give a parameter its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Which of the model's `simulate` blocks to run; the one without a name, or the first, if not given
    #[arg(long, value_name = "NAME")]
    pub experiment: Option<String>,
    /// Begin at this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End at this time, in seconds or with a unit: 90, 1.5[min]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Time between samples
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub every: Option<String>,
    /// Relative tolerance
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
    /// Absolute tolerance, in SI units
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub atol: Option<f64>,
    /// auto, dop853, dopri5, radau5 or rk4
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Step of a method with fixed steps
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// kane, recursive or articulated; the cheapest if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// Folder for the results; results/MODEL if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the plots as figures, too
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub figures: Option<Figures>,
    /// Interpret the program instead of compiling it to machine code
    #[arg(long)]
    pub interpret: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Formats of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Figures {
    /// Scalable vector graphics
    Svg,
    /// Pixels, at twice the resolution of a screen
    Png,
}

#[derive(Debug, Args)]
pub struct Fmt {
    /// Model texts
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; say which texts would change
    #[arg(long)]
    pub check: bool,
}
