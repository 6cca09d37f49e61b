//! Every command that README, docs and help show is run as it stands there, in a copy of `data` and
//! `experiments`.
//!
//! Commands that would take minutes are run as far as their arguments: see [`How`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Lab;

/// What the test does with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// Runs it; it must exit with 0.
    Run,
    /// Runs it with `--dry-run`: the experiment itself takes minutes.
    Plan,
    /// Nothing but a look whether its package exists: see [`EXEMPT`].
    Skip,
}

/// Commands that are not run: what they contain, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("-- run .", "the reader's own folder and program"),
    ("my/experiment.toml", "the reader's own spec"),
    ("my-method", "the reader's own solver"),
    ("my_metric", "the reader's own metric"),
    ("my_solver.py", "the reader's own script; peers.rs runs one"),
    (
        "my_engine.py",
        "the reader's own script; engines.rs runs one",
    ),
    ("peer:pin", "a library that may be missing"),
    ("NAME", "a placeholder"),
    ("VERB", "a placeholder"),
    (
        "results/demo 4f1c",
        "the key of a cell of the reader's own run",
    ),
    ("…", "shortened in the text"),
    ("cargo doc", "its own build of minutes"),
    ("cargo package", "the same"),
    ("cargo check", "the same"),
    ("cargo build --release", "the same"),
    ("../shared/", "files that are not shipped"),
    (
        "report results/",
        "needs the results of a full experiment; report.rs runs it on those of a small one",
    ),
    (
        "solve experiments/23-fclib/frames",
        "minutes in a build for tests",
    ),
    ("solve experiments/35-choosing/frames", "the same"),
    (
        "fsck results/",
        "needs results; fsck.rs runs it on those of a small experiment",
    ),
    ("migrate results/", "the same"),
    (
        "delassus status ",
        "needs results; parts.rs runs it on those of a small experiment",
    ),
    ("delassus merge ", "the same"),
    (
        "compare results/",
        "needs results; compare.rs runs it on those of small specs",
    ),
    ("verify results/", "likewise; passing.rs runs it"),
    ("bundle results/", "likewise; passing.rs runs it"),
    ("delassus play ", "likewise; play.rs runs it"),
    ("my-scene.toml --json", "the reader's own scene"),
    ("/scratch/", "a folder of the reader's machine"),
    (
        "--example my_solver",
        "another program, which tests/all/own_solver.rs runs",
    ),
    ("--example make-data", "rewrites data/"),
    ("--example accumulations", "a study on a GPU"),
    ("--example scaling", "a study on a GPU"),
    ("--example measure", "a study on a GPU"),
    (
        "--example newton_files",
        "a study of files that are not shipped",
    ),
    ("--example levels", "another program, a study of tolerances"),
    ("--example limits", "another program, a study of limits"),
    (
        "--example newton_trace",
        "another program, a study of steps",
    ),
    (
        "--example multigrid_counts",
        "another program, a study of counts",
    ),
    (
        "cargo +nightly fuzz",
        "searches for as long as one lets it, with another compiler",
    ),
    (
        "cargo bench",
        "minutes of measurement; its package must exist",
    ),
    ("cargo test", "the tests themselves; the package must exist"),
    ("cargo fmt", "formats the sources"),
    ("cargo install", "fetches a tool"),
    ("cargo mutants", "hours of builds"),
];

/// Root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README, docs, the pages of data and experiments.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md"), root().join("data/README.md")];
    let folders =
        ["docs", "docs/theory", "docs/decisions", "docs/performance"].map(|name| root().join(name));
    for folder in folders {
        let files = fs::read_dir(folder).expect("a folder").flatten();
        let files = files.map(|entry| entry.path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    }
    let folders = fs::read_dir(root().join("experiments")).expect("a folder");
    let readmes = folders
        .flatten()
        .map(|entry| entry.path().join("README.md"));
    pages.extend(readmes.filter(|path| path.is_file()));
    pages.sort();
    pages
}

