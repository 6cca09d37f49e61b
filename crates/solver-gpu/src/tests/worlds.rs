//! Every world gets the bits that it has alone.

use delassus_core::{
    Changes, DeviceError, ImpulseSolver, Island, Problem, SolveError, Solver, SolverUpdate, Start,
};
use delassus_problems::generators::{ContactLaw, ManyWorlds};

use super::common::{divergent, prepared, problem, scenes, settings, stack};
use crate::gpu_jacobi::GpuJacobiParameters;
use crate::gpu_worlds::{GpuWorlds, GpuWorldsParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

fn worlds(parameters: &GpuJacobiParameters) -> GpuWorlds {
    GpuWorlds::new(GpuWorldsParameters {
        jacobi: parameters.jacobi,
        steps: Default::default(),
        device: parameters.device.clone(),
    })
    .expect("valid parameters")
}

/// Impulses and velocities bit for bit.
fn read(solver: &mut dyn ImpulseSolver, problem: &Problem) -> [Vec<u64>; 2] {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    let mut velocities = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
    let read = solver.read_velocities(problem, &mut velocities);
    read.expect("velocities");
    [impulses, velocities].map(|all| all.into_iter().map(f64::to_bits).collect())
}

/// The same of every world by itself, put together.
fn alone(parameters: &GpuJacobiParameters, problem: &Problem, sweeps: u32) -> [Vec<u64>; 2] {
    let mut impulses = vec![0.0; problem.rows()];
    let mut velocities = problem.bodies().expect("bodies").free_velocity.clone();
    for world in problem.islands().expect("worlds") {
        let parameters = GpuJacobiParameters {
            variant: Variant::Resident,
            ..parameters.clone()
        };
        let mut solver = prepared(parameters, &world.problem);
        solver.iterate(&world.problem, sweeps).expect("iterations");
        let [own, moved] = read(&mut solver, &world.problem);
        world.scatter(&numbers(&own), &mut impulses);
        world.scatter_velocities(&numbers(&moved), &mut velocities);
    }
    [impulses, velocities].map(|all| all.into_iter().map(f64::to_bits).collect())
}

fn numbers(bits: &[u64]) -> Vec<f64> {
    bits.iter().map(|b| f64::from_bits(*b)).collect()
}

#[test]
fn a_world_gets_what_it_gets_alone() {
    if device_or_skip("a_world_gets_what_it_gets_alone").is_none() {
        return;
    }
    let some = scenes().into_iter().step_by(3).map(|(_, p)| p);
    let all = Problem::concatenate(some).expect("small");
    assert!(all.islands().expect("worlds").len() >= 4);
    for parameters in settings() {
        let mut solver = worlds(&parameters);
        solver.prepare(&all, Start::Cold).expect("worlds that fit");
        for sweeps in [30, 7, 93] {
            solver.iterate(&all, sweeps).expect("iterations");
        }
        assert_eq!(read(&mut solver, &all), alone(&parameters, &all, 130));
    }
}

#[test]
fn sixty_worlds_with_numbers_of_their_own_start_warm_and_refresh() {
    if device_or_skip("sixty_worlds_with_numbers").is_none() {
        return;
    }
    let all = problem(&ManyWorlds {
        worlds: 60,
        size_least: 1,
        size_most: 4,
        speed_most: 2.0,
        ..ManyWorlds::default()
    });
    let parameters = GpuJacobiParameters::default();
    let mut solver = worlds(&parameters);
    solver.prepare(&all, Start::Cold).expect("worlds that fit");
    assert_eq!(solver.prepared().expect("prepared").len(), 60);
    let done = solver.iterate(&all, 25).expect("iterations");
    assert_eq!(done.row_updates, 25 * all.rows() as u64);
    assert_eq!(read(&mut solver, &all), alone(&parameters, &all, 25));
    let history = solver.prepared().expect("prepared").read_history(59);
    assert_eq!(history.expect("a history").len(), 25);
    assert!(
        solver
            .prepared()
            .expect("prepared")
            .read_history(60)
            .is_err()
    );

    let mut reached = vec![0.0; all.rows()];
    solver.read_impulses(&mut reached).expect("impulses");
    let bias: Vec<f64> = all.bias().iter().map(|b| b + 0.01).collect();
    let mut changed = all.clone();
    changed.set_bias(&bias).expect("finite");
    solver
        .update(&changed, SolverUpdate::Numbers(Changes::ALL))
        .expect("a refresh");
    solver.iterate(&changed, 5).expect("iterations");
    let refreshed = read(&mut solver, &changed);
    let warm = solver.prepare(&changed, Start::Warm(&reached));
    warm.expect("a warm start");
    solver.iterate(&changed, 5).expect("iterations");
    assert_eq!(read(&mut solver, &changed), refreshed);
}

#[test]
fn worlds_of_one_structure_are_packed_once_and_keep_their_bits() {
    if device_or_skip("worlds_of_one_structure_are_packed_once").is_none() {
        return;
    }
    let drawn = |size_most: usize| {
        problem(&ManyWorlds {
            worlds: 12,
            size_least: 3,
            size_most,
            speed_most: 2.0,
            ..ManyWorlds::default()
        })
    };
    let (one, several) = (drawn(3), drawn(4));
    for parameters in settings() {
        for (all, shares) in [(&one, true), (&several, false)] {
            let mut solver = worlds(&parameters);
            solver.prepare(all, Start::Cold).expect("worlds that fit");
            let prepared = solver.prepared().expect("prepared");
            assert_eq!((prepared.len(), prepared.shares_structure()), (12, shares));
            solver.iterate(all, 25).expect("iterations");
            assert_eq!(read(&mut solver, all), alone(&parameters, all, 25));
        }
    }
    // from impulses of which those of the first worlds are zero
    let parameters = GpuJacobiParameters::default();
    let mut solver = worlds(&parameters);
    solver.prepare(&one, Start::Cold).expect("worlds that fit");
    solver.iterate(&one, 40).expect("iterations");
    let mut start = vec![0.0; one.rows()];
    solver.read_impulses(&mut start).expect("impulses");
    let rows = one.rows() / 12;
    start[..2 * rows].fill(0.0);
    let warm = solver.prepare(&one, Start::Warm(&start));
    warm.expect("a warm start");
    solver.iterate(&one, 9).expect("iterations");
    let found = read(&mut solver, &one);
    for (world, island) in one.islands().expect("worlds").iter().enumerate() {
        let resident = GpuJacobiParameters {
            variant: Variant::Resident,
            ..parameters.clone()
        };
        let mut alone = prepared(resident, &island.problem);
        let own = Start::Warm(&start[world * rows..(world + 1) * rows]);
        alone.prepare(&island.problem, own).expect("a warm start");
        alone.iterate(&island.problem, 9).expect("iterations");
        let [impulses, _] = read(&mut alone, &island.problem);
        assert_eq!(
            found[0][world * rows..(world + 1) * rows],
            impulses,
            "world {world}"
        );
    }
}

#[test]
fn a_world_too_large_for_a_workgroup_is_refused() {
    if device_or_skip("a_world_too_large").is_none() {
        return;
    }
    let large = stack(511, ContactLaw::Frictionless);
    let needed = large.bodies().expect("bodies").len() as u64;
    let both = [stack(3, ContactLaw::Disc), large];
    let all = Problem::concatenate(both).expect("small");
    let mut solver = worlds(&GpuJacobiParameters::default());
    let limit = DeviceError::Limit {
        what: "a workgroup's memory (bodies)",
        needed,
        allowed: 511,
    };
    let refused = solver.prepare(&all, Start::Cold);
    assert_eq!(refused, Err(SolveError::Device(limit)));
}

#[test]
fn the_row_that_breaks_is_one_of_the_whole_problem() {
    if device_or_skip("the_row_that_breaks").is_none() {
        return;
    }
    // contacts stay bounded
    let (bad, parameters) = divergent();
    let good = stack(4, ContactLaw::Frictionless);
    let first = good.rows();
    let all = Problem::concatenate([good, bad]).expect("small");
    let mut solver = worlds(&parameters);
    solver.prepare(&all, Start::Cold).expect("worlds that fit");
    let error = (0..40).find_map(|_| solver.iterate(&all, 100).err());
    let Some(SolveError::NonFinite { row }) = error else {
        panic!("no divergent iterate: {error:?}");
    };
    assert!(row >= first, "row {row} is one of the stack");
}

#[test]
fn a_problem_without_blocks_has_no_worlds() {
    if device_or_skip("a_problem_without_blocks").is_none() {
        return;
    }
    let none = Problem::concatenate([]).expect("empty");
    assert_eq!(none.islands().map(|w: Vec<Island>| w.len()), Ok(0));
    let mut solver = worlds(&GpuJacobiParameters::default());
    solver
        .prepare(&none, Start::Cold)
        .expect("nothing to refuse");
    assert!(solver.prepared().expect("prepared").is_empty());
    solver.iterate(&none, 3).expect("iterations of nothing");
    solver.read_impulses(&mut []).expect("no impulses");
}
