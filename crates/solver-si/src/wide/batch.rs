//! Batches: the bundles of one kind in one colour of one thread.

use delassus_core::{BodyRows, Problem, Refresh, Traffic};

use super::joints::Joints;
use super::lanes::Lanes;
use super::loose::LooseBlocks;
use super::manifold::{EMPTY, Manifolds};
use super::normals::Normals;
use super::plan::{Group, Kind};
use super::rows::RowBlocks;
use super::velocities::Store;
use super::{joints_kernel, manifold_kernel, normals_kernel, rows_kernel};

/// Bundles of one kind.
#[derive(Debug)]
pub(crate) enum Batch<const N: usize> {
    Points1(Manifolds<N, 1>),
    Points2(Manifolds<N, 2>),
    Points3(Manifolds<N, 3>),
    Points4(Manifolds<N, 4>),
    Normals1(Normals<N, 1>),
    Normals2(Normals<N, 2>),
    Normals3(Normals<N, 3>),
    Normals4(Normals<N, 4>),
    Ball(Joints<N, 0, 0>),
    Universal(Joints<N, 1, 1>),
    Hinge(Joints<N, 2, 3>),
    Weld(Joints<N, 3, 6>),
    Rows1(RowBlocks<N, 1>),
    Rows2(RowBlocks<N, 2>),
    Rows3(RowBlocks<N, 3>),
    Rows4(RowBlocks<N, 4>),
    Rows5(RowBlocks<N, 5>),
    Rows6(RowBlocks<N, 6>),
    Rows7(RowBlocks<N, 7>),
    Loose(LooseBlocks),
}

/// Evaluates one expression for each type of batch, whatever the sizes.
macro_rules! each {
    (
        $batch:expr,
        $manifolds:pat => $one:expr,
        $normals:pat => $two:expr,
        $joints:pat => $three:expr,
        $rows:pat => $four:expr,
        $loose:pat => $five:expr $(,)?
    ) => {
        match $batch {
            Batch::Points1($manifolds) => $one,
            Batch::Points2($manifolds) => $one,
            Batch::Points3($manifolds) => $one,
            Batch::Points4($manifolds) => $one,
            Batch::Normals1($normals) => $two,
            Batch::Normals2($normals) => $two,
            Batch::Normals3($normals) => $two,
            Batch::Normals4($normals) => $two,
            Batch::Ball($joints) => $three,
            Batch::Universal($joints) => $three,
            Batch::Hinge($joints) => $three,
            Batch::Weld($joints) => $three,
            Batch::Rows1($rows) => $four,
            Batch::Rows2($rows) => $four,
            Batch::Rows3($rows) => $four,
            Batch::Rows4($rows) => $four,
            Batch::Rows5($rows) => $four,
            Batch::Rows6($rows) => $four,
            Batch::Rows7($rows) => $four,
            Batch::Loose($loose) => $five,
        }
    };
}

impl<const N: usize> Batch<N> {
    /// An empty batch with room for a group.
    pub(crate) fn new(group: &Group, world: u32, projection: bool) -> Self {
        let mut batch = match group.kind {
            Kind::Manifold { points, boxed } => match points {
                1 => Self::Points1(Manifolds::new(boxed)),
                2 => Self::Points2(Manifolds::new(boxed)),
                3 => Self::Points3(Manifolds::new(boxed)),
                _ => Self::Points4(Manifolds::new(boxed)),
            },
            Kind::Normals { points, patch } => match points {
                1 => Self::Normals1(Normals::new(patch)),
                2 => Self::Normals2(Normals::new(patch)),
                3 => Self::Normals3(Normals::new(patch)),
                _ => Self::Normals4(Normals::new(patch)),
            },
            Kind::Joint { turning } => match turning {
                0 => Self::Ball(Joints::new()),
                1 => Self::Universal(Joints::new()),
                2 => Self::Hinge(Joints::new()),
                _ => Self::Weld(Joints::new()),
            },
            Kind::Rows { dim, law } => match dim {
                1 => Self::Rows1(RowBlocks::new(law, projection)),
                2 => Self::Rows2(RowBlocks::new(law, projection)),
                3 => Self::Rows3(RowBlocks::new(law, projection)),
                4 => Self::Rows4(RowBlocks::new(law, projection)),
                5 => Self::Rows5(RowBlocks::new(law, projection)),
                6 => Self::Rows6(RowBlocks::new(law, projection)),
                _ => Self::Rows7(RowBlocks::new(law, projection)),
            },
            Kind::Loose => Self::Loose(LooseBlocks::new()),
        };
        let blocks = &group.first_blocks;
        each!(
            &mut batch,
            manifolds => manifolds.assign(world, blocks),
            normals => normals.assign(world, blocks),
            joints => joints.assign(world, blocks),
            rows => rows.assign(world, blocks),
            loose => loose.assign(blocks),
        );
        batch
    }

