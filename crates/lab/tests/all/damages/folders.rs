//! Something else in the place of a folder of the results, or of their lock.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{Damage, RUN, SOLVES, Use, VERBS, names, restore, results, run_briefly, with_key};
use crate::support::Lab;

/// What stands in the place of a folder.
const DAMAGES: [Damage; 4] = [Damage::Deleted, Damage::Cut, Damage::Pipe, Damage::Link];

/// Puts it in the place of a folder; a link leads to what was there, and what is cut is a file.
fn put(damage: Damage, lab: &Lab, name: &str) {
    let path = lab.path("r").join(name);
    let elsewhere = lab.path("elsewhere");
    let _ = fs::remove_dir_all(&elsewhere);
    fs::rename(&path, &elsewhere).expect("a folder");
    match damage {
        Damage::Pipe => {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }
        Damage::Link => symlink(elsewhere, path).expect("a link"),
        Damage::Cut => fs::write(path, "").expect("a file"),
        _ => {}
    }
}

/// The table for the folders `cells` and `figures`.
fn expected(treats: Use, name: &str, damage: Damage) -> i32 {
    match treats {
        Use::Run if damage == Damage::Deleted => 0,
        Use::Run => 3,
        Use::Read if name == "figures" => 0,
        Use::Draw if name == "figures" && damage == Damage::Deleted => 0,
        Use::Draw if name == "figures" => 3,
        _ => 6,
    }
}

#[test]
fn what_is_no_folder_has_one_code_and_one_advice() {
    let (lab, key) = results(SOLVES);
    let mut found = Vec::new();
    for name in ["cells", "figures"] {
        for damage in DAMAGES {
            for (words, treats) in VERBS {
                if words.contains(&"--rerun") {
                    continue;
                }
                restore(&lab);
                put(damage, &lab, name);
                let words = with_key(words, &key);
                let ran = run_briefly(&lab, &words);
                let wanted = expected(treats, name, damage);
                // of a folder that is gone each file is missing
                let says = ran.code == 0 || damage == Damage::Deleted || names(&ran, name);
                let is_gone = damage == Damage::Deleted && words[0] == "status";
                // a report and a run say the same of it
                let is_written =
                    ran.code != 3 || ran.stderr.contains("should have this name; move");
                if ran.code != wanted || !(says || is_gone) || !is_written {
                    found.push(format!(
                        "{damage:?} {name}: {words:?}: {} instead of {wanted}: {}{}",
                        ran.code, ran.stdout, ran.stderr
                    ));
                }
            }
            found.extend(follow(&lab, name, damage));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Follows the advice of `fsck`, which is that of `verify` too; what is wrong with it.
fn follow(lab: &Lab, name: &str, damage: Damage) -> Option<String> {
    restore(lab);
    put(damage, lab, name);
    let objects = lab.run(&["fsck", "r", "--json"]).objects();
    let advice = "move it away, then run the experiment again into this folder";
    if damage != Damage::Deleted {
        let named: Vec<_> = objects.iter().filter(|o| o["file"] == name).collect();
        let others = objects.iter().any(|object| {
            let file = object["file"].as_str().unwrap_or_default();
            file.starts_with(&format!("{name}/"))
        });
        if named.len() != 1 || named[0]["action"] != advice || others {
            return Some(format!("{damage:?} {name}: {objects:?}"));
        }
        let verified = lab.run(&["verify", "r"]);
        if !(verified.stdout + &verified.stderr).contains(advice) {
            return Some(format!("{damage:?} {name}: verify gives another advice"));
        }
        let path = lab.path("r").join(name);
        fs::remove_file(path).expect("no folder");
    }
    for verb in [RUN, &["fsck", "r"], &["verify", "r"]] {
        let ran = lab.run(verb);
        if ran.code != 0 {
            let said = ran.stdout + &ran.stderr;
            return Some(format!("{damage:?} {name}: advice: {verb:?}: {said}"));
        }
    }
    None
}

/// The page over all results: a damaged one is drawn again, and what is no page of this program is
/// moved away first.
#[test]
fn the_page_over_all_results_is_mended_as_the_advice_says() {
    let (lab, _) = results(SOLVES);
    let page = "all/index.html";
    fs::create_dir(lab.path("all")).expect("a folder");
    fs::rename(lab.path("r"), lab.path("all/r")).expect("results");
    let draws = |code: i32| {
        let ran = lab.run(&["report", "all"]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        ran.stderr
    };
    type Case = (bool, fn(&Path));
    let damages: [Case; 5] = [
        (false, |path| {
            let text = fs::read(path).expect("a page");
            fs::write(path, &text[..text.len() / 2]).expect("a page");
        }),
        (true, |path| fs::write(path, "mine").expect("a page")),
        (true, |path| fs::write(path, "").expect("a page")),
        (true, |path| {
            fs::remove_file(path).expect("a page");
            fs::create_dir(path).expect("a folder");
        }),
        (true, |path| {
            fs::remove_file(path).expect("a page");
            symlink("/etc/hostname", path).expect("a link");
        }),
    ];
    for (is_foreign, damage) in damages {
        draws(0);
        damage(&lab.path(page));
        let verified = lab.run(&["verify", "all"]);
        let said = verified.stdout + &verified.stderr;
        assert_eq!(verified.code, 6, "{said}");
        assert!(
            said.contains("`delassus report` on their folder draws it again"),
            "{said}"
        );
        assert_eq!(said.contains("move it away; then"), is_foreign, "{said}");
        if is_foreign {
            let said = draws(3);
            assert!(
                said.contains("move it away, and run the command again"),
                "{said}"
            );
            let path = lab.path(page);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
        draws(0);
        // the index is right, and the results in it have names of their own
        let verified = lab.run(&["verify", "all"]);
        assert_eq!(verified.code, 2, "{}", verified.stderr);
        assert!(!verified.stderr.contains("index"), "{}", verified.stderr);
    }
}

/// What stands in the place of the lock is named with what to do, by each verb that needs it.
#[test]
fn what_is_no_lock_is_named_with_what_to_do() {
    let (lab, key) = results(SOLVES);
    for damage in [Damage::Pipe, Damage::Folder, Damage::Link] {
        let mut refused = Vec::new();
        for (words, _) in VERBS {
            restore(&lab);
            fs::write(lab.path("r/.lock"), "").expect("a lock");
            damage.hit(&lab, ".lock");
            let words = with_key(words, &key);
            let ran = run_briefly(&lab, &words);
            let said = format!("{damage:?}: {words:?}: {} {}", ran.code, ran.stderr);
            match ran.code {
                0 => continue,
                3 => refused.push(words[0]),
                _ => panic!("{said}"),
            }
            for part in [".lock is a ", "; move it away, and run the command again"] {
                assert!(ran.stderr.contains(part), "{said}");
            }
        }
        for verb in ["verify", "fsck", "bundle", "report", "merge", "run"] {
            assert!(refused.contains(&verb), "{damage:?} {verb}: {refused:?}");
        }
        let _ =
            fs::remove_file(lab.path("r/.lock")).or_else(|_| fs::remove_dir(lab.path("r/.lock")));
        for verb in ["fsck", "verify"] {
            assert_eq!(lab.run(&[verb, "r"]).code, 0, "{damage:?} {verb}");
        }
    }
}
