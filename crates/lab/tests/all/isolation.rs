//! Cells in processes of their own: each hostile solver is named, and touches no other cell.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use crate::support::{Lab, Ran, example, without_times};

/// Modes of the hostile solver, and how its cells end: the status, and what the message says. A
/// slow machine takes more than a second to fill the memory that is allowed.
const ENDS: [(&str, &str, &str); 11] = [
    ("sleeps", "timeout", "6 s of wall-clock time"),
    ("allocates", "out_of_memory", "MiB of memory"),
    (
        "aborts",
        "crashed",
        "signal: 6 (SIGABRT); it said: a bad day",
    ),
    ("overflows", "crashed", "overflowed its stack"),
    ("faults", "crashed", "signal: 11 (SIGSEGV)"),
    ("exits-well", "crashed", "without an answer, exit status: 0"),
    (
        "exits-badly",
        "crashed",
        "exit status: 3; it said: enough / of this",
    ),
    ("nan", "non_finite", ""),
    ("lies", "stagnated", ""),
    ("prints", "max_sweeps", ""),
    ("panics", "failed", "no sweep today"),
];

fn modes() -> String {
    let names: Vec<String> = ENDS.iter().map(|(mode, ..)| format!("{mode:?}")).collect();
    names.join(", ")
}

/// Good solvers before and after the hostile one; without it, where `hostile` is false.
fn solves(hostile: bool) -> String {
    let bad = format!("[[solver]]\nuse = \"hostile\"\nmode = [{}]\n", modes());
    let bad = if hostile { bad } else { String::new() };
    format!(
        "title = \"Hostile\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n[[solver]]\nuse = \"pgs\"\n{bad}\
         [[solver]]\nuse = \"psor\"\n[stop]\nmax_sweeps = 50\n[limits]\nseconds = 6\nmemory = \"256 MiB\"\n"
    )
}

fn over_time(hostile: bool) -> String {
    let bad = format!("[[solver]]\nuse = \"hostile\"\nmode = [{}]\n", modes());
    let bad = if hostile { bad } else { String::new() };
    format!(
        "title = \"Hostile\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"pgs-baumgarte\"\n\
         [[solver]]\nuse = \"pgs\"\n{bad}[[solver]]\nuse = \"psor\"\n[simulate]\nseconds = 0.1\n\
         observables = [\"energy\"]\n[limits]\nseconds = 6\nmemory = \"256 MiB\"\n"
    )
}

/// The program with the hostile solver.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| example("hostile"));

/// Runs it.
fn hostile(lab: &Lab, arguments: &[&str]) -> Ran {
    let mut command = Command::new(&*PROGRAM);
    command.args(arguments).current_dir(lab.path(""));
    Ran::from(command.output().expect("the program starts"))
}

/// The cells of a run, without the totals.
fn cells(ran: &Ran) -> Vec<Value> {
    let mut objects = ran.objects();
    let totals = objects.pop().expect("totals");
    assert!(totals["cells"].is_u64(), "{totals}");
    objects
}

/// What a cell of a good solver comes to, without its times.
fn good(cells: &[Value]) -> Vec<Value> {
    let good = cells.iter().filter(|cell| {
        let solver = cell["solver"].as_str().expect("a name");
        !solver.contains("hostile")
    });
    let mut good: Vec<Value> = good.cloned().collect();
    for cell in &mut good {
        cell["seconds"] = Value::Null;
    }
    good.sort_by_key(|cell| cell["key"].to_string());
    good
}

#[track_caller]
fn named(cells: &[Value], times: bool) {
    for (mode, status, message) in ENDS {
        let wanted = format!("mode={mode}");
        let mut of_mode = cells
            .iter()
            .filter(|cell| {
                cell["solver"]
                    .as_str()
                    .is_some_and(|s| s.ends_with(&wanted))
            })
            .peekable();
        assert!(of_mode.peek().is_some(), "{mode}");
        for cell in of_mode {
            let said = cell["message"].as_str().unwrap_or_default();
            // a scheme does a given number of sweeps and judges nothing
            if !(times && ["lies", "prints"].contains(&mode)) {
                assert_eq!(cell["status"], status, "{mode}: {said}");
            } else {
                assert_eq!(cell["status"], "ended", "{mode}: {said}");
            }
            assert!(said.contains(message), "{mode}: {said}");
        }
    }
}

