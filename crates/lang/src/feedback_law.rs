//! Feedback written back into a model text.
//!
//! ```text
//! [law]       u = u_reference − Σ K_j (x_j − x_j0)
//! [observer]  x̂_i' = Σ a_ij (x̂_j − x_j0) + Σ b_ik (u_k − u_k0) + Σ L_im (y_m − ŷ_m)
//!             ŷ_m = y_m0 + Σ c_mj (x̂_j − x_j0) + Σ d_mk (u_k − u_k0)
//! ```
//!
//! The declaration of the input keeps its place and gets another name, `F_reference`; the old name
//! becomes a variable that follows the law. So every use of the input is in the loop, and the
//! reference can still be set. Gains are parameters. The observer is a subsystem with the inputs and
//! what is measured as its ports, and the estimates as its states.

use std::collections::BTreeSet;

use cardan_base::{Sources, Span};
use cardan_syntax::{Declaration, Output, Statement, StatementKind, parse};
use cardan_units::Dimension;

/// A quantity with its value where the loop is closed, in SI units.
#[derive(Clone, PartialEq, Debug)]
pub struct At {
    /// Its name.
    pub name: String,
    /// Its dimension.
    pub dimension: Dimension,
    /// Its value there.
    pub value: f64,
}

/// Feedback of states to inputs, with or without an observer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FeedbackLaw {
    /// What it is, as a comment.
    pub heading: String,
    /// The inputs.
    pub inputs: Vec<At>,
    /// The states.
    pub states: Vec<At>,
    /// K by inputs and states; empty where no loop is closed.
    pub gain: Vec<Vec<f64>>,
    /// Estimates of the states.
    pub observer: Option<ObserverLaw>,
}

/// An observer of all states.
#[derive(Clone, PartialEq, Debug)]
pub struct ObserverLaw {
    /// What is measured: outputs of the model or states.
    pub outputs: Vec<At>,
    /// A by states and states.
    pub a: Vec<Vec<f64>>,
    /// B by states and inputs.
    pub b: Vec<Vec<f64>>,
    /// C by outputs and states.
    pub c: Vec<Vec<f64>>,
    /// D by outputs and inputs.
    pub d: Vec<Vec<f64>>,
    /// L by states and outputs.
    pub gain: Vec<Vec<f64>>,
}

/// The text with the feedback in it; an error says what stands in the way.
pub fn with_feedback(text: &str, law: &FeedbackLaw) -> Result<String, String> {
    let mut sources = Sources::new();
    let file = sources.add("model", text);
    let (tree, diagnostics) = parse(file, text);
    if diagnostics.has_errors() {
        return Err("the text has mistakes".into());
    }
    let statements: Vec<&Statement> = tree.statements.iter().flat_map(opened).collect();
    if tree.statements.iter().filter(|s| matches!(s.kind, StatementKind::Model(_))).count() > 1 {
        return Err("the text holds several models".into());
    }
    let mut names: BTreeSet<String> = words(text);
    let mut renamed: Vec<(Span, String)> = vec![];
    let mut added = format!("\n# {}\n", law.heading.replace('\n', " "));
    let mut fresh = |stem: String| {
        let mut name = stem.clone();
        let mut k = 2;
        while !names.insert(name.clone()) {
            name = format!("{stem}{k}");
            k += 1;
        }
        name
    };
    let known: Vec<String> = match &law.observer {
        None => law.states.iter().map(|x| x.name.clone()).collect(),
        Some(_) => {
            let observer = fresh("observer".into());
            law.states.iter().map(|x| format!("{observer}.{}", plain(&x.name))).collect()
        }
    };
    let departure = |j: usize| less(&known[j], &law.states[j]);
    for (input, row) in law.inputs.iter().zip(&law.gain) {
        let declared = statements.iter().flat_map(|s| declarations(s)).find(|d| d.name.text == input.name);
        let Some(declared) = declared else {
            return Err(format!("`{}` is not declared at the top of this text", input.name));
        };
        let reference = fresh(format!("{}_reference", input.name));
        renamed.push((declared.name.span, reference.clone()));
        // Questions about the input are questions about the reference now.
        for question in statements.iter().filter(|s| matches!(s.kind, StatementKind::Experiment(_))) {
            let named = uses(text, question.span, &input.name);
            renamed.extend(named.into_iter().map(|span| (span, reference.clone())));
        }
        let mut terms = String::new();
        for (j, gain) in row.iter().enumerate() {
            let name = fresh(format!("K_{}_{}", plain(&input.name), plain(&law.states[j].name)));
            let unit = input.dimension / law.states[j].dimension;
            added += &format!("parameter {name} = {}\n", number(*gain, unit));
            terms += &format!(" - {name} * {}", departure(j));
        }
        added += &format!("variable {} = {reference}{terms}\n", input.name);
    }
    if let Some(observer) = &law.observer {
        added += &observed(text, &statements, law, observer, &known, &mut fresh)?;
    }
    Ok(edited(text, &tree.statements, renamed, &added))
}

