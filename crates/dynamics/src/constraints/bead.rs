//! `bead`: a point of B stays on a plane curve of A; bead on a bent wire, cam and follower, roller
//! coaster.
//!
//! C = f / ‖∇f‖ for a curve f(x, y) = 0 in the x-y plane of A: the distance to the curve to first
//! order \[Taubin1991\], one row with the exact gradient (C.22, C.23). It is positive where f is.
//! Nearest sibling: [`super::PointOnLine`] is a straight wire in space, with two rows. Limitations:
//! the row says nothing about z: a bead in space needs a plane joint or a planar body as well. C is
//! a distance near the curve only; at a point where ∇f vanishes (the centre of a circle or an
//! ellipse) it has no direction, and the gradient is taken as zero. Theory:
//! docs/theory/07-constraints.md.

use delassus_core::parameter::ParameterValue;
use nalgebra::{Matrix2, Vector2, Vector3};
use serde::{Deserialize, Serialize};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Bead on a plane curve (C.22).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bead {
    /// Body A, which carries the curve, and body B.
    pub bodies: [usize; 2],
    /// The origin of the curve in A's axes and the bead in B's, from the centres of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The curve, in the x and y axes of A.
    pub curve: Curve,
}

/// A curve f(x, y) = 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Curve {
    /// f = √(x² + y²) − radius.
    Circle {
        /// Radius \[m\]; > 0.
        radius: f64,
    },
    /// f = x²/a² + y²/b² − 1.
    Ellipse {
        /// Half axes a and b \[m\]; > 0.
        radii: [f64; 2],
    },
    /// f = y − curvature · x² / 2.
    Parabola {
        /// Curvature at the vertex \[1/m\].
        curvature: f64,
    },
    /// f = y − amplitude · sin(2π x / wavelength).
    Sine {
        /// Amplitude \[m\].
        amplitude: f64,
        /// Wavelength \[m\]; > 0.
        wavelength: f64,
    },
    /// f = n · (x, y).
    Line {
        /// Unit normal n \[-\].
        normal: [f64; 2],
    },
}

impl ParameterValue for Curve {}

/// An implicit function at a point, to second order.
struct Local {
    value: f64,
    gradient: Vector2<f64>,
    hessian: Matrix2<f64>,
}

impl Curve {
    /// First-order distance to the curve \[m\] and its gradient \[-\] at a point \[m\] (C.22,
    /// C.23).
    pub fn distance(&self, x: f64, y: f64) -> (f64, [f64; 2]) {
        let local = self.local(x, y);
        let steepness = local.gradient.norm();
        if steepness == 0.0 {
            // no direction: the value alone, as a length, so that nothing becomes infinite
            return (local.value * self.size(), [0.0; 2]);
        }
        let bent = local.hessian * local.gradient;
        let gradient =
            (local.gradient - (local.value / (steepness * steepness)) * bent) / steepness;
        (local.value / steepness, [gradient.x, gradient.y])
    }

    /// f, ∇f and the second derivatives.
    fn local(&self, x: f64, y: f64) -> Local {
        match *self {
            Self::Circle { radius } => {
                let distance = Vector2::new(x, y).norm();
                // ‖∇f‖ is one everywhere: H ∇f = 0, and (C.23) needs no more of H than that
                let gradient = if distance > 0.0 {
                    Vector2::new(x, y) / distance
                } else {
                    Vector2::zeros()
                };
                Local {
                    value: if distance > 0.0 {
                        distance - radius
                    } else {
                        -1.0
                    },
                    gradient,
                    hessian: Matrix2::zeros(),
                }
            }
            Self::Ellipse { radii: [a, b] } => {
                let (p, q) = (1.0 / (a * a), 1.0 / (b * b));
                Local {
                    value: p * x * x + q * y * y - 1.0,
                    gradient: Vector2::new(2.0 * p * x, 2.0 * q * y),
                    hessian: Matrix2::new(2.0 * p, 0.0, 0.0, 2.0 * q),
                }
            }
            Self::Parabola { curvature } => Local {
                value: y - 0.5 * curvature * x * x,
                gradient: Vector2::new(-curvature * x, 1.0),
                hessian: Matrix2::new(-curvature, 0.0, 0.0, 0.0),
            },
            Self::Sine {
                amplitude,
                wavelength,
            } => {
                let wave = std::f64::consts::TAU / wavelength;
                let (sine, cosine) = libm::sincos(wave * x);
                Local {
                    value: y - amplitude * sine,
                    gradient: Vector2::new(-amplitude * wave * cosine, 1.0),
                    hessian: Matrix2::new(amplitude * wave * wave * sine, 0.0, 0.0, 0.0),
                }
            }
            Self::Line { normal } => {
                let gradient = Vector2::from(normal);
                Local {
                    value: gradient.dot(&Vector2::new(x, y)),
                    gradient,
                    hessian: Matrix2::zeros(),
                }
            }
        }
    }

