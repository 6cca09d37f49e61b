//! The machine that cells run on, and what its processor lacks.

use delassus_records::machine::Machine;
use delassus_solver_si::VectorLevel;
use serde_json::{Map, Value};

/// Looks at this machine.
pub fn machine() -> Machine {
    Machine::here(solver_level())
}

fn solver_level() -> String {
    match VectorLevel::automatic() {
        Ok(level) if VectorLevel::available().contains(&level) => level.id().to_owned(),
        Ok(level) => format!("none: this processor does not have {}", level.id()),
        Err(error) => format!("none: {error}"),
    }
}

/// Why this machine cannot run a solver with these parameters: a vector level that its processor does not have.
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
    fn tables_know_the_lanes_of_every_level() {
        for level in VectorLevel::NAMED {
            let lanes = delassus_report::analysis::layouts::lanes(level.id());
            assert_eq!(lanes, level.lanes(), "{}", level.id());
        }
    }
}
