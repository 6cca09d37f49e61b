//! Two particles and a spring: one soft row.

use delassus_core::parameter::{finite, positive, require};
use delassus_core::{ParameterError, Softness, parameters};
use delassus_dynamics::{Body, FieldError, Inertia, Signal, World};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{check_softness, falling, rod};
use crate::soft::SoftForm;

parameters! {
    /// Two free point masses on the x axis with a soft distance joint between them, stretched at the start.
    ///
    /// The default masses are those of Solver2D's study of soft constraints, which hangs them on each other: see the scene
    /// `chain` with two links.
    TwoBodySpring {
        /// Inverse masses \[1/kg\]; > 0.
        inverse_masses: [f64; 2] = [0.167, 0.000995],
        /// Length at rest \[m\]; > 0.
        length: f64 = 1.0,
        /// Excess length at the start \[m\]; > -length.
        stretch: f64 = 0.1,
        /// Frequency as if nothing else moved the bodies \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 2.0,
        /// Damping ratio \[-\]; >= 0.
        damping_ratio: f64 = 0.0,
        /// How the softness is written: "frequency", "spring", "erp-cfm", "beta-gamma" or "scales".
        form: SoftForm = SoftForm::Frequency,
        /// Step that ERP and CFM, beta and gamma or the scales are computed for \[s\]; > 0. The joint keeps those numbers, so
        /// that at another step each form is another spring.
        step: f64 = 1.0 / 60.0,
        /// Gravity \[m/s²\].
        gravity: f64 = 0.0,
    }
}

impl Scene for TwoBodySpring {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "two-body-spring",
        summary: "two free particles of unequal mass with a stretched spring between them",
        parameters: Self::PARAMETERS,
        citations: &["Catto2011", "Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        for inverse in self.inverse_masses {
            positive("inverse_masses", inverse)?;
        }
        positive("length", self.length)?;
        let fits = self.stretch.is_finite() && self.stretch > -self.length;
        let expected = "the particles would meet: it must be above -length";
        require(fits, "stretch", self.stretch, expected)?;
        check_softness(self.hertz, self.damping_ratio)?;
        positive("step", self.step)?;
        finite("gravity", self.gravity)
    }

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