/// The text with other names in some places, and with statements added to its model.
fn edited(text: &str, tree: &[Statement], mut renamed: Vec<(Span, String)>, added: &str) -> String {
    let mut out = text.to_string();
    renamed.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, name) in renamed {
        out.replace_range(span.start as usize..span.end as usize, &name);
    }
    // Statements of a model in braces stand inside them.
    let braces = tree.iter().any(|s| matches!(s.kind, StatementKind::Model(_)))
        && text.trim_end().ends_with('}')
        && tree.last().is_some_and(|s| is_braced(text, s));
    let end = if braces { out.trim_end().len() - 1 } else { out.len() };
    out.insert_str(end, added);
    out
}

/// The text in which a declared parameter, input or variable follows another definition: its
/// declaration gets the name that `added` is given, and every use keeps the old one.
pub fn with_redefinition(
    text: &str,
    name: &str,
    added: impl FnOnce(&str) -> String,
) -> Result<String, String> {
    let mut sources = Sources::new();
    let file = sources.add("model", text);
    let (tree, diagnostics) = parse(file, text);
    if diagnostics.has_errors() {
        return Err("the text has mistakes".into());
    }
    let statements: Vec<&Statement> = tree.statements.iter().flat_map(opened).collect();
    let all = statements.iter().flat_map(|s| match &s.kind {
        StatementKind::Variable(list) => &list[..],
        _ => declarations(s),
    });
    let Some(declared) = all.into_iter().find(|d| d.name.text == name) else {
        return Err(format!("`{name}` is not declared at the top of this text"));
    };
    let names = words(text);
    let mut inner = format!("{name}_defined");
    while names.contains(&inner) {
        inner.push('_');
    }
    // Questions about an input are questions about its declared value now; none is about a variable.
    let is_input = statements.iter().flat_map(|s| declarations(s)).any(|d| d.name.text == name);
    let questions = statements.iter().filter(|s| is_input && matches!(s.kind, StatementKind::Experiment(_)));
    let named = questions.flat_map(|question| uses(text, question.span, name));
    let renamed = named.chain([declared.name.span]).map(|span| (span, inner.clone())).collect();
    Ok(edited(text, &tree.statements, renamed, &format!("\n{}\n", added(&inner))))
}

/// Whether a model is written in braces.
fn is_braced(text: &str, statement: &Statement) -> bool {
    let StatementKind::Model(block) = &statement.kind else { return false };
    let first = block.content.first().map_or(statement.span.end, |s| s.span.start);
    text[statement.span.start as usize..first as usize].contains('{')
}

