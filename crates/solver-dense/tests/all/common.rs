//! Problems and measures shared by the tests of this crate.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Friction, Law, MassProperties, MatrixRows, Operator,
    Problem, ProblemBuilder, ProblemParts, SolveError, Solver, Start,
};
use proptest::prelude::{Just, ProptestConfig, Strategy, any};
use proptest::prop_oneof;
use proptest::test_runner::RngSeed;

/// SplitMix64: small, portable, and good enough to make test problems.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.bits() % n as u64).expect("a remainder of a usize")
    }
}

/// A problem whose solution is known.
pub(crate) struct Planted {
    pub(crate) problem: Problem,
    pub(crate) impulses: Vec<f64>,
}

/// What [`planted`] may put into a problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) seed: u64,
    pub(crate) bodies: usize,
    /// Blocks; each has one to three rows.
    pub(crate) blocks: usize,
    pub(crate) max_rows: usize,
    /// Exponent of the largest mass ratio.
    pub(crate) mass_decades: f64,
    /// Probability that a block repeats the Jacobian of an earlier one, scaled.
    pub(crate) repeat: f64,
    /// Probability that a row has compliance.
    pub(crate) soft: f64,
    /// Probability that a complementary pair is zero on both sides.
    pub(crate) degenerate: f64,
    /// Only equality blocks.
    pub(crate) equality_only: bool,
}

impl Recipe {
    /// Problems of at most so many bodies, blocks and rows, with mass ratios up to 10⁴, repeated
    /// and soft rows, and degenerate pairs.
    pub(crate) fn any(
        bodies: usize,
        blocks: usize,
        max_rows: usize,
    ) -> impl Strategy<Value = Self> {
        let numbers = (
            any::<u64>(),
            1..bodies + 1,
            0.0..4.0f64,
            prop_oneof![Just(0.0), Just(0.5)],
            prop_oneof![Just(0.0), Just(0.3)],
            prop_oneof![Just(0.0), Just(0.5)],
        );
        numbers.prop_map(
            move |(seed, bodies, mass_decades, repeat, soft, degenerate)| Self {
                seed,
                bodies,
                blocks,
                max_rows,
                mass_decades,
                repeat,
                soft,
                degenerate,
                equality_only: false,
            },
        )
    }
}

/// Random bodies, random rows on one or two of them, a random admissible impulse and a
/// complementary velocity; the bias makes them a solution. Laws: equality, bounds, frictionless and
/// fixed-box contacts.
pub(crate) fn planted(recipe: Recipe) -> Planted {
    let mut random = Random::new(recipe.seed);
    let mut builder = ProblemBuilder::new();
    for _ in 0..recipe.bodies {
        let mass =
            (random.range(0.0, recipe.mass_decades) * std::f64::consts::LN_10).exp_portable();
        let inertia = nalgebra::Vector3::repeat(mass * random.range(0.05, 0.3));
        let velocity = std::array::from_fn(|_| random.range(-1.0, 1.0));
        builder.body(MassProperties::aligned(mass, inertia), velocity);
    }
    let mut jacobians: Vec<Jacobian> = Vec::new();
    let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
    for _ in 0..recipe.blocks {
        let (law, dim) = random_law(&mut random, recipe);
        if impulses.len() + dim > recipe.max_rows {
            break;
        }
        let repeated = jacobians.iter().rfind(|(_, rows)| rows.len() >= dim);
        let (bodies, rows) = match repeated {
            Some((bodies, rows)) if random.unit() < recipe.repeat => {
                let factor = random.range(0.5, 2.0);
                let rows = rows[..dim].iter().map(|row| {
                    let scaled = row.iter().map(|entry| entry.map(|v| factor * v));
                    scaled.collect::<Vec<_>>()
                });
                (bodies.clone(), rows.collect::<Vec<_>>())
            }
            _ => random_rows(&mut random, recipe.bodies, dim),
        };
        let size = [1.0, 10.0][random.below(2)];
        builder.block(law.clone(), &bodies, &rows);
        let compliance: Vec<f64> = (0..dim)
            .map(|_| {
                if random.unit() < recipe.soft {
                    random.range(0.01, 1.0)
                } else {
                    0.0
                }
            })
            .collect();
        builder.compliance(&compliance);
        for local in 0..dim {
            let (x, w) = complementary(&mut random, &law, local, recipe.degenerate);
            impulses.push(size * x);
            velocities.push(w);
            // an impulse on a bound stays on it
            if let Some((lower, upper)) = row_bounds(&law, local) {
                let last = impulses.len() - 1;
                impulses[last] = if x == lower || x == upper {
                    x
                } else {
                    impulses[last].max(lower).min(upper)
                };
            }
        }
        jacobians.push((bodies, rows));
    }
    let mut problem = builder.build().expect("a valid problem");
    let mut current = vec![0.0; problem.rows()];
    problem.shifted_velocity(&impulses, &mut current);
    let bias: Vec<f64> = velocities
        .iter()
        .zip(&current)
        .map(|(w, c)| w - c)
        .collect();
    problem.set_bias(&bias).expect("finite");
    Planted { problem, impulses }
}

