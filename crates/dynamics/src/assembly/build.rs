//! Freezing the rows of a world, in the memory of an earlier assembly.

use delassus_core::ProblemError;

use super::collector::Collector;
use super::renew::{Instant, Renewed};
use super::{Assembly, Selection};
use crate::contact::ContactFrame;
use crate::order::ConstraintOrder;
use crate::world::World;

impl Assembly {
    /// Freezes the rows of joints and near contacts at the present poses.
    ///
    /// Rows of joints that nothing moves (both bodies immovable or locked along them) are left out,
    /// as contacts whose normal moves nothing are; friction that nothing moves is left out or stays
    /// at zero (P.15). Bias and compliance are zero; impulse limits are force limits times `h`
    /// \[s\]. Contacts `held` at an earlier instant keep its Jacobians, and its choice of near
    /// points; their separations are current.
    pub(crate) fn new(
        world: &World,
        free_velocity: &[f64],
        h: f64,
        selection: Selection,
        held: Option<&[ContactFrame]>,
    ) -> Result<Self, ProblemError> {
        Self::in_memory_of(None, world, free_velocity, h, selection, held)
    }

    /// As [`Self::new`], in the memory of an assembly that is not needed any more.
    pub(crate) fn in_memory_of(
        spare: Option<Self>,
        world: &World,
        free_velocity: &[f64],
        h: f64,
        selection: Selection,
        held: Option<&[ContactFrame]>,
    ) -> Result<Self, ProblemError> {
        let instant = Instant {
            world,
            free_velocity,
            h,
            selection,
        };
        let mut collector = match spare {
            Some(spare) => match spare.renewed(&instant, held.is_none())? {
                Renewed::Rows(assembly) => return Ok(assembly),
                Renewed::Memory(collector) => collector,
            },
            None => Collector::default(),
        };
        collector.builder.step(h, world.gravity.norm());
        collector.make_room(world);
        let masses = world.bodies.iter().map(|body| body.mass_properties());
        collector.work.mass.clear();
        collector.work.mass.extend(masses);
        for (body, free) in free_velocity.chunks_exact(6).enumerate() {
            let mut velocity = [0.0; 6];
            velocity.copy_from_slice(free);
            collector.builder.body(collector.work.mass[body], velocity);
        }
        let joint_rows = match selection.order {
            ConstraintOrder::JointsFirst => {
                let rows = collector.joints(world, h);
                collector.manifolds(world, selection, held);
                rows
            }
            ConstraintOrder::ContactsFirst => {
                collector.manifolds(world, selection, held);
                collector.joints(world, h)
            }
        };
        Ok(Self {
            problem: collector.builder.build()?,
            rows: collector.rows,
            joint_rows,
            contacts: collector.contacts,
            outer: collector.outer,
            wrenches: collector.wrenches,
            stretches: collector.stretches,
            far: collector.far,
            now: collector.now,
            near: collector.near,
            work: collector.work,
        })
    }
}
