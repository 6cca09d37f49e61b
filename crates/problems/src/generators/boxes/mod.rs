//! Scenes of aligned boxes: who stands on whom is known, so no collision code is needed.

mod manifold;
mod rest;

use delassus_core::{Choice, MassProperties, Parameters, Problem, ProblemBuilder, ProblemError};
use nalgebra::Vector3;

use super::softness::{Softness, Step};
use super::{Generated, Size};
use manifold::Manifold;

/// Law of the contacts of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ContactLaw {
    /// F0, normal rows only.
    Frictionless,
    /// F1 with the limit μ m g h per point, m the mean mass of the movable bodies of the contact.
    FixedBox,
    /// F2.
    Pyramid,
    /// F3.
    Disc,
    /// F5.
    Coulomb,
    /// F6.
    ConvexCone,
    /// One patch per manifold: its four normals share two tangents and a twist.
    Patch,
}

/// How a mass ratio is spread over the layers of a scene, counted from the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum MassOrder {
    /// Layer k of L has mass · ratio^(k / (L − 1)).
    Geometric,
    /// The top layer has mass · ratio, the others mass.
    HeavyTop,
}

/// The parameters that every scene of boxes has.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
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
    #[parameter(default = 0.5, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Law of the contacts.
    #[parameter(default = ContactLaw::Coulomb)]
    pub law: ContactLaw,
    /// Softness of every normal row.
    #[parameter(flatten)]
    pub softness: Softness,
    /// Separation at every contact, negative for overlap.
    #[parameter(default = 0.0, unit = "m")]
    pub gap: f64,
    /// Share of an overlap that one step removes, unless hertz sets it.
    #[parameter(default = 0.2, unit = "-", range = "[0, 1]")]
    pub recovery: f64,
    /// Extra downward force, shared equally by the boxes of the top layer.
    #[parameter(default = 0.0, unit = "N")]
    pub load: f64,
    /// Angle between gravity and the vertical, towards +x: the slope of an incline.
    #[parameter(default = 0.0, unit = "rad")]
    pub tilt: f64,
    /// Velocity of every box along +x before the step.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Gravity and time step.
    #[parameter(flatten)]
    pub step: Step,
}

impl BoxSettings {
    /// Rows of one manifold \[-\].
    pub(crate) fn rows_per_manifold(&self) -> usize {
        match self.law {
            ContactLaw::Frictionless => 4,
            ContactLaw::Patch => 7,
            _ => 12,
        }
    }

    /// Counts of a scene of so many boxes and manifolds.
    pub(crate) fn size(&self, boxes: usize, manifolds: usize) -> Size {
        let blocks = match self.law {
            ContactLaw::Patch => 1,
            _ => 4,
        };
        let rows = manifolds.saturating_mul(self.rows_per_manifold());
        Size::new(boxes + 1, manifolds.saturating_mul(blocks), rows)
    }

    /// Mass of a box in layer `layer` of `layers` \[kg\] (E.2).
    pub(crate) fn mass_of(&self, layer: usize, layers: usize) -> f64 {
        let top = layer + 1 == layers;
        match self.mass_order {
            // one layer is the bottom layer
            _ if layer == 0 => self.mass,
            _ if top => self.mass * self.mass_ratio,
            MassOrder::HeavyTop => self.mass,
            MassOrder::Geometric => {
                let exponent = layer as f64 / (layers - 1) as f64;
                self.mass * libm::pow(self.mass_ratio, exponent)
            }
        }
    }

    /// True if every box stays where it is with v⁺ = 0 and vertical impulses (E.5).
    pub(crate) fn is_at_rest(&self) -> bool {
        self.tilt == 0.0
            && self.speed == 0.0
            && self.gap == 0.0
            && self.load >= 0.0
            && self.softness.is_rigid()
    }
}

/// One box of a scene; index 0 is the ground.
#[derive(Debug, Clone, PartialEq)]
struct BoxBody {
    center: Vector3<f64>,
    mass: MassProperties,
    /// Downward impulse of gravity and load over one step \[N·s\].
    weight: f64,
}

/// Collects boxes and manifolds; every box touches only boxes that were placed before it, or the ground.
#[derive(Debug)]
pub(crate) struct BoxScene {
    settings: BoxSettings,
    layers: usize,
    /// Boxes of the top layer \[-\].
    top: usize,
    builder: ProblemBuilder,
    boxes: Vec<BoxBody>,
    manifolds: Vec<Manifold>,
    rows: usize,
}