/// Commands of a page: lines of blocks of code, and code in the text that is a whole command.
pub(crate) fn commands_of(text: &str) -> Vec<String> {
    let is_command = |line: &str| line.starts_with("delassus ") || line.starts_with("cargo ");
    let mut found = Vec::new();
    let mut fenced = None;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fenced = if fenced.is_some() {
                None
            } else {
                Some(language)
            };
            continue;
        }
        match (fenced, line.strip_prefix("    ")) {
            (Some("sh" | "text"), _) if is_command(line) => found.push(line.to_owned()),
            (None, Some(code)) if is_command(code) => found.push(code.to_owned()),
            _ => {}
        }
    }
    // code in the text may be broken into two lines
    let joined = text.replace('\n', " ");
    let inline = joined.split('`').skip(1).step_by(2);
    found.extend(inline.filter(|code| is_command(code)).map(str::to_owned));
    found
}

/// The arguments of a command of our program, patterns expanded by `lab`; `None` for another
/// program.
pub(crate) fn arguments(command: &str, lab: &Lab) -> Option<Vec<String>> {
    let command = command.split(" #").next().unwrap_or(command);
    let command = command.split(" | ").next().unwrap_or(command);
    let command = command.split(" > ").next().unwrap_or(command);
    // the program under test has them
    let command = command
        .replace("--features gpu ", "")
        .replace("--features clarabel ", "");
    let rest = command.strip_prefix("cargo run --release -- ");
    let rest = rest.or_else(|| command.strip_prefix("delassus "))?;
    let mut words = Vec::new();
    for word in quoted_words(rest) {
        let Some((folder, pattern)) = word.rsplit_once('/').filter(|(_, p)| p.contains('*')) else {
            words.push(word);
            continue;
        };
        let (start, ending) = pattern.split_once('*').expect("a star");
        let files = fs::read_dir(lab.path(folder)).expect("the folder of a pattern");
        let names = files
            .flatten()
            .map(|f| f.file_name().into_string().expect("UTF-8"));
        let mut names: Vec<String> = names
            .filter(|name| name.starts_with(start) && name.ends_with(ending))
            .collect();
        names.sort();
        assert!(!names.is_empty(), "{word} matches nothing");
        words.extend(names.iter().map(|name| format!("{folder}/{name}")));
    }
    Some(words)
}

/// The words of a command; single quotes keep words together, and a shell off brackets.
fn quoted_words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for word in line.split_whitespace() {
        match words.last_mut().filter(|_| open) {
            Some(last) => *last += &format!(" {word}"),
            None => words.push(word.to_owned()),
        }
        open ^= word.matches('\'').count() % 2 == 1;
    }
    words.iter().map(|word| word.replace('\'', "")).collect()
}

fn how(command: &str) -> How {
    let is_bare = command.starts_with("cargo run --release")
        && (command.ends_with("--") || command.ends_with("…"));
    if is_bare || EXEMPT.iter().any(|(part, _)| command.contains(part)) {
        return How::Skip;
    }
    // a full experiment is minutes to hours; its spec is read and its cells are listed
    if command.contains("run experiments/") {
        return How::Plan;
    }
    How::Run
}

/// Says what is wrong with a command that is not run.
fn check_skipped(command: &str) -> Result<(), String> {
    if let Some((_, rest)) = command.split_once("--manifest-path ") {
        let path = rest.split(' ').next().unwrap_or(rest);
        if !root().join(path).is_file() {
            return Err(format!("there is no {path}"));
        }
    }
    let package = command
        .split(" -p ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    if let Some(package) = package.filter(|name| !name.contains("NAME")) {
        let folder = package
            .strip_prefix("delassus-")
            .or_else(|| (package == "delassus").then_some(package))
            .ok_or_else(|| format!("{package} is no package of ours"))?;
        let known = ["crates", "tests", ""].map(|parent| root().join(parent).join(folder));
        if !known.iter().any(|path| path.is_dir()) {
            return Err(format!("there is no package {package}"));
        }
    }
    Ok(())
}

