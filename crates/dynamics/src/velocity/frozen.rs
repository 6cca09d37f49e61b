//! The rows of a frame that the substeps share.

use delassus_core::ProblemError;
use nalgebra::UnitQuaternion;

use super::parameters::VelocityParameters;
use crate::assembly::{Assembly, RowInfo, RowKind, Selection, Source};
use crate::contact::ContactFrame;
use crate::contact_reuse::ContactVersion;
use crate::motion;
use crate::world::World;

/// Rows frozen at one instant, and what earlier substeps of the frame left with them.
pub(super) struct FrozenRows {
    pub(super) assembly: Assembly,
    /// True if a contact may bounce; otherwise the next three fields are unused.
    pub(super) may_bounce: bool,
    /// Normal velocities at the start of the frame \[m/s\].
    pub(super) approach: Vec<f64>,
    /// Sum of the impulses over the substeps \[N·s\].
    pub(super) pushed: Vec<f64>,
    /// Of the bodies at the freeze, 6 per body \[m/s, rad/s\].
    velocities: Vec<f64>,
    at: FrozenAt,
}

/// Rows from frame to frame.
#[derive(Default)]
pub(super) struct RowMemory {
    /// Those of the last frame.
    pub(super) last: Option<FrozenRows>,
    /// Memory for others: of two at most, where a substep freezes while it has those of the one
    /// before.
    pub(super) recycled: Vec<FrozenRows>,
    /// The contacts at the start of the frame, where their lever arms stay while those of the
    /// joints follow.
    pub(super) held: Vec<ContactFrame>,
    /// Impulses that the world stores for the last ones \[N·s\].
    pub(super) stored: Vec<f64>,
}

impl FrozenRows {
    /// Freezes the rows at the present poses in the memory of `recycled` ones; `free` holds the
    /// free velocities, 6 per body. Contacts are `held` as they were, or those of now.
    pub(super) fn new(
        recycled: Option<Self>,
        world: &World,
        free: &[f64],
        h: f64,
        selection: Selection,
        held: Option<&[ContactFrame]>,
    ) -> Result<Self, ProblemError> {
        let (memory, mut approach, mut pushed, velocities, mut at) = match recycled {
            Some(r) => (Some(r.assembly), r.approach, r.pushed, r.velocities, r.at),
            None => Default::default(),
        };
        let assembly = Assembly::in_memory_of(memory, world, free, h, selection, held)?;
        let may_bounce = world.manifolds.iter().any(|m| m.restitution > 0.0);
        let rows = if may_bounce {
            assembly.problem.rows()
        } else {
            0
        };
        for numbers in [&mut approach, &mut pushed] {
            numbers.clear();
            numbers.resize(rows, 0.0);
        }
        at.set(world, h);
        let mut frozen = Self {
            assembly,
            may_bounce,
            approach,
            pushed,
            velocities,
            at,
        };
        if may_bounce {
            let mut velocities = std::mem::take(&mut frozen.velocities);
            motion::velocities(world, &mut velocities);
            frozen.measure_approach(&velocities);
            frozen.velocities = velocities;
        }
        Ok(frozen)
    }

    /// True if the rows are those of the next frame, too, but for numbers of their problem.
    pub(super) fn are_current(
        &self,
        world: &World,
        parameters: &VelocityParameters,
        h: f64,
    ) -> bool {
        let margin = parameters.speculative_margin;
        !parameters.assembles_every_substep(world)
            && world.joints.is_empty()
            && !self.may_bounce
            && self.at.serves(world, h)
            && self.assembly.has_all_near(world, margin)
    }

    /// Sets the approach to that of bodies with these velocities, 6 per body \[m/s, rad/s\].
    pub(super) fn measure_approach(&mut self, velocities: &[f64]) {
        if let (true, Some(bodies)) = (self.may_bounce, self.assembly.problem.bodies()) {
            let blocks = self.assembly.problem.blocks();
            bodies.multiply(blocks, velocities, &mut self.approach);
        }
    }

    /// Lets contacts that pushed in the frame before bounce only if they lose no speed.
    pub(super) fn limit_restitution(&mut self, world: &World) {
        if !self.may_bounce {
            return;
        }
        for (row, approach) in self.assembly.rows.iter().zip(&mut self.approach) {
            if let (Source::Manifold(index), RowKind::Normal { .. }) = (row.source, row.kind) {
                let manifold = &world.manifolds[index];
                let pushed = manifold.impulses.get(row.local).is_some_and(|x| *x > 0.0);
                if pushed && manifold.restitution < 1.0 {
                    *approach = 0.0;
                }
            }
        }
    }

    /// Takes over approach velocities and impulses of the rows that an earlier freeze of the same
    /// frame had too.
    pub(super) fn keep_history(&mut self, earlier: &Self) {
        if !self.may_bounce {
            return;
        }
        let key = |row: &RowInfo| (row.source, row.local);
        for (index, row) in self.assembly.rows.iter().enumerate() {
            if !matches!(row.kind, RowKind::Normal { .. }) {
                continue;
            }
            // rows of contacts are in the order of their sources
            let contacts = earlier.assembly.contact_rows();
            let rows = &earlier.assembly.rows[contacts.clone()];
            if let Ok(found) = rows.binary_search_by_key(&key(row), key) {
                self.approach[index] = earlier.approach[contacts.start + found];
                self.pushed[index] = earlier.pushed[contacts.start + found];
            }
        }
    }
}

/// What rows were frozen from.
#[derive(Debug, Default)]
struct FrozenAt {
    /// The contacts of the world; `None` if they may not stay.
    version: Option<ContactVersion>,
    /// Of every body.
    orientations: Vec<UnitQuaternion<f64>>,
    /// Length of the substeps \[s\].
    h: f64,
}

impl FrozenAt {
    /// The present poses of a world whose contacts may stay.
    fn set(&mut self, world: &World, h: f64) {
        self.version = None;
        self.orientations.clear();
        if world.colliders.may_stay() {
            self.version = Some(world.contact_version());
            let orientations = world.bodies.iter().map(|body| body.orientation);
            self.orientations.extend(orientations);
            self.h = h;
        }
    }

    /// True if the world has the same contacts, and no collider has turned by more than they may
    /// move.
    fn serves(&self, world: &World, h: f64) -> bool {
        let colliders = &world.colliders;
        let turned = |(body, extent): (usize, &f64)| {
            let turn = self.orientations[body].inverse() * world.bodies[body].orientation;
            // twice the vector part is the angle, up to its third order
            let turn = 2.0 * turn.imag().norm();
            // a plane has no end
            turn == 0.0 || turn * extent < colliders.settings.recycle
        };
        let bodies = colliders.list.iter().map(|collider| collider.body);
        self.version == Some(world.contact_version())
            && (self.h, world.impulse_step) == (h, h)
            && bodies.zip(&colliders.extents).all(turned)
    }
}
