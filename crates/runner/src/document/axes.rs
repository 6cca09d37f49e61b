//! Parameters of a problem or a solver as axes of a grid.

use std::collections::BTreeSet;
use std::ops::Range;

use delassus_core::{Category, Entry};
use serde_json::{Map, Value};
use toml::de::DeValue;

use super::keys::Key;
use super::section::{Item, SpecSection, json};
use super::text::SpecError;
use crate::columns::Family;
use crate::label::label;

/// One parameter that a spec sets, to one value or to several.
#[derive(Debug, Clone, PartialEq)]
pub struct GridAxis {
    /// Name of the parameter.
    pub key: String,
    /// Its values with their places in the text; at least one.
    pub values: Vec<(Value, Range<usize>)>,
}

/// One point of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridPoint {
    /// The parameters that the spec sets.
    pub parameters: Map<String, Value>,
    /// They as text, for labels: `n=10 mass_ratio=100`.
    pub text: String,
    /// Those of them that take several values in the grid, as text.
    pub varied: String,
    /// Index of the value taken from each axis.
    pub indices: Vec<usize>,
}

impl GridPoint {
    /// Where the spec says the value of parameter `key` of this point.
    pub fn place(&self, axes: &[GridAxis], key: &str) -> Option<Range<usize>> {
        let axis = axes.iter().position(|axis| axis.key == key)?;
        let index = *self.indices.get(axis)?;
        let (_, span) = axes[axis].values.get(index)?;
        Some(span.clone())
    }

    /// The point without some of its parameters.
    pub(crate) fn without(&self, axes: &[GridAxis], keys: &[String]) -> Self {
        let mut point = Self {
            parameters: self.parameters.clone(),
            text: String::new(),
            varied: String::new(),
            indices: self.indices.clone(),
        };
        for key in keys {
            point.parameters.remove(key);
        }
        for axis in axes {
            if let Some(value) = point.parameters.get(&axis.key) {
                let label = label(&axis.key, value);
                append(&mut point.text, &label);
                if axis.values.len() > 1 {
                    append(&mut point.varied, &label);
                }
            }
        }
        point
    }
}

/// One key of a section, by the name of its parameter.
type Named<'d> = (String, Range<usize>, &'d Item<'d>);

/// The keys of a section; what stands in the table of a wrapper, `anderson = { depth = 8 }`, is its
/// parameter `anderson.depth`.
fn named<'d>(section: &SpecSection<'d>, defaults: &Map<String, Value>) -> Vec<Named<'d>> {
    let mut all: Vec<Named<'d>> = Vec::new();
    for (key, span, item) in section.entries() {
        let prefix = format!("{key}.");
        let wraps = defaults.keys().any(|name| name.starts_with(&prefix));
        match item.get_ref() {
            DeValue::Table(table) if wraps && !defaults.contains_key(key) => {
                let inner = table.iter().map(|(name, item)| {
                    let key = format!("{prefix}{}", name.get_ref());
                    (key, name.span(), item)
                });
                all.extend(inner);
            }
            _ => all.push((key.to_owned(), span, item)),
        }
    }
    all.sort_by_key(|(_, span, _)| span.start);
    all
}

/// Reads the keys of `section` that are not `reserved` as parameters; an array is a grid axis, and
/// where the parameter itself is an array, an array of arrays is.
pub(crate) fn read(
    section: &SpecSection<'_>,
    reserved: &[Key],
    defaults: &Map<String, Value>,
) -> Result<Vec<GridAxis>, SpecError> {
    let names = || reserved.iter().map(|key| key.name);
    let mut axes = Vec::new();
    for (name, span, item) in named(section, defaults) {
        let key = name.as_str();
        if names().any(|own| own == key) {
            continue;
        }
        let Some(default) = defaults.get(key) else {
            let known = names();
            let known = known.chain(defaults.keys().map(String::as_str));
            return Err(section.unknown(key, span, known));
        };
        let items: Vec<_> = match item.get_ref() {
            DeValue::Array(array) if default.is_array() && !array.iter().any(is_array) => {
                vec![item]
            }
            DeValue::Array(array) if array.is_empty() => {
                let message = format!("{key} is an empty array: the grid would have no cell");
                return Err(section.error_at(item, message));
            }
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![item],
        };
        let mut values: Vec<(Value, Range<usize>)> = Vec::with_capacity(items.len());
        let mut known = BTreeSet::new();
        for item in items {
            let value = like(json(section.document, key, item)?, default);
            // one zero, whatever its sign
            let text = match value.as_f64() {
                Some(0.0) => "0".to_owned(),
                _ => value.to_string(),
            };
            if !known.insert(text) {
                let found = section.document.excerpt(item.span());
                return Err(section.error_at(item, format!("{key} takes the value {found} twice")));
            }
            values.push((value, item.span()));
        }
        axes.push(GridAxis { key: name, values });
    }
    Ok(axes)
}

