//! A world as a frame for the kernels: packed rows, and what the substeps need to follow them.

use delassus_core::{Activity, Problem};
use delassus_dynamics::{FrameRow, StepError, World};
use delassus_solver_jacobi::compiled::Compiled;
use delassus_solver_jacobi::pack::{FIXED, FRAME_QUADS, Manifolds, POINT_QUADS, Pack, count_of};
use delassus_solver_jacobi::real::{Quad, Real};

use crate::joints::{self, BlockPlace, JointSpring};
use crate::parameters::SoftStepParameters;
use crate::start::{FrameStart, settings, triple, word};
use crate::stepping::frame::PackedFrame;
use crate::stepping::{FollowedContact, FollowedJoint, Stepping};

/// A frozen frame, and the same for the kernels.
pub(crate) struct Frozen<T: Copy> {
    pub(crate) rows: delassus_dynamics::Frame,
    pub(crate) frame: PackedFrame<T>,
}

pub(crate) fn freeze<T: Compiled>(
    world: &World,
    parameters: &SoftStepParameters,
    h: f64,
) -> Result<Frozen<T>, StepError> {
    let margin = Some(parameters.speculative_margin);
    let mut rows = delassus_dynamics::Frame::new(world, h, margin)?;
    let rule = parameters.step_rule();
    let solve = |problem: &Problem| T::pack(problem, rule).map_err(StepError::Solve);
    let relaxed = solve(rows.problem())?;
    rows.problem_mut().set_all_activity(Activity::NormalsOnly);
    let biased = solve(rows.problem())?;
    rows.problem_mut().set_all_activity(Activity::Solve);
    let source = Source {
        world,
        parameters,
        problem: rows.problem(),
        rows: rows.rows(),
        rebounds: rebounds(world, &rows, parameters.restitution_threshold),
        h,
    };
    let stepping = source.stepping(&biased)?;
    let may_bounce = source.rebounds.iter().any(|bias| *bias < 0.0);
    let mut frame = PackedFrame {
        stepping,
        packs: [biased, relaxed],
        schedule: parameters.schedule(may_bounce),
        impulses: rows.impulses(world),
    };
    frame.open_slots();
    Ok(Frozen { rows, frame })
}

struct Source<'a> {
    world: &'a World,
    parameters: &'a SoftStepParameters,
    problem: &'a Problem,
    rows: Vec<FrameRow>,
    /// Bias of every row in a bounce \[m/s\].
    rebounds: Vec<f64>,
    h: f64,
}

/// Bias of every row in a bounce \[m/s\]: e times the approach velocity, zero for rows that may not
/// bounce (T.14).
fn rebounds(world: &World, rows: &delassus_dynamics::Frame, threshold: f64) -> Vec<f64> {
    let problem = rows.problem();
    let mut approach = vec![0.0; problem.rows()];
    if world.manifolds().iter().all(|m| m.restitution == 0.0) {
        return approach;
    }
    if let Some(bodies) = problem.bodies() {
        // a frozen frame has the velocities of the bodies
        bodies.multiply(problem.blocks(), &bodies.free_velocity, &mut approach);
    }
    for (speed, row) in approach.iter_mut().zip(rows.rows()) {
        let restitution = match row {
            FrameRow::Normal { manifold, .. } if *speed < -threshold => {
                world.manifolds()[manifold].restitution
            }
            _ => 0.0,
        };
        *speed *= restitution;
    }
    approach
}

