//! `plot`: a figure that is in no spec.

use std::fs;

use crate::support::Lab;

const SPEC: &str = r#"
title = "Two cells"
[[problem]]
use = "chain"
n = [3, 4]
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-10
[[figure]]
id = "own"
plot = { convergence = { x = "row_updates", y = "natural_map" } }
"#;

#[test]
fn a_figure_of_the_records_is_that_of_a_spec() {
    let lab = Lab::new();
    lab.file("two.toml", SPEC);
    assert_eq!(
        lab.run(&["run", "two.toml", "--out", "out", "--quiet"])
            .code,
        0
    );
    let ran = lab.run(&["plot", "out"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let own = fs::read_to_string(lab.path("out/figures/own.svg")).expect("a figure");
    // but for the identifier
    assert_eq!(ran.stdout.replace("delassus-plot", "own"), own);
    let ran = lab.run(&[
        "plot",
        "out",
        "convergence",
        "--set",
        "x=sweeps",
        "--set",
        "problems=chain n=3",
        "--out",
        "one.svg",
    ]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "one.svg\n"),
        "{}",
        ran.stderr
    );
    // kinds that need no more than a quantity take the first that was measured
    for kind in [
        "work-precision",
        "speed-accuracy",
        "bars",
        "violin",
        "distribution",
    ] {
        let ran = lab.run(&["plot", "out", kind]);
        assert_eq!(ran.code, 0, "{kind}: {}", ran.stderr);
        assert!(ran.stdout.starts_with("<svg"), "{kind}");
    }
    let ran = lab.run(&["plot", "out", "targets", "--set", "between=[0.1,1e-10]"]);
    assert!(
        ran.stdout.contains("2 × 46 pairs"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    // by its id, bit for bit; with another setting, another one
    assert_eq!(lab.run(&["plot", "out", "own"]).stdout, own);
    let sweeps = lab.run(&["plot", "out", "own", "--set", "x=sweeps", "--json"]);
    let sweeps = &sweeps.objects()[0];
    assert_eq!(
        (&sweeps["kind"], &sweeps["settings"]["x"]),
        (&"convergence".into(), &"sweeps".into())
    );
    assert_ne!(sweeps["svg"].as_str(), Some(own.as_str()));
    let one = fs::read_to_string(lab.path("one.svg")).expect("a figure");
    assert!(
        one.contains("chain, n = 3") && !one.contains("chain, n = 4"),
        "{one}"
    );
}

#[test]
fn kinds_and_settings_are_checked_as_in_a_spec() {
    let lab = Lab::new();
    lab.file("two.toml", SPEC);
    assert_eq!(
        lab.run(&["run", "two.toml", "--out", "out", "--quiet"])
            .code,
        0
    );
    for (words, parts) in [
        (&["plot", "nowhere"][..], &["results folder"][..]),
        (
            &["plot", "out", "convergenc"],
            &[
                "unknown kind",
                "\"convergence\"",
                "figures of the spec: own",
                "profile",
            ],
        ),
        (
            &["plot", "out", "--set", "y=natural_mp"],
            &["natural_mp", "\"natural_map\""],
        ),
        (
            &["plot", "out", "--set", "logx=true"],
            &["unknown key", "\"log_x\""],
        ),
        (&["plot", "out", "trajectory"], &["[[scene]]"]),
        (
            &["plot", "out", "heat"],
            &[
                "needs two parameters with several values; these results have only n",
                "delassus list figures heat",
            ],
        ),
        (&["plot", "out", "--set", "x"], &["KEY=VALUE"]),
        (
            &["plot", "out", "--set", "problems=zz"],
            &[
                "no problem of these results is named \"zz\"",
                "chain n=3, chain n=4",
            ],
        ),
        (
            &["plot", "out", "--set", "solvers=[\"pgs\", \"zz\"]"],
            &["no solver", "\"zz\"", "there are pgs"],
        ),
        // a kind is a name, and nothing that ends it
        (&["plot", "out", "x = {} }\n[stop]\n#"], &["unknown kind"]),
    ] {
        let ran = lab.run(words);
        ran.is_refused_with(parts);
        // the request has no lines
        assert!(!ran.stderr.contains(".toml:"), "{}", ran.stderr);
    }
}

const MOTION: &str = r#"
title = "Motion"
[[scene]]
use = "pendulum"
angle = [0.0, 0.5]
[[scheme]]
use = "soft-step"
substeps = [1, 2]
[[solver]]
use = "pgs"
[simulate]
seconds = 0.1
observables = ["drift_max", "energy_error"]
"#;

const TIMES: &str = r#"
title = "Times"
[[problem]]
use = "chain"
n = [3, 4]
[[solver]]
use = "wide-pgs"
threads = [1, 2]
[timing]
row_updates = 1000
repetitions = 2
"#;

/// A word of a line as a shell takes it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("a word").push(c),
        }
    }
    words
}

