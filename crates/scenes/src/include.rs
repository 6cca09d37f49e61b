//! `[[include]]`: the bodies of a scene of the list as part of a scene file.

use std::collections::{BTreeMap, BTreeSet};

use delassus_core::parameter::Map;
use delassus_core::suggest::{did_you_mean, nearest};
use delassus_dynamics::{Joint, WorldParts};
use nalgebra::Vector3;
use serde::Deserialize;
use toml::Value;

use crate::error::SceneError;
use crate::origins::EntryFault;
use crate::scenes::build;

/// One entry of `[[include]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Include {
    /// A scene of the list.
    scene: String,
    /// Its parameters; the others keep their defaults.
    #[serde(default)]
    set: Map,
    /// Where its origin comes to lie \[m\].
    #[serde(default)]
    at: Vector3<f64>,
    /// What its names begin with here.
    #[serde(default)]
    prefix: String,
    /// Bodies that are left out, with their joints, shapes and contacts.
    #[serde(default)]
    without: Vec<String>,
}

impl Include {
    /// The bodies, joints, contacts and shapes, moved and renamed. Gravity and how contacts are
    /// found are those of the file.
    pub(crate) fn parts(&self) -> Result<WorldParts, EntryFault> {
        let world = build(&self.scene, &self.set);
        let world = world.map_err(|error| EntryFault::new(key_of(&error), error.to_string()))?;
        let mut parts = self.reduced(world.into_parts())?;
        if let Some(axis) = self.at.iter().position(|x| !x.is_finite()) {
            let message = format!("at = {:?} is not finite [m]", self.at.as_slice());
            return Err(EntryFault::new(format!("at[{axis}]"), message));
        }
        for body in &mut parts.bodies {
            body.position += self.at;
            body.name = self.renamed(&body.name);
        }
        for joint in &mut parts.joints {
            joint.name = self.renamed(&joint.name);
        }
        Ok(parts)
    }

    fn renamed(&self, name: &str) -> String {
        match name {
            "" => String::new(),
            name => format!("{}{name}", self.prefix),
        }
    }

    /// The parts without the bodies of `without`.
    fn reduced(&self, parts: WorldParts) -> Result<WorldParts, EntryFault> {
        for (index, name) in self.without.iter().enumerate() {
            let mut names = parts.bodies.iter().map(|body| body.name.as_str());
            if !names.any(|known| known == name) {
                let names = parts.bodies.iter().map(|body| body.name.as_str());
                let close = nearest(name, names);
                let scene = &self.scene;
                return Err(EntryFault::new(
                    format!("without[{index}]"),
                    format!(
                        "without: {scene} has no body {name:?}{}",
                        did_you_mean(close.as_deref())
                    ),
                ));
            }
        }
        let stays: Vec<bool> = parts
            .bodies
            .iter()
            .map(|body| !self.without.contains(&body.name))
            .collect();
        let mut number = 0;
        let numbers: Vec<Option<usize>> = stays
            .iter()
            .map(|stays| {
                let own = stays.then_some(number);
                number += usize::from(*stays);
                own
            })
            .collect();
        let mut kept = WorldParts {
            contacts: parts.contacts.clone(),
            ..WorldParts::default()
        };
        let kept_all = append(&mut kept, parts, &numbers);
        kept_all.map_err(|message| EntryFault::new("", message))?;
        kept.contacts
            .apart
            .retain(|pair| pair.iter().all(|body| stays[*body]));
        for body in kept.contacts.apart.iter_mut().flatten() {
            *body = numbers[*body].unwrap_or(*body);
        }
        Ok(kept)
    }
}

/// The key of an entry that is wrong where its scene cannot be built.
fn key_of(error: &SceneError) -> String {
    match error {
        SceneError::Entry(error) => match error.parameter() {
            Some(parameter) => format!("set.{parameter}"),
            None => "scene".to_owned(),
        },
        // the parameters do not fit together
        _ => "set".to_owned(),
    }
}

/// Appends an included scene to a world.
pub(crate) fn merge(parts: &mut WorldParts, mut scene: WorldParts) -> Result<(), EntryFault> {
    let first = parts.bodies.len();
    let numbers: Vec<Option<usize>> = (0..scene.bodies.len())
        .map(|body| Some(first + body))
        .collect();
    let apart = scene.contacts.apart.iter();
    let apart = apart.map(|pair| pair.map(|body| first + body));
    parts.contacts.apart.extend(apart);
    regroup(parts, &mut scene);
    append(parts, scene, &numbers).map_err(|message| EntryFault::new("", message))
}

/// Gives the groups of a scene numbers that the world does not use: colliders of two scenes touch.
fn regroup(parts: &WorldParts, scene: &mut WorldParts) {
    let mut used: BTreeSet<u32> = parts.colliders.iter().map(|c| c.filter.group).collect();
    let mut renamed: BTreeMap<u32, u32> = BTreeMap::new();
    for collider in &mut scene.colliders {
        let group = &mut collider.filter.group;
        if *group != 0 {
            let new = renamed.entry(*group).or_insert_with(|| {
                let free = (1..=u32::MAX).find(|group| !used.contains(group));
                let free = free.unwrap_or(u32::MAX);
                used.insert(free);
                free
            });
            *group = *new;
        }
    }
}

/// Appends what `from` has, its bodies with new numbers; bodies without one are left out, with all
/// that is fixed to them.
fn append(
    parts: &mut WorldParts,
    from: WorldParts,
    numbers: &[Option<usize>],
) -> Result<(), String> {
    let bodies = from.bodies.into_iter().zip(numbers);
    let bodies = bodies.filter_map(|(body, number)| number.map(|_| body));
    parts.bodies.extend(bodies);
    for joint in from.joints {
        let own: Option<Vec<usize>> = joint
            .constraint
            .bodies()
            .iter()
            .map(|body| numbers[*body])
            .collect();
        if let Some(bodies) = own {
            parts.joint(between(&joint, &bodies)?);
        }
    }
    for mut collider in from.colliders {
        if let Some(body) = numbers[collider.body] {
            collider.body = body;
            parts.collider(collider);
        }
    }
    for mut manifold in from.manifolds {
        if let [Some(a), Some(b)] = manifold.bodies.map(|body| numbers[body]) {
            manifold.bodies = [a, b];
            parts.manifolds.push(manifold);
        }
    }
    Ok(())
}

/// The joint between other bodies.
fn between(joint: &Joint, bodies: &[usize]) -> Result<Joint, String> {
    let broken = |error: &dyn std::fmt::Display| format!("joint {:?}: {error}", joint.name);
    let mut value = Value::try_from(joint).map_err(|error| broken(&error))?;
    let numbers: Vec<Value> = bodies
        .iter()
        .filter_map(|body| i64::try_from(*body).ok().map(Value::Integer))
        .collect();
    let constraint = value.get_mut("constraint").and_then(Value::as_table_mut);
    // the constraint is one table under the name of its kind
    for kind in constraint.into_iter().flat_map(|table| table.iter_mut()) {
        if let Some(fields) = kind.1.as_table_mut() {
            fields.insert("bodies".to_owned(), Value::Array(numbers.clone()));
        }
    }
    value
        .try_into()
        .map_err(|error: toml::de::Error| broken(&error))
}
