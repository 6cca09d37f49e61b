//! What a problem looks like to the choice of a method.

use delassus_core::{Block, BodyRows, LawForm, LawKind, Operator, Problem, SolveError};

/// Asymmetry of A above which a problem is not that of an energy \[-\]: files with few digits have
/// less.
const SYMMETRIC: f64 = 1e-2;

/// Ratio of the diagonal entries of A of two rows of friction above which a cone is uneven \[-\]:
/// tangents of equal coefficients differ by the lever arms alone.
const UNEVEN: f64 = 1e2;

/// Counts, and classes of laws.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Facts {
    /// Rows that are solved for \[-\].
    pub(crate) rows: usize,
    /// Bodies that some impulse moves; none on a matrix problem \[-\].
    pub(crate) moving: Option<usize>,
    /// Entries of A that are stored \[-\]; none where there are bodies.
    pub(crate) entries: Option<usize>,
    pub(crate) blocks: usize,
    pub(crate) symmetric: bool,
    pub(crate) class: Class,
    /// True if there are joints: the errors of long chains fall last and slowest, so the first
    /// sweeps promise too much. Without joints sweeps get faster once they know which contacts
    /// slide.
    pub(crate) joints: bool,
    /// True if there are elliptic cones of more than three rows (those of three are round here):
    /// rows of different units, on which sweeps are slow.
    pub(crate) elliptic: bool,
    /// True if there are convex cones, round ones of elliptic cones among them, in which the masses
    /// of the rows of friction differ: sweeps and gradients are slow, interior points are not.
    pub(crate) uneven: bool,
}

/// The hardest law of a problem, as far as methods differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Nothing but equalities.
    Equalities,
    /// Bounds that no impulse moves: a convex quadratic program.
    Bounds,
    /// Bounds that follow normal impulses, or finitely many directions of friction.
    Polyhedral,
    /// Discs and cones.
    Cones,
}

impl Class {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Equalities => "equalities",
            Self::Bounds => "bounds",
            Self::Polyhedral => "friction in finitely many directions",
            Self::Cones => "friction in discs or cones",
        }
    }

    fn of(law: LawKind) -> Self {
        match law.form() {
            LawForm::Free => Self::Equalities,
            LawForm::Interval | LawForm::Normal | LawForm::FixedIntervals => Self::Bounds,
            LawForm::Intervals | LawForm::Polygon => Self::Polyhedral,
            LawForm::Ball
            | LawForm::CoulombCone
            | LawForm::Cone
            | LawForm::SharedFriction
            | LawForm::SeveralFrictions => Self::Cones,
        }
    }
}

impl Facts {
    pub(crate) fn of(problem: &Problem) -> Result<Self, SolveError> {
        let mut facts = Self::counted(problem);
        // sweeps and Newton's method do not ask
        let asked = matches!(facts.class, Class::Bounds | Class::Polyhedral);
        if let (true, Operator::Matrix(matrix)) = (asked, problem.operator()) {
            facts.symmetric = matrix.delassus.symmetry_defect_in_time()? <= SYMMETRIC;
        }
        Ok(facts)
    }

    /// The facts that cost nothing: a matrix is taken for symmetric, for which there are more
    /// methods.
    pub(crate) fn counted(problem: &Problem) -> Self {
        let class = problem.laws().map(Class::of).max();
        let entries = match problem.operator() {
            Operator::Bodies(_) => None,
            Operator::Matrix(matrix) => Some(matrix.delassus.stored_values()),
        };
        Self {
            rows: problem.active_rows(),
            moving: problem.bodies().map(moving),
            entries,
            blocks: problem.blocks().len(),
            symmetric: true,
            class: class.unwrap_or(Class::Equalities),
            joints: problem.laws().any(|law| law.form() == LawForm::Free),
            elliptic: problem.laws().any(|law| law == LawKind::EllipticCone),
            uneven: problem
                .blocks()
                .iter()
                .any(|block| is_uneven(problem, block)),
        }
    }

    /// True if the first sweeps say little: joints, rows of friction in different units, or laws of
    /// which two Newton steps solve most problems.
    pub(crate) fn sweeps_are_slow(&self) -> bool {
        let is_polyhedral = self.class <= Class::Polyhedral;
        self.joints || self.elliptic || self.uneven || is_polyhedral
    }

    /// True for many bodies in contact, without joints: for these, sweeps are compared with the
    /// turns of steps in the velocities.
    pub(crate) fn prefers_sweeps(&self) -> bool {
        self.moving.is_some() && !self.joints && !self.newton_is_cheap()
    }

    /// The line that explains a plan.
    pub(crate) fn text(&self) -> String {
        let given = match (self.moving, self.symmetric) {
            (Some(moving), _) => format!("{moving} moving bodies"),
            (None, true) => "a matrix".to_owned(),
            (None, false) => "an unsymmetric matrix".to_owned(),
        };
        format!(
            "{} rows in {} blocks, {}, given by {given}",
            self.rows,
            self.blocks,
            self.class.text()
        )
    }
}

/// True for a convex cone whose rows of friction differ by more than [`UNEVEN`].
fn is_uneven(problem: &Problem, block: &Block) -> bool {
    if block.law.kind().form() != LawForm::Cone {
        return false;
    }
    let friction = &problem.diagonal()[block.rows()][1..];
    let largest = friction.iter().fold(0.0, |most: f64, a| most.max(*a));
    friction.iter().any(|a| *a > 0.0 && UNEVEN * a < largest)
}

fn moving(bodies: &BodyRows) -> usize {
    bodies.mass.iter().filter(|m| !m.is_immovable()).count()
}
