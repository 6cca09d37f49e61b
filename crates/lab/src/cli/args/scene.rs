//! Verbs that take a scene and need no spec: `play`, `check`.

use std::path::PathBuf;

use clap::Args;

use super::{folder, seconds};

#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  delassus play ragdoll-pile # writes results/play-ragdoll-pile/replay.html
  delassus play stack --scheme soft-step,box2d-lite --set n=10
  delassus play my-scene.toml --scheme soft-step --solver block-gs --seconds 2
  delassus play pendulum --observable x[1].y # the height of a body below each view
  delassus play double-domino --scheme soft-step,engine:mujoco # a physics engine and a scheme

Steps the scene once with each scheme and writes a page that plays the motions side by side.
The folder also has the spec of the run, as a start for your own. Finished motions are kept.
Without --seconds a clock chooses the length and nothing else; a second call keeps it.
Exit code 1 if a scheme diverged or failed; the page then shows the motion up to there.")]
pub(crate) struct PlayVerb {
    /// Scene of `delassus list scenes`, or a scene file (.toml, .json)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Schemes, presets or engines (engine:NAME, engine-cmd:COMMAND), separated by commas [default:
    /// soft-step, xpbd, avbd; others for those that do not step the scene as it is]
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub(crate) scheme: Vec<String>,
    /// Scene parameter; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Solver of the schemes that need one
    #[arg(long, value_name = "ID", default_value = "pgs")]
    pub(crate) solver: String,
    /// Observable that the page shows below each view, as `x[hip].y`; repeat for several, the first
    /// is shown [default: drift, overlap and energy error, as the scene has them]
    #[arg(long = "observable", value_name = "NAME")]
    pub(crate) observables: Vec<String>,
    /// Time that the motion covers, in s [default: 5, or what this machine steps in a few seconds]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) seconds: Option<f64>,
    /// Folder of the results [default: results/play-SCENE]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// One JSON object per cell on standard output, then one of totals, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus check data/scenes/shapes.toml # masses, joint errors and overlaps before the first step
  delassus check ragdoll --set hold=head
  delassus check my-scene.toml --json | jq .overlaps

Steps nothing. An invalid scene file is refused, with the wrong line.
Exit code 0 for every scene that can be stepped, even if bodies overlap or joints are open.")]
pub(crate) struct CheckVerb {
    /// Scene of `delassus list scenes`, or a scene file (.toml, .json)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Scene parameter; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
