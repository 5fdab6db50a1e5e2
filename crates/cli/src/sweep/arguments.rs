//! The command line of `cardan sweep`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::arguments::Reading;

#[derive(Clone, Debug, Args)]
pub struct Sweep {
    /// A model text
    pub file: PathBuf,
    /// What varies, a parameter or a start; may be repeated: NAME=A..B:N, NAME=A,B,C, NAME=normal(MEAN, DEVIATION),
    /// lognormal(MEDIAN, DEVIATION), triangular(LOW, MODE, HIGH)
    #[arg(long = "vary", alias = "over", value_name = "NAME=VALUES", required = true)]
    pub vary: Vec<String>,
    /// Which combinations; latin if --samples is given, else grid
    #[arg(long, value_enum)]
    pub design: Option<DesignName>,
    /// How many samples of a latin or random design
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,
    /// Which of the many latin or random designs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Give a parameter its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Take an external function from a C file or a shared library; may be repeated
    #[arg(long = "bind", value_name = "NAME=FILE")]
    pub bind: Vec<String>,
    /// End at this time, in seconds or with a unit: 90, 1.5[min]
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Time between samples; a hundredth of the interval if not given
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
    /// Relative tolerance; the absolute one is a hundredth of it
    #[arg(long, value_name = "NUMBER")]
    pub rtol: Option<f64>,
    /// auto, dop853, dopri5, radau5 or rk4
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Step of a method with fixed steps
    #[arg(long, value_name = "TIME")]
    pub step: Option<String>,
    /// Motions are followed on so many cores; all if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder for the results; results/MODEL-sweep if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Follow only the K-th of N parts of the motions; --merge joins them
    #[arg(long, value_name = "K/N", conflicts_with = "merge")]
    pub shard: Option<String>,
    /// Join what the shards below the folder have finished
    #[arg(long)]
    pub merge: bool,
    /// Begin anew even if the folder holds another sweep
    #[arg(long)]
    pub fresh: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub reading: Reading,
}

/// Which combinations of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DesignName {
    /// Every value with every other
    Grid,
    /// The first values together, the second values together, and so on
    List,
    /// A Latin hypercube: every part of every range is met once
    Latin,
    /// Independent samples: Monte Carlo
    Random,
}
