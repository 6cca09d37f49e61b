//! `export`: problems of a run as files, and solving them.

use std::fs;

use delassus_core::Activity;
use delassus_dynamics::{
    Probe, Scheme, Stage, StepView, VelocityParameters, VelocityScheme, presets,
};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_registry::Registry;
use serde_json::{Map, Value, json};

use crate::support::Lab;

/// Keeps the problem and the start of every first substep.
#[derive(Default)]
struct Keep(Vec<(delassus_core::Problem, Vec<f64>)>);

impl Probe for Keep {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        if view.substep == 0 {
            let problem = view.problem.expect("a problem").clone();
            self.0.push((problem, view.impulses.to_vec()));
        }
    }
}

fn preset(id: &str) -> VelocityParameters {
    let found = presets().iter().find(|preset| preset.id == id);
    (found.expect("a preset").parameters)()
}

/// Two boxes: ten are far from solved after the few sweeps of a step.
fn two() -> Map<String, Value> {
    Map::from_iter([("n".to_owned(), json!(2))])
}

#[test]
fn an_exported_frame_is_the_problem_that_the_scheme_solved() {
    let lab = Lab::new();
    let ran = lab.run(&[
        "export", "stack", "--frame", "7", "--set", "n=2", "--scheme", "tgs-soft", "--json",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let facts = &ran.objects()[0];
    assert_eq!(facts["file"], "stack-frame-7.dls");
    assert_eq!((&facts["frame"], &facts["substep"]), (&json!(7), &json!(0)));
    assert!(facts["rows"].as_u64() > Some(0) && facts["contacts"].as_u64() > Some(0));
    let named = read_file(lab.path("stack-frame-7.dls")).expect("a snapshot");
    assert_eq!(named.name, "stack frame 7");
    for part in [
        "scene stack",
        "tgs-soft",
        "\"substeps\":4",
        "solver pgs",
        "frame 7",
    ] {
        assert!(named.provenance.contains(part), "{}", named.provenance);
    }

    let mut world = delassus_scenes::build("stack", &two()).expect("a scene");
    let registry = Registry::standard();
    let solver = registry.find("pgs").expect("a solver").build(&Map::new());
    let parameters = preset("tgs-soft");
    let mut scheme = VelocityScheme::new(parameters, solver.expect("a solver")).expect("a scheme");
    let mut keep = Keep::default();
    for _ in 0..8 {
        scheme
            .step(&mut world, 1.0 / 60.0, &mut keep)
            .expect("a step");
    }
    let (problem, start) = &keep.0[7];
    assert_eq!(&named.problem, problem);
    let warm_start = named.warm_start.expect("a warm start");
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&warm_start), bits(start));
    // a stack at rest starts closer to its solution than zero is
    assert!(
        named
            .problem
            .activity()
            .iter()
            .all(|a| *a == Activity::Solve)
    );
    let mut evaluator = Evaluator::new(&named.problem).expect("an evaluator");
    let mut residual = |impulses: &[f64]| {
        let found = evaluator.evaluate(impulses).expect("residuals");
        found.natural_map
    };
    let cold = vec![0.0; problem.rows()];
    assert!(residual(&warm_start) < 0.5 * residual(&cold));
}

