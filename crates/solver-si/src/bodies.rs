//! Packed rows of problems with bodies: velocities are kept, A is never formed.
//!
//! A row stores (J, M⁻¹Jᵀ) per body that it moves, 12 numbers side by side, so that an update
//! streams through memory once. Bodies that no impulse moves are left out; what they contribute to
//! J v is constant and sits in the bias.

use delassus_core::{Block, BodyRows, Problem, SolveError, Traffic, interrupt};

use crate::body_views::{
    BodyRowEntry, ManyBodies, Row, add_scaled, dot, load, load_mut, store, visit_few, visit_triple,
};
use crate::coupling::visit_any_block;
use crate::laws::has_simple_law;
use crate::order::visited;
use crate::view::Visit;

/// Multiplications that packing a block takes as long as: it waits for memory \[-\].
const PACKING: usize = 200;

/// A row keeps at least this share of A_ii where bodies stay \[-\]; below it no body of its block
/// does.
const LEAST_SHARE: f64 = 1e-9;

/// Where a block lies in the packed arrays.
#[derive(Debug, Clone, Copy)]
struct BlockSpan {
    /// In the problem.
    first_row: usize,
    dim: usize,
    /// In the packed rows.
    first_packed: usize,
    first_entry: usize,
    first_body: usize,
    bodies: usize,
    /// Index of the diagonal block; no index of blocks without one.
    own: usize,
}

/// True for a block whose rows are updated from its diagonal block.
fn is_triple(block: &Block) -> bool {
    block.dim == 3 && has_simple_law(block)
}

/// Of a block that has no place yet.
const NOWHERE: usize = usize::MAX;

/// Packed rows and body velocities. Blocks lie in the order in which a sweep visits them; `spans`
/// is in the problem's order.
#[derive(Debug, Clone, Default)]
pub(crate) struct PackedBodies {
    spans: Vec<BlockSpan>,
    entries: Vec<BodyRowEntry>,
    rows: Vec<Row>,
    /// W = A_cc + R_cc of the blocks with three rows and a simple law.
    own: Vec<[f64; 9]>,
    /// True if W has the couplings of these rows, so that another compliance changes its diagonal
    /// alone.
    has_couplings: bool,
    block_bodies: Vec<u32>,
    /// v, 6 per body \[m/s, rad/s\].
    velocities: Vec<f64>,
    /// True if some bodies stay where they are in some blocks: W then follows from the rows, not
    /// from the problem.
    is_frozen: bool,
    /// Memory for a diagonal block.
    workspace: Vec<f64>,
}

