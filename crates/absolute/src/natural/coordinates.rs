//! Natural coordinates: points, unit vectors, and angles and displacements of joints beside them;
//! and the rows between them.

use std::collections::BTreeSet;

use cardan_base::Map;

use crate::geometry::Vec3;
use crate::natural::form::{Form, Row};
use crate::natural::sharing::{Class, Kind, Sharing};

/// A point or vector that is a coordinate: three numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Triple {
    /// What it is.
    pub kind: Kind,
    /// A part to which it belongs.
    pub part: usize,
    /// Where, in the frame of that part.
    pub local: Vec3,
}

/// A row with its place in words.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedRow {
    /// Of the part, joint or constraint.
    pub name: String,
    /// What it keeps.
    pub what: &'static str,
    /// The equation.
    pub row: Row,
}

/// A node as its part sees it.
#[derive(Clone, Copy, Debug)]
pub struct OfPart {
    /// Which node.
    pub node: usize,
    /// What it is.
    pub kind: Kind,
    /// Where, in the part.
    pub local: Vec3,
    /// Whether no other part has it.
    pub is_single: bool,
}

/// Coordinates while they are chosen.
#[derive(Clone, Debug)]
pub struct Coordinates {
    sharing: Sharing,
    classes: Map<usize, Class>,
    by_root: Map<usize, usize>,
    expressed: Map<usize, Form>,
    /// Points and vectors.
    pub triples: Vec<Triple>,
    /// Equations.
    pub rows: Vec<NamedRow>,
    known: BTreeSet<String>,
}

impl Coordinates {
    /// What neighbours share and the ground does not hold are coordinates.
    pub fn of(sharing: Sharing) -> Coordinates {
        let classes = sharing.classes();
        let mut found = Coordinates {
            sharing,
            classes,
            by_root: Map::default(),
            expressed: Map::default(),
            triples: vec![],
            rows: vec![],
            known: BTreeSet::new(),
        };
        for node in 0..found.sharing.nodes.len() {
            let class = found.class(node);
            if class.is_shared && class.fixed.is_none() {
                found.promote(node);
            }
        }
        found
    }

    fn class(&self, node: usize) -> Class {
        self.classes[&self.sharing.root(node).node]
    }

    /// The nodes of a part: fixed ones first, then shared ones, then its own; of these, points
    /// before vectors.
    pub fn nodes_of_part(&self, part: usize) -> Vec<OfPart> {
        let seen = |node: usize| {
            let class = self.class(node);
            let data = &self.sharing.nodes[node];
            let is_single = !class.is_shared && class.fixed.is_none();
            let rank = match (class.fixed.is_some(), is_single) {
                (true, _) => 0,
                (_, false) => 1,
                _ => 2,
            };
            // Of what is fixed or shared, vectors come first: they are the axes of joints.
            let later = (data.kind == Kind::Point) != is_single;
            (rank, later, OfPart { node, kind: data.kind, local: data.local, is_single })
        };
        let mut list: Vec<_> = self.sharing.of_part(part).map(seen).collect();
        list.sort_by_key(|(rank, later, _)| (*rank, *later));
        list.into_iter().map(|(.., node)| node).collect()
    }

    /// The form of a node, if it has one.
    pub fn form(&self, node: usize) -> Option<Form> {
        let root = self.sharing.root(node);
        if let Some(fixed) = self.classes[&root.node].fixed {
            return Some(Form::fixed(crate::geometry::scale(root.sign, fixed)));
        }
        let own = self.by_root.get(&root.node).map(|t| Form::of(*t, root.sign));
        own.or_else(|| self.expressed.get(&node).cloned())
    }

    /// The form of a node, which becomes a coordinate if it is not fixed.
    pub fn promote(&mut self, node: usize) -> Form {
        if let Some(form) = self.form(node) {
            return form;
        }
        let root = self.sharing.root(node);
        let data = self.sharing.nodes[root.node];
        self.by_root.insert(root.node, self.triples.len());
        self.triples.push(Triple { kind: data.kind, part: data.part, local: data.local });
        Form::of(self.triples.len() - 1, root.sign)
    }

    /// A coordinate that no joint asked for.
    pub fn own(&mut self, part: usize, kind: Kind, local: Vec3) -> Form {
        self.triples.push(Triple { kind, part, local });
        Form::of(self.triples.len() - 1, 1.0)
    }

    /// A node that is no coordinate is expressed by others.
    pub fn express(&mut self, node: usize, form: Form) {
        self.expressed.insert(node, form);
    }

    /// Adds an equation, unless it says nothing or what another says already.
    pub fn add_row(&mut self, name: &str, what: &'static str, row: Row) {
        if !row.is_fixed() && self.known.insert(row.key()) {
            self.rows.push(NamedRow { name: name.to_owned(), what, row });
        }
    }
}