    /// Writes everything but manifolds, which only begin, as they are delivered in another order; false if a block is
    /// no longer what the plan says.
    pub(crate) fn pack(&mut self, context: &mut Context<'_>) -> bool {
        let Context {
            problem,
            bodies,
            impulses,
            work,
            ..
        } = context;
        each!(
            self,
            manifolds => {
                manifolds.begin(problem);
                true
            },
            normals => normals.pack(problem, bodies, impulses, work),
            joints => joints.pack(problem, bodies, impulses, work),
            rows => {
                rows.pack(problem, bodies, work);
                rows.write_impulses(problem, impulses);
                true
            },
            loose => {
                loose.pack(problem, bodies);
                loose.write_impulses(problem, impulses);
                true
            },
        )
    }

    /// Takes over what may change; true if the manifolds need the full kernel.
    pub(crate) fn refresh<V: Lanes<N>>(
        &mut self,
        token: V::Token,
        context: &mut Context<'_>,
        what: Refresh,
    ) -> bool {
        let Context {
            problem,
            bodies,
            full,
            work,
            ..
        } = context;
        each!(
            self,
            manifolds => {
                manifolds.set_activity(problem);
                if *full {
                    manifolds.refresh::<V>(token, problem);
                    false
                } else {
                    let numbers = what.bias || what.compliance;
                    numbers && manifolds.refresh_normals::<V>(token, problem, what.compliance)
                }
            },
            normals => {
                normals.refresh(problem, what);
                false
            },
            joints => {
                joints.refresh(problem, what, work);
                false
            },
            rows => {
                if what.compliance {
                    rows.refresh_compliance(problem, bodies, work);
                }
                rows.refresh(problem);
                false
            },
            loose => {
                if what.compliance {
                    loose.pack(problem, bodies);
                } else {
                    loose.refresh(problem);
                }
                false
            },
        )
    }

    /// Copies impulses out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        each!(
            self,
            manifolds => manifolds.read_impulses(out),
            normals => normals.read_impulses(first_rows, out),
            joints => joints.read_impulses(first_rows, out),
            rows => rows.read_impulses(first_rows, out),
            loose => loose.read_impulses(first_rows, out),
        );
    }

    /// Appends what [`Self::read_impulses`] rounds.
    pub(crate) fn state(&self, out: &mut Vec<u64>) {
        each!(
            self,
            _ => {},
            _ => {},
            joints => joints.state(out),
            _ => {},
            _ => {},
        );
    }

    /// One sweep.
    pub(crate) fn solve<V: Lanes<N>, S: Store>(&mut self, token: V::Token, store: &mut S) {
        each!(
            self,
            manifolds => V::vectorize(token, #[inline(always)] || manifold_kernel::solve::<V, S, N, _>(token, store, manifolds)),
            normals => V::vectorize(token, #[inline(always)] || normals_kernel::solve::<V, S, N, _>(token, store, normals)),
            joints => V::vectorize(token, #[inline(always)] || joints_kernel::solve::<V, S, N, _, _>(token, store, joints)),
            rows => V::vectorize(token, #[inline(always)] || rows_kernel::solve::<V, S, N, _>(token, store, rows)),
            loose => loose.solve(store),
        );
    }

    /// Adds what the impulses do to the velocities.
    pub(crate) fn apply<V: Lanes<N>, S: Store>(&self, token: V::Token, store: &mut S) {
        each!(
            self,
            manifolds => V::vectorize(token, #[inline(always)] || manifold_kernel::apply::<V, S, N, _>(token, store, manifolds)),
            normals => V::vectorize(token, #[inline(always)] || normals_kernel::apply::<V, S, N, _>(token, store, normals)),
            joints => V::vectorize(token, #[inline(always)] || joints_kernel::apply::<V, S, N, _, _>(token, store, joints)),
            rows => V::vectorize(token, #[inline(always)] || rows_kernel::apply::<V, S, N, _>(token, store, rows)),
            loose => loose.apply(store),
        );
    }

    /// Bytes of one sweep.
    pub(crate) fn traffic(&self) -> Traffic {
        each!(
            self,
            manifolds => manifolds.traffic(),
            normals => normals.traffic(),
            joints => joints.traffic(),
            rows => rows.traffic(),
            loose => loose.traffic(),
        )
    }

    /// Number of bundles, and of lanes that hold something.
    pub(crate) fn fill(&self) -> (usize, usize) {
        let count = |blocks: &[[u32; N]]| {
            let lanes = blocks.iter().flatten();
            (blocks.len(), lanes.filter(|block| **block != EMPTY).count())
        };
        each!(
            self,
            manifolds => count(&manifolds.blocks),
            normals => count(&normals.blocks),
            joints => count(&joints.blocks),
            rows => count(&rows.blocks),
            loose => (loose.len(), loose.len()),
        )
    }
}

/// What packing reads.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) bodies: &'a BodyRows,
    /// The start, one per row.
    pub(crate) impulses: &'a [f64],
    /// True if the manifolds run the full kernel.
    pub(crate) full: bool,
    /// The layout.
    pub(crate) projection: bool,
    pub(crate) work: Vec<f64>,
}
