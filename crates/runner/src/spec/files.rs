//! `files = ["GLOB"]` of a `[[problem]]`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use delassus_core::{Choice, FrictionLaw};

use super::ProblemSource;
use super::section::Section;
use super::text::SpecError;

/// The files of an entry: those of `files`, or those of `otherwise` if none of `files` matches anything.
///
/// Where some patterns match, each must: one that does not is a typing error, or a file that is missing.
pub(crate) fn source(section: &Section<'_>, folder: &Path) -> Result<ProblemSource, SpecError> {
    let laws = FrictionLaw::ALL.iter().map(|law| law.name());
    let law = section.choice("law", &laws.collect::<Vec<_>>())?;
    let law = law.and_then(|name| name.parse().ok()).unwrap_or_default();
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
                let message =
                    format!("{pattern:?} matches no file; paths are relative to the spec");
                return Err(section.error_at(item, message));
            }
            None if !paths.is_empty() => return Ok(ProblemSource::Files { paths, law }),
            _ => {}
        }
    }
    let message = match section.get("otherwise") {
        Some(_) => "neither files nor otherwise matches a file",
        None => "files matches no file; paths are relative to the spec",
    };
    Err(match section.get("files") {
        Some(item) => section.error_at(item, message),
        None => section.error(message),
    })
}

/// The files that match `pattern`, sorted by name folder by folder.
fn matches(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for component in Path::new(pattern).components() {
        let mut next = Vec::new();
        for path in found {
            match component {
                Component::Normal(name) => {
                    let name = name.to_string_lossy();
                    if name.contains(['*', '?']) {
                        next.extend(entries(&path, &name).into_iter().map(|n| path.join(n)));
                    } else {
                        next.push(path.join(&*name));
                    }
                }
                Component::CurDir => next.push(path),
                other => next.push(path.join(other)),
            }
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    found
}

/// The entries of a folder whose names match, sorted.
fn entries(folder: &Path, pattern: &str) -> Vec<String> {
    let here = Path::new(".");
    let folder = if folder == Path::new("") {
        here
    } else {
        folder
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    // a leading dot hides a file from a pattern, as in a shell
    let names = names.filter(|name| !name.starts_with('.') || pattern.starts_with('.'));
    let mut names: Vec<String> = names
        .filter(|name| fits(pattern.as_bytes(), name.as_bytes()))
        .collect();
    names.sort();
    names
}

/// True if `name` matches: `*` any run of bytes, `?` any one byte.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // where to resume if the run taken by the last star was too short
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    p = after;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*.dat", "a.dat", true),
            ("*.dat", "a.data", false),
            ("a*b*c", "axxbyybzc", true),
            ("a*b*c", "axxbyybz", false),
            ("?.dat", "ab.dat", false),
            ("*", "", true),
            ("**a", "aaaa", true),
            ("", "a", false),
        ] {
            assert_eq!(
                fits(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn finds_files_in_order_and_skips_hidden_ones() {
        let folder = tempfile::tempdir().unwrap();
        let sub = folder.path().join("sub");
        fs::create_dir(&sub).unwrap();
        for name in ["b.dat", "a.dat", ".c.dat", "d.txt"] {
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
        assert!(names("sub").is_empty());
        assert!(names("nothing/*").is_empty());
    }
}
