//! Functions that are written elsewhere: declared here with their units, bound before a run.
//!
//! Absent by design: any way to say in a text where such a function comes from.

use cardan_expr::Function;
use cardan_model::External;
use cardan_syntax::{self as syntax, Call, UnitText};
use cardan_units::Dimension;

use crate::context::{Env, Resolver};
use crate::names::scope::{ItemId, Status};
use crate::types::value::{Scalar, Value};

impl<'t> Resolver<'t> {
    /// `external function f(x [m]) [N]`
    pub fn external(&mut self, item: ItemId, e: &'t syntax::External) {
        let entry = &self.names.items[item];
        let unit = |unit: &Option<UnitText>| unit.as_ref().map_or(String::new(), |u| u.text.clone());
        let external = External {
            name: entry.name.clone(),
            description: e.description.as_ref().map_or(String::new(), |d| d.text.clone()),
            arguments: e.inputs.iter().map(|i| (i.name.text.clone(), unit(&i.unit))).collect(),
            unit: unit(&e.unit),
            span: entry.span,
        };
        let id = self.builder.add_external(external);
        self.external_ids.insert(item, id);
        self.names.items[item].status = Status::Built;
    }

    /// A call of it: numbers in the units of its head go in, and its value comes back in the unit of its head.
    pub fn call_external(
        &mut self,
        item: ItemId,
        e: &'t syntax::External,
        call: &Call,
        env: &Env<'t>,
    ) -> Option<Value> {
        let letters: Vec<&str> = e.inputs.iter().map(|i| i.name.text.as_str()).collect();
        let form = format!("{}({})", e.name.text, letters.join(", "));
        let values = self.arguments_of(&e.inputs, &form, call, env)?;
        let mut numbers = vec![];
        for ((value, input), argument) in values.into_iter().zip(&e.inputs).zip(&call.arguments) {
            let Value::Scalar(s) = value else {
                self.wrong_kind(&value, argument.value.span, "a number");
                return None;
            };
            numbers.push(match &input.unit {
                Some(unit) => {
                    let scale = self.unit(unit)?.scale();
                    self.pool().div(s.expr, self.factor(scale))
                }
                None => self.expect(&s, &argument.value, Dimension::ONE, "this argument", env)?,
            });
        }
        let id = *self.external_ids.get(&item)?;
        let value = self.pool().call(Function::External(id), &numbers);
        Some(match &e.unit {
            Some(unit) => {
                let unit = self.unit(unit)?;
                Value::quantity(self.pool().mul(self.factor(unit.scale()), value), unit.dimension())
            }
            None => Value::Scalar(Scalar::new(value, Dimension::ONE, false)),
        })
    }
}
