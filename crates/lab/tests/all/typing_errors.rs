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
    // each missing file is named, of many the first ten
    let missing: Vec<String> = (0..12).map(|i| format!("lost-{i}.dls")).collect();
    let mut words = vec!["solve", "problems/chain-10.dat"];
    words.extend(missing.iter().map(String::as_str));
    let some = lab.run(&words[..4]);
    some.is_refused_with(&[
        "error: lost-0.dls: no such file",
        "\n  lost-1.dls: no such file",
    ]);
    lab.run(&words)
        .is_refused_with(&["\n  lost-9.dls: no such file", "\n  and 2 more\n"]);
    if cfg!(unix) {
        solve("/dev/zero").is_refused_with(&["/dev/zero", "is a device"]);
    }
    lab.file("file", HDF5);
    lab.run(&["solve", "file", "--solver", "pgs", "--save", "file"])
        .is_refused_with(&[
            "'file' for '--save <DIR>'",
            "that is a file, and a folder is made",
        ]);
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

#[test]
fn every_error_of_a_spec_is_shown_in_one_run() {
    let lab = Lab::new();
    lab.file(
        "bad.toml",
        "title = 7\nqestion = \"q\"\n[[problem]]\nuse = \"chain\"\nn = [2, 0]\n[[solver]]\nuse = \"psorr\"\n\
         omgea = 1.3\n[[solver]]\nuse = \"psor\"\nomega = 3.0\norder = \"forwards\"\n[stop]\ntolerance = -1.0\n\
         max_sweep = 5\n[[figure]]\nid = \"f\"\nplot = { convergence = { x = \"sweep\", logx = true } }\n",
    );
    let ran = lab.run(&["run", "bad.toml", "--dry-run"]);
    ran.is_refused_with(&[
        "bad.toml:1:9: title must be a string",
        "bad.toml:2:1: unknown key \"qestion\"",
        "bad.toml:5:9: ",
        "bad.toml:7:7: unknown solver \"psorr\"; did you mean \"psor\"?",
        "bad.toml:11:9: ",
        "bad.toml:12:9: ",
        "bad.toml:14:13: tolerance must be a finite number > 0",
        "bad.toml:15:1: unknown key \"max_sweep\"",
        "bad.toml:18:30: unknown x \"sweep\" in [[figure]]; did you mean \"sweeps\"? There are ",
        "bad.toml:18:39: unknown key \"logx\"",
        "10 errors in bad.toml",
    ]);
    // in the order of the file, each at its own place
    let lines = ran.stderr.lines().filter_map(|line| {
        let place = line
            .trim_start_matches("error: ")
            .strip_prefix("bad.toml:")?;
        place.split(':').next()?.parse::<u32>().ok()
    });
    let lines: Vec<u32> = lines.collect();
    assert_eq!(lines, [1, 2, 5, 7, 11, 12, 14, 15, 18, 18]);
}

#[test]
fn every_error_of_a_spec_of_scenes_is_shown_in_one_run() {
    let lab = Lab::new();
    lab.file(
        "bad.toml",
        "title = \"t\"\n[[scene]]\nuse = \"stak\"\n[[scene]]\nuse = \"stack\"\n[[scheme]]\n\
         use = \"soft-stpe\"\n[[scheme]]\nuse = \"tgs-soft\"\nsubsteps = 0\n[[solver]]\nuse = \"pgss\"\n\
         [simulate]\nseconds = -1\nevery = \"x\"\nobservables = [\"drift_mx\", \"falen\"]\n[replay]\nevery = 0\n\
         [[figure]]\nid = \"a\"\nplot = { trajectry = { y = \"fallen\" } }\n",
    );
    let ran = lab.run(&["run", "bad.toml", "--dry-run"]);
    ran.is_refused_with(&[
        "bad.toml:3:7: unknown scene \"stak\"",
        "bad.toml:7:7: unknown scheme \"soft-stpe\"; did you mean \"soft-step\"?",
        "bad.toml:10:12: ",
        "bad.toml:12:7: unknown solver \"pgss\"",
        "bad.toml:14:11: seconds must be a finite number > 0",
        "bad.toml:15:9: ",
        "bad.toml:16:16: unknown observable \"drift_mx\"",
        "bad.toml:16:28: unknown observable \"falen\"",
        "bad.toml:18:9: ",
        "bad.toml:21:10: unknown kind \"trajectry\"",
        "10 errors in bad.toml",
    ]);
}

