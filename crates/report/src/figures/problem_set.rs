//! What the problems of a set are like: how many have so many contacts, degrees of freedom, or
//! contacts for each of them.

use delassus_records::trace::TraceQuantity;

use crate::analysis::count;
use crate::bundle::{Bundle, by_set};
use crate::columns::{Columns, Refusal, View};
use crate::quantities::words;
use crate::record::{CellRecord, ProblemFacts};
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::{CellFilter, Selection, choices};

use super::chart::{Axis, Chart, Panel};
use super::histogram::Bins;
use super::pooled::{draw_bars, not_positive};
use super::styles::{Member, Styles};
use super::{FigureKind, panels};

choices! {
    /// A number of a problem.
    Property:
    /// Contact points.
    Contacts = "contacts",
    /// Rows.
    Rows = "rows",
    /// Bodies.
    Bodies = "bodies",
    /// Degrees of freedom: six per body.
    DegreesOfFreedom = "degrees_of_freedom",
    /// Contact points per degree of freedom.
    ContactsPerDegree = "contacts_per_degree",
    /// Rows per degree of freedom: above 1 rows depend on each other, and impulses are not unique.
    RowsPerDegree = "rows_per_degree",
    /// Rows that do not depend on others; needs the metric `rank`.
    Rank = "rank",
    /// Rows that depend on others: rows less rank; needs the metric `rank`.
    RedundantRows = "redundant_rows",
    /// Condition of the rows; needs the metric `condition`.
    Condition = "condition",
}

impl Property {
    /// The metric that it is read from.
    fn metric(self) -> Option<&'static str> {
        match self {
            Self::Rank | Self::RedundantRows => Some(TraceQuantity::Rank.doc().id),
            Self::Condition => Some(TraceQuantity::Condition.doc().id),
            _ => None,
        }
    }
}

settings! {
    /// How many problems of each set have how much of something.
    pub struct ProblemSet {
        /// What is counted.
        pub x: Property,
        log_x,
        /// Sets: names of problems or scenes, or what those of a set begin with; a set per first
        /// word if left out.
        #[serde(default)]
        pub sets: Vec<String>,
    }
}

impl CellFilter for ProblemSet {
    fn selection(&self) -> Selection<'_> {
        Selection::of(&self.sets, &[], &[])
    }
}

impl View for ProblemSet {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        match self.x.metric() {
            Some(metric) => columns.of_problem(metric),
            None => Ok(()),
        }
    }
}

impl FigureKind for ProblemSet {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        let sets = self.all(bundle).into_iter();
        let member = |(set, _)| Member {
            name: set,
            family: String::new(),
        };
        sets.map(member).collect()
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let all = self.all(bundle);
        let values = all
            .iter()
            .flat_map(|(_, set)| set)
            .filter_map(|r| self.value(r));
        let values: Vec<f64> = values.collect();
        let shown: Vec<f64> = values.iter().copied().filter(|v| self.fits(*v)).collect();
        let bins = Bins::of(shown.iter().copied(), self.log_x);
        let panel = |(set, records): &(String, Vec<&CellRecord>)| {
            let own: Vec<f64> = records.iter().filter_map(|r| self.value(r)).collect();
            let fits: Vec<f64> = own.iter().copied().filter(|v| self.fits(*v)).collect();
            let mut panel = Panel {
                title: format!("{} ({})", words(set), records.len()),
                ..Panel::empty("no problem of the set has it")
            };
            let Some(bins) = bins.as_ref().filter(|_| !fits.is_empty()) else {
                return panel;
            };
            let counts = bins.counts(&fits);
            let heights: Vec<f64> = counts.iter().map(|n| count(*n as u64)).collect();
            draw_bars(&mut panel, styles, set, bins.outline(&heights));
            panel
        };
        let (shown_sets, more) = (all.iter().take(panels::MOST_PANELS), all.len());
        let shown_panels: Vec<Panel> = shown_sets.map(panel).collect();
        let more = more - shown_panels.len();
        let label = self.label();
        let mut y = Axis::new("problems [-]", false);
        y.include = vec![0.0];
        let mut notes = Vec::from_iter(not_positive(values.len() - shown.len()));
        notes.extend(panels::left_out(more, "set"));
        Chart {
            title: format!("Problems by {label}"),
            description: panels::describe(&shown_panels, &[]),
            x: Axis::new(label, self.log_x),
            y,
            panels: panels::or_reason(shown_panels, panels::NO_CELL),
            legend: Vec::new(),
            notes,
        }
    }

    /// One row per problem.
    fn data(&self, bundle: &Bundle) -> Table {
        let columns = vec![
            Column::text("set"),
            Column::text("name"),
            Column::numeric(self.label()),
        ];
        let rows = self.all(bundle).into_iter().flat_map(|(set, records)| {
            let row = move |record: &CellRecord| {
                vec![
                    Cell::text(&set),
                    Cell::text(&record.problem.name),
                    Cell::number(self.value(record)),
                ]
            };
            records.into_iter().map(row).collect::<Vec<_>>()
        });
        Table::plain(columns, rows.collect(), [])
    }
}

impl ProblemSet {
    /// The sets with one record of each of their problems.
    fn all<'b>(&self, bundle: &'b Bundle) -> Vec<(String, Vec<&'b CellRecord>)> {
        let problems = bundle.problems().into_iter();
        let first = problems.filter_map(|name| {
            let own = || bundle.records.iter().filter(|r| r.problem.name == name);
            // a cell that did not run has not measured its problem
            let known = own().find(|r| self.value(r).is_some());
            known.or_else(|| own().next())
        });
        let first: Vec<&CellRecord> = first.filter(|r| self.selection().shows(r)).collect();
        by_set(&first, &self.sets)
    }

    fn value(&self, record: &CellRecord) -> Option<f64> {
        let ProblemFacts {
            rows,
            contacts,
            bodies,
            ..
        } = record.facts;
        let number = |n: usize| count(n as u64);
        let degrees = bodies.map(|n| 6.0 * number(n)).filter(|n| *n > 0.0);
        match self.x {
            Property::Contacts => Some(number(contacts)),
            Property::Rows => Some(number(rows)),
            Property::Bodies => bodies.map(number),
            Property::DegreesOfFreedom => degrees,
            Property::ContactsPerDegree => degrees.map(|n| number(contacts) / n),
            Property::RowsPerDegree => degrees.map(|n| number(rows) / n),
            Property::Rank => self.measured(record),
            Property::RedundantRows => self.measured(record).map(|rank| number(rows) - rank),
            Property::Condition => self.measured(record),
        }
    }

    fn measured(&self, record: &CellRecord) -> Option<f64> {
        record.outcome.last(self.x.metric()?)
    }

    fn fits(&self, value: f64) -> bool {
        !self.log_x || value > 0.0
    }

    /// Name and unit.
    fn label(&self) -> String {
        let name = match self.x {
            Property::Contacts => "contact points",
            Property::Rows => "rows",
            Property::Bodies => "bodies",
            Property::DegreesOfFreedom => "degrees of freedom, six per body",
            Property::ContactsPerDegree => "contact points per degree of freedom",
            Property::RowsPerDegree => "rows per degree of freedom",
            Property::Rank => "rank of the rows",
            Property::RedundantRows => "redundant rows",
            Property::Condition => "condition of the rows",
        };
        format!("{name} [-]")
    }
}
