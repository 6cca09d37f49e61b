//! Problems that give their contact points are packed to the bits of those that give rows.

use delassus_core::{
    Activity, Changes, Friction, Law, MassProperties, Operator, Problem, ProblemBuilder,
};
use delassus_solver_jacobi::pack::{Pack, PackThreads};
use delassus_solver_jacobi::real::Real;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting, StepRule};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// Numbers between −1 and 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> Rotation3<f64> {
        let v = self.vector();
        UnitQuaternion::from_scaled_axis(3.0 * v).to_rotation_matrix()
    }

    /// Heavy and light bodies whose axes point anywhere, and every seventh that nothing moves.
    fn mass(&mut self, body: usize) -> MassProperties {
        if body % 7 == 3 {
            return MassProperties::immovable();
        }
        let axes = self.rotation();
        let moments = Vector3::from_fn(|_, _| 1.5 + self.next());
        let inertia = axes.matrix() * Matrix3::from_diagonal(&moments) * axes.matrix().transpose();
        MassProperties {
            inverse_mass: Vector3::repeat(1.2 + self.next()),
            inverse_inertia: 0.5 * (inertia + inertia.transpose()),
        }
    }
}

/// Bodies in a row, and manifolds of one to `most` points between neighbours, in an order that
/// comes back to the same pair; every fourth pair has two frames, or centres that are not the same.
fn chain(friction: impl Fn(usize) -> Friction, bodies: usize, most: usize) -> Problem {
    let mut numbers = Numbers(41);
    let mut builder = ProblemBuilder::new();
    let all: Vec<usize> = (0..bodies)
        .map(|body| {
            let mass = numbers.mass(body);
            builder.body(mass, [0; 6].map(|_| numbers.next()))
        })
        .collect();
    for pair in 0..bodies - 1 {
        let pair_of = [all[pair], all[pair + 1]];
        let frames = if pair % 4 == 2 { 2 } else { 1 };
        for frame in 0..frames {
            let turn = numbers.rotation();
            builder.axes(&[0, 1, 2].map(|axis| turn.matrix().column(axis).into_owned()));
            let between = numbers.vector();
            for point in 0..1 + (pair + frame) % most {
                let arm = numbers.vector();
                let shift = if pair % 4 == 1 && point == 2 {
                    1e-3
                } else {
                    0.0
                };
                let arms = [arm + between.add_scalar(shift), arm];
                builder.point(Law::Contact(friction(pair)), pair_of, &arms);
                builder.bias(&[numbers.next(), 0.0, 0.0]);
                builder.compliance(&[0.1 + 0.1 * numbers.next(), 0.0, 0.0]);
            }
        }
    }
    builder.build().expect("valid")
}

/// The same problem, given by rows.
fn by_rows(problem: &Problem) -> Problem {
    let mut parts = problem.clone().into_parts();
    if let Operator::Bodies(bodies) = &mut parts.operator {
        assert!(bodies.jacobian.has_points());
        bodies.jacobian.edit(|_| {});
        assert!(!bodies.jacobian.has_points());
    }
    Problem::new(parts).expect("valid")
}

fn rules() -> Vec<StepRule> {
    let mut rules = Vec::new();
    for rule in [
        FactorRule::Diagonal,
        FactorRule::Count,
        FactorRule::MaxCount,
        FactorRule::MassSplit,
    ] {
        for splitting in [Splitting::Rows, Splitting::Blocks] {
            for sweep in [LocalSweep::Points, LocalSweep::Block] {
                rules.push(StepRule {
                    rule,
                    splitting,
                    sweep,
                    omega: 0.7,
                });
            }
        }
    }
    rules
}

#[track_caller]
fn assert_same<T: Real>(given: &Pack<T>, rows: &Pack<T>) {
    assert_eq!(given.manifolds, rows.manifolds);
    assert_eq!(given.units, rows.units);
    assert_eq!(given.slots, rows.slots);
    assert_eq!(given.bodies, rows.bodies);
    assert_eq!(given.active_rows(), rows.active_rows());
    assert_eq!(given.traffic(true), rows.traffic(true));
}

