//! Set by set: how many problems there are, what they are like, and how the fastest solver does.

use delassus_core::Status;
use serde_json::Value;

use crate::analysis::count;
use crate::bundle::{Bundle, by_set, distinct};
use crate::columns::{Columns, Number, Refusal, View};
use crate::numbers::{power, significant};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{CellFilter, Over, Selection};

use super::{Cell, Column, Table, TableKind, nothing};

/// The time that the fastest is found by: of a sweep, a step, or a solve to its tolerance.
const TIME: &str = "seconds";
/// Name of the coefficient of friction among the parameters of generators and scenes.
const FRICTION: &str = "friction";

settings! {
    /// A row per set of problems or scenes: number, sizes, friction, tolerance, limit, the fastest,
    /// what nobody solves.
    pub struct TestSet {
        /// Sets: names of problems or scenes, or what those of a set begin with; a set per first
        /// word if left out.
        #[serde(default)]
        pub sets: Vec<String>,
        /// Schemes to choose the fastest from, by name or by what their names begin with; all if
        /// left out.
        #[serde(default)]
        pub schemes: Vec<String>,
        /// Solvers to choose the fastest from, by label or by what labels begin with.
        #[serde(default)]
        pub solvers: Vec<String>,
    }
}

impl CellFilter for TestSet {
    fn selection(&self) -> Selection<'_> {
        Selection::of(&self.sets, &self.schemes, &self.solvers)
    }
}

impl View for TestSet {
    fn shows_times(&self) -> bool {
        true
    }

    fn check(&mut self, _: &Columns<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}

impl TableKind for TestSet {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = self.shown(&bundle.records);
        if shown.is_empty() {
            return nothing("no cell has finished");
        }
        let sets = by_set(&shown, &self.sets);
        let number = Number::of(bundle, TIME, Over::Last);
        let fastest = format!("fastest: {}, mean ± σ", number.label());
        let columns = vec![
            Column::text("name"),
            Column::numeric("problems [-]"),
            Column::numeric("bodies [-]"),
            Column::numeric("contacts [-]"),
            Column::numeric("joints [-]"),
            Column::numeric("friction [-]"),
            Column::numeric("tolerance [-]"),
            Column::numeric("limit [sweeps]"),
            Column::numeric(fastest),
            Column::numeric("the same per contact [s]"),
            Column::numeric("not solved [-]"),
        ];
        let rows = sets.iter().map(|(set, own)| row(bundle, set, own, number));
        let goal = match bundle.is_over_time() {
            true => "steps to the end",
            false => "solves",
        };
        Table::plain(columns, rows.collect(), []).noting(format!(
            "Fastest: of each problem the method that {goal} in the least time; mean and standard deviation over the problems. \
             Not solved: problems that no method {goal}. Joints: constraints that are no contact points. Limit: the sweeps at \
             which a solve was stopped, `–` where none was."
        ))
    }
}

fn row(bundle: &Bundle, set: &str, cells: &[&CellRecord], number: Number<'_>) -> Vec<Cell> {
    let names = distinct(cells.iter().map(|r| r.problem.name.as_str()));
    let of = |name: &str| -> Vec<&CellRecord> {
        let own = cells.iter().copied();
        own.filter(|r| r.problem.name == name).collect()
    };
    let problems: Vec<Vec<&CellRecord>> = names.iter().map(|name| of(name)).collect();
    let first = || problems.iter().filter_map(|own| own.first());
    let range = |value: &dyn Fn(&CellRecord) -> Option<f64>| {
        let values = first().filter_map(|r| value(r));
        ends(values.collect())
    };
    let number_of = |n: usize| Some(count(n as u64));
    let fastest = problems.iter().filter_map(|own| {
        let solved = own.iter().filter(|r| r.outcome.status == Status::Solved);
        let times = solved.filter_map(|r| number.value(r));
        let least = times.min_by(f64::total_cmp)?;
        let contacts = count(own.first()?.facts.contacts as u64);
        Some((least, least / contacts))
    });
    let (all, mut each): (Vec<f64>, Vec<f64>) = fastest.unzip();
    each.retain(|per_contact| per_contact.is_finite());
    let unsolved = problems.iter().filter(|own| {
        let solved = |r: &&CellRecord| r.was_attempted() && r.outcome.status == Status::Solved;
        !own.iter().any(solved)
    });
    let stopped = cells.iter();
    let stopped = stopped.filter(|r| r.outcome.status == Status::MaxSweeps);
    let limit = stopped.map(|r| r.outcome.sweeps).max();
    let tolerance = match bundle.tolerance > 0.0 {
        true => power(bundle.tolerance),
        false => "–".to_owned(),
    };
    vec![
        Cell::text(set),
        Cell::size(problems.len()),
        Cell::text(range(&|r| number_of(r.facts.bodies?))),
        Cell::text(range(&|r| number_of(r.facts.contacts))),
        Cell::text(range(&|r| {
            number_of(r.facts.blocks.saturating_sub(r.facts.contacts))
        })),
        Cell::text(range(&|r| {
            r.problem.parameters.get(FRICTION).and_then(Value::as_f64)
        })),
        Cell::text(tolerance),
        limit.map_or_else(|| Cell::text("–"), Cell::count),
        Cell::text(deviation(&all)),
        Cell::text(deviation(&each)),
        Cell::size(unsolved.count()),
    ]
}

/// The range of some numbers: one if they agree, `–` if there are none.
fn ends(values: Vec<f64>) -> String {
    let low = values.iter().copied().reduce(f64::min);
    let high = values.iter().copied().reduce(f64::max);
    let shown = |value: f64| match value.fract() == 0.0 && value < 1e6 {
        true => format!("{value:.0}"),
        false => significant(value, 3),
    };
    match (low, high) {
        (Some(low), Some(high)) if low == high => shown(low),
        (Some(low), Some(high)) => format!("{}–{}", shown(low), shown(high)),
        _ => "–".to_owned(),
    }
}

/// Mean and standard deviation of a sample.
fn deviation(values: &[f64]) -> String {
    let n = count(values.len() as u64);
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    match values.len() {
        0 => "–".to_owned(),
        1 => significant(mean, 3),
        _ => {
            let sigma = (squares / (n - 1.0)).sqrt();
            format!("{} ± {}", significant(mean, 3), significant(sigma, 2))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_deviations_say_what_there_is() {
        assert_eq!(ends(vec![3.0, 12.0]), "3–12");
        assert_eq!(ends(vec![0.3]), "0.300");
        assert_eq!(ends(Vec::new()), "–");
        assert_eq!(deviation(&[1.0, 3.0]), "2.00 ± 1.4");
        assert_eq!(deviation(&[2.0]), "2.00");
        assert_eq!(deviation(&[]), "–");
    }
}
