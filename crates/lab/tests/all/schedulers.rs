//! What schedulers, terminals and administrators do to a run and its workers: no cell is blamed for
//! it, and the next run completes what is left.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_conformance::skip;
use delassus_runner::fsck;
use serde_json::Value;

use crate::processes::{below, ended, lives, send, started, wait_for};
use crate::support::{Lab, Ran, example, without_times};

/// Attacks on a whole run, unless this variable says how many.
const ATTACKS: (&str, usize) = ("DELASSUS_ATTACKS", 10);
/// The program with the hostile solver.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| example("hostile"));

/// Kept records by their files' names.
fn records(lab: &Lab, out: &str) -> BTreeMap<String, Value> {
    let entries = fs::read_dir(lab.path(&format!("{out}/cells")));
    let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
    let cells = paths.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let read = |path: PathBuf| {
        let file = fs::read(&path).expect("a cell");
        let file: Value = serde_json::from_slice(&file).expect("JSON");
        (path.display().to_string(), file["record"].clone())
    };
    cells.map(read).collect()
}

/// Nothing that is kept blames a cell.
#[track_caller]
fn is_good(lab: &Lab, out: &str, what: &str) {
    for record in records(lab, out).values() {
        let outcome = &record["outcome"];
        let status = outcome["status"].as_str().expect("a status");
        assert!(
            ["solved", "max_sweeps"].contains(&status),
            "{what}: {outcome}"
        );
    }
}

/// Six cells of some tens of milliseconds each.
const SPEC: &str = "title = \"Attacked\"\n[[problem]]\nuse = \"chain\"\nn = [150, 160, 170]\n[[solver]]\nuse = \"pgs\"\n\
                    [[solver]]\nuse = \"psor\"\n[stop]\ntolerance = 1e-14\nmax_sweeps = 2000\n[limits]\nseconds = 600\n";

