//! The verb that converts between softnesses: `soft`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus soft                                             # MuJoCo's defaults
  delassus soft --solref 0.005,0.7 --solimp 0.8,0.95,0.001,0.5,2 --error -0.0004
  delassus soft --solref=-1000,-60 --step 0.001 --inverse-mass 4
  delassus soft --hertz 30 --damping-ratio 1 --step 0.0167  # the other direction
  delassus soft --hertz 5 --json | jq .solref

Prints the numbers of one row: impedance, K, B, R; frequency, damping ratio, spring and damper; ERP
and CFM; and what is lost between them. Equations (S.24)–(S.30) are in docs/theory/09-softness.md.
Exit code 2 where a number is out of its range.")]
pub(crate) struct SoftVerb {
    /// T in seconds and ζ, both above 0, or -k and -b [default: 0.02,1]
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with_all = ["hertz", "damping_ratio"]
    )]
    pub(crate) solref: Option<Vec<f64>>,
    /// Impedance at the surface and at the width, width in metres, midpoint, power [default:
    /// 0.9,0.95,0.001,0.5,2]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with_all = ["hertz", "damping_ratio"]
    )]
    pub(crate) solimp: Option<Vec<f64>>,
    /// Frequency of an implicit spring instead, in hertz
    #[arg(long, value_name = "F")]
    pub(crate) hertz: Option<f64>,
    /// Its damping ratio [default: 1]
    #[arg(long, value_name = "Z", requires = "hertz")]
    pub(crate) damping_ratio: Option<f64>,
    /// Step in seconds
    #[arg(long, value_name = "H", default_value_t = 0.002)]
    pub(crate) step: f64,
    /// A of the row, in 1/kg
    #[arg(long, value_name = "A", default_value_t = 1.0)]
    pub(crate) inverse_mass: f64,
    /// Error of the row in metres, negative where it overlaps
    #[arg(
        long,
        value_name = "R",
        default_value_t = -0.001,
        allow_hyphen_values = true
    )]
    pub(crate) error: f64,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
