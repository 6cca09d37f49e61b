//! Free velocities and inverse masses of the bodies.

use delassus_core::{BodyRows, MassProperties};

use super::fit;
use super::threads::PackThreads;
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
        bodies.fill(masses, free_velocity, PackThreads::One);
        bodies
    }

    /// Takes over the bodies of a problem.
    pub(crate) fn pack(&mut self, bodies: &BodyRows, threads: PackThreads) {
        self.fill(&bodies.mass, &bodies.free_velocity, threads);
    }

    fn fill(&mut self, masses: &[MassProperties], free_velocity: &[f64], threads: PackThreads) {
        let count = masses.len();
        fit(&mut self.mass, BODY_MASS * (count + 1));
        fit(&mut self.free, BODY_FREE * (count + 1));
        let chunk = threads.chunk(count);
        // the world comes after the bodies
        let (mass, world) = self.mass.split_at_mut(BODY_MASS * count);
        world.fill([T::ZERO; 4]);
        let (free, world) = self.free.split_at_mut(BODY_FREE * count);
        world.fill([T::ZERO; 4]);
        let masses = masses.chunks(chunk).zip(free_velocity.chunks(6 * chunk));
        let quads = mass.chunks_mut(BODY_MASS * chunk);
        let parts = masses.zip(quads.zip(free.chunks_mut(BODY_FREE * chunk)));
        threads.each(parts, |((masses, velocities), (mass, free))| {
            fill_masses(masses, mass);
            fill_free(velocities, free);
        });
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
        fill_free(free, &mut self.free);
    }
}

fn fill_masses<T: Real>(masses: &[MassProperties], quads: &mut [Quad<T>]) {
    for (body, to) in masses.iter().zip(quads.as_chunks_mut::<BODY_MASS>().0) {
        let (m, i) = (&body.inverse_mass, &body.inverse_inertia);
        to[0] = quad([m.x, m.y, m.z], i[(0, 0)]);
        to[1] = quad([i[(0, 1)], i[(0, 2)], i[(1, 1)]], i[(1, 2)]);
        to[2] = quad([i[(2, 2)], 0.0, 0.0], 0.0);
    }
}

fn fill_free<T: Real>(free: &[f64], quads: &mut [Quad<T>]) {
    for (to, from) in quads.iter_mut().zip(free.as_chunks::<3>().0) {
        *to = quad(*from, 0.0);
    }
}
