//! Dispatches: as many as the facts of a solver say.

use std::sync::Arc;

use delassus_core::{Prepared, Problem, SolverFacts};
use delassus_problems::generators::{BoxProblem, Wall};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::parameters::JacobiParameters;
use delassus_solver_jacobi::rule::StepRule;
use delassus_solver_jacobi::worlds::{WorldParameters, WorldTemplate};

use super::common::{everything, problem};
use crate::asynchronous::{Accumulation, AsyncSettings, Asynchronous};
use crate::device::Device;
use crate::dispatches::{DispatchSettings, Dispatches};
use crate::resident::Resident;
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;

/// A device of its own, whose dispatches nobody else adds to.
fn own(test: &str) -> Option<Arc<Device>> {
    device_or_skip(test)?;
    Some(Arc::new(Device::open("", u64::MAX).expect("an adapter")))
}

fn settings(residuals: bool, submission: u32) -> DispatchSettings {
    DispatchSettings {
        acceleration: Acceleration::Nesterov,
        guard: true,
        residuals,
        workgroup: 64,
        submission,
        layout: ManifoldLayout::Manifolds,
        fused: false,
    }
}

fn wall() -> Problem {
    wall_of(5)
}

fn wall_of(base: usize) -> Problem {
    problem(&BoxProblem::from(Wall {
        base,
        ..Wall::default()
    }))
}

fn pack(problem: &Problem) -> Pack<f32> {
    Pack::new(problem, StepRule::default()).expect("bodies")
}

/// Dispatches of `work`.
fn of(device: &Device, work: impl FnOnce()) -> u64 {
    let before = device.dispatches();
    work();
    device.dispatches() - before
}

#[test]
fn an_iteration_takes_as_many_as_it_has_kernels() {
    let Some(device) = own("an_iteration_takes_as_many_as_it_has_kernels") else {
        return;
    };
    // manifolds and bodies; row blocks, too; natural residuals of both
    let both = problem(&everything(2));
    for (problem, residuals, expected) in [
        (wall(), false, 2),
        (both.clone(), false, 3),
        (both, true, 5),
    ] {
        let (settings, cold) = (settings(residuals, 4), vec![0.0; problem.rows()]);
        let made = Dispatches::new(Arc::clone(&device), settings, pack(&problem), &cold);
        let mut solver = made.expect("room");
        assert_eq!(solver.per_iteration(), expected);
        let counted = of(&device, || solver.iterate(10).expect("iterations"));
        assert_eq!(counted, 10 * expected);
    }
}

#[test]
fn atomic_additions_save_the_dispatch_of_the_bodies() {
    let Some(device) = own("atomic_additions_save_the_dispatch_of_the_bodies") else {
        return;
    };
    let wall = wall();
    for (accumulation, expected) in [(Accumulation::Cas, 1), (Accumulation::FixedPoint, 2)] {
        let settings = AsyncSettings {
            accumulation,
            bits: 20,
            workgroup: 64,
            submission: 4,
        };
        let cold = vec![0.0; wall.rows()];
        let made = Asynchronous::new(Arc::clone(&device), settings, pack(&wall), &cold);
        let mut solver = made.expect("room");
        let SolverFacts { dispatches, .. } = solver.facts();
        assert_eq!(dispatches, Some(expected));
        let counted = of(&device, || {
            solver.iterate(&wall, 10).expect("iterations");
        });
        assert_eq!(counted, 10 * expected);
    }
}

/// Neither their number nor that of the iterations adds any.
#[test]
fn worlds_take_one_dispatch_for_all_iterations() {
    let Some(device) = own("worlds_take_one_dispatch_for_all_iterations") else {
        return;
    };
    let structure = wall();
    for count in [3, 30] {
        let mut worlds = WorldParameters::of(count);
        worlds.friction = (1..=count).map(|i| 0.02 * i as f64).collect();
        let twin = JacobiParameters::default();
        let template = WorldTemplate::new("test", twin, &structure, &worlds).expect("valid");
        let values = template.values("test", &worlds).expect("valid");
        let mut resident = None;
        let prepared = of(&device, || {
            let settings = settings(false, 8);
            let device = Arc::clone(&device);
            let made = Resident::of_worlds(device, settings, template, count, &[], &values);
            resident = Some(made.expect("room"));
        });
        // the numbers of the worlds, and the first velocities
        assert_eq!(prepared, 2);
        let mut resident = resident.expect("prepared");
        let counted = of(&device, || resident.run(8).expect("iterations"));
        let expected = 8_u32.div_ceil(resident.per_dispatch());
        assert_eq!(counted, u64::from(expected));
        if !device.report().is_software {
            assert_eq!(counted, 1);
        }
    }
}

#[test]
fn memory_per_point_does_not_grow_with_the_problem() {
    let Some(device) = own("memory_per_point_does_not_grow_with_the_problem") else {
        return;
    };
    for layout in [ManifoldLayout::Manifolds, ManifoldLayout::Tiles] {
        // 1 024, 10 000 and 99 856 points
        let [few, some, many] = [16, 50, 158].map(|base| {
            let (problem, settings) = (wall_of(base), settings(false, 4));
            let settings = DispatchSettings { layout, ..settings };
            let cold = vec![0.0; problem.rows()];
            let made = Dispatches::new(Arc::clone(&device), settings, pack(&problem), &cold);
            let points = problem.blocks().len() as f64;
            made.expect("room").bytes() as f64 / points
        });
        println!("{layout:?}: {few:.1}, {some:.1}, {many:.1} B per point on the device");
        assert!((some - many).abs() < 0.02 * many, "{some} {many}");
        assert!(few < 1.1 * many, "{few} {many}");
    }
}
