//! Expressions of ADAMS: run-time functions of markers, time, variables and states, as native expressions.
//!
//! ADAMS computes with plain numbers in the units of the data set. So a measured length becomes `dot(…)/(1 [mm])`, and an
//! expression stays a plain number that its statement gives a unit. `IF(x: a, b, c)` is a where x is negative, b where it is
//! zero, c where it is positive. Functions of the library (STEP, IMPACT, …) are written out as native functions where used.

use std::collections::{BTreeMap, BTreeSet};

use crate::adams::units::Units;

/// What expressions may refer to, and what they did refer to.
pub struct Context<'a> {
    pub units: &'a Units,
    /// Native names of markers; the ground where the marker is 0.
    pub markers: &'a BTreeMap<u64, String>,
    /// Names of joints, variables, states and splines, with the number of the statement.
    pub joints: &'a BTreeMap<u64, String>,
    pub variables: &'a BTreeMap<u64, String>,
    pub states: &'a BTreeMap<u64, String>,
    pub splines: &'a BTreeMap<u64, String>,
    pub used_markers: BTreeSet<u64>,
    pub used_functions: BTreeSet<&'static str>,
    /// Splines that Akima's method interpolates, which is taken as the monotone one.
    pub akima: bool,
}

/// Functions of ADAMS that are written out, by name.
pub const LIBRARY: &[(&str, &str)] = &[
    (
        "adams_step",
        "function adams_step(x, x0, h0, x1, h1) = if x <= x0 then h0 else if x >= x1 then h1 \
         else h0 + (h1 - h0)*((x - x0)/(x1 - x0))^2*(3 - 2*(x - x0)/(x1 - x0)) \"cubic step\"",
    ),
    (
        "adams_step5",
        "function adams_step5(x, x0, h0, x1, h1) = if x <= x0 then h0 else if x >= x1 then h1 \
         else h0 + (h1 - h0)*((x - x0)/(x1 - x0))^3*(10 - 15*(x - x0)/(x1 - x0) + 6*((x - x0)/(x1 - x0))^2) \
         \"step of fifth order\"",
    ),
    (
        "adams_havsin",
        "function adams_havsin(x, x0, h0, x1, h1) = if x <= x0 then h0 else if x >= x1 then h1 \
         else (h0 + h1)/2 + (h1 - h0)/2*sin((x - x0)/(x1 - x0)*pi - pi/2) \"haversine step\"",
    ),
    (
        "adams_impact",
        "function adams_impact(x, v, x1, k, e, c, d) = if x >= x1 then 0 \
         else max(0, k*max(x1 - x, 0)^e - c*v*adams_step(x, x1 - d, 1, x1, 0)) \"one-sided impact\"",
    ),
    (
        "adams_bistop",
        "function adams_bistop(x, v, x1, x2, k, e, c, d) = if x < x1 \
         then max(0, k*max(x1 - x, 0)^e - c*v*adams_step(x, x1 - d, 1, x1, 0)) \
         else if x > x2 then min(0, -k*max(x - x2, 0)^e - c*v*adams_step(x, x2, 0, x2 + d, 1)) else 0 \
         \"two-sided impact\"",
    ),
];

/// Why an expression cannot be taken: the offset of the fault and a sentence.
pub type Fault = (usize, String);

/// The deepest nesting of brackets.
const DEPTH: usize = 100;

struct Parser<'a, 'b> {
    text: &'a str,
    at: usize,
    depth: usize,
    context: &'a mut Context<'b>,
}

/// The native text of an expression, a plain number in the units of the data set.
pub fn native(text: &str, context: &mut Context<'_>) -> Result<String, Fault> {
    let mut parser = Parser { text, at: 0, depth: 0, context };
    let out = parser.sum()?;
    parser.blank();
    match parser.at == text.len() {
        true => Ok(out),
        false => Err((parser.at, "the expression should end here".into())),
    }
}

impl Parser<'_, '_> {
    fn blank(&mut self) {
        self.at += self.text[self.at..].len() - self.text[self.at..].trim_start().len();
    }

