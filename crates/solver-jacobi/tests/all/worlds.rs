//! Worlds of one structure: a template and the values of a world are the pack of its problem.

use delassus_core::{MassProperties, Problem};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Planted, Wall};
use delassus_solver_jacobi::JacobiParameters;
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::worlds::{SHARED, WorldError, WorldParameters, WorldTemplate};

use crate::common::problem;

const WORLDS: usize = 7;

/// A number between 0.5 and 1.5 that is no other world's.
fn factor(world: usize, place: usize) -> f64 {
    0.5 + ((37 * world + 11 * place) % 101) as f64 / 101.0
}

/// Worlds that differ in friction and masses, and, if `all` is true, in velocities and bias.
fn worlds(structure: &Problem, all: bool) -> WorldParameters {
    let bodies = structure.bodies().expect("bodies");
    let mut worlds = WorldParameters::of(WORLDS);
    for world in 0..WORLDS {
        worlds.friction.push(0.4 * factor(world, 3));
        let own = bodies.mass.iter().enumerate();
        worlds.masses.extend(own.map(|(body, mass)| MassProperties {
            inverse_mass: mass.inverse_mass * factor(world, body),
            inverse_inertia: mass.inverse_inertia * factor(world, body),
        }));
        if all {
            let free = bodies.free_velocity.iter().enumerate();
            let own = free.map(|(at, v)| v + factor(world, at));
            worlds.free_velocity.extend(own);
            let mut bias = structure.bias().to_vec();
            for block in structure.blocks() {
                bias[block.first_row] -= 0.1 * factor(world, block.first_row);
            }
            worlds.bias.extend(bias);
        }
    }
    worlds
}

/// All numbers of a pack, as bits.
fn bits(pack: &Pack<f32>) -> Vec<[u32; 4]> {
    let lists = [
        &pack.manifolds.numbers,
        &pack.manifolds.extras,
        &pack.units.numbers,
        &pack.bodies.mass,
        &pack.bodies.free,
    ];
    let quads = lists.into_iter().flatten();
    quads.map(|quad| quad.map(f32::to_bits)).collect()
}

fn structures() -> Vec<Problem> {
    let laws = [
        ContactLaw::Frictionless,
        ContactLaw::Pyramid,
        ContactLaw::Coulomb,
        ContactLaw::ConvexCone,
        ContactLaw::Patch,
    ];
    let walls = laws.map(|law| {
        problem(&BoxProblem::from(Wall {
            base: 4,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        }))
    });
    let mixed = problem(&Planted {
        bodies: 30,
        gears: 3,
        bounds: 5,
        fixed_box: 8,
        disc: 8,
        coulomb: 8,
        patch: 4,
        ..Planted::default()
    });
    walls.into_iter().chain([mixed]).collect()
}

#[test]
fn values_complete_the_pack_of_every_world() {
    let parameters = JacobiParameters::default();
    for structure in structures() {
        for all in [false, true] {
            let worlds = worlds(&structure, all);
            let template = WorldTemplate::new("test", parameters, &structure, &worlds);
            let template = template.expect("a structure that can be packed");
            let values = template.values("test", &worlds).expect("valid worlds");
            let each = template.values_per_world();
            assert_eq!(values.len(), WORLDS * each);
            let own = template.own();
            for (world, values) in values.chunks(each).enumerate() {
                let mut found: Vec<[u32; 4]> = template
                    .quads()
                    .map(|quad| quad.map(f32::to_bits))
                    .collect();
                for (quad, sources) in found[own.clone()].iter_mut().zip(template.sources()) {
                    for (number, source) in quad.iter_mut().zip(sources) {
                        if *source != SHARED {
                            *number = values[*source as usize].to_bits();
                        }
                    }
                }
                let alone = worlds.problem(&structure, world).expect("a valid world");
                let alone = parameters.pack(&alone).expect("bodies");
                assert!(found == bits(&alone), "world {world}");
            }
        }
    }
}

#[test]
fn friction_alone_is_one_value_per_world() {
    let structure = structures().swap_remove(2);
    let mut worlds = WorldParameters::of(2);
    worlds.friction = vec![0.25, 0.75];
    let template = WorldTemplate::new("test", JacobiParameters::default(), &structure, &worlds);
    let template = template.expect("a structure that can be packed");
    assert_eq!(template.values("test", &worlds), Ok(vec![0.25, 0.75]));
    // all numbers of manifolds, and none of bodies
    assert_eq!(template.own(), 0..template.pack().manifolds.numbers.len());
}

#[test]
fn worlds_without_lists_share_everything() {
    let structure = structures().swap_remove(5);
    let worlds = WorldParameters::of(3);
    let template = WorldTemplate::new("test", JacobiParameters::default(), &structure, &worlds);
    let template = template.expect("a structure that can be packed");
    assert_eq!(template.own(), 0..0);
    assert_eq!(template.values("test", &worlds), Ok(Vec::new()));
    assert_eq!(worlds.problem(&structure, 2), Ok(structure.clone()));
    assert!(matches!(
        worlds.problem(&structure, 3),
        Err(WorldError::Length { .. })
    ));
}

/// Pyramids with a coefficient of zero and fixed limits are one law, so manifolds would be others.
#[test]
fn friction_of_zero_beside_fixed_limits_is_refused() {
    let structure = problem(&Planted {
        bodies: 10,
        fixed_box: 3,
        pyramid: 3,
        ..Planted::default()
    });
    let mut worlds = WorldParameters::of(2);
    worlds.friction = vec![0.5, 0.0];
    let refused = worlds.check(&structure);
    assert!(matches!(
        refused,
        Err(WorldError::Structure { world: 1, .. })
    ));
    worlds.friction = vec![0.5, 0.1];
    assert_eq!(worlds.check(&structure), Ok(()));
}
