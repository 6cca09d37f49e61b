//! A world that is confined to a plane: a box slides, a disc rolls, a pendulum swings.

use delassus_core::Parameters;
use delassus_dynamics::{Body, Collider, Cuboid, FieldError, Inertia, Sphere, World};
use nalgebra::Vector3;

use crate::rig::hinge;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// A box, a disc and a pendulum that cannot leave the x-y plane; the axes are those of the ground,
/// down the slope is +x, and gravity leans.
///
/// On level ground the box stops after speed²/(2 friction g); on a slope it is accelerated by g
/// (sin(slope) - friction cos(slope)). The disc, of inertia m r²/2, starts without a spin: on level
/// ground it rolls with 2/3 of its speed after speed/(3 friction g). The pendulum is a uniform rod,
/// released from an angle: it passes its lowest point with the angular velocity sqrt(3 g (1 -
/// cos(angle))/length).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PlanarWorld {
    /// Angle of the incline.
    #[parameter(default = 0.0, unit = "rad")]
    pub slope: f64,
    /// Edge of the box and diameter of the disc.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub size: f64,
    /// Mass of every body.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Velocity of box and disc down the slope at the start.
    #[parameter(default = 2.0, unit = "m/s")]
    pub speed: f64,
    /// Lever of rolling resistance.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub rolling: f64,
    /// Length of the pendulum.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Angle of the pendulum from where it hangs at rest, towards +x.
    #[parameter(default = 0.5, unit = "rad")]
    pub angle: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.4) })]
    pub setting: CommonParameters,
}

impl Scene for PlanarWorld {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "planar-world",
        summary: "a box, a disc and a pendulum confined to the x-y plane",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let Self { mass, size, .. } = *self;
        let mut site = Site::on_incline(&self.setting, self.slope);
        site.surface.rolling_friction = self.rolling;
        let mut add = |name: &str, inertia: Inertia, at: Vector3<f64>| {
            let velocity = self.speed * Vector3::x();
            let body = Body::dynamic(inertia, at).named(name).planar();
            site.parts.body(body.moving(velocity, Vector3::zeros()))
        };
        // far enough apart that neither reaches the other on level ground
        let [box_at, disc_at] = [-5.0 * size, 5.0 * size].map(|x| Vector3::new(x, 0.5 * size, 0.0));
        let square = Inertia::new(mass, Vector3::repeat(mass * size * size / 6.0));
        let block = add("box", square, box_at);
        let across = 0.5 * mass * 0.25 * size * size;
        let disc = add("disc", Inertia::new(mass, Vector3::repeat(across)), disc_at);
        let half = Vector3::repeat(0.5 * size);
        site.cover(Collider::new(block, Cuboid { half }));
        site.cover(Collider::new(disc, Sphere::new(0.5 * size)));
        self.hang(&mut site);
        site.build()
    }
}

impl PlanarWorld {
    /// Adds the pendulum, behind the box and above the ground.
    fn hang(&self, site: &mut Site) {
        let at = Vector3::new(-10.0 * self.size - self.length, 2.0 * self.length, 0.0);
        let (sine, cosine) = libm::sincos(self.slope + self.angle);
        let centre = at + 0.5 * self.length * Vector3::new(sine, -cosine, 0.0);
        let across = self.mass * self.length * self.length / 12.0;
        let rod = Body::dynamic(Inertia::new(self.mass, Vector3::repeat(across)), centre);
        let parts = &mut site.parts;
        let pivot = parts.body(Body::fixed(at).named("pivot"));
        let rod = parts.body(rod.named("rod").planar());
        let joint = hinge(parts, [pivot, rod], &at, &Vector3::z());
        parts.joint(joint.named("pivot"));
    }
}
