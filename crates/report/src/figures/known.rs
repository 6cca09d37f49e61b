//! The look of every solver and scheme of the program: one colour with one pattern of dashes, the
//! same in all reports.

use super::style::{self, COLOURS, SeriesStyle};

/// Solvers and schemes in the order of their looks: the place, counted round the colours. Methods
/// of one colour, seven places apart, seldom meet in a figure.
const KNOWN: [&str; 10 * COLOURS] = [
    "pgs",
    "block-gs",
    "wide-pgs",
    "prox-newton",
    "soft-step",
    "ipm",
    "auto",
    "avbd",
    "admm",
    "sap",
    "psor",
    "chebyshev-pgs",
    "nncg",
    "dantzig",
    "symmetric-pgs",
    "pgs-baumgarte",
    "tgs-soft",
    "xpbd",
    "apgd",
    "jacobi",
    "random-pgs",
    "bpp",
    "jacobi-f32",
    "split-impulse",
    "manifold-gs",
    "naive-impulses",
    "pgs-ngs",
    "lemke",
    "hybrid",
    "spg",
    "projected-gradient",
    "coloured-pgs",
    "greedy-pgs",
    "dense-direct",
    "gpu-coloured-pgs",
    "dense-pgs",
    "staggered",
    "mprgp",
    "enumeration",
    "raisim",
    "shock-propagation",
    "pgs-soft",
    "gpu-worlds",
    "async-jacobi",
    "pdas",
    "projected-cg",
    "fischer-newton",
    "jean-moreau",
    "bepu-2",
    "box2d-2.4",
    "rapier",
    "alart-curnier",
    "clarabel",
    "gpu-jacobi",
    "gpu-async-jacobi",
    "penalty",
    "solver2d-soft-step",
    "tgs-ngs",
    "box3d",
    "box2d-3.0",
    "tgs-sticky",
    "box2d-lite",
    "articulated-body",
    "tau-damping",
    "peridyno-2021",
    "gpu-soft-step",
    "pgs-slop",
    "mujoco-euler",
    "jacobi-soft-step",
    "velocity",
];

/// Other names of some, as specs call them.
const ALIASES: [(&str, &str); 2] = [
    ("baumgarte", "pgs-baumgarte"),
    ("position-passes", "pgs-ngs"),
];

/// Place of a method in the list, by its name without parameters: "Soft Step" or "soft-step"; of a
/// scheme with a solver, as "soft-step, pgs", that of the scheme.
pub(super) fn place(family: &str) -> Option<usize> {
    let name = family.to_lowercase().replace(' ', "-");
    let name = name.split(',').next().unwrap_or_default();
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| name);
    KNOWN.iter().position(|known| *known == name)
}

/// The look of the method at a place.
pub(super) fn at(place: usize) -> SeriesStyle {
    style::series(place % COLOURS, place / COLOURS)
}

/// The look that a solver or a scheme of the program has in every figure; `None` of other names.
pub fn known_look(name: &str) -> Option<SeriesStyle> {
    place(name).map(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_look_of_its_own() {
        for (index, name) in KNOWN.iter().enumerate() {
            let own = known_look(name).expect("a look");
            for other in &KNOWN[..index] {
                let other_look = known_look(other).expect("a look");
                let differ = (own.color, own.dash) != (other_look.color, other_look.dash);
                assert!(differ, "{name} and {other}");
            }
        }
        assert_eq!(known_look("Baumgarte, pgs"), known_look("pgs-baumgarte"));
        assert_eq!(known_look("mine"), None);
    }
}
