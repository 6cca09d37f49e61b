//! Looks of methods in figures.

use delassus_registry::{Registry, schemes};
use delassus_report::figures::known_look;

#[test]
fn every_solver_and_scheme_has_a_look_of_its_own() {
    let registry = Registry::standard();
    let solvers = registry.entries().iter().map(|entry| entry.descriptor.id);
    let schemes = schemes();
    let schemes = schemes.iter().map(|entry| entry.descriptor.id);
    let names: Vec<&str> = solvers.chain(schemes).collect();
    assert!(names.len() > 60, "{}", names.len());
    for (index, name) in names.iter().enumerate() {
        let own = known_look(name);
        let own =
            own.unwrap_or_else(|| panic!("{name} has no look in report/src/figures/known.rs"));
        for other in &names[..index] {
            let beside = known_look(other).expect("a look");
            let differ = own.color != beside.color || own.dash != beside.dash;
            assert!(
                differ,
                "{name} and {other} have one colour and one pattern of dashes"
            );
        }
    }
}
