//! Figures of the kinds that pool values, for the tests.

use serde_json::json;

use crate::figures::{FigureSpec, Width};

/// Figures as a spec writes them.
fn specs(plots: &[(&str, serde_json::Value)]) -> Vec<FigureSpec> {
    let spec = |(id, plot): &(&str, serde_json::Value)| FigureSpec {
        id: (*id).to_owned(),
        caption: String::new(),
        width: Width::Page,
        plot: serde_json::from_value(plot.clone()).expect("settings of a kind"),
    };
    plots.iter().map(spec).collect()
}

/// Figures of solves except those that have helpers of their own.
pub(crate) fn of_solves() -> Vec<FigureSpec> {
    specs(&[
        (
            "bars",
            json!({ "bars": { "y": "row_updates", "log": true, "together": true } }),
        ),
        ("bars-time", json!({ "bars": { "y": "seconds" } })),
        (
            "violin",
            json!({ "violin": { "y": "seconds", "together": true, "log": true } }),
        ),
        (
            "boxes",
            json!({ "violin": { "y": "sweeps", "outline": "box" } }),
        ),
        (
            "shares",
            json!({ "distribution": { "x": "natural_map", "log_x": true, "together": true } }),
        ),
        (
            "bins",
            json!({ "distribution": { "x": "sweeps", "draw": "histogram", "size": 2.0 } }),
        ),
        (
            "speed",
            json!({ "speed-accuracy": { "x": "seconds", "y": "natural_map" } }),
        ),
        (
            "work",
            json!({ "work-precision": { "x": "row_updates", "y": "natural_map" } }),
        ),
        ("cone", json!({ "cone": {} })),
        (
            "bands",
            json!({ "convergence": { "x": "sweeps", "across": ["problem"], "band": "range" } }),
        ),
        (
            "shades",
            json!({ "convergence": { "x": "row_updates", "shade": "solver.omega" } }),
        ),
    ])
}

/// Figures of timed sweeps.
pub(crate) fn of_timings() -> Vec<FigureSpec> {
    specs(&[
        (
            "scaling",
            json!({ "scaling": { "x": "rows", "y": "seconds", "along": "n" } }),
        ),
        (
            "threads",
            json!({ "threads": { "along": "solver.threads" } }),
        ),
        ("bars", json!({ "bars": { "y": "ns_per_row" } })),
        ("violin", json!({ "violin": { "y": "seconds" } })),
    ])
}

/// Figures over time except those that have helpers of their own.
pub(crate) fn kinds_over_time() -> Vec<FigureSpec> {
    specs(&[
        (
            "bars",
            json!({ "bars": { "y": "drift_max", "over": "max", "log": true } }),
        ),
        (
            "violin",
            json!({ "violin": { "y": "drift_max", "log": true } }),
        ),
        (
            "shares",
            json!({ "distribution": { "x": "drift_max", "log_x": true, "size": 0.1 } }),
        ),
        (
            "bins",
            json!({ "distribution": { "x": "drift_max", "draw": "histogram", "together": true } }),
        ),
        (
            "speed",
            json!({ "speed-accuracy": { "y": "drift_max", "over": "max", "along": "scheme.substeps" } }),
        ),
        (
            "steps",
            json!({ "self-convergence": { "x": "scheme.substeps", "observables": ["drift_max"], "orders": [1.0, 2.0] } }),
        ),
        (
            "apart",
            json!({ "predictability": { "x": "scene.mass_ratio", "observables": ["drift_max"] } }),
        ),
        (
            "threads",
            json!({ "threads": { "along": "scheme.substeps" } }),
        ),
        ("set", json!({ "problem-set": { "x": "contacts" } })),
        (
            "bands",
            json!({ "trajectory": { "y": "drift_max", "across": ["scene"], "band": "range", "log_y": true } }),
        ),
        (
            "zero",
            json!({ "trajectory": { "y": ["drift_max"], "frames": true, "tolerance": 0.01 } }),
        ),
    ])
}