#[test]
fn missing_files_and_misspelt_names_hide_nothing() {
    let lab = Lab::new();
    let scenes = "title = \"t\"\n[[scene]]\nfile = \"a.toml\"\n[[scene]]\nfile = \"b.toml\"\n\
                  [[scheme]]\nuse = \"soft-stp\"\n[simulate]\nseconds = 1.0\nobservables = [\"drift_max\"]\n";
    lab.file(
        "a.toml",
        "contacts = { law = \"dics\" }\n[[bodies]]\nname = \"a\"\nkind = \"dinamic\"\npositon = [0, 1, 0]\n\
         [[colliders]]\nbody = \"c\"\nshape = { sphere = { radius = 1.0 } }\n",
    );
    let faults = [
        "a.toml:1:20: \"dics\" is none of \"frictionless\", ",
        "a.toml:4:8: unknown kind \"dinamic\"; did you mean \"dynamic\"? There are ",
        "a.toml:5:1: unknown field \"positon\"; did you mean \"position\"?",
        "a.toml:7:8: no body is named \"c\"",
    ];
    lab.run(&["check", "a.toml"]).is_refused_with(&faults);
    lab.file("bad.toml", scenes);
    let ran = lab.run(&["run", "bad.toml", "--dry-run"]);
    ran.is_refused_with(&["bad.toml:3:8: ", "bad.toml:5:8: ", "bad.toml:7:7: "]);
    ran.is_refused_with(&faults);
    let problems = "title = \"t\"\n[[problem]]\nfiles = [\"nothere/*.dls\"]\n[[solver]]\nuse = \"pgs\"\n\
                    [stop]\nmetrics = [\"natural_map\"]\n[measure]\nmetrics = [\"natural_map\", \"velocity_error\"]\n\
                    [[figure]]\nid = \"f\"\nplot = { convergence = { x = \"sweeps\", y = \"siconos\" } }\n";
    let found = messages(&lab, problems);
    let expected = [
        "3:9: \"nothere",
        "9:27: velocity_error needs a reference",
        "12:44: ",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}, not {expected}");
    }
}

#[test]
fn what_an_error_hides_is_no_error_of_its_own() {
    let lab = Lab::new();
    // the figure names the label of a solver whose name is wrong, and what it would have measured
    lab.file(
        "bad.toml",
        "title = \"t\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"psorr\"\nlabel = \"SOR\"\n\
         [measure]\nmetrics = [\"natural_mpa\"]\n[[figure]]\nid = \"f\"\n\
         plot = { convergence = { x = \"sweeps\", y = \"natural_map\", solvers = [\"SOR\"] } }\n",
    );
    let ran = lab.run(&["run", "bad.toml", "--dry-run"]);
    ran.is_refused_with(&["bad.toml:5:7", "bad.toml:8:12", "2 errors in bad.toml"]);
}

/// Messages of a refused spec with their places, in order.
fn messages(lab: &Lab, spec: &str) -> Vec<String> {
    lab.file("bad.toml", spec);
    let ran = lab.run(&["run", "bad.toml", "--dry-run"]);
    ran.is_refused_with(&[]);
    let lines = ran.stderr.lines().filter_map(|line| {
        let line = line.trim_start_matches("error: ");
        line.strip_prefix("bad.toml:").map(str::to_owned)
    });
    lines.collect()
}

/// A valid head of a spec, of ten lines.
const HEAD: &str = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n[[solver]]\nuse = \"psor\"\n\
                    omega = [1.0, 1.3]\n[stop]\ntolerance = 1e-6\nmax_sweeps = 100\n";

#[test]
fn every_error_inside_a_figure_is_shown_at_once() {
    let lab = Lab::new();
    let figures = "[[figure]]\nid = \"a b\"\n\
         plot = { convergence = { x = \"sweep\", y = \"natural_mpa\", floor = -1.0, log = true } }\n\
         [[figure]]\nid = \"f\"\nplot = { heat = { x = \"m\", y = \"solver.omgea\", value = \"natural_mpa\" } }\n\
         [[figure]]\nid = \"f\"\nplot = { profile = { cost = 3, tolerances = \"x\", solvers = 7 } }\n\
         [[figure]]\nplot = { bars = { over = \"lst\" } }\n";
    let found = messages(&lab, &format!("{HEAD}{figures}"));
    let expected = [
        "12:6: id \"a b\" names a file",
        "13:30: unknown x \"sweep\" in [[figure]]; did you mean \"sweeps\"?",
        "13:43: unknown metric \"natural_mpa\"; did you mean \"natural_map\"? known: ",
        "13:58: unknown key \"floor\" in [[figure]]",
        "13:72: unknown key \"log\" in [[figure]]",
        "16:23: unknown parameter of the figure's problems \"m\"",
        "16:32: unknown parameter of the figure's solvers \"solver.omgea\"",
        "16:56: unknown metric \"natural_mpa\"",
        "18:6: id \"f\" is used twice",
        "19:29: cost in [[figure]] must be a name; there are sweeps, ",
        "19:45: tolerances in [[figure]] must be a list, not the text \"x\"",
        "19:60: solvers in [[figure]] must be a list, not 7",
        "20:1: id is missing in [[figure]]",
        "21:17: y is missing in [[figure]]",
        "21:26: unknown over \"lst\"",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}, not {expected}");
    }
}

#[test]
fn errors_of_solvers_and_of_figures_are_shown_together() {
    let lab = Lab::new();
    let head = HEAD.replace("omega = [1.0, 1.3]", "omega = [1.0, 3.0]\nsed = 3");
    let figures = "[[figure]]\nid = \"a\"\nplot = { convergence = { x = \"sweeps\", y = \"natural_mpa\" } }\n\
         [[figure]]\nid = \"b\"\nplot = { parameter = { x = \"solver.omgea\", y = \"natural_map\" } }\n\
         [[figure]]\nid = \"c\"\nplot = { parameter = { x = \"solver.omega\", y = \"natural_map\" } }\n";
    let found = messages(&lab, &format!("{head}{figures}"));
    let expected = [
        "7:15: omega = 3",
        "8:1: unknown key \"sed\"",
        "14:44: unknown metric \"natural_mpa\"",
        "17:28: unknown parameter of the figure's solvers \"solver.omgea\"",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}, not {expected}");
    }
}

