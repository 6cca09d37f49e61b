//! Small problems for the tests: dense matrices, and random bodies with every law.

use delassus_core::{
    BlockSparse, CoupledCompliance, Friction, Law, MassProperties, MatrixRows, Operator, Patch,
    Problem, ProblemBuilder, ProblemParts, RollingContact,
};
use nalgebra::{Matrix3, Vector3};

/// One block with the matrix `a` (row-major) and compliance zero.
pub(crate) fn one_block(law: Law, a: &[f64], b: &[f64]) -> Problem {
    matrix(&[(law, b.len())], a, b, &vec![0.0; b.len()])
}

/// A problem given by its dense matrix, row-major.
pub(crate) fn matrix(blocks: &[(Law, usize)], a: &[f64], b: &[f64], compliance: &[f64]) -> Problem {
    let rows = b.len();
    let mut starts = vec![0];
    for (_, dim) in blocks {
        starts.push(starts[starts.len() - 1] + dim);
    }
    let mut stored = Vec::new();
    for i in 0..blocks.len() {
        for j in 0..blocks.len() {
            let mut values = Vec::new();
            for row in starts[i]..starts[i + 1] {
                values.extend_from_slice(&a[row * rows + starts[j]..row * rows + starts[j + 1]]);
            }
            stored.push((i, j, values));
        }
    }
    let dims: Vec<usize> = blocks.iter().map(|(_, dim)| *dim).collect();
    let delassus = BlockSparse::from_blocks(&dims, stored).unwrap();
    let parts = blocks.iter().enumerate();
    let blocks = parts.map(|(index, (law, dim))| delassus_core::Block {
        first_row: starts[index],
        dim: *dim,
        law: law.clone(),
        feature: index as u64,
    });
    Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity: b.to_vec(),
        }),
        blocks: blocks.collect(),
        bias: vec![0.0; rows],
        compliance: compliance.to_vec(),
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    })
    .unwrap()
}

/// s times the identity, row-major.
pub(crate) fn identity(dim: usize, s: f64) -> Vec<f64> {
    let mut out = vec![0.0; dim * dim];
    for i in 0..dim {
        out[i * dim + i] = s;
    }
    out
}

/// A of a problem, row-major.
pub(crate) fn dense(problem: &Problem) -> Vec<f64> {
    let rows = problem.rows();
    let mut out = vec![0.0; rows * rows];
    let (mut unit, mut column) = (vec![0.0; rows], vec![0.0; rows]);
    for j in 0..rows {
        unit[j] = 1.0;
        problem.apply_delassus(&unit, &mut column);
        unit[j] = 0.0;
        for i in 0..rows {
            out[i * rows + j] = column[i];
        }
    }
    out
}

/// Numbers in [−1, 1) from a seed (Knuth's MMIX generator, high bits).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = u32::try_from(self.0 >> 32).unwrap();
        f64::from(high) / f64::from(1u32 << 31) - 1.0
    }

    pub(crate) fn vector(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.next()).collect()
    }
}

/// Units of a problem, as multiples of SI: what the same problem looks like to someone else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    pub(crate) mass: f64,
    pub(crate) length: f64,
}

pub(crate) const SI: Units = Units {
    mass: 1.0,
    length: 1.0,
};

/// Every law of the problem type, with numbers in the given units; the dimension of its block in
/// 3D.
pub(crate) fn laws(units: Units) -> Vec<(Law, usize)> {
    let impulse = units.mass * units.length;
    let contact = |friction| (Law::Contact(friction), 3);
    vec![
        (Law::Equality, 5),
        (Law::UNILATERAL, 1),
        (
            Law::Bounds {
                lower: -0.2 * impulse,
                upper: 0.3 * impulse,
            },
            1,
        ),
        contact(Friction::Frictionless),
        contact(Friction::FixedBox {
            limit: 0.1 * impulse,
        }),
        contact(Friction::Pyramid { mu: 0.4 }),
        contact(Friction::Disc { mu: 0.5 }),
        contact(Friction::Coulomb { mu: 0.6 }),
        contact(Friction::ConvexCone { mu: 0.7 }),
        (
            Law::Patch(Box::new(Patch {
                mu: 0.5,
                levers: vec![0.3 * units.length, 0.4 * units.length],
            })),
            5,
        ),
        contact(Friction::Facets { mu: 0.8, facets: 6 }),
        (
            Law::Rolling(Box::new(RollingContact {
                mu: 0.3,
                rolling: 0.2 * units.length,
                spinning: Some(0.1 * units.length),
            })),
            6,
        ),
    ]
}

