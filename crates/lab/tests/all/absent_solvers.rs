//! Results of programs that are not on the machine which checks them, or are there in another
//! version: what they alone tell is left unchecked, and everything else is checked.

use std::fs;

use serde_json::Value;

use crate::bundles::unpack;
use crate::forger::{change_record, renew, replace};
use crate::forgeries::finds;
use crate::peers::{SCRIPT, has_python};
use crate::support::{Lab, with_peers};

const PEER: &str = r#"
name = "script"
title = "Script 3"
summary = "Gauss-Seidel."
licence = "MIT"
install = "get script"
command = ["{python}", "solver.py"]
python = ["python3"]
solvers = ["gs"]
"#;

/// Two cells of a peer, two of a solver of the program.
const SPEC: &str = r#"
title = "Beside"
question = "Are they alike?"
[[problem]]
use = "chain"
n = [3, 5]
[[solver]]
use = "pgs"
[[solver]]
label = "script"
use = "peer:script/gs"
tolerance = 1e-12
[stop]
tolerance = 1e-8
metrics = ["natural_map"]
[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// A lab with the peer in the folder `peers`.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.file("peers/script/peer.toml", PEER);
    lab.file("peers/script/solver.py", SCRIPT);
    lab.file("e/experiment.toml", SPEC);
    lab
}

/// Checks `folder`: something is unchecked and nothing is a mismatch. The lines, and the totals.
#[track_caller]
fn leaves(lab: &Lab, peers: &str, folder: &str) -> (Vec<String>, Value) {
    let ran = with_peers(lab, peers, &["verify", folder]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("could not be checked"),
        "{}",
        ran.stderr
    );
    let lines = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("unchecked"));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    for text in ["mismatch", "\\n"] {
        assert!(!ran.stdout.contains(text), "{}", ran.stdout);
    }
    let json = with_peers(lab, peers, &["verify", folder, "--json"]);
    (lines, json.objects().pop().expect("totals"))
}

#[test]
fn cells_of_a_peer_that_is_gone_are_unchecked_and_nothing_else_is() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let ran = with_peers(&lab, "peers", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let fine = with_peers(&lab, "peers", &["verify", "out"]);
    assert_eq!(fine.code, 0, "{}{}", fine.stdout, fine.stderr);
    let (lines, totals) = leaves(&lab, "nowhere", "out");
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in ["cells", "2 cells of \"script\"", "script 3", "list peers"] {
        assert!(lines[0].contains(part), "no {part}: {lines:?}");
    }
    // every key and every residual is computed again, and every view is made
    for (name, number) in [("cells", 4), ("judged", 4), ("keys", 4), ("mismatches", 0)] {
        assert_eq!(totals[name], number, "{name}: {totals}");
    }
    assert!(
        totals["made"].as_u64().is_some_and(|made| made > 5),
        "{totals}"
    );
    // what was changed is found without the peer too
    let cell = cells(&lab, "peer:script/gs").remove(0);
    let impulses = cell.with_extension("impulses");
    let mut bytes = fs::read(&impulses).expect("impulses");
    bytes[3] ^= 1;
    fs::write(&impulses, bytes).expect("a file");
    let name = impulses.file_name().expect("a name").to_string_lossy();
    finds(
        &with_peers(&lab, "nowhere", &["verify", "out"]),
        &name,
        "are not the impulses of the record",
    );
}

/// A report that is drawn without the peer does not know what that declares, and says so; with the
/// peer it is no mismatch.
#[test]
fn a_report_drawn_without_a_peer_claims_nothing_of_it() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let spec = format!("{SPEC}[[table]]\nid = \"declared\"\nshow = {{ properties = {{}} }}\n");
    lab.file("e/experiment.toml", spec);
    let ran = with_peers(&lab, "peers", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let table = || {
        let table = fs::read_to_string(lab.path("out/tables/declared.csv")).expect("a table");
        let row = table
            .lines()
            .find(|line| line.starts_with("peer:script/gs"));
        row.expect("a row").to_owned()
    };
    assert!(!table().contains("not known"), "{}", table());
    let drawn = with_peers(&lab, "nowhere", &["report", "out"]);
    assert_eq!(drawn.code, 0, "{}", drawn.stderr);
    assert_eq!(table().matches("not known").count(), 5, "{}", table());
    let fine = with_peers(&lab, "peers", &["verify", "out"]);
    assert_eq!(fine.code, 0, "{}{}", fine.stdout, fine.stderr);
    // a table that neither gives is one still
    let path = lab.path("out/tables/declared.csv");
    replace(&path, "not known", "f128");
    renew(&lab.path("out"));
    finds(
        &with_peers(&lab, "peers", &["verify", "out"]),
        "declared.csv",
        "is not what",
    );
    // of what was drawn with the peer, nothing can be said without it
    let drawn = with_peers(&lab, "peers", &["report", "out"]);
    assert_eq!(drawn.code, 0, "{}", drawn.stderr);
    let (lines, _) = leaves(&lab, "nowhere", "out");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("tables/declared.csv")),
        "{lines:?}"
    );
}

