//! The order of evaluation: whatever a definition needs comes first, wherever it stands in the text.
//!
//! Needs are read off the text (names in expressions), so a chain of any length is followed without recursion, and
//! a definition that needs itself is found before anything is computed.

use cardan_base::{Diagnostic, Id, Set};
use cardan_syntax::{Expr, ExprKind, Path, Statement, StatementKind};

use crate::codes;
use crate::context::Resolver;
use crate::names::scope::{ItemId, ItemKind, ScopeId, Status};
use crate::statements::elements;

/// The items that expressions need.
#[derive(Default)]
struct Needs {
    items: Vec<ItemId>,
    /// Those whose time derivative is needed.
    derived: Vec<ItemId>,
}

impl<'t> Resolver<'t> {
    /// Evaluates items and whatever they need, in the right order.
    pub fn settle(&mut self, roots: impl IntoIterator<Item = ItemId>) {
        let mut color: Vec<u8> = vec![0; self.names.items.len()];
        for root in roots {
            let mut stack: Vec<(ItemId, Vec<ItemId>)> = vec![];
            let mut enter = Some(root);
            loop {
                if let Some(item) = enter.take() {
                    let pending = matches!(self.names.items[item].status, Status::Pending);
                    if color[item.index()] == 0 && pending {
                        color[item.index()] = 1;
                        let mut needs = self.needs(item);
                        needs.reverse();
                        stack.push((item, needs));
                    } else if color[item.index()] == 1 {
                        let from = stack.iter().position(|(i, _)| *i == item).unwrap_or(0);
                        let cycle: Vec<ItemId> = stack[from..].iter().map(|(i, _)| *i).collect();
                        self.report_cycle(&cycle);
                    }
                }
                let Some((item, needs)) = stack.last_mut() else { break };
                match needs.pop() {
                    Some(next) => enter = Some(next),
                    None => {
                        let item = *item;
                        stack.pop();
                        color[item.index()] = 2;
                        if matches!(self.names.items[item].status, Status::Pending) {
                            self.evaluate_item(item);
                        }
                    }
                }
            }
        }
    }

    /// Evaluates whatever an expression needs.
    pub fn settle_expression(&mut self, e: &Expr, scope: ScopeId) {
        let mut needs = Needs::default();
        self.names_in(e, scope, &[], false, &mut needs);
        let needs = self.with_state_rates(needs);
        self.settle(needs);
    }

    /// Evaluates whatever statements that happen in order need.
    pub fn settle_statements(&mut self, statements: &[Statement], scope: ScopeId) {
        let mut needs = Needs::default();
        self.names_in_statements(statements, scope, &mut vec![], &mut needs);
        let needs = self.with_state_rates(needs);
        self.settle(needs);
    }

