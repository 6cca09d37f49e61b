//! A disc that spins on the ground until friction stops it.

use delassus_core::Parameters;
use delassus_dynamics::{ContactLaw, Cylinder, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of};

/// A flat cylinder on its face, which spins about the vertical and may slide.
///
/// Its contact points lie on the rim: k of them have the torque friction N radius, and the disc
/// alone slows down with 2 friction g/radius. Uniform pressure would be two thirds of that. Sliding
/// and spinning weaken each other's friction where a law couples them. The numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SpinningDisc {
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Thickness.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub thickness: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Angular velocity at the start.
    #[parameter(default = 10.0, unit = "rad/s")]
    pub spin: f64,
    /// Velocity along +x at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Surfaces and gravity.
    #[parameter(
        flatten,
        default = CommonParameters { gravity: 9.81, law: ContactLaw::Patch, ..CommonParameters::rough(0.3) }
    )]
    pub setting: CommonParameters,
}

impl Scene for SpinningDisc {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "spinning-disc",
        summary: "a disc that spins and slides on its face",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let shape = Cylinder {
            half_length: 0.5 * self.thickness,
            radius: self.radius,
        };
        let at = Vector3::new(0.0, 0.5 * self.thickness, 0.0);
        let disc = site.place("disc", at, shape, density_of(shape, self.mass));
        let body = &mut site.parts.bodies[disc];
        body.velocity.x = self.speed;
        body.spin.y = self.spin;
        site.build()
    }
}
