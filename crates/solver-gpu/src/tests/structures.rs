//! Worlds of one structure get the bits of their own problems, and few bytes go up for them.

use std::sync::Arc;

use delassus_core::{
    ImpulseSolver, MassProperties, Problem, ProblemError, SolveError, Solver, Start,
};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Wall};
use delassus_solver_jacobi::parameters::{JacobiParameters, Named, Omega, StepParameters};
use delassus_solver_jacobi::rule::LocalSweep;
use delassus_solver_jacobi::worlds::{WorldError, WorldParameters, WorldTemplate};

use super::common::{
    bits, divergent, everything, grid, prepared, problem, scenes, settings, stack,
};
use crate::batch::GpuBatch;
use crate::buffers::GpuQuad;
use crate::control::State;
use crate::device::Device;
use crate::dispatches::DispatchSettings;
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::joined::ProblemRecord;
use crate::resident::Resident;
use crate::staging::TransferCounts;
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;
use crate::variant::Variant;
use crate::world_numbers::WorldHeader;
use crate::world_results::{WorldResult, WorldStatus};

const WORLDS: usize = 3;

fn batch(parameters: &GpuJacobiParameters) -> GpuBatch {
    GpuBatch::new(parameters.clone()).expect("valid parameters")
}

fn resident(parameters: &GpuJacobiParameters) -> GpuJacobiParameters {
    GpuJacobiParameters {
        variant: Variant::Resident,
        ..parameters.clone()
    }
}

/// A number between 0.5 and 1.5 that is no other world's.
fn factor(world: usize, place: usize) -> f64 {
    0.5 + ((37 * world + 11 * place) % 101) as f64 / 101.0
}

fn scaled(mass: &MassProperties, factor: f64) -> MassProperties {
    MassProperties {
        inverse_mass: mass.inverse_mass * factor,
        inverse_inertia: mass.inverse_inertia * factor,
    }
}

fn with_friction(parameters: &mut WorldParameters) {
    let worlds = 0..parameters.worlds;
    parameters.friction = worlds.map(|world| 0.3 * factor(world, 5)).collect();
}

fn with_masses(parameters: &mut WorldParameters, structure: &Problem) {
    let masses = &structure.bodies().expect("bodies").mass;
    for world in 0..parameters.worlds {
        let own = masses.iter().enumerate();
        let own = own.map(|(body, mass)| scaled(mass, factor(world, body)));
        parameters.masses.extend(own);
    }
}

fn with_velocities(parameters: &mut WorldParameters, structure: &Problem) {
    let free = &structure.bodies().expect("bodies").free_velocity;
    for world in 0..parameters.worlds {
        let own = free.iter().enumerate();
        let own = own.map(|(at, v)| v * factor(world, at) + 0.01 * factor(world, at + 1));
        parameters.free_velocity.extend(own);
    }
}

/// Of the first row of every block: tangents with bias would be other manifolds.
fn with_bias(parameters: &mut WorldParameters, structure: &Problem) {
    for world in 0..parameters.worlds {
        let mut bias = structure.bias().to_vec();
        for block in structure.blocks() {
            bias[block.first_row] += 0.01 * factor(world, block.first_row);
        }
        parameters.bias.extend(bias);
    }
}

/// Worlds that differ in everything.
fn all_different(structure: &Problem, worlds: usize) -> WorldParameters {
    let mut parameters = WorldParameters::of(worlds);
    with_friction(&mut parameters);
    with_masses(&mut parameters, structure);
    with_velocities(&mut parameters, structure);
    with_bias(&mut parameters, structure);
    parameters
}

/// Impulses, velocities and history of a world, as bits.
fn world_bits(
    batch: &GpuBatch,
    world: usize,
    structure: &Problem,
) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let mut impulses = vec![0.0; structure.rows()];
    batch.read_impulses(world, &mut impulses).expect("impulses");
    let mut velocities = vec![0.0; 6 * structure.bodies().expect("bodies").len()];
    let read = batch.read_velocities(world, &mut velocities);
    read.expect("velocities");
    let history = batch.read_history(world).expect("a history");
    let numbers = history.iter().flat_map(|e| [e.residual, e.uphill, e.beta]);
    let of = |x: f64| x.to_bits();
    (
        impulses.into_iter().map(of).collect(),
        velocities.into_iter().map(of).collect(),
        numbers.map(of).collect(),
    )
}

