//! Problems of the cases, with planted solutions: λ and w are chosen, and the bias follows.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Friction, Law, MassProperties, MatrixRows, Operator,
    Problem, ProblemBuilder, ProblemError, ProblemParts,
};
use nalgebra::Vector3;

/// Friction coefficient of all contacts \[-\].
pub(super) const MU: f64 = 0.4;

/// How a contact ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Sticks,
    Slides,
    Opens,
}

/// A problem with its only solution.
#[derive(Debug)]
pub(super) struct Planted {
    pub(super) problem: Problem,
    /// Impulses \[N·s\].
    pub(super) impulses: Vec<f64>,
}

/// λ and w of a contact that ends so under a law; `turn` is the direction of its tangents \[rad\].
pub(super) fn pair(law: Friction, ending: Ending, turn: f64) -> ([f64; 3], [f64; 3]) {
    let (sine, cosine) = libm::sincos(turn);
    match ending {
        Ending::Sticks => ([2.1, 0.5 * cosine, 0.5 * sine], [0.0; 3]),
        Ending::Opens => ([0.0; 3], [0.7, 0.3 * cosine, 0.3 * sine]),
        Ending::Slides => {
            let (normal, speed) = (1.3, 0.9);
            let separates = match law {
                Friction::ConvexCone { mu } => mu * speed,
                _ => 0.0,
            };
            let along = [cosine, sine].map(|x| -MU * normal * x);
            let velocities = [separates, speed * cosine, speed * sine];
            ([normal, along[0], along[1]], velocities)
        }
    }
}

/// A row of contacts: body k touches body k − 1, the first the ground, at skew arms.
pub(super) fn contacts(
    law: Friction,
    endings: &[Ending],
    compliance: [f64; 3],
) -> Result<Planted, ProblemError> {
    let mut builder = ProblemBuilder::new();
    let (mut impulses, mut velocities) = (Vec::new(), Vec::new());
    let mut last = None;
    let mut step = 0.0;
    for ending in endings {
        let inertia = Vector3::new(0.3, 0.2 + 0.1 * step, 0.25);
        let mass = MassProperties::aligned(1.7 - 0.4 * step, inertia);
        let body = builder.body(mass, [0.2, -0.3 * step, 0.1, 0.0, 0.05, 0.0]);
        let own = rows([0.12, -0.2 - 0.03 * step, 0.07]);
        match last {
            None => builder.block(Law::Contact(law), &[body], &own.map(|row| [row])),
            Some(below) => {
                let other = rows([-0.1, 0.21, 0.04]).map(|row| row.map(|x| -x));
                let both = [0, 1, 2].map(|i| [own[i], other[i]]);
                builder.block(Law::Contact(law), &[body, below], &both)
            }
        };
        builder.compliance(&compliance);
        let (lambda, w) = pair(law, *ending, 0.6 + 1.9 * step);
        impulses.extend(lambda);
        velocities.extend(w);
        last = Some(body);
        step += 1.0;
    }
    plant(builder.build()?, impulses, &velocities)
}

/// Normal and tangents at an arm from the centre \[m\].
fn rows([x, y, z]: [f64; 3]) -> [[f64; 6]; 3] {
    [
        [0.0, 1.0, 0.0, -z, 0.0, x],
        [1.0, 0.0, 0.0, 0.0, z, -y],
        [0.0, 0.0, 1.0, y, -x, 0.0],
    ]
}

/// Three rows of one law, a block each, on one body.
pub(super) fn lines(
    law: &Law,
    impulses: [f64; 3],
    velocities: [f64; 3],
) -> Result<Planted, ProblemError> {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(0.8, Vector3::new(0.2, 0.3, 0.1));
    let body = builder.body(mass, [0.1, 0.2, -0.4, 0.3, 0.0, 0.0]);
    for row in rows([0.2, -0.3, 0.1]) {
        builder.block(law.clone(), &[body], &[[row]]);
    }
    plant(builder.build()?, impulses.to_vec(), &velocities)
}

/// One contact with an unsymmetric matrix.
pub(super) fn unsymmetric(law: Friction) -> Result<Planted, ProblemError> {
    let matrix = vec![2.0, 0.5, -0.1, -0.3, 1.5, 0.4, 0.2, -0.6, 1.8];
    let problem = Problem::new(ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: BlockSparse::from_blocks(&[3], vec![(0, 0, matrix)])?,
            free_velocity: vec![0.0; 3],
        }),
        blocks: vec![Block {
            first_row: 0,
            dim: 3,
            law: Law::Contact(law),
            feature: 0,
        }],
        bias: vec![0.0; 3],
        compliance: vec![0.0; 3],
        coupled_compliance: CoupledCompliance::default(),
        activity: Vec::new(),
        step: None,
    })?;
    let (impulses, velocities) = pair(law, Ending::Sticks, 0.6);
    plant(problem, impulses.to_vec(), &velocities)
}

/// Sets the bias so that `impulses` leave the shifted velocity w.
fn plant(
    mut problem: Problem,
    impulses: Vec<f64>,
    velocities: &[f64],
) -> Result<Planted, ProblemError> {
    let mut found = vec![0.0; problem.rows()];
    problem.shifted_velocity(&impulses, &mut found);
    let bias = problem.bias().iter().zip(&found).zip(velocities);
    let bias: Vec<f64> = bias.map(|((b, found), w)| b + w - found).collect();
    problem.set_bias(&bias)?;
    Ok(Planted { problem, impulses })
}

#[cfg(test)]
mod tests {
    use delassus_metrics::Evaluator;

    use super::*;

    #[test]
    fn what_is_planted_is_a_solution() {
        let laws = [
            Friction::Coulomb { mu: MU },
            Friction::Disc { mu: MU },
            Friction::ConvexCone { mu: MU },
        ];
        let endings = [Ending::Sticks, Ending::Slides, Ending::Opens];
        let mut all = Vec::new();
        for law in laws {
            all.extend(endings.map(|one| contacts(law, &[one], [0.3, 0.5, 0.5])));
            all.push(contacts(law, &endings, [0.0; 3]));
            all.push(unsymmetric(law));
        }
        for planted in all {
            let planted = planted.unwrap();
            let mut evaluator = Evaluator::new(&planted.problem).unwrap();
            let residual = evaluator.natural_map(&planted.impulses).unwrap();
            assert!(residual < 1e-14, "{residual:e}");
        }
    }
}
