//! The machine that cells run on, what its processor lacks, and what its clock cannot tell apart.

use std::time::Instant;

use delassus_records::machine::MachineInfo;
use delassus_solver_wide::VectorLevel;
use serde_json::{Map, Value};

/// Looks at this machine.
pub fn machine() -> MachineInfo {
    MachineInfo::here(solver_level())
}

/// True for two machines on which equal sums end with equal bits, whatever library makes them.
pub(crate) fn is_like(one: &MachineInfo, other: &MachineInfo) -> bool {
    one.times_as(other) && one.vector_level == other.vector_level
}

fn solver_level() -> String {
    match VectorLevel::automatic() {
        Ok(level) if VectorLevel::available().contains(&level) => level.id().to_owned(),
        Ok(level) => format!("none: this processor does not have {}", level.id()),
        Err(error) => format!("none: {error}"),
    }
}

/// Passes of equal work that the noise floor is measured with \[-\].
const PASSES: usize = 40;

/// The relative difference of times below which this machine tells nothing apart now \[-\] (A.14);
/// takes some 50 ms. `None` if the clock stands still.
pub fn noise_floor() -> Option<f64> {
    // the first pass wakes the core
    fixed_work();
    let seconds: Vec<f64> = (0..PASSES).map(|_| fixed_work()).collect();
    delassus_statistics::noise_floor(&seconds)
}

/// Seconds of about a millisecond of dependent arithmetic.
fn fixed_work() -> f64 {
    let clock = Instant::now();
    let mut x = 1.0_f64;
    for _ in 0..200_000 {
        x = 0.5 * (x + 2.0 / x);
    }
    std::hint::black_box(x);
    clock.elapsed().as_secs_f64()
}

/// Why this machine cannot run a solver with these parameters: a vector level that its processor
/// does not have.
pub fn lacks(parameters: &Map<String, Value>) -> Option<String> {
    let level = parameters.get("level")?.as_str()?;
    let named = VectorLevel::NAMED.into_iter().find(|l| l.id() == level)?;
    let has = VectorLevel::available().contains(&named);
    (!has).then(|| format!("this processor does not have the vector level {level}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_lacks_the_levels_that_are_not_available() {
        let with = |level: &str| Map::from_iter([("level".to_owned(), Value::from(level))]);
        for level in VectorLevel::NAMED {
            let has = VectorLevel::available().contains(&level);
            assert_eq!(lacks(&with(level.id())).is_none(), has, "{}", level.id());
        }
        // not a level: the solver itself refuses it
        assert!(lacks(&with("sse9")).is_none() && lacks(&Map::new()).is_none());
    }

    #[test]
    fn noise_is_a_share() {
        let floor = noise_floor().expect("the clock moves");
        assert!(floor >= delassus_statistics::LEAST_FLOOR && floor.is_finite());
    }

    #[test]
    fn tables_know_the_lanes_of_every_level() {
        for level in VectorLevel::NAMED {
            let lanes = delassus_report::analysis::layouts::lanes(level.id());
            assert_eq!(lanes, level.lanes(), "{}", level.id());
        }
    }
}
