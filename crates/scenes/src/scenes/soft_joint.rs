//! A ball on a soft joint at a point off its centre: one block of three or six rows.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters, Softness};
use delassus_dynamics::constraints::{AnyConstraint, Point, Weld};
use delassus_dynamics::{Body, FieldError, Inertia, Joint, SoftnessCoupling, World, rotation};
use nalgebra::{UnitQuaternion, Vector3};

use crate::rig::falling;
use crate::scene::{Scene, SceneDescriptor};
use crate::soft::SoftForm;

/// Which joint holds the ball.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum HeldBy {
    /// A point: three linear rows.
    Point,
    /// A weld: three linear and three angular rows.
    Weld,
}

/// A solid ball without gravity, held to the world by soft rows and displaced at the start.
///
/// K of a joint off the centre has entries off its diagonal, so that its frequency means one thing
/// row by row and another one for the block.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct SoftJoint {
    /// The joint.
    #[parameter(default = HeldBy::Weld)]
    pub joint: HeldBy,
    /// Mass of the ball.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Radius of the ball.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Where the joint takes hold, from the centre of the ball.
    #[parameter(default = [0.3, 0.4, 0.0], unit = "m")]
    pub anchor: [f64; 3],
    /// Displacement of that point at the start.
    #[parameter(default = [1e-3, 0.0, 0.0], unit = "m")]
    pub offset: [f64; 3],
    /// Rotation vector of the ball at the start. Shorter than π.
    #[parameter(default = [0.0, 0.0, 0.0], unit = "rad")]
    pub twist: [f64; 3],
    /// Frequency of the joint. 0 is rigid.
    #[parameter(default = 2.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio.
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
    /// Frequency of the angular rows, as a spring of their own. That of the joint without it.
    #[parameter(default = None, unit = "Hz", range = "> 0")]
    pub angular_hertz: Option<f64>,
    /// Damping ratio that goes with angular_hertz.
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub angular_damping_ratio: f64,
    /// Whether each row has the frequency as if it were alone, or all rows together.
    #[parameter(default = SoftnessCoupling::Rows)]
    pub coupling: SoftnessCoupling,
    /// How the softness is written. Forms that do not follow the mass need a joint at the centre.
    #[parameter(default = SoftForm::Frequency)]
    pub form: SoftForm,
    /// Step that ERP and CFM, beta and gamma or the scales are computed for.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub step: f64,
}

impl SoftJoint {
    fn check(&self) -> Result<(), ParameterError> {
        let angle = Vector3::from(self.twist).norm();
        let expected = "the rotation vector must be shorter than pi";
        require(angle < std::f64::consts::PI, "twist", angle, expected)?;
        let follows = matches!(self.form, SoftForm::Frequency | SoftForm::Scales);
        let central = follows || self.anchor == [0.0; 3];
        let expected =
            "(0, 0, 0) with this form: off the centre every row has a stiffness of its own";
        require(central, "anchor", format!("{:?}", self.anchor), expected)
    }

    /// Moment of inertia about every axis \[kg·m²\].
    pub fn moment(&self) -> f64 {
        0.4 * self.mass * self.radius * self.radius
    }

    fn softness(&self, [hertz, zeta]: [f64; 2], diagonal: f64) -> Result<Softness, FieldError> {
        let written = self.form.write(hertz, zeta, diagonal, self.step);
        let expected = "a frequency that can be written in the form asked for at this step [Hz]";
        written.ok_or_else(|| FieldError::new("hertz", hertz, expected))
    }
}

impl Scene for SoftJoint {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "soft-joint",
        summary: "a ball on a soft joint off its centre: the frequency of its rows or of their block",
        citations: &["Catto2011", "Norbeck2022"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let anchor = Vector3::from(self.anchor);
        let turn = rotation::exp(&Vector3::from(self.twist));
        let mut parts = falling(0.0);
        let ground = parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let inertia = Inertia::new(self.mass, Vector3::repeat(self.moment()));
        let place = Vector3::from(self.offset) - turn * anchor;
        let ball = Body::dynamic(inertia, place).turned(turn).named("ball");
        let bodies = [ground, parts.body(ball)];
        let anchors = [Vector3::zeros(), anchor];
        let constraint: AnyConstraint = match self.joint {
            HeldBy::Point => Point { bodies, anchors }.into(),
            HeldBy::Weld => Weld {
                bodies,
                anchors,
                orientation: UnitQuaternion::identity(),
            }
            .into(),
        };
        let linear = [self.hertz, self.damping_ratio];
        let mut joint = Joint::new(constraint).named("joint");
        joint.softness = self.softness(linear, 1.0 / self.mass)?;
        joint.coupling = self.coupling;
        let own = self
            .angular_hertz
            .map(|hertz| [hertz, self.angular_damping_ratio]);
        let central = !matches!(self.form, SoftForm::Frequency | SoftForm::Scales);
        if let Some(angular) = own.or(central.then_some(linear)) {
            joint.angular_softness = Some(self.softness(angular, 1.0 / self.moment())?);
        }
        parts.joint(joint);
        parts.build()
    }
}