#[test]
fn eleven_hostile_solvers_are_named_and_touch_no_other_cell() {
    let lab = Lab::new();
    lab.file("bad/experiment.toml", solves(true));
    lab.file("good/experiment.toml", solves(false));
    let alone = hostile(
        &lab,
        &["run", "good", "--out", "0", "--no-isolate", "--json"],
    );
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    let alone = good(&cells(&alone));
    assert_eq!(alone.len(), 4);
    for (out, jobs) in [("1", "1"), ("3", "3")] {
        // several cells are isolated without being asked for it
        let run = ["run", "bad", "--out", out, "--jobs", jobs, "--json"];
        let ran = hostile(&lab, &run);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let cells = cells(&ran);
        assert_eq!(cells.len(), 26);
        named(&cells, false);
        assert_eq!(good(&cells), alone, "jobs {jobs}");
        // what the solver printed has reached standard error, and it alone
        assert!(
            ran.stderr.contains("{\"status\":\"solved\"}"),
            "{}",
            ran.stderr
        );
        assert!(lab.path(&format!("{out}/report.html")).is_file());
        // all of it is kept
        let again = hostile(&lab, &[&run[..], &["--quiet"]].concat());
        assert_eq!(
            (again.code, again.objects().len()),
            (1, 1),
            "{}",
            again.stderr
        );
    }
    let summaries = ["1", "3"].map(|out| {
        let file = lab.path(&format!("{out}/summary.csv"));
        without_times(&fs::read(file).expect("a summary"))
    });
    assert_eq!(summaries[0], summaries[1]);
}

#[test]
fn so_they_are_over_time() {
    let lab = Lab::new();
    lab.file("bad/experiment.toml", over_time(true));
    lab.file("good/experiment.toml", over_time(false));
    let alone = hostile(
        &lab,
        &["run", "good", "--out", "0", "--no-isolate", "--json"],
    );
    let ran = hostile(&lab, &["run", "bad", "--out", "1", "--jobs", "2", "--json"]);
    assert_eq!((alone.code, ran.code), (0, 1), "{}", ran.stderr);
    let cells = cells(&ran);
    named(&cells, true);
    let alone = good(&self::cells(&alone));
    assert_eq!((good(&cells), alone.len()), (alone, 2));
}

/// Cells of one problem that are timed three times, so that they take turns.
fn turns(hostile: bool) -> String {
    let bad = format!(
        "[[solver]]\nuse = \"hostile\"\nmode = [\"aborts-later\", {}]\n",
        modes()
    );
    let bad = if hostile { bad } else { String::new() };
    format!(
        "title = \"Turns\"\n[[problem]]\nuse = \"chain\"\nn = 3\n[[solver]]\nuse = \"pgs\"\n{bad}\
         [[solver]]\nuse = \"psor\"\nomega = [1.1, 1.2]\n[stop]\nmax_sweeps = 50\n[measure]\nrepetitions = 3\n\
         [limits]\nseconds = 6\nmemory = \"256 MiB\"\n"
    )
}

/// With whom the cells of good solvers in a folder took turns, and how often they were timed.
fn company(lab: &Lab, out: &str, cells: &[Value]) -> Vec<(Value, usize)> {
    let of = |cell: &Value| {
        let key = cell["key"].as_str().expect("a key");
        let file = fs::read(lab.path(&format!("{out}/cells/{key}.json"))).expect("a cell");
        let file: Value = serde_json::from_slice(&file).expect("JSON");
        let times = &file["record"]["outcome"]["iterate_seconds"];
        let times = times.as_array().expect("times").len();
        (file["record"]["origin"]["turns"].clone(), times)
    };
    good(cells).iter().map(of).collect()
}

