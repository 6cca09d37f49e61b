//! What motions come to at their end, compared with the closed forms of the laboratory.

use delassus_report::bundle::Bundle;

use crate::support::bundle_of;

/// Differences from the closed forms at the end of the run, for the cells that have one.
fn at_the_end(bundle: &Bundle, scene: &str, observable: &str) -> Vec<f64> {
    let cells = bundle.records.iter().filter(|r| r.problem.name == scene);
    let ends = cells.flat_map(|record| {
        let (times, values) = record.outcome.series(observable);
        let (time, value) = (times[times.len() - 1], values[values.len() - 1]);
        let laws = bundle.closed_forms.over_time(record, observable);
        let laws = laws.into_iter();
        laws.map(move |law| value - (law.at)(time))
    });
    ends.collect()
}

#[test]
fn springs_stacks_and_welds_come_to_rest_where_their_laws_say() {
    let text = r#"
title = "Rest"
[[scene]]
use = "chain"
name = "hanging"
n = 3
mass_ratio = 10.0
length = 0.5
angle = 0.0
hertz = 5.0
[[scene]]
use = "chain"
name = "study"
n = 2
mass_ratio = 100.0
length = 0.5
angle = 0.0
[[scene]]
use = "stack"
name = "stack"
n = 2
friction = 0.6
law = "disc"
[[scene]]
use = "weld-pair"
name = "weld"
masses = [1.0, 4.0]
[[scheme]]
use = "velocity"
label = "soft"
stabilization = "soft"
contact_hertz = 10.0
contact_damping_ratio = 1.0
contact_hertz_limit = 0.5
joint_hertz = 12.0
joint_damping_ratio = 0.0
sweeps = [3, 20]
[[scheme]]
use = "pgs-ngs"
scenes = ["weld"]
[[solver]]
use = "pgs"
[simulate]
seconds = 40.0
observables = ["C[0].0", "C[1].0", "C[2].0", "penetration_max", "x[2].y", "motion"]
"#;
    let bundle = bundle_of(text, 1);
    let small = |found: Vec<f64>, count: usize, bound: f64| {
        assert_eq!(found.len(), count, "{found:?}");
        assert!(found.iter().all(|d| d.abs() < bound), "{found:?}");
    };
    // stretches of 0.1 m; two joints that the scheme makes soft follow the recurrence of their
    // sweeps
    small(at_the_end(&bundle, "hanging", "C[0].0"), 2, 1e-13);
    small(at_the_end(&bundle, "hanging", "C[2].0"), 2, 1e-13);
    small(at_the_end(&bundle, "study", "C[1].0"), 2, 1e-12);
    // sags of 5 mm: friction holds what sweeps leave, differently in every corner
    small(at_the_end(&bundle, "stack", "x[2].y"), 2, 1e-9);
    small(at_the_end(&bundle, "stack", "penetration_max"), 2, 1e-5);
    // a joint that other scenes have is no column of this one
    let stack = bundle.records.iter().find(|r| r.problem.name == "stack");
    assert_eq!(stack.expect("a cell").outcome.column("C[0].0"), None);
    // position passes end near the least motion and never below it; they correct a joint without a
    // bound on the step
    let excess = at_the_end(&bundle, "weld", "motion");
    assert!(
        excess.len() == 3 && excess[2] > 0.0 && excess[2] < 1e-2,
        "{excess:?}"
    );
}
