//! What of a world enters a problem.

use crate::body::StaticBodies;
use crate::contact::ContactPlace;
use crate::order::ConstraintOrder;
use crate::world::World;

/// What of a world enters a problem, and in which order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Selection {
    /// Contacts farther apart are left out \[m\]. All are kept without it.
    pub(crate) margin: Option<f64>,
    pub(crate) order: ConstraintOrder,
    /// Where the impulses of contacts act.
    pub(crate) place: ContactPlace,
    /// Contacts with which bodies are fixed ones.
    pub(crate) static_bodies: StaticBodies,
}

impl Selection {
    /// True if a contact of these bodies has a static one.
    pub(super) fn is_fixed(&self, world: &World, bodies: [usize; 2]) -> bool {
        let mut bodies = bodies.iter().map(|body| &world.bodies[*body]);
        bodies.any(|body| self.static_bodies.include(body))
    }
}
