//! Problems for the wide solver that no generator makes: joints in turned frames, manifolds of one
//! to four normals.

use delassus_core::{Friction, Law, MassProperties, Patch, Problem, ProblemBuilder};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::support::point;

/// Numbers in −1 to 1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let Self(state) = self;
        // the multiplier and increment of Knuth's MMIX
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    fn frame(&mut self) -> Matrix3<f64> {
        Rotation3::from_scaled_axis(3.0 * self.vector()).into_inner()
    }

    fn body(&mut self, builder: &mut ProblemBuilder) -> usize {
        let turn = self.frame();
        let moments = Vector3::new(1.0, 2.0, 3.0) + 0.5 * self.vector();
        let inertia = turn * Matrix3::from_diagonal(&moments) * turn.transpose();
        let mass = MassProperties {
            inverse_inertia: 0.5 * (inertia + inertia.transpose()),
            ..point(1.0 + 0.5 * self.next())
        };
        let (v, w) = (self.vector(), self.vector());
        builder.body(mass, [v.x, v.y, v.z, w.x, w.y, w.z])
    }
}

/// J of a direction at two arms, or at one for a block of one body.
fn row(direction: Vector3<f64>, arms: &[Vector3<f64>]) -> Vec<[f64; 6]> {
    let last = arms.len() - 1;
    let entry = |(side, arm): (usize, &Vector3<f64>)| {
        let d = if side == last { direction } else { -direction };
        let turning = arm.cross(&d);
        [d.x, d.y, d.z, turning.x, turning.y, turning.z]
    };
    arms.iter().enumerate().map(entry).collect()
}

fn spin(axis: Vector3<f64>, bodies: usize) -> Vec<[f64; 6]> {
    let second = [0.0, 0.0, 0.0, axis.x, axis.y, axis.z];
    if bodies == 1 {
        return vec![second];
    }
    vec![second.map(|x: f64| -x), second]
}

/// A chain of bodies with joints of three to six rows, whose points have turned frames; every fifth
/// joint has one body. A soft chain has another softness in every row.
pub(crate) fn turned_joints(softness: f64) -> Problem {
    let mut noise = Noise(7);
    let mut builder = ProblemBuilder::new();
    let mut above = noise.body(&mut builder);
    for joint in 0..40 {
        let below = noise.body(&mut builder);
        let bodies = if joint % 5 == 0 {
            vec![below]
        } else {
            vec![above, below]
        };
        let arms: Vec<_> = bodies.iter().map(|_| 0.5 * noise.vector()).collect();
        let frame = noise.frame();
        let mut rows: Vec<_> = (0..3)
            .map(|axis| row(frame.column(axis).into_owned(), &arms))
            .collect();
        let axes = noise.frame();
        for axis in 0..joint % 4 {
            rows.push(spin(axes.column(axis).into_owned(), bodies.len()));
        }
        let rows: Vec<_> = rows.iter().map(Vec::as_slice).collect();
        let compliance: Vec<f64> = (1..=rows.len()).map(|row| softness * row as f64).collect();
        let bias: Vec<f64> = rows.iter().map(|_| 0.1 * noise.next()).collect();
        builder.block(Law::Equality, &bodies, &rows);
        builder.compliance(&compliance).bias(&bias);
        above = below;
    }
    builder.build().expect("a valid chain")
}

/// Patches and frictionless manifolds of one to four normals, on one body and on two, with bias and
/// softness in all rows.
pub(crate) fn short_manifolds() -> Problem {
    let mut noise = Noise(11);
    let mut builder = ProblemBuilder::new();
    let mut above = noise.body(&mut builder);
    for manifold in 0..48 {
        let below = noise.body(&mut builder);
        let bodies = if manifold % 5 == 0 {
            vec![below]
        } else {
            vec![above, below]
        };
        let arms: Vec<_> = bodies.iter().map(|_| 0.5 * noise.vector()).collect();
        let frame = noise.frame();
        let [n, t, s] = [0, 1, 2].map(|axis| frame.column(axis).into_owned());
        let normals = 1 + manifold % 4;
        let offsets: Vec<_> = (0..normals)
            .map(|_| 0.4 * noise.next() * t + 0.4 * noise.next() * s)
            .collect();
        let at = |offset: &Vector3<f64>| arms.iter().map(|arm| arm + offset).collect::<Vec<_>>();
        let mut rows: Vec<_> = offsets.iter().map(|offset| row(n, &at(offset))).collect();
        if manifold % 3 == 0 {
            for row in &rows {
                builder.block(Law::Contact(Friction::Frictionless), &bodies, &[row]);
                builder.bias(&[0.1 * noise.next()]).compliance(&[0.01]);
            }
        } else {
            rows.extend([row(t, &arms), row(s, &arms), spin(n, bodies.len())]);
            let levers = offsets.iter().map(Vector3::norm).collect();
            let law = Law::Patch(Box::new(Patch { mu: 0.4, levers }));
            let slices: Vec<_> = rows.iter().map(Vec::as_slice).collect();
            builder.block(law, &bodies, &slices);
            let bias: Vec<f64> = rows.iter().map(|_| 0.1 * noise.next()).collect();
            builder.bias(&bias).compliance(&vec![0.01; rows.len()]);
        }
        above = below;
    }
    builder.build().expect("valid manifolds")
}
