//! The check of a peer passes an honest one, and finds what is wrong with the others.

use delassus_solver_process::{CheckVerdict, CheckedCase, check};

use super::name;

fn checked(mode: &str) -> Vec<CheckedCase> {
    check(&name(mode)).unwrap().1
}

fn failing(cases: &[CheckedCase]) -> Vec<&str> {
    let fails = |case: &&CheckedCase| matches!(case.verdict, CheckVerdict::Fails(_));
    cases.iter().filter(fails).map(|case| case.name).collect()
}

#[test]
fn an_honest_peer_passes_every_case() {
    for mode in ["honest-one", "chunks"] {
        let cases = checked(mode);
        assert_eq!(cases.len(), 15);
        for case in &cases {
            assert!(
                matches!(case.verdict, CheckVerdict::Passes(_)),
                "{mode}: {case:?}"
            );
        }
    }
}

#[test]
fn what_is_wrong_is_found() {
    let cases = checked("lies");
    let names = failing(&cases);
    for name in ["stick", "slide", "compliance", "order", "unsymmetric"] {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    assert!(!names.contains(&"unknown-op") && !names.contains(&"repeat"));
    let cases = checked("transposes");
    assert_eq!(failing(&cases), ["unsymmetric"]);
    let cases = checked("ignores-compliance");
    assert_eq!(failing(&cases), ["compliance", "order"]);
    let cases = checked("always-exact");
    assert_eq!(failing(&cases), ["convex-cone"]);
}
