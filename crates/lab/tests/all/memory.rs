//! Requests that would take more memory than there is: refused with the reason, before anything is
//! allocated, and the other files of the same command are answered.

use std::process::{Command, Output};

use delassus_core::{Law, MassProperties, ProblemBuilder};
use delassus_problems::{NamedProblem, write_snapshot};
use nalgebra::Vector3;

use crate::support::{LCP, Lab, Ran};

/// Runs the program with two gigabytes of address space.
#[cfg(target_os = "linux")]
fn run(lab: &Lab, arguments: &[&str]) -> Ran {
    run_within(lab, 2_000_000, arguments)
}

/// Runs the program with so many kilobytes of address space.
#[cfg(target_os = "linux")]
fn run_within(lab: &Lab, kilobytes: u32, arguments: &[&str]) -> Ran {
    Ran::from(output_within(lab, kilobytes, arguments))
}

/// Whether the program ends well in so many kilobytes of address space, in which it may not even
/// start.
#[cfg(target_os = "linux")]
fn succeeds_within(lab: &Lab, kilobytes: u32, arguments: &[&str]) -> bool {
    output_within(lab, kilobytes, arguments).status.success()
}

#[cfg(target_os = "linux")]
fn output_within(lab: &Lab, kilobytes: u32, arguments: &[&str]) -> Output {
    let program = lab.command(arguments);
    let mut command = Command::new("sh");
    command.arg("-c");
    command.arg(format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\""));
    command.arg(program.get_program()).args(program.get_args());
    let folder = program.get_current_dir().expect("the folder of the test");
    command.current_dir(folder).env("XDG_RUNTIME_DIR", folder);
    // otherwise glibc reserves 64 MiB of address space for each thread, where there is room
    command.env("MALLOC_ARENA_MAX", "1");
    command.output().expect("a shell")
}

