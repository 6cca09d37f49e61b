//! Words that figures and tables share: cells and parameters that they choose, work, costs, what is
//! taken of a run.

/// Choices of a spec: an enum with the identifier of each, which specs and records write.
macro_rules! choices {
    ($(#[$meta:meta])* $choice:ident: $($(#[$doc:meta])* $value:ident = $id:literal,)+) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $choice {
            $($(#[$doc])* #[serde(rename = $id)] $value,)+
        }

        impl $choice {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The identifier used in specs and records.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$value => $id,)+
                }
            }
        }

        impl $crate::settings::Setting for $choice {
            fn schema() -> serde_json::Value {
                $crate::settings::one_of(&[$($id),+])
            }
        }
    };
}

pub(crate) use choices;

mod choice;
mod cost;
mod list;

pub use choice::{CellComponent, CellFilter, DT, Over, ParameterPath, Selection, named};
pub use cost::Cost;
pub(crate) use list::one_or_more;

/// What an experiment does with its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Solves frozen problems.
    Solves,
    /// Times sweeps over frozen problems.
    Timings,
    /// Steps scenes.
    Trajectories,
}

impl Kind {
    /// What a cell is about: "problem" or "scene".
    pub(crate) fn subject(self) -> &'static str {
        match self {
            Self::Solves | Self::Timings => "problem",
            Self::Trajectories => "scene",
        }
    }
}

choices! {
    /// A measure of work.
    Work:
    /// Passes over all rows.
    Sweeps = "sweeps",
    /// Scalar row updates.
    RowUpdates = "row_updates",
    /// Seconds of prepare and iterate, without any metric.
    Seconds = "seconds",
}

/// Metric of views that name none.
pub fn headline() -> String {
    "natural_map".to_owned()
}
