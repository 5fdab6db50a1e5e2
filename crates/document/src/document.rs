//! What is to be read: sections of text, tables, figures and formulas, in no format yet.

use cardan_expr::Rational;
use cardan_expr::print::Layout;

use crate::chapters::topology::Drawing;
use crate::columns::Grid;
use crate::line_breaking::width;
use crate::number_format::rounded;
use crate::plot::Plot;

/// Sums under a root that are wider than this are written as squares.
const LONG: usize = 60;

/// A document.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Name of the model.
    pub title: String,
    /// Its description.
    pub subtitle: String,
    /// In reading order.
    pub sections: Vec<Section>,
}

/// A titled part.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// Contents.
    pub blocks: Vec<Block>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub enum Block {
    /// A paragraph; what stands between backquotes is a symbol.
    Text(String),
    /// A smaller heading.
    Heading(String),
    /// Rows of cells under heads.
    Table(Grid),
    /// A function that points give.
    Plot(Plot),
    /// A formula of its own.
    Equation(Equation),
    /// A law that every model obeys, in each format.
    Law(Law),
    /// Which body hangs on which.
    Figure(Drawing),
    /// Lines as they are.
    Listing(Vec<String>),
}

/// What stands in a table.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Words.
    Words(String),
    /// The name of a scalar.
    Symbol(String),
    /// A number or formula.
    Formula(Formula),
}

/// Two sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// What is defined.
    pub left: Formula,
    /// What stands between the sides: `=`, `:=` for what is new after an event, or nothing.
    pub sign: &'static str,
    /// What it is.
    pub right: Formula,
}

/// A formula.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    /// A scalar expression.
    Scalar(Layout),
    /// A scalar by name.
    Name(String),
    /// Words.
    Words(&'static str),
    /// An entry of a matrix or column: letter and indices from 1.
    Entry(char, Vec<usize>),
    /// A vector that belongs to a body: letter (`ω`, `v`, `p`, …), body, and the speed by which it is a partial velocity.
    Quantity(char, String, Option<usize>),
    /// A sum of scalars times unit vectors, or times pairs of them with a blank between; empty is zero.
    Vector(Vec<(Layout, String)>),
}

/// A law in each format.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Inside of a LaTeX display.
    pub latex: &'static str,
    /// Inside of a `math` element.
    pub mathml: &'static str,
    /// On one line.
    pub text: &'static str,
}

/// The parts of a paragraph: words and symbols in turn, words first.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = (bool, &str)> {
    text.split('`').enumerate().map(|(k, part)| (k % 2 == 1, part)).filter(|(_, part)| !part.is_empty())
}

impl Section {
    /// An empty section.
    pub fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), blocks: vec![] }
    }
    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }
    /// Adds a smaller heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }
    /// Adds a formula. A name for the root of a long sum is squared instead, so that the sum can be broken.
    pub fn equation(&mut self, left: Formula, right: Formula) {
        let half = Rational::new(1, 2);
        let (left, right) = match (left, right) {
            (Formula::Name(name), Formula::Scalar(Layout::Power(sum, n)))
                if Some(&n) == half.as_ref() && width(&sum) > LONG =>
            {
                let square = Layout::Power(Box::new(Layout::Symbol(name)), Rational::int(2));
                (Formula::Scalar(square), Formula::Scalar(*sum))
            }
            both => both,
        };
        self.relation(left, "=", right);
    }
    /// Adds two sides with a sign between them.
    pub fn relation(&mut self, left: Formula, sign: &'static str, right: Formula) {
        let right = match right {
            Formula::Scalar(layout) => Formula::Scalar(rounded(layout)),
            Formula::Vector(terms) => {
                Formula::Vector(terms.into_iter().map(|(t, u)| (rounded(t), u)).collect())
            }
            other => other,
        };
        self.blocks.push(Block::Equation(Equation { left, sign, right }));
    }
    /// Adds a table; columns in which nothing stands are left out.
    pub fn table<const N: usize>(&mut self, heads: [&str; N], rows: Vec<Vec<Cell>>) {
        if !rows.is_empty() {
            self.blocks.push(Block::Table(Grid::new(&heads, rows)));
        }
    }
}
