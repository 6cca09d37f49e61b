//! How a cell went: what all kinds of experiment have in common, and what only one has.

use delassus_core::{Solutions, Status};

use super::payload::{
    Moment, Payload, PeerReport, ResourceLimit, SimulationRecord, Solve, Timing, WorldEnd,
    WorstBlock,
};
use super::{Calibration, SampleTable, median};

/// How one solve, one timing of sweeps or one trajectory went.
///
/// On a trajectory the metrics are observables, `Solved` means that it came to its end, and a pass
/// is a whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended; `Solved` only where the independent residual is within tolerance.
    pub status: Status,
    /// Why, where the status does not say it all.
    pub message: Option<String>,
    /// What the solver solves instead of the problem; empty if it is exact.
    pub approximations: Vec<String>,
    /// Identifiers of the metrics, one per column of the samples.
    pub metrics: Vec<String>,
    /// Samples of the traced pass, in order; the first is the start.
    pub samples: SampleTable,
    /// Sweeps of the solve, or of all solves of the trajectory \[-\].
    pub sweeps: u64,
    /// Row updates of the solve, or of all solves of the trajectory \[-\].
    pub row_updates: u64,
    /// Matrices factorized in the solve, or in all solves of the trajectory \[-\]; `None` where the
    /// solver counts none, and in records from before they were counted.
    pub factorizations: Option<u64>,
    /// Seconds of `prepare` in each untraced pass \[s\]; zero on a trajectory.
    pub prepare_seconds: Vec<f64>,
    /// Seconds of `iterate`, or of all steps, in each untraced pass \[s\].
    pub iterate_seconds: Vec<f64>,
    /// SHA-256 of the final impulses' bytes (little-endian f64), hexadecimal; empty if there are
    /// none. The hash of the final state of a trajectory.
    pub impulse_hash: String,
    /// The limit that the process of the cell ended at, where it did.
    pub limit: Option<ResourceLimit>,
    /// What only cells of one kind of experiment have.
    pub payload: Payload,
}

/// Times of samples, with the medians of the passes taken once.
#[derive(Debug, Clone, Copy)]
pub struct SampleClock<'o> {
    outcome: &'o Outcome,
    /// Medians over the passes \[s\].
    prepare: f64,
    iterate: f64,
}

impl SampleClock<'_> {
    /// The time of a sample, see [`Outcome::seconds_at`] \[s\].
    pub fn at(&self, index: usize) -> Option<f64> {
        let outcome = self.outcome;
        let sample = outcome.samples.get(index)?;
        let (done, all) = match outcome.moments().get(index) {
            Some(moment) => (moment.frame, outcome.frames()),
            None if outcome.row_updates > 0 => (sample.row_updates, outcome.row_updates),
            None => (sample.sweeps, outcome.sweeps),
        };
        if all == 0 {
            return Some(self.prepare);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "sweep and frame counts are far below 2^53"
        )]
        let share = done as f64 / all as f64;
        Some(self.prepare + share * self.iterate)
    }
}

/// Text of a solver that is kept \[B\].
const LONGEST_TEXT: usize = 64 << 10;

/// Cuts a text that is longer than [`LONGEST_TEXT`].
fn cut(text: &mut String) {
    let length = text.len();
    if length <= LONGEST_TEXT {
        return;
    }
    let end = format!("… (cut: {length} bytes long)");
    let mut kept = LONGEST_TEXT - end.len();
    while !text.is_char_boundary(kept) {
        kept -= 1;
    }
    text.truncate(kept);
    text.push_str(&end);
    text.shrink_to_fit();
}

