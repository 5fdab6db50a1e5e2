//! The tree of a model text: statements in the order in which they were written.
//!
//! The tree is faithful, not clever: it knows the shape of each statement and nothing of what may
//! stand where. That a `body` makes no sense inside `simulate { … }` is for its reader to say.
//! Every part carries its place in the text.

use cardan_base::{FileId, Span};

use crate::action::{Attach, Branches, Detach, Every, External, For, Procedure, Several, Stop, Update, When};
use crate::expression::{Call, Expr, Name, Path, Text, UnitText};

/// A whole text.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// The text that was read.
    pub file: FileId,
    /// Its statements in order.
    pub statements: Vec<Statement>,
}

/// A statement and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// From its first word to its last sign.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// `model NAME "…" { … }`, or without braces up to the next model or the end of the text.
    Model(Block),
    /// `subsystem NAME "…" { … }`
    Subsystem(Block),
    /// `import NAME, NAME from "file"` or `import "file"`
    Import(Import),
    /// `strict units`
    StrictUnits,
    /// `gravity = VECTOR`
    Gravity(Expr),
    /// `newtonian NAME`
    Newtonian(Name),
    /// `parameter a = 1 [m] in 0 .. 2 [m] "…", b [kg]`
    Parameter(Vec<Declaration>),
    /// `input F [N] = 0 in -10 .. 10 [N] "…"`
    Input(Vec<Declaration>),
    /// `constant g = 9.81 [m/s^2]`
    Constant(Vec<Declaration>),
    /// `variable x = EXPR`
    Variable(Vec<Declaration>),
    /// `discrete a = 0, b = 0 [s]`
    Discrete(Vec<Declaration>),
    /// `speed u1 = EXPR`
    Speed(Vec<Declaration>),
    /// `state x = 0 { der = EXPR }`
    State(Vec<State>),
    /// `function f(x [s], y) [N] = EXPR`
    Function(Function),
    /// `table F(x [m]) [N] = linear { 0: 1, 1: 2 }`
    Table(Table),
    /// `body`, `frame` and `particle`.
    Body(Body),
    /// `point P = EXPR`, `point P on B = EXPR`
    Point(Point),
    /// `shape box(size = (1, 2, 3) [m])`, `shape hull = box(…)`
    Shape(Shape),
    /// `joint NAME = revolute(P, Q, axis = z)`
    Joint(Joint),
    /// `joint NAME between P and Q by revolute(z, q = phi)`
    Link(Link),
    /// `constraint NAME = EXPR`, `constraint a == b`
    Constraint(Constraint),
    /// `force` and `torque` with their value.
    Load(Load),
    /// `KIND NAME between P and Q { … }`, `KIND NAME on P from Q { … }`
    Element(Element),
    /// `KIND NAME(args) { … }`, `KIND NAME = call(…)`, `KIND NAME { … }`
    Instance(Instance),
    /// `port a, b: frame`, `port x: in [N*m]`
    Port(Port),
    /// `slot tyre: Tyre = fiala(…) { … }`
    Slot(Slot),
    /// `PORT -> VALUE`
    Connection(Connection),
    /// `cut pin, slide`
    Cut(Vec<Path>),
    /// `lock q3, q4`
    Lock(Vec<Path>),
    /// `release arm`, in a block
    Release(Vec<Path>),
    /// `attach probe to station at station.port`, in a block
    Attach(Attach),
    /// `detach probe from station`, in a block
    Detach(Detach),
    /// `small q1, q2`
    Small(Vec<Path>),
    /// `start { q = 1; der(q) = 0 }`
    Start(Vec<Statement>),
    /// `output v = EXPR in [km/h] "…"`, `output a, b.c`
    Output(Vec<Output>),
    /// `show arm.q in [deg] "…"`
    Show(Vec<Shown>),
    /// `simulate slow { to = 2 [s] }`
    Experiment(Experiment),
    /// `when CONDITION { a := EXPR }`
    When(When),
    /// `every 0.01 [s] { a := EXPR }`
    Every(Every),
    /// `if CONDITION { … } else { … }`, in order of time or on structural constants.
    If(Branches),
    /// `for k in 1 .. 5 { … }`
    For(For),
    /// `local y = EXPR`
    Local(Vec<Declaration>),
    /// `return a, b`
    Return(Vec<Expr>),
    /// `procedure f(x) -> y { … }`
    Procedure(Procedure),
    /// `external function f(x [m]) [N]`
    External(External),
    /// `(a, b) := EXPR`
    Several(Several),
    /// `PATH = EXPR`
    Assign(Assign),
    /// `PATH := EXPR`, `der(PATH) := EXPR`, `overwrite PATH := EXPR`
    Update(Update),
    /// `stop "…"` in a block that happens in order.
    Stop(Stop),
    /// `PATH ~ EXPR` or `der(x) ~ EXPR`, a start value that is a guess.
    Guess {
        /// What is guessed: a name or a call.
        left: Expr,
        /// The guess.
        right: Expr,
    },
    /// `der(x) = EXPR`, an equation whose left side is a call.
    Equation {
        /// The left side.
        left: Expr,
        /// The right side.
        right: Expr,
    },
}

