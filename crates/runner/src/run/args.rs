//! What to run: the spec, the folder, the part.

use std::fmt;
use std::path::{Path, PathBuf};
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

/// The command that repeats the run. An absolute path would tell where the user keeps things: its
/// end must do.
pub(super) fn command(args: &RunArgs) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let spec = args.spec.strip_prefix(&here).unwrap_or(&args.spec);
    let spec = if spec.is_absolute() {
        Path::new(spec.file_name().unwrap_or_default())
    } else {
        spec
    };
    let shown = spec.display().to_string();
    if shown.contains([' ', '\'', '"', '\\', '$']) {
        return format!(
            "cargo run --release -- run '{}'",
            shown.replace('\'', r"'\''")
        );
    }
    format!("cargo run --release -- run {shown}")
}
