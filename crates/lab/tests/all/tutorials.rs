//! The tutorials are followed from top to bottom, each in a folder of its own with a copy of
//! `data`: files are saved and changed as the page says, and every command runs. What a page quotes
//! is what the command before it prints, times and keys of cells excepted.
//!
//! `UPDATE_GOLDEN=1 cargo test -p delassus-lab --test all tutorials` writes the quotations anew.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use delassus_conformance::skip;

use crate::commands::{arguments, check, commands_of, copy, root};
use crate::support::{Lab, Ran};

/// A part of a page: a block of code with its language, or prose.
struct Part<'p> {
    language: Option<&'p str>,
    body: String,
}

fn parts(page: &str) -> Vec<Part<'_>> {
    let prose = || Part {
        language: None,
        body: String::new(),
    };
    let mut parts = vec![prose()];
    for line in page.lines() {
        let last = parts.last_mut().expect("a part");
        match (line.strip_prefix("```"), last.language) {
            (Some(_), Some(_)) => parts.push(prose()),
            (Some(language), None) => parts.push(Part {
                language: Some(language),
                body: String::new(),
            }),
            (None, _) => last.body += &format!("{line}\n"),
        }
    }
    parts
}

/// Who follows a page: the file saved last, and what the last command printed.
struct Reader {
    lab: Lab,
    file: String,
    printed: String,
    commands: usize,
    wrong: Vec<String>,
}

impl Reader {
    fn new() -> Self {
        let lab = Lab::new();
        for folder in ["data", "crates/peers/python"] {
            copy(&root().join(folder), &lab.path(folder));
        }
        Self {
            lab,
            file: String::new(),
            printed: String::new(),
            commands: 0,
            wrong: Vec::new(),
        }
    }

    /// Remembers the name of the file that comes next, and runs the commands in the text.
    fn read(&mut self, prose: &str) {
        let line = prose.replace('\n', " ");
        if let Some((_, name)) = line.rsplit_once("Save this as `") {
            self.file = name.split('`').next().unwrap_or(name).to_owned();
        }
        for command in commands_of(prose) {
            let fault = check(&command, &self.lab).err();
            self.wrong
                .extend(fault.map(|why| format!("{command}: {why}")));
        }
    }