/// `count` equality rows in blocks of `dim`, and one entry of the matrix in each pair of blocks.
#[cfg(target_os = "linux")]
fn mixed(count: usize, dim: usize) -> String {
    let blocks = count / dim;
    let ends: Vec<String> = (0..=blocks).map(|k| (k * dim).to_string()).collect();
    let entries = blocks * blocks + count;
    let mut text = format!(
        "1 1\n{count} 0\n{}\n{}\n",
        ends.join(" "),
        "0 ".repeat(blocks)
    );
    text += &format!("2\n{count}\n{count}\n1\nCSparse\n");
    text += &format!("triplet: {count}-by-{count}, nzmax: {entries} nnz: {entries}\n");
    for row in 0..count {
        text += &format!("{row} {row} : 4\n");
    }
    for pair in 0..blocks * blocks {
        text += &format!("{} {} : 0\n", pair / blocks * dim, pair % blocks * dim);
    }
    text + &"1 ".repeat(count)
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_whose_matrix_would_fill_memory_is_refused_and_the_next_is_solved() {
    let lab = Lab::new();
    // diagonal blocks of 1000 rows, 500 of them: 4 GB dense, 13 MB of text
    lab.file("blocks.dat", mixed(500_000, 1000));
    // one block of 60 000 rows: 29 GB dense; read row by row
    lab.file("block.dat", mixed(60_000, 60_000));
    lab.file("small.dat", LCP);
    for solver in ["pgs", "block-gs"] {
        let arguments = [
            "solve",
            "blocks.dat",
            "block.dat",
            "small.dat",
            "--solver",
            solver,
            "--json",
        ];
        let ran = run(&lab, &arguments);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let answers = ran.objects();
        let status: Vec<&str> = answers
            .iter()
            .map(|a| a["status"].as_str().expect("text"))
            .collect();
        assert_eq!(status[1..], ["solved", "solved"], "{}", ran.stdout);
        let message = answers[0]["message"].as_str().expect("a reason");
        for part in ["the matrix, its blocks dense,", "GiB", "--max-memory"] {
            assert!(message.contains(part), "no {part:?} in {message}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn solvers_take_an_equality_block_of_any_number_of_rows() {
    let lab = Lab::new();
    let mut builder = ProblemBuilder::new();
    let body = MassProperties::aligned(1.0, Vector3::repeat(1.0));
    builder.body(body, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let rows = vec![[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]; 60_000];
    builder.block(Law::Equality, &[0], &rows);
    let problem = builder.build().expect("a problem");
    let named = NamedProblem::new("rows", problem, "sixty thousand equal rows");
    write_snapshot(lab.path("rows.dls"), &named).expect("a snapshot");
    for solver in [
        "pgs",
        "psor",
        "block-gs",
        "jacobi",
        "jacobi-f32",
        "wide-pgs",
        "async-jacobi",
    ] {
        let ran = run(
            &lab,
            &[
                "solve",
                "rows.dls",
                "--solver",
                solver,
                "--max-sweeps",
                "2",
                "--json",
            ],
        );
        assert_eq!(ran.code, 0, "{solver}: {} {}", ran.stdout, ran.stderr);
        let answer = &ran.objects()[0];
        assert_ne!(answer["status"], "unsupported", "{solver}: {answer}");
    }
    let ran = run(
        &lab,
        &["solve", "rows.dls", "--solver", "dense-pgs", "--json"],
    );
    assert_eq!(ran.objects()[0]["status"], "unsupported", "{}", ran.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn generators_refuse_what_would_fill_memory() {
    let lab = Lab::new();
    for (name, problem) in [
        (
            "planted",
            "use = \"planted\"\nbodies = 1000000\ncoulomb = 4000000",
        ),
        (
            "coupled",
            "use = \"planted\"\nbodies = 1\ncoulomb = 20000\nform = \"matrix\"",
        ),
        (
            "as-matrix",
            "use = \"joint-graph\"\ncount = 1000000\nas_matrix = true",
        ),
        ("grid", "use = \"grid\"\nnx = 1000\nny = 1000\nnz = 1"),
        ("wall", "use = \"wall\"\nbase = 1500"),
        ("chain", "use = \"chain\"\nn = 10000000"),
        ("net", "use = \"joint-grid\"\nn = 2000"),
    ] {
        let spec = format!(
            "title = \"t\"\n[[problem]]\n{problem}\n[[solver]]\nuse = \"pgs\"\n[stop]\nmax_sweeps = 1\n"
        );
        lab.file("spec.toml", spec);
        let ran = run(&lab, &["run", "spec.toml", "--quiet"]);
        assert_eq!(ran.code, 2, "{name}: {} {}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("max_memory in the spec"),
            "{name}: {}",
            ran.stderr
        );
    }
}

/// Memory that a dry run of `spec.toml` estimates, within two gigabytes of address space \[B\].
#[cfg(target_os = "linux")]
fn estimated(lab: &Lab) -> u64 {
    let ran = run(lab, &["run", "spec.toml", "--dry-run", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let last = ran.objects().pop().expect("an estimate");
    let bytes = &last["estimate"]["memory_bytes"];
    bytes.as_u64().expect("a number")
}

#[test]
#[cfg(target_os = "linux")]
fn timed_problems_beyond_memory_are_skipped_and_a_key_allows_them() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"wall\"\nbase = [4, 1581]\n[[solver]]\nuse = \"pgs\"\n\
                [timing]\nrow_updates = 1000\n";
    lab.file("spec.toml", spec);
    let ran = run(&lab, &["run", "spec.toml", "--dry-run"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("2 cells: 0 done, 1 to do, 1 unsupported"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("unsupported: the problem with its solver needs about"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("estimate: "), "{}", ran.stdout);
    // what is skipped takes none
    assert!(estimated(&lab) < 1_000_000, "{} B", estimated(&lab));
    lab.file("spec.toml", format!("max_memory = \"64 GiB\"\n{spec}"));
    assert!(estimated(&lab) > 1 << 30, "{} B", estimated(&lab));
    let ran = run(&lab, &["run", "spec.toml", "--dry-run"]);
    assert!(
        ran.stdout
            .contains("2 cells: 0 done, 2 to do, 0 unsupported"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("(64.0 GiB allowed)"), "{}", ran.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn scenes_beyond_memory_are_skipped_and_not_exported() {
    let lab = Lab::new();
    let scene = "use = \"many-pyramids\"\ncolumns = [1, 3000]";
    let spec = format!(
        "title = \"t\"\n[[scene]]\n{scene}\n[[scheme]]\nuse = \"soft-step\"\n[[solver]]\nuse = \"pgs\"\n\
         [simulate]\nseconds = 0.02\nobservables = [\"drift_max\"]\n"
    );
    lab.file("spec.toml", &spec);
    let ran = run(&lab, &["run", "spec.toml", "--dry-run"]);
    for part in [
        "2 cells: 0 done, 1 to do, 1 unsupported",
        "unsupported: stepping the scene needs about",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    // a pyramid, and not three thousand
    assert!(estimated(&lab) < 20_000_000, "{} B", estimated(&lab));
    let ran = run(&lab, &["run", "spec.toml", "--quiet", "--no-isolate"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let summary = lab.path("results/spec/summary.csv");
    let summary = std::fs::read_to_string(summary).expect("a summary");
    assert!(
        summary.contains("stepping the scene needs about"),
        "{summary}"
    );
    lab.file("spec.toml", format!("max_memory = \"64 GiB\"\n{spec}"));
    let ran = run(&lab, &["run", "spec.toml", "--dry-run"]);
    assert!(
        ran.stdout.contains("1 to do, 0 unsupported"),
        "{}",
        ran.stdout
    );
    let many = ["--set", "columns=3000", "--frame", "0"];
    let ran = run(&lab, &[&["export", "many-pyramids"], &many[..]].concat());
    ran.is_refused_with(&["stepping the scene needs about", "of the memory limit"]);
}

/// Stepping takes no more than was estimated, in addition to the program itself.
#[test]
#[cfg(target_os = "linux")]
fn a_scene_is_stepped_within_its_estimate() {
    let lab = Lab::new();
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    for scene in [
        "use = \"many-pyramids\"\ncolumns = 20",
        "use = \"joint-grid\"\nn = 80",
    ] {
        let spec = format!(
            "title = \"t\"\n[[scene]]\n{scene}\n[[scheme]]\nuse = \"tgs-soft\"\n[[solver]]\n\
             use = \"block-gs\"\n[simulate]\nseconds = 0.02\nobservables = [\"energy\"]\n"
        );
        lab.file("spec.toml", &spec);
        let kilobytes = u32::try_from(estimated(&lab) / 1000).expect("some megabytes");
        let verb = ["run", "spec.toml", "--quiet", "--no-isolate"];
        let ran = run_within(&lab, code + kilobytes, &verb);
        assert_eq!(ran.code, 0, "{scene}: {}", ran.stderr);
    }
}

#[test]
fn the_limit_is_an_amount_with_a_unit() {
    let lab = Lab::new();
    lab.file("small.dat", LCP);
    let solve = ["solve", "small.dat", "--solver", "pgs", "--max-memory"];
    let with = |amount: &str| lab.run(&[&solve[..], &[amount]].concat());
    let ran = with("16 B");
    ran.is_refused_with(&["--max-memory", "\"16 B\"", "\"16 GiB\""]);
    let ran = with("1 KiB");
    assert_eq!(
        (ran.code, ran.stdout.contains("unsupported")),
        (0, true),
        "{}",
        ran.stdout
    );
    let spec = "title = \"t\"\nmax_memory = \"much\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("spec.toml", spec);
    let ran = lab.run(&["run", "spec.toml"]);
    ran.is_refused_with(&[
        "spec.toml:2:",
        "max_memory: \"much\" is no amount of memory",
    ]);
}

#[test]
fn a_dry_run_estimates_memory_and_time() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 1000\n[[solver]]\nuse = \"pgs\"\n\
                [stop]\nmax_sweeps = 1000000\n";
    lab.file("spec.toml", spec);
    let ran = lab.run(&["run", "spec.toml", "--dry-run"]);
    let last = ran.stdout.lines().last().expect("lines");
    assert!(last.starts_with("estimate: "), "{last}");
    assert!(last.contains(" allowed), at most "), "{last}");
    let ran = lab.run(&["run", "spec.toml", "--dry-run", "--json"]);
    let estimate = &ran.objects()[1]["estimate"];
    let bytes = estimate["memory_bytes"].as_u64().expect("a number");
    assert!((100_000..10_000_000).contains(&bytes), "{estimate}");
    assert!(
        estimate["seconds_at_most"]
            .as_f64()
            .is_some_and(|s| s > 30.0),
        "{estimate}"
    );
}

/// What a bundle or a check reads of a folder of six hundred megabytes is never in memory as a
/// whole.
#[test]
#[cfg(target_os = "linux")]
fn large_folders_are_bundled_and_checked_in_pieces() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // two files that the list has from before the page of the spec changed
    lab.file("s/README.md", "Another page.\n");
    let path = lab.path("r/outputs.json");
    let text = std::fs::read_to_string(&path).expect("the list");
    let mut list: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for name in ["a.bin", "b.bin"] {
        lab.file(&format!("r/{name}"), "");
        let file = std::fs::File::options()
            .write(true)
            .open(lab.path("r").join(name));
        let file = file.expect("a file");
        file.set_len(300 << 20).expect("a hole");
        let read = std::fs::File::open(lab.path("r").join(name)).expect("a file");
        let sha256 = delassus_records::key::of_reader(read).expect("a hash");
        list["files"][name] = serde_json::json!({ "bytes": 300 << 20, "sha256": sha256 });
    }
    // its checksum is that of the list without it, in the order of its entries
    let files: std::collections::BTreeMap<String, serde_json::Value> =
        serde_json::from_value(list["files"].clone()).expect("files");
    let files = serde_json::json!(files);
    let (of, cells) = (&list["of"], &list["cells"]);
    let with = |sum: &str| {
        format!("{{\"of\":{of},\"files\":{files},\"cells\":{cells},\"sum\":\"{sum}\"}}")
    };
    list["sum"] = delassus_records::key::of_bytes(with("").as_bytes()).into();
    list["files"] = files;
    let text = format!("{}\n", serde_json::to_string_pretty(&list).expect("JSON"));
    std::fs::write(&path, text).expect("the list");
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    for verb in [
        &["bundle", "r", "--out", "x.zip"][..],
        &["fsck", "r"],
        &["verify", "r"],
    ] {
        // the limit of a file is a quarter of that little memory otherwise
        let verb = [verb, &["--max-file", "1GiB"]].concat();
        let ran = run_within(&lab, code + 150_000, &verb);
        // nothing gives these files
        let named = verb[0] == "verify";
        let code = i32::from(named);
        assert_eq!(ran.code, code, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout.contains("a.bin"), named, "{}", ran.stdout);
    }
}

/// Whatever the memory, a check of a large record ends with its answer, or says that memory lacks.
#[test]
#[cfg(target_os = "linux")]
fn a_large_record_is_checked_or_refused() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"psor\"\n\
                omega = 0.001\n[stop]\ntolerance = 1e-300\nmax_sweeps = 60000\n[measure]\n\
                metrics = [\"natural_map\", \"siconos\", \"v[1].y\"]\nsamples = { every = 1 }\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    let mut codes = Vec::new();
    for more in [30_000, 40_000, 50_000, 60_000, 80_000, 120_000, 300_000] {
        let ran = run_within(&lab, code + more, &["verify", "r"]);
        let says = ran.code == 0 || ran.stderr.contains("memory");
        assert!(
            [0, 3].contains(&ran.code) && says,
            "{more} kB: {}",
            ran.stderr
        );
        codes.push(ran.code);
    }
    assert_eq!((codes[0], codes.last()), (3, Some(&0)), "{codes:?}");
}

/// A record at a time is in memory while tables are written, and a group of rows; all of these
/// records with all of their rows take more than twice the limit.
#[test]
#[cfg(target_os = "linux")]
fn tables_are_written_record_by_record() {
    use delassus_records::record::{CellRecord, Sample};
    use delassus_records::store;
    use delassus_report::export::{ExportTable, TableShape, write_csv};

    const CELLS: usize = 15;
    const SAMPLES: u32 = 20_000;
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"pgs\"\n\
                [measure]\nmetrics = [\"natural_map\"]\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let dir = lab.path("r");
    let path = dir.join("experiment.json");
    let text = std::fs::read_to_string(&path).expect("what the run says of itself");
    let mut said: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let first = said["cells"][0].as_str().expect("a key").to_owned();
    let store::StoredCell::Cell(record) = store::read_cell(&dir, &first) else {
        panic!("no record");
    };
    let sample = |sweeps: u32| Sample {
        sweeps: u64::from(sweeps),
        row_updates: 2 * u64::from(sweeps),
        values: record
            .outcome
            .metrics
            .iter()
            .map(|_| Some(0.1 / f64::from(sweeps + 1)))
            .collect(),
    };
    let records: Vec<CellRecord> = (0..CELLS)
        .map(|cell| {
            let mut copy = (*record).clone();
            copy.key = format!("{cell:064x}");
            copy.problem.name = format!("chain {cell}");
            copy.outcome.samples = (0..SAMPLES).map(sample).collect();
            copy
        })
        .collect();
    for copy in &records {
        store::write_cell(&dir, copy).expect("a record");
        let impulses = [&first, &copy.key].map(|key| store::impulses_path(&dir, key));
        std::fs::copy(&impulses[0], &impulses[1]).expect("impulses");
    }
    said["cells"] = records.iter().map(|copy| copy.key.as_str()).collect();
    std::fs::write(&path, said.to_string()).expect("written");
    // nothing vouches for the records, as after a run that was cut short
    std::fs::remove_file(dir.join("outputs.json")).expect("removed");

    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    for format in ["csv", "parquet", "npz"] {
        let verb = ["data", "r", "--format", format, "--out", "tables"];
        let ran = run_within(&lab, code + 80_000, &verb);
        assert_eq!(ran.code, 0, "{format}: {}{}", ran.stdout, ran.stderr);
    }
    // the same bytes as from records that are in memory together
    let shape = TableShape::of(&records);
    for table in [ExportTable::Records, ExportTable::Summary] {
        let name = format!("tables/{table}.csv");
        let expected = write_csv(table, "s", &shape, &records, Vec::new()).expect("memory");
        let found = std::fs::read(lab.path(&name)).expect("a table");
        assert!(found == expected, "{name}");
    }
    let left = std::fs::read_dir(lab.path("tables")).expect("the folder");
    assert_eq!(left.count(), 2 + 2 + 3, "no file that waits stays");
}

/// A band of 751 000 entries in ten megabytes of text.
#[test]
#[cfg(target_os = "linux")]
fn a_sparse_complementarity_problem_of_ten_megabytes_takes_less_than_a_hundred() {
    let lab = Lab::new();
    let (rows, half) = (1000_usize, 500);
    let columns = |i: usize| i.saturating_sub(half)..rows.min(i + half + 1);
    let entries: usize = (0..rows).map(|i| columns(i).len()).sum();
    let mut text = format!("{rows}\n2\n{rows}\n{rows}\n1\nCSparse\n");
    text += &format!("triplet: {rows}-by-{rows}, nzmax: {entries} nnz: {entries}\n");
    for i in 0..rows {
        for j in columns(i) {
            let value = if i == j { 1000 } else { 1 };
            text += &format!("{i} {j} : {value}.0\n");
        }
    }
    text += &"-1 ".repeat(rows);
    assert!(text.len() > 10_000_000, "{} bytes", text.len());
    lab.file("band.dat", text);
    // all of the address space, with the code of the program and all its solvers
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    let ran = run_within(
        &lab,
        code + 64_000,
        &["solve", "band.dat", "--solver", "pgs", "--json"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.objects()[0]["status"], "solved", "{}", ran.stdout);
}

/// Many small records are estimated together: whatever the memory, every verb ends with its answer,
/// or says that memory lacks.
#[test]
#[cfg(target_os = "linux")]
fn many_small_records_are_read_or_refused() {
    let lab = Lab::new();
    let omegas: Vec<String> = (0..2000).map(|k| format!("{}e-4", 10_000 + k)).collect();
    let spec = format!(
        "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"psor\"\n\
         omega = [{}]\n[stop]\nmax_sweeps = 2\n",
        omegas.join(", ")
    );
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    let mut codes = std::collections::BTreeSet::new();
    for more in [12_000, 18_000, 24_000, 32_000, 48_000, 90_000] {
        for verb in [
            &["verify", "r"][..],
            &["fsck", "r"],
            &["report", "r", "--out", "drawn"],
            &["merge", "r", "--out", "merged"],
        ] {
            let ran = run_within(&lab, code + more, verb);
            let says = ran.code == 0 || ran.stderr.contains("memory");
            let what = format!("{verb:?} in {more} kB: {}: {}", ran.code, ran.stderr);
            assert!([0, 3].contains(&ran.code) && says, "{what}");
            codes.insert(ran.code);
        }
    }
    assert_eq!(codes.len(), 2, "{codes:?}");
}

/// A larger `--max-file` than there is memory for is no reason to end without a word.
#[test]
#[cfg(target_os = "linux")]
fn max_file_gives_no_memory() {
    let lab = Lab::new();
    let spec = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"psor\"\n\
                omega = 0.001\n[stop]\ntolerance = 1e-300\nmax_sweeps = 60000\n[measure]\n\
                metrics = [\"natural_map\", \"siconos\", \"v[1].y\"]\nsamples = { every = 1 }\n";
    lab.file("s/experiment.toml", spec);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let code = (16_000..1_000_000)
        .step_by(4_000)
        .find(|&kilobytes| succeeds_within(&lab, kilobytes, &["--version"]))
        .expect("the program says its version in a gigabyte");
    for more in [20_000, 30_000, 40_000, 60_000] {
        for verb in [
            &["verify", "r"][..],
            &["fsck", "r"],
            &["report", "r", "--out", "drawn"],
        ] {
            let verb = [verb, &["--max-file", "1GiB"]].concat();
            let ran = run_within(&lab, code + more, &verb);
            let says = ran.code == 0 || ran.stderr.contains("memory");
            let what = format!("{verb:?} in {more} kB: {}: {}", ran.code, ran.stderr);
            assert!([0, 3].contains(&ran.code) && says, "{what}");
        }
    }
}
