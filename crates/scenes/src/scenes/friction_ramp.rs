//! Five boxes of different friction on ramps.

use delassus_core::Parameters;
use delassus_dynamics::{Body, Cuboid, FieldError, Material, World, rotation};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// Coefficients of friction of the five boxes, from the uphill one downwards \[-\].
const FRICTIONS: [f64; 5] = [0.75, 0.5, 0.35, 0.1, 0.0];

/// Five cubes that fall on two ramps one above the other: Solver2D's FrictionRamp, with ramps of 26
/// m × 0.5 m that are 4 m wide.
///
/// With the ramps' friction of 0.2 the pairs have √(0.2 µ): 0.387, 0.316, 0.265, 0.141 and 0. At
/// the slope of the source, tan = 0.255, three boxes stick and two slide down to the second ramp
/// and on to the ground.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FrictionRamp {
    /// Angle of the ramps.
    #[parameter(default = 0.25, unit = "rad", range = "[0, 1)")]
    pub slope: f64,
    /// Density of the boxes.
    #[parameter(default = 25.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity. The friction is that of the ramps and the ground.
    #[parameter(flatten, default = CommonParameters::rough(0.2))]
    pub setting: CommonParameters,
}

impl Scene for FrictionRamp {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "friction-ramp",
        summary: "five boxes of different friction on two ramps",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let ramp = Cuboid::new(13.0, 0.25, 2.0);
        for (side, [x, y]) in [(-1.0, [-4.0, 22.0]), (1.0, [4.0, 14.0])] {
            let turn = rotation::about(&Vector3::z(), side * self.slope);
            let body = Body::fixed(Vector3::new(x, y, 0.0)).turned(turn);
            site.add(body.named("ramp"), ramp, 1000.0);
        }
        for (k, friction) in FRICTIONS.into_iter().enumerate() {
            site.surface = Material {
                friction,
                ..self.setting.surface()
            };
            let at = Vector3::new(-15.0 + 4.0 * k as f64, 28.0, 0.0);
            site.place(format!("box {k}"), at, Cuboid::cube(0.5), self.density);
        }
        site.build()
    }
}
