//! `rapier FOLDER [SWEEPS]`: frames of Rapier as problems, both passes of the last substep of a
//! step, with the impulses that Rapier found.
//!
//! Rapier has applied the warm start to the velocities before a pass. The free velocity is
//! therefore v − M⁻¹ Jᵀ λ with the velocities and impulses at the start of the pass. A pass without
//! friction leaves the impulses of friction as they are, inside the velocities.

mod problem;
mod scenes;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;

use delassus_problems::write_snapshot;
use rapier3d::dynamics::capture::{Pass, observe};

/// Scenes by name, with the steps of 1/60 s until the captured one.
const SCENES: [(&str, scenes::Build, usize); 4] = [
    ("stack", scenes::stack, 60),
    ("chain", scenes::chain, 40),
    ("ragdoll", scenes::ragdoll, 30),
    ("grasp", scenes::grasp, 30),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map(PathBuf::from);
    let sweeps = arguments.next().map_or(Ok(1), |text| text.parse());
    let (Some(folder), Ok(sweeps)) = (folder, sweeps) else {
        eprintln!("usage: rapier FOLDER [SWEEPS]");
        return ExitCode::from(2);
    };
    for (name, build, steps) in SCENES {
        if let Err(reason) = capture(name, build, steps, sweeps, &folder) {
            eprintln!("{name}: {reason}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs a scene at default settings and writes the two passes of the last substep of one more step,
/// which makes `sweeps` sweeps per pass.
fn capture(
    name: &str,
    build: scenes::Build,
    steps: usize,
    sweeps: usize,
    folder: &Path,
) -> Result<(), String> {
    let mut world = build();
    for _ in 1..steps {
        world.step();
    }
    let passes = Rc::new(RefCell::new(Vec::<Pass>::new()));
    let seen = Rc::clone(&passes);
    observe(Some(Box::new(move |pass| {
        if pass.substep + 1 == pass.substeps {
            seen.borrow_mut().push(pass);
        }
    })));
    world.integration_parameters.num_internal_pgs_iterations = sweeps;
    world
        .integration_parameters
        .num_internal_stabilization_iterations = sweeps;
    world.step();
    observe(None);
    let passes = passes.take();
    let [bias, biased, relax, relaxed] = passes.as_slice() else {
        return Err(format!("{} moments of the last substep", passes.len()));
    };
    for (start, end) in [(bias, biased), (relax, relaxed)] {
        let named = problem::of(name, steps - 1, start, end)?;
        let path = folder.join(format!("{}.dls", named.name));
        write_snapshot(&path, &named).map_err(|error| error.to_string())?;
    }
    Ok(())
}