/// Bodies of a block and its rows, one entry per body.
type Jacobian = (Vec<usize>, Vec<Vec<[f64; 6]>>);

trait PortableExp {
    fn exp_portable(self) -> f64;
}

impl PortableExp for f64 {
    /// e^x by squaring and a Taylor polynomial: masses need no last bit, tests need equal problems
    /// everywhere.
    fn exp_portable(self) -> f64 {
        let x = self / 1024.0;
        let series = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
        (0..10).fold(series, |value, _| value * value)
    }
}

fn random_law(random: &mut Random, recipe: Recipe) -> (Law, usize) {
    let dim = 1 + random.below(3);
    if recipe.equality_only {
        return (Law::Equality, dim);
    }
    match random.below(6) {
        0 => (Law::Equality, dim),
        1 => (
            Law::Bounds {
                lower: random.range(-3.0, -0.5),
                upper: random.range(0.5, 3.0),
            },
            1,
        ),
        2 => (Law::UNILATERAL, 1),
        3 => (Law::Contact(Friction::Frictionless), dim),
        _ => (
            Law::Contact(Friction::FixedBox {
                limit: random.range(0.1, 1.0),
            }),
            dim.max(2),
        ),
    }
}

fn random_rows(random: &mut Random, bodies: usize, dim: usize) -> Jacobian {
    let first = random.below(bodies);
    let mut touched = vec![first];
    if bodies > 1 && random.unit() < 0.7 {
        touched.push((first + 1 + random.below(bodies - 1)) % bodies);
    }
    let rows = (0..dim)
        .map(|_| {
            let entries = touched
                .iter()
                .map(|_| std::array::from_fn(|_| random.range(-1.0, 1.0)));
            entries.collect()
        })
        .collect();
    (touched, rows)
}

fn row_bounds(law: &Law, local: usize) -> Option<(f64, f64)> {
    match law {
        Law::Equality => Some((f64::NEG_INFINITY, f64::INFINITY)),
        Law::Bounds { lower, upper } => Some((*lower, *upper)),
        Law::Contact(_) if local == 0 => Some((0.0, f64::INFINITY)),
        Law::Contact(Friction::Frictionless) => Some((0.0, 0.0)),
        Law::Contact(Friction::FixedBox { limit }) => Some((-limit, *limit)),
        _ => None,
    }
}

/// An impulse and a velocity that satisfy (P.4) together.
fn complementary(random: &mut Random, law: &Law, local: usize, degenerate: f64) -> (f64, f64) {
    let (lower, upper) = row_bounds(law, local).expect("fixed bounds");
    if lower == upper {
        return (lower, random.range(-1.0, 1.0));
    }
    let inside = random.range(lower.max(-2.0), upper.min(2.0));
    let size = if random.unit() < degenerate {
        0.0
    } else {
        random.range(0.1, 1.0)
    };
    match random.below(3) {
        0 if lower.is_finite() => (lower, size),
        1 if upper.is_finite() => (upper, -size),
        _ => (inside, 0.0),
    }
}

/// A problem with one row per unilateral block and the given dense matrix, row-major.
pub(crate) fn lcp(matrix: &[f64], q: &[f64]) -> Problem {
    matrix_problem(matrix, q, vec![(Law::UNILATERAL, 1); q.len()])
}

/// A matrix problem; `blocks` are laws with dimensions.
pub(crate) fn matrix_problem(matrix: &[f64], q: &[f64], blocks: Vec<(Law, usize)>) -> Problem {
    let rows = q.len();
    let dims: Vec<usize> = blocks.iter().map(|b| b.1).collect();
    let starts: Vec<usize> = dims
        .iter()
        .scan(0, |next, dim| {
            let start = *next;
            *next += dim;
            Some(start)
        })
        .collect();
    let mut entries = Vec::new();
    for i in 0..dims.len() {
        for j in 0..dims.len() {
            let mut values = Vec::new();
            for row in starts[i]..starts[i] + dims[i] {
                values.extend_from_slice(&matrix[row * rows + starts[j]..][..dims[j]]);
            }
            entries.push((i, j, values));
        }
    }
    let blocks = blocks
        .into_iter()
        .zip(&starts)
        .enumerate()
        .map(|(index, ((law, dim), first_row))| Block {
            first_row: *first_row,
            dim,
            law,
            feature: index as u64,
        })
        .collect();
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&dims, entries).expect("a valid matrix"),
            free_velocity: q.to_vec(),
        }),
        blocks,
        bias: vec![0.0; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .expect("a valid problem")
}

