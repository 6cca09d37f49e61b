//! Engines in processes of their own, from the command line. The scripts need no more than Python's
//! standard library; without Python their tests say so and pass.

mod compared;
mod verified;

use crate::peers::has_python;
use crate::support::{Lab, with_peers};

/// The module that engines in Python import.
const HELPER: &str = include_str!("../../../peers/python/delassus_engine.py");

/// Bodies that fall without turning; `leaves` leaves something out.
const ENGINE: &str = r#"
from delassus_engine import serve

import sys


class Fall:
    def __init__(self, scene, parameters):
        scene.require(shapes=(), joints=())
        if "leaves" in sys.argv:
            scene.leave_out("the air")
        self.scene, self.count = scene, parameters["steps"]

    def step(self, dt):
        h = dt / self.count
        for body in [b for b in self.scene.bodies if b["kind"] == "dynamic"] * self.count:
            for axis in range(3):
                body["velocity"][axis] += h * self.scene.gravity[axis]
                body["position"][axis] += h * body["velocity"][axis]

    def states(self):
        keys = ("position", "orientation", "velocity", "spin")
        return [x for body in self.scene.bodies for key in keys for x in body[key]]


serve("fall", "3", Fall, notes=["bodies do not turn"],
      parameters={"steps": (1, "-", "Steps per frame.")})
"#;

/// A body that falls, with two runs of the engine, one of which leaves something out, and a scheme.
const SPEC: &str = r#"
title = "Falling"
question = "How far?"

[[scene]]
name = "ball"
file = "ball.toml"

[[scheme]]
label = "engine"
use = "engine-cmd:python3 fall.py"
steps = [1, 4]

[[scheme]]
label = "other"
use = "engine-cmd:python3 fall.py leaves"

[[scheme]]
use = "xpbd"
substeps = 2

[simulate]
dt = 0.01
seconds = 0.5
observables = ["x[0].y", "kinetic", "energy_error", "pushing_points", "momentum_error"]

[[table]]
id = "height"
show = { trajectories = { quantity = "x[0].y" } }
"#;

const BALL: &str = r#"
gravity = [0.0, -10.0, 0.0]
bodies = [
    { kind = "dynamic", inertia = { mass = 2.0, moments = [0.1, 0.1, 0.1] }, position = [0.0, 9.0, 0.0] },
]
"#;

fn lab() -> Option<Lab> {
    if !has_python() {
        return None;
    }
    let lab = Lab::new();
    lab.file("delassus_engine.py", HELPER);
    lab.file("fall.py", ENGINE);
    lab.file("e/experiment.toml", SPEC);
    lab.file("e/ball.toml", BALL);
    let ran = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    Some(lab)
}

/// The fields of the row of `summary.csv` whose scheme is `scheme`, with their names.
fn row(lab: &Lab, scheme: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(lab.path("out/summary.csv")).expect("a summary");
    let mut lines = text.lines().map(fields);
    let names = lines.next().expect("names");
    let at = names.iter().position(|n| n == "scheme").expect("a column");
    let found = lines.find(|row| row[at] == scheme).expect(scheme);
    names.into_iter().zip(found).collect()
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(String::new()),
            _ => all.last_mut().expect("a field").push(letter),
        }
    }
    all
}

fn field(row: &[(String, String)], name: &str) -> String {
    let found = row.iter().find(|(own, _)| own == name);
    found.expect(name).1.clone()
}

#[test]
fn an_engine_stands_in_a_spec_and_is_measured_here() {
    let Some(lab) = lab() else {
        return;
    };
    for steps in [1, 4] {
        let row = row(&lab, &format!("engine steps={steps}"));
        let number = |name: &str| field(&row, name).parse::<f64>().expect(name);
        // symplectic Euler: the sum of h² g k over n steps
        let n = 50 * steps;
        let (h, n) = (0.01 / f64::from(steps), f64::from(n));
        let height = 9.0 - 10.0 * h * h * n * (n + 1.0) / 2.0;
        assert!((number("x[0].y_last") - height).abs() < 1e-12, "{row:?}");
        assert!((number("kinetic_last") - 25.0).abs() < 1e-12, "{row:?}");
        // ½ m v² + m g y against m g y(0)
        let gained = 25.0 + 20.0 * (height - 9.0);
        assert!(
            (number("energy_error_last") - gained).abs() < 1e-11,
            "{row:?}"
        );
        assert_eq!(field(&row, "status"), "ended");
        assert_eq!(field(&row, "device"), "fall 3");
        assert_eq!(field(&row, "approximations"), "bodies do not turn");
        for name in ["pushing_points_last", "momentum_error_last"] {
            assert_eq!(field(&row, name), "", "{row:?}");
        }
        let message = field(&row, "message");
        let words = "says only how the bodies move, and has no pushing_points, momentum_error";
        assert!(message.contains(words), "{message}");
        assert!(number("step_seconds") > 0.0 && number("step_seconds") < 0.1);
    }
    let other = field(&row(&lab, "other"), "approximations");
    assert_eq!(other, "bodies do not turn; other scene: the air");
    let xpbd = row(&lab, "xpbd substeps=2");
    assert_eq!(field(&xpbd, "device"), "");
    assert_ne!(field(&xpbd, "momentum_error_last"), "");
    let page = std::fs::read_to_string(lab.path("out/report.html")).expect("a page");
    assert!(page.contains("bodies do not turn") && page.contains("other scene: the air"));
    assert!(page.contains("Never bold, because they step another scene: other, ball: the air."));
}

