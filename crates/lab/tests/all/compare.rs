//! `compare`: two solvers of a run, or two runs.

use std::fs;

use serde_json::Value;

use crate::support::Lab;

/// Six problems, as many as an interval of 95 % takes; on all of them over-relaxation needs fewer
/// sweeps.
const SPEC: &str = r#"
title = "Chains"
[[problem]]
use = "chain"
n = [4, 5, 6, 7, 8, 9]
[[solver]]
use = "pgs"
[[solver]]
use = "psor"
omega = 1.3
label = "SOR"
[stop]
tolerance = 1e-10
[measure]
repetitions = 6
"#;

/// A laboratory with the results of [`SPEC`] in `before`.
fn lab() -> Lab {
    let lab = Lab::new();
    run(&lab, SPEC, "before");
    lab
}

fn run(lab: &Lab, spec: &str, folder: &str) {
    let file = format!("{folder}.toml");
    lab.file(&file, spec);
    let ran = lab.run(&["run", &file, "--out", folder, "--quiet", "--no-isolate"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// The row updates of a solver by problem, as the run has them.
fn updates(lab: &Lab, solver: &str) -> Vec<(String, f64)> {
    let bytes = fs::read(lab.path("before/summary.csv")).expect("a summary");
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let (problem, label, count) = (at("problem"), at("solver"), at("row_updates"));
    let rows = reader.records().map(|row| row.expect("a row"));
    let rows = rows.filter(|row| &row[label] == solver);
    rows.map(|row| {
        (
            row[problem].to_owned(),
            row[count].parse().expect("a count"),
        )
    })
    .collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn two_solvers_of_a_run_in_a_sentence_a_table_and_a_figure() {
    let lab = lab();
    let words = ["compare", "before", "--solvers", "SOR", "pgs"];
    let ran = lab.run(&[&words[..], &["--out", "figures"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let sentence = ran.stdout.lines().next().expect("a sentence");
    assert!(
        sentence.starts_with("SOR reached natural_map ≤ 10⁻¹⁰ in ")
            && sentence.contains("× fewer row updates than pgs (pgs / SOR: median ")
            && sentence.contains(", 95 % interval ")
            // of six problems all on one side: 2 of 2⁶
            && sentence.contains("; 6 problems; p = 0.031)"),
        "{sentence}"
    );
    let rows = ran.stdout.lines().filter(|line| line.ends_with(" SOR"));
    assert_eq!(rows.count(), 6, "{}", ran.stdout);
    for file in ["comparison.svg", "comparison.csv", "problems.csv"] {
        let text = fs::read_to_string(lab.path("figures").join(file)).expect(file);
        assert!(text.contains("SOR"), "{file}: {text}");
    }
    // the other way round the same is said
    let turned = lab.run(&["compare", "before", "--solvers", "pgs", "SOR"]);
    assert_eq!(turned.stdout.lines().next(), Some(sentence));
}

#[test]
fn objects_have_the_counts_of_the_records() {
    let lab = lab();
    let ran = lab.run(&["compare", "before", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let objects = ran.objects();
    let [only] = objects.as_slice() else {
        panic!("one pair of two solvers: {}", ran.stdout);
    };
    assert_eq!(only["schema"], "compare/1");
    assert_eq!((&only["a"], &only["b"]), (&"pgs".into(), &"SOR".into()));
    assert_eq!((&only["wins"], &only["losses"]), (&0.into(), &6.into()));
    assert_eq!(number(&only["noise_floor"]), 0.0);
    let problems = only["problems"].as_array().expect("problems");
    let both = updates(&lab, "pgs").into_iter().zip(updates(&lab, "SOR"));
    let mut ratios = Vec::new();
    for (object, ((problem, a), (_, b))) in problems.iter().zip(both) {
        assert_eq!(object["problem"], problem.as_str());
        assert_eq!((number(&object["a"]), number(&object["b"])), (a, b));
        ratios.push(b / a);
    }
    ratios.sort_by(f64::total_cmp);
    assert_eq!(ratios.len(), 6);
    let median = (ratios[2] * ratios[3]).sqrt();
    assert!((number(&only["ratio"]) - median).abs() < 1e-12, "{only}");
    let turned = lab.run(&["compare", "before", "--solvers", "SOR", "pgs", "--json"]);
    let back = number(&turned.objects()[0]["ratio"]);
    assert!((median * back - 1.0).abs() < 1e-12, "{median} and {back}");
    // of six samples the interval of 95 % is all but their range
    let [low, high] = ["low", "high"].map(|end| number(&only["interval"][end]));
    assert!(ratios[0] <= low && low < median && median < high && high <= ratios[5]);
    // p = 2/2⁶; of one comparison Holm's correction is none
    assert_eq!(number(&only["p"]), 0.03125);
    assert_eq!(only["p_holm"], only["p"]);
    // passes took turns: each problem has an interval, and the machine a floor
    let timed = lab.run(&["compare", "before", "--cost", "seconds", "--json"]);
    let timed = &timed.objects()[0];
    assert!(number(&timed["noise_floor"]) >= 0.01, "{timed}");
    assert!(timed["problems"][0]["interval"]["coverage"].is_f64());
    // both columns of times have one unit
    let table = lab.run(&["compare", "before", "--cost", "seconds"]).stdout;
    let head = table.lines().find(|line| line.contains("time ["));
    let head = head.expect("a header");
    let units: Vec<&str> = head
        .split("time [")
        .skip(1)
        .filter_map(|rest| rest.split(']').next())
        .collect();
    assert!(units.len() == 2 && units[0] == units[1], "{head}");
    assert!(
        head.contains("95 % interval of SOR / pgs")
            || head.contains("interval of SOR / pgs (level)"),
        "{head}"
    );
    // and the work behind the seconds stands next to them
    let behind = ["row_updates_a", "row_updates_b"].map(|key| &timed["problems"][0][key]);
    assert_eq!(behind, [&problems[0]["a"], &problems[0]["b"]]);
    let table = lab.run(&["compare", "before", "--cost", "seconds"]);
    assert!(
        table.stdout.contains("SOR: row updates"),
        "{}",
        table.stdout
    );
}

#[test]
fn two_runs_are_compared_solver_by_solver() {
    let lab = lab();
    let after = SPEC
        .replace(
            "use = \"pgs\"",
            "use = \"psor\"\nomega = 1.3\nlabel = \"pgs\"",
        )
        .replace("n = [4, 5, 6, 7, 8, 9]", "n = [4, 5, 6, 7, 8, 9, 10]");
    run(&lab, &after, "after");
    let objects = lab.run(&["compare", "before", "after", "--json"]).objects();
    let names: Vec<&str> = objects.iter().filter_map(|o| o["a"].as_str()).collect();
    assert_eq!(names, ["pgs of before", "SOR of before"]);
    // ten links were solved in one of them alone
    assert_eq!(objects[0]["losses"], 6, "{}", objects[0]);
    assert_eq!(objects[0]["problems"].as_array().map(Vec::len), Some(6));
    // a label that stayed what it was
    let sor = &objects[1];
    assert_eq!((number(&sor["ratio"]), &sor["ties"]), (1.0, &6.into()));
    assert_eq!((number(&sor["p"]), number(&sor["p_holm"])), (1.0, 1.0));
    let said = sor["sentence"].as_str().expect("a sentence");
    let same =
        "No difference between SOR of before and SOR of after in row updates on 6 of 6 problems";
    let end = "takes 7 problems for all pairs together: 1 more is needed.";
    assert!(said.starts_with(same) && said.ends_with(end), "{said}");
    // one of each
    let mixed = [
        "compare",
        "before",
        "after",
        "--solvers",
        "SOR",
        "pgs",
        "--json",
    ];
    let mixed = &lab.run(&mixed).objects()[0];
    assert_eq!(
        (&mixed["ties"], &mixed["b"]),
        (&6.into(), &"pgs of after".into())
    );
}

#[test]
fn what_does_not_compare_is_refused() {
    let lab = lab();
    let other = SPEC.replace("n = [4, 5, 6, 7, 8, 9]", "n = 11");
    run(&lab, &other, "other");
    let strangers = SPEC
        .replace("use = \"pgs\"", "use = \"pgs\"\nlabel = \"GS\"")
        .replace("\"SOR\"", "\"relaxed\"");
    run(&lab, &strangers, "strangers");
    let lonely = SPEC.replace(
        "[[solver]]\nuse = \"psor\"\nomega = 1.3\nlabel = \"SOR\"\n",
        "",
    );
    run(&lab, &lonely, "lonely");
    for (words, parts) in [
        (&["compare", "nowhere"][..], &["results folder"][..]),
        (
            &["compare", "before", "--solvers", "pgs", "SORR"],
            &["no cell of a solver \"SORR\"", "did you mean \"SOR\"?"],
        ),
        (
            &["compare", "before", "--solvers", "pgs", "xyz"],
            &["there are pgs, SOR"],
        ),
        (&["compare", "before", "--solvers", "pgs"], &["--solvers"]),
        (
            &["compare", "before", "--solvers", "pgs", "pgs"],
            &["\"pgs\" is named twice", "two different solvers"],
        ),
        (
            &["compare", "before", "./before"],
            &["./before is named twice", "two runs"],
        ),
        (
            &["compare", "lonely"],
            &["the only solver with results is pgs", "second run"],
        ),
        (
            &["compare", "before", "--metric", "siconoss"],
            &[
                "no cell of pgs measured siconoss",
                "did you mean \"siconos\"?",
            ],
        ),
        (
            &["compare", "before", "--metric", "seconds"],
            &["seconds is a cost, not a metric; compare --cost seconds"],
        ),
        (
            &["compare", "before", "--metric", "velocity_error"],
            &["[measure]", "natural_map, siconos"],
        ),
        (
            &["compare", "before", "--cost", "second"],
            &["'second'", "'seconds'"],
        ),
        (
            &["compare", "before", "--tolerance", "0"],
            &["--tolerance 0", "above zero"],
        ),
        (
            &["compare", "before", "other"],
            &["pgs of before and pgs of other have no problem in common"],
        ),
        (
            &["compare", "before", "strangers"],
            &["nothing to compare", "GS, relaxed", "--solvers A B"],
        ),
    ] {
        lab.run(words).is_refused_with(parts);
    }
}

#[test]
fn few_problems_are_reported_one_by_one() {
    let lab = Lab::new();
    run(
        &lab,
        &SPEC.replace("[4, 5, 6, 7, 8, 9]", "[4, 5, 6]"),
        "few",
    );
    let ran = lab.run(&["compare", "few"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = ran.stdout.lines().next().expect("a sentence");
    let start = "SOR needs fewer row updates to natural_map ≤ 10⁻¹⁰ than pgs on 3 of 3 problems (pgs / SOR): ";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(said.matches("×").count(), 3, "{said}");
    let end = "A general statement about pgs and SOR takes 6 problems: 3 more are needed.";
    assert!(said.ends_with(end), "{said}");
    assert!(
        !ran.stdout.contains("No difference shown"),
        "{}",
        ran.stdout
    );
    // of several pairs the intervals say how often they hold
    run(
        &lab,
        &format!(
            "{}\n[[solver]]\nuse = \"nncg\"\n",
            SPEC.replace("[4, 5, 6, 7, 8, 9]", "[4, 5, 6]")
        ),
        "three",
    );
    let ran = lab.run(&["compare", "three"]);
    assert!(
        ran.stdout.contains("interval of b / a (level)"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("(75 %)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("too few problems"), "{}", ran.stdout);
}

#[test]
fn runs_over_time_and_timed_sweeps_have_no_residual_to_reach() {
    let lab = Lab::new();
    let spec = "title = \"Pendulum\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"xpbd\"\n[[scheme]]\nuse = \"avbd\"\n\
                [simulate]\nseconds = 0.1\nobservables = [\"drift_max\"]\n";
    run(&lab, spec, "time");
    for (words, parts) in [
        (["--metric", "drift_max"], ["--metric", "runs over time"]),
        (["--tolerance", "1e-3"], ["--tolerance", "work-precision"]),
    ] {
        lab.run(&[&["compare", "time"], &words[..]].concat())
            .is_refused_with(&parts);
    }
    let ran = lab.run(&["compare", "time"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("5 more are needed"), "{}", ran.stdout);
}

#[test]
fn what_nobody_reaches_is_no_difference() {
    let lab = lab();
    let ran = lab.run(&["compare", "before", "--tolerance", "1e-30"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with(
            "No difference: neither pgs nor SOR reached natural_map ≤ 10⁻³⁰ on any problem"
        ),
        "{}",
        ran.stdout
    );
    let untried = "so 1e-30 was not tried: write tolerance = 1e-30";
    assert!(ran.stdout.contains(untried), "{}", ran.stdout);
    let ran = lab.run(&["compare", "before"]);
    assert!(!ran.stdout.contains("not tried"), "{}", ran.stdout);
}
