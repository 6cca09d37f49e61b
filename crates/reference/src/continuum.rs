//! Solutions that are no points: families along which the velocities move and the laws hold (F.7,
//! F.8).

use delassus_core::{Operator, Problem, RoundRows, Start};
use delassus_metrics::Evaluator;
use delassus_solver_dense::newton::motions::ActiveSystem;

/// First step along a motion, largest and least one, as differences of constraint velocities \[-\]
/// (M.21).
const STEPS: [f64; 3] = [1e-3, 2e-2, 1e-6];
/// Steps along one side of a motion for a problem of so many rows at most; more rows have fewer
/// \[-\].
const WALKS: [(usize, u32); 3] = [(60, 400), (150, 40), (usize::MAX, 8)];
/// Motions that are followed at most: one proves a family \[-\].
const FOLLOWED: usize = 3;
/// A family is one where solutions this many tolerances from each other were reached \[-\].
const PROVEN: f64 = 1e5;
/// Rounds from the middle of the farthest solutions so far, where a family of a small problem has
/// several dimensions \[-\].
const ROUNDS: usize = 6;
/// A round that makes the extent no larger than by this factor is the last one \[-\].
const GROWS: f64 = 1.02;
/// Natural map of a point of a family at most \[-\]: a residual beyond rounding would grow along a
/// direction that is only weak.
const EXACT: f64 = 1e-13;
/// Share of a step that the corrected point must have gone, at least and at most \[-\].
const GONE: [f64; 2] = [0.5, 2.0];

/// A matrix that departs further from symmetry has no objective \[-\].
const MAX_ASYMMETRY: f64 = 1e-12;

/// True if all solutions have the same velocities: convex laws, A symmetric and positive
/// semi-definite (P.9).
pub(crate) fn is_convex(problem: &Problem) -> bool {
    let symmetric = match problem.operator() {
        Operator::Bodies(_) => true,
        // printed digits leave small negative eigenvalues: nothing is proven of a matrix that is
        // given
        Operator::Matrix(matrix) => matrix.delassus.symmetry_defect() <= MAX_ASYMMETRY,
    };
    symmetric && problem.blocks().iter().all(|block| block.law.is_convex())
}

/// A family of solutions.
#[derive(Debug, Clone, PartialEq)]
pub struct Continuum {
    /// Number of directions in which velocities move \[-\]: at the solution that it was found from,
    /// or at another one that has more. At an end of the family some directions are closed.
    pub dimension: usize,
    /// Largest difference of constraint velocities between solutions of the family that were
    /// reached \[-\] (M.21): it is as long at least.
    pub extent: f64,
    /// The two of them, one impulse per row each \[N·s\].
    pub ends: [Vec<f64>; 2],
}

/// Number of directions in which the velocities move at a solution \[-\]; 0 where `impulses` are no
/// solution within `tolerance`. One singular value decomposition of all rows.
pub(crate) fn directions(problem: &Problem, impulses: &[f64], tolerance: f64) -> usize {
    if is_convex(problem) {
        return 0;
    }
    let count = Walk::begin(problem, impulses).and_then(|(mut walk, start)| {
        let holds = walk.holds(&start, tolerance);
        let start = walk.pressed(start);
        holds.then(|| walk.system.motions(&start).ok().map_or(0, |all| all.len()))
    });
    count.unwrap_or(0)
}

/// Looks for solutions other than `impulses` with other velocities: `None` where there are none
/// (always of convex problems), where `impulses` are no solution within `tolerance`, or where the
/// equations of the laws are not written (facets with two tangents).
///
/// One singular value decomposition of all rows, and two or more for each step where there is a
/// family.
pub fn continuum(problem: &Problem, impulses: &[f64], tolerance: f64) -> Option<Continuum> {
    if is_convex(problem) {
        return None;
    }
    let (mut walk, start) = Walk::begin(problem, impulses)?;
    if !walk.holds(&start, tolerance) {
        return None;
    }
    let start = walk.pressed(start);
    let impulses = start.as_slice();
    let motions = walk.system.motions(impulses).ok()?;
    let mut ends: Vec<Vec<f64>> = Vec::new();
    walk.follow_all(impulses, &motions, &mut ends);
    let (mut extent, mut far) = walk.farthest(&ends)?;
    // one direction and its ends are all that a family of one dimension has
    let rounds = match motions.len() {
        2.. if problem.rows() <= WALKS[0].0 => ROUNDS,
        _ => 0,
    };
    for _ in 0..rounds {
        if extent < PROVEN * tolerance {
            break;
        }
        let Some(middle) = walk.between(&far) else {
            break;
        };
        let onward = walk.system.motions(&middle).ok()?;
        walk.follow_all(&middle, &onward, &mut ends);
        let before = extent;
        (extent, far) = walk.farthest(&ends)?;
        if extent < GROWS * before {
            break;
        }
    }
    (extent >= PROVEN * tolerance).then(|| Continuum {
        dimension: motions.len(),
        extent,
        ends: far.map(|mut end| {
            walk.round.give(&mut end);
            end
        }),
    })
}

struct Walk<'p> {
    evaluator: Evaluator<'p>,
    system: ActiveSystem,
    /// What makes impulses of the problem of those of round rows.
    round: RoundRows,
}

