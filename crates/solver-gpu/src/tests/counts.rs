//! Claim 6: what goes in comes out, at one contact point and at a million; what does not fit is an
//! error.

use std::sync::Arc;

use crate::prepared::DeviceParameters;
use delassus_core::{
    DeviceError, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, SolveError, Solver,
    Start,
};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Grid, Wall};
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::rule::StepRule;

use super::common::{grid, prepared, problem, settings, stack};
use crate::control::Control;
use crate::device::Device;
use crate::dispatches::Dispatches;
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

fn wall(base: usize) -> Problem {
    problem(&BoxProblem::from(Wall {
        base,
        boxes: Boxes {
            law: ContactLaw::Disc,
            ..Boxes::default()
        },
    }))
}

/// Every impulse of a start is there after the upload, and one iteration touches every block.
fn counted(problem: &Problem) -> GpuJacobi {
    let rows = problem.rows();
    let start: Vec<f64> = (0..rows).map(|row| 1.0 + (row % 97) as f64).collect();
    let mut solver = prepared(GpuJacobiParameters::default(), problem);
    solver
        .prepare(problem, Start::Warm(&start))
        .expect("a warm start");
    let mut read = vec![0.0; rows];
    solver.read_impulses(&mut read).expect("impulses");
    assert!(read == start, "an impulse was lost");
    solver.iterate(problem, 1).expect("an iteration");
    solver.read_impulses(&mut read).expect("impulses");
    // pushes of 1 to 97 N·s everywhere: no block is in equilibrium
    let blocks = problem.blocks().iter();
    let untouched = blocks.filter(|b| read[b.rows()] == start[b.rows()]).count();
    assert_eq!(untouched, 0);
    solver
}

#[test]
fn one_point_goes_in_and_out() {
    if device_or_skip("one_point_goes_in_and_out").is_none() {
        return;
    }
    let mut parts = stack(1, ContactLaw::Disc).into_parts();
    parts.blocks.truncate(1);
    parts.bias.truncate(3);
    parts.compliance.truncate(3);
    parts.activity.clear();
    if let delassus_core::Operator::Bodies(bodies) = &mut parts.operator {
        bodies.first_body.truncate(2);
        bodies.first_entry.truncate(2);
        bodies.block_bodies.truncate(bodies.first_body[1]);
        let entries = bodies.first_entry[1];
        bodies.jacobian.edit(|rows| rows.truncate(entries));
    }
    let problem = Problem::new(parts).expect("one point");
    let counts = counted(&problem).prepared().expect("prepared").counts();
    assert_eq!((counts.points, counts.blocks, counts.rows), (1, 0, 3));
}

#[test]
fn ten_thousand_points_go_in_and_out() {
    if device_or_skip("ten_thousand_points").is_none() {
        return;
    }
    let problem = wall(50);
    let counts = counted(&problem).prepared().expect("prepared").counts();
    assert_eq!((counts.manifolds, counts.points), (2500, 10_000));
    assert_eq!(counts.blocks, 0);
}

/// 2 GB, and three seconds of a processor in an unoptimised build.
#[test]
fn a_million_points_go_in_and_out() {
    if device_or_skip("a_million_points").is_none() {
        return;
    }
    let problem = wall(500);
    let counts = counted(&problem).prepared().expect("prepared").counts();
    assert_eq!((counts.manifolds, counts.points), (250_000, 1_000_000));
}

#[test]
fn what_the_device_cannot_bind_is_refused() {
    if device_or_skip("what_the_device_cannot_bind").is_none() {
        return;
    }
    let problem = grid();
    let pack = Pack::new(&problem, StepRule::default()).expect("a problem with bodies");
    let settings = crate::dispatches::DispatchSettings {
        acceleration: delassus_solver_jacobi::Acceleration::Nesterov,
        guard: true,
        residuals: false,
        workgroup: 64,
        layout: crate::tiles::ManifoldLayout::Manifolds,
        fused: false,
        submission: 16,
    };
    // room for the history, but not for the points
    let largest = 20_000;
    let device = Arc::new(Device::open("", largest).expect("an adapter exists"));
    let zeros = vec![0.0; problem.rows()];
    let dispatches = Dispatches::new(device, settings, pack, &zeros);
    let Err(DeviceError::Limit {
        what,
        needed,
        allowed,
    }) = dispatches.map(|_| ())
    else {
        panic!("a buffer that cannot be bound was bound");
    };
    assert_eq!((what, allowed), ("the points of the manifolds", largest));
    assert!(needed > largest);
}

