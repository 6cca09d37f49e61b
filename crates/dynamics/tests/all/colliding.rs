//! Contacts that a world finds by itself, against closed forms.

mod carried;
mod degenerate;
mod impacts;
mod instances;
mod landing;
mod laws;
mod plates;
mod random_plates;
mod rolling;
mod seams;
mod separating_axes;
mod sliding;
pub(crate) mod standing;
mod sticky;
mod substeps;
mod tangled;

use delassus_core::{ContactLaw, ImpulseSolver, Solver};
use delassus_dynamics::{
    Body, Collider, HalfSpace, Material, Scheme, Shape, ShapeGeometry, VelocityParameters,
    VelocityScheme, World, WorldParts, rotation,
};
use delassus_solver_si::BlockGs;
use nalgebra::Vector3;

pub(crate) const G: f64 = 9.81;
pub(crate) const DT: f64 = 1.0 / 60.0;

/// A plane through the origin that falls towards +x by `slope` \[rad\]: gravity is turned, the
/// plane is y = 0.
pub(crate) fn plane(slope: f64, law: ContactLaw) -> WorldParts {
    let (sine, cosine) = libm::sincos(slope);
    let mut parts = WorldParts {
        gravity: G * Vector3::new(sine, -cosine, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = law;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()));
    parts
}

/// Adds a solid of 2 kg at a height; its material is that of the plane too.
pub(crate) fn add(
    parts: &mut WorldParts,
    shape: impl ShapeGeometry,
    height: f64,
    material: Material,
) -> usize {
    let body = Body::dynamic(shape.solid(2.0).unwrap(), Vector3::new(0.0, height, 0.0));
    let body = parts.body(body);
    parts.colliders[0].material = material;
    let shape: Shape = shape.into();
    parts.collider(Collider::new(body, shape).of(material));
    body
}

/// One exact solve per step of `pgs-baumgarte`, by a block solver with many sweeps.
pub(crate) fn accurate(change: impl FnOnce(&mut VelocityParameters)) -> VelocityScheme {
    let mut parameters = VelocityParameters {
        sweeps: 200,
        ..VelocityParameters::default()
    };
    change(&mut parameters);
    VelocityScheme::new(parameters, block_gs()).unwrap()
}

pub(crate) fn block_gs() -> Box<dyn ImpulseSolver> {
    Box::new(BlockGs::new(Default::default()).unwrap())
}

pub(crate) fn run(world: &mut World, scheme: &mut dyn Scheme, dt: f64, frames: usize) {
    for frame in 0..frames {
        if let Err(error) = scheme.step(world, dt, &mut ()) {
            panic!("frame {frame}: {error}");
        }
    }
}

/// Whole frames of `dt` in a time \[s\].
#[expect(clippy::cast_possible_truncation, reason = "a few thousand frames")]
pub(crate) fn frames(time: f64, dt: f64) -> usize {
    (time / dt) as usize
}

/// The orientation that a rotation vector gives.
pub(crate) fn turn(x: f64, y: f64, z: f64) -> nalgebra::UnitQuaternion<f64> {
    rotation::exp(&Vector3::new(x, y, z))
}
