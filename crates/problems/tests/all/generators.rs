//! Generators: counts, matrices, and the solutions that come with them.

use delassus_core::{LawKind, Parameters, Problem};
use delassus_problems::NamedProblem;
use delassus_problems::generators::{
    BoxProblem, Boxes, Chain, ChainProblem, ContactLaw, Freezing, Generator, Graph, Grid,
    JointGraph, ManyWorlds, MassOrder, PileShape, Pyramid, SoftnessParameters, Stack, Wall,
};

use crate::check::violation;

/// Rounding of one product with A: rows have at most a few hundred entries.
const ROUNDING: f64 = 1e-12;

/// A as a dense matrix.
pub(crate) fn dense(problem: &Problem) -> Vec<Vec<f64>> {
    let columns = (0..problem.rows()).map(|j| {
        let mut unit = vec![0.0; problem.rows()];
        unit[j] = 1.0;
        let mut column = vec![0.0; problem.rows()];
        problem.apply_delassus(&unit, &mut column);
        column
    });
    let columns: Vec<Vec<f64>> = columns.collect();
    (0..problem.rows())
        .map(|i| columns.iter().map(|column| column[i]).collect())
        .collect()
}

pub(crate) fn assert_solved(named: &NamedProblem) {
    let reference = named.reference_impulses().expect("a reference");
    let violation = violation(&named.problem, reference);
    assert!(violation < ROUNDING, "{}: {violation:e}", named.name);
}

#[test]
fn wall_has_the_counts_of_its_description() {
    let wall = BoxProblem::from(Wall {
        base: 20,
        ..Wall::default()
    });
    let facts = wall.generate().unwrap().facts();
    assert_eq!(facts.contacts, 1600);
    assert_eq!(facts.blocks, 1600);
    assert_eq!(facts.bodies, Some(211));
    let patches = BoxProblem::from(Wall {
        boxes: Boxes {
            law: ContactLaw::Patch,
            ..wall.system.boxes
        },
        ..wall.system
    });
    let facts = patches.generate().unwrap().facts();
    // one block per manifold: 20 on the ground and 2·(19 + … + 1) between boxes
    assert_eq!((facts.blocks, facts.contacts), (400, 1600));
    assert_eq!(facts.laws, vec![(LawKind::Patch, 400)]);
}

#[test]
fn a_joint_graph_has_as_many_joints_of_one_kind_as_asked_for() {
    for (graph, dof) in [Graph::Lattice, Graph::Random]
        .into_iter()
        .flat_map(|graph| (1..=6).map(move |dof| (graph, dof)))
    {
        for count in [1, 2, 57] {
            let joints = JointGraph {
                count,
                dof,
                graph,
                ..JointGraph::default()
            };
            let problem = joints.generate().unwrap().problem;
            let blocks = problem.blocks();
            assert_eq!((blocks.len(), problem.rows()), (count, count * dof));
            let bodies = problem.bodies().unwrap();
            for block in 0..count {
                let touched = bodies.bodies_of(block);
                assert!(touched[0] < touched[1] && (touched[1] as usize) < bodies.len());
            }
            // the rows of each joint are independent: the smallest pivot of its own block, beside
            // the largest entry
            let dense = dense(&problem);
            for block in blocks {
                let own = nalgebra::DMatrix::from_fn(dof, dof, |i, j| {
                    dense[block.first_row + i][block.first_row + j]
                });
                let eigenvalues = own.symmetric_eigenvalues();
                assert!(
                    eigenvalues.min() > 0.01 * eigenvalues.max(),
                    "{eigenvalues}"
                );
            }
        }
    }
    let other = |seed| JointGraph {
        seed,
        ..JointGraph::default()
    };
    let built = |seed| other(seed).generate().unwrap().problem;
    assert!(built(1) == built(1) && built(1) != built(2));
    let seven = JointGraph {
        dof: 7,
        ..JointGraph::default()
    };
    assert!(seven.validate().is_err());
}

#[test]
fn piles_have_the_counts_of_their_descriptions() {
    let pyramid = BoxProblem::from(Pyramid {
        base: 4,
        ..Pyramid::default()
    });
    // 4² + 4·(9 + 4 + 1) manifolds
    assert_eq!(pyramid.generate().unwrap().facts().contacts, 4 * (16 + 56));
    let mut grid = BoxProblem::from(Grid {
        nx: 3,
        ny: 4,
        nz: 5,
        ..Grid::default()
    });
    // 60 vertical, 2·4·5 along x, 3·4·4 along z
    assert_eq!(
        grid.generate().unwrap().facts().contacts,
        4 * (60 + 40 + 48)
    );
    grid.system.lateral = false;
    assert_eq!(grid.generate().unwrap().facts().contacts, 4 * 60);
}

