//! The kernels that only a frame has.

use delassus_scheme_jacobi::stepping as twin;
use delassus_solver_gpu::pipelines::Shader;
use delassus_solver_gpu::prelude as solver;
use delassus_solver_gpu::shaders::{LAYOUT, VECTORS};

/// Counts and codes of the twin, by the names that the shaders call them.
const COUNTS: &[(&str, usize)] = &[
    ("INERTIA_QUADS", twin::INERTIA_QUADS),
    ("MOTION_QUADS", twin::MOTION_QUADS),
    ("CONTACT_QUADS", twin::CONTACT_QUADS),
    ("JOINT_QUADS", twin::JOINT_QUADS),
    ("TOTAL_QUADS", twin::TOTAL_QUADS),
    ("KEEPS", twin::KEEPS as usize),
    ("TURNS", twin::TURNS as usize),
    ("GYROSCOPIC", twin::GYROSCOPIC as usize),
    ("LINE", twin::LINE as usize),
    ("PERPENDICULAR", twin::PERPENDICULAR as usize),
    ("ORIENTATION", twin::ORIENTATION as usize),
];

fn prelude() -> String {
    solver::prelude() + &solver::counts(COUNTS)
}
const FRAME: &str = include_str!("frame.wgsl");
const EACH_CONTACT: &str = include_str!("each_contact.wgsl");

macro_rules! shaders {
    ($($(#[$doc:meta])* $name:ident = $file:literal $(then $part:ident)?;)*) => {
        $($(#[$doc])* pub(super) const $name: Shader = Shader {
            name: $file,
            prelude,
            parts: &[LAYOUT, VECTORS, FRAME, include_str!($file), $($part)?],
        };)*
        #[cfg(test)]
        const ALL: &[Shader] = &[$($name),*];
    };
}

shaders! {
    /// Forces.
    MOTION = "motion.wgsl";
    /// Bias of contacts.
    SEPARATIONS = "separations.wgsl" then EACH_CONTACT;
    /// Rows of joints.
    JOINTS = "joints.wgsl";
    /// Poses.
    POSES = "poses.wgsl";
    /// Sums of the wrenches.
    TALLY = "tally.wgsl";
    /// Velocities at the end of a substep.
    SETTLE = "settle.wgsl";
    /// Contacts that bounce.
    BOUNCE = "bounce.wgsl" then EACH_CONTACT;
    /// Momentum of the iteration.
    START = "start.wgsl";
}

#[cfg(test)]
mod tests {
    use super::*;
    use naga::front::wgsl;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            let source = shader.source();
            let module = match wgsl::parse_str(&source) {
                Ok(module) => module,
                Err(error) => panic!("{}: {}", shader.name, error.emit_to_string(&source)),
            };
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            if let Err(error) = validator.validate(&module) {
                panic!("{}: {}", shader.name, error.emit_to_string(&source));
            }
        }
    }
}
