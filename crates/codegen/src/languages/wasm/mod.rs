//! WebAssembly: a binary module, written without other tools.
//!
//! The module exports its memory, one function per function of the library, and a global `free`: the address
//! of the first byte that the module does not use itself. Scalars are passed as numbers; arrays, the work array
//! included, as addresses of consecutive little-endian doubles, aligned to 8 bytes. Memory below `free` holds
//! tables and the linear systems in work. Functions of the host are imported from the module `env`.
//!
//! Elementary functions are the kernels, translated; square root, absolute value and floor are instructions.

mod binary;
mod translate;
mod writer;

use cardan_program::Program;

use crate::externals::{called, described};
use crate::languages::kernels;
use crate::languages::rust::needed_kernels;
use crate::languages::wasm::binary::Module;
use crate::languages::wasm::translate::Source;
use crate::languages::wasm::writer::Writer;
use crate::library::{EmitError, Library, Passing};
use crate::plan::Plan;
use crate::source::{Contents, SourceFile};
use crate::writer::header::header;
use crate::writer::helpers::mentioned;
use crate::writer::name_table::{Customs, Vocabulary};

/// Helpers that read and write memory, in the kernels' subset of Rust.
const MEMORY: &str = include_str!("memory.txt");

/// The library as a binary module, and a text that describes it.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    let words = Vocabulary::new(
        &plan,
        &Customs { reserved: &["memory", "free"], functions: &[], case_matters: true, prefix: false },
    );
    let about = about(&plan, &words);
    let text = helper_text(&plan);
    let source = Source::new(&text);
    let module: Module = Writer::new(&plan, &words, &source).module(about.clone());
    let name = &words.library;
    Ok(vec![
        SourceFile { name: format!("{name}.wasm"), contents: Contents::Bytes(module.bytes()) },
        SourceFile::text(format!("{name}.txt"), about),
    ])
}

/// Kernels and helpers that the plan needs. Square root and floor are instructions, not functions.
fn helper_text(plan: &Plan) -> String {
    let needed = needed_kernels(plan);
    let is_taken = |name: &str| needed.contains(&name) && !matches!(name, "sqrt" | "floor");
    let kernels = crate::writer::helpers::chosen(kernels::FUNCTIONS, "//=", is_taken);
    let calls = writer::helper_calls(plan);
    kernels + "\n" + &mentioned(&calls, MEMORY, "//=")
}

fn about(plan: &Plan, words: &Vocabulary) -> String {
    let mut text = header(plan, words, 0);
    text +=
        "\nA WebAssembly module. Arrays are passed as addresses of little-endian doubles in the exported\n";
    text += "memory; the module uses the bytes below the exported global `free`.\n\nSignatures:\n";
    for function in &plan.functions {
        let spec = plan.spec(function);
        let mut parts = Vec::new();
        for (name, argument) in words.arguments[function.index].iter().zip(&spec.arguments) {
            parts.push(match argument.passing {
                Passing::Scalar => format!("{name}: f64"),
                Passing::Array => format!("{name}: address"),
            });
        }
        if function.takes_work {
            parts.push(format!("{}: address", words.work));
        }
        parts.extend(words.results[function.index].iter().map(|name| format!("{name}: address")));
        text += &format!("  {}({})\n", words.functions[function.index], parts.join(", "));
    }
    let list = called(plan);
    if !list.is_empty() {
        text += "\nImports, numbers in and out (f64):\n";
    }
    for (id, _) in list {
        text += &format!("  env.{}\n", described(plan, words, id));
    }
    text
}
