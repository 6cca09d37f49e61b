//! The laws of constraints for every registered kind: no constraint is named here.

use std::collections::BTreeSet;
use std::fmt::Write;

use delassus_conformance::Verdict;
use delassus_conformance::constraints::{
    description, indifference, jacobian, no_work, refusal_of_bad_fields, third_law,
};
use delassus_dynamics::ForceKind;
use delassus_dynamics::constraints::{ConstraintKind, constraint_kinds};

use crate::workspace::{read, root};

/// Examples of each kind.
const EXAMPLES: u64 = 60;

/// Runs one law for examples of every kind; a kind that it does not apply to must be one that
/// `exempt` allows.
fn for_every_kind(
    law: impl Fn(&ConstraintKind, u64) -> Verdict,
    exempt: impl Fn(&ConstraintKind) -> bool,
) {
    let kinds = constraint_kinds();
    assert!(kinds.len() > 10, "the registry is nearly empty");
    let mut broken = String::new();
    for kind in &kinds {
        let id = kind.descriptor.id;
        for seed in 0..EXAMPLES {
            match law(kind, seed) {
                Verdict::Holds => {}
                Verdict::NotApplicable(_) if exempt(kind) => {}
                Verdict::NotApplicable(what)
                | Verdict::Unavailable(what)
                | Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{id}: {what}");
                    break;
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

fn is_drive(kind: &ConstraintKind) -> bool {
    kind.descriptor.force == ForceKind::Drive
}

#[test]
fn jacobians_are_the_differences_of_the_errors() {
    for_every_kind(jacobian, is_drive);
}

#[test]
fn forces_of_joints_and_limits_do_no_work() {
    for_every_kind(no_work, is_drive);
}

#[test]
fn forces_obey_the_third_law() {
    for_every_kind(third_law, |_| false);
}

#[test]
fn errors_do_not_depend_on_where_the_world_is() {
    for_every_kind(indifference, |_| false);
}

#[test]
fn descriptors_and_files_tell_the_truth() {
    for_every_kind(description, |_| false);
}

#[test]
fn bad_fields_are_refused_by_name() {
    for_every_kind(refusal_of_bad_fields, |_| false);
}

#[test]
fn ids_files_and_equations_exist() {
    let equations = crate::citations::equations();
    let mut names = BTreeSet::new();
    for kind in constraint_kinds() {
        let descriptor = kind.descriptor;
        let id = descriptor.id;
        for name in descriptor.aliases.iter().chain([&id]) {
            assert!(names.insert(*name), "{name} stands for two constraints");
        }
        let file = format!(
            "crates/dynamics/src/constraints/{}.rs",
            id.replace('-', "_")
        );
        let text = read(&root().join(&file));
        assert!(text.starts_with(&format!("//! `{id}`: ")), "{file}");
        assert!(!descriptor.summary.is_empty(), "{id} says nothing");
        assert!(!descriptor.theory.is_empty(), "{id} cites no equation");
        for number in descriptor.theory {
            assert!(
                equations.contains(*number),
                "{id} cites {number}, which no page defines"
            );
        }
    }
}
