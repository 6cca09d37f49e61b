//! Worlds of one structure: a template and the values of a world are the pack of its problem.

use delassus_core::{Friction, Law, MassProperties, Operator, Problem, ProblemParts};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Planted, Wall};
use delassus_solver_jacobi::JacobiParameters;
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::worlds::{
    SHARED, StructureDifference, WorldError, WorldParameters, WorldTemplate,
};

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
fn problems_give_their_parameters_back() {
    for structure in structures() {
        for all in [false, true] {
            let parameters = worlds(&structure, all);
            let problems: Vec<Problem> = (0..WORLDS)
                .map(|world| parameters.problem(&structure, world).expect("valid"))
                .collect();
            let problems: Vec<&Problem> = problems.iter().collect();
            let mut found = WorldParameters::of_problems(&problems).expect("one structure");
            let laws = problems
                .iter()
                .any(|own| own.blocks() != problems[0].blocks());
            assert_eq!(found.friction.is_empty(), !laws);
            found.friction.clone_from(&parameters.friction);
            assert!(found == parameters);
            // worlds that agree have no lists
            let same = WorldParameters::of_problems(&[problems[1]; 3]).expect("one structure");
            assert!(same == WorldParameters::of(3));
        }
    }
    let none = WorldParameters::of_problems(&[]).expect("no worlds");
    assert!(none == WorldParameters::of(0));
}

/// The difference of a wall from the first of two.
fn refused(first: &Problem, other: &Problem) -> StructureDifference {
    match WorldParameters::of_problems(&[first, first, other]) {
        Err(WorldError::Differs {
            world: 2,
            difference,
        }) => difference,
        other => panic!("no difference of world 2: {other:?}"),
    }
}

#[test]
fn other_structures_are_named_with_their_difference() {
    let wall = |base, edit: fn(&mut Boxes)| {
        let mut boxes = Boxes::default();
        edit(&mut boxes);
        problem(&BoxProblem::from(Wall { base, boxes }))
    };
    let first = wall(3, |_| {});
    let (rows, bodies) = (first.rows(), first.bodies().expect("bodies").len());
    let larger = wall(4, |_| {});
    let found = larger.bodies().expect("bodies").len();
    assert_eq!(
        refused(&first, &larger),
        StructureDifference::Bodies {
            found,
            expected: bodies
        }
    );
    let law = wall(3, |boxes| boxes.law = ContactLaw::Disc);
    assert_eq!(refused(&first, &law), StructureDifference::Law { block: 0 });
    let light = wall(3, |boxes| boxes.gravity = 1.0);
    assert_eq!(refused(&first, &light), StructureDifference::Step);
    let mut soft = first.clone();
    soft.set_compliance(&vec![1e-3; rows]).expect("valid");
    assert_eq!(
        refused(&first, &soft),
        StructureDifference::Compliance { block: 0 }
    );
    let edited = |edit: fn(&mut ProblemParts)| {
        let mut parts = first.clone().into_parts();
        edit(&mut parts);
        Problem::new(parts).expect("valid")
    };
    let fewer = edited(|parts| {
        let Operator::Bodies(bodies) = &mut parts.operator else {
            return;
        };
        bodies.jacobian.edit(|entries| entries[7][4] += 0.5);
    });
    assert_eq!(
        refused(&first, &fewer),
        StructureDifference::Geometry { block: 1 }
    );
    let slippery =
        edited(|parts| parts.blocks[2].law = Law::Contact(Friction::Coulomb { mu: 0.1 }));
    let difference = refused(&first, &slippery);
    assert_eq!(difference, StructureDifference::Friction { block: 2 });
    let error = WorldError::Differs {
        world: 2,
        difference,
    };
    let text = "world 2: its block 2 has another coefficient of friction than in world 0, and the \
                contacts of one of the two have several";
    assert_eq!(error.to_string(), text);
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
