//! The kernel of row blocks: all velocities of a block first, then its rows one after the other
//! (W.7, W.8).
//!
//! A row's change reaches the rows after it through the block's own matrix, and the bodies once at
//! the end, so the chain of dependent additions is one product per row and not one pass through
//! both bodies.

use super::{Masses, Response, Responses, RowBlocks, RowLaw, RowsBundle};
use crate::batch::Visit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{project, symmetric};
use crate::velocities::{BodyVelocities, Velocities};

/// How impulses move the bodies of one bundle.
pub(super) enum Moves<'a, const N: usize, const D: usize> {
    Masses(&'a Masses<N>),
    Response(&'a Response<N, D>),
}

impl<V: Lanes<N>, const N: usize, const D: usize> RowBlocks<V, N, D> {
    /// One visit of every bundle.
    ///
    /// The projection layout has lost J, and adds what impulses do by its response.
    #[inline(always)]
    pub(super) fn visit_all(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        let (token, law) = (self.token, self.law);
        let bundles = self.bundles.iter_mut();
        match &self.responses {
            Responses::Recompute(masses) => {
                for (bundle, masses) in bundles.zip(masses) {
                    prefetch::next::<RowsBundle<N, D>, _>(velocities.far, &bundle.bodies[0]);
                    let moves = Moves::Masses(masses);
                    visit_one::<V, N, D>(token, velocities, law, bundle, &moves, visit);
                }
            }
            Responses::Projection(responses) => {
                for (bundle, response) in bundles.zip(responses) {
                    prefetch::next::<RowsBundle<N, D>, _>(velocities.far, &bundle.bodies[0]);
                    prefetch::next::<Response<N, D>, _>(velocities.far, &response[0][0]);
                    let moves = Moves::Response(response);
                    visit_one::<V, N, D>(token, velocities, law, bundle, &moves, visit);
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn visit_one<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    law: RowLaw,
    bundle: &mut RowsBundle<N, D>,
    moves: &Moves<'_, N, D>,
    visit: Visit,
) {
    let before: BodyVelocities<V> = velocities.gather(token, &bundle.bodies);
    let change = match visit {
        Visit::Solve => solve(token, law, bundle, moves, &before),
        Visit::Apply => impulses(token, bundle),
    };
    push(token, velocities, bundle, moves, before, &change);
}

#[inline(always)]
fn impulses<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
) -> [V; D] {
    let mut impulses = [V::splat(token, 0.0); D];
    for row in 0..D {
        impulses[row] = V::load(token, &bundle.impulse[row]);
    }
    impulses
}

/// The change of the impulses.
#[inline(always)]
fn solve<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    law: RowLaw,
    bundle: &mut RowsBundle<N, D>,
    moves: &Moves<'_, N, D>,
    [a, b]: &BodyVelocities<V>,
) -> [V; D] {
    let old: [V; D] = impulses(token, bundle);
    let mut steps = old;
    for row in 0..D {
        steps[row] = product(token, &bundle.jacobian[row], a, b);
    }
    match moves {
        Moves::Masses(_) => recomputed(token, law, bundle, &old, &mut steps),
        Moves::Response(_) => projected(token, law, bundle, &old, &mut steps),
    }
    let new = update::<V, N, D>(token, law, bundle, &old, &mut steps);
    let mut changes = old;
    let active = V::load(token, &bundle.active);
    for row in 0..D {
        // 0 to 6
        let held = active.at_most(V::splat(token, row as f32));
        let kept = V::select(held, old[row], new[row]);
        kept.store(&mut bundle.impulse[row]);
        changes[row] = kept - old[row];
    }
    changes
}

/// J v of one row.
#[inline(always)]
fn product<V: Lanes<N>, const N: usize>(
    token: V::Token,
    row: &[[f32; N]; 12],
    a: &[V; 6],
    b: &[V; 6],
) -> V {
    // four short chains
    let mut sums = [V::splat(token, 0.0); 4];
    for half in 0..2 {
        let at = 3 * half;
        let from = V::load(token, &row[at]) * a[at];
        let from = from + V::load(token, &row[at + 1]) * a[at + 1];
        sums[half] = from + V::load(token, &row[at + 2]) * a[at + 2];
        let from = V::load(token, &row[at + 6]) * b[at];
        let from = from + V::load(token, &row[at + 7]) * b[at + 1];
        sums[half + 2] = from + V::load(token, &row[at + 8]) * b[at + 2];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// Velocities to steps, with the effective mass next to J.
#[inline(always)]
fn recomputed<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    law: RowLaw,
    bundle: &RowsBundle<N, D>,
    old: &[V; D],
    steps: &mut [V; D],
) {
    for row in 0..D {
        let bias = V::load(token, &bundle.bias[row]);
        let soft = V::load(token, &bundle.softness[row]) * old[row];
        steps[row] = steps[row] + (bias + soft);
    }
    if law == RowLaw::Solved && law.has(D) {
        *steps = block(token, bundle, steps);
    } else {
        for row in 0..D {
            steps[row] = steps[row] * V::load(token, &bundle.mass[row]);
        }
    }
}

/// Velocities to steps, with the effective mass inside J.
#[inline(always)]
fn projected<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    law: RowLaw,
    bundle: &RowsBundle<N, D>,
    old: &[V; D],
    steps: &mut [V; D],
) {
    let mut soft = *old;
    for row in 0..D {
        soft[row] = V::load(token, &bundle.softness[row]) * old[row];
    }
    if law == RowLaw::Solved && law.has(D) {
        soft = block(token, bundle, &soft);
    }
    for row in 0..D {
        steps[row] = steps[row] + (V::load(token, &bundle.bias[row]) + soft[row]);
    }
}

/// The block's own matrix times a vector.
#[inline(always)]
fn block<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
    x: &[V; D],
) -> [V; D] {
    let mut out = *x;
    for i in 0..D {
        let mut sum = V::load(token, &bundle.own[i][0]) * x[0];
        for j in 1..D {
            sum = sum + V::load(token, &bundle.own[i][j]) * x[j];
        }
        out[i] = sum;
    }
    out
}

/// The new impulses of a block, every row active.
#[inline(always)]
fn update<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    law: RowLaw,
    bundle: &RowsBundle<N, D>,
    old: &[V; D],
    steps: &mut [V; D],
) -> [V; D] {
    let zero = V::splat(token, 0.0);
    let (lower, upper) = (V::load(token, &bundle.lower), V::load(token, &bundle.upper));
    let mut new = *old;
    match law {
        // no block, and so no code
        _ if !law.has(D) => {}
        RowLaw::Solved => {
            for row in 0..D {
                new[row] = old[row] - steps[row];
            }
        }
        RowLaw::Bounded => {
            for row in 0..D {
                new[row] = (old[row] - steps[row]).clamped(lower, upper);
                couple(token, bundle, steps, row, new[row] - old[row]);
            }
        }
        RowLaw::Frictionless => {
            new = [zero; D];
            new[0] = (old[0] - steps[0]).at_least(zero);
        }
        RowLaw::Box => {
            new[0] = (old[0] - steps[0]).at_least(zero);
            couple(token, bundle, steps, 0, new[0] - old[0]);
            for row in 1..D {
                // the bound follows a held normal, as every row here does
                let limit = lower + upper * normal_of(token, bundle, old, &new);
                new[row] = (old[row] - steps[row]).clamped(-limit, limit);
                couple(token, bundle, steps, row, new[row] - old[row]);
            }
        }
        RowLaw::Disc => {
            new[0] = (old[0] - steps[0]).at_least(zero);
            couple(token, bundle, steps, 0, new[0] - old[0]);
            let radius = upper * new[0];
            if D == 2 {
                new[1] = (old[1] - steps[1]).clamped(-radius, radius);
            } else if D == 3 {
                [new[1], new[2]] = project(old[1] - steps[1], old[2] - steps[2], radius);
            }
        }
        RowLaw::Cone => cone::<V, N, D>(token, bundle, upper, old, steps, &mut new),
        RowLaw::Patch => patch::<V, N, D>(token, bundle, upper, old, steps, &mut new),
    }
    new
}

/// The normal impulse that friction is bounded by.
#[inline(always)]
fn normal_of<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
    old: &[V; D],
    new: &[V; D],
) -> V {
    let held = V::load(token, &bundle.active).at_most(V::splat(token, 0.0));
    V::select(held, old[0], new[0])
}

