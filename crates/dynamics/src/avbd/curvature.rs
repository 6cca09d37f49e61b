//! Second derivatives of a joint's rows by central differences of its Jacobian: constraints state
//! none.

use crate::constraint::Rows;
use crate::joint::Joint;
use crate::world::World;

/// Step of the differences \[m | rad\]: error about its square, rounding 1e-11.
const DIFFERENCE: f64 = 1e-5;

/// Memory: the rows of a joint with one body moved forth and back along each of its coordinates.
#[derive(Debug, Clone, Default)]
pub(super) struct Differences([[Rows; 2]; 6]);

impl Differences {
    /// Measures, per row and body, the length of every column of the second derivative (V.7);
    /// bodies that do not move keep what `curvatures` holds.
    pub(super) fn measure(&mut self, world: &World, joint: usize, curvatures: &mut [[f64; 6]]) {
        let bodies = world.joints[joint].constraint.bodies();
        let sides = bodies.len();
        for side in (0..sides).filter(|side| world.bodies[bodies[*side]].is_dynamic()) {
            self.evaluate(world, joint, side);
            let of_side = curvatures.iter_mut().enumerate().skip(side).step_by(sides);
            for (entry, curvature) in of_side {
                let slope = |i: usize, k: usize| {
                    let [up, down] = &self.0[k];
                    (up.jacobian[entry][i] - down.jacobian[entry][i]) / (2.0 * DIFFERENCE)
                };
                // rotations do not commute: the symmetric part is the second derivative
                let symmetric = |i: usize, k: usize| 0.5 * (slope(i, k) + slope(k, i));
                let length = |k: usize| {
                    let entries = (0..6).map(|i| symmetric(i, k));
                    entries.map(|x| x * x).sum::<f64>().sqrt()
                };
                *curvature = std::array::from_fn(length);
            }
        }
    }

    /// Evaluates the joint with one body moved.
    fn evaluate(&mut self, world: &World, joint: usize, side: usize) {
        let Joint {
            constraint, track, ..
        } = &world.joints[joint];
        let poses = world.poses_of(constraint.bodies());
        for (axis, pair) in self.0.iter_mut().enumerate() {
            for (rows, step) in pair.iter_mut().zip([DIFFERENCE, -DIFFERENCE]) {
                let mut moved = poses.clone();
                let mut motion = [0.0; 6];
                motion[axis] = step;
                let [x, y, z, a, b, c] = motion;
                moved[side].advance([x, y, z].into(), &[a, b, c].into());
                rows.clear();
                constraint.evaluate_from(&moved, track, world.time, rows);
            }
        }
    }
}
