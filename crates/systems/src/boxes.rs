//! Aligned boxes that stand on each other: who touches whom is known, so no collision code is
//! needed.

use delassus_core::parameter::require;
use delassus_core::{ContactLaw, ParameterError, Parameters};

use crate::masses::MassOrder;

/// The ground, whose upper face is y = 0; boxes are numbered from 1.
pub const GROUND: usize = 0;

/// Distance of neighbours in a row, in box sizes.
pub(crate) const PITCH: f64 = 1.1;

/// The parameters that every system of boxes has.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Boxes {
    /// Edge length of the boxes.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub size: f64,
    /// Mass of a box of the bottom layer.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of a box of the top layer over that of one of the bottom layer.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// How the mass ratio is spread from bottom to top.
    #[parameter(default = MassOrder::Geometric)]
    pub mass_order: MassOrder,
    /// Friction coefficient.
    #[parameter(default = 0.5, unit = "-", range = ">= 0")]
    pub friction: f64,
    /// Law of the contacts.
    #[parameter(default = ContactLaw::Coulomb)]
    pub law: ContactLaw,
    /// Separation at every contact at the start, negative for overlap. Above -size.
    #[parameter(default = 0.0, unit = "m")]
    pub gap: f64,
    /// Angle between gravity and the downward vertical, towards +x: the slope of an incline.
    #[parameter(default = 0.0, unit = "rad")]
    pub tilt: f64,
    /// Velocity of every box along +x at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Boxes {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "boxes overlap by less than their size";
        require(self.gap > -self.size, "gap", self.gap, expected)
    }

    /// Mass of a box in layer `layer` of `layers` \[kg\] (E.2).
    pub fn mass_of(&self, layer: usize, layers: usize) -> f64 {
        let order = self.mass_order;
        order.mass(layer, layers, self.mass, self.mass_ratio)
    }

    /// Sine and cosine of the tilt, exact without one \[-\].
    pub fn slope(&self) -> (f64, f64) {
        if self.tilt == 0.0 {
            (0.0, 1.0)
        } else {
            libm::sincos(self.tilt)
        }
    }
}

/// What takes a system of boxes, box by box from below.
pub trait BoxSink {
    /// Adds a box of layer `layer` centred at (x, z) \[m\]; returns its index.
    fn place(&mut self, x: f64, layer: usize, z: f64) -> usize;

    /// The box `upper` stands on `lower`; their common face is `overlap` wide along x and z \[m\].
    fn stand(&mut self, upper: usize, lower: usize, overlap: [f64; 2]);

    /// Boxes `first` and `second` touch over a whole face; `second` lies towards + along `axis` (0
    /// x, 2 z).
    fn adjoin(&mut self, first: usize, second: usize, axis: usize);
}

/// How large a system is; `None` is an overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Boxes without the ground \[-\].
    pub boxes: Option<usize>,
    /// Common faces \[-\].
    pub faces: Option<usize>,
}

/// A system of boxes: a parameter struct that lays its boxes into any sink.
pub trait BoxSystem: Parameters + std::fmt::Debug + Clone + PartialEq {
    /// Identifier, as in specs.
    const ID: &'static str;
    /// What it is, in one sentence.
    const SUMMARY: &'static str;
    /// True if every layer is one box.
    const TOWER: bool = false;

    /// What all boxes have in common.
    fn boxes(&self) -> &Boxes;

    /// The parameter that says how large it is, with its value.
    fn extent(&self) -> (&'static str, usize);

    /// How large it is.
    fn counts(&self) -> Counts;

    /// Layers, and boxes of the last of them \[-\].
    fn layers(&self) -> (usize, usize);

    /// True if every box lies in the middle over what it stands on.
    fn is_centred(&self) -> bool {
        true
    }

    /// Lays the boxes from below; every box touches only boxes that were placed before it, or the
    /// ground.
    fn lay(&self, sink: &mut impl BoxSink);
}
