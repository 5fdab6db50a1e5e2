//! Solids whose surface stands in a file: `shape mesh("part.obj", unit = "mm")`.
//!
//! The file is Wavefront OBJ or STL, both as text. Corners and triangles become arguments of the shape in the flat
//! text: `mesh(vertices = ((0, 0, 0), …) [mm], triangles = ((1, 2, 3), …))`. Corners of STL that have the same
//! numbers are one corner; faces of OBJ with more than three corners are cut into triangles from the first.

use cardan_base::{Diagnostic, Map, Span};
use cardan_syntax::{
    Argument, Call, Expr, ExprKind, Name, Statement, StatementKind, Text, UnaryOp, UnitText,
};

use crate::codes;

/// Every mesh of some statements whose surface stands in a file.
pub(crate) fn meshes_of<'s>(statements: &'s mut [Statement], found: &mut Vec<&'s mut Call>) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Shape(shape) => calls_of(&mut shape.form, found),
            StatementKind::Body(body) => meshes_of(&mut body.content, found),
            StatementKind::Model(block) | StatementKind::Subsystem(block) => {
                meshes_of(&mut block.content, found);
            }
            StatementKind::For(repeated) => meshes_of(&mut repeated.content, found),
            StatementKind::If(branches) => {
                for (_, content) in &mut branches.arms {
                    meshes_of(content, found);
                }
                meshes_of(&mut branches.otherwise, found);
            }
            _ => {}
        }
    }
}

fn calls_of<'s>(call: &'s mut Call, found: &mut Vec<&'s mut Call>) {
    if path_of(call).is_some() {
        return found.push(call);
    }
    for argument in &mut call.arguments {
        if let ExprKind::Call(inner) = &mut argument.value.kind {
            calls_of(inner, found);
        }
    }
}

/// The file of a mesh.
pub(crate) fn path_of(call: &Call) -> Option<Text> {
    let first = call.arguments.first().filter(|a| a.name.is_none() && call.function.is("mesh"))?;
    match &first.value.kind {
        ExprKind::Text(text) => Some(Text { text: text.clone(), span: first.value.span }),
        _ => None,
    }
}

/// Gives a mesh the corners and triangles of its file.
pub(crate) fn fill(call: &mut Call, path: &Text, text: &str) -> Result<(), Diagnostic> {
    let span = path.span;
    let wrong = |message: String, help: &str| Diagnostic::error(codes::DATA, message).at(span, "").hint(help);
    let surface = match path.text.to_ascii_lowercase().ends_with(".stl") {
        true => stl(text),
        false => obj(text),
    };
    let (vertices, triangles) = surface.map_err(|(line, what)| {
        let message = format!("line {line} of `{}` {what}", path.text);
        wrong(message, "save the surface as OBJ, or as STL in text form")
    })?;
    if triangles.is_empty() {
        let message = format!("`{}` has no triangles", path.text);
        return Err(wrong(message, "save the surface as OBJ, or as STL in text form"));
    }
    let mut unit = "m".to_owned();
    let mut kept = vec![];
    for argument in call.arguments.drain(1..) {
        match (&argument.name, &argument.value.kind) {
            (Some(name), ExprKind::Text(text)) if name.text == "unit" => unit.clone_from(text),
            _ => kept.push(argument),
        }
    }
    let list = |parts: Vec<Expr>| Expr { kind: ExprKind::Tuple(parts), span };
    let corners = vertices.iter().map(|v| list(v.iter().map(|x| number(x, span)).collect())).collect();
    let unit = UnitText { text: unit, span };
    let value = Expr { kind: ExprKind::Quantity { value: Box::new(list(corners)), unit }, span };
    let whole = |k: &usize| Expr { kind: ExprKind::Number((k + 1).to_string()), span };
    let faces = triangles.iter().map(|t| list(t.iter().map(whole).collect())).collect();
    let named = |name: &str, value| Argument { name: Some(Name::new(name, span)), value };
    call.arguments = vec![named("vertices", value), named("triangles", list(faces))];
    call.arguments.extend(kept);
    Ok(())
}

fn number(digits: &str, span: Span) -> Expr {
    let plain = digits.trim_start_matches(['+', '-']);
    let e = Expr { kind: ExprKind::Number(plain.trim_end_matches('.').to_owned()), span };
    match digits.starts_with('-') {
        true => Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(e) }, span },
        false => e,
    }
}

/// Corners as they are written, and triangles by their numbers.
type Surface<'a> = (Vec<[&'a str; 3]>, Vec<[usize; 3]>);
/// The number of a line, and what is wrong with it.
type Wrong = (usize, &'static str);

fn corner<'a>(words: &[&'a str], line: usize) -> Result<[&'a str; 3], Wrong> {
    let is_number = |w: &&str| {
        let plain = w.trim_start_matches(['+', '-']);
        w.parse::<f64>().is_ok_and(f64::is_finite)
            && plain.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    };
    match words {
        [x, y, z, ..] if [x, y, z].into_iter().all(is_number) => Ok([*x, *y, *z]),
        _ => Err((line, "is not three numbers")),
    }
}

fn obj(text: &str) -> Result<Surface<'_>, Wrong> {
    let (mut vertices, mut triangles) = (vec![], vec![]);
    for (k, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["v", rest @ ..] => vertices.push(corner(rest, k + 1)?),
            ["f", rest @ ..] => {
                let n = vertices.len();
                let index = |word: &&str| {
                    let i: i64 = word.split('/').next()?.parse().ok()?;
                    let i = if i < 0 { i64::try_from(n).ok()? + i } else { i - 1 };
                    usize::try_from(i).ok().filter(|i| *i < n)
                };
                let face: Option<Vec<usize>> = rest.iter().map(index).collect();
                let Some(face) = face.filter(|f| f.len() >= 3) else {
                    return Err((k + 1, "names corners that are not there"));
                };
                triangles.extend((1..face.len() - 1).map(|i| [face[0], face[i], face[i + 1]]));
            }
            _ => {}
        }
    }
    Ok((vertices, triangles))
}

fn stl(text: &str) -> Result<Surface<'_>, Wrong> {
    let mut known: Map<[&str; 3], usize> = Map::default();
    let (mut vertices, mut triangles, mut face) = (vec![], vec![], vec![]);
    for (k, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["vertex", rest @ ..] => {
                let corner = corner(rest, k + 1)?;
                let next = vertices.len();
                let i = *known.entry(corner).or_insert(next);
                if i == next {
                    vertices.push(corner);
                }
                face.push(i);
            }
            ["endfacet"] => match face.as_slice() {
                [a, b, c] => {
                    triangles.push([*a, *b, *c]);
                    face.clear();
                }
                _ => return Err((k + 1, "ends a facet that has not three corners")),
            },
            _ => {}
        }
    }
    Ok((vertices, triangles))
}
