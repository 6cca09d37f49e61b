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
                "plot heat needs x, y, value",
                "--set x=…: ",
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
