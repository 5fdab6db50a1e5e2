//! The command line of the questions.

use std::path::PathBuf;

use clap::Args;

use crate::arguments::Reading;

/// What all questions have in common.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// A model text
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Give a parameter its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Take an external function from a C file or a shared library; may be repeated
    #[arg(long = "bind", value_name = "NAME=FILE")]
    pub bind: Vec<String>,
    /// Start on this assembly branch: a number that `cardan kinematics MODEL --branches` lists
    #[arg(long, value_name = "N")]
    pub branch: Option<usize>,
    /// kane, recursive, articulated or lagrange; absolute for large systems (equilibrium, modes, verify), natural (verify); the cheapest if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// Folder for the results; results/MODEL if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// About which state.
#[derive(Debug, Args)]
pub struct About {
    /// start, equilibrium, or a time that the motion from the start has reached
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Coordinates or speeds that are to be independent, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub keep: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Equilibrium {
    #[command(flatten)]
    pub common: Common,
    /// Hold a coordinate at its start or at a value; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub hold: Vec<String>,
    /// Roll downhill from the start instead of looking for the nearest equilibrium
    #[arg(long)]
    pub stable: bool,
    /// Equilibria while a parameter goes through a range, through limit points: NAME=FROM..TO:COUNT
    #[arg(
        long,
        alias = "vary",
        value_name = "NAME=A..B:N",
        allow_hyphen_values = true,
        conflicts_with = "stable"
    )]
    pub over: Option<String>,
    /// Loads below this are balance, in SI units
    #[arg(long, value_name = "NUMBER")]
    pub tolerance: Option<f64>,
    /// At this time, where loads or constraints depend on time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub time: Option<String>,
}

#[derive(Debug, Args)]
pub struct Linearize {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// Parameters that are inputs, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub input: Vec<String>,
    /// Leave out ignorable coordinates
    #[arg(long)]
    pub without_ignorable: bool,
    /// Write the descriptor form E x' = A x + B u in all coordinates, speeds and multipliers as
    /// well
    #[arg(long, conflicts_with = "to")]
    pub descriptor: bool,
    /// Along the motion from the start: until this time
    #[arg(long, value_name = "TIME", conflicts_with = "at")]
    pub to: Option<String>,
    /// Along the motion from the start: so often
    #[arg(long, value_name = "TIME", requires = "to")]
    pub every: Option<String>,
}

#[derive(Debug, Args)]
pub struct Modes {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub about: About,
    /// Eigenvalues while a parameter goes through N values from A to B, as `sweep --vary` has it; A:B:STEP is read too
    #[arg(long, alias = "vary", value_name = "NAME=A..B:N", allow_hyphen_values = true)]
    pub over: Option<String>,
    /// So many of the lowest modes, in absolute coordinates; 10 if not given
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
}

/// An interval of time.
#[derive(Debug, Args)]
pub struct Interval {
    /// Begin at this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<String>,
    /// End at this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
    /// Time between samples; a hundredth of the interval if not given
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
}

#[derive(Debug, Args)]
pub struct Kinematics {
    #[command(flatten)]
    pub common: Common,
    /// The motion of a coordinate as an expression of t; may be repeated
    #[arg(long, value_name = "NAME=EXPRESSION", allow_hyphen_values = true)]
    pub motion: Vec<String>,
    /// Where a point of a body is to be: finds a posture; may be repeated
    #[arg(long, value_name = "POINT=(X, Y, Z)", conflicts_with = "motion")]
    pub target: Vec<String>,
    /// How a body is to be turned: angles of a sequence such as zyx, xyz if none is named; may be repeated
    #[arg(long, value_name = "BODY=zyx(A, B, C)", conflicts_with = "motion")]
    pub orient: Vec<String>,
    /// List the ways in which the loops close with the given coordinates where they are
    #[arg(long, conflicts_with_all = ["motion", "target", "orient"])]
    pub branches: bool,
    #[command(flatten)]
    pub interval: Interval,
}

#[derive(Debug, Args)]
pub struct Inverse {
    #[command(flatten)]
    pub common: Common,
    /// The motion of a coordinate as an expression of t; may be repeated
    #[arg(long, value_name = "NAME=EXPRESSION", allow_hyphen_values = true)]
    pub motion: Vec<String>,
    /// The motion of an earlier run
    #[arg(long, value_name = "CSV", conflicts_with = "motion")]
    pub along: Option<PathBuf>,
    /// Coordinates with actuators, separated by commas; those that are moved if not given
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub actuate: Vec<String>,
    #[command(flatten)]
    pub interval: Interval,
}

#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    pub common: Common,
    /// At so many points of the motion single states are looked at; 12 if not given
    #[arg(long, value_name = "N")]
    pub points: Option<usize>,
    /// Look at the motion up to this time; as long as the `simulate` block asks for if not given
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<String>,
}
