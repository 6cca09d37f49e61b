//! `as_worlds`: problems of a spec that one cell solves as worlds of one structure.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_conformance::device_or_skip;
use delassus_core::Status;
use delassus_records::build::Build;
use delassus_records::record::{CellRecord, WorldEnd};
use delassus_records::store;
use delassus_registry::Registry;
use delassus_report::bundle::Bundle;
use delassus_runner::fsck::check;
use delassus_runner::verify::verify;

use crate::support::{bundle_of, results_of, run_into, write};

/// Four walls that differ in friction and mass.
const WALLS: &str = r#"
[[problem]]
use = "wall"
base = 3
friction = [0.2, 0.5]
mass = [1.0, 3.0]
speed = 1.0
"#;

fn spec(problem: &str, solver: &str, stop: &str) -> String {
    format!(
        "title = \"Walls\"\n{problem}[[solver]]\n{solver}\n[stop]\n{stop}\nmetrics = [\"natural_map\"]\n\
         [measure]\nmetrics = [\"natural_map\"]\n"
    )
}

fn as_worlds() -> String {
    format!("{WALLS}as_worlds = true\n")
}

fn only(bundle: &Bundle) -> &CellRecord {
    let [record] = bundle.records.as_slice() else {
        panic!("{} cells", bundle.records.len());
    };
    record
}

fn impulses(folder: &Path, record: &CellRecord) -> Vec<u8> {
    fs::read(store::impulses_path(&folder.join("out"), &record.key)).expect("impulses")
}

/// Solves the walls as worlds by `together` and each by `alone`, with so many sweeps and no
/// tolerance that they could meet: impulses and residuals have the same bits.
fn same_bits(together: &str, alone: &str) {
    let stop = "tolerance = 1e-300\nmax_sweeps = 12";
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let [worlds, walls] = [
        (&folders[0], as_worlds(), together),
        (&folders[1], WALLS.to_owned(), alone),
    ]
    .map(|(folder, problem, solver)| {
        let path = write(folder.path(), &spec(&problem, solver, stop));
        results_of(&path, &folder.path().join("out"), 1).bundle
    });
    let cell = only(&worlds);
    assert_eq!(cell.outcome.status, Status::MaxSweeps, "{:?}", cell.outcome);
    assert_eq!(cell.outcome.worlds().len(), 4);
    let own = walls.records.iter();
    let all: Vec<u8> = own
        .flat_map(|wall| impulses(folders[1].path(), wall))
        .collect();
    assert_eq!(all.len(), 8 * cell.facts.rows);
    assert!(impulses(folders[0].path(), cell) == all, "{together}");
    for (world, wall) in cell.outcome.worlds().iter().zip(&walls.records) {
        let residual = wall.outcome.last("natural_map");
        assert_eq!(world.residual.map(f64::to_bits), residual.map(f64::to_bits));
        assert_eq!((world.status, world.sweeps), (Status::MaxSweeps, None));
        for (key, value) in &world.parameters {
            assert_eq!(wall.problem.parameters[key], *value, "{key}");
        }
        assert_eq!(world.parameters.len(), 2);
    }
}

#[test]
fn worlds_have_the_bits_of_problems_of_their_own() {
    same_bits("use = \"per-world(pgs)\"", "use = \"pgs\"");
    same_bits("use = \"per-world(jacobi-f32)\"", "use = \"jacobi-f32\"");
}

#[test]
fn worlds_on_a_device_have_the_bits_of_problems_of_their_own() {
    let solver = Registry::standard();
    let solver = solver.find("gpu-worlds").expect("a solver");
    let solver = solver.build(&serde_json::Map::new()).expect("defaults");
    let device = solver.facts().device.expect("a device");
    if device_or_skip("worlds_on_a_device_have_the_bits", device).is_none() {
        return;
    }
    let alone = "use = \"gpu-jacobi\"\nvariant = \"resident\"";
    same_bits("use = \"gpu-worlds\"", alone);
}