/// Every world of a batch after some iterations has the bits of a solver of its own.
fn assert_alone(name: &str, structure: &Problem, worlds: &WorldParameters) {
    for parameters in settings() {
        let mut together = batch(&parameters);
        together
            .prepare_worlds(structure, worlds)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(together.len(), worlds.worlds);
        for sweeps in [20, 3] {
            together.iterate(sweeps).expect("iterations");
        }
        for world in 0..worlds.worlds {
            let own = worlds.problem(structure, world).expect("a valid world");
            let mut alone = prepared(resident(&parameters), &own);
            alone.iterate(&own, 23).expect("iterations");
            let found = world_bits(&together, world, structure);
            assert_eq!(found, bits(&mut alone, &own), "{name}, world {world}");
        }
    }
}

#[test]
fn worlds_have_the_bits_of_their_own_problems() {
    if device_or_skip("worlds_have_the_bits_of_their_own_problems").is_none() {
        return;
    }
    let mut structures = scenes();
    structures.push(("grid".into(), grid()));
    for (name, structure) in structures {
        let worlds = all_different(&structure, WORLDS);
        assert_alone(&name, &structure, &worlds);
    }
}

#[test]
fn each_list_of_parameters_works_without_the_others() {
    if device_or_skip("each_list_of_parameters_works_without_the_others").is_none() {
        return;
    }
    let structure = problem(&everything(4));
    let mut lists = vec![WorldParameters::of(3); 5];
    with_friction(&mut lists[0]);
    with_masses(&mut lists[1], &structure);
    with_velocities(&mut lists[2], &structure);
    with_bias(&mut lists[3], &structure);
    for (index, worlds) in lists.iter().enumerate() {
        assert_alone(&format!("list {index}"), &structure, worlds);
    }
}

#[test]
fn updated_worlds_continue_from_their_impulses() {
    if device_or_skip("updated_worlds_continue_from_their_impulses").is_none() {
        return;
    }
    let structure = problem(&everything(6));
    let before = all_different(&structure, WORLDS);
    let mut after = before.clone();
    after.friction.reverse();
    let bodies = structure.bodies().expect("bodies");
    for (own, mass) in after.masses.iter_mut().zip(bodies.mass.iter().cycle()) {
        *own = scaled(mass, 0.8);
    }
    for parameters in settings() {
        let mut together = batch(&parameters);
        let prepared_worlds = together.prepare_worlds(&structure, &before);
        prepared_worlds.expect("worlds that fit");
        together.iterate(11).expect("iterations");
        let mut starts = vec![0.0; WORLDS * structure.rows()];
        together.read_all_impulses(&mut starts).expect("impulses");
        together.update_worlds(&after).expect("the same lists");
        together.iterate(6).expect("iterations");
        for (world, start) in starts.chunks(structure.rows()).enumerate() {
            let own = after.problem(&structure, world).expect("a valid world");
            let solver = GpuJacobi::new(resident(&parameters));
            let mut alone = solver.expect("valid parameters");
            let warm = alone.prepare(&own, Start::Warm(start));
            warm.expect("a warm start");
            alone.iterate(&own, 6).expect("iterations");
            let found = world_bits(&together, world, &structure);
            assert_eq!(found, bits(&mut alone, &own), "world {world}");
        }
    }
}

#[test]
fn a_world_that_breaks_stops_no_other() {
    if device_or_skip("a_world_that_breaks_stops_no_other").is_none() {
        return;
    }
    // all worlds diverge that move at the start
    let (net, parameters) = divergent();
    let mut worlds = WorldParameters::of(3);
    let moving = &net.bodies().expect("bodies").free_velocity;
    worlds.free_velocity = vec![0.0; moving.len()];
    worlds.free_velocity.extend_from_slice(moving);
    worlds.free_velocity.resize(3 * moving.len(), 0.0);
    let mut together = batch(&parameters);
    together
        .prepare_worlds(&net, &worlds)
        .expect("worlds that fit");
    let mut results = Vec::new();
    let mut rounds = 0;
    while rounds < 40 && results.iter().all(|r: &WorldResult| r.residual.is_finite()) {
        results = together.iterate_each(100, 1e-3).expect("a device");
        rounds += 1;
    }
    let statuses: Vec<WorldStatus> = results.iter().map(|result| result.status).collect();
    let expected = [
        WorldStatus::Converged,
        WorldStatus::NonFinite,
        WorldStatus::Converged,
    ];
    assert_eq!(statuses, expected);
    let iterations = 100 * rounds;
    assert!(results.iter().all(|result| result.iterations == iterations));
    let mut impulses = vec![0.0; net.rows()];
    together.read_impulses(2, &mut impulses).expect("finite");
    let broken = together.read_impulses(1, &mut impulses);
    assert!(matches!(broken, Err(SolveError::NonFinite { .. })));
}

