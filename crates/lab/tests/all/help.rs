//! Help texts: short, with examples and defaults.

use crate::support::Lab;

const VERBS: [&str; 21] = [
    "demo",
    "play",
    "check",
    "new",
    "run",
    "solve",
    "export",
    "convert",
    "inspect",
    "show",
    "reference",
    "list",
    "report",
    "compare",
    "gate",
    "plot",
    "data",
    "verify",
    "bundle",
    "explain",
    "doctor",
];

/// Verbs that the first help has in a line of their own at its end.
const ASIDE: [&str; 13] = [
    "cite",
    "watch",
    "plan",
    "status",
    "merge",
    "soft",
    "fsck",
    "migrate",
    "check-peer",
    "check-engine",
    "schema",
    "completions",
    "man",
];

#[test]
fn every_verb_has_a_short_help_with_examples() {
    let lab = Lab::new();
    for verb in VERBS.into_iter().chain(ASIDE) {
        let ran = lab.run(&[verb, "--help"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{verb}");
        let lines = ran.stdout.lines().count();
        assert!(lines <= 40, "{verb}: {lines} lines\n{}", ran.stdout);
        assert!(ran.stdout.contains("Examples:\n"), "{verb}");
        let examples = ran.stdout.matches(&format!("  delassus {verb}")).count();
        assert!(examples >= 2, "{verb}: {examples} examples");
        for line in ran.stdout.lines() {
            assert!(line.chars().count() <= 100, "{verb}: {line}");
        }
    }
}

#[test]
fn the_first_help_names_every_verb_and_two_commands_to_start_with() {
    let lab = Lab::new();
    let ran = lab.run(&["--help"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.lines().count() <= 40, "{}", ran.stdout);
    for verb in VERBS {
        assert!(
            ran.stdout.contains(&format!("\n  {verb} ")),
            "{verb}\n{}",
            ran.stdout
        );
    }
    let start = ran
        .stdout
        .split("Quick start:\n")
        .nth(1)
        .expect("a quick start");
    let commands = start
        .lines()
        .take_while(|line| line.starts_with("  delassus "));
    assert_eq!(commands.count(), 2, "{start}");
    let also = ran.stdout.split("Also: ").nth(1).expect("a last line");
    for verb in ASIDE {
        assert!(also.contains(verb), "{verb}: {also}");
    }
    assert!(ran.stdout.contains("Exit codes:"), "{}", ran.stdout);
}

#[test]
fn defaults_are_shown() {
    let lab = Lab::new();
    let help = lab.run(&["solve", "--help"]).stdout;
    let text: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for default in [
        "[default: 0.00000001]",
        "[default: natural_map siconos]",
        "[default: 1000000]",
        "[default: coulomb]",
        "[default: cold]",
    ] {
        let tolerance = default.replace("0.00000001", "1e-8");
        assert!(
            text.contains(default) || text.contains(&tolerance),
            "{default}\n{help}"
        );
    }
    let help = lab.run(&["run", "--help"]).stdout;
    assert!(help.contains("[default: results/"), "{help}");
}

#[test]
fn no_verb_at_all_is_a_wrong_request_with_help() {
    let ran = Lab::new().run(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("Quick start:"), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("Interchangeable"), "{}", ran.stderr);
}

#[test]
fn the_version_is_the_package_version() {
    let ran = Lab::new().run(&["--version"]);
    assert_eq!(ran.code, 0);
    assert_eq!(
        ran.stdout.trim(),
        concat!("delassus ", env!("CARGO_PKG_VERSION"))
    );
}
