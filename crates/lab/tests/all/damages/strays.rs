//! Files among the cells that no record of the experiment names: all checks agree on them, and no
//! other verb reads them.

use std::fs;
use std::os::unix::fs::symlink;

use delassus_conformance::whole;

use super::{MOTION, RUN, SOLVES, VERBS, restore, results, run_briefly, with_key};
use crate::forger::copy;
use crate::support::Lab;

/// What a check says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It is to be moved away.
    Fault,
    /// A word, and nothing more.
    Note,
}

/// What lies in a file: the content of a whole one, a text, or something else under the name.
const CONTENTS: [&str; 4] = ["whole", "text", "folder", "link"];

/// Puts a file among the cells of `r`; a whole one is a copy of one of another run.
fn put(lab: &Lab, name: &str, content: &str) {
    let path = lab.path("r/cells").join(name);
    let ending = name.rsplit('.').next().unwrap_or_default();
    match content {
        "whole" => {
            let cells = fs::read_dir(lab.path("other/cells")).expect("cells");
            let files = cells.map(|entry| entry.expect("an entry").path());
            let mut own = files.filter(|file| file.extension().is_some_and(|own| own == ending));
            fs::copy(own.next().expect("a file"), path).expect("a copy");
        }
        "folder" => fs::create_dir(path).expect("a folder"),
        "link" => symlink("/etc/hostname", path).expect("a link"),
        text => fs::write(path, text).expect("a file"),
    }
}

/// Verbs with a stray file in the folder: every third one, unless `DELASSUS_TESTS=whole` asks for
/// all. What differs from what is expected.
fn differences(lab: &Lab, key: &str, name: &str, content: &str, says: Says) -> Vec<String> {
    let mut found = Vec::new();
    let file = format!("cells/{name}");
    let checks = ["verify", "fsck", "bundle"];
    for (v, (words, _)) in VERBS.into_iter().enumerate() {
        let is_taken = whole() || (v + name.len() + content.len()).is_multiple_of(3);
        if words.contains(&"--rerun") || !is_taken {
            continue;
        }
        restore(lab);
        put(lab, name, content);
        let ran = run_briefly(lab, &with_key(words, key));
        let is_check = checks.contains(&words[0]);
        let wanted = match says {
            Says::Fault if is_check => 6,
            _ => 0,
        };
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let is_named = said.contains(&file);
        let is_advised = said.contains("; move it away");
        let is_wrong = ran.code != wanted
            || (wanted == 6 && !(is_named && is_advised && !said.contains("run the")))
            || (says == Says::Note && words[0] != "bundle" && is_check != is_named);
        if is_wrong {
            found.push(format!("{content} {name}: {words:?}: {}: {said}", ran.code));
        }
    }
    // the advice mends it, and a run alone leaves it
    restore(lab);
    put(lab, name, content);
    for (away, wanted) in [(false, says), (true, Says::Note)] {
        let path = lab.path("r").join(&file);
        if away && fs::remove_file(&path).is_err() {
            fs::remove_dir(&path).expect("a folder");
        }
        let codes = [RUN, &["fsck", "r"], &["verify", "r"]].map(|words| lab.run(words).code);
        let code = if wanted == Says::Fault { 6 } else { 0 };
        if codes != [0, code, code] {
            found.push(format!("{content} {name}: after a run: {codes:?}, {away}"));
        }
    }
    found
}

/// A lab with results of `spec` in `r`, and those of `other` in `other`.
fn both(spec: &str, other: &str) -> (Lab, String) {
    let (lab, key) = results(spec);
    let (from, _) = results(other);
    copy(&from.path("r"), &lab.path("other"));
    (lab, key)
}

