//! The kinds of views, and what is known of the cells that they ask about.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;

use crate::columns::{Columns, Refusal, RefusedPart, View};
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::strips::StripSpec;
use crate::tables::TableSpec;

/// What is known of the cells that views ask about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KnownCells<'c> {
    /// Nothing: the rest of the spec has errors that hide it.
    Nothing,
    /// A part: something of the spec is wrong, and left out. These are all the keys that it gives
    /// to problems, scenes, schemes and solvers, right and wrong ones.
    Part(&'c Columns<'c>, &'c BTreeSet<String>),
    /// Everything.
    Whole(&'c Columns<'c>),
}

impl<'c> KnownCells<'c> {
    pub(super) fn columns(self) -> Option<&'c Columns<'c>> {
        match self {
            Self::Nothing => None,
            Self::Part(columns, _) | Self::Whole(columns) => Some(columns),
        }
    }

    /// True if a refusal does not come from what has been left out.
    pub(super) fn is_certain(self, refusal: &Refusal) -> bool {
        let says = |what: &str| refusal.message.starts_with(what);
        let keys = match self {
            Self::Nothing => return false,
            Self::Part(_, keys) => keys,
            Self::Whole(_) => return true,
        };
        let RefusedPart::Value(text) = &refusal.place else {
            // whatever the cells are
            return says("a gate needs ") || says("status has no order");
        };
        let key = text.rsplit('.').next().unwrap_or(text);
        says("unknown status ")
            || says("unknown metric ")
            || says("unknown observable ")
            || (says("unknown parameter ") && !keys.contains(key))
    }
}

/// One kind of view.
pub(super) trait ShownView: DeserializeOwned {
    /// Key of their array in a spec.
    const KEY: &'static str;
    /// As in a spec.
    const LABEL: &'static str;
    /// True if each refusal is of one fault of its own, and [`Self::refusals`] has them all.
    const AT_ONCE: bool = false;

    /// What is refused, at least the first of it.
    fn refusals(&mut self, columns: &Columns<'_>) -> Vec<Refusal>;
}

impl ShownView for FigureSpec {
    const KEY: &'static str = "figure";
    const LABEL: &'static str = "[[figure]]";

    fn refusals(&mut self, columns: &Columns<'_>) -> Vec<Refusal> {
        self.plot.check(columns).err().into_iter().collect()
    }
}

impl ShownView for TableSpec {
    const KEY: &'static str = "table";
    const LABEL: &'static str = "[[table]]";

    fn refusals(&mut self, columns: &Columns<'_>) -> Vec<Refusal> {
        self.show.check(columns).err().into_iter().collect()
    }
}

impl ShownView for StripSpec {
    const KEY: &'static str = "strip";
    const LABEL: &'static str = "[[strip]]";

    fn refusals(&mut self, columns: &Columns<'_>) -> Vec<Refusal> {
        self.check(columns).err().into_iter().collect()
    }
}

impl ShownView for GateSpec {
    const KEY: &'static str = "gate";
    const LABEL: &'static str = "[[gate]]";
    const AT_ONCE: bool = true;

    fn refusals(&mut self, columns: &Columns<'_>) -> Vec<Refusal> {
        Self::refusals(self, columns)
    }
}
