//! What the program says about how things ended, and what is in its lists.

use std::fs;

use crate::support::{LCP, Lab};

/// A spec with a scene that nothing steps, and a scheme with a length of its own.
const OVER_TIME: &str = r#"title = "Over time"
question = "What is it called?"
[[scene]]
use = "pendulum"
name = "=swing"
angle = [0.5, 1.0]
[[scene]]
use = "catenary"
[[scheme]]
use = "pgs-baumgarte"
seconds = 0.1
scenes = ["=swing angle=0.5"]
[[solver]]
use = "pgs"
[simulate]
observables = ["drift_max"]
[[table]]
id = "cells"
show = { cells = {} }
[[table]]
id = "laws"
show = { closed-forms = { quantity = "drift_max" } }
"#;

#[test]
fn a_run_over_time_has_ended_and_says_which_scenes_nothing_steps() {
    let lab = Lab::new();
    let spec = lab.file("spec.toml", OVER_TIME);
    let planned = lab.run(&["run", spec, "--dry-run"]);
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    let left = "no scheme steps 2 scenes, which have no cell: \"=swing angle=1\", \"catenary\"";
    assert!(planned.stdout.contains(left), "{}", planned.stdout);
    let ran = lab.run(&["run", spec, "--out", "out", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains(left), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 cell: 1 ended;"), "{}", ran.stderr);
    let objects = ran.objects();
    assert_eq!(objects[0]["status"], "ended");
    assert_eq!(objects[1]["statuses"]["ended"], 1);
    let read = |name: &str| fs::read_to_string(lab.path("out").join(name)).expect("a file");
    let summary = read("summary.csv");
    assert!(
        summary.contains(",ended,") && !summary.contains(",solved,"),
        "{summary}"
    );
    // a text that begins like a formula is guarded, and stays a text
    assert!(summary.contains("'=swing angle=0.5"), "{summary}");
    assert!(read("records.csv").contains(",'=swing angle=0.5,"));
    assert!(read("tables/cells.csv").contains("ended"));
    let page = read("report.html");
    assert!(
        page.contains("no scheme steps 2 scenes"),
        "the page names them"
    );
    // records keep the word that they always had
    let cell = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten()
        .next();
    let cell = fs::read_to_string(cell.expect("a cell").path()).expect("a cell");
    assert!(cell.contains("\"solved\""), "{cell}");
    let again = lab.run(&["report", "out"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(read("report.html").contains("no scheme steps 2 scenes"));
}

#[test]
fn a_closed_form_table_says_what_it_leaves_out() {
    let lab = Lab::new();
    let spec = OVER_TIME.replace("quantity = \"drift_max\" } }", "quantity = \"x[1].y\" } }");
    let spec = spec
        .replace(
            "observables = [\"drift_max\"]",
            "observables = [\"x[1].y\"]",
        )
        .replace("scenes = [\"=swing angle=0.5\"]\n", "");
    let spec = lab.file("spec.toml", spec);
    let ran = lab.run(&["run", spec, "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = fs::read_to_string(lab.path("out/report.html")).expect("a page");
    let note = "Left out: 1 cell (no closed form of x[1].y is known for them): catenary with pgs-baumgarte.";
    assert!(page.contains(note), "{page}");
}

#[test]
fn seconds_are_needed_once() {
    let lab = Lab::new();
    let without = OVER_TIME.replace("seconds = 0.1\n", "");
    let spec = lab.file("spec.toml", without);
    lab.run(&["run", spec, "--dry-run"])
        .is_refused_with(&["[simulate] needs seconds", "every [[scheme]]"]);
}

#[test]
fn names_choose_by_whole_words() {
    let lab = Lab::new();
    let dry = |wanted: &str| {
        let spec = OVER_TIME
            .replace("=swing angle=0.5", wanted)
            .replace("=swing", "swing wide");
        lab.file("spec.toml", spec);
        lab.run(&["run", "spec.toml", "--dry-run"])
    };
    for (wanted, cells) in [("swing", 2), ("swing wide", 2), ("swing wide angle=1", 1)] {
        let ran = dry(wanted);
        assert!(
            ran.stdout.contains(&format!("\n{cells} ")),
            "{wanted}: {}",
            ran.stdout
        );
    }
    dry("swin").is_refused_with(&["no scene is named \"swin\""]);
}

#[test]
fn a_scene_of_the_list_names_what_can_be_measured() {
    let lab = Lab::new();
    let page = lab.run(&["list", "scenes", "pendulum"]).stdout;
    for part in [
        "1: bob (dynamic",
        "0: pivot (distance of bodies 0, 1; rows [m])",
        "y points up",
        "C[J].R",
        "torque[J].A",
        "drift_max",
    ] {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
    let json = lab
        .run(&["list", "scenes", "two-body-spring", "--json"])
        .objects()
        .remove(0);
    assert_eq!(json["world"]["bodies"][1]["name"], "right");
    assert_eq!(json["world"]["joints"][0]["rows"], serde_json::json!(["m"]));
    // long lists are shortened for people only
    let wall = lab.run(&["list", "scenes", "wall"]).stdout;
    assert!(wall.contains("more (--json has all)"), "{wall}");
}

#[test]
fn constraints_have_types() {
    let lab = Lab::new();
    let page = lab.run(&["list", "constraints", "distance"]).stdout;
    for part in [
        "bodies: 2 numbers of bodies, from 0",
        "anchors: list of 2, each a vector [x, y, z]",
        "length: function of time, a table with one of constant, ramp, sine",
    ] {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
    let json = lab
        .run(&["list", "constraints", "hinge", "--json"])
        .objects()
        .remove(0);
    let types = json["types"].as_object().expect("types");
    assert_eq!(
        types.len(),
        json["fields"].as_array().expect("fields").len()
    );
    assert!(
        types
            .values()
            .all(|text| text.as_str().is_some_and(|t| !t.is_empty()))
    );
    let bead = lab.run(&["list", "constraints", "bead"]).stdout;
    assert!(bead.contains("curve, a table with one of circle"), "{bead}");
}

#[test]
fn statuses_are_listed_with_what_to_do() {
    let lab = Lab::new();
    let page = lab.run(&["list", "statuses", "stagnated"]).stdout;
    assert!(
        page.contains("the solver proves that no further sweep changes its impulses"),
        "{page}"
    );
    assert!(page.contains("what to do"), "{page}");
    lab.run(&["list", "statuses", "stagnatde"])
        .is_refused_with(&["\"stagnated\""]);
}

#[test]
fn a_scene_is_exported_as_a_file_that_comes_back() {
    let lab = Lab::new();
    for format in ["toml", "json"] {
        let ran = lab.run(&[
            "export", "pendulum", "--set", "length=2", "--format", format,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(
            ran.stdout,
            format!("pendulum.{format}  2 bodies, 1 joint, 0 manifolds\n")
        );
        let frozen = |scene: &str, more: &[&str]| {
            let out = format!("{}.dls", scene.replace('.', "-"));
            let arguments = ["export", scene, "--frame", "3", "--out", &out];
            assert_eq!(lab.run(&[&arguments[..], more].concat()).code, 0);
            let solve = ["solve", &out, "--solver", "dense-direct", "--save", "saved"];
            assert_eq!(lab.run(&solve).code, 0);
            fs::read(lab.path("saved").join(out.replace(".dls", ".csv"))).expect("a solution")
        };
        let file = frozen(&format!("pendulum.{format}"), &[]);
        assert_eq!(file, frozen("pendulum", &["--set", "length=2"]), "{format}");
    }
    lab.run(&["export", "pendulum", "--format", "toml", "--frame", "3"])
        .is_refused_with(&["at its start", "--frame"]);
    lab.run(&["export", "pendulum", "--format", "toml", "--out", "x.json"])
        .is_refused_with(&["x.json", ".toml"]);
    lab.run(&["export", "pendulum"])
        .is_refused_with(&["--frame K is missing"]);
}

#[test]
fn scales_that_remove_more_than_the_error_are_refused() {
    let lab = Lab::new();
    let export = |dt: &str| {
        let spring = ["--set", "form=scales", "--set", "damping_ratio=0"];
        let scheme = ["--scheme", "velocity", "--frame", "0", "--dt", dt];
        lab.run(&[&["export", "two-body-spring"], &spring[..], &scheme[..]].concat())
    };
    // they are for steps of 1/60 s, where an undamped spring removes all of it
    assert_eq!(export("0.016").code, 0);
    let refused = export("0.02");
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    let wanted = ["joints[0].softness.bias_rate", "shorter steps"];
    assert!(
        wanted.iter().all(|part| refused.stderr.contains(part)),
        "{}",
        refused.stderr
    );
}

#[test]
fn the_answer_carries_the_scale_of_its_residuals() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let answer = lab
        .run(&["solve", file, "--solver", "pgs", "--json"])
        .objects()
        .remove(0);
    let scale = answer["energy_scale"].as_f64().expect("a number");
    // E_s = ½ Σ q_i² / A_ii over the rows (M.3), of q = (−1, −1) and A_ii = 2, 3
    assert!((scale - 5.0 / 12.0).abs() < 1e-15, "{answer}");
}

#[test]
fn an_environment_variable_is_called_by_its_name() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    for arguments in [
        vec!["solve", file, "--solver", "wide-pgs"],
        vec!["export", "stack", "--frame", "1", "--solver", "wide-pgs"],
    ] {
        let output = lab.command(&arguments).env("DELASSUS_SIMD", "foo").output();
        let output = output.expect("the program starts");
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(
            text.contains("the environment variable DELASSUS_SIMD is \"foo\""),
            "{text}"
        );
        assert!(
            !text.contains("delassus list"),
            "no list describes it: {text}"
        );
    }
}

#[test]
fn wrong_values_are_explained_without_types_of_the_program() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    for arguments in [
        vec!["export", "stack", "--frame", "1", "--set", "n=-1"],
        vec![
            "export",
            "stack",
            "--frame",
            "1",
            "--scheme-set",
            "substeps=-8",
        ],
        vec!["solve", file, "--solver", "psor", "--set", "seed=-1"],
    ] {
        let ran = lab.run(&arguments);
        ran.is_refused_with(&["expected a whole number"]);
        for name in ["usize", "u32", "u64"] {
            assert!(!ran.stderr.contains(name), "{}", ran.stderr);
        }
    }
}

#[cfg(all(feature = "gpu", target_os = "linux"))]
#[test]
fn drivers_do_not_complain_about_the_session() {
    let lab = Lab::new();
    let mut command = lab.command(&["doctor"]);
    let output = command
        .env_remove("XDG_RUNTIME_DIR")
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("XDG_RUNTIME_DIR"), "{text}");
}

#[test]
fn huge_numbers_are_printed_with_an_exponent() {
    let lab = Lab::new();
    let huge: &[&[&str]] = &[
        &["play", "pendulum", "--set", "length=-1e308"],
        &["check", "stack", "--set", "friction=1e308"],
        &["export", "pendulum", "--frame", "1", "--dt", "-1e308"],
        &["export", "pendulum", "--frame", "1", "--dt", "1e7"],
        &["solve", "x.dls", "--max-seconds", "-1e308"],
        &["solve", "x.dls", "--tol", "-1e-300"],
        &["solve", "x.dls", "--solver", "psor", "--set", "omega=1e308"],
        &["compare", "x", "--tolerance", "-1e308"],
        &["check-engine", "engine:none", "--frame-seconds", "-1e308"],
        &["soft", "--step", "-1e308"],
    ];
    for words in huge {
        let ran = lab.run(words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("0000"), "{words:?}: {}", ran.stderr);
    }
    let dt = ["export", "pendulum", "--frame", "1", "--dt"];
    for out in ["1e7", "1e-13", "0", "nan"] {
        lab.run(&[&dt[..], &[out]].concat())
            .is_refused_with(&["--dt", "1e-12", "1e6 s"]);
    }
}
