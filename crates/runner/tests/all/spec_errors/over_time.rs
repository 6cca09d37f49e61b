//! The same for specs over time.

use std::fs;

use delassus_registry::Registry;
use delassus_runner::matrix::{self, Experiment};
use delassus_runner::spec;

use super::{refusal, spoiled};

/// A valid spec of two cells over time, to be spoiled one line at a time.
const OVER_TIME: &str = r#"title = "T"
[[scene]]
use = "heavy-tip-chain"
mass_ratio = [1, 10]
[[scheme]]
use = "soft-step"
substeps = 2
solvers = ["pgs"]
[[solver]]
use = "pgs"
[simulate]
dt = 0.02
seconds = 1.0
dt_changes = [{ at = 0.5, factor = 0.5 }]
every = 2
observables = ["drift_max"]
[[figure]]
id = "f"
plot = { parameter = { x = "mass_ratio", y = "drift_max", over = "max" } }
[[table]]
id = "t"
show = { trajectories = { quantity = "drift_max" } }
"#;

/// The first line of the refusal after one line of [`OVER_TIME`] was replaced.
fn over_time(line: &str, by: &str) -> String {
    let (from, to) = (format!("{line}\n"), format!("{by}\n"));
    assert_eq!(OVER_TIME.matches(&from).count(), 1, "{line}");
    let refusal = refusal(&OVER_TIME.replacen(&from, &to, 1));
    refusal.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn the_spec_over_time_that_is_spoiled_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my-experiment.toml");
    fs::write(&path, OVER_TIME).unwrap();
    let registry = Registry::standard();
    let matrix = spec::read(&path, &registry).and_then(|s| matrix::expand(s, &registry));
    let matrix = matrix.unwrap_or_else(|error| panic!("{error}"));
    let Experiment::Simulate(over) = &matrix.experiment else {
        panic!("a spec of scenes");
    };
    let expected = [
        "heavy-tip-chain mass_ratio=1",
        "heavy-tip-chain mass_ratio=10",
    ];
    assert_eq!(matrix.experiment.names(), expected);
    // one solver for all: methods need not name it
    assert_eq!(matrix.method(&matrix.cells[0]), "soft-step substeps=2");
    let legs: Vec<(f64, u32)> = over.schemes[0]
        .legs
        .iter()
        .map(|l| (l.dt, l.frames))
        .collect();
    assert_eq!(legs, [(0.02, 25), (0.01, 50)]);
}

#[test]
fn the_reference_of_departures_is_a_method_of_the_spec() {
    let table = |from: &str| {
        let show = "show = { trajectories = { quantity = \"drift_max\" } }";
        let by = format!(
            "show = {{ departures = {{ observables = [\"drift_max\"], from = \"{from}\" }} }}"
        );
        over_time(show, &by)
    };
    assert_eq!(
        table("soft-step"),
        "experiment.toml:22:61: no method is named \"soft-step\"; did you mean \"soft-step substeps=2\"? There are \
         soft-step substeps=2"
    );
    let all = "; there are soft-step substeps=2";
    assert!(table("xyz").ends_with(all));
}

#[test]
fn metrics_and_observables_are_told_apart() {
    let figure = "plot = { parameter = { x = \"mass_ratio\", y = \"drift_max\", over = \"max\" } }";
    assert_eq!(
        over_time(
            "observables = [\"drift_max\"]",
            "observables = [\"natural_map_disc\"]"
        ),
        "experiment.toml:16:16: unknown observable \"natural_map_disc\": it is a metric, measured of [[problem]]; \
         `delassus list observables` has their names"
    );
    assert!(
        over_time(figure, &figure.replace("drift_max", "natural_map_disc"))
            .ends_with("\"natural_map_disc\": it is a metric, measured of [[problem]]")
    );
    let metrics = "metrics = [\"natural_map\"]";
    let refused = spoiled(metrics, "metrics = [\"penetration_max\"]");
    let says = "unknown metric \"penetration_max\": it is an observable, measured of [[scene]]; `delassus list metrics`";
    assert!(refused.contains(says), "{refused}");
}

