//! Claim 3: after N iterations the device is at most the sum of its single-step errors away from
//! exact iteration (K.6), where the iteration is non-expansive; elsewhere it solves the problem as
//! well as f64 does.

use delassus_core::{ImpulseSolver, Problem, Solver, Start};
use delassus_problems::generators::ContactLaw;
use delassus_solver_jacobi::kernels::{IterationStep, bodies, manifolds, rows};
use delassus_solver_jacobi::pack::{Iterate, Pack};
use delassus_solver_jacobi::parameters::StepParameters;
use delassus_solver_jacobi::real::Real;
use delassus_solver_jacobi::rule::{LocalSweep, Splitting};
use delassus_solver_jacobi::running::ErrorBounded;
use delassus_solver_jacobi::{Acceleration, Jacobi, JacobiParameters};

use super::common::{grid, prepared, scenes, stack};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;

/// The map of one plain iteration, λ → λ', exact but for f64, on the device's own numbers.
struct Exact {
    pack: Pack<ErrorBounded>,
    state: Iterate<ErrorBounded>,
    steps: Vec<f64>,
}

impl Exact {
    fn new(problem: &Problem, solver: &GpuJacobi) -> Self {
        let rule = solver.prepared().expect("prepared").rule();
        let pack = Pack::new(problem, rule).expect("bodies");
        let state = Iterate::new(&pack);
        let mut steps = vec![0.0; problem.rows()];
        pack.read_steps(&mut steps);
        Self { pack, state, steps }
    }

    /// λ' of λ, and the bound of what a device may be off in every row.
    fn map(&mut self, impulses: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Self { pack, state, .. } = self;
        state.current = 0;
        state.load(pack, impulses);
        manifolds::wrenches(pack, state);
        rows::wrenches(pack, state);
        bodies::run(pack, state, ErrorBounded::ZERO);
        let step = IterationStep::plain(false);
        let mut sums = vec![Default::default(); pack.manifolds.len().max(pack.units.len())];
        manifolds::run(pack, state, step, &mut sums);
        rows::run(pack, state, step, &mut sums);
        state.current = 1;
        let mut out = vec![0.0; impulses.len()];
        state.read(pack, &mut out);
        let error = |quad: &[ErrorBounded; 4]| {
            quad.map(|x| ErrorBounded {
                value: x.error,
                error: 0.0,
            })
        };
        let mut errors = Iterate {
            points: state.points.iter().map(error).collect(),
            rows: state.rows.iter().map(error).collect(),
            ..Iterate::default()
        };
        errors.current = 1;
        let mut bound = vec![0.0; impulses.len()];
        errors.read(pack, &mut bound);
        (out, bound)
    }

    /// Length in the norm of D = 1/steps \[√J\].
    fn norm(&self, x: impl Iterator<Item = f64>) -> f64 {
        let squares = x.zip(&self.steps).map(|(x, step)| x * x / step);
        squares.sum::<f64>().sqrt()
    }

    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.norm(a.iter().zip(b).map(|(a, b)| a - b))
    }
}

#[test]
fn errors_add_up_and_do_not_grow() {
    if device_or_skip("errors_add_up_and_do_not_grow").is_none() {
        return;
    }
    let parameters = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: StepParameters {
                sweep: LocalSweep::Points,
                splitting: Splitting::Rows,
                ..StepParameters::default()
            },
            acceleration: Acceleration::None,
            ..JacobiParameters::default()
        },
        ..GpuJacobiParameters::default()
    };
    for law in [ContactLaw::Frictionless, ContactLaw::ConvexCone] {
        let problem = stack(6, law);
        let mut solver = prepared(parameters.clone(), &problem);
        let mut exact = Exact::new(&problem, &solver);
        let rows = problem.rows();
        let (mut device, mut ideal) = (vec![0.0; rows], vec![0.0; rows]);
        let (mut sum, mut moved) = (0.0, 0.0);
        for iteration in 1..=200 {
            let (expected, bound) = exact.map(&device);
            let before = device.clone();
            solver.iterate(&problem, 1).expect("an iteration");
            solver.read_impulses(&mut device).expect("impulses");
            let single = exact.distance(&device, &expected);
            let allowed = exact.norm(bound.into_iter());
            assert!(single <= allowed, "{law:?}: {single:e} of {allowed:e}");
            sum += single;
            moved += exact.distance(&device, &before);
            (ideal, _) = exact.map(&ideal);
            let distance = exact.distance(&device, &ideal);
            // f64 rounds too: 1e-12 of the way gone
            assert!(
                distance <= sum + 1e-12 * moved,
                "{law:?}, iteration {iteration}: {distance:e} of {sum:e}"
            );
        }
        println!(
            "{law:?}: distance {:e}, sum {sum:e}",
            exact.distance(&device, &ideal)
        );
        assert!(sum > 0.0 && moved > 1e3 * sum);
    }
}

/// Largest component of the natural residual with D (M.4) \[m/s\].
fn residual(problem: &Problem, parameters: JacobiParameters, impulses: &[f64]) -> f64 {
    let mut judge = Jacobi::new(parameters).expect("valid parameters");
    judge
        .prepare(problem, Start::Warm(impulses))
        .expect("a problem that the solver takes");
    judge.prepared().expect("prepared").residual()
}

#[test]
fn the_device_solves_what_f64_solves() {
    if device_or_skip("the_device_solves_what_f64_solves").is_none() {
        return;
    }
    let mut scenes = scenes();
    scenes.push(("grid".into(), grid()));
    for (name, problem) in scenes {
        let parameters = GpuJacobiParameters::default();
        let twin = parameters.jacobi;
        let mut reference = Jacobi::new(twin).expect("valid parameters");
        let mut solver = prepared(parameters, &problem);
        let start = residual(&problem, twin, &vec![0.0; problem.rows()]);
        reference
            .prepare(&problem, Start::Cold)
            .expect("a problem that the solver takes");
        reference.iterate(&problem, 600).expect("iterations");
        solver.iterate(&problem, 600).expect("iterations");
        let [mut a, mut b] = [vec![0.0; problem.rows()], vec![0.0; problem.rows()]];
        reference.read_impulses(&mut a).expect("impulses");
        solver.read_impulses(&mut b).expect("impulses");
        let [a, b] = [a, b].map(|impulses| residual(&problem, twin, &impulses) / start);
        println!("{name}: f64 {a:.1e}, device {b:.1e}");
        // the floor of f32 with momentum (J.15): 4e-5 of the start at mass ratio 100
        assert!(b <= 2.0 * a + 4e-5, "{name}: f64 {a:e}, device {b:e}");
    }
}
