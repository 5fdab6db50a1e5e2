//! Forces and torques of a data set as native loads.
//!
//! The laws, with I the marker that is acted on and J its partner:
//!
//! ```text
//! [SFORCE]        F along the line from J to I, positive where it parts them; alone, along J's z axis
//! [SPRINGDAMPER]  F = -C VR - K (DM - LENGTH) + FORCE;  T = -CT WZ - KT (AZ - ANGLE) + TORQUE
//! [BUSHING]       F = -K d - C d' + FORCE, T = -KT a - CT w + TORQUE, component by component in J's axes
//! [FIELD, BEAM]   (F, T) = -[K] (d - d0, a - a0) - [C] (d', w) + (F0, T0) in J's axes; a = (AX, AY, AZ)
//! ```
//!
//! The matrix of BEAM is that of a Timoshenko beam along J's x axis. Source: the statements' definitions as the
//! Multibody Systems Handbook gives them for ADAMS; Przemieniecki, Theory of Matrix Structural Analysis, 1968, §5.6.

use crate::adams::Translation;
use crate::adams::scene::decimal;
use crate::adams::statement::Statement;

impl Translation<'_> {
    /// The statements of a load; nothing if it is another statement or cannot be read, which is told.
    pub fn load(&mut self, statement: &Statement) -> Option<Vec<String>> {
        let kind = statement.keyword.to_lowercase();
        let i = self.marker(statement, "I")?;
        let units = self.scene.units.clone();
        let (force, torque) = (units.force.clone(), units.torque());
        match statement.keyword.as_str() {
            "SFORCE" => {
                let j = self.marker(statement, "J")?;
                let name = self.scene.name(statement, &kind);
                let value = self.expression(statement, "FUNCTION")?;
                let is_alone = statement.has("ACTIONONLY");
                let from = if is_alone { String::new() } else { format!(" from {j}") };
                Some(vec![match statement.has("ROTATION") {
                    true => format!("torque {name} on {i}{from} = ({value})*1 [{torque}] * {j}.z"),
                    false if is_alone => format!("force {name} on {i} = ({value})*1 [{force}] * {j}.z"),
                    false => {
                        format!("force {name} on {i} from {j} = ({value})*1 [{force}] * dir(position({j}, {i}))")
                    }
                }])
            }
            "VFORCE" | "VTORQUE" | "GFORCE" => self.components(statement, &i),
            "SPRINGDAMPER" => self.spring_damper(statement, &i),
            "BUSHING" => self.bushing(statement, &i),
            "FIELD" | "BEAM" => self.field(statement, &i),
            _ => None,
        }
    }

    /// A vector of expressions along the axes of a marker.
    fn vector(&mut self, statement: &Statement, names: [&str; 3], axes: &str, unit: &str) -> Option<String> {
        let mut terms = vec![];
        for (name, axis) in names.iter().zip(["x", "y", "z"]) {
            if statement.arguments.iter().any(|a| a.name == *name) {
                terms.push(format!("({})*1 [{unit}] * {axes}.{axis}", self.expression(statement, name)?));
            }
        }
        (!terms.is_empty()).then(|| terms.join(" + "))
    }

    fn components(&mut self, statement: &Statement, i: &str) -> Option<Vec<String>> {
        let units = self.scene.units.clone();
        let partner = self.marker(statement, "JFLOAT")?;
        let axes = match statement.has("RM") || statement.arguments.iter().any(|a| a.name == "RM") {
            true => self.marker(statement, "RM")?,
            false => "N".into(),
        };
        let name = self.scene.name(statement, &statement.keyword.to_lowercase());
        let mut out = vec![];
        if statement.keyword != "VTORQUE"
            && let Some(vector) = self.vector(statement, ["FX", "FY", "FZ"], &axes, &units.force)
        {
            // The partner takes the opposite force where the first point is.
            let body = self.body_of(statement, "JFLOAT")?;
            out.push(format!("force {name} on {i} from {body} = {vector}"));
        }
        if statement.keyword != "VFORCE"
            && let Some(vector) = self.vector(statement, ["TX", "TY", "TZ"], &axes, &units.torque())
        {
            let suffix = if out.is_empty() { "" } else { "_torque" };
            out.push(format!("torque {name}{suffix} on {i} from {partner} = {vector}"));
        }
        Some(out)
    }

    fn spring_damper(&mut self, statement: &Statement, i: &str) -> Option<Vec<String>> {
        let j = self.marker(statement, "J")?;
        let units = self.scene.units.clone();
        let (length, time, force, torque) = (&units.length, &units.time, &units.force, units.torque());
        let name = self.scene.name(statement, "springdamper");
        let mut value = |wanted: &str| match statement.arguments.iter().any(|a| a.name == wanted) {
            true => self.scene.written(statement, wanted),
            false => Some("0".into()),
        };
        if statement.has("ROTATION") {
            let (k, c, preload) = (value("KT")?, value("CT")?, value("TORQUE")?);
            let rest = self.scene.value(statement, "ANGLE");
            let angle = format!("unwrapped_angle({j}.x, {i}.x, {j}.z)");
            let law = format!(
                "torsion_spring_damper {name} between {i} and {j} {{ axis = {j}.z; angle = {angle}; \
                 stiffness = {k} [{torque}/rad]; damping = {c} [{torque}*{time}/rad]; rest = {} [rad] }}",
                decimal(rest)
            );
            let mut out = vec![law];
            if preload != "0" {
                out.push(format!("torque {name}_preload on {i} from {j} = {preload} [{torque}] * {j}.z"));
            }
            return Some(out);
        }
        let (k, c, rest, preload) = (value("K")?, value("C")?, value("LENGTH")?, value("FORCE")?);
        let mut out = vec![format!(
            "spring_damper {name} between {i} and {j} {{ stiffness = {k} [{force}/{length}]; \
             damping = {c} [{force}*{time}/{length}]; length = {rest} [{length}] }}"
        )];
        if preload != "0" {
            let along = format!("dir(position({j}, {i}))");
            out.push(format!("force {name}_preload on {i} from {j} = {preload} [{force}] * {along}"));
        }
        Some(out)
    }

    fn bushing(&mut self, statement: &Statement, i: &str) -> Option<Vec<String>> {
        let diagonal = |row: usize, values: &[f64]| {
            std::array::from_fn(|k| if k == row { values.get(k % 3).copied().unwrap_or(0.0) } else { 0.0 })
        };
        let mut list = |name: &str| match statement.arguments.iter().any(|a| a.name == name) {
            true => self.scene.numbers(statement, name),
            false => Some(vec![0.0; 3]),
        };
        let (k, c, kt, ct) = (list("K")?, list("C")?, list("KT")?, list("CT")?);
        let (force, torque) = (list("FORCE")?, list("TORQUE")?);
        let rows = |lower: &[f64], upper: &[f64]| -> Matrix {
            std::array::from_fn(|row| diagonal(row, if row < 3 { lower } else { upper }))
        };
        let preload: Vec<f64> = force.into_iter().chain(torque).collect();
        let preload: [f64; 6] = std::array::from_fn(|n| preload.get(n).copied().unwrap_or(0.0));
        self.linear(statement, i, &rows(&k, &kt), &rows(&c, &ct), [0.0; 6], preload)
    }

    fn field(&mut self, statement: &Statement, i: &str) -> Option<Vec<String>> {
        if statement.keyword == "BEAM" {
            return self.beam(statement, i);
        }
        let mut matrix = |name: &str| match statement.arguments.iter().any(|a| a.name == name) {
            // Column by column, as FORTRAN keeps them.
            true => self.scene.numbers(statement, name).map(|v| -> Matrix {
                std::array::from_fn(|row| {
                    std::array::from_fn(|col| v.get(6 * col + row).copied().unwrap_or(0.0))
                })
            }),
            false => Some([[0.0; 6]; 6]),
        };
        let (k, mut c) = (matrix("KMATRIX")?, matrix("CMATRIX")?);
        let ratio = self.scene.value(statement, "CRATIO");
        if ratio != 0.0 {
            c = k.map(|row| row.map(|x| ratio * x));
        }
        let mut six = |name: &str| -> Option<[f64; 6]> {
            let values = match statement.arguments.iter().any(|a| a.name == name) {
                true => self.scene.numbers(statement, name)?,
                false => vec![],
            };
            Some(std::array::from_fn(|n| values.get(n).copied().unwrap_or(0.0)))
        };
        let (rest, preload) = (six("LENGTH")?, six("FORCE")?);
        self.linear(statement, i, &k, &c, rest, preload)
    }

    fn beam(&mut self, statement: &Statement, i: &str) -> Option<Vec<String>> {
        let names = ["LENGTH", "AREA", "IXX", "IYY", "IZZ", "EMODULUS", "GMODULUS"];
        let mut given = [0.0; 7];
        for (place, name) in given.iter_mut().zip(names) {
            if !statement.has(name) {
                let help = format!("write `, {name} = 1`");
                self.scene.findings.push(super::scene::lacking(statement.span, &format!("`{name}`"), help));
                return None;
            }
            *place = self.scene.numbers(statement, name)?[0];
        }
        let [length, area, ixx, iyy, izz, e, g] = given;
        let (asy, asz) = (self.scene.value(statement, "ASY"), self.scene.value(statement, "ASZ"));
        let shear = |inertia: f64, factor: f64| 12.0 * e * inertia * factor / (g * area * length * length);
        let (py, pz) = (shear(izz, asy), shear(iyy, asz));
        let (by, bz) = (e * izz / (length.powi(3) * (1.0 + py)), e * iyy / (length.powi(3) * (1.0 + pz)));
        let mut k = [[0.0; 6]; 6];
        k[0][0] = e * area / length;
        k[1][1] = 12.0 * by;
        k[2][2] = 12.0 * bz;
        k[3][3] = g * ixx / length;
        k[4][4] = (4.0 + pz) * bz * length * length;
        k[5][5] = (4.0 + py) * by * length * length;
        (k[1][5], k[5][1]) = (-6.0 * by * length, -6.0 * by * length);
        (k[2][4], k[4][2]) = (6.0 * bz * length, 6.0 * bz * length);
        let ratio = self.scene.value(statement, "CRATIO");
        let c = k.map(|row| row.map(|x| ratio * x));
        let rest = [length, 0.0, 0.0, 0.0, 0.0, 0.0];
        self.linear(statement, i, &k, &c, rest, [0.0; 6])
    }

    /// Force and torque that are linear in the displacement of I in J.
    fn linear(
        &mut self,
        statement: &Statement,
        i: &str,
        k: &Matrix,
        c: &Matrix,
        rest: [f64; 6],
        preload: [f64; 6],
    ) -> Option<Vec<String>> {
        let j = self.marker(statement, "J")?;
        let body = self.body_of(statement, "J")?;
        let units = self.scene.units.clone();
        let (length, time) = (&units.length, &units.time);
        let name = self.scene.name(statement, &statement.keyword.to_lowercase());
        let axis = ["x", "y", "z"];
        let turns = [("z", "-", "y", "z"), ("z", "", "x", "z"), ("x", "", "y", "x")];
        let displacement = |n: usize| match n {
            0..3 => {
                let along = format!("dot(position({j}, {i}), {j}.{})/(1 [{length}])", axis[n]);
                if rest[n] == 0.0 { along } else { format!("{along} - {}", decimal(rest[n])) }
            }
            _ => {
                let (of, sign, up, to) = turns[n - 3];
                let angle = format!("atan2({sign}dot({i}.{of}, {j}.{up}), dot({i}.{of}, {j}.{to}))");
                if rest[n] == 0.0 { angle } else { format!("{angle} - {}", decimal(rest[n])) }
            }
        };
        let rate = |n: usize| match n {
            0..3 => format!("dot(velocity({i}, in = {j}), {j}.{})/(1 [{length}/{time}])", axis[n]),
            _ => format!("dot(omega({i}, in = {j}), {j}.{})/(1 [rad/{time}])", axis[n - 3]),
        };
        let mut out = vec![];
        for n in 0..6 {
            if k.iter().any(|row| row[n] != 0.0) {
                out.push(format!("variable {name}_d{} = {}", n + 1, displacement(n)));
            }
            if c.iter().any(|row| row[n] != 0.0) {
                out.push(format!("variable {name}_v{} = {}", n + 1, rate(n)));
            }
        }
        let component = |row: usize| {
            let mut terms = String::new();
            for n in 0..6 {
                if k[row][n] != 0.0 {
                    terms += &format!(" - {}*{name}_d{}", bracketed(k[row][n]), n + 1);
                }
                if c[row][n] != 0.0 {
                    terms += &format!(" - {}*{name}_v{}", bracketed(c[row][n]), n + 1);
                }
            }
            if preload[row] != 0.0 {
                terms += &format!(" + {}", bracketed(preload[row]));
            }
            terms
        };
        for (kind, rows, unit) in [("force", 0..3, units.force.clone()), ("torque", 3..6, units.torque())] {
            let parts: Vec<String> = rows
                .map(|row| (component(row), axis[row % 3]))
                .filter(|(terms, _)| !terms.is_empty())
                .map(|(terms, axis)| format!("(0{terms})*1 [{unit}] * {j}.{axis}"))
                .collect();
            if !parts.is_empty() {
                let suffix = if kind == "force" { "" } else { "_torque" };
                let from = if kind == "force" { &body } else { &j };
                out.push(format!("{kind} {name}{suffix} on {i} from {from} = {}", parts.join(" + ")));
            }
        }
        Some(out)
    }
}

type Matrix = [[f64; 6]; 6];

fn bracketed(x: f64) -> String {
    if x < 0.0 { format!("({})", decimal(x)) } else { decimal(x) }
}
