//! Chains: the model problem of Gauss–Seidel rates and of joint drift.

use delassus_core::Parameters;

use crate::masses::MassOrder;
use crate::string::{Ends, LinkKind, LinkString};

/// A chain of equal links in the x-y plane, straight from its first end.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Chain {
    /// Number of masses; a free chain has one more.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What the ends are tied to.
    #[parameter(default = Ends::Anchored)]
    pub ends: Ends,
    /// What the links are.
    #[parameter(default = LinkKind::Point)]
    pub kind: LinkKind,
    /// First mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Last mass over the first.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// How the mass ratio is spread.
    #[parameter(default = MassOrder::HeavyLast)]
    pub mass_order: MassOrder,
    /// Length of a link.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Radius of a rod.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Angle of the chain from the downward vertical, towards +x.
    #[parameter(default = 0.0, unit = "rad")]
    pub angle: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Chain {
    /// How it is tied together.
    pub fn string(&self) -> LinkString {
        let (kind, ends) = (self.kind, self.ends);
        LinkString { kind, ends }
    }

    /// Number of masses \[-\].
    pub fn count(&self) -> usize {
        self.n.saturating_add(usize::from(self.ends == Ends::Free))
    }

    /// Masses from the first end to the last \[kg\] (E.2).
    pub fn masses(&self) -> Vec<f64> {
        let (order, count) = (self.mass_order, self.count());
        let masses = (0..count).map(|k| order.mass(k, count, self.mass, self.mass_ratio));
        masses.collect()
    }
}
