//! One body on a spring, and what its steps must do.

use delassus_core::Softness;
use delassus_dynamics::constraints::{AngularServo, Distance, LinearServo};
use delassus_dynamics::{Body, Inertia, Joint, Scheme, Signal, VelocityScheme, World, WorldParts};
use nalgebra::Vector3;

use super::TOLERANCE;

/// Kinds of rows that a spring can act on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Distance,
    LinearServo,
    AngularServo,
}

pub(super) const KINDS: [Kind; 3] = [Kind::Distance, Kind::LinearServo, Kind::AngularServo];

/// One body on a spring to a fixed one, or to another body where `other` has a mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Oscillator {
    pub(super) kind: Kind,
    /// Mass \[kg\], or moment \[kg·m²\].
    pub(super) mass: f64,
    pub(super) other: Option<f64>,
    /// Deflection at the start \[m | rad\].
    pub(super) x0: f64,
    /// Its rate \[m/s | rad/s\].
    pub(super) v0: f64,
}

impl Oscillator {
    pub(super) fn new(kind: Kind, mass: f64) -> Self {
        Self {
            kind,
            mass,
            other: None,
            x0: 0.1,
            v0: 0.0,
        }
    }

    /// A_ii of the row.
    pub(super) fn diagonal(&self) -> f64 {
        1.0 / self.mass + self.other.map_or(0.0, |mass| 1.0 / mass)
    }

    pub(super) fn build(&self, softness: Softness) -> World {
        let mut parts = WorldParts::default();
        let x = Vector3::x();
        let inertia = |mass: f64| match self.kind {
            Kind::AngularServo => Inertia::new(1.0, Vector3::repeat(mass)),
            Kind::Distance | Kind::LinearServo => Inertia::point(mass),
        };
        let first = match self.other {
            Some(mass) => Body::dynamic(inertia(mass), Vector3::zeros()),
            None => Body::fixed(Vector3::zeros()),
        };
        let second = |position: f64| Body::dynamic(inertia(self.mass), position * x);
        let (second, joint) = match self.kind {
            Kind::Distance => {
                let rod = Distance {
                    bodies: [0, 1],
                    anchors: [Vector3::zeros(); 2],
                    length: Signal::Constant(1.0),
                };
                (second(1.0 + self.x0), Joint::new(rod))
            }
            Kind::LinearServo => {
                let servo = LinearServo {
                    bodies: [0, 1],
                    anchors: [Vector3::zeros(); 2],
                    axis: x,
                    target: Signal::Constant(0.0),
                };
                (second(self.x0), Joint::new(servo))
            }
            Kind::AngularServo => {
                let servo = AngularServo {
                    bodies: [0, 1],
                    axes: [x; 2],
                    target: Signal::Constant(0.0),
                };
                let orientation = delassus_dynamics::rotation::about(&x, self.x0);
                (second(0.0).turned(orientation), Joint::new(servo))
            }
        };
        let (linear, angular) = match self.kind {
            Kind::AngularServo => (Vector3::zeros(), self.v0 * x),
            Kind::Distance | Kind::LinearServo => (self.v0 * x, Vector3::zeros()),
        };
        parts.body(first);
        parts.body(second.moving(linear, angular));
        parts.joint(joint.soft(softness));
        parts.build().unwrap()
    }

    /// Deflection and its rate.
    pub(super) fn state(&self, world: &World) -> (f64, f64) {
        let [a, b] = [&world.bodies()[0], &world.bodies()[1]];
        let rate = match self.kind {
            Kind::AngularServo => b.spin.x - a.spin.x,
            Kind::Distance | Kind::LinearServo => b.velocity.x - a.velocity.x,
        };
        (world.joint_errors()[0].1, rate)
    }

    /// The states after 0, 1, … `steps` steps.
    pub(super) fn run(
        &self,
        softness: Softness,
        mut scheme: VelocityScheme,
        h: f64,
        steps: usize,
    ) -> Vec<(f64, f64)> {
        let mut world = self.build(softness);
        let mut states = vec![self.state(&world)];
        for _ in 0..steps {
            scheme.step(&mut world, h, &mut ()).unwrap();
            states.push(self.state(&world));
        }
        states
    }
}

/// The implicit-Euler recurrence of O2 (S.2), written out.
pub(super) fn recurrence(
    omega: f64,
    zeta: f64,
    h: f64,
    start: (f64, f64),
    steps: usize,
) -> Vec<(f64, f64)> {
    let (mut x, mut v) = start;
    let mut states = vec![start];
    for _ in 0..steps {
        v = (v - h * omega * omega * x) / (1.0 + 2.0 * zeta * omega * h + omega * omega * h * h);
        x += h * v;
        states.push((x, v));
    }
    states
}

pub(super) fn assert_same(found: &[(f64, f64)], expected: &[(f64, f64)], omega: f64, what: &str) {
    let scale = expected[0].0.abs() + expected[0].1.abs() / omega;
    for (step, (a, b)) in found.iter().zip(expected).enumerate() {
        let error = (a.0 - b.0).abs() + (a.1 - b.1).abs() / omega;
        assert!(
            error <= TOLERANCE * scale,
            "{what}, step {step}: {a:?}, not {b:?}"
        );
    }
    assert_eq!(found.len(), expected.len());
}
