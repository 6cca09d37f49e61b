//! `files = ["GLOB"]` of a `[[problem]]`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern, glob_with};

use delassus_core::ContactLaw;
use delassus_core::file_kind::check_readable;

use crate::document::context::NamedFiles;
use crate::document::section::SpecSection;
use crate::document::text::SpecError;

/// The files of an entry with their `law`: those of `files`, or those of `otherwise` if none of
/// `files` matches anything.
///
/// Where some patterns match, each must: one that does not is a typing error, or a file that is
/// missing. No file need match where nobody reads them (`needed`).
pub(super) fn source(
    section: &SpecSection<'_>,
    folder: &Path,
    needed: NamedFiles,
) -> Result<(Vec<PathBuf>, ContactLaw), SpecError> {
    let mut missing = None;
    let laws = ContactLaw::OF_FILES.iter().map(|law| law.name);
    let law = section.choice("law", &laws.collect::<Vec<_>>())?;
    let law = law.and_then(|name| ContactLaw::of_files(name).ok());
    let law = law.unwrap_or(ContactLaw::Coulomb);
    if needed == NamedFiles::Unread {
        return Ok((Vec::new(), law));
    }
    for key in ["files", "otherwise"] {
        let mut paths = Vec::new();
        let mut idle = None;
        for (pattern, item) in section.strings(key)?.unwrap_or_default() {
            if pattern.contains("**") {
                let message = "** is not supported: * and ? match inside one folder";
                return Err(section.error_at(item, message));
            }
            let found = matches(folder, pattern);
            if found.is_empty() {
                idle = idle.or(Some((pattern, item)));
            }
            for path in found {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        match idle {
            Some((pattern, item)) if !paths.is_empty() => {
                return Err(section.error_at(item, unmatched(folder, pattern)));
            }
            None if !paths.is_empty() => return Ok((paths, law)),
            Some((pattern, _)) => missing = missing.or(Some(pattern)),
            None => {}
        }
    }
    let message = match (section.get("otherwise"), missing) {
        (Some(_), _) => "neither files nor otherwise matches a file".to_owned(),
        (None, Some(pattern)) => unmatched(folder, pattern),
        (None, None) => "files names no file; paths are relative to the spec".to_owned(),
    };
    Err(match section.get("files") {
        Some(item) => section.error_at(item, message),
        None => section.error(message),
    })
}

/// Why a pattern matches no file: nothing has the name, or a pipe or a device does.
fn unmatched(folder: &Path, pattern: &str) -> String {
    let facts = fs::metadata(folder.join(pattern));
    match facts.and_then(|facts| check_readable(&facts)) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            format!("{pattern:?}: {error}")
        }
        _ => format!("{pattern:?} matches no file; paths are relative to the spec"),
    }
}

/// The files that match `pattern`, sorted by name folder by folder. A leading dot hides a file from
/// a pattern.
fn matches(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let options = MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..MatchOptions::default()
    };
    // brackets are ordinary characters of names here
    let pattern = pattern.replace('[', "[[]");
    let whole = match Path::new(&pattern).is_absolute() || folder == Path::new("") {
        true => pattern,
        false => format!("{}/{pattern}", Pattern::escape(&folder.to_string_lossy())),
    };
    let found = glob_with(&whole, options).into_iter().flatten().flatten();
    found.filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_files_in_order_and_skips_hidden_ones() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("sub");
        fs::create_dir(&sub).unwrap();
        for name in ["b.dat", "a.dat", ".c.dat", "d.txt", "e[1].lcp"] {
            fs::write(sub.join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = matches(folder.path(), pattern);
            let stem = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            found.into_iter().map(stem).collect()
        };
        assert_eq!(names("sub/*.dat"), ["a.dat", "b.dat"]);
        assert_eq!(names("./s?b/../*/d.*"), ["d.txt"]);
        assert_eq!(names("sub/a.dat"), ["a.dat"]);
        assert_eq!(names("sub/e[1].*"), ["e[1].lcp"]);
        assert_eq!(names("sub/?.dat"), ["a.dat", "b.dat"]);
        assert!(names("sub").is_empty());
        assert!(names("nothing/*").is_empty());
    }
}
