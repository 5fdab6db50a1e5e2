//! A page that shows a motion: plain data in, one self-contained `report.html` out, and figures as SVG.
//!
//! ```text
//! Report ─render_page▶ report.html        Plot ─svg_plot▶ figure.svg
//! ```
//!
//! Absent by design: symbols, models, files, clocks and the network. This crate sees points, shapes, times and
//! strings; whoever calls it has already named, evaluated and converted everything. The page that it writes
//! opens without a server and forbids itself, by its content security policy, to load anything at all.
//!
//! Every text that comes from a person is escaped. Equation markup passes an allow-list.
//!
//! In reading order:
//!
//! - [`report`]: what a page is made of: summary, series, energy audit, equations, tables, warnings;
//! - [`scene`]: what moves: bodies with shapes, springs and forces between points, traces;
//! - [`outline`]: shapes for a body that was given none, from its joints and mass centre;
//! - [`bounds`]: the box that holds a whole motion;
//! - [`length_unit`]: the unit of length in which it is packed;
//! - [`decimate`]: fewer samples without losing the extremes;
//! - [`panels`]: which curves share a plot;
//! - [`page`]: the HTML file, with the packed report, escaped markup and the coloured model text;
//! - [`sweep`]: the page of many motions; [`figures_page`]: the page of plots;
//! - [`ticks`]: round numbers along an axis;
//! - [`figure`]: a line plot as SVG.

pub mod decimate;
pub mod length_unit;

pub mod bounds;
pub mod figure;
pub mod figures_page;
pub mod outline;
pub mod page;
pub mod panels;
pub mod report;
pub mod scene;
pub mod sweep;
pub mod ticks;

pub use crate::figure::{AxisScale, Curve, CurveStyle, MapCell, Plot, svg_plot};
pub use crate::figures_page::{FiguresReport, PlotFigure, render_figures};
pub use crate::outline::{BodyOutline, JointAxis, JointMotion, default_shapes, dress, model_extent};
pub use crate::page::render_page;
pub use crate::panels::{Panel, panels};
pub use crate::report::{
    Chapter, Chapters, Energy, EnergyKind, EnergyRow, EquationBlock, Grade, Level, Module, ModulePart,
    ModulePort, Notice, PortPasses, Report, Series, Table, Verdict,
};
pub use crate::scene::{BodyTrack, Link, LinkKind, Pose, Scene, Shape, Solid, Trace};
pub use crate::sweep::{Parameter, SweepReport, SweepResult, render_sweep};
