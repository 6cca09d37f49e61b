//! What judging a problem takes, from its counts.

use delassus_core::Problem;

use super::Evaluator;
use crate::definition::Needs;
use crate::group::{Group, Scales, Scope, count};
use crate::metrics::Metric;

/// Bytes of a number and of the velocity of a body \[B\].
const NUMBER: usize = size_of::<f64>();
const BODY: usize = 6 * NUMBER;

impl Evaluator<'_> {
    /// Memory that an evaluator of `problem` takes in addition to the problem while it evaluates
    /// `metrics` \[B\]: groups of rows with their scales, and vectors of rows and of bodies.
    /// Without the diagonal block of the largest block and the basis of a range, which has at most
    /// 1000 rows.
    pub fn memory(problem: &Problem, metrics: impl IntoIterator<Item = Metric>) -> u64 {
        let bodies = problem.bodies().map_or(0, |bodies| bodies.len());
        let solved = count(problem, Scope::Solved);
        let of_group = size_of::<Group<'_>>() + size_of::<Scales>();
        // w, scales and two vectors of work; momenta
        let own = solved * (of_group + NUMBER) + 4 * NUMBER * problem.rows() + BODY * bodies;
        let (mut of_worlds, mut of_reference) = (0, 0);
        for metric in metrics {
            match metric {
                // the problems of the worlds, and an evaluator of one of them
                Metric::NaturalMapWorld | Metric::NaturalMapWorldMedian => {
                    of_worlds = problem.memory() + own as u64;
                }
                // the groups of all rows, and differences of velocities
                _ if metric.doc().needs == Needs::Reference => {
                    let groups = count(problem, Scope::Motion) * of_group;
                    of_reference = groups + NUMBER * problem.rows() + BODY * bodies;
                }
                _ => {}
            }
        }
        (own + of_reference) as u64 + of_worlds
    }
}

#[cfg(test)]
mod tests {
    use delassus_core::{Friction, Law, MassProperties, Patch, ProblemBuilder, RollingContact};
    use nalgebra::Vector3;

    use super::*;

    /// A body with blocks of every law.
    fn problem() -> Problem {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
        let body = builder.body(mass, [0.0, -1.0, 0.0, 0.3, 0.0, 0.1]);
        let rolling = |spinning: Option<f64>| {
            let rolling = RollingContact {
                mu: 0.3,
                rolling: 0.2,
                spinning,
            };
            (rolling.rows(), Law::Rolling(Box::new(rolling)))
        };
        let patch = Patch {
            mu: 0.5,
            levers: vec![0.3, 0.4],
        };
        let laws = [
            (5, Law::Equality),
            (1, Law::UNILATERAL),
            (1, Law::Contact(Friction::Frictionless)),
            (3, Law::Contact(Friction::Coulomb { mu: 0.6 })),
            (5, Law::Patch(Box::new(patch))),
            rolling(None),
            rolling(Some(0.1)),
        ];
        for (dim, law) in laws {
            let row = |row: usize| -> [[f64; 6]; 1] {
                [std::array::from_fn(
                    |i| if i == row % 6 { 1.0 } else { 0.1 },
                )]
            };
            let rows: Vec<[[f64; 6]; 1]> = (0..dim).map(row).collect();
            builder.block(law, &[body], &rows);
        }
        builder.build().unwrap()
    }

    #[test]
    fn an_evaluator_holds_what_was_counted() {
        let problem = problem();
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let impulses = vec![0.1; problem.rows()];
        evaluator.evaluate_forms(&impulses).unwrap();
        let held = evaluator.held();
        assert_eq!(Evaluator::memory(&problem, [Metric::HEADLINE]), held);
        // the groups of all rows, which a reference takes
        evaluator.motion_norm(&impulses);
        let motion = evaluator.held() - held;
        let counted = Evaluator::memory(&problem, [Metric::HEADLINE, Metric::VelocityError]) - held;
        assert!(
            (motion..2 * motion).contains(&counted),
            "{counted} B for {motion} B"
        );
    }

    impl Evaluator<'_> {
        /// Bytes that the vectors have room for \[B\].
        fn held(&self) -> u64 {
            let numbers = [
                &self.root_scales,
                &self.own_velocities,
                &self.velocity,
                &self.work,
                &self.scratch,
                &self.momentum,
            ];
            let numbers = numbers.map(|numbers| numbers.capacity() * NUMBER);
            let motion = self.motion.get().map_or(0, Vec::capacity);
            let groups = size_of::<Group<'_>>() * (self.groups.list.capacity() + motion);
            let scales = size_of::<Scales>() * self.groups.scales.capacity();
            (numbers.iter().sum::<usize>() + groups + scales) as u64
        }
    }
}