/// The change of one row reaches the steps of the others.
#[inline(always)]
fn couple<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
    steps: &mut [V; D],
    row: usize,
    change: V,
) {
    for other in row + 1..D {
        steps[other] = steps[other] + V::load(token, &bundle.own[other][row]) * change;
    }
}

/// Projection onto the cone K_μ (P.9).
#[inline(always)]
fn cone<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
    mu: V,
    old: &[V; D],
    steps: &[V; D],
    new: &mut [V; D],
) {
    let zero = V::splat(token, 0.0);
    for row in 0..D {
        new[row] = old[row] - steps[row];
    }
    let normal = new[0];
    let mut square = zero;
    for row in 1..D {
        square = square + new[row] * new[row];
    }
    let length = square.sqrt();
    let inside = V::and(zero.at_most(normal), length.at_most(mu * normal));
    let polar = (mu * length).at_most(-normal);
    let one = V::splat(token, 1.0);
    let projected = (normal + mu * length) / (one + mu * mu);
    let factor = mu * projected / length;
    let coned = V::select(inside, normal, V::select(polar, zero, projected));
    // a normal whose tangents are held is a row of its own: its step has its own effective mass
    let alone = V::load(token, &bundle.active).less(V::splat(token, D as f32));
    let step = steps[0] * V::load(token, &bundle.lower);
    new[0] = V::select(alone, (old[0] - step).at_least(zero), coned);
    for row in 1..D {
        let shrunk = V::select(polar, zero, new[row] * factor);
        new[row] = V::select(inside, new[row], shrunk);
    }
}

