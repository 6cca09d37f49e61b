//! Hollow bodies of boxes: rooms and drums about the z axis.

use std::f64::consts::PI;

use delassus_dynamics::{Body, BodyKind, Collider, Cuboid, rotation};
use nalgebra::Vector3;

use crate::site::Site;

/// A drum of flat sides about the z axis through the centre of a body, closed at both ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drum {
    /// Number of sides \[-\]; at least 3.
    pub(crate) sides: usize,
    /// Distance of the sides from the axis \[m\].
    pub(crate) radius: f64,
    /// Half of the room along the axis \[m\].
    pub(crate) half_depth: f64,
    /// Thickness of the walls \[m\].
    pub(crate) wall: f64,
    /// How far a rib on every side reaches into the drum \[m\]; zero for none.
    pub(crate) rib: f64,
    /// \[kg/m³\].
    pub(crate) density: f64,
}

impl Drum {
    /// Adds a kinematic body with these walls, which turns about z at `spin` \[°/s\].
    pub(crate) fn build(&self, site: &mut Site, spin: f64) {
        let spin = Vector3::new(0.0, 0.0, spin.to_radians());
        let drum = Body {
            kind: BodyKind::Kinematic,
            ..Body::fixed(Vector3::zeros()).moving(Vector3::zeros(), spin)
        };
        let body = site.parts.body(drum.named("drum"));
        self.close(site, body);
    }

    /// Adds the walls to a body.
    pub(crate) fn close(&self, site: &mut Site, body: usize) {
        let half_wall = 0.5 * self.wall;
        // long enough to meet the neighbours at the outer corners
        let half_width = (self.radius + self.wall) * libm::tan(PI / self.sides as f64);
        let side = Cuboid::new(half_wall, half_width, self.half_depth);
        let rib = Cuboid::new(0.5 * self.rib, half_wall, self.half_depth);
        for index in 0..self.sides {
            let angle = 2.0 * PI * index as f64 / self.sides as f64;
            let turn = rotation::about(&Vector3::z(), angle);
            let out = turn * Vector3::x();
            let mut wall = |shape: Cuboid, distance: f64| {
                let collider = Collider::new(body, shape).dense(self.density);
                site.cover(collider.at(distance * out).turned(turn));
            };
            wall(side, self.radius + half_wall);
            if self.rib > 0.0 {
                wall(rib, self.radius - 0.5 * self.rib);
            }
        }
        let reach = self.radius + self.wall;
        let end = Cuboid::new(reach, reach, half_wall);
        for z in [-1.0, 1.0] {
            let at = Vector3::new(0.0, 0.0, z * (self.half_depth + half_wall));
            site.cover(Collider::new(body, end).dense(self.density).at(at));
        }
    }
}
