//! A heavy ball on two light ones: what stored impulses do when it goes.

use delassus_core::Parameters;
use delassus_dynamics::{FieldError, Sphere, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// Three balls on top of each other, the upper one `ratio` times as heavy: Solver2D's
/// WarmStartEnergy.
///
/// The source destroys the upper ball after 120 steps; the impulses stored in the contacts below
/// must not launch the others then. Worlds keep their bodies: an experiment takes the ball away
/// with `World::set_velocity`, upwards and faster than a margin per step. The contacts below keep
/// their impulses, as in the source.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct WarmStartEnergy {
    /// Radius of the balls.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of the upper ball over that of another one.
    #[parameter(default = 100.0, unit = "-", range = "> 0")]
    pub ratio: f64,
    /// Density of the lower balls.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Scene for WarmStartEnergy {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "warm-start-energy",
        summary: "a heavy ball on two light ones, whose impulses are stored",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let shape = Sphere::new(self.radius);
        for (name, height, factor) in [
            ("lower ball", 1.0, 1.0),
            ("middle ball", 3.0, 1.0),
            ("upper ball", 5.0, self.ratio),
        ] {
            let at = Vector3::new(0.0, height * self.radius, 0.0);
            site.place(name, at, shape, factor * self.density);
        }
        site.build()
    }
}
