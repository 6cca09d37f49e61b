//! Boxes in rows and pyramids, for scenes that find their contacts.

use delassus_dynamics::Cuboid;
use nalgebra::Vector3;

use crate::site::{Site, resting};

/// A pyramid of one row of boxes per layer, in a plane of constant z.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pyramid {
    /// Boxes of the bottom layer; every layer has one less.
    pub(crate) base: usize,
    /// Halves of the edges of a box \[m\].
    pub(crate) half: Vector3<f64>,
    /// Distance of the centres of neighbours in a layer, and of layers \[m\].
    pub(crate) pitch: [f64; 2],
    /// Middle of the foot of the pyramid \[m\].
    pub(crate) foot: Vector3<f64>,
    /// \[kg/m³\].
    pub(crate) density: f64,
    /// True for boxes that stay in the plane.
    pub(crate) planar: bool,
}

impl Pyramid {
    /// A pyramid of cubes that touch their neighbours.
    pub(crate) fn of_cubes(base: usize, half: f64, density: f64) -> Self {
        Self {
            base,
            half: Vector3::repeat(half),
            pitch: [2.0 * half; 2],
            foot: Vector3::zeros(),
            density,
            planar: false,
        }
    }

    /// base (base + 1)/2.
    pub(crate) fn boxes(base: usize) -> Option<usize> {
        let oblong = base.checked_add(1).and_then(|next| next.checked_mul(base));
        oblong.map(|oblong| oblong / 2)
    }

    /// Adds the boxes from below.
    pub(crate) fn lay(&self, site: &mut Site) {
        for layer in 0..self.base {
            let row = self.base - layer;
            for place in 0..row {
                let x = (place as f64 - 0.5 * (row - 1) as f64) * self.pitch[0];
                let y = self.half.y + layer as f64 * self.pitch[1];
                let body = resting(self.foot + Vector3::new(x, y, 0.0));
                let body = if self.planar { body.planar() } else { body };
                let name = format!("box {}", site.parts.bodies.len());
                let half = self.half;
                site.add(body.named(name), Cuboid { half }, self.density);
            }
        }
    }
}
