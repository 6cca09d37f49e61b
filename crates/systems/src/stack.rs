//! One box on another.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};

use crate::boxes::{BoxSink, BoxSystem, Boxes, Counts, GROUND};
use crate::random::SeededRng;

/// A stack of n boxes on the ground: n manifolds, 4 n points. One box and a tilt make an incline.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Stack {
    /// Number of boxes.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Largest distance of a box from the middle line, along x and along z, drawn at random. Below
    /// size/2.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub jitter: f64,
    /// Seed of the distances.
    #[parameter(default = 1, unit = "-")]
    pub seed: u64,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: Boxes,
}

impl Stack {
    fn check(&self) -> Result<(), ParameterError> {
        let fits = self.jitter < 0.5 * self.boxes.size;
        let expected = "it must lie in [0, size/2): neighbours touch";
        require(fits, "jitter", self.jitter, expected)
    }
}

impl BoxSystem for Stack {
    const ID: &'static str = "stack";
    const SUMMARY: &'static str =
        "n boxes on top of each other on the ground; one box with a tilt is a box on an incline";
    const TOWER: bool = true;

    fn boxes(&self) -> &Boxes {
        &self.boxes
    }

    fn extent(&self) -> (&'static str, usize) {
        ("n", self.n)
    }

    fn counts(&self) -> Counts {
        let (boxes, faces) = (Some(self.n), Some(self.n));
        Counts { boxes, faces }
    }

    fn layers(&self) -> (usize, usize) {
        (self.n, 1)
    }

    fn is_centred(&self) -> bool {
        self.jitter == 0.0
    }

    fn lay(&self, sink: &mut impl BoxSink) {
        let size = self.boxes.size;
        let mut random = SeededRng::new(self.seed);
        let mut below = (GROUND, [0.0; 2]);
        for layer in 0..self.n {
            let place = [random.within(self.jitter), random.within(self.jitter)];
            let body = sink.place(place[0], layer, place[1]);
            let apart = |axis: usize| match below.0 {
                GROUND => 0.0,
                _ => (place[axis] - below.1[axis]).abs(),
            };
            sink.stand(body, below.0, [size - apart(0), size - apart(1)]);
            below = (body, place);
        }
    }
}
