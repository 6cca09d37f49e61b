//! What of a record over time follows from its spec without a step, made again for whoever checks
//! it: the start of a run, the search of a threshold from its runs, the start of a replay.

use delassus_records::guard::caught;
use delassus_replay::quantise::orientation_code;
use delassus_replay::{Replay, ReplayFrame};

use super::frames::is_time_of;
use super::replay_recording::{frame_state, scene_geometry};
use super::{Simulations, observables};
use crate::matrix::cell::MatrixCell;
use crate::motion::{Observable, RunStart, Simulation, start};
use crate::record::{Outcome, SolverLabel};
use crate::registry::Registry;

/// Coordinates up to which a place stands in a replay as it is \[m\].
const EDGE: f64 = 1e30;

impl Simulations {
    /// The start of the run that `outcome` is of, with one of `solvers`: of a search, that of its
    /// last run. `None` where it cannot be made here.
    pub(crate) fn start(
        &self,
        cell: &MatrixCell,
        outcome: &Outcome,
        solvers: &[SolverLabel],
        registry: &Registry,
    ) -> Option<RunStart> {
        let scene = &self.scenes[cell.subject];
        let method = &self.methods[cell.method];
        let scheme = &self.schemes[method.scheme];
        let solver = method.solver.map(|index| &solvers[index]);
        let varied = scene.varied.as_ref();
        let last = varied.map(|varied| varied.last_world(outcome));
        let (last, names) = match (last, varied) {
            (Some(world), Some(varied)) => {
                (Some(world?), vec![varied.threshold.observable.as_str()])
            }
            _ => (None, observables(&self.observables, scene, &self.scenes)),
        };
        let parsed: Result<Vec<Observable>, _> = names.into_iter().map(Observable::parse).collect();
        let parsed = parsed.ok()?;
        let substeps = outcome.calibration().map(|chosen| chosen.substeps);
        let simulation = Simulation {
            world: last.as_ref().unwrap_or(&scene.world),
            scheme: &|| scheme.build_with(solver, registry, substeps),
            legs: &scheme.legs,
            every: scheme.every,
            observables: &parsed,
            repetitions: 0,
            max_seconds: None,
        };
        caught(|| start(&simulation)).ok()?.ok()?
    }

    /// True for a cell that looks for a threshold, in several runs.
    pub(crate) fn is_search(&self, cell: &MatrixCell) -> bool {
        self.scenes[cell.subject].varied.is_some()
    }

    /// True where the runs of a cell count overlaps.
    pub(crate) fn counts_overlaps(&self, cell: &MatrixCell) -> bool {
        let scene = &self.scenes[cell.subject];
        let mut asked = observables(&self.observables, scene, &self.scenes).into_iter();
        let of_overlaps = |name: &str| match Observable::parse(name) {
            Ok(Observable::Quantity(quantity)) => quantity.is_of_overlaps(),
            _ => false,
        };
        !self.is_search(cell) && asked.any(of_overlaps)
    }

    /// In what the record of a search differs from the search that its runs give.
    pub(crate) fn search_contradiction(
        &self,
        cell: &MatrixCell,
        outcome: &Outcome,
    ) -> Option<String> {
        let varied = self.scenes[cell.subject].varied.as_ref()?;
        varied.contradiction(
            outcome,
            &self.schemes[self.methods[cell.method].scheme].legs,
        )
    }

    /// In what a replay differs from what spec and scene make it; `is_whole` if the run came to its
    /// end.
    pub(crate) fn replay_contradiction(
        &self,
        cell: &MatrixCell,
        replay: &Replay,
        is_whole: bool,
    ) -> Option<&'static str> {
        let Some(limits) = cell.replay else {
            return Some("the spec records none");
        };
        let world = &self.scenes[cell.subject].world;
        let (header, legs) = (&replay.header, self.sampling(cell).0);
        if header.stage != scene_geometry(world) {
            return Some("its bodies, shapes and joints are not those of the scene");
        }
        // frames are left out by halves until the file is small enough
        let parts = header.every.checked_div(limits.every.max(1)).unwrap_or(0);
        if !header.every.is_multiple_of(limits.every.max(1)) || !parts.is_power_of_two() {
            return Some("its frames are not those that the spec records");
        }
        let total: u64 = legs.iter().map(|leg| u64::from(leg.frames)).sum();
        let (count, most) = (replay.frames.len() as u64, total / header.every + 1);
        if count > most || (is_whole && count != most) {
            return Some("its frames are not as many as the spec makes them");
        }
        let is_own = |(index, time): (u64, &f64)| {
            is_time_of(
                legs,
                index.saturating_mul(header.every),
                time - world.time(),
            )
        };
        if !(0..).zip(&header.times).all(is_own) {
            return Some("the times of its frames are not those of the spec");
        }
        let first = frame_state(world, Vec::new());
        let codes = ReplayFrame {
            places: first
                .positions
                .iter()
                .map(|p| header.grid.code(p))
                .collect(),
            turns: first.orientations.iter().map(orientation_code).collect(),
            speeds: first.speeds.iter().map(|v| header.speed.code(*v)).collect(),
            ..ReplayFrame::default()
        };
        let is_near = first.positions.iter().all(|place| place.amax() < EDGE);
        let said = replay.frames.first()?;
        let same =
            codes.places == said.places && codes.turns == said.turns && codes.speeds == said.speeds;
        (is_near && !same).then_some("it does not begin with the scene")
    }
}
