//! Every verb that reads a results folder, with every file of it deleted, cut, flipped, or replaced
//! by something else: one table of exit codes, that of `docs/reliability.md`.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use delassus_conformance::whole;

use crate::forger::{copy, renew};
use crate::support::{Lab, Ran};

mod bundles;
mod folders;
mod half_run;
mod made_here;
mod merged;
mod named;
mod sources;
mod strays;

const SOLVES: &str = r#"
title = "Damaged"
[[problem]]
use = "chain"
n = 2
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[stop]
max_sweeps = 3
[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps" } }
[[gate]]
value = "status"
equals = "max_sweeps"
"#;

const MOTION: &str = r#"
title = "Moved"
[[scene]]
use = "pendulum"
[[scheme]]
use = "pgs-baumgarte"
seconds = 0.05
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[simulate]
observables = ["drift_max"]
[replay]
[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max" } }
[[gate]]
value = "status"
equals = "ended"
"#;

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Deleted,
    Cut,
    Flipped,
    Pipe,
    Folder,
    Link,
    /// It is above `--max-file`, which is [`MOST`].
    Large,
}

/// Up to which size files are read where one is larger.
const MOST: &str = "32MiB";

const DAMAGES: [Damage; 7] = [
    Damage::Deleted,
    Damage::Cut,
    Damage::Flipped,
    Damage::Pipe,
    Damage::Folder,
    Damage::Link,
    Damage::Large,
];

impl Damage {
    /// Does it to a file of the results; a link leads to its content elsewhere.
    fn hit(self, lab: &Lab, name: &str) {
        let path = &lab.path("r").join(name);
        let bytes = fs::read(path).expect("a file");
        fs::remove_file(path).expect("a file");
        match self {
            Self::Deleted => {}
            Self::Cut => fs::write(path, &bytes[..bytes.len() / 2]).expect("a file"),
            Self::Flipped => {
                let mut bytes = bytes;
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(path, bytes).expect("a file");
            }
            Self::Pipe => {
                let made = Command::new("mkfifo").arg(path).status();
                assert!(made.expect("mkfifo").success());
            }
            Self::Folder => fs::create_dir(path).expect("a folder"),
            Self::Large => File::create(path)
                .and_then(|file| file.set_len(40 << 20))
                .expect("a file"),
            Self::Link => {
                let elsewhere = lab.path("elsewhere");
                fs::write(&elsewhere, bytes).expect("a file");
                symlink(elsewhere, path).expect("a link");
            }
        }
    }

    /// True where a file cannot take the place of what is there.
    fn stays(self) -> bool {
        matches!(self, Self::Pipe | Self::Folder)
    }
}

/// The role of a file in the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// What the run says of itself.
    Head,
    /// The list of files and cells.
    List,
    /// A record, impulses or recorded motion.
    Cell,
    /// A table, a figure or a page.
    View,
}

/// How a verb treats the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It checks every file.
    Check,
    /// It reads cells.
    Read,
    /// It draws the views again.
    Draw,
    /// It runs the spec.
    Run,
}

/// The verbs, the last two of which change the folder.
const VERBS: [(&[&str], Use); 17] = [
    (&["verify", "r"], Use::Check),
    (&["fsck", "r"], Use::Check),
    (&["bundle", "r", "--out", "x.zip"], Use::Check),
    (&["verify", "r", "--rerun"], Use::Check),
    (&["report", "r", "--out", "drawn"], Use::Read),
    (&["compare", "r"], Use::Read),
    (&["plot", "r", "--out", "x.svg"], Use::Read),
    (&["data", "r", "--out", "d"], Use::Read),
    (&["data", "r", "--out", "d", "--format", "npz"], Use::Read),
    (&["show", "r"], Use::Read),
    (&["show", "r", "KEY"], Use::Read),
    (&["gate", "s", "--no-run", "--out", "r"], Use::Read),
    (&["merge", "r", "--out", "merged"], Use::Read),
    (&["status", "r"], Use::Read),
    (&["status", "s", "--out", "r"], Use::Read),
    (DRAW, Use::Draw),
    (RUN, Use::Run),
];

/// Draws the views again.
const DRAW: &[&str] = &["report", "r"];

/// Runs the experiment again.
const RUN: &[&str] = &["run", "s", "--out", "r", "--no-isolate", "--quiet"];

/// The table: the exit code of a verb where a file of this role has this damage.
fn expected(verb: &[&str], treats: Use, role: Role, damage: Damage) -> i32 {
    match (treats, role) {
        // its length is not that of the list, whether it can be read or not
        (Use::Check, Role::View) => 6,
        (Use::Check | Use::Read | Use::Draw, Role::Head) => 6,
        (Use::Run, _) if damage.stays() => 3,
        (Use::Run, _) => 0,
        // the folder of a run that has not come to its end
        (_, Role::List) if damage == Damage::Deleted => i32::from(verb[0] == "verify"),
        (Use::Read, Role::View) => 0,
        (Use::Draw, Role::View) if damage.stays() => 3,
        (Use::Draw, Role::View) => 0,
        _ => 6,
    }
}

