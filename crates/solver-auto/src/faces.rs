//! On which face of its set every block is, by the impulses alone (Z.20): open or closed, at a bound or between, sticking or
//! sliding. No velocity is looked at, so a look costs one pass over the impulses.

use delassus_core::{Law, Problem};

/// Part of a bound that counts as at the bound \[-\]: sweeps in f32 end that far from it.
const NEAR: f64 = 1e-4;

/// The faces that were seen last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faces {
    /// Of every block, a bit per row that is at zero or at a bound and one per limit of friction that is used up.
    list: Vec<u64>,
    slides: bool,
}

impl Faces {
    /// Takes the faces of `impulses`; blocks that were on another one \[-\], all of them at the first look.
    pub(crate) fn look(&mut self, problem: &Problem, impulses: &[f64]) -> usize {
        let blocks = problem.blocks();
        self.list.resize(blocks.len(), u64::MAX);
        self.slides = false;
        let mut changed = 0;
        for (index, (block, face)) in blocks.iter().zip(&mut self.list).enumerate() {
            let active = problem.active_dim(index);
            let impulses = &impulses[block.rows()][..active];
            let mut bits = Bits::default();
            bits.block(&block.law, impulses, active == block.dim);
            changed += usize::from(bits.face != *face);
            *face = bits.face;
            self.slides |= bits.slides;
        }
        changed
    }

    /// True if a block that was looked at has used up its friction.
    pub(crate) fn slides(&self) -> bool {
        self.slides
    }

    /// No block has been seen.
    pub(crate) fn forget(&mut self) {
        self.list.fill(u64::MAX);
    }
}

/// The face of one block while it is read.
#[derive(Default)]
struct Bits {
    face: u64,
    slides: bool,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        self.face = (self.face << 1) | u64::from(bit);
    }

    fn block(&mut self, law: &Law, impulses: &[f64], whole: bool) {
        match law {
            Law::Equality => {}
            Law::Bounds { lower, upper } => {
                for x in impulses {
                    self.push(*x <= *lower);
                    self.push(*x >= *upper);
                }
            }
            Law::Contact(friction) => {
                let normal = self.normals(&impulses[..impulses.len().min(1)]);
                let limit = friction.limit() + friction.mu() * normal;
                if whole && impulses.len() > 1 {
                    self.limit(&impulses[1..], limit);
                }
            }
            Law::Patch(patch) => {
                let normals = impulses.len().min(patch.levers.len());
                let sum = self.normals(&impulses[..normals]);
                if whole {
                    self.limit(&impulses[normals..normals + 2], patch.mu * sum);
                }
            }
            Law::Rolling(rolling) => {
                let normal = self.normals(&impulses[..impulses.len().min(1)]);
                if whole {
                    self.limit(&impulses[1..3], rolling.mu * normal);
                    self.limit(&impulses[3..5], rolling.rolling * normal);
                }
            }
        }
    }

    /// One bit per normal impulse; their sum \[N·s\].
    fn normals(&mut self, impulses: &[f64]) -> f64 {
        for x in impulses {
            self.push(*x > 0.0);
        }
        impulses.iter().sum()
    }

    /// One bit: whether rows use up their limit, which an open contact does not.
    fn limit(&mut self, impulses: &[f64], limit: f64) {
        let square: f64 = impulses.iter().map(|x| x * x).sum();
        let reached = limit > 0.0 && square >= (1.0 - NEAR) * limit * limit;
        self.push(reached);
        self.slides |= reached;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::{Friction, MassProperties, ProblemBuilder};

    #[test]
    fn a_contact_is_open_or_sticks_or_slides() {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(1.0, nalgebra::Vector3::repeat(1.0));
        let body = builder.body(mass, [0.0; 6]);
        let rows = [0, 1, 2].map(|axis| [std::array::from_fn(|i| f64::from(u8::from(i == axis)))]);
        builder.block(Law::Contact(Friction::Coulomb { mu: 0.5 }), &[body], &rows);
        let problem = builder.build().unwrap();
        let mut faces = Faces::default();
        let states: [([f64; 3], usize, bool); 5] = [
            ([0.0; 3], 1, false),
            ([2.0, 0.3, 0.4], 1, false),
            ([2.0, 0.6, 0.8], 1, true),
            ([1.0, 0.3, -0.4], 0, true),
            ([0.0; 3], 1, false),
        ];
        for (impulses, changed, slides) in states {
            assert_eq!(faces.look(&problem, &impulses), changed, "{impulses:?}");
            assert_eq!(faces.slides(), slides, "{impulses:?}");
        }
        faces.forget();
        assert_eq!(faces.look(&problem, &[0.0; 3]), 1);
    }
}