#[test]
fn an_exported_frame_can_be_solved_from_its_warm_start() {
    let lab = Lab::new();
    let ran = lab.run(&[
        "export",
        "chain",
        "--frame",
        "20",
        "--set",
        "length=0.5",
        "--set",
        "angle=1.5707963267948966",
        "--solver",
        "dense-direct",
        "--out",
        "deep/down/chain.dls",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(
        ran.stdout.starts_with("deep/down/chain.dls  "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains(" rows, "), "{}", ran.stdout);
    let solve = |start: &str| {
        let solve = [
            "solve",
            "deep/down/chain.dls",
            "--solver",
            "block-gs",
            "--json",
        ];
        let ran = lab.run(&[&solve[..], &["--start", start]].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let answer = ran.objects()[0].clone();
        assert_eq!(answer["status"], "solved", "{answer}");
        answer["sweeps"].as_u64().expect("a count")
    };
    let (warm, cold) = (solve("warm"), solve("cold"));
    assert!(warm < cold, "{warm} sweeps warm, {cold} cold");
    // a problem that comes from no run has no warm start
    crate::support::write_chain(&lab, 4);
    let ran = lab.run(&["solve", "chain.dls", "--solver", "pgs", "--start", "warm"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("stores no warm start"),
        "{}",
        ran.stdout
    );
}

#[test]
fn every_frame_goes_to_a_file_and_equal_requests_give_equal_bytes() {
    let lab = Lab::new();
    let all = |folder: &str| {
        let ran = lab.run(&[
            "export",
            "pendulum",
            "--frame",
            "10",
            "--all",
            "--out",
            folder,
            "--dt",
            "0.005",
            "--scheme",
            "soft-step",
            "--scheme-set",
            "substeps=2",
            "--substep",
            "1",
        ]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_eq!(ran.stdout.lines().count(), 11);
        let names = fs::read_dir(lab.path(folder)).expect("a folder");
        let mut names: Vec<String> = names
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    };
    let names = all("first");
    assert_eq!(names.len(), 11);
    assert_eq!(
        (names[0].as_str(), names[10].as_str()),
        ("pendulum-frame-00.dls", "pendulum-frame-10.dls")
    );
    assert_eq!(all("second"), names);
    for name in &names {
        let bytes = |folder: &str| fs::read(lab.path(folder).join(name)).expect("a file");
        assert_eq!(bytes("first"), bytes("second"), "{name}");
    }
    let single = lab.run(&[
        "export",
        "pendulum",
        "--frame",
        "10",
        "--dt",
        "0.005",
        "--scheme",
        "soft-step",
        "--scheme-set",
        "substeps=2",
        "--substep",
        "1",
        "--out",
        "single.dls",
    ]);
    assert_eq!(single.code, 0, "{}", single.stderr);
    let of_all = fs::read(lab.path("first").join(&names[10])).expect("a file");
    assert_eq!(fs::read(lab.path("single.dls")).expect("a file"), of_all);
}

#[test]
fn a_scene_file_is_a_scene() {
    let lab = Lab::new();
    let world = delassus_scenes::build("pendulum", &Map::new()).expect("a scene");
    delassus_scenes::write(&world, &lab.path("mine.toml")).expect("a scene file");
    let ran = lab.run(&["export", "mine.toml", "--frame", "3"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let ran = lab.run(&["export", "pendulum", "--frame", "3"]);
    assert_eq!(ran.code, 0);
    let read = |name: &str| read_file(lab.path(name)).expect("a snapshot");
    assert_eq!(
        read("mine-frame-3.dls").problem,
        read("pendulum-frame-3.dls").problem
    );
    lab.run(&["export", "mine.toml", "--frame", "3", "--set", "length=2"])
        .is_refused_with(&["length", "scene file"]);
    lab.run(&["export", "mnie.toml", "--frame", "3"])
        .is_refused_with(&["no such file", "mine.toml"]);
}

#[test]
fn moments_that_no_body_has_are_changed_on_request_alone() {
    let lab = Lab::new();
    lab.file(
        "plate.toml",
        "[[bodies]]\nname = \"plate\"\nkind = \"dynamic\"\nposition = [0.0, 0.0, 0.0]\n\
         inertia = { mass = 2.0, moments = [1.0, 5.0, 1.0] }\n",
    );
    lab.run(&[
        "export",
        "plate.toml",
        "--format",
        "json",
        "--out",
        "fixed.json",
    ])
    .is_refused_with(&[
        "the moments are [1.0, 5.0, 1.0]",
        "that one has [2.0, 4.0, 2.0]",
        "--fix-inertia",
    ]);
    assert!(!lab.path("fixed.json").exists());
    let arguments = ["export", "plate.toml", "--fix-inertia", "--format"];
    let ran = lab.run(&[&arguments[..], &["json", "--out", "fixed.json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note = "bodies[0].inertia.moments of \"plate\": [1.0, 5.0, 1.0] changed to [2.0, 4.0, 2.0]";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    // what was written needs no flag, and with it nothing is said
    let again = lab.run(&["export", "fixed.json", "--fix-inertia", "--frame", "0"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let frozen = lab.run(&["export", "plate.toml", "--fix-inertia", "--frame", "0"]);
    assert_eq!(frozen.code, 0, "{}", frozen.stderr);
    let provenance = read_file(lab.path("plate-frame-0.dls"))
        .expect("a snapshot")
        .provenance;
    assert!(
        provenance.contains("changed from [1.0, 5.0, 1.0]"),
        "{provenance}"
    );
    lab.run(&["export", "pendulum", "--fix-inertia", "--frame", "0"])
        .is_refused_with(&["--fix-inertia", "scene files"]);
}

#[test]
fn text_formats_hold_what_they_can() {
    let lab = Lab::new();
    let ran = lab.run(&["export", "stack", "--frame", "2", "--format", "fc3d"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let named = read_file(lab.path("stack-frame-2.dat")).expect("contact text");
    assert!(named.facts().contacts > 0);
    let ran = lab.run(&["export", "pendulum", "--frame", "2", "--format", "fc3d"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("cannot hold this problem"),
        "{}",
        ran.stderr
    );
    assert!(!lab.path("pendulum-frame-2.dat").exists());
}

#[test]
fn typing_errors_find_what_was_meant() {
    let lab = Lab::new();
    let export = |more: &[&str]| lab.run(&[&["export"], more].concat());
    export(&["pendulmu", "--frame", "1"]).is_refused_with(&[
        "\"pendulmu\"",
        "\"pendulum\"",
        "list scenes",
    ]);
    export(&["pendulum", "--frame", "1", "--set", "lenght=1"]).is_refused_with(&[
        "\"lenght\"",
        "\"length\"",
        "list scenes pendulum",
    ]);
    export(&["pendulum", "--frame", "1", "--set", "length=-1"]).is_refused_with(&[
        "length",
        "-1",
        "list scenes pendulum",
    ]);
    export(&["pendulum", "--frame", "1", "--scheme", "soft-stpe"]).is_refused_with(&[
        "\"soft-stpe\"",
        "\"soft-step\"",
        "list presets",
    ]);
    export(&["pendulum", "--frame", "1", "--scheme-set", "substep=2"])
        .is_refused_with(&["\"substep\"", "\"substeps\""]);
    export(&["pendulum", "--frame", "1", "--solver", "pgss"]).is_refused_with(&[
        "\"pgss\"",
        "\"pgs\"",
        "list solvers",
    ]);
    export(&["pendulum", "--frame", "1", "--scheme", "xpbd"])
        .is_refused_with(&["xpbd", "freezes no problem"]);
    export(&["pendulum", "--frame", "1", "--dt", "0"])
        .is_refused_with(&["--dt 0", "from 1e-12 to 1e6 s"]);
    export(&["pendulum", "--frame", "1", "--substep", "4"])
        .is_refused_with(&["--substep 4", "1 substep"]);
    export(&["pendulum"]).is_refused_with(&["--frame"]);
    assert!(!lab.path("pendulum-frame-1.dls").exists());
}

#[test]
fn a_spec_can_start_from_the_warm_start() {
    let lab = Lab::new();
    let ran = lab.run(&[
        "export",
        "chain",
        "--frame",
        "20",
        "--set",
        "length=0.5",
        "--set",
        "angle=1.5707963267948966",
        "--solver",
        "dense-direct",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let spec = r#"
title = "Warm and cold"
question = "Is the warm start used?"
problem = [
    { name = "warm", files = ["chain-frame-20.dls"], start = "warm" },
    { name = "cold", files = ["chain-frame-20.dls"] },
    { name = "none", use = "chain", start = "warm" },
]
solver = [{ use = "block-gs" }]
stop = { tolerance = 1e-8, max_sweeps = 10000 }
"#;
    lab.file("warm.toml", spec);
    let ran = lab.run(&["run", "warm.toml", "--json", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let cells = ran.objects();
    let sweeps = |cell: usize| {
        assert_eq!(cells[cell]["status"], "solved", "{}", cells[cell]);
        cells[cell]["sweeps"].as_u64().expect("a count")
    };
    assert!(sweeps(0) < sweeps(1), "{cells:?}");
    assert_eq!(cells[2]["status"], "unsupported");
    assert!(
        cells[2]["message"]
            .as_str()
            .is_some_and(|text| text.contains("warm start"))
    );
}

#[test]
fn the_worst_frame_is_the_one_whose_end_is_worst() {
    let lab = Lab::new();
    let export = |frame: &str, more: &[&str]| {
        let all = [
            "export", "stack", "--set", "n=3", "--frame", frame, "--json",
        ];
        let ran = lab.run(&[&all, more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.objects()[0]["frame"].as_u64(), ran.stderr)
    };
    let (found, said) = export("30", &["--worst", "penetration_max"]);
    let found = found.expect("a frame");
    assert!(
        said.contains(&format!("largest at the end of frame {found}: ")),
        "{said}"
    );
    let value = |said: &str| -> f64 {
        let (_, value) = said.trim_end().rsplit_once(": ").expect("a value");
        value.parse().expect("a number")
    };
    // no frame before or after it is worse, as runs of other lengths say
    let deepest = value(&said);
    for last in [found, 30] {
        let (again, said) = export(&last.to_string(), &["--worst", "penetration_max"]);
        assert_eq!((again, value(&said)), (Some(found), deepest));
    }
    if let Some(before) = found.checked_sub(1) {
        let (_, said) = export(&before.to_string(), &["--worst", "penetration_max"]);
        assert!(value(&said) < deepest, "{said}");
    }
    let exported = fs::read(lab.path(&format!("stack-frame-{found}.dls"))).expect("a file");
    export(&found.to_string(), &[]);
    let plain = fs::read(lab.path(&format!("stack-frame-{found}.dls"))).expect("a file");
    assert_eq!(exported, plain);
    lab.run(&[
        "export",
        "stack",
        "--frame",
        "3",
        "--worst",
        "penetratoin_max",
    ])
    .is_refused_with(&["--worst", "did you mean \"penetration_max\"?"]);
    // without --frame there is a last one to look at
    let words = [
        "export",
        "stack",
        "--set",
        "n=1",
        "--worst",
        "penetration_max",
    ];
    let ran = lab.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("of frames 0 to 299, penetration_max is largest"),
        "{}",
        ran.stderr
    );
    lab.run(&["export", "stack", "--frame", "3", "--worst", "drift_max"])
        .is_refused_with(&[
            "--worst drift_max",
            "it applies to worlds with rigid joint rows",
        ]);
}
