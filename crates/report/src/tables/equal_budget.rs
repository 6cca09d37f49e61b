//! The methods of each scene in the order of an observable, where a budget per frame has chosen
//! their substeps.

use std::cmp::Ordering;

use delassus_core::Status;

use crate::analysis::achieved;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::quantities::{second_unit, summarised};
use crate::record::{Calibration, CellRecord, FrameBudget};
use crate::settings::settings;
use crate::unranked;
use crate::view::{CellFilter, Over};

use super::{Cell, Column, Section, Table, TableKind, nothing};

/// What a table or an answer says of substeps that a clock has chosen.
pub(crate) const BY_CLOCK: &str = "The substeps were chosen by a clock, from the median of the \
     timed passes of each trial: a new run may choose others. The records keep the choice, and a run that resumes, \
     the report and the check of the results use it.";

/// What a budget chooses, and what it does not promise.
pub(crate) fn meaning(budget: FrameBudget) -> String {
    let mean = format!(
        "Each method has the most substeps with which the mean cost of a frame was within {budget} when its run was \
         calibrated."
    );
    match budget.is_time() {
        true => format!(
            "{mean} No frame is cut short: single frames may take longer, and so may all of them on another machine, \
             under load, or while observables and replays are recorded. {BY_CLOCK}"
        ),
        false => format!("{mean} No frame is cut short: single frames may cost more."),
    }
}

/// What a table or an answer says of methods whose calibrations are unsteady.
pub(crate) fn unsteady<'r>(records: impl Iterator<Item = &'r CellRecord>) -> Option<String> {
    let said = records.filter_map(|record| {
        let own = record.outcome.calibration()?;
        own.unsteady()?;
        let [fewest, most] = own.possible_substeps();
        Some(format!("{} ({fewest} to {most})", record.method()))
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| {
        format!(
            "The order of the methods could be another: the timed passes of the calibration differ so much \
             that other numbers of substeps could fit the budget. Methods: {}. Run the cells again on a \
             machine without other load.",
            said.join(", ")
        )
    })
}

settings! {
    /// A row per method of a scene: its place, its substeps, what a frame costs, an observable.
    pub struct EqualBudget {
        /// Observable that ranks the methods: the smallest magnitude is first.
        pub quantity: String,
        /// What is taken of it.
        #[serde(default)]
        pub over: Over,
        scenes, schemes, solvers,
    }
}

impl View for EqualBudget {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("equal-budget")?;
        columns.measured(&self.quantity)?;
        if columns.has_budget {
            return Ok(());
        }
        let message = "equal-budget needs a budget in [simulate], as budget = \"2 ms\"";
        Err(Refusal::of_key("equal-budget", message))
    }
}

/// A method of a scene, as the table ranks it.
struct Ranked<'r> {
    record: &'r CellRecord,
    /// The observable, of a run that came to its end.
    value: Option<f64>,
    /// True if the run stepped its scene and came to its end within the budget.
    is_ranked: bool,
}

impl TableKind for EqualBudget {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = self.shown(&bundle.records);
        let calibrated = shown.iter().filter_map(|r| r.outcome.calibration());
        let Some(budget) = calibrated.map(|calibration| calibration.budget).next() else {
            return nothing("no cell has finished a calibration");
        };
        let (scale, unit) = cost_unit(&shown, budget);
        let mut sections = Vec::new();
        for scene in bundle.problems() {
            let own = shown.iter().filter(|r| r.problem.name == scene);
            let mut ranked: Vec<Ranked<'_>> = own.map(|r| self.ranked(bundle, r)).collect();
            if ranked.is_empty() {
                continue;
            }
            ranked.sort_by(in_order);
            let rows = ranked
                .iter()
                .map(|one| row(one, place(&ranked, one), scale));
            sections.push(Section {
                title: scene.to_owned(),
                rows: rows.collect(),
            });
        }
        let unranked = unranked::remark("Without a place", shown.iter().copied());
        let columns = vec![
            Column::numeric("place"),
            Column::text("method"),
            Column::numeric("substeps [-]"),
            Column::numeric(format!("cost of a frame [{unit}]")),
            Column::numeric("share of the budget [-]"),
            Column::numeric(summarised(&self.quantity, self.over)),
            Column::text("remark"),
        ];
        let table = Table {
            columns,
            sections,
            notes: vec![format!(
                "{} Place: the smallest magnitude is first; a run that did not come to its end or is over the \
                     budget has none.",
                meaning(budget)
            )],
        };
        let unsteady = unsteady(shown.iter().copied());
        let notes = unsteady.into_iter().chain(unranked);
        notes.fold(table, Table::noting)
    }
}

