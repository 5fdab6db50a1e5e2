//! The tree of bodies with their joints, geoms and mass properties.

use std::collections::BTreeSet;

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Rational};
use cardan_kinematics::rotation::identity;

use super::bounds;
use super::defaults::{Defaults, Resolved};
use super::geom::{self, Geom, Lump, combine};
use super::settings::{FromGeoms, Settings};
use crate::assembly::Assembly;
use crate::codes;
use crate::findings::missing;
use crate::inertia::impossible;
use crate::mjcf::pose::{Place, place, position};
use crate::number::{array, word};
use crate::orientation::{no_direction, tensor_in_parent, unit};
use crate::xml::Element;

/// A body as the text describes it; parents come before children.
pub(super) struct BodyText<'a> {
    pub name: String,
    /// Nothing for the world.
    pub parent: Option<usize>,
    pub place: Place,
    pub joints: Vec<JointText<'a>>,
    pub lump: Option<Lump>,
    pub geoms: Vec<Geom>,
    /// Which part of its weight a force from outside balances.
    pub lifted: Option<Rational>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JointKind {
    Hinge,
    Slide,
    Ball,
    Free,
}

impl JointKind {
    /// The kind of the joint of the model.
    pub fn in_model(self) -> cardan_model::JointKind {
        match self {
            JointKind::Hinge => cardan_model::JointKind::Revolute,
            JointKind::Slide => cardan_model::JointKind::Prismatic,
            JointKind::Ball => cardan_model::JointKind::Spherical,
            JointKind::Free => cardan_model::JointKind::Free,
        }
    }
}

pub(super) struct JointText<'a> {
    pub name: String,
    pub kind: JointKind,
    /// Components in the body.
    pub at: [Expr; 3],
    /// A unit vector, components in the body.
    pub axis: [Expr; 3],
    pub attributes: Resolved<'a>,
    pub span: Span,
}

/// A named place of a body, or of the world.
pub(super) struct Site {
    pub name: String,
    pub body: Option<usize>,
    pub place: Place,
}

/// All bodies of a text.
pub(super) struct Reader<'a, 's, 'o> {
    pub defaults: &'a Defaults,
    pub settings: &'s Settings,
    pub assembly: &'s mut Assembly<'o>,
    pub bodies: Vec<BodyText<'a>>,
    /// Geoms fixed to the ground.
    pub ground: Vec<Geom>,
    /// The sites that are asked for.
    pub sites: Vec<Site>,
    wanted: BTreeSet<&'a str>,
    body_names: BTreeSet<String>,
    joint_names: BTreeSet<String>,
}

/// A child of a body with the frames around it undone.
struct Item<'a> {
    element: &'a Element,
    class: Option<&'a str>,
    frame: Place,
}

impl<'a, 's, 'o> Reader<'a, 's, 'o> {
    /// `wanted` are the names of the sites that something refers to; others are marks without meaning here.
    pub fn new(
        defaults: &'a Defaults,
        settings: &'s Settings,
        wanted: BTreeSet<&'a str>,
        assembly: &'s mut Assembly<'o>,
    ) -> Self {
        Reader {
            defaults,
            settings,
            assembly,
            bodies: vec![],
            ground: vec![],
            sites: vec![],
            wanted,
            body_names: BTreeSet::new(),
            joint_names: BTreeSet::new(),
        }
    }

    /// Reads the bodies of a `worldbody`.
    pub fn read_world(&mut self, e: &'a Element) {
        let origin = Place::origin(self.assembly.pool());
        for item in self.items(e, None, origin) {
            match item.element.name.as_str() {
                "body" => self.read_body(&item, None),
                "geom" => {
                    let geom = self.read_geom(&item);
                    self.ground.extend(geom);
                }
                "site" => self.read_site(&item, None),
                "joint" | "freejoint" | "inertial" => {
                    let message = format!("the world has no `{}`", item.element.name);
                    let found =
                        Diagnostic::error(codes::TREE, message).at(item.element.span, "the world is fixed");
                    self.assembly.findings.push(found.hint("put it inside a `<body>`"));
                }
                _ => self.read_other(item.element, e),
            }
        }
    }

