//! Aligned boxes that stand on each other: who touches whom is known, so no collision code is needed.

use delassus_core::ParameterError;
use delassus_core::parameter::{finite, fraction, non_negative, positive};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, FieldError, Manifold, Shape, World, WorldParts,
};
use nalgebra::Vector3;

use crate::string::MassOrder;

/// Declares the parameters of a scene of boxes: its own first, then the common ones.
macro_rules! box_parameters {
    (
        $(#[doc = $about:literal])+
        $name:ident { $($own:tt)* }
    ) => {
        delassus_core::parameters! {
            $(#[doc = $about])+
            $name {
                $($own)*
                /// Edge length of the boxes \[m\]; > 0.
                size: f64 = 1.0,
                /// Mass of a box of the bottom layer \[kg\]; > 0.
                mass: f64 = 1.0,
                /// Mass of a box of the top layer over that of one of the bottom layer \[-\]; > 0.
                mass_ratio: f64 = 1.0,
                /// How the mass ratio is spread: "geometric" from bottom to top, or "heavy-tip" (the top layer alone).
                mass_order: crate::string::MassOrder = crate::string::MassOrder::Geometric,
                /// Friction coefficient \[-\]; >= 0.
                friction: f64 = 0.6,
                /// Coefficient of restitution \[-\]; in \[0, 1\].
                restitution: f64 = 0.0,
                /// Law of the contacts: "frictionless", "pyramid", "disc", "coulomb", "convex-cone" or "patch".
                law: delassus_dynamics::ContactLaw = delassus_dynamics::ContactLaw::Disc,
                /// Separation at every contact at the start, negative for overlap \[m\]; > -size.
                gap: f64 = 0.0,
                /// Angle between gravity and the downward vertical, towards +x: the slope of an incline \[rad\].
                tilt: f64 = 0.0,
                /// Velocity of every box along +x at the start \[m/s\].
                speed: f64 = 0.0,
                /// Gravity \[m/s²\]; >= 0.
                gravity: f64 = 9.81,
            }
        }

        impl $name {
            fn settings(&self) -> crate::boxes::BoxSettings {
                crate::boxes::BoxSettings {
                    size: self.size,
                    mass: self.mass,
                    mass_ratio: self.mass_ratio,
                    mass_order: self.mass_order,
                    friction: self.friction,
                    restitution: self.restitution,
                    law: self.law,
                    gap: self.gap,
                    tilt: self.tilt,
                    speed: self.speed,
                    gravity: self.gravity,
                }
            }
        }
    };
}
pub(crate) use box_parameters;

/// Distance of neighbours in a row, in box sizes.
pub(crate) const PITCH: f64 = 1.1;

/// The parameters that every scene of boxes has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxSettings {
    pub(crate) size: f64,
    pub(crate) mass: f64,
    pub(crate) mass_ratio: f64,
    pub(crate) mass_order: MassOrder,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    pub(crate) law: ContactLaw,
    pub(crate) gap: f64,
    pub(crate) tilt: f64,
    pub(crate) speed: f64,
    pub(crate) gravity: f64,
}

impl BoxSettings {
    pub(crate) fn validate(&self) -> Result<(), ParameterError> {
        positive("size", self.size)?;
        positive("mass", self.mass)?;
        positive("mass_ratio", self.mass_ratio)?;
        non_negative("friction", self.friction)?;
        fraction("restitution", self.restitution)?;
        let fits = self.gap.is_finite() && self.gap > -self.size;
        let expected = "boxes overlap by less than their size";
        delassus_core::parameter::require(fits, "gap", self.gap, expected)?;
        finite("tilt", self.tilt)?;
        finite("speed", self.speed)?;
        non_negative("gravity", self.gravity)
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
