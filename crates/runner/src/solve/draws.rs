//! `draws` of a `[[problem]]`: parameters of worlds that are drawn between two values.

use delassus_problems::generators::SeededRng;
use serde_json::Value;

use crate::document::axes::{GridAxis, GridPoint, points};
use crate::document::section::SpecSection;
use crate::document::text::SpecError;

/// Most worlds of an entry \[-\].
pub(super) const MAX_WORLDS: u64 = 100_000;

/// Worlds whose parameters are drawn: where an entry gives a parameter two values, each world has
/// one between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// Number of worlds \[-\].
    pub worlds: u64,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Draws {
    /// Reads `draws` and `draw_seed`; each array of the entry must be a range.
    pub(super) fn read(
        section: &SpecSection<'_>,
        axes: &[GridAxis],
    ) -> Result<Option<Self>, SpecError> {
        let seed = section.count("draw_seed", 0, u64::MAX)?;
        let Some(worlds) = section.count("draws", 1, MAX_WORLDS)? else {
            return match section.get("draw_seed") {
                Some(item) => Err(section.error_at(item, "draw_seed goes with draws")),
                None => Ok(None),
            };
        };
        let mut ranges = 0;
        for axis in axes.iter().filter(|axis| axis.values.len() > 1) {
            if range(axis).is_none() {
                let span = axis
                    .values
                    .first()
                    .map_or(section.span(), |(_, span)| span.clone());
                let message = format!(
                    "draws: {} must have one value, or two real numbers between which values are drawn, the smaller first",
                    axis.key
                );
                return Err(section.document.error(span, message));
            }
            ranges += 1;
        }
        match (ranges, section.get("draws")) {
            (0, Some(item)) => {
                let message = "draws: no parameter has two values to draw between, as in friction = [0.2, 0.8]";
                Err(section.error_at(item, message))
            }
            _ => Ok(Some(Self {
                worlds,
                seed: seed.unwrap_or(1),
            })),
        }
    }

    /// The parameters of every world. The first worlds of more draws are those of fewer.
    pub(super) fn points(self, axes: &[GridAxis]) -> Vec<GridPoint> {
        let mut random = SeededRng::new(self.seed);
        let mut all = Vec::new();
        for _ in 0..self.worlds {
            let drawn = axes.iter().map(|axis| {
                let (value, span) = axis.values[0].clone();
                let value = match range(axis) {
                    Some([least, most]) => Value::from(random.uniform(least, most)),
                    None => value,
                };
                GridAxis {
                    key: axis.key.clone(),
                    values: vec![(value, span)],
                }
            });
            all.extend(points(&drawn.collect::<Vec<_>>()));
        }
        all
    }
}

/// The two ends between which values are drawn; `None` for anything else.
fn range(axis: &GridAxis) -> Option<[f64; 2]> {
    let [(least, _), (most, _)] = axis.values.as_slice() else {
        return None;
    };
    if !(least.is_f64() && most.is_f64()) {
        return None;
    }
    let ends = [least.as_f64()?, most.as_f64()?];
    (ends[0] < ends[1]).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[Value]) -> GridAxis {
        GridAxis {
            key: key.to_owned(),
            values: values.iter().map(|value| (value.clone(), 0..0)).collect(),
        }
    }

    #[test]
    fn more_draws_begin_with_fewer() {
        let axes = [
            axis("base", &[3.into()]),
            axis("friction", &[0.2.into(), 0.8.into()]),
            axis("mass", &[1.0.into(), 2.0.into()]),
        ];
        let draw = |worlds, seed| Draws { worlds, seed }.points(&axes);
        let (few, many) = (draw(3, 1), draw(5, 1));
        assert_eq!(few, many[..3]);
        assert_ne!(few, draw(3, 2));
        for point in &many {
            let number = |key: &str| point.parameters[key].as_f64().unwrap();
            assert!((0.2..0.8).contains(&number("friction")));
            assert!((1.0..2.0).contains(&number("mass")));
            assert_eq!(number("base"), 3.0);
        }
        assert_ne!(many[0].parameters, many[1].parameters);
    }

    #[test]
    fn ranges_are_two_real_numbers_in_order() {
        assert_eq!(
            range(&axis("x", &[0.5.into(), 1.5.into()])),
            Some([0.5, 1.5])
        );
        for values in [
            &[0.5.into()][..],
            &[1.5.into(), 0.5.into()],
            &[1.into(), 2.into()],
            &[0.1.into(), 0.2.into(), 0.3.into()],
            &["a".into(), "b".into()],
        ] {
            assert_eq!(range(&axis("x", values)), None, "{values:?}");
        }
    }
}
