//! The laws of schemes for every scheme, the velocity-level ones with every solver that knows
//! contacts or joints.

use std::fmt::Write;

use delassus_conformance::{
    MakeScheme, Verdict, scheme_bad_steps, scheme_contact_rest, scheme_failing_solver,
    scheme_momentum, scheme_passive_limits, scheme_repetition, scheme_rest, scheme_rotation,
    scheme_step_change,
};
use delassus_core::Precision;
use delassus_dynamics::SchemeEntry;
use delassus_registry::schemes;
use serde_json::{Map, Value, json};

use crate::pairs::{Pair, fifth, map, pairs, skip_in_test};

/// Schemes without a solver that compute in single precision.
const SINGLE: [&str; 2] = ["jacobi-soft-step", "gpu-soft-step"];

fn position_schemes() -> Vec<SchemeEntry> {
    let all = schemes().into_iter();
    all.filter(|s| !s.descriptor.uses_solver).collect()
}

/// Runs one law for the pairs of scheme and solver, with some parameters changed, and the schemes
/// that need no solver; the law also hears in which precision they compute. `excused` are the
/// schemes, or schemes with a solver, of which the law is known not to hold.
fn for_schemes(
    pairs: Vec<Pair>,
    changes: &Value,
    excused: &[(&str, &str)],
    law: impl Fn(MakeScheme<'_>, Precision) -> Verdict,
) {
    let mut broken = String::new();
    let mut held = 0;
    let (mut met, mut needed) = (vec![false; excused.len()], vec![false; excused.len()]);
    let mut judge = |name: String, id: &str, precision: Precision, make: MakeScheme<'_>| {
        let own = |(excused, _): &(&str, &str)| [id, &name].contains(excused);
        let excuse = excused.iter().position(own);
        let verdict = law(make, precision);
        if let Verdict::Unavailable(why) = verdict {
            return skip_in_test(&name, why);
        }
        excuse.inspect(|excuse| met[*excuse] = true);
        match (verdict, excuse) {
            (Verdict::Holds, _) => held += 1,
            (Verdict::Violated(_), Some(excuse)) => needed[excuse] = true,
            (Verdict::Violated(what), None) => drop(writeln!(broken, "{name}: {what}")),
            (Verdict::NotApplicable(_) | Verdict::Unavailable(_), _) => {}
        }
    };
    for pair in pairs {
        let precision = pair.solver.descriptor.precision;
        judge(pair.name(), pair.scheme.descriptor.id, precision, &|| {
            pair.build(changes)
        });
    }
    for entry in position_schemes() {
        let make = || entry.build_with(&Map::new(), None).expect("defaults");
        let id = entry.descriptor.id;
        let precision = match SINGLE.contains(&id) {
            true => Precision::F32,
            false => Precision::F64,
        };
        judge(id.to_owned(), id, precision, &make);
    }
    for (excuse, (id, why)) in excused.iter().enumerate() {
        if met[excuse] && !needed[excuse] {
            let _ = writeln!(broken, "{id}: always holds, though {why}");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
    assert!(held >= 50, "{held}");
}

#[test]
fn isolated_systems_keep_their_momentum() {
    let alone =
        "its bodies move one at a time: action and reaction agree only where it has converged";
    for_schemes(pairs(), &json!({}), &[("avbd", alone)], |make, _| {
        scheme_momentum(make)
    });
}

#[test]
fn rest_stays_at_rest() {
    for_schemes(pairs(), &json!({}), &[], |make, _| scheme_rest(make));
}

#[test]
fn a_mass_on_the_ground_comes_to_rest() {
    let kept = "increments that no row takes back, and no relax pass that takes the push out of the motion";
    let over = "one over-relaxed sweep from zero leaves a share of the push, and so does that of the relax pass";
    let excused = [
        ("bepu-2 with naive-impulses", kept),
        ("tgs-sticky with psor", over),
    ];
    for_schemes(fifth(0), &json!({}), &excused, |make, _| {
        scheme_contact_rest(make)
    });
}

#[test]
fn a_change_of_the_step_leaves_a_hanging_chain_at_rest() {
    // a preset that starts cold in every frame keeps nothing that could be scaled
    let warm = json!({ "warm_start": "scaled", "warm_rows": "all" });
    let grows = "one sweep of joints this stiff, from warm impulses, grows: its source starts them from zero";
    let excused = [("tgs-sticky", grows), ("rapier", grows)];
    for_schemes(fifth(1), &warm, &excused, |make, _| {
        scheme_step_change(make)
    });
}

#[test]
fn a_turned_scene_moves_as_before_turned() {
    let diagonal = "its geometric stiffness is a diagonal in the axes of the world";
    let excused = [("avbd", diagonal)];
    // the law is the scheme's: other solvers choose by comparing numbers that a rounding changes,
    // or end unsolved
    let sweeps = ["pgs", "block-gs", "symmetric-pgs"];
    let mut all = pairs();
    all.retain(|pair| sweeps.contains(&pair.solver.descriptor.id));
    for_schemes(all, &json!({}), &excused, |make, precision| {
        let tolerance = match precision {
            Precision::F64 => 1e-7,
            Precision::F32 => 1e-3,
        };
        scheme_rotation(make, tolerance)
    });
}

#[test]
fn passive_limits_add_no_energy() {
    // increments that no row takes back push a wheel off its limit, in every scheme
    let naive = |pair: &Pair| pair.name().ends_with("with naive-impulses");
    let all: Vec<Pair> = fifth(2).into_iter().filter(|pair| !naive(pair)).collect();
    let inside = "an interior point presses a little on a limit that is open";
    let excused = [("pgs-soft with ipm", inside)];
    for_schemes(all, &json!({}), &excused, |make, _| {
        scheme_passive_limits(make)
    });
}

#[test]
fn bad_steps_are_typed_errors() {
    for_schemes(pairs(), &json!({}), &[], |make, _| scheme_bad_steps(make));
}

#[test]
fn fresh_schemes_repeat_bit_for_bit() {
    for_schemes(pairs(), &json!({}), &[], |make, _| scheme_repetition(make));
}

#[test]
fn a_failing_solver_leaves_the_world_as_it_was() {
    for entry in schemes().iter().filter(|s| s.descriptor.uses_solver) {
        let verdict = scheme_failing_solver(&|solver| {
            let built = entry.build_with(&map(&json!({})), Some(solver));
            built.expect("defaults")
        });
        assert_eq!(verdict, Verdict::Holds, "{}", entry.descriptor.id);
    }
}