#[test]
fn large_grids_build() {
    let grid = BoxProblem::from(Grid {
        nx: 25,
        ny: 16,
        nz: 22,
        ..Grid::default()
    });
    let facts = grid.generate().unwrap().facts();
    // 8 800 + 24·16·22 + 25·16·21 manifolds
    assert_eq!(facts.contacts, 4 * (8800 + 8448 + 8400));
    assert!(facts.contacts > 100_000);
}

#[test]
fn piles_at_rest_are_solved_by_their_references() {
    for law in [
        ContactLaw::Frictionless,
        ContactLaw::FixedBox,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::ConvexCone,
        ContactLaw::Patch,
        ContactLaw::Facets4,
        ContactLaw::Facets16,
    ] {
        for (mass_ratio, mass_order) in [
            (1.0, MassOrder::Geometric),
            (50.0, MassOrder::Geometric),
            (0.1, MassOrder::HeavyLast),
        ] {
            let stack = BoxProblem {
                system: Stack {
                    n: 6,
                    boxes: Boxes {
                        law,
                        mass_ratio,
                        mass_order,
                        ..Boxes::default()
                    },
                    ..Stack::default()
                },
                step: Freezing {
                    load: 30.0,
                    ..Freezing::default()
                },
            };
            assert_solved(&stack.generate().unwrap());
            let wall = BoxProblem {
                system: Wall {
                    base: 5,
                    boxes: Boxes {
                        law,
                        mass_ratio,
                        mass_order,
                        size: 0.3,
                        ..Boxes::default()
                    },
                },
                step: Freezing {
                    load: 30.0,
                    ..Freezing::default()
                },
            };
            assert_solved(&wall.generate().unwrap());
            let pyramid = BoxProblem {
                system: Pyramid {
                    base: 4,
                    boxes: Boxes {
                        law,
                        mass_ratio,
                        mass_order,
                        ..Boxes::default()
                    },
                },
                step: Freezing {
                    load: 30.0,
                    ..Freezing::default()
                },
            };
            assert_solved(&pyramid.generate().unwrap());
            let grid = BoxProblem::from(Grid {
                nx: 2,
                ny: 3,
                nz: 3,
                boxes: Boxes {
                    law,
                    mass_ratio,
                    mass_order,
                    ..Boxes::default()
                },
                ..Grid::default()
            });
            assert_solved(&grid.generate().unwrap());
        }
    }
}

#[test]
fn soft_stacks_are_solved_by_their_references() {
    for (compliance, hertz) in [(0.3, 0.0), (0.0, 30.0)] {
        for law in [
            ContactLaw::Coulomb,
            ContactLaw::Patch,
            ContactLaw::Frictionless,
        ] {
            let stack = BoxProblem {
                system: Stack {
                    n: 7,
                    boxes: Boxes {
                        law,
                        mass_ratio: 10.0,
                        ..Boxes::default()
                    },
                    ..Stack::default()
                },
                step: Freezing {
                    load: 5.0,
                    softness: SoftnessParameters {
                        compliance,
                        hertz,
                        ..SoftnessParameters::default()
                    },
                    ..Freezing::default()
                },
            };
            assert_solved(&stack.generate().unwrap());
        }
    }
}

#[test]
fn a_box_on_an_incline_sticks_or_slides() {
    for law in [
        ContactLaw::Frictionless,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::Patch,
        ContactLaw::Facets8,
    ] {
        for (tilt, speed) in [
            (0.2, 0.0),
            (0.7, 0.0),
            (-0.7, 0.0),
            (0.1, 0.03),
            (0.0, -1.0),
        ] {
            let stack = BoxProblem::from(Stack {
                n: 1,
                boxes: Boxes {
                    law,
                    tilt,
                    speed,
                    ..Boxes::default()
                },
                ..Stack::default()
            });
            assert_solved(&stack.generate().unwrap());
        }
    }
    // friction beyond the width of the box tips it: no closed form
    let tipping = BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            friction: 2.0,
            tilt: 1.0,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    assert!(tipping.generate().unwrap().reference.is_none());
}

