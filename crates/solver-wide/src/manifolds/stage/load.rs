//! Reading manifolds of a problem into lanes.

use delassus_core::{BodyRows, MassProperties, Problem};
use delassus_structure::geometry::{is_isotropic, pair};

use super::super::find::is_manifold_law;
use super::{ManifoldStage, StagedMatch};

impl ManifoldStage {
    /// Reads the manifold that starts with a block into a lane.
    #[inline(always)]
    pub(in crate::manifolds) fn load(
        &mut self,
        lane: usize,
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
        first: usize,
    ) -> StagedMatch {
        let mut found = StagedMatch {
            fits: false,
            needs_full: false,
        };
        let Some(blocks) = problem.blocks().get(first..first + self.points) else {
            return found;
        };
        let Some(pair) = pair(bodies, first) else {
            return found;
        };
        let law = &blocks[0].law;
        let mut fits = is_manifold_law(law) & pair.mass.iter().all(|mass| is_isotropic(*mass));
        for block in blocks {
            fits &= (block.dim == 3) && law.has_friction_of(&block.law);
        }
        if !fits {
            return found;
        }
        if bodies.jacobian.has_points() {
            fits = self.load_arms(lane, bodies, first);
        } else {
            for point in 0..blocks.len() {
                self.load_rows(lane, bodies, first + point, point);
            }
        }
        found.needs_full = self.load_numbers(lane, problem, impulses, blocks[0].first_row);
        for side in 0..2 {
            self.bodies[side][lane] = pair.slots[side];
            self.load_mass(lane, side, pair.mass[side]);
        }
        self.friction[lane] = law.mu();
        found.fits = fits;
        found
    }

    /// What the rows of a manifold have in addition to their geometry, and their impulses; true if
    /// the fast kernel leaves something out.
    #[inline(always)]
    fn load_numbers(
        &mut self,
        lane: usize,
        problem: &Problem,
        impulses: &[f64],
        first: usize,
    ) -> bool {
        let rows = first..first + 3 * self.points;
        let mut extra = false;
        // of a rigid problem all softness stays zero
        if !problem.is_rigid() {
            let softness = problem.compliance()[rows.clone()].as_chunks::<3>().0;
            for (numbers, softness) in self.numbers.iter_mut().zip(softness) {
                extra |= numbers.load_softness(lane, softness);
            }
        }
        let [diagonal, bias, impulses] = [problem.diagonal(), problem.bias(), impulses]
            .map(|numbers| numbers[rows.clone()].as_chunks::<3>().0);
        for point in 0..self.points.min(diagonal.len()) {
            extra |= self.numbers[point].load(lane, &diagonal[point], &bias[point]);
            let to = &mut self.impulses[point];
            for axis in 0..3 {
                to[axis][lane] = impulses[point][axis];
            }
        }
        extra
    }

    /// Axes and arms of a manifold whose problem gives its points; false if they are not of one
    /// manifold.
    #[inline(always)]
    fn load_arms(&mut self, lane: usize, bodies: &BodyRows, first: usize) -> bool {
        let Some(given) = bodies.jacobian.points(first..first + self.points) else {
            return false;
        };
        for (to, arms) in self.arms.iter_mut().zip(given.arms) {
            for axis in 0..3 {
                to[0][axis][lane] = arms[0][axis];
                to[1][axis][lane] = arms[1][axis];
            }
        }
        for axis in 0..3 {
            self.axes[0][axis][lane] = given.axes[0][axis];
            self.axes[1][axis][lane] = given.axes[1][axis];
            self.axes[2][axis][lane] = given.axes[2][axis];
        }
        true
    }

    #[inline(always)]
    fn load_rows(&mut self, lane: usize, bodies: &BodyRows, block: usize, point: usize) {
        let to = &mut self.rows[point];
        let first = bodies.first_entry[block];
        let entries = &bodies.jacobian[first..bodies.first_entry[block + 1]];
        if let Some(rows) = entries.first_chunk::<6>() {
            for axis in 0..6 {
                to[0][axis][lane] = rows[0][axis];
                to[3][axis][lane] = rows[1][axis];
                to[1][axis][lane] = rows[2][axis];
                to[4][axis][lane] = rows[3][axis];
                to[2][axis][lane] = rows[4][axis];
                to[5][axis][lane] = rows[5][axis];
            }
        } else if let Some(rows) = entries.first_chunk::<3>() {
            // one body: the world has the same arm and the opposite rows
            for (row, entry) in rows.iter().enumerate() {
                for axis in 0..6 {
                    to[row][axis][lane] = -entry[axis];
                    to[row + 3][axis][lane] = entry[axis];
                }
            }
        }
        if point == 0 {
            for axis in 0..3 {
                self.axes[0][axis][lane] = to[3][axis][lane];
                self.axes[1][axis][lane] = to[4][axis][lane];
                self.axes[2][axis][lane] = to[5][axis][lane];
            }
        }
    }

    #[inline(always)]
    fn load_mass(&mut self, lane: usize, side: usize, mass: Option<&MassProperties>) {
        let none = MassProperties::immovable();
        let mass = mass.unwrap_or(&none);
        self.mass[side][lane] = mass.inverse_mass.x;
        for i in 0..3 {
            for j in 0..3 {
                self.inertia[side][3 * i + j][lane] = mass.inverse_inertia[(i, j)];
            }
        }
    }
}
