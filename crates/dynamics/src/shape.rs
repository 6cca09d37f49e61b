//! Inertia of solid shapes of uniform density.

use std::f64::consts::PI;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::body::Inertia;
use crate::error::FieldError;

/// A solid of uniform density with its centre of mass at the origin; the axis of the round ones is the body's y.
///
/// A shape only gives a mass and moments of inertia: nothing collides with it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// Radius \[m\]; > 0.
        radius: f64,
    },
    /// A box along the body's axes.
    Box {
        /// Half of its edges \[m\]; each > 0.
        half: Vector3<f64>,
    },
    /// A cylinder closed by two half balls.
    Capsule {
        /// Half of the length of the cylinder, without the half balls \[m\]; ≥ 0.
        half_length: f64,
        /// Radius \[m\]; > 0.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Half of its length \[m\]; > 0.
        half_length: f64,
        /// Radius \[m\]; > 0.
        radius: f64,
    },
}

impl Shape {
    /// Volume \[m³\].
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Sphere { radius } => ball_volume(radius),
            Self::Box { half } => 8.0 * half.x * half.y * half.z,
            Self::Capsule {
                half_length,
                radius,
            } => 2.0 * PI * radius * radius * half_length + ball_volume(radius),
            Self::Cylinder {
                half_length,
                radius,
            } => 2.0 * PI * radius * radius * half_length,
        }
    }

    /// Mass and inertia at a density \[kg/m³\].
    ///
    /// # Errors
    /// A size or a density that is not finite and above zero.
    pub fn inertia(&self, density: f64) -> Result<Inertia, FieldError> {
        FieldError::positive("density", density)?;
        self.solid(density * self.volume())
    }

    /// Inertia of a solid of this shape with a mass \[kg\].
    ///
    /// # Errors
    /// A size or a mass that is not finite and above zero.
    pub fn solid(&self, mass: f64) -> Result<Inertia, FieldError> {
        self.validate()?;
        FieldError::positive("mass", mass)?;
        Ok(Inertia::new(mass, mass * self.gyration()))
    }

    /// Principal moments per mass \[m²\].
    fn gyration(&self) -> Vector3<f64> {
        match *self {
            Self::Sphere { radius } => Vector3::repeat(0.4 * radius * radius),
            Self::Box { half } => {
                let square = half.component_mul(&half) / 3.0;
                Vector3::new(
                    square.y + square.z,
                    square.x + square.z,
                    square.x + square.y,
                )
            }
            Self::Capsule {
                half_length,
                radius,
            } => capsule(half_length, radius, self.volume()),
            Self::Cylinder {
                half_length,
                radius,
            } => {
                let along = 0.5 * radius * radius;
                let across = 0.25 * radius * radius + half_length * half_length / 3.0;
                Vector3::new(across, along, across)
            }
        }
    }

    fn validate(&self) -> Result<(), FieldError> {
        match *self {
            Self::Sphere { radius } => FieldError::positive("radius", radius),
            Self::Box { half } => {
                FieldError::positive("half[0]", half.x)?;
                FieldError::positive("half[1]", half.y)?;
                FieldError::positive("half[2]", half.z)
            }
            Self::Capsule {
                half_length,
                radius,
            } => {
                FieldError::non_negative("half_length", half_length)?;
                FieldError::positive("radius", radius)
            }
            Self::Cylinder {
                half_length,
                radius,
            } => {
                FieldError::positive("half_length", half_length)?;
                FieldError::positive("radius", radius)
            }
        }
    }
}

fn ball_volume(radius: f64) -> f64 {
    4.0 / 3.0 * PI * radius * radius * radius
}

