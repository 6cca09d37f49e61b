//! Penalty forces against the closed forms of their time step.

mod friction;
mod joints;
mod stability;

use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Integration, Manifold, Penalty, PenaltyParameters,
    PositionScheme, Scheme, World, WorldParts,
};
use nalgebra::Vector3;

pub(crate) const G: f64 = 10.0;
pub(crate) const MASS: f64 = 2.0;

/// One substep per frame.
pub(crate) fn plain(integration: Integration) -> PenaltyParameters {
    PenaltyParameters {
        substeps: 1,
        integration,
        ..PenaltyParameters::default()
    }
}

pub(crate) fn scheme(parameters: &PenaltyParameters) -> Penalty {
    Penalty::new(parameters.clone()).unwrap()
}

pub(crate) fn steps(world: &mut World, scheme: &mut dyn Scheme, h: f64, count: usize) {
    for step in 0..count {
        if let Err(error) = scheme.step(world, h, &mut ()) {
            panic!("step {step}: {error}");
        }
    }
}

/// Point masses at these heights above each other, the first over the ground; a contact point
/// between neighbours.
pub(crate) fn tower(heights: &[f64], friction: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    let mut below = parts.body(Body::fixed(Vector3::zeros()));
    for height in heights {
        let body = Body::dynamic(Inertia::point(MASS), Vector3::new(0.0, *height, 0.0));
        let above = parts.body(body);
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Disc;
        let bodies = [below, above];
        let manifold = Manifold::new(bodies, Vector3::y(), vec![point], friction, law);
        parts.manifolds.push(manifold);
        below = above;
    }
    parts.build().unwrap()
}

pub(crate) fn height(world: &World, body: usize) -> f64 {
    world.bodies()[body].position.to_vector().y
}
