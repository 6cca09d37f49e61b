//! Blocks that no bundle holds: more than two bodies, more rows than seven, facets, rolling. One by
//! one, by the rules of `pgs`.
//!
//! The laws are evaluated in f64 by the code of `pgs`; impulses and velocities are f32 as
//! everywhere in this solver.

use delassus_core::{BodyRows, Changes, Problem, Traffic};
use delassus_solver_si::kernel::{BlockView, RowRule, Rule};

use super::batch::{Batch, BundleKind, BundleMatch, Context, Visit};
use super::bundle::Fill;
use super::lanes::BodyRow;
use super::velocities::{FIXED, Velocities, single};

/// Whatever no other kind takes.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: false,
    packing_finds: false,
    find: |_, _| Some(BundleMatch::ALONE),
    batch: |_, order| Box::new(FallbackBlocks::new(order.blocks)),
};

/// Where a block lies.
#[derive(Debug, Clone, Copy)]
struct BlockSpan {
    first_row: usize,
    first_body: usize,
    bodies: usize,
    first_entry: usize,
    dim: usize,
    active: usize,
}

/// J and M⁻¹Jᵀ of one row and body.
#[derive(Debug, Clone, Copy)]
struct BodyRowEntry {
    jacobian: [f32; 6],
    response: [f32; 6],
}

#[derive(Debug, Clone, Copy, Default)]
struct Row {
    bias: f32,
    softness: f32,
    mass: f64,
}

/// Blocks in the order in which they are visited.
struct FallbackBlocks {
    blocks: Vec<u32>,
    rule: RowRule,
    spans: Vec<BlockSpan>,
    bodies: Vec<u32>,
    entries: Vec<BodyRowEntry>,
    rows: Vec<Row>,
    impulses: Vec<f32>,
}

impl FallbackBlocks {
    fn new(blocks: &[u32]) -> Self {
        Self {
            blocks: blocks.to_vec(),
            rule: RowRule::new(1.0),
            spans: Vec::new(),
            bodies: Vec::new(),
            entries: Vec::new(),
            rows: Vec::new(),
            impulses: Vec::new(),
        }
    }

    /// Writes Jacobians, masses, laws, and everything that depends on the compliance; not the
    /// impulses.
    fn pack_all(&mut self, problem: &Problem, bodies: &BodyRows) {
        self.rule.build_some(problem, &self.blocks);
        self.spans.clear();
        self.bodies.clear();
        self.entries.clear();
        let mut rows = 0;
        for block in &self.blocks {
            let block = *block as usize;
            let touched = bodies.bodies_of(block);
            let dim = problem.blocks()[block].dim;
            self.spans.push(BlockSpan {
                first_row: rows,
                first_body: self.bodies.len(),
                bodies: touched.len(),
                first_entry: self.entries.len(),
                dim,
                active: dim,
            });
            rows += dim;
            let fixed = |body: u32| {
                let immovable = bodies.mass[body as usize].is_immovable();
                body | if immovable { FIXED } else { 0 }
            };
            self.bodies.extend(touched.iter().map(|body| fixed(*body)));
            for row in 0..dim {
                let entries = bodies.row(block, row).iter().zip(touched);
                self.entries
                    .extend(entries.map(|(entry, body)| BodyRowEntry {
                        jacobian: entry.map(single),
                        response: bodies.mass[*body as usize].apply_inverse(entry).map(single),
                    }));
            }
        }
        self.rows.resize(rows, Row::default());
        self.impulses.resize(rows, 0.0);
        self.refresh_numbers(problem);
    }

    /// Takes over bias, softness and activity.
    fn refresh_numbers(&mut self, problem: &Problem) {
        for (block, span) in self.blocks.iter().zip(&mut self.spans) {
            let block = *block as usize;
            span.active = problem.active_dim(block);
            for (local, row) in problem.blocks()[block].rows().enumerate() {
                let softness = problem.compliance()[row];
                self.rows[span.first_row + local] = Row {
                    bias: single(problem.bias()[row]),
                    softness: single(softness),
                    mass: 1.0 / (problem.diagonal()[row] + softness),
                };
            }
        }
    }

    /// Takes over the impulses of all rows.
    fn write_impulses(&mut self, problem: &Problem, impulses: &[f64]) {
        for (block, span) in self.blocks.iter().zip(&self.spans) {
            let rows = problem.blocks()[*block as usize].rows();
            for (to, from) in self.impulses[span.first_row..]
                .iter_mut()
                .zip(&impulses[rows])
            {
                *to = single(*from);
            }
        }
    }

