//! Tables.
//!
//! With one argument every row is `x: value`. With two arguments the first row is named after the
//! second argument and gives its values; every other row has one value for each of them:
//!
//! ```text
//! table G(x [m], v [m/s]) [N] = linear {
//!   v:   (0, 1, 2)
//!   0:   (0, 5, 9)
//!   0.1: (3, 8, 12)
//! }
//! ```
//!
//! The numbers may stand in a file: `table road(x [m]) [m] = linear("road.csv", x = "s", y = "z")`.

use cardan_base::Diagnostic;

use crate::codes;
use crate::expression::{Argument, Expr, ExprKind, Name, Text};
use crate::token::TokenKind;
use crate::tree::{DataFile, Input, Row, StatementKind, Table};
use crate::words;

use super::{Mark, Parser};

const EXAMPLE: &str = "table F(x [m]) [N] = linear { 0: 0, 1: 5 }";

impl Parser<'_> {
    pub(super) fn table(&mut self) -> Option<StatementKind> {
        self.bump();
        let name = self.declared("the table", EXAMPLE)?;
        let inputs = self.inputs(EXAMPLE);
        if self.silent {
            return None;
        }
        let unit = self.unit();
        if self.silent || !self.expect(TokenKind::Equals, "`=`", &format!("write `{EXAMPLE}`")) {
            return None;
        }
        let method = self.table_method()?;
        if self.at(TokenKind::LeftParen) {
            let data = Some(self.data_file()?);
            let description = if self.silent { None } else { self.description() };
            let (columns, rows) = (vec![], vec![]);
            let table = Table { name, inputs, unit, method, columns, rows, data, description };
            return Some(StatementKind::Table(table));
        }
        if !self.at(TokenKind::LeftBrace) {
            self.missing_sign("`{`", format!("write `{EXAMPLE}`"));
            return None;
        }
        let mut rows = self.rows();
        let columns = self.columns(&inputs, &name, &mut rows);
        let unit = if self.silent { unit } else { self.second_unit(unit) };
        let description = if self.silent { None } else { self.description() };
        let table = Table { name, inputs, unit, method, columns, rows, data: None, description };
        Some(StatementKind::Table(table))
    }

    /// `("road.csv", x = "s", y = "z")`
    fn data_file(&mut self) -> Option<DataFile> {
        const FORM: &str = "write `linear(\"road.csv\", x = \"s\", y = \"z\")`";
        let open = self.here();
        let mut data = DataFile { path: Text { text: String::new(), span: open }, x: None, y: None, z: None };
        for (k, Argument { name, value }) in self.arguments().into_iter().enumerate() {
            let ExprKind::Text(text) = value.kind else {
                let d = Diagnostic::error(codes::TABLE, "a file and its columns are named by strings");
                self.report(d.at(value.span, "").hint(FORM));
                return None;
            };
            let text = Text { text, span: value.span };
            match (k, name.as_ref().map(|n| n.text.as_str())) {
                (0, None) => data.path = text,
                (1.., Some("x")) => data.x = Some(text),
                (1.., Some("y")) => data.y = Some(text),
                (1.., Some("z")) => data.z = Some(text),
                _ => {
                    let d =
                        Diagnostic::error(codes::TABLE, "a table is read from a file by its columns x, y, z");
                    self.report(d.at(text.span, "").hint(FORM));
                    return None;
                }
            }
        }
        if self.silent {
            return None;
        }
        if data.path.text.is_empty() {
            let d = Diagnostic::error(codes::TABLE, "this table names no file").at(open, "");
            self.report(d.hint(FORM));
            return None;
        }
        Some(data)
    }

    fn table_method(&mut self) -> Option<Name> {
        match self.word(0) {
            Some(word) if words::TABLE_METHODS.contains(&word) => {
                let token = self.bump();
                Some(self.checked_name(token))
            }
            _ => {
                self.not_among("how the table finds values between its rows", words::TABLE_METHODS);
                None
            }
        }
    }

    /// `{ at: value, … }`, where the opening brace stands.
    fn rows(&mut self) -> Vec<Row> {
        let open = self.bump();
        let mut rows = Vec::new();
        loop {
            while matches!(self.kind(), TokenKind::Newline | TokenKind::Semicolon) {
                self.bump();
            }
            if self.at(TokenKind::RightBrace) || self.at(TokenKind::End) {
                break;
            }
            self.mark(Mark::Beginning);
            let at = self.expression();
            if !self.silent && !self.at(TokenKind::Colon) {
                self.row_without_colon(&at);
            }
            if self.silent || !self.expect(TokenKind::Colon, "`:`", "write a row as `0.5: 12`") {
                self.skip_block();
                return rows;
            }
            let value = self.expression();
            rows.push(Row { at, values: vec![value] });
            if self.silent {
                return rows;
            }
            let separated = self.eat(TokenKind::Comma);
            if !separated && !self.at_end() {
                break;
            }
        }
        self.close(open, TokenKind::RightBrace);
        rows
    }

    /// `(0, 1)` where `0: 1` is meant.
    fn row_without_colon(&mut self, at: &Expr) {
        let ExprKind::Tuple(items) = &at.kind else { return };
        let [x, y] = items.as_slice() else { return };
        let (x, y) = (self.written(x.span), self.written(y.span));
        let diagnostic = Diagnostic::error(codes::MISSING_SIGN, "a row of a table is no pair in brackets")
            .at(at.span, "expected `:` between argument and value");
        self.give_up(diagnostic.hint(format!("write `{x}: {y}`")));
    }

    /// Takes the head row off a table with two arguments and spreads the tuples of the others.
    fn columns(&mut self, inputs: &[Input], name: &Name, rows: &mut Vec<Row>) -> Vec<Expr> {
        if self.silent {
            return Vec::new();
        }
        if rows.is_empty() || inputs.is_empty() || inputs.len() > 2 {
            let message =
                format!("the table `{}` needs one or two arguments and at least one row", name.text);
            let diagnostic = Diagnostic::error(codes::TABLE, message).at(name.span, "nothing to look up");
            self.report(diagnostic.hint(format!("write `{EXAMPLE}`")));
            return Vec::new();
        }
        let mut columns = Vec::new();
        if let [_, second] = inputs {
            let head = matches!(&rows[0].at.kind, ExprKind::Name(path) if path.is(&second.name.text));
            if !head {
                let message = format!(
                    "the first row does not give the values of the second argument `{}`",
                    second.name
                );
                let diagnostic = Diagnostic::error(codes::TABLE, message)
                    .at(rows[0].at.span, format!("`{}:` is expected here", second.name))
                    .also(second.name.span, "second argument");
                self.report(diagnostic.hint(format!("begin with `{}: (0, 1, 2)`", second.name)));
                return Vec::new();
            }
            columns = spread(rows.remove(0).values);
        }
        let expected = columns.len().max(1);
        for row in rows.iter_mut() {
            if !columns.is_empty() {
                row.values = spread(std::mem::take(&mut row.values));
            }
            let n_values = match row.values.as_slice() {
                [Expr { kind: ExprKind::Tuple(items), .. }] => items.len(),
                values => values.len(),
            };
            if n_values != expected {
                let message = format!("the number of values in this row is {n_values}, not {expected}");
                let diagnostic = Diagnostic::error(codes::TABLE, message).at(row.at.span, "this row");
                self.report(diagnostic.hint("give every row as many values as the table has columns"));
            }
        }
        columns
    }
}

/// The entries of a tuple, or of a tuple with a unit; anything else stays alone.
fn spread(values: Vec<Expr>) -> Vec<Expr> {
    let mut spread = Vec::with_capacity(values.len());
    for value in values {
        match value.kind {
            ExprKind::Tuple(items) => spread.extend(items),
            _ => spread.push(value),
        }
    }
    spread
}