/// A named group of statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Its name.
    pub name: Name,
    /// What it is, in words.
    pub description: Option<Text>,
    /// Its statements.
    pub content: Vec<Statement>,
}

/// `import NAME, NAME from "file"`, or `import "model" { k = 3 [N/m]; front.tyre = fiala }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// What is wanted from the file; everything if empty.
    pub names: Vec<Name>,
    /// The file, as written.
    pub file: Text,
    /// Parameters, constants and slots of an imported model that are set otherwise.
    pub settings: Vec<Statement>,
}

/// `a [unit] = value in low .. high "description"`, everything after the name optional.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: Name,
    /// The unit of a declaration, often one without a value.
    pub unit: Option<UnitText>,
    /// Its value.
    pub value: Option<Expr>,
    /// The range of sensible values, always an [`ExprKind::Range`](crate::ExprKind::Range) or missing.
    pub range: Option<Expr>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// A continuous state with an own equation.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Name and initial value.
    pub declaration: Declaration,
    /// Its time derivative, if it stands in braces here and not in an equation elsewhere.
    pub derivative: Option<Expr>,
}

/// An argument of a function or table, with the unit that it is given in.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// Its name.
    pub name: Name,
    /// Its unit.
    pub unit: Option<UnitText>,
}

/// `function f(x [s], y) [N] = EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub inputs: Vec<Input>,
    /// The unit of its value.
    pub unit: Option<UnitText>,
    /// Its value.
    pub value: Expr,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `table F(x [m]) [N] = linear { 0: 1, 1: 2 }`, or with two arguments and a head row.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Its name.
    pub name: Name,
    /// Its one or two arguments.
    pub inputs: Vec<Input>,
    /// The unit of its values.
    pub unit: Option<UnitText>,
    /// How values between the given ones are found: `linear`, `steps`, `monotone`, `spline`, `periodic`.
    pub method: Name,
    /// The values of the second argument, one for each column; empty with one argument.
    pub columns: Vec<Expr>,
    /// The rows: a value of the first argument and the table's values there.
    pub rows: Vec<Row>,
    /// The file that holds the rows instead.
    pub data: Option<DataFile>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `("road.csv", x = "s", y = "z")`: where the numbers of a table stand.
#[derive(Clone, PartialEq, Debug)]
pub struct DataFile {
    /// The path of the file.
    pub path: Text,
    /// The column of the first argument; the first one if nothing is said.
    pub x: Option<Text>,
    /// The column of the second argument, or of the values of a table of one argument.
    pub y: Option<Text>,
    /// The column of the values of a table of two arguments.
    pub z: Option<Text>,
}

/// One row of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The value of the first argument.
    pub at: Expr,
    /// The table's value, or one for each column.
    pub values: Vec<Expr>,
}

/// Which kind of body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyKind {
    /// A rigid body.
    Body,
    /// A frame without mass.
    Frame,
    /// A point with mass.
    Particle,
}

impl BodyKind {
    /// The word that begins its statement.
    pub fn word(self) -> &'static str {
        match self {
            BodyKind::Body => "body",
            BodyKind::Frame => "frame",
            BodyKind::Particle => "particle",
        }
    }
}

/// `body NAME "…" on PARENT by joint(…) joint(…) at EXPR { … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    /// Rigid body, frame or particle.
    pub kind: BodyKind,
    /// Its name, which is also its frame's.
    pub name: Name,
    /// What it is, in words.
    pub description: Option<Text>,
    /// The body or frame that it moves on, a name or a choice between names; absent after an error, or if joints between points hold it.
    pub parent: Option<Expr>,
    /// The motions in sequence; none if it is fixed.
    pub joints: Vec<Call>,
    /// Where its joint sits on the parent.
    pub at: Option<Expr>,
    /// What stands in its braces.
    pub content: Vec<Statement>,
}

/// `point P on B = EXPR`, `point P on B at EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// Its name.
    pub name: Name,
    /// The body that carries it, if it does not stand in a body's braces.
    pub on: Option<Path>,
    /// Whether it is fixed in its body where it stands in the design position: `at` instead of `=`.
    pub fixed: bool,
    /// Its position.
    pub value: Expr,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `shape NAME = box(…)`.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The form and its sizes.
    pub form: Call,
}

