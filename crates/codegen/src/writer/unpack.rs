//! Inputs and kept values get local names: all at the beginning of a function that reads few of them, else each just before the statement that
//! needs it first.
//!
//! Names that are given long before they are needed are kept in registers that other values need, and go to memory and back. Where a function
//! reads more than a processor has registers this costs the satellite 4 % of its instructions, and up to 12 % of its time
//! (peers/RESULTS.md).

use cardan_base::Id;
use cardan_program::{InputId, Op, Type, ValueId};

use crate::plan::{FunctionPlan, Source};
use crate::writer::body::{Statements, input_place, remark, write_with_remark};
use crate::writer::file_writer::Page;

/// So many names may stand at the beginning of a function.
const FEW: usize = 16;

/// What has no local name yet.
pub(crate) struct Unpacking<'f> {
    function: &'f FunctionPlan,
    inputs: Vec<(InputId, Source)>,
    loads: Vec<(ValueId, usize)>,
    /// Whether names are given where they are needed.
    late: bool,
}

impl<'f> Unpacking<'f> {
    pub fn new(language: &dyn Statements, function: &'f FunctionPlan) -> Self {
        let (plan, words) = (language.plan(), language.words());
        let mut unpacking = Unpacking { function, inputs: vec![], loads: vec![], late: false };
        if language.unpacks() {
            let has_own = |(input, source): &&(InputId, Source)| {
                words.inputs[input.index()] != input_place(language, function, *source)
            };
            let is_number =
                |(value, _): &&(ValueId, usize)| !matches!(plan.types[value.index()], Type::Block(_));
            unpacking.inputs = function.inputs.iter().filter(has_own).copied().collect();
            unpacking.loads = function.loads.iter().filter(is_number).copied().collect();
        }
        unpacking.late = unpacking.inputs.len() + unpacking.loads.len() > FEW;
        unpacking
    }

    /// At the beginning of the function.
    pub fn begin(&mut self, language: &dyn Statements, page: &mut Page) {
        if !self.late {
            self.rest(language, page);
        }
    }

    /// Before the statement that computes a value.
    pub fn before(&mut self, language: &dyn Statements, page: &mut Page, value: ValueId) {
        if !self.late {
            return;
        }
        let (mut inputs, mut loads) = (vec![], vec![]);
        let mut open = vec![value];
        while let Some(v) = open.pop() {
            language.plan().program.values()[v].for_each_operand(|o| {
                if let Op::Input(input) = language.plan().program.values()[o] {
                    inputs.push(input);
                } else if self.loads.iter().any(|(load, _)| *load == o) {
                    loads.push(o);
                } else if !self.function.named.contains(&o) {
                    open.push(o);
                }
            });
        }
        let (now, later) = self.inputs.drain(..).partition(|(input, _)| inputs.contains(input));
        self.inputs = later;
        name_inputs(language, page, self.function, now);
        let (now, later) = self.loads.drain(..).partition(|(load, _)| loads.contains(load));
        self.loads = later;
        name_loads(language, page, now);
    }

    /// Everything that is left.
    pub fn rest(&mut self, language: &dyn Statements, page: &mut Page) {
        name_inputs(language, page, self.function, std::mem::take(&mut self.inputs));
        name_loads(language, page, std::mem::take(&mut self.loads));
    }
}

fn name_inputs(
    language: &dyn Statements,
    page: &mut Page,
    function: &FunctionPlan,
    inputs: Vec<(InputId, Source)>,
) {
    let mut last = None;
    for (input, source) in inputs {
        let group = std::mem::discriminant(&source);
        if last.is_some_and(|l| l != group) {
            page.gap();
        }
        last = Some(group);
        let label = &language.plan().program.inputs()[input].label;
        let tail = format!("{}{}", language.end(), remark(language, label));
        let head = language.local(Type::Real, &language.words().inputs[input.index()]);
        write_with_remark(language, page, &head, &input_place(language, function, source), &tail);
    }
}

fn name_loads(language: &dyn Statements, page: &mut Page, loads: Vec<(ValueId, usize)>) {
    for (value, place) in loads {
        let ty = language.plan().types[value.index()];
        let element = language.element(&language.words().work, place);
        let text = if ty == Type::Bool { language.as_truth(&element).text } else { element };
        let head = language.local(ty, &language.value_name(value));
        page.statement(language.indent(), &head, &text, language.end());
    }
}
