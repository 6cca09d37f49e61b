//! The blocks of A, once each.

use std::collections::BTreeMap;

use delassus_core::{BodyRows, Operator, Problem};

/// Block (c, d) of A for c ≤ d, row-major, where both touch a movable body or the matrix stores one.
pub(super) type Couplings = BTreeMap<(u32, u32), Vec<f64>>;

/// The upper blocks of A; those of the lower triangle of a matrix are taken to be their transposes.
pub(super) fn couplings(problem: &Problem) -> Couplings {
    match problem.operator() {
        Operator::Bodies(bodies) => of_bodies(problem, bodies),
        Operator::Matrix(matrix) => {
            let mut found = Couplings::new();
            for (c, _) in (0u32..).zip(problem.blocks()) {
                for (d, values) in matrix.delassus.row(c as usize) {
                    // fewer than 2²⁹ blocks: nothing is cut off
                    let d = u32::try_from(d).unwrap_or(u32::MAX);
                    if c <= d {
                        found.insert((c, d), values.to_vec());
                    }
                }
            }
            found
        }
    }
}

fn of_bodies(problem: &Problem, bodies: &BodyRows) -> Couplings {
    let dim = |block: u32| problem.blocks()[block as usize].dim;
    // the blocks that touch a body, with its place among their bodies
    let mut touching: Vec<Vec<(u32, usize)>> = vec![Vec::new(); bodies.len()];
    for (block, _) in (0u32..).zip(problem.blocks()) {
        for (place, body) in bodies.bodies_of(block as usize).iter().enumerate() {
            touching[*body as usize].push((block, place));
        }
    }
    let mut found = Couplings::new();
    for (mass, touching) in bodies.mass.iter().zip(&touching) {
        if mass.is_immovable() {
            continue;
        }
        for (first, (c, place_c)) in touching.iter().enumerate() {
            for (d, place_d) in &touching[first..] {
                let entry = found.entry((*c, *d));
                let values = entry.or_insert_with(|| vec![0.0; dim(*c) * dim(*d)]);
                for j in 0..dim(*d) {
                    let moved = mass.times(&bodies.row(*d as usize, j)[*place_d]);
                    for i in 0..dim(*c) {
                        let row = &bodies.row(*c as usize, i)[*place_c];
                        let product: f64 = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
                        values[i * dim(*d) + j] += product;
                    }
                }
            }
        }
    }
    found
}