#[test]
fn sliding_velocity_of_the_incline() {
    // v = (sin θ − μ cos θ) g h after one step from rest
    let stack = BoxProblem::from(Stack {
        n: 1,
        boxes: Boxes {
            tilt: 0.7,
            friction: 0.3,
            ..Boxes::default()
        },
        ..Stack::default()
    });
    let named = stack.generate().unwrap();
    let mut velocities = vec![0.0; 12];
    let impulses = named.reference_impulses().unwrap();
    named
        .problem
        .body_velocities(impulses, &mut velocities)
        .unwrap();
    let expected = (libm::sin(0.7) - 0.3 * libm::cos(0.7)) * 9.81 / 60.0;
    // three roundings of numbers below 1
    assert!((velocities[6] - expected).abs() < 1e-15);
    assert!(velocities[7].abs() < 1e-15 && velocities[11].abs() < 1e-14);
}

#[test]
fn softness_is_the_implicit_spring() {
    // R = A_ii/(h ω (2 ζ + h ω)): 5 Hz, ζ = 0.7, h = 1/60 gives the mass scale A/(A + R) =
    // 0.50179204 (E.3)
    let chain = ChainProblem {
        chain: Chain {
            n: 1,
            ..Chain::default()
        },
        softness: SoftnessParameters {
            hertz: 5.0,
            damping_ratio: 0.7,
            ..SoftnessParameters::default()
        },
        ..ChainProblem::default()
    };
    let problem = chain.generate().unwrap().problem;
    let scale = problem.diagonal()[0] / (problem.diagonal()[0] + problem.compliance()[0]);
    assert!((scale - 0.501_792_04).abs() < 5e-9, "{scale}");
}

#[test]
fn gaps_are_speculative_and_overlaps_recover() {
    let gap = |gap: f64, hertz: f64| {
        let stack = BoxProblem {
            system: Stack {
                n: 1,
                boxes: Boxes {
                    gap,
                    ..Boxes::default()
                },
                ..Stack::default()
            },
            step: Freezing {
                softness: SoftnessParameters {
                    hertz,
                    ..SoftnessParameters::default()
                },
                dt: 0.01,
                ..Freezing::default()
            },
        };
        stack.generate().unwrap().problem.bias()[0]
    };
    assert!((gap(0.05, 0.0) - 5.0).abs() < 1e-14);
    assert!((gap(-0.05, 0.0) + 1.0).abs() < 1e-14);
    // ERP = h ω/(h ω + 2 ζ), ζ = 1
    let step = std::f64::consts::TAU * 30.0 * 0.01;
    assert!((gap(-0.05, 30.0) + 5.0 * step / (step + 2.0)).abs() < 1e-14);
}

#[test]
fn many_worlds_are_so_many_and_know_their_solution_at_rest() {
    for shape in [PileShape::Wall, PileShape::Pyramid, PileShape::Stack] {
        let at_rest = ManyWorlds {
            worlds: 7,
            shape,
            size_least: 1,
            size_most: 3,
            ..ManyWorlds::default()
        };
        let named = at_rest.generate().unwrap();
        assert_solved(&named);
        let size = at_rest.size();
        assert!(named.problem.rows() as u64 <= size.rows, "{shape:?}");
        assert_eq!(named.problem.islands().unwrap().len(), 7);
        let moving = ManyWorlds {
            speed_most: 1.0,
            ..at_rest
        };
        assert!(moving.generate().unwrap().reference.is_none() || shape == PileShape::Stack);
    }
}

#[test]
fn the_first_worlds_of_many_are_those_of_few() {
    let few = ManyWorlds {
        worlds: 3,
        speed_most: 2.0,
        ..ManyWorlds::default()
    };
    let many = ManyWorlds {
        worlds: 5,
        ..few.clone()
    };
    let of = |generator: &ManyWorlds| -> Vec<Problem> {
        let problem = generator.generate().unwrap().problem;
        let worlds = problem.islands().unwrap().into_iter();
        worlds.map(|world| world.problem).collect()
    };
    let (few, many) = (of(&few), of(&many));
    assert_eq!(few, many[..few.len()]);
    // no two are alike: size, friction, mass, ratio and speed are drawn for each
    for (index, one) in many.iter().enumerate() {
        assert!(many[..index].iter().all(|other| other != one));
    }
    let other = of(&ManyWorlds {
        worlds: 3,
        speed_most: 2.0,
        seed: 2,
        ..ManyWorlds::default()
    });
    assert_ne!(few[0], other[0]);
}

#[test]
fn ranges_of_worlds_are_ordered() {
    let parameters = ManyWorlds {
        friction_least: 0.9,
        ..ManyWorlds::default()
    };
    let error = parameters.validate().unwrap_err();
    assert_eq!(error.parameter, "friction_most");
    let parameters = ManyWorlds {
        worlds: 100_000_000,
        ..ManyWorlds::default()
    };
    assert_eq!(parameters.validate().unwrap_err().parameter, "worlds");
}
