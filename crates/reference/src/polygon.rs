//! Friction of finitely many directions in place of Coulomb's: a problem that pivoting solves, near
//! the one that is meant.

use delassus_core::{LawKind, Problem};

/// Corners of the polygon \[-\]: it is within 0.5 % of the disc.
const CORNERS: u32 = 32;

/// Rows beyond which pivoting takes too long \[-\]: the complementarity problem has some eleven
/// times as many.
const MAX_ROWS: usize = 200;

/// The problem with polygons in place of discs; `None` where there are none, or too many rows.
pub(crate) fn polygonal(problem: &Problem) -> Option<Problem> {
    let round = |law| matches!(law, LawKind::Coulomb | LawKind::Disc);
    if problem.rows() > MAX_ROWS || !problem.laws().any(round) {
        return None;
    }
    problem.with_polygons(CORNERS).ok()
}
