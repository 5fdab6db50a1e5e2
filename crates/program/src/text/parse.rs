//! Text as a program. Everything that could be wrong is reported with its line; nothing panics.

use std::fmt;

use cardan_base::{Arena, Id};

use crate::op::{
    Binary, Compare, Constant, CurveId, FunctionId, InputId, Logic, Op, OutputId, Solve, StageId, SurfaceId,
    Unary, ValueId,
};
use crate::program::{Function, Input, Label, Output, Program, Stage};
use crate::table::{Beyond, Curve, Kind, Surface};
use crate::verify::verify;

/// Why a text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1; 0 when the text as a whole is at fault.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}", self.message)
        } else {
            write!(f, "line {}: {}", self.line, self.message)
        }
    }
}

impl std::error::Error for ParseError {}

/// Reads the text form and verifies the program.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut program = Program {
        name: String::new(),
        stages: Arena::new(),
        inputs: Arena::new(),
        values: Arena::new(),
        outputs: Arena::new(),
        curves: Arena::new(),
        surfaces: Arena::new(),
        functions: Arena::new(),
    };
    let mut current = None;
    for (index, line) in text.lines().enumerate() {
        tokens(line)
            .and_then(|tokens| statement(&mut program, &mut current, Tokens { tokens: &tokens, next: 0 }))
            .map_err(|message| ParseError { line: index + 1, message })?;
    }
    let end = program.values.len();
    let filled = current.map_or(0, |s: StageId| s.index());
    for (_, stage) in program.stages.iter_mut().skip(filled) {
        stage.end = end;
    }
    verify(&program).map_err(|error| ParseError { line: 0, message: error.to_string() })?;
    Ok(program)
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Word(String),
    Text(String),
    Open,
    Close,
}

fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut list = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ';' => break,
            '(' => list.push(Token::Open),
            ')' => list.push(Token::Close),
            '"' => {
                let mut text = String::new();
                loop {
                    match rest.next() {
                        Some('"') => break,
                        Some('\\') => match rest.next() {
                            Some('n') => text.push('\n'),
                            Some(c @ ('"' | '\\')) => text.push(c),
                            _ => return Err("unknown escape in a text".into()),
                        },
                        Some(c) => text.push(c),
                        None => return Err("a text is not closed".into()),
                    }
                }
                list.push(Token::Text(text));
            }
            c if c.is_whitespace() => {}
            c => {
                let mut word = String::from(c);
                while let Some(c) =
                    rest.next_if(|c| !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | ';'))
                {
                    word.push(c);
                }
                list.push(Token::Word(word));
            }
        }
    }
    Ok(list)
}

type Parsed<T> = Result<T, String>;

struct Tokens<'a> {
    tokens: &'a [Token],
    next: usize,
}

impl Tokens<'_> {
    fn take(&mut self) -> Option<&Token> {
        self.next += 1;
        self.tokens.get(self.next - 1)
    }
    fn is_done(&self) -> bool {
        self.next >= self.tokens.len()
    }
    fn word(&mut self) -> Parsed<&str> {
        match self.take() {
            Some(Token::Word(w)) => Ok(w),
            other => Err(format!("expected a word, found {other:?}")),
        }
    }
    fn text(&mut self) -> Parsed<String> {
        match self.take() {
            Some(Token::Text(t)) => Ok(t.clone()),
            other => Err(format!("expected a text in quotes, found {other:?}")),
        }
    }
    fn expect(&mut self, token: &Token) -> Parsed<()> {
        match self.take() {
            Some(t) if t == token => Ok(()),
            other => Err(format!("expected {token:?}, found {other:?}")),
        }
    }
    fn number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("`{word}` is not a number of the right kind"))
    }
    /// A number after a prefix, such as `v12` or `d1`.
    fn prefixed<T: std::str::FromStr>(&mut self, prefix: &str) -> Parsed<T> {
        let word = self.word()?;
        let number = word.strip_prefix(prefix).and_then(|n| n.parse().ok());
        number.ok_or_else(|| format!("expected `{prefix}` and a number, found `{word}`"))
    }
    fn id<I: Id>(&mut self, prefix: &str) -> Parsed<I> {
        self.prefixed::<u32>(prefix).map(|n| I::from_index(n as usize))
    }
    fn value(&mut self) -> Parsed<ValueId> {
        self.id("v")
    }
    fn label(&mut self) -> Parsed<Label> {
        Ok(Label { name: self.text()?, unit: self.text()?, description: self.text()? })
    }
    /// Items in parentheses.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(&Token::Open)?;
        let mut list = Vec::new();
        while self.tokens.get(self.next).is_some_and(|t| *t != Token::Close) {
            list.push(item(self)?);
        }
        self.expect(&Token::Close)?;
        Ok(list)
    }
    fn numbers(&mut self) -> Parsed<Vec<f64>> {
        self.list(Self::number)
    }
}

