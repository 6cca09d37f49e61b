//! Grids over laws of contact: where a law has no coefficient of friction, its points leave out the
//! coefficients that the entry gives for the others.

use std::collections::BTreeSet;

use delassus_core::{Category, Entry};

use super::axes::{GridAxis, GridPoint, points};

/// The parameter that names a law.
const LAW: &str = "law";

/// True if the entry has several laws: one law alone must read all that is given.
fn has_laws(axes: &[GridAxis]) -> bool {
    let several = |axis: &GridAxis| axis.key == LAW && axis.values.len() > 1;
    axes.iter().any(several)
}

/// Every point of the grid of an entry; points that differ only in coefficients that their law does
/// not read are one.
pub(crate) fn fitting_points<K: Category>(entry: &Entry<K>, axes: &[GridAxis]) -> Vec<GridPoint> {
    let all = points(axes);
    if !has_laws(axes) {
        return all;
    }
    let mut known = BTreeSet::new();
    let fitted = all.into_iter().filter_map(|point| {
        let unread = entry.unread_friction(&point.parameters);
        let (_, keys) = match unread {
            Some(unread) => unread,
            None => return Some(point),
        };
        let point = point.without(axes, &keys);
        known.insert(point.text.clone()).then_some(point)
    });
    fitted.collect()
}

/// What a run says of the coefficients that points leave out; nothing where none does.
pub(crate) fn left_out<K: Category>(entry: &Entry<K>, axes: &[GridAxis]) -> Vec<String> {
    if !has_laws(axes) {
        return Vec::new();
    }
    let mut said = BTreeSet::new();
    for point in points(axes) {
        let Some((_, keys)) = entry.unread_friction(&point.parameters) else {
            continue;
        };
        let law = point.parameters.get(LAW).and_then(|law| law.as_str());
        said.insert((law.unwrap_or_default().to_owned(), keys.join(", ")));
    }
    let said = said.into_iter();
    said.map(|(law, keys)| format!("the law {law:?} does not read {keys}, which is left out there"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_problems::generators::generators;
    use serde_json::{Value, json};

    fn axis(key: &str, values: &[Value]) -> GridAxis {
        GridAxis {
            key: key.to_owned(),
            values: values.iter().map(|value| (value.clone(), 0..0)).collect(),
        }
    }

    fn texts(axes: &[GridAxis]) -> Vec<String> {
        let all = generators();
        let stack = all.iter().find(|entry| entry.descriptor.id == "stack");
        let points = fitting_points(stack.unwrap(), axes);
        points.into_iter().map(|point| point.text).collect()
    }

    #[test]
    fn a_law_without_friction_leaves_the_coefficient_out() {
        let laws = axis("law", &[json!("frictionless"), json!("disc")]);
        let one = axis("friction", &[json!(0.3)]);
        assert_eq!(
            texts(&[laws.clone(), one.clone()]),
            ["law=frictionless", "law=disc friction=0.3"]
        );
        let two = axis("friction", &[json!(0.3), json!(0.6)]);
        let both = texts(&[two.clone(), laws.clone()]);
        assert_eq!(both.len(), 3, "{both:?}");
        assert_eq!(both[0], "law=frictionless");
        // one law alone must read all that is given: its points are as they are
        let alone = axis("law", &[json!("frictionless")]);
        assert_eq!(texts(&[alone.clone(), one.clone()]).len(), 1);
        let all = generators();
        let stack = all
            .iter()
            .find(|entry| entry.descriptor.id == "stack")
            .unwrap();
        assert!(left_out(stack, &[alone, one]).is_empty());
        let said = left_out(stack, &[two, laws]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].contains("\"frictionless\" does not read friction"),
            "{said:?}"
        );
    }
}