fn observed(
    text: &str,
    statements: &[&Statement],
    law: &FeedbackLaw,
    observer: &ObserverLaw,
    known: &[String],
    fresh: &mut impl FnMut(String) -> String,
) -> Result<String, String> {
    // The instance has the name before the first dot of its estimates.
    let instance = known.first().and_then(|name| name.split_once('.')).map_or("observer", |(name, _)| name);
    let kind = fresh(format!("state_{instance}"));
    let own: Vec<String> = law.states.iter().map(|x| plain(&x.name)).collect();
    let input = |k: usize| format!("input_{}", plain(&law.inputs[k].name));
    let output = |m: usize| format!("measured_{}", plain(&observer.outputs[m].name));
    let mut out = format!("subsystem {kind} \"Estimates of the states from what is measured\" {{\n");
    let mut connections = vec![];
    for (k, at) in law.inputs.iter().enumerate() {
        out += &format!("  port {}: in{}\n", input(k), bracketed(at.dimension));
        connections.push(format!("{} -> {}", input(k), at.name));
    }
    for (m, at) in observer.outputs.iter().enumerate() {
        out += &format!("  port {}: in{}\n", output(m), bracketed(at.dimension));
        connections.push(format!("{} -> {}", output(m), measured(text, statements, &at.name)));
    }
    let mut innovations = vec![];
    for (m, at) in observer.outputs.iter().enumerate() {
        let mut expected = number(at.value, at.dimension);
        for (j, c) in observer.c[m].iter().enumerate().filter(|(_, c)| **c != 0.0) {
            let unit = at.dimension / law.states[j].dimension;
            expected += &format!(" + {} * {}", number(*c, unit), less(&own[j], &law.states[j]));
        }
        for (k, d) in observer.d[m].iter().enumerate().filter(|(_, d)| **d != 0.0) {
            let unit = at.dimension / law.inputs[k].dimension;
            expected += &format!(" + {} * {}", number(*d, unit), less(&input(k), &law.inputs[k]));
        }
        let name = format!("innovation_{}", plain(&at.name));
        out += &format!("  variable {name} = {} - ({expected})\n", output(m));
        innovations.push(name);
    }
    for (i, state) in law.states.iter().enumerate() {
        let rate = state.dimension / Dimension::TIME;
        let mut terms: Vec<String> = vec![];
        for (j, a) in observer.a[i].iter().enumerate().filter(|(_, a)| **a != 0.0) {
            let unit = rate / law.states[j].dimension;
            terms.push(format!("{} * {}", number(*a, unit), less(&own[j], &law.states[j])));
        }
        for (k, b) in observer.b[i].iter().enumerate().filter(|(_, b)| **b != 0.0) {
            let unit = rate / law.inputs[k].dimension;
            terms.push(format!("{} * {}", number(*b, unit), less(&input(k), &law.inputs[k])));
        }
        for (m, gain) in observer.gain[i].iter().enumerate() {
            let at = &observer.outputs[m];
            let name = format!("L_{}_{}", own[i], plain(&at.name));
            out += &format!("  parameter {name} = {}\n", number(*gain, rate / at.dimension));
            terms.push(format!("{name} * {}", innovations[m]));
        }
        out += &format!("  state {} = {}\n", own[i], number(state.value, state.dimension));
        let rate = if terms.is_empty() { number(0.0, rate) } else { terms.join(" + ") };
        out += &format!("  der({}) = {rate}\n", own[i]);
    }
    out += &format!("}}\n{kind} {instance} {{ {} }}\n", connections.join("; "));
    Ok(out)
}

/// A unit in brackets; nothing for a plain number.
fn bracketed(dimension: Dimension) -> String {
    if dimension == Dimension::ONE { String::new() } else { format!(" [{dimension}]") }
}

/// What an output of the model is, as text; anything else is a name.
fn measured(text: &str, statements: &[&Statement], name: &str) -> String {
    let outputs = statements.iter().flat_map(|s| match &s.kind {
        StatementKind::Output(list) => &list[..],
        _ => &[],
    });
    let found = |o: &&Output| o.name.as_ref().is_some_and(|n| n.text == name);
    match outputs.into_iter().find(found) {
        Some(o) => format!("({})", &text[o.value.span.start as usize..o.value.span.end as usize]),
        None => name.to_string(),
    }
}

/// The statement, or the statements of a model.
fn opened(statement: &Statement) -> Vec<&Statement> {
    match &statement.kind {
        StatementKind::Model(block) => block.content.iter().collect(),
        _ => vec![statement],
    }
}

fn declarations(statement: &Statement) -> &[Declaration] {
    match &statement.kind {
        StatementKind::Parameter(list) | StatementKind::Input(list) => list,
        _ => &[],
    }
}

/// Where a name is used within a part of a text.
fn uses(text: &str, within: Span, name: &str) -> Vec<Span> {
    let (start, end) = (within.start as usize, within.end as usize);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let bounded = |at: usize| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
    let found = text[start..end].match_indices(name).map(|(at, _)| start + at).filter(|at| bounded(*at));
    found.map(|at| Span::new(within.file, at, at + name.len())).collect()
}

/// The names that a text uses.
fn words(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_part(c)).filter(|w| !w.is_empty()).map(str::to_string).collect()
}

/// A name without dots and brackets: `der(arm.q)` is `der_arm_q`.
fn plain(name: &str) -> String {
    let parts: Vec<&str> =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect();
    parts.join("_")
}

/// A number with all its digits and its unit.
fn number(value: f64, dimension: Dimension) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    let digits = if value < 0.0 { format!("({value:?})") } else { format!("{value:?}") };
    if dimension == Dimension::ONE { digits } else { format!("{digits} [{dimension}]") }
}

/// A quantity less its value where the loop is closed.
fn less(name: &str, at: &At) -> String {
    if at.value == 0.0 { name.to_string() } else { format!("({name} - {})", number(at.value, at.dimension)) }
}