/// Runs a verb, and ends it where it waits for something that never comes.
fn run_briefly(lab: &Lab, words: &[&str]) -> Ran {
    let program = lab.command(words);
    let mut command = Command::new("timeout");
    command.arg("600").arg(program.get_program()).args(words);
    let output = command.current_dir(lab.path("")).output();
    Ran::from(output.expect("timeout starts"))
}

/// Puts everything back into the folder, which stays the one that the run made.
fn restore(lab: &Lab) {
    let folder = lab.path("r");
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
    copy(&lab.path("whole"), &folder);
    for left in ["x.zip", "drawn", "x.svg", "d", "merged"] {
        let path = lab.path(left);
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
}

/// A lab with results in `r`, a copy of them in `whole`, and the key of a cell.
fn results(spec: &str) -> (Lab, String) {
    let lab = Lab::new();
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    copy(&lab.path("r"), &lab.path("whole"));
    let key = first_key(&lab);
    (lab, key)
}

/// The first key of a cell in the results.
fn first_key(lab: &Lab) -> String {
    let cells = fs::read_dir(lab.path("r/cells")).expect("cells");
    let names = cells.map(|entry| entry.expect("an entry").file_name());
    let keys = names.filter_map(|name| Some(name.to_str()?.strip_suffix(".json")?.to_owned()));
    keys.min().expect("a cell")
}

/// The files that are damaged, with their roles; a view of each kind.
fn files(key: &str, beside: &str, views: &[&str]) -> Vec<(String, Role)> {
    let head = ["experiment.json", "manifest.json"].map(|name| (name.to_owned(), Role::Head));
    let cell = ["json", beside].map(|ending| (format!("cells/{key}.{ending}"), Role::Cell));
    let views = views.iter().map(|name| ((*name).to_owned(), Role::View));
    let list = ("outputs.json".to_owned(), Role::List);
    head.into_iter()
        .chain([list])
        .chain(cell)
        .chain(views)
        .collect()
}

/// The words of a verb, with a key in the place of `KEY`.
fn with_key<'w>(words: &[&'w str], key: &'w str) -> Vec<&'w str> {
    let word = |word: &&'w str| match *word {
        "KEY" => key,
        word => word,
    };
    words.iter().map(word).collect()
}

/// True if what a verb says has the name of a file.
fn names(ran: &Ran, name: &str) -> bool {
    let file = Path::new(name).file_name().expect("a name");
    ran.stdout.contains(name) || ran.stderr.contains(file.to_str().expect("text"))
}

/// Runs the verbs over all files and damages; every difference from the table. Of all combinations
/// it takes every fourth, so that each verb meets each file and each damage, unless
/// `DELASSUS_TESTS=whole` asks for all.
fn differences(spec: &str, beside: &str, views: &[&str]) -> Vec<String> {
    let (lab, key) = results(spec);
    let mut found = Vec::new();
    for (f, (name, role)) in files(&key, beside, views).into_iter().enumerate() {
        for (d, damage) in DAMAGES.into_iter().enumerate() {
            for (v, (words, treats)) in VERBS.into_iter().enumerate() {
                // a rerun runs every cell in a process of its own
                let is_slow = words.contains(&"--rerun") && damage != Damage::Flipped;
                if is_slow || !(whole() || (f + d + v) % 4 == 0) {
                    continue;
                }
                restore(&lab);
                damage.hit(&lab, &name);
                let mut words = with_key(words, &key);
                let wanted = expected(&words, treats, role, damage);
                if damage == Damage::Large {
                    words.extend(["--max-file", MOST]);
                }
                let ran = run_briefly(&lab, &words);
                let says = ran.code == 0 || names(&ran, &name);
                // what a deleted list says is that the run has not ended; `status` counts
                let says = says || role == Role::List || words[0] == "status";
                if ran.code != wanted || !says || ran.stderr.contains("panicked") {
                    found.push(format!(
                        "{damage:?} {name}: {words:?}: {} instead of {wanted}: {}{}",
                        ran.code, ran.stdout, ran.stderr
                    ));
                }
            }
            // a limit that is larger mends nothing, a run does
            if damage == Damage::Large {
                restore(&lab);
                damage.hit(&lab, &name);
                let verbs = [RUN, &["fsck", "r"], &["verify", "r"]];
                let codes = verbs.map(|words| {
                    let words = [words, &["--max-file", MOST]].concat();
                    lab.run(&words).code
                });
                if codes != [0; 3] {
                    found.push(format!("{damage:?} {name}: after a run: {codes:?}"));
                }
                continue;
            }
            let follows = whole() || (f + d) % 2 == 0;
            let followed = follows.then(|| follow(&lab, &name, damage)).flatten();
            found.extend(followed.map(|what| format!("{damage:?} {name}: advice: {what}")));
        }
    }
    found
}

