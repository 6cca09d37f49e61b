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
/// The same while there is nothing to see yet: until bodies have touched for a while \[s\].
const PATIENCE: f64 = 3.0;
/// Blocks that are shown of bodies that touch before they count as seen \[-\].
const SEEN: u32 = 10;
/// Length of a frame \[s\], as `[simulate]` has it.
const DT: f64 = 1.0 / 60.0;
/// Frames of a motion at most \[-\]: each is a sample, and a spec has no more.
const MOST_FRAMES: f64 = 1e6;
/// Frames that are stepped between two looks at the clock, which make up the shortest motion \[-\].
const BLOCK: u32 = 3;
/// Blocks in a second, and in all of a motion \[-\].
const PER_SECOND: u32 = 20;
const ALL: u32 = 100;

/// What is said of a motion of a length that this module has chosen \[s\].
pub(super) fn note(seconds: f64, untouched: bool) -> Option<String> {
    let until = match untouched {
        true => "nothing touches until then",
        false => "",
    };
    if seconds < USUAL {
        let rest = if untouched { "; " } else { "" };
        return Some(format!(
            "shows the first {seconds:?} s of {USUAL} s, what this machine steps in a few seconds{rest}{until}: --seconds {USUAL} for all",
        ));
    }
    let longer = 2.0 * USUAL;
    untouched.then(|| format!("shows {USUAL} s; {until}: --seconds {longer} for more"))
}

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
        let begin = |scheme| (scheme, world.clone(), false);
        let mut methods: Vec<_> = methods.map(begin).collect();
        let begun = Instant::now();
        let clock = || begun.elapsed().as_secs_f64();
        let step = || {
            // what fails here fails in the run, which says why
            methods.retain_mut(|(scheme, world, touched)| {
                let goes_on = (0..BLOCK).all(|_| scheme.step(world, DT, &mut ()).is_ok());
                *touched |= touches(world);
                goes_on
            });
            methods.iter().all(|(.., touched)| *touched)
        };
        let can_touch = !(world.colliders().is_empty() && world.manifolds().is_empty());
        length(step, can_touch, clock, cancel)
    };
    caught(trial).unwrap_or(USUAL)
}

/// True if bodies push each other.
fn touches(world: &World) -> bool {
    let mut impulses = world.manifolds().iter().flat_map(|m| m.impulses());
    impulses.any(|impulse| *impulse != 0.0)
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

/// Steps blocks, which say whether bodies touch, until the next one would exceed the budget; the
/// length of those that were stepped.
fn length(
    mut step: impl FnMut() -> bool,
    can_touch: bool,
    clock: impl Fn() -> f64,
    cancel: &AtomicBool,
) -> f64 {
    let mut before = clock();
    let mut touched = 0;
    for block in 1..ALL {
        if cancel.load(Ordering::Relaxed) {
            break;
        }
        touched += u32::from(step() || touched > 0);
        let now = clock();
        let budget = match can_touch && touched < SEEN {
            true => PATIENCE,
            false => BUDGET,
        };
        if now + (now - before) > budget {
            return f64::from(block) / f64::from(PER_SECOND);
        }
        before = now;
    }
    USUAL
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The length of a motion whose blocks take so long \[s\], and the blocks that were stepped, if
    /// bodies touch from a block on.
    fn of_blocks(seconds: f64, touches: Option<u32>) -> (f64, u32) {
        let (time, stepped) = (Cell::new(100.0), Cell::new(0));
        let begun = time.get();
        let step = || {
            stepped.set(stepped.get() + 1);
            time.set(time.get() + seconds);
            touches.is_some_and(|first| stepped.get() == first)
        };
        let clock = || time.get() - begun;
        let length = length(step, touches.is_some(), clock, &AtomicBool::new(false));
        (length, stepped.get())
    }

    #[test]
    fn a_fast_machine_shows_all_and_a_slow_one_what_fits() {
        assert_eq!(of_blocks(0.005, None), (5.0, 99));
        // 16 blocks take 2 s, and the next one would take more
        assert_eq!(of_blocks(0.125, None), (0.8, 16));
        assert_eq!(of_blocks(0.125, Some(1)), (0.8, 16));
        // however slow it is, something moves, and no more is stepped than fits
        assert_eq!(of_blocks(1.5, None), (0.05, 1));
        assert_eq!(of_blocks(60.0, Some(1)), (0.05, 1));
    }

    #[test]
    fn a_motion_in_which_bodies_begin_to_touch_is_longer() {
        // ten blocks from the first contact on
        assert_eq!(of_blocks(0.125, Some(10)), (0.95, 19));
        // until three seconds are over
        assert_eq!(of_blocks(0.125, Some(20)), (1.2, 24));
        assert_eq!(of_blocks(0.125, Some(900)), (1.2, 24));
    }

    #[test]
    fn a_part_and_a_motion_without_contacts_are_said() {
        assert_eq!(note(5.0, false), None);
        let said = note(0.85, true).unwrap();
        let end = "a few seconds; nothing touches until then: --seconds 5 for all";
        assert!(said.starts_with("shows the first 0.85 s of 5 s") && said.ends_with(end));
        assert!(note(5.0, true).unwrap().ends_with("--seconds 10 for more"));
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
        assert!((f64::from(ALL * BLOCK) * DT - USUAL).abs() < 1e-12);
        assert!((f64::from(PER_SECOND * BLOCK) * DT - 1.0).abs() < 1e-12);
        assert_eq!(ALL, 5 * PER_SECOND);
    }
}