    /// Replaces the lines of the file with `-` by those with `+`.
    fn change(&mut self, diff: &str) {
        let side = |sign: char| -> String {
            let lines = diff.lines().filter_map(|line| line.strip_prefix(sign));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let text = fs::read_to_string(self.lab.path(&self.file)).expect("a file saved before");
        assert_eq!(text.matches(&side('-')).count(), 1, "{}: {diff}", self.file);
        self.lab
            .file(&self.file, text.replace(&side('-'), &side('+')));
    }

    fn run(&mut self, block: &str) {
        for command in block.lines() {
            let words = arguments(command, &self.lab)
                .unwrap_or_else(|| panic!("{command}: only our own commands run everywhere"));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut program = self.lab.command(&words);
            program.env("PATH", path_of_python());
            let ran = Ran::from(program.output().expect("the program starts"));
            let expected = i32::from(command.ends_with("# exit code 1"));
            if ran.code != expected {
                let (code, out, err) = (ran.code, &ran.stdout, &ran.stderr);
                self.wrong
                    .push(format!("{command}: exit code {code}\n{out}{err}"));
            }
            self.printed = ran.stdout;
            self.commands += 1;
        }
    }

    fn compare(&mut self, quoted: &str) {
        if comparable(quoted) != comparable(&self.printed) {
            let printed = &self.printed;
            self.wrong
                .push(format!("quoted:\n{quoted}printed:\n{printed}"));
        }
    }
}

/// The cells of a line, which two blanks divide, with their columns.
fn cells(line: &str) -> Vec<(Range<usize>, &str)> {
    let mut column = 0;
    let mut found = Vec::new();
    for cell in line.split("  ") {
        let word = cell.trim();
        let begin = column + cell.chars().take_while(|c| *c == ' ').count();
        if !word.is_empty() {
            found.push((begin..begin + word.chars().count(), word));
        }
        column += cell.chars().count() + 2;
    }
    found
}

/// The lines of an output without the numbers below `seconds` and `[s]`, and without keys.
fn comparable(output: &str) -> Vec<String> {
    let is_time = |cell: &str| cell == "seconds" || cell.ends_with("[s]");
    let is_key = |cell: &str| cell.len() == 12 && cell.bytes().all(|b| b.is_ascii_hexdigit());
    let mut times: Vec<Range<usize>> = Vec::new();
    let mut lines = Vec::new();
    for line in output.lines() {
        let cells = cells(line);
        let header = cells.iter().filter(|(_, cell)| is_time(cell));
        let header: Vec<_> = header.map(|(columns, _)| columns.clone()).collect();
        if cells.is_empty() || !header.is_empty() {
            times = header;
        }
        let shown = cells.iter().map(|(columns, cell)| {
            let below = |time: &Range<usize>| time.start < columns.end && columns.start < time.end;
            match cell.parse::<f64>() {
                Ok(_) if times.iter().any(below) => "TIME",
                _ if is_key(cell) => "KEY",
                _ => cell,
            }
        });
        lines.push(shown.collect::<Vec<_>>().join("  "));
    }
    lines
}

/// Follows a page; returns it with what the commands have printed.
fn follow(page: &str, reader: &mut Reader) -> String {
    let mut followed = String::new();
    for Part { language, mut body } in parts(page) {
        match language {
            None => reader.read(&body),
            Some("toml" | "python") => {
                reader.lab.file(&reader.file, &body);
            }
            Some("diff") => reader.change(&body),
            Some("sh") => reader.run(&body),
            Some("text") => {
                reader.compare(&body);
                body.clone_from(&reader.printed);
            }
            Some(other) => panic!("nothing is done with a block of {other:?}"),
        }
        match language {
            None => followed += &body,
            Some(language) => followed += &format!("```{language}\n{body}```\n"),
        }
    }
    followed
}

/// The path to programs, with those of the environment of the peers in front.
fn path_of_python() -> OsString {
    let environment = env::var_os("DELASSUS_PEERS_VENV");
    let first = environment.map(|folder| Path::new(&folder).join("bin"));
    let rest = env::var_os("PATH").unwrap_or_default();
    let folders = first.into_iter().chain(env::split_paths(&rest));
    env::join_paths(folders).expect("folders without a colon")
}

/// Why no page with Python can be followed here, if there is a reason.
fn python_is_missing() -> Option<String> {
    let mut python = Command::new("python3");
    python.args(["-c", "import numpy"]);
    python.env("PATH", path_of_python());
    match python.output() {
        Ok(output) if output.status.success() => None,
        Ok(_) => Some("python3 has no NumPy".to_owned()),
        Err(error) => Some(format!("no python3 here: {error}")),
    }
}

/// The pages with and without Python.
fn pages(with_python: bool) -> Vec<PathBuf> {
    let folder = root().join("docs/tutorials");
    let files = fs::read_dir(&folder).expect("a folder").flatten();
    let mut pages: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    pages.retain(|page| {
        let text = fs::read_to_string(page).expect("a page");
        text.contains("\n```python\n") == with_python
    });
    pages.sort();
    pages
}

/// Follows these pages, and fails with all that is wrong in them.
fn follow_all(pages: &[PathBuf]) {
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(page).expect("a page");
        let mut reader = Reader::new();
        let followed = follow(&text, &mut reader);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(page, followed).expect("a page");
        }
        let shown = page.display();
        assert!(reader.commands >= 5, "{shown}: {}", reader.commands);
        wrong.extend(reader.wrong.iter().map(|why| format!("{shown}: {why}")));
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count}:\n{}", wrong.join("\n"));
}

#[test]
fn tutorials_can_be_followed() {
    let pages = pages(false);
    assert!(pages.len() >= 4, "{pages:?}");
    follow_all(&pages);
}

#[test]
fn tutorials_with_python_can_be_followed() {
    let pages = pages(true);
    assert!(!pages.is_empty());
    match python_is_missing() {
        Some(reason) => skip("tutorials_with_python_can_be_followed", reason),
        None => follow_all(&pages),
    }
}

#[test]
fn quotations_differ_only_in_times_and_keys() {
    let output = "file in data   pgs [s]   sweeps\na.dls          3.67e-3   7\n\n27015fd876bd  4\n";
    let times = output.replace("3.67e-3", "0.0012 ").replace("27", "99");
    assert_eq!(comparable(output), comparable(&times));
    assert_ne!(comparable(output), comparable(&output.replace('7', "8")));
    let missed = output.replace("3.67e-3", "missed ");
    assert_ne!(comparable(output), comparable(&missed));
}

#[test]
fn a_page_that_quotes_something_else_is_wrong() {
    let page = "Save this as `a.toml`:\n\n```toml\nx = 1\n```\n\n```diff\n-x = 1\n+x = 2\n```\n\n\
                ```sh\ndelassus explain stagnated\n```\n\n```text\nnothing\n```\n";
    let mut reader = Reader::new();
    let followed = follow(page, &mut reader);
    assert_eq!(reader.wrong.len(), 1, "{:?}", reader.wrong);
    let saved = fs::read_to_string(reader.lab.path("a.toml")).expect("the saved file");
    assert_eq!(saved, "x = 2\n");
    let mut again = Reader::new();
    assert_eq!(follow(&followed, &mut again), followed);
    assert!(again.wrong.is_empty(), "{:?}", again.wrong);
}
