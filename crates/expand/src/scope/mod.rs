//! Scopes: the model, each imported text and each instance, with what is known there.

pub(crate) mod constants;
pub(crate) mod names;

use std::rc::Rc;

use cardan_base::{FileId, Span};
use cardan_syntax::{Call, Connection, Expr, Statement};

use crate::mirror::Signs;

/// The counting numbers of the loops around a statement, innermost first.
pub type Counts = Option<Rc<Count>>;

/// A counting number of a loop.
#[derive(Debug)]
pub struct Count {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: i64,
    /// Those of the loops around it.
    pub outer: Counts,
}

/// Where an expression is read.
#[derive(Clone, Debug)]
pub struct Place {
    /// Whose names are known.
    pub scope: usize,
    /// The loops around it.
    pub counts: Counts,
    /// Names that belong to the statement itself: arguments of a function, points of a body.
    pub locals: Vec<String>,
}

impl Place {
    /// A place in a scope, outside all loops.
    pub fn new(scope: usize) -> Self {
        Place { scope, counts: None, locals: vec![] }
    }
    /// The value of a counting number.
    pub fn count(&self, name: &str) -> Option<i64> {
        let mut at = &self.counts;
        while let Some(count) = at {
            if count.name == name {
                return Some(count.value);
            }
            at = &count.outer;
        }
        None
    }
    /// The same place inside one more loop.
    pub fn counting(&self, name: &str, value: i64) -> Self {
        let count = Count { name: name.to_owned(), value, outer: self.counts.clone() };
        Place { counts: Some(Rc::new(count)), ..self.clone() }
    }
    /// The same place with more names of the statement's own.
    pub fn knowing(&self, names: impl IntoIterator<Item = String>) -> Self {
        let mut place = self.clone();
        place.locals.extend(names);
        place
    }
}

/// A value that the maker of an instance gives.
#[derive(Clone, Debug)]
pub struct Given<'t> {
    /// The parameter, constant or slot.
    pub name: &'t str,
    /// The value.
    pub value: &'t Expr,
    /// Where the value is read.
    pub place: Place,
    /// Where it is given.
    pub span: Span,
}

/// What a port is connected to.
#[derive(Clone, Debug)]
pub struct Drive<'t> {
    /// What stands at the other end.
    pub source: Source<'t>,
    /// Where that is read.
    pub place: Place,
    /// The motions of a frame port on it.
    pub joints: &'t [Call],
    /// The place of a frame port on it.
    pub at: Option<&'t Expr>,
    /// The connection.
    pub span: Span,
}

/// The other end of a connection.
#[derive(Clone, Debug)]
pub enum Source<'t> {
    /// A frame, a point, a signal.
    Value(&'t Expr),
    /// An outgoing signal of an instance.
    Port {
        /// The instance.
        scope: usize,
        /// The number of its port.
        port: usize,
        /// The element of it; all of it if empty.
        index: Vec<i64>,
    },
    /// A body, by its flat name.
    Part(String),
}

/// A connection that waits until all instances are known.
pub struct Waiting<'t> {
    /// The connection.
    pub connection: &'t Connection,
    /// Its place in the text.
    pub span: Span,
    /// Where it stands.
    pub place: Place,
    /// The instance in whose braces it stands.
    pub instance: Option<usize>,
}

/// A model, an imported text, or an instance of a subsystem.
pub struct Scope<'t> {
    /// Its definition.
    pub definition: usize,
    /// What its flat names begin with: nothing, or a path and a dot.
    pub prefix: String,
    /// The scope in which the instance stands.
    pub outer: Option<usize>,
    /// The scope whose names are known here as well.
    pub lexical: Option<usize>,
    /// What its maker gives.
    pub given: Vec<Given<'t>>,
    /// The file of its spans, if it is an instance.
    pub file: Option<FileId>,
    /// The statement that made it.
    pub span: Option<Span>,
    /// The reflection of its geometry.
    pub signs: Signs,
    /// The instance whose mirror image it is.
    pub image_of: Option<usize>,
}

/// One part of the flat tree, in the order of the text.
pub enum Piece<'t> {
    /// A statement of a definition.
    Statement {
        /// The statement.
        statement: &'t Statement,
        /// Where it stands.
        place: Place,
    },
    /// What the connections of an instance's ports need.
    Ports(usize),
}
