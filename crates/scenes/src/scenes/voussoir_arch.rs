//! A semicircular arch of n voussoirs.

use std::f64::consts::PI;

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, FieldError, HalfSpace, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, narrowed_prism, prism, resting};

/// n equal voussoirs between two fixed abutments on a circle, cut along its radii.
///
/// A semicircular arch (springing 0) stands if its thickness is at least 0.1075 of the mean radius,
/// whatever its size, where friction is large enough; the more voussoirs, the closer the limit is
/// to that number. The other numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct VoussoirArch {
    /// Number of voussoirs.
    #[parameter(default = 15, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Mean radius.
    #[parameter(default = 5.0, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Thickness over the mean radius.
    #[parameter(default = 0.15, unit = "-", range = "(0, 1)")]
    pub thickness: f64,
    /// Angle of the lowest joints above the horizontal. 0 is a semicircle.
    #[parameter(default = 0.0, unit = "rad", range = "[0, 1)")]
    pub springing: f64,
    /// Half of the depth.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub half_depth: f64,
    /// Distance of the corners of a voussoir from where they would touch, at the start.
    #[parameter(default = 1e-4, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.8) })]
    pub setting: CommonParameters,
}

impl VoussoirArch {
    fn check(&self) -> Result<(), ParameterError> {
        require(self.n >= 2, "n", self.n, "an arch has 2 voussoirs or more")?;
        body_limit("n", self.n, count(&[self.n], 3))
    }

    /// Corners of the stone between the joints `k` and `k` + 1, from the right springing \[m\].
    fn stone(&self, k: f64) -> [[f64; 2]; 4] {
        let step = (PI - 2.0 * self.springing) / self.n as f64;
        let at = |k: f64, side: f64| {
            let (sine, cosine) = libm::sincos(self.springing + k * step);
            let radius = self.radius * (1.0 + 0.5 * side * self.thickness);
            [radius * cosine, radius * sine]
        };
        [at(k, -1.0), at(k, 1.0), at(k + 1.0, 1.0), at(k + 1.0, -1.0)]
    }
}

impl Scene for VoussoirArch {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "voussoir-arch",
        summary: "a circular arch of n voussoirs between fixed abutments",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        // below the abutments, for what falls down
        let depth = Vector3::new(0.0, -2.0 * self.radius, 0.0);
        site.fixed("ground", depth, HalfSpace::default());
        for (name, k) in [("right abutment", -1.0), ("left abutment", self.n as f64)] {
            let body = Body::fixed(Vector3::zeros()).named(name);
            site.add(body, prism(&self.stone(k), self.half_depth), self.density);
        }
        for k in 0..self.n {
            let shape = narrowed_prism(&self.stone(k as f64), self.half_depth, self.gap);
            let body = resting(Vector3::zeros()).named(format!("voussoir {k}"));
            site.add(body, shape, self.density);
        }
        site.build()
    }
}