/// What is done to a run and the processes below it.
#[derive(Debug, Clone, Copy)]
enum Attack {
    /// A signal to all of them, workers first, as a control group or a job is ended.
    All(&'static str),
    /// The same, the run first.
    RunFirst(&'static str),
    /// Slurm's end of a job: SIGTERM, a while, SIGKILL.
    Slurm(Duration),
    /// A signal to the group of the run, as a terminal sends it.
    Group(&'static str),
    /// A signal to the workers alone, while the run goes on.
    Workers(&'static str),
}

const KINDS: [Attack; 10] = [
    Attack::All("-TERM"),
    Attack::All("-HUP"),
    Attack::Slurm(Duration::ZERO),
    Attack::RunFirst("-TERM"),
    Attack::Workers("-KILL"),
    Attack::All("-INT"),
    Attack::Group("-HUP"),
    Attack::Slurm(Duration::from_millis(400)),
    Attack::All("-KILL"),
    Attack::Workers("-TERM"),
];

impl Attack {
    fn make(self, run: u32) {
        let workers = below(run);
        let mut all = workers.clone();
        all.push(run);
        match self {
            Self::All(name) => send(name, &all),
            Self::RunFirst(name) => send(name, &[&[run], &workers[..]].concat()),
            Self::Slurm(wait) => {
                send("-TERM", &all);
                sleep(wait);
                all.extend(below(run));
                send("-KILL", &all);
            }
            Self::Group(name) => {
                let mut shell = Command::new("sh");
                let kill = format!("kill {name} -- -{run}");
                let sent = shell.args(["-c", &kill]).stderr(Stdio::null()).status();
                sent.expect("a shell starts");
            }
            Self::Workers(name) => send(name, &workers),
        }
    }
}

/// The rows of the summary, without times.
fn summary(lab: &Lab, out: &str) -> Vec<Vec<String>> {
    let file = lab.path(&format!("{out}/summary.csv"));
    without_times(&fs::read(file).expect("a summary"))
}

#[test]
fn attacks_on_a_whole_run_leave_what_the_next_run_completes() {
    let lab = Lab::new();
    lab.file("spec.toml", SPEC);
    let begun = Instant::now();
    let undisturbed = lab.run(&["run", "spec.toml", "--out", "undisturbed", "--quiet"]);
    let time = begun.elapsed();
    assert_eq!(undisturbed.code, 0, "{}", undisturbed.stderr);
    let asked = std::env::var(ATTACKS.0).ok();
    let attacks = asked.map_or(ATTACKS.1, |text| text.parse().expect("a number of attacks"));
    // a generator of Lehmer: the moments are spread, and the same in every test
    let mut seed = 48_271_u64;
    let (mut met, mut whole) = (0, 0);
    for number in 0..attacks {
        seed = seed * 48_271 % 0x7fff_ffff;
        let share = u32::try_from(seed % 900).expect("a small number");
        let attack = KINDS[number % KINDS.len()];
        let jobs = ["--jobs=1", "--jobs=3"][number / KINDS.len() % 2];
        let what = format!("attack {number}, {attack:?}, {jobs}");
        let mut command = lab.command(&["run", "spec.toml", "--out", "out", "--isolate", jobs]);
        let child = started(command.process_group(0));
        sleep(time * share / 1000);
        attack.make(child.id());
        let output = child.wait_with_output().expect("its output");
        met += usize::from(!output.status.success());
        is_good(&lab, "out", &what);
        if lab.path("out/experiment.json").is_file() {
            let checked = fsck::check(&lab.path("out")).expect("a folder of results");
            assert_eq!(checked.damages, vec![], "{what}");
        }
        let again = lab.run(&["run", "spec.toml", "--out", "out", "--quiet"]);
        assert_eq!(again.code, 0, "{what}: {}", again.stderr);
        assert_eq!(summary(&lab, "out"), summary(&lab, "undisturbed"), "{what}");
        whole += 1;
        fs::remove_dir_all(lab.path("out")).expect("a folder");
    }
    println!("{whole} of {attacks} completed by the next run; {met} had not ended with 0 before");
}

/// A run of the hostile program.
fn hostile(lab: &Lab, mode: &str, more: &[&str]) -> Command {
    let text = format!(
        "title = \"T\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"pgs\"\n\
         [[solver]]\nuse = \"hostile\"\nmode = \"{mode}\"\n[[solver]]\nuse = \"psor\"\n[stop]\nmax_sweeps = 5\n"
    );
    lab.file("spec.toml", text);
    let mut command = Command::new(&*PROGRAM);
    command.args(["run", "spec.toml", "--out", "out", "--isolate"]);
    command.args(more).current_dir(lab.path(""));
    command
}

/// The number of the process that a solver has started in this try, once it is in the log.
fn number_said(log: &Path, tries: usize) -> Option<u32> {
    let text = fs::read_to_string(log).ok()?;
    let number = text.split("started ").nth(tries)?.split_once('\n')?.0;
    number.trim().parse().ok()
}

#[test]
fn a_cell_whose_workers_are_killed_again_and_again_is_left_and_the_run_ends() {
    let lab = Lab::new();
    // the solver says the number of a process that it has started, and waits for ever
    let log = lab.path("log");
    let mut command = hostile(&lab, "spawns", &[]);
    command.stderr(fs::File::create(&log).expect("a file"));
    let mut child = command.spawn().expect("the program starts");
    for tries in 1..=3 {
        let orphan: u32 = wait_for("a try of the cell", || number_said(&log, tries));
        let workers = below(child.id()).into_iter().filter(|p| *p != orphan);
        send("-KILL", &workers.collect::<Vec<_>>());
    }
    let status = wait_for("the end", || child.try_wait().expect("a child"));
    let said = fs::read_to_string(&log).expect("a log");
    assert_eq!(status.code(), Some(3), "{said}");
    assert!(number_said(&log, 4).is_none(), "{said}");
    for words in ["1 of 3 cells without a record", "left for the next run"] {
        assert!(said.contains(words), "{said}");
    }
    // the cells before and after it are kept, and nothing blames it
    assert_eq!(records(&lab, "out").len(), 2);
    is_good(&lab, "out", "after the kills");
    assert!(lab.path("out/report.html").is_file());
    // the next run tries it, and it alone
    let mut again = hostile(&lab, "spawns", &["--cell-seconds", "0.3", "--json"]);
    let again = Ran::from(again.output().expect("the program starts"));
    let totals = again.objects().pop().expect("totals");
    assert_eq!((&totals["ran"], &totals["lost"]), (&1.into(), &0.into()));
}

#[test]
fn cells_that_take_turns_begin_again_when_their_worker_is_killed() {
    let lab = Lab::new();
    let mut command = hostile(&lab, "waits-once", &["--json"]);
    let spec = fs::read_to_string(lab.path("spec.toml")).expect("a spec");
    lab.file("spec.toml", spec + "[measure]\nrepetitions = 5\n");
    let child = started(&mut command);
    // between timed passes of the others, it waits for ever in the first worker
    wait_for("a pass", || lab.path("waiting").exists().then_some(()));
    send("-KILL", &below(child.id()));
    let ran = ended(child);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("trying again"), "{}", ran.stderr);
    let records = records(&lab, "out");
    assert_eq!(records.len(), 3);
    for record in records.values() {
        let times = record["outcome"]["iterate_seconds"].as_array();
        assert_eq!(times.expect("times").len(), 5);
    }
}

#[test]
fn what_a_solver_has_started_ends_with_a_run_that_is_killed() {
    let lab = Lab::new();
    for whole in [false, true] {
        let mut command = hostile(&lab, "spawns", &[]);
        let log = lab.path("log");
        command.stderr(fs::File::create(&log).expect("a file"));
        let mut child = command.spawn().expect("the program starts");
        let orphan = wait_for("a process of the solver", || number_said(&log, 1));
        let below = below(child.id());
        assert!(below.contains(&orphan) && lives(orphan));
        // one way the run alone dies, the other way it ends by itself at a signal
        send(if whole { "-TERM" } else { "-KILL" }, &[child.id()]);
        let status = child.wait().expect("a child");
        assert!(status.signal() == Some(9) || status.code() == Some(143));
        wait_for("the end of all", || {
            (!below.iter().any(|p| lives(*p))).then_some(())
        });
        let _ = fs::remove_dir_all(lab.path("out"));
    }
}

#[test]
fn time_that_a_scheduler_stops_a_run_is_not_a_cells() {
    let lab = Lab::new();
    let more = ["--cell-seconds", "2", "--json"];
    let begun = Instant::now();
    let child = started(&mut hostile(&lab, "sleeps", &more));
    wait_for("a cell", || {
        (!records(&lab, "out").is_empty()).then_some(())
    });
    sleep(Duration::from_millis(300));
    let mut all = below(child.id());
    all.push(child.id());
    send("-STOP", &all);
    sleep(Duration::from_secs(3));
    send("-CONT", &all);
    let ran = ended(child);
    assert_eq!(ran.objects()[1]["status"], "timeout", "{}", ran.stderr);
    // what it had left before it has afterwards
    assert!(
        begun.elapsed() > Duration::from_millis(4800),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_hangup_that_is_ignored_stays_so() {
    let lab = Lab::new();
    lab.file("spec.toml", SPEC);
    let program = lab.command(&[]);
    let mut command = Command::new("nohup");
    command.arg(program.get_program()).current_dir(lab.path(""));
    command.args(["run", "spec.toml", "--out", "out", "--isolate"]);
    let child = started(command.stdin(Stdio::null()));
    wait_for("a cell", || {
        (!records(&lab, "out").is_empty()).then_some(())
    });
    let mut all = below(child.id());
    all.push(child.id());
    send("-HUP", &all);
    let ran = ended(child);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(records(&lab, "out").len(), 6);
}

#[test]
fn long_messages_of_solvers_are_cut() {
    let lab = Lab::new();
    for place in ["--isolate", "--no-isolate"] {
        let mut command = hostile(&lab, "panics-long", &[]);
        // the last word on isolation counts
        if place == "--no-isolate" {
            command = Command::new(&*PROGRAM);
            command.args(["run", "spec.toml", "--out", "out", place]);
            command.current_dir(lab.path(""));
        }
        let output = command.output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1));
        let records = records(&lab, "out");
        let messages = records
            .values()
            .filter_map(|r| r["outcome"]["message"].as_str());
        let longest = messages.max_by_key(|m| m.len()).expect("a message");
        assert!(longest.len() <= 64 << 10, "{place}: {}", longest.len());
        assert!(longest.ends_with("bytes long)"), "{place}");
        for file in ["summary.csv", "report.html"] {
            let length = fs::metadata(lab.path("out").join(file))
                .expect("a file")
                .len();
            assert!(length < 1 << 20, "{place}: {file} has {length} bytes");
        }
        fs::remove_dir_all(lab.path("out")).expect("a folder");
    }
}

#[test]
fn threads_that_cannot_be_started_end_nothing() {
    let lab = Lab::new();
    lab.file("spec.toml", SPEC);
    let run = |more: &[&str]| {
        let arguments = [&["run", "spec.toml", "--out", "out"], more].concat();
        let mut command = lab.command(&arguments);
        // no stack of this size can be had
        command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
        Ran::from(command.output().expect("the program starts"))
    };
    let ran = run(&["--no-isolate", "--jobs", "3"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("1 of 3 cells at a time"),
        "{}",
        ran.stderr
    );
    fs::remove_dir_all(lab.path("out")).expect("a folder");
    let ran = run(&["--isolate"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("6 of 6 cells without a record"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    let again = lab.run(&["run", "spec.toml", "--out", "out"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
}

/// A worker for which the system starts no thread says so to its run, which tries again.
#[test]
fn a_worker_without_a_thread_names_it() {
    let lab = Lab::new();
    let limits = "{\"seconds\":1.0,\"cpu_seconds\":null,\"bytes\":1000000000}";
    let setup = format!(
        "{{\"build\":\"x\",\"file\":\"s.toml\",\"text\":\"\",\"memory\":1000,\"limits\":{limits}}}\n"
    );
    lab.file("setup", setup);
    let mut command = lab.command(&["work-on-cells"]);
    // no stack of this size can be had
    command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
    command.stdin(fs::File::open(lab.path("setup")).expect("the setup"));
    let ran = Ran::from(command.output().expect("the program starts"));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let said = "{\"short\":\"the system starts no thread for it: ";
    assert!(ran.stdout.starts_with(said), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("(os error "), "{}", ran.stdout);
}

/// Calls of which each fails once in every thread of a run and of its workers.
const CALLS: [(&str, u32); 4] = [("write", 2), ("write", 4), ("read", 4), ("read", 6)];

#[test]
fn pipes_that_fail_blame_no_cell() {
    let lab = Lab::new();
    lab.file("spec.toml", SPEC);
    let program = lab.command(&[]);
    let traced = |options: &[&str], arguments: &[&str]| {
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "/dev/null"]).args(options);
        command.arg(program.get_program()).args(arguments);
        command
            .current_dir(lab.path(""))
            .env("XDG_RUNTIME_DIR", lab.path(""));
        command.output()
    };
    if !traced(&[], &["list", "laws"]).is_ok_and(|output| output.status.success()) {
        skip(
            "pipes_that_fail_blame_no_cell",
            "no strace, or it may not trace here",
        );
        return;
    }
    let run = ["run", "spec.toml", "--out", "out", "--isolate", "--quiet"];
    for (call, number) in CALLS {
        let what = format!("{call} {number}");
        let [trace, inject] = [
            format!("trace={call}"),
            format!("inject={call}:error=EIO:when={number}"),
        ];
        let ran = traced(&["-e", &trace, "-e", &inject], &run).expect("strace starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(
            [Some(0), Some(3), Some(127)].contains(&ran.status.code()),
            "{what}: {said}"
        );
        assert!(!said.contains("panicked"), "{what}: {said}");
        is_good(&lab, "out", &what);
        let again = lab.run(&run);
        assert_eq!(again.code, 0, "{what}: {}", again.stderr);
        fs::remove_dir_all(lab.path("out")).expect("a folder");
    }
}

#[test]
fn limits_of_the_system_are_named() {
    let lab = Lab::new();
    let mut command = hostile(&lab, "never-returns", &["--json"]);
    let mut shell = Command::new("sh");
    // seconds of processor time of a process, soft and hard
    shell.args(["-c", "ulimit -t 2 && exec \"$0\" \"$@\""]);
    shell.arg(command.get_program()).args(command.get_args());
    let ran = Ran::from(shell.current_dir(lab.path("")).output().expect("a shell"));
    let cells = ran.objects();
    let hostile = cells
        .iter()
        .find(|cell| cell["solver"] == "hostile mode=never-returns");
    let Some(hostile) = hostile else {
        skip(
            "limits_of_the_system_are_named",
            "the run itself met the limit",
        );
        return;
    };
    assert_eq!(hostile["status"], "timeout", "{hostile}");
    let _ = command.stdin(Stdio::null());
}