#[test]
fn the_line_that_a_kind_is_drawn_with_works_as_it_stands() {
    let lab = Lab::new();
    let listed = lab.run(&["list", "figures", "--json"]);
    let kinds = listed.objects();
    let mut followed = Vec::new();
    for (name, spec) in [("two", SPEC), ("motion", MOTION), ("times", TIMES)] {
        lab.file(&format!("{name}.toml"), spec);
        let ran = lab.run(&["run", &format!("{name}.toml"), "--out", name, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        for kind in &kinds {
            let kind = kind["id"].as_str().expect("a name");
            let ran = lab.run(&["plot", name, kind]);
            if ran.code == 0 {
                continue;
            }
            let of = |start: &str| {
                let mut lines = ran.stderr.lines().map(str::trim);
                lines.find_map(|line| line.strip_prefix(start).map(str::to_owned))
            };
            let Some(line) = of("for these results: delassus ") else {
                // nothing that could be set would help
                assert!(!ran.stderr.contains("for these"), "{}", ran.stderr);
                let said = [
                    "goes with",
                    "with several values",
                    "parameter; give one",
                    "a scheme with several lengths of a frame",
                ];
                assert!(
                    said.iter().any(|part| ran.stderr.contains(part)),
                    "{}",
                    ran.stderr
                );
                continue;
            };
            let line = words(&line);
            let line: Vec<&str> = line.iter().map(String::as_str).collect();
            let drawn = lab.run(&line);
            assert_eq!(drawn.code, 0, "{line:?}: {}", drawn.stderr);
            assert!(drawn.stdout.starts_with("<svg"), "{line:?}");
            let plot = of("in a spec: ").expect("a line for a spec");
            let more = format!("{spec}[[figure]]\nid = \"more\"\n{plot}\n");
            lab.file("more.toml", more);
            let ran = lab.run(&["run", "more.toml", "--dry-run"]);
            assert_eq!(ran.code, 0, "{plot}: {}", ran.stderr);
            followed.push(format!("{name} {kind}"));
        }
    }
    for line in [
        "two parameter",
        "motion parameter",
        "motion heat",
        "motion scaling",
        "motion predictability",
        "times heat",
        "times scaling",
        "times threads",
    ] {
        assert!(
            followed.iter().any(|own| own == line),
            "{line}: {followed:?}"
        );
    }
}

#[test]
fn one_name_needs_no_brackets_where_a_list_stands() {
    let lab = Lab::new();
    lab.file("motion.toml", MOTION);
    let ran = lab.run(&["run", "motion.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let plot = |observables: &str| {
        let words = [
            "plot",
            "out",
            "predictability",
            "--set",
            "x=scene.angle",
            "--set",
        ];
        lab.run(&[&words[..], &[observables]].concat())
    };
    let one = plot("observables=drift_max");
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, plot("observables=[\"drift_max\"]").stdout);
}

/// Two presets differ in parameters that the spec does not set: no key draws them.
#[test]
fn results_without_a_varied_parameter_ask_for_no_key() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"soft-step\"\n[[scheme]]\n\
         use = \"box2d-lite\"\n[[solver]]\nuse = \"pgs\"\n[simulate]\nseconds = 0.05\n\
         observables = [\"drift_max\"]\n";
    lab.file("two.toml", spec);
    let ran = lab.run(&["run", "two.toml", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (kind, needed) in [
        ("parameter", "a parameter with several values"),
        ("heat", "two parameters with several values"),
        ("scaling", "a parameter with several values"),
        (
            "self-convergence",
            "a scheme with several lengths of a frame",
        ),
    ] {
        let ran = lab.run(&["plot", "out", kind]);
        ran.is_refused_with(&[kind, needed, "these results have none", "change the spec"]);
        assert!(!ran.stderr.contains("--set"), "{}", ran.stderr);
    }
}
