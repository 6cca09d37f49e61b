//! Projection against recomputation for joints of one to six rows: closed forms, counted bytes,
//! measured times.

use crate::analysis::{cost, layouts};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{CellFilter, Cost};

use super::{Cell, CellValue, Column, Table, TableKind, nothing};

/// Bytes of a number in a lane.
const NUMBER: f64 = 4.0;

settings! {
    /// What joints of one to six rows store in two layouts: by closed form, counted and timed.
    pub struct Layouts {}
}

impl CellFilter for Layouts {}

impl View for Layouts {
    fn shows_times(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.cost("layouts", Cost::WorkingSet)
    }
}

impl TableKind for Layouts {
    /// One row per number of rows of a joint.
    fn table(&self, bundle: &Bundle) -> Table {
        let dofs = (1..=6).filter(|dof| cells(bundle, *dof).len() > 1);
        let rows: Vec<Vec<Cell>> = dofs.map(|dof| row(bundle, dof)).collect();
        if rows.is_empty() {
            return nothing(
                "no cell is of a joint with a parameter dof in a solver with a parameter layout",
            );
        }
        let columns = [
            "rows of a joint [-]",
            "projection stores more, full matrices [numbers]",
            "projection stores more, symmetric matrices [numbers]",
            "projection saves [multiplications]",
            "projection saves [additions]",
            "recompute, counted per joint [B]",
            "projection, counted per joint [B]",
            "projection moves more, counted [numbers]",
            "projection over recompute, smallest problem, time [-]",
            "projection over recompute, largest problem, time [-]",
        ];
        Table::plain(columns.map(Column::numeric).to_vec(), rows, []).noting(
            "Times at the widest lanes of the run. Counted bytes are those of the layout with the fullest bundles, velocities \
             included.",
        )
    }
}

fn row(bundle: &Bundle, dof: i64) -> Vec<Cell> {
    let cells = cells(bundle, dof);
    let counted = |layout: &str| {
        let own = cells.iter().filter(|r| layout_of(r) == Some(layout));
        let bytes = own.filter_map(|r| cost(r, Cost::BytesPerConstraint));
        bytes.min_by(f64::total_cmp)
    };
    let (recompute, projection) = (counted("recompute"), counted("projection"));
    let more = projection.zip(recompute).map(|(p, r)| (p - r) / NUMBER);
    let widest = cells.iter().map(|r| lanes(r)).max().unwrap_or(0);
    let mut sizes: Vec<usize> = cells.iter().map(|r| r.facts.rows).collect();
    sizes.sort_unstable();
    let ratio = |rows: Option<&usize>| {
        let time = |layout: &str| {
            let mut own = cells.iter().filter(|r| {
                layout_of(r) == Some(layout) && lanes(r) == widest && Some(&r.facts.rows) == rows
            });
            own.find_map(|r| cost(r, Cost::Seconds))
        };
        Some(time("projection")? / time("recompute")?)
    };
    let whole = |value: i64| Cell::from(CellValue::Text(value.to_string().replace('-', "−")));
    vec![
        whole(dof),
        whole(layouts::full(dof)),
        whole(layouts::symmetric(dof)),
        whole(layouts::multiplications(dof)),
        whole(layouts::additions(dof)),
        Cell::number(recompute),
        Cell::number(projection),
        Cell::number(more),
        Cell::number(ratio(sizes.first())),
        Cell::number(ratio(sizes.last())),
    ]
}

/// The finished cells of joints with so many rows, in solvers that have a layout.
fn cells(bundle: &Bundle, dof: i64) -> Vec<&CellRecord> {
    let wanted = |r: &&CellRecord| {
        let own = r.problem.parameters.get("dof").and_then(|v| v.as_i64());
        own == Some(dof) && layout_of(r).is_some() && cost(r, Cost::Seconds).is_some()
    };
    bundle.records.iter().filter(wanted).collect()
}

fn layout_of(record: &CellRecord) -> Option<&str> {
    record.solver.parameters.get("layout")?.as_str()
}

/// Lanes of the vector level that the solver was asked for; zero for the automatic one.
fn lanes(record: &CellRecord) -> usize {
    let level = record.solver.parameters.get("level");
    let level = level.and_then(|level| level.as_str());
    level.map_or(0, layouts::lanes)
}
