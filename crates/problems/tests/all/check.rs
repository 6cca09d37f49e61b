//! An independent check of a solution: the natural map of every law, written from (P.3)–(P.8),
//! (P.10) and (P.11) by cases.

use delassus_core::{Friction, Law, Problem, projection};

/// Largest violation of λ = Π_K(λ − ρ ŵ) over all rows, each in units of its own row: [√J] relative
/// to the largest of √A λ, w/√A and b/√A.
pub(crate) fn violation(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(impulses, &mut w);
    let mut worst = 0.0_f64;
    let mut scale = f64::MIN_POSITIVE;
    for block in problem.blocks() {
        let rows = block.rows();
        let diagonal = &problem.diagonal()[rows.clone()];
        let compliance = &problem.compliance()[rows.clone()];
        let trace: f64 = diagonal.iter().chain(compliance).sum();
        let rho = if trace > 0.0 { 1.0 / trace } else { 1.0 };
        let lambda = &impulses[rows.clone()];
        let w = &w[rows.clone()];
        let defect = natural_map(&block.law, lambda, w, rho);
        let root = rho.sqrt();
        worst = worst.max(norm(&defect) / root);
        for (row, b) in rows.zip(&problem.b()[block.rows()]) {
            let local = row - block.first_row;
            scale = scale
                .max(lambda[local].abs() / root)
                .max(w[local].abs() * root)
                .max(b.abs() * root);
        }
    }
    worst / scale
}

fn natural_map(law: &Law, lambda: &[f64], w: &[f64], rho: f64) -> Vec<f64> {
    let mut shifted = w.to_vec();
    if let Law::Contact(Friction::Coulomb { mu }) = law {
        shifted[0] += mu * norm(&w[1..]);
    }
    let mut target: Vec<f64> = lambda
        .iter()
        .zip(&shifted)
        .map(|(l, w)| l - rho * w)
        .collect();
    match law {
        Law::Equality => {}
        Law::Bounds { lower, upper } => {
            target
                .iter_mut()
                .for_each(|x| *x = x.max(*lower).min(*upper));
        }
        Law::Contact(friction) => {
            let normal = lambda[0].max(0.0);
            match *friction {
                Friction::Coulomb { mu } | Friction::ConvexCone { mu } => {
                    projection::cone(mu, &mut target);
                }
                Friction::Frictionless => target[1..].fill(0.0),
                Friction::FixedBox { limit } => projection::square(limit, &mut target[1..]),
                Friction::Pyramid { mu } => projection::square(mu * normal, &mut target[1..]),
                Friction::Disc { mu } => projection::disc(mu * normal, &mut target[1..]),
                Friction::Facets { mu, facets } => hull(facets, mu * normal, &mut target[1..]),
            }
            target[0] = target[0].max(0.0);
        }
        Law::Scaled(law) => panic!("{law:?} is planted by its factors"),
        Law::Rolling(rolling) => {
            let normal = lambda[0].max(0.0);
            target[0] = target[0].max(0.0);
            projection::disc(rolling.mu * normal, &mut target[1..3]);
            projection::disc(rolling.rolling * normal, &mut target[3..5]);
            if let Some(spinning) = rolling.spinning {
                projection::square(spinning * normal, &mut target[5..]);
            }
        }
        Law::Patch(patch) => {
            let k = patch.levers.len();
            let normals: Vec<f64> = lambda[..k].iter().map(|n| n.max(0.0)).collect();
            let sum: f64 = normals.iter().sum();
            let torque: f64 = normals.iter().zip(&patch.levers).map(|(n, l)| n * l).sum();
            target[..k].iter_mut().for_each(|n| *n = n.max(0.0));
            projection::disc(patch.mu * sum, &mut target[k..k + 2]);
            projection::square(patch.mu * torque, &mut target[k + 2..]);
        }
    }
    lambda.iter().zip(&target).map(|(l, t)| l - t).collect()
}

/// The nearest point of the hull of `radius` times `facets` directions: inside, or the nearest of
/// all edges.
fn hull(facets: u32, radius: f64, t: &mut [f64]) {
    if t.len() == 1 {
        return projection::square(radius, t);
    }
    let corner = |index: u32| {
        let angle = std::f64::consts::TAU * f64::from(index) / f64::from(facets);
        let (sine, cosine) = libm::sincos(angle);
        [radius * cosine, radius * sine]
    };
    let (mut inside, mut nearest) = (true, ([0.0; 2], f64::INFINITY));
    for index in 0..facets {
        let (from, to) = (corner(index), corner(index + 1));
        let edge = [to[0] - from[0], to[1] - from[1]];
        let past = [t[0] - from[0], t[1] - from[1]];
        inside &= edge[0] * past[1] - edge[1] * past[0] >= 0.0;
        let square = edge[0] * edge[0] + edge[1] * edge[1];
        let share = (edge[0] * past[0] + edge[1] * past[1]) / square;
        // an empty hull has no edges
        let share = if square > 0.0 {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let point = [0, 1].map(|axis| from[axis] + share * edge[axis]);
        let distance = norm(&[t[0] - point[0], t[1] - point[1]]);
        if distance < nearest.1 {
            nearest = (point, distance);
        }
    }
    if !inside || radius == 0.0 {
        t.copy_from_slice(&nearest.0);
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}
