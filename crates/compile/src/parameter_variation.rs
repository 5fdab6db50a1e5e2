//! Values that are to differ between the motions of an ensemble: each becomes an independent parameter.
//!
//! A parameter that follows from others is set free; the start of a coordinate, speed, auxiliary or discrete state becomes a
//! parameter of its own, so that one compiled program serves every start, and the assembly of loops knows it.

use cardan_base::nearest;
use cardan_model::Model;
use cardan_units::Dimension;

use cardan_assembly::{ParameterValues, SetError};

/// A value that may differ from motion to motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Varied {
    /// As it is called in the model.
    pub name: String,
    /// The parameter of the program that takes it.
    pub parameter: String,
    /// Its dimension.
    pub dimension: Dimension,
    /// Its value in the model as it stands, in SI units; NaN if it has none.
    pub nominal: f64,
}

/// Makes a parameter, or the start of a coordinate, speed, auxiliary or discrete state, free to differ from motion to motion.
pub fn vary(mut model: Model, name: &str) -> Result<(Model, Varied), SetError> {
    let values = ParameterValues::of(&model);
    let parameter = model.parameters.iter().find(|(_, p)| p.quantity.name == name);
    let parameter = parameter.map(|(id, p)| (id, p.symbol, p.quantity.dimension));
    if let Some((id, symbol, dimension)) = parameter {
        let nominal = values.evaluate(&model, symbol);
        let number = cardan_expr::Rational::from_f64(nominal).map(|r| model.space.pool().number(r));
        model.parameters[id].default = number;
        let varied = Varied { name: name.into(), parameter: name.into(), dimension, nominal };
        return Ok((model, varied));
    }
    let q = model.coordinates.iter().map(|(_, q)| (&q.quantity, q.start));
    let u = model.speeds.iter().map(|(_, u)| (&u.quantity, u.start));
    let s = model.states.iter().map(|(_, s)| (&s.quantity, s.start));
    let d = model.hybrid.discretes.iter().map(|(_, d)| (&d.quantity, d.start));
    let found = q.chain(u).chain(s).chain(d).find(|(quantity, _)| quantity.name == name);
    let Some((dimension, start)) = found.map(|(quantity, start)| (quantity.dimension, start)) else {
        // `arm.u` and the like.
        return match model.by_joint(name).filter(|own| own != name) {
            Some(own) => {
                vary(model, &own).map(|(model, varied)| (model, Varied { name: name.into(), ..varied }))
            }
            None => Err(unknown(&model, name)),
        };
    };
    let nominal = values.evaluate(&model, start);
    // What was an expression of other parameters is a number of its own from now on.
    let default = cardan_expr::Rational::from_f64(nominal).map(|r| model.space.pool().number(r));
    let parameter = model.free_start(name, dimension, default);
    Ok((model, Varied { name: name.into(), parameter, dimension, nominal }))
}

fn unknown(model: &Model, name: &str) -> SetError {
    let p = model.parameters.iter().map(|(_, p)| &p.quantity);
    let q = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let u = model.speeds.iter().map(|(_, u)| &u.quantity);
    let s = model.states.iter().map(|(_, s)| &s.quantity);
    let d = model.hybrid.discretes.iter().map(|(_, d)| &d.quantity);
    let names = p.chain(q).chain(u).chain(s).chain(d).map(|quantity| quantity.name.as_str());
    SetError::Unknown { name: name.into(), nearest: nearest(name, names).map(str::to_string) }
}