#[test]
fn files_of_other_keys_are_named_alike_by_all_checks() {
    let (lab, key) = both(SOLVES, MOTION);
    let zero = "0".repeat(64);
    let mut found = Vec::new();
    for ending in ["json", "replay"] {
        for content in CONTENTS {
            let says = match (ending, content) {
                // of motion without a record nobody asks
                ("replay", "whole" | "text") => Says::Note,
                // a record of the name of another cell
                _ => Says::Fault,
            };
            let name = format!("{zero}.{ending}");
            found.extend(differences(&lab, &key, &name, content, says));
        }
    }
    for name in ["abc.json", "notes.txt", ".hidden"] {
        found.extend(differences(&lab, &key, name, "text", Says::Fault));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn motion_beside_a_solved_cell_is_moved_away() {
    let (lab, key) = both(SOLVES, MOTION);
    let name = format!("{key}.replay");
    let found = CONTENTS.map(|content| differences(&lab, &key, &name, content, Says::Fault));
    assert!(found.concat().is_empty(), "{}", found.concat().join("\n"));
}

#[test]
fn impulses_beside_motion_have_a_note() {
    let (lab, key) = both(MOTION, SOLVES);
    let name = format!("{key}.impulses");
    let found = CONTENTS.map(|content| {
        let says = match content {
            "whole" | "text" => Says::Note,
            _ => Says::Fault,
        };
        differences(&lab, &key, &name, content, says)
    });
    assert!(found.concat().is_empty(), "{}", found.concat().join("\n"));
}

/// A record of another key is moved away where what lay beside it is gone or was changed: moving
/// that away would mend nothing.
#[test]
fn a_stray_record_without_its_motion_is_moved_away() {
    for content in [None, Some("text")] {
        let (lab, _) = both(SOLVES, MOTION);
        for entry in fs::read_dir(lab.path("other/cells")).expect("cells") {
            let from = entry.expect("an entry").path();
            let to = lab.path("r/cells").join(from.file_name().expect("a name"));
            match (from.extension().is_some_and(|e| e == "replay"), content) {
                (true, None) => {}
                (true, Some(text)) => fs::write(to, text).expect("a file"),
                (false, _) => drop(fs::copy(from, to).expect("a copy")),
            }
        }
        let found = lab.run(&["fsck", "r", "--json"]).objects();
        let damages = found.iter().filter(|line| line["action"] == "move it away");
        let files: Vec<&str> = damages.filter_map(|line| line["file"].as_str()).collect();
        assert_eq!(files.len(), 2, "{found:?}");
        for verb in ["verify", "fsck"] {
            let ran = lab.run(&[verb, "r"]);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 6, "{said}");
            assert!(said.contains("; move it away"), "{said}");
            for file in &files {
                assert!(file.ends_with(".json") && said.contains(file), "{said}");
            }
        }
        for file in files {
            fs::remove_file(lab.path("r").join(file)).expect("a record");
        }
        for verb in ["verify", "fsck"] {
            let ran = lab.run(&[verb, "r"]);
            assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        }
    }
}

/// What an earlier spec left is whole, and no damage.
#[test]
fn whole_cells_of_another_spec_are_no_damage() {
    let (lab, _) = both(SOLVES, MOTION);
    for entry in fs::read_dir(lab.path("other/cells")).expect("cells") {
        let entry = entry.expect("an entry");
        let to = lab.path("r/cells").join(entry.file_name());
        fs::copy(entry.path(), to).expect("a copy");
    }
    let said = ["fsck", "verify", "bundle"].map(|verb| {
        let words: &[&str] = match verb {
            "bundle" => &["bundle", "r", "--out", "x.zip"],
            verb => &[verb, "r"],
        };
        let ran = lab.run(words);
        assert_eq!(ran.code, 0, "{verb}: {}{}", ran.stdout, ran.stderr);
        ran.stdout + &ran.stderr
    });
    assert!(
        said[0].contains("2 of other programs or specs"),
        "{}",
        said[0]
    );
    assert!(
        said[1].contains("2 of its records are of cells that this"),
        "{}",
        said[1]
    );
}

/// A record that cannot be read is no error of `migrate`, but a damage that it names.
#[test]
fn what_is_no_record_is_left_by_migrate_with_its_advice() {
    let (lab, key) = results(SOLVES);
    for (content, advice) in [
        ("folder", "move it away, then run the experiment again"),
        ("link", "run the experiment again into this folder"),
        ("text", "run the experiment again into this folder"),
    ] {
        restore(&lab);
        let name = format!("{key}.json");
        fs::remove_file(lab.path("r/cells").join(&name)).expect("a record");
        put(&lab, &name, content);
        let ran = lab.run(&["migrate", "r"]);
        assert_eq!(ran.code, 6, "{content}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains(&name) && ran.stdout.contains(advice),
            "{}",
            ran.stdout
        );
        assert!(
            ran.stderr.contains("1 in the form of this version"),
            "{}",
            ran.stderr
        );
    }
}