/// A run is refused where its spec names an engine that does not start: a mistake is no result.
#[test]
fn a_command_that_does_not_start_is_an_error_with_its_place() {
    let lab = Lab::new();
    lab.file("e/ball.toml", BALL);
    for (command, words) in [
        ("pyhton3 fall.py", "pyhton3 cannot be started"),
        ("sh -c 'echo no licence >&2; exit 3'", "it said: no licence"),
    ] {
        let spec = SPEC.replace("python3 fall.py leaves", command);
        let spec = spec.replace("python3 fall.py", command);
        lab.file("e/experiment.toml", spec);
        for verb in [
            &["run", "e"][..],
            &["plan", "e"],
            &["run", "e", "--dry-run"],
        ] {
            let ran = lab.run(verb);
            ran.is_refused_with(&["experiment.toml:11:7", words, "in a shell"]);
        }
        assert!(!lab.path("results").exists());
        let engine = format!("engine-cmd:{command}");
        let ran = lab.run(&["play", "e/ball.toml", "--scheme", &format!("xpbd,{engine}")]);
        ran.is_refused_with(&[words]);
        lab.run(&["list", "engines", &engine])
            .is_refused_with(&[words]);
    }
}

#[test]
fn an_engine_plays_beside_a_scheme() {
    let Some(lab) = lab() else {
        return;
    };
    let play = ["play", "e/ball.toml", "--seconds", "0.5", "--scheme"];
    let ran = lab.run(&[&play[..], &["xpbd,engine-cmd:python3 fall.py"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(lab.path("results/play-ball/replay.html"));
    let page = page.expect("a page");
    assert_eq!(page.matches("data-method=").count(), 2);
    assert!(page.contains("engine-cmd:python3 fall.py"));
    // an engine counts no row updates
    let line = ran.stdout.lines().find(|line| line.contains("engine-cmd"));
    let line = line.expect("a line of the engine");
    assert!(line.contains(" ended ") && line.contains(" - "), "{line}");
    // what is not installed is left out, and alone it is an error
    let ran = lab.run(&[&play[..], &["xpbd,engine:nowhere"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("left out: scheme \"engine:nowhere\""),
        "{}",
        ran.stderr
    );
    let ran = lab.run(&[&play[..], &["engine:nowhere"]].concat());
    assert_eq!(ran.code, 4, "{}", ran.stderr);
}

#[test]
fn an_engine_is_listed_by_its_command_and_named_where_it_is_misplaced() {
    let Some(lab) = lab() else {
        return;
    };
    let engine = "engine-cmd:python3 fall.py";
    let listed = lab.run(&["list", "engines", engine]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    for part in [
        "fall 3",
        "steps = 1: Steps per frame.",
        "frame_seconds = 60.0 [s]",
    ] {
        assert!(listed.stdout.contains(part), "{}", listed.stdout);
    }
    lab.run(&["list", "schemes", engine])
        .is_refused_with(&["it is an engine", "list engines"]);
    lab.run(&["solve", "x.dls", "--solver", engine])
        .is_refused_with(&["it is an engine", "list engines"]);
    let misplaced = |from: &str, by: &str, parts: &[&str]| {
        lab.file("e/wrong.toml", SPEC.replacen(from, by, 1));
        lab.run(&["run", "e/wrong.toml", "--dry-run"])
            .is_refused_with(parts);
    };
    misplaced(
        "[simulate]",
        "[[solver]]\nuse = \"engine:mujoco\"\n[simulate]",
        &["\"engine:mujoco\" is an engine", "name it in [[scheme]]"],
    );
    misplaced(
        "[simulate]",
        "[[solver]]\nuse = \"xpbd\"\n[simulate]",
        &["\"xpbd\" is a scheme", "name it in [[scheme]]"],
    );
    for solver in ["pgs", "cmd:python3 my_solver.py"] {
        misplaced(
            "use = \"xpbd\"",
            &format!("use = \"{solver}\""),
            &["is a solver, not a scheme", "name it in [[solver]]"],
        );
    }
}

#[test]
fn an_engine_that_is_not_here_says_how_to_get_it() {
    let lab = Lab::new();
    lab.file(
        "engines/far/engine.toml",
        "name = \"far\"\ntitle = \"Far 1\"\nsummary = \"Not here.\"\nlicence = \"MIT\"\ninstall = \"get far\"\n\
         command = [\"./far-engine\"]\n[parameters]\nsubsteps = 2\n",
    );
    let listed = with_peers(&lab, "engines", &["list", "engines"]);
    let line = listed
        .stdout
        .lines()
        .find(|line| line.starts_with("far "))
        .expect("far");
    assert_eq!(listed.code, 0);
    for part in ["not here", "MIT", "get far"] {
        assert!(line.contains(part), "{line}");
    }
    lab.file("e/ball.toml", BALL);
    let spec = SPEC.replace(
        "engine-cmd:python3 fall.py leaves",
        "engine:far\"\nsubsteps = 3 #",
    );
    let spec = spec.replace("engine-cmd:python3 fall.py", "engine:nowhere");
    lab.file("e/experiment.toml", spec);
    let ran = with_peers(&lab, "engines", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let other = row(&lab, "other");
    assert_eq!(field(&other, "status"), "unsupported");
    assert!(
        field(&other, "message").contains("to install it: get far"),
        "{other:?}"
    );
    // each verb that cannot go on without it says the same, with the same code
    for verb in [
        &["check-engine", "engine:far"][..],
        &["play", "e/ball.toml", "--scheme", "engine:far"],
    ] {
        let ran = with_peers(&lab, "engines", verb);
        assert_eq!(ran.code, 4, "{verb:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("to install it: get far"),
            "{verb:?}: {}",
            ran.stderr
        );
    }
    let nowhere = row(&lab, "engine steps=4");
    assert!(
        field(&nowhere, "message").contains("delassus list engines"),
        "{nowhere:?}"
    );
    let spec = SPEC.replace("engine-cmd:python3 fall.py", "engine:faar");
    lab.file("e/experiment.toml", spec);
    with_peers(&lab, "engines", &["run", "e", "--quiet"])
        .is_refused_with(&["did you mean \"far\"?"]);
    lab.file(
        "wrong.toml",
        SPEC.replace("engine-cmd:python3 fall.py\"", "engine:../x\""),
    );
    let refused = lab.run(&["run", "wrong.toml"]);
    refused.is_refused_with(&["wrong.toml", "write engine:NAME, as engine:mujoco"]);
}

#[test]
fn a_check_reports_every_case() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.file("delassus_engine.py", HELPER);
    lab.file("fall.py", ENGINE);
    let page = include_str!("../../../../docs/engines.md");
    let program = page.split("```python\n").nth(1).expect("a program");
    lab.file("page.py", program.split("```").next().expect("its end"));
    let checked = |name: &str| {
        let ran = lab.run(&["check-engine", name, "--frame-seconds", "20", "--json"]);
        let objects = ran.objects();
        let verdict = move |case: &str| {
            let found = objects.iter().find(|object| object["case"] == case);
            found.expect(case)["verdict"].clone()
        };
        (ran.code, verdict)
    };
    // the engine of the page, which refuses bodies that turn
    let (code, verdict) = checked("engine-cmd:python3 page.py");
    assert_eq!((code, verdict("spin")), (0, "does not apply".into()));
    for case in [
        "hello",
        "fall",
        "order",
        "repeat",
        "restart",
        "unknown-joint",
    ] {
        assert_eq!(verdict(case), "passes", "{case}");
    }
    // the other one does not
    let (code, verdict) = checked("engine-cmd:python3 fall.py");
    assert_eq!((code, verdict("spin")), (1, "FAILS".into()));
    assert_eq!(verdict("fall"), "passes");
    let refused = lab.run(&["check-engine", "engine:none"]);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("delassus list engines"),
        "{}",
        refused.stderr
    );
    let refused = lab.run(&["check-engine", "engine:none", "--frame-seconds", "0"]);
    refused.is_refused_with(&["--frame-seconds", "> 0"]);
}

/// A refused cell is a result, unless every cell is refused: then a run has come to nothing.
#[test]
fn a_run_whose_every_cell_is_refused_ends_with_one() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.file("delassus_engine.py", HELPER);
    lab.file("fall.py", ENGINE);
    // it refuses joints
    let engine = "engine-cmd:python3 fall.py";
    let spec = |schemes: &str| {
        format!(
            "title = \"t\"\n[[scene]]\nuse = \"pendulum\"\n{schemes}[simulate]\nseconds = 0.05\n\
             observables = [\"drift_max\"]\n"
        )
    };
    let of = |name: &str| format!("[[scheme]]\nuse = \"{name}\"\n");
    lab.file("refused.toml", spec(&of(engine)));
    lab.file("both.toml", spec(&(of(engine) + &of("xpbd"))));
    lab.file("absent.toml", spec(&of("engine:nowhere")));
    for (name, code, said) in [
        ("refused", 1, "every cell is unsupported"),
        ("both", 0, "1 unsupported"),
        ("absent", 0, "1 unsupported"),
    ] {
        let file = format!("{name}.toml");
        for again in [false, true] {
            let ran = lab.run(&["run", &file, "--out", name]);
            let text = format!("{name}, again {again}: {}", ran.stderr);
            assert_eq!(ran.code, code, "{text}");
            assert!(ran.stderr.contains(said), "{text}");
        }
    }
    let play = ["play", "pendulum", "--scheme", engine, "--out", "played"];
    let ran = lab.run(&play);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing to play"), "{}", ran.stderr);
}
