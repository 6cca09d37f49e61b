//! The serialized form of a record: what the kinds of experiment have, side by side.

use std::borrow::Cow;
use std::fmt;

use delassus_core::{Solutions, Status};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Calibration, CellRecord, Depths, Moment, Outcome, Payload, PeerReport, ProblemFacts,
    ProblemLabel, ResourceLimit, SampleTable, SchemeLabel, SimulationRecord, Solve, SolverLabel,
    Timing, WorldEnd, WorstBlock,
};
use crate::origin::Origin;

#[derive(Serialize, Deserialize)]
pub(super) struct Record<'r> {
    key: Cow<'r, str>,
    problem: Cow<'r, ProblemLabel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scheme: Option<Cow<'r, SchemeLabel>>,
    solver: Cow<'r, SolverLabel>,
    facts: Cow<'r, ProblemFacts>,
    outcome: Ending<'r>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<Cow<'r, Origin>>,
}

#[derive(Serialize, Deserialize)]
struct Ending<'r> {
    status: Status,
    message: Option<Cow<'r, str>>,
    approximations: Cow<'r, [String]>,
    metrics: Cow<'r, [String]>,
    samples: Samples<'r>,
    sweeps: u64,
    row_updates: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factorizations: Option<u64>,
    prepare_seconds: Cow<'r, [f64]>,
    iterate_seconds: Cow<'r, [f64]>,
    impulse_hash: Cow<'r, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worst_block: Option<WorstBlock>,
    reference: Option<Cow<'r, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solutions: Option<Cow<'r, Solutions>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    decisions: Cow<'r, [String]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peer: Option<Cow<'r, PeerReport>>,
    #[serde(default, skip_serializing_if = "is_empty")]
    worlds: Cow<'r, [WorldEnd]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timing: Option<Cow<'r, Timing>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<ResourceLimit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depths: Option<Cow<'r, Depths>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replay_hash: Option<Cow<'r, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<Cow<'r, Calibration>>,
}

/// Samples with the moments at which they were taken, where they have some.
struct Samples<'r> {
    table: Cow<'r, SampleTable>,
    moments: Cow<'r, [Moment]>,
    /// Values of the first sample that has not as many as the one before it \[-\].
    uneven: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct Sample {
    sweeps: u64,
    row_updates: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moment: Option<Moment>,
    values: Vec<Option<f64>>,
}

impl Serialize for Samples<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.table.iter().enumerate();
        serializer.collect_seq(rows.map(|(index, row)| Sample {
            sweeps: row.sweeps,
            row_updates: row.row_updates,
            moment: self.moments.get(index).copied(),
            values: row.values().collect(),
        }))
    }
}

impl<'de> Deserialize<'de> for Samples<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(SamplesVisitor)
    }
}

/// Reads samples one after the other, each into the table.
struct SamplesVisitor;

impl<'de> Visitor<'de> for SamplesVisitor {
    type Value = Samples<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
        let (mut table, mut moments, mut uneven) = (SampleTable::default(), Vec::new(), None);
        while let Some(sample) = all.next_element::<Sample>()? {
            let found = sample.values.len();
            if uneven.is_none() && !table.is_empty() && found != table.columns() {
                uneven = Some(found);
            }
            moments.extend(sample.moment);
            table.push(&super::Sample {
                sweeps: sample.sweeps,
                row_updates: sample.row_updates,
                values: sample.values,
            });
        }
        // as large as they are: thousands of records may be in memory
        table.shrink_to_fit();
        moments.shrink_to_fit();
        Ok(Samples {
            table: Cow::Owned(table),
            moments: Cow::Owned(moments),
            uneven,
        })
    }
}

impl Samples<'_> {
    /// Fails if a sample has not one value for each of so many metrics.
    fn check(&self, metrics: usize) -> Result<(), String> {
        let first = (!self.table.is_empty()).then_some(self.table.columns());
        let other = first.filter(|columns| *columns != metrics);
        match other.or(self.uneven) {
            None => Ok(()),
            Some(found) => Err(format!("a sample has {found} values of {metrics} metrics")),
        }
    }
}

impl Serialize for CellRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let record = Record {
            key: Cow::Borrowed(&self.key),
            problem: Cow::Borrowed(&self.problem),
            scheme: self.scheme().map(Cow::Borrowed),
            solver: Cow::Borrowed(&self.solver),
            facts: Cow::Borrowed(&self.facts),
            outcome: Ending::of(&self.outcome),
            origin: self.origin.as_ref().map(Cow::Borrowed),
        };
        record.serialize(serializer)
    }
}

/// True for what a record leaves out.
fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