fn laws(pair: usize) -> Friction {
    let mu = 0.3 + 0.1 * (pair % 3) as f64;
    match pair % 6 {
        0 => Friction::Frictionless,
        1 => Friction::FixedBox { limit: mu },
        2 => Friction::Pyramid { mu },
        3 => Friction::Disc { mu },
        4 => Friction::Coulomb { mu },
        _ => Friction::ConvexCone { mu },
    }
}

#[test]
fn points_pack_to_the_bits_of_their_rows() {
    let given = chain(laws, 90, 9);
    let rows = by_rows(&given);
    for rule in rules() {
        let pack = |problem| Pack::<f32>::new(problem, rule).expect("bodies");
        assert_same(&pack(&given), &pack(&rows));
        let pack = |problem| Pack::<f64>::new(problem, rule).expect("bodies");
        assert_same(&pack(&given), &pack(&rows));
    }
    assert!(
        given
            .bodies()
            .is_some_and(|bodies| !bodies.jacobian.is_derived())
    );
}

#[test]
fn chunks_of_points_change_no_bit() {
    let disc = |_: usize| Friction::Disc { mu: 0.4 };
    // more blocks and bodies than a chunk has, and manifolds over the borders of chunks
    let given = chain(disc, 6000, 6);
    let rows = by_rows(&given);
    let on = |threads, problem| Pack::<f32>::on(threads, problem, StepRule::default());
    let one = on(PackThreads::One, &given).expect("bodies");
    assert!(given.blocks().len() > 3 * 4096);
    assert_same(&on(PackThreads::All, &given).expect("bodies"), &one);
    assert_same(&on(PackThreads::All, &rows).expect("bodies"), &one);
}

/// A unit ends after 64 blocks, and with it a manifold.
#[test]
fn long_units_of_points_are_cut_as_units_of_rows() {
    let mut numbers = Numbers(5);
    let mut builder = ProblemBuilder::new();
    let bodies = [0, 1].map(|body| builder.body(numbers.mass(body), [0.0; 6]));
    builder.axes(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    let between = numbers.vector();
    for _ in 0..150 {
        let arm = numbers.vector();
        let friction = Friction::Coulomb { mu: 0.5 };
        builder.point(Law::Contact(friction), bodies, &[arm + between, arm]);
    }
    let given = builder.build().expect("valid");
    let rows = by_rows(&given);
    for threads in [PackThreads::One, PackThreads::All] {
        let pack = |problem| Pack::<f32>::on(threads, problem, StepRule::default());
        let pack = [pack(&given), pack(&rows)].map(|pack| pack.expect("bodies"));
        assert_same(&pack[0], &pack[1]);
        assert_eq!(pack[0].manifolds.len(), 16 + 16 + 6);
    }
}

#[test]
fn points_refresh_to_the_bits_of_their_rows() {
    let mut given = chain(laws, 80, 5);
    let mut rows = by_rows(&given);
    let pack = |problem: &Problem| Pack::<f32>::new(problem, StepRule::default()).expect("bodies");
    let (mut one, mut other) = (pack(&given), pack(&rows));
    let held: Vec<Activity> = (0..given.blocks().len())
        .map(|block| match block % 5 {
            0 => Activity::Hold,
            1 => Activity::NormalsOnly,
            _ => Activity::Solve,
        })
        .collect();
    let bias: Vec<f64> = (0..given.rows())
        .map(|row| {
            if row % 3 == 0 {
                0.01 * (row % 11) as f64
            } else {
                0.0
            }
        })
        .collect();
    for problem in [&mut given, &mut rows] {
        problem.set_activity(&held).expect("one per block");
        problem.set_bias(&bias).expect("finite");
    }
    assert_eq!(one.refresh(&given, Changes::ALL), Ok(true));
    assert_eq!(other.refresh(&rows, Changes::ALL), Ok(true));
    assert_same(&one, &other);
    assert_same(&one, &pack(&given));
    // tangents get their first bias: both have no room for it
    let tangents: Vec<f64> = bias.iter().map(|_| 0.125).collect();
    for (problem, pack) in [(&mut given, &mut one), (&mut rows, &mut other)] {
        problem.set_bias(&tangents).expect("finite");
        assert_eq!(pack.refresh(problem, Changes::ALL), Ok(false));
    }
    assert_same(&pack(&given), &pack(&rows));
}
