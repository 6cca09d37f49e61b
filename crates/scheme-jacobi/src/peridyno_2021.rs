//! `peridyno-2021`: the time step of a tutorial of 2021, with its flaws, or with each of them
//! repaired.
//!
//! Per step: forces of contacts and joints by Jacobi iterations on the accelerations (J.18),
//! velocities by those forces, then by gravity, poses by the new velocities with the quaternion's
//! linear step, normalised. Contacts that are open do not act. The flaws can be switched off one by
//! one: gravity that the solve does not know (bodies rest 15 g h² deep, J.19), the cut of the
//! normal force (fast impacts pass through, J.20), friction without a bound.
//!
//! Cost: `iterations` passes over all rows per step. Nearest sibling: `jacobi-soft-step`, which
//! solves for impulses, starts warm and takes the correction of the overlap out of the velocity
//! again.
//!
//! Limitations: those of the original: first-order rotation, no warm start, joints that drift, no
//! gyroscopic torque, no forces but gravity, no restitution (surfaces that bounce are refused).
//! Limits act like joints; motors, moving surfaces and damping have no effect. The published kernel
//! reads accelerations that other threads write at the same time; here an iteration visits the
//! blocks one after the other with their old values, double-buffered, so that it repeats bit for
//! bit. It runs on the processor: it is a control, not a product. Theory: docs/theory/15-jacobi.md.
//! Source: \[PeriDyno2021\].

use delassus_core::{Fidelity, ParameterError, Parameters, Progress};
use delassus_dynamics::{
    Body, BodyUpdate, ContactLaw, ForceKind, Frame, FrameRow, PositionScheme, Probe, Scheme,
    SchemeDescriptor, SchemeError, StepError, StepReport, World,
};
use delassus_solver_jacobi::seed::SeedScheme;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::soft_step;

/// Parameters of [`PeriDyno2021`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct PeriDyno2021Parameters {
    /// Jacobi iterations per step.
    #[parameter(default = 400, unit = "-", range = "[1, 100000]")]
    pub iterations: u32,
    /// True: the solve knows gravity. The original adds it afterwards.
    pub known_gravity: bool,
    /// Largest normal force per kilogram of both bodies. None without it.
    #[parameter(default = Some(SeedScheme::TUTORIAL.force_limit), unit = "N/kg", range = "> 0")]
    pub force_limit: Option<f64>,
    /// True: friction is bounded by the scene's coefficient. The original's has no bound.
    pub bounded_friction: bool,
}

/// The tutorial's time step (J.18).
#[derive(Debug, Clone)]
pub struct PeriDyno2021 {
    parameters: PeriDyno2021Parameters,
}

impl PeriDyno2021 {
    /// What the flaws that are not switched off do in this world.
    fn departures(&self, world: &World) -> Fidelity {
        let p = &self.parameters;
        let touches = !world.colliders().is_empty() || !world.manifolds().is_empty();
        let flaws = [
            (
                !p.known_gravity && world.gravity() != Vector3::zeros(),
                "the solve does not know gravity: bodies rest 15 g h² deep (J.19)",
            ),
            (
                p.force_limit.is_some() && touches,
                "the normal force is cut: fast impacts pass through (J.20)",
            ),
            (
                !p.bounded_friction && touches,
                "friction has no bound: nothing slides, whatever the coefficient",
            ),
            (
                has_joint(world, ForceKind::Limit),
                "limits hold like joints: they pull where they should be slack",
            ),
            (
                has_joint(world, ForceKind::Drive),
                "motors and servos hold still, whatever speed they are set to",
            ),
            (
                world.moving_surface().is_some(),
                "moving surfaces stand still",
            ),
            (
                world.bodies().iter().any(is_damped),
                "damping of bodies is left out",
            ),
        ];
        let reasons: Vec<_> = flaws
            .iter()
            .filter(|flaw| flaw.0)
            .map(|flaw| flaw.1)
            .collect();
        match reasons.is_empty() {
            true => Fidelity::Exact,
            false => Fidelity::Approximate(reasons),
        }
    }

    fn solve(&self, world: &World, frame: &Frame, dt: f64) -> Result<Vec<f64>, StepError> {
        let p = &self.parameters;
        let gravity = world.gravity();
        let friction = world.manifolds().iter().map(|m| m.friction).next();
        let seed = SeedScheme {
            iterations: p.iterations as usize,
            known_gravity: if p.known_gravity {
                gravity.into()
            } else {
                [0.0; 3]
            },
            force_limit: p.force_limit.unwrap_or(f64::INFINITY),
            friction: if p.bounded_friction {
                friction.unwrap_or(0.0)
            } else {
                f64::INFINITY
            },
        };
        let problem = frame.problem();
        let mut overlap = vec![0.0; problem.blocks().len()];
        let depths = depths(world);
        for (row, kind) in frame.rows().into_iter().enumerate() {
            if let FrameRow::Normal {
                manifold, point, ..
            } = kind
            {
                overlap[problem.block_of_row(row)] = depths[manifold][point];
            }
        }
        Ok(seed.accelerations(problem, &overlap, dt)?)
    }
}

/// How deep the points of every manifold overlap \[m\].
fn depths(world: &World) -> Vec<Vec<f64>> {
    let manifolds = world.manifolds().iter().map(|manifold| {
        let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
        let separations = manifold.frame(poses).separations;
        separations.into_iter().map(|s| (-s).max(0.0)).collect()
    });
    manifolds.collect()
}