impl EqualBudget {
    fn ranked<'r>(&self, bundle: &Bundle, record: &'r CellRecord) -> Ranked<'r> {
        let outcome = &record.outcome;
        let within = outcome.calibration().is_some_and(|own| !own.is_over());
        let value = achieved(record, &self.quantity, self.over, bundle.closed_forms);
        Ranked {
            record,
            value,
            is_ranked: within
                && value.is_some()
                && outcome.status == Status::Solved
                && !record.steps_other_scene(),
        }
    }
}

/// What a cost is multiplied by, and its unit then.
fn cost_unit(shown: &[&CellRecord], budget: FrameBudget) -> (f64, &'static str) {
    if !budget.is_time() {
        return (1.0, "row updates");
    }
    let costs = shown.iter().filter_map(|r| r.outcome.calibration()?.cost());
    let costs: Vec<f64> = costs.collect();
    let scale = second_unit(&costs);
    let units = crate::quantities::SECONDS.iter();
    let mut found = units.filter(|(_, own)| own.to_bits() == scale.to_bits());
    found.next().map_or((1.0, "s"), |(unit, _)| (scale, unit))
}

/// Ranked methods first, by the magnitude of the observable; equal ones in the order of the spec.
fn in_order(a: &Ranked<'_>, b: &Ranked<'_>) -> Ordering {
    let magnitude = |one: &Ranked<'_>| one.value.map_or(f64::INFINITY, f64::abs);
    let values = magnitude(a).total_cmp(&magnitude(b));
    b.is_ranked.cmp(&a.is_ranked).then(values)
}

