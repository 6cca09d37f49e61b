//! Principal moments that no mass distribution has, and the nearest that one has.

use delassus_dynamics::{FieldError, Inertia, WorldParts};

/// Relative excess of a principal moment over the sum of the others that is rounding \[-\].
const ROUNDING: f64 = 1e-9;

/// Principal moments that were changed.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedInertia {
    /// The body, by its place in the file.
    pub body: usize,
    /// Its name.
    pub name: String,
    /// The moments in the file \[kg·m²\].
    pub from: [f64; 3],
    /// The nearest that a mass distribution has \[kg·m²\].
    pub to: [f64; 3],
}

/// The inertia with the nearest principal moments that a mass distribution has: where one exceeds
/// the sum of the two others, all change by a third of the excess, which is the least in the sum of
/// squares. Moments that are not positive stay.
fn nearest(mut inertia: Inertia) -> Inertia {
    let moments = inertia.moments;
    let sum = moments.sum();
    let largest = moments.imax();
    let excess = 2.0 * moments[largest] - sum;
    let positive = moments.iter().all(|moment| *moment > 0.0) && sum.is_finite();
    if positive && excess > sum * ROUNDING {
        inertia.moments.add_scalar_mut(excess / 3.0);
        inertia.moments[largest] = moments[largest] - excess / 3.0;
    }
    inertia
}

/// What would have to change.
pub(crate) fn broken(parts: &WorldParts) -> Vec<FixedInertia> {
    let bodies = parts.bodies.iter().enumerate();
    let bodies = bodies.filter(|(_, body)| body.is_dynamic());
    bodies
        .filter_map(|(index, body)| {
            let near = nearest(body.inertia);
            (near != body.inertia).then(|| FixedInertia {
                body: index,
                name: body.name.clone(),
                from: body.inertia.moments.into(),
                to: near.moments.into(),
            })
        })
        .collect()
}

/// Changes it.
pub(crate) fn fix(parts: &mut WorldParts) -> Vec<FixedInertia> {
    let broken = broken(parts);
    for fixed in &broken {
        parts.bodies[fixed.body].inertia.moments = fixed.to.into();
    }
    broken
}

/// Says in the error of one of them what all moments of its body are, and which would be accepted.
pub(crate) fn explain(mut error: FieldError, broken: &[FixedInertia]) -> FieldError {
    let of = |fixed: &&FixedInertia| {
        let field = format!("bodies[{}].inertia.moments[", fixed.body);
        error.path.starts_with(&field)
    };
    if let Some(FixedInertia { from, to, .. }) = broken.iter().find(of) {
        let more = format!("; the moments are {from:?}, the nearest that one has {to:?}");
        error.expected.push_str(&more);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn the_nearest_moments_are_those_of_a_plate() {
        let broken = Inertia::new(2.0, Vector3::new(1.0, 1.0, 5.0));
        assert!(broken.validate().is_err());
        let near = nearest(broken);
        assert_eq!(near.moments, Vector3::new(2.0, 2.0, 4.0));
        assert!(near.validate().is_ok());
        // nothing admissible is nearer: steps along both edges of the face and into the inside lead
        // away
        let distance = |moments: Vector3<f64>| (moments - broken.moments).norm();
        for step in [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]] {
            for length in [-0.1, 0.1] {
                let other = near.moments + length * Vector3::from(step);
                let admissible = Inertia::new(2.0, other).validate().is_ok();
                assert!(!admissible || distance(other) > distance(near.moments));
            }
        }
        let plate = Inertia::new(1.0, Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(nearest(plate), plate);
        let mirrored = Inertia::new(1.0, Vector3::new(-1.0, 1.0, 5.0));
        assert_eq!(nearest(mirrored), mirrored);
    }
}
