//! One sweep of every law, row by row, against the same sweep on the dense matrix.

use delassus_core::{
    Activity, Block, BlockSparse, Changes, CoupledCompliance, Friction, ImpulseSolver, Law,
    MassProperties, MatrixRows, Operator, Patch, Polygon, Problem, ProblemBuilder, ProblemParts,
    RollingContact, SolveError, SolverUpdate, Start, projection,
};
use delassus_solver_si::Order;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::support::{pgs, psor};

/// Numbers in [−1, 1) from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(1u32 << 31) - 1.0
    }

    fn six(&mut self) -> [f64; 6] {
        std::array::from_fn(|_| self.next())
    }
}

fn laws() -> Vec<(Law, usize)> {
    let mu = 0.4;
    let contact = Law::Contact;
    let patch = Patch {
        mu: 0.3,
        levers: vec![0.5, 2.0, 1.25],
    };
    let (lower, upper) = (-0.1, 0.2);
    let mut laws = vec![
        (Law::Equality, 2),
        (Law::Bounds { lower, upper }, 1),
        (contact(Friction::Frictionless), 3),
        (contact(Friction::Frictionless), 1),
        (Law::Patch(Box::new(patch)), 6),
    ];
    for dim in [2, 3] {
        for friction in [
            Friction::FixedBox { limit: 0.15 },
            Friction::Pyramid { mu },
            Friction::Disc { mu },
            Friction::Coulomb { mu },
            Friction::ConvexCone { mu },
            Friction::Facets { mu, facets: 6 },
        ] {
            laws.push((contact(friction), dim));
        }
    }
    for spinning in [None, Some(0.25)] {
        let rolling = RollingContact {
            mu,
            rolling: 0.15,
            spinning,
        };
        laws.push((Law::Rolling(Box::new(rolling)), rolling.rows()));
    }
    laws
}

/// A block of every law between two of four bodies, soft on every second row.
pub(crate) fn rig(seed: u64) -> Problem {
    let mut numbers = Numbers(seed);
    let mut builder = ProblemBuilder::new();
    for _ in 0..4 {
        let inertia = Vector3::from_fn(|_, _| 1.5 + numbers.next());
        let mass = MassProperties {
            inverse_mass: Vector3::repeat(0.4 * (1.5 + numbers.next())),
            inverse_inertia: Matrix3::from_diagonal(&inertia),
        };
        builder.body(mass, numbers.six());
    }
    for (index, (law, dim)) in laws().into_iter().enumerate() {
        let rows: Vec<[[f64; 6]; 2]> = (0..dim).map(|_| [numbers.six(), numbers.six()]).collect();
        builder.block(law, &[index % 4, (index + 1) % 4], &rows);
        let softness: Vec<f64> = (0..dim)
            .map(|row| if row % 2 == 0 { 0.3 } else { 0.0 })
            .collect();
        builder.compliance(&softness);
        let bias: Vec<f64> = (0..dim).map(|_| numbers.next()).collect();
        builder.bias(&bias);
    }
    builder.build().unwrap()
}

/// A + R of a problem.
fn dense(problem: &Problem) -> DMatrix<f64> {
    let rows = problem.rows();
    let mut a = DMatrix::zeros(rows, rows);
    for j in 0..rows {
        let (mut unit, mut column) = (vec![0.0; rows], vec![0.0; rows]);
        unit[j] = 1.0;
        problem.apply_delassus(&unit, &mut column);
        a.set_column(j, &DVector::from_vec(column));
        a[(j, j)] += problem.compliance()[j];
    }
    a
}

/// The same problem by its matrix.
pub(crate) fn as_matrix(problem: &Problem) -> Problem {
    let mut a = dense(problem);
    for row in 0..problem.rows() {
        a[(row, row)] -= problem.compliance()[row];
    }
    let blocks = problem.blocks();
    let dims: Vec<usize> = blocks.iter().map(|b| b.dim).collect();
    let mut stored = Vec::new();
    for (i, row) in blocks.iter().enumerate() {
        for (j, column) in blocks.iter().enumerate() {
            let entries = row.rows().flat_map(|r| column.rows().map(move |c| (r, c)));
            stored.push((i, j, entries.map(|at| a[at]).collect()));
        }
    }
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&dims, stored).unwrap(),
            free_velocity: problem.b().to_vec(),
        }),
        blocks: blocks.to_vec(),
        bias: vec![0.0; problem.rows()],
        compliance: problem.compliance().to_vec(),
        coupled_compliance: CoupledCompliance::new(),
        activity: problem.activity().to_vec(),
        step: None,
    })
    .unwrap()
}

/// What sees one block's velocities: those of the impulses at hand, or those of the start of the
/// sweep.
struct Sweep<'a> {
    a: &'a DMatrix<f64>,
    b: &'a [f64],
    x: DVector<f64>,
    start: Option<DVector<f64>>,
    omega: f64,
}

