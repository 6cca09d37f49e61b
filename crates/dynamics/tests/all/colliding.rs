//! Contacts that a world finds by itself.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, BoxMethod, Collider, ContactLaw, Cuboid, HalfSpace, Material,
    PositionScheme, Scheme, Solid, VelocityParameters, VelocityScheme, World, WorldParts, Xpbd,
    XpbdParameters, presets,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;

/// The ground and boxes of half a metre of half-edge above each other, `gap` apart.
fn stack(count: usize, gap: f64, law: ContactLaw) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = law;
    parts.contacts.boxes = BoxMethod::Library;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()));
    let shape = Cuboid::cube(0.5);
    for k in 0..count {
        let y = 0.5 + gap + k as f64 * (1.0 + gap);
        let body = parts.body(Body::dynamic(
            shape.solid(1.0).unwrap(),
            Vector3::new(0.0, y, 0.0),
        ));
        parts.collider(Collider::new(body, shape).of(Material::rough(0.5)));
    }
    parts.build().unwrap()
}

fn pgs() -> Box<dyn ImpulseSolver> {
    Box::new(Pgs::new(Default::default()).unwrap())
}

fn schemes() -> Vec<(String, Box<dyn Scheme>)> {
    let mut all: Vec<(String, Box<dyn Scheme>)> = Vec::new();
    for preset in presets() {
        let parameters = VelocityParameters {
            sweeps: 20,
            ..(preset.parameters)()
        };
        all.push((
            preset.id.to_owned(),
            Box::new(VelocityScheme::new(parameters, pgs()).unwrap()),
        ));
    }
    all.push((
        "xpbd".to_owned(),
        Box::new(
            Xpbd::new(XpbdParameters {
                substeps: 20,
                ..XpbdParameters::default()
            })
            .unwrap(),
        ),
    ));
    all.push((
        "avbd".to_owned(),
        Box::new(Avbd::new(AvbdParameters::default()).unwrap()),
    ));
    all
}

#[test]
fn boxes_fall_and_stand_in_every_scheme() {
    for (name, mut scheme) in schemes() {
        for count in [1, 3] {
            let mut world = stack(count, 0.01, ContactLaw::Disc);
            for frame in 0..240 {
                if let Err(error) = scheme.step(&mut world, DT, &mut ()) {
                    panic!("{name}: frame {frame}: {error}");
                }
            }
            let heights: Vec<f64> = world.bodies()[1..]
                .iter()
                .map(|b| b.position.to_vector().y)
                .collect();
            let speed = world
                .bodies()
                .iter()
                .map(|b| b.velocity.norm())
                .fold(0.0, f64::max);
            println!(
                "{name} {count}: {heights:.5?} speed {speed:.1e} points {}",
                world
                    .manifolds()
                    .iter()
                    .map(|m| m.points.len())
                    .sum::<usize>()
            );
        }
    }
}
