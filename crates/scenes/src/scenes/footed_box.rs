//! A box on an incline that finds its contacts: on its face or on one to four feet.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, Collider, Cuboid, FieldError, ShapeGeometry, Sphere, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// Radius of a foot over the smallest half edge of the box.
const FOOT: f64 = 0.1;

/// One box on a plane; the axes are those of the incline, down the slope is +x unless `direction`
/// says otherwise, and gravity leans.
///
/// Without feet the face lies on the plane. With them the box stands on as many small balls: one
/// below the middle, two in line down the slope, three or four near the corners. A box on one foot
/// or two does not turn about the axes about which it would fall. However many points there are, it
/// sticks if friction >= tan(slope) and otherwise slides with g (sin(slope) - friction cos(slope)),
/// unless it topples.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct FootedBox {
    /// Number of feet, at most 4. 0 is a face.
    #[parameter(default = 4, unit = "-")]
    pub feet: u32,
    /// Angle of the incline.
    #[parameter(default = 0.5, unit = "rad")]
    pub slope: f64,
    /// Direction down the slope, from +x towards +z.
    #[parameter(default = 0.0, unit = "rad")]
    pub direction: f64,
    /// Halves of the edges.
    #[parameter(default = [0.5, 0.25, 0.5], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Mass, without that of the feet.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Velocity along +x at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.3) })]
    pub setting: CommonParameters,
}

impl FootedBox {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "a box has at most 4 feet";
        require(self.feet <= 4, "feet", self.feet, expected)
    }

    /// Where the feet are, over the half edges along x and z.
    fn places(&self) -> &'static [[f64; 2]] {
        match self.feet {
            0 => &[],
            1 => &[[0.0, 0.0]],
            2 => &[[-0.9, 0.0], [0.9, 0.0]],
            3 => &[[-0.9, -0.9], [0.9, 0.0], [-0.9, 0.9]],
            _ => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
        }
    }
}

impl Scene for FootedBox {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "footed-box",
        summary: "a box that sticks or slides on an incline, on its face or on one to four feet",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_incline_towards(&self.setting, self.slope, self.direction);
        let half = Vector3::from(self.half);
        let shape = Cuboid { half };
        let radius = FOOT * half.min();
        // a foot is a ball around a point of the lower face
        let lift = if self.feet == 0 { 0.0 } else { radius };
        let body = Body {
            lock_rotation: [
                self.feet == 1 || self.feet == 2,
                self.feet == 1,
                self.feet == 1,
            ],
            velocity: Vector3::new(self.speed, 0.0, 0.0),
            ..Body::dynamic(
                shape.solid(self.mass)?,
                Vector3::new(0.0, half.y + lift, 0.0),
            )
        };
        let body = site.add(body.named("box"), shape, 1000.0);
        for [x, z] in self.places() {
            let at = Vector3::new(x * half.x, -half.y, z * half.z);
            site.cover(Collider::new(body, Sphere::new(radius)).at(at));
        }
        site.build()
    }
}
