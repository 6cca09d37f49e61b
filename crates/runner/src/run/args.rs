//! What to run: the spec, the folder, the part.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use delassus_records::build::Build;

use crate::isolate::{Isolation, LimitChoice};

/// What to run, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct RunArgs {
    /// The spec: a file, or the folder of an `experiment.toml`.
    pub spec: PathBuf,
    /// Folder of the results; `results/ID` if left out.
    pub out: Option<PathBuf>,
    /// Cells that run at the same time; more than one disturbs the timing.
    pub jobs: usize,
    /// Run a part of the cells only.
    pub shard: Option<Shard>,
    /// Refuse to run where a solver's device is missing, instead of skipping its cells.
    pub require_gpu: bool,
    /// When cells run in processes of their own; `None` for never.
    pub isolation: Option<Isolation>,
    /// What the process of a cell may take, before what the spec says.
    pub limits: LimitChoice,
    /// What the program was built from, for the origins of cells.
    pub build: Build,
}

/// One of `of` parts of the cells, dealt like cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    /// True if the cell of this place in the matrix belongs to the part.
    pub fn has(self, cell: usize) -> bool {
        cell % self.of == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses `I/N` with 1 ≤ I ≤ N.
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("{text:?} is not I/N with 1 ≤ I ≤ N, as in 2/8");
        let (index, of) = text.split_once('/').ok_or_else(refuse)?;
        let index = index.parse().map_err(|_| refuse())?;
        let of = of.parse().map_err(|_| refuse())?;
        if index == 0 || index > of {
            return Err(refuse());
        }
        Ok(Self { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}
