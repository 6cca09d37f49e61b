//! The fused kernel is the twin of two: the same bits.

use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Generator, Pyramid, Stack};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::control::MomentumState;
use delassus_solver_jacobi::kernels::fused::FusedIterate;
use delassus_solver_jacobi::kernels::iteration;
use delassus_solver_jacobi::kernels::sums::Sums;
use delassus_solver_jacobi::pack::{Iterate, Pack};
use delassus_solver_jacobi::rule::{LocalSweep, StepRule};

/// Impulses and velocities of both, as bits.
fn bits(pack: &Pack<f32>, iterate: &Iterate<f32>, bodies: usize) -> Vec<u64> {
    let mut numbers = vec![0.0; pack.rows() + 6 * bodies];
    let (impulses, velocities) = numbers.split_at_mut(pack.rows());
    iterate.read(pack, impulses);
    iterate.read_velocities(velocities);
    numbers.into_iter().map(f64::to_bits).collect()
}

#[test]
fn one_kernel_has_the_bits_of_two() {
    let laws = [
        ContactLaw::Coulomb,
        ContactLaw::Pyramid,
        ContactLaw::ConvexCone,
    ];
    for (law, sweep) in
        laws.into_iter()
            .zip([LocalSweep::Block, LocalSweep::Points, LocalSweep::Block])
    {
        let boxes = Boxes {
            law,
            ..Boxes::default()
        };
        let (pyramid, stack) = (
            BoxProblem::from(Pyramid { base: 5, boxes }),
            BoxProblem::from(Stack {
                n: 7,
                boxes,
                ..Stack::default()
            }),
        );
        for instance in [pyramid.generate(), stack.generate()] {
            let problem = instance.expect("valid").problem;
            let rule = StepRule {
                sweep,
                ..StepRule::default()
            };
            let pack = Pack::<f32>::new(&problem, rule).expect("bodies");
            for acceleration in [Acceleration::None, Acceleration::Nesterov] {
                compare(&pack, acceleration);
            }
        }
    }
}

/// Over calls of several lengths, each of which ends with velocities.
fn compare(pack: &Pack<f32>, acceleration: Acceleration) {
    let bodies = pack.bodies.len() - 1;
    let start: Vec<f64> = (0..pack.rows())
        .map(|row| 1e-3 * (row % 5) as f64)
        .collect();
    let mut state = Iterate::new(pack);
    state.load(pack, &start);
    iteration::restart(pack, &mut state);
    let mut control = MomentumState::new(acceleration, true);
    let mut sums = vec![Sums::default(); pack.manifolds.len()];
    let mut momentum = false;
    let mut fused = FusedIterate::new(pack, &start, acceleration, true);
    for count in [1, 2, 37] {
        for _ in 0..count {
            iteration::run(pack, &mut state, &mut control, &mut sums);
            fused.step(pack);
            momentum |= control.next_beta() != 0.0;
        }
        assert_eq!(
            bits(pack, &fused.end(pack), bodies),
            bits(pack, &state, bodies)
        );
    }
    assert_eq!(momentum, acceleration == Acceleration::Nesterov);
}
