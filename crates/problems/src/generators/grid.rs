//! A block of touching boxes.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters, ProblemError};

use super::boxes::{BoxScene, BoxSettings, GROUND};
use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};

/// nx × ny × nz boxes without space between them: contacts with the ground and with all six neighbours.
///
/// nx·ny·nz + (nx − 1)·ny·nz + nx·ny·(nz − 1) manifolds of 4 points with lateral contacts.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Grid {
    /// Number of boxes along x.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub nx: usize,
    /// Number of layers, along y.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub ny: usize,
    /// Number of boxes along z.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub nz: usize,
    /// Whether neighbours within a layer touch; without, the columns stand alone.
    #[parameter(default = true)]
    pub lateral: bool,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Grid {
    fn check(&self) -> Result<(), ParameterError> {
        let supported = !self.lateral || self.boxes.gap == 0.0;
        let expected = "lateral contacts have none: it must be 0 unless lateral is false";
        require(supported, "gap", self.boxes.gap, expected)?;
        let each = self.boxes.rows_per_manifold();
        let rows = self.manifolds().and_then(|m| m.checked_mul(each));
        row_limit("nx", self.nx, rows)
    }

    fn manifolds(&self) -> Option<usize> {
        let product = |a: usize, b: usize, c: usize| a.checked_mul(b)?.checked_mul(c);
        let vertical = product(self.nx, self.ny, self.nz)?;
        if !self.lateral {
            return Some(vertical);
        }
        vertical
            .checked_add(product(self.nx - 1, self.ny, self.nz)?)?
            .checked_add(product(self.nx, self.ny, self.nz - 1)?)
    }
}

impl Generator for Grid {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "grid",
        summary: "nx x ny x nz touching boxes: contacts with the ground and with all six neighbours",
        reference: "at rest, rigid, without gap",
    };

    fn size(&self) -> Size {
        let manifolds = self.manifolds().unwrap_or(usize::MAX);
        self.boxes.size(self.nx * self.ny * self.nz, manifolds)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.boxes, self.ny, self.nx * self.nz);
        let mut below = vec![GROUND; self.nx * self.nz];
        for layer in 0..self.ny {
            let mut placed: Vec<usize> = Vec::with_capacity(self.nx * self.nz);
            for k in 0..self.nz {
                for i in 0..self.nx {
                    let body = scene.place(
                        i as f64 * self.boxes.size,
                        layer,
                        k as f64 * self.boxes.size,
                    );
                    scene.stand(
                        body,
                        below[placed.len()],
                        [self.boxes.size, self.boxes.size],
                    );
                    if self.lateral && i > 0 {
                        scene.adjoin(placed[placed.len() - 1], body, 0);
                    }
                    if self.lateral && k > 0 {
                        scene.adjoin(placed[placed.len() - self.nx], body, 2);
                    }
                    placed.push(body);
                }
            }
            below = placed;
        }
        scene.finish()
    }
}