#[test]
fn cells_that_take_turns_are_isolated_and_hostile_ones_lose_only_themselves() {
    let lab = Lab::new();
    lab.file("bad/experiment.toml", turns(true));
    lab.file("good/experiment.toml", turns(false));
    let run = |spec: &str, out: &str, more: &[&str]| {
        hostile(
            &lab,
            &[&["run", spec, "--out", out, "--json"], more].concat(),
        )
    };
    let alone = run("good", "0", &["--no-isolate"]);
    let apart = run("good", "1", &[]);
    let ran = run("bad", "2", &[]);
    assert_eq!(
        (alone.code, apart.code, ran.code),
        (0, 0, 1),
        "{}",
        ran.stderr
    );
    let [alone, apart, ran] = [&alone, &apart, &ran].map(cells);
    assert_eq!((good(&alone), good(&alone).len()), (good(&apart), 3));
    assert_eq!(good(&alone), good(&ran));
    let summaries = ["0", "1"].map(|out| {
        let file = lab.path(&format!("{out}/summary.csv"));
        without_times(&fs::read(file).expect("a summary"))
    });
    assert_eq!(summaries[0], summaries[1]);
    named(&ran, false);
    let later = ran.iter().find(|cell| {
        let solver = cell["solver"].as_str();
        solver.is_some_and(|solver| solver.ends_with("mode=aborts-later"))
    });
    let later = later.expect("a cell");
    let said = later["message"].as_str().unwrap_or_default();
    assert_eq!(later["status"], "crashed", "{said}");
    assert!(said.ends_with("it said: a bad pass"), "{said}");
    // good cells have all their passes, and took turns with each other
    let first = good(&alone)
        .iter()
        .map(|cell| cell["key"].clone())
        .collect::<Vec<_>>();
    for (out, cells) in [("0", &alone), ("1", &apart), ("2", &ran)] {
        let company = company(&lab, out, cells);
        assert_eq!(company.len(), 3);
        for (with, times) in &company {
            assert_eq!((with, times), (&company[0].0, &3), "{out}");
            assert!(first.contains(with), "{out}: {with}");
        }
    }
}

/// A spec of one cell of each kind.
const KINDS: [(&str, &str); 3] = [
    (
        "solve",
        "[[problem]]\nuse = \"chain\"\n[stop]\nmax_sweeps = 5\n",
    ),
    (
        "time",
        "[[problem]]\nuse = \"chain\"\n[timing]\nrow_updates = 1000\n",
    ),
    (
        "simulate",
        "[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"pgs-baumgarte\"\n[simulate]\nseconds = 0.1\nobservables = [\"energy\"]\n",
    ),
];

#[test]
fn three_limits_end_cells_of_three_kinds() {
    let lab = Lab::new();
    for (kind, text) in KINDS {
        let spec = |mode: &str| {
            let solver = format!("[[solver]]\nuse = \"hostile\"\nmode = \"{mode}\"\n");
            lab.file("spec.toml", format!("title = \"T\"\n{solver}{text}"));
        };
        for (mode, limit, status) in [
            ("sleeps", ["--cell-seconds", "0.4"], "timeout"),
            ("never-returns", ["--cell-cpu-seconds", "0.4"], "timeout"),
            ("allocates", ["--cell-memory", "128MiB"], "out_of_memory"),
        ] {
            spec(mode);
            let run = ["run", "spec.toml", "--out", kind, "--isolate", "--json"];
            let ran = hostile(&lab, &[&run[..], &limit].concat());
            let cells = cells(&ran);
            assert_eq!(cells[0]["status"], status, "{kind}, {mode}: {}", cells[0]);
        }
    }
}

#[test]
fn a_larger_limit_runs_what_a_smaller_one_has_ended() {
    let lab = Lab::new();
    let text = format!(
        "title = \"T\"\n[[solver]]\nuse = \"hostile\"\nmode = \"sleeps\"\n{}",
        KINDS[0].1
    );
    lab.file("spec.toml", text);
    for (limit, ran) in [("0.1", 1), ("0.1", 0), ("0.05", 0), ("0.2", 1)] {
        let run = [
            "run",
            "spec.toml",
            "--out",
            "out",
            "--isolate",
            "--json",
            "--cell-seconds",
        ];
        let totals = hostile(&lab, &[&run[..], &[limit]].concat()).objects();
        assert_eq!(totals.last().expect("totals")["ran"], ran, "{limit}");
    }
}

#[test]
fn a_worker_without_a_run_says_what_to_use() {
    let ran = Lab::new().run(&["work-on-cells"]);
    ran.is_refused_with(&["--isolate"]);
    assert!(!Lab::new().run(&["--help"]).stdout.contains("work-on-cells"));
}

#[test]
fn limits_that_are_none_are_refused() {
    let lab = Lab::new();
    lab.file("spec.toml", "title = \"T\"\n[limits]\nsecond = 1\n");
    lab.run(&["run", "spec.toml"])
        .is_refused_with(&["spec.toml:3:1", "did you mean \"seconds\"?"]);
    lab.file("spec.toml", "title = \"T\"\n[limits]\nseconds = -1\n");
    lab.run(&["run", "spec.toml"])
        .is_refused_with(&["spec.toml:3:11", "seconds"]);
    lab.run(&["run", "x", "--cell-seconds", "nan"])
        .is_refused_with(&["--cell-seconds", "0.5"]);
    lab.run(&["run", "x", "--isolate", "--no-isolate"])
        .is_refused_with(&["--no-isolate"]);
}
