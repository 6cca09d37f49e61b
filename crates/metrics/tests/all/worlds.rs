//! The natural map of worlds is that of each by itself.

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_metrics::{Evaluator, Metric, MetricError, MetricInput};
use nalgebra::Vector3;

/// A box of mass m \[kg\] that falls at 1 m/s onto a frictionless contact: λ = m stops it.
fn falling(m: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(m, Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    builder.block(Law::Contact(Friction::Frictionless), &[body], &[[up]]);
    builder.build().unwrap()
}

fn value(evaluator: &mut Evaluator<'_>, metric: Metric, impulses: &[f64]) -> f64 {
    let residuals = evaluator.evaluate(impulses).unwrap();
    let answer = MetricInput::new(impulses);
    evaluator
        .value(metric, &residuals, &answer)
        .unwrap()
        .unwrap()
}

#[test]
fn a_light_world_is_not_hidden_by_a_heavy_one() {
    // of four worlds one has nothing of its impulse, one a quarter, one a half and one everything
    let masses = [1e-6, 2.0, 1e3, 8.0];
    let problem = Problem::concatenate(masses.map(falling)).unwrap();
    let impulses = [0.0, 0.5, 500.0, 8.0];
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let maps = evaluator.natural_map_of_worlds(&impulses).unwrap();
    assert_eq!(maps, [1.0, 0.75, 0.5, 0.0]);
    let worst = value(&mut evaluator, Metric::NaturalMapWorld, &impulses);
    let median = value(&mut evaluator, Metric::NaturalMapWorldMedian, &impulses);
    assert_eq!((worst, median), (1.0, 0.75));
    // the whole sees the heavy one
    let whole = value(&mut evaluator, Metric::NaturalMap, &[0.0, 2.0, 1e3, 8.0]);
    assert!(whole < 1e-4, "{whole:e}");
}

#[test]
fn one_world_is_the_whole() {
    let problem = falling(3.0);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let whole = evaluator.evaluate(&[1.0]).unwrap().natural_map;
    for metric in [Metric::NaturalMapWorld, Metric::NaturalMapWorldMedian] {
        assert_eq!(value(&mut evaluator, metric, &[1.0]), whole);
    }
    let broken = evaluator.natural_map_of_worlds(&[f64::NAN]);
    assert!(matches!(broken, Err(MetricError::NonFinite { .. })));
    assert!(evaluator.natural_map_of_worlds(&[]).is_err());
    let nothing = ProblemBuilder::new().build().unwrap();
    let mut evaluator = Evaluator::new(&nothing).unwrap();
    assert_eq!(
        value(&mut evaluator, Metric::NaturalMapWorldMedian, &[]),
        0.0
    );
}
