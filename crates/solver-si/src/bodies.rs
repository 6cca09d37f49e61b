//! Packed rows of problems with bodies: velocities are kept, A is never formed.
//!
//! A row stores (J, M⁻¹Jᵀ) per body that it moves, 12 numbers side by side, so that an update streams through
//! memory once. Bodies that no impulse moves are left out; what they contribute to J v is constant and sits in the bias.

use delassus_core::{BodyRows, Problem, SolveError};

use crate::view::BlockView;

/// What one row means to one body.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// J, linear then angular.
    jacobian: [f64; 6],
    /// M⁻¹Jᵀ: velocity per unit of impulse.
    response: [f64; 6],
}

/// The scalars of one row.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// b_pos, and J v of the bodies that nothing moves \[m/s\].
    bias: f64,
    /// R \[1/kg\].
    compliance: f64,
    /// 1 / (A_ii + R_ii) \[kg\].
    effective_mass: f64,
}

/// Where a block lies in the packed arrays.
#[derive(Debug, Clone, Copy)]
struct Span {
    first_row: usize,
    dim: usize,
    first_entry: usize,
    first_body: usize,
    bodies: usize,
    /// Index of the diagonal block, of blocks with three rows.
    own: usize,
}

/// Packed rows and body velocities.
#[derive(Debug, Clone)]
pub(crate) struct PackedBodies {
    spans: Vec<Span>,
    entries: Vec<Entry>,
    rows: Vec<Row>,
    /// W = A_cc + R_cc of the blocks with three rows.
    own: Vec<[f64; 9]>,
    block_bodies: Vec<u32>,
    /// v, 6 per body \[m/s, rad/s\].
    velocities: Vec<f64>,
}

impl PackedBodies {
    /// Packs the Jacobians; [`Self::refresh`] fills in the rest.
    pub(crate) fn new(problem: &Problem, bodies: &BodyRows) -> Self {
        let mut packed = Self {
            spans: Vec::with_capacity(problem.blocks().len()),
            entries: Vec::with_capacity(bodies.jacobian.len()),
            rows: vec![Row::default(); problem.rows()],
            own: vec![[0.0; 9]; problem.blocks().iter().filter(|b| b.dim == 3).count()],
            block_bodies: Vec::with_capacity(bodies.block_bodies.len()),
            velocities: vec![0.0; 6 * bodies.len()],
        };
        let mut own = 0;
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let movable = |body: &u32| !bodies.mass[*body as usize].is_immovable();
            let first_body = packed.block_bodies.len();
            packed
                .block_bodies
                .extend(touched.iter().filter(|body| movable(body)));
            packed.spans.push(Span {
                first_row: block.first_row,
                dim: block.dim,
                first_entry: packed.entries.len(),
                first_body,
                bodies: packed.block_bodies.len() - first_body,
                own,
            });
            own += usize::from(block.dim == 3);
            for local in 0..block.dim {
                let row = bodies.row(index, local).iter().zip(touched);
                let row = row.filter(|(_, body)| movable(body));
                packed.entries.extend(row.map(|(jacobian, body)| Entry {
                    jacobian: *jacobian,
                    response: bodies.mass[*body as usize].times(jacobian),
                }));
            }
        }
        packed
    }

    /// Takes over bias, compliance and free velocity, and recomputes v = v_f + M⁻¹Jᵀλ (P.1).
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
    ) -> Result<(), SolveError> {
        for (index, block) in problem.blocks().iter().enumerate() {
            for (local, row) in block.rows().enumerate() {
                let mut bias = problem.bias()[row];
                let entries = bodies.row(index, local).iter().zip(bodies.bodies_of(index));
                for (jacobian, body) in entries {
                    let body = *body as usize;
                    if bodies.mass[body].is_immovable() {
                        bias += dot(jacobian, load(&bodies.free_velocity, body));
                    }
                }
                let compliance = problem.compliance()[row];
                self.rows[row] = Row {
                    bias,
                    compliance,
                    effective_mass: 1.0 / (problem.diagonal()[row] + compliance),
                };
            }
            if block.dim == 3 {
                let own = &mut self.own[self.spans[index].own];
                problem.diagonal_block(index, own);
                for (local, row) in block.rows().enumerate() {
                    own[4 * local] += problem.compliance()[row];
                }
            }
        }
        problem.body_velocities(impulses, &mut self.velocities)
    }

    /// v, 6 per body.
    pub(crate) fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    /// Updates one block: `update` gets the view that fits the number of bodies.
    #[inline(always)]
    pub(crate) fn with_block(&mut self, block: usize, impulses: &mut [f64], visitor: impl Visit) {
        let span = self.spans[block];
        let rows = &self.rows[span.first_row..span.first_row + span.dim];
        let impulses = &mut impulses[span.first_row..span.first_row + span.dim];
        let bodies = &self.block_bodies[span.first_body..span.first_body + span.bodies];
        let entries = &self.entries[span.first_entry..span.first_entry + span.dim * span.bodies];
        match *bodies {
            [a] => {
                let entries = entries.as_chunks::<1>().0;
                let mut velocities = [*load(&self.velocities, a as usize)];
                if span.dim == 3 {
                    let own = &self.own[span.own];
                    visit_triple(&mut velocities, entries, rows, own, impulses, visitor);
                } else {
                    visit_few(&mut velocities, entries, rows, impulses, visitor);
                }
                store(&mut self.velocities, a as usize, velocities[0]);
            }
            [a, b] => {
                let entries = entries.as_chunks::<2>().0;
                let (a, b) = (a as usize, b as usize);
                let mut velocities = [*load(&self.velocities, a), *load(&self.velocities, b)];
                if span.dim == 3 {
                    let own = &self.own[span.own];
                    visit_triple(&mut velocities, entries, rows, own, impulses, visitor);
                } else {
                    visit_few(&mut velocities, entries, rows, impulses, visitor);
                }
                store(&mut self.velocities, a, velocities[0]);
                store(&mut self.velocities, b, velocities[1]);
            }
            _ => visitor.visit(&mut ManyBodies {
                velocities: &mut self.velocities,
                bodies,
                entries,
                rows,
                impulses,
            }),
        }
    }

    /// w of every row (P.2).
    pub(crate) fn all_velocities(&self, impulses: &[f64], out: &mut [f64]) {
        for span in &self.spans {
            let bodies = &self.block_bodies[span.first_body..span.first_body + span.bodies];
            for local in 0..span.dim {
                let index = span.first_row + local;
                let row = &self.rows[index];
                let first = span.first_entry + local * span.bodies;
                let entries = &self.entries[first..first + span.bodies];
                out[index] = row.bias + row.compliance * impulses[index];
                for (entry, body) in entries.iter().zip(bodies) {
                    out[index] += dot(&entry.jacobian, load(&self.velocities, *body as usize));
                }
            }
        }
    }

    /// v += M⁻¹Jᵀ(new − old).
    pub(crate) fn apply_difference(&mut self, old: &[f64], new: &[f64]) {
        for span in &self.spans {
            let bodies = &self.block_bodies[span.first_body..span.first_body + span.bodies];
            for local in 0..span.dim {
                let index = span.first_row + local;
                let delta = new[index] - old[index];
                let first = span.first_entry + local * span.bodies;
                let entries = &self.entries[first..first + span.bodies];
                for (entry, body) in entries.iter().zip(bodies) {
                    let velocity = load_mut(&mut self.velocities, *body as usize);
                    add_scaled(velocity, &entry.response, delta);
                }
            }
        }
    }
}

