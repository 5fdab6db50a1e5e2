//! The first pass: who is called what. Nothing is computed here.

use cardan_base::{Diagnostic, Map, Span, nearest};
use cardan_model::{ConstraintKind, ElementKind, JointKind};
use cardan_syntax::{
    self as syntax, BodyKind, Experiment, Expr, ExprKind, Name, Output, Path, Shown, Statement, StatementKind,
};
use cardan_units::Dimension;

use crate::codes;
use crate::context::Resolver;
use crate::joints::{catalogue, higher_pairs, prescribed_motion};
use crate::names::scope::{BodyEntry, ElementEntry, ItemId, ItemKind, ScopeId, noun};
use crate::statements::elements;
use crate::topology::joint_graph::Mount;

/// Statements to be read after the structure, in the order of the text.
#[derive(Default)]
pub struct Contents<'t> {
    /// Accelerations of free fall.
    pub gravity: Vec<(&'t Expr, Span)>,
    /// What results contain.
    pub outputs: Vec<&'t Output>,
    /// How results show what they hold anyway.
    pub shown: Vec<&'t Shown>,
    /// Where the motion begins.
    pub starts: Vec<&'t Statement>,
    /// What happens at an instant.
    pub events: Vec<&'t Statement>,
    /// Questions.
    pub experiments: Vec<(&'t Experiment, Span)>,
    /// Items in the order of the text.
    pub items: Vec<ItemId>,
}

impl<'t> Resolver<'t> {
    /// Enters a name, unless something else has it.
    pub fn define(&mut self, scope: ScopeId, name: &Name, kind: ItemKind<'t>) -> Option<ItemId> {
        if let Some(old) = self.names.scopes[scope].entries.get(&name.text) {
            let item = &self.names.items[*old];
            let what = noun(&item.kind);
            let d = Diagnostic::error(codes::DUPLICATE, format!("`{}` is defined twice", name.text));
            let d = d.at(name.span, "here again");
            let d = match item.span {
                Some(span) => d.also(span, format!("first here, as {what}")),
                None => d.because(format!("`{}` is {what} in every model", name.text)),
            };
            let known = self.names.names(scope);
            let free =
                (2..).map(|k| format!("{}{k}", name.text)).find(|other| !known.contains(&other.as_str()));
            let is_equation = matches!(kind, ItemKind::Constraint(..))
                && matches!(
                    item.kind,
                    ItemKind::Coordinate(..) | ItemKind::JointSpeed(..) | ItemKind::Speed(_)
                );
            self.report(d.hint(match is_equation {
                true => format!("an equation is written with two signs: `constraint {} == …`", name.text),
                false => format!("give one of them another name, such as `{}`", free.unwrap_or_default()),
            }));
            return None;
        }
        let item = self.names.add(kind, scope, &name.text, Some(name.span));
        self.names.scopes[scope].entries.insert(name.text.clone(), item);
        Some(item)
    }

    /// Enters the names of all statements.
    pub fn collect(&mut self, statements: &[&'t Statement]) -> Contents<'t> {
        let mut contents = Contents::default();
        let mut equations = vec![];
        let mut marks: Vec<(&'t Path, bool)> = vec![];
        for statement in statements {
            self.collect_one(statement, &mut contents, &mut equations, &mut marks);
        }
        self.state_equations(equations);
        self.state_starts(&contents.starts);
        for (path, locks) in marks {
            self.mark(path, locks);
        }
        for b in 0..self.names.bodies.len() {
            self.declare_default_parameters(b);
        }
        contents
    }

    fn collect_one(
        &mut self,
        statement: &'t Statement,
        contents: &mut Contents<'t>,
        equations: &mut Vec<(&'t Expr, &'t Expr)>,
        marks: &mut Vec<(&'t Path, bool)>,
    ) {
        let (root, span) = (self.root, statement.span);
        let mut enter = |r: &mut Self, name: &Name, kind: ItemKind<'t>| {
            contents.items.extend(r.define(root, name, kind));
        };
        match &statement.kind {
            StatementKind::Parameter(list) => {
                list.iter().for_each(|d| enter(self, &d.name, ItemKind::Parameter(d)))
            }
            StatementKind::Input(list) => list.iter().for_each(|d| enter(self, &d.name, ItemKind::Input(d))),
            StatementKind::Constant(list) => {
                list.iter().for_each(|d| enter(self, &d.name, ItemKind::Constant(d)))
            }
            StatementKind::Variable(list) => {
                list.iter().for_each(|d| enter(self, &d.name, ItemKind::Variable(d)))
            }
            StatementKind::Speed(list) => list.iter().for_each(|d| enter(self, &d.name, ItemKind::Speed(d))),
            StatementKind::State(list) => {
                for s in list {
                    let Some(item) = self.define(root, &s.declaration.name, ItemKind::State(s)) else {
                        continue;
                    };
                    let name = format!("der({})", s.declaration.name.text);
                    let rate =
                        self.names.add(ItemKind::StateRate(item), root, &name, Some(s.declaration.name.span));
                    self.state_rates.insert(item, rate);
                    if let Some(e) = &s.derivative {
                        self.state_equations.insert(item, e);
                    }
                    contents.items.extend([item, rate]);
                }
            }
            StatementKind::Discrete(list) => {
                list.iter().for_each(|d| enter(self, &d.name, ItemKind::Discrete(d)))
            }
            StatementKind::When(_) | StatementKind::Every(_) => contents.events.push(statement),
            StatementKind::Function(f) => enter(self, &f.name, ItemKind::Function(f)),
            StatementKind::External(e) => enter(self, &e.name, ItemKind::External(e)),
            StatementKind::Procedure(p) => enter(self, &p.name, ItemKind::Procedure(p)),
            StatementKind::Table(t) => enter(self, &t.name, ItemKind::Table(t)),
            StatementKind::Point(p) => enter(self, &p.name, ItemKind::Point(p, None)),
            StatementKind::Body(body) => self.collect_body(body, None, contents),
            StatementKind::Gravity(e) => contents.gravity.push((e, span)),
            StatementKind::Load(load) => {
                let item = self.define(root, &load.name, ItemKind::Load(load, span));
                contents.items.extend(item);
            }
            StatementKind::Joint(joint) => {
                let kind = joint.form.function.as_name().and_then(|n| ConstraintKind::named(&n.text));
                let item = self.define(root, &joint.name, ItemKind::ClosingJoint(joint, span));
                contents.items.extend(item);
                let inner = self.collect_told(item, &joint.name, higher_pairs::signals(kind));
                if let Some(frame) = self.contacts.and_then(|c| c.get(&joint.name.text)) {
                    self.collect_body(frame, Some(inner), contents);
                }
            }
            StatementKind::Constraint(constraint) => match &constraint.name {
                Some(name) => {
                    let item = self.define(root, name, ItemKind::Constraint(constraint, span));
                    contents.items.extend(item);
                    self.collect_told(item, name, &["multiplier", "closed"]);
                }
                None => {
                    let kind = ItemKind::Constraint(constraint, span);
                    let is_constraint =
                        |i: &&ItemId| matches!(self.names.items[**i].kind, ItemKind::Constraint(..));
                    let number = contents.items.iter().filter(is_constraint).count() + 1;
                    let item = self.names.add(kind, root, &format!("constraint{number}"), Some(span));
                    contents.items.push(item);
                }
            },
            StatementKind::Element(element) => self.collect_element(element, span, contents),
            StatementKind::Output(list) => contents.outputs.extend(list),
            StatementKind::Show(list) => contents.shown.extend(list),
            StatementKind::Start(_) => contents.starts.push(statement),
            StatementKind::Experiment(e) => contents.experiments.push((e, span)),
            StatementKind::Equation { left, right } => equations.push((left, right)),
            StatementKind::Lock(paths) => marks.extend(paths.iter().map(|p| (p, true))),
            StatementKind::Small(paths) => marks.extend(paths.iter().map(|p| (p, false))),
            StatementKind::StrictUnits | StatementKind::Newtonian(_) => {}
            StatementKind::Assign(a) => {
                let message = format!("`{}` stands alone and belongs to nothing", self.text(a.target.span));
                let value = self.text(a.value.span);
                let made = |word: &&str| value.strip_prefix(*word).is_some_and(|rest| rest.starts_with('('));
                let classes =
                    ["ReferenceFrame", "Point", "RigidBody", "Particle", "Body", "Symbol", "symbols"];
                let help = match nearest(&self.text(a.target.span), ["gravity"]) {
                    Some(_) => "did this mean `gravity`?",
                    None if classes.iter().any(made) => {
                        "frames, bodies and points are statements: `frame A on N by revolute(z, q = q1)`; \
                         the inertial frame `N` is there"
                    }
                    None => "write `parameter` or `variable` before it, or put it into the braces of a body",
                };
                self.error(codes::MISPLACED, message, span, help);
            }
            StatementKind::If(_) => {
                let message = "a condition does not stand alone";
                let help = "what happens at an instant is `when CONDITION { x := … }`; a value of two cases is `if CONDITION then a else b`";
                self.error(codes::MISPLACED, message, span, help);
            }
            StatementKind::For(_)
            | StatementKind::Local(_)
            | StatementKind::Return(_)
            | StatementKind::Several(_)
            | StatementKind::Guess { .. }
            | StatementKind::Stop(_)
            | StatementKind::Release(_)
            | StatementKind::Attach(_)
            | StatementKind::Detach(_) => {
                let help = "it belongs into the braces of `when`, `every` or `procedure`";
                self.error(codes::MISPLACED, "this statement means nothing here", span, help);
            }
            StatementKind::Update(update) => {
                let (name, value) = (self.text(update.target.span), self.text(update.value.span));
                let help = format!(
                    "a value is declared by `parameter {name} = {value}`, `variable {name} = …`; `:=` stands in \
                     the braces of `when`, `every` or `procedure`"
                );
                self.error(codes::MISPLACED, "this statement means nothing here", span, help);
            }
            StatementKind::Shape(_) | StatementKind::Connection(_) => {
                let help = "a shape belongs into the braces of a body, `->` into those of an instance";
                self.error(codes::MISPLACED, "this statement means nothing here", span, help);
            }
            StatementKind::Model(_) => {
                let help = "write each model in a text of its own";
                self.error(codes::MISPLACED, "a model stands inside a model", span, help);
            }
            StatementKind::Subsystem(_)
            | StatementKind::Import(_)
            | StatementKind::Instance(_)
            | StatementKind::Port(_)
            | StatementKind::Slot(_)
            | StatementKind::Cut(_)
            | StatementKind::Link(_) => self.not_flat(span),
        }
    }

    /// Something that `expand` takes away stands in a tree that was not expanded.
    pub fn not_flat(&mut self, span: Span) {
        let d = Diagnostic::error(codes::UNSUPPORTED, "this is not expanded").at(span, "");
        let d = d.because("imports, subsystems, instances and loops are expanded before a tree is resolved");
        self.report(d.hint("expand the tree first, or write this out"));
    }

    /// A body, or the frame of a contact, whose coordinates belong to the scope of its joint.
    fn collect_body(
        &mut self,
        body: &'t syntax::Body,
        contact: Option<ScopeId>,
        contents: &mut Contents<'t>,
    ) {
        let root = self.root;
        let b = self.names.bodies.len();
        let inner = self.names.open(Some(&body.name.text), Some(root));
        let mount = self.mounts.and_then(|m| m.get(&body.name.text)).filter(|_| body.parent.is_none());
        let calls = mount.map_or(&body.joints, |m| &m.calls);
        let mut plan = catalogue::plan(calls, &mut self.diagnostics);
        if contact.is_some() {
            plan.kinds = vec![JointKind::Contact];
        }
        // Without a name of its own the body is still planned, so that what it contains is checked too.
        let frame = match self.define(root, &body.name, ItemKind::Body(b)) {
            Some(item) => item,
            None => self.names.add(ItemKind::Body(b), root, &body.name.text, Some(body.name.span)),
        };
        let data = self.names.add(ItemKind::BodyData(b), root, &body.name.text, Some(body.name.span));
        contents.items.extend([frame, data]);
        let own = contact.unwrap_or(inner);
        let motion = mount.map_or(own, |m| self.collect_mount(m, b, contents));
        self.names.bodies.push(BodyEntry { tree: body, inner, motion, frame, data });
        for statement in &body.content {
            match &statement.kind {
                StatementKind::Point(p) => {
                    contents.items.extend(self.define(inner, &p.name, ItemKind::Point(p, Some(b))))
                }
                StatementKind::Assign(_) | StatementKind::Shape(_) => {}
                _ if self.incomplete => {}
                _ => {
                    let help = "inside a body stand mass, inertia, center, point and shape";
                    self.error(
                        codes::MISPLACED,
                        "this statement means nothing inside a body",
                        statement.span,
                        help,
                    );
                }
            }
        }
        let (n, m) = (plan.degrees.len(), plan.speeds.len());
        for (k, degree) in plan.degrees.iter().enumerate() {
            let alias = if n == 1 { "q".to_owned() } else { format!("q{}", k + 1) };
            self.collect_motion(motion, degree.name, alias, degree.span, ItemKind::Coordinate(b, k));
        }
        for (k, speed) in plan.speeds.iter().enumerate() {
            let alias = if m == 1 { "u".to_owned() } else { format!("u{}", k + 1) };
            let span = speed.name.map_or(body.name.span, |n| n.span);
            self.collect_motion(motion, speed.name, alias, span, ItemKind::JointSpeed(b, k));
        }
        self.plans.push(plan);
        self.built.push(vec![]);
    }

    /// The joint that holds a body: the scope of its coordinates and speeds, and of its force and torque if somebody asks.
    fn collect_mount(&mut self, mount: &'t Mount, b: usize, contents: &mut Contents<'t>) -> ScopeId {
        let item = match self.define(self.root, &mount.joint, ItemKind::Held(b)) {
            Some(item) => item,
            None => self.names.add(ItemKind::Held(b), self.root, &mount.joint.text, Some(mount.joint.span)),
        };
        contents.items.push(item);
        let signals: &[&str] = if mount.tells { higher_pairs::REACTIONS } else { &[] };
        self.collect_told(Some(item), &mount.joint, signals)
    }

    fn collect_element(&mut self, element: &'t syntax::Element, span: Span, contents: &mut Contents<'t>) {
        let inner = self.names.open(Some(&element.name.text), Some(self.root));
        let index = self.names.elements.len();
        self.names.elements.push(ElementEntry { tree: element, span, inner });
        let Some(item) = self.define(self.root, &element.name, ItemKind::Element(index)) else { return };
        contents.items.push(item);
        let signals = match ElementKind::named(&element.kind.text) {
            _ if prescribed_motion::drives(element) => prescribed_motion::signals(element),
            Some(kind) => elements::signals(kind),
            None => &[],
        };
        for signal in signals {
            let name = Name::new((*signal).to_owned(), element.name.span);
            self.define(inner, &name, ItemKind::Signal(item));
        }
    }

    /// What a joint or constraint tells about itself.
    fn collect_told(&mut self, item: Option<ItemId>, name: &Name, signals: &[&str]) -> ScopeId {
        let inner = self.names.open(Some(&name.text), Some(self.root));
        let Some(item) = item else { return inner };
        self.names.told.insert(item, inner);
        for signal in signals {
            let name = Name::new((*signal).to_owned(), name.span);
            self.define(inner, &name, ItemKind::Signal(item));
        }
        inner
    }

    /// A coordinate or speed: under its given name in the model, and under its number in the body.
    fn collect_motion(
        &mut self,
        inner: ScopeId,
        name: Option<&'t Name>,
        alias: String,
        span: Span,
        kind: ItemKind<'t>,
    ) {
        let alias = Name::new(alias, span);
        match name {
            None => {
                self.define(inner, &alias, kind);
            }
            Some(name) => {
                let item = self.define(self.root, name, kind);
                if let Some(item) = item {
                    self.names.scopes[inner].entries.entry(alias.text).or_insert(item);
                }
            }
        }
    }

    /// `der(x) = …` outside braces.
    fn state_equations(&mut self, equations: Vec<(&'t Expr, &'t Expr)>) {
        let mut places: Map<ItemId, Span> = Map::default();
        for (left, right) in equations {
            let state = match &left.kind {
                ExprKind::Call(call) if call.function.is("der") && call.arguments.len() == 1 => {
                    match &call.arguments[0].value.kind {
                        ExprKind::Name(path) => self.names.find_path(self.root, path).map(|(item, _)| item),
                        _ => None,
                    }
                }
                _ => None,
            };
            let state = state.filter(|item| matches!(self.names.items[*item].kind, ItemKind::State(_)));
            let Some(state) = state else {
                let help = match &left.kind {
                    ExprKind::Call(call) if call.function.is("der") && call.arguments.len() == 1 => {
                        let name = self.text(call.arguments[0].value.span);
                        format!("declare the state with its start: `state {name} = 0 [m]`")
                    }
                    _ => "write `der(x) = …` for a declared `state x = 0`".to_owned(),
                };
                self.error(codes::STATE, "the left side is not the rate of a state", left.span, help);
                continue;
            };
            if self.state_equations.contains_key(&state) {
                let name = self.names.items[state].name.clone();
                let d = Diagnostic::error(codes::STATE, format!("`{name}` has two equations"))
                    .at(left.span, "second");
                let first =
                    places.get(&state).copied().or_else(|| self.state_equations.get(&state).map(|e| e.span));
                let d = match first {
                    Some(span) => d.also(span, "first"),
                    None => d,
                };
                self.report(d.hint("remove one of them"));
                continue;
            }
            places.insert(state, left.span);
            self.state_equations.insert(state, right);
        }
    }

    /// Start values of states, which are needed when the states are made.
    fn state_starts(&mut self, starts: &[&'t Statement]) {
        for start in starts {
            let StatementKind::Start(content) = &start.kind else { continue };
            for statement in content {
                let StatementKind::Assign(a) = &statement.kind else { continue };
                if let Some((item, 1)) = self.names.find_path(self.root, &a.target)
                    && matches!(self.names.items[item].kind, ItemKind::State(_) | ItemKind::Discrete(_))
                {
                    self.state_starts.insert(item, &a.value);
                }
            }
        }
    }

    /// `lock q` and `small q`.
    fn mark(&mut self, path: &'t Path, locks: bool) {
        let found = self.names.find_path(self.root, path).filter(|(_, n)| *n == path.segments.len());
        let Some((item, _)) = found else {
            self.unknown(self.root, path, "name a coordinate, such as `arm.q`", &[]);
            return;
        };
        match self.names.items[item].kind {
            ItemKind::Coordinate(b, k) if locks => self.plans[b].lock(k, path.span, &mut self.diagnostics),
            ItemKind::Coordinate(b, k) => {
                self.plans[b].degrees[k].small = self.plans[b].degrees[k].small.max(1)
            }
            ItemKind::Parameter(_) | ItemKind::State(_) if !locks => {
                self.small_items.insert(item);
            }
            kind => {
                let message =
                    format!("`{}` is {}, and a coordinate is needed", self.text(path.span), noun(&kind));
                self.error(codes::KIND, message, path.span, "name a coordinate, such as `arm.q`");
            }
        }
    }

    /// The names of the parameters that stand for missing data of a body, with their dimensions.
    pub fn default_names(&self, b: usize) -> Vec<(String, Dimension)> {
        let tree = self.names.bodies[b].tree;
        let gives = |what: &str| {
            tree.content.iter().any(|s| match &s.kind {
                StatementKind::Assign(a) => a.target.segments.first().is_some_and(|s| s.name.text == what),
                _ => false,
            })
        };
        let weighed = |s: &Statement| match &s.kind {
            StatementKind::Shape(shape) => has_density(&shape.form),
            _ => false,
        };
        if gives("density") || tree.content.iter().any(weighed) {
            return vec![];
        }
        let name = &tree.name.text;
        let mut names = vec![];
        if tree.kind != BodyKind::Frame && !gives("mass") {
            names.push((format!("M{name}"), Dimension::MASS));
        }
        if tree.kind == BodyKind::Body && !gives("inertia") {
            names.extend([11, 22, 33].map(|k| (format!("I{name}{k}"), Dimension::INERTIA)));
        }
        names
    }

    fn declare_default_parameters(&mut self, b: usize) {
        for (text, dimension) in self.default_names(b) {
            let root = self.root;
            if !self.names.scopes[root].entries.contains_key(&text) {
                let name = Name::new(text, self.names.bodies[b].tree.name.span);
                self.define(root, &name, ItemKind::DefaultParameter(dimension));
            }
        }
    }

    /// The items of those parameters.
    pub fn default_parameters(&self, b: usize) -> Vec<ItemId> {
        let names = self.default_names(b);
        names.iter().filter_map(|(name, _)| self.names.find(self.root, name)).collect()
    }
}

/// Whether a solid has a density of its own.
fn has_density(form: &syntax::Call) -> bool {
    form.arguments.iter().any(|a| match (&a.name, &a.value.kind) {
        (Some(name), _) => name.text == "density",
        (None, ExprKind::Call(inner)) => has_density(inner),
        _ => false,
    })
}
