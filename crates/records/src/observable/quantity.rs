//! The quantities of a whole world: one row each, from which the type, its documentation and every
//! list follow.

/// Everything that a table or a help text needs to know about a quantity over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservableDoc {
    /// Identifier in specs, records and tables.
    pub id: &'static str,
    /// Human-readable name.
    pub name: &'static str,
    /// The formula, on one line.
    pub formula: &'static str,
    /// Equation numbers of `docs/theory`.
    pub theory: &'static [&'static str],
    /// Unit; "-" if it has none.
    pub unit: &'static str,
    /// Where it has a value.
    pub applies: &'static str,
}

macro_rules! quantities {
    ($($variant:ident = $id:literal [$unit:literal] $name:literal, $formula:literal, $theory:expr, $applies:expr;)*) => {
        /// A quantity of the whole world.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Quantity {
            $(#[doc = concat!("`", $id, "`: ", $name, ".")] $variant,)*
        }

        impl Quantity {
            /// Every quantity, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The description.
            pub fn doc(self) -> &'static ObservableDoc {
                match self {
                    $(Self::$variant => &ObservableDoc {
                        id: $id,
                        name: $name,
                        formula: $formula,
                        theory: $theory,
                        unit: $unit,
                        applies: $applies,
                    },)*
                }
            }
        }
    };
}

const EVERY: &str = "every world";
const LENGTHS: &str = "worlds with rigid joint rows in metres; springs and drives do not count";
const ANGLES: &str = "worlds with rigid joint rows in radians; springs and drives do not count";
const CONTACTS: &str = "worlds with contact points";
const PUSHING: &str = "worlds with contact points that push";
const FINDING: &str = "worlds with colliders, after the first frame";
const BODIES: &str = "worlds with dynamic bodies";
const STEPPED: &str = "every world, after the first frame";
const FRAMES: &str = "schemes that freeze problems, after the first frame";

