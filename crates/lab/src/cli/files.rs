//! Problem files as named on the command line.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_core::file_kind::check_readable;
use delassus_problems::is_problem_ending;

use super::failure::Failure;
use super::kind::{FileKind, require};
use super::output::printable;
use crate::suggest::{did_you_mean, nearest};

/// Files as tables show them: without the folder that all are in, which stands above them.
#[derive(Debug)]
pub(crate) struct ShownFiles {
    /// Heading of the column.
    pub(crate) title: String,
    /// The names, in the order of the files.
    pub(crate) names: Vec<String>,
}

impl ShownFiles {
    pub(crate) fn new(paths: &[PathBuf]) -> Self {
        let shared = paths.first().and_then(|path| path.parent());
        let mut shared = shared.unwrap_or(Path::new(""));
        while !paths.iter().all(|path| path.starts_with(shared)) {
            shared = shared.parent().unwrap_or(Path::new(""));
        }
        let name = |path: &PathBuf| {
            let inside = path.strip_prefix(shared).unwrap_or(path);
            printable(&inside.to_string_lossy())
        };
        Self {
            title: match shared == Path::new("") {
                true => "file".to_owned(),
                false => format!("file in {}", printable(&shared.to_string_lossy())),
            },
            names: paths.iter().map(name).collect(),
        }
    }
}

/// Most files that an error names \[-\].
const NAMED: usize = 10;

/// Refuses paths that name no file before anything runs, a line for each.
///
/// A file that exists but cannot be read is not refused here: it is a result of its own.
pub(crate) fn check(paths: &[PathBuf]) -> Result<(), Failure> {
    let wrong: Vec<String> = paths.iter().filter_map(|path| fault(path)).collect();
    let mut lines = wrong.iter().take(NAMED).cloned().collect::<Vec<_>>();
    if wrong.len() > NAMED {
        lines.push(format!("and {} more", wrong.len() - NAMED));
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(Failure::request(lines.join("\n  "))),
    }
}

/// Refuses files that are known to be something else than problems, such as scenes.
pub(crate) fn only_problems(paths: &[PathBuf]) -> Result<(), Failure> {
    let mut paths = paths.iter();
    paths.try_for_each(|path| require(path, FileKind::Problem))
}

/// A pattern of the problem files in a folder, with the ending that most of them have, as `*.dls`.
/// Of endings with equally many it takes the first by name.
fn most_files(folder: &Path) -> String {
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if let Some(ending) = ending.filter(|ending| is_problem_ending(ending) && path.is_file()) {
            *counts.entry(ending.to_owned()).or_insert(0_usize) += 1;
        }
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map_or("FILE".to_owned(), |(ending, _)| format!("*.{ending}"))
}

/// Why a path names no file that can be read.
fn fault(path: &Path) -> Option<String> {
    let shown = printable(&path.to_string_lossy());
    // a link to nowhere counts as missing, a file without read permission does not
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Some(format!(
            "{shown}: is a folder; name the files in it, as {}",
            printable(&path.join(most_files(path)).to_string_lossy())
        )),
        Ok(facts) => {
            let error = check_readable(&facts).err()?;
            Some(format!("{shown}: {error}"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = match fs::read_link(path) {
                Ok(to) => format!("is a link to {}, which does not exist", to.display()),
                Err(_) => format!("no such file{}", missing(path)),
            };
            Some(format!("{shown}: {}", printable(&message)))
        }
        _ => None,
    }
}

/// What may have been meant by a path that does not exist.
fn missing(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.contains(['*', '?']) {
        return "; the pattern matches nothing".to_owned();
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return format!(
            "; there is no folder {}",
            printable(&folder.to_string_lossy())
        );
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    // the order of a folder is the file system's
    names.sort();
    let close = nearest(&name, names.iter().map(String::as_str));
    let close = close.map(|name| path.with_file_name(name).to_string_lossy().into_owned());
    let scenes = delassus_scenes::scenes();
    if scenes
        .iter()
        .any(|scene| Path::new(scene.descriptor.id) == path)
    {
        return format!(
            "; {name} is a scene: `delassus check {name}` looks at it, `delassus play {name}` steps it"
        );
    }
    did_you_mean(close.as_deref())
}

/// The file of all solutions next to the file `name` of one: `<stem>-all.csv`.
pub(crate) fn of_all(name: &str) -> String {
    format!("{}-all.csv", name.strip_suffix(".csv").unwrap_or(name))
}

/// One distinct `<stem>.csv` per path; the second file with a stem becomes `<stem>-2.csv`. The
/// names of [`of_all`] are distinct from them.
///
/// Names that differ in case only are taken for equal, as some file systems do.
pub(crate) fn distinct_names(paths: &[PathBuf]) -> Vec<String> {
    let mut taken = std::collections::BTreeSet::new();
    let mut names = Vec::with_capacity(paths.len());
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut name = format!("{stem}.csv");
        let mut count = 1_usize;
        let both = |name: &str| [name.to_lowercase(), of_all(name).to_lowercase()];
        while both(&name).iter().any(|name| taken.contains(name)) {
            count += 1;
            name = format!("{stem}-{count}.csv");
        }
        taken.extend(both(&name));
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stems_get_distinct_names() {
        let paths = ["a/x.dat", "b/x.dat", "b/X.dat", "b/x-2.dat", "x.tar.gz"].map(PathBuf::from);
        let names = distinct_names(&paths);
        assert_eq!(
            names,
            ["x.csv", "x-2.csv", "X-3.csv", "x-2-2.csv", "x.tar.csv"]
        );
        let paths = ["x.dat", "x-all.dat", "y-all.dat", "y.dat"].map(PathBuf::from);
        let names = distinct_names(&paths);
        assert_eq!(names, ["x.csv", "x-all-2.csv", "y-all.csv", "y-2.csv"]);
    }

    #[test]
    fn a_typing_error_in_a_file_name_finds_the_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("chain-10.dls"), "").unwrap();
        let Err(Failure::Request(message)) = check(&[folder.path().join("chian-10.dls")]) else {
            panic!("a missing file passed");
        };
        assert!(message.contains("no such file"), "{message}");
        assert!(message.contains("chain-10.dls\"?"), "{message}");
        let Err(Failure::Request(message)) = check(&[folder.path().to_owned()]) else {
            panic!("a folder passed");
        };
        assert!(message.contains("is a folder"), "{message}");
    }
}
