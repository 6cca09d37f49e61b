//! Bundles of manifolds of normals: one to four points that share a direction, without friction or
//! with that of a patch. One manifold per lane.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order; friction lies next to it,
//! if there is any:
//!
//! ```text
//! NormalBundle<N, P>                        NormalPoint<N>, P times        PatchFriction<N, P>
//! ┌──────────────────────────────────┐      ┌────────────────────────┐    ┌──────────────────────────────┐
//! │ bodies[2]      index A, index B  │      │ arm[2]    r_B, t and s │    │ coefficient  μ               │
//! │ normal[3]      world axes        │      │ impulse   λ_n          │    │ solved       0 if held       │
//! │ tangent[3]     world axes        │      │ bias                   │    │ between      c_B − c_A on n  │
//! │ between[2]     c_B − c_A, t and s│      │ softness  R            │    │ middle[3]    from c_B, local │
//! │ inertia[2][6]  local, 1/(kg·m²)  │      │ mass      effective    │    │ levers[P]    ℓ               │
//! │ mass[2]        1/kg              │      └────────────────────────┘    │ impulse[3]   λ_t, λ_s, λ_τ   │
//! └──────────────────────────────────┘                                    │ bias[3], softness[3]         │
//!                                                                         │ mass[2]      tangents, twist │
//!                                                                         └──────────────────────────────┘
//! ```
//!
//! Four points take 192 bytes per lane, with friction 272; the rows of the patch would take 636.
//! Along the normal an arm has no effect on a normal, so points hold two of its components.
//!
//! Theory: docs/theory/14-wide.md.

mod kernel;
mod pack;

use delassus_core::{Changes, Problem, Traffic};
use delassus_structure::normals::{MAX_NORMALS, normal_manifold};

use super::batch::{Batch, BatchOrder, BundleKind, BundleMatch, Candidate, Context, Visit};
use super::bundle::{BatchSlots, Fill, LaneBodies, gathered, interleaved, nobody, zeros};
use super::lanes::{Lanes, vectorized};
use super::level::AtLevel;
use super::velocities::Velocities;

/// Manifolds of normals; their size is the number of normals, their variant one for patches.
pub(super) const KIND: BundleKind = BundleKind {
    keeps_arms: true,
    packing_finds: true,
    find,
    batch: |level, order| level.run(New(order)),
};

fn find(candidate: &Candidate<'_>, _: &mut Vec<f64>) -> Option<BundleMatch> {
    let c = candidate;
    let found = normal_manifold(c.problem, c.bodies, c.block, c.left)?;
    Some(BundleMatch {
        size: [0, 1, 2, 3, 4][found.points],
        variant: u8::from(found.patch),
        // a patch is one block
        blocks: if found.patch { 1 } else { found.points },
        full: found.patch || found.points == MAX_NORMALS,
    })
}

/// One normal of `N` manifolds, in the axes of its manifold.
#[derive(Clone, Copy)]
#[repr(C)]
struct NormalPoint<const N: usize> {
    arm: [[f32; N]; 2],
    impulse: [f32; N],
    bias: [f32; N],
    softness: [f32; N],
    /// Effective mass \[kg\].
    mass: [f32; N],
}
interleaved!(NormalPoint<> { arm, impulse, bias, softness, mass });

/// `N` manifolds of `P` normals.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct NormalBundle<const N: usize, const P: usize> {
    bodies: LaneBodies<N>,
    normal: [[f32; N]; 3],
    tangent: [[f32; N]; 3],
    between: [[f32; N]; 2],
    inertia: [[[f32; N]; 6]; 2],
    mass: [[f32; N]; 2],
    points: [NormalPoint<N>; P],
}
interleaved!(NormalBundle<P> { bodies, normal, tangent, between, inertia, mass, points });

/// Two tangents and a twist of `N` patches.
#[derive(Clone, Copy)]
#[repr(C)]
struct PatchFriction<const N: usize, const P: usize> {
    coefficient: [f32; N],
    /// One where the three rows are solved for, otherwise zero.
    solved: [f32; N],
    between: [f32; N],
    middle: [[f32; N]; 3],
    /// Distance of each point from the middle \[m\].
    levers: [[f32; N]; P],
    impulse: [[f32; N]; 3],
    bias: [[f32; N]; 3],
    softness: [[f32; N]; 3],
    /// Step of the tangents \[kg\], effective mass of the twist \[kg·m²\].
    mass: [[f32; N]; 2],
}
interleaved!(PatchFriction<P> {
    coefficient, solved, between, middle, levers, impulse, bias, softness, mass,
});

