//! A whole frame: substeps in the order in which a device dispatches them.
//!
//! Per substep: forces, bias of the biased pass, warm start, iterations, poses, bias of the relaxed
//! pass, iterations from the impulses reached, sums. Nothing goes out or in between. After the last
//! substep contacts that hit bounce.

use delassus_solver_jacobi::compiled::Compiled;
use delassus_solver_jacobi::kernels::control::{Acceleration, MomentumState};
use delassus_solver_jacobi::kernels::sums::Sums;
use delassus_solver_jacobi::pack::{FIXED, Iterate, Pack};
use delassus_solver_jacobi::real::Real;

use super::{BiasPass, BodyMotion, Stepping, Total};
use super::{joints, motion, poses, restitution, separations, settle, tally};

/// How much work a frame is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameSchedule {
    /// Substeps \[-\].
    pub substeps: u32,
    /// Iterations of the biased solve of a substep \[-\].
    pub sweeps: u32,
    /// Iterations of the relaxed solve of a substep \[-\].
    pub relax_sweeps: u32,
    /// Iterations of the solve at the end in which contacts bounce \[-\]; 0: none can.
    pub restitution_sweeps: u32,
    /// What is added to the plain step.
    pub acceleration: Acceleration,
    /// Plain steps while the residual is much larger than it has been.
    pub guarded: bool,
}

/// A frame for the kernels, before it is run.
#[derive(Debug, Clone)]
pub struct PackedFrame<T: Copy> {
    /// Bodies, contacts and joints.
    pub stepping: Stepping<T>,
    /// The rows of the biased and of the relaxed pass: one structure, two sets of numbers.
    pub packs: [Pack<T>; 2],
    /// How much work it is.
    pub schedule: FrameSchedule,
    /// Impulses that the first substep starts from, one per row \[N·s\].
    pub impulses: Vec<f64>,
}

/// What a frame leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameOutcome<T: Copy> {
    /// One per body, in their order, and one for the world.
    pub motion: Vec<BodyMotion<T>>,
    /// One per slot of the pack: a body at a piece.
    pub totals: Vec<Total<T>>,
    /// λ of the points and of the packed rows \[N·s\].
    pub state: Iterate<T>,
}

impl<T: Real> PackedFrame<T> {
    /// Lets every slot have its wrench, also those of bodies that nothing moves: the sums want to
    /// know what they took.
    pub fn open_slots(&mut self) {
        let world = self.packs[0].bodies.len() - 1;
        for pack in &mut self.packs {
            for head in &mut pack.manifolds.heads {
                for body in &mut head[2..] {
                    open(body, world);
                }
            }
            let first = pack.units.first_slot_head();
            for head in &mut pack.units.heads[first..] {
                open(&mut head[0], world);
            }
        }
    }
}

/// The mark goes, except from the world's.
fn open(body: &mut u32, world: usize) {
    if (*body & !FIXED) as usize != world {
        *body &= !FIXED;
    }
}

/// Runs a frame on the processor.
pub fn run<T: Compiled>(frame: &PackedFrame<T>) -> FrameOutcome<T> {
    let mut run = Run::new(frame);
    for substep in 1..=frame.schedule.substeps {
        run.substep();
        if substep == frame.schedule.substeps && frame.schedule.restitution_sweeps > 0 {
            run.apply_restitution();
        }
        run.tally();
    }
    run.state.velocity.clear();
    FrameOutcome {
        motion: run.motion,
        totals: run.totals,
        state: run.state,
    }
}

struct Run<T: Copy> {
    stepping: Stepping<T>,
    packs: [Pack<T>; 2],
    schedule: FrameSchedule,
    state: Iterate<T>,
    motion: Vec<BodyMotion<T>>,
    totals: Vec<Total<T>>,
    sums: Vec<Sums<T>>,
}