/// Follows the advice of `fsck`; what is wrong with it.
fn follow(lab: &Lab, name: &str, damage: Damage) -> Option<String> {
    restore(lab);
    damage.hit(lab, name);
    let objects = lab.run(&["fsck", "r", "--json"]).objects();
    if damage.stays() {
        let verified = lab.run(&["verify", "r"]);
        let said = verified.stdout + &verified.stderr;
        if !said.contains("; move it away, then run the experiment again") {
            return Some(format!("verify gives another advice: {said}"));
        }
    }
    for object in &objects {
        let (Some(file), Some(action)) = (object["file"].as_str(), object["action"].as_str())
        else {
            continue;
        };
        if action.starts_with("move ") {
            fs::rename(lab.path("r").join(file), lab.path("away")).ok()?;
            let away = lab.path("away");
            let _ = fs::remove_file(&away).or_else(|_| fs::remove_dir_all(&away));
        }
        let words: &[&str] = match action {
            action if action.contains("run the experiment again") => RUN,
            action if action.contains("`delassus report`") => DRAW,
            "move it away" => continue,
            other => return Some(format!("not known to this test: {other}")),
        };
        let ran = lab.run(words);
        if ran.code != 0 {
            return Some(format!("{action}: {}", ran.stderr));
        }
    }
    // an unfinished run is no damage
    let checks = ["fsck", "verify"].map(|verb| lab.run(&[verb, "r"]));
    let unfinished = objects.len() == 1 && checks[1].code == 1;
    let wrong = checks[0].code != 0 || (checks[1].code != 0 && !unfinished);
    wrong.then(|| format!("{objects:?}: {}{}", checks[0].stderr, checks[1].stdout))
}

/// A run reads the records that it has written, however large, and a spec whose results are above
/// the limit is not run before that is said.
#[test]
fn a_run_reads_what_it_has_written() {
    let (lab, key) = results(SOLVES);
    let question = "x".repeat(2000);
    lab.file(
        "long/experiment.toml",
        format!("question = {question:?}\n{SOLVES}"),
    );
    let gate = ["gate", "long", "--out", "new", "--max-file", "1KiB"];
    let ran = lab.run(&gate);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = lab.run(&gate);
    assert_eq!(ran.code, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stderr.contains("1/2"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("raise it: --max-file"),
        "{}",
        ran.stderr
    );
    // a record alone is above the limit: the cell runs again, and why is said
    restore(&lab);
    let path = lab.path("r").join(format!("cells/{key}.json"));
    File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(40 << 20))
        .expect("a file");
    let words = ["run", "s", "--out", "r", "--no-isolate"];
    let ran = lab.run(&[&words[..], &["--max-file", MOST]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("raise it: --max-file; runs again"),
        "{}",
        ran.stderr
    );
}

/// Files of the lengths in the lists, of which one is above the limit.
#[test]
fn what_may_not_be_read_ends_every_check_with_three() {
    let (lab, key) = results(SOLVES);
    for name in ["report.html", "figures/curves.svg"] {
        restore(&lab);
        let path = lab.path("r").join(name);
        let mut text = fs::read_to_string(&path).expect("a view");
        text.push_str(&" ".repeat(33 << 20));
        fs::write(&path, text).expect("a view");
        renew(&lab.path("r"));
        for (words, treats) in VERBS {
            if words.contains(&"--rerun") || matches!(treats, Use::Draw | Use::Run) {
                continue;
            }
            let words = [&with_key(words, &key)[..], &["--max-file", MOST]].concat();
            let ran = lab.run(&words);
            let wanted = match treats {
                Use::Check => 3,
                _ => 0,
            };
            let said = format!("{words:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, wanted, "{said}");
            let is_named = ran.stderr.contains(name) && ran.stderr.contains("raise it: --max-file");
            assert!(wanted == 0 || is_named, "{said}");
        }
    }
}

#[test]
fn every_verb_ends_with_one_code_for_a_damaged_file_of_solves() {
    let views = ["summary.csv", "report.html", "figures/curves.svg"];
    let found = differences(SOLVES, "impulses", &views);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_verb_ends_with_one_code_for_a_damaged_file_of_motion() {
    let found = differences(MOTION, "replay", &["replay.html"]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
