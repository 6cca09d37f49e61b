//! `list` and `cite`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus list                          # what can be listed
  delassus list solvers                  # one line each
  delassus list solvers pgs              # laws, parameters, limits, papers of one
  delassus list metrics natural_map      # formula, unit, source
  delassus list observables              # what can be measured over time
  delassus list presets soft-step        # its parameters with their values
  delassus list scenes pendulum          # its parameters, bodies, joints and what can be measured
  delassus list statuses stagnated       # how a cell can end, and what to do
  delassus list figures bars             # a kind of figure with its keys; also: tables, formats
  delassus list peers                    # solvers of other programs: which are here
  delassus list engines                  # engines of other programs: which are here
  delassus list experiments              # the specs in the folder experiments, with their titles
  delassus list generators --json        # every parameter with its default, for scripts")]
pub(crate) struct ListVerb {
    /// What to list [default: what can be listed]
    #[arg(value_name = "WHAT")]
    pub(crate) what: Option<ListWhat>,
    /// Only this entry, with all details
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// One JSON object per entry on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus cite experiments/02-real-contacts > paper.bib # all that a spec uses
  delassus cite pgs 'best-so-far(anderson(block-gs))'    # wrapped solvers too
  delassus cite soft-step natural_map                    # schemes, scenes and metrics by name
  delassus cite experiments/05-drift --json | jq -r .key # who cites what, for scripts

Prints each entry once, sorted by key. A name that is a file or a folder is read as a spec. Solves
nothing, and reads no file but the spec. Exit code 2 if a name is unknown or the spec is wrong, 0
otherwise.")]
pub(crate) struct CiteVerb {
    /// A spec, or the name of a solver, scheme, preset, scene or metric; several are allowed
    #[arg(value_name = "SPEC|NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// One JSON object per entry on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `list` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListWhat {
    Solvers,
    Metrics,
    Observables,
    Generators,
    Laws,
    Scenes,
    Schemes,
    Presets,
    Constraints,
    Statuses,
    Figures,
    Tables,
    Formats,
    Experiments,
    Peers,
    Engines,
}
