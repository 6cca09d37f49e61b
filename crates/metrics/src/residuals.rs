//! The residuals of one iterate.

use crate::metric::Metric;

/// Every metric that needs the problem and λ alone. All numbers are finite; zero at an exact solution, lower is
/// better. `None`: the metric does not apply to this problem.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Residuals {
    /// [`Metric::NaturalMap`] \[-\], the headline.
    pub natural_map: f64,
    /// [`Metric::NaturalMapMax`] \[-\].
    pub natural_map_max: f64,
    /// [`Metric::NaturalMapBlock`] \[-\].
    pub natural_map_block: f64,
    /// [`Metric::NaturalMapImpulse`] \[N·s\].
    pub natural_map_impulse: f64,
    /// [`Metric::Siconos`] \[-\].
    pub siconos: f64,
    /// [`Metric::NatQ`] \[-\].
    pub nat_q: f64,
    /// [`Metric::ScaledQ`] \[-\].
    pub scaled_q: f64,
    /// [`Metric::FischerBurmeister`] \[√J\].
    pub fischer_burmeister: Option<f64>,
    /// [`Metric::Complementarity`] \[J\].
    pub complementarity: f64,
    /// [`Metric::Signorini`] \[J\].
    pub signorini: Option<f64>,
    /// [`Metric::Dissipation`] \[J\].
    pub dissipation: Option<f64>,
    /// [`Metric::Primal`] \[N·s\].
    pub primal: f64,
    /// [`Metric::Dual`] \[m/s\].
    pub dual: f64,
    /// The block with the largest natural map in energy units; `None` if it is zero everywhere.
    pub worst_block: Option<usize>,
    /// The block with the largest natural map on its own scale; `None` if it is zero everywhere.
    pub worst_own_block: Option<usize>,
}

impl Residuals {
    /// The value of a metric; `None` if it does not apply, or needs more than λ.
    pub fn get(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::NaturalMap => Some(self.natural_map),
            Metric::NaturalMapMax => Some(self.natural_map_max),
            Metric::NaturalMapBlock => Some(self.natural_map_block),
            Metric::NaturalMapImpulse => Some(self.natural_map_impulse),
            Metric::Siconos => Some(self.siconos),
            Metric::NatQ => Some(self.nat_q),
            Metric::ScaledQ => Some(self.scaled_q),
            Metric::FischerBurmeister => self.fischer_burmeister,
            Metric::Complementarity => Some(self.complementarity),
            Metric::Signorini => self.signorini,
            Metric::Dissipation => self.dissipation,
            Metric::Primal => Some(self.primal),
            Metric::Dual => Some(self.dual),
            Metric::VelocityError
            | Metric::Closure
            | Metric::ClosureRelative
            | Metric::Certificate => None,
        }
    }

    /// The metrics that apply, with their values, in the order of [`Metric::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Metric, f64)> {
        Metric::ALL
            .iter()
            .filter_map(|metric| self.get(*metric).map(|value| (*metric, value)))
    }
}
