//! The standard library: definitions in model text that are part of the program.
//!
//! A *package* is a list of texts under one name: `std`, `std.vehicle`. `std.NAME` is known everywhere; `import
//! NAME from "std"` makes the bare name known. A new element is text in `std/` and needs no Rust.

/// A package of the library.
pub struct Package {
    /// How it is imported, and what its paths begin with.
    pub name: &'static str,
    /// Its texts, with the names under which messages show them.
    pub texts: &'static [(&'static str, &'static str)],
}

/// Every package; a name that begins with another one comes later.
#[rustfmt::skip]
pub const PACKAGES: &[Package] = &[
    Package { name: "std", texts: &[
        ("std/functions.mbs", include_str!("../std/functions.mbs")),
        ("std/signals.mbs", include_str!("../std/signals.mbs")),
        ("std/sources.mbs", include_str!("../std/sources.mbs")),
        ("std/springs.mbs", include_str!("../std/springs.mbs")),
        ("std/elements.mbs", include_str!("../std/elements.mbs")),
        ("std/actuators.mbs", include_str!("../std/actuators.mbs")),
        ("std/joints.mbs", include_str!("../std/joints.mbs")),
        ("std/guides.mbs", include_str!("../std/guides.mbs")),
        ("std/friction.mbs", include_str!("../std/friction.mbs")),
        ("std/materials.mbs", include_str!("../std/materials.mbs")),
    ] },
    Package { name: "std.vehicle", texts: &[
        ("std/vehicle/tyres.mbs", include_str!("../std/vehicle/tyres.mbs")),
        ("std/vehicle/roads.mbs", include_str!("../std/vehicle/roads.mbs")),
        ("std/vehicle/suspensions.mbs", include_str!("../std/vehicle/suspensions.mbs")),
        ("std/vehicle/rig.mbs", include_str!("../std/vehicle/rig.mbs")),
        ("std/vehicle/axles.mbs", include_str!("../std/vehicle/axles.mbs")),
        ("std/vehicle/steering.mbs", include_str!("../std/vehicle/steering.mbs")),
        ("std/vehicle/driveline.mbs", include_str!("../std/vehicle/driveline.mbs")),
        ("std/vehicle/drivers.mbs", include_str!("../std/vehicle/drivers.mbs")),
    ] },
];

/// The package of this name.
pub fn package(name: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|p| p.name == name)
}
