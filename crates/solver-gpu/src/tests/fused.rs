//! One dispatch per iteration: the bits of two, and what it moves and refuses.

use delassus_core::{
    Changes, ImpulseSolver, Problem, SolveError, Solver, SolverUpdate, Start, Traffic, Unsupported,
};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Pyramid, Wall};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::bodies::HUB;
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::rule::{LocalSweep, StepRule};

use super::common::{bits, everything, grid, prepared, problem, settings, stack, stars};
use crate::control::Control;
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::prepared::DeviceParameters;
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;
use crate::variant::Variant;

fn with(parameters: &GpuJacobiParameters, variant: Variant) -> GpuJacobiParameters {
    GpuJacobiParameters {
        variant,
        ..parameters.clone()
    }
}

/// The settings that the variant has: all but Chebyshev steps.
fn fused_settings() -> Vec<GpuJacobiParameters> {
    let mut all = settings();
    all.retain(|p| p.jacobi.acceleration != Acceleration::Chebyshev);
    all
}

/// Contacts of every law that is solved in manifolds.
fn scenes() -> Vec<Problem> {
    let laws = [
        ContactLaw::Frictionless,
        ContactLaw::FixedBox,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::ConvexCone,
    ];
    let pyramid = |law| {
        problem(&BoxProblem::from(Pyramid {
            base: 6,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        }))
    };
    let mut scenes: Vec<Problem> = laws.into_iter().map(pyramid).collect();
    scenes.extend([grid(), stack(40, ContactLaw::Coulomb)]);
    // more chunks of sums than one tree adds up
    scenes.push(problem(&BoxProblem::from(Wall {
        base: 36,
        ..Wall::default()
    })));
    scenes
}

#[test]
fn one_dispatch_has_the_bits_of_two() {
    if device_or_skip("one_dispatch_has_the_bits_of_two").is_none() {
        return;
    }
    for (index, problem) in scenes().into_iter().enumerate() {
        for (choice, parameters) in fused_settings().into_iter().enumerate() {
            for layout in [ManifoldLayout::Manifolds, ManifoldLayout::Tiles] {
                // every law, every setting and both layouts, but not all of them with each other
                let tiles = layout == ManifoldLayout::Tiles;
                if (index + choice + usize::from(tiles)) % 3 != 0 {
                    continue;
                }
                let run = |variant| {
                    let parameters = GpuJacobiParameters {
                        layout,
                        ..with(&parameters, variant)
                    };
                    let mut solver = prepared(parameters, &problem);
                    // velocities of the start, then of calls of several lengths
                    let mut found = vec![bits(&mut solver, &problem)];
                    for count in [1, 2, 30] {
                        solver.iterate(&problem, count).expect("iterations");
                        found.push(bits(&mut solver, &problem));
                    }
                    // other numbers, from an odd half
                    let mut changed = problem.clone();
                    let bias: Vec<f64> = problem.bias().iter().map(|b| b + 0.01).collect();
                    changed.set_bias(&bias).expect("finite");
                    let update = SolverUpdate::Numbers(Changes::ALL);
                    solver.update(&changed, update).expect("taken");
                    solver.iterate(&changed, 5).expect("iterations");
                    found.push(bits(&mut solver, &changed));
                    found
                };
                assert_eq!(run(Variant::Fused), run(Variant::Dispatches));
            }
        }
    }
}

#[test]
fn workgroups_submissions_and_histories_change_no_bit() {
    if device_or_skip("workgroups_submissions_and_histories_change_no_bit").is_none() {
        return;
    }
    let problem = grid();
    for parameters in fused_settings() {
        let run = |workgroup, submission, counts: &[u32]| {
            let parameters = GpuJacobiParameters {
                device: DeviceParameters {
                    workgroup,
                    submission,
                    ..parameters.device.clone()
                },
                ..with(&parameters, Variant::Fused)
            };
            let mut solver = prepared(parameters, &problem);
            for count in counts {
                solver.iterate(&problem, *count).expect("iterations");
            }
            bits(&mut solver, &problem)
        };
        // the history outgrows its first buffer
        let expected = run(64, 256, &[1100]);
        for workgroup in [32, 128, 256] {
            assert_eq!(run(workgroup, 256, &[1100]), expected, "{workgroup}");
        }
        assert_eq!(run(64, 7, &[0, 1000, 1, 99]), expected);
    }
}

/// What is solved after another problem in the same memory.
#[test]
fn a_fused_solver_takes_over_another_problem() {
    if device_or_skip("a_fused_solver_takes_over_another_problem").is_none() {
        return;
    }
    let of = |law| {
        problem(&BoxProblem::from(Pyramid {
            base: 5,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        }))
    };
    let (first, second) = (of(ContactLaw::Disc), of(ContactLaw::Coulomb));
    let parameters = with(&GpuJacobiParameters::default(), Variant::Fused);
    let mut used = prepared(parameters.clone(), &first);
    used.iterate(&first, 7).expect("iterations");
    used.prepare(&second, Start::Cold).expect("prepared");
    used.iterate(&second, 9).expect("iterations");
    let mut fresh = prepared(parameters, &second);
    fresh.iterate(&second, 9).expect("iterations");
    assert_eq!(bits(&mut used, &second), bits(&mut fresh, &second));
}

