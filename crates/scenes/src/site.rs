//! Worlds whose bodies have shapes: what their scenes share.

use delassus_core::{ContactLaw, ParameterError, Parameters};
use delassus_dynamics::{
    Body, Collider, ContactSettings, FieldError, HalfSpace, Hull, Inertia, Material, Position,
    Shape, World, WorldParts,
};
use delassus_systems::SeededRng;
use nalgebra::Vector3;

use crate::rig::{body_limit, falling};

/// What all scenes with colliders have in common.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct CommonParameters {
    /// Coefficient of friction of the surfaces.
    #[parameter(default = 0.6, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Coefficient of restitution of the surfaces.
    #[parameter(default = 0.0, unit = "-", range = "[0, 1]")]
    pub restitution: f64,
    /// Law of the contacts.
    #[parameter(default = ContactLaw::Disc)]
    pub law: ContactLaw,
    /// Gravity.
    #[parameter(default = 10.0, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
    /// Where the scene lies in the world. Far away, positions in single precision lose their
    /// digits.
    #[parameter(default = [0.0; 3], unit = "m")]
    pub origin: [f64; 3],
}

impl CommonParameters {
    /// Another friction \[-\].
    pub(crate) fn rough(friction: f64) -> Self {
        Self {
            friction,
            ..Self::default()
        }
    }

    /// No gravity, and a friction \[-\].
    pub(crate) fn weightless(friction: f64) -> Self {
        Self {
            gravity: 0.0,
            ..Self::rough(friction)
        }
    }

    /// The surface of every body.
    pub(crate) fn surface(&self) -> Material {
        Material {
            restitution: self.restitution,
            ..Material::rough(self.friction)
        }
    }
}

/// How the scenes find their contacts.
fn contacts(law: ContactLaw) -> ContactSettings {
    ContactSettings {
        law,
        ..ContactSettings::default()
    }
}

/// A world under construction.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) parts: WorldParts,
    /// The surface of what comes next.
    pub(crate) surface: Material,
    origin: Vector3<f64>,
}

impl Site {
    /// An empty world.
    pub(crate) fn new(setting: &CommonParameters) -> Self {
        let mut parts = falling(setting.gravity);
        parts.contacts = contacts(setting.law);
        Self {
            parts,
            surface: setting.surface(),
            origin: setting.origin.into(),
        }
    }

    /// An empty world with the ground, which is body 0: all below y = 0.
    pub(crate) fn on_ground(setting: &CommonParameters) -> Self {
        let mut site = Self::new(setting);
        site.fixed("ground", Vector3::zeros(), HalfSpace::default());
        site
    }

    /// The same with gravity that leans towards +x by an angle \[rad\]: the ground is an incline,
    /// and down it is +x.
    pub(crate) fn on_incline(setting: &CommonParameters, slope: f64) -> Self {
        Self::on_incline_towards(setting, slope, 0.0)
    }

    /// The same where down the incline is a direction from +x towards +z \[rad\].
    pub(crate) fn on_incline_towards(
        setting: &CommonParameters,
        slope: f64,
        direction: f64,
    ) -> Self {
        let mut site = Self::on_ground(setting);
        let (sine, cosine) = libm::sincos(slope);
        let (across, along) = libm::sincos(direction);
        let down = Vector3::new(sine * along, -cosine, sine * across);
        site.parts.gravity = setting.gravity * down;
        site
    }

    /// Adds a body with one shape at its origin, of a density \[kg/m³\]; returns its index.
    pub(crate) fn add(&mut self, body: Body, shape: impl Into<Shape>, density: f64) -> usize {
        let body = self.parts.body(body);
        self.cover(Collider::new(body, shape).dense(density));
        body
    }

    /// Adds a collider with the surface of the site; returns its index.
    pub(crate) fn cover(&mut self, collider: Collider) -> usize {
        self.parts.collider(collider.of(self.surface))
    }

