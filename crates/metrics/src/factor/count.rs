//! Number of factors, before there are any.

use delassus_core::{Law, Problem};

use super::Scope;

/// Factors of all blocks \[-\].
pub(crate) fn count(problem: &Problem, scope: Scope) -> usize {
    let of_block = |(index, law): (usize, &Law)| {
        let active = match scope {
            Scope::Solved => problem.active_dim(index),
            Scope::Motion => problem.blocks()[index].dim,
        };
        of_law(law, active)
    };
    let laws = problem.blocks().iter().map(|block| &block.law);
    laws.enumerate().map(of_block).sum()
}

/// Factors of a block of which so many rows are solved for.
fn of_law(law: &Law, active: usize) -> usize {
    if active == 0 {
        return 0;
    }
    match law {
        Law::Equality | Law::Bounds { .. } => active,
        Law::Contact(_) => 1,
        // tangents and twist
        Law::Patch(patch) if active > patch.levers.len() => patch.levers.len() + 2,
        Law::Patch(patch) => patch.levers.len(),
        // tangents, rolling and spin
        Law::Rolling(rolling) if active > 1 => 3 + usize::from(rolling.spinning.is_some()),
        Law::Rolling(_) => 1,
    }
}
