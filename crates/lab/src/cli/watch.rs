//! `delassus watch`: runs a spec whenever one of its files is saved.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use delassus_core::file_kind::check_readable;

use super::args::WatchVerb;
use super::diagnostic::print_diagnostic;
use super::experiment::run_into;
use super::failure::Failure;
use super::interrupt::Interrupt;
use super::output::{Output, printable};
use crate::registry::Registry;
use crate::{run, spec};

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(200);

/// What is seen of a file without reading it: its size and its date; nothing where there is none.
type Seen = BTreeMap<PathBuf, Option<(u64, Option<SystemTime>)>>;

/// Runs the verb: until it is interrupted.
pub(crate) fn run(
    verb: &WatchVerb,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    // a typing error in the name ends it; one in the spec waits for the next save
    let file = spec_file(&verb.spec)?;
    loop {
        let seen = settled(&file, registry);
        round(verb, &file, registry, output, interrupt)?;
        print_diagnostic("watching; Ctrl-C ends it");
        while seen == look(&file, registry) {
            if interrupt.asked.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted(
                    "interrupted: no longer watching".to_owned(),
                ));
            }
            sleep(LOOK);
        }
    }
}

/// The files once they have stayed the same for a while: some editors empty a file before they fill
/// it.
fn settled(file: &Path, registry: &Registry) -> Seen {
    let mut seen = look(file, registry);
    loop {
        sleep(LOOK / 4);
        let again = look(file, registry);
        if again == seen {
            return seen;
        }
        seen = again;
    }
}

fn spec_file(path: &Path) -> Result<PathBuf, Failure> {
    let file = match path.is_dir() {
        true => path.join(spec::FILE_NAME),
        false => path.to_owned(),
    };
    let facts = fs::metadata(&file).and_then(|facts| check_readable(&facts).map(|()| facts));
    let reason = match facts {
        Ok(facts) if facts.is_file() => return Ok(file),
        Err(error) if error.kind() != io::ErrorKind::NotFound => error.to_string(),
        _ => "no such spec".to_owned(),
    };
    let shown = printable(&file.to_string_lossy());
    Err(Failure::request(format!("{shown}: {reason}")))
}

/// One run; what is wrong with the spec is said, and ends nothing.
fn round(
    verb: &WatchVerb,
    file: &Path,
    registry: &Registry,
    output: &mut Output,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let ran = run::folder_of(file, verb.out.as_deref(), registry)
        .map_err(Failure::from)
        .and_then(|folder| run_into(file, &folder, true, registry, output, interrupt));
    match ran {
        Ok(summary) => {
            let words = summary.endings();
            let words = words.iter().map(|(word, count)| format!("{count} {word}"));
            print_diagnostic(&format!(
                "{}; {} ran, {} kept from before",
                words.collect::<Vec<_>>().join(", "),
                summary.ran,
                summary.kept
            ));
            match &summary.report {
                Some(report) => output.line(&printable(&report.to_string_lossy())),
                None => Ok(()),
            }
        }
        Err(Failure::Request(message) | Failure::Run(message)) => {
            print_diagnostic(&format!("error: {message}"));
            Ok(())
        }
        Err(other) => Err(other),
    }
}

/// The spec, the files that it names, and the page next to it.
fn look(file: &Path, registry: &Registry) -> Seen {
    let mut paths = vec![file.to_owned(), file.with_file_name("README.md")];
    // while the spec is wrong nothing but the spec can mend it
    if let Ok(spec) = spec::read(file, registry) {
        paths.extend(spec.files());
    }
    let facts = |path: PathBuf| {
        let facts = fs::metadata(&path).ok();
        (
            path,
            facts.map(|facts| (facts.len(), facts.modified().ok())),
        )
    };
    paths.into_iter().map(facts).collect()
}
