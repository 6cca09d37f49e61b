//! Torsional friction of a point without sliding friction, in every solver that takes it, against
//! closed forms.

use delassus_core::{Law, MassProperties, Problem, ProblemBuilder};
use nalgebra::Vector3;

use crate::anisotropic::solved_by_all;

/// Distance of the contact's normal from the centre of mass \[m\].
const ARM: f64 = 0.15;

/// A body of 1.3 kg that falls at 0.9 m/s and spins; normal and spin about y. An oblique spin row
/// couples both: the normal row turns the body about z, and so does a share of the spin row.
fn contact(rho: f64, spin: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.3, Vector3::new(0.03, 0.02, 0.05));
    let body = builder.body(mass, [0.4, -0.9, 0.2, 0.0, spin, 0.0]);
    let rows = [
        [[0.0, 1.0, 0.0, 0.0, 0.0, ARM]],
        [[0.0, 0.0, 0.0, 0.0, 0.8, 0.6]],
    ];
    builder.block(Law::torsional(rho), &[body], &rows);
    builder.build().expect("a valid problem")
}

#[test]
fn a_spin_slips_or_stops_as_by_hand() {
    // a uniform disc of 3 cm with μ = 0.43, and a Hertz contact of 8 mm: ρ = 2/3 μa, 3π/16 μa
    let disc = 2.0 / 3.0 * 0.43 * 0.03;
    let hertz = 0.589_048_622_548 * 0.43 * 0.008;
    // the push turns the body by 1.3 rad/s, which a spin of −1.65 rad/s nearly cancels
    for (rho, spin, sticks) in [
        (disc, 3.0, false),
        (disc, -3.0, false),
        (hertz, 5.0, false),
        (disc, -1.65, true),
    ] {
        let problem = contact(rho, spin);
        let mut own = [0.0; 4];
        problem.diagonal_block(0, &mut own);
        let b = problem.b();
        // slip: λ_s = ∓ρ λ_n and w_n = 0
        let sign = b[1].signum();
        let normal = -b[0] / (own[0] - sign * rho * own[1]);
        let mut expected = [normal, -sign * rho * normal];
        let rest = b[1] + own[2] * expected[0] + own[3] * expected[1];
        if rest * sign < 0.0 {
            // stick: both velocities are zero
            let det = own[0] * own[3] - own[1] * own[2];
            expected = [
                (own[1] * b[1] - own[3] * b[0]) / det,
                (own[2] * b[0] - own[0] * b[1]) / det,
            ];
            assert!(expected[1].abs() <= rho * expected[0]);
        }
        assert_eq!(rest * sign < 0.0, sticks, "{rest}");
        let count = solved_by_all(&problem, |entry, impulses, tolerance| {
            for (found, expected) in impulses.iter().zip(expected) {
                let id = entry.descriptor.id;
                assert!(
                    (found - expected).abs() < 4.0 * tolerance,
                    "{id} {impulses:?} {expected}"
                );
            }
            // the tangents have no rows: the body slides on as before
            let mut velocities = [0.0; 6];
            problem
                .body_velocities(impulses, &mut velocities)
                .expect("bodies");
            assert_eq!([velocities[0], velocities[2]], [0.4, 0.2]);
        });
        assert!(count > 20, "{count} solvers");
    }
}
