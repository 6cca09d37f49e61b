//! Friction of finitely many directions in place of Coulomb's: a problem that pivoting solves, near the one that is meant.

use delassus_core::{Friction, Law, Problem};

/// Corners of the polygon \[-\]: it is within 0.5 % of the disc.
const CORNERS: u32 = 32;

/// Rows beyond which pivoting takes too long \[-\]: the complementarity problem has some eleven times as many.
const MAX_ROWS: usize = 200;

/// The problem with polygons in place of discs (F4 for F3 and F5, P.10); `None` where there are none, or too many rows.
pub(crate) fn polygonal(problem: &Problem) -> Option<Problem> {
    if problem.rows() > MAX_ROWS {
        return None;
    }
    let mut parts = problem.clone().into_parts();
    let mut replaced = false;
    for block in &mut parts.blocks {
        if let Law::Contact(Friction::Coulomb { mu } | Friction::Disc { mu }) = block.law {
            block.law = Law::Contact(Friction::Facets {
                mu,
                facets: CORNERS,
            });
            replaced = true;
        }
    }
    if !replaced {
        return None;
    }
    Problem::new(parts).ok()
}
