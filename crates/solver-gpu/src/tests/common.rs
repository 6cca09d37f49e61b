//! Problems and runs of these tests.

use delassus_core::{Friction, ImpulseSolver, Law, Problem, ProblemBuilder, Solver, Start};
use delassus_problems::generators::{
    BoxProblem, Boxes, ContactLaw, Generator, Grid, JointGraph, Planted, Pyramid, Stack,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::parameters::{JacobiParameters, StepParameters};
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};

use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};

/// The problem of a generator.
pub(crate) fn problem(generator: &impl Generator) -> Problem {
    generator.generate().expect("valid parameters").problem
}

/// Boxes with every law of contacts, and random bodies with joints, gears, limits and contacts of
/// all laws.
pub(crate) fn scenes() -> Vec<(String, Problem)> {
    let laws = [
        ContactLaw::Frictionless,
        ContactLaw::FixedBox,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::ConvexCone,
        ContactLaw::Patch,
    ];
    let mut scenes = Vec::new();
    for law in laws {
        let pyramid = BoxProblem::from(Pyramid {
            base: 3,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
        });
        scenes.push((format!("pyramid, {law:?}"), problem(&pyramid)));
    }
    scenes.push(("everything".into(), problem(&everything(7))));
    let planar = Planted {
        contact_dim: 2,
        ..everything(8)
    };
    scenes.push(("everything, planar".into(), problem(&planar)));
    let soft = Planted {
        compliance: 0.02,
        mass_ratio: 50.0,
        ..everything(9)
    };
    scenes.push(("everything, soft".into(), problem(&soft)));
    scenes
}

/// Bodies with all joints and laws.
pub(crate) fn everything(seed: u64) -> Planted {
    Planted {
        bodies: 40,
        gears: 3,
        bounds: 5,
        frictionless: 10,
        fixed_box: 10,
        pyramid: 10,
        disc: 10,
        coulomb: 20,
        convex_cone: 10,
        patch: 6,
        seed,
        ..Planted::default()
    }
}

/// A problem on which the plain diagonal diverges, and parameters that choose it: a net of welds,
/// whose rows nothing bounds (J.9).
pub(crate) fn divergent() -> (Problem, GpuJacobiParameters) {
    let net = problem(&JointGraph {
        dof: 6,
        ..JointGraph::default()
    });
    let parameters = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: StepParameters {
                rule: FactorRule::Diagonal,
                sweep: LocalSweep::Points,
                ..StepParameters::default()
            },
            acceleration: Acceleration::None,
            guard: false,
        },
        ..GpuJacobiParameters::default()
    };
    (net, parameters)
}

/// A pile of 64 boxes with contacts on all sides.
pub(crate) fn grid() -> Problem {
    problem(&BoxProblem::from(Grid {
        boxes: Boxes {
            law: ContactLaw::Disc,
            ..Boxes::default()
        },
        ..Grid::default()
    }))
}

/// A stack of `n` boxes.
pub(crate) fn stack(n: usize, law: ContactLaw) -> Problem {
    problem(&BoxProblem::from(Stack {
        n,
        boxes: Boxes {
            law,
            ..Boxes::default()
        },
        ..Stack::default()
    }))
}

/// The default, the other accelerations, and steps of single rows.
pub(crate) fn settings() -> Vec<GpuJacobiParameters> {
    let default = GpuJacobiParameters::default();
    let plain = GpuJacobiParameters {
        jacobi: JacobiParameters {
            acceleration: Acceleration::None,
            ..default.jacobi
        },
        ..default.clone()
    };
    let chebyshev = GpuJacobiParameters {
        jacobi: JacobiParameters {
            acceleration: Acceleration::Chebyshev,
            ..default.jacobi
        },
        ..default.clone()
    };
    let points = GpuJacobiParameters {
        jacobi: JacobiParameters {
            step: StepParameters {
                sweep: LocalSweep::Points,
                splitting: Splitting::Rows,
                ..default.jacobi.step
            },
            ..default.jacobi
        },
        ..default.clone()
    };
    vec![default, plain, chebyshev, points]
}

/// A prepared solver.
pub(crate) fn prepared(parameters: GpuJacobiParameters, problem: &Problem) -> GpuJacobi {
    let mut solver = GpuJacobi::new(parameters).expect("valid parameters");
    let prepared = solver.prepare(problem, Start::Cold);
    prepared.expect("a problem that the solver takes");
    solver
}

/// Impulses, velocities and history of a solver, as bits.
pub(crate) fn bits(solver: &mut GpuJacobi, problem: &Problem) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    let mut velocities = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
    solver
        .read_velocities(problem, &mut velocities)
        .expect("velocities");
    let history = solver
        .prepared()
        .expect("prepared")
        .read_history()
        .expect("a history");
    let numbers = history.iter().flat_map(|e| [e.residual, e.uphill, e.beta]);
    let of = |x: f64| x.to_bits();
    (
        impulses.into_iter().map(of).collect(),
        velocities.into_iter().map(of).collect(),
        numbers.map(of).collect(),
    )
}

/// Bodies that have as many neighbours as `counts` says, contacts and ball joints by turns;
/// neighbours have one only.
pub(crate) fn stars(counts: &[usize]) -> Problem {
    let boxes = grid();
    let masses = boxes.bodies().expect("bodies").mass.iter();
    let mass = masses
        .copied()
        .find(|mass| !mass.is_immovable())
        .expect("a box");
    let mut builder = ProblemBuilder::new();
    for (star, count) in counts.iter().enumerate() {
        let centre = builder.body(mass, [0.1, -0.2, 0.3, 0.2, 0.1, -0.3]);
        for leaf in 0..*count {
            // no two directions alike, and no symmetry in which wrenches cancel
            let [x, y, z] = [(7, 101), (13, 97), (29, 89)]
                .map(|(factor, cycle)| ((leaf * factor + star) % cycle) as f64 / 50.0 - 0.9);
            let length = (x * x + y * y + z * z).sqrt();
            let n = [x / length, y / length, z / length];
            let inwards = n.map(|n| -0.7 * n);
            let spin = [0.3 * n[1], -0.2 * n[2], 0.4 * n[0]];
            let velocity = [
                inwards[0], inwards[1], inwards[2], spin[0], spin[1], spin[2],
            ];
            let body = builder.body(mass, velocity);
            let law = match leaf % 3 {
                0 => Law::Equality,
                _ => Law::Contact(Friction::Disc { mu: 0.4 }),
            };
            builder.block(law, &[centre, body], &rows(n));
        }
    }
    builder.build().expect("a valid problem")
}

/// Rows of a point half a metre from both centres along `n`, and across it.
fn rows(n: [f64; 3]) -> [[[f64; 6]; 2]; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| {
        let part = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
        [part(1, 2), part(2, 0), part(0, 1)]
    };
    let axis = if n[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let across = cross(n, axis);
    let length = (across[0] * across[0] + across[1] * across[1] + across[2] * across[2]).sqrt();
    let t = across.map(|x| x / length);
    let (first, second) = (n.map(|n| 0.5 * n), n.map(|n| -0.5 * n));
    [n, t, cross(n, t)].map(|d| {
        let (a, b) = (cross(first, d), cross(second, d));
        [
            [-d[0], -d[1], -d[2], -a[0], -a[1], -a[2]],
            [d[0], d[1], d[2], b[0], b[1], b[2]],
        ]
    })
}
