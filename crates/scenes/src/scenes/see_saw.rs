//! A plank on an edge with boxes at its ends.

use delassus_core::Parameters;
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, density_of, prism, resting};

/// A plank that lies on the edge of a prism, with equal boxes on its ends: at rest while nothing
/// disturbs it.
///
/// With an origin of (40000, -25000, 0) it is Solver2D's FarStack in kind: there a see-saw shows
/// what positions in single precision lose. The numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SeeSaw {
    /// Halves of the edges of the plank.
    #[parameter(default = [4.0, 0.1, 0.5], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Mass of the plank.
    #[parameter(default = 10.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Height of the prism, which is fixed and as wide as it is tall.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub height: f64,
    /// Mass of the left box.
    #[parameter(default = 5.0, unit = "kg", range = "> 0")]
    pub left: f64,
    /// Mass of the right box.
    #[parameter(default = 5.0, unit = "kg", range = "> 0")]
    pub right: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Scene for SeeSaw {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "see-saw",
        summary: "a plank on an edge with boxes on its ends",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let half = Vector3::from(self.half);
        let wide = 0.5 * self.height;
        let edge = prism(&[[-wide, 0.0], [wide, 0.0], [0.0, self.height]], half.z);
        site.fixed("prism", Vector3::zeros(), edge);
        let plank = Cuboid { half };
        let middle = Vector3::new(0.0, self.height + half.y, 0.0);
        site.place("plank", middle, plank, density_of(plank, self.mass));
        let shape = Cuboid::cube(half.z);
        for (name, side, mass) in [("left", -1.0, self.left), ("right", 1.0, self.right)] {
            let x = side * (half.x - half.z);
            let at = middle + Vector3::new(x, half.y + half.z, 0.0);
            let body = resting(at).named(format!("{name} box"));
            site.add(body, shape, density_of(shape, mass));
        }
        site.build()
    }
}
