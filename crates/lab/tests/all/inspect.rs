//! `inspect`: what problem files hold, and which rows are redundant.

use delassus_core::{Law, MassProperties, ProblemBuilder};
use delassus_problems::{Captured, NamedProblem, write_snapshot};
use nalgebra::Vector3;
use serde_json::json;

use crate::support::Lab;

/// A cube on its face on level ground.
const CUBE: [&str; 9] = [
    "footed-box",
    "--frame",
    "3",
    "--set",
    "feet=0",
    "--set",
    "slope=0.0",
    "--set",
    "half=[0.5, 0.5, 0.5]",
];

fn exported(lab: &Lab, arguments: &[&str], out: &str) {
    let mut line = vec!["export"];
    line.extend_from_slice(arguments);
    line.extend_from_slice(&["--out", out]);
    let ran = lab.run(&line);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_box_on_a_plane_has_one_redundant_normal() {
    let lab = Lab::new();
    exported(&lab, &CUBE, "box.dls");
    let ran = lab.run(&["inspect", "box.dls", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let facts = &ran.objects()[0];
    assert_eq!(facts["file"], "box.dls");
    for (key, expected) in [
        ("rows", json!(12)),
        ("contacts", json!(4)),
        ("laws", json!({ "disc": 4 })),
        ("soft_rows", json!(0)),
        ("coupled_blocks", json!(0)),
    ] {
        assert_eq!(facts[key], expected, "{key}");
    }
    let ranks = |of: &str| ["rows", "rank", "null"].map(|key| facts[of][key].clone());
    assert_eq!(ranks("normals"), [4, 3, 1]);
    assert_eq!(ranks("all"), [12, 6, 6]);
    // a cube has the eigenvalues 4, 6, 6, 0 over its mass
    let condition = facts["normals"]["condition"].as_f64().expect("a number");
    assert!((condition - 1.5).abs() < 1e-9, "{condition}");
    let ran = lab.run(&["inspect", "box.dls"]);
    assert_eq!(
        ran.stdout,
        "box.dls  12 rows of rank 6, 6 redundant; 4 normals of rank 3, 1 redundant; 4 disc\n"
    );
}

#[test]
fn beyond_the_limit_the_rank_is_left_out_and_that_is_said() {
    let lab = Lab::new();
    exported(
        &lab,
        &[
            "vertical-stack",
            "--frame",
            "5",
            "--set",
            "n=3",
            "--set",
            "gap=0.0",
        ],
        "stack.dls",
    );
    let ran = lab.run(&["inspect", "stack.dls", "--max-rows", "20", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let facts = &ran.objects()[0];
    assert_eq!(facts["all"]["rank"], json!(null));
    let why = facts["all"]["message"].as_str().expect("a reason");
    assert!(why.contains("36 rows are more than --max-rows 20"), "{why}");
    assert_eq!(
        (&facts["normals"]["rank"], &facts["normals"]["null"]),
        (&json!(9), &json!(3))
    );
    let text = lab
        .run(&["inspect", "stack.dls", "--max-rows", "20"])
        .stdout;
    assert!(
        text.contains("36 rows of unknown rank (36 rows are more"),
        "{text}"
    );
    assert!(text.contains("12 normals of rank 9, 3 redundant"), "{text}");
}

#[test]
fn soft_rows_and_joints_are_told() {
    let lab = Lab::new();
    let soft = [&CUBE[..], &["--scheme", "soft-step"]].concat();
    exported(&lab, &soft, "soft.dls");
    exported(
        &lab,
        &["chain", "--frame", "5", "--set", "n=3"],
        "chain.dls",
    );
    let ran = lab.run(&["inspect", "soft.dls", "chain.dls"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].contains("; 4 soft rows; "), "{}", lines[0]);
    assert!(
        lines[1].contains("of full rank; no contacts; "),
        "{}",
        lines[1]
    );
}

#[test]
fn what_cannot_be_read_has_a_line_and_the_rest_goes_on() {
    let lab = Lab::new();
    lab.file("broken.dls", "no snapshot");
    exported(&lab, &CUBE, "box.dls");
    let ran = lab.run(&["inspect", "broken.dls", "box.dls"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout.lines().count(), 2, "{}", ran.stdout);
    assert!(
        ran.stdout.starts_with("broken.dls  unreadable  "),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stderr, "error: 1 of 2 files unreadable\n");
    let ran = lab.run(&["inspect", "missing.dls"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("missing.dls: no such file"),
        "{}",
        ran.stderr
    );
    let ran = lab.run(&["inspect", "box.dls", "--law", "colomb"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("coulomb"), "{}", ran.stderr);
}

/// 2 kg that fall on a frictionless contact at 1 m/s; the engine stopped at 1.5 of 2 N·s and says
/// that the body then fell at 0.2 m/s.
fn half_solved() -> NamedProblem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    builder.block(Law::frictionless(), &[body], &[[up]]);
    let problem = builder.build().expect("a problem");
    let mut named = NamedProblem::new("falling", problem, "a test");
    named.captured = Some(Captured {
        impulses: vec![1.5],
        velocities: Some(vec![0.0, -0.2, 0.0, 0.0, 0.0, 0.0]),
        iterations: Some(3),
        engine: "My engine".to_owned(),
        version: "1.2".to_owned(),
        step: 40,
        substep: 2,
        pass: "relax".to_owned(),
    });
    named
}

#[test]
fn the_impulses_of_an_engine_get_our_residual() {
    let lab = Lab::new();
    write_snapshot(lab.path("engine.dls"), &half_solved()).expect("a file");
    let ran = lab.run(&["inspect", "engine.dls", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let engine = &ran.objects()[0]["captured"];
    for (key, expected) in [
        ("engine", json!("My engine")),
        ("step", json!(40)),
        ("substep", json!(2)),
        ("pass", json!("relax")),
        ("iterations", json!(3)),
    ] {
        assert_eq!(engine[key], expected, "{key}");
    }
    // w = 1.5/2 − 1; the impulse is short by 2 w, and E_s = 1 J
    for (key, expected) in [
        ("natural_map", 0.25),
        ("natural_map_impulse", 0.5),
        ("natural_map_velocity", 0.25),
        ("velocity_mismatch", 0.05),
    ] {
        let found = engine[key].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-12, "{key}: {found}");
    }
    let text = lab.run(&["inspect", "engine.dls"]).stdout;
    let source = "the engine's own impulses (My engine 1.2, step 40, substep 2, pass relax): ";
    assert!(text.contains(source), "{text}");
    for part in ["natural map", " m/s, ", " N·s, ", "after 3 iterations"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // a conversion to our own format keeps the impulses, and others say that they lose them
    let kept = lab.run(&["convert", "engine.dls", "copy.dls"]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let copy = lab.run(&["inspect", "copy.dls", "--json"]);
    assert_eq!(&copy.objects()[0]["captured"], engine);
    let lost = lab.run(&["convert", "engine.dls", "copy.dat"]);
    assert_ne!(lost.code, 0);
    assert!(lost.stderr.contains("of the engine"), "{}", lost.stderr);
}

#[test]
fn a_solve_starts_from_the_impulses_of_an_engine() {
    let lab = Lab::new();
    write_snapshot(lab.path("engine.dls"), &half_solved()).expect("a file");
    // the impulse of the engine leaves 0.25, none leaves 1
    let spec = r#"
title = "Starts"
question = "Where does a solve start?"
problem = [
    { name = "engine", files = ["engine.dls"], start = "captured" },
    { name = "zero", files = ["engine.dls"] },
    { name = "none", use = "chain", start = "captured" },
]
solver = [{ use = "pgs" }]
stop = { tolerance = 0.5, max_sweeps = 10 }
"#;
    lab.file("starts.toml", spec);
    let ran = lab.run(&["run", "starts.toml", "--json", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let cells = ran.objects();
    assert_eq!(cells[0]["sweeps"], 0, "{}", cells[0]);
    assert_eq!(cells[1]["sweeps"], 1, "{}", cells[1]);
    assert_eq!(cells[2]["status"], "unsupported");
    let reason = cells[2]["message"].as_str().expect("a reason");
    assert!(reason.contains("impulses of an engine"), "{reason}");
    // the same start of one solve
    let solve = ["solve", "engine.dls", "--solver", "pgs", "--tol", "0.5"];
    let from = |start: &str| {
        let ran = lab.run(&[&solve[..], &["--json", "--start", start]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.objects()[0]["sweeps"].clone()
    };
    assert_eq!((from("captured"), from("cold")), (json!(0), json!(1)));
}
