//! Arches of wedges.

use delassus_core::Parameters;
use delassus_dynamics::{Cuboid, FieldError, World};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, narrowed_prism, resting};

/// Joints of the right half from the springing to the keystone, on the inner and on the outer curve
/// \[m\].
const INNER: [[f64; 2]; 9] = [
    [16.0, 0.0],
    [14.938_037, 5.133_601],
    [13.798_717, 10.249_281],
    [12.562_530, 15.341_070],
    [11.200_410, 20.398_565],
    [9.665_212, 25.403_699],
    [7.871_799, 30.317_934],
    [5.635_199, 35.038_207],
    [2.405_938, 39.095_541],
];
const OUTER: [[f64; 2]; 9] = [
    [24.0, 0.0],
    [22.336_195, 6.022_998],
    [20.549_369, 12.009_644],
    [18.608_546, 17.947_032],
    [16.467_693, 23.813_679],
    [14.053_250, 29.570_793],
    [11.235_510, 35.137_758],
    [7.752_568, 40.304_507],
    [3.016_932, 44.288_916],
];

/// An arch of 17 voussoirs of the shape of a catenary with four boxes on its crown: Arch of
/// Solver2D, with the depth and the density of Box3D.
///
/// Nothing but the weight and friction holds it together.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Arch {
    /// Factor on the table of the source, whose arch is 48 m wide. The boxes are scaled with it.
    #[parameter(default = 0.25, unit = "-", range = "> 0")]
    pub scale: f64,
    /// Half of the depth.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half_depth: f64,
    /// Number of boxes on the crown. The source has 4.
    #[parameter(default = 4, unit = "-")]
    pub boxes: u32,
    /// Distance of the corners of a voussoir from where they would touch, at the start.
    #[parameter(default = 1e-4, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Density.
    #[parameter(default = 200.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Arch {
    /// The corners of the voussoirs, from the right springing to the left one \[m\].
    fn stones(&self) -> Vec<[[f64; 2]; 4]> {
        let at = |[x, y]: [f64; 2]| [self.scale * x, self.scale * y];
        let mirror = |[x, y]: [f64; 2]| [-x, y];
        let right = INNER.windows(2).zip(OUTER.windows(2));
        let right: Vec<_> = right
            .map(|(inner, outer)| [inner[0], outer[0], outer[1], inner[1]].map(at))
            .collect();
        let [inner, outer] = [at(INNER[8]), at(OUTER[8])];
        let key = [inner, outer, mirror(outer), mirror(inner)];
        let left: Vec<_> = right.iter().rev().map(|stone| stone.map(mirror)).collect();
        right.into_iter().chain([key]).chain(left).collect()
    }
}

impl Scene for Arch {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "arch",
        summary: "an arch of 17 voussoirs with boxes on its crown",
        citations: &["Catto2024", "Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        for (k, stone) in self.stones().iter().enumerate() {
            let body = resting(Vector3::zeros()).named(format!("voussoir {k}"));
            site.add(
                body,
                narrowed_prism(stone, self.half_depth, self.gap),
                self.density,
            );
        }
        let unit = 4.0 * self.scale;
        let crown = self.scale * OUTER[8][1];
        let shape = Cuboid::new(2.0 * unit, 0.5 * unit, self.half_depth);
        for k in 0..self.boxes {
            let at = Vector3::new(0.0, crown + (0.5 + f64::from(k)) * unit, 0.0);
            site.place(format!("box {k}"), at, shape, self.density);
        }
        site.build()
    }
}
