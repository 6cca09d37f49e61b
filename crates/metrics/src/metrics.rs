//! The list of metrics. A metric is one file below this one; everything else follows from its line
//! in the list.

mod certificate;
mod closure;
mod closure_relative;
mod complementarity;
mod dissipation;
mod dual;
mod fischer_burmeister;
mod impulse_error;
mod nat_q;
mod natural_map;
mod natural_map_block;
mod natural_map_disc;
mod natural_map_impulse;
mod natural_map_max;
mod natural_map_world;
mod natural_map_world_median;
mod objective_gap;
mod primal;
mod range_error;
mod reference_distance;
mod scaled_q;
mod siconos;
mod signorini;
mod slide_angle;
mod ulp_distance;
mod ulp_distance_single;
mod velocity_error;
mod wrench_error;
mod wrench_error_angular;
mod wrench_error_linear;

use std::fmt;

pub use closure::Closure;
pub use wrench_error::Wrenches;

use crate::definition::{AccumulatedMetric, MetricDoc, MetricInput, RequestedMetric};
use crate::error::{MetricError, finite};
use crate::evaluator::Evaluator;
use crate::terms::{Form, Norms, Terms, energies};

/// Writes `Metric`, `Residuals` and what computes them from two lists of `module::Type`: what every
/// iterate is judged by, with the type of its value, and what is computed on request.
macro_rules! metrics {
    (
        accumulated { $($name:ident::$Metric:ident: $Value:ty,)* }
        requested { $($late:ident::$Late:ident,)* }
    ) => {
        /// A metric. Lookup by identifier with [`Metric::by_id`]; the description with
        /// [`Metric::doc`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = concat!("`", stringify!($name), "` of every table.")] $Metric,)*
            $(#[doc = concat!("`", stringify!($late), "` of every table.")] $Late,)*
        }

        impl Metric {
            /// Every metric, in the order of the documentation; the headline comes first.
            pub const ALL: [Self; [$(stringify!($name),)* $(stringify!($late)),*].len()] =
                [$(Self::$Metric,)* $(Self::$Late),*];

            /// The description.
            pub fn doc(self) -> &'static MetricDoc {
                match self {
                    $(Self::$Metric => &<$name::$Metric as AccumulatedMetric>::DOC,)*
                    $(Self::$Late => &<$late::$Late as RequestedMetric>::DOC,)*
                }
            }
        }

        /// Every metric that one pass over the problem computes from λ alone. All numbers are
        /// finite; zero at an exact solution, lower is better. `None`: the metric does not apply to
        /// this problem.
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        #[non_exhaustive]
        pub struct Residuals {
            $(#[doc = concat!("[`Metric::", stringify!($Metric), "`], in its unit.")] pub $name: $Value,)*
            /// The block with the largest natural map in energy units; `None` if it is zero
            /// everywhere.
            pub worst_block: Option<usize>,
            /// The block with the largest natural map on its own scale; `None` if it is zero
            /// everywhere.
            pub worst_own_block: Option<usize>,
        }

        impl Residuals {
            /// The value of a metric; `None` if it does not apply, or is computed on request.
            pub fn get(&self, metric: Metric) -> Option<f64> {
                match metric {
                    $(Metric::$Metric => self.$name.into(),)*
                    $(Metric::$Late)|* => None,
                }
            }
        }

        /// What the pass over the factors keeps.
        #[derive(Default)]
        struct Sums {
            $($name: $name::$Metric,)*
        }

        impl Sums {
            fn add(&mut self, terms: &Terms<'_>) {
                $(self.$name.add(terms);)*
            }

            fn finish(self, norms: &Norms) -> Residuals {
                Residuals {
                    worst_block: self.natural_map_max.block,
                    worst_own_block: self.natural_map_block.block,
                    $($name: self.$name.finish(norms),)*
                }
            }
        }

        impl Evaluator<'_> {
            /// The value of any metric; `residuals` are those of the same impulses. `None` if it
            /// does not apply, or the answer lacks what it needs.
            ///
            /// # Errors
            /// Wrong lengths, numbers that are not finite or overflow.
            pub fn value(
                &mut self,
                metric: Metric,
                residuals: &Residuals,
                answer: &MetricInput<'_>,
            ) -> Result<Option<f64>, MetricError> {
                match metric {
                    $(Metric::$Late => $late::$Late::value(self, answer),)*
                    _ => Ok(residuals.get(metric)),
                }
            }
        }
    };
}