/// Velocity by the forces and by gravity, pose by the velocity.
fn body_update(body: &Body, gravity: &Vector3<f64>, acceleration: &[f64], dt: f64) -> BodyUpdate {
    let a = Vector3::new(acceleration[0], acceleration[1], acceleration[2]);
    let turning = Vector3::new(acceleration[3], acceleration[4], acceleration[5]);
    let mut velocity = body.velocity + dt * a + dt * (body.gravity_scale * gravity);
    let mut spin = body.spin + dt * turning;
    for axis in 0..3 {
        if body.lock_translation[axis] {
            velocity[axis] = 0.0;
        }
        if body.lock_rotation[axis] {
            spin[axis] = 0.0;
        }
    }
    BodyUpdate {
        displacement: dt * velocity,
        // q + (h/2) ω q
        turn: UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, 0.5 * dt * spin)),
        velocity,
        spin,
    }
}

/// The refusal of something in the world.
fn refuse<T>(what: String, reason: &'static str) -> Result<T, SchemeError> {
    Err(SchemeError::Unsupported {
        scheme: <PeriDyno2021 as PositionScheme>::DESCRIPTOR.id,
        what,
        reason,
    })
}

/// True if the world has a joint with this kind of force.
fn has_joint(world: &World, force: ForceKind) -> bool {
    let mut joints = world.joints().iter();
    joints.any(|joint| joint.constraint.descriptor().force == force)
}

fn is_damped(body: &Body) -> bool {
    body.is_dynamic() && (body.linear_damping != 0.0 || body.angular_damping != 0.0)
}

const BOUNCES: &str = "bounces, and this scheme has no restitution: set it to 0";

fn check_colliders(world: &World, bounded_friction: bool) -> Result<(), SchemeError> {
    if world.colliders().is_empty() {
        return Ok(());
    }
    if world.contact_settings().law == ContactLaw::Patch {
        let reason = "are patches: this scheme knows single points only";
        return refuse("contacts".to_owned(), reason);
    }
    if bounded_friction {
        let reason = "may have several friction coefficients: this scheme has one";
        return refuse("contacts".to_owned(), reason);
    }
    for (index, collider) in world.colliders().iter().enumerate() {
        if collider.material.restitution > 0.0 {
            return refuse(format!("colliders[{index}].material.restitution"), BOUNCES);
        }
    }
    Ok(())
}

fn check_manifolds(world: &World, bounded_friction: bool) -> Result<(), SchemeError> {
    for (index, manifold) in world.manifolds().iter().enumerate() {
        let what = || format!("manifolds[{index}]");
        if manifold.law == ContactLaw::Patch {
            return refuse(what(), "is a patch: this scheme knows single points only");
        }
        if manifold.restitution > 0.0 {
            return refuse(format!("{}.restitution", what()), BOUNCES);
        }
        let first = world.manifolds()[0].friction;
        if bounded_friction && manifold.friction != first {
            let reason = "has another friction coefficient than the first: this scheme has one";
            return refuse(what(), reason);
        }
    }
    Ok(())
}

impl PositionScheme for PeriDyno2021 {
    type Parameters = PeriDyno2021Parameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: "peridyno-2021",
        aliases: &["tutorial-2021"],
        name: "Tutorial of 2021",
        summary: "control: forces by Jacobi iterations on the accelerations, gravity afterwards, with switches for its flaws",
        citations: &["PeriDyno2021"],
        theory: &["J.18", "J.19", "J.20"],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: PeriDyno2021Parameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self { parameters })
    }
}

impl Scheme for PeriDyno2021 {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let zero = Vector3::zeros();
        for (index, body) in world.bodies().iter().enumerate() {
            if body.is_dynamic() && (body.force != zero || body.torque != zero) {
                let reason = "is pushed from outside: this scheme knows gravity only";
                return refuse(format!("bodies[{index}]"), reason);
            }
        }
        if world.resists_rolling() {
            let reason = "of a surface is above zero: this scheme has no rows for it";
            return refuse("rolling_friction or spinning_friction".to_owned(), reason);
        }
        if let Some(what) = world.soft_contact() {
            return refuse(what, "is soft: contacts of this scheme are rigid");
        }
        check_colliders(world, self.parameters.bounded_friction)?;
        check_manifolds(world, self.parameters.bounded_friction)?;
        for (index, joint) in world.joints().iter().enumerate() {
            if !joint.is_rigid() {
                let reason = "is soft: joints of this scheme are rigid";
                return refuse(format!("joints[{index}]"), reason);
            }
        }
        Ok(self.departures(world))
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        self.check(world)?;
        world.with_contacts(|world| self.advance(world, dt, probe))
    }
}

impl PeriDyno2021 {
    fn advance(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        // what does not touch does not act
        let frame = Frame::new(world, dt, Some(0.0))?;
        let accelerations = self.solve(world, &frame, dt)?;
        let gravity = world.gravity();
        let mut report = StepReport {
            rows: frame.problem().rows(),
            progress: Progress::of_sweeps(self.parameters.iterations, frame.problem().rows()),
            ..StepReport::default()
        };
        let mut updates = Vec::with_capacity(world.bodies().len());
        for (body, acceleration) in world.bodies().iter().zip(accelerations.chunks_exact(6)) {
            let update = body_update(body, &gravity, acceleration, dt);
            if body.is_dynamic() {
                // forces between bodies cancel in the sum
                let gained = body.inertia.mass * (update.velocity - body.velocity);
                report.external.linear += gained;
                report.external.angular += body.position.to_vector().cross(&gained);
                report.external.angular += body.world_inertia() * (update.spin - body.spin);
            }
            updates.push(update);
        }
        let impulses = vec![0.0; frame.problem().rows()];
        frame.write_back(world, &updates, &impulses, 1)?;
        soft_step::probe_end(probe, world, 1, dt, &impulses);
        Ok(report)
    }
}

#[cfg(test)]
mod tests;
