//! What all kinds of bundles share: arrays of one number per lane, and which block each lane holds.

use delassus_structure::geometry::FIXED;

use super::lanes::BodyRow;

/// No block: the lane is empty.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Bodies A and B of every lane, with [`FIXED`] where nothing moves them.
pub(crate) type LaneBodies<const N: usize> = [[u32; N]; 2];

/// What holds one thing per lane: arrays of `N` numbers, and arrays and structs of such.
///
/// A bundle of one lane is what a block is packed into, once for all numbers of lanes; then it goes
/// to its lane.
pub(crate) trait Interleaved: Copy {
    /// The same with another number of lanes.
    type Of<const M: usize>;

    /// Zero in every lane.
    const ZERO: Self;

    /// One lane alone.
    fn lane(&self, lane: usize) -> Self::Of<1>;

    /// Takes over one lane of another.
    fn copy_lane<const M: usize>(&mut self, to: usize, from: &Self::Of<M>, lane: usize);

    /// Takes over what was packed for a lane.
    fn put(&mut self, lane: usize, packed: &Self::Of<1>);

    /// [`Self::put`] for each of many.
    #[inline]
    fn put_each(each: &mut [Self], lane: usize, packed: &[Self::Of<1>]) {
        for (to, packed) in each.iter_mut().zip(packed) {
            to.put(lane, packed);
        }
    }
}

/// Arrays of `N` numbers.
macro_rules! numbers {
    ($($number:ty: $zero:literal),*) => {$(
        impl<const N: usize> Interleaved for [$number; N] {
            type Of<const M: usize> = [$number; M];
            const ZERO: Self = [$zero; N];
            #[inline(always)]
            fn lane(&self, lane: usize) -> [$number; 1] {
                [self[lane]]
            }
            #[inline(always)]
            fn copy_lane<const M: usize>(&mut self, to: usize, from: &[$number; M], lane: usize) {
                self[to] = from[lane];
            }
            #[inline(always)]
            fn put(&mut self, lane: usize, packed: &[$number; 1]) {
                self[lane] = packed[0];
            }
            // a loop, once per number of lanes: unrolled wherever fields are put it is most of the
            // code of packing
            #[inline(never)]
            fn put_each(each: &mut [Self], lane: usize, packed: &[[$number; 1]]) {
                for (to, packed) in each.iter_mut().zip(packed) {
                    to[lane] = packed[0];
                }
            }
        }
    )*};
}
numbers!(f32: 0.0, f64: 0.0, u32: 0);

impl<T: Interleaved, const L: usize> Interleaved for [T; L] {
    type Of<const M: usize> = [T::Of<M>; L];
    const ZERO: Self = [T::ZERO; L];
    #[inline(always)]
    fn lane(&self, lane: usize) -> Self::Of<1> {
        std::array::from_fn(|index| self[index].lane(lane))
    }
    #[inline(always)]
    fn copy_lane<const M: usize>(&mut self, to: usize, from: &Self::Of<M>, lane: usize) {
        for (own, from) in self.iter_mut().zip(from) {
            own.copy_lane(to, from, lane);
        }
    }
    #[inline]
    fn put(&mut self, lane: usize, packed: &Self::Of<1>) {
        T::put_each(self, lane, packed);
    }
    #[inline]
    fn put_each(each: &mut [Self], lane: usize, packed: &[Self::Of<1>]) {
        T::put_each(each.as_flattened_mut(), lane, packed.as_flattened());
    }
}

/// A struct whose first size is the number of lanes, by its fields; a field that is left out does
/// not compile.
macro_rules! interleaved {
    ($name:ident<$($size:ident),*> { $($field:ident),* $(,)? }) => {
        impl<const N: usize, $(const $size: usize),*> $crate::bundle::Interleaved
            for $name<N, $($size),*>
        {
            type Of<const M: usize> = $name<M, $($size),*>;
            const ZERO: Self = Self { $($field: $crate::bundle::Interleaved::ZERO),* };
            #[inline(always)]
            fn lane(&self, lane: usize) -> Self::Of<1> {
                $name { $($field: self.$field.lane(lane)),* }
            }
            #[inline(always)]
            fn copy_lane<const M: usize>(&mut self, to: usize, from: &Self::Of<M>, lane: usize) {
                $(self.$field.copy_lane(to, &from.$field, lane);)*
            }
            #[inline]
            fn put(&mut self, lane: usize, packed: &Self::Of<1>) {
                $(self.$field.put(lane, &packed.$field);)*
            }
        }
    };
}
pub(crate) use interleaved;

/// Where a block lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockSlot {
    pub(crate) bundle: usize,
    pub(crate) lane: usize,
    /// The block, or the first one of a manifold.
    pub(crate) block: usize,
}

/// The block of every lane of a batch; [`EMPTY`] for none.
pub(crate) struct BatchSlots<const N: usize>(Vec<[u32; N]>);

impl<const N: usize> BatchSlots<N> {
    /// One lane per block, the last bundle filled up with empty lanes.
    #[inline(never)]
    pub(crate) fn new(blocks: &[u32]) -> Self {
        let lanes = blocks.chunks(N).map(|chunk| {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            lanes
        });
        Self(lanes.collect())
    }

    /// The blocks, bundle by bundle.
    pub(crate) fn lanes(&self) -> &[[u32; N]] {
        &self.0
    }

    /// Number of bundles.
    pub(crate) fn bundles(&self) -> usize {
        self.0.len()
    }

    /// The lanes that hold something.
    #[inline]
    pub(crate) fn filled(&self) -> impl Iterator<Item = BlockSlot> {
        let lanes = self.0.as_flattened().iter().enumerate();
        let filled = lanes.filter(|(_, block)| **block != EMPTY);
        filled.map(|(at, block)| BlockSlot {
            bundle: at / N,
            lane: at % N,
            block: *block as usize,
        })
    }

    /// How full the bundles are.
    pub(crate) fn fill(&self) -> Fill {
        let lanes = self.0.as_flattened().iter();
        Fill {
            bundles: self.0.len(),
            filled: lanes.filter(|block| **block != EMPTY).count(),
        }
    }
}

/// The lanes of one bundle that hold something, and their blocks.
pub(crate) fn filled<const N: usize>(lanes: &[u32; N]) -> impl Iterator<Item = (usize, usize)> {
    let lanes = lanes.iter().enumerate();
    lanes
        .filter(|(_, block)| **block != EMPTY)
        .map(|(lane, block)| (lane, *block as usize))
}

/// Bundles, and their lanes that hold something.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fill {
    pub(crate) bundles: usize,
    pub(crate) filled: usize,
}

/// Lanes without bodies: all point to the world, after the last body.
pub(crate) const fn nobody<const N: usize>(world: u32) -> LaneBodies<N> {
    [[world | FIXED; N]; 2]
}

/// So many empty bundles.
pub(crate) fn zeros<T: Interleaved>(bundles: usize) -> Vec<T> {
    (0..bundles).map(|_| T::ZERO).collect()
}

/// Bytes of velocities that a bundle gathers and scatters: all lanes are read, bodies that move are
/// written.
// not once per size of a bundle
#[inline(never)]
pub(crate) fn gathered(bodies: &[u32]) -> u64 {
    let moved = bodies.iter().filter(|body| **body & FIXED == 0).count();
    ((bodies.len() + moved) * size_of::<BodyRow>()) as u64
}

/// Three numbers that follow each other.
#[inline(always)]
pub(crate) fn three(from: &[f64], row: usize) -> [f64; 3] {
    let slice = &from[row..row + 3];
    [slice[0], slice[1], slice[2]]
}