    fn solve(&mut self, velocities: &mut Velocities<'_>) {
        for (block, span) in self.spans.iter().enumerate() {
            if span.active > 0 {
                let mut view = FallbackView {
                    velocities: velocities.lent(),
                    bodies: &self.bodies[span.first_body..span.first_body + span.bodies],
                    entries: &self.entries[span.first_entry..],
                    rows: &self.rows[span.first_row..span.first_row + span.dim],
                    impulses: &mut self.impulses[span.first_row..span.first_row + span.dim],
                };
                self.rule.update(block, span.active, &mut view);
            }
        }
    }

    fn apply(&self, velocities: &mut Velocities<'_>) {
        for span in &self.spans {
            let bodies = &self.bodies[span.first_body..span.first_body + span.bodies];
            for local in 0..span.dim {
                let impulse = self.impulses[span.first_row + local];
                let entries = &self.entries[span.first_entry + local * span.bodies..];
                push(velocities, bodies, entries, impulse);
            }
        }
    }
}

impl Batch for FallbackBlocks {
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        self.pack_all(context.problem, context.bodies);
        self.write_impulses(context.problem, context.impulses);
        true
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        if what.compliance {
            self.pack_all(context.problem, context.bodies);
        } else {
            self.refresh_numbers(context.problem);
        }
        false
    }

    /// Velocities are gathered and written once per row and body.
    fn traffic(&self) -> Traffic {
        let gathered = |span: &BlockSpan| {
            let bodies = &self.bodies[span.first_body..span.first_body + span.bodies];
            let moved = bodies.iter().filter(|body| **body & FIXED == 0).count();
            span.dim * (bodies.len() + moved) * size_of::<BodyRow>()
        };
        let read = size_of_val(self.spans.as_slice())
            + size_of_val(self.bodies.as_slice())
            + size_of_val(self.entries.as_slice())
            + size_of_val(self.rows.as_slice())
            + size_of_val(self.impulses.as_slice());
        Traffic {
            read: read as u64 + self.rule.bytes().unwrap_or(0),
            written: size_of_val(self.impulses.as_slice()) as u64,
            gathered: self.spans.iter().map(gathered).sum::<usize>() as u64,
        }
    }

    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for (block, span) in self.blocks.iter().zip(&self.spans) {
            let first = first_rows[*block as usize] as usize;
            for local in 0..span.dim {
                out[first + local] = f64::from(self.impulses[span.first_row + local]);
            }
        }
    }

    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        match visit {
            Visit::Solve => self.solve(velocities),
            Visit::Apply => self.apply(velocities),
        }
    }

    fn fill(&self) -> Fill {
        Fill {
            bundles: self.blocks.len(),
            filled: self.blocks.len(),
        }
    }
}

/// v += M⁻¹Jᵀ x of one row.
fn push(velocities: &mut Velocities<'_>, bodies: &[u32], entries: &[BodyRowEntry], impulse: f32) {
    for (body, entry) in bodies.iter().zip(entries) {
        let mut row = velocities.body(*body);
        for axis in 0..3 {
            row[axis] += entry.response[axis] * impulse;
            row[axis + 4] += entry.response[axis + 3] * impulse;
        }
        velocities.set_body(*body, row);
    }
}

struct FallbackView<'a> {
    velocities: Velocities<'a>,
    bodies: &'a [u32],
    entries: &'a [BodyRowEntry],
    rows: &'a [Row],
    impulses: &'a mut [f32],
}

impl BlockView for FallbackView<'_> {
    fn impulse(&self, local: usize) -> f64 {
        f64::from(self.impulses[local])
    }

    fn velocity(&self, local: usize) -> f64 {
        let row = &self.rows[local];
        let mut sum = row.bias + row.softness * self.impulses[local];
        let entries = &self.entries[local * self.bodies.len()..];
        for (body, entry) in self.bodies.iter().zip(entries) {
            let velocity = self.velocities.body(*body);
            for axis in 0..3 {
                sum += entry.jacobian[axis] * velocity[axis];
                sum += entry.jacobian[axis + 3] * velocity[axis + 4];
            }
        }
        f64::from(sum)
    }

    fn effective_mass(&self, local: usize) -> f64 {
        self.rows[local].mass
    }

    fn set_impulse(&mut self, local: usize, impulse: f64) {
        let new = single(impulse);
        let change = new - self.impulses[local];
        self.impulses[local] = new;
        let entries = &self.entries[local * self.bodies.len()..];
        push(&mut self.velocities, self.bodies, entries, change);
    }
}
