//! The joints of a world as a device packs them: their rows, and where they are in the axes of
//! their bodies (K.50).

use delassus_core::{Activity, SolveError};
use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{Body, Frame, FrameRow, Pose, Signal, StepError, World};
use delassus_solver_jacobi::pack::{FIXED, Pack};
use delassus_solver_jacobi::real::{Quad, Real};
use nalgebra::{UnitQuaternion, Vector3};

use crate::joints::{self, BlockPlace, JointSpring};
use crate::parameters::SoftStepParameters;
use crate::stepping::FollowedJoint;

/// The joints of a world for a device that has the poses of its bodies.
#[derive(Debug, Clone, Default)]
pub struct JointPack {
    /// Their rows in the biased and in the relaxed pass, without contacts. Heads and laws are those
    /// of every frame; kernels write the other numbers.
    pub packs: [Pack<f32>; 2],
    /// One per block, in the axes of its bodies.
    pub joints: Vec<FollowedJoint<f32>>,
    /// Directions of their rows in the axes of A.
    pub rows: Vec<Quad<f32>>,
    /// Joint and row of every packed row, and none of those that fill a quad.
    places: Vec<Option<[usize; 2]>>,
}

impl JointPack {
    /// The joints of a world that [`crate::check`] has passed, for substeps of `h` \[s\].
    ///
    /// # Errors
    /// Those of [`Frame::new`], and more rows than 32-bit indices name.
    pub fn new(world: &World, parameters: &SoftStepParameters, h: f64) -> Result<Self, StepError> {
        // no contact is so near
        let mut frame = Frame::new(world, h, Some(f64::NEG_INFINITY))?;
        let rule = parameters.step_rule();
        let relaxed = Pack::new(frame.problem(), rule).map_err(StepError::Solve)?;
        frame.problem_mut().set_all_activity(Activity::NormalsOnly);
        let biased = Pack::new(frame.problem(), rule).map_err(StepError::Solve)?;
        let stands_for = frame.rows();
        let of_row = |row: &u32| match stands_for.get(*row as usize) {
            Some(FrameRow::Joint { joint, local }) => Some([*joint, *local]),
            _ => None,
        };
        let mut made = Self {
            places: relaxed.units.rows.iter().map(of_row).collect(),
            packs: [biased, relaxed],
            ..Self::default()
        };
        for pack in &mut made.packs {
            // sums want to know what bodies took that nothing moves
            let first = pack.units.first_slot_head();
            for head in &mut pack.units.heads[first..] {
                head[0] &= !FIXED;
            }
        }
        made.add_joints(world, parameters, h, &stands_for)?;
        Ok(made)
    }

    fn add_joints(
        &mut self,
        world: &World,
        parameters: &SoftStepParameters,
        h: f64,
        stands_for: &[FrameRow],
    ) -> Result<(), StepError> {
        let units = &self.packs[1].units;
        let own_axes = [Pose {
            position: Vector3::zeros().into(),
            orientation: UnitQuaternion::identity(),
        }; 2];
        for head in &units.heads[units.len()..units.first_slot_head()] {
            let [first, rows, _, numbers] = head.map(|x| x as usize);
            let row = units.rows[first] as usize;
            let FrameRow::Joint { joint, .. } = stands_for[row] else {
                continue;
            };
            let joint = &world.joints()[joint];
            let Some(shape) = joints::shape(&joint.constraint, &own_axes) else {
                continue;
            };
            let block = BlockPlace {
                numbers: numbers + 1,
                rows: &stands_for[row..row + rows],
                springs: JointSpring::of_passes(joint, parameters, h),
            };
            let none = vec![0.0; shape.rows.len()];
            let mut own = shape.followed(joint, &block, &none, &mut self.rows)?;
            if let AnyConstraint::Distance(rod) = &joint.constraint
                && let Signal::Constant(length) = rod.length
            {
                own.length = f32::of(length);
            }
            self.joints.push(own);
        }
        Ok(())
    }

    /// True if both have the same rows in the same places.
    pub fn is_laid_out_as(&self, other: &Self) -> bool {
        let heads = |pack: &Self| [0, 1].map(|pass| pack.packs[pass].units.heads.clone());
        self.places == other.places && heads(self) == heads(other)
    }

    /// Number of rows \[-\].
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The impulses that a world stores, packed \[N·s | N·m·s\].
    pub fn impulses(&self, world: &World) -> Vec<Quad<f32>> {
        let stored = |place: &Option<[usize; 2]>| {
            let stored = place.and_then(|[joint, row]| world.joints()[joint].impulses().get(row));
            f32::of(stored.copied().unwrap_or(0.0))
        };
        let all: Vec<f32> = self.places.iter().map(stored).collect();
        all.as_chunks::<4>().0.to_vec()
    }

    /// The packed impulses, joint by joint; zero for rows that nothing moves.
    ///
    /// # Errors
    /// Other quads than there are rows for.
    pub fn unpacked(
        &self,
        world: &World,
        impulses: &[Quad<f32>],
    ) -> Result<Vec<Vec<f64>>, SolveError> {
        let values = impulses.as_flattened();
        if values.len() != self.places.len() {
            return Err(SolveError::Length {
                what: "the impulses of the joints",
                found: values.len(),
                expected: self.places.len(),
            });
        }
        let rows = |joint: &delassus_dynamics::Joint| joint.constraint.descriptor().units.len();
        let joints = world.joints().iter();
        let mut all: Vec<Vec<f64>> = joints.map(|joint| vec![0.0; rows(joint)]).collect();
        for (place, value) in self.places.iter().zip(values) {
            if let Some([joint, row]) = *place {
                all[joint][row] = f64::from(*value);
            }
        }
        Ok(all)
    }
}

/// The first joint whose rows may be left out at some poses and not at others, because its bodies
/// have locked axes or turn about some of their axes without inertia.
pub fn joint_with_changing_rows(world: &World) -> Option<usize> {
    let locked = |body: &Body| {
        [body.lock_translation, body.lock_rotation]
            .as_flattened()
            .contains(&true)
    };
    // every row moves such a body
    let moves = |body: &Body| {
        body.is_dynamic() && !locked(body) && body.inertia.moments.iter().all(|m| *m > 0.0)
    };
    // lines move such a body wherever it is, turns never
    let never_turns = |body: &Body| {
        !body.is_dynamic() || !locked(body) && body.inertia.moments == Vector3::zeros()
    };
    world.joints().iter().position(|joint| {
        let bodies = joint.constraint.bodies().iter();
        let mut bodies = bodies.map(|body| &world.bodies()[*body]);
        !bodies.clone().any(moves) && !bodies.all(never_turns)
    })
}