impl Source<'_> {
    fn stepping<T: Real>(&self, pack: &Pack<T>) -> Result<Stepping<T>, StepError> {
        let FrameStart { inertia, motion } = FrameStart::of(self.world, self.parameters, self.h);
        let [contacts, row_contacts] = self.contacts(pack)?;
        let (joints, rows) = self.joints(pack)?;
        Ok(Stepping {
            settings: settings(self.parameters, self.h),
            inertia,
            motion,
            contacts,
            row_contacts,
            joints,
            rows,
        })
    }

    /// Points of packed manifolds, then those that are packed as row blocks.
    fn contacts<T: Real>(&self, pack: &Pack<T>) -> Result<[Vec<FollowedContact<T>>; 2], StepError> {
        let (mut points, mut row_points) = (Vec::new(), Vec::new());
        let manifolds = &pack.manifolds;
        let frames = self.world.manifolds().iter().map(|manifold| {
            let poses = manifold.bodies.map(|body| self.world.bodies()[body].pose());
            manifold.frame(poses)
        });
        let frames: Vec<_> = frames.collect();
        for (index, head) in manifolds.heads.iter().enumerate() {
            let first = Manifolds::<T>::first_number(index, head[0]) + FRAME_QUADS;
            for point in 0..count_of(head[1]) as usize {
                let row = manifolds.first_row[head[0] as usize + point] & !FIXED;
                let target = first + POINT_QUADS * point;
                let step = manifolds.numbers[target + 1][0].widen();
                let impulse = 4 * (head[0] as usize + point);
                let places = [target, impulse];
                points.extend(self.contact(&frames, row as usize, places, step)?);
            }
        }
        for block in 0..pack.units.blocks() {
            let head = pack.units.heads[pack.units.len() + block];
            let [first, rows, _, at] = head.map(|x| x as usize);
            // a patch has several normals
            for local in 0..rows {
                let row = pack.units.rows[first + local] as usize;
                let places = [at + 1 + local, first + local];
                let step = pack.units.numbers[places[0]][2].widen();
                row_points.extend(self.contact(&frames, row, places, step)?);
            }
        }
        Ok([points, row_points])
    }

    /// The point of a row; none where the row is no normal.
    fn contact<T: Real>(
        &self,
        frames: &[delassus_dynamics::ContactFrame],
        row: usize,
        [numbers, impulse]: [usize; 2],
        step: f64,
    ) -> Result<Option<FollowedContact<T>>, StepError> {
        let FrameRow::Normal {
            manifold,
            point,
            fixed,
        } = self.rows[row]
        else {
            return Ok(None);
        };
        let (source, frame) = (&self.world.manifolds()[manifold], &frames[manifold]);
        let [a, b] = source.bodies.map(|body| &self.world.bodies()[body]);
        let anchor = source.anchor_of_b(point, &b.pose(), &frame.normal);
        let anchor = b.orientation * anchor;
        let across = (b.position - a.position) + anchor;
        let spring = self.parameters.contact_spring(fixed, self.h);
        let soft = spring.row(self.problem.diagonal()[row], self.h);
        let (rate, compliance) = soft.map_or((0.0, 0.0), |s| (s.bias_rate, s.compliance));
        // D + R/ω
        let closed = if step > 0.0 {
            1.0 / (1.0 / step + compliance / self.parameters.omega)
        } else {
            0.0
        };
        let [a, b] = source.bodies;
        Ok(Some(FollowedContact {
            a: word(a)?,
            b: word(b)?,
            numbers: word(numbers)?,
            impulse: word(impulse)?,
            normal: triple(&frame.normal),
            separation: T::of(frame.separations[point]),
            across: triple(&across),
            rate: T::of(rate),
            anchor: triple(&anchor),
            compliance: T::of(compliance),
            open_step: T::of(step),
            closed_step: T::of(closed),
            rebound: T::of(self.rebounds[row]),
            pushed: T::ZERO,
        }))
    }

    /// Joints, and their rows.
    fn joints<T: Real>(&self, pack: &Pack<T>) -> Result<FollowedJoints<T>, StepError> {
        let (mut joints, mut all) = (Vec::new(), Vec::new());
        for block in 0..pack.units.blocks() {
            let head = pack.units.heads[pack.units.len() + block];
            let [first, rows, _, at] = head.map(|x| x as usize);
            let row = pack.units.rows[first] as usize;
            if let FrameRow::Joint { joint, .. } = self.rows[row] {
                joints.extend(self.joint(joint, row, rows, at + 1, &mut all)?);
            }
        }
        Ok((joints, all))
    }

    fn joint<T: Real>(
        &self,
        index: usize,
        first: usize,
        rows: usize,
        numbers: usize,
        all: &mut Vec<Quad<T>>,
    ) -> Result<Option<FollowedJoint<T>>, StepError> {
        let joint = &self.world.joints()[index];
        let poses = joints::poses(self.world, joint);
        // `check` has refused the others
        let Some(shape) = joints::shape(&joint.constraint, &poses) else {
            return Ok(None);
        };
        let block = BlockPlace {
            numbers,
            rows: &self.rows[first..first + rows],
            springs: JointSpring::of_passes(joint, self.parameters, self.h),
        };
        let errors = joints::errors(self.world, index);
        let followed = shape.followed(joint, &block, &errors, all);
        followed.map(Some)
    }
}

/// Joints, with the direction and the error of their rows.
type FollowedJoints<T> = (Vec<FollowedJoint<T>>, Vec<Quad<T>>);