/// The records with this text.
fn cells(lab: &Lab, text: &str) -> Vec<std::path::PathBuf> {
    let files = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten();
    let records = files.map(|file| file.path()).filter(|path| {
        let is_record = path.extension().is_some_and(|ending| ending == "json");
        is_record && fs::read_to_string(path).expect("a record").contains(text)
    });
    let mut records: Vec<_> = records.collect();
    records.sort();
    records
}

#[test]
fn another_version_of_a_peer_is_named_and_is_no_mismatch() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let newer = SCRIPT.replace("\"version\": \"3\"", "\"version\": \"4\"");
    lab.file("newer/script/peer.toml", PEER);
    lab.file("newer/script/solver.py", newer);
    let ran = with_peers(&lab, "peers", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let (lines, totals) = leaves(&lab, "newer", "out");
    assert_eq!((lines.len(), &totals["keys"]), (1, &4.into()), "{lines:?}");
    assert!(
        lines[0].contains("script 4 here, and script 3 in the records"),
        "{lines:?}"
    );
}

#[test]
fn cells_that_were_skipped_for_want_of_a_peer_say_so_where_it_is() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let ran = with_peers(&lab, "nowhere", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let same = with_peers(&lab, "nowhere", &["verify", "out"]);
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    // it is not there for another reason
    lab.file(
        "odd/script/peer.toml",
        PEER.replace("\"solver.py\"", "\"-c\", \"1\""),
    );
    let (lines, _) = leaves(&lab, "odd", "out");
    assert_eq!(lines.len(), 1, "{lines:?}");
    for part in ["2 cells of \"script\"", "nor is it here"] {
        assert!(lines[0].contains(part), "no {part}: {lines:?}");
    }
    // and it is there
    let (lines, totals) = leaves(&lab, "peers", "out");
    assert!(
        lines[0].contains("script 3 here, and none in the records"),
        "{lines:?}"
    );
    assert_eq!(totals["unshown"], 2, "{totals}");
    let again = with_peers(&lab, "peers", &["verify", "out", "--rerun"]);
    assert_eq!(again.code, 1, "{}{}", again.stdout, again.stderr);
    assert!(
        again.stdout.contains("is not on this machine"),
        "{}",
        again.stdout
    );
}

