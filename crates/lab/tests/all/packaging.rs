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

/// What a manifest says of publishing; the workspace decides for those that leave it to it.
fn is_published(manifest: &toml::Table, workspace: &toml::Table) -> bool {
    match &manifest["package"]["publish"] {
        toml::Value::Boolean(own) => *own,
        _ => workspace["workspace"]["package"]["publish"].as_bool() == Some(true),
    }
}

#[test]
fn packages_need_only_crates_that_may_be_published() {
    let parse = |file: &str| read(file).parse::<toml::Table>().expect("a manifest");
    let workspace = parse("Cargo.toml");
    let shared = workspace["workspace"]["dependencies"]
        .as_table()
        .expect("a table");
    let mut packages = 0;
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
    {
        let name = entry.file_name().into_string().expect("a name");
        if !entry.path().join("Cargo.toml").is_file() {
            continue;
        }
        let manifest = parse(&format!("crates/{name}/Cargo.toml"));
        // a workspace of its own is no part of this one
        if manifest.contains_key("workspace") || !is_published(&manifest, &workspace) {
            continue;
        }
        packages += 1;
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            let needs = manifest.get(section).and_then(toml::Value::as_table);
            let own = needs.into_iter().flatten().filter_map(|(needed, says)| {
                let says = match says.get("workspace") {
                    Some(_) => shared.get(needed)?,
                    None => says,
                };
                Some((
                    needed,
                    says.get("path")?.as_str()?.to_owned(),
                    says.get("version"),
                ))
            });
            for (needed, path, version) in own {
                // cargo leaves a dev-dependency without a version out of a package
                if section == "dev-dependencies" && version.is_none() {
                    continue;
                }
                let folder = path.rsplit('/').next().expect("a folder");
                let other = parse(&format!("crates/{folder}/Cargo.toml"));
                let fits = version.is_some() && is_published(&other, &workspace);
                assert!(fits, "{name} needs {needed}, which is not published");
            }
        }
    }
    assert!(packages > 30, "{packages}");
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
