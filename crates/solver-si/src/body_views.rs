//! Blocks of problems with bodies while they are updated: three views, by the number of rows and
//! bodies.

use crate::view::{BlockView, Visit};

/// What one row means to one body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyRowEntry {
    /// J, linear then angular.
    pub(crate) jacobian: [f64; 6],
    /// M⁻¹Jᵀ: velocity per unit of impulse.
    pub(crate) response: [f64; 6],
}

/// The scalars of one row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    /// b_pos, and J v of the bodies that nothing moves \[m/s\].
    pub(crate) bias: f64,
    /// R \[1/kg\].
    pub(crate) compliance: f64,
    /// 1 / (A_ii + R_ii) \[kg\].
    pub(crate) effective_mass: f64,
}

/// Three rows of a simple law on one or two bodies. Their velocities w are formed together from v;
/// a change of λ moves them through W, and v once at the end. That breaks the chain of dependent
/// additions that a row-by-row update waits for.
struct RowTriple<'a> {
    velocities: [f64; 3],
    changes: [f64; 3],
    rows: &'a [Row; 3],
    own: &'a [f64; 9],
    impulses: &'a mut [f64; 3],
}

#[inline(always)]
pub(crate) fn visit_triple<const K: usize>(
    velocities: &mut [[f64; 6]; K],
    entries: &[[BodyRowEntry; K]],
    rows: &[Row],
    own: &[f64; 9],
    impulses: &mut [f64],
    visitor: impl Visit,
) {
    let ([entries], [rows], [impulses]) = (
        entries.as_chunks::<3>().0,
        rows.as_chunks::<3>().0,
        impulses.as_chunks_mut::<3>().0,
    ) else {
        return;
    };
    let mut w = [0.0; 3];
    for local in 0..3 {
        w[local] = rows[local].bias + rows[local].compliance * impulses[local];
        for body in 0..K {
            w[local] += dot(&entries[local][body].jacobian, &velocities[body]);
        }
    }
    let mut view = RowTriple {
        velocities: w,
        changes: [0.0; 3],
        rows,
        own,
        impulses,
    };
    visitor.visit(&mut view);
    let changes = view.changes;
    for body in 0..K {
        for local in 0..3 {
            add_scaled(
                &mut velocities[body],
                &entries[local][body].response,
                changes[local],
            );
        }
    }
}

impl BlockView for RowTriple<'_> {
    #[inline(always)]
    fn has_any_law(&self) -> bool {
        false
    }

    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.impulses[local]
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        self.velocities[local]
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.rows[local].effective_mass
    }

    #[inline(always)]
    fn set_impulse(&mut self, local: usize, impulse: f64) {
        let delta = impulse - self.impulses[local];
        self.impulses[local] = impulse;
        self.changes[local] += delta;
        for row in 0..3 {
            self.velocities[row] += self.own[3 * row + local] * delta;
        }
    }
}

/// One or two bodies, their velocities at hand while the block is updated.
struct FewBodies<'a, const K: usize> {
    velocities: &'a mut [[f64; 6]; K],
    entries: &'a [[BodyRowEntry; K]],
    rows: &'a [Row],
    impulses: &'a mut [f64],
}

#[inline(always)]
pub(crate) fn visit_few<const K: usize>(
    velocities: &mut [[f64; 6]; K],
    entries: &[[BodyRowEntry; K]],
    rows: &[Row],
    impulses: &mut [f64],
    visitor: impl Visit,
) {
    visitor.visit(&mut FewBodies {
        velocities,
        entries,
        rows,
        impulses,
    });
}

impl<const K: usize> BlockView for FewBodies<'_, K> {
    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.impulses[local]
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        let row = &self.rows[local];
        let entries = &self.entries[local];
        let mut w = row.bias + row.compliance * self.impulses[local];
        for body in 0..K {
            w += dot(&entries[body].jacobian, &self.velocities[body]);
        }
        w
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.rows[local].effective_mass
    }

    #[inline(always)]
    fn set_impulse(&mut self, local: usize, impulse: f64) {
        let delta = impulse - self.impulses[local];
        self.impulses[local] = impulse;
        let entries = &self.entries[local];
        for body in 0..K {
            add_scaled(&mut self.velocities[body], &entries[body].response, delta);
        }
    }
}

/// No movable body, or three and more.
pub(crate) struct ManyBodies<'a> {
    pub(crate) velocities: &'a mut [f64],
    pub(crate) bodies: &'a [u32],
    pub(crate) entries: &'a [BodyRowEntry],
    pub(crate) rows: &'a [Row],
    pub(crate) impulses: &'a mut [f64],
}

impl ManyBodies<'_> {
    fn row(&self, local: usize) -> &[BodyRowEntry] {
        let first = local * self.bodies.len();
        &self.entries[first..first + self.bodies.len()]
    }
}

impl BlockView for ManyBodies<'_> {
    fn impulse(&self, local: usize) -> f64 {
        self.impulses[local]
    }

    fn velocity(&self, local: usize) -> f64 {
        let row = &self.rows[local];
        let mut w = row.bias + row.compliance * self.impulses[local];
        for (entry, body) in self.row(local).iter().zip(self.bodies) {
            w += dot(&entry.jacobian, load(self.velocities, *body as usize));
        }
        w
    }

    fn effective_mass(&self, local: usize) -> f64 {
        self.rows[local].effective_mass
    }

    fn set_impulse(&mut self, local: usize, impulse: f64) {
        let delta = impulse - self.impulses[local];
        self.impulses[local] = impulse;
        let first = local * self.bodies.len();
        let entries = &self.entries[first..first + self.bodies.len()];
        for (entry, body) in entries.iter().zip(self.bodies) {
            let velocity = load_mut(self.velocities, *body as usize);
            add_scaled(velocity, &entry.response, delta);
        }
    }
}

#[inline(always)]
pub(crate) fn load(velocities: &[f64], body: usize) -> &[f64; 6] {
    &velocities.as_chunks::<6>().0[body]
}

#[inline(always)]
pub(crate) fn load_mut(velocities: &mut [f64], body: usize) -> &mut [f64; 6] {
    &mut velocities.as_chunks_mut::<6>().0[body]
}

#[inline(always)]
pub(crate) fn store(velocities: &mut [f64], body: usize, value: [f64; 6]) {
    *load_mut(velocities, body) = value;
}

#[inline(always)]
pub(crate) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

#[inline(always)]
pub(crate) fn add_scaled(target: &mut [f64; 6], direction: &[f64; 6], factor: f64) {
    for axis in 0..6 {
        target[axis] += direction[axis] * factor;
    }
}
