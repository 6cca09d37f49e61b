//! Which figures and tables show times: those can be compared within one machine only.

use super::{Cost, Plot, Show, Work};
use crate::tables::COSTS;

impl Plot {
    /// True if an axis shows times.
    pub fn shows_times(&self) -> bool {
        match self {
            Self::Convergence(plot) => plot.x == Work::Seconds,
            Self::Profile(plot) => plot.cost == Work::Seconds,
            Self::WorkPrecision(plot) => plot.x == Work::Seconds,
            Self::Scaling(plot) => plot.x.is_of_the_clock() || plot.y.is_of_the_clock(),
            Self::Parameter(_) | Self::Trajectory(_) | Self::Heat(_) => false,
        }
    }
}

impl Show {
    /// True if a column shows times.
    pub fn shows_times(&self) -> bool {
        match self {
            Self::Cells { .. } | Self::Layouts {} | Self::Baseline { .. } => true,
            Self::Costs(table) => table.quantity.is_of_the_clock(),
            Self::Trajectories(table) => table.quantity == COSTS[0],
            Self::ClosedForms { .. } | Self::Matrix(_) => false,
        }
    }
}

impl Cost {
    /// True if a clock measures it.
    pub fn is_of_the_clock(self) -> bool {
        !self.is_size() && !matches!(self, Self::BytesPerRow | Self::BytesPerConstraint)
    }
}