/// Moments per mass of a capsule \[m²\].
fn capsule(half_length: f64, radius: f64, volume: f64) -> Vector3<f64> {
    let (square, length_square) = (radius * radius, half_length * half_length);
    let balls = ball_volume(radius) / volume;
    let tube = 1.0 - balls;
    let along = tube * 0.5 * square + balls * 0.4 * square;
    // a half ball has its centre of mass 3/8 of the radius from its flat side
    let tube_across = 0.25 * square + length_square / 3.0;
    let balls_across = 0.4 * square + length_square + 0.75 * half_length * radius;
    let across = tube * tube_across + balls * balls_across;
    Vector3::new(across, along, across)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume and moments per density of a solid of revolution about y by slices (midpoint rule).
    fn slices(half_height: f64, radius_at: impl Fn(f64) -> f64) -> (f64, Vector3<f64>) {
        let count = 200_000;
        let thickness = 2.0 * half_height / f64::from(count);
        let (mut volume, mut along, mut across) = (0.0, 0.0, 0.0);
        for k in 0..count {
            let y = (f64::from(k) + 0.5) * thickness - half_height;
            let square = radius_at(y) * radius_at(y);
            let slice = PI * square * thickness;
            volume += slice;
            along += 0.5 * slice * square;
            across += slice * (0.25 * square + y * y);
        }
        (volume, Vector3::new(across, along, across))
    }

    fn assert_agrees(shape: Shape, (volume, moments): (f64, Vector3<f64>)) {
        let density = 700.0;
        let inertia = shape.inertia(density).unwrap();
        assert!((shape.volume() / volume - 1.0).abs() < 1e-9, "{shape:?}");
        assert!(
            (inertia.mass / (density * volume) - 1.0).abs() < 1e-9,
            "{shape:?}"
        );
        let error = inertia.moments - density * moments;
        assert!(
            error.norm() < 1e-8 * inertia.moments.norm(),
            "{shape:?}: {error}"
        );
    }

    #[test]
    fn closed_forms_agree_with_quadrature() {
        let cap = |y: f64, r: f64| (r * r - y * y).max(0.0).sqrt();
        assert_agrees(Shape::Sphere { radius: 0.7 }, slices(0.7, |y| cap(y, 0.7)));
        let capsule = Shape::Capsule {
            half_length: 0.9,
            radius: 0.4,
        };
        let profile = |y: f64| cap((y.abs() - 0.9).max(0.0), 0.4);
        assert_agrees(capsule, slices(1.3, profile));
        let cylinder = Shape::Cylinder {
            half_length: 0.5,
            radius: 1.2,
        };
        assert_agrees(cylinder, slices(0.5, |_| 1.2));
    }

    #[test]
    fn a_box_has_the_moments_of_its_edges() {
        let half = Vector3::new(0.5, 1.0, 1.5);
        let inertia = Shape::Box { half }.solid(12.0).unwrap();
        // m (b² + c²)/12 with edges 1, 2, 3
        assert_eq!(inertia.moments, Vector3::new(13.0, 10.0, 5.0));
        assert_eq!(Shape::Box { half }.volume(), 6.0);
    }

    #[test]
    fn a_capsule_without_length_is_a_ball() {
        let capsule = Shape::Capsule {
            half_length: 0.0,
            radius: 0.3,
        };
        let ball = Shape::Sphere { radius: 0.3 };
        let (a, b) = (capsule.solid(2.0).unwrap(), ball.solid(2.0).unwrap());
        assert!((a.moments - b.moments).norm() < 1e-16);
    }

    #[test]
    fn sizes_and_densities_that_make_no_solid_are_refused() {
        let path = |shape: Shape, density: f64| shape.inertia(density).unwrap_err().path;
        assert_eq!(path(Shape::Sphere { radius: -1.0 }, 1.0), "radius");
        let half = Vector3::new(1.0, f64::NAN, 1.0);
        assert_eq!(path(Shape::Box { half }, 1.0), "half[1]");
        let capsule = Shape::Capsule {
            half_length: -0.1,
            radius: 1.0,
        };
        assert_eq!(path(capsule, 1.0), "half_length");
        assert_eq!(path(Shape::Sphere { radius: 1.0 }, 0.0), "density");
    }
}
