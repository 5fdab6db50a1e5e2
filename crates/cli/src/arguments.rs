//! The command line: verbs, options, examples.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::analyze::{self, arguments as ask, frequency, locus};
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
    #[command(after_help = "Examples:\n  cardan check models/*.mbs\n  cardan check arm.mbs --set L=2m")]
    Check(Files),
    /// Show what a model became: structure, formulas, program
    #[command(
        override_usage = "cardan show [model|expanded|topology|kinematics|equations|program] FILE [OPTIONS]"
    )]
    #[command(after_help = "Examples:
  cardan show arm.mbs                  parameters, bodies, joints, loads, outputs
  cardan show expanded arm.mbs         the flat text: instances and loops written out
  cardan show topology arm.mbs         which body hangs on which
  cardan show topology arm.mbs --figure arm.svg   the same as a drawing
  cardan show equations arm.mbs --formalism kane
  cardan show program arm.mbs --json   every operation, for programs")]
    Show(Show),
    /// Simulate a model; leaves a folder with results.csv, summary.json and report.html
    #[command(after_help = "Examples:
  cardan run arm.mbs
  cardan run arm.mbs --set 'k=12[N/m]' --set 'arm.q=30 [deg]' --to 5
  cardan run arm.mbs --open --watch         see it, and again at each save
  cardan run arm.mbs --method radau5 --rtol 1e-8 --out trial --figures svg")]
    Run(Box<Run>),
    /// Find a position in which nothing wants to move, and say whether it is stable
    #[command(after_help = "Examples:
  cardan equilibrium car.mbs
  cardan equilibrium crane.mbs --stable            roll downhill from the start
  cardan equilibrium crane.mbs --hold 'boom=30[deg]' and the force that this takes")]
    Equilibrium(ask::Equilibrium),
    /// Linear equations of small motion: A, B, C, D and M, C, K
    #[command(after_help = "Examples:
  cardan linearize cart.mbs --at equilibrium --input F
  cardan linearize bicycle.mbs --set v=5 --keep lean,steer --without-ignorable
  cardan linearize arm.mbs --to 2 --every 0.1      along the motion from the start")]
    Linearize(ask::Linearize),
    /// Eigenvalues, damping and shapes of small motion; a page on which they move
    #[command(after_help = "Examples:
  cardan modes frame.mbs
  cardan modes bicycle.mbs --over v=0..10:101      eigenvalues while a parameter varies")]
    Modes(ask::Modes),
    /// Eigenvalues while a parameter varies, with the values at which stability is won or lost
    #[command(
        name = "root_locus",
        alias = "root-locus",
        after_help = "Examples:
  cardan root_locus bicycle.mbs --over v=0..10:101
  cardan root_locus rotor.mbs --over 'speed=0..6000 [rpm]:121' --orders 1,2    with a Campbell diagram"
    )]
    RootLocus(locus::root_locus::RootLocus),
    /// Where in the plane of two parameters a state is stable
    #[command(after_help = "Examples:
  cardan stability bicycle.mbs --over v=0..10:41 --over 'c=0..0.1 [m]:21'")]
    Stability(locus::stability::Stability),
    /// Transfer functions between inputs and outputs: poles, zeros, gains, Bode, Nyquist and Nichols plots, margins
    #[command(after_help = "Examples:
  cardan response cart.mbs --at equilibrium --input F --output theta
  cardan response car.mbs --input road --from 0.1Hz --to 50Hz --delay 0.01s")]
    Response(frequency::response::Response),
    /// Stationary response to random excitation: densities, rms, zero crossings, comfort
    #[command(
        name = "random_response",
        alias = "random-response",
        after_help = "Examples:
  cardan random_response car.mbs --input road --spectrum iso8608 --class B --speed 20m/s --comfort acc=Wk
  cardan random_response car.mbs --input front,rear --spectrum iso8608 --class C --speed 72km/h --delay 0,0.135s
  cardan random_response mast.mbs --input wind --spectrum white:0.01 --duration 600s"
    )]
    RandomResponse(Box<frequency::random_response::RandomResponse>),
    /// A linear quadratic regulator, and the model text with its loop closed
    #[command(after_help = "Examples:
  cardan lqr cart.mbs --input F --size F=10N --size x=10cm --size theta=5deg
  cardan lqr cart.mbs --observer          with the Kalman filter of the `kalman` block")]
    Lqr(frequency::feedback::Lqr),
    /// A Kalman filter, and the model text with its estimates as states
    #[command(
        after_help = "Example:\n  cardan kalman cart.mbs --input F --output x,theta --size F=1N --size x=1mm --size theta=0.1deg"
    )]
    Kalman(frequency::feedback::Kalman),
    /// A feedback with given poles, and the model text with its loop closed
    #[command(
        name = "pole_placement",
        alias = "pole-placement",
        after_help = "Example:\n  cardan pole_placement cart.mbs --input F --poles=-1,-2,-3±2i"
    )]
    PolePlacement(frequency::feedback::PolePlacement),
    /// Positions, velocities and accelerations of a driven mechanism
    #[command(after_help = "Examples:
  cardan kinematics press.mbs                      motions stand in the text
  cardan kinematics press.mbs --motion 'crank=6 [rad/s]*t' --to 2 --every 0.01
  cardan kinematics arm.mbs --target 'hand.tip = (0.5, 0.1, 0.3) [m]'")]
    Kinematics(ask::Kinematics),
    /// Forces of actuators that bring a motion about
    #[command(after_help = "Examples:
  cardan inverse arm.mbs --motion 'q1=0.3*sin(2 [rad/s]*t)' --motion 'q2=0' --to 3
  cardan inverse arm.mbs --along results/arm/results.csv --actuate q1,q2")]
    Inverse(ask::Inverse),
    /// A steady motion with wanted values, and the inputs that keep it up
    #[command(after_help = "Examples:
  cardan trim ship.mbs --want 'der(x)=5 [m/s]' --input thrust
  cardan trim top.mbs --want 'tilt=30 [deg]'")]
    Trim(analyze::statics::trim::Trim),
    /// How a vehicle answers to its steering: understeer gradient, gains over speed, frequency response, rollover threshold
    #[command(after_help = "Examples:
  cardan handling steady-circle.mbs                what is what stands in its `handling` block
  cardan handling car.mbs --over 'v=10..40 [m/s]:7' --input steer --yaw-rate 'der(yaw)' --lateral ay")]
    Handling(Box<frequency::handling::Handling>),
    /// How a motion changes with parameters: derivatives of states and outputs over time
    #[command(after_help = "Example:\n  cardan sensitivity arm.mbs --input k,m --to 5")]
    Sensitivity(analyze::sensitivity::Sensitivity),
    /// Put a model to the test: formalisms, Newton's law, derivatives, energy, constraints and integrators against one another
    #[command(after_help = "Examples:
  cardan verify arm.mbs
  cardan verify arm.mbs --set 'k=1e6[N/m]' --to 0.5

