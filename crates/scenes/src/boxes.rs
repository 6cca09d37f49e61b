//! Aligned boxes that stand on each other: who touches whom is known, so no collision code is needed.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, FieldError, Manifold, Shape, World, WorldParts,
};
use nalgebra::Vector3;

use crate::string::MassOrder;

/// Distance of neighbours in a row, in box sizes.
pub(crate) const PITCH: f64 = 1.1;

/// The parameters that every scene of boxes has.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BoxSettings {
    /// Edge length of the boxes.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub size: f64,
    /// Mass of a box of the bottom layer.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of a box of the top layer over that of one of the bottom layer.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// How the mass ratio is spread from bottom to top.
    #[parameter(default = MassOrder::Geometric)]
    pub mass_order: MassOrder,
    /// Friction coefficient.
    #[parameter(default = 0.6, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Coefficient of restitution.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub restitution: f64,
    /// Law of the contacts.
    #[parameter(default = ContactLaw::Disc)]
    pub law: ContactLaw,
    /// Separation at every contact at the start, negative for overlap. Above -size.
    #[parameter(default = 0.0, unit = "m")]
    pub gap: f64,
    /// Angle between gravity and the downward vertical, towards +x: the slope of an incline.
    #[parameter(default = 0.0, unit = "rad")]
    pub tilt: f64,
    /// Velocity of every box along +x at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl BoxSettings {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "boxes overlap by less than their size";
        require(self.gap > -self.size, "gap", self.gap, expected)
    }
}

/// The ground, whose upper face is y = 0.
pub(crate) const GROUND: usize = 0;

/// Collects boxes and manifolds.
#[derive(Debug)]
pub(crate) struct BoxScene {
    settings: BoxSettings,
    masses: Vec<f64>,
    parts: WorldParts,
}

impl BoxScene {
    /// A scene of `layers` layers on the ground.
    pub(crate) fn new(settings: BoxSettings, layers: usize) -> Self {
        let (sine, cosine) = if settings.tilt == 0.0 {
            (0.0, 1.0)
        } else {
            libm::sincos(settings.tilt)
        };
        let mut parts = WorldParts {
            gravity: settings.gravity * Vector3::new(sine, -cosine, 0.0),
            ..WorldParts::default()
        };
        parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let order = settings.mass_order;
        Self {
            masses: order.spread(layers, settings.mass, settings.mass_ratio),
            settings,
            parts,
        }
    }

    /// Adds a box of layer `layer` centred at (x, z); returns its index.
    pub(crate) fn place(&mut self, x: f64, layer: usize, z: f64) -> Result<usize, FieldError> {
        let BoxSettings {
            size, gap, speed, ..
        } = self.settings;
        let half = Vector3::repeat(0.5 * size);
        let inertia = Shape::Box { half }.solid(self.masses[layer])?;
        let y = (layer as f64 + 0.5) * size + (layer + 1) as f64 * gap;
        let body = Body::dynamic(inertia, Vector3::new(x, y, z));
        let body = body.moving(Vector3::new(speed, 0.0, 0.0), Vector3::zeros());
        let name = format!("box {}", self.parts.bodies.len());
        Ok(self.parts.body(body.named(name)))
    }

    /// The box `upper` stands on `lower`, with contact points at the corners of the rectangle of their common face.
    pub(crate) fn stand(&mut self, upper: usize, lower: usize) {
        let half = 0.5 * self.settings.size;
        let [above, below] =
            [upper, lower].map(|body| self.parts.bodies[body].position.to_vector());
        // edges of the rectangle along one axis of the world
        let edges = |axis: usize| {
            let (low, high) = (above[axis] - half, above[axis] + half);
            if lower == GROUND {
                [low, high]
            } else {
                [low.max(below[axis] - half), high.min(below[axis] + half)]
            }
        };
        let (x, z) = (edges(0), edges(2));
        let top = if lower == GROUND { 0.0 } else { half };
        let ring = [[x[0], z[0]], [x[1], z[0]], [x[1], z[1]], [x[0], z[1]]];
        let points = ring.map(|[x, z]| ContactPoint {
            anchors: [
                Vector3::new(x - below.x, top, z - below.z),
                Vector3::new(x - above.x, -half, z - above.z),
            ],
            offset: 0.0,
        });
        let BoxSettings { friction, law, .. } = self.settings;
        let bodies = [lower, upper];
        let mut manifold = Manifold::new(bodies, Vector3::y(), points.to_vec(), friction, law);
        manifold.restitution = self.settings.restitution;
        self.parts.manifolds.push(manifold);
    }

    /// The world.
    pub(crate) fn finish(self) -> Result<World, FieldError> {
        self.parts.build()
    }
}