/// Random blocks with the given laws between random bodies, in these units.
///
/// Rows 3.. of an equality and the twist of a patch are angular. Compliance is `softness` on every
/// row (linear rows \[1/kg\], angular rows \[1/(kg·m²)\]). Blocks are added in the order `order`.
pub(crate) fn bodies(
    seed: u64,
    laws: &[(Law, usize)],
    units: Units,
    softness: f64,
    order: &[usize],
) -> Problem {
    let mut numbers = Numbers(seed);
    let mut builder = ProblemBuilder::new();
    let (mass, length) = (units.mass, units.length);
    let inertia = mass * length * length;
    let mut bodies = Vec::new();
    for _ in 0..4 {
        let m = 1.5 + numbers.next();
        let j = Vector3::from_fn(|_, _| 0.3 + 0.2 * numbers.next());
        let velocity = numbers.vector(6);
        bodies.push(builder.body(
            MassProperties {
                inverse_mass: Vector3::repeat(1.0 / (m * mass)),
                inverse_inertia: Matrix3::from_diagonal(&j.map(|i| 1.0 / (i * inertia))),
            },
            std::array::from_fn(|i| velocity[i] * if i < 3 { length } else { 1.0 }),
        ));
    }
    // numbers are drawn in the order of `laws`, so that a permutation gives the same blocks
    let mut drawn = Vec::new();
    for (index, (law, dim)) in laws.iter().enumerate() {
        let mut rows = Vec::new();
        for row in 0..*dim {
            let angular = angular(law, row);
            rows.push(
                [numbers.vector(6), numbers.vector(6)].map(|entry| -> [f64; 6] {
                    std::array::from_fn(|i| match (i < 3, angular) {
                        (true, true) => 0.0,
                        (true, false) => entry[i],
                        (false, true) => entry[i],
                        (false, false) => entry[i] * length,
                    })
                }),
            );
        }
        let bias: Vec<f64> = numbers.vector(*dim);
        let touched = [bodies[index % 4], bodies[(index + 1) % 4]];
        drawn.push((law.clone(), touched, rows, bias));
    }
    for index in order {
        let (law, touched, rows, bias) = &drawn[*index];
        builder.block(law.clone(), touched, rows);
        let scaled = |values: &dyn Fn(usize) -> f64, linear: f64, rotation: f64| -> Vec<f64> {
            let factor = |row| if angular(law, row) { rotation } else { linear };
            (0..rows.len())
                .map(|row| values(row) * factor(row))
                .collect()
        };
        builder.bias(&scaled(&|row| bias[row], length, 1.0));
        builder.compliance(&scaled(&|_| softness, 1.0 / mass, 1.0 / inertia));
    }
    builder.step(0.01, 9.81 * length);
    builder.build().unwrap()
}

/// Random impulses for `bodies` with the same arguments.
pub(crate) fn impulses(
    seed: u64,
    laws: &[(Law, usize)],
    units: Units,
    order: &[usize],
) -> Vec<f64> {
    let mut numbers = Numbers(seed ^ 0x5bd1_e995);
    let drawn: Vec<Vec<f64>> = laws.iter().map(|(_, dim)| numbers.vector(*dim)).collect();
    let mut out = Vec::new();
    for index in order {
        for (row, value) in drawn[*index].iter().enumerate() {
            let linear = units.mass * units.length;
            let scale = if angular(&laws[*index].0, row) {
                linear * units.length
            } else {
                linear
            };
            out.push(value * scale);
        }
    }
    out
}

/// True if a row measures an angle.
fn angular(law: &Law, row: usize) -> bool {
    match law {
        Law::Equality => row >= 3,
        Law::Patch(patch) => row == patch.levers.len() + 2,
        Law::Rolling(_) => row >= 3,
        _ => false,
    }
}