    fn take(&mut self, wanted: &str) -> bool {
        self.blank();
        let there = self.text[self.at..].starts_with(wanted);
        if there {
            self.at += wanted.len();
        }
        there
    }

    fn sum(&mut self) -> Result<String, Fault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err((self.at, format!("the expression is nested more than {DEPTH} levels deep")));
        }
        let mut out = if self.take("-") {
            format!("-{}", self.product()?)
        } else {
            self.take("+");
            self.product()?
        };
        loop {
            if self.take("+") {
                out = format!("{out} + {}", self.product()?);
            } else if self.take("-") {
                out = format!("{out} - {}", self.product()?);
            } else {
                self.depth -= 1;
                return Ok(out);
            }
        }
    }

    fn product(&mut self) -> Result<String, Fault> {
        let mut out = self.power()?;
        loop {
            self.blank();
            let rest = &self.text[self.at..];
            if rest.starts_with("**") {
                return Err((self.at, "a power of a power needs brackets".into()));
            }
            if self.take("*") {
                out = format!("{out}*{}", self.power()?);
            } else if self.take("/") {
                out = format!("{out}/{}", self.power()?);
            } else {
                return Ok(out);
            }
        }
    }

    fn power(&mut self) -> Result<String, Fault> {
        let base = self.primary()?;
        match self.take("**") {
            true => Ok(format!("{base}^{}", self.primary()?)),
            false => Ok(base),
        }
    }

    fn primary(&mut self) -> Result<String, Fault> {
        self.blank();
        let rest = &self.text[self.at..];
        let first = rest.chars().next().ok_or((self.at, "something is missing at the end".to_string()))?;
        if self.take("(") {
            let inner = self.sum()?;
            return match self.take(")") {
                true => Ok(format!("({inner})")),
                false => Err((self.at, "a bracket is not closed".into())),
            };
        }
        if self.take("-") {
            return Ok(format!("(-{})", self.primary()?));
        }
        if self.take("+") {
            return self.primary();
        }
        if first.is_ascii_digit() || first == '.' {
            return self.number();
        }
        if !first.is_ascii_alphabetic() {
            return Err((self.at, format!("`{first}` cannot stand here")));
        }
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, start) = (rest[..length].to_uppercase(), self.at);
        self.at += length;
        let called = self.take("(");
        if name == "IF" && called {
            return self.choice();
        }
        let arguments = match called {
            true => self.arguments()?,
            false => vec![],
        };
        self.call(&name, &arguments).map_err(|said| (start, said))
    }

    fn number(&mut self) -> Result<String, Fault> {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() && (bytes[end].is_ascii_digit() || bytes[end] == b'.') {
            end += 1;
        }
        if bytes.get(end).is_some_and(|b| matches!(b, b'e' | b'E')) {
            let sign = usize::from(bytes.get(end + 1).is_some_and(|b| matches!(b, b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end += 1 + sign;
                while bytes.get(end).is_some_and(u8::is_ascii_digit) {
                    end += 1;
                }
            }
        }
        let text = plain(&rest[..end]).ok_or((self.at, format!("`{}` is no number", &rest[..end])))?;
        self.at += end;
        let rest = &self.text[self.at..];
        let is_degree = rest.starts_with(['D', 'd'])
            && !rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if is_degree {
            self.at += 1;
            return Ok(format!("({text}*pi/180)"));
        }
        Ok(text)
    }

    fn arguments(&mut self) -> Result<Vec<String>, Fault> {
        let mut out = vec![];
        if self.take(")") {
            return Ok(out);
        }
        loop {
            out.push(self.sum()?);
            if self.take(")") {
                return Ok(out);
            }
            if !self.take(",") {
                return Err((self.at, "a comma or a closing bracket should stand here".into()));
            }
        }
    }

    fn choice(&mut self) -> Result<String, Fault> {
        let x = self.sum()?;
        if !self.take(":") {
            return Err((self.at, "`IF(x: a, b, c)` has a colon after its condition".into()));
        }
        let arguments = self.arguments()?;
        match arguments.as_slice() {
            [a, b, c] => Ok(format!("(if {x} < 0 then {a} else if {x} > 0 then {c} else {b})")),
            _ => Err((self.at, "`IF(x: a, b, c)` has three values".into())),
        }
    }

    /// The native name of a marker; the ground's where none is given.
    fn marker(&mut self, arguments: &[String], k: usize) -> Result<String, String> {
        let Some(text) = arguments.get(k).filter(|a| *a != "0") else { return Ok("N".into()) };
        let id: u64 = text.parse().map_err(|_| format!("`{text}` is no number of a marker"))?;
        let name = self.context.markers.get(&id).ok_or(format!("there is no marker {id}"))?;
        self.context.used_markers.insert(id);
        Ok(name.clone())
    }

    fn call(&mut self, name: &str, arguments: &[String]) -> Result<String, String> {
        let units = self.context.units;
        let (length, time) = (&units.length, &units.time);
        let count = |n: usize| match arguments.len() == n {
            true => Ok(()),
            false => Err(format!("`{name}` takes {n} values, not {}", arguments.len())),
        };
        let axis = match name.chars().last() {
            Some('X') => "x",
            Some('Y') => "y",
            _ => "z",
        };
        if let Some(elementary) = elementary(name) {
            count(if matches!(name, "ATAN2" | "MOD") { 2 } else { 1 })?;
            return Ok(format!("{elementary}({})", arguments.join(", ")));
        }
        Ok(match name {
            "TIME" => format!("(t/(1 [{time}]))"),
            "PI" => "pi".into(),
            "DTOR" => "(pi/180)".into(),
            "RTOD" => "(180/pi)".into(),
            "MIN" | "MAX" if arguments.len() > 1 => {
                format!("{}({})", name.to_lowercase(), arguments.join(", "))
            }
            "SIGN" => {
                count(2)?;
                format!("(abs({})*sign({}))", arguments[0], arguments[1])
            }
            "DIM" => {
                count(2)?;
                format!("max(0, {} - ({}))", arguments[0], arguments[1])
            }
            "DM" | "DX" | "DY" | "DZ" => {
                let (i, j, rm) = self.three(arguments)?;
                match name {
                    "DM" => format!("(mag(position({j}, {i}))/(1 [{length}]))"),
                    _ => format!("(dot(position({j}, {i}), {rm}.{axis})/(1 [{length}]))"),
                }
            }
            "VM" | "VX" | "VY" | "VZ" | "VR" => {
                let (i, j, rm) = self.three(arguments)?;
                let unit = format!("(1 [{length}/{time}])");
                let relative = match j.as_str() {
                    "N" => format!("velocity({i})"),
                    _ => format!("(velocity({i}) - velocity({j}))"),
                };
                match name {
                    "VM" => format!("(mag({relative})/{unit})"),
                    "VR" => format!("(dot({relative}, dir(position({j}, {i})))/{unit})"),
                    _ => format!("(dot({relative}, {rm}.{axis})/{unit})"),
                }
            }
            "WM" | "WX" | "WY" | "WZ" => {
                let (i, j, rm) = self.three(arguments)?;
                let unit = format!("(1 [rad/{time}])");
                match name {
                    "WM" => format!("(mag(omega({i}, in = {j}))/{unit})"),
                    _ => format!("(dot(omega({i}, in = {j}), {rm}.{axis})/{unit})"),
                }
            }
            "AX" | "AY" | "AZ" => {
                let (i, j, _) = self.three(arguments)?;
                // Which axis of I is looked at, and between which axes of J it turns.
                let (of, from, to) = match name {
                    "AX" => ("z", "z", "-y"),
                    "AY" => ("z", "z", "x"),
                    _ => ("x", "x", "y"),
                };
                let (sign, to) = to.strip_prefix('-').map_or(("", to), |t| ("-", t));
                format!("atan2({sign}dot({i}.{of}, {j}.{to}), dot({i}.{of}, {j}.{from}))")
            }
            "PSI" | "THETA" | "PHI" => {
                let (i, j, _) = self.three(arguments)?;
                match name {
                    "PSI" => format!("atan2(dot({i}.z, {j}.x), -dot({i}.z, {j}.y))"),
                    "THETA" => format!("acos(dot({i}.z, {j}.z))"),
                    _ => format!("atan2(dot({i}.x, {j}.z), dot({i}.y, {j}.z))"),
                }
            }
            "ACCM" | "ACCX" | "ACCY" | "ACCZ" => {
                let (i, j, rm) = self.three(arguments)?;
                let unit = format!("(1 [{length}/{time}^2])");
                let relative = match j.as_str() {
                    "N" => format!("acceleration({i})"),
                    _ => format!("(acceleration({i}) - acceleration({j}))"),
                };
                match name {
                    "ACCM" => format!("(mag({relative})/{unit})"),
                    _ => format!("(dot({relative}, {rm}.{axis})/{unit})"),
                }
            }
            "VARVAL" => lookup(arguments, self.context.variables, "variable")?,
            "DIF" => lookup(arguments, self.context.states, "differential equation")?,
            "AKISPL" | "CUBSPL" => {
                let id = arguments.get(2).cloned().into_iter().collect::<Vec<_>>();
                let spline = lookup(&id, self.context.splines, "spline")?;
                self.context.akima |= name == "AKISPL";
                format!("{spline}({})", arguments[0])
            }
            "JOINT" => self.reaction(arguments)?,
            "STEP" | "STEP5" | "HAVSIN" => {
                count(5)?;
                self.library(name, arguments)
            }
            "IMPACT" => {
                count(7)?;
                self.context.used_functions.insert("adams_step");
                self.library(name, arguments)
            }
            "BISTOP" => {
                count(8)?;
                self.context.used_functions.insert("adams_step");
                self.library(name, arguments)
            }
            "SHF" if arguments.len() >= 4 => {
                let [x, x0, a, w] = [0, 1, 2, 3].map(|k| &arguments[k]);
                let zero = String::from("0");
                let (phase, b) = (arguments.get(4).unwrap_or(&zero), arguments.get(5).unwrap_or(&zero));
                format!("(({a})*sin(({w})*({x} - ({x0})) - ({phase})) + {b})")
            }
            "POLY" if arguments.len() > 2 => series(arguments, |x, k| format!("({x})^{k}")),
            "CHEBY" if (3..40).contains(&arguments.len()) => series(arguments, chebyshev),
            "FORCOS" | "FORSIN" if arguments.len() > 3 => {
                let (x, w) = (format!("{} - ({})", arguments[0], arguments[1]), &arguments[2]);
                let wave = if name == "FORCOS" { "cos" } else { "sin" };
                let term =
                    |(k, a): (usize, &String)| format!(" + ({a})*{wave}({}*({w})*({x}))", k + 1);
                let terms: String = arguments[4..].iter().enumerate().map(term).collect();
                format!("(({}){terms})", arguments[3])
            }
            _ => return Err(format!("`{name}` is not known here, or takes other values")),
        })
    }

    fn library(&mut self, name: &str, arguments: &[String]) -> String {
        let native = format!("adams_{}", name.to_lowercase());
        if let Some((known, _)) = LIBRARY.iter().find(|(n, _)| *n == native) {
            self.context.used_functions.insert(known);
        }
        format!("{native}({})", arguments.join(", "))
    }

    /// The markers I, J and the one whose axes are meant.
    fn three(&mut self, arguments: &[String]) -> Result<(String, String, String), String> {
        if arguments.is_empty() || arguments.len() > 4 {
            return Err("one to three markers should stand in the brackets".into());
        }
        Ok((self.marker(arguments, 0)?, self.marker(arguments, 1)?, self.marker(arguments, 2)?))
    }

    /// `JOINT(id, jflag, component, rm)`: what a joint does to the part of its marker I, or J.
    fn reaction(&mut self, arguments: &[String]) -> Result<String, String> {
        let joint = lookup(&arguments[..arguments.len().min(1)], self.context.joints, "joint")?;
        let on_j = arguments.get(1).is_some_and(|a| a == "1");
        let counter = if on_j { "" } else { "counter" };
        let rm = self.marker(arguments, 3)?;
        let units = self.context.units;
        let (force, torque) = (format!("(1 [{}])", units.force), format!("(1 [{}])", units.torque()));
        let vector = |kind: &str| format!("{joint}.{counter}{kind}");
        Ok(match arguments.get(2).map(String::as_str) {
            Some("1") => format!("(mag({})/{force})", vector("force")),
            Some(k @ ("2" | "3" | "4")) => {
                let axis = ["x", "y", "z"][usize::from(k.as_bytes()[0] - b'2')];
                format!("(dot({}, {rm}.{axis})/{force})", vector("force"))
            }
            Some("5") => format!("(mag({})/{torque})", vector("torque")),
            Some(k @ ("6" | "7" | "8")) => {
                let axis = ["x", "y", "z"][usize::from(k.as_bytes()[0] - b'6')];
                format!("(dot({}, {rm}.{axis})/{torque})", vector("torque"))
            }
            _ => return Err("the component of a joint's force is 1 to 8".into()),
        })
    }
}

fn lookup(arguments: &[String], names: &BTreeMap<u64, String>, what: &str) -> Result<String, String> {
    let text = arguments.first().ok_or(format!("the number of a {what} is missing"))?;
    let id: u64 = text.parse().map_err(|_| format!("`{text}` is no number of a {what}"))?;
    names.get(&id).cloned().ok_or(format!("there is no {what} {id}"))
}

/// Functions that the native language has under another name or the same.
fn elementary(name: &str) -> Option<&'static str> {
    Some(match name {
        "ABS" => "abs",
        "SQRT" => "sqrt",
        "EXP" => "exp",
        "LOG" => "ln",
        "LOG10" => "log10",
        "SIN" => "sin",
        "COS" => "cos",
        "TAN" => "tan",
        "ASIN" => "asin",
        "ACOS" => "acos",
        "ATAN" => "atan",
        "ATAN2" => "atan2",
        "SINH" => "sinh",
        "COSH" => "cosh",
        "TANH" => "tanh",
        "MOD" => "mod",
        _ => return None,
    })
}

