//! A scissor lift with a load.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::constraints::{LinearServo, PointOnLine};
use delassus_dynamics::{Capsule, Cuboid, FieldError, Joint, Signal, World, WorldParts, rotation};
use nalgebra::Vector3;

use crate::rig::{Spring, anchors, body_limit, hinge};
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, density_of, resting};

/// Levels of crossed arms with hinges, a drive between the lower ends and a platform with a box on
/// top: Box2D's ScissorLift, arms of 5 m that start at 0.15 rad, in space.
///
/// All hinges have parallel axes, so that five rows each are more than a planar mechanism needs:
/// most of them are redundant. Arms and platform do not touch each other.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ScissorLift {
    /// Number of levels.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub levels: usize,
    /// Half of the length of an arm between its outer hinges.
    #[parameter(default = 2.5, unit = "m", range = "> 0")]
    pub half: f64,
    /// Angle of the arms at the start.
    #[parameter(default = 0.15, unit = "rad", range = "(0, 1)")]
    pub angle: f64,
    /// Density of arms and platform.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Mass of the box on the platform.
    #[parameter(default = 500.0, unit = "kg", range = "> 0")]
    pub load: f64,
    /// Speed at which the drive pulls the lower ends together.
    #[parameter(default = 0.25, unit = "m/s")]
    pub speed: f64,
    /// Largest force of the drive.
    #[parameter(default = 2e6, unit = "N", range = ">= 0")]
    pub force: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl ScissorLift {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("levels", self.levels, count(&[self.levels, 2], 3))
    }

    /// Half of the width of the lift, and the height of a level \[m\].
    fn size(&self) -> [f64; 2] {
        let (sine, cosine) = libm::sincos(self.angle);
        [self.half * cosine, 2.0 * self.half * sine]
    }

    /// An end of an arm of a level: side −1 or 1, end 0 below or 1 above \[m\].
    fn end(&self, level: usize, side: f64, above: usize) -> Vector3<f64> {
        let [half, height] = self.size();
        // the arms lie above the ground by their thickness
        let y = 0.2 * self.half + (level + above) as f64 * height;
        Vector3::new(side * half, y, 0.0)
    }

    /// Adds the two arms of a level, the first of which rises to the right.
    fn arms(&self, site: &mut Site, level: usize) -> [usize; 2] {
        let radius = 0.06 * self.half;
        let shape = Capsule::new(self.half, radius);
        let arms = [-1.0, 1.0].map(|side| {
            let [low, high] = [self.end(level, side, 0), self.end(level, -side, 1)];
            let along = high - low;
            let turn = rotation::about(&Vector3::z(), libm::atan2(-along.x, along.y));
            let arm = resting(0.5 * (low + high)).turned(turn);
            let arm = site.add(arm.named(format!("arm {level}")), shape, self.density);
            group(&mut site.parts);
            arm
        });
        let [half, height] = self.size();
        let middle = self.end(level, 1.0, 0) + Vector3::new(-half, 0.5 * height, 0.0);
        self.pin(&mut site.parts, arms, &middle);
        arms
    }

    fn pin(&self, parts: &mut WorldParts, bodies: [usize; 2], at: &Vector3<f64>) {
        let joint = hinge(parts, bodies, at, &Vector3::z());
        parts.joint(joint.named("pin").soft(self.spring.softness()));
    }

    /// Lets a point of B slide along x in A.
    fn slide(&self, parts: &mut WorldParts, bodies: [usize; 2], at: &Vector3<f64>) {
        let line = PointOnLine {
            bodies,
            anchors: anchors(parts, bodies, at),
            axis: Vector3::x(),
        };
        let joint = Joint::new(line).named("slide");
        parts.joint(joint.soft(self.spring.softness()));
    }

    /// Pulls the lower right end towards the left one.
    fn drive(&self, parts: &mut WorldParts, bodies: [usize; 2]) {
        let ends = [-1.0, 1.0].map(|side| self.end(0, side, 0));
        let servo = LinearServo {
            bodies,
            anchors: [
                anchors(parts, bodies, &ends[0])[0],
                anchors(parts, bodies, &ends[1])[1],
            ],
            axis: Vector3::x(),
            target: Signal::Ramp {
                start: ends[1].x - ends[0].x,
                rate: -self.speed,
            },
        };
        let joint = Joint::new(servo).named("drive");
        parts.joint(joint.limited(self.force));
    }
}

/// Puts the last collider into the group of the arms.
fn group(parts: &mut WorldParts) {
    if let Some(collider) = parts.colliders.last_mut() {
        collider.filter.group = 1;
    }
}

impl Scene for ScissorLift {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "scissor-lift",
        summary: "crossed arms that lift a platform with a load",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let mut below: Option<[usize; 2]> = None;
        for level in 0..self.levels {
            let [rising, falling] = self.arms(&mut site, level);
            let (left, right) = (self.end(level, -1.0, 0), self.end(level, 1.0, 0));
            let parts = &mut site.parts;
            match below {
                None => {
                    self.pin(parts, [0, rising], &left);
                    self.slide(parts, [0, falling], &right);
                    self.drive(parts, [0, falling]);
                }
                Some([other, another]) => {
                    self.pin(parts, [another, rising], &left);
                    self.pin(parts, [other, falling], &right);
                }
            }
            below = Some([rising, falling]);
        }
        let top = self.levels - 1;
        let (left, right) = (self.end(top, -1.0, 1), self.end(top, 1.0, 1));
        let half = Vector3::new(1.1, 0.04, 0.4) * self.half;
        let middle = 0.5 * (left + right) + Vector3::new(0.0, half.y, 0.0);
        let platform = site.place("platform", middle, Cuboid { half }, self.density);
        group(&mut site.parts);
        if let Some([rising, falling]) = below {
            self.pin(&mut site.parts, [platform, falling], &left);
            self.slide(&mut site.parts, [platform, rising], &right);
        }
        let shape = Cuboid::cube(0.2 * self.half);
        let at = middle + Vector3::new(0.0, half.y + 0.2 * self.half, 0.0);
        site.place("load", at, shape, density_of(shape, self.load));
        site.build()
    }
}
