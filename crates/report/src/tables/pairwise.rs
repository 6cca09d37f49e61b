//! Solver × solver: on how many problems one needs less than the other, and whether that is more
//! than chance.

use delassus_core::Status;

use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, positive};
use crate::compare::{Change, Comparison, Ending, Goal, Side, compare};
use crate::numbers::significant;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::unranked;
use crate::view::{CellFilter, Kind, Work, headline};

use super::{Cell, Column, Table, TableKind, nothing};

/// Methods that are compared with each other at most: a table of more cannot be read.
const MOST: usize = 16;

fn row_updates() -> Work {
    Work::RowUpdates
}

settings! {
    /// Wins, ties and losses of each solver against each other one, with probabilities adjusted for
    /// all pairs.
    pub struct Pairwise {
        /// What is needed to reach the tolerance; row updates if left out.
        #[serde(default = "row_updates")]
        pub cost: Work,
        /// Metric that must fall to the tolerance, of solves.
        #[serde(default = "headline")]
        pub metric: String,
        /// The tolerance \[-\]; that of the run if left out.
        #[serde(default)]
        pub tolerance: Option<f64>,
        /// Problems or scenes to compare on, by name or by what their names begin with; all if left
        /// out.
        problems | scenes,
        /// Schemes to compare, by label or by what labels begin with.
        schemes,
        /// Solvers to compare, by label or by what labels begin with.
        solvers,
    }
}

impl View for Pairwise {
    fn shows_times(&self) -> bool {
        self.cost == Work::Seconds
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        positive("tolerance", self.tolerance)?;
        if columns.kind == Kind::Timings && self.cost != Work::Seconds {
            let message = "sweeps that are timed all cost the same: write cost = \"seconds\"";
            return Err(Refusal::of_key("pairwise", message));
        }
        match columns.kind {
            Kind::Solves => columns.measured(&self.metric),
            Kind::Timings | Kind::Trajectories => Ok(()),
        }
    }
}

impl TableKind for Pairwise {
    fn table(&self, bundle: &Bundle) -> Table {
        let mut own = bundle.clone();
        own.records.retain(|record| {
            self.selection().shows(record) && record.outcome.status != Status::Unsupported
        });
        let schemes = || own.records.iter().filter_map(CellRecord::scheme);
        let engine = schemes().find(|scheme| scheme.is_engine());
        if let (Some(engine), Work::Sweeps | Work::RowUpdates) = (engine, self.cost) {
            return nothing(format!(
                "the engine {} counts no sweeps and no row updates; write cost = \"seconds\"",
                engine.label
            ));
        }
        let unranked = unranked::remark("Left out", &own.records);
        own.records.retain(|record| !record.steps_other_scene());
        let methods = own.solvers();
        if methods.len() < 2 {
            return nothing("fewer than two methods have finished a cell");
        }
        if methods.len() > MOST {
            let all = methods.len();
            return nothing(format!(
                "{all} methods: more than {MOST} do not fit into a table; choose some with solvers or schemes"
            ));
        }
        let goal = Goal {
            cost: self.cost,
            metric: self.metric.clone(),
            tolerance: self.tolerance.unwrap_or(own.tolerance),
        };
        let side = |method| Side {
            bundle: &own,
            method,
            name: method,
        };
        let mut pairs = Vec::new();
        let mut alone = Vec::new();
        for (i, a) in methods.iter().enumerate() {
            for b in &methods[i + 1..] {
                let shared = own.problems().into_iter();
                let mut shared =
                    shared.filter(|p| own.cell(p, a).is_some() && own.cell(p, b).is_some());
                match shared.next() {
                    Some(_) => pairs.push((side(*a), side(*b))),
                    None => alone.push(format!("{a} and {b}")),
                }
            }
        }
        match compare(&pairs, &goal) {
            Ok(compared) => {
                let table = matrix(&methods, &compared, &alone);
                unranked.into_iter().fold(table, Table::noting)
            }
            Err(error) => nothing(error.to_string()),
        }
    }
}

/// The table, row by row: what a method achieves against that of the column.
fn matrix(methods: &[&str], compared: &[Comparison], alone: &[String]) -> Table {
    let mut columns = vec![Column::text("wins / ties / losses against")];
    columns.extend(methods.iter().map(|method| Column::numeric(*method)));
    let rows = methods.iter().map(|a| {
        let cells = methods.iter().map(|b| against(compared, a, b));
        std::iter::once(Cell::text(*a)).chain(cells).collect()
    });
    let mut notes = vec![
        "On how many problems the method of the row needs less than that of the column, as much, more; problems that neither \
         solves are ties. p: Wilcoxon's signed-rank test, adjusted for all pairs by Holm. Bold: the row needs less, beyond chance."
            .to_owned(),
    ];
    if !alone.is_empty() {
        notes.push(format!(
            "Without a problem in common: {}.",
            alone.join("; ")
        ));
    }
    Table::plain(columns, rows.collect(), notes)
}

fn against(compared: &[Comparison], a: &str, b: &str) -> Cell {
    let of = |first: &str, second: &str| compared.iter().find(|c| c.a == first && c.b == second);
    let (comparison, turned) = match (of(a, b), of(b, a)) {
        (Some(found), _) => (found, false),
        (None, Some(found)) => (found, true),
        (None, None) => return Cell::text("–"),
    };
    let [mut wins, mut losses] = [Ending::Win, Ending::Loss].map(|ending| comparison.count(ending));
    if turned {
        (wins, losses) = (losses, wins);
    }
    let ties = comparison.count(Ending::Tie) + comparison.count(Ending::Neither);
    let p = significant(comparison.adjusted, 2);
    let mut cell = Cell::text(format!("{wins} / {ties} / {losses}, p = {p}"));
    // the change is that of b compared with a
    let less = if turned { Change::Less } else { Change::More };
    cell.best = comparison.change() == less;
    cell
}
