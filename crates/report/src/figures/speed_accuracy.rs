//! How fast a method is against how wrong: right and up is better on both axes.

use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{Kind, Work, choices, one_or_more};

use super::FigureKind;
use super::chart::{Chart, Note};
use super::styles::{Member, Styles};
use super::work_precision::{Across, WorkPrecision};

choices! {
    /// What speed is measured in.
    #[derive(Default)]
    Speed:
    /// Time that a run covers over the time that it takes.
    #[default]
    RealTimeFactor = "real_time_factor",
    /// Seconds of the run or solve: left is better.
    Seconds = "seconds",
    /// Row updates of the run or solve: left is better.
    RowUpdates = "row_updates",
}

settings! {
    /// How fast a method is against how wrong, one mark per cell.
    pub struct SpeedAccuracy {
        /// What speed is measured in; runs of scenes have a real-time factor.
        #[serde(default)]
        pub x: Speed,
        /// Error: a number of a cell. Small values lie at the top.
        pub y: String,
        over,
        /// Parameters along which cells are joined to a line through budgets (as
        /// "scheme.substeps").
        #[serde(
            default,
            deserialize_with = "one_or_more",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub along: Vec<String>,
        problems | scenes, schemes, solvers,
        /// Values below are drawn here and marked.
        #[serde(default)]
        pub floor: Option<f64>,
    }
}

impl View for SpeedAccuracy {
    fn shows_times(&self) -> bool {
        self.x != Speed::RowUpdates || self.work().shows_times()
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        if self.x == Speed::RealTimeFactor && columns.kind != Kind::Trajectories {
            let message = "a solve covers no time: write x = \"seconds\" or \"row_updates\"";
            return Err(Refusal::of_key("speed-accuracy", message));
        }
        let mut own = self.work();
        own.check(columns)?;
        self.along = own.along;
        Ok(())
    }
}

impl FigureKind for SpeedAccuracy {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        self.work().members(bundle)
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let mut chart = self.work().drawn(bundle, self.across(), styles);
        chart.y.inverted = true;
        let better = match self.x {
            Speed::RealTimeFactor => "better: up, smaller errors; right, faster",
            Speed::Seconds | Speed::RowUpdates => "better: up, smaller errors; left, less work",
        };
        chart.notes.insert(0, Note::plain(better));
        chart
    }

    /// One row per mark.
    fn data(&self, bundle: &Bundle) -> Table {
        self.work().rows(bundle, self.across())
    }
}

impl SpeedAccuracy {
    fn across(&self) -> Across {
        match self.x {
            Speed::RealTimeFactor => Across::RealTime,
            Speed::Seconds => Across::Work(Work::Seconds),
            Speed::RowUpdates => Across::Work(Work::RowUpdates),
        }
    }

    /// The same with the axes of work and precision.
    fn work(&self) -> WorkPrecision {
        WorkPrecision {
            x: match self.x {
                Speed::RowUpdates => Work::RowUpdates,
                Speed::RealTimeFactor | Speed::Seconds => Work::Seconds,
            },
            y: self.y.clone(),
            over: self.over,
            along: self.along.clone(),
            scenes: self.problems.clone(),
            schemes: self.schemes.clone(),
            solvers: self.solvers.clone(),
            floor: self.floor,
        }
    }
}