impl Sweep<'_> {
    fn w(&self, row: usize) -> f64 {
        let x = self.start.as_ref().unwrap_or(&self.x);
        (self.a.row(row) * x)[0] + self.b[row]
    }

    fn row(&mut self, row: usize, lower: f64, upper: f64) {
        let moved = self.x[row] - self.omega * self.w(row) / self.a[(row, row)];
        self.x[row] = moved.max(lower).min(upper);
    }

    fn together(&mut self, first: usize, count: usize, project: impl Fn(&mut [f64])) {
        let own = self.a.view((first, first), (count, count)).into_owned();
        let step = self.omega / own.symmetric_eigenvalues().max();
        let rows = first..first + count;
        let mut moved: Vec<f64> = rows.clone().map(|i| self.x[i] - step * self.w(i)).collect();
        project(&mut moved);
        for (i, moved) in rows.zip(moved) {
            self.x[i] = moved;
        }
    }

    fn block(&mut self, block: &Block, active: usize) {
        let (first, infinite) = (block.first_row, f64::INFINITY);
        let rest = first + 1..first + active;
        match &block.law {
            Law::Equality => (0..active).for_each(|i| self.row(first + i, -infinite, infinite)),
            Law::Bounds { lower, upper } => {
                (0..active).for_each(|i| self.row(first + i, *lower, *upper));
            }
            Law::Contact(Friction::ConvexCone { mu }) if active > 1 => {
                self.together(first, active, |x| projection::cone(*mu, x));
            }
            Law::Contact(friction) => {
                self.row(first, 0.0, infinite);
                let load = friction.mu() * self.x[first];
                match friction {
                    Friction::Frictionless => rest.for_each(|i| self.x[i] = 0.0),
                    Friction::FixedBox { limit } => rest.for_each(|i| self.row(i, -limit, *limit)),
                    Friction::Facets { facets, .. } if active > 1 => {
                        let polygon = Polygon::new(*facets);
                        self.together(first + 1, active - 1, |x| {
                            projection::polygon(polygon, load, x);
                        });
                    }
                    Friction::Pyramid { .. } => rest.for_each(|i| self.row(i, -load, load)),
                    _ if active > 1 => {
                        self.together(first + 1, active - 1, |x| projection::disc(load, x));
                    }
                    _ => {}
                }
            }
            Law::Scaled(law) => panic!("{law:?} is not swept in its own rows"),
            Law::Rolling(rolling) => {
                self.row(first, 0.0, infinite);
                let load = self.x[first];
                if active > 1 {
                    self.together(first + 1, 2, |x| projection::disc(rolling.mu * load, x));
                    let radius = rolling.rolling * load;
                    self.together(first + 3, 2, |x| projection::disc(radius, x));
                }
                if let (6, Some(spinning)) = (active, rolling.spinning) {
                    self.row(first + 5, -spinning * load, spinning * load);
                }
            }
            Law::Patch(patch) => {
                let normals = patch.levers.len();
                (0..normals).for_each(|i| self.row(first + i, 0.0, infinite));
                if active > normals {
                    let own = |i: usize| self.x[first + i];
                    let load: f64 = (0..normals).map(own).sum();
                    let moment: f64 = (0..normals).map(|i| patch.levers[i] * own(i)).sum();
                    let tangents = first + normals;
                    self.together(tangents, 2, |x| projection::disc(patch.mu * load, x));
                    self.row(tangents + 2, -patch.mu * moment, patch.mu * moment);
                }
            }
        }
    }
}

/// λ after some sweeps, from the dense matrix.
fn expected(problem: &Problem, start: &[f64], order: Order, omega: f64, sweeps: u32) -> Vec<f64> {
    let a = dense(problem);
    let mut sweep = Sweep {
        a: &a,
        b: problem.b(),
        x: DVector::from_column_slice(start),
        start: None,
        omega,
    };
    for _ in 0..sweeps {
        sweep.start = (order == Order::Simultaneous).then(|| sweep.x.clone());
        let count = problem.blocks().len();
        for k in 0..count {
            let index = if order == Order::Reversed {
                count - 1 - k
            } else {
                k
            };
            let active = problem.active_dim(index);
            if active > 0 {
                sweep.block(&problem.blocks()[index], active);
            }
        }
    }
    sweep.x.as_slice().to_vec()
}

fn read(solver: &mut dyn ImpulseSolver, rows: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows];
    solver.read_impulses(&mut out).unwrap();
    out
}

#[track_caller]
fn assert_same(found: &[f64], expected: &[f64], what: &str) {
    for (row, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!(
            (x - y).abs() < 1e-12 * y.abs().max(1.0),
            "{what}, row {row}: {x} {y}"
        );
    }
}

const ORDERS: [Order; 3] = [Order::Natural, Order::Reversed, Order::Simultaneous];

fn solver(omega: f64, order: Order) -> Box<dyn ImpulseSolver> {
    if omega == 1.0 {
        Box::new(pgs(order))
    } else {
        Box::new(psor(omega, order))
    }
}

