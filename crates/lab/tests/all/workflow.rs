//! The workflow calls what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::Lab;

/// The text of a file of the workflow.
fn text(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("workflow").join(name)).expect("a file")
}

#[test]
fn its_verbs_and_flags_exist() {
    let lab = Lab::new();
    let text = text("Snakefile");
    let commands = text
        .lines()
        .filter_map(|line| line.split("\"{DELASSUS} ").nth(1));
    let mut verbs = BTreeSet::new();
    for command in commands {
        let mut words = command.split_whitespace();
        let verb = words.next().expect("a verb");
        let help = lab.run(&[verb, "--help"]);
        assert_eq!(help.code, 0, "{verb}: {}", help.stderr);
        let listed: BTreeSet<&str> = help
            .stdout
            .split([' ', ',', '\n'])
            .filter(|word| word.starts_with("--"))
            .collect();
        for flag in words.filter(|word| word.starts_with("--")) {
            let flag = flag.trim_end_matches('"');
            assert!(
                listed.contains(flag),
                "{verb} has no {flag}\n{}",
                help.stdout
            );
        }
        verbs.insert(verb);
    }
    assert_eq!(verbs, BTreeSet::from(["merge", "plan", "run"]));
}

#[test]
fn its_settings_are_those_that_it_reads() {
    let (workflow, settings) = (text("Snakefile"), text("config.yaml"));
    let named = |line: &str| Some(line.split_once(": ")?.0.to_owned());
    let given: BTreeSet<String> = settings
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(named)
        .collect();
    let read = workflow.split("config[\"").skip(1);
    let read = read.map(|rest| rest.split('"').next().unwrap_or_default().to_owned());
    assert_eq!(read.collect::<BTreeSet<_>>(), given);
}
