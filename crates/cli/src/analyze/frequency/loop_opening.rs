//! The response of a control loop that is opened at a variable of the text.
//!
//! ```text
//! [injection]  v = w + d          w: what the text makes of v, d: what is put in
//! [open]       d = u − w          the closed loop from d to −w, fed back, is the open one from u to −w
//! ```
//!
//! The loop stays closed in the state about which it is looked at, so that nothing has to be known
//! about the value of the signal there.

use cardan::analysis::Named;
use cardan::control::{Matrix, StateSpace};
use cardan::lang::with_redefinition;
use cardan::model::ExperimentKind;
use cardan::units::Dimension;

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::linear_system::{Ports, Prepared, linear_system};
use crate::analyze::{number, prepare_loaded};
use crate::exit::Problem;
use crate::files;
use crate::load::{load_text, load_with};
use crate::terminal::Terminal;

/// The dimension of a quantity that the text declares.
pub fn dimension(terminal: &Terminal, common: &Common, name: &str) -> Result<Dimension, Problem> {
    let probe = [format!("output probe_of_{name} = {name}")];
    let loaded = load_with(terminal, &common.file, &common.reading.setting(&common.set), &probe)?;
    let found = loaded.model.outputs.iter().last().map(|o| o.quantity.dimension);
    found.ok_or_else(|| Problem::wrong(format!("`{name}` has no unit")))
}

/// A declaration of an input with a unit.
pub fn declared(name: &str, dimension: Dimension) -> String {
    if dimension == Dimension::ONE {
        format!("input {name} = 0")
    } else {
        format!("input {name} [{dimension}]")
    }
}

/// The linear system from what is put in at a variable to what comes back. [open]
///
/// Where it is one in z, the delay is part of it.
pub fn opened(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    about: &About,
    (signal, delay): (&str, &[String]),
) -> Result<Prepared, Problem> {
    let text = files::read(&common.file)?;
    let refused = |why: String| {
        Problem::wrong(format!("the loop cannot be opened at `{signal}`: {why}"))
            .hint("a loop is opened at a `variable` of the text, such as a controller's output")
    };
    let (injected, returned) = (format!("{signal}_injected"), format!("{signal}_returned"));
    // Refused before the text is read once more.
    with_redefinition(&text, signal, |_| String::new()).map_err(refused)?;
    let input = declared(&injected, dimension(&terminal.quieter(true), common, signal)?);
    let text = with_redefinition(&text, signal, |inner| {
        format!("{input}\nvariable {signal} = {inner} + {injected}\noutput {returned} = -({inner})")
    });
    let reading = common.reading.setting(&common.set);
    let loaded = load_text(terminal, &common.file, &reading, text.map_err(refused)?)?;
    let ports = Ports { input: vec![injected], output: vec![returned] };
    let asked = prepare_loaded(terminal, verb, common, loaded, &ports.input, Ok)?;
    let mut prepared = linear_system(terminal, verb, asked, about, &ports)?;
    let back = StateSpace::gain(Matrix::from_fn(1, 1, |_, _| -1.0)).map_err(Problem::failed)?;
    let delays = prepared.delays(delay)?;
    let system = &mut prepared.system;
    system.system = system.system.feedback(&back).map_err(Problem::failed)?;
    if let Some(sampled) = &mut prepared.sampled {
        let back = Matrix::from_fn(1, 1, |_, _| -1.0);
        sampled.system = sampled.system.with_feedback(&back).map_err(Problem::failed)?;
        let step = sampled.system.period();
        let late = match &delays {
            Some(delays) => sampled.system.clone().with_delays(delays).map_err(Problem::wrong)?,
            None => sampled.system.clone(),
        };
        let exact = late.in_z().map_err(Problem::failed)?;
        system.states = sampled.states.clone();
        system.system = match &exact {
            Some(in_z) => in_z.clone(),
            None => sampled.system.flow().clone(),
        };
        system.name_added_states();
        if exact.is_some() {
            prepared.about += &format!(", in z with the samples every {} s", number(step));
            prepared.sampled = None;
        }
    }
    let system = &mut prepared.system;
    let renamed = |list: &mut Vec<Named>, name: String| list.iter_mut().for_each(|n| n.name = name.clone());
    renamed(&mut system.inputs, signal.to_string());
    renamed(&mut system.outputs, format!("{signal} returned"));
    prepared.about += &format!(", the loop opened at `{signal}`");
    Ok(prepared)
}
