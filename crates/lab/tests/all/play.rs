//! `play` and `check`: scenes without a spec.

use std::fs;

use serde_json::Value;

use crate::support::{Lab, write_chain};

/// Two balls of 1 and 8 kg that overlap by 0.05 m, the second on a rod whose end is 0.2 m off.
const WRONG: &str = r#"gravity = [0.0, -9.81, 0.0]
[[bodies]]
name = "hook"
kind = "static"
position = [0.0, 3.2, 0.0]
[[bodies]]
name = "small"
kind = "dynamic"
inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }
position = [0.0, 1.0, 0.0]
[[bodies]]
name = "large"
kind = "dynamic"
inertia = { mass = 8.0, moments = [0.8, 0.8, 0.8] }
position = [0.0, 1.75, 0.0]
[[bodies]]
name = "far"
kind = "dynamic"
inertia = { mass = 2.0, moments = [0.1, 0.1, 0.1] }
position = [9.0, 0.0, 0.0]
[[colliders]]
body = 1
shape = { sphere = { radius = 0.4 } }
[[colliders]]
body = 2
shape = { sphere = { radius = 0.4 } }
[[joints]]
name = "rod"
[joints.constraint.distance]
bodies = [0, 2]
anchors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
length = { constant = 1.25 }
"#;

#[test]
fn a_scene_plays_without_a_spec() {
    let lab = Lab::new();
    let play = [
        "play",
        "pendulum",
        "--scheme",
        "soft-step,xpbd",
        "--seconds",
        "0.5",
    ];
    let ran = lab.run(&play);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for scheme in ["soft-step", "xpbd"] {
        assert!(ran.stdout.contains(scheme), "{}", ran.stdout);
    }
    let page = "results/play-pendulum/replay.html";
    assert!(
        ran.stdout.contains(&format!("replay  {page}\n")),
        "{}",
        ran.stdout
    );
    let text = fs::read_to_string(lab.path(page)).expect("the page");
    assert_eq!(text.matches("data-method=").count(), 2);
    // the spec runs like any other, and its cells are there
    let spec = "results/play-pendulum/play.toml";
    let again = lab.run(&["run", spec, "--out", "results/play-pendulum", "--dry-run"]);
    assert!(again.stdout.contains("2 cells: 2 done"), "{}", again.stdout);
    // and the page names the command that leads to its own folder
    let report = fs::read_to_string(lab.path("results/play-pendulum/report.html"));
    let command = format!("delassus run {spec} --out results/play-pendulum</code>");
    assert!(report.expect("the report").contains(&command), "{command}");
    let mut wider: Vec<&str> = play.to_vec();
    wider.extend(["--set", "angle=1.0", "--json"]);
    let objects = lab.run(&wider).objects();
    let last = objects.last().expect("totals");
    assert_eq!(
        (&last["schema"], &last["kept"], &last["replaced"]),
        (&"play/1".into(), &0.into(), &true.into())
    );
    // the earlier page is gone, and that is said
    let same = lab.run(&wider[..wider.len() - 1]);
    assert!(!same.stdout.contains("replaced"), "{}", same.stdout);
    let other = lab.run(&play);
    assert!(
        other.stdout.contains("is replaced: --out"),
        "{}",
        other.stdout
    );
    assert_eq!(last["replay"], page);
    // who has changed the spec keeps it
    let mine = fs::read_to_string(lab.path(spec)).expect("the spec") + "# mine\n";
    fs::write(lab.path(spec), &mine).expect("a file");
    lab.run(&play)
        .is_refused_with(&["play.toml is not as", "--out"]);
    assert_eq!(fs::read_to_string(lab.path(spec)).expect("the spec"), mine);
}

