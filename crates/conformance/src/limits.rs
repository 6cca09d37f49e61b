//! The law of passive limits, for schemes: a limit never adds energy, also past half a turn.

use std::f64::consts::PI;

use delassus_dynamics::constraints::{
    AngleLimit, AnyConstraint, AxisRange, ConeLimit, Hinge, JointAxis, SixDofLimit, SlideLimit,
    TwistLimit,
};
use delassus_dynamics::{Body, Inertia, Joint, World, WorldParts};
use nalgebra::{UnitQuaternion, Vector3};

use crate::schemes::MakeScheme;
use crate::{Verdict, attempt, available, require};

/// Frame of the law \[s\]: a wheel at [`SPINS`] turns by a radian in one.
const DT: f64 = 1.0 / 60.0;

const FRAMES: u32 = 40;

/// Speeds of the wheel \[rad/s\].
const SPINS: [f64; 3] = [-61.0, 11.0, 47.0];

/// Share of the energy that rounding may add, in lanes of f32 \[-\].
const ROUNDING: f64 = 1e-6;

/// A wheel on a hinge that runs into its limit comes back with no more than its energy, on the
/// circle and beyond; neither does a slide gain any.
pub fn scheme_passive_limits(make: MakeScheme<'_>) -> Verdict {
    attempt!(available(make().device()));
    for (limit, spin) in limits()
        .into_iter()
        .flat_map(|l| SPINS.map(|s| (l.clone(), s)))
    {
        let mut world = attempt!(wheel(limit.clone(), spin));
        let mut scheme = make();
        if let Err(error) = scheme.check(&world) {
            return Verdict::NotApplicable(error.to_string());
        }
        let start = world.energy().kinetic;
        for frame in 0..FRAMES {
            if let Err(error) = scheme.step(&mut world, DT, &mut ()) {
                return Verdict::Violated(format!("{limit:?} at {spin} rad/s: {error}"));
            }
            let gain = world.energy().kinetic / start - 1.0;
            require!(
                gain <= ROUNDING,
                "{limit:?} at {spin} rad/s adds {gain:e} of the energy in frame {frame}"
            );
        }
    }
    Verdict::Holds
}

/// Limits of every kind that the wheel runs into, whose ranges are wider than its motion in a
/// frame.
fn limits() -> Vec<AnyConstraint> {
    let (bodies, axes) = ([0, 1], [Vector3::z(); 2]);
    let ranges = [
        (-PI, PI),
        (-3.1, 3.13),
        (-1.2, 2.0),
        (-0.5, 4.7),
        (-9.0, 20.0),
    ];
    let mut limits: Vec<AnyConstraint> = Vec::new();
    for (lower, upper) in ranges {
        let angle = AngleLimit {
            bodies,
            axes,
            lower,
            upper,
            reference: -0.4,
        };
        limits.push(angle.into());
    }
    let twist = TwistLimit {
        bodies,
        axes,
        lower: -3.12,
        upper: 3.05,
        reference: 0.0,
    };
    limits.push(twist.into());
    let ranges = vec![AxisRange {
        axis: JointAxis::AboutZ,
        lower: -PI,
        upper: 3.0,
    }];
    let generic = SixDofLimit {
        bodies,
        anchors: [Vector3::zeros(); 2],
        orientations: [UnitQuaternion::identity(); 2],
        ranges,
    };
    limits.push(generic.into());
    let cone = ConeLimit {
        bodies,
        axes: [Vector3::x(); 2],
        limit: 3.1,
    };
    limits.push(cone.into());
    let slide = SlideLimit {
        bodies,
        anchors: [Vector3::zeros(); 2],
        axis: Vector3::z(),
        lower: -0.1,
        upper: 0.3,
    };
    limits.push(slide.into());
    limits
}

/// A wheel that turns about z; a slide limit gets one that flies along it instead.
fn wheel(limit: AnyConstraint, spin: f64) -> Result<World, Verdict> {
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let body = Body::dynamic(Inertia::new(2.0, Vector3::repeat(0.3)), Vector3::zeros());
    let slides = matches!(limit, AnyConstraint::SlideLimit(_));
    parts.body(if slides {
        body.moving(0.2 * spin * Vector3::z(), Vector3::zeros())
    } else {
        body.moving(Vector3::zeros(), spin * Vector3::z())
    });
    if !slides {
        parts.joint(Joint::new(Hinge {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            axes: [Vector3::z(); 2],
        }));
    }
    parts.joint(Joint::new(limit));
    let built = parts.build();
    built.map_err(|error| Verdict::Violated(error.to_string()))
}
