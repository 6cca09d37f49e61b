//! Two particles and a spring: one soft row.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters, Softness};
use delassus_dynamics::{Body, FieldError, Inertia, Signal, World};
use nalgebra::Vector3;

use crate::rig::{falling, rod};
use crate::scene::{Scene, SceneDescriptor};
use crate::soft::SoftForm;

/// Two free point masses on the x axis with a soft distance joint between them, stretched at the
/// start.
///
/// The default masses are those of Solver2D's study of soft constraints, which hangs them on each
/// other: see the scene `chain` with two links.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct TwoBodySpring {
    /// Inverse masses.
    #[parameter(default = [0.167, 0.000995], unit = "1/kg", range = "> 0")]
    pub inverse_masses: [f64; 2],
    /// Length at rest.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Excess length at the start. Above -length.
    #[parameter(default = 0.1, unit = "m")]
    pub stretch: f64,
    /// Frequency as if nothing else moved the bodies. 0 is rigid.
    #[parameter(default = 2.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio.
    #[parameter(default = 0.0, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
    /// How the softness is written.
    #[parameter(default = SoftForm::Frequency)]
    pub form: SoftForm,
    /// Step that ERP and CFM, beta and gamma or the scales are computed for. The joint keeps those
    /// numbers, so that at another step each form is another spring.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub step: f64,
    /// Gravity.
    #[parameter(default = 0.0, unit = "m/s²")]
    pub gravity: f64,
}

impl TwoBodySpring {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "the particles would meet: it must be above -length";
        require(
            self.stretch > -self.length,
            "stretch",
            self.stretch,
            expected,
        )
    }
}

impl Scene for TwoBodySpring {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "two-body-spring",
        summary: "two free particles of unequal mass with a stretched spring between them",
        citations: &["Catto2011", "Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let [a, b] = self.inverse_masses.map(|inverse| 1.0 / inverse);
        // the centre of mass is at the origin
        let apart = self.length + self.stretch;
        let [left, right] = [-b / (a + b) * apart, a / (a + b) * apart];
        let mut parts = falling(self.gravity);
        let bodies = [(a, left, "left"), (b, right, "right")].map(|(mass, x, name)| {
            let particle = Body::dynamic(Inertia::point(mass), Vector3::new(x, 0.0, 0.0));
            parts.body(particle.named(name))
        });
        let spring = rod(bodies, Signal::Constant(self.length)).named("spring");
        parts.joint(spring.soft(self.softness()?));
        parts.build()
    }
}

impl TwoBodySpring {
    /// The softness of the joint, in the form that is asked for.
    fn softness(&self) -> Result<Softness, FieldError> {
        let diagonal = self.inverse_masses.iter().sum();
        let (hertz, zeta) = (self.hertz, self.damping_ratio);
        let written = self.form.write(hertz, zeta, diagonal, self.step);
        let expected = "a frequency that can be written in the form asked for at this step [Hz]";
        written.ok_or_else(|| FieldError::new("hertz", hertz, expected))
    }
}