#[test]
fn what_one_kernel_does_not_solve_is_refused() {
    if device_or_skip("what_one_kernel_does_not_solve_is_refused").is_none() {
        return;
    }
    let parameters = with(&GpuJacobiParameters::default(), Variant::Fused);
    let refusal = |problem: &Problem| {
        let mut solver = GpuJacobi::new(parameters.clone()).expect("valid");
        let refused = solver.prepare(problem, Start::Cold);
        match refused.expect_err("refused") {
            SolveError::Unsupported(refusal @ Unsupported::Variant { .. }) => refusal.to_string(),
            other => panic!("{other}"),
        }
    };
    let text = refusal(&problem(&everything(3)));
    assert!(text.contains("are joints or other rows"), "{text}");
    // every block of a star of contacts alone is a manifold of its own
    let hub = contact_star(HUB + 1);
    let text = refusal(&hub);
    assert!(
        text.contains("body 0 has 65 manifolds, more than 64"),
        "{text}"
    );
    prepared(parameters.clone(), &contact_star(HUB));
    for (changed, name) in [
        (
            GpuJacobiParameters {
                residuals: true,
                ..parameters.clone()
            },
            "residuals",
        ),
        (with(&settings()[2], Variant::Fused), "acceleration"),
    ] {
        let error = GpuJacobi::new(changed).expect_err("refused").to_string();
        assert!(error.contains(name) && error.contains("fused"), "{error}");
    }
}

/// A body with contacts to so many others.
fn contact_star(count: usize) -> Problem {
    use delassus_core::{Friction, Law};
    let mut parts = stars(&[count]).into_parts();
    for block in &mut parts.blocks {
        block.law = Law::Contact(Friction::Disc { mu: 0.4 });
    }
    Problem::new(parts).expect("valid")
}

/// Bytes of an iteration of both, by hand (K.53), for manifolds of four points.
#[test]
fn bytes_are_those_of_the_lists() {
    if device_or_skip("bytes_are_those_of_the_lists").is_none() {
        return;
    }
    let walls = problem(&BoxProblem::from(Wall {
        base: 20,
        ..Wall::default()
    }));
    for (name, problem) in [("wall", walls), ("stack", stack(400, ContactLaw::Coulomb))] {
        for parameters in fused_settings() {
            for layout in [ManifoldLayout::Manifolds, ManifoldLayout::Tiles] {
                let of = |variant| {
                    let parameters = GpuJacobiParameters {
                        layout,
                        ..with(&parameters, variant)
                    };
                    let facts = prepared(parameters, &problem).facts();
                    (facts.traffic.expect("counted"), facts.dispatches)
                };
                let ((fused, one), (two, pair)) = (of(Variant::Fused), of(Variant::Dispatches));
                assert_eq!((one, pair), (Some(1), Some(2)));
                let points = problem.blocks().len() as u64;
                let per_point = |t: Traffic| t.total() as f64 / points as f64;
                let momentum = parameters.jacobi.acceleration != Acceleration::None;
                let block = parameters.jacobi.step.sweep == LocalSweep::Block;
                let more = more_bytes(&problem, layout, momentum, block);
                let difference = fused.total() as i64 - two.total() as i64;
                assert_eq!(difference, more, "{name}, {layout:?}, {momentum}, {block}");
                println!(
                    "{name}, {layout:?}, momentum {momentum}, block {block}: {:.1} of {:.1} B",
                    per_point(fused),
                    per_point(two)
                );
            }
        }
    }
}

/// Bytes that a fused iteration moves more (K.53), and, with momentum, what its bodies do; its sums
/// take a quad each.
fn more_bytes(problem: &Problem, layout: ManifoldLayout, momentum: bool, block: bool) -> i64 {
    let pack = Pack::<f32>::new(problem, StepRule::default()).expect("bodies");
    let slots = pack.slots.first_slot.windows(2);
    let counts: Vec<i64> = slots.map(|pair| i64::from(pair[1] - pair[0])).collect();
    let (bodies, linked) = (counts.len() as i64, counts.iter().sum::<i64>());
    let squares: i64 = counts.iter().map(|n| n * n).sum();
    let manifolds = pack.manifolds.len() as i64;
    let mass = match layout {
        ManifoldLayout::Manifolds => 48,
        ManifoldLayout::Tiles => 32,
    };
    let [momentum, block] = [momentum, block].map(i64::from);
    let sums = Control::sum_entries(&pack) as i64;
    let plain = manifolds * (2 * (mass + 40) - 64 - 2 * mass * block) + 36 * (squares - linked)
        - bodies * (mass + 68)
        - 4;
    // v_{k−1} of both sides, and threads of the bodies, in place of reading and writing two
    // velocities
    let bodies_keep = 64 * manifolds + bodies * (mass + 40) + 36 * linked - 32 * bodies;
    plain + momentum * bodies_keep + 8 * sums
}
