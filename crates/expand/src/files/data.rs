//! Tables whose numbers stand in a file: `table road(x [m]) [m] = linear("road.csv", x = "s", y = "z")`.
//!
//! The file is comma-, semicolon- or tab-separated text. Its first line names the columns, each with its unit or
//! none: `s [m], z [mm]`; lines that begin with `#` are comments. Its numbers become rows of the table in the flat
//! text, so everything that is checked of a table in the text is checked of them, with their places in the file.
//! The results of a run are such a file.

use cardan_base::{Diagnostic, FileId, Span, nearest};
use cardan_syntax::{
    DataFile, Expr, ExprKind, Name, Row, Statement, StatementKind, Table, Text, UnaryOp, UnitText,
};
use cardan_units::Unit;

use crate::codes;

/// The cells of a line with their places.
type Cells<'a> = Vec<(&'a str, Span)>;

/// One column of a file.
struct Column {
    name: String,
    unit: Option<UnitText>,
    span: Span,
}

/// A file of numbers.
struct Sheet<'a> {
    file: FileId,
    columns: Vec<Column>,
    /// The cells of each line, with their places.
    lines: Vec<Cells<'a>>,
}

/// Every table of some statements that takes its numbers from a file.
pub(crate) fn tables_of<'s>(statements: &'s mut [Statement], found: &mut Vec<&'s mut Table>) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Table(table) if table.data.is_some() => found.push(table),
            StatementKind::Model(block) | StatementKind::Subsystem(block) => {
                tables_of(&mut block.content, found);
            }
            StatementKind::For(repeated) => tables_of(&mut repeated.content, found),
            StatementKind::If(branches) => {
                for (_, content) in &mut branches.arms {
                    tables_of(content, found);
                }
                tables_of(&mut branches.otherwise, found);
            }
            _ => {}
        }
    }
}

/// Gives a table the numbers of its file.
pub(crate) fn fill(table: &mut Table, data: &DataFile, file: FileId, text: &str) -> Result<(), Diagnostic> {
    let sheet = Sheet::read(file, text, data)?;
    let n = table.inputs.len() + 1;
    let wanted = [data.x.as_ref(), data.y.as_ref(), data.z.as_ref()];
    if let (2, Some(third)) = (n, data.z.as_ref()) {
        let d = Diagnostic::error(codes::DATA, "a table of one argument has two columns, x and y");
        return Err(d.at(third.span, "").hint("remove `z`, or give the table two arguments"));
    }
    let mut columns = vec![];
    for (k, wanted) in wanted.into_iter().take(n).enumerate() {
        columns.push(sheet.column(wanted, k, data)?);
    }
    let declared = table.inputs.iter().map(|i| i.unit.as_ref()).chain([table.unit.as_ref()]);
    for (column, declared) in columns.iter().zip(declared) {
        sheet.agree(*column, declared)?;
    }
    match columns.as_slice() {
        [x, y] => {
            table.rows = sheet.rows(*x, *y)?;
            Ok(())
        }
        [x, y, z] => sheet.surface(table, [*x, *y, *z]),
        _ => Ok(()),
    }
}

impl<'a> Sheet<'a> {
    fn read(file: FileId, text: &'a str, data: &DataFile) -> Result<Self, Diagnostic> {
        let mut rows = lines(text).filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((at, head)) = rows.next() else {
            let d = Diagnostic::error(codes::DATA, format!("`{}` is empty", data.path.text));
            return Err(d.at(data.path.span, "").hint("its first line names the columns: `s [m], z [m]`"));
        };
        let separator = [';', '\t', ','].into_iter().find(|c| head.contains(*c)).unwrap_or(',');
        let mut columns = vec![];
        for (cell, span) in cells(file, at, head, separator) {
            columns.push(Column::of(cell, span));
        }
        let mut sheet = Sheet { file, columns, lines: vec![] };
        for (at, line) in rows {
            let line = cells(sheet.file, at, line, separator);
            if line.len() != sheet.columns.len() {
                let span = line.first().zip(line.last()).map_or(data.path.span, |(a, b)| a.1.to(b.1));
                let (n, m) = (line.len(), sheet.columns.len());
                let d =
                    Diagnostic::error(codes::DATA, format!("this line has {n} cells, and the first one {m}"));
                return Err(d.at(span, "").hint("give every column a number"));
            }
            sheet.lines.push(line);
        }
        Ok(sheet)
    }

    /// The number of a column by its name, or by its place.
    fn column(&self, wanted: Option<&Text>, k: usize, data: &DataFile) -> Result<usize, Diagnostic> {
        let Some(wanted) = wanted else {
            return match k < self.columns.len() {
                true => Ok(k),
                false => {
                    let n = self.columns.len();
                    let d = Diagnostic::error(codes::DATA, format!("`{}` has {n} columns", data.path.text));
                    Err(d.at(data.path.span, "").hint("name the columns: `x = \"s\", y = \"z\"`"))
                }
            };
        };
        if let Some(k) = self.columns.iter().position(|c| c.name == wanted.text) {
            return Ok(k);
        }
        let message = format!("`{}` has no column `{}`", data.path.text, wanted.text);
        let d = Diagnostic::error(codes::DATA, message).at(wanted.span, "");
        let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        Err(match nearest(&wanted.text, names.iter().copied()) {
            Some(near) => d.hint(format!("write `\"{near}\"`")),
            None => d.hint(format!("there are {}", names.join(", "))),
        })
    }

