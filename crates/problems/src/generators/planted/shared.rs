//! Compliance that the rows of a block share (P.13).

use delassus_systems::SeededRng;

/// R of a block, row-major.
pub(super) fn compliance<R>(
    random: &mut SeededRng,
    diagonal: f64,
    shared: f64,
    rows: &[R],
) -> Vec<f64> {
    let weights: Vec<f64> = rows
        .iter()
        .map(|_| random.sign() * random.uniform(0.5, 1.0))
        .collect();
    let mut matrix = Vec::with_capacity(rows.len() * rows.len());
    for (i, a) in weights.iter().enumerate() {
        for (j, b) in weights.iter().enumerate() {
            let own = if i == j { diagonal } else { 0.0 };
            matrix.push(own + shared * a * b);
        }
    }
    matrix
}