/// The ground.
pub(crate) const GROUND: usize = 0;

impl BoxScene {
    /// A scene of `layers` layers, the last of which has `top` boxes.
    pub(crate) fn new(settings: BoxSettings, layers: usize, top: usize) -> Self {
        let mut builder = ProblemBuilder::new();
        builder.step(settings.step.dt, settings.step.gravity);
        builder.body(MassProperties::immovable(), [0.0; 6]);
        let ground = BoxBody {
            center: Vector3::zeros(),
            mass: MassProperties::immovable(),
            weight: 0.0,
        };
        Self {
            settings,
            layers,
            top,
            builder,
            boxes: vec![ground],
            manifolds: Vec::new(),
            rows: 0,
        }
    }

    /// Adds a box of layer `layer` centred at (x, z); returns its index.
    pub(crate) fn place(&mut self, x: f64, layer: usize, z: f64) -> usize {
        let size = self.settings.size;
        let Step { gravity, dt } = self.settings.step;
        let mass = self.settings.mass_of(layer, self.layers);
        let load = if layer + 1 == self.layers {
            self.settings.load / self.top as f64
        } else {
            0.0
        };
        let (sin, cos) = if self.settings.tilt == 0.0 {
            (0.0, 1.0)
        } else {
            libm::sincos(self.settings.tilt)
        };
        let velocity = [
            self.settings.speed + gravity * dt * sin,
            -gravity * dt * cos - load * dt / mass,
            0.0,
            0.0,
            0.0,
            0.0,
        ];
        // moment of inertia of a cube: m s²/6 about every axis through its centre
        let properties = MassProperties::aligned(mass, Vector3::repeat(mass * size * size / 6.0));
        self.boxes.push(BoxBody {
            center: Vector3::new(x, (layer as f64 + 0.5) * size, z),
            mass: properties,
            weight: -mass * velocity[1],
        });
        self.builder.body(properties, velocity)
    }

    /// The upper box `upper` stands on `lower`: contact over their common face, which is `overlap` wide \[m\].
    pub(crate) fn stand(&mut self, upper: usize, lower: usize, overlap: [f64; 2]) {
        let size = self.settings.size;
        let (above, below) = (&self.boxes[upper].center, &self.boxes[lower].center);
        let center = if lower == GROUND {
            Vector3::new(above.x, 0.0, above.z)
        } else {
            Vector3::new(
                0.5 * (above.x + below.x),
                above.y - 0.5 * size,
                0.5 * (above.z + below.z),
            )
        };
        self.touch(lower, upper, 1, center, overlap);
    }

    /// Boxes `first` and `second` touch over a whole face; `second` lies towards + along `axis` (0 x, 2 z).
    pub(crate) fn adjoin(&mut self, first: usize, second: usize, axis: usize) {
        let center = 0.5 * (self.boxes[first].center + self.boxes[second].center);
        let size = self.settings.size;
        self.touch(first, second, axis, center, [size, size]);
    }

    fn touch(&mut self, a: usize, b: usize, axis: usize, center: Vector3<f64>, width: [f64; 2]) {
        let manifold = Manifold {
            bodies: [a, b],
            axis,
            center,
            half: [0.5 * width[0], 0.5 * width[1]],
            first_row: self.rows,
        };
        manifold.add_to(
            &mut self.builder,
            &self.settings,
            [&self.boxes[a], &self.boxes[b]],
        );
        self.rows += self.settings.rows_per_manifold();
        self.manifolds.push(manifold);
    }

    /// Freezes the scene; the solution of a scene at rest comes with it (E.5).
    pub(crate) fn finish(self) -> Result<Generated, ProblemError> {
        let reference = self.settings.is_at_rest().then(|| rest::solution(&self));
        Ok(Generated {
            problem: self.builder.build()?,
            reference,
        })
    }

    /// Freezes the scene without a solution.
    pub(crate) fn freeze(self) -> Result<Problem, ProblemError> {
        self.builder.build()
    }
}

/// Row of the normal of contact point `point` within a manifold of law `law` \[-\].
pub(crate) fn normal_row(law: ContactLaw, point: usize) -> usize {
    match law {
        ContactLaw::Frictionless | ContactLaw::Patch => point,
        _ => 3 * point,
    }
}
