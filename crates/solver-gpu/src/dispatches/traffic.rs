//! Bytes of an iteration, counted from the buffers.

use delassus_core::Traffic;
use delassus_solver_jacobi::pack::{BODY_FREE, FIXED};
use delassus_solver_jacobi::rule::LocalSweep;

use super::Dispatches;
use crate::buffers::GpuQuad;
use crate::control::Control;

impl Dispatches {
    /// Bytes that one iteration moves, counted from the buffers (K.4).
    pub(crate) fn traffic(&self) -> Traffic {
        if self.settings.fused {
            return self.fused_traffic();
        }
        let b = &self.buffers;
        let momentum = self.settings.has_momentum();
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

    /// Bytes of an iteration of one dispatch: each manifold gathers the wrenches of all manifolds
    /// of its bodies (K.53).
    fn fused_traffic(&self) -> Traffic {
        let (b, pack) = (&self.buffers, &self.pack);
        let quad = size_of::<GpuQuad>() as u64;
        let velocity = quad * BODY_FREE as u64;
        let momentum = u64::from(self.settings.has_momentum());
        let bodies = pack.bodies.len() as u64;
        let first = &pack.slots.first_slot;
        let count = |body: usize| u64::from(first[body + 1] - first[body]);
        // a body: mass, free velocity, the ends of its list, and v_{k−1}
        let one = b.bodies.bytes() / bodies + 8 + momentum * velocity;
        // a slot of its list, and the wrench
        let of = |body: usize| one + count(body) * (4 + 2 * quad);
        let heads = &pack.manifolds.heads;
        let sides = heads.iter().flat_map(|head| [head[2], head[3]]);
        let seen: u64 = sides.map(|body| of((body & !FIXED) as usize)).sum();
        // with momentum a thread per body stores v_k, without reading v_{k−1}
        let own = |body: usize| of(body) - velocity;
        let own: u64 = (0..pack.bodies.len()).map(own).sum();
        let linked = pack.slots.slots.len() as u64;
        let impulses = b.points.bytes() / 2;
        let sums = quad * Control::sum_entries(pack) as u64;
        Traffic {
            read: size_of_val(heads.as_slice()) as u64
                + b.manifold_numbers.bytes()
                + (1 + momentum) * impulses,
            written: impulses + 2 * quad * linked + sums + momentum * velocity * bodies,
            gathered: seen + momentum * own,
        }
    }
}
