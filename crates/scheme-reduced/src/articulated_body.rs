//! `articulated-body`: joint trees in reduced coordinates by the articulated-body method; joints
//! cannot drift.
//!
//! The unknowns are the freedoms of the joints (angles, slides, orientations), so that every pose
//! is one that the joints allow. One pass inwards and one outwards gives the accelerations exactly
//! (Q.5)–(Q.8), gyroscopic terms included, and an integrator of order 1, 2 or 4 advances them
//! (Q.11)–(Q.14). A tree that nothing holds keeps its momentum (Q.16).
//!
//! Cost: O(n) per pass; one pass per substep with semi-implicit Euler, two with projected Euler,
//! four with Runge–Kutta, five to twenty with the midpoint, and one per frame for the velocities at
//! its start. Nearest siblings: the velocity-level schemes with `dense-direct` solve the same
//! equations for the joint impulses of the same bodies, and let positions drift by the order of the
//! step.
//!
//! Differs from the textbook in its axes: six-vectors are in world axes at the centre of mass of
//! their body, so that scenes far from the origin lose no digits, and coordinates count from the
//! pose at the start of the frame, so that no chart has a singularity on the way.
//!
//! Limitations: trees of rigid joints only. Loops, contacts, limits, drives, springs, force limits,
//! locked axes and bases that move are refused by `check`. A joint force is averaged over the last
//! substep; the impulses by which joints bring impossible velocities in order count for the first
//! one. Probes see the end of the frame only. Theory: docs/theory/18-reduced-coordinates.md.
//! Source: \[Featherstone1983\], \[Featherstone2008\].

use delassus_core::{Fidelity, ParameterError, Parameters, Progress};
use delassus_dynamics::{
    BodyUpdate, FieldError, PositionScheme, Probe, Scheme, SchemeDescriptor, SchemeError, Stage,
    StepError, StepReport, StepView, World,
};

use crate::ID;
use crate::articulated::{Link, Pass};
use crate::bodies::is_point;
use crate::integrator::{Failure, Integrator, Motion};
use crate::reactions::{self, RowImpulses};
use crate::refusals::refuse;
use crate::spatial::Spatial;
use crate::tree::{Tree, trees};

/// Parameters of [`ArticulatedBody`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct ArticulatedBodyParameters {
    /// Substeps per frame.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub substeps: u32,
    /// How a substep advances coordinates and speeds.
    #[parameter(default = Integrator::RungeKutta)]
    pub integrator: Integrator,
}

/// The articulated-body method (Q.1)–(Q.16).
#[derive(Debug, Clone)]
pub struct ArticulatedBody {
    parameters: ArticulatedBodyParameters,
}

impl PositionScheme for ArticulatedBody {
    type Parameters = ArticulatedBodyParameters;

    const DESCRIPTOR: SchemeDescriptor = SchemeDescriptor {
        id: ID,
        aliases: &["reduced-coordinates", "featherstone"],
        name: "Articulated-body method",
        summary: "reference: joint trees in reduced coordinates, so that joints cannot drift; no loops, contacts or limits",
        citations: &["Featherstone1983", "Featherstone2008"],
        theory: &[
            "Q.1", "Q.2", "Q.3", "Q.4", "Q.5", "Q.6", "Q.7", "Q.8", "Q.9", "Q.10", "Q.11", "Q.12",
            "Q.13", "Q.14", "Q.15", "Q.16",
        ],
        uses_solver: false,
        preset_of: None,
    };

    fn new(parameters: ArticulatedBodyParameters) -> Result<Self, ParameterError> {
        parameters.validate()?;
        Ok(Self { parameters })
    }
}

impl Scheme for ArticulatedBody {
    fn descriptor(&self) -> &SchemeDescriptor {
        &<Self as PositionScheme>::DESCRIPTOR
    }

    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        trees(world).map(|_| Fidelity::Exact)
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let trees = trees(world)?;
        let h = dt / f64::from(self.parameters.substeps);
        let mut end = FrameEnd::new(world);
        for tree in &trees {
            self.advance(world, tree, h, &mut end)?;
        }
        let before = world.momentum();
        world.write_back(&end.updates, &end.impulses, h, self.parameters.substeps)?;
        let after = world.momentum();
        let mut report = StepReport {
            rows: end.impulses.iter().map(Vec::len).sum(),
            applied_work: end.work,
            ..StepReport::default()
        };
        report.progress = Progress {
            sweeps: end.passes,
            row_updates: u64::from(end.passes) * report.rows as u64,
            finished: true,
        };
        report.external.linear = after.linear - before.linear;
        report.external.angular = after.angular - before.angular;
        show(world, self.parameters.substeps - 1, h, probe);
        Ok(report)
    }
}