metrics! {
    accumulated {
        natural_map::NaturalMap: f64,
        natural_map_max::NaturalMapMax: f64,
        natural_map_block::NaturalMapBlock: f64,
        natural_map_impulse::NaturalMapImpulse: f64,
        siconos::Siconos: f64,
        nat_q::NatQ: f64,
        scaled_q::ScaledQ: f64,
        fischer_burmeister::FischerBurmeister: Option<f64>,
        complementarity::Complementarity: f64,
        signorini::Signorini: Option<f64>,
        dissipation::Dissipation: Option<f64>,
        primal::Primal: f64,
        dual::Dual: f64,
    }
    requested {
        natural_map_disc::NaturalMapDisc,
        slide_angle::SlideAngle,
        velocity_error::VelocityError,
        reference_distance::ReferenceDistance,
        objective_gap::ObjectiveGap,
        wrench_error::WrenchError,
        wrench_error_linear::WrenchErrorLinear,
        wrench_error_angular::WrenchErrorAngular,
        impulse_error::ImpulseError,
        range_error::RangeError,
        ulp_distance::UlpDistance,
        ulp_distance_single::UlpDistanceSingle,
        closure::Closure,
        closure_relative::ClosureRelative,
        certificate::Certificate,
        natural_map_world::NaturalMapWorld,
        natural_map_world_median::NaturalMapWorldMedian,
    }
}

impl Metric {
    /// The metric that tolerances and default figures refer to.
    pub const HEADLINE: Self = Self::NaturalMap;

    /// The metric with this identifier.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.id() == id)
    }

    /// The identifier.
    pub fn id(self) -> &'static str {
        self.doc().id
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The residuals of one iterate as they are published, and in the disc form that shows large
/// friction coefficients (M.39).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forms {
    /// As [`Evaluator::evaluate`] gives them.
    pub published: Residuals,
    /// Normal row and tangents of every contact by themselves.
    pub disc: Residuals,
}

impl Forms {
    /// The block that is farthest from its own solution, and how far \[-\] (M.25); `None` if all
    /// are there.
    pub fn worst_own_block(&self) -> Option<(usize, f64)> {
        let of = |residuals: &Residuals| {
            let block = residuals.worst_own_block?;
            Some((block, residuals.natural_map_block))
        };
        match (of(&self.published), of(&self.disc)) {
            (Some(published), Some(disc)) if disc.1 <= published.1 => Some(published),
            (published, disc) => disc.or(published),
        }
    }
}

impl Residuals {
    /// The metrics that apply, with their values, in the order of [`Metric::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Metric, f64)> {
        Metric::ALL
            .iter()
            .filter_map(|metric| self.get(*metric).map(|value| (*metric, value)))
    }
}

