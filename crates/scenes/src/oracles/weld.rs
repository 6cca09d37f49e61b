//! The assembled pose of two welded bodies that is nearest to where they are (O.24), (O.25).

use delassus_dynamics::rotation;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// A body where it is before the weld pulls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass, world axes \[kg·m²\].
    pub inertia: Matrix3<f64>,
    /// Centre of mass \[m\].
    pub position: Vector3<f64>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<f64>,
    /// Point of the weld, body axes from the centre of mass \[m\].
    pub anchor: Vector3<f64>,
}

/// Residuals of (O.25): lack of length of the arm between the centres \[m\], and the turns of both
/// bodies \[rad\].
type Residuals = [Vector3<f64>; 3];

/// Two bodies that a weld must bring together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeldedBodies {
    /// Bodies A and B.
    pub pieces: [FreeBody; 2],
    /// Orientation of B in the axes of A that the weld prescribes.
    pub orientation: UnitQuaternion<f64>,
}

impl WeldedBodies {
    /// Distance from the start to the nearest assembled pose, in the metric of (R.18) \[√kg·m\].
    ///
    /// Gauss–Newton on the orientation of A, with the centre of mass at rest; from the orientation
    /// that A has and from the one that B asks for. The smaller minimum counts.
    pub fn least_motion(&self) -> f64 {
        let [a, b] = &self.pieces;
        let starts = [a.orientation, b.orientation * self.orientation.inverse()];
        let found = starts.map(|start| self.descend(start));
        found[0].min(found[1]).sqrt()
    }

    /// The square of the motion to the assembled pose whose body A has this orientation, with the
    /// centre of mass at rest (O.25) \[kg·m²\].
    pub fn cost(&self, first: &UnitQuaternion<f64>) -> f64 {
        let residuals = self.residuals(first);
        let pairs = self.weights().into_iter().zip(&residuals);
        pairs.map(|(weight, r)| r.dot(&(weight * r))).sum()
    }

    fn weights(&self) -> [Matrix3<f64>; 3] {
        let [a, b] = &self.pieces;
        let reduced = a.mass * b.mass / (a.mass + b.mass);
        [reduced * Matrix3::identity(), a.inertia, b.inertia]
    }

    fn residuals(&self, first: &UnitQuaternion<f64>) -> Residuals {
        let [a, b] = &self.pieces;
        let arm = first * (a.anchor - self.orientation * b.anchor);
        let second = first * self.orientation;
        [
            arm - (b.position - a.position),
            rotation::log(&(first * a.orientation.inverse())),
            rotation::log(&(second * b.orientation.inverse())),
        ]
    }

    /// A minimum of the cost.
    fn descend(&self, mut first: UnitQuaternion<f64>) -> f64 {
        let mut cost = self.cost(&first);
        for _ in 0..500 {
            let step = self.newton(&first);
            let mut share = 1.0;
            loop {
                let next = rotation::turned(&first, &(share * step));
                let below = self.cost(&next);
                if below < cost {
                    (first, cost) = (next, below);
                    break;
                }
                share *= 0.5;
                if share < 1e-9 {
                    return cost;
                }
            }
        }
        cost
    }

    /// The Gauss–Newton step of the orientation \[rad\].
    fn newton(&self, first: &UnitQuaternion<f64>) -> Vector3<f64> {
        // central differences: a wrong digit here slows the descent and does not move its end
        let width = 1e-5;
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let slopes = axes.map(|axis| {
            let [up, down] = [width, -width]
                .map(|angle| self.residuals(&rotation::turned(first, &(angle * axis))));
            std::array::from_fn::<_, 3, _>(|part| (up[part] - down[part]) / (2.0 * width))
        });
        let residuals = self.residuals(first);
        let (mut matrix, mut slope) = (Matrix3::zeros(), Vector3::zeros());
        for (part, weight) in self.weights().iter().enumerate() {
            let jacobian = Matrix3::from_columns(&slopes.map(|slope| slope[part]));
            matrix += jacobian.transpose() * weight * jacobian;
            slope += jacobian.transpose() * weight * residuals[part];
        }
        matrix
            .try_inverse()
            .map_or_else(Vector3::zeros, |inverse| -(inverse * slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(mass: f64, moments: [f64; 3], position: [f64; 3], turn: [f64; 3]) -> FreeBody {
        FreeBody {
            mass,
            inertia: Matrix3::from_diagonal(&moments.into()),
            position: position.into(),
            orientation: rotation::exp(&turn.into()),
            anchor: Vector3::zeros(),
        }
    }

    fn pair(pieces: [FreeBody; 2]) -> WeldedBodies {
        WeldedBodies {
            pieces,
            orientation: UnitQuaternion::identity(),
        }
    }

    #[test]
    fn centres_that_only_have_to_meet_share_the_way_by_mass() {
        let still = [0.0; 3];
        let pieces = [
            piece(1.0, [0.3, 0.4, 0.5], still, still),
            piece(3.0, [2.0, 2.1, 2.2], [0.0, 2.0, 0.0], still),
        ];
        // 1·1.5² + 3·0.5²
        let motion = pair(pieces).least_motion();
        assert!((motion - 3.0_f64.sqrt()).abs() < 1e-12, "{motion}");
    }

    #[test]
    fn turns_about_one_axis_share_the_angle_by_inertia() {
        let pieces = [
            piece(1.0, [0.5, 0.5, 0.5], [0.0; 3], [0.0; 3]),
            piece(1.0, [1.5, 1.5, 1.5], [0.0; 3], [0.0, 0.0, 1.2]),
        ];
        // reduced inertia 0.375 kg·m²
        let motion = pair(pieces).least_motion();
        assert!((motion - 0.375_f64.sqrt() * 1.2).abs() < 1e-9, "{motion}");
    }

    #[test]
    fn no_other_assembled_pose_is_nearer() {
        let mut pieces = [
            piece(1.0, [0.1, 0.2, 0.25], [-0.5, 0.0, 0.0], [0.0; 3]),
            piece(2.0, [0.4, 0.3, 0.2], [0.7, 0.5, -0.3], [0.4, -0.3, 0.8]),
        ];
        pieces[0].anchor = Vector3::new(0.5, 0.0, 0.0);
        pieces[1].anchor = Vector3::new(-0.5, 0.1, 0.0);
        let pair = pair(pieces);
        let least = pair.least_motion();
        // orientations over the whole ball of rotation vectors
        let at = |index: i32| 0.25 * f64::from(index);
        let mut nearest = f64::INFINITY;
        for x in -12..=12 {
            for y in -12..=12 {
                for z in -12..=12 {
                    let turn = rotation::exp(&Vector3::new(at(x), at(y), at(z)));
                    nearest = nearest.min(pair.cost(&turn).sqrt());
                }
            }
        }
        assert!(
            least <= nearest && nearest < 1.1 * least,
            "{least} {nearest}"
        );
    }
}
