//! The tree as model text that reads back to the same tree.
//!
//! Brackets stand only where the ranks of the operators need them, so a text that was read and printed looks as
//! a person writes it. Comments and line breaks of the original are not part of the tree and are lost; the
//! formatter keeps them.

use std::fmt::Write;

use crate::expression::{Argument, Call, ChainOp, Expr, ExprKind, Name, Path, Text, UnaryOp, UnitText};
use crate::tree::*;

mod statements;

/// The text of a tree, one statement on each line, in canonical layout.
pub fn print(tree: &Tree) -> String {
    let mut printer = Printer::default();
    printer.content(&tree.statements);
    let text = printer.out;
    crate::format(&text).unwrap_or(text)
}

/// The text of one statement.
pub fn print_statement(statement: &Statement) -> String {
    let mut printer = Printer::default();
    printer.statement(statement);
    printer.out
}

/// The text of an expression.
pub fn print_expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, Rank::Lowest);
    printer.out
}

/// How tightly an operator binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Lowest,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Sign,
    Power,
    Primary,
}

#[derive(Default)]
struct Printer {
    out: String,
}

impl Printer {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn expr(&mut self, e: &Expr, least: Rank) {
        let rank = rank(e);
        let bracketed = rank < least;
        if bracketed {
            self.text("(");
        }
        match &e.kind {
            ExprKind::Number(digits) => self.text(digits),
            ExprKind::Text(text) => self.quoted(text),
            ExprKind::Name(path) => self.path(path),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Tuple(items) => {
                self.text("(");
                self.list(items, |p, item| p.expr(item, Rank::Lowest));
                self.text(")");
            }
            ExprKind::Quantity { value, unit } => {
                let open = matches!(value.kind, ExprKind::Number(_) | ExprKind::Tuple(_) | ExprKind::Call(_));
                if open {
                    self.expr(value, Rank::Primary);
                } else {
                    self.text("(");
                    self.expr(value, Rank::Lowest);
                    self.text(")");
                }
                self.unit(unit);
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.text("not ");
                self.expr(operand, Rank::Compare);
            }
            ExprKind::Unary { op, operand } => {
                self.text(op.symbol());
                self.expr(operand, Rank::Power);
            }
            ExprKind::Chain { first, rest } => {
                let inner = above(rank);
                self.expr(first, inner);
                for (op, operand) in rest {
                    let _ = write!(self.out, " {} ", op.symbol());
                    self.expr(operand, inner);
                }
            }
            ExprKind::Power { base, exponent } => {
                self.expr(base, Rank::Primary);
                self.text("^");
                self.expr(exponent, Rank::Sign);
            }
            ExprKind::Compare { op, left, right } => {
                self.expr(left, Rank::Sum);
                let _ = write!(self.out, " {} ", op.symbol());
                self.expr(right, Rank::Sum);
            }
            ExprKind::If { arms, otherwise } => {
                for (condition, value) in arms {
                    self.text("if ");
                    self.expr(condition, Rank::Or);
                    self.text(" then ");
                    self.expr(value, Rank::Or);
                    self.text(" else ");
                }
                self.expr(otherwise, Rank::Or);
            }
            ExprKind::Range { low, high } => {
                self.expr(low, Rank::Or);
                self.text(" .. ");
                self.expr(high, Rank::Or);
            }
            ExprKind::Sum { name, range, term } => {
                let _ = write!(self.out, "sum({name} in ");
                self.expr(range, Rank::Lowest);
                self.text(": ");
                self.expr(term, Rank::Lowest);
                self.text(")");
            }
            ExprKind::Part { of, name } => {
                self.expr(of, Rank::Primary);
                let _ = write!(self.out, ".{name}");
            }
            ExprKind::Missing => self.text("0"),
        }
        if bracketed {
            self.text(")");
        }
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.text(", ");
            }
            each(self, item);
        }
    }

    fn path(&mut self, path: &Path) {
        for (k, segment) in path.segments.iter().enumerate() {
            if k > 0 {
                self.text(".");
            }
            self.name(&segment.name);
            self.index(&segment.index);
        }
    }

    fn name(&mut self, name: &Name) {
        self.text(&name.text);
        self.index(&name.index);
    }

    fn index(&mut self, index: &[Expr]) {
        if !index.is_empty() {
            self.text("[");
            self.list(index, |p, e| p.expr(e, Rank::Lowest));
            self.text("]");
        }
    }

    fn call(&mut self, call: &Call) {
        self.path(&call.function);
        self.text("(");
        self.arguments(&call.arguments);
        self.text(")");
    }

    fn arguments(&mut self, arguments: &[Argument]) {
        self.list(arguments, |p, a| {
            if let Some(name) = &a.name {
                let _ = write!(p.out, "{name} = ");
            }
            p.expr(&a.value, Rank::Lowest);
        });
    }

    fn unit(&mut self, unit: &UnitText) {
        let _ = write!(self.out, " [{}]", unit.text);
    }

    fn quoted(&mut self, text: &str) {
        let _ = write!(self.out, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    }

    fn description(&mut self, description: &Option<Text>) {
        if let Some(text) = description {
            self.text(" ");
            self.quoted(&text.text);
        }
    }
}

fn rank(e: &Expr) -> Rank {
    match &e.kind {
        ExprKind::Chain { rest, .. } => match rest.first().map(|(op, _)| op) {
            Some(ChainOp::Or) => Rank::Or,
            Some(ChainOp::And) => Rank::And,
            Some(ChainOp::Add | ChainOp::Subtract) => Rank::Sum,
            _ => Rank::Product,
        },
        ExprKind::Compare { .. } | ExprKind::Unary { op: UnaryOp::Not, .. } => Rank::Compare,
        ExprKind::Unary { .. } => Rank::Sign,
        ExprKind::Power { .. } => Rank::Power,
        ExprKind::If { .. } | ExprKind::Range { .. } => Rank::Lowest,
        _ => Rank::Primary,
    }
}

/// The rank that an operand of a chain needs.
fn above(rank: Rank) -> Rank {
    match rank {
        Rank::Or => Rank::And,
        Rank::And => Rank::Compare,
        Rank::Sum => Rank::Product,
        _ => Rank::Sign,
    }
}
