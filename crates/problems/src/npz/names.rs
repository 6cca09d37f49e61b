//! Names of the arrays of a problem.

pub(crate) const DELASSUS: &str = "A";
pub(crate) const COMPLIANCE: &str = "R";
pub(crate) const CONSTANT: &str = "b";
pub(crate) const BIAS: &str = "bias";
pub(crate) const DIM: &str = "dim";
pub(crate) const LAW: &str = "law";
pub(crate) const MU: &str = "mu";
pub(crate) const ROLLING: &str = "mu_rolling";
pub(crate) const SPINNING: &str = "mu_spinning";
pub(crate) const LIMIT: &str = "limit";
pub(crate) const FACETS: &str = "facets";
pub(crate) const COEFFICIENTS: &str = "coefficients";
pub(crate) const LEVERS: &str = "levers";
pub(crate) const BOUNDS: &str = "bounds";
pub(crate) const ACTIVITY: &str = "activity";
pub(crate) const STEP: &str = "step";
pub(crate) const MASS: &str = "M";
pub(crate) const INVERSE_MASS: &str = "M_inverse";
pub(crate) const JACOBIAN: &str = "J";
pub(crate) const FREE_VELOCITY: &str = "v_free";
pub(crate) const IMPULSES: &str = "lambda";
pub(crate) const WARM_START: &str = "lambda_warm";

/// All of them, in the order of the documentation.
pub(crate) const ALL: [&str; 22] = [
    DELASSUS,
    COMPLIANCE,
    CONSTANT,
    BIAS,
    DIM,
    LAW,
    MU,
    ROLLING,
    SPINNING,
    LIMIT,
    FACETS,
    COEFFICIENTS,
    LEVERS,
    BOUNDS,
    ACTIVITY,
    STEP,
    MASS,
    INVERSE_MASS,
    JACOBIAN,
    FREE_VELOCITY,
    IMPULSES,
    WARM_START,
];
