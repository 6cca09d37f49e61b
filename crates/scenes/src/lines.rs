//! `[[rods]]` and `[[ropes]]` of a scene file: what joins two points of the world.

use delassus_core::Softness;
use delassus_dynamics::constraints::{Distance, Point, Rope};
use delassus_dynamics::{
    Body, Capsule, Collider, Inertia, Joint, Material, Position, Signal, WorldParts,
};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;

use crate::names::{BodyName, BodyNames};
use crate::origins::EntryFault;
use crate::rig::MAX_BODIES;

/// One entry of `[[rods]]`: two points of bodies that keep the distance which they have.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RodLine {
    #[serde(default)]
    name: String,
    bodies: [BodyName; 2],
    /// Points of the world, fixed to the bodies \[m\].
    points: [Vector3<f64>; 2],
    #[serde(default)]
    softness: Softness,
    #[serde(default)]
    max_force: Option<f64>,
}

/// One entry of `[[ropes]]`: a chain of links between two points, or a largest distance.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RopeLine {
    #[serde(default)]
    name: String,
    bodies: [BodyName; 2],
    /// Points of the world, fixed to the bodies \[m\].
    points: [Vector3<f64>; 2],
    /// Bodies that it consists of; without them it has no mass and no shape.
    #[serde(default)]
    links: Option<usize>,
    /// What it is longer than the distance of the points \[m\]; only without links.
    #[serde(default)]
    slack: f64,
    /// Radius of a link \[m\].
    #[serde(default = "radius")]
    radius: f64,
    /// Density of a link \[kg/m³\].
    #[serde(default = "density")]
    density: f64,
    #[serde(default)]
    material: Material,
    #[serde(default)]
    softness: Softness,
}

fn radius() -> f64 {
    0.02
}

fn density() -> f64 {
    1000.0
}

/// Where the centres of mass of the bodies will be, which follow from shapes for some.
pub(crate) fn centres(parts: &WorldParts) -> Vec<Position> {
    let bodies = WorldParts {
        bodies: parts.bodies.clone(),
        colliders: parts.colliders.clone(),
        contacts: parts.contacts.clone(),
        ..WorldParts::default()
    };
    // what is wrong with the bodies is said where the world is built
    let bodies = bodies.build().map(|world| world.into_parts().bodies);
    let bodies = bodies.unwrap_or_else(|_| parts.bodies.clone());
    bodies.iter().map(|body| body.position).collect()
}

/// A point of the world in the axes of a body, from its centre of mass \[m\].
fn local(
    parts: &WorldParts,
    centres: &[Position],
    body: usize,
    point: &Vector3<f64>,
) -> Vector3<f64> {
    let arm = Position::from(*point) - centres[body];
    parts.bodies[body]
        .orientation
        .inverse_transform_vector(&arm)
}

/// The numbers of two bodies that there are.
fn ends(names: &BodyNames, bodies: &[BodyName; 2], count: usize) -> Result<[usize; 2], EntryFault> {
    let number = |side: usize| {
        let wrong = |message: String| EntryFault::new(format!("bodies[{side}]"), message);
        let body = names.number(&bodies[side]).map_err(wrong)?;
        match body < count {
            true => Ok(body),
            false => Err(wrong(format!(
                "bodies: {body}; the world has {count} bodies, numbered from 0"
            ))),
        }
    };
    Ok([number(0)?, number(1)?])
}

/// The distance of two points \[m\].
fn span(points: &[Vector3<f64>; 2]) -> Result<f64, EntryFault> {
    let length = (points[1] - points[0]).norm();
    if length > 0.0 && length.is_finite() {
        return Ok(length);
    }
    let message = format!(
        "points: their distance is {length} m; write two points of the world at different places [m]"
    );
    Err(EntryFault::new("points", message))
}

impl RodLine {
    pub(crate) fn bodies(&self) -> &[BodyName; 2] {
        &self.bodies
    }

    /// Adds the rod.
    pub(crate) fn add(
        &self,
        parts: &mut WorldParts,
        names: &BodyNames,
        centres: &[Position],
    ) -> Result<(), EntryFault> {
        let bodies = ends(names, &self.bodies, centres.len())?;
        let length = Signal::Constant(span(&self.points)?);
        let anchors = [0, 1].map(|side| local(parts, centres, bodies[side], &self.points[side]));
        let joint = Joint::new(Distance {
            bodies,
            anchors,
            length,
        });
        let joint = joint.named(&self.name).soft(self.softness);
        parts.joint(match self.max_force {
            Some(force) => joint.limited(force),
            None => joint,
        });
        Ok(())
    }
}

impl RopeLine {
    pub(crate) fn bodies(&self) -> &[BodyName; 2] {
        &self.bodies
    }

    /// Names of the bodies that it brings.
    pub(crate) fn names(&self) -> Result<Vec<String>, EntryFault> {
        let links = self.links.unwrap_or(0);
        if links > MAX_BODIES {
            let message = format!("links = {links}: at most {MAX_BODIES}");
            return Err(EntryFault::new("links", message));
        }
        Ok((0..links).map(|link| self.part("link", link)).collect())
    }

