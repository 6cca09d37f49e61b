//! Friction in finitely many directions (F4) against closed forms and against its complementarity
//! problem.

use delassus_core::{
    Friction, ImpulseSolver, Law, MassProperties, Polygon, Problem, ProblemBuilder, Start,
};
use delassus_solver_si::Order;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::support::{
    block_gs, convergent, largest_difference, pgs, point, residual, run, velocity,
};

const MU: f64 = 0.5;

/// A contact with its normal along y and tangents along x and −z, at an arm of one body that moves
/// like this.
fn contact(mass: MassProperties, arm: Vector3<f64>, free: [f64; 3], friction: Friction) -> Problem {
    let mut builder = ProblemBuilder::new();
    let [x, y, z] = free;
    let body = builder.body(mass, [x, y, z, 0.0, 0.0, 0.0]);
    let rows = [Vector3::y(), Vector3::x(), -Vector3::z()].map(|axis| {
        let turning = arm.cross(&axis);
        [[axis.x, axis.y, axis.z, turning.x, turning.y, turning.z]]
    });
    builder.block(Law::Contact(friction), &[body], &rows);
    builder.build().expect("valid")
}

/// A mass of 2 kg that is pressed with 3 N·s and slides at `speed` m/s, `angle` rad from the first
/// tangent.
fn sliding(speed: f64, angle: f64, friction: Friction) -> Problem {
    let (sine, cosine) = libm::sincos(angle);
    let free = [speed * cosine, -1.5, -speed * sine];
    contact(point(2.0), Vector3::zeros(), free, friction)
}

fn facets(facets: u32) -> Friction {
    Friction::Facets { mu: MU, facets }
}

fn solved(problem: &Problem) -> Vec<f64> {
    let mut first: Option<Vec<f64>> = None;
    for mut solver in convergent(Order::Natural) {
        let found = run(solver.as_mut(), problem, Start::Cold, 300);
        let left = residual(problem, &found);
        // one contact converges to rounding
        assert!(left < 1e-12, "{}: {left:e}", solver.descriptor().id);
        let first = first.get_or_insert_with(|| found.clone());
        assert!(largest_difference(first, &found) < 1e-11);
    }
    first.expect("there are solvers")
}

/// What moves fast is braked at the corner nearest to where it comes from, and half way between two
/// corners by their mean.
#[test]
fn directions_of_friction_are_those_of_corners() {
    for d in [4u32, 8] {
        let wedge = 360.0 / f64::from(d);
        for degrees in 0..360 {
            let angle = f64::from(degrees).to_radians();
            let problem = sliding(100.0, angle, facets(d));
            let [normal, t, s] = solved(&problem)[..] else {
                panic!("three rows");
            };
            assert!((normal - 3.0).abs() < 1e-12);
            let against = f64::from(degrees) + 180.0;
            let [before, after] = [0.0, 1.0].map(|i| wedge * ((against / wedge).floor() + i));
            let middle = 0.5 * (before + after);
            if (against - middle).abs() < 1e-9 {
                // half way: the middle of the edge, and the weakest friction there is
                let (sine, cosine) = libm::sincos(middle.to_radians());
                let size = MU * 3.0 * libm::cos(std::f64::consts::PI / f64::from(d));
                assert!((t - size * cosine).abs() < 1e-9 && (s - size * sine).abs() < 1e-9);
                continue;
            }
            // an edge at most 1.5 N·s long is passed within a degree of its middle at 200 N·s
            let corner = if against < middle { before } else { after };
            let (sine, cosine) = libm::sincos(corner.to_radians());
            let near = (t - 1.5 * cosine).abs() < 1e-12 && (s - 1.5 * sine).abs() < 1e-12;
            assert!(near, "{d} facets, {degrees}°: {t} {s}");
        }
    }
}

/// Slow bodies stop, and in between friction is the nearest point of the polygon to what would stop
/// them.
#[test]
fn what_friction_can_stop_it_stops() {
    // along an edge's middle 1.5 cos(45°) = 1.0607 N·s hold, along a corner 1.5
    for (angle, threshold) in [(0.0, 0.75), (45.0f64, 0.75 * 0.5f64.sqrt())] {
        for (speed, stops) in [(0.999 * threshold, true), (1.001 * threshold, false)] {
            let problem = sliding(speed, angle.to_radians(), facets(4));
            let w = velocity(&problem, &solved(&problem));
            let slip = (w[1] * w[1] + w[2] * w[2]).sqrt();
            assert_eq!(slip < 1e-12, stops, "{angle}° {speed}: {slip}");
        }
    }
    // 2 kg at (1, 0.5) m/s: (2, 1) N·s would stop it; |x| + |y| ≤ 1.5 leaves (1.25, 0.25)
    let problem = sliding(1.25f64.sqrt(), libm::atan2(0.5, 1.0), facets(4));
    let found = solved(&problem);
    assert!(
        largest_difference(&found, &[3.0, -1.25, -0.25]) < 1e-12,
        "{found:?}"
    );
}

