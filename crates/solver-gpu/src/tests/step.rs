//! Claim 2: one iteration from the same numbers stays within the forward error bound of its twin
//! (K.5).
//!
//! The bound comes with the twin's result, from the same kernel run in running error arithmetic.
//! Pieces with a comparison that rounding could turn have no bound; they are counted, and must be
//! few.

use delassus_core::{ImpulseSolver, Problem, Start};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::{IterationStep, bodies, manifolds, rows};
use delassus_solver_jacobi::pack::{BODY_FREE, Pack, count_of};
use delassus_solver_jacobi::real::{Quad, Real};
use delassus_solver_jacobi::rule::LocalSweep;
use delassus_solver_jacobi::running::{ErrorBounded, ambiguous};

use super::common::{grid, prepared, scenes, settings, stars};
use crate::dispatches::Snapshot;
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

/// Components compared, and pieces left out.
#[derive(Debug, Default)]
struct Compared {
    components: usize,
    pieces: usize,
    left_out: usize,
    /// Largest share of its bound that a component used.
    largest: f64,
}

impl Compared {
    fn component(&mut self, what: &str, found: f32, expected: ErrorBounded) {
        let error = (f64::from(found) - expected.value).abs();
        assert!(
            error <= expected.error,
            "{what}: {found} is {error:e} from {expected:?}"
        );
        self.components += 1;
        if expected.error > 0.0 {
            self.largest = self.largest.max(error / expected.error);
        }
    }

    fn triple(&mut self, what: &str, found: Quad<f32>, expected: [ErrorBounded; 3]) {
        for axis in 0..3 {
            self.component(what, found[axis], expected[axis]);
        }
    }

    /// Runs a piece; `None` if a comparison was too close.
    fn piece<R>(&mut self, run: impl FnOnce() -> R) -> Option<R> {
        let before = ambiguous();
        let result = run();
        self.pieces += 1;
        let close = ambiguous() > before;
        self.left_out += usize::from(close);
        (!close).then_some(result)
    }
}

fn exact(quads: &[Quad<f32>]) -> Vec<Quad<ErrorBounded>> {
    let widen = |quad: &Quad<f32>| quad.map(|x| ErrorBounded::of(f64::from(x)));
    quads.iter().map(widen).collect()
}

fn compare(solver: &mut GpuJacobi, problem: &Problem, compared: &mut Compared) {
    let before = solver
        .prepared()
        .expect("prepared")
        .snapshot()
        .expect("a snapshot");
    solver.iterate(problem, 1).expect("an iteration");
    let after = solver
        .prepared()
        .expect("prepared")
        .snapshot()
        .expect("a snapshot");
    let rule = solver.prepared().expect("prepared").rule();
    let pack = Pack::<ErrorBounded>::new(problem, rule).expect("a problem with bodies");
    let step = IterationStep {
        beta: ErrorBounded::of(before.beta.into()),
        weight: ErrorBounded::of(before.weight.into()),
        ..IterationStep::plain(rule.sweep == LocalSweep::Block)
    };
    compare_manifolds(&pack, step, (&before, &after), compared);
    compare_units(&pack, step, (&before, &after), compared);
    compare_bodies(&pack, (&before, &after), compared);
}

fn compare_manifolds(
    pack: &Pack<ErrorBounded>,
    step: IterationStep<ErrorBounded>,
    (before, after): (&Snapshot, &Snapshot),
    compared: &mut Compared,
) {
    let velocity = exact(&before.velocity);
    let halves = [exact(&before.points), exact(&before.earlier_points)];
    for (index, head) in pack.manifolds.heads.iter().enumerate() {
        let run = || manifolds::manifold(pack, &velocity, &halves[0], &halves[1], step, index);
        let Some(update) = compared.piece(run) else {
            continue;
        };
        let first = head[0] as usize;
        for point in 0..count_of(head[1]) as usize {
            let [n, t, s, _] = update.impulses[point];
            compared.triple("impulse", after.points[first + point], [n, t, s]);
        }
        for side in 0..2 {
            let slot = 2 * index + side;
            if pack
                .slots
                .slots
                .contains(&u32::try_from(slot).expect("small"))
            {
                let [force, torque] = update.wrench[side];
                compared.triple("force", after.wrench[2 * slot], force);
                compared.triple("torque", after.wrench[2 * slot + 1], torque);
            }
        }
    }
}

