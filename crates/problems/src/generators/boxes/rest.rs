//! The impulses that hold a pile of boxes at rest.

use delassus_systems::GROUND;
use nalgebra::Vector3;

use super::pile::Pile;
use super::settings::normal_row;
use crate::named::KnownSolution;

/// Normal impulses with which every box stays where it is (E.5).
///
/// From the top down, each box hands what presses on it, at the point where it presses, to the
/// contact below that point, and its own weight in equal shares to the contacts it stands on. A
/// force that lands inside a contact rectangle is shared by its corners with bilinear weights,
/// which keeps force and torque. So every box is in balance, every impulse is ≥ 0 and v⁺ = 0;
/// lateral contacts carry nothing.
///
/// The system guarantees that a contact lies below each contact above: piles without overhang.
pub(super) fn solution(pile: &Pile) -> KnownSolution {
    let mut impulses = vec![0.0; pile.rows];
    let mut supports: Vec<Vec<usize>> = vec![Vec::new(); pile.boxes.len()];
    for (index, manifold) in pile.manifolds.iter().enumerate() {
        if manifold.axis == 1 {
            supports[manifold.bodies[1]].push(index);
        }
    }
    // forces that press on each box: (impulse, point)
    let mut pressing: Vec<Vec<(f64, Vector3<f64>)>> = vec![Vec::new(); pile.boxes.len()];
    for body in (1..pile.boxes.len()).rev() {
        let share = pile.boxes[body].weight / supports[body].len() as f64;
        let mut loads: Vec<(usize, f64, Vector3<f64>)> = Vec::new();
        for support in &supports[body] {
            loads.push((*support, share, pile.manifolds[*support].center));
        }
        for (impulse, point) in std::mem::take(&mut pressing[body]) {
            loads.push((below(pile, &supports[body], point), impulse, point));
        }
        for (support, impulse, point) in loads {
            let manifold = &pile.manifolds[support];
            for (corner, weight) in corner_weights(manifold, point).into_iter().enumerate() {
                let row = manifold.first_row + normal_row(pile.settings.boxes.law, corner);
                impulses[row] += weight * impulse;
            }
            pressing[manifold.bodies[0]].push((impulse, point));
        }
        // what presses on the ground stays there
        pressing[GROUND].clear();
    }
    KnownSolution::new(impulses, "closed form: every box at rest")
}

/// The support whose rectangle is nearest to `point` in the plane.
fn below(pile: &Pile, supports: &[usize], point: Vector3<f64>) -> usize {
    let distance = |support: &usize| {
        let to = point - pile.manifolds[*support].center;
        to.x * to.x + to.z * to.z
    };
    let nearest = supports
        .iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    // every box stands on something
    nearest.copied().unwrap_or_default()
}

/// Bilinear weights of a point among the corners of the rectangle, in ring order.
fn corner_weights(manifold: &super::manifold::Manifold, point: Vector3<f64>) -> [f64; 4] {
    let [_, t1, t2] = manifold.frame();
    let to = point - manifold.center;
    let a = (to.dot(&t1) / manifold.half[0]).clamp(-1.0, 1.0);
    let b = (to.dot(&t2) / manifold.half[1]).clamp(-1.0, 1.0);
    let (left, right) = (0.5 * (1.0 - a), 0.5 * (1.0 + a));
    let (front, back) = (0.5 * (1.0 - b), 0.5 * (1.0 + b));
    [left * front, right * front, right * back, left * back]
}
