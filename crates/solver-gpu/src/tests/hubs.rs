//! Bodies with very many pieces: a workgroup sums them, with the same bits.

use crate::prepared::DeviceParameters;
use delassus_core::{DeviceError, ImpulseSolver, SolveError, Solver, Start};
use delassus_solver_jacobi::JacobiF32;
use delassus_solver_jacobi::kernels::bodies::{HUB, hubs};
use delassus_solver_jacobi::pack::Pack;
use delassus_solver_jacobi::rule::StepRule;

use super::common::{bits, prepared, settings, stars};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::hubs::SOFTWARE_SLOTS;
use crate::testing::device_or_skip;
use crate::variant::Variant;

const SWEEPS: u32 = 12;

/// Around the threshold, with a last chunk that is not full, and more chunks than a round of a
/// workgroup has: 64 · 32.
const COUNTS: [usize; 5] = [2500, HUB + 1, 3, HUB, 100];

#[test]
fn a_hub_is_a_body_with_more_slots_than_one_thread_sums() {
    let pack = Pack::<f32>::new(&stars(&COUNTS), StepRule::default()).expect("bodies");
    // the centres lie before their neighbours
    let second = u32::try_from(COUNTS[0] + 1).expect("small");
    let last = u32::try_from(COUNTS.iter().sum::<usize>() + 4 - 100).expect("small");
    assert_eq!(hubs(&pack), [0, second, last]);
}

#[test]
fn workgroups_and_submissions_change_no_bit_of_a_hub() {
    if device_or_skip("workgroups_and_submissions_change_no_bit_of_a_hub").is_none() {
        return;
    }
    let problem = stars(&COUNTS);
    for parameters in settings() {
        let run = |workgroup, submission| {
            let parameters = GpuJacobiParameters {
                device: DeviceParameters {
                    workgroup,
                    submission,
                    ..parameters.device.clone()
                },
                ..parameters.clone()
            };
            let mut solver = prepared(parameters, &problem);
            solver.iterate(&problem, SWEEPS).expect("iterations");
            bits(&mut solver, &problem)
        };
        let expected = run(64, 256);
        assert_eq!(run(64, 256), expected, "repeat");
        for workgroup in [32, 128, 256] {
            assert_eq!(run(workgroup, 5), expected, "workgroup {workgroup}");
        }
    }
}

#[test]
fn one_thread_sums_a_hub_as_a_workgroup_does() {
    if device_or_skip("one_thread_sums_a_hub").is_none() {
        return;
    }
    // the resident variant holds 511 bodies
    let problem = stars(&[300, HUB + 1, HUB]);
    for parameters in settings() {
        let run = |variant| {
            let parameters = GpuJacobiParameters {
                variant,
                ..parameters.clone()
            };
            let mut solver = prepared(parameters, &problem);
            solver.iterate(&problem, SWEEPS).expect("iterations");
            bits(&mut solver, &problem)
        };
        assert_eq!(run(Variant::Resident), run(Variant::Dispatches));
    }
}

/// A loop that ended early would lose wrenches without a word.
#[test]
fn the_largest_hub_is_summed_to_its_end() {
    let Some(device) = device_or_skip("the_largest_hub_is_summed_to_its_end") else {
        return;
    };
    let problem = stars(&[SOFTWARE_SLOTS]);
    let mut velocities = [[0.0; 6]; 2].map(Vec::from);
    let mut solver = prepared(GpuJacobiParameters::default(), &problem);
    let mut twin = JacobiF32::new(GpuJacobiParameters::default().jacobi).expect("valid");
    twin.prepare(&problem, Start::Cold).expect("prepared");
    let solvers: [&mut dyn ImpulseSolver; 2] = [&mut solver, &mut twin];
    for (solver, out) in solvers.into_iter().zip(&mut velocities) {
        out.resize(6 * problem.bodies().expect("bodies").len(), 0.0);
        solver.iterate(&problem, 2).expect("iterations");
        solver.read_velocities(&problem, out).expect("velocities");
    }
    // the same sum in the same order: rounding of the wrenches alone, some 1e-5; a lost round would
    // be 2e-2
    for (found, expected) in velocities[0][..6].iter().zip(&velocities[1][..6]) {
        let scale = velocities[1][..6]
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(
            (found - expected).abs() < 1e-3 * scale,
            "{found} for {expected}"
        );
    }
    if device.report().is_software {
        let larger = stars(&[SOFTWARE_SLOTS + 1]);
        let mut solver = GpuJacobi::new(GpuJacobiParameters::default()).expect("valid");
        let refused = solver.prepare(&larger, Start::Cold);
        assert!(matches!(
            refused,
            Err(SolveError::Device(DeviceError::Limit { .. }))
        ));
    }
}
