//! A ball that falls freely.

use delassus_core::Parameters;
use delassus_dynamics::{Body, FieldError, Shape, World};
use nalgebra::Vector3;

use crate::rig::falling;
use crate::scene::{Scene, SceneDescriptor};

/// A ball that falls from rest and touches nothing.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FallingBall {
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for FallingBall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "falling-ball",
        summary: "ball that falls from rest and touches nothing",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let radius = self.radius;
        let inertia = Shape::Sphere { radius }.inertia(self.density)?;
        let mut parts = falling(self.gravity);
        parts.body(Body::dynamic(inertia, Vector3::zeros()).named("ball"));
        parts.build()
    }
}
