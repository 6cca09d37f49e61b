//! The captured frames of `data/captured`: each is solved here, and the engine's impulses are not a
//! solution.

use std::fs;
use std::path::PathBuf;

use delassus::solve;
use delassus_metrics::Evaluator;
use delassus_problems::{NamedProblem, read_file};

/// Velocities in single precision that a few hundred operations have rounded \[m/s\].
const ROUNDING: f64 = 1e-4;

/// The frames by name.
pub(crate) fn frames() -> Vec<(String, NamedProblem)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/captured");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let size: u64 = paths
        .iter()
        .map(|path| fs::metadata(path).expect("a file").len())
        .sum();
    assert!(size <= 1024 * 1024, "{size} bytes");
    let frames = paths.into_iter().map(|path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into();
        let read = read_file(&path);
        (name, read.expect("a snapshot"))
    });
    frames.collect()
}

#[test]
fn auto_solves_every_captured_frame() {
    let frames = frames();
    assert!(frames.len() >= 32);
    for (name, frame) in &frames {
        let solved = solve(&frame.problem, "auto", 1e-10).expect("a solve");
        assert!(solved.is_solved(), "{name}: {}", solved.status);
        let mut judge = Evaluator::new(&frame.problem).expect("a judge");
        let residual = judge.evaluate(&solved.impulses).expect("a residual");
        assert!(
            residual.natural_map <= 1e-10,
            "{name}: {}",
            residual.natural_map
        );
    }
}

/// The residual of the engine's impulses and that of none \[-\].
fn residuals(frame: &NamedProblem) -> [f64; 2] {
    let captured = frame.captured.as_ref().expect("impulses of the engine");
    assert!(!captured.engine.is_empty() && !captured.version.is_empty());
    let mut judge = Evaluator::new(&frame.problem).expect("a judge");
    let nothing = vec![0.0; captured.impulses.len()];
    [&captured.impulses, &nothing].map(|impulses| {
        let residuals = judge.evaluate(impulses).expect("a residual");
        residuals.natural_map
    })
}

#[test]
fn engines_end_between_no_impulses_and_a_solution() {
    for (name, frame) in &frames() {
        let [engine, nothing] = residuals(frame);
        // impulses of another problem or in another unit are worse than none; one sweep over a
        // chain of joints may be so too, and a test of its own judges engines that make one
        let one = frame
            .captured
            .as_ref()
            .and_then(|captured| captured.iterations)
            == Some(1);
        assert!(
            engine < nothing || one,
            "{name}: {engine}, {nothing} without impulses"
        );
        if name.starts_with("mujoco") {
            // in double precision, with Newton's method
            assert!(engine < 1e-10, "{name}: {engine}");
        } else {
            // far from what single precision leaves
            assert!(engine > 1e-5, "{name}: {engine}");
        }
    }
}

#[test]
fn recorded_velocities_are_those_of_the_impulses() {
    for (name, frame) in &frames() {
        let captured = frame.captured.as_ref().expect("impulses of the engine");
        let bodies = frame.problem.bodies().expect("bodies");
        let recorded = captured.velocities.as_ref().expect("velocities");
        let mut change = vec![0.0; recorded.len()];
        bodies.add_transposed(frame.problem.blocks(), &captured.impulses, &mut change);
        bodies.apply_inverse_mass(&mut change);
        for (index, recorded) in recorded.iter().enumerate() {
            let found = bodies.free_velocity[index] + change[index];
            assert!(
                (found - recorded).abs() < ROUNDING,
                "{name}, number {index}: {found} {recorded}"
            );
        }
    }
}
