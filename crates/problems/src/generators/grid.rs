//! A block of touching boxes.

use delassus_core::{ParameterError, ProblemError};

use super::boxes::{BoxScene, GROUND, box_parameters};
use super::parameters::{at_least, require, row_limit};
use super::{Generated, Generator, GeneratorDescriptor, Size};

box_parameters! {
    /// nx × ny × nz boxes without space between them: contacts with the ground and with all six neighbours.
    ///
    /// nx·ny·nz + (nx − 1)·ny·nz + nx·ny·(nz − 1) manifolds of 4 points with lateral contacts.
    Grid {
        /// Number of boxes along x \[-\]; >= 1.
        nx: usize = 4,
        /// Number of layers, along y \[-\]; >= 1.
        ny: usize = 4,
        /// Number of boxes along z \[-\]; >= 1.
        nz: usize = 4,
        /// Whether neighbours within a layer touch; without, the columns stand alone.
        lateral: bool = true,
    }
}

impl Grid {
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
        parameters: Self::PARAMETERS,
        reference: "at rest, rigid, without gap",
    };

    fn validate(&self) -> Result<(), ParameterError> {
        for (name, count) in [("nx", self.nx), ("ny", self.ny), ("nz", self.nz)] {
            at_least(name, count, 1, "there must be at least one box")?;
        }
        let settings = self.settings();
        settings.validate()?;
        let supported = !self.lateral || self.gap == 0.0;
        require(
            supported,
            "gap",
            self.gap,
            "lateral contacts have none: it must be 0 unless lateral is false",
        )?;
        let rows = self
            .manifolds()
            .and_then(|m| m.checked_mul(settings.rows_per_manifold()));
        row_limit("nx", self.nx, rows)
    }

    fn size(&self) -> Size {
        let manifolds = self.manifolds().unwrap_or(usize::MAX);
        self.settings().size(self.nx * self.ny * self.nz, manifolds)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.settings(), self.ny, self.nx * self.nz);
        let mut below = vec![GROUND; self.nx * self.nz];
        for layer in 0..self.ny {
            let mut placed: Vec<usize> = Vec::with_capacity(self.nx * self.nz);
            for k in 0..self.nz {
                for i in 0..self.nx {
                    let body = scene.place(i as f64 * self.size, layer, k as f64 * self.size);
                    scene.stand(body, below[placed.len()], [self.size, self.size]);
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