Exit code 3 if a check fails. A doubtful one says that tolerances should be tighter, or that the motion is chaotic.")]
    Verify(ask::Verify),
    /// Simulate a model many times with other parameters and starts; goes on where it was interrupted
    #[command(after_help = "Examples:
  cardan sweep arm.mbs --vary 'L=0.5..2[m]:31'
  cardan sweep arm.mbs --vary 'q=-90..90 [deg]:19' --vary k=1,2,5 --to 5
  cardan sweep arm.mbs --vary 'm=normal(2 [kg], 50 [g])' --vary L=0.9..1.1 --samples 1000 --seed 7")]
    Sweep(Box<Sweep>),
    /// Count the operations of the equations by each formalism
    #[command(after_help = "Examples:
  cardan count arm.mbs
  cardan count car.mbs --solver        sparse against dense solution of the linear equations")]
    Count(Count),
    /// Write the equations as source code: functions, or a complete program
    #[command(after_help = "Examples:
  cardan emit arm.mbs --target c                       derivatives and outputs as C functions
  cardan emit arm.mbs --target rust --what mass,inverse
  cardan emit arm.mbs --target fortran --program       with integrator, parameter file and table
  cardan emit arm.mbs --target c --fix m=2,L           m and L are numbers in the code
  cardan emit arm.mbs --target c --what jacobian --by states,parameters")]
    Emit(Emit),
    /// Write a functional mock-up unit for other simulators: Model Exchange, Co-Simulation
    #[command(after_help = "Examples:
  cardan fmu arm.mbs                                 arm.fmu, FMI 2.0
  cardan fmu arm.mbs --fmi 3.0 -o arm3.fmu")]
    Fmu(Fmu),
    /// Write a document: symbols, topology, kinematics, equations, constraints, costs
    #[command(after_help = "Examples:
  cardan document arm.mbs                            arm.html beside the results
  cardan document arm.mbs -o arm.tex
  cardan document arm.mbs --format rtf --style neweul")]
    Document(Document),
    /// Say what becomes of a mechanism described in another format: URDF, MJCF or AUTOSIM; or write it as model text
    #[command(after_help = "Examples:
  cardan import robot.urdf
  cardan import humanoid.urdf --free --strict
  cardan import spacecraft.lsp -o spacecraft.mbs

