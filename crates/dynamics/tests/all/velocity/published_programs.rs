//! Programs as their sources have them (docs/theory/19-presets.md), for `published_frames`.

/// What works off an error.
#[derive(Clone, Copy)]
pub(super) enum Pull {
    /// No velocity does.
    None,
    /// A share β per step of what is beyond the slop \[m\].
    Share { beta: f64, slop: f64 },
    /// A spring, whose frequency \[Hz\] times the step is bounded, with a damping ratio.
    Spring { hertz: f64, bound: f64, zeta: f64 },
}

/// A step of a row: rate β_r, mass scale μ_s, impulse scale ι.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) rate: f64,
    pub(super) mass: f64,
    pub(super) impulse: f64,
}

impl Pull {
    pub(super) fn step(self, h: f64) -> Step {
        let rigid = |rate| Step {
            rate,
            mass: 1.0,
            impulse: 0.0,
        };
        match self {
            Self::None => rigid(0.0),
            Self::Share { beta, .. } => rigid(beta / h),
            Self::Spring { hertz, bound, zeta } => {
                let x = std::f64::consts::TAU * hertz.min(bound / h) * h;
                let c = x * (2.0 * zeta + x);
                let rate = x / h / (2.0 * zeta + x);
                Step {
                    rate,
                    mass: c / (1.0 + c),
                    impulse: 1.0 / (1.0 + c),
                }
            }
        }
    }

    pub(super) fn slop(self) -> f64 {
        if let Self::Share { slop, .. } = self {
            slop
        } else {
            0.0
        }
    }

    /// With another frequency and damping, by these factors.
    pub(super) fn with_static(self, [hertzes, zetas]: [f64; 2]) -> Self {
        match self {
            Self::Spring { hertz, bound, zeta } => Self::Spring {
                hertz: hertzes * hertz,
                bound: hertzes * bound,
                zeta: zetas * zeta,
            },
            rigid => rigid,
        }
    }
}

/// What an open contact does.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Open {
    Absent,
    Rigid,
    Soft,
}

/// When friction is solved for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Friction {
    BeforeNormals,
    AfterNormals,
    InRelaxPass,
}

/// A program, from its source.
#[derive(Clone, Copy)]
pub(super) struct Program {
    pub(super) id: &'static str,
    pub(super) substeps: usize,
    pub(super) sweeps: usize,
    pub(super) relax: usize,
    pub(super) contact: Pull,
    /// Factors on frequency and damping of contacts with what does not move.
    pub(super) fixed: [f64; 2],
    pub(super) joint: Pull,
    /// Largest push \[m/s\].
    pub(super) cap: f64,
    /// True if the cap bounds what the mass scale leaves.
    pub(super) scaled: bool,
    pub(super) open: Open,
    pub(super) friction: Friction,
    /// True if the relax pass sees the separations of the frame's start.
    pub(super) old_gaps: bool,
    /// True if the relax pass has the rod's direction before the move.
    pub(super) old_arms: bool,
    /// True if joints start from zero.
    pub(super) cold_joints: bool,
    /// Position passes per frame, and per substep.
    pub(super) passes: [usize; 2],
    /// Overlap that ends them \[m\].
    pub(super) enough: Option<f64>,
    /// What works off a closed limit; `None` where positions do, or there are none.
    pub(super) limit: Option<Pull>,
    /// Largest speed of that \[m/s\].
    pub(super) limit_cap: f64,
}

pub(super) const fn spring(hertz: f64, bound: f64, zeta: f64) -> Pull {
    Pull::Spring { hertz, bound, zeta }
}

pub(super) const UNBOUND: f64 = 1e9;

/// What most of them share; the rest is said below.
pub(super) const BASE: Program = Program {
    id: "",
    substeps: 4,
    sweeps: 1,
    relax: 1,
    contact: spring(30.0, 0.25, 10.0),
    fixed: [2.0, 1.0],
    joint: Pull::None,
    cap: f64::INFINITY,
    scaled: false,
    open: Open::Rigid,
    friction: Friction::AfterNormals,
    old_gaps: false,
    old_arms: false,
    cold_joints: false,
    passes: [0, 0],
    enough: None,
    limit: None,
    limit_cap: f64::INFINITY,
};

pub(super) fn programs() -> Vec<Program> {
    let share = |slop| Pull::Share { beta: 0.2, slop };
    let one = |id, sweeps, contact, joint| Program {
        id,
        substeps: 1,
        sweeps,
        relax: 0,
        contact,
        joint,
        ..BASE
    };
    let soft = |id, joint: Pull, cap| Program {
        id,
        joint,
        cap,
        limit: Some(joint),
        ..BASE
    };
    let soft_step = |id| Program {
        contact: spring(30.0, 0.125, 10.0),
        scaled: true,
        friction: Friction::InRelaxPass,
        ..soft(id, spring(60.0, 0.25, 2.0), 3.0)
    };
    let stiff = spring(1e6, UNBOUND, 1.0);
    let bepu = spring(30.0, UNBOUND, 1.0);
    vec![
        Program {
            cap: 4.0,
            limit: Some(share(0.0)),
            ..one("pgs-slop", 10, share(0.005), share(0.0))
        },
        Program {
            open: Open::Absent,
            ..one("box2d-lite", 10, share(0.01), share(0.0))
        },
        Program {
            open: Open::Absent,
            friction: Friction::BeforeNormals,
            passes: [4, 0],
            ..one("pgs-ngs", 10, Pull::None, Pull::None)
        },
        Program {
            open: Open::Absent,
            friction: Friction::BeforeNormals,
            passes: [3, 0],
            enough: Some(0.015),
            ..one("box2d-2.4", 8, Pull::None, Pull::None)
        },
        Program {
            contact: Pull::None,
            relax: 0,
            passes: [0, 1],
            id: "tgs-ngs",
            ..BASE
        },
        Program {
            substeps: 1,
            sweeps: 4,
            relax: 2,
            contact: spring(30.0, 1.0 / 3.0, 10.0),
            old_gaps: true,
            ..soft("pgs-soft", spring(60.0, 0.5, 10.0), 2.0)
        },
        soft("tgs-soft", spring(60.0, 0.125, 10.0), 4.0),
        soft("solver2d-soft-step", spring(60.0, 0.25, 10.0), 2.0),
        Program {
            open: Open::Soft,
            ..soft("box2d-3.0", spring(60.0, 0.125, 2.0), 3.0)
        },
        soft_step("soft-step"),
        Program {
            fixed: [2.0, 0.5],
            ..soft_step("box3d")
        },
        Program {
            contact: spring(30.0, UNBOUND, 10.0),
            scaled: false,
            joint: stiff,
            old_arms: true,
            cold_joints: true,
            limit: Some(stiff),
            limit_cap: 3.0,
            ..soft_step("rapier")
        },
        Program {
            substeps: 8,
            relax: 0,
            contact: bepu,
            fixed: [1.0, 1.0],
            open: Open::Soft,
            ..soft("bepu-2", bepu, 2.0)
        },
    ]
}
