//! One number of a cell against another: one mark per cell, one panel.

use serde::{Deserialize, Serialize};

use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::tables::{Cell, Table};
use crate::view::{Over, Selection};

use super::chart::{Axis, Chart, Form, Panel};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};

/// One number of a cell against another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// Number on the horizontal axis.
    pub x: String,
    /// Number on the vertical axis.
    pub y: String,
    /// Solvers to show, by name or by what their names begin with; all if left out.
    #[serde(default)]
    pub solvers: Vec<String>,
}

impl Scatter {
    fn numbers<'a>(&'a self, bundle: &'a Bundle) -> [Number<'a>; 2] {
        [&self.x, &self.y].map(|name| Number::of(bundle, name, Over::default()))
    }
}

impl View for Scatter {
    fn selection(&self) -> Selection<'_> {
        Selection::of(&[], &[], &self.solvers)
    }

    fn shows_times(&self) -> bool {
        [&self.x, &self.y]
            .into_iter()
            .any(|name| Number::is_of_the_clock(name))
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.number(&self.x)?;
        columns.number(&self.y)
    }
}

impl FigureKind for Scatter {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |record| self.selection().shows(record))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let [x, y] = self.numbers(bundle);
        let names = grouping::names(self.members(bundle));
        let curves = names.iter().map(|name| {
            let own = bundle.records.iter().filter(|r| r.method() == name);
            let points = own.filter_map(|r| x.value(r).zip(y.value(r)));
            panels::curve(styles, name, points.collect(), Form::Marks)
        });
        let panel = Panel {
            curves: curves.collect(),
            ..Panel::empty("no cell has both numbers")
        };
        let legend = names.iter().filter_map(|name| {
            let own = bundle.records.iter().filter(|r| r.method() == name);
            panels::by_value(name, own, |r| y.value(r).is_some(), styles)
        });
        Chart {
            title: format!("{} against {}", y.label(), x.label()),
            description: format!("One mark per run. Series: {}.", names.join(", ")),
            x: Axis::new(x.label(), true),
            y: Axis::new(y.label(), true),
            panels: vec![panel],
            legend: legend.collect(),
            notes: Vec::new(),
        }
    }

    fn data(&self, bundle: &Bundle) -> Table {
        let [x, y] = self.numbers(bundle);
        data::per_cell(bundle, self.selection(), [x.label(), y.label()], |record| {
            [x, y]
                .map(|number| Cell::number(number.value(record)))
                .to_vec()
        })
    }
}
