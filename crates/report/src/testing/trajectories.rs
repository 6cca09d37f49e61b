//! Hand-made trajectories.

use delassus_core::{ParameterDoc, Status};
use serde_json::{Map, json};

use super::known::scene_docs;
use super::{bundle, cell, object};
use crate::bundle::{Bundle, PartDoc};
use crate::figures::{FigureSpec, Heat, Parameter, Plot, Trajectory, Width, WorkPrecision};
use crate::record::{
    CellRecord, Moment, Outcome, Payload, Sample, SchemeLabel, SimulationRecord, SolverLabel,
};
use crate::view::{CellComponent, Over, Work};

/// Trajectories of two schemes with two step counts, and of one that solves by itself: calm,
/// drifting, blown up, refused.
pub(crate) fn trajectories() -> Bundle {
    let mut records = Vec::new();
    for ratio in [1.0, 10.0, 100.0] {
        for substeps in [1u64, 4] {
            for (solver, loss) in [("pgs", 1.0), ("dense-direct", 0.01)] {
                let size = 1e-3 * ratio * loss / crate::analysis::count(substeps);
                let mut record =
                    over_time("Soft Step", Some((substeps, solver)), ratio, move |t| {
                        Some(size * (1.0 - libm::exp(-t)))
                    });
                if ratio == 100.0 && substeps == 1 && solver == "pgs" {
                    record = over_time("Soft Step", Some((1, "pgs")), ratio, |t| {
                        Some(libm::exp(30.0 * t))
                    });
                    record.outcome.status = Status::Diverged;
                    record.outcome.message = Some("frame 37: a body moves fast".to_owned());
                    record.outcome.samples.truncate(37);
                    if let Payload::Simulate(run) = &mut record.outcome.payload {
                        run.moments.truncate(37);
                    }
                }
                records.push(record);
            }
        }
        let mut own = over_time("xpbd", None, ratio, |t| {
            Some(if t < 0.5 { 0.0 } else { 1e-9 })
        });
        if ratio == 10.0 {
            let scheme = own.scheme().expect("a scheme").clone();
            own.outcome = Outcome {
                payload: Payload::Simulate(SimulationRecord {
                    scheme,
                    moments: Vec::new(),
                    depths: None,
                    replay_hash: None,
                    calibration: None,
                }),
                ..Outcome::without_samples(Status::Unsupported, "no gears")
            };
        }
        records.push(own);
    }
    let mut bundle = bundle(records);
    bundle.criteria.clear();
    bundle.parts = scene_docs();
    bundle.parts.push(PartDoc {
        part: CellComponent::Scheme,
        id: "soft-step",
        parameters: vec![ParameterDoc {
            name: "substeps",
            text: "Substeps per frame.",
            unit: "-",
            ..ParameterDoc::NONE
        }],
        solver: None,
    });
    bundle
}

/// One trajectory of a second in sixty frames.
fn over_time(
    scheme: &str,
    velocity_level: Option<(u64, &str)>,
    ratio: f64,
    drift: impl Fn(f64) -> Option<f64>,
) -> CellRecord {
    let mut record = cell("tip", "unused", Status::Solved, 1, |_| None);
    record.problem.name = format!("tip mass_ratio={ratio}");
    record.problem.source = "heavy-tip-chain".to_owned();
    record.problem.parameters = object(json!({ "mass_ratio": ratio }));
    let label = match velocity_level {
        Some((substeps, _)) => format!("{scheme} substeps={substeps}"),
        None => scheme.to_owned(),
    };
    let solver = velocity_level.map_or("", |(_, solver)| solver);
    record.solver = SolverLabel {
        label: solver.to_owned(),
        id: solver.to_owned(),
        parameters: Map::new(),
        device: None,
        peer: None,
    };
    let scheme = SchemeLabel {
        method: match solver {
            "" => label.clone(),
            solver => format!("{label}, {solver}"),
        },
        label,
        id: "soft-step".to_owned(),
        parameters: object(json!({ "substeps": velocity_level.map_or(1, |(n, _)| n) })),
        dt: 1.0 / 60.0,
        device: None,
    };
    record.outcome.metrics = vec!["drift_max".to_owned(), "energy_error".to_owned()];
    record.outcome.prepare_seconds = vec![0.0];
    record.outcome.iterate_seconds = vec![1e-3];
    record.outcome.row_updates = 6000 * velocity_level.map_or(1, |(n, _)| n);
    let samples = (0..=60).map(|frame: u64| {
        let time = crate::analysis::count(frame) / 60.0;
        Sample {
            sweeps: frame,
            row_updates: 100 * frame,
            values: vec![drift(time), drift(time).map(|v| -v)],
        }
    });
    record.outcome.samples = samples.collect();
    let moments = (0..=60).map(|frame: u64| Moment {
        frame,
        time: crate::analysis::count(frame) / 60.0,
    });
    record.outcome.payload = Payload::Simulate(SimulationRecord {
        scheme,
        moments: moments.collect(),
        depths: None,
        replay_hash: None,
        calibration: None,
    });
    record
}

/// One figure of every kind over time.
pub(crate) fn over_time_figures() -> Vec<FigureSpec> {
    let none = Vec::new;
    let plots = [
        Plot::Trajectory(Trajectory {
            y: vec!["drift_max".to_owned()],
            scenes: none(),
            schemes: none(),
            solvers: none(),
            absolute: false,
            log_x: false,
            log_y: true,
            floor: Some(1e-12),
            frames: false,
            difference: false,
            tolerance: None,
            across: none(),
            band: None,
        }),
        Plot::Parameter(Parameter {
            x: "scene.mass_ratio".to_owned(),
            y: "drift_max".to_owned(),
            over: Over::Max,
            generators: none(),
            problems: none(),
            schemes: none(),
            solvers: none(),
            log_x: true,
            log_y: true,
            floor: None,
        }),
        Plot::WorkPrecision(WorkPrecision {
            x: Work::RowUpdates,
            y: "drift_max".to_owned(),
            over: Over::Rms,
            along: vec!["scheme.substeps".to_owned()],
            scenes: none(),
            schemes: none(),
            solvers: none(),
            floor: None,
        }),
        Plot::Heat(Heat {
            x: "scene.mass_ratio".to_owned(),
            y: "scheme.substeps".to_owned(),
            value: "drift_max".to_owned(),
            over: Over::Last,
            scenes: none(),
            schemes: none(),
            solvers: none(),
            log_x: true,
            log_y: true,
            log_value: true,
        }),
    ];
    let ids = ["time", "ratio", "work", "map"];
    let figures = ids.into_iter().zip(plots).map(|(id, plot)| FigureSpec {
        id: id.to_owned(),
        caption: String::new(),
        width: Width::Page,
        plot,
    });
    figures.chain(super::kinds_over_time()).collect()
}