/// `f(x, x0, a0, a1, …)`: the sum of ak times a function of x - x0.
fn series(arguments: &[String], basis: impl Fn(&str, usize) -> String) -> String {
    let x = format!("{} - ({})", arguments[0], arguments[1]);
    let term = |(k, a): (usize, &String)| match k {
        0 => format!("({a})"),
        _ => format!(" + ({a})*({})", basis(&x, k)),
    };
    let terms: String = arguments[2..].iter().enumerate().map(term).collect();
    format!("({terms})")
}

/// Chebyshev's polynomial of the first kind, by powers: T₀ = 1, T₁ = x, Tₖ = 2x Tₖ₋₁ − Tₖ₋₂.
fn chebyshev(x: &str, order: usize) -> String {
    let (mut before, mut now) = (vec![1i128], vec![0i128, 1]);
    for _ in 1..order {
        let mut next = vec![0i128; now.len() + 1];
        now.iter().enumerate().for_each(|(k, c)| next[k + 1] += 2 * c);
        before.iter().enumerate().for_each(|(k, c)| next[k] -= c);
        before = std::mem::replace(&mut now, next);
    }
    let terms = now.iter().enumerate().filter(|(_, c)| **c != 0);
    let terms: Vec<String> = terms.map(|(k, c)| format!("({c})*({x})^{k}")).collect();
    terms.join(" + ")
}

/// A number of FORTRAN in native spelling: digits before and after a point.
pub fn plain(text: &str) -> Option<String> {
    text.parse::<f64>().ok().filter(|x| x.is_finite())?;
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], &text[at..]),
        None => (text, ""),
    };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |m| ("-", m));
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if part.is_empty() { String::new() } else { format!(".{part}") };
    Some(format!("{sign}{whole}{point}{}", exponent.to_lowercase()))
}
