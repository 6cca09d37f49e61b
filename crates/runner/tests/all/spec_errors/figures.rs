//! Mistakes in the figures of a spec.

use std::fs;
use std::path::Path;

use delassus_registry::Registry;
use delassus_runner::{matrix, spec};

use super::{VALID, refusal, spoiled};

#[test]
fn a_parameter_of_solvers_is_an_axis_of_problems_too() {
    let plot = |x: &str| format!("plot = {{ parameter = {{ x = \"{x}\", y = \"natural_map\" }} }}");
    let spec = |x: &str| VALID.replace("plot = { convergence = { x = \"sweeps\" } }", &plot(x));
    let first = |x: &str| {
        refusal(&spec(x))
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        first("solver.omga"),
        "experiment.toml:16:28: unknown parameter of the figure's solvers \"solver.omga\"; did you mean \
         \"solver.omega\"?"
    );
    assert_eq!(
        first("sovler.omega"),
        "experiment.toml:16:28: unknown parameter of the figure's problems \"sovler.omega\"; did you mean \
         \"solver.omega\"?"
    );
    assert_eq!(
        first("omega"),
        "experiment.toml:16:28: \"omega\" is a parameter of solvers; write \"solver.omega\""
    );
    let chosen = plot("solver.omega").replace("x =", "solvers = [\"pgs\"], x =");
    let other = spec("solver.omega").replace(&plot("solver.omega"), &chosen);
    let other = other.replacen("[[solver]]", "[[solver]]\nuse = \"pgs\"\n[[solver]]", 1);
    let refused = refusal(&other);
    assert!(
        refused.contains("\"solver.omega\"; there is none"),
        "{refused}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiment.toml");
    fs::write(&path, spec("solver.omega")).unwrap();
    assert!(spec::read(&path, &Registry::standard()).is_ok());
}

#[test]
fn names_of_kinds_are_listed_once() {
    let plot = "plot = { convergence = { x = \"sweeps\" } }";
    let twice = "plot = \"profil\"\n[[figure]]\nid = \"g\"\nplot = \"convergenc\"\n[[figure]]\nid = \"h\"\nplot = \"machine\"";
    let refused = refusal(&VALID.replace(plot, twice));
    assert_eq!(refused.matches("work-precision").count(), 1, "{refused}");
    for says in [
        "unknown plot \"profil\" in [[figure]]; did you mean \"profile\"? There are convergence",
        "unknown plot \"convergenc\" in [[figure]]; did you mean \"convergence\"?\n",
        "unknown plot \"machine\" in [[figure]]; [[table]] has show = { machine = { … } }",
    ] {
        assert!(refused.contains(says), "{says}: {refused}");
    }
}

/// The kinds of views are tables with one key; what else there is is refused in these words.
#[test]
fn a_kind_that_is_none_is_refused_in_the_words_of_a_spec() {
    const PLOT: &str = "plot = { convergence = { x = \"sweeps\" } }";
    const SHOW: &str = "show = { cells = { metrics = [\"natural_map\"] } }";
    for (line, by, says) in [
        (
            SHOW,
            "show = \"machine\"",
            "19:8: show = \"machine\" in [[table]] has no settings; write show = { machine = {} }",
        ),
        (
            SHOW,
            "show = [\"machine\"]",
            "19:8: show in [[table]] must name a kind, as show = { cells = {} }; there are cells, ",
        ),
        (
            SHOW,
            "show = {}",
            "19:8: show in [[table]] names no kind; there are cells, ",
        ),
        (
            PLOT,
            "plot = 3",
            "16:8: plot in [[figure]] must name a kind, as plot = { convergence = {} }; there are convergence, profile, ",
        ),
        (
            PLOT,
            "plot = { bars = {}, heat = {} }",
            "16:8: plot in [[figure]] names several kinds, bars, heat; keep one of them",
        ),
        (
            PLOT,
            "plot = { convergence = 3 }",
            "16:24: convergence in [[figure]] must be a table with settings, which may be empty, not 3",
        ),
        (
            PLOT,
            "plot = { convergence = { x = \"sweeps\", log_x = \"yes\" } }",
            "16:48: log_x in [[figure]] must be true or false, not the text \"yes\"",
        ),
    ] {
        let refused = spoiled(line, by);
        let first = refused.lines().next().unwrap_or_default();
        let says = format!("experiment.toml:{says}");
        assert!(first.starts_with(&says), "{by}: {refused}");
        for word in ["variant", "element", "struct"] {
            assert!(!refused.contains(word), "{word} in {refused}");
        }
        // with the line and a caret
        assert!(refused.contains("^"), "{refused}");
    }
}