#[test]
fn each_world_says_after_how_many_sweeps_it_is_solved() {
    let stop = "tolerance = 1e-6\nmax_sweeps = 2000";
    let worlds = bundle_of(&spec(&as_worlds(), "use = \"per-world(pgs)\"", stop), 1);
    let walls = bundle_of(&spec(WALLS, "use = \"pgs\"", stop), 1);
    let cell = only(&worlds);
    assert_eq!(cell.problem.name, "wall base=3 speed=1 worlds=4");
    assert_eq!(cell.outcome.status, Status::Solved);
    let sweeps = |ends: &[WorldEnd]| ends.iter().map(|end| end.sweeps).collect::<Vec<_>>();
    let own = walls.records.iter().map(|wall| Some(wall.outcome.sweeps));
    let own: Vec<Option<u64>> = own.collect();
    assert_eq!(sweeps(cell.outcome.worlds()), own);
    assert_eq!(own.iter().flatten().max(), Some(&cell.outcome.sweeps));
    // two thirds of them: the fast worlds are solved, the slow ones are not
    let limit = 2 * cell.outcome.sweeps / 3;
    let stop = format!("tolerance = 1e-6\nmax_sweeps = {limit}");
    let cut = bundle_of(&spec(&as_worlds(), "use = \"per-world(pgs)\"", &stop), 1);
    for (end, own) in only(&cut).outcome.worlds().iter().zip(own) {
        assert_eq!(end.sweeps, own.filter(|sweeps| *sweeps <= limit));
        assert_eq!(end.status == Status::Solved, end.sweeps.is_some());
    }
}

const DRAWN: &str = r#"title = "Drawn"
[[problem]]
name = "walls"
use = "wall"
base = 2
friction = [0.2, 0.8]
mass_ratio = [1.0, 4.0]
as_worlds = true
draws = 5
draw_seed = 7
[[solver]]
use = "per-world(pgs)"
[[solver]]
use = "wide-pgs"
[stop]
tolerance = 1e-6
[[table]]
id = "worlds"
show = { worlds = {} }
[[table]]
id = "each"
show = { worlds = { each = true } }
"#;

#[test]
fn drawn_worlds_stand_in_tables_and_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let path = write(folder.path(), DRAWN);
    let bundle = results_of(&path, &out, 1).bundle;
    assert_eq!(bundle.problems(), ["walls worlds=5"]);
    for record in &bundle.records {
        assert_eq!(record.problem.parameters["worlds"], 5);
        for world in record.outcome.worlds() {
            let friction = world.parameters["friction"].as_f64().expect("a number");
            assert!((0.2..0.8).contains(&friction));
            assert_eq!(world.status, Status::Solved);
        }
    }
    let read = |name: &str| fs::read_to_string(out.join(name)).expect("a table");
    let table = read("worlds.csv");
    let head = "experiment,problem,solver,world,world_parameters,status,residual,sweeps\n";
    assert!(table.starts_with(head), "{table}");
    assert_eq!(table.lines().count(), 1 + 2 * 5, "{table}");
    assert_eq!(read("tables/each.csv").lines().count(), 1 + 2 * 5);
    let together = read("tables/worlds.csv");
    assert!(together.contains("per-world(pgs),5,5,"), "{together}");
    assert!(together.contains("preparation ["), "{together}");
    assert!(read("report.html").contains("largest natural map"));
    // nothing runs again, and other draws are other cells
    let again = run_into(&path, &out, 1);
    assert_eq!((again.ran, again.kept), (0, 2));
    write(
        folder.path(),
        &DRAWN.replace("draw_seed = 7", "draw_seed = 8"),
    );
    let other = run_into(&path, &out, 1);
    assert_eq!((other.ran, other.kept), (2, 0));
    // the table goes with the worlds
    let lines = ["as_worlds = true\n", "draws = 5\n", "draw_seed = 7\n"];
    let mut plain = lines
        .iter()
        .fold(DRAWN.to_owned(), |text, line| text.replace(line, ""));
    plain.truncate(plain.find("[[table]]").expect("tables"));
    write(folder.path(), &plain);
    run_into(&path, &out, 1);
    assert!(!out.join("worlds.csv").exists());
}

#[test]
fn results_of_worlds_are_whole_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    run_into(&write(folder.path(), DRAWN), &out, 1);
    let (registry, cancel) = (Registry::standard(), AtomicBool::new(false));
    let verdict = verify(&out, None, &registry, &Build::UNKNOWN, &cancel).expect("results");
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    let report = check(&out).expect("results");
    assert_eq!(report.exit_code(), 0, "{report:?}");
}
