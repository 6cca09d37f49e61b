//! Rows that stay from frame to frame while the contacts of the world do.
//!
//! A world that is asked to keeps the manifolds of pairs that hardly moved
//! ([`crate::ContactSettings::recycle`]). Where all of them stay and no body has turned, the
//! Jacobians of the frame before are those of this frame to the same tolerance: only separations,
//! forces and biases are new, and the next frame begins like another substep.

use super::VelocityScheme;
use super::frozen::Frozen;
use crate::world::World;

impl VelocityScheme {
    /// The rows of the frame before with current separations, if they serve again; otherwise their
    /// memory does.
    pub(super) fn kept(&mut self, world: &World, h: f64) -> Option<Frozen> {
        let mut last = self.last.take()?;
        let serves = !self.freezes_often(world)
            && world.joints.is_empty()
            && !last.bounces
            && last.at.serves(world, h)
            && last
                .assembly
                .has_all_near(world, self.parameters.speculative_margin);
        if !serves {
            self.spare.push(last);
            return None;
        }
        last.assembly.update_errors(world, &mut self.evaluated);
        last.assembly.load_impulses(world, &mut self.beside);
        // somebody else may have stepped the world since
        self.holds &= self.beside == self.impulses;
        std::mem::swap(&mut self.beside, &mut self.impulses);
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Inertia, Scheme, WorldParts, presets};
    use delassus_collide::{Collider, Cuboid, HalfSpace};
    use delassus_core::Solver;
    use delassus_solver_si::WidePgs;
    use nalgebra::Vector3;

    const DT: f64 = 1.0 / 60.0;

    /// Three unit cubes on each other.
    fn stack(recycle: f64) -> World {
        let mut parts = WorldParts {
            gravity: Vector3::new(0.0, -9.81, 0.0),
            ..WorldParts::default()
        };
        parts.contacts.recycle = recycle;
        let ground = parts.body(Body::fixed(Vector3::zeros()));
        parts.collider(Collider::new(ground, HalfSpace::default()));
        for level in 0..3 {
            let at = Vector3::new(0.02 * f64::from(level), 0.5 + f64::from(level), 0.0);
            let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 6.0));
            let body = parts.body(Body::dynamic(inertia, at));
            parts.collider(Collider::new(body, Cuboid::new(0.5, 0.5, 0.5)));
        }
        parts.build().unwrap()
    }

    fn scheme() -> VelocityScheme {
        let solver = Box::new(WidePgs::new(Default::default()).unwrap());
        let preset = presets().iter().find(|preset| preset.id == "soft-step");
        VelocityScheme::new((preset.unwrap().parameters)(), solver).unwrap()
    }

    /// Steps a world; the frames that kept their rows.
    fn run(world: &mut World, scheme: &mut VelocityScheme, frames: u32) -> u32 {
        let mut kept = 0;
        for _ in 0..frames {
            let found: Result<(), ()> = world.with_contacts(|_| Ok(()));
            found.unwrap();
            scheme.last = scheme.kept(world, DT / 4.0);
            kept += u32::from(scheme.last.is_some());
            scheme.step(world, DT, &mut ()).unwrap();
        }
        kept
    }

    #[test]
    fn rows_stay_while_contacts_do_and_the_stack_comes_to_the_same_rest() {
        let (mut fresh, mut world) = (stack(0.0), stack(1e-3));
        assert_eq!(run(&mut fresh, &mut scheme(), 400), 0);
        let mut stepped = scheme();
        let sinking = run(&mut world, &mut stepped, 300);
        assert!(
            sinking < 300,
            "it sinks by more than a millimetre: {sinking}"
        );
        assert_eq!(run(&mut world, &mut stepped, 100), 100);
        for (a, b) in fresh.bodies().iter().zip(world.bodies()) {
            let apart = (a.position.to_vector() - b.position.to_vector()).norm();
            assert!(apart < 1e-4, "{apart}");
            assert!(b.velocity.norm() < 1e-6, "{}", b.velocity);
        }
    }

    #[test]
    fn another_scheme_in_between_or_a_push_is_noticed() {
        let mut world = stack(1e-3);
        let mut first = scheme();
        run(&mut world, &mut first, 300);
        // what the first solver holds is older than the world now
        let mut light = world.clone();
        light
            .set_wrench(1, Vector3::new(0.0, 9.0, 0.0), Vector3::zeros())
            .unwrap();
        let mut alone = light.clone();
        run(&mut light, &mut scheme(), 1);
        assert_eq!(run(&mut light, &mut first, 1), 1, "the rows are the same");
        let mut other = scheme();
        run(&mut alone, &mut other, 2);
        for (a, b) in light.bodies().iter().zip(alone.bodies()) {
            let apart = (a.velocity - b.velocity).norm();
            // the rows are those of poses up to a millimetre away
            assert!(apart < 1e-5, "{apart}");
        }
        // a body that turns away ends it
        world
            .set_velocity(3, Vector3::zeros(), Vector3::new(0.0, 3.0, 0.0))
            .unwrap();
        assert!(run(&mut world, &mut first, 30) < 30);
        assert!(world.bodies()[3].orientation.angle() > 0.05);
    }
}