/// How many methods are better, and one; equal ones share a place.
fn place(all: &[Ranked<'_>], own: &Ranked<'_>) -> Option<usize> {
    let value = own.value.filter(|_| own.is_ranked)?;
    let others = all.iter().filter(|other| other.is_ranked);
    let better = others.filter(|other| other.value.is_some_and(|x| x.abs() < value.abs()));
    Some(1 + better.count())
}

fn row(one: &Ranked<'_>, place: Option<usize>, scale: f64) -> Vec<Cell> {
    let outcome = &one.record.outcome;
    let calibration = outcome.calibration();
    let cost = calibration.and_then(|own| own.cost());
    let share = calibration.and_then(|own| Some(own.cost()? / own.budget.bound()));
    let value = match (one.value, outcome.status) {
        (Some(value), _) => Cell::number(Some(value)),
        (None, Status::Solved) => Cell::text("–"),
        (None, _) => Cell::status(one.record),
    };
    let unsteady = calibration.and_then(Calibration::unsteady);
    let remarks = outcome.message.iter().cloned().chain(unsteady);
    vec![
        place.map_or_else(|| Cell::text("–"), Cell::size),
        Cell::text(one.record.method()),
        calibration.map_or_else(
            || Cell::text("–"),
            |own| Cell::count(u64::from(own.substeps)),
        ),
        Cell::number(cost.map(|cost| scale * cost)),
        Cell::number(share),
        value,
        Cell::text(remarks.collect::<Vec<_>>().join("; ")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Payload, Trial};
    use crate::tables::CellValue;
    use crate::testing;

    /// Two runs of one scene with these costs of a frame, within 40 row updates or over them.
    fn run(costs: [f64; 2]) -> Bundle {
        let mut run = testing::trajectories();
        let scene = run.records[0].problem.name.clone();
        run.records.retain(|r| r.problem.name == scene);
        run.records.truncate(2);
        for (record, cost) in run.records.iter_mut().zip(costs) {
            if let Payload::Simulate(own) = &mut record.outcome.payload {
                own.calibration = Some(Calibration {
                    budget: FrameBudget::RowUpdates(40),
                    substeps: 1,
                    trials: vec![Trial::counted(1, cost)],
                });
            }
        }
        run
    }

    fn table_of(bundle: &Bundle) -> Table {
        let table = EqualBudget {
            quantity: "drift_max".to_owned(),
            over: Over::Last,
            scenes: Vec::new(),
            schemes: Vec::new(),
            solvers: Vec::new(),
        };
        table.table(bundle)
    }

    #[test]
    fn methods_are_ranked_within_the_budget() {
        let run = run([10.0, 30.0]);
        let table = table_of(&run);
        let rows = &table.sections[0].rows;
        let places: Vec<Option<f64>> = rows.iter().map(|row| row[0].value()).collect();
        assert_eq!(places, [Some(1.0), Some(2.0)]);
        let values: Vec<f64> = rows.iter().filter_map(|row| row[5].value()).collect();
        assert!(
            values.len() == 2 && values[0].abs() <= values[1].abs(),
            "{values:?}"
        );
        let shares = rows.iter().filter_map(|row| row[4].value()).sum::<f64>();
        assert!((shares - 1.0).abs() < 1e-15, "{shares}");
        assert!(table.notes[0].contains("within 40 row updates per frame"));
    }

    #[test]
    fn a_method_over_the_budget_has_no_place() {
        let best = table_of(&run([10.0, 10.0])).sections[0].rows[0][1].clone();
        // the better of the two costs too much now
        let mut run = run([41.0, 41.0]);
        for record in &mut run.records {
            if best != Cell::text(record.method())
                && let Payload::Simulate(own) = &mut record.outcome.payload
                && let Some(own) = &mut own.calibration
            {
                own.trials[0].cost = 39.0;
            }
        }
        let table = table_of(&run);
        let rows = &table.sections[0].rows;
        assert_eq!(rows[0][0].value(), Some(1.0));
        assert_eq!(rows[1][0].content, CellValue::Text("–".to_owned()));
        assert_eq!(rows[1][1], best);
    }

    #[test]
    fn an_unsteady_calibration_is_named_with_what_could_fit() {
        let mut run = run([10.0, 10.0]);
        let Payload::Simulate(own) = &mut run.records[1].outcome.payload else {
            panic!("no run of a scene");
        };
        let trial = |substeps, micro: [f64; 5]| Trial {
            substeps,
            cost: 1e-6 * micro[2],
            pass_seconds: micro.map(|pass| 1e-6 * pass).to_vec(),
        };
        own.calibration = Some(Calibration {
            budget: FrameBudget::Seconds(1e-3),
            substeps: 9,
            trials: vec![
                trial(9, [900.0, 901.0, 902.0, 2000.0, 2000.0]),
                trial(10, [1020.0; 5]),
            ],
        });
        let method = run.records[1].method().to_owned();
        let table = table_of(&run);
        let notes = table.notes.join(" ");
        assert!(
            notes.contains("could be another") && notes.contains(&format!("{method} (4 to 9)")),
            "{notes}"
        );
        let rows = &table.sections[0].rows;
        let remarks = rows.iter().map(|row| (&row[1], &row[6]));
        for (name, remark) in remarks {
            let said = *remark == Cell::text("unsteady: 4 to 9 substeps could fit the budget");
            assert_eq!(said, *name == Cell::text(&method), "{remark:?}");
        }
    }

    #[test]
    fn a_method_that_stepped_another_scene_has_no_place() {
        let mut run = run([10.0, 10.0]);
        let best = table_of(&run).sections[0].rows[0][1].clone();
        for record in &mut run.records {
            if best == Cell::text(record.method()) {
                let other = format!("{}no restitution", delassus_core::OTHER_SCENE);
                record.outcome.approximations = vec![other];
            }
        }
        let table = table_of(&run);
        let rows = &table.sections[0].rows;
        assert_eq!(rows[1][1], best);
        assert_eq!(rows[1][0].content, CellValue::Text("–".to_owned()));
        assert!(rows[1][5].value().is_some());
        let note = table.notes.join(" ");
        assert!(
            note.contains("Without a place, because they step another scene"),
            "{note}"
        );
    }

    #[test]
    fn results_without_a_calibration_say_so() {
        let table = table_of(&testing::trajectories());
        assert_eq!(
            table.sections[0].rows[0][0],
            Cell::text("no cell has finished a calibration")
        );
    }
}