/// Normals, two tangents in the disc μ Σλ_n, the twist in μ Σℓλ_n (G.5).
#[inline(always)]
fn patch<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    bundle: &RowsBundle<N, D>,
    mu: V,
    old: &[V; D],
    steps: &mut [V; D],
    new: &mut [V; D],
) {
    let zero = V::splat(token, 0.0);
    let normals = D.saturating_sub(3);
    let (mut load, mut moment) = (zero, zero);
    for row in 0..normals {
        new[row] = (old[row] - steps[row]).at_least(zero);
        couple(token, bundle, steps, row, new[row] - old[row]);
        load = load + new[row];
        moment = moment + V::load(token, &bundle.levers[row]) * new[row];
    }
    let (one, two, twist) = (normals, normals + 1, normals + 2);
    let radius = mu * load;
    [new[one], new[two]] = project(old[one] - steps[one], old[two] - steps[two], radius);
    let steps_twist = steps[twist]
        + V::load(token, &bundle.own[twist][one]) * (new[one] - old[one])
        + V::load(token, &bundle.own[twist][two]) * (new[two] - old[two]);
    let limit = mu * moment;
    new[twist] = (old[twist] - steps_twist).clamped(-limit, limit);
}

/// v ← v + M⁻¹Jᵀ x of both bodies.
#[inline(always)]
fn push<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    velocities: &mut Velocities<'_>,
    bundle: &RowsBundle<N, D>,
    moves: &Moves<'_, N, D>,
    before: BodyVelocities<V>,
    impulses: &[V; D],
) {
    for side in 0..2 {
        let moved = match moves {
            Moves::Masses(masses) => {
                let wrench = combine(token, &bundle.jacobian, side, impulses);
                let [x, y, z, p, q, r] = wrench;
                let [p, q, r] = symmetric(token, &masses.inertia[side], [p, q, r]);
                let mass = &masses.linear[side];
                let (mx, my) = (V::load(token, &mass[0]), V::load(token, &mass[1]));
                [mx * x, my * y, V::load(token, &mass[2]) * z, p, q, r]
            }
            Moves::Response(response) => combine(token, response, side, impulses),
        };
        let mut after = before[side];
        for axis in 0..6 {
            after[axis] = after[axis] + moved[axis];
        }
        velocities.scatter(token, &bundle.bodies[side], after);
    }
}

/// Σ rows × impulses of one body.
#[inline(always)]
fn combine<V: Lanes<N>, const N: usize, const D: usize>(
    token: V::Token,
    rows: &[[[f32; N]; 12]; D],
    side: usize,
    impulses: &[V; D],
) -> [V; 6] {
    let mut sums = [V::splat(token, 0.0); 6];
    for axis in 0..6 {
        let entry = 6 * side + axis;
        let mut sum = V::load(token, &rows[0][entry]) * impulses[0];
        for row in 1..D {
            sum = sum + V::load(token, &rows[row][entry]) * impulses[row];
        }
        sums[axis] = sum;
    }
    sums
}
