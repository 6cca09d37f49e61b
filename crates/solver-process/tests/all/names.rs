//! Names of solvers in processes, and what they refuse.

use delassus_core::parameter::Map;
use delassus_core::{EntryError, Friction, ProcessFault, Start};
use serde_json::json;

use super::{built, name, problem};
use delassus_solver_process::{Commands, entry};

#[test]
fn a_program_with_two_solvers_is_asked_for_one() {
    let error = entry(&name("two"), Commands::Start)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("gs, steps") && error.contains("#gs"),
        "{error}"
    );
    let found = entry(&format!("{} #steps", name("two")), Commands::Start).unwrap();
    assert!(!found.descriptor.restarts);
    assert!(found.descriptor.id.ends_with("two #steps"));
    let error = entry(&format!("{} #stepps", name("two")), Commands::Start).unwrap_err();
    assert!(error.to_string().contains("steps"), "{error}");
}

#[test]
fn a_command_that_may_not_start_is_an_open_entry() {
    for commands in [Commands::Refuse, Commands::CountAsAbsent] {
        let held = entry("cmd:rm -rf nothing", commands).unwrap();
        assert!(held.open);
        let error = held.build(&Map::new()).err().unwrap();
        let EntryError::Process { fault, .. } = error else {
            panic!("{error}");
        };
        let is_absent = matches!(fault, ProcessFault::Absent(_));
        assert_eq!(is_absent, commands == Commands::CountAsAbsent, "{fault}");
        assert_eq!(fault == ProcessFault::Held, !is_absent);
    }
}

#[test]
fn programs_that_are_not_there_say_so() {
    let command = "cmd:/nowhere/solver";
    let broken = entry(command, Commands::Start).unwrap_err();
    let EntryError::Process { fault, .. } = &broken else {
        panic!("{broken}");
    };
    assert!(matches!(fault, ProcessFault::Broken(_)), "{fault:?}");
    assert!(broken.to_string().contains("cannot be started"), "{broken}");
    for (name, commands, words) in [
        (command, Commands::StartOrCountAsAbsent, "cannot be started"),
        ("peer:no-such-peer/x", Commands::Start, "list peers"),
    ] {
        let found = entry(name, commands).unwrap();
        let error = found.build(&Map::new()).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn parameters_have_the_types_of_their_defaults() {
    let entry = entry(&name("honest"), Commands::Start).unwrap();
    let names: Vec<&str> = entry.parameters.iter().map(|doc| doc.name).collect();
    assert_eq!(names, ["tolerance", "seconds", "omega"]);
    for (given, words) in [
        (json!({ "omega": "fast" }), "omega"),
        (json!({ "omgea": 1.0 }), "omega"),
        (json!({ "tolerance": -1.0 }), ">= 0"),
        (json!({ "seconds": 0 }), "> 0"),
    ] {
        let error = entry.build(given.as_object().unwrap()).err().unwrap();
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(
        entry
            .build(json!({ "omega": 1 }).as_object().unwrap())
            .is_ok()
    );
}

#[test]
fn laws_that_are_not_declared_are_refused_before_they_are_sent() {
    let mut solver = built("honest", &[]);
    let problem = problem(|mu| Friction::Pyramid { mu });
    assert!(solver.check(&problem).is_err());
    let error = solver.prepare(&problem, Start::Cold).unwrap_err();
    assert!(error.to_string().contains("pyramid"), "{error}");
}
