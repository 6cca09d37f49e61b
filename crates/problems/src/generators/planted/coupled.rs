//! Planted problems in which the rows of a block share compliance (P.13).

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters, ProblemError};

use super::Planted;
use crate::generators::{Generated, Generator, GeneratorDescriptor, Size};

/// A planted problem whose blocks have R = r 1 + q s sᵀ, with random numbers s between a half and
/// one of either sign.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct CoupledPlanted {
    /// Bodies, blocks and their solution; r is its compliance.
    #[parameter(flatten)]
    pub planted: Planted,
    /// Compliance q that the rows of a block share.
    #[parameter(default = 0.05, unit = "1/kg", range = "> 0")]
    pub shared: f64,
}

impl CoupledPlanted {
    fn check(&self) -> Result<(), ParameterError> {
        let largest = self.shared + self.planted.compliance;
        let expected = "a finite sum with compliance";
        require(largest.is_finite(), "shared", self.shared, expected)?;
        self.planted.check()
    }
}

impl Generator for CoupledPlanted {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "planted-coupled",
        summary: "a planted problem whose blocks have a compliance that is not diagonal: every row of a block yields to the impulses of the others",
        reference: Planted::DESCRIPTOR.reference,
    };

    fn size(&self) -> Size {
        let size = self.planted.size();
        Size {
            // the triangles and the squares that they are made from; no block has more than seven
            // rows
            extra_bytes: size
                .extra_bytes
                .saturating_add(size.rows.saturating_mul(8 * 7 * 2)),
            ..size
        }
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        self.planted.build_coupled(self.shared)
    }
}
