//! A world as a frame for the kernels: packed rows, and what the substeps need to follow them.

use delassus_core::{Activity, Problem, SolveError};
use delassus_dynamics::{Body, FrameRow, StepError, World};
use delassus_solver_jacobi::pack::{FIXED, FRAME_QUADS, Manifolds, POINT_QUADS, Pack, count_of};
use delassus_solver_jacobi::real::{Quad, Real};
use nalgebra::{UnitQuaternion, Vector3};

use crate::joints::{self, Spring};
use crate::parameters::SoftStepParameters;
use crate::stepping::frame::Frame;
use crate::stepping::{
    Contacts, FIXED_INERTIA, GYROSCOPIC, JOINT_QUADS, Joints, KEEPS, Settings, Stepping, TURNS,
};

/// A frozen frame, and the same for the kernels.
pub(crate) struct Frozen<T> {
    pub(crate) rows: delassus_dynamics::Frame,
    pub(crate) frame: Frame<T>,
}

pub(crate) fn freeze<T: Real>(
    world: &World,
    parameters: &SoftStepParameters,
    h: f64,
) -> Result<Frozen<T>, StepError> {
    let margin = Some(parameters.speculative_margin);
    let mut rows = delassus_dynamics::Frame::new(world, h, margin)?;
    let rule = parameters.step_rule();
    let solve = |problem: &Problem| Pack::new(problem, rule).map_err(StepError::Solve);
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
    let bounces = source.rebounds.iter().any(|bias| *bias < 0.0);
    let mut frame = Frame {
        stepping,
        packs: [biased, relaxed],
        schedule: parameters.schedule(bounces),
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

/// Bias of every row in a bounce \[m/s\]: e times the approach velocity, zero for rows that may not bounce (T.14).
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

fn quad<T: Real>(v: &Vector3<f64>, w: f64) -> Quad<T> {
    [T::of(v.x), T::of(v.y), T::of(v.z), T::of(w)]
}

fn rotation<T: Real>(q: &UnitQuaternion<f64>) -> Quad<T> {
    [T::of(q.i), T::of(q.j), T::of(q.k), T::of(q.w)]
}

impl Source<'_> {
    fn stepping<T: Real>(&self, pack: &Pack<T>) -> Result<Stepping<T>, StepError> {
        let (mut inertia, mut motion) = (Vec::new(), Vec::new());
        for body in self.world.bodies() {
            self.push_body(body, &mut inertia, &mut motion);
        }
        // the world: nothing moves it
        let zero = [T::ZERO; 4];
        inertia.extend([zero; 8]);
        motion.extend([zero, zero, zero, rotation(&UnitQuaternion::identity())]);
        motion.extend([zero; 5]);
        let (contacts, loose) = self.contacts(pack)?;
        Ok(Stepping {
            settings: Settings {
                h: T::of(self.h),
                inverse_h: T::of(1.0 / self.h),
                slop: T::of(self.parameters.slop),
                push: T::of(self.parameters.max_push_speed),
            },
            inertia,
            motion,
            contacts,
            loose,
            joints: self.joints(pack)?,
        })
    }

    fn push_body<T: Real>(
        &self,
        body: &Body,
        inertia: &mut Vec<Quad<T>>,
        motion: &mut Vec<Quad<T>>,
    ) {
        let zero = [T::ZERO; 4];
        let mode = mode(body, self.parameters.gyroscopic);
        let force = if body.is_dynamic() {
            body.gravity_scale * self.world.gravity() + body.force / body.inertia.mass
        } else {
            Vector3::zeros()
        };
        let m = body.inertia.moments;
        let ratio = |up: f64, down: f64, own: f64| if own > 0.0 { (up - down) / own } else { 0.0 };
        let ratios = Vector3::new(
            ratio(m.z, m.y, m.x),
            ratio(m.x, m.z, m.y),
            ratio(m.y, m.x, m.z),
        );
        let free = |locked: [bool; 3]| Vector3::from_fn(|axis, _| f64::from(!locked[axis]));
        let invert = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let slowed = |rate: f64| 1.0 / (1.0 + self.h * rate);
        inertia.extend([
            quad(&force, slowed(body.linear_damping)),
            quad(&body.torque, slowed(body.angular_damping)),
            quad(&ratios, f64::from(mode)),
            quad(&m, 0.0),
            quad(&m.map(invert), 0.0),
            rotation(&(body.orientation * body.inertia.axes)),
            quad(&free(body.lock_translation), 0.0),
            quad(&free(body.lock_rotation), 0.0),
        ]);
        motion.extend([
            quad(&body.velocity, 0.0),
            quad(&body.spin, 0.0),
            zero,
            rotation(&UnitQuaternion::identity()),
        ]);
        motion.extend([zero; 5]);
    }

    /// Points of packed manifolds, then those that are packed as row blocks.
    fn contacts<T: Real>(&self, pack: &Pack<T>) -> Result<(Contacts<T>, Contacts<T>), StepError> {
        let (mut points, mut loose) = (Contacts::default(), Contacts::default());
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
                self.push_contact(&frames, row as usize, (places, step), &mut points)?;
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
                self.push_contact(&frames, row, (places, step), &mut loose)?;
            }
        }
        Ok((points, loose))
    }

    fn push_contact<T: Real>(
        &self,
        frames: &[delassus_dynamics::ContactFrame],
        row: usize,
        ([target, impulse], step): ([usize; 2], f64),
        contacts: &mut Contacts<T>,
    ) -> Result<(), StepError> {
        let FrameRow::Normal {
            manifold,
            point,
            fixed,
        } = self.rows[row]
        else {
            return Ok(());
        };
        let (source, frame) = (&self.world.manifolds()[manifold], &frames[manifold]);
        let [a, b] = source.bodies.map(|body| &self.world.bodies()[body]);
        let anchor = b.orientation * source.points[point].anchors[1];
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
        let head = [word(a)?, word(b)?, word(target)?, word(impulse)?];
        contacts.heads.push(head);
        contacts.numbers.extend([
            quad(&frame.normal, frame.separations[point]),
            quad(&across, rate),
            quad(&anchor, compliance),
            [
                T::of(step),
                T::of(closed),
                T::of(self.rebounds[row]),
                T::ZERO,
            ],
        ]);
        Ok(())
    }

    fn joints<T: Real>(&self, pack: &Pack<T>) -> Result<Joints<T>, StepError> {
        let mut joints = Joints::default();
        for block in 0..pack.units.blocks() {
            let head = pack.units.heads[pack.units.len() + block];
            let [first, rows, _, at] = head.map(|x| x as usize);
            let row = pack.units.rows[first] as usize;
            if let FrameRow::Joint { joint, .. } = self.rows[row] {
                self.push_joint(joint, (row, rows), at + 1, &mut joints)?;
            }
        }
        Ok(joints)
    }

    fn push_joint<T: Real>(
        &self,
        index: usize,
        (first, rows): (usize, usize),
        target: usize,
        joints: &mut Joints<T>,
    ) -> Result<(), StepError> {
        let joint = &self.world.joints()[index];
        let poses = joints::poses(self.world, joint);
        // `check` has refused the others
        let Some(shape) = joints::shape(&joint.constraint, &poses) else {
            return Ok(());
        };
        let errors = joints::errors(self.world, index);
        let springs = Spring::of_passes(joint, self.parameters, self.h);
        let [biased, relaxed] = springs;
        let centres = poses[1].position - poses[0].position;
        let [a, b] = shape.anchors;
        let gap = centres + (b - a);
        let number = word(joints.numbers.len())?;
        joints.numbers.extend([
            quad(&centres, biased.rate),
            quad(&a, biased.relative),
            quad(&b, biased.absolute),
            quad(&shape.axis, relaxed.rate),
            rotation(&shape.missing),
            quad(&gap, relaxed.relative),
            quad(
                &Vector3::new(relaxed.absolute, 1.0 / self.parameters.omega, gap.norm()),
                0.0,
            ),
        ]);
        debug_assert_eq!(joints.numbers.len(), number as usize + JOINT_QUADS);
        let mut kinds = 0;
        for (place, row) in self.rows[first..first + rows].iter().enumerate() {
            if let FrameRow::Joint { local, .. } = *row {
                let (kind, direction) = shape.rows[local];
                kinds |= kind << (4 * place);
                joints.numbers.push(quad(&direction, errors[local]));
            }
        }
        let bodies = joint.constraint.bodies();
        joints.heads.push([
            word(bodies[0])?,
            word(bodies[1])?,
            word(target)?,
            word(rows)?,
        ]);
        joints.heads.push([number, kinds, 0, 0]);
        Ok(())
    }
}

fn mode(body: &Body, gyroscopic: bool) -> u32 {
    let m = body.inertia.moments;
    if !body.is_dynamic() {
        KEEPS
    } else if m == Vector3::zeros() || body.lock_rotation != [false; 3] {
        FIXED_INERTIA
    } else if !gyroscopic || (m.x == m.y && m.y == m.z) {
        TURNS
    } else {
        GYROSCOPIC
    }
}

/// An index of 32 bits.
fn word(x: usize) -> Result<u32, StepError> {
    u32::try_from(x).map_err(|_| {
        StepError::Solve(SolveError::Length {
            what: "a 32-bit index",
            found: x,
            expected: u32::MAX as usize,
        })
    })
}
