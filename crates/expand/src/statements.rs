//! Statements of the flat tree.

use cardan_base::Map;
use cardan_syntax::{
    Assign, Attach, Body, Branches, Constraint, Declaration, Detach, Element, Ends, Every, ExprKind, For,
    Function, Input, Joint, Link, Load, Name, Output, Point, Procedure, Row, Several, Shape, Shown, State,
    Statement, StatementKind, Table, UnitText, Update, When, print_expression,
};

use crate::experiment;
use crate::plan::Expander;
use crate::ports::number;
use crate::scope::{Piece, Place};
use crate::write::is_axis;

impl<'t> Expander<'t, '_> {
    /// The statements of the flat tree, in the order of the text; parts of libraries that are used come last.
    pub fn flat(&mut self) -> Vec<Statement> {
        let mut out = vec![];
        let mut starts = vec![];
        for piece in std::mem::take(&mut self.pieces) {
            let first = out.len();
            self.write_piece(&piece, &mut out);
            if let Piece::Statement { place, .. } = &piece {
                let is_start = |k: &usize| matches!(out[*k].kind, StatementKind::Start(_));
                starts.extend((first..out.len()).filter(is_start).map(|k| (k, self.nesting(place.scope))));
            }
        }
        experiment::keep_outermost_starts(&mut out, &starts);
        let library = std::mem::take(&mut self.library);
        let mut pieces: Vec<Option<Piece<'t>>> = library.into_iter().map(Some).collect();
        let mut by_name: Map<String, Vec<usize>> = Map::default();
        for (k, piece) in pieces.iter().enumerate() {
            for name in piece.as_ref().map(declared_names).unwrap_or_default() {
                if let Some(Piece::Statement { place, .. }) = piece
                    && let Some(flat) = self.flat_name(name, place)
                {
                    by_name.entry(flat).or_default().push(k);
                }
            }
        }
        while let Some(name) = self.wanted.pop() {
            for k in by_name.remove(&name).unwrap_or_default() {
                if let Some(piece) = pieces[k].take() {
                    self.write_piece(&piece, &mut out);
                }
            }
        }
        out
    }

    /// How many instances a scope stands in.
    fn nesting(&self, scope: usize) -> usize {
        std::iter::successors(self.scopes[scope].outer, |s| self.scopes[*s].outer).count()
    }

    fn write_piece(&mut self, piece: &Piece<'t>, out: &mut Vec<Statement>) {
        match piece {
            Piece::Ports(scope) => out.extend(self.port_statements(*scope)),
            Piece::Statement { statement, place } => {
                let reflected = self.reflected(statement, place);
                let statement = reflected.as_ref().unwrap_or(statement);
                out.extend(self.write_statement(statement, place));
            }
        }
    }

    fn write_statement(&mut self, statement: &Statement, place: &Place) -> Option<Statement> {
        let kind = match &statement.kind {
            StatementKind::Gravity(e) => StatementKind::Gravity(self.expr(e, place)),
            StatementKind::Parameter(list) => {
                let declarations = self.declarations(list, place);
                StatementKind::Parameter(self.set_declarations(declarations))
            }
            StatementKind::Input(list) => {
                let declarations = self.declarations(list, place);
                StatementKind::Input(self.set_declarations(declarations))
            }
            StatementKind::Constant(list) => StatementKind::Constant(self.constants(list, place)),
            StatementKind::Variable(list) => StatementKind::Variable(self.declarations(list, place)),
            StatementKind::Discrete(list) => StatementKind::Discrete(self.declarations(list, place)),
            StatementKind::Speed(list) => StatementKind::Speed(self.declarations(list, place)),
            StatementKind::State(list) => {
                let mut states = vec![];
                for state in list {
                    let declaration = self.declaration(&state.declaration, place);
                    let derivative = state.derivative.as_ref().map(|e| self.expr(e, place));
                    states.push(State { declaration, derivative });
                }
                StatementKind::State(states)
            }
            StatementKind::Function(f) => {
                let inner = place.knowing(f.inputs.iter().map(|i| i.name.text.clone()));
                StatementKind::Function(Function {
                    name: self.declared_name(&f.name, place),
                    inputs: self.inputs(&f.inputs, place),
                    unit: self.unit(&f.unit, place),
                    value: self.expr(&f.value, &inner),
                    description: f.description.clone(),
                })
            }
            StatementKind::External(f) => {
                let mut f = f.clone();
                f.name = self.declared_name(&f.name, place);
                StatementKind::External(f)
            }
            StatementKind::Table(table) => StatementKind::Table(self.table(table, place)),
            StatementKind::Body(body) => StatementKind::Body(self.body(body, place)),
            StatementKind::Point(point) => StatementKind::Point(self.point(point, place)),
            StatementKind::Shape(shape) => StatementKind::Shape(self.shape(shape, place)),
            StatementKind::Joint(joint) => StatementKind::Joint(Joint {
                name: self.declared_name(&joint.name, place),
                form: self.joint_call(&joint.form, place),
                description: joint.description.clone(),
            }),
            StatementKind::Link(link) => StatementKind::Link(Link {
                name: self.declared_name(&link.name, place),
                description: link.description.clone(),
                first: self.choice(&link.first, place)?,
                second: self.choice(&link.second, place)?,
                joints: link.joints.iter().map(|c| self.joint_call(c, place)).collect(),
            }),
            StatementKind::Constraint(c) => StatementKind::Constraint(Constraint {
                name: c.name.as_ref().map(|n| self.declared_name(n, place)),
                relation: self.expr(&c.relation, place),
                description: c.description.clone(),
            }),
            StatementKind::Load(load) => StatementKind::Load(Load {
                kind: load.kind,
                name: self.declared_name(&load.name, place),
                on: self.choice(&load.on, place)?,
                from: match &load.from {
                    Some(e) => Some(self.choice(e, place)?),
                    None => None,
                },
                value: self.expr(&load.value, place),
                energy: load.energy.as_ref().map(|e| self.expr(e, place)),
                description: load.description.clone(),
            }),
            StatementKind::Element(element) => StatementKind::Element(self.written_element(element, place)?),
            StatementKind::Cut(paths) => {
                StatementKind::Cut(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Lock(paths) => {
                StatementKind::Lock(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Release(paths) => {
                StatementKind::Release(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Attach(a) => StatementKind::Attach(Attach {
                body: self.path(&a.body, place),
                to: self.path(&a.to, place),
                at: a.at.as_ref().map(|e| self.expr(e, place)),
            }),
            StatementKind::Detach(d) => StatementKind::Detach(Detach {
                body: self.path(&d.body, place),
                from: d.from.as_ref().map(|p| self.path(p, place)),
            }),
            StatementKind::Small(paths) => {
                StatementKind::Small(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Start(content) => StatementKind::Start(self.start(content, place)),
            StatementKind::Output(list) => {
                StatementKind::Output(list.iter().map(|o| self.output(o, place)).collect())
            }
            StatementKind::Show(list) => {
                let shown = |this: &mut Self, s: &Shown| Shown {
                    target: this.expr(&s.target, place),
                    display: this.unit(&s.display, place),
                    description: s.description.clone(),
                };
                StatementKind::Show(list.iter().map(|s| shown(self, s)).collect())
            }
            StatementKind::Experiment(experiment) => {
                let mut experiment = experiment.clone();
                experiment.content = self.settings_of(&experiment.content, place);
                StatementKind::Experiment(experiment)
            }
            _ => return self.action(statement, &mut place.clone()),
        };
        Some(Statement { kind, span: self.span(statement.span, place.scope) })
    }

    /// Statements that happen in order. Local variables are known from where they stand.
    fn action(&mut self, statement: &Statement, place: &mut Place) -> Option<Statement> {
        let kind = match &statement.kind {
            StatementKind::When(when) => StatementKind::When(When {
                condition: self.expr(&when.condition, place),
                description: when.description.clone(),
                content: self.actions(&when.content, place),
            }),
            StatementKind::Every(every) => StatementKind::Every(Every {
                period: self.expr(&every.period, place),
                offset: every.offset.as_ref().map(|e| self.expr(e, place)),
                description: every.description.clone(),
                content: self.actions(&every.content, place),
            }),
            StatementKind::If(branches) => StatementKind::If(Branches {
                arms: branches
                    .arms
                    .iter()
                    .map(|(c, content)| (self.expr(c, place), self.actions(content, place)))
                    .collect(),
                otherwise: self.actions(&branches.otherwise, place),
            }),
            StatementKind::For(repeated) => StatementKind::For(For {
                name: self.plain(&repeated.name, place),
                range: self.expr(&repeated.range, place),
                content: self.actions(&repeated.content, &place.knowing([repeated.name.text.clone()])),
            }),
            StatementKind::Local(list) => {
                let mut locals = vec![];
                for item in list {
                    let mut local = item.clone();
                    local.value = item.value.as_ref().map(|e| self.expr(e, place));
                    local.name = self.plain(&item.name, place);
                    locals.push(local);
                }
                *place = place.knowing(list.iter().map(|d| d.name.text.clone()));
                StatementKind::Local(locals)
            }
            StatementKind::Lock(paths) => {
                StatementKind::Lock(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Release(paths) => {
                StatementKind::Release(paths.iter().map(|p| self.path(p, place)).collect())
            }
            StatementKind::Attach(a) => StatementKind::Attach(Attach {
                body: self.path(&a.body, place),
                to: self.path(&a.to, place),
                at: a.at.as_ref().map(|e| self.expr(e, place)),
            }),
            StatementKind::Detach(d) => StatementKind::Detach(Detach {
                body: self.path(&d.body, place),
                from: d.from.as_ref().map(|p| self.path(p, place)),
            }),
            StatementKind::Return(values) => {
                StatementKind::Return(values.iter().map(|e| self.expr(e, place)).collect())
            }
            StatementKind::Procedure(p) => {
                let own = p.inputs.iter().chain(&p.results).map(|i| i.name.text.clone());
                let inner = place.knowing(own);
                StatementKind::Procedure(Procedure {
                    name: self.declared_name(&p.name, place),
                    inputs: self.inputs(&p.inputs, place),
                    results: self.inputs(&p.results, place),
                    description: p.description.clone(),
                    content: self.actions(&p.content, &inner),
                })
            }
            StatementKind::Several(several) => StatementKind::Several(Several {
                targets: several.targets.iter().map(|p| self.path(p, place)).collect(),
                span: self.span(several.span, place.scope),
                value: self.expr(&several.value, place),
            }),
            StatementKind::Assign(a) => StatementKind::Assign(self.assign(a, place)),
            StatementKind::Update(a) => StatementKind::Update(Update {
                target: self.path(&a.target, place),
                is_rate: a.is_rate,
                overwrites: a.overwrites,
                value: self.expr(&a.value, place),
            }),
            StatementKind::Guess { left, right } => {
                StatementKind::Guess { left: self.expr(left, place), right: self.expr(right, place) }
            }
            StatementKind::Equation { left, right } => {
                StatementKind::Equation { left: self.expr(left, place), right: self.expr(right, place) }
            }
            other => other.clone(),
        };
        Some(Statement { kind, span: self.span(statement.span, place.scope) })
    }

    fn actions(&mut self, content: &[Statement], place: &Place) -> Vec<Statement> {
        let mut inner = place.clone();
        content.iter().filter_map(|s| self.action(s, &mut inner)).collect()
    }

    fn assign(&mut self, a: &Assign, place: &Place) -> Assign {
        Assign { target: self.path(&a.target, place), value: self.expr(&a.value, place) }
    }

    /// Start values, which may stand in loops.
    fn start(&mut self, content: &[Statement], place: &Place) -> Vec<Statement> {
        self.repeated(content, place, &mut |this, statement, place| {
            this.action(statement, &mut place.clone())
        })
    }

    /// Content of a block with its loops and conditions decided.
    fn repeated(
        &mut self,
        content: &[Statement],
        place: &Place,
        write: &mut dyn FnMut(&mut Self, &Statement, &Place) -> Option<Statement>,
    ) -> Vec<Statement> {
        let mut out = vec![];
        for statement in content {
            match &statement.kind {
                StatementKind::For(repeated) => {
                    let Some((low, high)) = self.range(&repeated.range, place) else { continue };
                    for k in low..=high {
                        if self.is_endless(repeated, place) {
                            return out;
                        }
                        let inner = place.counting(&repeated.name.text, k);
                        out.extend(self.repeated(&repeated.content, &inner, write));
                    }
                }
                StatementKind::If(branches) => {
                    let mut taken: Option<&[Statement]> = None;
                    for (condition, content) in &branches.arms {
                        match self.truth(condition, place) {
                            None => return out,
                            Some(true) => {
                                taken = Some(content);
                                break;
                            }
                            Some(false) => {}
                        }
                    }
                    out.extend(self.repeated(taken.unwrap_or(&branches.otherwise), place, write));
                }
                _ => out.extend(write(self, statement, place)),
            }
        }
        out
    }

    /// Settings, whose names are words of the language.
    fn settings_of(&mut self, content: &[Statement], place: &Place) -> Vec<Statement> {
        self.repeated(content, place, &mut |this, statement, place| {
            let StatementKind::Assign(a) = &statement.kind else {
                return this.action(statement, &mut place.clone());
            };
            let worded = a.target.segments.first().is_some_and(|s| s.name.text.starts_with("axis"));
            let value = match worded && is_axis(&a.value) {
                true => this.verbatim(&a.value, place),
                false => this.expr(&a.value, place),
            };
            let kind = StatementKind::Assign(Assign { target: this.verbatim_path(&a.target, place), value });
            Some(Statement { kind, span: this.span(statement.span, place.scope) })
        })
    }

    fn written_element(&mut self, element: &Element, place: &Place) -> Option<Element> {
        let ends = match &element.ends {
            Ends::Between(first, second) => {
                Ends::Between(self.choice(first, place)?, self.choice(second, place)?)
            }
            Ends::On { on, from } => Ends::On {
                on: self.choice(on, place)?,
                from: match from {
                    Some(e) => Some(self.choice(e, place)?),
                    None => None,
                },
            },
        };
        Some(Element {
            kind: self.plain(&element.kind, place),
            name: self.declared_name(&element.name, place),
            description: element.description.clone(),
            ends,
            value: element.value.as_ref().map(|e| self.expr(e, place)),
            content: self.settings_of(&element.content, place),
        })
    }

    fn body(&mut self, body: &Body, place: &Place) -> Body {
        // Inside its braces a body's points stand for themselves, and so do the numbers of its coordinates.
        let mut own: Vec<String> = vec![];
        point_names(&body.content, &mut own);
        if !body.joints.is_empty() || body.parent.is_none() {
            own.extend(["q".to_owned(), "u".to_owned()]);
            own.extend((1..=9).flat_map(|k| [format!("q{k}"), format!("u{k}")]));
        }
        let inner = place.knowing(own);
        let content = self.repeated(&body.content, &inner, &mut |this, statement, place| {
            let kind = match &statement.kind {
                StatementKind::Point(point) => {
                    let index = this.indices(&point.name.index, place)?;
                    let span = this.span(point.name.span, place.scope);
                    StatementKind::Point(Point {
                        name: Name::new(format!("{}{index}", point.name.text), span),
                        on: None,
                        fixed: point.fixed,
                        value: this.expr(&point.value, place),
                        description: point.description.clone(),
                    })
                }
                StatementKind::Shape(shape) => StatementKind::Shape(this.shape(shape, place)),
                StatementKind::Assign(a) => StatementKind::Assign(Assign {
                    target: this.verbatim_path(&a.target, place),
                    value: this.expr(&a.value, place),
                }),
                _ => return this.action(statement, &mut place.clone()),
            };
            Some(Statement { kind, span: this.span(statement.span, place.scope) })
        });
        if self.composite(&body.joints, place).is_some() {
            // The instance of the joint carries it.
            let (name, description) = (self.declared_name(&body.name, place), body.description.clone());
            return Body {
                kind: body.kind,
                name,
                description,
                parent: None,
                joints: vec![],
                at: None,
                content,
            };
        }
        Body {
            kind: body.kind,
            name: self.declared_name(&body.name, place),
            description: body.description.clone(),
            parent: body.parent.as_ref().and_then(|e| self.frame(e, place)),
            joints: body.joints.iter().map(|c| self.joint_call(c, place)).collect(),
            at: body.at.as_ref().map(|e| self.expr(e, place)),
            content,
        }
    }

    fn shape(&mut self, shape: &Shape, place: &Place) -> Shape {
        Shape {
            name: shape.name.as_ref().map(|n| self.plain(n, place)),
            form: self.joint_call(&shape.form, place),
        }
    }

    fn point(&mut self, point: &Point, place: &Place) -> Point {
        let on = point.on.as_ref().map(|p| self.path(p, place));
        Point {
            name: self.declared_name(&point.name, place),
            on,
            fixed: point.fixed,
            value: self.expr(&point.value, place),
            description: point.description.clone(),
        }
    }

    fn table(&mut self, table: &Table, place: &Place) -> Table {
        Table {
            name: self.declared_name(&table.name, place),
            inputs: self.inputs(&table.inputs, place),
            unit: self.unit(&table.unit, place),
            method: self.plain(&table.method, place),
            columns: table.columns.iter().map(|e| self.expr(e, place)).collect(),
            rows: table
                .rows
                .iter()
                .map(|row| Row {
                    at: self.expr(&row.at, place),
                    values: row.values.iter().map(|e| self.expr(e, place)).collect(),
                })
                .collect(),
            data: table.data.clone(),
            description: table.description.clone(),
        }
    }

    /// An output. One without a name of its own is called what it shows.
    fn output(&mut self, output: &Output, place: &Place) -> Output {
        let value = self.expr(&output.value, place);
        let name = match &output.name {
            Some(name) => Some(self.declared_name(name, place)),
            None => {
                let text = print_expression(&value);
                (text != print_expression(&output.value)).then(|| Name::new(text, value.span))
            }
        };
        let display = self.unit(&output.display, place);
        Output { name, value, display, description: output.description.clone() }
    }

    fn declarations(&mut self, list: &[Declaration], place: &Place) -> Vec<Declaration> {
        list.iter().map(|d| self.declaration(d, place)).collect()
    }

    /// Constants, whose values may be set for the run.
    fn constants(&mut self, list: &[Declaration], place: &Place) -> Vec<Declaration> {
        let constants = self.declarations(list, place);
        let mut constants = self.set_declarations(constants);
        for d in &mut constants {
            let overrides = self.overrides;
            if let Some(e) = overrides.get(&d.name.text) {
                self.taken.push(d.name.text.clone());
                let written = d.value.take().and_then(|e| match e.kind {
                    ExprKind::Quantity { unit, .. } => Some(unit),
                    _ => None,
                });
                d.unit = d.unit.take().or(written);
                d.value = Some(self.expr(e, &Place::new(0)));
            }
        }
        constants
    }

    /// A declaration with the value that the maker of the instance gives, or its own.
    fn declaration(&mut self, d: &Declaration, place: &Place) -> Declaration {
        let name = self.declared_name(&d.name, place);
        let mut unit = self.unit(&d.unit, place);
        let written = match d.value.as_ref().map(|e| &e.kind) {
            Some(ExprKind::Quantity { unit, .. }) => Some(unit.clone()),
            _ => None,
        };
        let given = self.scopes[place.scope].given.iter().find(|g| g.name == d.name.text).cloned();
        let value = match given {
            Some(given) => {
                unit = unit.or(written);
                let value = self.element_given(&given, &d.name, place);
                value.map(|e| {
                    let e = self.reflected_given(d, e, &given, place);
                    self.expr(&e, &given.place)
                })
            }
            None => d.value.as_ref().map(|e| match self.n_given(place.scope, e) {
                Some(n) => number(n, self.span(e.span, place.scope)),
                None => self.expr(e, place),
            }),
        };
        let range = d.range.as_ref().map(|e| self.expr(e, place));
        Declaration { name, unit, value, range, description: d.description.clone() }
    }

    fn declared_name(&mut self, name: &Name, place: &Place) -> Name {
        let text = self.flat_name(name, place).unwrap_or_else(|| name.text.clone());
        Name::new(text, self.span(name.span, place.scope))
    }

    fn inputs(&mut self, inputs: &[Input], place: &Place) -> Vec<Input> {
        inputs
            .iter()
            .map(|i| Input { name: self.plain(&i.name, place), unit: self.unit(&i.unit, place) })
            .collect()
    }

    fn unit(&self, unit: &Option<UnitText>, place: &Place) -> Option<UnitText> {
        let mut unit = unit.clone()?;
        unit.span = self.span(unit.span, place.scope);
        Some(unit)
    }
}

/// The names that a statement of a library declares.
fn declared_names<'p>(piece: &'p Piece<'_>) -> Vec<&'p Name> {
    let Piece::Statement { statement, .. } = piece else { return vec![] };
    match &statement.kind {
        StatementKind::Parameter(list)
        | StatementKind::Input(list)
        | StatementKind::Constant(list)
        | StatementKind::Variable(list)
        | StatementKind::Discrete(list)
        | StatementKind::Speed(list) => list.iter().map(|d| &d.name).collect(),
        StatementKind::State(list) => list.iter().map(|s| &s.declaration.name).collect(),
        StatementKind::Function(f) => vec![&f.name],
        StatementKind::External(f) => vec![&f.name],
        StatementKind::Table(t) => vec![&t.name],
        StatementKind::Procedure(p) => vec![&p.name],
        StatementKind::Body(b) => vec![&b.name],
        StatementKind::Point(p) => vec![&p.name],
        _ => vec![],
    }
}

fn point_names(content: &[Statement], names: &mut Vec<String>) {
    for statement in content {
        match &statement.kind {
            StatementKind::Point(point) => names.push(point.name.text.clone()),
            StatementKind::For(repeated) => point_names(&repeated.content, names),
            StatementKind::If(branches) => {
                branches.arms.iter().for_each(|(_, content)| point_names(content, names));
                point_names(&branches.otherwise, names);
            }
            _ => {}
        }
    }
}
