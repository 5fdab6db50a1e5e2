//! The names that one file uses for everything in a plan.

use std::collections::BTreeMap;

use cardan_base::Id;
use cardan_program::{Op, Program, ValueId};

use crate::externals::declared;
use crate::library::Passing;
use crate::names::{Names, sanitize};
use crate::plan::Plan;

/// What a language reserves and prefers.
pub(crate) struct Customs<'a> {
    /// Keywords and names of functions that generated code calls.
    pub reserved: &'a [&'a str],
    /// Names that functions should not have, although variables may.
    pub functions: &'a [&'a str],
    /// Whether `m` and `M` are different names.
    pub case_matters: bool,
    /// Whether functions carry the library's name.
    pub prefix: bool,
}

/// Names of everything.
#[derive(Clone, Debug)]
pub(crate) struct Vocabulary {
    pub library: String,
    pub functions: Vec<String>,
    /// Per function and argument.
    pub arguments: Vec<Vec<String>>,
    /// Per function and group of results.
    pub results: Vec<Vec<String>>,
    pub work: String,
    pub inputs: Vec<String>,
    pub values: BTreeMap<ValueId, String>,
    pub curves: Vec<String>,
    pub surfaces: Vec<String>,
    pub external: Vec<String>,
    /// Per function of the host and argument.
    pub external_arguments: Vec<Vec<String>>,
}

impl Vocabulary {
    pub fn new(plan: &Plan, customs: &Customs) -> Self {
        let program = plan.program;
        let mut names = Names::new(customs.reserved.iter().copied(), customs.case_matters);
        let library = names.take(&plan.library.name);
        let function =
            |name: &str| if customs.prefix { format!("{library}_{name}") } else { name.to_owned() };
        let apart = |name: &str| {
            let word = sanitize(name);
            let clash = customs.functions.iter().any(|f| f.eq_ignore_ascii_case(&word));
            if clash { format!("{word}_function") } else { word }
        };
        let functions =
            plan.library.functions.iter().map(|f| names.take(&apart(&function(&f.name)))).collect::<Vec<_>>();
        let external: Vec<String> =
            program.functions().iter().map(|(_, f)| names.take(&apart(&f.name))).collect();
        let external_arguments = program.functions().iter().zip(&external).map(|((_, f), name)| {
            // Each function has names of its own; `y` and `dp` are what its interface in Fortran uses.
            let reserved = customs.reserved.iter().copied().chain(["y", "dp", name.as_str()]);
            let mut own = Names::new(reserved, customs.case_matters);
            match declared(plan, f) {
                Some(known) => known.arguments.iter().map(|(argument, _)| own.take(argument)).collect(),
                None => (0..f.arity).map(|k| own.take(&format!("a{k}"))).collect(),
            }
        });
        let external_arguments = external_arguments.collect();
        let table =
            |name: &str, kind: &str| if sanitize(name) == "v" { kind.into() } else { name.to_owned() };
        let curves = program.curves().iter().map(|(_, c)| names.take(&table(c.name(), "curve"))).collect();
        let surfaces =
            program.surfaces().iter().map(|(_, s)| names.take(&table(s.name(), "surface"))).collect();

        let work = names.take("w");
        // What one function delivers and another takes has one name.
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        let mut array = |names: &mut Names, label: &str| {
            known.entry(label.to_owned()).or_insert_with(|| names.take(label)).clone()
        };
        let mut inputs: Vec<Option<String>> = vec![None; program.inputs().len()];
        let mut arguments = Vec::new();
        let mut results = Vec::new();
        for f in &plan.library.functions {
            let mut list = Vec::new();
            for a in &f.arguments {
                let mut name = array(&mut names, &a.name);
                if list.contains(&name) {
                    name = names.take(&a.name);
                }
                if a.passing == Passing::Scalar {
                    inputs[a.inputs[0].index()].get_or_insert_with(|| name.clone());
                }
                list.push(name);
            }
            let taken = list.clone();
            arguments.push(list);
            let mut list = Vec::new();
            for r in &f.results {
                let mut name = array(&mut names, &r.name);
                if list.contains(&name) || taken.contains(&name) {
                    name = names.take(&r.name);
                }
                list.push(name);
            }
            results.push(list);
        }
        let inputs = inputs
            .into_iter()
            .zip(program.inputs().iter())
            .map(|(name, (_, input))| name.unwrap_or_else(|| names.take(&input.label.name)))
            .collect();
        let values = value_names(plan, program, &mut names);
        Vocabulary {
            library,
            functions,
            arguments,
            results,
            work,
            inputs,
            values,
            curves,
            surfaces,
            external,
            external_arguments,
        }
    }
}

/// Values that are delivered are called after their output, others `z` with their number.
fn value_names(plan: &Plan, program: &Program, names: &mut Names) -> BTreeMap<ValueId, String> {
    let mut labels: BTreeMap<ValueId, &str> = BTreeMap::new();
    for (_, output) in program.outputs().iter() {
        labels.entry(output.value).or_insert(&output.label.name);
    }
    let mut values = BTreeMap::new();
    for (v, label) in &labels {
        if plan.numbers.contains_key(v) {
            values.insert(*v, names.take(label));
        }
    }
    for (v, number) in &plan.numbers {
        let letter = if matches!(program.values()[*v], Op::Solve(_)) { "s" } else { "z" };
        values.entry(*v).or_insert_with(|| names.take(&format!("{letter}{number}")));
    }
    values
}
