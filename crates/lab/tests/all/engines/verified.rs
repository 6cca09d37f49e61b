//! Cells of engines are verified where the engine is, and unchecked where it is missing.

use super::{ENGINE, HELPER, SPEC, field, lab, row};
use crate::forger::{change_record, renew};
use crate::support::with_peers;

#[test]
fn cells_of_an_engine_are_verified_and_unchecked_where_it_is_gone() {
    let Some(lab) = lab() else {
        return;
    };
    let verified = lab.run(&["verify", "out"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    assert!(
        !verified.stdout.contains("unchecked"),
        "{}",
        verified.stdout
    );
    let engine = std::fs::read(lab.path("fall.py")).expect("the engine");
    std::fs::remove_file(lab.path("fall.py")).expect("it is gone");
    let verified = lab.run(&["verify", "out"]);
    let text = &verified.stdout;
    assert!(!text.contains("mismatch"), "{text}");
    let lines: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("unchecked"))
        .collect();
    // one for each command
    assert_eq!(lines.len(), 2, "{text}");
    for (line, cells) in lines
        .iter()
        .zip(["2 cells of \"engine steps=1\", ", "1 cell of \"other\""])
    {
        assert!(
            line.contains(cells) && line.contains("in the records it is fall 3"),
            "{text}"
        );
    }
    // every key is computed again, and every view made
    let totals = lab.run(&["verify", "out", "--json"]).objects().pop();
    let totals = totals.expect("totals");
    assert_eq!(
        (&totals["keys"], &totals["mismatches"]),
        (&4.into(), &0.into())
    );
    assert!(
        totals["made"].as_u64().is_some_and(|made| made > 3),
        "{totals}"
    );
    // a record that was changed is still found, whatever is renewed
    let path = lab.path(&format!(
        "out/cells/{}.json",
        field(&row(&lab, "other"), "cell")
    ));
    let before = std::fs::read(&path).expect("a record");
    for (from, to, what) in [
        (
            "engine-cmd:python3 fall.py leaves",
            "engine-cmd:python3 fall.py",
            "its scheme is",
        ),
        ("\"steps\":1", "\"steps\":2", "give another key"),
        ("\"x[0].y\"", "\"x[0].z\"", "its metrics is"),
    ] {
        change_record(&path, |record| record.replace(from, to));
        renew(&lab.path("out"));
        let found = lab.run(&["verify", "out"]);
        assert_eq!(found.code, 6, "{what}: {}", found.stdout);
        assert!(found.stdout.contains(what), "{what}: {}", found.stdout);
        std::fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
    let key = field(&row(&lab, "other"), "cell");
    let file = format!("out/cells/{key}.json");
    let record = std::fs::read_to_string(lab.path(&file)).expect("a record");
    lab.file(&file, record.replacen("9.0", "9.5", 1));
    let verified = lab.run(&["verify", "out"]);
    assert!(verified.stdout.contains("mismatch"), "{}", verified.stdout);
    lab.file(&file, record);
    // another version is another cell
    let newer = String::from_utf8(engine)
        .expect("UTF-8")
        .replace("\"3\"", "\"4\"");
    lab.file("fall.py", newer);
    let ran = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(field(&row(&lab, "other"), "device"), "fall 4");
}

/// Cells that a run has skipped for want of an engine, where the engine is there, and where it is
/// missing for another reason.
#[test]
fn cells_skipped_for_want_of_an_engine_are_unchecked_elsewhere() {
    let Some(lab) = lab() else {
        return;
    };
    let file = "name = \"fall\"\ntitle = \"Fall 3\"\nsummary = \"Falls.\"\nlicence = \"MIT\"\n\
                install = \"get fall\"\ncommand = [\"python3\", \"fall.py\"]\n[parameters]\nsteps = 1\n";
    lab.file("engines/fall/engine.toml", file);
    lab.file("engines/fall/delassus_engine.py", HELPER);
    let spec = SPEC.replace("engine-cmd:python3 fall.py leaves", "engine:fall");
    let spec = spec.replace("engine-cmd:python3 fall.py", "engine:fall");
    lab.file("e/experiment.toml", spec);
    let run = ["run", "e", "--out", "skipped", "--quiet"];
    let ran = with_peers(&lab, "engines", &run);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let verified = || {
        let ran = with_peers(&lab, "engines", &["verify", "skipped"]);
        let lines = ran.stdout.lines();
        let lines = lines.filter(|line| !line.starts_with("4 cells"));
        (ran.code, lines.map(str::to_owned).collect::<Vec<String>>())
    };
    assert_eq!(verified(), (0, Vec::new()));
    lab.file("engines/fall/fall.py", "print('no engine')");
    let (code, lines) = verified();
    assert_eq!((code, lines.len()), (1, 1), "{lines:?}");
    assert!(
        lines.iter().all(|line| line.contains("nor is it here")),
        "{lines:?}"
    );
    lab.file("engines/fall/fall.py", ENGINE);
    let (code, lines) = verified();
    assert_eq!((code, lines.len()), (1, 1), "{lines:?}");
    let is_named =
        |line: &String| line.contains("its program is fall 3 here, and none in the records");
    assert!(lines.iter().all(is_named), "{lines:?}");
}
