//! The step of one block of a unit: its rows, projected onto the sets of its law.

use delassus_core::Polygon;

use super::super::laws;
use super::super::manifolds::relax;
use super::super::vectors::{clamp, max};
use super::block::UnitBlock;
use super::unit::Unit;
use crate::pack::law;
use crate::real::Real;

/// What the normals of a patch let its friction bear: Σλ_n \[N·s\], and Σ lever λ_n \[N·m·s\]
/// (P.8).
struct PatchLoad<T> {
    normal: T,
    moment: T,
}

impl<T: Real, const COUPLED: bool> Unit<'_, T, COUPLED> {
    /// The Chebyshev step of a row.
    #[inline(always)]
    fn relaxed(&self, block: &UnitBlock<T>, local: usize, value: T) -> T {
        relax(
            self.impulse(1, block.first + local),
            value,
            self.step.weight,
        )
    }

    #[inline(always)]
    fn unbounded(&mut self, block: &UnitBlock<T>, local: usize) {
        let value = self.free(block, local);
        let value = self.relaxed(block, local, value);
        self.put(block, local, value);
    }

    /// One row in [lower, upper].
    #[inline(always)]
    fn clamped(&mut self, block: &UnitBlock<T>, local: usize, lower: T, upper: T) {
        let value = clamp(self.free(block, local), lower, upper);
        let value = clamp(self.relaxed(block, local, value), lower, upper);
        self.put(block, local, value);
    }

    #[inline(always)]
    fn normal(&mut self, block: &UnitBlock<T>, local: usize) {
        let value = max(self.free(block, local), T::ZERO);
        let value = max(self.relaxed(block, local, value), T::ZERO);
        self.put(block, local, value);
    }

    /// Two rows in a disc.
    #[inline(always)]
    fn disc(&mut self, block: &UnitBlock<T>, local: usize, radius: T) {
        let free = [self.free(block, local), self.free(block, local + 1)];
        let [t, s] = laws::disc(free, radius);
        let [t, s] = if self.step.weight == T::ONE {
            [t, s]
        } else {
            let t = self.relaxed(block, local, t);
            let s = self.relaxed(block, local + 1, s);
            laws::disc([t, s], radius)
        };
        self.put(block, local, t);
        self.put(block, local + 1, s);
    }

    /// The two tangents in a polygon.
    #[inline(always)]
    fn facets(&mut self, block: &UnitBlock<T>, radius: T) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "packed from a number of facets"
        )]
        let polygon = Polygon::new(block.normals as u32);
        let free = [self.free(block, 1), self.free(block, 2)];
        let [t, s] = laws::polygon(free, polygon, radius);
        let [t, s] = if self.step.weight == T::ONE {
            [t, s]
        } else {
            let far = [self.relaxed(block, 1, t), self.relaxed(block, 2, s)];
            laws::polygon(far, polygon, radius)
        };
        self.put(block, 1, t);
        self.put(block, 2, s);
    }

    /// The normal, tangents and rolling rows in their discs, the spin in its interval (P.11).
    ///
    /// A plain step: with the Chebyshev weight, parts that follow one normal orbit.
    #[inline(always)]
    fn rolling(&mut self, block: &UnitBlock<T>) {
        let weight = std::mem::replace(&mut self.step.weight, T::ONE);
        self.normal(block, 0);
        if block.active > 1 {
            let normal = self.impulse(2, block.first);
            self.disc(block, 1, block.mu * normal);
            self.disc(block, 3, block.lower * normal);
            if block.active == 6 {
                let limit = block.upper * normal;
                self.clamped(block, 5, -limit, limit);
            }
        }
        self.step.weight = weight;
    }

    /// Two or three rows in the cone.
    #[inline(always)]
    fn cone(&mut self, block: &UnitBlock<T>) {
        let last = block.active - 1;
        let free = [0, 1, last].map(|local| self.free(block, local));
        let third = if last == 2 { free[2] } else { T::ZERO };
        let new = laws::cone([free[0], free[1], third], block.mu);
        let new = if self.step.weight == T::ONE {
            new
        } else {
            let far = [0, 1, last].map(|local| self.relaxed(block, local, new[local]));
            let third = if last == 2 { far[2] } else { T::ZERO };
            laws::cone([far[0], far[1], third], block.mu)
        };
        for local in 0..block.active {
            self.put(block, local, new[local]);
        }
    }

    /// Normals, tangents in the disc μ Σλ_n, twist in μ Σ lever λ_n (P.8).
    #[inline(always)]
    fn patch(&mut self, block: &UnitBlock<T>) {
        for local in 0..block.normals {
            self.normal(block, local);
        }
        if block.active > block.normals {
            let load = self.load(block);
            self.disc(block, block.normals, block.mu * load.normal);
            let limit = block.mu * load.moment;
            self.clamped(block, block.normals + 2, -limit, limit);
        }
    }

    /// The load of the new impulses of a patch.
    #[inline(always)]
    fn load(&self, block: &UnitBlock<T>) -> PatchLoad<T> {
        let (mut normal, mut moment) = (T::ZERO, T::ZERO);
        for local in 0..block.normals {
            let value = self.impulse(2, block.first + local);
            normal = normal + value;
            moment = moment + self.numbers(block, local)[3] * value;
        }
        PatchLoad { normal, moment }
    }

    #[inline(always)]
    pub(super) fn update(&mut self, block: &UnitBlock<T>, backwards: bool) {
        match block.law {
            law::FREE | law::BOUNDS => {
                for turn in 0..block.active {
                    let local = if backwards {
                        block.active - 1 - turn
                    } else {
                        turn
                    };
                    if block.law == law::FREE {
                        self.unbounded(block, local);
                    } else {
                        self.clamped(block, local, block.lower, block.upper);
                    }
                }
            }
            law::PATCH => self.patch(block),
            law::ROLLING => self.rolling(block),
            law::CONE if block.active > 1 => self.cone(block),
            _ => {
                self.normal(block, 0);
                self.tangents(block);
            }
        }
    }

    /// Friction rows of one contact, bounded by its new normal impulse.
    #[inline(always)]
    fn tangents(&mut self, block: &UnitBlock<T>) {
        let normal = self.impulse(2, block.first);
        if block.law == law::DISC && block.active == 3 {
            self.disc(block, 1, block.mu * normal);
            return;
        }
        if block.law == law::FACETS && block.active == 3 {
            self.facets(block, block.mu * normal);
            return;
        }
        for local in 1..block.active {
            if block.law == law::FRICTIONLESS {
                self.put(block, local, T::ZERO);
            } else {
                // the limit of a fixed box lies where a lower bound does
                let limit = block.lower + block.mu * normal;
                self.clamped(block, local, -limit, limit);
            }
        }
    }
}