impl<'r> Ending<'r> {
    fn of(outcome: &'r Outcome) -> Self {
        Self {
            status: outcome.status,
            message: outcome.message.as_deref().map(Cow::Borrowed),
            approximations: Cow::Borrowed(&outcome.approximations),
            metrics: Cow::Borrowed(&outcome.metrics),
            samples: Samples {
                table: Cow::Borrowed(&outcome.samples),
                moments: Cow::Borrowed(outcome.moments()),
                uneven: None,
            },
            sweeps: outcome.sweeps,
            row_updates: outcome.row_updates,
            factorizations: outcome.factorizations,
            prepare_seconds: Cow::Borrowed(&outcome.prepare_seconds),
            iterate_seconds: Cow::Borrowed(&outcome.iterate_seconds),
            impulse_hash: Cow::Borrowed(&outcome.impulse_hash),
            worst_block: outcome.worst_block(),
            reference: outcome.reference().map(Cow::Borrowed),
            solutions: outcome.solutions().map(Cow::Borrowed),
            decisions: Cow::Borrowed(outcome.decisions()),
            peer: outcome.peer().map(Cow::Borrowed),
            worlds: Cow::Borrowed(outcome.worlds()),
            timing: outcome.timing().map(Cow::Borrowed),
            limit: outcome.limit,
            depths: outcome
                .simulated()
                .and_then(|run| run.depths.as_ref())
                .map(Cow::Borrowed),
            replay_hash: outcome.replay_hash().map(Cow::Borrowed),
            calibration: outcome.calibration().map(Cow::Borrowed),
        }
    }
}