/// What a frame leaves behind.
struct FrameEnd {
    updates: Vec<BodyUpdate>,
    impulses: RowImpulses,
    work: f64,
    /// Passes over the largest number of any tree \[-\].
    passes: u32,
}

impl FrameEnd {
    fn new(world: &World) -> Self {
        let still = |body: &delassus_dynamics::Body| BodyUpdate {
            displacement: nalgebra::Vector3::zeros(),
            turn: nalgebra::UnitQuaternion::identity(),
            velocity: body.velocity,
            spin: body.spin,
        };
        Self {
            updates: world.bodies().iter().map(still).collect(),
            impulses: reactions::none(world),
            work: 0.0,
            passes: 0,
        }
    }

    fn write_updates(&mut self, world: &World, tree: &Tree, pass: &Pass) {
        for (node, link) in tree.nodes.iter().zip(&pass.links) {
            let body = &world.bodies()[node.body];
            let turn = if is_point(body) {
                nalgebra::UnitQuaternion::identity()
            } else {
                link.orientation * body.orientation.inverse()
            };
            self.updates[node.body] = BodyUpdate {
                displacement: link.place - (body.position - tree.origin),
                turn,
                velocity: link.velocity.linear,
                spin: link.velocity.angular,
            };
        }
    }
}

impl ArticulatedBody {
    /// Moves one tree to the end of the frame.
    fn advance(
        &self,
        world: &World,
        tree: &Tree,
        h: f64,
        end: &mut FrameEnd,
    ) -> Result<(), StepError> {
        let failed = |failure| StepError::Scheme(explain(failure, tree, h));
        let mut impulses = reactions::none(world);
        let mut motion = Motion::begin(world, tree, &mut impulses).map_err(failed)?;
        for substep in 0..self.parameters.substeps {
            if substep > 0 {
                impulses.iter_mut().for_each(|rows| rows.fill(0.0));
            }
            motion
                .step(self.parameters.integrator, h, &mut impulses)
                .map_err(failed)?;
        }
        end.write_updates(world, tree, &motion.pass);
        for (sums, rows) in end.impulses.iter_mut().zip(&impulses) {
            for (sum, impulse) in sums.iter_mut().zip(rows) {
                *sum += impulse;
            }
        }
        end.work += motion.work;
        end.passes = end.passes.max(motion.passes);
        Ok(())
    }
}

fn explain(failure: Failure, tree: &Tree, h: f64) -> SchemeError {
    match failure {
        Failure::Massless(node) => {
            let what = format!("bodies[{}]", tree.nodes[node].body);
            let reason = "and what hangs on it has no inertia against a motion of its joint, or its state is not finite: give it mass and moments of inertia, or take shorter steps";
            refuse(what, reason)
        }
        Failure::Midpoint => {
            let expected = "a substep that is short enough for the iteration of implicit-midpoint: take more substeps, or another integrator";
            FieldError::new("h", h, expected).into()
        }
    }
}

/// Lets the probe look at the end of the frame.
fn show(world: &World, substep: u32, h: f64, probe: &mut dyn Probe) {
    if probe.wants(Stage::Integrated) {
        let rows = world.joints().iter().flat_map(|joint| joint.impulses());
        let impulses: Vec<f64> = rows.copied().collect();
        let view = StepView {
            substep,
            h,
            world,
            problem: None,
            impulses: &impulses,
        };
        probe.at(Stage::Integrated, &view);
    }
}

/// Accelerations of all bodies \[m/s², rad/s²\] and forces of all joint rows \[N | N·m\] at the
/// present poses and velocities of a world (Q.5)–(Q.8), (Q.10), damping included; the bodies of no
/// tree have no acceleration.
///
/// # Errors
/// A world that the scheme refuses, and velocities that the joints do not allow are brought in
/// order first.
pub fn accelerations(world: &World) -> Result<(Vec<Spatial>, Vec<Vec<f64>>), SchemeError> {
    let mut accelerations = vec![Spatial::default(); world.bodies().len()];
    let mut forces = reactions::none(world);
    for tree in &trees(world)? {
        let failed = |failure: Failure| explain(failure, tree, 0.0);
        let mut ignored = reactions::none(world);
        let mut motion = Motion::begin(world, tree, &mut ignored).map_err(failed)?;
        let mut rates = vec![0.0; tree.speeds()];
        let solved = motion.pass.accelerate(tree, 0.0, &mut rates);
        solved.map_err(|massless| failed(massless.into()))?;
        reactions::add(world, tree, &motion.pass, 1.0, &mut forces);
        let place = |(node, link): (&crate::tree::Node, &Link)| {
            accelerations[node.body] = link.acceleration;
        };
        tree.nodes.iter().zip(&motion.pass.links).for_each(place);
    }
    Ok((accelerations, forces))
}
