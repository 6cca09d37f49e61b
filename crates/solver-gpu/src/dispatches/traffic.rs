//! Bytes of an iteration, counted from the buffers.

use delassus_core::Traffic;
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::BODY_FREE;
use delassus_solver_jacobi::rule::LocalSweep;

use super::Dispatches;
use crate::buffers::GpuQuad;

impl Dispatches {
    /// Bytes that one iteration moves, counted from the buffers (K.4).
    pub(crate) fn traffic(&self) -> Traffic {
        let b = &self.buffers;
        let momentum = self.settings.acceleration != Acceleration::None;
        let slots = self.pack.slots.body.len() as u64;
        let linked = self.pack.slots.slots.len() as u64;
        let quad = size_of::<GpuQuad>() as u64;
        // of the rows' three parts one is read, one written, and one is the thread's own
        let impulses = b.points.bytes() / 2 + b.rows.bytes() / 3;
        let fixed = [
            &b.manifold_heads,
            &b.manifold_numbers,
            &b.unit_heads,
            &b.unit_numbers,
        ];
        let fixed: u64 = fixed.iter().map(|buffer| buffer.bytes()).sum();
        let bodies = self.pack.bodies.len() as u64;
        // three quads of a mass, or two
        let stored = b.bodies.bytes() / quad / bodies - BODY_FREE as u64;
        let masses = if self.pack.rule().sweep == LocalSweep::Block {
            stored
        } else {
            0
        };
        let seen = quad * (BODY_FREE as u64 + masses) * slots;
        // with momentum v_k is read and two velocities are written
        let bodies = (BODY_FREE * self.pack.bodies.len()) as u64 * quad;
        let old = if momentum { bodies } else { 0 };
        // the natural residual reads pieces, impulses and velocities once more
        let again = u64::from(self.natural.is_some());
        let halves = u64::from(momentum) + 1 + again;
        let seen = seen + again * quad * BODY_FREE as u64 * slots;
        Traffic {
            read: (1 + again) * fixed + halves * impulses + b.bodies.bytes() + old,
            written: impulses + 2 * quad * linked + b.sums.bytes() + b.velocity.bytes(),
            gathered: seen + 2 * quad * linked + b.adjacency.bytes(),
        }
    }
}