fn compare_units(
    pack: &Pack<ErrorBounded>,
    step: IterationStep<ErrorBounded>,
    (before, after): (&Snapshot, &Snapshot),
    compared: &mut Compared,
) {
    let velocity = exact(&before.velocity);
    let quads = pack.units.impulse_quads();
    for index in 0..pack.units.len() {
        let (old, earlier) = (exact(&before.rows), exact(&before.earlier_rows));
        let work = vec![[ErrorBounded::ZERO; 4]; quads];
        let mut impulses = [old, earlier, work].concat();
        let mut wrench = vec![[ErrorBounded::ZERO; 4]; after.wrench.len()];
        let run = || {
            let halves = [0, quads, 2 * quads];
            let wrench = Some(wrench.as_mut_slice());
            rows::unit(pack, &velocity, &mut impulses, halves, step, index, wrench);
        };
        if compared.piece(run).is_none() {
            continue;
        }
        let [first, blocks, slot, sides] = pack.units.heads[index].map(|x| x as usize);
        for head in &pack.units.heads[pack.units.len() + first..][..blocks] {
            for row in head[0] as usize..(head[0] + head[1]) as usize {
                let (quad, lane) = (row / 4, row % 4);
                compared.component(
                    "row",
                    after.rows[quad][lane],
                    impulses[2 * quads + quad][lane],
                );
            }
        }
        for slot in slot..slot + sides {
            if pack
                .slots
                .slots
                .contains(&u32::try_from(slot).expect("small"))
            {
                for part in 2 * slot..2 * slot + 2 {
                    let [x, y, z, _] = wrench[part];
                    compared.triple("wrench of a unit", after.wrench[part], [x, y, z]);
                }
            }
        }
    }
}

/// From the device's own wrenches: the gather alone.
fn compare_bodies(
    pack: &Pack<ErrorBounded>,
    (before, after): (&Snapshot, &Snapshot),
    compared: &mut Compared,
) {
    let wrench = exact(&after.wrench);
    let old = exact(&before.settled);
    let beta = ErrorBounded::of(before.next_beta.into());
    for body in 0..pack.bodies.len() {
        let settled = bodies::settled(pack, &wrench, body);
        for part in 0..BODY_FREE {
            let at = BODY_FREE * body + part;
            compared.triple("velocity", after.settled[at], settled[part]);
            let ahead = [0, 1, 2].map(|axis| {
                let new = settled[part][axis];
                new + beta * (new - old[at][axis])
            });
            compared.triple("velocity ahead", after.velocity[at], ahead);
        }
    }
}

#[test]
fn an_iteration_is_within_the_bound_of_its_twin() {
    if device_or_skip("an_iteration_is_within_the_bound").is_none() {
        return;
    }
    let mut scenes = scenes();
    scenes.push(("grid".into(), grid()));
    scenes.push(("stars".into(), stars(&[100, 70, 5])));
    for (name, problem) in scenes {
        for parameters in settings() {
            // what lies in a workgroup's memory has no snapshot
            let dispatched = GpuJacobiParameters {
                variant: Variant::Dispatches,
                ..parameters.clone()
            };
            let mut solver = prepared(dispatched, &problem);
            // some push everywhere: at rest, forces and gaps of exactly zero are ties
            let pushes: Vec<f64> = (0..problem.rows())
                .map(|row| 0.1 + ((row * 37) % 101) as f64 / 101.0)
                .collect();
            solver
                .prepare(&problem, Start::Warm(&pushes))
                .expect("a warm start");
            let mut compared = Compared::default();
            // the first step, some with momentum, and at last the Chebyshev weights, which come
            // late
            let chebyshev = parameters.jacobi.acceleration == Acceleration::Chebyshev;
            let sweeps: &[u32] = if chebyshev { &[0, 1, 3, 8] } else { &[0, 1, 3] };
            for sweeps in sweeps.iter().copied() {
                solver.iterate(&problem, sweeps).expect("iterations");
                compare(&mut solver, &problem, &mut compared);
            }
            println!("{name}, {:?}: {compared:?}", parameters.jacobi.acceleration);
            assert!(compared.components > 0);
            assert!(
                3 * compared.left_out <= compared.pieces,
                "{name}: {compared:?}"
            );
        }
    }
}
