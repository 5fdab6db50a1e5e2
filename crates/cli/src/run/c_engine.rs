//! `--engine native`: the program as C, compiled by the machine's C compiler and kept for the next run.
//!
//! The compiler is given text that was generated here and nothing else, and only because the command line asks for it: a model
//! text can neither start a compiler nor have code of its own loaded. Libraries are kept in the user's cache folder, which
//! nobody else may write to, under a name that depends on everything that goes into them: source, flags, compiler, processor.
//! That is recorded beside each library and compared, so that two contents with one name are told apart.
//!
//! Library functions such as sine come from the system, so numbers agree with those of the other engines to rounding in their
//! last digits rather than bit for bit.
//!
//! No run chooses this by itself: on x86-64 the machine code of `jit` is as fast (per evaluation gcc's took 1.03 to 1.18 times as
//! long on spacecraft, six-axis arm and humanoid), without the seconds that a C compiler takes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cardan::base::Id;
use cardan::codegen::{Argument, FunctionSpec, Library, Results, SourceFile, Target, Work, emit, interface};
use cardan::jit::Engine;
use cardan::jit::Loaded;
use cardan::jit::loaded::{Description, StageFunction};
use cardan::program::{Op, Program, StageId, ValueId};

use crate::checksum::checksum;

/// No contraction: products and sums are fused where the program says so and nowhere else, as in every engine.
const FLAGS: [&str; 5] = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"];
/// Name of the generated library; part of the names of its functions.
const NAME: &str = "native";

/// The engine of a program, or in words why there is none.
pub fn engine(program: &Program) -> Result<Engine, String> {
    if program.functions().iter().next().is_some() {
        return Err("it calls external functions".into());
    }
    let library = library(program);
    let files = emit(program, &library, Target::C).map_err(|e| e.to_string())?;
    let description = describe(program, &library)?;
    let path = compiled(&files)?;
    Loaded::open(&path, description).map(Engine::loaded).map_err(|e| e.to_string())
}

/// One function per stage, with names that no model has a part in.
fn library(program: &Program) -> Library {
    let function = |stage: StageId| {
        let own = program.outputs().iter().filter(|(_, o)| o.stage == stage).map(|(id, _)| id);
        FunctionSpec {
            name: format!("stage_{}", stage.index()),
            doc: String::new(),
            stages: stage.into(),
            arguments: vec![Argument::array("x", program.inputs().ids().collect(), "")],
            results: vec![Results::new("y", own.collect(), "")],
        }
    };
    let functions = program.stages().ids().map(function).collect();
    Library { name: NAME.into(), version: String::new(), doc: String::new(), functions, provided: vec![] }
}

/// What the compiled library will compute.
fn describe(program: &Program, library: &Library) -> Result<Description, String> {
    let interface = interface(program, library).map_err(|e| e.to_string())?;
    let is_system = |v: &ValueId| matches!(program.values()[*v], Op::Solve(_));
    let stages = library.functions.iter().zip(&interface.functions).map(|(function, work)| StageFunction {
        name: format!("{NAME}_{}", function.name),
        takes_work: *work != Work::Absent,
        outputs: function.results.iter().flat_map(|r| &r.outputs).map(|o| o.index()).collect(),
        system: program.stage_values(function.stages.first).map(ValueId::from_index).find(is_system),
    });
    Ok(Description {
        n_inputs: program.inputs().len(),
        n_outputs: program.outputs().len(),
        n_work: interface.n_work,
        stages: stages.collect(),
    })
}

/// The library in the cache, compiled if it is not there.
fn compiled(files: &[SourceFile]) -> Result<PathBuf, String> {
    let said = Command::new("cc").arg("--version").output();
    let version = said.map_err(|e| format!("the C compiler `cc` cannot be started ({e})"))?.stdout;
    let mut content = [&version, FLAGS.join(" ").as_bytes(), processor().as_bytes()].concat();
    files.iter().for_each(|file| content.extend_from_slice(file.bytes()));
    let folder = folder().ok_or("neither XDG_CACHE_HOME nor HOME says where to keep compiled code")?;
    make_private(&folder).map_err(|e| format!("{} cannot be made: {e}", folder.display()))?;
    let name = format!("{:016x}", checksum(&content));
    let [library, record] = ["so", "txt"].map(|end| folder.join(format!("{name}.{end}")));
    // The name finds it, the record proves it.
    if library.exists() && fs::read(&record).is_ok_and(|kept| kept == content) {
        return Ok(library);
    }
    let workshop = folder.join(format!("{name}.{}", std::process::id()));
    let made = make(&workshop, files, &library);
    let _ = fs::remove_dir_all(&workshop);
    made?;
    // Without a record the next run compiles again.
    let _ = fs::write(&record, &content);
    Ok(library)
}

/// Compiles in a folder of its own; the result appears in its place complete or not at all.
fn make(workshop: &Path, files: &[SourceFile], library: &Path) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{} cannot be written: {e}", workshop.display());
    make_private(workshop).map_err(failed)?;
    let mut sources = vec![];
    for file in files {
        let path = workshop.join(&file.name);
        fs::write(&path, file.bytes()).map_err(failed)?;
        sources.extend(path.extension().is_some_and(|e| e == "c").then_some(path));
    }
    let output = workshop.join("library.so");
    let said = Command::new("cc").args(FLAGS).arg("-o").arg(&output).args(sources).arg("-lm").output();
    let said = said.map_err(|e| format!("the C compiler `cc` cannot be started ({e})"))?;
    if !said.status.success() {
        let text = String::from_utf8_lossy(&said.stderr);
        return Err(format!("`cc` refuses it: {}", text.lines().next().unwrap_or("without a word")));
    }
    fs::rename(&output, library).map_err(failed)
}

/// The user's cache folder for compiled programs.
fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(cache.join("cardan").join(NAME))
}

/// Makes a folder that only its owner can use.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What `-march=native` depends on, as far as the system tells.
fn processor() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of_interest = |line: &&str| line.starts_with("model name") || line.starts_with("flags");
    told.lines().filter(of_interest).take(2).collect()
}