#[test]
fn a_scene_file_plays_from_any_folder() {
    let lab = Lab::new();
    let file = lab.file("mine/wrong.toml", WRONG);
    let ran = lab.run(&[
        "play",
        file,
        "--scheme",
        "xpbd",
        "--seconds",
        "0.1",
        "--quiet",
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(lab.path("results/play-wrong/replay.html").is_file());
    let copy = fs::read_to_string(lab.path("results/play-wrong/scene-copy.toml"));
    assert_eq!(copy.expect("a copy"), WRONG);
}

#[test]
fn an_observable_takes_the_name_of_a_body() {
    let lab = Lab::new();
    let file = lab.file("wrong.toml", WRONG);
    let play = |name| {
        let words = [
            "play",
            file,
            "--scheme",
            "xpbd",
            "--seconds",
            "0.1",
            "--quiet",
        ];
        lab.run(&[&words[..], &["--observable", name]].concat())
    };
    let ran = play("x[large].y");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("x[large].y"), "{}", ran.stdout);
    let page = fs::read_to_string(lab.path("results/play-wrong/replay.html")).expect("the page");
    assert!(
        page.contains("position of large along y [m]"),
        "no name in the page"
    );
    let verified = lab.run(&["verify", "results/play-wrong"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    play("x[lrge].y").is_refused_with(&["no body named \"lrge\"", "did you mean \"large\"?"]);
    play("C[rodd].0").is_refused_with(&["no joint named \"rodd\"", "\"rod\""]);
    play("x[9].y").is_refused_with(&["x[9].y", "4 bodies"]);
    play("hight").is_refused_with(&["unknown observable \"hight\"", "list observables"]);
    let scheme = |names: &str| lab.run(&["play", "wrong.toml", "--scheme", names]);
    scheme("pgs").is_refused_with(&["unknown scheme \"pgs\"; it is a solver"]);
    scheme("xpbd,").is_refused_with(&["--scheme: a name is missing next to a comma"]);
    lab.file("empty.toml", "");
    lab.run(&["check", "empty.toml"])
        .is_refused_with(&["empty.toml: the scene has no bodies"]);
    lab.file("data/scenes/playground.toml", "");
    lab.run(&["check", "playgroud"])
        .is_refused_with(&["there is the file data/scenes/playground.toml"]);
    let verb = |verb: &str| lab.run(&[verb, "x"]);
    verb("chek").is_refused_with(&["similar subcommands exist: 'check', "]);
    verb("simulate").is_refused_with(&["'play'"]);
    lab.run(&["explain", "penetration_"])
        .is_refused_with(&["there are ", "penetration_max"]);
    // the same in a spec, with its place
    let spec = |name: &str| {
        format!(
            "title = \"t\"\n[[scene]]\nfile = \"wrong.toml\"\n[[scheme]]\nuse = \"xpbd\"\n\
             [simulate]\nseconds = 0.1\nobservables = [\"x[2].y\", \"{name}\"]\n\
             [[figure]]\nid = \"f\"\ncaption = \"c\"\nplot = {{ trajectory = {{ y = \"{name}\" }} }}\n"
        )
    };
    lab.file("named.toml", spec("x[large].y"));
    let ran = lab.run(&["run", "named.toml", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = &ran.objects()[0]["residuals"];
    assert!(
        found["x[2].y"].is_number() && found["x[2].y"] == found["x[large].y"],
        "{found}"
    );
    lab.file("named.toml", spec("x[larg].y"));
    lab.run(&["run", "named.toml", "--dry-run"])
        .is_refused_with(&["named.toml:", "no body named \"larg\"", "\"large\"?"]);
    lab.run(&["export", file, "--frame", "3", "--worst", "x[larg].y"])
        .is_refused_with(&["--worst", "\"large\"?"]);
}

#[test]
fn what_cannot_be_played_is_refused() {
    let lab = Lab::new();
    let refused = |more: &[&str], parts: &[&str]| {
        lab.run(&[&["play"], more].concat()).is_refused_with(parts);
    };
    refused(
        &["pendulm"],
        &["\"pendulm\"", "\"pendulum\"", "list scenes"],
    );
    refused(&["pendulum", "--scheme", "xpdb"], &["\"xpdb\"", "\"xpbd\""]);
    refused(&["pendulum", "--scheme", "xpbd,xpbd"], &["xpbd", "twice"]);
    refused(
        &["pendulum", "--solver", "gps"],
        &["\"gps\"", "list solvers"],
    );
    refused(&["pendulum", "--set", "angel=1"], &["angel", "angle"]);
    refused(&["pendulum", "--seconds", "0"], &["--seconds"]);
    assert!(!lab.path("results").exists());
}

#[test]
fn a_check_names_what_is_wrong_at_the_start() {
    let lab = Lab::new();
    let file = lab.file("wrong.toml", WRONG);
    let ran = lab.run(&["check", file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for part in [
        "wrong: 4 bodies (3 dynamic, 1 static), 1 joint, 2 shapes",
        "hook [0], small [1], large [2], far [3]",
        "1.00 kg (small [1]) to 8.00 kg (large [2])",
        "8.00 largest to smallest",
        "across small [1] – large [2]",
        "2 connected groups: 2 bodies from small [1]; far [3] alone",
        "1 joint open at the start",
        "rod [0]",
        "0.20 m",
        "1 pair of bodies overlap",
        "small [1] – large [2]  0.050 m",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?} in\n{}", ran.stdout);
    }
    assert!(
        ran.stdout.lines().all(|line| line.chars().count() <= 100),
        "{}",
        ran.stdout
    );
    let found = &lab.run(&["check", file, "--json"]).objects()[0];
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().expect("a number");
        assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    };
    // 3.2 − 1.75 − 1.25, and 0.8 − 0.75
    close(&found["joints_apart"][0]["error"], 0.2);
    close(&found["overlaps"][0]["depth"], 0.05);
    close(&found["mass_ratio"], 8.0);
    assert_eq!(found["overlaps"][0]["bodies"][1]["name"], "large");
    assert_eq!(found["groups"], serde_json::json!([[1, 2], [3]]));
}

/// A door whose hinge is 0.37 rad askew, and a lid that is welded 0.2 rad askew and 0.05 m away.
const ASKEW: &str = r#"gravity = [0.0, -9.81, 0.0]
[[bodies]]
name = "frame"
kind = "static"
position = [0.0, 0.0, 0.0]
[[bodies]]
name = "door"
kind = "dynamic"
position = [0.0, 0.0, 0.0]
inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }
orientation = [0.18394653352804122, 0.0, 0.0, 0.9829362506302315]
[[bodies]]
name = "lid"
kind = "dynamic"
inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }
position = [0.03, 0.0, 0.04]
orientation = [0.0, 0.09983341664682815, 0.0, 0.9950041652780258]
[[joints]]
name = "hinge"
[joints.constraint.hinge]
bodies = ["frame", "door"]
anchors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
axes = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
[[joints]]
name = "weld"
[joints.constraint.weld]
bodies = ["frame", "lid"]
anchors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
"#;

#[test]
fn a_check_gives_angles_and_distances_of_open_joints() {
    let lab = Lab::new();
    let file = lab.file("askew.toml", ASKEW);
    let found = &lab.run(&["check", file, "--json"]).objects()[0];
    let apart = found["joints_apart"].as_array().expect("a list");
    let expected = [("hinge", 0.0, 0.37), ("weld", 0.05, 0.2)];
    assert_eq!(apart.len(), expected.len(), "{found}");
    for (joint, (name, length, angle)) in apart.iter().zip(expected) {
        assert_eq!(joint["name"], name);
        for (key, expected) in [("error", length), ("angle_error", angle)] {
            let value = joint[key].as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-12, "{joint}");
        }
    }
    let text = lab.run(&["check", file]).stdout;
    for part in ["hinge [0]", "0.37 rad", "weld [1]", "0.050 m", "0.20 rad"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn a_scene_without_bodies_is_refused() {
    let lab = Lab::new();
    let file = lab.file("empty.toml", "gravity = [0.0, -9.81, 0.0]\nbodies = []\n");
    for verb in ["check", "play"] {
        lab.run(&[verb, file])
            .is_refused_with(&["empty", "the scene has no bodies"]);
    }
    assert!(!lab.path("results").exists());
}

#[test]
fn every_scene_of_the_list_can_be_checked_and_few_are_wrong() {
    let lab = Lab::new();
    let listed = lab.run(&["list", "scenes", "--json"]).objects();
    assert!(listed.len() > 60);
    for scene in [
        "ragdoll",
        "bridge",
        "vertical-stack",
        "crank-slider",
        "overlap-recovery",
    ] {
        let ran = lab.run(&["check", scene, "--json"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{scene}");
        let found = &ran.objects()[0];
        assert!(
            found["largest_joint_error"].as_f64() < Some(1e-9),
            "{scene}: {found}"
        );
        let overlaps = found["overlaps"].as_array().expect("a list");
        assert_eq!(
            overlaps.is_empty(),
            scene != "overlap-recovery",
            "{scene}: {found}"
        );
    }
}

#[test]
fn verbs_for_problems_and_specs_name_those_for_scenes() {
    let lab = Lab::new();
    let file = lab.file("wrong.toml", WRONG);
    for verb in ["show", "inspect", "solve"] {
        lab.run(&[verb, file])
            .is_refused_with(&["wrong.toml", "delassus check wrong.toml"]);
        lab.run(&[verb, "ragdoll"])
            .is_refused_with(&["ragdoll is a scene", "delassus check ragdoll"]);
    }
    lab.run(&["run", file])
        .is_refused_with(&["wrong.toml: is a scene file", "delassus check"]);
    for verb in ["simulate", "simualte", "replay"] {
        lab.run(&[verb, file]).is_refused_with(&[
            verb,
            "delassus check SCENE",
            "delassus play SCENE",
        ]);
    }
    assert!(!lab.run(&["slove", file]).stderr.contains("play SCENE"));
}

#[test]
fn verbs_for_scenes_say_what_other_files_are() {
    let lab = Lab::new();
    write_chain(&lab, 3);
    let spec = lab.file(
        "spec.toml",
        "title = \"T\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"pgs\"\n",
    );
    lab.file("notes.md", "a note");
    assert_eq!(lab.run(&["run", spec, "--out", "out", "--quiet"]).code, 0);
    for verb in ["check", "play"] {
        for (file, parts) in [
            (
                "chain.dls",
                ["is a problem file", "delassus inspect chain.dls"],
            ),
            (
                spec,
                ["is the spec of an experiment", "delassus run spec.toml"],
            ),
            ("out", ["is a results folder", "delassus show out"]),
            ("notes.md", ["is no scene file", "delassus list scenes"]),
        ] {
            lab.run(&[verb, file]).is_refused_with(&parts);
        }
    }
    for verb in ["solve", "inspect", "show", "reference"] {
        lab.run(&[verb, spec])
            .is_refused_with(&["spec of an experiment, not a problem file", "delassus run"]);
    }
    lab.run(&["run", "chain.dls"])
        .is_refused_with(&["chain.dls: is a problem file", "delassus solve chain.dls"]);
}

/// Without a length a clock chooses one; a second call keeps it, and with it every number.
#[test]
fn a_length_that_a_clock_has_chosen_is_kept() {
    let lab = Lab::new();
    let play = ["play", "pendulum", "--scheme", "xpbd", "--json"];
    let totals = |words: &[&str]| {
        let objects = lab.run(words).objects();
        objects.last().cloned().expect("totals")
    };
    let first = totals(&play);
    let seconds = first["seconds"].as_f64().expect("a length");
    assert!((0.05..=5.0).contains(&seconds), "{first}");
    let again = totals(&play);
    assert_eq!(
        (&again["seconds"], &again["kept"]),
        (&first["seconds"], &1.into())
    );
    // an earlier length that is shorter than usual is kept too, and said
    let spec = "results/play-pendulum/play.toml";
    totals(&[&play[..], &["--seconds", "0.7"]].concat());
    assert!(
        fs::read_to_string(lab.path(spec))
            .expect("the spec")
            .contains("\nseconds = 0.7\n")
    );
    let ran = lab.run(&play[..4]);
    let said = "shows the first 0.7 s of 5 s, what this machine steps in a few seconds: --seconds 5 for all";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
}

/// A ball a kilometre above the ground.
const FAR: &str = r#"gravity = [0.0, -9.81, 0.0]
[[bodies]]
name = "ground"
kind = "static"
position = [0.0, 0.0, 0.0]
[[bodies]]
name = "ball"
kind = "dynamic"
inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }
position = [0.0, 1000.0, 0.0]
[[colliders]]
body = 0
shape = { half-space = { normal = [0.0, 1.0, 0.0] } }
[[colliders]]
body = 1
shape = { sphere = { radius = 0.4 } }
"#;

#[test]
fn a_motion_in_which_nothing_touches_says_so() {
    let lab = Lab::new();
    lab.file("far.toml", FAR);
    let ran = lab.run(&["play", "far.toml", "--scheme", "soft-step"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "nothing touches until then: --seconds ";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    lab.file("near.toml", FAR.replace("1000.0", "0.401"));
    let ran = lab.run(&["play", "near.toml", "--scheme", "soft-step"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stdout.contains("nothing touches"), "{}", ran.stdout);
}

/// Schemes that refuse the scene make way for others, and the archive has the scene's name.
#[test]
fn schemes_that_nobody_named_step_the_scene_as_it_is() {
    let lab = Lab::new();
    let play = ["play", "bouncing-ball", "--seconds", "0.1"];
    let ran = lab.run(&play);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let first = ran.stdout.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("left out: avbd: ") && first.contains("restitution"),
        "{first}"
    );
    assert!(!ran.stdout.contains("unsupported"), "{}", ran.stdout);
    for scheme in ["soft-step", "xpbd", "box2d-lite"] {
        assert!(ran.stdout.contains(&format!("{scheme} ")), "{}", ran.stdout);
    }
    // who names one has it
    let ran = lab.run(&[&play[..], &["--scheme", "soft-step,avbd", "--out", "both"]].concat());
    assert!(ran.stdout.contains("unsupported"), "{}", ran.stdout);
    let ran = lab.run(&["bundle", "results/play-bouncing-ball"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        lab.path("play-bouncing-ball.zip").is_file(),
        "{}",
        ran.stderr
    );
}

/// A motion that does not end well, and a scene that no scheme steps, are no success.
#[test]
fn a_motion_that_diverges_or_is_missing_has_an_exit_code() {
    let lab = Lab::new();
    lab.file("wild.toml", WRONG.replace("-9.81", "-1e60"));
    let ran = lab.run(&[
        "play",
        "wild.toml",
        "--scheme",
        "soft-step",
        "--seconds",
        "0.1",
    ]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("1 of 1 motions"), "{}", ran.stderr);
    let page = fs::read_to_string(lab.path("results/play-wild/replay.html")).expect("the page");
    let own = page.split("data-ending=\"").nth(1).expect("an ending");
    let word = own.split([' ', ':', '"']).next().expect("a word");
    assert!(ran.stdout.contains(word) && word != "ended", "{word}");
    let dantzig = [
        "--scheme",
        "velocity",
        "--solver",
        "dantzig",
        "--seconds",
        "0.1",
    ];
    let ran = lab.run(&[&["play", "stack", "--set", "n=2"][..], &dantzig].concat());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("nothing to play"), "{}", ran.stderr);
    // next to one that can be played, the page says why it is missing
    let mut both = dantzig;
    both[1] = "velocity,xpbd";
    let ran = lab.run(&[&["play", "stack", "--set", "n=2"][..], &both].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = fs::read_to_string(lab.path("results/play-stack/replay.html")).expect("the page");
    assert!(
        page.contains(" with velocity: unsupported: "),
        "no reason in the page"
    );
}

/// A ball on a rod to the world, with a rope of links that touch nothing.
const TIED: &str = r#"gravity = [0.0, -9.81, 0.0]
[[bodies]]
name = "ball"
kind = "dynamic"
inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }
position = [1.5, 2.0, 0.0]
[[rods]]
bodies = ["ball", "world"]
points = [[1.5, 2.0, 0.0], [0.0, 4.0, 0.0]]
[[ropes]]
bodies = ["ball", "world"]
points = [[1.5, 2.0, 0.0], [4.0, 4.0, 0.0]]
links = 3
"#;

#[test]
fn what_is_shown_has_values_and_a_precise_name() {
    let lab = Lab::new();
    lab.file("tied.toml", TIED);
    let rest = ["--scheme", "soft-step", "--seconds", "0.2"];
    // nothing touches, and the overlap has no values
    let ran = lab.run(&[&["play", "tied.toml"][..], &rest].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let head = ran.stdout.lines().next().expect("a header");
    assert!(head.contains("drift_max (max over time)"), "{head}");
    let page = fs::read_to_string(lab.path("results/play-tied/replay.html")).expect("the page");
    assert!(
        page.contains("data-series=\"{&quot;name&quot;:&quot;joint drift"),
        "no curve"
    );
    // the number in the terminal is that of the page and of the summary
    let ran = lab.run(&[&["play", "stack", "--set", "n=2"][..], &rest].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let name = "penetration_max (max over time)";
    assert!(lines[0].contains(name), "{}", lines[0]);
    let at = lines[0].find(name).expect("a column");
    let shown = lines[1][at..].split_whitespace().next().expect("a value");
    let shown: f64 = shown.parse().expect("a number");
    let mut summary =
        csv::Reader::from_path(lab.path("results/play-stack/summary.csv")).expect("a summary");
    let heads = summary.headers().expect("heads").clone();
    let column = heads.iter().position(|head| head == "penetration_max_max");
    let row = summary.records().next().expect("a row").expect("a row");
    let most: f64 = row[column.expect("a column")].parse().expect("a number");
    assert!((shown / most - 1.0).abs() < 6e-3, "{shown} and {most}");
}