Every verb reads such files as it reads model texts: cardan run robot.urdf")]
    Import(Import),
    /// Lay out model texts in the canonical way
    #[command(after_help = "Examples:
  cardan fmt arm.mbs                   rewrite in place
  cardan fmt --check models/*.mbs      say which would change; exit code 1 if any")]
    Fmt(Fmt),
    /// Put the results of another command into their places; the command does this by itself
    #[command(hide = true)]
    CommitResults {
        /// The folder of the results
        folder: PathBuf,
    },
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
    /// Give a parameter its value or a coordinate its start, as `run` does; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct OneFile {
    /// A model text, or a mechanism in URDF, MJCF or AUTOSIM's language
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
pub struct Count {
    #[command(flatten)]
    pub one: OneFile,
    /// Give a parameter its value or a coordinate its start, as `run` does; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Count the solution of M u̇ = f, with its constraints, instead: by sparse LDLᵀ, dense LDLᵀ and LU
    #[arg(long)]
    pub solver: bool,
}

#[derive(Debug, Args)]
pub struct Import {
    #[command(flatten)]
    pub one: OneFile,
    /// Print the model in this format instead of saying what it is
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Target>,
    /// Write the model text to this file instead of printing it
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Formats that a model can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// cardan's own language
    Mbs,
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
    /// Take every angle and length as written: none is rounded to a quarter turn, an axis or zero
    #[arg(long)]
    pub exact: bool,
    #[command(flatten)]
    pub texts: Texts,
}

/// How model texts are read: where imports are found, what fills slots, which constants are set.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Model texts")]
pub struct Texts {
    /// Look for imported texts in this folder, too; may be repeated. CARDAN_PATH names such folders as well
    #[arg(long = "path", value_name = "DIR")]
    pub path: Vec<PathBuf>,
    /// Fill a slot: front.left.tyre=fiala; may be repeated
    #[arg(long = "use", value_name = "SLOT=NAME")]
    pub fillings: Vec<String>,
    /// The values that the verb gives, among which may be structural constants.
    #[arg(skip)]
    pub set: Vec<String>,
}

impl Reading {
    /// The same where values are given, `n=50`, of which some may be structural constants.
    pub fn setting(&self, set: &[String]) -> Reading {
        let mut reading = self.clone();
        reading.texts.set = set.to_vec();
        reading
    }
}

#[derive(Debug, Args)]
pub struct Show {
    /// What to show: model, expanded, synthesis, topology, system, kinematics, equations or program; the model if
    /// nothing is said; `std` or `std.NAME` is the standard library
    #[arg(value_name = "WHAT", required = true)]
    pub what: String,
    /// A model text
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Give a parameter its value or a coordinate its start, as `run` does; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Derive the equations so; the cheapest formalism if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// Pose the equations of a mechanism with loops in this form
    #[arg(long, value_name = "FORM", value_enum)]
    pub form: Option<EquationForm>,
    /// Draw the topology or the synthesis into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub figure: Option<PathBuf>,
}

/// A form of equations with constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EquationForm {
    /// M, f, G, γ: accelerations and multipliers are to be solved for
    Implicit,
    /// Rows of differential and algebraic equations after Gear, Gupta and Leimkuhler
    Residual,
}

/// What can be shown of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Parameters, bodies, joints, loads, outputs
    Model,
    /// The flat text, with instances and loops written out
    Expanded,
    /// The hierarchy of instances with their ports, in the order in which signals are computed
    Synthesis,
    /// Which body hangs on which, by which joint
    Topology,
    /// The tree with its coordinates and attachments, the cut joints and their loops
    System,
    /// Angular velocities and velocities of mass centres
    Kinematics,
    /// The equations of motion
    Equations,
    /// The numeric program
    Program,
}

/// What runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Machine code of cardan's own (x86-64, AArch64), with the best instructions that this processor has
    Machine,
    /// The same with those alone that every such processor has (SSE2, NEON)
    Baseline,
    /// C, compiled by the installed compiler and kept for the next run
    Native,
    /// The interpreter
    Interpreter,
}

#[derive(Debug, Args)]
pub struct Run {
    /// A model text
    pub file: PathBuf,
    /// Give a parameter or an input its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Let an input follow a table, a file of times and values; may be repeated
    #[arg(long = "input", value_name = "NAME=FILE")]
    pub input: Vec<String>,
    /// Couple a functional mock-up unit (Co-Simulation, FMI 2.0) as a sampled block; its code is run
    #[arg(long, value_name = "FILE")]
    pub fmu: Option<PathBuf>,
    /// Time between two samples of the unit, in seconds; the step that it asks for if not given
    #[arg(long, value_name = "SECONDS", requires = "fmu")]
    pub fmu_step: Option<f64>,
    /// Start on this assembly branch: a number that `cardan kinematics MODEL --branches` lists
    #[arg(long, value_name = "N")]
    pub branch: Option<usize>,
    /// Where the motion starts: given, or equilibrium
    #[arg(long, value_name = "STATE")]
    pub start: Option<String>,
    /// Go on where another run ended: a restart.json
    #[arg(long, value_name = "FILE", conflicts_with = "start")]
    pub restart: Option<PathBuf>,
    /// Which of the model's `simulate` blocks to run; the one without a name, or the first, if not given
    #[arg(long, value_name = "NAME")]
    pub experiment: Option<String>,
    /// Take an external function from a C file or a shared library; may be repeated
    #[arg(long = "bind", value_name = "NAME=FILE")]
    pub bind: Vec<String>,
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
    /// auto, dop853, dopri5, radau5, bdf, alpha or rk4
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Step of a method with fixed steps
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Longest step of the other methods: no longer than the shortest thing that happens
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub max_step: Option<String>,
    /// projected (after each step), stabilised (as equations beside the others; radau5 and bdf only),
    /// partitioned (independent coordinates lead), baumgarte (pulled back, not projected), closed (dependent
    /// coordinates of planar linkages in closed form) or auto (closed where that takes fewer operations)
    #[arg(long, value_name = "FORM")]
    pub constraints: Option<String>,
    /// kane, recursive, articulated or lagrange; absolute or natural for coordinates of parts; the cheapest if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// Folder for the results; results/MODEL if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the plots as figures, too
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub figures: Option<Figures>,
    /// Tell what every joint does to its body: columns `arm.force.x`, … and the largest of each
    #[arg(long)]
    pub reactions: bool,
    /// Interpret the program instead of compiling it to machine code
    #[arg(long, conflicts_with = "engine")]
    pub interpret: bool,
    /// What runs the program
    #[arg(long, value_enum, value_name = "NAME", default_value_t = EngineName::Machine)]
    pub engine: EngineName,
    /// Show the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Run again at each save of the model; the page, served at an address of this machine, reloads itself and keeps its view
    #[arg(long)]
    pub watch: bool,
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

/// The version of the standard for functional mock-up units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FmiVersion {
    /// FMI 2.0
    #[value(name = "2.0", alias = "2")]
    Two,
    /// FMI 3.0
    #[value(name = "3.0", alias = "3")]
    Three,
}

#[derive(Debug, Args)]
pub struct Fmu {
    /// A model text
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Version of the standard
    #[arg(long, value_name = "VERSION", default_value = "2.0")]
    pub fmi: FmiVersion,
    /// Give a parameter or an input its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// The library inside the unit; the one beside the command if not given
    #[arg(long, value_name = "FILE")]
    pub runtime: Option<PathBuf>,
    /// The file; MODEL.fmu if not given
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Errors only
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Emit {
    /// A model text
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// rust, c, cpp, fortran, fortran77, python, matlab or wasm
    #[arg(long, value_name = "LANGUAGE")]
    pub target: String,
    /// Functions: derivatives, outputs, mass, forcing, inverse, jacobian, residuals, reactions, poses, body_jacobians, gravity, coriolis
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "derivatives,outputs")]
    pub what: Vec<String>,
    /// What Jacobians are taken with respect to: states, parameters, time; states if not given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub by: Vec<String>,
    /// Write a complete program: integrator, parameter file, table of results
    #[arg(long, conflicts_with_all = ["what", "by"])]
    pub program: bool,
    /// Give a parameter its value or a coordinate its start; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Make these parameters numbers in the code, with the model's value or the one given; all of them if none is named
    #[arg(long, value_name = "NAME[=VALUE],...", value_delimiter = ',', num_args = 0.., require_equals = false)]
    pub fix: Option<Vec<String>>,
    /// With --program: these inputs are functions of time that you write, `F(t)` for the input F; all of them if none is named.
    /// Other inputs are constants of the parameter file
    #[arg(long, value_name = "INPUT,...", value_delimiter = ',', num_args = 0.., requires = "program")]
    pub external: Option<Vec<String>>,
    /// kane, recursive or articulated; the cheapest if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// Folder for the files; generated/MODEL/LANGUAGE if not given
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Document {
    /// A model text
    pub file: PathBuf,
    /// Give a parameter its value or a coordinate its start, as `run` does; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// What to write; what the ending of the file asks for, or html, if not given
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// How the scalar equations are written: formulas, neweul or robotran
    #[arg(long, value_name = "NAME", default_value = "formulas")]
    pub style: String,
    /// Linear equations about the start as well: M, D, G, K, N as expressions
    #[arg(long)]
    pub linear: bool,
    /// kane, recursive or articulated; the most readable that is not too large if not given
    #[arg(long, value_name = "NAME")]
    pub formalism: Option<String>,
    /// The file; generated/MODEL/MODEL.html (.tex, .rtf) if not given
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Formats of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For pdflatex, with amsmath and TikZ
    Latex,
    /// A page with MathML and SVG
    Html,
    /// For word processors
    Rtf,
}

impl Format {
    /// Endings of files, and the format that each stands for.
    pub const ENDINGS: [(&str, Format); 5] = [
        ("html", Format::Html),
        ("htm", Format::Html),
        ("tex", Format::Latex),
        ("latex", Format::Latex),
        ("rtf", Format::Rtf),
    ];
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

/// Verbs and options of other programs, with what to write here.
const MEANT: &[(&[&str], &str)] = &[
    (
        &["simulate", "sim", "solve", "integrate", "start", "execute"],
        "a model is simulated by `cardan run FILE`",
    ),
    (
        &["plot", "view", "open", "animate", "display"],
        "`cardan run FILE --open` shows plots and animation in a browser",
    ),
    (&["eig", "eigenvalues", "eigen", "vibration"], "eigenvalues and shapes are `cardan modes FILE`"),
    (&["static", "statics", "balance"], "an equilibrium is found by `cardan equilibrium FILE`"),
    (
        &["export", "codegen", "generate", "compile"],
        "source code is written by `cardan emit FILE --target c`",
    ),
    (&["validate", "lint", "parse"], "a text is checked by `cardan check FILE`"),
    (&["format"], "a text is laid out by `cardan fmt FILE`"),
    (
        &["optimize", "montecarlo", "batch", "study"],
        "parameters are varied by `cardan sweep FILE --vary 'L=0.5..2[m]:16'`",
    ),
    (&["init", "create"], "a model to start from is written by `cardan new NAME`"),
    (&["convert"], "files of other programs are read by `cardan import FILE --to mbs`"),
    (&["--end", "--stop", "--tend", "--stop-time", "--duration", "--time"], "the end of a run is `--to 5`"),
    (&["--dt", "--interval"], "the time between rows of results is `--every 0.01`"),
    (&["--param", "--parameter", "--define", "-p"], "a value is set by `--set 'L=2[m]'`"),
    (&["--output", "--dir"], "the folder of the results is `--out FOLDER`"),
    (&["="], "a value is set in one word, without blanks: `--set 'L=2[m]'`"),
];

/// What to write for a verb or an option that is not known.
pub fn meant(error: &clap::Error) -> Option<&'static str> {
    use clap::error::{ContextKind, ContextValue};
    let of = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    };
    let word = of(ContextKind::InvalidSubcommand).or_else(|| of(ContextKind::InvalidArg))?;
    let word = word.split(['=', ' ']).next().filter(|word| !word.is_empty()).unwrap_or(word);
    MEANT.iter().find(|(words, _)| words.contains(&word)).map(|(_, help)| *help)
}