/// Runs one command and says what is wrong with it.
pub(crate) fn check(command: &str, lab: &Lab) -> Result<(), String> {
    let how = how(command);
    if how == How::Skip {
        return check_skipped(command);
    }
    let mut words = arguments(command, lab).ok_or("no rule for it")?;
    // the verb alone names it, and runs nothing
    if words.len() == 1
        && [
            "run",
            "solve",
            "export",
            "convert",
            "inspect",
            "reference",
            "report",
            "fsck",
            "migrate",
            "list",
            "new",
            "watch",
            "show",
            "plot",
            "data",
            "verify",
            "bundle",
            "compare",
            "gate",
            "completions",
        ]
        .contains(&words[0].as_str())
    {
        words.push("--help".to_owned());
    }
    if how == How::Plan && !words.iter().any(|word| word == "--dry-run") {
        words.push("--dry-run".to_owned());
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = lab.run(&words);
    let wrong = ["unsupported", "unreadable", "failed"]
        .map(|word| format!(" {word}"))
        .iter()
        .any(|word| ran.stderr.contains(word));
    if ran.code != 0 || wrong {
        let (code, out, err) = (ran.code, ran.stdout, ran.stderr);
        return Err(format!("exit code {code}\n{out}{err}"));
    }
    Ok(())
}

/// Fails with all that is wrong, together.
fn assert_right(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} commands:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Copies a folder of the project.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

fn lab() -> Lab {
    let lab = Lab::new();
    for folder in ["data", "experiments"] {
        copy(&root().join(folder), &lab.path(folder));
    }
    // the reader's own scene, of moments that no body has
    lab.file(
        "my.toml",
        "[[bodies]]\nkind = \"dynamic\"\nposition = [0.0, 0.0, 0.0]\n\
         inertia = { mass = 2.0, moments = [1.0, 5.0, 1.0] }\n",
    );
    lab
}

#[test]
fn every_command_of_the_documentation_runs() {
    let lab = lab();
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let shown = page.display().to_string();
        for command in commands_of(&text) {
            if seen.insert(command.clone())
                && let Err(why) = check(&command, &lab)
            {
                wrong.push(format!("{shown}: {command}: {why}"));
            }
        }
    }
    assert_right(&wrong);
    assert!(seen.len() > 50, "only {} commands were found", seen.len());
    for (part, why) in EXEMPT {
        let used = seen.iter().any(|command| command.contains(part));
        let in_help = [
            "my/experiment.toml",
            "VERB",
            "my-scene.toml --json",
            "report results/",
            "compare results/",
            "/scratch/",
            "results/demo 4f1c",
            "…",
        ];
        assert!(
            used || in_help.contains(part),
            "no command has {part:?} any more ({why})"
        );
    }
}

#[test]
fn every_example_of_the_help_runs() {
    let lab = lab();
    let mut wrong = Vec::new();
    // the first makes what others show
    for verb in [
        "demo",
        "new",
        "run",
        "watch",
        "solve",
        "export",
        "play",
        "check",
        "convert",
        "inspect",
        "show",
        "list",
        "report",
        "compare",
        "plot",
        "data",
        "verify",
        "plan",
        "status",
        "merge",
        "fsck",
        "migrate",
        "bundle",
        "explain",
        "doctor",
        "completions",
        "man",
        "schema",
        "gate",
    ] {
        let help = lab.run(&[verb, "--help"]).stdout;
        let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
        let mut examples = lines
            .filter(|line| line.starts_with("delassus "))
            .peekable();
        assert!(examples.peek().is_some(), "{verb}");
        for example in examples {
            if let Err(why) = check(example, &lab) {
                wrong.push(format!("{verb} --help: {example}: {why}"));
            }
        }
    }
    assert_right(&wrong);
}

#[test]
fn commands_are_found_in_blocks_and_in_the_text() {
    let text = "Run `delassus doctor`.\n\n```sh\ndelassus list laws  # all\n```\n\n    cargo test\n\n```toml\ndelassus = 1\n```\n";
    let found = commands_of(text);
    assert_eq!(
        found,
        ["delassus list laws  # all", "cargo test", "delassus doctor"]
    );
    let lab = Lab::new();
    let words = arguments(&found[0], &lab);
    assert_eq!(words, Some(vec!["list".to_owned(), "laws".to_owned()]));
    let words = arguments("delassus solve x 'cmd:python3 a.py' --solver 'f(g)'", &lab);
    let expected = ["solve", "x", "cmd:python3 a.py", "--solver", "f(g)"];
    assert_eq!(words, Some(expected.map(str::to_owned).to_vec()));
    assert_eq!(arguments("cargo test", &lab), None);
}