impl Evaluator<'_> {
    /// All residuals of `impulses`, one per row \[N·s\]: w once, then one pass over the blocks.
    ///
    /// # Errors
    /// A wrong length; impulses that are not finite ([`MetricError::NonFinite`]) or so large that
    /// their residuals are not ([`MetricError::Overflow`]).
    pub fn evaluate(&mut self, impulses: &[f64]) -> Result<Residuals, MetricError> {
        let norms = self.read(impulses)?;
        self.pass(impulses, &norms, Form::Published)
    }

    /// The residuals in both forms, of which the larger decides (M.39): w once, then two passes
    /// over the blocks.
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn evaluate_forms(&mut self, impulses: &[f64]) -> Result<Forms, MetricError> {
        let norms = self.read(impulses)?;
        let published = self.pass(impulses, &norms, Form::Published)?;
        let disc = self.pass(impulses, &norms.unguarded(), Form::Disc)?;
        Ok(Forms { published, disc })
    }

    fn pass(&self, impulses: &[f64], norms: &Norms, form: Form) -> Result<Residuals, MetricError> {
        let mut sums = Sums::default();
        for terms in self.terms(impulses, form) {
            sums.add(&terms?);
        }
        let residuals = sums.finish(norms);
        for (metric, value) in residuals.iter() {
            finite(metric.id(), value)?;
        }
        Ok(residuals)
    }

    /// The natural map (M.4) of `impulses` alone, with the bits that [`Self::evaluate`] gives it: w
    /// once, then one pass.
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn natural_map(&mut self, impulses: &[f64]) -> Result<f64, MetricError> {
        Ok(self.natural_maps(impulses)?[0])
    }

    /// What ends solves: the larger of the natural map (M.4) and its disc form (M.39) \[-\].
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn deciding_natural_map(&mut self, impulses: &[f64]) -> Result<f64, MetricError> {
        let [published, disc] = self.natural_maps(impulses)?;
        Ok(published.max(disc))
    }

    /// The natural map and its disc form: w once, then one pass.
    pub(crate) fn natural_maps(&mut self, impulses: &[f64]) -> Result<[f64; 2], MetricError> {
        let norms = self.read(impulses)?;
        let all = [impulses, self.constraint_velocities(), self.problem.b()];
        let mut sums = [natural_map::NaturalMap::default(); 2];
        for group in &self.groups.list {
            let energies = energies(group, all)?;
            for (sum, energy) in sums.iter_mut().zip(energies) {
                sum.add_energy(energy);
            }
        }
        let [published, disc] = sums.map(|sum| sum.finish(&norms));
        let id = Metric::NaturalMap.id();
        Ok([finite(id, published)?, finite(id, disc)?])
    }

    /// The value of a metric where it decides: the larger of its two forms (M.39). `None` as of
    /// [`Self::value`].
    ///
    /// # Errors
    /// Those of [`Self::value`].
    pub fn deciding(
        &mut self,
        metric: Metric,
        forms: &Forms,
        answer: &MetricInput<'_>,
    ) -> Result<Option<f64>, MetricError> {
        let worlds = match metric {
            Metric::NaturalMapWorld => natural_map_world::worst,
            Metric::NaturalMapWorldMedian => natural_map_world_median::median,
            _ => {
                let disc = forms.disc.get(metric);
                let value = self.value(metric, &forms.published, answer)?;
                return Ok(value.map(|value| disc.map_or(value, |disc| value.max(disc))));
            }
        };
        let maps = self.each_world(answer.impulses, |world, own| {
            world.deciding_natural_map(own)
        })?;
        Ok(worlds(maps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEORY: &str = include_str!("../../../docs/theory/02-metrics.md");

    #[test]
    fn identifiers_are_unique_and_found() {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(Metric::by_id(metric.id()), Some(metric));
            assert_eq!(metric.to_string(), metric.id());
            let same = Metric::ALL.iter().filter(|m| m.id() == metric.id());
            assert_eq!(same.count(), 1, "{metric}");
            // order of the documentation is the order of the list
            assert_eq!(Metric::ALL.binary_search(&metric), Ok(index));
            let doc = metric.doc();
            let characters = doc.id.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            assert!(characters && !doc.theory.is_empty() && !doc.misleads.is_empty());
            for equation in doc.theory {
                let numbered = THEORY.contains(&format!("\\tag{{{equation}}}"));
                assert!(numbered, "{metric} cites {equation}");
            }
        }
        assert_eq!(Metric::by_id("natural map"), None);
        assert_eq!(Metric::HEADLINE.id(), "natural_map");
    }
}
