//! The refusal of bad fields: each number of an example is spoiled in turn.

use delassus_dynamics::constraints::{AnyConstraint, ConstraintKind};
use serde::Deserialize;

use super::{Example, world};
use crate::{Verdict, require};

/// A NaN anywhere, an axis that is not of unit length, and a body twice or missing are refused, and
/// the error names the field.
///
/// Fields whose names end in `axis`, `axes` or `normal` hold unit vectors.
pub fn refusal_of_bad_fields(kind: &ConstraintKind, seed: u64) -> Verdict {
    let example = Example::new(kind, seed);
    let value = match toml::Value::try_from(&example.constraint) {
        Ok(value) => value,
        Err(error) => return Verdict::Violated(format!("seed {seed}: {error}")),
    };
    let mut places = Vec::new();
    collect(&value, &mut Vec::new(), &mut places);
    let mut spoiled = Vec::new();
    for place in &places {
        spoiled.extend(spoil(&value, place));
    }
    require!(!spoiled.is_empty(), "nothing can be spoiled");
    for (field, changed) in spoiled {
        let Ok(constraint) = AnyConstraint::deserialize(changed.clone()) else {
            continue;
        };
        let Err(error) = world(constraint, &example.poses).build() else {
            return Verdict::Violated(format!("seed {seed}: accepted: {changed}"));
        };
        require!(
            error.path.contains(&field),
            "seed {seed}: a bad {field} is reported as {error}"
        );
    }
    Verdict::Holds
}

/// Paths of all numbers and arrays of numbers in a value.
fn collect(value: &toml::Value, path: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    match value {
        toml::Value::Table(table) => {
            for (key, inner) in table {
                path.push(key.clone());
                collect(inner, path, places);
                path.pop();
            }
        }
        toml::Value::Array(array) => {
            places.push(path.clone());
            for (index, inner) in array.iter().enumerate() {
                path.push(index.to_string());
                collect(inner, path, places);
                path.pop();
            }
        }
        toml::Value::Float(_) => places.push(path.clone()),
        _ => {}
    }
}

/// The value with what stands at `place` made invalid, and the name of the field.
fn spoil(value: &toml::Value, place: &[String]) -> Vec<(String, toml::Value)> {
    let names = place.iter().filter(|key| key.parse::<usize>().is_err());
    let names: Vec<&String> = names.collect();
    // the first name is the kind of constraint, the second its field
    let (Some(field), Some(last)) = (names.get(1), names.last()) else {
        return Vec::new();
    };
    let unit = ["axis", "axes", "normal"]
        .iter()
        .any(|end| last.ends_with(end));
    let mut replacements = Vec::new();
    match found(&mut value.clone(), place) {
        Some(toml::Value::Float(_)) => replacements.push(toml::Value::Float(f64::NAN)),
        Some(toml::Value::Array(array)) if field.as_str() == "bodies" => {
            let mut doubled = array.clone();
            doubled[1] = doubled[0].clone();
            let mut missing = array.clone();
            missing[0] = toml::Value::Integer(99);
            replacements.extend([doubled, missing].map(toml::Value::Array));
        }
        Some(toml::Value::Array(array)) if unit && array.iter().all(toml::Value::is_float) => {
            let scaled = |factor: f64| {
                let numbers = array.iter().filter_map(toml::Value::as_float);
                toml::Value::Array(numbers.map(|x| (factor * x).into()).collect())
            };
            replacements.extend([scaled(0.0), scaled(2.0)]);
        }
        _ => {}
    }
    let changed = |replacement: toml::Value| {
        let mut changed = value.clone();
        if let Some(target) = found(&mut changed, place) {
            *target = replacement;
        }
        ((*field).clone(), changed)
    };
    replacements.into_iter().map(changed).collect()
}

fn found<'a>(value: &'a mut toml::Value, place: &[String]) -> Option<&'a mut toml::Value> {
    let Some((key, rest)) = place.split_first() else {
        return Some(value);
    };
    let inner = match value {
        toml::Value::Table(table) => table.get_mut(key),
        toml::Value::Array(array) => key
            .parse()
            .ok()
            .and_then(|index: usize| array.get_mut(index)),
        _ => None,
    };
    found(inner?, rest)
}
