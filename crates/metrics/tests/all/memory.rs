//! Evaluators that take over the memory of earlier ones.

use delassus_metrics::{Evaluator, EvaluatorMemory, Residuals};

use crate::problems::{SI, bodies, impulses, laws};

#[test]
fn what_was_judged_before_does_not_show() {
    let laws = laws(SI);
    let all: Vec<usize> = (0..laws.len()).collect();
    let mut memory = EvaluatorMemory::default();
    // shorter and longer problems, the laws in other places
    for (seed, order) in [(1, &all[..]), (2, &all[..3]), (3, &all[2..]), (4, &all[..])] {
        let problem = bodies(seed, &laws, SI, 0.05, order);
        let impulses = impulses(seed, &laws, SI, order);
        let bits = |residuals: Residuals| {
            let values = residuals.iter().map(|(_, value)| value.to_bits());
            values.collect::<Vec<_>>()
        };
        let expected = Evaluator::new(&problem).unwrap().evaluate(&impulses);
        let expected = expected.unwrap();
        let mut evaluator = Evaluator::in_memory_of(memory, &problem).unwrap();
        let found = evaluator.evaluate(&impulses).unwrap();
        assert_eq!(bits(found), bits(expected));
        let alone = evaluator.natural_map(&impulses).unwrap();
        assert_eq!(alone.to_bits(), expected.natural_map.to_bits());
        assert!(evaluator.natural_map(&impulses[1..]).is_err());
        let mut again = Evaluator::again(evaluator.into_memory(), &problem).unwrap();
        assert_eq!(
            again.energy_scale(),
            Evaluator::new(&problem).unwrap().energy_scale()
        );
        assert_eq!(bits(again.evaluate(&impulses).unwrap()), bits(expected));
        let decides = Evaluator::new(&problem)
            .unwrap()
            .deciding_natural_map(&impulses)
            .unwrap();
        assert_eq!(
            again.deciding_natural_map(&impulses).unwrap().to_bits(),
            decides.to_bits()
        );
        memory = again.into_memory();
    }
}
