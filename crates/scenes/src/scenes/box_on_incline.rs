//! A box on an incline: it sticks or slides by Coulomb's law.

use delassus_core::parameter::{finite, fraction, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{ContactLaw, FieldError, World};

use crate::boxes::{BoxScene, BoxSettings, GROUND};
use crate::registry::{Scene, SceneDescriptor};
use crate::string::MassOrder;

parameters! {
    /// One box on a plane; the axes are those of the incline, down the slope is +x, and gravity leans.
    ///
    /// It sticks if friction >= tan(slope), and otherwise slides with g (sin(slope) - friction cos(slope)).
    BoxOnIncline {
        /// Angle of the incline \[rad\].
        slope: f64 = 0.5,
        /// Edge length of the box \[m\]; > 0.
        size: f64 = 1.0,
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Friction coefficient \[-\]; >= 0.
        friction: f64 = 0.3,
        /// Coefficient of restitution \[-\]; in \[0, 1\].
        restitution: f64 = 0.0,
        /// Law of the contact: "frictionless", "pyramid", "disc", "coulomb", "convex-cone" or "patch".
        law: ContactLaw = ContactLaw::Disc,
        /// Velocity down the slope at the start \[m/s\].
        speed: f64 = 0.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for BoxOnIncline {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "box-on-incline",
        summary: "a box that sticks or slides on an incline",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        finite("slope", self.slope)?;
        positive("size", self.size)?;
        positive("mass", self.mass)?;
        non_negative("friction", self.friction)?;
        fraction("restitution", self.restitution)?;
        finite("speed", self.speed)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let settings = BoxSettings {
            size: self.size,
            mass: self.mass,
            mass_ratio: 1.0,
            mass_order: MassOrder::Geometric,
            friction: self.friction,
            restitution: self.restitution,
            law: self.law,
            gap: 0.0,
            tilt: self.slope,
            speed: self.speed,
            gravity: self.gravity,
        };
        let mut scene = BoxScene::new(settings, 1);
        let body = scene.place(0.0, 0, 0.0)?;
        scene.stand(body, GROUND);
        scene.finish()
    }
}
