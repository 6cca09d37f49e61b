//! The search for a threshold by halving.

use delassus_core::{Status, counted};
use delassus_dynamics::World;
use delassus_scenes::{SceneEntry, SceneError};
use serde_json::{Map, Value};

use super::Threshold;
use crate::motion::{Leg, Observable, ObservedRun};
use crate::record::{Moment, OBSERVED, Outcome, Sample, THRESHOLD};
use crate::simulate::frames::is_time_of;

/// A scene whose parameter is varied.
pub struct VariedScene {
    /// What is looked for.
    pub threshold: Threshold,
    /// The scene.
    pub(crate) entry: SceneEntry,
    /// The other parameters that the spec sets.
    pub(crate) parameters: Map<String, Value>,
}

impl std::fmt::Debug for VariedScene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Varied")
            .field("threshold", &self.threshold)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

/// Column of the value that a run tries; what it observed comes after.
const TRIED: usize = THRESHOLD.len() - 1;

/// A bisection under way.
struct Search<'s> {
    threshold: &'s Threshold,
    observable: Observable,
    stands_at: Option<f64>,
    falls_at: Option<f64>,
    all: ObservedRun,
}

impl VariedScene {
    /// The world with one value of the parameter.
    ///
    /// # Errors
    /// A value that makes no scene.
    pub(crate) fn world(&self, value: f64) -> Result<World, SceneError> {
        let mut parameters = self.parameters.clone();
        parameters.insert(self.threshold.parameter.clone(), Value::from(value));
        self.entry.build_given(&parameters)
    }

    /// Looks for the threshold: `run` runs a world and observes one thing. Every run is a sample of
    /// the result, with the values of the parameter with which the scene is known to stand and to
    /// fall, the one tried, and what was observed.
    pub(crate) fn search(
        &self,
        run: &mut dyn FnMut(&World, &Observable) -> ObservedRun,
    ) -> ObservedRun {
        let threshold = &self.threshold;
        let observable = match Observable::parse(&threshold.observable) {
            Ok(observable) => observable,
            Err(unknown) => {
                return ObservedRun::without_samples(Status::Failed, unknown.to_string());
            }
        };
        let mut all = ObservedRun::without_samples(Status::Solved, String::new());
        all.message = None;
        let columns = THRESHOLD.into_iter().chain([OBSERVED]);
        all.observables = columns.map(str::to_owned).collect();
        let mut search = Search {
            threshold,
            observable,
            stands_at: None,
            falls_at: None,
            all,
        };
        let [mut lower, mut upper] = threshold.between;
        let ended = search.look(self, lower, run).and_then(|low| {
            let high = search.look(self, upper, run)?;
            if low == high {
                let how = if low { "stands" } else { "falls" };
                let message = format!("{how} at {lower} and at {upper}: no threshold between them");
                search.all.message = Some(message);
                return Some(());
            }
            while upper - lower > threshold.tolerance {
                let middle = 0.5 * (lower + upper);
                let same = search.look(self, middle, run)? == low;
                (lower, upper) = if same {
                    (middle, upper)
                } else {
                    (lower, middle)
                };
            }
            Some(())
        });
        // a run that could not be judged has said so
        if ended.is_none() && search.all.status == Status::Solved {
            search.all.status = Status::Failed;
        }
        search.all
    }
}

impl VariedScene {
    /// The world of the last run of a search; `None` of a record without runs.
    pub(crate) fn last_world(&self, outcome: &Outcome) -> Option<World> {
        let tried = outcome.samples.last()?.value(TRIED)?;
        self.world(tried).ok()
    }