#[test]
fn every_law_takes_its_own_step() {
    for seed in 0..20 {
        let bodies = rig(seed);
        let matrix = as_matrix(&bodies);
        let mut numbers = Numbers(seed + 99);
        let start: Vec<f64> = (0..bodies.rows()).map(|_| 0.3 * numbers.next()).collect();
        for order in ORDERS {
            for omega in [1.0, 0.7] {
                for sweeps in [1, 2] {
                    let expected = expected(&bodies, &start, order, omega, sweeps);
                    for problem in [&bodies, &matrix] {
                        let mut solver = solver(omega, order);
                        solver.prepare(problem, Start::Warm(&start)).unwrap();
                        let progress = solver.iterate(problem, sweeps).unwrap();
                        assert_eq!(
                            progress.row_updates,
                            u64::from(sweeps) * problem.rows() as u64
                        );
                        let found = read(solver.as_mut(), problem.rows());
                        assert_same(&found, &expected, &format!("{seed} {order:?} {omega}"));
                    }
                }
            }
        }
    }
}

#[test]
fn held_rows_stay_and_a_refresh_takes_over_what_changed() {
    for seed in 0..10 {
        for as_matrix_too in [false, true] {
            let bodies = rig(seed);
            let mut problem = if as_matrix_too {
                as_matrix(&bodies)
            } else {
                bodies
            };
            let rows = problem.rows();
            let mut numbers = Numbers(seed + 7);
            let start: Vec<f64> = (0..rows).map(|_| 0.3 * numbers.next()).collect();
            for order in ORDERS {
                let mut solver = solver(0.7, order);
                solver.prepare(&problem, Start::Warm(&start)).unwrap();
                let mut x = start.clone();
                for round in 0..3 {
                    let activity: Vec<Activity> = (0..problem.blocks().len())
                        .map(|block| match (block + round) % 4 {
                            0 => Activity::Hold,
                            1 => Activity::NormalsOnly,
                            _ => Activity::Solve,
                        })
                        .collect();
                    problem.set_activity(&activity).unwrap();
                    let bias: Vec<f64> = (0..rows).map(|_| numbers.next()).collect();
                    problem.set_bias(&bias).unwrap();
                    let softness: Vec<f64> =
                        (0..rows).map(|_| 0.3 + 0.2 * numbers.next()).collect();
                    problem.set_compliance(&softness).unwrap();
                    solver
                        .update(&problem, SolverUpdate::Numbers(Changes::ALL))
                        .unwrap();
                    let progress = solver.iterate(&problem, 1).unwrap();
                    assert_eq!(progress.row_updates, problem.active_rows() as u64);
                    x = expected(&problem, &x, order, 0.7, 1);
                    let found = read(solver.as_mut(), rows);
                    assert_same(&found, &x, &format!("{seed} {order:?} {round}"));
                    let Some(bodies) = problem.bodies() else {
                        continue;
                    };
                    let (mut kept, mut summed) = (vec![0.0; 6 * bodies.len()], vec![0.0; 24]);
                    solver.read_velocities(&problem, &mut kept).unwrap();
                    problem.body_velocities(&x, &mut summed).unwrap();
                    assert_same(&kept, &summed, "velocities");
                }
            }
        }
    }
}

#[test]
fn other_problems_are_refused_by_what_differs() {
    let (bodies, matrix) = (rig(1), as_matrix(&rig(1)));
    let mut solver = pgs(Order::Natural);
    assert_eq!(solver.iterate(&bodies, 1), Err(SolveError::NotPrepared));
    assert_eq!(
        solver.update(&bodies, SolverUpdate::Numbers(Changes::ALL)),
        Err(SolveError::NotPrepared)
    );
    assert_eq!(solver.read_impulses(&mut []), Err(SolveError::NotPrepared));
    assert_eq!(
        solver.read_velocities(&bodies, &mut []),
        Err(SolveError::NotPrepared)
    );
    solver.prepare(&bodies, Start::Cold).unwrap();
    assert_eq!(solver.iterate(&matrix, 1), Err(SolveError::NoBodies));
    let short = solver.read_impulses(&mut [0.0; 3]);
    assert!(
        matches!(short, Err(SolveError::Length { found: 3, .. })),
        "{short:?}"
    );
    // the same rows on one body more
    let mut parts = rig(1).into_parts();
    if let Operator::Bodies(rows) = &mut parts.operator {
        rows.mass.push(rows.mass[0]);
        rows.free_velocity.extend([0.0; 6]);
    }
    let more = Problem::new(parts).unwrap();
    let (what, found, expected) = ("bodies", 5, 4);
    let refused = SolveError::Length {
        what,
        found,
        expected,
    };
    assert_eq!(solver.iterate(&more, 1), Err(refused));
    solver.prepare(&matrix, Start::Cold).unwrap();
    assert!(solver.iterate(&matrix, 1).is_ok());
    let none = solver.read_velocities(&matrix, &mut [0.0; 24]);
    assert_eq!(none, Err(SolveError::NoBodies));
    // one row less, in as many blocks
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(1.0, Vector3::repeat(1.0)), [0.0; 6]);
    for _ in 0..laws().len() {
        builder.block(Law::Equality, &[body], &[[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]);
    }
    let refused = solver.iterate(&builder.build().unwrap(), 1);
    assert!(
        matches!(
            refused,
            Err(SolveError::Length {
                what: "problem",
                ..
            })
        ),
        "{refused:?}"
    );
}
