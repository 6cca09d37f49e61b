//! Free velocities and inverse masses of the bodies.

use delassus_core::{BodyRows, MassProperties};

use crate::real::{Quad, Real, quad};

/// Quads of a free velocity, and of a velocity.
pub const BODY_FREE: usize = 2;

/// Quads of an inverse mass.
pub const BODY_MASS: usize = 3;

/// The bodies of a problem, and the world after them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bodies<T> {
    /// v_f, [`BODY_FREE`] quads per body: linear \[m/s\], angular \[rad/s\].
    pub free: Vec<Quad<T>>,
    /// [`BODY_MASS`] quads per body: inverse mass per axis \[1/kg\], inverse inertia xx, xy, xz,
    /// yy, yz, zz \[1/(kg·m²)\].
    pub mass: Vec<Quad<T>>,
}

impl<T: Real> Bodies<T> {
    /// Bodies by their inverse masses and free velocities, six numbers each \[m/s, rad/s\].
    pub fn of(masses: &[MassProperties], free_velocity: &[f64]) -> Self {
        let mut bodies = Self::default();
        bodies.fill(masses, free_velocity);
        bodies
    }

    /// Takes over the bodies of a problem.
    pub(crate) fn pack(&mut self, bodies: &BodyRows) {
        self.fill(&bodies.mass, &bodies.free_velocity);
    }

    fn fill(&mut self, masses: &[MassProperties], free_velocity: &[f64]) {
        let zero = [T::ZERO; 4];
        let mass = &mut self.mass;
        mass.clear();
        mass.reserve(BODY_MASS * (masses.len() + 1));
        for body in masses {
            let (m, i) = (&body.inverse_mass, &body.inverse_inertia);
            mass.push(quad([m.x, m.y, m.z], i[(0, 0)]));
            mass.push(quad([i[(0, 1)], i[(0, 2)], i[(1, 1)]], i[(1, 2)]));
            mass.push(quad([i[(2, 2)], 0.0, 0.0], 0.0));
        }
        mass.extend([zero; BODY_MASS]);
        self.free.clear();
        self.free.resize(BODY_FREE * (masses.len() + 1), zero);
        self.fill_free(free_velocity);
    }

    /// Number of bodies, with the world \[-\].
    pub fn len(&self) -> usize {
        self.free.len() / BODY_FREE
    }

    /// False: there is the world.
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    pub(crate) fn fill_free(&mut self, free: &[f64]) {
        for (to, from) in self.free.iter_mut().zip(free.as_chunks::<3>().0) {
            *to = quad(*from, 0.0);
        }
    }
}