impl Outcome {
    /// An outcome without samples: the cell could not run.
    pub fn without_samples(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: Some(message.into()),
            approximations: Vec::new(),
            metrics: Vec::new(),
            samples: SampleTable::default(),
            sweeps: 0,
            row_updates: 0,
            factorizations: None,
            prepare_seconds: Vec::new(),
            iterate_seconds: Vec::new(),
            impulse_hash: String::new(),
            limit: None,
            payload: Payload::default(),
        }
    }

    /// Cuts texts of solvers at 64 KiB each, and says so at their ends: records, tables and pages
    /// hold them whole.
    pub fn cut_texts(&mut self) {
        let decisions = match &mut self.payload {
            Payload::Solve(solve) => solve.decisions.as_mut_slice(),
            Payload::Time(_) | Payload::Simulate(_) => &mut [],
        };
        let texts = self.message.iter_mut().chain(&mut self.approximations);
        texts.chain(decisions).for_each(cut);
    }

    /// Adds to what the message says.
    pub fn note(&mut self, note: &str) {
        self.message = Some(match self.message.take() {
            Some(message) => format!("{message}; {note}"),
            None => note.to_owned(),
        });
    }

    /// Gives the last sample a value in a column, if there are both.
    pub fn set_last(&mut self, column: Option<usize>, value: f64) {
        if let Some(column) = column {
            self.samples.set_last(column, value);
        }
    }

    /// What the solve of a problem adds; `None` on other kinds of cells.
    pub fn solve(&self) -> Option<&Solve> {
        match &self.payload {
            Payload::Solve(solve) => Some(solve),
            Payload::Time(_) | Payload::Simulate(_) => None,
        }
    }

    /// What is known of timed sweeps in addition to their number and the seconds of long passes.
    pub fn timing(&self) -> Option<&Timing> {
        match &self.payload {
            Payload::Time(timing) => Some(timing),
            Payload::Solve(_) | Payload::Simulate(_) => None,
        }
    }

    /// What the run of a scene adds.
    pub fn simulated(&self) -> Option<&SimulationRecord> {
        match &self.payload {
            Payload::Simulate(run) => Some(run),
            Payload::Solve(_) | Payload::Time(_) => None,
        }
    }

    /// Hash of the file of the recorded motion, where one was kept.
    pub fn replay_hash(&self) -> Option<&str> {
        self.simulated()?.replay_hash.as_deref()
    }

    /// How the substeps of a trajectory were chosen, where a budget chooses them.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.simulated()?.calibration.as_ref()
    }

    /// When the samples of a trajectory were taken; empty on other kinds of cells.
    pub fn moments(&self) -> &[Moment] {
        self.simulated().map_or(&[], |run| &run.moments)
    }

    /// The block that is farthest from its own solution at the end of a solve.
    pub fn worst_block(&self) -> Option<WorstBlock> {
        self.solve()?.worst_block
    }

    /// Where the reference of the velocity error came from.
    pub fn reference(&self) -> Option<&str> {
        self.solve()?.reference.as_deref()
    }

    /// All solutions, where the method looked for them.
    pub fn solutions(&self) -> Option<&Solutions> {
        self.solve()?.solutions.as_ref()
    }

    /// What a method that chooses between others decided, a line each; empty for all others.
    pub fn decisions(&self) -> &[String] {
        self.solve().map_or(&[], |solve| &solve.decisions)
    }

    /// How each world ended; empty where the problem is not worlds of one structure.
    pub fn worlds(&self) -> &[WorldEnd] {
        self.solve().map_or(&[], |solve| &solve.worlds)
    }

    /// What a solver in a process of its own says about its answer.
    pub fn peer(&self) -> Option<&PeerReport> {
        self.solve()?.peer.as_ref()
    }

    /// Position of a metric in the samples.
    pub fn column(&self, metric: &str) -> Option<usize> {
        self.metrics.iter().position(|m| m == metric)
    }

    /// The value of a metric before the first sweep.
    pub fn first(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        self.samples.first()?.value(column)
    }

    /// The last value of a metric.
    pub fn last(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        self.samples.last()?.value(column)
    }

    /// The value of a metric that is closest to zero over the samples: an error may be negative.
    pub fn best(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        let samples = self.samples.iter();
        let values = samples.filter_map(|sample| sample.value(column));
        values.min_by(|a, b| a.abs().total_cmp(&b.abs()))
    }

    /// Median seconds of prepare and iterate together, from the untraced passes \[s\].
    pub fn seconds(&self) -> Option<f64> {
        let passes = self.prepare_seconds.iter().zip(&self.iterate_seconds);
        median(passes.map(|(prepare, iterate)| prepare + iterate).collect())
    }

    /// Time of the sample of this index \[s\]: the median untraced prepare, and its share of the
    /// median untraced iterate, by row updates where the solver counts them: the sweeps of one that
    /// combines methods cost unequally much.
    pub fn seconds_at(&self, index: usize) -> Option<f64> {
        self.clock()?.at(index)
    }

    /// The times of all samples; `None` where no pass was timed.
    pub fn clock(&self) -> Option<SampleClock<'_>> {
        Some(SampleClock {
            outcome: self,
            prepare: median(self.prepare_seconds.clone())?,
            iterate: median(self.iterate_seconds.clone())?,
        })
    }

    /// Seconds of one sweep of a timed cell: the difference of the shortest long and the shortest
    /// short pass over that of their sweeps \[s\]. A disturbance of the machine only adds time.
    pub fn sweep_seconds(&self) -> Option<f64> {
        let shortest = |passes: &[f64]| passes.iter().copied().min_by(f64::total_cmp);
        let timing = self.timing()?;
        self.slope(shortest(&self.iterate_seconds)? - shortest(&timing.short_seconds)?)
    }

    /// The same of the median of the differences of one long and one short pass each \[s\].
    pub fn median_sweep_seconds(&self) -> Option<f64> {
        let short = &self.timing()?.short_seconds;
        let pairs = self.iterate_seconds.iter().zip(short);
        self.slope(median(pairs.map(|(long, short)| long - short).collect())?)
    }

    /// The same of each pair by itself; a pair that a disturbance has turned round has none \[s\].
    pub fn sweep_samples(&self) -> Vec<f64> {
        let short = self
            .timing()
            .into_iter()
            .flat_map(|timing| &timing.short_seconds);
        let pairs = self.iterate_seconds.iter().zip(short);
        pairs
            .filter_map(|(long, short)| self.slope(long - short))
            .collect()
    }

    /// A difference of seconds over that of the sweeps of a long and a short pass.
    fn slope(&self, seconds: f64) -> Option<f64> {
        let sweeps = self.sweeps.checked_sub(self.timing()?.short_sweeps)?;
        #[expect(clippy::cast_precision_loss, reason = "sweeps are far below 2^53")]
        let slope = seconds / sweeps as f64;
        // a machine that is disturbed throughout can make the longer pass the shorter one: that is
        // no time
        (slope > 0.0 && slope.is_finite()).then_some(slope)
    }

    /// Frames of a trajectory \[-\].
    pub fn frames(&self) -> u64 {
        self.moments().last().map_or(0, |moment| moment.frame)
    }

    /// Time that a trajectory covers \[s\].
    pub fn covered(&self) -> Option<f64> {
        Some(self.moments().last()?.time)
    }

    /// Median seconds per frame of a trajectory, from the untraced passes \[s\].
    pub fn step_seconds(&self) -> Option<f64> {
        self.per_frame(self.seconds()?)
    }

    /// Seconds per frame of the shortest untraced pass of a trajectory \[s\].
    pub fn shortest_step_seconds(&self) -> Option<f64> {
        let passes = self.iterate_seconds.iter().copied();
        self.per_frame(passes.min_by(f64::total_cmp)?)
    }

    fn per_frame(&self, seconds: f64) -> Option<f64> {
        let frames = self.frames();
        #[expect(
            clippy::cast_precision_loss,
            reason = "frame counts are far below 2^53"
        )]
        let per_frame = seconds / frames as f64;
        (frames > 0).then_some(per_frame)
    }

    /// Times \[s\] and values of a metric over a trajectory, where it has one.
    pub fn series(&self, metric: &str) -> (Vec<f64>, Vec<f64>) {
        self.column(metric).map_or_else(Default::default, |column| {
            let values = self.samples.iter().map(|sample| sample.value(column));
            super::series(values, self.moments())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_of_solvers_are_cut_once_and_say_so() {
        let long = "ω".repeat(1 << 20);
        let mut outcome = Outcome::without_samples(Status::Failed, long.clone());
        outcome.approximations = vec![long.clone(), "short".to_owned()];
        outcome.payload = Payload::Solve(Solve {
            decisions: vec![long],
            ..Solve::default()
        });
        outcome.cut_texts();
        let texts = [
            outcome.message.as_deref().unwrap(),
            &outcome.approximations[0],
            &outcome.decisions()[0],
        ];
        for text in texts {
            assert!(text.len() <= LONGEST_TEXT && text.len() > LONGEST_TEXT - 9);
            assert!(text.ends_with("ω… (cut: 2097152 bytes long)"), "{text}");
        }
        assert_eq!(outcome.approximations[1], "short");
        let once = outcome.clone();
        outcome.cut_texts();
        assert_eq!(outcome, once);
    }
}