impl PackedBodies {
    /// Packs the Jacobians in the place of others, blocks in the order of `visits` and what they
    /// leave out behind them, so that a sweep streams through memory; [`Self::refresh`] fills in
    /// the rest.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        visits: &[u32],
    ) -> Result<(), SolveError> {
        self.make_room(problem, bodies);
        interrupt::for_each(visits.len() + problem.blocks().len(), PACKING, |at| {
            let index = match visits.get(at) {
                Some(visit) => visited(*visit).0,
                None => at - visits.len(),
            };
            if self.spans[index].first_entry == NOWHERE {
                self.pack_block(problem, bodies, index);
            }
        })
    }

    /// Packs a block behind the others.
    fn pack_block(&mut self, problem: &Problem, bodies: &BodyRows, index: usize) {
        let block = &problem.blocks()[index];
        let touched = bodies.bodies_of(index);
        let movable = |body: &u32| !bodies.mass[*body as usize].is_immovable();
        let first_body = self.block_bodies.len();
        self.block_bodies
            .extend(touched.iter().filter(|body| movable(body)));
        self.spans[index] = BlockSpan {
            first_row: block.first_row,
            dim: block.dim,
            first_packed: self.rows.len(),
            first_entry: self.entries.len(),
            first_body,
            bodies: self.block_bodies.len() - first_body,
            own: if is_triple(block) {
                self.own.len()
            } else {
                NOWHERE
            },
        };
        self.rows
            .resize(self.rows.len() + block.dim, Row::default());
        if is_triple(block) {
            self.own.push([0.0; 9]);
        }
        for local in 0..block.dim {
            let row = bodies.row(index, local).iter().zip(touched);
            let row = row.filter(|(_, body)| movable(body));
            self.entries
                .extend(row.map(|(jacobian, body)| BodyRowEntry {
                    jacobian: *jacobian,
                    response: bodies.mass[*body as usize].apply_inverse(jacobian),
                }));
        }
    }

    /// Takes all rows out, and makes room for those of a problem.
    fn make_room(&mut self, problem: &Problem, bodies: &BodyRows) {
        let nowhere = BlockSpan {
            first_row: 0,
            dim: 0,
            first_packed: 0,
            first_entry: NOWHERE,
            first_body: 0,
            bodies: 0,
            own: NOWHERE,
        };
        self.spans.clear();
        self.spans.resize(problem.blocks().len(), nowhere);
        self.entries.clear();
        self.entries.reserve(bodies.jacobian.len());
        self.block_bodies.clear();
        self.block_bodies.reserve(bodies.block_bodies.len());
        self.rows.clear();
        self.rows.reserve(problem.rows());
        let triples = problem.blocks().iter().filter(|block| is_triple(block));
        self.own.clear();
        self.own.reserve(triples.count());
        self.has_couplings = false;
        self.velocities.clear();
        self.velocities.resize(6 * bodies.len(), 0.0);
        self.is_frozen = false;
    }

    /// The same with bodies that no impulse of some blocks moves: those for which
    /// `stays(block, body)`. A block keeps all its bodies where one of its rows would move nothing
    /// any more.
    pub(crate) fn pack_frozen(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        stays: impl Fn(usize, u32) -> bool,
    ) -> Result<(), SolveError> {
        self.pack(problem, bodies, &[])?;
        self.is_frozen = true;
        for (index, span) in self.spans.iter().enumerate() {
            let touched = &self.block_bodies[span.first_body..span.first_body + span.bodies];
            let rows = |local: usize| span.first_entry + local * span.bodies;
            let share = |local: usize, place: usize| {
                let entry: &BodyRowEntry = &self.entries[rows(local) + place];
                dot(&entry.jacobian, &entry.response)
            };
            let moves = |local: usize| {
                let places = 0..span.bodies;
                let all: f64 = places.clone().map(|place| share(local, place)).sum();
                let free = places.filter(|place| !stays(index, touched[*place]));
                free.map(|place| share(local, place)).sum::<f64>() > LEAST_SHARE * all
            };
            if !(0..span.dim).all(moves) {
                continue;
            }
            for place in (0..span.bodies).filter(|place| stays(index, touched[*place])) {
                for local in 0..span.dim {
                    self.entries[rows(local) + place].response = [0.0; 6];
                }
            }
        }
        interrupt::check()
    }

    /// W = A_cc + diag R_cc of one block by its rows, row-major.
    pub(crate) fn own_of_rows(&self, block: usize, out: &mut Vec<f64>) {
        let span = self.spans[block];
        out.clear();
        out.resize(span.dim * span.dim, 0.0);
        let row = |local: usize| {
            let first = span.first_entry + local * span.bodies;
            &self.entries[first..first + span.bodies]
        };
        for i in 0..span.dim {
            for j in 0..span.dim {
                let pairs = row(i).iter().zip(row(j));
                out[i * span.dim + j] = pairs.map(|(a, b)| dot(&a.jacobian, &b.response)).sum();
            }
            out[i * span.dim + i] += self.rows[span.first_packed + i].compliance;
        }
    }

    /// Replaces v.
    pub(crate) fn set_velocities(&mut self, velocities: &[f64]) {
        self.velocities.copy_from_slice(velocities);
    }

    /// Effective masses and diagonal blocks of rows in which some bodies stay.
    fn refresh_frozen(&mut self) {
        let mut own = std::mem::take(&mut self.workspace);
        for index in 0..self.spans.len() {
            self.own_of_rows(index, &mut own);
            let span = self.spans[index];
            for local in 0..span.dim {
                self.rows[span.first_packed + local].effective_mass =
                    1.0 / own[local * span.dim + local];
            }
            if let Some(to) = self.own.get_mut(span.own) {
                to.copy_from_slice(&own);
            }
        }
        self.workspace = own;
    }

    /// Takes over bias, compliance and free velocity, and recomputes v = v_f + M⁻¹Jᵀλ (P.1).
    pub(crate) fn refresh(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
    ) -> Result<(), SolveError> {
        let blocks = problem.blocks();
        interrupt::for_each(blocks.len(), PACKING, |index| {
            let (block, span) = (&blocks[index], self.spans[index]);
            let touched = bodies.bodies_of(index);
            for (local, row) in block.rows().enumerate() {
                let mut bias = problem.bias()[row];
                // nearly every body moves
                if span.bodies < touched.len() {
                    bias = add_velocity_of_fixed(bodies, index, local, bias);
                }
                let compliance = problem.compliance()[row];
                self.rows[span.first_packed + local] = Row {
                    bias,
                    compliance,
                    effective_mass: 1.0 / (problem.diagonal()[row] + compliance),
                };
            }
            if let Some(own) = self.own.get_mut(span.own) {
                if !self.has_couplings {
                    problem.diagonal_block(index, own);
                }
                for (local, row) in block.rows().enumerate() {
                    own[4 * local] = problem.diagonal()[row] + problem.compliance()[row];
                }
            }
        })?;
        self.has_couplings = true;
        if self.is_frozen {
            self.refresh_frozen();
        }
        self.warm_start(problem, impulses)
    }

    /// Recomputes v = v_f + M⁻¹Jᵀλ (P.1).
    pub(crate) fn warm_start(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<(), SolveError> {
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
        let rows = &self.rows[span.first_packed..span.first_packed + span.dim];
        let impulses = &mut impulses[span.first_row..span.first_row + span.dim];
        let bodies = &self.block_bodies[span.first_body..span.first_body + span.bodies];
        let entries = &self.entries[span.first_entry..span.first_entry + span.dim * span.bodies];
        match *bodies {
            // each kind of view has velocities of its own, which then stay in registers
            [a] => {
                let (entries, a) = (entries.as_chunks::<1>().0, a as usize);
                if let Some(own) = self.own.get(span.own) {
                    let mut velocities = [*load(&self.velocities, a)];
                    visit_triple(&mut velocities, entries, rows, own, impulses, visitor);
                    store(&mut self.velocities, a, velocities[0]);
                } else {
                    let mut velocities = [*load(&self.velocities, a)];
                    visit_few(&mut velocities, entries, rows, impulses, visitor);
                    store(&mut self.velocities, a, velocities[0]);
                }
            }
            [a, b] => {
                let (entries, a, b) = (entries.as_chunks::<2>().0, a as usize, b as usize);
                if let Some(own) = self.own.get(span.own) {
                    let mut velocities = [*load(&self.velocities, a), *load(&self.velocities, b)];
                    visit_triple(&mut velocities, entries, rows, own, impulses, visitor);
                    store(&mut self.velocities, a, velocities[0]);
                    store(&mut self.velocities, b, velocities[1]);
                } else {
                    let mut velocities = [*load(&self.velocities, a), *load(&self.velocities, b)];
                    visit_few(&mut velocities, entries, rows, impulses, visitor);
                    store(&mut self.velocities, a, velocities[0]);
                    store(&mut self.velocities, b, velocities[1]);
                }
            }
            _ => {
                let mut many = ManyBodies {
                    velocities: &mut self.velocities,
                    bodies,
                    entries,
                    rows,
                    impulses,
                };
                visit_any_block(visitor, &mut many, &[]);
            }
        }
    }

    /// Bytes of one sweep over all rows, without impulses and laws.
    pub(crate) fn traffic(&self) -> Traffic {
        let triple = |span: &&BlockSpan| span.own != NOWHERE && matches!(span.bodies, 1 | 2);
        let own = self.spans.iter().filter(triple).count() * size_of::<[f64; 9]>();
        let read = size_of_val(self.spans.as_slice())
            + size_of_val(self.entries.as_slice())
            + size_of_val(self.rows.as_slice())
            + size_of_val(self.block_bodies.as_slice())
            + own;
        Traffic {
            read: read as u64,
            written: 0,
            // read and written back
            gathered: (2 * self.block_bodies.len() * size_of::<[f64; 6]>()) as u64,
        }
    }

    /// w of every row (P.2).
    pub(crate) fn all_velocities(&self, impulses: &[f64], out: &mut [f64]) {
        for span in &self.spans {
            let bodies = &self.block_bodies[span.first_body..span.first_body + span.bodies];
            for local in 0..span.dim {
                let index = span.first_row + local;
                let row = &self.rows[span.first_packed + local];
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

/// Adds J v of the bodies of a row that no impulse moves.
fn add_velocity_of_fixed(bodies: &BodyRows, block: usize, local: usize, bias: f64) -> f64 {
    let entries = bodies.row(block, local).iter().zip(bodies.bodies_of(block));
    let fixed = entries.filter(|(_, body)| bodies.mass[**body as usize].is_immovable());
    fixed.fold(bias, |bias, (jacobian, body)| {
        bias + dot(jacobian, load(&bodies.free_velocity, *body as usize))
    })
}
