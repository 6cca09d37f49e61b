//! A body on a contact that is a spring.

use delassus_core::Parameters;
use delassus_dynamics::{Body, ContactLaw, ContactPoint, FieldError, Inertia, Manifold, World};
use nalgebra::Vector3;

use crate::rig::falling;
use crate::scene::{Scene, SceneDescriptor};
use crate::soft::SoftForm;

/// A point mass on a plane, with one contact whose softness is the scene's own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SoftContact {
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Frequency of the contact with this mass. 0 is rigid.
    #[parameter(default = 5.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio.
    #[parameter(default = 0.5, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
    /// Overlap at the start. Negative above the plane.
    #[parameter(default = 0.0, unit = "m")]
    pub depth: f64,
    /// How the softness is written.
    #[parameter(default = SoftForm::Frequency)]
    pub form: SoftForm,
    /// Step that ERP and CFM, beta and gamma or the scales are computed for.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub step: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²")]
    pub gravity: f64,
}

impl Scene for SoftContact {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "soft-contact",
        summary: "a point mass on a contact that is a spring of the scene",
        citations: &["Catto2011", "Castro2022"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let softness = self
            .form
            .write(self.hertz, self.damping_ratio, 1.0 / self.mass, self.step);
        let expected = "a frequency that can be written in the form asked for at this step [Hz]";
        let softness = softness.ok_or_else(|| FieldError::new("hertz", self.hertz, expected))?;
        let mut parts = falling(self.gravity);
        let ground = parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let place = Vector3::new(0.0, 0.0 - self.depth, 0.0);
        let body = parts.body(Body::dynamic(Inertia::point(self.mass), place).named("body"));
        let point = ContactPoint {
            anchors: [Vector3::zeros(); 2],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Frictionless;
        let contact = Manifold::new([ground, body], Vector3::y(), vec![point], 0.0, law);
        parts.manifolds.push(contact.soft(softness));
        parts.build()
    }
}