impl<'p> Walk<'p> {
    /// The equations at impulses, with those of round rows (P.20).
    fn begin(problem: &'p Problem, impulses: &[f64]) -> Option<(Self, Vec<f64>)> {
        let mut round = RoundRows::of(problem);
        let start = round.start(Start::Warm(impulses), problem.rows());
        let (Ok(Start::Warm(start)), problem) = (start, problem.round()) else {
            return None;
        };
        let start = start.to_vec();
        let walk = Self {
            evaluator: Evaluator::new(problem).ok()?,
            system: ActiveSystem::new(problem, &start).ok()?,
            round,
        };
        Some((walk, start))
    }

    /// True if impulses satisfy the laws within a tolerance.
    fn holds(&mut self, impulses: &[f64], tolerance: f64) -> bool {
        let residual = self.evaluator.deciding_natural_map(impulses);
        residual.is_ok_and(|residual| residual <= tolerance)
    }

    /// Follows motions from a solution in both directions; adds where that ends.
    fn follow_all(&mut self, from: &[f64], motions: &[Vec<f64>], ends: &mut Vec<Vec<f64>>) {
        for motion in motions.iter().take(FOLLOWED) {
            for sign in [1.0, -1.0] {
                let direction: Vec<f64> = motion.iter().map(|x| sign * x).collect();
                ends.push(self.follow(from, direction));
            }
        }
    }

    /// The largest distance between two of these solutions \[-\] (M.21), and the two; `None` of
    /// fewer than two.
    fn farthest(&mut self, ends: &[Vec<f64>]) -> Option<(f64, [Vec<f64>; 2])> {
        let mut farthest: Option<(f64, [usize; 2])> = None;
        for (i, a) in ends.iter().enumerate() {
            for (j, b) in ends[..i].iter().enumerate() {
                let distance = self.evaluator.agreement(a, b).ok()?;
                if farthest.is_none_or(|(most, _)| distance > most) {
                    farthest = Some((distance, [i, j]));
                }
            }
        }
        let (extent, pair) = farthest?;
        Some((extent, pair.map(|index| ends[index].clone())))
    }

    /// The solution nearest to the middle of two others; `None` if there is none.
    fn between(&mut self, [a, b]: &[Vec<f64>; 2]) -> Option<Vec<f64>> {
        let middle: Vec<f64> = a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        let corrected = self.system.corrected(&middle).ok()??;
        self.holds(&corrected, EXACT).then_some(corrected)
    }

    /// A solution near another one in which contacts push that only touch there; the other one
    /// itself if there is none.
    fn pressed(&mut self, start: Vec<f64>) -> Vec<f64> {
        let Ok(Some(direction)) = self.system.pressing(&start) else {
            return start;
        };
        let [mut step, _, least] = STEPS;
        while step >= least {
            if let Some(pressed) = self.step(&start, &direction, step) {
                return pressed;
            }
            step *= 0.25;
        }
        start
    }

    /// The farthest solution that steps along a motion come to.
    fn follow(&mut self, from: &[f64], mut direction: Vec<f64>) -> Vec<f64> {
        let rows = from.len();
        let limit = WALKS.iter().find(|(most, _)| rows <= *most);
        let mut left = limit.map_or(0, |(_, steps)| *steps);
        let mut here = from.to_vec();
        let [mut step, largest, least] = STEPS;
        while left > 0 && step >= least {
            left -= 1;
            match self.step(&here, &direction, step) {
                Some(next) => {
                    here = next;
                    let Some(onward) = self.onward(&here, &direction) else {
                        break;
                    };
                    direction = onward;
                    step = (2.0 * step).min(largest);
                }
                None => step *= 0.25,
            }
        }
        here
    }

    /// A solution about `step` along the direction; `None` where there is none.
    fn step(&mut self, here: &[f64], direction: &[f64], step: f64) -> Option<Vec<f64>> {
        let ahead: Vec<f64> = here.iter().zip(direction).map(|(x, d)| x + d).collect();
        let length = self.evaluator.agreement(&ahead, here).ok()?;
        let share = step / length;
        let moved = here.iter().zip(direction).map(|(x, d)| x + share * d);
        let moved: Vec<f64> = moved.collect();
        let corrected = self.system.corrected(&moved).ok()??;
        let gone = self.evaluator.agreement(&corrected, here).ok()? / step;
        let [least, most] = GONE;
        let exact = gone >= least && gone <= most && self.holds(&corrected, EXACT);
        exact.then_some(corrected)
    }

    /// The motion at another solution that goes on in the direction of the last; `None` at the end
    /// of the family.
    fn onward(&mut self, here: &[f64], last: &[f64]) -> Option<Vec<f64>> {
        let motions = self.system.motions(here).ok()?;
        let mut onward = vec![0.0; here.len()];
        for motion in &motions {
            let share = self.system.along(motion, last);
            for (sum, x) in onward.iter_mut().zip(motion) {
                *sum += share * x;
            }
        }
        let length = self.system.along(&onward, &onward);
        let before = self.system.along(last, last);
        // less than half of the last direction is left: another branch
        (length > 0.25 * before).then_some(onward)
    }
}