fn statement(program: &mut Program, current: &mut Option<StageId>, mut t: Tokens<'_>) -> Parsed<()> {
    if t.is_done() {
        return Ok(());
    }
    let keyword = t.word()?.to_string();
    match keyword.as_str() {
        "program" => program.name = t.text()?,
        "stages" => {
            while !t.is_done() {
                program.stages.push(Stage { name: t.word()?.into(), end: 0 });
            }
        }
        "input" => {
            in_turn(t.id::<InputId>("i")?, program.inputs.next_id())?;
            let stage = stage_named(program, t.word()?)?;
            program.inputs.push(Input { label: t.label()?, stage });
        }
        "curve" => {
            in_turn(t.id::<CurveId>("curve")?, program.curves.next_id())?;
            let (name, kind, beyond) = table_head(&mut t)?;
            let (mut knots, mut values) = (vec![], vec![]);
            while !t.is_done() {
                let [x, y] = t.numbers()?.try_into().map_err(|_| "a point has two numbers")?;
                knots.push(x);
                values.push(y);
            }
            program.curves.push(Curve::new(name, kind, beyond, knots, values).map_err(|e| e.to_string())?);
        }
        "surface" => {
            in_turn(t.id::<SurfaceId>("surface")?, program.surfaces.next_id())?;
            let (name, kind, beyond) = table_head(&mut t)?;
            let mut parts = [vec![], vec![], vec![]];
            for (axis, part) in ["x", "y", "z"].into_iter().zip(&mut parts) {
                t.expect(&Token::Word(axis.into()))?;
                *part = t.numbers()?;
            }
            let [x, y, z] = parts;
            program.surfaces.push(Surface::new(name, kind, beyond, x, y, z).map_err(|e| e.to_string())?);
        }
        "function" => {
            in_turn(t.id::<FunctionId>("f")?, program.functions.next_id())?;
            let (name, arity) = (t.text()?, t.number()?);
            let derivatives = t.list(|t| {
                if t.tokens.get(t.next) == Some(&Token::Word("-".into())) {
                    return t.word().map(|_| None);
                }
                t.id("f").map(Some)
            })?;
            program.functions.push(Function { name, arity, derivatives });
        }
        "stage" => {
            let stage = stage_named(program, t.word()?)?;
            let expected = current.map_or(0, |s| s.index() + 1);
            if stage.index() != expected {
                return Err("stages must follow in the order in which they were listed".into());
            }
            if let Some(before) = *current {
                program.stages[before].end = program.values.len();
            }
            *current = Some(stage);
        }
        "output" => {
            in_turn(t.id::<OutputId>("o")?, program.outputs.next_id())?;
            let stage = stage_named(program, t.word()?)?;
            let value = t.value()?;
            program.outputs.push(Output { label: t.label()?, value, stage });
        }
        name => {
            if name != format!("{:?}", program.values.next_id()) || current.is_none() {
                return Err(format!("`{name}` is neither a keyword nor the next value of a stage"));
            }
            t.expect(&Token::Word("=".into()))?;
            let op = operation(&mut t)?;
            program.values.push(op);
        }
    }
    if t.is_done() { Ok(()) } else { Err("there is more on the line than belongs there".into()) }
}

fn in_turn<I: Id>(found: I, expected: I) -> Parsed<()> {
    if found == expected { Ok(()) } else { Err(format!("expected {expected:?}, found {found:?}")) }
}

fn stage_named(program: &Program, name: &str) -> Parsed<StageId> {
    program.stage(name).ok_or_else(|| format!("there is no stage `{name}`"))
}

fn table_head(t: &mut Tokens<'_>) -> Parsed<(String, Kind, Beyond)> {
    let name = t.text()?;
    let kind = t.word()?;
    let kind = Kind::ALL.into_iter().find(|k| k.name() == kind).ok_or("unknown kind of table")?;
    let beyond = t.word()?;
    let beyond =
        Beyond::ALL.into_iter().find(|b| b.name() == beyond).ok_or("expected `clamp` or `extend`")?;
    Ok((name, kind, beyond))
}

fn operation(t: &mut Tokens<'_>) -> Parsed<Op> {
    fn named<T: Copy>(all: &[(T, &str)], name: &str) -> Option<T> {
        all.iter().find(|(_, n)| *n == name).map(|(op, _)| *op)
    }
    let name = t.word()?.to_string();
    if let Some(op) = named(&Unary::ALL, &name) {
        return Ok(Op::Unary(op, t.value()?));
    }
    if let Some(op) = named(&Binary::ALL, &name) {
        return Ok(Op::Binary(op, t.value()?, t.value()?));
    }
    if let Some(op) = named(&Compare::ALL, &name) {
        return Ok(Op::Compare(op, t.value()?, t.value()?));
    }
    if let Some(op) = named(&Logic::ALL, &name) {
        return Ok(Op::Logic(op, t.value()?, t.value()?));
    }
    Ok(match name.as_str() {
        "const" => Op::Const(Constant::new(t.number()?)),
        "truth" => Op::Truth(t.number()?),
        "input" => Op::Input(t.id("i")?),
        "fma" => Op::Fma(t.value()?, t.value()?, t.value()?),
        "powi" => Op::Powi(t.value()?, t.number()?),
        "not" => Op::Not(t.value()?),
        "select" => Op::Select(t.value()?, t.value()?, t.value()?),
        "lookup" => Op::Lookup1 { table: t.id("curve")?, x: t.value()?, order: t.prefixed("d")? },
        "lookup2" => Op::Lookup2 {
            table: t.id("surface")?,
            x: t.value()?,
            y: t.value()?,
            dx: t.prefixed("d")?,
            dy: t.prefixed("d")?,
        },
        "call" => Op::Call { function: t.id("f")?, args: t.list(Tokens::value)?.into() },
        "solve" => Op::Solve(Box::new(Solve {
            n: t.number()?,
            matrix: t.list(Tokens::value)?.into(),
            rhs: t.list(Tokens::value)?.into(),
        })),
        "extract" => Op::Extract { solve: t.value()?, index: t.number()? },
        _ => return Err(format!("there is no operation `{name}`")),
    })
}