    /// In what the record of a search differs from the search that its own runs give: what is tried
    /// next follows from what was observed. `legs` are the frames of each run.
    pub(crate) fn contradiction(&self, outcome: &Outcome, legs: &[Leg]) -> Option<String> {
        let frames: u64 = legs.iter().map(|leg| u64::from(leg.frames)).sum();
        let mut runs = self.recorded_runs(outcome);
        let lasts =
            |moment: &Moment| moment.frame == frames && is_time_of(legs, frames, moment.time);
        let is_short =
            |run: &ObservedRun| run.status == Status::Solved && !run.moments.iter().all(lasts);
        if let Some(index) = runs.iter().position(is_short) {
            return Some(format!("its run {} has not all frames", index + 1));
        }
        runs.reverse();
        let unrecorded = || ObservedRun::without_samples(outcome.status, String::new());
        let own = self.search(&mut |_, _| runs.pop().unwrap_or_else(unrecorded));
        let values = |index: usize| -> Vec<Option<u64>> {
            let said = outcome.samples.get(index);
            let said = said.map(|sample| sample.values().map(|v| v.map(f64::to_bits)).collect());
            said.unwrap_or_default()
        };
        let bits = |sample: &Sample| -> Vec<Option<u64>> {
            sample.values.iter().map(|v| v.map(f64::to_bits)).collect()
        };
        let mut samples = own.samples.iter().enumerate();
        if let Some((index, _)) = samples.find(|(index, own)| bits(own) != values(*index)) {
            return Some(format!(
                "its run {} does not follow from those before",
                index + 1
            ));
        }
        let ends = own.samples.len() == outcome.samples.len() && own.status == outcome.status;
        let said = outcome.message.as_deref().unwrap_or_default();
        let begins = said.starts_with(own.message.as_deref().unwrap_or_default());
        let is_same = match outcome.status {
            Status::Solved => own.message == outcome.message,
            // the run that could not be judged has left its words alone
            _ => begins,
        };
        if !(ends && is_same) {
            return Some("its search does not end as its runs do".to_owned());
        }
        let is_sum = outcome.sweeps == own.sweeps && outcome.row_updates == own.row_updates;
        (!is_sum).then(|| "its totals are not those of its runs".to_owned())
    }

    /// The runs of a record: each has what it adds to the one before, and stood or fell as the
    /// record says.
    fn recorded_runs(&self, outcome: &Outcome) -> Vec<ObservedRun> {
        let mut before = (0, 0, 0, 0.0);
        let samples = outcome.samples.iter().zip(outcome.moments());
        let runs = samples.map(|(sample, moment)| {
            let value = |column: usize| sample.value(column);
            let (stands_at, tried, observed) = (value(0), value(TRIED), value(TRIED + 1));
            let fits = observed.is_some_and(|observed| observed <= self.threshold.limit);
            let status = match observed.is_some() && fits == (stands_at == tried) {
                true => Status::Solved,
                false => Status::Diverged,
            };
            let now = (moment.frame, sample.sweeps, sample.row_updates, moment.time);
            let mut run = ObservedRun::without_samples(status, String::new());
            run.frames = now.0.saturating_sub(before.0);
            run.sweeps = now.1.saturating_sub(before.1);
            run.row_updates = now.2.saturating_sub(before.2);
            run.moments = vec![Moment {
                frame: run.frames,
                time: now.3 - before.3,
            }];
            run.samples = vec![Sample {
                sweeps: run.sweeps,
                row_updates: run.row_updates,
                values: vec![observed],
            }];
            before = now;
            run
        });
        runs.collect()
    }
}

