//! How much of a motion `play` shows without `--seconds`: what the machine steps in a few seconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use delassus_core::is_engine;
use delassus_dynamics::{Scheme, World};
use serde_json::Map;

use crate::cli::args::PlayVerb;
use crate::cli::failure::Failure;
use crate::guard::caught;
use crate::registry::Registry;
use crate::simulate::build_scheme;

/// What a motion covers on a machine that is fast enough \[s\].
pub(super) const USUAL: f64 = 5.0;
/// Time in which all schemes step the motion once \[s\]. The run steps it twice more and draws.
const BUDGET: f64 = 2.0;
/// Length of a frame \[s\], as `[simulate]` has it.
const DT: f64 = 1.0 / 60.0;
/// Frames of a motion at most \[-\]: each is a sample, and a spec has no more.
const MOST_FRAMES: f64 = 1e6;
/// Frames that are stepped between two looks at the clock \[-\].
const BLOCK: u32 = 6;
/// Blocks in all of a motion, and in the shortest \[-\].
const BLOCKS: [u32; 2] = [50, 5];

/// Refuses a length that no motion has \[s\].
///
/// # Errors
/// Less than one frame, or more frames than a motion may have.
pub(super) fn check(seconds: f64) -> Result<(), Failure> {
    match (1.0..=MOST_FRAMES).contains(&(seconds / DT)) {
        true => Ok(()),
        false => Err(Failure::request(format!(
            "--seconds {seconds:?}: a motion has 1 to {MOST_FRAMES:e} frames of {DT} s; name a length from {DT:.4} to {:.0} s",
            (MOST_FRAMES * DT).floor()
        ))),
    }
}

/// The length that fits the budget \[s\]: a trial steps the scene with all schemes side by side.
///
/// Only the length depends on the clock: what a run of this length gives does not. Engines of other
/// programs take no part in the trial.
pub(super) fn affordable(
    verb: &PlayVerb,
    world: &World,
    registry: &Registry,
    cancel: &AtomicBool,
) -> f64 {
    let trial = || {
        let methods = schemes(verb, registry).into_iter();
        let mut methods: Vec<_> = methods.map(|scheme| (scheme, world.clone())).collect();
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64();
        let step = |_: u32| {
            // what fails here fails in the run, which says why
            methods.retain_mut(|(scheme, world)| {
                (0..BLOCK).all(|_| scheme.step(world, DT, &mut ()).is_ok())
            });
        };
        length(step, clock, cancel)
    };
    caught(trial).unwrap_or(USUAL)
}

/// The schemes that are part of this program.
fn schemes(verb: &PlayVerb, registry: &Registry) -> Vec<Box<dyn Scheme>> {
    let own = verb.scheme.iter().filter(|id| !is_engine(id));
    let none = Map::new();
    let build = |id: &String| {
        let entry = registry.scheme(id).ok()?;
        let solver = registry.find(&verb.solver).ok();
        let solver = solver.filter(|_| entry.descriptor.uses_solver);
        build_scheme(&entry, &none, solver.as_ref().map(|solver| (solver, &none))).ok()
    };
    own.filter_map(build).collect()
}

/// Steps blocks until the next one would exceed the budget; the length of those that were stepped.
fn length(mut step: impl FnMut(u32), clock: impl Fn() -> f64, cancel: &AtomicBool) -> f64 {
    let [all, least] = BLOCKS;
    let mut before = clock();
    for block in 1..=all {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        step(block);
        let now = clock();
        let next = now + (now - before);
        if block >= least && block < all && next > BUDGET {
            return f64::from(block) / 10.0;
        }
        before = now;
    }
    USUAL
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The length where every block takes so long \[s\], and the blocks that were stepped.
    fn of_blocks(seconds: f64) -> (f64, u32) {
        let (time, stepped) = (Cell::new(100.0), Cell::new(0));
        let begun = time.get();
        let step = |block| {
            stepped.set(block);
            time.set(time.get() + seconds);
        };
        let length = length(step, || time.get() - begun, &AtomicBool::new(false));
        (length, stepped.get())
    }

    #[test]
    fn a_fast_machine_shows_all_and_a_slow_one_what_fits() {
        assert_eq!(of_blocks(0.01), (5.0, 50));
        // 16 blocks take 2 s, and the next one would take more
        assert_eq!(of_blocks(0.125), (1.6, 16));
        // however slow it is, something moves
        assert_eq!(of_blocks(60.0), (0.5, 5));
    }

    #[test]
    fn a_length_that_no_motion_has_names_the_option() {
        for seconds in [1e-13, 0.01, 16_667.0, 1e300] {
            let Err(Failure::Request(text)) = check(seconds) else {
                panic!("{seconds} s");
            };
            let begin = format!("--seconds {seconds:?}: a motion has 1 to 1e6 frames");
            assert!(text.starts_with(&begin), "{text}");
            assert!(text.ends_with("from 0.0167 to 16666 s"), "{text}");
        }
        for seconds in [DT, 0.0167, 5.0, 16_666.0] {
            assert!(check(seconds).is_ok(), "{seconds} s");
        }
    }

    #[test]
    fn blocks_and_frames_are_the_same_time() {
        let [all, _] = BLOCKS;
        assert!((f64::from(all * BLOCK) * DT - USUAL).abs() < 1e-12);
        assert!((f64::from(BLOCK) * DT - 0.1).abs() < 1e-15);
    }
}