    /// The children of an element, those inside frames included.
    fn items(&mut self, e: &'a Element, class: Option<&'a str>, frame: Place) -> Vec<Item<'a>> {
        let mut out = vec![];
        for child in &e.children {
            if child.name != "frame" {
                out.push(Item { element: child, class, frame });
                continue;
            }
            let resolved = self.defaults.resolve(child, None, &mut self.assembly.findings);
            let own = place(&resolved, self.settings, self.assembly);
            let inner = frame.then(self.assembly.pool(), &own);
            out.extend(self.items(child, child.value("childclass").or(class), inner));
        }
        out
    }

    fn resolve(&mut self, item: &Item<'a>) -> Resolved<'a> {
        self.defaults.resolve(item.element, item.class, &mut self.assembly.findings)
    }

    fn read_geom(&mut self, item: &Item<'a>) -> Option<Geom> {
        let resolved = self.resolve(item);
        let mut geom = geom::read(&resolved, self.settings, self.assembly)?;
        geom.place = item.frame.then(self.assembly.pool(), &geom.place);
        Some(geom)
    }

    fn read_site(&mut self, item: &Item<'a>, body: Option<usize>) {
        let Some(name) = item.element.value("name").filter(|n| self.wanted.contains(n)) else { return };
        let resolved = self.resolve(item);
        let Some((own, _)) = geom::ends(&resolved, "capsule", self.settings, self.assembly) else { return };
        let place = item.frame.then(self.assembly.pool(), &own);
        self.sites.push(Site { name: name.to_string(), body, place });
    }

    fn read_body(&mut self, item: &Item<'a>, parent: Option<usize>) {
        let e = item.element;
        let span = e.span;
        let index = self.bodies.len();
        let resolved = Resolved::plain(e);
        let own = place(&resolved, self.settings, self.assembly);
        let name = self.name(e, "body", index);
        self.bodies.push(BodyText {
            name,
            parent,
            place: item.frame.then(self.assembly.pool(), &own),
            joints: vec![],
            lump: None,
            geoms: vec![],
            lifted: resolved.scalar("gravcomp", &mut self.assembly.findings).filter(|g| !g.is_zero()),
            span,
        });
        let class = e.value("childclass").or(item.class);
        let origin = Place::origin(self.assembly.pool());
        let items = self.items(e, class, origin);
        let mut inertial = None;
        for item in &items {
            match item.element.name.as_str() {
                "joint" | "freejoint" => {
                    let joint = self.read_joint(item, index);
                    self.bodies[index].joints.extend(joint);
                }
                "geom" => {
                    let geom = self.read_geom(item);
                    self.bodies[index].geoms.extend(geom);
                }
                "inertial" => inertial = Some(item),
                "site" => self.read_site(item, Some(index)),
                "body" => {}
                _ => self.read_other(item.element, e),
            }
        }
        let lump = self.mass_properties(index, inertial);
        let p = self.bodies[index].place.p;
        self.bodies[index].lump = bounds::mended(self.assembly.pool(), lump, p, self.settings);
        if e.value("mocap").is_some_and(|v| v.trim() == "true") {
            let message = "a body whose motion is given from outside is taken as fixed";
            let found = Diagnostic::note(codes::LEFT_OUT, message).at(span, "a `mocap` body");
            self.assembly.findings.push(found.hint("prescribe its motion in the model"));
        }
        for item in items.iter().filter(|i| i.element.name == "body") {
            self.read_body(item, Some(index));
        }
    }

    /// What else may stand in a body.
    fn read_other(&mut self, e: &Element, within: &Element) {
        match e.name.as_str() {
            // Cameras and lights have no mass.
            "camera" | "light" => {}
            "replicate" | "composite" | "flexcomp" | "attach" | "plugin" => {
                let message = format!("`{}` cannot be imported", e.name);
                let found =
                    Diagnostic::error(codes::NOT_IMPORTED, message).at(e.span, "makes bodies of its own");
                let help = "load the file in MuJoCo and save it again; the bodies are then written out";
                self.assembly.findings.push(found.hint(help));
            }
            _ => super::unknown(e, within, &mut self.assembly.findings),
        }
    }

    /// The name of an element, or one made up.
    fn name(&mut self, e: &Element, what: &str, index: usize) -> String {
        let names = if what == "body" { &mut self.body_names } else { &mut self.joint_names };
        match e.attribute("name").filter(|a| !a.value.trim().is_empty()) {
            Some(a) => {
                if !names.insert(a.value.clone()) {
                    let message = format!("a {what} called `{}` exists already", a.value);
                    let found = Diagnostic::error(codes::DUPLICATE, message).at(a.span, "the second one");
                    self.assembly.findings.push(found.hint("rename one of them, and what refers to it"));
                }
                a.value.clone()
            }
            None => {
                let mut name = format!("{what}{}", index + 1);
                while !names.insert(name.clone()) {
                    name.push('_');
                }
                name
            }
        }
    }

    fn read_joint(&mut self, item: &Item<'a>, body: usize) -> Option<JointText<'a>> {
        let e = item.element;
        let attributes = if e.name == "freejoint" { Resolved::plain(e) } else { self.resolve(item) };
        let kind = match (e.name.as_str(), attributes.attribute("type")) {
            ("freejoint", _) => "free",
            (_, None) => "hinge",
            (_, Some(a)) => word(a, &["hinge", "slide", "ball", "free"], &mut self.assembly.findings)?,
        };
        let kind = match kind {
            "slide" => JointKind::Slide,
            "ball" => JointKind::Ball,
            "free" => JointKind::Free,
            _ => JointKind::Hinge,
        };
        let index = self.joint_names.len();
        let name = self.name(e, "joint", index);
        if kind == JointKind::Free
            && (self.bodies[body].parent.is_some() || !self.bodies[body].joints.is_empty())
        {
            let found = Diagnostic::error(codes::TREE, format!("the joint `{name}` cannot be free"))
                .at(e.span, "only a body of the world moves freely, by this joint alone")
                .hint("put the body directly into `worldbody`, or use slides and a ball");
            self.assembly.findings.push(found);
        }
        if kind == JointKind::Free {
            self.report_alignment(&attributes);
        }
        let at = position(&attributes, self.assembly);
        let axis = self.axis(&attributes, kind, e.span);
        let pool = self.assembly.pool();
        let (at, axis) = (item.frame.point(pool, at), item.frame.direction(pool, axis));
        Some(JointText { name, kind, at, axis, attributes, span: e.span })
    }

    /// Says that a free body keeps the frame in which it is written, where MuJoCo would take that of its inertia.
    fn report_alignment(&mut self, attributes: &Resolved<'_>) {
        let said = attributes.attribute("align").filter(|a| a.value.trim() != "auto");
        let aligned = said.map_or(self.settings.aligns_free, |a| a.value.trim() == "true");
        if !aligned {
            return;
        }
        let span = said.map_or(attributes.element.span, |a| a.span);
        let one = Diagnostic::note(codes::LEFT_OUT, "a free body keeps the frame in which it is written")
            .at(span, "asks for the frame of the inertia")
            .because("place, attitude and speeds are those of the frame as written; the motion is the same")
            .hint("write `align=\"false\"`, or give the body the frame of its inertia");
        self.assembly.findings.tally(one, "{n} free bodies keep the frames in which they are written");
    }

    fn axis(&mut self, attributes: &Resolved<'_>, kind: JointKind, span: Span) -> [Expr; 3] {
        let z = identity(self.assembly.pool())[2];
        let single = matches!(kind, JointKind::Hinge | JointKind::Slide);
        let Some(a) = attributes.attribute("axis").filter(|_| single) else { return z };
        let Some(v) = array::<3>(a, &mut self.assembly.findings) else { return z };
        let Assembly { builder, findings, options, .. } = &mut *self.assembly;
        match unit(builder.space().pool(), &v, options, findings, a.span) {
            Some(axis) => axis,
            None => {
                findings.push(no_direction(span, "the axis of this joint"));
                z
            }
        }
    }

    /// From the inertial, or from the geoms, as the settings say.
    fn mass_properties(&mut self, body: usize, inertial: Option<&Item<'a>>) -> Option<Lump> {
        match (inertial, self.settings.from_geoms) {
            (Some(item), FromGeoms::Auto | FromGeoms::Never) => self.read_inertial(item, body),
            (None, FromGeoms::Never) => None,
            _ => {
                let groups = self.settings.geom_groups;
                let pool = self.assembly.builder.space().pool();
                let mut lumps = vec![];
                for geom in &self.bodies[body].geoms {
                    if geom.is_weightless() || geom.group < groups[0] || geom.group > groups[1] {
                        continue;
                    }
                    match geom.lump(pool) {
                        Some(lump) => lumps.push(lump),
                        None => {
                            let (what, many) = match geom.solid {
                                Some(_) => ("an ellipsoidal shell", "ellipsoidal shells"),
                                None => ("a mesh", "meshes"),
                            };
                            let message = format!("the mass properties of {what} are not known");
                            let one = Diagnostic::error(codes::NOT_IMPORTED, message)
                                .at(geom.span, "its body takes its mass from this geom")
                                .hint(
                                    "write `<inertial>` for the body, as MuJoCo does when it saves a model",
                                );
                            self.assembly
                                .findings
                                .tally(one, &format!("the mass properties of {{n}} {many} are not known"));
                        }
                    }
                }
                match (combine(pool, &lumps), inertial) {
                    // Geoms that weigh nothing leave the word to the inertial.
                    (None, Some(item)) => self.read_inertial(item, body),
                    (lump, _) => lump,
                }
            }
        }
    }

    fn read_inertial(&mut self, item: &Item<'a>, body: usize) -> Option<Lump> {
        let e = Resolved::plain(item.element);
        let span = item.element.span;
        let own = place(&e, self.settings, self.assembly);
        let findings = &mut self.assembly.findings;
        let Some(mass) = e.scalar("mass", findings) else {
            if e.attribute("mass").is_none() {
                findings.push(missing(span, "`mass`", "write `mass=\"…\"`"));
            }
            return None;
        };
        let o = Rational::ZERO;
        let (full, diagonal) = (e.attribute("fullinertia"), e.attribute("diaginertia"));
        let moments: [Rational; 6] = match (full, diagonal) {
            (Some(a), _) => array::<6>(a, findings)?,
            (None, Some(a)) => {
                let [x, y, z] = array::<3>(a, findings)?;
                [x, y, z, o.clone(), o.clone(), o]
            }
            // A mass without inertia is a particle.
            (None, None) => [o.clone(), o.clone(), o.clone(), o.clone(), o.clone(), o],
        };
        let mended = self.settings.balanced;
        if let Some(why) = impossible(mass.to_f64(), &moments.clone().map(|m| m.to_f64())).filter(|_| !mended)
        {
            let message =
                format!("no body can have the mass properties of body `{}`", self.bodies[body].name);
            let found = Diagnostic::warning(codes::IMPOSSIBLE, message)
                .at(span, why)
                .because("a mass is positive, and no principal moment exceeds the sum of the other two")
                .hint("compute the inertia again about the mass centre");
            findings.doubtful(found);
        }
        let pool = self.assembly.pool();
        let at = item.frame.then(pool, &own);
        let [xx, yy, zz, xy, xz, yz] = moments.map(|m| pool.number(m));
        let tensor = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        Some(Lump { mass: pool.number(mass), center: at.p, inertia: tensor_in_parent(pool, &at.R, &tensor) })
    }
}
