//! New bias, softness and activity for packed manifolds.
//!
//! Rows of a problem are read lane by lane, so they are staged in f64 and rounded, N at a time.

use delassus_core::Problem;

use super::Manifolds;
use super::layout::Extra;
use super::numbers::Numbers;
use crate::bundle::{EMPTY, Interleaved, filled, three};
use crate::lanes::{Lanes, vectorized};
use crate::velocities::single;

/// Bias or softness of the normal rows of `P` points before they are rounded.
type Staged<const N: usize, const P: usize> = [[f64; N]; P];

/// Stages one number per normal row of a manifold; what its tangents have in bits, but for signs.
#[inline(always)]
fn stage<const N: usize, const P: usize>(
    staged: &mut Staged<N, P>,
    lane: usize,
    numbers: &[f64],
    first: usize,
) -> u64 {
    let rows = &numbers[first..first + 3 * P];
    for local in 0..P {
        staged[local][lane] = rows[3 * local];
    }
    // without branches, so that a manifold takes a few vector instructions
    let mut tangents = 0;
    for row in 0..3 * P {
        let mask = if row % 3 == 0 { 0 } else { u64::MAX >> 1 };
        tangents |= rows[row].to_bits() & mask;
    }
    tangents
}

impl<V: Lanes<N>, const N: usize, const P: usize> Manifolds<V, N, P> {
    /// Takes over bias, softness and activity, for the full kernel.
    pub(super) fn refresh_all(&mut self, problem: &Problem) {
        self.extras.resize(self.bundles.len(), [Extra::ZERO; P]);
        vectorized!(V, self.token, self.refresh_lanes(problem));
    }

    #[inline(always)]
    fn refresh_lanes(&mut self, problem: &Problem) {
        let mut numbers = [Numbers::<N>::EMPTY; P];
        let bundles = self.bundles.iter_mut().zip(&mut self.extras);
        for ((bundle, extras), (lanes, tangents)) in
            bundles.zip(self.seats.lanes().iter().zip(&self.tangents))
        {
            if lanes[N - 1] == EMPTY {
                numbers = [Numbers::EMPTY; P];
            }
            for (lane, first) in filled(lanes) {
                for (local, numbers) in numbers.iter_mut().enumerate() {
                    let block = first + local;
                    let row = problem.blocks()[block].first_row;
                    let [diagonal, bias, softness] =
                        [problem.diagonal(), problem.bias(), problem.compliance()]
                            .map(|all| three(all, row));
                    numbers.load(lane, &diagonal, &bias);
                    numbers.load_softness(lane, &softness);
                    numbers.load_extra(lane, problem, block);
                }
            }
            for local in 0..P {
                numbers[local].write(&mut bundle.points[local], &tangents[local], self.boxed);
                numbers[local].write_extra(&mut extras[local], &tangents[local], self.boxed);
            }
        }
    }

    /// Takes over bias and, if it has changed, softness of the normals; true if the fast kernel
    /// leaves some of the tangents' out.
    pub(super) fn refresh_normals(&mut self, problem: &Problem, softness: bool) -> bool {
        V::vectorize(
            self.token,
            #[inline(always)]
            || {
                let mut tangents = self.refresh_bias(problem.bias());
                if softness {
                    let compliance = problem.compliance();
                    tangents |= self.refresh_softness((!problem.is_rigid()).then_some(compliance));
                }
                tangents != 0
            },
        )
    }

    #[inline(always)]
    fn refresh_bias(&mut self, bias: &[f64]) -> u64 {
        let mut staged = [[0.0; N]; P];
        let mut tangents = 0;
        let rows = self.seats.lanes().iter().zip(&self.rows);
        for (bundle, (lanes, rows)) in self.bundles.iter_mut().zip(rows) {
            if lanes[N - 1] == EMPTY {
                staged = [[0.0; N]; P];
            }
            for (lane, _) in filled(lanes) {
                tangents |= stage(&mut staged, lane, bias, rows[lane] as usize);
            }
            for (point, staged) in bundle.points.iter_mut().zip(&staged) {
                for lane in 0..N {
                    point.bias[lane] = single(staged[lane]);
                }
            }
        }
        tangents
    }

    /// `None` if no row has any.
    #[inline(always)]
    fn refresh_softness(&mut self, compliance: Option<&[f64]>) -> u64 {
        let mut staged = [[0.0; N]; P];
        let mut tangents = 0;
        let rows = self.seats.lanes().iter().zip(&self.rows);
        let bundles = self.bundles.iter_mut().zip(&self.diagonals);
        for ((bundle, diagonals), (lanes, rows)) in bundles.zip(rows) {
            if lanes[N - 1] == EMPTY {
                staged = [[0.0; N]; P];
            }
            if let Some(compliance) = compliance {
                for (lane, _) in filled(lanes) {
                    tangents |= stage(&mut staged, lane, compliance, rows[lane] as usize);
                }
            }
            let points = bundle.points.iter_mut().zip(diagonals.iter().zip(&staged));
            for (point, (diagonal, softness)) in points {
                for lane in 0..N {
                    point.softness[lane] = single(softness[lane]);
                    point.mass[0][lane] = 1.0 / (diagonal[lane] + point.softness[lane]);
                }
            }
        }
        tangents
    }
}