#[test]
fn results_are_those_of_the_history() {
    if device_or_skip("results_are_those_of_the_history").is_none() {
        return;
    }
    let structure = grid();
    let worlds = all_different(&structure, WORLDS);
    let mut together = batch(&GpuJacobiParameters::default());
    together
        .prepare_worlds(&structure, &worlds)
        .expect("worlds that fit");
    let none = together.iterate_each(0, 1.0).expect("a device");
    assert!(none.iter().all(|result| result.iterations == 0));
    let last = |together: &GpuBatch, world| {
        let history = together.read_history(world).expect("a history");
        history.last().expect("iterations").residual
    };
    let rough = together.iterate_each(9, 0.0).expect("a device");
    let residuals: Vec<f64> = (0..WORLDS).map(|world| last(&together, world)).collect();
    let middle = residuals.iter().sum::<f64>() / WORLDS as f64;
    for (result, residual) in rough.iter().zip(&residuals) {
        assert_eq!(result.residual, *residual);
        assert_eq!(result.status, WorldStatus::MaxSweeps);
    }
    // no more iterations, and a tolerance that some reach
    let fine = together.iterate_each(0, middle).expect("a device");
    for (result, residual) in fine.iter().zip(&residuals) {
        let expected = if *residual <= middle {
            WorldStatus::Converged
        } else {
            WorldStatus::MaxSweeps
        };
        assert_eq!(result.status, expected);
    }
}

#[test]
fn worlds_that_do_not_fit_are_refused_with_their_index() {
    if device_or_skip("worlds_that_do_not_fit_are_refused").is_none() {
        return;
    }
    let structure = stack(3, ContactLaw::Coulomb);
    let mut together = batch(&GpuJacobiParameters::default());
    let mut refused = |worlds: &WorldParameters| {
        let refused = together.prepare_worlds(&structure, worlds);
        refused.expect_err("worlds that do not fit")
    };
    let mut short = WorldParameters::of(3);
    short.friction = vec![0.5; 2];
    let length = WorldError::Length {
        what: "the friction",
        found: 2,
        expected: 3,
    };
    assert_eq!(refused(&short), length);
    let mut negative = WorldParameters::of(3);
    negative.friction = vec![0.5, -0.1, 0.5];
    assert!(matches!(
        refused(&negative),
        WorldError::Problem {
            world: 1,
            error: ProblemError::FrictionCoefficient { .. }
        }
    ));
    let mut held = WorldParameters::of(2);
    with_masses(&mut held, &structure);
    let last = held.masses.len() - 1;
    held.masses[last] = MassProperties::immovable();
    assert!(matches!(
        refused(&held),
        WorldError::Structure { world: 1, .. }
    ));
    // a tangent with bias is another kind of point
    let mut tangent = WorldParameters::of(2);
    tangent.bias = vec![0.0; 2 * structure.rows()];
    tangent.bias[structure.rows() + 1] = 0.1;
    let error = refused(&tangent);
    assert!(
        matches!(error, WorldError::Structure { world: 1, .. }),
        "{error}"
    );
    assert!(error.to_string().starts_with("world 1: "), "{error}");
    let mut far = WorldParameters::of(2);
    with_masses(&mut far, &structure);
    for mass in far
        .masses
        .iter_mut()
        .skip(structure.bodies().expect("bodies").len())
    {
        *mass = scaled(mass, 1e25);
    }
    assert!(matches!(refused(&far), WorldError::Solve { world: 1, .. }));
}

#[test]
fn updates_of_other_lists_are_refused() {
    if device_or_skip("updates_of_other_lists_are_refused").is_none() {
        return;
    }
    let structure = stack(3, ContactLaw::Coulomb);
    let mut worlds = WorldParameters::of(4);
    let mut together = batch(&GpuJacobiParameters::default());
    let unprepared = together.update_worlds(&worlds);
    assert_eq!(unprepared, Err(WorldError::of(0, SolveError::NotPrepared)));
    with_friction(&mut worlds);
    together
        .prepare_worlds(&structure, &worlds)
        .expect("worlds that fit");
    let mut other = worlds.clone();
    with_velocities(&mut other, &structure);
    let refused = together.update_worlds(&other);
    assert!(matches!(refused, Err(WorldError::Structure { .. })));
    let fewer = WorldParameters {
        worlds: 3,
        friction: worlds.friction[..3].to_vec(),
        ..worlds.clone()
    };
    let refused = together.update_worlds(&fewer);
    assert!(matches!(refused, Err(WorldError::Length { .. })));
    together.update_worlds(&worlds).expect("the same lists");

    let estimate = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: StepParameters {
                omega: Omega::Named(Named::Estimate),
                sweep: LocalSweep::Points,
                ..StepParameters::default()
            },
            ..JacobiParameters::default()
        },
        ..GpuJacobiParameters::default()
    };
    let refused = batch(&estimate).prepare_worlds(&structure, &worlds);
    assert!(matches!(refused, Err(WorldError::Solve { .. })));
    let large = stack(511, ContactLaw::Frictionless);
    let refused =
        batch(&GpuJacobiParameters::default()).prepare_worlds(&large, &WorldParameters::of(2));
    assert!(matches!(refused, Err(WorldError::Solve { .. })));
}

