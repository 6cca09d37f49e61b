//! Signals: exit code 128 + n, and everything that was finished stays.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Instant;

use crate::processes::{below, ended, send, wait_for};
use crate::support::{ENDLESS, LCP, Lab, Ran, write_chain};

const SPEC: &str = r#"
title = "Interrupted"
question = "Do finished cells stay?"
[[problem]]
use = "chain"
n = [2, 4000]
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-12
max_sweeps = 1000000000
"#;

#[test]
fn a_run_keeps_its_finished_cells() {
    let lab = Lab::new();
    lab.file("long/experiment.toml", SPEC);
    let mut command = lab.command(&["run", "long", "--out", "out"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    // the second one never ends
    wait_for("the first cell", || (finished(&lab) == 1).then_some(()));
    send("-INT", &[child.id()]);
    let ran = ended(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    // where the machine is too busy to end the cell in time, its end is not waited for
    let early = ran.stderr.contains("1 to do") || ran.stderr.contains("what was finished is kept");
    assert!(early, "{}", ran.stderr);
    assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
    assert_eq!(finished(&lab), 1);
    // the next run would begin with the second cell
    let planned = lab
        .run(&["run", "long", "--out", "out", "--dry-run", "--json"])
        .objects();
    // the last line is the estimate
    let cells = planned[..2].iter().map(|line| line["state"].clone());
    assert_eq!(cells.collect::<Vec<_>>(), ["done", "to do"]);
}

#[test]
fn a_solve_stops_between_and_within_files() {
    let lab = Lab::new();
    lab.file("lcp.dat", LCP);
    write_chain(&lab, ENDLESS);
    let files = ["lcp.dat", "chain.dls", "lcp.dat"];
    let rest = [
        "--solver",
        "pgs",
        "--tol",
        "1e-12",
        "--max-sweeps",
        "1000000000",
        "--json",
    ];
    let mut command = lab.command(&[&["solve"], &files[..], &rest].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // the first answer is there before the second solve ends
    let stdout = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(stdout).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.contains("\"solved\""), "{first}");
    send("-INT", &[child.id()]);
    let ran = ended(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    let others: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert!(others.len() <= 1, "the third file is not begun: {others:?}");
    assert!(
        others.iter().all(|line| line.contains("\"cancelled\"")),
        "{others:?}"
    );
}

/// Signals that end a run, and what the program ends with then.
const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

fn code_of(name: &str) -> i32 {
    let known = SIGNALS.iter().find(|(known, _)| *known == name);
    known.expect("a signal").1
}

/// Starts the program and waits until it has installed its handler.
fn started(lab: &Lab, arguments: &[&str]) -> Child {
    let mut command = lab.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    // bit n − 1 of the mask stands for signal n
    let caught = || {
        let text = fs::read_to_string(&status).ok()?;
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let mask = u64::from_str_radix(mask.trim(), 16).ok()?;
        (mask & 1 << 14 != 0 && mask & 1 << 1 != 0 && mask & 1 != 0).then_some(())
    };
    if cfg!(target_os = "linux") {
        wait_for("its handler", caught);
    }
    child
}

/// What the program leaves after a signal; how long that took is for the reader.
#[track_caller]
fn ended_by(child: Child, name: &str, what: &str) -> Ran {
    let begun = Instant::now();
    send(name, &[child.id()]);
    let ran = ended(child);
    let took = begun.elapsed();
    println!("{what}, {name}: {:.2} s", took.as_secs_f64());
    assert_eq!(ran.code, code_of(name), "{what}, {name}: {}", ran.stderr);
    ran
}

/// Starts the program, sends one signal once it has begun what it is asked for, and takes what it
/// leaves.
fn ends_by_one(
    lab: &Lab,
    name: &str,
    arguments: &[&str],
    mut begun: impl FnMut(u32) -> bool,
) -> Ran {
    let child = started(lab, arguments);
    wait_for("its work", || begun(child.id()).then_some(()));
    let ran = ended_by(child, name, arguments[0]);
    let again = match name {
        "-INT" => "press Ctrl-C again to stop at once",
        _ => "a second signal stops at once",
    };
    assert!(
        ran.stderr.starts_with(&format!("stopping; {again}\n")),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    ran
}

/// A spec whose solver is a program that never says hello.
fn waits(lab: &Lab) {
    let spec = SPEC.replace("title", "# never begins\ntitle");
    let spec = format!("{spec}\n[[solver]]\nlabel = \"silent\"\nuse = \"cmd:sleep 1000\"\n");
    lab.file("waits/experiment.toml", spec);
}

/// True once a process has started another one, or where the system does not show it.
fn has_started(process: u32) -> bool {
    !cfg!(target_os = "linux") || !below(process).is_empty()
}

#[test]
fn one_signal_ends_the_wait_for_a_program() {
    let lab = Lab::new();
    waits(&lab);
    // before the first cell
    for (name, _) in SIGNALS {
        ends_by_one(&lab, name, &["run", "waits", "--out", "out"], has_started);
        ends_by_one(&lab, name, &["check-peer", "cmd:sleep 1000"], has_started);
    }
    ends_by_one(&lab, "-TERM", &["plan", "waits"], has_started);
    let engine = ["check-engine", "engine-cmd:sleep 1000"];
    ends_by_one(&lab, "-TERM", &engine, has_started);
    assert!(!lab.path("out").exists());
}

/// Files of finished cells.
fn finished(lab: &Lab) -> usize {
    let entries = fs::read_dir(lab.path("out/cells"));
    let files = entries.into_iter().flatten().filter_map(Result::ok);
    files
        .filter(|file| file.path().extension().is_some_and(|e| e == "json"))
        .count()
}

/// Starts a run and waits until so many cells are finished.
fn run_until(lab: &Lab, spec: &str, cells: usize, more: &[&str]) -> Child {
    let _ = fs::remove_dir_all(lab.path("out"));
    let child = started(lab, &[&["run", spec, "--out", "out"], more].concat());
    wait_for("a cell", || (finished(lab) >= cells).then_some(()));
    child
}

#[track_caller]
fn is_whole(lab: &Lab) {
    let checked = lab.run(&["fsck", "out"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn every_signal_ends_a_run_in_a_cell_alone_or_apart() {
    let lab = Lab::new();
    lab.file("long/experiment.toml", SPEC);
    for (name, _) in SIGNALS {
        for place in ["--isolate", "--no-isolate"] {
            let child = run_until(&lab, "long", 1, &[place]);
            let ran = ended_by(child, name, place);
            assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
            assert_eq!(finished(&lab), 1);
            is_whole(&lab);
        }
    }
}

/// Many cells that are done at once, more problems, and a report that takes a moment.
fn many(more: &str) -> String {
    let chains: Vec<String> = (2..62).map(|n| n.to_string()).collect();
    format!(
        "title = \"Many\"\n[[problem]]\nuse = \"chain\"\nn = [{}]\n{more}[[solver]]\nuse = \"pgs\"\n\
         [[solver]]\nuse = \"psor\"\n[stop]\nmax_sweeps = 50\n[[figure]]\nid = \"curves\"\n\
         plot = {{ convergence = {{ x = \"sweeps\" }} }}\n",
        chains.join(", ")
    )
}
const MANY: usize = 120;
/// A problem that no machine solves before it is told to stop.
const NEVER: &str = "[[problem]]\nname = \"never\"\nuse = \"chain\"\nn = 4000\n\
                     stop = { tolerance = 1e-12, max_sweeps = 1000000000 }\n";

#[test]
fn every_signal_ends_a_run_between_cells_and_the_next_run_goes_on() {
    let lab = Lab::new();
    for (name, _) in SIGNALS {
        // however fast they are, there is one that the signal ends
        lab.file("many/experiment.toml", many(NEVER));
        let child = run_until(&lab, "many", 5, &[]);
        let ran = ended_by(child, name, "between cells");
        let kept = finished(&lab);
        assert!((5..=MANY).contains(&kept), "{kept}");
        assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
        is_whole(&lab);
        // what was done has its report
        assert!(lab.path("out/report.html").is_file());
        lab.file("many/experiment.toml", many(""));
        let again = lab.run(&["run", "many", "--out", "out", "--json"]);
        let totals = again.objects().pop().expect("totals");
        assert_eq!(
            (&totals["kept"], &totals["missing"]),
            (&kept.into(), &0.into())
        );
    }
}

#[test]
fn a_signal_while_the_report_is_written_does_not_cut_it_short() {
    let lab = Lab::new();
    lab.file("many/experiment.toml", many(""));
    for (name, code) in SIGNALS {
        let child = run_until(&lab, "many", MANY, &[]);
        send(name, &[child.id()]);
        let ran = ended(child);
        // it may have come too late
        assert!([0, code].contains(&ran.code), "{}", ran.stderr);
        let page = fs::read_to_string(lab.path("out/report.html")).expect("a report");
        assert!(page.ends_with("</html>\n"));
        is_whole(&lab);
    }
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let lab = Lab::new();
    lab.file("long/experiment.toml", SPEC);
    waits(&lab);
    for (name, code) in SIGNALS {
        // while it waits for a program, and in a cell
        for in_cell in [false, true] {
            let child = match in_cell {
                false => started(&lab, &["run", "waits", "--out", "never"]),
                true => run_until(&lab, "long", 1, &[]),
            };
            send("-INT", &[child.id()]);
            send(name, &[child.id()]);
            let ran = ended(child);
            assert!([code, 130].contains(&ran.code), "{name}: {}", ran.stderr);
            assert!(!lab.path("never").exists());
        }
        is_whole(&lab);
    }
}

#[test]
fn one_signal_ends_a_frame_that_takes_hours() {
    let lab = Lab::new();
    let spec = "title = \"A frame\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"tgs-soft\"\n\
                substeps = 1000000\nsweeps = 10000\n[[solver]]\nuse = \"pgs\"\n[simulate]\nseconds = 1.0\n\
                observables = [\"energy\"]\n";
    lab.file("frame/experiment.toml", spec);
    // once it has the folder
    let lock = lab.path("out/.lock");
    let works = |process: u32| {
        let holder = fs::read_to_string(&lock).unwrap_or_default();
        holder.trim() == process.to_string()
    };
    let ran = ends_by_one(&lab, "-TERM", &["run", "frame", "--out", "out"], works);
    assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
    // the folder is free again
    let ran = ends_by_one(&lab, "-INT", &["run", "frame", "--out", "out"], works);
    assert!(!ran.stderr.contains("in use"), "{}", ran.stderr);
}

#[test]
fn a_long_export_says_how_far_it_is_and_ends_by_one_signal() {
    let lab = Lab::new();
    let mut arguments = vec!["export", "pendulum", "--frame", "30000000"];
    let worst = started(&lab, &[&arguments[..], &["--worst", "drift_max"]].concat());
    arguments.push("--json");
    let mut child = started(&lab, &arguments);
    let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    let said = lines
        .next()
        .expect("a line before the last frame")
        .expect("text");
    assert!(said.ends_with(" of 30000001 frames stepped"), "{said}");
    send("-TERM", &[child.id()]);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(
        rest.iter().any(|line| line.starts_with("interrupted: ")),
        "{rest:?}"
    );
    assert_eq!(ended(child).code, 143);
    let ran = ended_by(worst, "-TERM", "export --worst");
    assert!(ran.stderr.contains("frames looked at"), "{}", ran.stderr);
}

/// True once a process has computed for half a second, or where the system does not show it.
fn has_computed(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"));
    let Some((_, rest)) = stat.as_deref().ok().and_then(|stat| stat.rsplit_once(')')) else {
        return !cfg!(target_os = "linux");
    };
    // the time of the process itself, in hundredths of a second
    let ticks = rest.split_whitespace().nth(11);
    ticks
        .and_then(|ticks| ticks.parse().ok())
        .is_some_and(|ticks: u64| ticks > 50)
}

#[test]
fn one_signal_ends_a_factorisation() {
    let lab = Lab::new();
    // the Delassus matrix of 4000 links: a minute and more of dense pivoting
    write_chain(&lab, ENDLESS);
    let request = [
        "solve",
        "chain.dls",
        "--solver",
        "dense-direct",
        "--max-seconds",
        "inf",
    ];
    let ran = ends_by_one(&lab, "-INT", &request, has_computed);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
}

/// A peer that hangs ends with the program, also where a second signal ends that at once.
#[test]
#[cfg(target_os = "linux")]
fn peers_end_with_the_program() {
    for name in ["-INT", "-TERM"] {
        let lab = Lab::new();
        lab.file("p.dat", LCP);
        lab.file(
            "hang.sh",
            "echo $$ > pid.new\nmv pid.new pid\nexec sleep 600\n",
        );
        let mut command = lab.command(&["solve", "p.dat", "--solver", "cmd:sh hang.sh"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        let leader = wait_for("the peer", || fs::read_to_string(lab.path("pid")).ok());
        send(name, &[child.id()]);
        let ran = ended(child);
        assert!([130, 143].contains(&ran.code), "{name}: {}", ran.code);
        let process = std::path::Path::new("/proc").join(leader.trim());
        wait_for("the end of the peer", || (!process.exists()).then_some(()));
    }
}

/// The temporary files in a folder.
fn parts(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".part-")).collect()
}

/// A verb that is ended while it writes leaves no temporary file, and the next one removes what one
/// that was killed has left.
#[test]
#[cfg(target_os = "linux")]
fn a_verb_that_is_ended_leaves_no_temporary_file() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 150000\n[[solver]]\n\
                use = \"pgs\"\n[stop]\nmax_sweeps = 1\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let to = lab.path("to");
    fs::create_dir(&to).expect("a folder");
    for (name, code) in [
        ("-INT", Some(130)),
        ("-TERM", Some(143)),
        ("-HUP", Some(129)),
        ("-KILL", None),
    ] {
        let mut command = lab.command(&["bundle", "r", "--out", "to/x.zip"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("the program starts");
        wait_for("its archive", || (!parts(&to).is_empty()).then_some(()));
        send(name, &[child.id()]);
        let ended = child.wait_with_output().expect("a child");
        assert_eq!(ended.status.code(), code, "{name}: {ended:?}");
        // nothing can be done at this one
        assert_eq!(parts(&to).is_empty(), name != "-KILL", "{name}");
        assert!(!to.join("x.zip").exists(), "{name}");
    }
    let others = [".part-mine.tmp", ".part-0123456-abcdef.tmp"];
    for name in others {
        lab.file(&format!("to/{name}"), "mine");
    }
    let next = lab.run(&["bundle", "r", "--out", "to/y.zip"]);
    assert_eq!(next.code, 0, "{}", next.stderr);
    let mut kept = parts(&to);
    kept.sort();
    assert_eq!(kept, [".part-0123456-abcdef.tmp", ".part-mine.tmp"]);
}
