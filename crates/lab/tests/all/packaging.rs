//! What the program is handed to others in: the image, the archive, the packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Lab;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

#[test]
fn the_image_copies_what_there_is_and_has_a_compiler_that_is_new_enough() {
    let file = read("crates/lab/Containerfile");
    let copies = file.lines().filter_map(|line| line.strip_prefix("COPY "));
    let own = copies.filter(|words| !words.starts_with("--from"));
    let mut sources = 0;
    for words in own {
        let (from, _) = words.rsplit_once(' ').expect("sources and a target");
        for source in from.split(' ') {
            assert!(root().join(source).exists(), "{source}");
            sources += 1;
        }
    }
    assert!(sources >= 8, "{sources}");
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest");
    let needed = manifest["workspace"]["package"]["rust-version"].as_str();
    let needed = needed.expect("a version");
    assert!(file.contains(&format!("FROM rust:{needed}-")), "{file}");
}

#[test]
fn the_version_is_that_of_the_changelog_and_of_the_citation() {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = read("CHANGELOG.md");
    let dated = changelog
        .lines()
        .find_map(|line| line.strip_prefix(&format!("## {version} - ")));
    let date = dated.unwrap_or_else(|| panic!("no section of {version}"));
    let citation = read("CITATION.cff");
    for line in [
        format!("version: {version}"),
        format!("date-released: {date}"),
    ] {
        assert!(
            citation.lines().any(|own| own == line),
            "no {line:?} in\n{citation}"
        );
    }
}

/// Linux alone, with the tools that the script uses.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn the_archive_has_program_manuals_completions_and_licences() {
    let lab = Lab::new();
    // its libraries are not those of a release: the script links the unwinder of gcc into that
    let script = read("crates/lab/release.sh").replace("'^(linux-vdso|", "'^(libgcc_s|linux-vdso|");
    let folder = root().join("crates/lab");
    let script = script.replace("$(dirname \"$0\")", &folder.display().to_string());
    lab.file("release.sh", script);
    let mut made = Command::new("bash");
    made.arg(lab.path("release.sh")).arg(lab.path("out"));
    let made = made
        .env("DELASSUS", env!("CARGO_BIN_EXE_delassus"))
        .output();
    let made = made.expect("bash starts");
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{said}");
    let archive = String::from_utf8(made.stdout).expect("a path");
    let listed = Command::new("tar").arg("-tzf").arg(archive.trim()).output();
    let listed = String::from_utf8(listed.expect("tar starts").stdout).expect("names");
    for file in [
        "/bin/delassus",
        "/share/man/man1/delassus.1",
        "/share/man/man1/delassus-solve.1",
        "/share/completions/delassus.bash",
        "/share/completions/delassus.fish",
        "/LICENSE-APACHE",
        "/LICENSE-MIT",
    ] {
        assert!(
            listed.lines().any(|name| name.ends_with(file)),
            "no {file} in\n{listed}"
        );
    }
}
