//! A typing error gives one diagnostic with the nearest valid name, and exit code 2.

use crate::support::{HDF5, LCP, Lab};

#[test]
fn verbs_and_options() {
    let lab = Lab::new();
    lab.run(&["slove", "x"])
        .is_refused_with(&["slove", "'solve'"]);
    lab.run(&["list", "solver"])
        .is_refused_with(&["solver", "'solvers'"]);
    lab.run(&["solve", "x", "--sovler", "pgs"])
        .is_refused_with(&["--sovler", "--solver"]);
    lab.run(&["solve", "x"])
        .is_refused_with(&["x: no such file"]);
    lab.run(&["run", "x", "--jobs", "0"])
        .is_refused_with(&["--jobs", "0"]);
    lab.run(&["run", "x", "--shard", "3/2"])
        .is_refused_with(&["--shard", "I/N"]);
}

#[test]
fn solvers_and_their_parameters() {
    let lab = Lab::new();
    let file = lab.file("a.dat", LCP);
    let solve = |more: &[&str]| lab.run(&[&["solve", file], more].concat());
    solve(&["--solver", "blok-gs"]).is_refused_with(&[
        "\"blok-gs\"",
        "\"block-gs\"",
        "list solvers",
    ]);
    solve(&["--solver", "xyzzy"]).is_refused_with(&["\"xyzzy\""]);
    solve(&["--solver", "psor", "--set", "omgea=1.3"]).is_refused_with(&[
        "psor",
        "\"omgea\"",
        "\"omega\"",
    ]);
    solve(&["--solver", "psor", "--set", "omega=3"]).is_refused_with(&["psor", "omega", "3"]);
    solve(&["--solver", "psor", "--set", "omega=nan"]).is_refused_with(&["psor", "omega", "nan"]);
    solve(&["--solver", "psor", "--set", "omega=fast"]).is_refused_with(&["psor", "omega", "fast"]);
    solve(&["--solver", "psor", "--set", "omega"]).is_refused_with(&["--set omega", "KEY=VALUE"]);
    solve(&["--solver", "psor", "--set", "omega=1", "--set", "omega=1"])
        .is_refused_with(&["omega", "twice"]);
}

#[test]
fn limits_metrics_and_laws() {
    let lab = Lab::new();
    let file = lab.file("a.dat", LCP);
    let solve = |more: &[&str]| lab.run(&[&["solve", file, "--solver", "pgs"], more].concat());
    for tolerance in ["0", "-1e-8", "nan", "inf"] {
        solve(&["--tol", tolerance]).is_refused_with(&["--tol", "finite number > 0"]);
    }
    solve(&["--tol", "small"]).is_refused_with(&["--tol", "small"]);
    solve(&["--max-sweeps", "-1"]).is_refused_with(&["--max-sweeps"]);
    solve(&["--max-seconds", "0"]).is_refused_with(&["--max-seconds", "> 0"]);
    solve(&["--metric", "natural_mpa"]).is_refused_with(&["\"natural_mpa\"", "\"natural_map\""]);
    solve(&["--metric", "v[1].y"]).is_refused_with(&["v[1].y", "no residual"]);
    solve(&["--law", "coulom"]).is_refused_with(&["coulom", "\"coulomb\"", "convex-cone"]);
    solve(&["--start", "wram"]).is_refused_with(&["wram", "cold", "stored", "warm"]);
}

#[test]
fn files_and_folders() {
    let lab = Lab::new();
    lab.file("problems/chain-10.dat", LCP);
    let solve = |path: &str| lab.run(&["solve", path, "--solver", "pgs"]);
    solve("problems/chian-10.dat").is_refused_with(&[
        "problems/chian-10.dat",
        "no such file",
        "problems/chain-10.dat",
    ]);
    solve("problems").is_refused_with(&["problems", "is a folder", "problems/*"]);
    solve("problem/chain-10.dat").is_refused_with(&["there is no folder problem"]);
    solve("problems/*.dls").is_refused_with(&["matches nothing"]);
    // the good file is not solved when another one is missing
    let ran = lab.run(&[
        "solve",
        "problems/chain-10.dat",
        "nowhere.dat",
        "--solver",
        "pgs",
    ]);
    ran.is_refused_with(&["nowhere.dat", "no such file"]);
    if cfg!(unix) {
        solve("/dev/zero").is_refused_with(&["/dev/zero", "is a device"]);
    }
    lab.file("file", HDF5);
    lab.run(&["solve", "file", "--solver", "pgs", "--save", "file"])
        .is_refused_with(&["--save file", "is not a folder"]);
}

#[test]
fn names_in_lists() {
    let lab = Lab::new();
    lab.run(&["list", "solvers", "pgss"])
        .is_refused_with(&["solver \"pgss\"", "\"pgs\""]);
    lab.run(&["list", "metrics", "natural"])
        .is_refused_with(&["metric \"natural\"", "natural_map"]);
    lab.run(&["list", "generators", "chains"])
        .is_refused_with(&["\"chains\"", "\"chain\""]);
    lab.run(&["list", "laws", "cuolomb"])
        .is_refused_with(&["\"cuolomb\"", "\"coulomb\""]);
}

#[test]
fn specs_and_results() {
    let lab = Lab::new();
    lab.run(&["run", "nowhere"]).is_refused_with(&["nowhere"]);
    lab.run(&["report", "nowhere"])
        .is_refused_with(&["nowhere"]);
    lab.file(
        "bad/experiment.toml",
        "title = \"t\"\nquestion = \"q\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"psor\"\nomgea = 1.3\n",
    );
    lab.run(&["run", "bad"])
        .is_refused_with(&["experiment.toml:7:1", "omgea", "\"omega\""]);
}