#[test]
fn errors_that_show_when_schemes_are_built_are_shown_with_all_others() {
    let lab = Lab::new();
    // no scheme has a least penalty above the largest: one of these four does
    let spec = "title = \"t\"\n[[scene]]\nuse = \"pendulum\"\nlenght = 2\n[[scheme]]\nuse = \"avbd\"\n\
         penalty_min = [1.0, 50.0]\npenalty_max = [10.0, 100.0]\n[simulate]\nseconds = 1.0\n\
         observables = [\"drift_max\"]\n";
    let gate = "[[gate]]\nvalue = \"status\"\nequals = \"endde\"\n";
    let found = messages(&lab, &format!("{spec}{gate}"));
    let expected = [
        "4:1: unknown key \"lenght\" in [[scene]]",
        "8:16: scheme avbd: penalty_max = 10 is out of range",
        "14:10: unknown status \"endde\"",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}, not {expected}");
    }
}

#[test]
fn one_fault_of_a_gate_is_one_error() {
    let lab = Lab::new();
    for (gate, expected) in [
        (
            "value = \"status\"\nat_most = 3",
            &["13:1: status has no order"][..],
        ),
        (
            "value = \"status\"\nequals = \"solvd\"",
            &["13:10: unknown status \"solvd\""],
        ),
        (
            "value = \"status\"\nequals = 3",
            &["13:1: status is a text"],
        ),
        ("value = \"status\"", &["12:1: a gate needs equals"]),
        (
            "value = \"sweps\"\nequals = 3",
            &["12:9: unknown value \"sweps\""],
        ),
        (
            "value = \"seconds\"\nat_most = 3",
            &["12:9: seconds depend on the machine"],
        ),
        (
            "value = \"sweeps\"\nat_most = \"x\"",
            &["13:11: at_most in [[gate]] must be a number, not the text "],
        ),
        (
            "value = \"sweeps\"\nequals = \"x\"",
            &["13:10: sweeps is a count"],
        ),
        (
            "value = \"sweeps\"\nequals = 3\nat_mst = 3",
            &["14:1: unknown key \"at_mst\""],
        ),
        ("equals = 3", &["11:1: value is missing in [[gate]]"]),
        // not "a gate needs equals" as well
        (
            "value = \"status\"\nequal = \"solved\"",
            &["13:1: unknown key \"equal\" in [[gate]]; did you mean \"equals\"?"],
        ),
        // two faults are two
        (
            "value = \"sweeps\"\nequals = \"x\"\nstatus = \"solved\"",
            &[
                "13:10: sweeps is a count",
                "14:1: status goes with value = \"cells\"",
            ],
        ),
    ] {
        let found = messages(&lab, &format!("{HEAD}[[gate]]\n{gate}\n"));
        assert_eq!(found.len(), expected.len(), "{gate}: {found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}, not {expected}");
        }
    }
}

#[test]
fn a_folder_of_results_names_the_results_in_it() {
    let lab = Lab::new();
    for name in ["b", "a"] {
        lab.file(&format!("results/{name}/experiment.json"), "{}");
    }
    lab.file("results/other/notes.txt", "");
    for verb in ["verify", "fsck", "compare", "bundle"] {
        lab.run(&[verb, "results"])
            .is_refused_with(&["results/a, results/b; name one of them"]);
    }
}

/// A file, or a word, with an escape: the message has it once, and no terminal obeys it.
#[test]
#[cfg(unix)]
fn an_escape_is_shown_once() {
    let lab = Lab::new();
    lab.file("re\u{1b}d.dat", LCP);
    for words in [
        &["solve", "red.dat", "--solver", "pgs"][..],
        &["show", "red.dat"],
    ] {
        let ran = lab.run(words);
        assert_eq!(ran.code, 2, "{words:?}: {}", ran.stderr);
        let expected = "did you mean \"re\\u{1b}d.dat\"?";
        assert!(ran.stderr.contains(expected), "{words:?}: {}", ran.stderr);
    }
    lab.run(&["explain", "pgs\u{1b}x"])
        .is_refused_with(&["\"pgs\\u{1b}x\" is no status"]);
    lab.run(&["man", "ru\u{1b}n"])
        .is_refused_with(&["\"ru\\u{1b}n\""]);
}

#[test]
fn a_length_that_no_motion_has_names_the_option() {
    let lab = Lab::new();
    for seconds in ["1e300", "1e-10"] {
        let ran = lab.run(&["play", "pendulum", "--seconds", seconds, "--out", "p"]);
        ran.is_refused_with(&["--seconds", "1 to 1e6 frames"]);
        assert!(!ran.stderr.contains("play.toml") && !lab.path("p").exists());
    }
}