fn transfers(device: &Device) -> TransferCounts {
    crate::staging::transfers(device).expect("counts")
}

/// Bytes that go up for worlds of one structure are those of (K.49).
#[test]
fn worlds_of_one_structure_upload_their_values_alone() {
    if device_or_skip("worlds_of_one_structure_upload").is_none() {
        return;
    }
    // a device of its own, whose transfers nobody else adds to
    let device = Arc::new(Device::open("", u64::MAX).expect("an adapter"));
    let structure = problem(&BoxProblem::from(Wall {
        base: 6,
        boxes: Boxes::default(),
    }));
    let count = 64;
    let settings = DispatchSettings {
        acceleration: delassus_solver_jacobi::Acceleration::Nesterov,
        guard: true,
        residuals: false,
        workgroup: 64,
        submission: 64,
        layout: ManifoldLayout::Manifolds,
        fused: false,
    };
    let twin = JacobiParameters::default();
    let mut friction = WorldParameters::of(count);
    with_friction(&mut friction);
    let mut physics = friction.clone();
    with_masses(&mut physics, &structure);
    let mut motion = friction.clone();
    with_velocities(&mut motion, &structure);
    let alone: Vec<_> = (0..count)
        .map(|world| {
            let own = physics.problem(&structure, world).expect("a valid world");
            (twin.pack(&own).expect("bodies"), vec![0.0; own.rows()])
        })
        .collect();
    let start = transfers(&device);
    Resident::new(Arc::clone(&device), settings, alone).expect("room");
    let [before, _] = transfers(&device).since(&start).bytes;
    println!("{count} worlds, {} rows each", structure.rows());
    println!("packed each: {} B per world", before / count as u64);
    for (name, worlds, least) in [
        ("friction", &friction, 23),
        ("friction, velocities", &motion, 9),
        ("friction, masses", &physics, 3),
    ] {
        let template = WorldTemplate::new("test", twin, &structure, worlds).expect("a structure");
        let values = template.values("test", worlds).expect("valid worlds");
        let expected = uploaded(&template, count);
        let of_values = 4 * (count * template.values_per_world()) as u64;
        let start = transfers(&device);
        let mut resident =
            Resident::of_worlds(Arc::clone(&device), settings, template, count, &[], &values)
                .expect("room");
        let prepared = transfers(&device);
        let bytes = prepared.since(&start).bytes;
        assert_eq!(bytes, [expected, 0], "{name}");
        resident.write_worlds(&values).expect("the same values");
        let [update, down] = transfers(&device).since(&prepared).bytes;
        // two records say how many iterations the velocities take
        let records = 2 * size_of::<ProblemRecord>() as u64;
        assert_eq!([update, down], [of_values + records, 0], "{name}");
        println!(
            "{name}: {} B per world, {} B per world again",
            expected / count as u64,
            update / count as u64
        );
        assert!(before >= least * expected, "{name}: {before}, {expected}");
    }
}

/// (K.49)
fn uploaded(template: &WorldTemplate, worlds: usize) -> u64 {
    let pack = template.pack();
    let adjacency = pack.slots.first_slot.len() + pack.slots.slots.len();
    let words = pack.manifolds.heads.len() + pack.units.heads.len() + adjacency.div_ceil(4);
    let quads = words + template.quads().count() + template.own().len();
    let of_world = size_of::<ProblemRecord>()
        + size_of::<State>()
        + size_of::<f32>() * template.values_per_world();
    let once = size_of::<GpuQuad>() * quads
        + size_of::<WorldHeader>()
        // before the first velocities, and after
        + 2 * size_of::<ProblemRecord>();
    (once + worlds * of_world) as u64
}
