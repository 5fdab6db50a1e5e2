//! Names and where they are known.
//!
//! A scope is a model, and inside it each body. A name is looked up in the scope where it stands, then outward;
//! what follows a dot is looked up inside what stands before it. Full names are paths (`arm.tip`).

use std::collections::BTreeMap;

use cardan_base::{Arena, Map, Span, define_id};
use cardan_syntax::{
    Body, Constraint, Declaration, Element, External, Function, Joint, Load, Path, Point, Procedure, State,
    Table,
};
use cardan_units::Dimension;

use crate::types::value::Value;

define_id!(ScopeId, "scope", "A place where names are known.");
define_id!(ItemId, "item", "Something that has a name or a value of its own.");

/// The names of one scope.
pub struct Scope {
    /// Path with a dot at its end; empty for the model itself.
    pub prefix: String,
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// What the names stand for.
    pub entries: BTreeMap<String, ItemId>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub enum ItemKind<'t> {
    /// The ground.
    Newtonian,
    /// `t`
    Time,
    /// `pi`
    Pi,
    /// Fixed during a motion, may be set from outside.
    Parameter(&'t Declaration),
    /// Given from outside at every evaluation.
    Input(&'t Declaration),
    /// Fixed for good.
    Constant(&'t Declaration),
    /// A named intermediate quantity.
    Variable(&'t Declaration),
    /// A user-defined generalised speed.
    Speed(&'t Declaration),
    /// An auxiliary state.
    State(&'t State),
    /// A discrete state.
    Discrete(&'t Declaration),
    /// The time derivative of that state.
    StateRate(ItemId),
    /// A function.
    Function(&'t Function),
    /// A procedure.
    Procedure(&'t Procedure),
    /// A function that is written elsewhere.
    External(&'t External),
    /// A table.
    Table(&'t Table),
    /// The frame of a body: index into the list of bodies.
    Body(usize),
    /// Mass, inertia and mass centre of that body.
    BodyData(usize),
    /// A coordinate of that body's joint.
    Coordinate(usize, usize),
    /// A speed of that body's joint.
    JointSpeed(usize, usize),
    /// A point fixed in a body, by its index, or in the body that the statement names.
    Point(&'t Point, Option<usize>),
    /// A parameter that exists because a body lacks data.
    DefaultParameter(Dimension),
    /// A force or torque; its value is its vector.
    Load(&'t Load, Span),
    /// A spring or its kin: index into the list of elements.
    Element(usize),
    /// A joint that closes a loop.
    ClosingJoint(&'t Joint, Span),
    /// A joint that holds that body.
    Held(usize),
    /// A constraint written as an equation.
    Constraint(&'t Constraint, Span),
    /// What that element tells about itself: its length, its force.
    Signal(ItemId),
}

/// How far the evaluation of an item has come.
#[derive(Clone, Debug)]
pub enum Status {
    /// Not yet begun.
    Pending,
    /// It has no value, and a diagnostic says why.
    Failed,
    /// Known.
    Done(Value),
    /// Done, and without a value of its own.
    Built,
}

/// Something that has a name or a value of its own.
pub struct Item<'t> {
    /// What it is.
    pub kind: ItemKind<'t>,
    /// Where its own expressions are read.
    pub scope: ScopeId,
    /// Full path.
    pub name: String,
    /// Where it is declared; built-in names have no place.
    pub span: Option<Span>,
    /// Its value, when known.
    pub status: Status,
}

/// A body as declared.
pub struct BodyEntry<'t> {
    /// The statement.
    pub tree: &'t Body,
    /// The scope of its points.
    pub inner: ScopeId,
    /// The scope of its coordinates and speeds: its own, or that of the joint that holds it.
    pub motion: ScopeId,
    /// The item of its frame.
    pub frame: ItemId,
    /// The item of its mass properties.
    pub data: ItemId,
}

/// An element as declared.
pub struct ElementEntry<'t> {
    /// The statement.
    pub tree: &'t Element,
    /// Its place.
    pub span: Span,
    /// The scope of its signals.
    pub inner: ScopeId,
}

/// All scopes and items of a text.
#[derive(Default)]
pub struct Scopes<'t> {
    /// The scopes.
    pub scopes: Arena<ScopeId, Scope>,
    /// The items.
    pub items: Arena<ItemId, Item<'t>>,
    /// The bodies in the order of the text.
    pub bodies: Vec<BodyEntry<'t>>,
    /// The elements in the order of the text.
    pub elements: Vec<ElementEntry<'t>>,
    /// The scopes of what joints and constraints tell about themselves.
    pub told: Map<ItemId, ScopeId>,
}

impl<'t> Scopes<'t> {
    /// A new scope.
    pub fn open(&mut self, name: Option<&str>, parent: Option<ScopeId>) -> ScopeId {
        let outer = parent.map_or("", |p| self.scopes[p].prefix.as_str());
        let prefix = name.map_or(String::new(), |n| format!("{outer}{n}."));
        self.scopes.push(Scope { prefix, parent, entries: BTreeMap::new() })
    }
    /// A new item, not entered under any name.
    pub fn add(&mut self, kind: ItemKind<'t>, scope: ScopeId, name: &str, span: Option<Span>) -> ItemId {
        let name = format!("{}{name}", self.scopes[scope].prefix);
        self.items.push(Item { kind, scope, name, span, status: Status::Pending })
    }
    /// What a plain name stands for in a scope or around it.
    pub fn find(&self, scope: ScopeId, name: &str) -> Option<ItemId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(item) = self.scopes[id].entries.get(name) {
                return Some(*item);
            }
            at = self.scopes[id].parent;
        }
        None
    }
    /// The body with a point of this name, if only one has it.
    pub fn owner_of(&self, name: &str) -> Option<&str> {
        let has = |b: &&BodyEntry<'t>| {
            let item = self.scopes[b.inner].entries.get(name);
            item.is_some_and(|i| matches!(self.items[*i].kind, ItemKind::Point(..)))
        };
        let mut owners = self.bodies.iter().filter(has);
        let first = owners.next()?;
        owners.next().is_none().then_some(first.tree.name.text.as_str())
    }
    /// What the name would stand for if the innermost thing of that name were not there.
    pub fn hidden(&self, scope: ScopeId, name: &str) -> Option<ItemId> {
        let nearest = self.find(scope, name)?;
        let mut at = Some(scope);
        while let Some(id) = at {
            match self.scopes[id].entries.get(name) {
                Some(item) if *item != nearest => return Some(*item),
                _ => at = self.scopes[id].parent,
            }
        }
        None
    }
    /// The scope inside an item, if it has one.
    pub fn inside(&self, item: ItemId) -> Option<ScopeId> {
        match self.items[item].kind {
            ItemKind::Body(b) => Some(self.bodies[b].inner),
            ItemKind::Element(e) => Some(self.elements[e].inner),
            _ => self.told.get(&item).copied(),
        }
    }
    /// What the beginning of a path stands for, and how many of its parts that took.
    pub fn find_path(&self, scope: ScopeId, path: &Path) -> Option<(ItemId, usize)> {
        let mut item = self.find(scope, &path.segments.first()?.name.text)?;
        let mut n = 1;
        while let (Some(inner), Some(segment)) = (self.inside(item), path.segments.get(n)) {
            match self.scopes[inner].entries.get(&segment.name.text) {
                Some(member) => item = *member,
                None => break,
            }
            n += 1;
        }
        Some((item, n))
    }
    /// Every name known in a scope, innermost first.
    pub fn names(&self, scope: ScopeId) -> Vec<&str> {
        let mut names = vec![];
        let mut at = Some(scope);
        while let Some(id) = at {
            names.extend(self.scopes[id].entries.keys().map(String::as_str));
            at = self.scopes[id].parent;
        }
        names
    }
    /// The entry of a body by its frame's item.
    pub fn body_of(&self, item: ItemId) -> Option<usize> {
        match self.items[item].kind {
            ItemKind::Body(b) => Some(b),
            _ => None,
        }
    }
}

/// What an item is, in words.
pub fn noun(kind: &ItemKind<'_>) -> &'static str {
    match kind {
        ItemKind::Newtonian => "the ground",
        ItemKind::Time => "time",
        ItemKind::Pi => "a number",
        ItemKind::Parameter(_) | ItemKind::DefaultParameter(_) => "a parameter",
        ItemKind::Input(_) => "an input",
        ItemKind::Constant(_) => "a constant",
        ItemKind::Variable(_) => "a variable",
        ItemKind::Speed(_) | ItemKind::JointSpeed(..) => "a speed",
        ItemKind::State(_) | ItemKind::StateRate(_) => "a state",
        ItemKind::Discrete(_) => "a discrete state",
        ItemKind::Function(_) => "a function",
        ItemKind::Procedure(_) => "a procedure",
        ItemKind::External(_) => "an external function",
        ItemKind::Table(_) => "a table",
        ItemKind::Body(_) | ItemKind::BodyData(_) => "a body",
        ItemKind::Coordinate(..) => "a coordinate",
        ItemKind::Point(..) => "a point",
        ItemKind::Load(..) => "a load",
        ItemKind::ClosingJoint(..) | ItemKind::Held(_) => "a joint",
        ItemKind::Constraint(..) => "a constraint",
        ItemKind::Element(_) => "an element",
        ItemKind::Signal(..) => "a quantity of an element",
    }
}
