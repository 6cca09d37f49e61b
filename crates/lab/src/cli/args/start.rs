//! Verbs for who begins something: `new`, `watch`, `plot`, `explain`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use delassus_report::figures::Width;

use super::folder;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus new my-paper # in a checkout of Delassus, or in a folder below it
  delassus new my-paper --delassus /scratch/delassus

Writes a package: a solver in src/main.rs, a spec that compares it with others, and a page. Its
program has every command of this program, and your solver. NAME becomes the name of folder, package
and solver. Directly in the folder of a checkout, the package becomes a member of its workspace, in
its Cargo.toml. Elsewhere it is a separate workspace, and its first build takes minutes. Overwrites
no file.")]
pub(crate) struct NewVerb {
    /// The folder, which is created
    #[arg(value_name = "NAME")]
    pub(crate) folder: PathBuf,
    /// A checkout of Delassus, or the address of its repository [default: the one around this
    /// folder or this program]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) delassus: Option<String>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus watch my/experiment.toml
  delassus watch my/experiment.toml --out /tmp/try

Runs the spec, and again whenever the spec, its page or a file that it names is saved. Only cells
that changed run again; the report is made again. If the spec is wrong, prints the error and waits
for the next save. Ctrl-C ends it, with exit code 130.")]
pub(crate) struct WatchVerb {
    /// An experiment: a TOML file, or the folder of an experiment.toml
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Folder of the results [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus plot results/demo > residual.svg
  delassus plot results/demo residual --out residual.pdf   # a figure of the spec, by its id
  delassus plot results/demo profile --set cost=sweeps --out profile.svg
  delassus plot results/demo --width column --out column.pdf
  delassus plot results/demo convergence --set x=sweeps --set problems=chain --set log_x=true

Draws a figure of the spec by its id, or a kind of figure with its settings, as in [[figure]] of a
spec (`delassus list figures`). --set changes a setting of either. Where you name no quantity, it is
the first that was measured, against row updates or over time.")]
pub(crate) struct PlotVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Id of a figure of the spec, or a kind [default: convergence, trajectory or scaling]
    #[arg(value_name = "ID|KIND")]
    pub(crate) kind: Option<String>,
    /// Setting of the figure; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Width of the figure on paper: 84 mm, one column of a journal, or 174 mm, its page [default:
    /// that of the figure, or page]
    #[arg(long, value_name = "W")]
    pub(crate) width: Option<WidthChoice>,
    /// An SVG or PDF file, by its ending [default: SVG on standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus explain                 # every status and exit code
  delassus explain stagnated
  delassus explain natural_map     # a metric
  delassus explain compliance      # a term of the glossary, or what other programs call it
  delassus explain row update      # a term of two words
  delassus explain halve           # a parameter, or a value of one
  delassus explain xpbd            # an entry of a list: a solver, a scheme, a scene, …
  delassus explain observables     # a list; as `delassus list` prints it
  delassus explain 6 --json")]
pub(crate) struct ExplainVerb {
    /// A status, an exit code, a metric, a term of the glossary, a parameter or a value of one, a
    /// list or an entry of one
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// One JSON object per entry on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus completions bash > delassus.bash     # then: source delassus.bash
  delassus completions zsh > _delassus          # into a folder of $fpath
  delassus completions fish > delassus.fish     # into ~/.config/fish/completions")]
pub(crate) struct CompletionsVerb {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus man > delassus.1
  delassus man run > delassus-run.1
  delassus man --out man1              # a page per verb")]
pub(crate) struct ManVerb {
    /// The verb; without one, the page of the program
    #[arg(value_name = "VERB", conflicts_with = "out")]
    pub(crate) verb: Option<String>,
    /// Folder for every page
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object per page on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus schema --out spec.schema.json # then `#:schema spec.schema.json` begins a spec
  delassus schema | jq .properties.stop

Writes a JSON Schema (draft 2020-12) of the specs that this program reads, including your own
solvers. Editors that support schemas for TOML then complete keys, show their descriptions and mark
typing errors. Only `run --dry-run` checks which keys go together and which files exist.")]
pub(crate) struct SchemaVerb {
    /// A file for the schema [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Widths of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WidthChoice {
    Column,
    Page,
}

impl From<WidthChoice> for Width {
    fn from(choice: WidthChoice) -> Self {
        match choice {
            WidthChoice::Column => Self::Column,
            WidthChoice::Page => Self::Page,
        }
    }
}