impl<T: Compiled> Run<T> {
    fn new(frame: &PackedFrame<T>) -> Self {
        let pack = &frame.packs[0];
        let mut state = Iterate::new(pack);
        state.load(pack, &frame.impulses);
        debug_assert_eq!(frame.stepping.motion.len(), pack.bodies.len());
        Self {
            stepping: frame.stepping.clone(),
            packs: frame.packs.clone(),
            schedule: frame.schedule,
            state,
            motion: frame.stepping.motion.clone(),
            totals: vec![Total::default(); pack.slots.body.len()],
            sums: vec![Sums::default(); pack.manifolds.len() + pack.units.len()],
        }
    }

    fn substep(&mut self) {
        let bodies = &mut self.packs[0].bodies;
        motion::run(&self.stepping, bodies, &mut self.motion);
        self.follow(BiasPass::Biased);
        self.solve(BiasPass::Biased, self.schedule.sweeps);
        let h = self.stepping.settings.h;
        poses::run(h, &self.state.settled, &mut self.motion);
        self.follow(BiasPass::Relaxed);
        self.solve(BiasPass::Relaxed, self.schedule.relax_sweeps);
        settle::run(&self.state.settled, &mut self.motion, true);
        if self.schedule.restitution_sweeps > 0 {
            let points = self.state.current * self.packs[0].manifolds.points();
            let rows = self.state.current * self.packs[0].units.impulse_quads();
            let Stepping {
                contacts,
                row_contacts,
                ..
            } = &mut self.stepping;
            for contact in contacts {
                restitution::add_impulse(contact, &self.state.points[points..]);
            }
            for contact in row_contacts {
                restitution::add_impulse(contact, &self.state.rows[rows..]);
            }
        }
    }

    /// The last relaxation once more, with contacts that hit as fast as they leave.
    fn apply_restitution(&mut self) {
        let Stepping {
            contacts,
            row_contacts,
            ..
        } = &self.stepping;
        let pack = &mut self.packs[BiasPass::Relaxed as usize];
        for contact in contacts {
            restitution::apply(contact, &mut pack.manifolds.numbers, false);
        }
        for contact in row_contacts {
            restitution::apply(contact, &mut pack.units.numbers, true);
        }
        self.solve(BiasPass::Relaxed, self.schedule.restitution_sweeps);
        settle::run(&self.state.settled, &mut self.motion, false);
    }

    /// The wrenches that the substep ends with.
    fn tally(&mut self) {
        let slots = &self.packs[0].slots.body;
        tally::run(slots, &self.state.wrench, &self.motion, &mut self.totals);
    }

    /// Bias, softness and Jacobians at the present poses.
    fn follow(&mut self, pass: BiasPass) {
        let Stepping {
            settings,
            contacts,
            row_contacts,
            ..
        } = &self.stepping;
        let [biased, relaxed] = &mut self.packs;
        let pack = match pass {
            BiasPass::Biased => &mut *biased,
            BiasPass::Relaxed => &mut *relaxed,
        };
        let numbers = &mut pack.manifolds.numbers;
        separations::run(settings, contacts, &self.motion, numbers, pass, false);
        let numbers = &mut pack.units.numbers;
        separations::run(settings, row_contacts, &self.motion, numbers, pass, true);
        let both = [
            &mut biased.units.numbers[..],
            &mut relaxed.units.numbers[..],
        ];
        joints::run(&self.stepping, &self.motion, &biased.bodies, both, pass);
        relaxed.bodies.clone_from(&biased.bodies);
    }

    /// Iterations from the impulses reached, without momentum at first.
    fn solve(&mut self, pass: BiasPass, sweeps: u32) {
        let pack = match pass {
            BiasPass::Biased => &self.packs[0],
            BiasPass::Relaxed => &self.packs[1],
        };
        T::restart(pack, &mut self.state);
        let mut control = MomentumState::new(self.schedule.acceleration, self.schedule.guarded);
        for _ in 0..sweeps {
            T::iterate(pack, &mut self.state, &mut control, &mut self.sums);
        }
    }
}