quantities! {
    DriftMax = "drift_max" ["m"] "joint drift, largest", "max |C_i|", &["R.1"], LENGTHS;
    DriftRms = "drift_rms" ["m"] "joint drift, RMS", "√(mean C_i²)", &["R.1"], LENGTHS;
    DriftAngleMax = "drift_angle_max" ["rad"] "joint drift of angles, largest", "max |C_i|", &["R.1"], ANGLES;
    DriftAngleRms = "drift_angle_rms" ["rad"] "joint drift of angles, RMS", "√(mean C_i²)", &["R.1"], ANGLES;
    PenetrationMax = "penetration_max" ["m"] "overlap of contacts, largest", "max max(0, −φ_c)", &["R.2"], CONTACTS;
    PenetrationMean = "penetration_mean" ["m"] "overlap of contacts, mean over all points", "mean max(0, −φ_c)", &["R.2"], CONTACTS;
    PenetrationRms = "penetration_rms" ["m"] "overlap of contacts, RMS over all points", "√(mean max(0, −φ_c)²)", &["R.19"], CONTACTS;
    PenetrationP50 = "penetration_p50" ["m"] "overlap of contacts, median", "smallest d with 50 % of max(0, −φ_c) ≤ d", &["R.20"], CONTACTS;
    PenetrationP95 = "penetration_p95" ["m"] "overlap of contacts, 95th percentile", "smallest d with 95 % of max(0, −φ_c) ≤ d", &["R.20"], CONTACTS;
    PenetrationP99 = "penetration_p99" ["m"] "overlap of contacts, 99th percentile", "smallest d with 99 % of max(0, −φ_c) ≤ d", &["R.20"], CONTACTS;
    GapArtefact = "gap_artefact" ["m"] "gap across which a point pushes, largest", "max max(0, φ_c) over λ_n > 0", &["R.46"], PUSHING;
    ContactManifolds = "contact_manifolds" ["-"] "contact manifolds", "number of manifolds, open points included", &["R.21"], EVERY;
    ContactPoints = "contact_points" ["-"] "contact points, open ones included", "number of c", &["R.21"], EVERY;
    PushingPoints = "pushing_points" ["-"] "contact points that push", "number of c with λ_n > 0", &["R.21"], EVERY;
    ContactsBegun = "contacts_begun" ["-"] "pairs of colliders that came into contact at the start of the frame", "number of pairs of this frame and not of the last", &["R.22"], FINDING;
    ContactsEnded = "contacts_ended" ["-"] "pairs of colliders that left contact at the start of the frame", "number of pairs of the last frame and not of this", &["R.22"], FINDING;
    SlipMax = "slip_max" ["m/s"] "slip speed of points that push, largest", "max ‖(1 − n nᵀ) Δv_c‖", &["R.24"], PUSHING;
    SlipMean = "slip_mean" ["m/s"] "slip speed, mean over the points that push", "mean ‖(1 − n nᵀ) Δv_c‖", &["R.24"], PUSHING;
    RollingMax = "rolling_max" ["rad/s"] "rolling speed of manifolds that push, largest", "max ‖(1 − n nᵀ) (ω_b − ω_a)‖", &["R.25"], PUSHING;
    SpinningMax = "spinning_max" ["rad/s"] "relative spin about the normal of manifolds that push, largest", "max |n·(ω_b − ω_a)|", &["R.25"], PUSHING;
    ConeUseMax = "cone_use_max" ["-"] "use of the friction cone, largest", "max |λ_t| / (μ λ_n)", &["R.26"], "worlds with contact points that push, μ > 0";
    ConeUseMean = "cone_use_mean" ["-"] "use of the friction cone, mean over the points that push", "mean |λ_t| / (μ λ_n)", &["R.26"], "worlds with contact points that push, μ > 0";
    Kinetic = "kinetic" ["J"] "kinetic energy", "½ Σ m v² + ω·Iω", &["R.3"], EVERY;
    Potential = "potential" ["J"] "potential energy of the weight", "−Σ m g·x", &["R.3"], EVERY;
    Spring = "spring" ["J"] "energy of the soft joints", "½ Σ k C²", &["R.3"], EVERY;
    Energy = "energy" ["J"] "mechanical energy", "kinetic + potential + spring", &["R.3"], EVERY;
    EnergyError = "energy_error" ["J"] "energy gained from nowhere", "E(t) − E(0) − W_drive − W_applied", &["R.4"], EVERY;
    EnergyInjected = "energy_injected" ["J"] "energy from nowhere, summed over the frames that gain some", "Σ max(0, ΔE − ΔW_drive − ΔW_applied)", &["R.27"], EVERY;
    EnergyGains = "energy_gains" ["-"] "frames that gain more energy from nowhere than rounding", "#{k : ΔE − ΔW_drive − ΔW_applied > 1e-12 S_k}", &["R.47"], EVERY;
    Dissipated = "dissipated" ["J"] "energy lost", "E(0) + W_drive + W_applied − E(t)", &["R.4"], EVERY;
    DriveWork = "drive_work" ["J"] "work of motors, servos and moving anchors", "Σ λ_i (Jv)_i over drives", &["R.4"], EVERY;
    AppliedWork = "applied_work" ["J"] "work of applied forces and torques", "Σ h (f·v + τ·ω)", &["R.4"], EVERY;
    MomentumError = "momentum_error" ["N·s"] "momentum from nowhere", "‖p(t) − p(0) − Σ external‖", &["R.5"], EVERY;
    AngularMomentumError = "angular_momentum_error" ["N·m·s"] "angular momentum from nowhere", "‖L(t) − L(0) − Σ external‖, L about the origin", &["R.6"], EVERY;
    CentreOfMassShift = "centre_of_mass_shift" ["m"] "shift of the centre of mass, beside its steady motion", "‖X(t) − X(0) − t P(0)/M‖", &["R.17"], BODIES;
    CourseChange = "course_change" ["rad"] "angle of the way, seen from above, to the momentum of the start", "∠(X(t) − X(0), P(0)), both across gravity", &["R.32"], "worlds whose bodies move across gravity at the start, after the first frame";
    Motion = "motion" ["√kg·m"] "distance from the start, by mass", "√(Σ m Δx² + θ·Iθ)", &["R.18"], BODIES;
    Jitter = "jitter" ["m/s"] "RMS speed over the last 2 s; zero where the answer is rest", "√(mean v²)", &["R.7"], BODIES;
    SpinJitter = "spin_jitter" ["rad/s"] "RMS angular speed over the last 2 s", "√(mean ω²)", &["R.7"], BODIES;
    Creep = "creep" ["m/s"] "largest mean velocity of a body over the last 2 s; what static friction leaves", "max ‖x(t) − x(t − 2 s)‖ / 2 s", &["R.51"], "worlds with dynamic bodies, after the first frame";
    SpeedMax = "speed_max" ["m/s"] "speed of a centre of mass, largest", "max ‖v‖", &["R.28"], BODIES;
    SpinMax = "spin_max" ["rad/s"] "angular speed of a body, largest", "max ‖ω‖", &["R.28"], BODIES;
    RestTime = "rest_time" ["s"] "time since which every body rests", "min t with √(v² + ω·Iω/m) ≤ 1 mm/s from t on", &["R.29"], "worlds with dynamic bodies, after the first frame; none while a body moves";
    Fallen = "fallen" ["-"] "bodies that have left their place, by settling too", "number of bodies with ‖Δx‖ > s/2", &["R.30"], "worlds with dynamic bodies that have an extent";
    Toppled = "toppled" ["-"] "bodies that have toppled, slid away or dropped", "number of bodies with tilt > 45°, ‖Δx⊥‖ > ℓ, or 2 e below the lowest body of the start", &["R.52"], "worlds with gravity and dynamic bodies that have an extent";
    NaturalMap = "natural_map" ["-"] "residual of the last solve with bias of the frame", "natural map, energy units", &["M.4"], FRAMES;
    RelaxedNaturalMap = "relaxed_natural_map" ["-"] "residual of the last solve without bias of the frame", "natural map, energy units", &["M.4"], "schemes that freeze problems and relax, after the first frame";
    Rows = "rows" ["-"] "rows of the last problem of the frame", "m", &["P.1"], EVERY;
    FrameSweeps = "frame_sweeps" ["-"] "sweeps of the frame", "Σ over its solves", &["R.31"], STEPPED;
    SolveSweeps = "solve_sweeps" ["-"] "sweeps of the longest solve since the sample before", "max over the solves", &["R.40"], FRAMES;
    SolveResidual = "solve_residual" ["-"] "residual that the solves ended with, largest since the sample before", "max over the solves of the natural map, energy units", &["M.4", "R.41"], FRAMES;
    StoppedByTolerance = "stopped_by_tolerance" ["-"] "solves since the start that ended within their tolerance", "number of solves", &["T.30", "R.42"], FRAMES;
    StoppedByLimit = "stopped_by_limit" ["-"] "solves since the start that hit their sweep limit", "number of solves", &["T.30", "R.42"], FRAMES;
    StoppedBySolver = "stopped_by_solver" ["-"] "solves since the start that the solver ended", "number of solves", &["T.30", "R.42"], FRAMES;
    StoppedByCount = "stopped_by_count" ["-"] "solves since the start that ended after a count of sweeps", "number of solves", &["R.42"], FRAMES;
    UnsolvedSolves = "unsolved_solves" ["-"] "solves since the start that missed their tolerance, those of repeated steps included", "number of solves", &["R.49"], FRAMES;
    RepeatedSteps = "repeated_steps" ["-"] "steps since the start that were repeated with half the length", "number of steps", &["T.58", "R.50"], FRAMES;
    RowUpdates = "row_updates" ["-"] "row updates of the frame", "Σ over its solves", &["R.15"], EVERY;
}

