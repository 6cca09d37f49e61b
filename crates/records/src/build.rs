//! What a program was built from: it says so itself, because only what is built last knows all of
//! it.

use serde_json::{Map, Value};

/// What the program was built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// Version of the program.
    pub version: &'static str,
    /// The last commit that touched the program's source; "unknown" outside of a repository.
    pub commit: &'static str,
    /// "true" if the source differed from that commit, "false", or "unknown".
    pub dirty: &'static str,
    /// The compiler.
    pub rustc: &'static str,
    /// The target triple.
    pub target: &'static str,
    /// "release" or "debug".
    pub profile: &'static str,
    /// Optimisation level that the solvers were compiled with.
    pub solver_opt_level: &'static str,
    /// Versions of the packages that matter to numbers, files and pictures: `NAME VERSION`,
    /// separated by semicolons.
    pub packages: &'static str,
}

impl Build {
    /// A program of which nothing is known.
    pub const UNKNOWN: Self = Self {
        version: "unknown",
        commit: "unknown",
        dirty: "unknown",
        rustc: "unknown",
        target: "unknown",
        profile: "unknown",
        solver_opt_level: "unknown",
        packages: "",
    };

    /// Whether the source differed from the commit; `None` if that is not known.
    pub fn modified(&self) -> Option<bool> {
        self.dirty.parse().ok()
    }

    /// Versions of the packages that matter, by name.
    pub fn versions(&self) -> Map<String, Value> {
        let packages = self.packages.split(';');
        let pairs = packages.filter_map(|package| package.split_once(' '));
        pairs
            .map(|(name, version)| (name.to_owned(), Value::from(version)))
            .collect()
    }
}
