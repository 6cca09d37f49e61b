//! Every solver and scheme of the program: what `list` prints, specs name and `run` builds.

mod composition;

use delassus_core::registry::{self, Solvers};
use delassus_core::{EntryError, Solver, SolverVisitor, is_engine};
use delassus_dynamics::{SchemeEntry, entry};
use delassus_scheme_jacobi::{JacobiSoftStep, PeriDyno2021};
use delassus_scheme_reduced::ArticulatedBody;
use delassus_solver_wrap::wrappers;

pub use delassus_scheme_process as engine;
pub use delassus_solver_auto::OPT_LEVEL;
pub use delassus_solver_process as process;
pub use delassus_solver_wrap::WrapperEntry;

/// One solver that can be built from parameters.
pub type SolverEntry = delassus_core::Entry<Solvers>;

/// The solvers of a program, in the order of the documentation.
#[derive(Debug, Clone)]
pub struct Registry {
    entries: Vec<SolverEntry>,
    wrappers: Vec<WrapperEntry>,
    commands: process::Commands,
    reads_results: bool,
    /// How many entries are of the workspace: those of other packages stand behind them.
    workspace: usize,
}

impl Registry {
    /// No solvers.
    pub fn empty() -> Self {
        Self {
            entries: Vec::new(),
            wrappers: Vec::new(),
            commands: process::Commands::Refuse,
            reads_results: false,
            workspace: 0,
        }
    }

    /// The same registry, which starts the program of a name `cmd:COMMAND`, `py:MODULE:CLASS` or
    /// `engine-cmd:COMMAND`, and refuses a name whose program does not start. Without it nothing
    /// that a spec or a results folder names is started but the peers and engines of this machine.
    #[must_use]
    pub fn with_commands(mut self) -> Self {
        self.commands = process::Commands::Start;
        self
    }

    /// The same registry for reading results that other programs may have made. What a run refuses
    /// is only absent here: the program of a name `cmd:COMMAND` or `py:MODULE:CLASS` that is not
    /// started or does not start, and a reference by a peer that is not on this machine.
    #[must_use]
    pub fn for_results(mut self) -> Self {
        self.reads_results = true;
        self.commands = match self.commands {
            process::Commands::Refuse => process::Commands::CountAsAbsent,
            process::Commands::Start => process::Commands::StartOrCountAsAbsent,
            other => other,
        };
        self
    }

    /// The same registry for drawing what was drawn where no process could be started: a table
    /// then does not say what a peer declares of itself.
    #[must_use]
    pub fn without_processes(mut self) -> Self {
        self.commands = process::Commands::CountPeersAsAbsent;
        self
    }

    /// True for a registry [for results](Self::for_results).
    pub fn reads_results(&self) -> bool {
        self.reads_results
    }

