//! Peers that break the rules: each is a failure with words, and the next solve goes on.

use std::time::Instant;

use delassus_core::parameter::Value;
use delassus_core::{Claim, SolveError, Start, Unsupported};
use delassus_metrics::Evaluator;

use super::{built, coulomb, name, problem, solve};
use delassus_solver_process::{Commands, Hello, PeerProgram, ProcessName, entry, hello};

/// The error of a solve.
fn failure(mode: &str) -> String {
    let mut solver = built(mode, &[]);
    let error = solve(solver.as_mut(), &problem(coulomb), 5).expect_err(mode);
    assert!(
        matches!(error, SolveError::Process { .. }),
        "{mode}: {error:?}"
    );
    error.to_string()
}

#[test]
fn every_broken_answer_is_a_failure_with_words() {
    for (mode, words) in [
        ("long", "it gave 7 impulses for 6 rows"),
        ("nan", "its impulse of row 0 is not finite"),
        ("huge", "1152921504606846976 entries"),
        ("die", "Assertion `W(i, i) > 0' failed."),
        ("other-id", "another request"),
        ("error", "I do not know how"),
        ("claims", "its claim"),
        (
            "endless",
            "solve_s of its answer must be a number from 0 to 605",
        ),
        ("gives-up", "the matrix is not mine"),
    ] {
        let error = failure(mode);
        assert!(error.contains(words), "{mode}: {error}");
        assert!(error.contains("test-peer"), "{mode}: {error}");
    }
}

#[test]
fn a_dead_process_is_started_again() {
    let problem = problem(coulomb);
    let mut solver = built("die", &[]);
    for _ in 0..3 {
        let error = solve(solver.as_mut(), &problem, 5).unwrap_err().to_string();
        assert!(error.contains("died"), "{error}");
    }
}

#[test]
fn a_program_that_always_dies_is_given_up() {
    // a name of its own: tests share what is known of a program
    let problem = problem(coulomb);
    let mut solver = built("huge-again", &[]);
    let last = (0..20).map(|_| solve(solver.as_mut(), &problem, 5).unwrap_err().to_string());
    let last = last.last().unwrap();
    assert!(last.contains("times in a row"), "{last}");
}

#[test]
fn a_peer_that_hangs_is_ended_at_its_deadline() {
    let clock = Instant::now();
    let mut solver = built("hang", &[("seconds", Value::from(0.2))]);
    let error = solve(solver.as_mut(), &problem(coulomb), 5).unwrap_err();
    assert!(error.to_string().contains("no answer within"), "{error}");
    // ten minutes if nobody ended it
    assert!(clock.elapsed().as_secs() < 120);
}

#[test]
fn chatter_on_standard_error_blocks_nothing() {
    let mut solver = built("chatter", &[]);
    solve(solver.as_mut(), &problem(coulomb), 5).unwrap();
    let answer = solver.facts().peer.and_then(|peer| peer.answer).unwrap();
    assert_eq!(answer.iterations, 5);
}

#[test]
fn what_a_peer_claims_is_kept_and_not_believed() {
    let problem = problem(coulomb);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    for (mode, is_true) in [("honest", true), ("lies", false)] {
        let mut solver = built(mode, &[("tolerance", Value::from(1e-13))]);
        let impulses = solve(solver.as_mut(), &problem, 10_000).unwrap();
        let answer = solver.facts().peer.and_then(|peer| peer.answer).unwrap();
        assert_eq!(answer.claimed, Claim::Converged, "{mode}");
        let residual = evaluator.natural_map(&impulses).unwrap();
        assert_eq!(residual < 1e-11, is_true, "{mode}: {residual:e}");
    }
}

#[test]
fn a_refused_problem_is_unsupported() {
    let mut solver = built("refuses", &[]);
    let error = solver.prepare(&problem(coulomb), Start::Cold).unwrap_err();
    assert!(
        matches!(error, SolveError::Unsupported(Unsupported::Process { .. })),
        "{error:?}"
    );
    assert!(error.to_string().contains("no problem is good enough"));
}

#[test]
fn a_hello_that_is_none_says_what_came_instead() {
    for (mode, words) in [
        ("print", "did the program print to its standard output?"),
        ("gone", "no licence found"),
        ("future", "protocol 2; this program speaks 1"),
    ] {
        // a mistake of the request, or a program that is missing from results
        let error = entry(&name(mode), Commands::Start)
            .expect_err(mode)
            .to_string();
        for part in [words, "run the command in a shell"] {
            assert!(error.contains(part), "{mode}: {error}");
        }
        let entry = entry(&name(mode), Commands::StartOrCountAsAbsent).unwrap();
        assert!(entry.open, "{mode}");
        let error = entry.build(&delassus_core::parameter::Map::new());
        let error = error.err().expect(mode).to_string();
        assert!(error.contains(words), "{mode}: {error}");
    }
}

/// The hello of a program with another time for it.
fn hello_within(mode: &str, seconds: f64) -> Result<std::sync::Arc<Hello>, String> {
    let (program, _) = ProcessName::parse(&name(mode)).unwrap().program().unwrap();
    hello(&PeerProgram {
        hello_seconds: seconds,
        ..program
    })
}

#[test]
fn a_silent_program_is_not_waited_for() {
    let error = hello_within("silent", 0.2).unwrap_err();
    assert!(error.contains("no hello within 0.200 s"), "{error}");
}

#[test]
fn a_peer_gets_a_clean_environment() {
    // the test runs with whatever its caller has; the peer has one thread
    let hello = hello_within("plain", 60.0).unwrap();
    assert_eq!(hello.blas.as_deref(), Some("threads 1, secret false"));
}

/// Solves with a peer whose process has a child, in a script that names the child, and returns the
/// number of the child.
#[cfg(target_os = "linux")]
fn child_of_a_peer(mode: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("peer.sh");
    let program = env!("CARGO_BIN_EXE_delassus-test-peer");
    let text = format!(
        "sleep 777 </dev/null >/dev/null 2>&1 &\necho $! > \"$0.pid\"\nexec '{program}' {mode}\n"
    );
    std::fs::write(&script, text).expect("a script");
    let name = format!("cmd:sh '{}'", script.display());
    let entry = entry(&name, Commands::Start).expect("an entry");
    let mut solver = entry.build(&Default::default()).expect("a solver");
    let _ = solve(solver.as_mut(), &problem(coulomb), 5);
    drop(solver);
    delassus_solver_process::end_all();
    let number = std::fs::read_to_string(folder.path().join("peer.sh.pid"));
    number.expect("a number").trim().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_of_the_group_of_a_peer_is_left() {
    // one ends as it is asked to, one dies
    for mode in ["", "die"] {
        let number = child_of_a_peer(mode);
        let lives = || {
            let stat = std::fs::read_to_string(format!("/proc/{number}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        };
        let clock = Instant::now();
        while lives() && clock.elapsed().as_secs() < 20 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(!lives(), "{mode}: the process {number} is left");
    }
}