/// A closure over any [`BlockView`].
pub(crate) trait Visit {
    fn visit<V: BlockView>(self, view: &mut V);
}

/// Three rows on one or two bodies. Their velocities w are formed together from v; a change of λ moves them through
/// W, and v once at the end. That breaks the chain of dependent additions that a row-by-row update waits for.
struct Triple<'a> {
    velocities: [f64; 3],
    changes: [f64; 3],
    rows: &'a [Row; 3],
    own: &'a [f64; 9],
    impulses: &'a mut [f64; 3],
}

#[inline(always)]
fn visit_triple<const K: usize>(
    velocities: &mut [[f64; 6]; K],
    entries: &[[Entry; K]],
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
    let mut view = Triple {
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

impl BlockView for Triple<'_> {
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
    entries: &'a [[Entry; K]],
    rows: &'a [Row],
    impulses: &'a mut [f64],
}

#[inline(always)]
fn visit_few<const K: usize>(
    velocities: &mut [[f64; 6]; K],
    entries: &[[Entry; K]],
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
struct ManyBodies<'a> {
    velocities: &'a mut [f64],
    bodies: &'a [u32],
    entries: &'a [Entry],
    rows: &'a [Row],
    impulses: &'a mut [f64],
}

impl ManyBodies<'_> {
    fn row(&self, local: usize) -> &[Entry] {
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
fn load(velocities: &[f64], body: usize) -> &[f64; 6] {
    &velocities.as_chunks::<6>().0[body]
}

#[inline(always)]
fn load_mut(velocities: &mut [f64], body: usize) -> &mut [f64; 6] {
    &mut velocities.as_chunks_mut::<6>().0[body]
}

#[inline(always)]
fn store(velocities: &mut [f64], body: usize, value: [f64; 6]) {
    *load_mut(velocities, body) = value;
}

#[inline(always)]
fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    (a[0] * b[0] + a[2] * b[2] + a[4] * b[4]) + (a[1] * b[1] + a[3] * b[3] + a[5] * b[5])
}

#[inline(always)]
fn add_scaled(target: &mut [f64; 6], direction: &[f64; 6], factor: f64) {
    for axis in 0..6 {
        target[axis] += direction[axis] * factor;
    }
}