impl Search<'_> {
    /// True if the scene stands with this value; `None`, with the reason in the status, where that
    /// cannot be said.
    fn look(
        &mut self,
        varied: &VariedScene,
        value: f64,
        run: &mut dyn FnMut(&World, &Observable) -> ObservedRun,
    ) -> Option<bool> {
        let world = match varied.world(value) {
            Ok(world) => world,
            Err(error) => return self.fail(Status::Failed, value, &error.to_string()),
        };
        let one = run(&world, &self.observable);
        let observed = one
            .samples
            .last()
            .and_then(|sample| sample.values.first().copied().flatten());
        let stands = match (one.status, observed) {
            (Status::Solved, Some(observed)) => observed <= self.threshold.limit,
            // what has run away has not stood
            (Status::Diverged | Status::NonFinite, _) => false,
            (Status::Solved, None) => {
                let message = format!("{} has no value at the end", self.threshold.observable);
                return self.fail(Status::Failed, value, &message);
            }
            (status, _) => {
                return self.fail(status, value, one.message.as_deref().unwrap_or_default());
            }
        };
        if stands {
            self.stands_at = Some(value);
        } else {
            self.falls_at = Some(value);
        }
        self.note(one, [self.stands_at, self.falls_at, Some(value), observed]);
        Some(stands)
    }

    fn fail(&mut self, status: Status, value: f64, message: &str) -> Option<bool> {
        let parameter = &self.threshold.parameter;
        self.all.status = status;
        self.all.message = Some(format!("{parameter} = {value}: {message}"));
        None
    }

    /// Adds a run: counts go on where those of the last one ended.
    fn note(&mut self, one: ObservedRun, values: [Option<f64>; 4]) {
        let all = &mut self.all;
        let covered = |moments: &[Moment]| moments.last().map_or(0.0, |moment| moment.time);
        all.frames += one.frames;
        all.sweeps += one.sweeps;
        all.row_updates += one.row_updates;
        all.factorizations = counted(all.factorizations, one.factorizations);
        all.moments.push(Moment {
            frame: all.frames,
            time: covered(&all.moments) + covered(&one.moments),
        });
        all.samples.push(Sample {
            sweeps: all.sweeps,
            row_updates: all.row_updates,
            values: values.to_vec(),
        });
        all.approximations = one.approximations;
        all.state_hash = one.state_hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(between: [f64; 2], tolerance: f64) -> VariedScene {
        let entry = delassus_scenes::scenes()
            .into_iter()
            .find(|scene| scene.descriptor.id == "dropped-ball");
        VariedScene {
            threshold: Threshold {
                parameter: "height".to_owned(),
                between,
                tolerance,
                observable: "speed_max".to_owned(),
                limit: 0.5,
            },
            entry: entry.unwrap(),
            parameters: Map::new(),
        }
    }

    /// A run of two frames that ends with this value.
    fn ended(value: Option<f64>, status: Status) -> ObservedRun {
        let mut run = ObservedRun::without_samples(status, "why");
        run.frames = 2;
        run.moments = vec![Moment {
            frame: 2,
            time: 0.5,
        }];
        run.samples = vec![Sample {
            sweeps: 3,
            row_updates: 6,
            values: vec![value],
        }];
        run
    }

    /// Height of the ball above the ground \[m\].
    fn height(world: &World) -> f64 {
        world.bodies()[1].position.to_vector().y - 0.5
    }

    /// The height of the ball decides.
    fn by_height(limit: f64, upright: bool) -> impl FnMut(&World, &Observable) -> ObservedRun {
        move |world: &World, _: &Observable| {
            let below = height(world) < limit;
            ended(
                Some(if below == upright { 0.0 } else { 1.0 }),
                Status::Solved,
            )
        }
    }

    #[test]
    fn the_bracket_holds_the_threshold_from_either_side() {
        for upright in [true, false] {
            let run = varied([0.5, 2.5], 0.01).search(&mut by_height(1.3, upright));
            assert_eq!((run.status, &run.message), (Status::Solved, &None));
            let last = &run.samples.last().unwrap().values;
            let [stands, falls] = [last[0].unwrap(), last[1].unwrap()];
            assert!((stands - falls).abs() <= 0.01, "{stands} {falls}");
            let (low, high) = if upright {
                (stands, falls)
            } else {
                (falls, stands)
            };
            assert!(low < 1.3 && 1.3 <= high, "{low} {high}");
            // two ends and eight halves
            assert_eq!((run.samples.len(), run.frames), (10, 20));
            assert_eq!(run.moments.last().unwrap().time, 5.0);
        }
    }

    #[test]
    fn without_a_threshold_there_is_no_number() {
        let run = varied([0.5, 1.0], 0.01).search(&mut by_height(1.3, true));
        assert_eq!(run.status, Status::Solved);
        assert_eq!(run.samples.last().unwrap().values[..2], [Some(1.0), None]);
        let message = run.message.unwrap();
        assert!(message.contains("stands at 0.5 and at 1"), "{message}");
        let run = varied([1.5, 2.0], 0.01).search(&mut by_height(1.3, true));
        assert_eq!(run.samples.last().unwrap().values[..2], [None, Some(2.0)]);
    }

    #[test]
    fn what_runs_away_falls_and_what_cannot_run_is_no_verdict() {
        let run = varied([0.5, 2.5], 3.0).search(&mut |world, _| {
            let status = if height(world) < 1.0 {
                Status::Solved
            } else {
                Status::Diverged
            };
            ended(Some(0.0), status)
        });
        assert_eq!(
            run.samples.last().unwrap().values[..2],
            [Some(0.5), Some(2.5)]
        );
        let run = varied([0.5, 2.5], 3.0).search(&mut |_, _| ended(None, Status::Solved));
        assert_eq!(run.status, Status::Failed);
        assert!(
            run.message
                .unwrap()
                .contains("height = 0.5: speed_max has no value")
        );
        let run = varied([0.5, 2.5], 3.0).search(&mut |_, _| ended(None, Status::Unsupported));
        assert_eq!(run.status, Status::Unsupported);
        let run = varied([f64::NAN, 1.0], 1.0).search(&mut by_height(1.0, true));
        assert_eq!(run.status, Status::Failed);
    }
}
