//! A box on an incline: it sticks or slides by Coulomb's law.

use delassus_core::Parameters;
use delassus_dynamics::{ContactLaw, FieldError, World};
use delassus_systems::{Boxes, Stack};

use crate::boxes::BoxWorld;
use crate::scene::{Scene, SceneDescriptor};

/// One box on a plane; the axes are those of the incline, down the slope is +x, and gravity leans.
///
/// It sticks if friction >= tan(slope), and otherwise slides with g (sin(slope) - friction
/// cos(slope)).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct BoxOnIncline {
    /// Angle of the incline.
    #[parameter(default = 0.5, unit = "rad")]
    pub slope: f64,
    /// Edge length of the box.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub size: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Friction coefficient.
    #[parameter(default = 0.3, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Coefficient of restitution.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub restitution: f64,
    /// Law of the contact.
    #[parameter(default = ContactLaw::Disc)]
    pub law: ContactLaw,
    /// Velocity down the slope at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for BoxOnIncline {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "box-on-incline",
        summary: "a box that sticks or slides on an incline",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let boxes = Boxes {
            size: self.size,
            mass: self.mass,
            friction: self.friction,
            law: self.law,
            tilt: self.slope,
            speed: self.speed,
            gravity: self.gravity,
            ..Boxes::default()
        };
        let system = Stack {
            n: 1,
            boxes,
            ..Stack::default()
        };
        let restitution = self.restitution;
        BoxWorld {
            system,
            restitution,
        }
        .build()
    }
}
