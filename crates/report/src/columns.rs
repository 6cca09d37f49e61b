//! What the cells of an experiment have that figures and tables can ask for.
//!
//! | experiment | along its samples | one number of a cell |
//! |---|---|---|
//! | solves | metrics against sweeps, row updates, seconds | a metric's last value, a number of the trace as `rate`, work to the tolerance |
//! | timings | metrics before and after the sweeps | a metric's last value, what a sweep costs |
//! | trajectories | observables against time | what an observable comes to, what a step costs |
//!
//! Every cell has its work, and the parameters of its problem or scene, scheme and solver. A view
//! asks for what it shows, not for the kind of experiment that has it.

mod checks;
mod number;

use crate::view::{CellFilter, Kind};

pub(crate) use checks::{positive, tolerances};
pub(crate) use number::Number;

/// Stands for a name that is wrong and has been refused: checks accept it, so that they find what
/// else is wrong.
pub const ANYTHING: &str = "\u{1a}a name that was refused";

/// An entry of a spec with the parameters that it sets.
#[derive(Debug, Clone)]
pub struct Family<'e> {
    /// Identifier of a generator or scene; label of a solver, or its identifier where it has none.
    pub name: &'e str,
    /// Names of the parameters.
    pub parameters: Vec<&'e str>,
}

/// The columns of an experiment, known from its spec alone.
#[derive(Debug, Clone)]
pub struct Columns<'e> {
    /// What the experiment does.
    pub kind: Kind,
    /// Metrics or observables of its samples.
    pub measured: &'e [String],
    /// True for the name of a metric or observable that such an experiment could measure.
    pub known: fn(&str) -> bool,
    /// Generators or scenes; files have no parameters.
    pub problems: Vec<Family<'e>>,
    /// Schemes.
    pub schemes: Vec<Family<'e>>,
    /// Solvers.
    pub solvers: Vec<Family<'e>>,
    /// True if a budget per frame chooses the substeps of schemes.
    pub has_budget: bool,
    /// True if a problem is worlds of one structure.
    pub has_worlds: bool,
}

/// Why a view cannot be shown of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What of the view is meant.
    pub place: RefusedPart,
    /// What, with what to do.
    pub message: String,
}

/// A part of the settings of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusedPart {
    /// A key, or the name of the kind.
    Key(&'static str),
    /// A text among the values.
    Value(String),
}

impl Refusal {
    /// A refusal of what stands under a key.
    pub(crate) fn of_key(key: &'static str, message: impl Into<String>) -> Self {
        Self {
            place: RefusedPart::Key(key),
            message: message.into(),
        }
    }

    /// A refusal of a text.
    pub(crate) fn of_value(value: &str, message: impl Into<String>) -> Self {
        Self {
            place: RefusedPart::Value(value.to_owned()),
            message: message.into(),
        }
    }
}

/// What figures and tables of all kinds have in common.
pub trait View: CellFilter {
    /// Names of scenes or problems that its settings mention besides the selection.
    fn scenes_named(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names of methods, each in full, that its settings mention besides the selection.
    fn methods_named(&self) -> Vec<String> {
        Vec::new()
    }

    /// True if it shows times: those compare within one machine only.
    fn shows_times(&self) -> bool {
        false
    }

    /// True if it shows the impulses of contact points, which are stored next to the records.
    fn shows_impulses(&self) -> bool {
        false
    }

    /// True if the work of every cell stands next to its times anyway.
    fn shows_work(&self) -> bool {
        false
    }

    /// Refuses what the experiment does not have and what cannot be meant; writes parameters with
    /// their parts in front.
    ///
    /// # Errors
    /// The first setting that is refused.
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal>;
}

/// The list of the kinds of a view: an enum by the names of specs, and what each kind implements.
macro_rules! kinds {
    ($(#[$meta:meta])* $list:ident: $trait:ident, $($kind:ident),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $list {
            $(#[doc = concat!("See [`", stringify!($kind), "`].")] $kind($kind),)+
        }

        impl $list {
            pub(crate) fn kind(&self) -> &(dyn $trait + 'static) {
                match self {
                    $(Self::$kind(kind) => kind,)+
                }
            }

            pub(crate) fn kind_mut(&mut self) -> &mut (dyn $trait + 'static) {
                match self {
                    $(Self::$kind(kind) => kind,)+
                }
            }
        }

        impl $crate::settings::Setting for $list {
            fn schema() -> serde_json::Value {
                $crate::settings::kinds(&[$((
                    stringify!($kind),
                    <$kind as $crate::settings::Setting>::schema(),
                )),+])
            }
        }

        impl std::ops::Deref for $list {
            type Target = dyn $crate::columns::View;

            fn deref(&self) -> &Self::Target {
                self.kind()
            }
        }

        impl std::ops::DerefMut for $list {
            fn deref_mut(&mut self) -> &mut Self::Target {
                self.kind_mut()
            }
        }
    };
}
pub(crate) use kinds;