/// The first line of the refusal of a figure in [`VALID`]; empty if it is accepted.
fn of_figure(plot: &str) -> String {
    let text = VALID.replace("plot = { convergence = { x = \"sweeps\" } }", plot);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiment.toml");
    fs::write(&path, &text).unwrap();
    let registry = Registry::standard();
    let read = spec::read(&path, &registry);
    if read.and_then(|s| matrix::expand(s, &registry)).is_ok() {
        return String::new();
    }
    let refusal = refusal(&text);
    refusal.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn maps_and_work_precision_are_of_solves_too() {
    let heat = |x: &str, value: &str, more: &str| {
        format!(
            "plot = {{ heat = {{ x = \"{x}\", y = \"solver.omega\", value = \"{value}\"{more} }} }}"
        )
    };
    for value in ["rate", "natural_map", "sweeps", "row_updates", "seconds"] {
        let shown = heat("n", value, ", problems = [\"chain\"]");
        assert_eq!(of_figure(&shown), "", "{value}");
    }
    assert_eq!(
        of_figure(&heat("n", "swepes", "")),
        "experiment.toml:16:56: unknown metric \"swepes\"; did you mean \"sweeps\"? known: natural_map, siconos, \
         rate, plateau, violations, sweeps, row_updates, seconds"
    );
    assert_eq!(
        of_figure(&heat("n", "ns_per_row", "")),
        "experiment.toml:16:56: unknown metric \"ns_per_row\"; known: natural_map, siconos, rate, plateau, \
         violations, sweeps, row_updates, seconds"
    );
    assert_eq!(
        of_figure(&heat("n", "rate", ", over = \"max\"")),
        "experiment.toml:16:64: over goes with [[scene]]: of a solve, the last value counts"
    );
    assert_eq!(
        of_figure(&heat("solver.omega", "rate", "")),
        "experiment.toml:16:23: the two axes of a heat map are the same parameter"
    );
    assert_eq!(
        of_figure(&heat("m", "rate", "")),
        "experiment.toml:16:23: unknown parameter of the figure's problems \"m\"; known: n, solver.omega"
    );
    let work = |along: &str| {
        format!(
            "plot = {{ work-precision = {{ x = \"sweeps\", y = \"natural_map\", along = \"{along}\" }} }}"
        )
    };
    assert_eq!(of_figure(&work("solver.omega")), "");
    assert_eq!(
        of_figure(&work("omega")),
        "experiment.toml:16:70: \"omega\" is a parameter of solvers; write \"solver.omega\""
    );
}

#[test]
fn numbers_of_a_trace_need_their_columns() {
    let shown = |quantity: &str| {
        let line = format!("show = {{ cells = {{ metrics = [\"{quantity}\"] }} }}");
        let message = spoiled("show = { cells = { metrics = [\"natural_map\"] } }", &line);
        message.lines().next().unwrap_or_default().to_owned()
    };
    assert!(shown("active_set_sweep").ends_with(
        "active_set_sweep is read off state_changes, which is not measured; write metrics = [\"natural_map\", \
         \"siconos\", \"state_changes\"] in [measure]"
    ));
    let list = |name: &str| {
        format!("write metrics = [\"natural_map\", \"siconos\", {name:?}] in [measure]")
    };
    assert!(shown("warm_start").contains(&list("velocity_error")));
    assert!(shown("impulse_spread").contains(&list("impulse_spread")));
    // the line can be copied into the spec
    let followed = VALID
        .replace(
            "show = { cells = { metrics = [\"natural_map\"] } }",
            "show = { cells = { metrics = [\"dual\"] } }",
        )
        .replace(
            "metrics = [\"natural_map\"]\n",
            "metrics = [\"natural_map\", \"dual\"]\n",
        );
    let read = spec::of_text(
        Path::new("experiment.toml"),
        followed,
        &Registry::standard(),
    );
    assert!(read.is_ok(), "{}", read.unwrap_err());
    let measured = |line: &str| spoiled("samples = \"every\"", line);
    assert!(measured("orders = 4").contains("orders goes with impulse_spread or velocity_spread"));
    assert!(measured("orders = 1").contains("orders"));
    let stop = spoiled(
        "tolerance = 1e-6",
        "tolerance = 1e-6\nmetrics = [\"state_changes\"]",
    );
    assert!(
        stop.contains("state_changes cannot decide when to stop"),
        "{stop}"
    );
    let unknown = spoiled(
        "metrics = [\"natural_map\"]",
        "metrics = [\"state_change\"]",
    );
    assert!(
        unknown.contains("did you mean \"state_changes\"?"),
        "{unknown}"
    );
}
