//! Balls on inclines: they roll, or slip where friction is too weak to turn them.

use delassus_core::{ContactLaw, Law, LawKind, MassProperties, ProblemBuilder};
use nalgebra::Vector3;

use super::FrictionCase;
use super::boxes::{FALL, MASS, MU, point, row, turning};
use super::forces::Shape;

/// Radius \[m\].
const RADIUS: f64 = 0.5;
/// Moment of inertia of a ball over m r² \[-\].
const SHARE: f64 = 0.4;

/// Balls at rest without rolling resistance on both sides of tan θ = 3.5 μ, and with it where they
/// stay, roll and slip.
pub(super) fn balls() -> Vec<FrictionCase> {
    let mut cases = Vec::new();
    for law in [
        ContactLaw::Frictionless,
        ContactLaw::FixedBox,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
        ContactLaw::Facets4,
        ContactLaw::Facets8,
        ContactLaw::Facets16,
    ] {
        for factor in [0.3, 0.97, 1.03] {
            let limit = 3.5 * MU * factor;
            let slope = match law {
                // its force is the share MU of the weight
                ContactLaw::FixedBox => libm::asin((0.6 * limit).min(1.0)),
                _ => libm::atan(limit),
            };
            let kind = Shape { law, tangents: 2 }.kind();
            let strength = match law {
                ContactLaw::Frictionless => 0.0,
                ContactLaw::FixedBox => 0.6 * MU * FALL,
                _ => MU * FALL * libm::cos(slope),
            };
            let law = Law::Contact(point(law, MASS * strength));
            cases.push(case(law, kind, slope, strength));
        }
    }
    let lever = 0.1 * RADIUS;
    for spinning in [None, Some(0.02)] {
        // tan θ of staying is 0.1; of slipping it is 3.5 μ − 2.5 ρ/R
        for slope in [0.097, 0.103, 1.12, 1.18] {
            let slope = libm::atan(slope);
            let law = Law::rolling(MU, lever, spinning);
            let strength = MU * FALL * libm::cos(slope);
            cases.push(case(law, LawKind::Rolling, slope, strength));
        }
    }
    cases
}

/// A ball whose friction takes at most `strength` off its velocity \[m/s\].
fn case(law: Law, kind: LawKind, slope: f64, strength: f64) -> FrictionCase {
    let (sine, cosine) = libm::sincos(slope);
    let (down, press) = (FALL * sine, FALL * cosine);
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let moment = SHARE * MASS * RADIUS * RADIUS;
    let mass = MassProperties::aligned(MASS, Vector3::repeat(moment));
    let ball = builder.body(mass, [down, -press, 0.0, 0.0, 0.0, 0.0]);
    let arm = Vector3::new(0.0, -RADIUS, 0.0);
    let axes = [Vector3::y(), Vector3::x(), Vector3::z()];
    let mut rows: Vec<_> = axes.iter().map(|axis| row(axis, &arm)).collect();
    let mut resistance = 0.0;
    if let Law::Rolling(rolling) = &law {
        resistance = rolling.rolling / RADIUS * press;
        rows.extend([turning(&axes[1]), turning(&axes[2])]);
        rows.extend(rolling.spinning.map(|_| turning(&axes[0])));
    }
    let name = format!("{} rows of {kind}, ball, slope {slope:.3}", rows.len());
    builder.block(law, &[ground, ball], &rows);
    // rolling: what drives it moves the mass and turns it; the rest of the drive is friction
    let rolling = ((down - resistance) / (1.0 + SHARE)).max(0.0);
    let needed = down - rolling;
    let [speed, rim] = if needed <= strength {
        [rolling; 2]
    } else {
        [down - strength, (strength - resistance).max(0.0) / SHARE]
    };
    let velocity = [speed, 0.0, 0.0, 0.0, 0.0, -rim / RADIUS];
    FrictionCase {
        name,
        law: kind,
        points: 1,
        sticks: needed <= strength,
        problem: builder.build().expect("a problem of this crate"),
        velocity,
    }
}