    /// The solvers of the workspace, and its wrappers.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        registry.wrappers = wrappers();
        delassus_solver_si::visit_solvers(&mut registry);
        delassus_solver_wide::visit_solvers(&mut registry);
        delassus_solver_jacobi::visit_solvers(&mut registry);
        delassus_solver_descent::visit_solvers(&mut registry);
        delassus_solver_dense::visit_solvers(&mut registry);
        delassus_solver_newton::visit_solvers(&mut registry);
        delassus_solver_auto::visit_solvers(&mut registry);
        #[cfg(feature = "clarabel")]
        delassus_solver_clarabel::visit_solvers(&mut registry);
        #[cfg(feature = "gpu")]
        delassus_solver_gpu::visit_solvers(&mut registry);
        registry.workspace = registry.entries.len();
        registry
    }

    /// Adds one solver: how a program outside the workspace registers its own.
    #[must_use]
    pub fn with<S: Solver>(mut self) -> Self {
        self.visit::<S>();
        self
    }

    /// The solvers that a package outside the workspace has registered.
    pub fn linked(&self) -> &[SolverEntry] {
        &self.entries[self.workspace..]
    }

    /// Adds the solvers of results that another program has made, as far as this one does not have
    /// them: they are known by name and cannot be built.
    #[must_use]
    pub fn with_linked_elsewhere(mut self, solvers: Vec<SolverEntry>) -> Self {
        let new = |entry: &SolverEntry| self.plain(entry.descriptor.id).is_err();
        let new: Vec<SolverEntry> = solvers.into_iter().filter(new).collect();
        self.entries.extend(new);
        self
    }

    /// The entries, in the order of registration.
    pub fn entries(&self) -> &[SolverEntry] {
        &self.entries
    }

    /// The wrappers, in the order of the documentation: what stands in front of parentheses.
    pub fn wrappers(&self) -> &[WrapperEntry] {
        &self.wrappers
    }

    /// The scheme or preset with this identifier or alias, or the engine `engine:NAME` or
    /// `engine-cmd:COMMAND` in a process of its own (docs/engines.md).
    ///
    /// # Errors
    /// Those of [`scheme()`].
    pub fn scheme(&self, name: &str) -> Result<SchemeEntry, EntryError> {
        match is_engine(name) {
            true => engine::entry(name, self.commands),
            false => scheme(name),
        }
    }

    /// The solver with this identifier or alias.
    fn plain(&self, id: &str) -> Result<&SolverEntry, EntryError> {
        registry::find(&self.entries, id).map_err(missing)
    }

    /// Every identifier and alias.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        registry::names(&self.entries)
    }
}

impl SolverVisitor for Registry {
    fn visit<S: Solver>(&mut self) {
        self.entries.push(SolverEntry::of_solver::<S>());
    }
}

/// Every scheme of the workspace, presets first, in the order of the documentation.
pub fn schemes() -> Vec<SchemeEntry> {
    let mut list = delassus_dynamics::schemes();
    list.push(entry::<JacobiSoftStep>());
    #[cfg(feature = "gpu")]
    list.push(entry::<delassus_scheme_gpu::GpuSoftStep>());
    list.push(entry::<PeriDyno2021>());
    list.push(entry::<ArticulatedBody>());
    list
}

/// The scheme or preset with the identifier or alias `id`, or the engine `engine:NAME`. The program
/// of a name `engine-cmd:COMMAND` is not started: [`Registry::scheme`] does that.
///
/// # Errors
/// [`EntryError::UnknownId`] with the closest name, [`EntryError::Process`] with what is wrong.
pub fn scheme(id: &str) -> Result<SchemeEntry, EntryError> {
    if is_engine(id) {
        return engine::entry(id, process::Commands::Refuse);
    }
    registry::find(&schemes(), id).cloned().map_err(missing)
}

/// Identifiers and aliases of what the feature `gpu` adds.
const GPU: [&str; 9] = [
    "gpu-jacobi",
    "gather-jacobi",
    "gpu-worlds",
    "gpu-coloured-pgs",
    "gpu-colored-pgs",
    "gpu-async-jacobi",
    "gpu-atomic-jacobi",
    "gpu-soft-step",
    "resident-soft-step",
];

/// The same of the feature `clarabel`.
const CLARABEL: [&str; 1] = ["clarabel"];

/// Identifiers and aliases that features of this crate add, each with its feature.
pub fn behind_features() -> impl Iterator<Item = (&'static str, &'static str)> {
    let gpu = GPU.iter().map(|name| (*name, "gpu"));
    gpu.chain(CLARABEL.iter().map(|name| (*name, "clarabel")))
}

/// Tells a name that nothing has from one that this build leaves out.
fn missing(error: EntryError) -> EntryError {
    let EntryError::UnknownId { kind, id, hint } = error else {
        return error;
    };
    let Some((_, feature)) = behind_features().find(|(name, _)| *name == id) else {
        return EntryError::UnknownId { kind, id, hint };
    };
    EntryError::NotBuilt { kind, id, feature }
}