/// `joint NAME = revolute(P, Q, axis = z)`, a joint that closes a loop.
#[derive(Clone, PartialEq, Debug)]
pub struct Joint {
    /// Its name.
    pub name: Name,
    /// Its kind and what it joins.
    pub form: Call,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `joint NAME between P and Q by joint(…) joint(…)`, one edge of the graph of joints.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Its name.
    pub name: Name,
    /// What it is, in words.
    pub description: Option<Text>,
    /// A point of the first body.
    pub first: Expr,
    /// A point of the second body.
    pub second: Expr,
    /// The motions of the second body in the first, in sequence.
    pub joints: Vec<Call>,
}

/// `constraint NAME = EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What must vanish, or an equality.
    pub relation: Expr,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// Whether a load is a force or a torque.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadKind {
    /// A force at a point.
    Force,
    /// A torque on a body.
    Torque,
}

/// `force NAME on P from Q = EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Load {
    /// Force or torque.
    pub kind: LoadKind,
    /// Its name.
    pub name: Name,
    /// The point or body that it acts on.
    pub on: Expr,
    /// The point or body that takes the reaction.
    pub from: Option<Expr>,
    /// The vector.
    pub value: Expr,
    /// The potential energy whose loss is the work of the load.
    pub energy: Option<Expr>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// What an element acts upon.
#[derive(Clone, PartialEq, Debug)]
pub enum Ends {
    /// `between P and Q`
    Between(Expr, Expr),
    /// `on P from Q`
    On {
        /// The point or body that it acts on.
        on: Expr,
        /// The point or body that takes the reaction.
        from: Option<Expr>,
    },
}

/// `KIND NAME between P and Q { … }`: a spring, a damper, a bushing.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// The kind, a name of the library or of the model.
    pub kind: Name,
    /// Its name.
    pub name: Name,
    /// What it is, in words.
    pub description: Option<Text>,
    /// What it acts upon.
    pub ends: Ends,
    /// What stands after `=`.
    pub value: Option<Expr>,
    /// What stands in its braces.
    pub content: Vec<Statement>,
}

/// `KIND NAME(args) { port -> path }`: a subsystem at work; `KIND NAME[4]` several of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// The kind, a name of the library or of the model.
    pub kind: Name,
    /// Its name.
    pub name: Name,
    /// What it is, in words.
    pub description: Option<Text>,
    /// The arguments after the name.
    pub arguments: Vec<crate::Argument>,
    /// What stands after `=`: `mirror(fl, plane = xz)`.
    pub origin: Option<Call>,
    /// What stands in its braces.
    pub content: Vec<Statement>,
}

/// What passes through a port.
#[derive(Clone, PartialEq, Debug)]
pub enum PortKind {
    /// A frame: motion and load.
    Frame,
    /// A point of a body: motion and force.
    Point,
    /// A signal that comes in.
    In(Option<UnitText>),
    /// A signal that goes out.
    Out(Option<UnitText>),
}

/// `port a, b: frame`, `port reset: in = 0`.
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// Their names.
    pub names: Vec<Name>,
    /// What passes through.
    pub kind: PortKind,
    /// What it is connected to unless the maker of the instance connects it.
    pub default: Option<Expr>,
    /// What they are, in words.
    pub description: Option<Text>,
}

/// `slot NAME: INTERFACE = call(…)`, a part whose behaviour can be exchanged.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// Its name.
    pub name: Name,
    /// What fits.
    pub interface: Name,
    /// What stands there unless something else is put in.
    pub default: Option<Call>,
    /// What it is, in words.
    pub description: Option<Text>,
    /// The connections of whatever stands there.
    pub content: Vec<Statement>,
}

/// `PORT -> VALUE`, `PORT -> FRAME by joint(…) at EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Connection {
    /// The port of the instance.
    pub port: Path,
    /// What it is connected to: a frame, a point or a signal.
    pub to: Expr,
    /// The motions of a frame port on that frame; none if it is that frame or fixed there.
    pub joints: Vec<Call>,
    /// Where the frame port sits on that frame.
    pub at: Option<Expr>,
}

/// One output.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The name before `=`; without one the value names itself.
    pub name: Option<Name>,
    /// What is put out.
    pub value: Expr,
    /// The unit to display it in.
    pub display: Option<UnitText>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// How results show a quantity that they hold anyway.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// What is shown: a name, or the rate `der(q)` of a coordinate.
    pub target: Expr,
    /// The unit to display it in.
    pub display: Option<UnitText>,
    /// What it is, in words.
    pub description: Option<Text>,
}

/// `simulate slow "…" { to = 2 [s] }`.
#[derive(Clone, PartialEq, Debug)]
pub struct Experiment {
    /// Which question is asked.
    pub kind: Name,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// What it is, in words.
    pub description: Option<Text>,
    /// Its settings.
    pub content: Vec<Statement>,
}

/// `PATH = EXPR`.
#[derive(Clone, PartialEq, Debug)]
pub struct Assign {
    /// What is set.
    pub target: Path,
    /// To what.
    pub value: Expr,
}
