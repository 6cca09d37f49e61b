//! Specs, their cells and their runs, by the public interface.

mod attacks;
mod budget;
mod clocks;
mod departures;
mod device;
mod driver;
mod experiments;
mod faults;
#[expect(dead_code, reason = "the tests of the program need all of it")]
#[path = "../../../lab/tests/all/forger.rs"]
mod folder_forger;
mod fsck;
mod hostile;
mod keys;
mod levels;
mod limits;
mod parts;
mod recomputed;
mod replays;
mod rest;
mod spec_errors;
mod statuses;
mod support;
mod timings;
mod tolerance;
mod traces;
mod trajectories;
mod worlds;
mod wrappers;