    /// Whether the unit of a column measures what the table asks for.
    fn agree(&self, column: usize, declared: Option<&UnitText>) -> Result<(), Diagnostic> {
        let Some(unit) = &self.columns[column].unit else { return Ok(()) };
        let wrong =
            |message: String| Diagnostic::error(codes::DATA, message).at(self.columns[column].span, "");
        let found = match Unit::parse(&unit.text) {
            Ok(unit) => unit.dimension(),
            Err(e) => return Err(wrong(e.message).hint("write the unit in brackets: `s [m]`")),
        };
        let Some(declared) = declared else { return Ok(()) };
        match Unit::parse(&declared.text) {
            Ok(expected) if !expected.dimension().compatible(&found) => {
                let d = wrong(format!("the column `{}` has another dimension", self.columns[column].name));
                let d = d.also(declared.span, format!("expected [{}]", declared.text));
                Err(d.hint("take another column, or change the unit of the table"))
            }
            _ => Ok(()),
        }
    }

    fn number(&self, line: &[(&str, Span)], column: usize) -> Result<Expr, Diagnostic> {
        let (cell, span) = line[column];
        let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
        let digits = cell.trim_start_matches(['+', '-']);
        if !is_number || !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let d = Diagnostic::error(codes::DATA, format!("`{cell}` is not a number"));
            return Err(d.at(span, "").hint("write numbers with a point: `0.25`, `1e-3`"));
        }
        let digits = digits.strip_suffix('.').unwrap_or(digits);
        let mut e = Expr { kind: ExprKind::Number(digits.to_owned()), span };
        if cell.starts_with('-') {
            e = Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(e) }, span };
        }
        Ok(match &self.columns[column].unit {
            Some(unit) => Expr { kind: ExprKind::Quantity { value: Box::new(e), unit: unit.clone() }, span },
            None => e,
        })
    }

    fn rows(&self, x: usize, y: usize) -> Result<Vec<Row>, Diagnostic> {
        let row =
            |line: &Cells<'_>| Ok(Row { at: self.number(line, x)?, values: vec![self.number(line, y)?] });
        self.lines.iter().map(row).collect()
    }

    /// A surface: one line for every pair of arguments, in any order; all pairs must be there.
    fn surface(&self, table: &mut Table, [x, y, z]: [usize; 3]) -> Result<(), Diagnostic> {
        let value = |line: &[(&str, Span)], k: usize| line[k].0.parse::<f64>().unwrap_or(f64::NAN);
        let mut lines: Vec<&Cells<'_>> = self.lines.iter().collect();
        for line in &lines {
            for k in [x, y, z] {
                self.number(line, k)?;
            }
        }
        let key = |line: &[(&str, Span)]| (value(line, x), value(line, y));
        lines.sort_by(|a, b| {
            let ((ax, ay), (bx, by)) = (key(a), key(b));
            ax.total_cmp(&bx).then(ay.total_cmp(&by))
        });
        let n = lines.iter().take_while(|line| value(line, x) == value(lines[0], x)).count();
        let Some(first) = lines.get(..n) else { return Ok(()) };
        table.columns = first.iter().map(|line| self.number(line, y)).collect::<Result<_, _>>()?;
        let mut rows = vec![];
        for chunk in lines.chunks(n.max(1)) {
            let same = |line: &Cells<'_>, head: &Cells<'_>| {
                value(line, x) == value(chunk[0], x) && value(line, y) == value(head, y)
            };
            if chunk.len() != n || !chunk.iter().zip(first).all(|(line, head)| same(line, head)) {
                let span = chunk[0][x].1;
                let d = Diagnostic::error(codes::DATA, "a pair of arguments is missing here or stands twice");
                return Err(d.at(span, "").hint("give one line for every pair of both arguments"));
            }
            let values = chunk.iter().map(|line| self.number(line, z)).collect::<Result<_, _>>()?;
            rows.push(Row { at: self.number(chunk[0], x)?, values });
        }
        table.rows = rows;
        Ok(())
    }
}

impl Column {
    /// `s [m]`: a name and a unit.
    fn of(cell: &str, span: Span) -> Self {
        let (name, unit) = match cell.split_once('[') {
            Some((name, unit)) => (name.trim(), Some(unit.trim_end().trim_end_matches(']').trim())),
            None => (cell, None),
        };
        let unit = unit.filter(|u| !u.is_empty());
        let unit = unit.map(|text| UnitText { text: text.to_owned(), span });
        Column { name: Name::new(name, span).text, unit, span }
    }
}

/// The lines of a text with their places.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // A mark at the beginning says that the text is UTF-8.
    let skipped = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut at = skipped;
    text[skipped..].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// The cells of a line with their places, without spaces and quotes around them.
fn cells(file: FileId, start: usize, line: &str, separator: char) -> Cells<'_> {
    let mut cells = vec![];
    let (mut begin, mut quoted) = (0, false);
    let mut push = |from: usize, to: usize| {
        let cell = &line[from..to];
        let inner = cell.trim().trim_matches('"').trim();
        let offset = cell.find(inner).unwrap_or(0);
        let at = start + from + offset;
        cells.push((inner, Span::new(file, at, at + inner.len())));
    };
    for (k, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c == separator && !quoted => {
                push(begin, k);
                begin = k + c.len_utf8();
            }
            _ => {}
        }
    }
    push(begin, line.len());
    cells
}
