//! Pairs of bodies whose colliders do not touch.

use crate::contact_settings::ContactSettings;

/// Pairs of bodies that do not touch, in ascending order: those of the settings, and those of
/// joints between the bodies `joined`.
pub(super) fn pairs_apart<'a>(
    settings: &ContactSettings,
    joined: impl Iterator<Item = &'a [usize]>,
) -> Vec<[usize; 2]> {
    let given = settings.apart.iter().map(|pair| ordered(*pair));
    let mut apart: Vec<[usize; 2]> = given.chain(joined.flat_map(pairs)).collect();
    apart.sort_unstable();
    apart.dedup();
    apart
}

fn ordered([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// All pairs of these bodies.
pub(super) fn pairs(bodies: &[usize]) -> impl Iterator<Item = [usize; 2]> {
    let later = |(at, a): (usize, &usize)| {
        let a = *a;
        bodies[at + 1..].iter().map(move |b| ordered([a, *b]))
    };
    bodies.iter().enumerate().flat_map(later)
}