/// The manifolds of so many normals in one colour.
struct Normals<V: Lanes<N>, const N: usize, const P: usize> {
    token: V::Token,
    /// The first block of every manifold. Its rows follow each other.
    seats: BatchSlots<N>,
    bundles: Vec<NormalBundle<N, P>>,
    /// Empty without friction.
    friction: Vec<PatchFriction<N, P>>,
    /// One per normal that is solved for, otherwise zero; empty if all are.
    solved: Vec<[[f32; N]; P]>,
    /// A_st of every lane \[1/kg\]: the step of the tangents follows from it when the softness
    /// changes.
    couplings: Vec<[f64; N]>,
    /// True if the manifolds are patches.
    patch: bool,
}

struct New<'a>(&'a BatchOrder<'a>);

impl AtLevel for New<'_> {
    type Output = Box<dyn Batch>;

    fn run<V: Lanes<N>, const N: usize>(self, token: V::Token) -> Box<dyn Batch> {
        match self.0.shape.size {
            1 => Box::new(Normals::<V, N, 1>::new(token, self.0)),
            2 => Box::new(Normals::<V, N, 2>::new(token, self.0)),
            3 => Box::new(Normals::<V, N, 3>::new(token, self.0)),
            _ => Box::new(Normals::<V, N, 4>::new(token, self.0)),
        }
    }
}

impl<V: Lanes<N>, const N: usize, const P: usize> Normals<V, N, P> {
    fn new(token: V::Token, order: &BatchOrder<'_>) -> Self {
        let seats = BatchSlots::new(order.blocks);
        let patch = order.shape.variant > 0;
        let rubbing = if patch { seats.bundles() } else { 0 };
        let mut bundles: Vec<NormalBundle<N, P>> = zeros(seats.bundles());
        for bundle in &mut bundles {
            bundle.bodies = nobody(order.world);
        }
        Self {
            token,
            bundles,
            friction: zeros(rubbing),
            solved: Vec::new(),
            couplings: zeros(rubbing),
            patch,
            seats,
        }
    }

    fn take_over(&mut self, problem: &Problem, what: Changes) {
        if what.bias {
            self.refresh_bias(problem);
        }
        if what.compliance {
            self.refresh_compliance(problem);
        }
        if what.activity {
            self.refresh_activity(problem);
        }
    }
}

impl<V: Lanes<N>, const N: usize, const P: usize> Batch for Normals<V, N, P> {
    fn pack(&mut self, context: &mut Context<'_>) -> bool {
        let fits = self.pack_all(context);
        if fits {
            self.take_over(context.problem, Changes::ALL);
        }
        fits
    }

    fn refresh(&mut self, context: &mut Context<'_>, what: Changes) -> bool {
        self.take_over(context.problem, what);
        false
    }

    fn visit(&mut self, velocities: &mut Velocities<'_>, visit: Visit) {
        vectorized!(V, self.token, self.visit_all(&mut velocities.lent(), visit));
    }

    fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for seat in self.seats.filled() {
            let (normals, rest) = out[first_rows[seat.block] as usize..].split_at_mut(P);
            let points = &self.bundles[seat.bundle].points;
            for (out, point) in normals.iter_mut().zip(points) {
                *out = f64::from(point.impulse[seat.lane]);
            }
            if let Some(friction) = self.friction.get(seat.bundle) {
                for (out, impulse) in rest.iter_mut().zip(&friction.impulse) {
                    *out = f64::from(impulse[seat.lane]);
                }
            }
        }
    }

    fn traffic(&self) -> Traffic {
        let rows = P + if self.patch { 3 } else { 0 };
        let gathered = self
            .bundles
            .iter()
            .map(|bundle| gathered(bundle.bodies.as_flattened()));
        Traffic {
            read: (size_of_val(self.bundles.as_slice())
                + size_of_val(self.friction.as_slice())
                + size_of_val(self.solved.as_slice())) as u64,
            written: (self.bundles.len() * rows * size_of::<[f32; N]>()) as u64,
            gathered: gathered.sum(),
        }
    }

    fn fill(&self) -> Fill {
        self.seats.fill()
    }
}