impl TryFrom<Record<'static>> for CellRecord {
    type Error = String;

    fn try_from(record: Record<'static>) -> Result<Self, Self::Error> {
        let Record {
            scheme, outcome, ..
        } = record;
        outcome.samples.check(outcome.metrics.len())?;
        let samples = outcome.samples.table.into_owned();
        let payload = match (scheme, outcome.timing) {
            (Some(scheme), _) => {
                let moments = outcome.samples.moments.into_owned();
                if moments.len() != samples.len() {
                    return Err("a sample of a trajectory has no moment".to_owned());
                }
                Payload::Simulate(SimulationRecord {
                    scheme: scheme.into_owned(),
                    moments,
                    depths: outcome.depths.map(Cow::into_owned),
                    replay_hash: outcome.replay_hash.map(Cow::into_owned),
                    calibration: outcome.calibration.map(Cow::into_owned),
                })
            }
            (None, Some(timing)) => Payload::Time(timing.into_owned()),
            (None, None) => Payload::Solve(Solve {
                worst_block: outcome.worst_block,
                reference: outcome.reference.map(Cow::into_owned),
                solutions: outcome.solutions.map(Cow::into_owned),
                decisions: outcome.decisions.into_owned(),
                peer: outcome.peer.map(Cow::into_owned),
                worlds: outcome.worlds.into_owned(),
            }),
        };
        Ok(Self {
            key: record.key.into_owned(),
            problem: record.problem.into_owned(),
            solver: record.solver.into_owned(),
            facts: record.facts.into_owned(),
            outcome: Outcome {
                status: outcome.status,
                message: outcome.message.map(Cow::into_owned),
                approximations: outcome.approximations.into_owned(),
                metrics: outcome.metrics.into_owned(),
                samples,
                sweeps: outcome.sweeps,
                row_updates: outcome.row_updates,
                factorizations: outcome.factorizations,
                prepare_seconds: outcome.prepare_seconds.into_owned(),
                iterate_seconds: outcome.iterate_seconds.into_owned(),
                impulse_hash: outcome.impulse_hash.into_owned(),
                limit: outcome.limit,
                payload,
            },
            origin: record.origin.map(Cow::into_owned),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        r#"{"key":"k","problem":{"name":"p","source":"chain","parameters":{"n":2}},"#;
    const SOLVER: &str = r#""solver":{"label":"pgs","id":"pgs","parameters":{}},"#;
    const FACTS: &str = r#""facts":{"rows":2,"blocks":1,"contacts":0,"bodies":3,"asymmetry":null,"energy_scale":0.1},"#;

    /// The outcome up to its samples, and what follows them.
    const BEGUN: &str =
        r#""outcome":{"status":"solved","message":null,"approximations":[],"metrics":["a"],"#;
    const WORK: &str = r#""sweeps":4,"row_updates":8,"prepare_seconds":[0.0],"iterate_seconds":[0.25],"impulse_hash":"h","#;

    fn comes_back(text: &str) -> CellRecord {
        let record: CellRecord = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
        record
    }

    #[test]
    fn a_solve_keeps_its_findings() {
        let samples = r#""samples":[{"sweeps":0,"row_updates":0,"values":[null]}],"#;
        let end = r#""worst_block":{"block":0,"residual":0.5,"hidden":true},"reference":"stored","solutions":{"list":[],"complete":true}}}"#;
        let record = comes_back(&[HEAD, SOLVER, FACTS, BEGUN, samples, WORK, end].concat());
        let outcome = &record.outcome;
        assert_eq!(
            (record.ending_id(), outcome.reference()),
            ("solved", Some("stored"))
        );
        assert!(outcome.worst_block().is_some_and(|w| w.hidden) && outcome.solutions().is_some());
        let bare = [
            HEAD,
            SOLVER,
            FACTS,
            BEGUN,
            samples,
            WORK,
            r#""reference":null}}"#,
        ]
        .concat();
        assert_eq!(comes_back(&bare).outcome.payload, Payload::default());
    }

    #[test]
    fn what_a_peer_claims_is_kept() {
        let solver = r#""solver":{"label":"p","id":"peer:p/s","parameters":{},"peer":{"peer":"p","version":"2"}},"#;
        let end = r#""reference":null,"peer":{"restarted":true,"claimed":"converged","iterations":7,"residuals":{"dual":null,"primal":1e-9},"seconds":0.5,"clock":"own"}}}"#;
        let samples = r#""samples":[],"#;
        let record = comes_back(&[HEAD, solver, FACTS, BEGUN, samples, WORK, end].concat());
        let peer = record.outcome.peer().unwrap();
        assert!(peer.restarted && peer.answer.claimed == delassus_core::Claim::Converged);
        assert_eq!(peer.answer.residuals["dual"], None);
        assert_eq!(record.solver.peer.unwrap().version, "2");
    }

    #[test]
    fn ends_of_worlds_are_kept() {
        let end = r#""reference":null,"worlds":[{"parameters":{"friction":0.5},"status":"solved","residual":1e-9,"sweeps":3},{"parameters":{"friction":0.75},"status":"max_sweeps","residual":null,"sweeps":null}]}}"#;
        let samples = r#""samples":[],"#;
        let record = comes_back(&[HEAD, SOLVER, FACTS, BEGUN, samples, WORK, end].concat());
        let [one, other] = record.outcome.worlds() else {
            panic!("two worlds");
        };
        assert_eq!((one.status, one.sweeps), (Status::Solved, Some(3)));
        assert_eq!(
            (other.residual, &other.parameters["friction"]),
            (None, &0.75.into())
        );
    }

    #[test]
    fn factorizations_are_kept_and_missing_in_older_records() {
        let work = WORK.replace(
            r#""row_updates":8,"#,
            r#""row_updates":8,"factorizations":3,"#,
        );
        let samples = r#""samples":[],"#;
        let end = r#""reference":null}}"#;
        let record = comes_back(&[HEAD, SOLVER, FACTS, BEGUN, samples, &work, end].concat());
        assert_eq!(record.outcome.factorizations, Some(3));
        let record = comes_back(&[HEAD, SOLVER, FACTS, BEGUN, samples, WORK, end].concat());
        assert_eq!(record.outcome.factorizations, None);
    }

    #[test]
    fn timed_sweeps_keep_their_short_passes() {
        let end = r#""reference":null,"timing":{"short_sweeps":2,"short_seconds":[0.125],"read_bytes":1,"written_bytes":null,"gathered_bytes":null,"working_set":5}}}"#;
        let record =
            comes_back(&[HEAD, SOLVER, FACTS, BEGUN, r#""samples":[],"#, WORK, end].concat());
        assert_eq!(record.ending_id(), "timed");
        assert_eq!(record.outcome.sweep_seconds(), Some(0.0625));
    }

    #[test]
    fn a_trajectory_keeps_its_scheme_and_its_moments() {
        let scheme = r#""scheme":{"label":"soft","method":"soft, pgs","id":"soft-step","parameters":{},"dt":0.5},"#;
        let samples = r#""samples":[{"sweeps":4,"row_updates":8,"moment":{"frame":3,"time":1.5},"values":[0.5]}],"#;
        let text = [
            HEAD,
            scheme,
            SOLVER,
            FACTS,
            BEGUN,
            samples,
            WORK,
            r#""reference":null}}"#,
        ];
        let record = comes_back(&text.concat());
        assert_eq!(
            (record.method(), record.ending_id()),
            ("soft, pgs", "ended")
        );
        assert_eq!(
            (record.outcome.frames(), record.outcome.covered()),
            (3, Some(1.5))
        );
        assert_eq!(record.outcome.series("a"), (vec![1.5], vec![0.5]));
        let depths = r#""reference":null,"depths":{"none":3,"bins":{"-150":2,"-101":1}}}}"#;
        let whole = text.concat().replace(r#""reference":null}}"#, depths);
        let known = comes_back(&whole)
            .outcome
            .simulated()
            .and_then(|run| run.depths.clone());
        assert_eq!(known.map(|depths| depths.points()), Some(6));
        let chosen = r#""reference":null,"calibration":{"budget":{"seconds":0.002},"substeps":3,"trials":[{"substeps":3,"cost":0.0015}]}}}"#;
        let whole = text.concat().replace(r#""reference":null}}"#, chosen);
        let record = comes_back(&whole);
        assert_eq!(record.outcome.calibration().map(|c| c.substeps), Some(3));
        let cut = text
            .concat()
            .replace(r#""moment":{"frame":3,"time":1.5},"#, "");
        assert!(serde_json::from_str::<CellRecord>(&cut).is_err());
    }
}