/// A machine that has a vector level runs what this one skips; its record is no mismatch here.
#[test]
fn a_cell_of_a_vector_level_that_is_not_here_is_as_recorded() {
    let lab = Lab::new();
    let spec = "title = \"L\"\nquestion = \"Q?\"\n[[problem]]\nuse = \"stack\"\nn = 2\n[[solver]]\n\
                use = \"wide-pgs\"\nlevel = [\"scalar\", \"avx2\", \"neon\"]\n";
    lab.file("e/experiment.toml", spec);
    let run = ["run", "e", "--out", "out", "--quiet"];
    assert_eq!(lab.run(&run).code, 0);
    let [scalar, skipped] = ["\"level\":\"scalar\"", "does not have the vector level"]
        .map(|text| cells(&lab, text).remove(0));
    let refused = fs::read_to_string(&skipped).expect("a record");
    let level = ["avx2", "neon"].map(|level| (level, format!("\"level\":\"{level}\"")));
    let (level, _) = level
        .iter()
        .find(|(_, text)| refused.contains(text))
        .expect("a level");
    // as if the scalar cell had been run there at that level
    let [key, other] = [&scalar, &skipped].map(|path| path.file_stem().expect("a key"));
    let [key, other] = [key, other].map(|key| key.to_string_lossy().into_owned());
    change_record(&skipped, |_| {
        let text = fs::read_to_string(&scalar).expect("a record");
        let start = text.find("\"record\":").expect("a record") + "\"record\":".len();
        text[start..text.len() - 2]
            .replace("scalar", level)
            .replace(&key, &other)
    });
    fs::copy(
        scalar.with_extension("impulses"),
        skipped.with_extension("impulses"),
    )
    .expect("impulses");
    renew(&lab.path("out"));
    // makes the views of the new record
    assert_eq!(lab.run(&run).code, 0);
    let ran = lab.run(&["verify", "out"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let judged = |cells: u32| format!(" residuals of {cells} cells computed again");
    assert!(
        [2, 3]
            .into_iter()
            .any(|cells| ran.stdout.contains(&judged(cells))),
        "{}",
        ran.stdout
    );
}

/// A command, and a reference that it gives.
const COMMAND: &str = r#"
title = "Commanded"
question = "Are they alike?"
reference = { solver = "cmd:python3 solver.py" }
[[problem]]
use = "chain"
n = [3, 5]
[[solver]]
label = "script"
use = "cmd:python3 solver.py"
[[solver]]
use = "pgs"
[measure]
metrics = ["natural_map", "velocity_error"]
[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps", y = "velocity_error" } }
"#;

#[test]
fn a_bundle_with_a_command_is_read_without_it() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    lab.file("solver.py", SCRIPT);
    lab.file("commanded/experiment.toml", COMMAND);
    let ran = lab.run(&["run", "commanded", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["bundle", "out", "--out", "b.zip"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let archive = fs::read(lab.path("b.zip")).expect("an archive");
    let other = Lab::new();
    unpack(&archive, &other.path("."));
    let (lines, totals) = leaves(&other, "nowhere", "commanded");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("starts no program"), "{lines:?}");
    for (name, number) in [("cells", 4), ("judged", 4), ("keys", 4)] {
        assert_eq!(totals[name], number, "{name}: {totals}");
    }
    assert!(
        totals["made"].as_u64().is_some_and(|made| made > 4),
        "{totals}"
    );
    // everything else works in the unpacked folder too
    for request in [
        &["report", "commanded"][..],
        &["compare", "commanded"],
        &["bundle", "commanded", "--out", "again.zip"],
    ] {
        let ran = other.run(request);
        assert_eq!(ran.code, 0, "{request:?}: {}{}", ran.stdout, ran.stderr);
    }
    let figure = other.path("commanded/figures/curves.svg");
    let drawn = fs::read_to_string(figure).expect("a figure");
    assert_eq!(
        drawn,
        fs::read_to_string(lab.path("out/figures/curves.svg")).expect("a figure")
    );
}

#[test]
fn a_spec_that_cannot_be_read_is_named_on_one_line() {
    let lab = Lab::new();
    let spec = "title = \"T\"\nquestion = \"Q?\"\n[[problem]]\nfiles = [\"p.dat\"]\n\
                [[solver]]\nuse = \"pgs\"\n";
    lab.file("e/experiment.toml", spec);
    lab.file("e/p.dat", crate::support::LCP);
    let ran = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    fs::remove_file(lab.path("e/p.dat")).expect("a file");
    let (lines, _) = leaves(&lab, "nowhere", "out");
    assert!(
        lines.iter().any(|line| line.contains("experiment.toml:4:")),
        "{lines:?}"
    );
}

#[test]
fn scenes_are_skipped_where_their_solver_is_gone() {
    if !has_python() {
        return;
    }
    let lab = lab();
    lab.file(
        "e/experiment.toml",
        "title = \"M\"\nquestion = \"Q?\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\n\
         use = \"pgs-baumgarte\"\nseconds = 0.05\n[[solver]]\nuse = \"peer:script/gs\"\n\
         [simulate]\nobservables = [\"drift_max\"]\n",
    );
    let ran = with_peers(&lab, "peers", &["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let fine = with_peers(&lab, "peers", &["verify", "out"]);
    assert_eq!(fine.code, 0, "{}{}", fine.stdout, fine.stderr);
    let (lines, totals) = leaves(&lab, "nowhere", "out");
    assert_eq!((lines.len(), &totals["keys"]), (1, &1.into()), "{lines:?}");
    let skipped = with_peers(&lab, "nowhere", &["run", "e", "--out", "skipped", "--json"]);
    assert_eq!(skipped.code, 0, "{}", skipped.stderr);
    assert_eq!(
        skipped.objects()[0]["status"],
        "unsupported",
        "{}",
        skipped.stdout
    );
}