impl Quantity {
    /// True if it is about how solves of frozen problems end: schemes that freeze none have no such
    /// column.
    pub fn is_of_solves(self) -> bool {
        matches!(
            self,
            Self::SolveSweeps
                | Self::SolveResidual
                | Self::StoppedByTolerance
                | Self::StoppedByLimit
                | Self::StoppedBySolver
                | Self::StoppedByCount
                | Self::UnsolvedSolves
                | Self::RepeatedSteps
        )
    }

    /// True if its value at the end of a run is what counts: what came before is the way to rest.
    pub fn counts_at_the_end(self) -> bool {
        matches!(
            self,
            Self::Creep
                | Self::Jitter
                | Self::SpinJitter
                | Self::RestTime
                | Self::Fallen
                | Self::Toppled
        )
    }

    /// As [`Observable::needs_impulses`](super::Observable::needs_impulses).
    pub(super) fn needs_impulses(self) -> bool {
        matches!(
            self,
            Self::GapArtefact
                | Self::PushingPoints
                | Self::SlipMax
                | Self::SlipMean
                | Self::RollingMax
                | Self::SpinningMax
                | Self::ConeUseMax
                | Self::ConeUseMean
                | Self::DriveWork
                | Self::AppliedWork
                | Self::MomentumError
                | Self::AngularMomentumError
                | Self::Rows
                | Self::FrameSweeps
                | Self::RowUpdates
        )
    }

    /// True if it is the balance of energies and of the works of drives and forces.
    pub fn needs_work(self) -> bool {
        matches!(
            self,
            Self::EnergyError | Self::EnergyInjected | Self::EnergyGains | Self::Dissipated
        )
    }

    /// True if it is read off the overlaps of contact points.
    pub fn is_of_overlaps(self) -> bool {
        matches!(
            self,
            Self::PenetrationMax
                | Self::PenetrationMean
                | Self::PenetrationRms
                | Self::PenetrationP50
                | Self::PenetrationP95
                | Self::PenetrationP99
        )
    }

    /// The quantity with this identifier.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|q| q.doc().id == id)
    }
}
