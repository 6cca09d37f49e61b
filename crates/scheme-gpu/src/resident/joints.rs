//! The joints of a world, which go up when they, their bodies or the substep change.

use delassus_dynamics::{Body, BodyKind, Joint, StepError, World};
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_scheme_jacobi::joint_pack::{JointPack, joint_with_changing_rows};

use crate::rows::memory::JointRoom;

/// The joints of a world as the host has packed them.
#[derive(Debug, Default)]
pub(super) struct Joints {
    pub(super) pack: JointPack,
    pub(super) room: JointRoom,
    /// `None` before the first.
    source: Option<JointSource>,
    /// How often they were packed, and how often so that their rows lie elsewhere \[-\].
    pub(super) packed: u64,
    pub(super) laid_out: u64,
}

/// What joints are packed of.
#[derive(Debug)]
struct JointSource {
    joints: Vec<JointInput>,
    parameters: SoftStepParameters,
    h: f64,
}

/// What the rows of a joint follow from, beside poses.
#[derive(Debug)]
struct JointInput {
    joint: Joint,
    bodies: Vec<Mobility>,
}

/// What decides whether a row moves a body.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mobility {
    kind: BodyKind,
    locks: [[bool; 3]; 2],
    turns: [bool; 3],
}

impl Mobility {
    fn of(body: &Body) -> Self {
        Self {
            kind: body.kind,
            locks: [body.lock_translation, body.lock_rotation],
            turns: [0, 1, 2].map(|axis| body.inertia.moments[axis] > 0.0),
        }
    }
}

impl JointInput {
    fn of(world: &World, joint: &Joint) -> Self {
        Self {
            joint: joint.clone(),
            bodies: mobilities(world, joint).collect(),
        }
    }

    /// True if a joint makes the same rows; names and impulses are no matter.
    fn is_of(&self, world: &World, joint: &Joint) -> bool {
        let own = &self.joint;
        own.constraint == joint.constraint
            && (own.softness, own.angular_softness) == (joint.softness, joint.angular_softness)
            && own.coupling == joint.coupling
            && (own.max_force, own.max_torque) == (joint.max_force, joint.max_torque)
            && mobilities(world, joint).eq(self.bodies.iter().copied())
    }
}

fn mobilities(world: &World, joint: &Joint) -> impl Iterator<Item = Mobility> {
    let bodies = joint.constraint.bodies().iter();
    bodies.map(|body| Mobility::of(&world.bodies()[*body]))
}

impl JointSource {
    fn is_of(&self, world: &World, parameters: &SoftStepParameters, h: f64) -> bool {
        let joints = world.joints();
        let mut pairs = self.joints.iter().zip(joints);
        (self.h, self.joints.len()) == (h, joints.len())
            && self.parameters == *parameters
            && pairs.all(|(input, joint)| input.is_of(world, joint))
    }
}

impl Joints {
    /// Those of another world, or of the same one, for substeps of `h` \[s\].
    ///
    /// # Errors
    /// Those of [`JointPack::new`].
    pub(super) fn update(
        &mut self,
        world: &World,
        parameters: &SoftStepParameters,
        h: f64,
    ) -> Result<(), StepError> {
        let source = self.source.as_ref();
        let same = source.is_some_and(|source| source.is_of(world, parameters, h));
        if same && joint_with_changing_rows(world).is_none() {
            return Ok(());
        }
        let fresh = if world.joints().is_empty() {
            JointPack::default()
        } else {
            JointPack::new(world, parameters, h)?
        };
        if same && fresh.is_laid_out_as(&self.pack) {
            return Ok(());
        }
        self.packed += 1;
        self.laid_out += u64::from(!fresh.is_laid_out_as(&self.pack));
        self.room = JointRoom::of(&fresh);
        let inputs = world.joints().iter();
        self.source = Some(JointSource {
            joints: inputs.map(|joint| JointInput::of(world, joint)).collect(),
            parameters: *parameters,
            h,
        });
        self.pack = fresh;
        Ok(())
    }
}

/// Which joints a device has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UploadedJoints {
    /// As [`Joints`] has counted.
    pub(super) packed: Option<u64>,
    pub(super) laid_out: Option<u64>,
}

impl UploadedJoints {
    /// Those of memory with the same impulses, and nothing else.
    pub(super) fn impulses_of(&self) -> Self {
        Self {
            packed: None,
            ..*self
        }
    }
}
