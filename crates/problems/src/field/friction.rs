//! Local friction-contact problems.

use delassus_core::{Block, ContactLaw, Law, MemoryLimit, Problem};
use delassus_formats::Local;

use super::freeze::{equalities, freeze};
use crate::error::ProblemReadError;

/// W r + V l + q as a matrix problem: the contacts, then the bilateral rows.
pub(super) fn local(
    local: &Local,
    law: ContactLaw,
    limit: MemoryLimit,
) -> Result<Problem, ProblemReadError> {
    let mut blocks = contacts(local.dim, &local.mu, local.mu_r.as_deref(), law);
    let rows = local.q.len();
    let mut free_velocity = local.q.clone();
    let bilateral = local.bilateral.as_ref();
    if let Some(bilateral) = bilateral {
        blocks.extend(equalities(rows, bilateral.s.len()));
        free_velocity.extend(&bilateral.s);
    }
    // V stands twice: next to W, and transposed below it
    let more = bilateral.into_iter().flat_map(move |bilateral| {
        let beside = bilateral.v.entries().map(move |(i, j, x)| (i, rows + j, x));
        let below = bilateral.v.entries().map(move |(i, j, x)| (rows + j, i, x));
        let own = bilateral.r.entries();
        let own = own.map(move |(i, j, x)| (rows + i, rows + j, x));
        beside.chain(below).chain(own)
    });
    let entries = local.w.entries().chain(more);
    freeze(entries, blocks, free_velocity, limit)
}

/// One block per contact, the feature being its number.
pub(super) fn contacts(
    dim: usize,
    mu: &[f64],
    mu_r: Option<&[f64]>,
    law: ContactLaw,
) -> Vec<Block> {
    let law = |contact: usize, mu: f64| match mu_r {
        // checked before: it needs no limit
        None => law.of_point(mu),
        Some(rolling) => Law::rolling(mu, rolling[contact], None),
    };
    let contacts = mu.iter().enumerate().map(|(contact, mu)| Block {
        first_row: contact * dim,
        dim,
        law: law(contact, *mu),
        feature: contact as u64,
    });
    contacts.collect()
}