/// Refuses the first value that is of another type than its parameter of `entry`, which is of this
/// kind, or out of its range.
pub(crate) fn check_values<K: Category>(
    section: &SpecSection<'_>,
    kind: &str,
    name: &str,
    entry: &Entry<K>,
    axes: &[GridAxis],
) -> Result<(), SpecError> {
    for axis in axes {
        let Some(doc) = entry.parameters.iter().find(|doc| doc.name == axis.key) else {
            continue;
        };
        let real = entry.defaults.get(&axis.key).is_some_and(Value::is_f64);
        for (value, span) in &axis.values {
            // a negative count is no whole number, which says whoever reads it as one
            let number = value.as_f64().filter(|number| real || *number >= 0.0);
            let in_range = number.map_or(Ok(()), |number| doc.check(&number));
            let checked = in_range.map_err(|error| format!("{kind} {name}: {error}"));
            let typed = || entry.check_type(&axis.key, value);
            let checked = checked.and_then(|()| typed().map_err(|error| error.to_string()));
            checked.map_err(|message| section.document.error(span.clone(), message))?;
        }
    }
    Ok(())
}

fn is_array(item: &Item<'_>) -> bool {
    matches!(item.get_ref(), DeValue::Array(_))
}

/// Writes a whole number as a real one where the default is real, so that `1` and `1.0` are the
/// same parameter.
fn like(value: Value, default: &Value) -> Value {
    if default.is_f64() && (value.is_i64() || value.is_u64()) {
        return value.as_f64().map_or(value, Value::from);
    }
    value
}

/// The name of an entry with its parameters, as figures and tables ask for them.
pub(crate) fn family<'e>(name: &'e str, axes: &'e [GridAxis]) -> Family<'e> {
    Family {
        name,
        parameters: axes.iter().map(|axis| axis.key.as_str()).collect(),
    }
}

/// Number of points of the grid.
pub fn size(axes: &[GridAxis]) -> u128 {
    axes.iter()
        .map(|axis| axis.values.len() as u128)
        .fold(1, u128::saturating_mul)
}

/// Every point of the grid; the axis that the spec names first varies slowest.
pub fn points(axes: &[GridAxis]) -> Vec<GridPoint> {
    let mut points = vec![GridPoint {
        parameters: Map::new(),
        text: String::new(),
        varied: String::new(),
        indices: Vec::new(),
    }];
    for axis in axes {
        let mut longer = Vec::with_capacity(points.len() * axis.values.len());
        for point in &points {
            for (index, (value, _)) in axis.values.iter().enumerate() {
                let mut point = point.clone();
                point.parameters.insert(axis.key.clone(), value.clone());
                let label = label(&axis.key, value);
                append(&mut point.text, &label);
                if axis.values.len() > 1 {
                    append(&mut point.varied, &label);
                }
                point.indices.push(index);
                longer.push(point);
            }
        }
        points = longer;
    }
    points
}

fn append(text: &mut String, label: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(label);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(key: &str, values: &[Value]) -> GridAxis {
        GridAxis {
            key: key.to_owned(),
            values: values.iter().map(|v| (v.clone(), 0..0)).collect(),
        }
    }

    #[test]
    fn the_first_axis_varies_slowest() {
        let axes = [
            axis("n", &[Value::from(2), Value::from(5)]),
            axis("omega", &[Value::from(1.0), Value::from(1.3)]),
        ];
        let texts: Vec<String> = points(&axes).into_iter().map(|p| p.text).collect();
        assert_eq!(texts, ["n=2 ω=1", "n=2 ω=1.3", "n=5 ω=1", "n=5 ω=1.3"]);
        assert_eq!(size(&axes), 4);
        assert_eq!(size(&[]), 1);
        assert_eq!(points(&[]).len(), 1);
    }

    #[test]
    fn a_huge_grid_is_counted_without_being_made() {
        let values: Vec<Value> = (0..1000).map(Value::from).collect();
        let axes: Vec<GridAxis> = (0..50).map(|i| axis(&format!("k{i}"), &values)).collect();
        assert_eq!(size(&axes), u128::MAX);
    }
}
