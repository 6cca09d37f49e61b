//! The check of an engine passes an honest one, and finds what is wrong with the others.

use delassus_scheme_process::check;
use delassus_solver_process::{CheckVerdict, CheckedCase};

use super::name;

/// Time of a frame at most \[s\].
const SECONDS: f64 = 0.5;

fn checked(mode: &str) -> Vec<CheckedCase> {
    check(&name(mode), SECONDS).expect(mode).1
}

/// The cases that fail, with what was seen.
fn failing(mode: &str) -> Vec<(&'static str, String)> {
    let failed = |case: CheckedCase| match case.verdict {
        CheckVerdict::Fails(seen) => Some((case.name, seen)),
        CheckVerdict::Passes(_) | CheckVerdict::DoesNotApply(_) => None,
    };
    checked(mode).into_iter().filter_map(failed).collect()
}

#[test]
fn an_honest_engine_passes_every_case() {
    let cases = checked("");
    assert_eq!(cases.len(), 16);
    for case in cases {
        assert!(matches!(case.verdict, CheckVerdict::Passes(_)), "{case:?}");
    }
}

#[test]
fn each_fault_is_found_by_its_case() {
    for (mode, name, words) in [
        ("renamed", "hello", "not the one of its first process"),
        ("agrees", "unknown-op", "no key error"),
        ("refuses", "load", "joints[0] (gear) has no form here"),
        ("die", "answer", "Assertion `dot(n, n) > 0' failed."),
        ("hang", "answer", "no answer within 5.5"),
        ("other-id", "answer", "another request"),
        ("short", "length", "12 numbers for 1 bodies"),
        ("long", "length", "14 numbers for 1 bodies"),
        ("nan", "finite", "number 8 of body 0 is not finite"),
        (
            "unturned",
            "finite",
            "the orientation of body 0 has the length 0.7",
        ),
        ("backwards", "clock", "step_s must be a number from 0"),
        ("slow-clock", "clock", "2.50e-1 s of"),
        ("late", "fall", "velocity off by 1.5e-1 m/s"),
        ("upright", "spin", "orientation off by"),
        ("ghosts", "rest", "speed off by"),
        ("sorted", "order", "states off by"),
        ("seeded", "restart", "the states differ"),
    ] {
        let found = failing(mode);
        let [(case, seen)] = &found[..] else {
            panic!("{mode}: {found:?}");
        };
        assert_eq!(*case, name, "{mode}: {seen}");
        assert!(seen.contains(words), "{mode}: {seen}");
    }
}

#[test]
fn faults_that_show_in_several_cases_are_found_in_theirs_too() {
    for (mode, name) in [
        ("drifts", "repeat"),
        ("keeps", "reload"),
        ("ignores", "unknown-shape"),
        ("ignores", "unknown-joint"),
    ] {
        let found = failing(mode);
        let found: Vec<&str> = found.iter().map(|(case, _)| *case).collect();
        assert!(found.contains(&name), "{mode}: {found:?}");
    }
}

#[test]
fn cases_of_motions_wait_for_those_of_messages() {
    let cases = checked("nan");
    let fall = cases
        .iter()
        .find(|case| case.name == "fall")
        .expect("a case");
    let told = CheckVerdict::DoesNotApply("not tried, since finite fails".to_owned());
    assert_eq!(fall.verdict, told);
}

#[test]
fn a_program_without_a_valid_hello_is_refused() {
    for (mode, words) in [("gone", "no licence found"), ("future", "protocol 2")] {
        let error = check(&name(mode), SECONDS).expect_err(mode).to_string();
        assert!(error.contains(words), "{mode}: {error}");
    }
    let error = check("engine:no-such-engine", SECONDS).expect_err("absent");
    assert!(
        error.to_string().contains("delassus list engines"),
        "{error}"
    );
}
