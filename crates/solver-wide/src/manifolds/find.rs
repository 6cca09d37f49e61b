//! Recognising contact manifolds: consecutive points with one frame, one friction and the same
//! centres of mass (W.3).
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{Law, LawForm, Problem};
use delassus_structure::geometry::{
    self, SAME_CENTRES, is_frame, is_isotropic, is_point_law, pair,
};

use super::layout::MAX_POINTS;
use crate::batch::{BundleMatch, Candidate};

pub(super) fn find(candidate: &Candidate<'_>, _: &mut Vec<f64>) -> Option<BundleMatch> {
    let Candidate { problem, block, .. } = *candidate;
    let points = points(candidate);
    (points > 0).then(|| BundleMatch {
        size: [0, 1, 2, 3, 4][points],
        variant: u8::from(is_boxed(&problem.blocks()[block].law)),
        blocks: points,
        full: points == MAX_POINTS,
    })
}

/// True if a block has the rows and the law of a contact point.
pub(crate) fn may_be_point(problem: &Problem, block: usize) -> bool {
    let block = &problem.blocks()[block];
    block.dim == 3 && is_manifold_law(&block.law)
}

/// Number of blocks from the candidate on that are points of one manifold.
fn points(candidate: &Candidate<'_>) -> usize {
    let (problem, bodies, first) = (candidate.problem, candidate.bodies, candidate.block);
    let blocks = problem.blocks();
    let is_point = |block: usize| may_be_point(problem, block);
    if !is_point(first) {
        return 0;
    }
    let Some(pair) = pair(bodies, first) else {
        return 0;
    };
    let frame = geometry::directions(bodies, first);
    if !is_frame(&frame) || !pair.mass.iter().all(|mass| is_isotropic(*mass)) {
        return 0;
    }
    let mut centres = [0.0; 3];
    let mut count = 0;
    while count < candidate.left.min(MAX_POINTS) {
        let block = first + count;
        let fits = is_point(block)
            && blocks[first].law.has_friction_of(&blocks[block].law)
            && geometry::directions(bodies, block) == frame;
        if !fits {
            break;
        }
        if !candidate.thorough {
            count += 1;
            continue;
        }
        let Some(arms) = geometry::arms(bodies, block, &frame) else {
            break;
        };
        if count > 0 && !close(&arms.between, &centres) {
            break;
        }
        if count == 0 {
            centres = arms.between;
        }
        count += 1;
    }
    count
}

/// True if tangents are bounded one by one.
fn is_boxed(law: &Law) -> bool {
    let form = law.form();
    matches!(
        form,
        LawForm::Normal | LawForm::FixedIntervals | LawForm::Intervals
    )
}

/// True for the laws of three rows that the manifold kernel solves: without friction the tangents
/// are in a box of zero.
#[inline]
pub(super) fn is_manifold_law(law: &Law) -> bool {
    is_point_law(law) || law.form() == LawForm::Normal
}

/// Centres of mass that differ by rounding only.
fn close(a: &[f64; 3], b: &[f64; 3]) -> bool {
    let size = 1.0 + b[0].abs() + b[1].abs() + b[2].abs();
    (0..3).all(|axis| (a[axis] - b[axis]).abs() <= SAME_CENTRES * size)
}
