//! The hierarchy of a model on the page: subsystems as boxes inside boxes that fold, bodies inside them, and lines for signals,
//! connections and joints, which `assets/page/modules.js` draws over the boxes that are open.

use crate::page::markup::escape;
use crate::report::{Module, ModulePart, PortPasses};

/// The figure; nothing where a model has no subsystems.
pub fn modules(root: &Module) -> String {
    if root.modules.is_empty() {
        return String::new();
    }
    let parts: String = root.parts.iter().map(part).collect();
    let inside: String = root.modules.iter().map(module).collect();
    format!(
        "<figure class=\"modules\" id=\"modules\"><figcaption>Subsystems and bodies. A click on a name folds its box. \
         <span class=\"signal\">signals</span> <span class=\"mechanics\">connections</span> <span class=\"joint\">joints</span>\
         </figcaption><div class=\"inside\">{parts}{inside}</div></figure>"
    )
}

fn module(module: &Module) -> String {
    let port = |p: &crate::report::ModulePort| {
        let (class, arrow) = match p.passes {
            PortPasses::Mechanics => ("mechanics", "—"),
            PortPasses::In => ("signal", "←"),
            PortPasses::Out => ("out", "="),
        };
        format!("<li class=\"{class}\"><b>{}</b> {arrow} {}</li>", escape(&p.name), escape(&p.with))
    };
    let ports: String = module.ports.iter().map(port).collect();
    let ports = if ports.is_empty() { ports } else { format!("<ul>{ports}</ul>") };
    let parts: String = module.parts.iter().map(part).collect();
    let inside: String = module.modules.iter().map(self::module).collect();
    let inside = match parts.is_empty() && inside.is_empty() {
        true => String::new(),
        false => format!("<div class=\"inside\">{parts}{inside}</div>"),
    };
    format!(
        "<details class=\"module\" open data-path=\"{}\" data-signals=\"{}\" data-frames=\"{}\"><summary><b>{}</b> {}</summary>{ports}{inside}</details>",
        escape(&module.path),
        escape(&module.signals_from.join(" ")),
        escape(&module.frames_from.join(" ")),
        escape(&module.name),
        escape(&module.kind),
    )
}

fn part(part: &ModulePart) -> String {
    format!(
        "<span class=\"module-body\" data-path=\"{}\" data-on=\"{}\" title=\"{}\">{}</span>",
        escape(&part.path),
        escape(&part.on),
        escape(&part.joint),
        escape(&part.name)
    )
}