#[test]
fn unknown_names_over_time() {
    let scene = over_time("use = \"heavy-tip-chain\"", "use = \"heavy-tip-chian\"");
    let expected =
        "experiment.toml:3:7: unknown scene \"heavy-tip-chian\"; did you mean \"heavy-tip-chain\"?";
    assert_eq!(scene, expected);
    assert_eq!(
        over_time("mass_ratio = [1, 10]", "mass_ration = 1"),
        "experiment.toml:4:1: unknown key \"mass_ration\" in [[scene]]; did you mean \"mass_ratio\"?"
    );
    assert_eq!(
        over_time("use = \"soft-step\"", "use = \"soft-stepp\""),
        "experiment.toml:6:7: unknown scheme \"soft-stepp\"; did you mean \"soft-step\"?"
    );
    assert_eq!(
        over_time("substeps = 2", "substep = 2"),
        "experiment.toml:7:1: unknown key \"substep\" in [[scheme]]; did you mean \"substeps\"?"
    );
    assert_eq!(
        over_time("solvers = [\"pgs\"]", "solvers = [\"pgss\"]"),
        "experiment.toml:8:12: no solver is named \"pgss\"; did you mean \"pgs\"?"
    );
    assert_eq!(
        over_time(
            "substeps = 2",
            "scenes = [\"heavy-tip-chain mass_ratio=1\", \"heavy-tip-chian\"]"
        ),
        "experiment.toml:7:43: no scene is named \"heavy-tip-chian\"; did you mean \"heavy-tip-chain mass_ratio=1\"? \
         There are heavy-tip-chain mass_ratio=1, heavy-tip-chain mass_ratio=10"
    );
    assert_eq!(
        over_time(
            "observables = [\"drift_max\"]",
            "observables = [\"drift_mxa\"]"
        ),
        "experiment.toml:16:16: unknown observable \"drift_mxa\"; did you mean \"drift_max\"? \
         `delassus list observables` has their names"
    );
    assert_eq!(
        over_time("every = 2", "evry = 2"),
        "experiment.toml:15:1: unknown key \"evry\" in [simulate]; did you mean \"every\"?"
    );
    let figure = "plot = { parameter = { x = \"mass_ratio\", y = \"drift_max\", over = \"max\" } }";
    let trajectory = |settings: &str| format!("plot = {{ trajectory = {{ {settings} }} }}");
    assert_eq!(
        over_time(figure, &trajectory("y = \"energy\"")),
        "experiment.toml:19:29: energy is not measured; write observables = [\"drift_max\", \"energy\"] in [simulate]"
    );
    assert_eq!(
        over_time(
            figure,
            &trajectory("y = \"drift_max\", scenes = [\"chain\"]")
        ),
        "experiment.toml:19:52: no scene is named \"chain\"; there are heavy-tip-chain mass_ratio=1, \
         heavy-tip-chain mass_ratio=10"
    );
    assert_eq!(
        over_time(
            figure,
            &trajectory("y = \"drift_max\", schemes = [\"soft-stp\"]")
        ),
        "experiment.toml:19:53: no scheme is named \"soft-stp\"; did you mean \"soft-step substeps=2\"? There are \
         soft-step substeps=2"
    );
    let parameter = |x: &str| figure.replace("\"mass_ratio\"", &format!("\"{x}\""));
    assert_eq!(
        over_time(figure, &parameter("mass_rtio")),
        "experiment.toml:19:28: unknown parameter that the spec sets \"mass_rtio\"; did you mean \"mass_ratio\"?"
    );
    // a parameter may be called by its part
    let both = OVER_TIME.replace(figure, &parameter("scheme.substeps"));
    assert!(both.contains("scheme.substeps"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiment.toml");
    fs::write(&path, both).unwrap();
    assert!(spec::read(&path, &Registry::standard()).is_ok());
}

#[test]
fn impossible_values_over_time() {
    for (line, by, expected) in [
        (
            "dt = 0.02",
            "dt = 0.0",
            "12:6: dt must be a finite number > 0, found 0.0",
        ),
        (
            "dt = 0.02",
            "dt = 1e300",
            "12:6: dt must be a number from 1e-12 to 1e6, found 1e300",
        ),
        (
            "seconds = 1.0",
            "seconds = 1e13",
            "13:11: seconds must be a number from 1e-12 to 1e12, found 1e13",
        ),
        (
            "factor = 0.5 }]",
            "factor = 1e7 }]",
            "14:36: factor must be a number from 1e-6 to 1e6, found 1e7",
        ),
        (
            "substeps = 2",
            "dt = [0.01, 1e7]",
            "7:13: a frame of 1e7 s: dt, times each factor of dt_changes, must lie from 1e-12 to 1e6 s",
        ),
        (
            "seconds = 1.0",
            "seconds = nan",
            "13:11: seconds must be a finite number > 0, found nan",
        ),
        (
            "seconds = 1.0",
            "",
            "11:1: [simulate] needs seconds = …, the time that a run covers",
        ),
        (
            "dt_changes = [{ at = 0.5, factor = 0.5 }]",
            "dt_changes = [{ at = 0.5, factor = 0.5 }, { at = 0.5, factor = 2.0 }]",
            "14:43: at = 0.5 must be after 0.5 s and before the end at 1 s",
        ),
        (
            "dt_changes = [{ at = 0.5, factor = 0.5 }]",
            "dt_changes = [{ at = 0.5 }]",
            "14:15: a change of dt needs at = … [s] and factor = …",
        ),
        (
            "every = 2",
            "every = 0",
            "15:9: every must be a whole number from 1 to 1000000, found 0",
        ),
        (
            "substeps = 2",
            "substeps = [2, 0]",
            "7:16: scheme soft-step: substeps = 0 is out of range: it must lie in [1, 1000000]",
        ),
        (
            "substeps = 2",
            "dt = [0.01, -1.0]",
            "7:13: dt must be a finite number > 0, found -1.0",
        ),
        (
            "substeps = 2",
            "dt = 5",
            "7:6: 1.0 s are less than one frame of 5.0 s",
        ),
        (
            "substeps = 2",
            "seconds = 3.0",
            "7:11: dt_changes hold for all schemes: leave out seconds",
        ),
        (
            "substeps = 2",
            "every = 0",
            "7:9: every must be a whole number from 1 to 1000000, found 0",
        ),
        (
            "mass_ratio = [1, 10]",
            "mass_ratio = [1, -10]",
            "4:18: scene heavy-tip-chain: ",
        ),
        (
            "use = \"soft-step\"",
            "use = \"xpbd\"",
            "8:12: xpbd solves by itself: name no solvers",
        ),
        (
            "[[solver]]\nuse = \"pgs\"",
            "",
            "5:1: soft-step needs a solver: add [[solver]]",
        ),
    ] {
        let refusal = over_time(line, by);
        let found = refusal.strip_prefix("experiment.toml:").unwrap_or(&refusal);
        assert!(found.starts_with(expected), "{by}: {found}");
    }
    let endless = OVER_TIME.replace("seconds = 1.0", "seconds = 1e9");
    let refused = refusal(&endless);
    let expected = "experiment.toml:5:1: 1000000000.0 s are 1.0e11 frames of 0.02 s with a sample every 2; at most 1e8 frames";
    assert!(refused.starts_with(expected), "{refused}");
}

#[test]
fn one_run_names_errors_of_scenes_schemes_solvers_and_settings() {
    let wrong = OVER_TIME
        .replacen("heavy-tip-chain", "heavy-tip-chian", 1)
        .replacen("use = \"soft-step\"", "use = \"soft-stp\"", 1)
        .replacen("use = \"pgs\"", "use = \"psg\"", 1)
        .replacen(
            "observables = [\"drift_max\"]",
            "observables = [\"drft_max\"]",
            1,
        );
    let refused = refusal(&wrong);
    for part in [
        ":3:7: unknown scene \"heavy-tip-chian\"",
        ":6:7: unknown scheme \"soft-stp\"",
        ":10:7: unknown solver \"psg\"",
        ":16:16: unknown observable \"drft_max\"",
        "4 errors in",
    ] {
        assert!(refused.contains(part), "no {part:?} in {refused}");
    }
}

#[test]
fn problems_and_scenes_do_not_mix() {
    assert_eq!(
        over_time(
            "title = \"T\"",
            "title = \"T\"\n[[problem]]\nuse = \"chain\""
        ),
        "experiment.toml:4:3: scene goes with [[scene]], but this spec has [[problem]]; write two specs"
    );
    // what follows in [simulate] is lost to [stop] and missing, so there are other errors before
    let refused =
        refusal(&OVER_TIME.replace("every = 2\n", "every = 2\n[stop]\ntolerance = 1e-6\n"));
    let expected = "experiment.toml:16:2: stop goes with [[problem]], but this spec has [[scene]]; write two specs";
    assert!(refused.contains(expected), "{refused}");
    let figure = "plot = { parameter = { x = \"mass_ratio\", y = \"drift_max\", over = \"max\" } }";
    assert_eq!(
        over_time(
            figure,
            "plot = { convergence = { x = \"sweeps\", y = \"drift_max\" } }"
        ),
        "experiment.toml:19:10: convergence goes with [[problem]], but this spec has [[scene]]"
    );
    assert_eq!(
        spoiled(
            "plot = { convergence = { x = \"sweeps\" } }",
            "plot = { trajectory = { y = \"natural_map\" } }"
        )
        .lines()
        .next()
        .unwrap_or_default(),
        "experiment.toml:16:10: trajectory goes with [[scene]], but this spec has [[problem]]"
    );
    assert_eq!(
        spoiled(
            "show = { cells = { metrics = [\"natural_map\"] } }",
            "show = { cells = { metrics = [\"natural_map\"], over = \"rms\" } }"
        )
        .lines()
        .next()
        .unwrap_or_default(),
        "experiment.toml:19:47: over goes with [[scene]]: of a solve, the last value counts"
    );
}

#[test]
fn thresholds_that_cannot_be_meant() {
    let with = |threshold: &str| {
        let line = format!("mass_ratio = [1, 10]\nthreshold = {{ {threshold} }}");
        over_time("mass_ratio = [1, 10]", &line)
    };
    let rest = "between = [0.1, 1.0], tolerance = 0.1, observable = \"drift_max\", limit = 1.0";
    for (threshold, expected) in [
        (rest.to_owned(), "threshold needs parameter"),
        (
            format!("parameter = \"anglee\", {rest}"),
            "did you mean \"angle\"?",
        ),
        (
            format!("parameter = \"mass_ratio\", {rest}"),
            "leave its value out",
        ),
        (
            format!("parameter = \"angle\", until = 1, {rest}"),
            "unknown key \"until\"",
        ),
        (
            format!(
                "parameter = \"angle\", {}",
                rest.replace("[0.1, 1.0]", "[1.0, 0.1]")
            ),
            "two numbers in order",
        ),
        (
            format!(
                "parameter = \"angle\", {}",
                rest.replace("[0.1, 1.0]", "[0.1]")
            ),
            "two numbers in order",
        ),
        (
            format!(
                "parameter = \"angle\", {}",
                rest.replace("= 0.1,", "= 0.0,")
            ),
            "tolerance must be",
        ),
        (
            format!(
                "parameter = \"angle\", {}",
                rest.replace("= 0.1,", "= 1e-30,")
            ),
            "less than rounding",
        ),
        (
            format!("parameter = \"angle\", {}", rest.replace("= 1.0", "= nan")),
            "limit must be",
        ),
        (
            format!(
                "parameter = \"angle\", {}",
                rest.replace("drift_max", "drift_rms")
            ),
            "\"drift_rms\" is not measured; did you mean \"drift_max\"?",
        ),
        (
            format!(
                "parameter = \"link_length\", {}",
                rest.replace("[0.1", "[-0.1")
            ),
            "unknown",
        ),
    ] {
        let message = with(&threshold);
        assert!(message.contains(expected), "{threshold}: {message}");
    }
}

#[test]
fn expected_thresholds_are_of_scenes_that_there_are() {
    let table = "show = { trajectories = { quantity = \"drift_max\" } }";
    let expected =
        |name: &str| format!("show = {{ thresholds = {{ expected = {{ \"{name}\" = 0.5 }} }} }}");
    let message = over_time(table, &expected("heavy-tip-chain mass_ratio=11"));
    assert!(message.contains("no scene is named"), "{message}");
    let message = over_time(
        table,
        &expected("heavy-tip-chain mass_ratio=1").replace("0.5", "inf"),
    );
    assert!(message.contains("no finite number"), "{message}");
}

#[test]
fn budgets_that_cannot_be_meant() {
    let with = |budget: &str| over_time("every = 2", &format!("budget = {budget}"));
    // the substeps of the base are fixed
    let fixed = with("\"2 ms\"");
    let expected =
        "experiment.toml:7:12: the budget of [simulate] chooses substeps; leave their value out";
    assert_eq!(fixed, expected);
    for (budget, expected) in [
        ("5000", "15:10: budget must be a time as in \"2 ms\""),
        ("\"2\"", "15:10: budget = \"2\" is no time with a unit"),
        ("\"0 ms\"", "15:10: budget = \"0 ms\" is out of range"),
        (
            "{ row_updates = 0 }",
            "15:26: row_updates must be a whole number from 1 to",
        ),
        ("{ rows = 1 }", "15:12: unknown key \"rows\" in budget"),
        ("{ }", "15:10: budget needs row_updates"),
    ] {
        let found = with(budget);
        let found = found.strip_prefix("experiment.toml:").unwrap_or(&found);
        assert!(found.starts_with(expected), "{budget}: {found}");
    }
    let free = OVER_TIME
        .replace("substeps = 2\n", "")
        .replace("every = 2", "budget = \"2 ms\"");
    let threshold = "threshold = { parameter = \"angle\", between = [0.1, 1.0], tolerance = 0.1, observable = \"drift_max\", limit = 1.0 }";
    let refused = refusal(&free.replace("mass_ratio = [1, 10]", threshold));
    assert!(refused.contains("a threshold takes many runs"), "{refused}");
    let refused = refusal(&free.replace("use = \"soft-step\"", "use = \"peridyno-2021\""));
    assert!(
        refused.contains("peridyno-2021 has no substeps"),
        "{refused}"
    );
    let table = "show = { trajectories = { quantity = \"drift_max\" } }";
    let refused = over_time(
        table,
        "show = { equal-budget = { quantity = \"drift_max\" } }",
    );
    assert!(
        refused.contains("equal-budget needs a budget in [simulate]"),
        "{refused}"
    );
}