    /// A length of the curve \[m\]: its distance from a centre where ∇f vanishes.
    fn size(&self) -> f64 {
        match *self {
            Self::Circle { radius } => radius,
            Self::Ellipse { radii: [a, b] } => a.min(b),
            Self::Parabola { .. } | Self::Sine { .. } | Self::Line { .. } => 1.0,
        }
    }

    fn validate(&self) -> Result<(), FieldError> {
        match *self {
            Self::Circle { radius } => FieldError::positive("radius", radius),
            Self::Ellipse { radii } => {
                FieldError::positive("radii[0]", radii[0])?;
                FieldError::positive("radii[1]", radii[1])
            }
            Self::Parabola { curvature } => FieldError::finite("curvature", curvature),
            Self::Sine {
                amplitude,
                wavelength,
            } => {
                FieldError::finite("amplitude", amplitude)?;
                FieldError::positive("wavelength", wavelength)
            }
            Self::Line { normal: [x, y] } => {
                FieldError::unit_vector("normal", &Vector3::new(x, y, 0.0))
            }
        }
    }
}

impl Constraint for Bead {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "bead",
        aliases: &["bead on a curve", "cam", "point on a curve"],
        summary: "a point of B stays on a plane curve of A, in its x and y axes; z and all rotations are free",
        theory: &["C.22", "C.23"],
        units: &[RowUnit::Length],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        self.curve.validate().map_err(|error| error.within("curve"))
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let gap = joint_rows::gap(poses, &self.anchors);
        let local = poses[0].orientation.inverse() * gap.between;
        let (error, [x, y]) = self.curve.distance(local.x, local.y);
        let direction = poses[0].rotate(&Vector3::new(x, y, 0.0));
        rows.push_relative(error, 0.0, &direction, gap.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let size = random.number(0.5, 2.0);
        let across = random.rotation(3.0) * Vector3::x();
        let across = Vector3::new(across.x, across.y, 0.0);
        let curves = [
            Curve::Circle { radius: size },
            Curve::Ellipse {
                radii: [size, random.number(0.5, 2.0)],
            },
            Curve::Parabola {
                curvature: random.number(-2.0, 2.0),
            },
            Curve::Sine {
                amplitude: random.number(-0.5, 0.5),
                wavelength: 2.0 * size,
            },
            Curve::Line {
                normal: [across.x / across.norm(), across.y / across.norm()],
            },
        ];
        let number = random.number(0.0, 5.0);
        let pick = (1..5).filter(|k| number >= f64::from(*k)).count();
        let bead = Self {
            bodies: [0, 1],
            anchors: [random.vector(0.5), random.vector(0.5)],
            curve: curves[pick],
        };
        let (first, mut second) = (random.pose(1.0), random.pose(1.0));
        // the bead is neither at the centre of the curve nor far away
        let way = random.number(-3.1, 3.1);
        let reach = random.number(0.7, 1.3) * size;
        let (sine, cosine) = libm::sincos(way);
        let local = Vector3::new(reach * cosine, reach * sine, random.number(-0.5, 0.5));
        second.position = first.position;
        let origin = first.rotate(&(bead.anchors[0] + local));
        second.position += origin - second.rotate(&bead.anchors[1]);
        (bead, vec![first, second])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_geometry_near_the_curve() {
        let circle = Curve::Circle { radius: 2.0 };
        let (distance, [x, y]) = circle.distance(3.0, -4.0);
        assert_eq!((distance, x, y), (3.0, 0.6, -0.8));
        // the first-order distance errs by the square of the distance times a curvature
        let step = 1e-4;
        let ellipse = Curve::Ellipse { radii: [2.0, 0.5] };
        assert!((ellipse.distance(2.0 + step, 0.0).0 - step).abs() < step * step);
        let parabola = Curve::Parabola { curvature: 1.0 };
        // at x = 1 the curve rises by 45 degrees: the normal is (−1, 1)/√2
        let beside = parabola.distance(1.0 - step, 0.5 + step).0;
        assert!((beside - step * 2.0_f64.sqrt()).abs() < 2.0 * step * step);
    }

    #[test]
    fn the_centre_of_a_closed_curve_has_no_direction_and_stays_finite() {
        let circle = Curve::Circle { radius: 2.0 };
        assert_eq!(circle.distance(0.0, 0.0), (-2.0, [0.0; 2]));
        let ellipse = Curve::Ellipse { radii: [2.0, 0.5] };
        assert_eq!(ellipse.distance(0.0, 0.0), (-0.5, [0.0; 2]));
    }
}