    fn part(&self, kind: &str, number: usize) -> String {
        match self.name.as_str() {
            "" => format!("{kind} {number}"),
            name => format!("{name}/{kind} {number}"),
        }
    }

    /// Checks the numbers, and adds the links as bodies.
    pub(crate) fn hang(&self, parts: &mut WorldParts) -> Result<(), EntryFault> {
        span(&self.points)?;
        if !(self.slack >= 0.0 && self.slack.is_finite()) {
            let message = format!("slack = {}: a length ≥ 0 [m]", self.slack);
            return Err(EntryFault::new("slack", message));
        }
        let Some(links) = self.links else {
            return Ok(());
        };
        if links == 0 {
            let message = "links = 0: leave links out for a rope without mass";
            return Err(EntryFault::new("links", message));
        }
        if self.slack > 0.0 {
            let message = "slack: a rope of links is straight; leave out slack or links";
            return Err(EntryFault::new("slack", message));
        }
        let half = 0.5 * self.link()?;
        if !(self.radius > 0.0 && self.radius < half) {
            let radius = self.radius;
            let message =
                format!("radius = {radius}: above 0 and below half of a link, which is {half} m");
            return Err(EntryFault::new("radius", message));
        }
        let shape = Capsule {
            half_length: half - self.radius,
            radius: self.radius,
        };
        for link in 0..links {
            let middle = 0.5 * (self.node(link) + self.node(link + 1));
            let body = Body::dynamic(Inertia::default(), middle).turned(self.turn());
            let body = parts.body(body.named(self.part("link", link)));
            let collider = Collider::new(body, shape).dense(self.density);
            parts.collider(collider.of(self.material));
        }
        Ok(())
    }

    /// Adds the joints; the links are the bodies from `first`, which moves behind them.
    pub(crate) fn tie(
        &self,
        parts: &mut WorldParts,
        names: &BodyNames,
        centres: &[Position],
        first: &mut usize,
    ) -> Result<(), EntryFault> {
        let bodies = ends(names, &self.bodies, centres.len())?;
        let anchors = [0, 1].map(|side| local(parts, centres, bodies[side], &self.points[side]));
        let Some(links) = self.links else {
            let length = Signal::Constant(span(&self.points)? + self.slack);
            let joint = Joint::new(Rope {
                bodies,
                anchors,
                length,
            });
            parts.joint(joint.named(&self.name).soft(self.softness));
            return Ok(());
        };
        // the y axis of a link points to its end, or to its start where the rope goes down
        let half = 0.5 * self.link()?;
        let end = if self.along().y < 0.0 { -half } else { half };
        let end = Vector3::new(0.0, end, 0.0);
        let mut before = (bodies[0], anchors[0]);
        for link in 0..links {
            self.join(parts, link, [before, (*first, -end)]);
            before = (*first, end);
            *first += 1;
        }
        self.join(parts, links, [before, (bodies[1], anchors[1])]);
        Ok(())
    }

    /// A ball joint between two bodies with their anchors.
    fn join(&self, parts: &mut WorldParts, number: usize, ends: [(usize, Vector3<f64>); 2]) {
        let joint = Joint::new(Point {
            bodies: ends.map(|(body, _)| body),
            anchors: ends.map(|(_, anchor)| anchor),
        });
        parts.joint(joint.named(self.part("joint", number)).soft(self.softness));
    }

    /// Length of a link \[m\].
    fn link(&self) -> Result<f64, EntryFault> {
        Ok(span(&self.points)? / self.links.unwrap_or(1) as f64)
    }

    /// Where the k-th link begins \[m\].
    fn node(&self, k: usize) -> Vector3<f64> {
        let share = k as f64 / self.links.unwrap_or(1) as f64;
        self.points[0] + share * (self.points[1] - self.points[0])
    }

    /// The unit vector from the first point to the second.
    fn along(&self) -> Vector3<f64> {
        (self.points[1] - self.points[0]).normalize()
    }

    fn turn(&self) -> UnitQuaternion<f64> {
        upwards(&self.along())
    }
}

/// The least rotation that turns the y axis into the line of a unit vector.
fn upwards(along: &Vector3<f64>) -> UnitQuaternion<f64> {
    let up = if along.y < 0.0 { -along } else { *along };
    // 1 + cos and the axis times sin: no function of an angle, whose bits depend on the machine
    UnitQuaternion::new_normalize(Quaternion::new(1.0 + up.y, up.z, 0.0, -up.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_y_axis_turns_into_the_line() {
        for along in [
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.36, -0.48, 0.8],
        ] {
            let along = Vector3::from(along);
            let turned = upwards(&along) * Vector3::y();
            assert!((turned.dot(&along).abs() - 1.0).abs() < 1e-15, "{along}");
        }
    }
}
