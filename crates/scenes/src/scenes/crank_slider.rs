//! A crank that pushes a slider through a rod: a closed loop, whose joints depend on each other in
//! space.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::constraints::Slider;
use delassus_dynamics::{
    Body, Cuboid, FieldError, Inertia, Joint, ShapeGeometry, World, WorldParts, rotation,
};
use nalgebra::{UnitQuaternion, Vector3};

use crate::rig::{anchors, falling, hinge, motor, rod_inertia};
use crate::scene::{Scene, SceneDescriptor};

/// A crank about the origin, a rod from its pin, and a slider on the x axis, in motion with the
/// crank.
///
/// Three hinges about z and a prismatic joint have 20 rows for 18 coordinates, and yet one motion
/// is left: three rows are redundant.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct CrankSlider {
    /// Length of the crank.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub crank: f64,
    /// Length of the rod. Longer than the crank.
    #[parameter(default = 1.5, unit = "m", range = "> 0")]
    pub rod: f64,
    /// Radius of crank and rod.
    #[parameter(default = 0.05, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of the crank.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub crank_mass: f64,
    /// Mass of the rod.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub rod_mass: f64,
    /// Mass of the slider, a cube with edges of four radii.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub slider_mass: f64,
    /// Angle of the crank from +x at the start.
    #[parameter(default = 0.5, unit = "rad")]
    pub angle: f64,
    /// Angular velocity of the crank at the start.
    #[parameter(default = 2.0, unit = "rad/s")]
    pub spin: f64,
    /// Angular velocity that a motor on the crank wants.
    #[parameter(default = 0.0, unit = "rad/s")]
    pub speed: f64,
    /// Largest torque of the motor. 0 is no motor.
    #[parameter(default = 0.0, unit = "N·m", range = ">= 0")]
    pub torque: f64,
    /// Gravity.
    #[parameter(default = 0.0, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl CrankSlider {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "anchor outside reach: the rod must be longer than the crank";
        require(self.rod > self.crank, "rod", self.rod, expected)
    }
}

impl Scene for CrankSlider {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "crank-slider",
        summary: "crank, rod and slider: a closed loop with three redundant rows, free or with a motor",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let (sine, cosine) = libm::sincos(self.angle);
        let pin = self.crank * Vector3::new(cosine, sine, 0.0);
        // the rod reaches from the pin down to the x axis
        let across = (self.rod * self.rod - pin.y * pin.y).sqrt();
        let slider = Vector3::new(pin.x + across, 0.0, 0.0);
        let rod_spin = -self.spin * pin.x / across;
        let slider_speed = -self.spin * pin.y + rod_spin * pin.y;

        let mut parts = falling(self.gravity);
        let frame = parts.body(Body::fixed(Vector3::zeros()).named("frame"));
        let crank = rod_inertia(self.crank, self.radius, self.crank_mass)?;
        let crank = link(
            &mut parts,
            "crank",
            crank,
            [Vector3::zeros(), pin],
            self.spin,
        );
        let rod = rod_inertia(self.rod, self.radius, self.rod_mass)?;
        let rod = link(&mut parts, "rod", rod, [pin, slider], rod_spin);
        // the end of the rod at the pin moves with the crank
        let pin_velocity = self.spin * Vector3::new(-pin.y, pin.x, 0.0);
        let lag = Vector3::new(0.0, 0.0, rod_spin).cross(&pin);
        parts.bodies[rod].velocity += pin_velocity - lag;
        let half = Vector3::repeat(2.0 * self.radius);
        let cube = Body::dynamic(Cuboid { half }.solid(self.slider_mass)?, slider);
        let velocity = Vector3::new(slider_speed, 0.0, 0.0);
        let slider = parts.body(cube.moving(velocity, Vector3::zeros()).named("slider"));
        self.join(&mut parts, [frame, crank, rod, slider]);
        parts.build()
    }
}

impl CrankSlider {
    fn join(&self, parts: &mut WorldParts, [frame, crank, rod, slider]: [usize; 4]) {
        let z = Vector3::z();
        let end = parts.bodies[slider].position.to_vector();
        let (sine, cosine) = libm::sincos(self.angle);
        let pin = self.crank * Vector3::new(cosine, sine, 0.0);
        let hinges = [
            ("crank hinge", [frame, crank], Vector3::zeros()),
            ("pin", [crank, rod], pin),
            ("slider hinge", [rod, slider], end),
        ];
        for (name, bodies, point) in hinges {
            let joint = hinge(parts, bodies, &point, &z);
            parts.joint(joint.named(name));
        }
        let bodies = [frame, slider];
        let guide = Slider {
            bodies,
            anchors: anchors(parts, bodies, &end),
            axis: Vector3::x(),
            orientation: UnitQuaternion::identity(),
        };
        parts.joint(Joint::new(guide).named("guide"));
        if self.torque > 0.0 {
            let motor = motor(parts, [frame, crank], &z, self.speed, self.torque);
            parts.joint(motor.named("motor"));
        }
    }
}

/// Adds a rod between two points, which turns about the origin \[rad/s\].
fn link(
    parts: &mut WorldParts,
    name: &str,
    inertia: Inertia,
    ends: [Vector3<f64>; 2],
    spin: f64,
) -> usize {
    let along = ends[1] - ends[0];
    let turn = rotation::about(&Vector3::z(), libm::atan2(along.x, -along.y));
    let spin = Vector3::new(0.0, 0.0, spin);
    let centre = 0.5 * (ends[0] + ends[1]);
    let body = Body::dynamic(inertia, centre).turned(turn).named(name);
    parts.body(body.moving(spin.cross(&centre), spin))
}