/// Impulses after `sweeps` work units from zero.
pub(crate) fn solve<S: Solver>(problem: &Problem, sweeps: u32) -> Result<Vec<f64>, SolveError> {
    let mut solver = S::new(S::Parameters::default()).expect("valid defaults");
    solver.prepare(problem, Start::Cold)?;
    solver.iterate(problem, sweeps)?;
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}

/// Scale of scaled velocities [√J]: the largest |b_i| / √(A_ii + R_ii), and what the impulses of
/// `x` add.
pub(crate) fn scale(problem: &Problem, x: &[f64]) -> f64 {
    let mut scale: f64 = 0.0;
    for row in 0..problem.rows() {
        let d = (problem.diagonal()[row] + problem.compliance()[row]).sqrt();
        scale = scale.max(problem.b()[row].abs() / d).max(x[row].abs() * d);
    }
    scale.max(f64::MIN_POSITIVE)
}

/// Largest difference of the shifted velocities w of two impulses in energy units, relative to
/// [`scale`].
///
/// The scale counts the impulses: where a nearly singular set of rows makes them 1e4 times larger
/// than the velocities need, their rounding shows in the velocities.
pub(crate) fn velocity_difference(problem: &Problem, x: &[f64], y: &[f64]) -> f64 {
    let rows = problem.rows();
    let (mut w, mut other) = (vec![0.0; rows], vec![0.0; rows]);
    problem.shifted_velocity(x, &mut w);
    problem.shifted_velocity(y, &mut other);
    let mut worst: f64 = 0.0;
    for row in 0..rows {
        let d = (problem.diagonal()[row] + problem.compliance()[row]).sqrt();
        worst = worst.max((w[row] - other[row]).abs() / d);
    }
    worst / scale(problem, x).max(scale(problem, y))
}

/// Largest difference of the body velocities of two impulses, √m-weighted, relative to [`scale`].
pub(crate) fn body_difference(problem: &Problem, x: &[f64], y: &[f64]) -> f64 {
    let bodies = problem.bodies().expect("bodies");
    let (mut v, mut other) = (vec![0.0; 6 * bodies.len()], vec![0.0; 6 * bodies.len()]);
    problem.body_velocities(x, &mut v).expect("bodies");
    problem.body_velocities(y, &mut other).expect("bodies");
    let mut worst: f64 = 0.0;
    for (body, mass) in bodies.mass.iter().enumerate() {
        for axis in 0..3 {
            let linear = (v[6 * body + axis] - other[6 * body + axis]).abs();
            let angular = (v[6 * body + 3 + axis] - other[6 * body + 3 + axis]).abs();
            if mass.inverse_mass[axis] > 0.0 {
                worst = worst.max(linear / mass.inverse_mass[axis].sqrt());
            }
            let inertia = mass.inverse_inertia[(axis, axis)];
            if inertia > 0.0 {
                worst = worst.max(angular / inertia.sqrt());
            }
        }
    }
    worst / scale(problem, x).max(scale(problem, y))
}

/// Worst violation of (P.4) by rows with fixed bounds: |λ − Π(λ − w/A_ii)| √A_ii relative to
/// [`scale`].
pub(crate) fn box_residual(problem: &Problem, x: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(x, &mut w);
    let mut worst: f64 = 0.0;
    for block in problem.blocks() {
        for (local, row) in block.rows().enumerate() {
            let diagonal = problem.diagonal()[row] + problem.compliance()[row];
            let a = if diagonal > 0.0 { diagonal } else { 1.0 };
            let (lower, upper) = row_bounds(&block.law, local).expect("fixed bounds");
            let target = (x[row] - w[row] / a).max(lower).min(upper);
            worst = worst.max((x[row] - target).abs() * a.sqrt());
        }
    }
    worst / scale(problem, x)
}

/// The same cases every time: one random problem in some 1e5 is so nearly singular that rounding
/// exceeds 1e-10.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20),
        ..ProptestConfig::default()
    }
}
