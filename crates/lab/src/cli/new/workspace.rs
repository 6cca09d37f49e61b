//! The workspace of a new package: that of the checkout around it, or one of its own with the same
//! profile.

use std::path::Path;

use delassus_records::disk;

/// A manifest of a package or a workspace.
pub(super) const MANIFEST: &str = "Cargo.toml";
/// The manifest of the workspace that this program was built in.
const BUILT: &str = include_str!("../../../texts/workspace.toml");
/// Packages that only tests use. Cargo warns of profiles for packages that are not in the build.
const OF_TESTS: [&str; 1] = ["delassus-conformance"];

/// The text of the manifest of a folder.
fn text(root: &Path) -> Option<String> {
    String::from_utf8(disk::read_named(&root.join(MANIFEST)).ok()?).ok()
}

/// The manifest of the checkout at `root` with `name` among its members; `None` if there is no list
/// of members on one line.
pub(super) fn with_member(root: &Path, name: &str) -> Option<String> {
    let manifest = text(root)?;
    let (mut within, mut found) = (false, false);
    let lines = manifest.split_inclusive('\n').map(|line| {
        let text = line.trim();
        if text.starts_with('[') {
            within = text == "[workspace]";
        }
        let key = text.split('=').next().unwrap_or_default().trim();
        if !within || key != "members" || !text.ends_with(']') {
            return line.to_owned();
        }
        found = true;
        let quoted = format!("\"{name}\"");
        // the folder was deleted, its entry was not
        if text.contains(&quoted) {
            return line.to_owned();
        }
        let (list, rest) = line.rsplit_once(']').unwrap_or((line, ""));
        let list = list.trim_end();
        let comma = match list.chars().last() {
            Some('[') => "",
            Some(',') => " ",
            _ => ", ",
        };
        format!("{list}{comma}{quoted}]{rest}")
    });
    let changed = lines.collect();
    found.then_some(changed)
}

/// The end of a manifest that makes the package a workspace of its own, with the release profile of
/// the checkout at `root`. Without a checkout the profile is that of this program.
pub(super) fn own(root: Option<&Path>) -> String {
    let read = root.and_then(text);
    let profile = release_profile(read.as_deref().unwrap_or(BUILT));
    let mut text =
        "\n# a workspace of its own, also inside the folder of another\n[workspace]\n".to_owned();
    if !profile.is_empty() {
        text +=
            "\n# as in the workspace of Delassus: cargo compiles a crate again for every profile\n";
        text += &profile;
    }
    text
}

/// The release profile of a manifest, line by line, without comments and packages of tests.
fn release_profile(manifest: &str) -> String {
    let mut profile = String::new();
    let mut within = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            within = line == "[profile.release]" || line.starts_with("[profile.release.");
            if within && !profile.is_empty() {
                profile.push('\n');
            }
        }
        let key = line.split(['=', ' ']).next().unwrap_or_default();
        if within && !line.is_empty() && !line.starts_with('#') && !OF_TESTS.contains(&key) {
            profile += line;
            profile.push('\n');
        }
    }
    profile
}

/// Settings of cargo with `target`, the target folder of the checkout.
pub(super) fn shared_target(target: &str) -> String {
    format!(
        "# The target folder of the checkout of Delassus: crates compiled there are not compiled again.\n\
         # `cargo clean` empties it for both. Delete this file to use a target folder here.\n\
         [build]\n\
         target-dir = {}\n",
        quoted(target)
    )
}

/// A text as TOML and JSON quote it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_member_is_added_to_the_list_and_to_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let added = |text: &str| {
            fs::write(folder.path().join(MANIFEST), text).expect("a manifest");
            with_member(folder.path(), "mine")
        };
        let list = |members: &str| {
            format!(
                "[package]\nmembers = [\"x\"]\n[workspace]\nmembers = {members}\nexclude = [\"y\"]\n"
            )
        };
        for (before, after) in [
            (
                "[\"crates/*\", \"tests\"]",
                "[\"crates/*\", \"tests\", \"mine\"]",
            ),
            ("[\"tests\",]", "[\"tests\", \"mine\"]"),
            ("[]", "[\"mine\"]"),
            ("[\"mine\", \"tests\"]", "[\"mine\", \"tests\"]"),
        ] {
            assert_eq!(added(&list(before)), Some(list(after)));
        }
        assert_eq!(added(&list("[\n\"tests\"\n]")), None);
        assert_eq!(added("[package]\nmembers = []\n"), None);
        // that of this program has such a list
        assert_ne!(added(BUILT), None);
    }

    #[test]
    fn a_profile_is_taken_without_comments() {
        let manifest = "[profile.dev]\nopt-level = 1\n# why\n[profile.release]\ncodegen-units = 1\n\n\
            [profile.release.package]\n# why\ndelassus-conformance = { opt-level = 0 }\nzip = { opt-level = 0 }\n\
            [profile.bench]\nopt-level = 3\n";
        assert_eq!(
            release_profile(manifest),
            "[profile.release]\ncodegen-units = 1\n\n[profile.release.package]\nzip = { opt-level = 0 }\n"
        );
        assert_eq!(release_profile("[workspace]\n"), "");
    }
}