#[test]
fn many_facets_are_the_disc() {
    for angle in [0.1, 1.3, 2.9, 4.4] {
        for speed in [0.5, 0.8, 20.0] {
            let disc = solved(&sliding(speed, angle, Friction::Disc { mu: MU }));
            let mut last = f64::INFINITY;
            for d in [16u32, 128, 1024] {
                let found = solved(&sliding(speed, angle, facets(d)));
                let miss = largest_difference(&found, &disc);
                // a direction is half a wedge off at most
                assert!(miss <= 1.5 * std::f64::consts::PI / f64::from(d) + 1e-12);
                assert!(miss <= last + 1e-12);
                last = miss;
            }
        }
    }
}

/// Turning the tangents by one wedge is the same law.
#[test]
fn a_wedge_further_the_law_is_the_same() {
    let wedge = std::f64::consts::FRAC_PI_4;
    for angle in [0.0, 0.2, 0.39, 0.5] {
        for speed in [0.6, 0.74, 5.0] {
            let one = solved(&sliding(speed, angle, facets(8)));
            let other = solved(&sliding(speed, angle + wedge, facets(8)));
            let (sine, cosine) = libm::sincos(wedge);
            let turned = [
                one[0],
                cosine * one[1] - sine * one[2],
                sine * one[1] + cosine * one[2],
            ];
            assert!(largest_difference(&turned, &other) < 1e-12);
        }
    }
}

/// All solutions of 0 ≤ z ⊥ M z + q ≥ 0, by trying every set of positive z.
fn complementarity_solutions(m: &DMatrix<f64>, q: &DVector<f64>) -> Vec<DVector<f64>> {
    let size = q.len();
    let mut found = Vec::new();
    if q.iter().all(|x| *x >= 0.0) {
        found.push(DVector::zeros(size));
    }
    for set in 1u32..1 << size {
        let free: Vec<usize> = (0..size).filter(|i| set >> i & 1 == 1).collect();
        let own = DMatrix::from_fn(free.len(), free.len(), |i, j| m[(free[i], free[j])]);
        let right = DVector::from_fn(free.len(), |i, _| -q[free[i]]);
        let Some(part) = own.lu().solve(&right) else {
            continue;
        };
        let mut z = DVector::zeros(size);
        for (i, value) in free.iter().zip(part.iter()) {
            z[*i] = *value;
        }
        let w = m * &z + q;
        if z.iter().chain(w.iter()).all(|x| *x > -1e-10) {
            found.push(z);
        }
    }
    found
}

/// The law as a linear complementarity problem in (λ_n, β, σ): λ_t = D β, σ the slip [Stewart1996].
fn stewart_trinkle(a: &DMatrix<f64>, b: &[f64], d: u32) -> Vec<[f64; 3]> {
    let corners: Vec<[f64; 2]> = (0..d).map(|i| Polygon::new(d).corner(i)).collect();
    let count = corners.len();
    // rows of λ that z gives: λ_n, then D
    let give = DMatrix::from_fn(3, count + 2, |row, column| match (row, column) {
        (0, 0) => 1.0,
        (1 | 2, c) if (1..=count).contains(&c) => corners[c - 1][row - 1],
        _ => 0.0,
    });
    let mut m = give.transpose() * a * &give;
    let mut q = give.transpose() * DVector::from_column_slice(b);
    let last = count + 1;
    m[(last, 0)] = MU;
    for i in 1..=count {
        m[(i, last)] = 1.0;
        m[(last, i)] = -1.0;
    }
    q[last] = 0.0;
    let solutions = complementarity_solutions(&m, &q);
    let impulses = solutions.iter().map(|z| {
        let x = &give * z;
        [x[0], x[1], x[2]]
    });
    impulses.collect()
}

#[test]
fn the_linear_complementarity_problem_has_the_same_solution() {
    let mass = |k: f64| MassProperties {
        inverse_mass: Vector3::repeat(0.5),
        inverse_inertia: Matrix3::from_diagonal(&Vector3::new(1.0 + k, 2.0, 0.5)),
    };
    for k in 0..24u32 {
        let (sine, cosine) = libm::sincos(f64::from(k) * 0.6);
        let arm = Vector3::new(0.2 * sine, -0.5, 0.3 * cosine);
        let speed = 0.2 + 0.1 * f64::from(k);
        let free = [speed * cosine, -1.0, speed * sine];
        for d in [4, 8] {
            let problem = contact(mass(f64::from(k % 5)), arm, free, facets(d));
            let a = DMatrix::from_fn(3, 3, |i, j| {
                let (mut unit, mut column) = ([0.0; 3], [0.0; 3]);
                unit[j] = 1.0;
                problem.apply_delassus(&unit, &mut column);
                column[i]
            });
            let oracle = stewart_trinkle(&a, problem.b(), d);
            assert!(!oracle.is_empty());
            let solvers: [&mut dyn ImpulseSolver; 2] =
                [&mut block_gs(1.0, Order::Natural), &mut pgs(Order::Natural)];
            for solver in solvers {
                let found = run(solver, &problem, Start::Cold, 2000);
                let miss = oracle.iter().map(|x| largest_difference(x, &found));
                let miss = miss.fold(f64::INFINITY, f64::min);
                assert!(miss < 1e-10, "{k}, {d}: {found:?} {oracle:?}");
            }
        }
    }
}
