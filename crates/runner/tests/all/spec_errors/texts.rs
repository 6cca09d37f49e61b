//! Files that are no spec, and the places that errors name.

use std::fs;
use std::path::Path;

use delassus_registry::Registry;
use delassus_runner::spec;

use super::{VALID, refusal};

#[test]
fn text_that_is_not_a_spec() {
    assert_eq!(
        refusal("title = \"T\n").lines().next().unwrap_or_default(),
        "experiment.toml:1:11: invalid basic string, expected a double quotation mark"
    );
    assert!(refusal("title = \"T\"\ntitle = \"U\"\n").starts_with("experiment.toml:2:1: "));
    // a hostile depth is refused by the parser, not by the stack
    let deep = format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refusal(&deep).starts_with("experiment.toml:1:"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes.toml");
    fs::write(&path, [0xff, 0xfe]).unwrap();
    let error = spec::read(&path, &Registry::standard()).unwrap_err();
    assert!(error.to_string().contains("not UTF-8"), "{error}");
}

#[test]
fn a_file_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("01-chain-rates")).unwrap();
    let read = |name: &str| {
        let path = folder.path().join(name);
        let error = spec::read(&path, &Registry::standard()).unwrap_err();
        error
            .to_string()
            .replace(&format!("{}/", folder.path().display()), "")
    };
    assert_eq!(
        read("01-chain-rate"),
        "01-chain-rate: no such file; did you mean \"01-chain-rates\"?"
    );
    assert_eq!(
        read("01-chain-rates"),
        "01-chain-rates/experiment.toml: no such file; an experiment's folder holds a file experiment.toml"
    );
    assert!(Path::new(folder.path()).is_dir());
}

/// Checks that a refusal names no line that the text does not have, and shows the one that it
/// names.
fn check_lines(text: &str, error: &spec::SpecError) {
    let lines: Vec<&str> = text.lines().collect();
    for error in std::iter::once(error).chain(&error.more) {
        let Some(place) = &error.place else {
            assert!(text.is_empty(), "{text:?}: {error}");
            continue;
        };
        let line = lines.get(place.line - 1).copied();
        let line = line.map(|line| line.strip_prefix('\u{feff}').unwrap_or(line));
        // a line may end with several marks of its end
        let shown = |line: &str| line.trim_end_matches('\r').to_owned();
        assert_eq!(
            line.map(shown),
            Some(shown(&place.text)),
            "{text:?}: {error}"
        );
        assert!(
            place.column <= place.text.chars().count() + 1,
            "{text:?}: {error}"
        );
    }
}

#[test]
fn no_error_names_a_line_that_the_file_does_not_have() {
    let registry = Registry::standard();
    let path = Path::new("experiment.toml");
    let windows = VALID.replace('\n', "\r\n");
    let tabs = VALID
        .replace(" = ", "\t=\t")
        .replace("title", "# μ 力学\ntitle");
    let marked = format!("\u{feff}{VALID}");
    let (mut refused, mut accepted) = (0, 0);
    for whole in [VALID, &windows, &tabs, &marked] {
        assert!(
            spec::of_text(path, whole.to_owned(), &registry).is_ok(),
            "{whole}"
        );
        let ends = (0..whole.len()).step_by(3);
        let ends = ends.filter(|end| whole.is_char_boundary(*end));
        for end in ends {
            // cut off, with and without the end of a line, and behind a line that is wrong
            for rest in ["", "\n", "\r\n", "\n\n"] {
                let text = format!("{}{rest}", &whole[..end]);
                match spec::of_text(path, text.clone(), &registry) {
                    Ok(_) => accepted += 1,
                    Err(error) => {
                        refused += 1;
                        check_lines(&text, &error);
                    }
                }
            }
        }
    }
    assert!(refused > 1000 && accepted > 10, "{refused} {accepted}");
    let nothing = spec::of_text(path, String::new(), &registry).unwrap_err();
    assert!(
        nothing.to_string().starts_with("experiment.toml: the spec"),
        "{nothing}"
    );
}