    /// Adds a body that weighs what its colliders do, at rest at `at` \[m\].
    pub(crate) fn place(
        &mut self,
        name: impl Into<String>,
        at: Vector3<f64>,
        shape: impl Into<Shape>,
        density: f64,
    ) -> usize {
        self.add(resting(at).named(name), shape, density)
    }

    /// Adds a body that does not move, at `at` \[m\].
    pub(crate) fn fixed(&mut self, name: &str, at: Vector3<f64>, shape: impl Into<Shape>) -> usize {
        self.add(Body::fixed(at).named(name), shape, 1000.0)
    }

    /// Moves everything to its place in the world and validates it.
    pub(crate) fn build(mut self) -> Result<World, FieldError> {
        for body in &mut self.parts.bodies {
            body.position += self.origin;
        }
        let world = self.parts.build()?;
        // a centre of mass between two doubles: files keep the nearest one, and so do scenes
        if world
            .bodies()
            .iter()
            .all(|body| body.position == rounded(body))
        {
            return Ok(world);
        }
        let mut parts = world.into_parts();
        for body in &mut parts.bodies {
            body.position = rounded(body);
        }
        parts.build()
    }
}

/// The nearest doubles to where a body is.
fn rounded(body: &Body) -> Position {
    body.position.to_vector().into()
}

/// A body at rest that will weigh what its colliders do \[m\].
pub(crate) fn resting(at: Vector3<f64>) -> Body {
    Body::dynamic(Inertia::default(), at)
}

/// The density with which a shape has a mass \[kg/m³\]; the mass itself for what has no inside.
pub(crate) fn density_of(shape: impl Into<Shape>, mass: f64) -> f64 {
    let moments = shape.into().moments();
    moments.map_or(mass, |moments| mass / moments.volume)
}

/// A polygon of the x-y plane, as deep as twice `half_depth` along z \[m\].
pub(crate) fn prism(polygon: &[[f64; 2]], half_depth: f64) -> Hull {
    let side = |z: f64| polygon.iter().map(move |[x, y]| Vector3::new(*x, *y, z));
    Hull::new(side(-half_depth).chain(side(half_depth)).collect())
}

/// The prism of a polygon whose corners are drawn towards their middle, so that each lies up to
/// `gap` from where it was \[m\].
pub(crate) fn narrowed_prism(polygon: &[[f64; 2]], half_depth: f64, gap: f64) -> Hull {
    let count = polygon.len() as f64;
    let sum = |axis: usize| polygon.iter().map(|corner| corner[axis]).sum::<f64>();
    let middle = [0, 1].map(|axis| sum(axis) / count);
    let arm = |corner: &[f64; 2]| [corner[0] - middle[0], corner[1] - middle[1]];
    let lengths = polygon
        .iter()
        .map(|corner| libm::hypot(arm(corner)[0], arm(corner)[1]));
    let kept = 1.0 - gap / lengths.fold(gap, f64::max);
    let narrowed: Vec<[f64; 2]> = polygon
        .iter()
        .map(|corner| [0, 1].map(|axis| middle[axis] + kept * arm(corner)[axis]))
        .collect();
    prism(&narrowed, half_depth)
}

/// The hull of random points on a sphere \[m\].
pub(crate) fn rock(random: &mut SeededRng, points: usize, radius: f64) -> Hull {
    Hull::new((0..points).map(|_| radius * random.direction()).collect())
}

/// Refuses too many bodies in layers of `n` × `n`, in addition to `more` others.
pub(crate) fn layers_limit(n: usize, layers: usize, more: usize) -> Result<(), ParameterError> {
    body_limit("n", n, count(&[n, n], more))?;
    body_limit("layers", layers, count(&[n, n, layers], more))
}

/// The product of counts and what is added to it, `None` if it overflows.
pub(crate) fn count(factors: &[usize], more: usize) -> Option<usize> {
    let product = factors.iter().try_fold(1_usize, |a, b| a.checked_mul(*b));
    product.and_then(|product| product.checked_add(more))
}
