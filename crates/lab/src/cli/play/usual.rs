//! The schemes that `play` takes where none is named: those that step the scene as it is.

use delassus_core::{Fidelity, OTHER_SCENE};
use delassus_dynamics::World;
use serde_json::Map;

use crate::guard::caught;
use crate::registry::Registry;
use crate::simulate::build_scheme;

/// In the order in which they are taken.
const CANDIDATES: [&str; 6] = [
    "soft-step",
    "xpbd",
    "avbd",
    "box2d-lite",
    "pgs-soft",
    "pgs-baumgarte",
];
/// Motions of a page \[-\].
const WANTED: usize = 3;
/// Solver of the schemes that need one, for the question alone.
const SOLVER: &str = "pgs";

/// The schemes, and a line for each of the first candidates that is left out. If none steps the
/// scene as it is, the first ones are taken, and the run says what each lacks.
pub(super) fn schemes(world: &World, registry: &Registry) -> (Vec<String>, Vec<String>) {
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    for id in CANDIDATES {
        if taken.len() == WANTED {
            break;
        }
        match departure(id, world, registry) {
            None => taken.push(id.to_owned()),
            Some(reason) => {
                left_out.push(format!("left out: {id}: {reason}; --scheme {id} takes it"));
            }
        }
    }
    match taken.is_empty() {
        true => (
            CANDIDATES[..WANTED]
                .iter()
                .map(|id| (*id).to_owned())
                .collect(),
            Vec::new(),
        ),
        false => (taken, left_out),
    }
}

/// Why a scheme does not step a world as it is.
fn departure(id: &str, world: &World, registry: &Registry) -> Option<String> {
    let entry = registry.scheme(id).ok()?;
    let solver = registry.find(SOLVER).ok();
    let solver = solver.filter(|_| entry.descriptor.uses_solver);
    let none = Map::new();
    let solver = solver.as_ref().map(|solver| (solver, &none));
    let scheme = build_scheme(&entry, &none, solver).ok()?;
    // a panic is not an answer: the run shows it
    match caught(|| scheme.check(world)).ok()? {
        Err(error) => Some(error.to_string()),
        Ok(Fidelity::Exact) => None,
        Ok(Fidelity::Approximate(reasons)) => {
            let lacks = reasons.into_iter().filter(|reason| leaves_out(reason));
            let lacks: Vec<&str> = lacks.collect();
            (!lacks.is_empty()).then(|| lacks.join("; "))
        }
    }
}

/// True of a departure that leaves out something of the scene; others bend it a little.
fn leaves_out(reason: &str) -> bool {
    reason.starts_with(OTHER_SCENE) || reason.contains("left out")
}