/// K.4: 150 bytes per point of manifolds of four with three manifolds to a body, 172 with momentum.
#[test]
fn the_traffic_is_that_of_the_model() {
    if device_or_skip("the_traffic_is_that_of_the_model").is_none() {
        return;
    }
    // 12 x 12 x 12 boxes that touch on all sides: 2.83 manifolds to a body
    let problem = problem(&BoxProblem::from(Grid {
        nx: 12,
        ny: 12,
        nz: 12,
        boxes: Boxes {
            law: ContactLaw::Disc,
            ..Boxes::default()
        },
        ..Grid::default()
    }));
    let [momentum, plain, ..] = &settings()[..] else {
        panic!("two settings");
    };
    for (parameters, model) in [(plain, 150.0), (momentum, 172.0)] {
        let solver = prepared(parameters.clone(), &problem);
        let points = solver.prepared().expect("prepared").counts().points as f64;
        let counted = solver.facts().traffic.expect("a prepared solver").total() as f64 / points;
        println!("{counted:.1} B per point, model {model}");
        assert!((counted / model - 1.0).abs() <= 0.1, "{counted} of {model}");
    }
}

#[test]
fn the_control_counts_what_the_pack_holds() {
    let problem = grid();
    let pack = Pack::<f32>::new(&problem, StepRule::default()).expect("bodies");
    let acceleration = delassus_solver_jacobi::Acceleration::None;
    let control = Control::new(&pack, &[], acceleration, true, 5).expect("small");
    assert_eq!(control.manifolds as usize, pack.manifolds.len());
    assert_eq!(control.points as usize, problem.blocks().len());
    assert_eq!(control.sums as usize, pack.manifolds.len().div_ceil(32));
    assert_eq!(control.units, 0);
}

/// One thread solves all rows between the same bodies.
#[test]
fn more_rows_of_a_unit_than_software_loops_over_are_refused() {
    let Some(device) = device_or_skip("more_rows_of_a_unit") else {
        return;
    };
    let joints = |count: usize| {
        let mass = MassProperties::aligned(1.0, [0.1, 0.1, 0.1].into());
        let mut builder = ProblemBuilder::new();
        let bodies = [0.5, -0.5].map(|v| builder.body(mass, [v, 0.0, 0.0, 0.0, 0.0, 0.0]));
        for _ in 0..count {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let rows = axes.map(|[x, y, z]| {
                let far = [x, y, z, 0.0, 0.0, 0.0];
                [far.map(|x: f64| -x), far]
            });
            builder.block(Law::Equality, &bodies, &rows);
        }
        builder.build().expect("a valid problem")
    };
    let prepare = |count, workgroup| {
        let parameters = GpuJacobiParameters {
            variant: Variant::Dispatches,
            device: DeviceParameters {
                workgroup,
                ..DeviceParameters::default()
            },
            ..GpuJacobiParameters::default()
        };
        let mut solver = GpuJacobi::new(parameters).expect("valid parameters");
        solver.prepare(&joints(count), Start::Cold).map(|()| solver)
    };
    let mut solver = prepare(100, 64).expect("room for a hundred");
    let problem = joints(100);
    solver.iterate(&problem, 3).expect("iterations");
    let mut read = vec![0.0; problem.rows()];
    solver.read_impulses(&mut read).expect("impulses");
    // all rows are the same row: the block sweep brings every one of them to rest
    let last = read[3 * 99..].iter().map(|x| x.abs()).sum::<f64>();
    assert!(last < 1e-6 && read[0].abs() > 0.1, "{read:?}");
    if device.report().is_software {
        let refused = prepare(1000, 64).map(|_| ());
        let expected = matches!(
            refused,
            Err(SolveError::Device(DeviceError::Limit {
                what: "the loops of software Vulkan (rows between the same bodies)",
                ..
            }))
        );
        assert!(expected, "{refused:?}");
    }
}