    /// The names in statements that happen in order; their own variables are no needs.
    fn names_in_statements<'s>(
        &self,
        statements: &'s [Statement],
        scope: ScopeId,
        locals: &mut Vec<&'s str>,
        needs: &mut Needs,
    ) {
        let depth = locals.len();
        for statement in statements {
            let mut see = |list: &mut dyn Iterator<Item = &Expr>, locals: &[&str]| {
                list.for_each(|e| self.names_in(e, scope, locals, false, needs));
            };
            match &statement.kind {
                StatementKind::Local(list) => {
                    for d in list {
                        see(&mut d.value.iter(), locals);
                        locals.push(&d.name.text);
                    }
                }
                StatementKind::Update(u) => see(&mut std::iter::once(&u.value), locals),
                StatementKind::Several(s) => see(&mut std::iter::once(&s.value), locals),
                StatementKind::Return(values) => see(&mut values.iter(), locals),
                StatementKind::When(when) => {
                    see(&mut std::iter::once(&when.condition), locals);
                    self.names_in_statements(&when.content, scope, locals, needs);
                }
                StatementKind::Every(every) => {
                    see(&mut std::iter::once(&every.period).chain(&every.offset), locals);
                    self.names_in_statements(&every.content, scope, locals, needs);
                }
                StatementKind::If(branches) => {
                    see(&mut branches.arms.iter().map(|(c, _)| c), locals);
                    for content in branches.arms.iter().map(|(_, s)| s).chain([&branches.otherwise]) {
                        self.names_in_statements(content, scope, locals, needs);
                    }
                }
                StatementKind::For(repeated) => {
                    see(&mut std::iter::once(&repeated.range), locals);
                    locals.push(&repeated.name.text);
                    self.names_in_statements(&repeated.content, scope, locals, needs);
                    locals.pop();
                }
                _ => {}
            }
        }
        locals.truncate(depth);
    }

    /// Says that a body is placed at a point of itself, `body B on A by … at B.P`, where that is why it needs itself.
    fn report_own_place(&mut self, cycle: &[ItemId]) -> bool {
        for item in cycle {
            let ItemKind::Body(b) = self.names.items[*item].kind else { continue };
            let body = self.names.bodies[b].tree;
            let (Some(at), Some(parent)) = (&body.at, &body.parent) else { continue };
            let (name, at, carrier) = (&body.name.text, at.span, self.text(parent.span));
            if !self.text(at).starts_with(&format!("{name}.")) {
                continue;
            }
            let message = format!("`{name}` is placed at a point of itself");
            let d = Diagnostic::error(codes::OWN_ANCESTOR, message)
                .at(at, format!("`at` is a place on `{carrier}`, which carries it"))
                .because(format!("the origin `{name}.o` lies in the joint; its points are given from there"));
            let own = self.points_of(&carrier);
            let place = own.unwrap_or_else(|| "(0, 0, 1) [m]".to_owned());
            self.report(
                d.hint(format!("write `at {place}`, or leave `at` out: the joint is at `{carrier}.o` then")),
            );
            return true;
        }
        false
    }

    /// The first point of a body, as it is named.
    fn points_of(&self, body: &str) -> Option<String> {
        let named = self.names.bodies.iter().position(|b| b.tree.name.text == body)?;
        let is_own = |kind: &ItemKind<'_>| matches!(kind, ItemKind::Point(_, Some(b)) if *b == named);
        self.names.items.iter().find(|(_, i)| is_own(&i.kind)).map(|(_, i)| i.name.clone())
    }

    fn report_cycle(&mut self, cycle: &[ItemId]) {
        let names: Vec<String> = cycle.iter().map(|i| self.names.items[*i].name.clone()).collect();
        let all_bodies = cycle.iter().all(|i| matches!(self.names.items[*i].kind, ItemKind::Body(_)));
        for item in cycle {
            self.names.items[*item].status = Status::Failed;
        }
        if self.report_own_place(cycle) {
            return;
        }
        let first = names.first().cloned().unwrap_or_default();
        let all_functions = cycle.iter().all(|i| matches!(self.names.items[*i].kind, ItemKind::Function(_)));
        let on_ground =
            format!("one of them hangs on something else: write `body {first} on {} by …`", self.ground());
        let (code, message, help) = if all_functions {
            let help = "a function cannot call itself; repeat steps in a procedure: `procedure f(x) -> y { y := 1; for k in 1 .. 5 { y := y*k } }`";
            (codes::CYCLE, format!("`{first}` needs itself"), help)
        } else if all_bodies {
            (codes::OWN_ANCESTOR, format!("`{first}` hangs on itself"), on_ground.as_str())
        } else if cycle.iter().any(|i| self.begins_like_a_signal(*i)) {
            let help = "give the start of one of these states its unit: `initial = 0 [m]`";
            (codes::CYCLE, format!("the dimension of `{first}` needs itself"), help)
        } else {
            let help = "give one of these a value of its own: solve the equations for it by hand, or let it follow \
                        with a lag, `state y = 0 { der = (x - y)/(1 [ms]) }`";
            (codes::CYCLE, format!("`{first}` needs itself"), help)
        };
        let mut d = Diagnostic::error(code, message);
        for (k, item) in cycle.iter().enumerate().take(6) {
            let next = &names[(k + 1) % names.len()];
            if let Some(span) = self.names.items[*item].span {
                let text = if all_bodies { format!("hangs on `{next}`") } else { format!("needs `{next}`") };
                d = if k == 0 { d.at(span, text) } else { d.also(span, text) };
            }
        }
        let mut round = names;
        round.push(first);
        self.report(d.because(round.join(" -> ")).hint(help));
    }

    /// What an item needs.
    fn needs(&self, item: ItemId) -> Vec<ItemId> {
        let mut needs = Needs::default();
        let entry = &self.names.items[item];
        let scope = entry.scope;
        match entry.kind {
            ItemKind::Procedure(p) => {
                let mut locals: Vec<&str> = p.inputs.iter().map(|i| i.name.text.as_str()).collect();
                locals.extend(p.results.iter().map(|i| i.name.text.as_str()));
                self.names_in_statements(&p.content, scope, &mut locals, &mut needs);
            }
            ItemKind::Discrete(d) => {
                for e in d.value.iter().chain(self.state_starts.get(&item).copied()) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Parameter(d) | ItemKind::Input(d) | ItemKind::Constant(d) | ItemKind::Variable(d) => {
                for e in d.value.iter().chain(&d.range) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::State(s) => {
                for e in s.declaration.value.iter().chain(self.state_starts.get(&item).copied()) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::StateRate(state) => {
                needs.items.push(state);
                if let Some(e) = self.rate_expression(state) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Function(f) => {
                let locals: Vec<&str> = f.inputs.iter().map(|i| i.name.text.as_str()).collect();
                self.names_in(&f.value, scope, &locals, false, &mut needs);
            }
            ItemKind::Table(t) => {
                for e in t
                    .columns
                    .iter()
                    .chain(t.rows.iter().flat_map(|r| std::iter::once(&r.at).chain(&r.values)))
                {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Body(b) => {
                let tree = self.names.bodies[b].tree;
                if let Some(parent) = &tree.parent {
                    self.names_in(parent, scope, &[], false, &mut needs);
                }
                let mount = self.mount(b);
                for e in mount.iter().map(|m| &m.base).chain(&tree.at).chain(self.plans[b].expressions()) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
                if let Some((m, e)) = mount.and_then(|m| Some((m, m.own.as_ref()?))) {
                    let scope = if m.inside { self.names.bodies[b].inner } else { scope };
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Held(b) => needs.items.push(self.names.bodies[b].frame),
            ItemKind::BodyData(b) => {
                let entry = &self.names.bodies[b];
                needs.items.push(entry.frame);
                needs.items.extend(self.default_parameters(b));
                for statement in &entry.tree.content {
                    match &statement.kind {
                        StatementKind::Assign(a) => {
                            self.names_in(&a.value, entry.inner, &[], false, &mut needs)
                        }
                        StatementKind::Shape(shape) => {
                            for a in &shape.form.arguments {
                                self.names_in(&a.value, entry.inner, &[], false, &mut needs);
                            }
                        }
                        _ => {}
                    }
                }
            }
            ItemKind::Point(p, body) => {
                needs.items.extend(body.map(|b| self.names.bodies[b].frame));
                if let Some(path) = &p.on {
                    self.name_in(path, scope, false, &mut needs);
                }
                self.names_in(&p.value, scope, &[], false, &mut needs);
            }
            ItemKind::Coordinate(b, _) | ItemKind::JointSpeed(b, _) => {
                needs.items.push(self.names.bodies[b].frame);
            }
            ItemKind::Load(load, _) => {
                for e in std::iter::once(&load.on).chain(&load.from).chain([&load.value]).chain(&load.energy)
                {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Element(index) => {
                let tree = self.names.elements[index].tree;
                let (first, second) = elements::ends(tree);
                let properties = tree.content.iter().filter_map(|s| match &s.kind {
                    StatementKind::Assign(a) => Some(&a.value),
                    _ => None,
                });
                for e in std::iter::once(first).chain(second).chain(&tree.value).chain(properties) {
                    self.names_in(e, scope, &[], false, &mut needs);
                }
            }
            ItemKind::ClosingJoint(joint, _) => {
                for a in &joint.form.arguments {
                    self.names_in(&a.value, scope, &[], false, &mut needs);
                }
            }
            ItemKind::Constraint(constraint, _) => {
                self.names_in(&constraint.relation, scope, &[], false, &mut needs);
            }
            ItemKind::Signal(element) => needs.items.push(element),
            _ => {}
        }
        self.with_state_rates(needs)
    }

    fn name_in(&self, path: &Path, scope: ScopeId, derived: bool, needs: &mut Needs) {
        for e in path.segments.iter().flat_map(|s| &s.index) {
            self.names_in(e, scope, &[], derived, needs);
        }
        let Some((item, n)) = self.names.find_path(scope, path) else {
            needs.items.extend(self.stores_of(path));
            return;
        };
        needs.items.push(item);
        if derived {
            needs.derived.push(item);
        }
        if let (Some(b), Some(next)) = (self.names.body_of(item), path.segments.get(n))
            && matches!(next.name.text.as_str(), "cm" | "mass")
        {
            needs.items.push(self.names.bodies[b].data);
        }
    }

    fn names_in(&self, e: &Expr, scope: ScopeId, locals: &[&str], derived: bool, needs: &mut Needs) {
        let mut visit = |e: &Expr, derived: bool| self.names_in(e, scope, locals, derived, needs);
        match &e.kind {
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Missing => {}
            ExprKind::Name(path) => {
                let first = path.segments.first().map_or("", |s| s.name.text.as_str());
                if !locals.contains(&first) {
                    self.name_in(path, scope, derived, needs);
                }
            }
            ExprKind::Call(call) => {
                let is_der = call.function.is("der");
                call.arguments.iter().for_each(|a| visit(&a.value, derived || is_der));
                self.name_in(&call.function, scope, derived, needs);
            }
            ExprKind::Tuple(parts) => parts.iter().for_each(|p| visit(p, derived)),
            ExprKind::Quantity { value, .. } => visit(value, derived),
            ExprKind::Unary { operand, .. } => visit(operand, derived),
            ExprKind::Chain { first, rest } => {
                visit(first, derived);
                rest.iter().for_each(|(_, e)| visit(e, derived));
            }
            ExprKind::Power { base, exponent } => {
                visit(base, derived);
                visit(exponent, derived);
            }
            ExprKind::Compare { left, right, .. } => {
                visit(left, derived);
                visit(right, derived);
            }
            ExprKind::If { arms, otherwise } => {
                for (c, v) in arms {
                    visit(c, derived);
                    visit(v, derived);
                }
                visit(otherwise, derived);
            }
            ExprKind::Range { low, high } => {
                visit(low, derived);
                visit(high, derived);
            }
            ExprKind::Part { of, .. } => visit(of, derived),
            ExprKind::Sum { range, term, .. } => {
                visit(range, derived);
                visit(term, derived);
            }
        }
    }

    /// Whether the value of a parameter or the start of a state takes its dimension from a signal, `state x = zero(u)`, or from a parameter
    /// that does.
    pub fn begins_like_a_signal(&self, item: ItemId) -> bool {
        let entry = &self.names.items[item];
        let declaration = match entry.kind {
            ItemKind::State(s) => &s.declaration,
            ItemKind::Discrete(d) | ItemKind::Parameter(d) => d,
            _ => return false,
        };
        let Some(e) = &declaration.value else { return false };
        match &e.kind {
            ExprKind::Call(call) => call.function.is("zero"),
            ExprKind::Name(path) => match self.names.find_path(entry.scope, path) {
                Some((other, _)) if matches!(self.names.items[other].kind, ItemKind::Parameter(_)) => {
                    other != item && self.takes_zero(other)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether the value of a parameter is `zero(…)`.
    fn takes_zero(&self, item: ItemId) -> bool {
        let ItemKind::Parameter(d) = self.names.items[item].kind else { return false };
        matches!(d.value.as_ref().map(|e| &e.kind), Some(ExprKind::Call(call)) if call.function.is("zero"))
    }

    /// The needs, with the rates of all states behind what is differentiated.
    fn with_state_rates(&self, needs: Needs) -> Vec<ItemId> {
        let mut items = needs.items;
        let mut seen: Set<ItemId> = Set::default();
        let mut open = needs.derived;
        while let Some(item) = open.pop() {
            if !seen.insert(item) {
                continue;
            }
            match self.names.items[item].kind {
                ItemKind::State(_) => items.extend(self.state_rates.get(&item)),
                ItemKind::Variable(d) => {
                    let mut inner = Needs::default();
                    if let Some(e) = &d.value {
                        self.names_in(e, self.names.items[item].scope, &[], true, &mut inner);
                    }
                    open.extend(inner.derived);
                }
                _ => {}
            }
        }
        items
    }
}
