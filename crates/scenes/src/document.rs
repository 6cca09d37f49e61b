//! Scene files with names: bodies by name, scenes of the list, rods and ropes between two points.
//!
//! The bodies of a file come first, in its order, then those of `[[include]]`, then the links of
//! `[[ropes]]`, then the body `"world"` if it is named. So the numbers of a file without these
//! parts mean what they always did.

use std::ops::Range;

use delassus_dynamics::{Body, WorldParts};
use nalgebra::Vector3;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error, ValueDeserializer};

use crate::include::{Include, merge};
use crate::lines::{RodLine, RopeLine, centres};
use crate::names::BodyNames;

/// The sections that stand for bodies and joints.
const SECTIONS: [&str; 3] = ["include", "rods", "ropes"];
/// The fields that hold one body or several.
const FIELDS: [&str; 3] = ["bodies", "body", "apart"];

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self {
            span: error.span(),
            message: error.message().to_owned(),
        }
    }
}

/// The parts of a world from a TOML text.
pub(crate) fn parts(text: &str) -> Result<WorldParts, Fault> {
    let mut root = DeTable::parse(text)?;
    let mut named = false;
    each_body(root.get_mut(), &mut |value| {
        named |= value.get_ref().is_str();
        Ok(())
    })?;
    let sections = SECTIONS
        .iter()
        .any(|key| root.get_ref().get(*key).is_some());
    if !named && !sections {
        return Ok(WorldParts::deserialize(Deserializer::from(root))?);
    }
    expanded(text, root)
}

/// True if a JSON value has one of [`SECTIONS`], or a body by its name.
pub(crate) fn has_names(value: &serde_json::Value) -> bool {
    SECTIONS.iter().any(|key| value.get(*key).is_some()) || names_in(value, false)
}

fn names_in(value: &serde_json::Value, is_body: bool) -> bool {
    match value {
        serde_json::Value::String(_) => is_body,
        serde_json::Value::Array(values) => values.iter().any(|value| names_in(value, is_body)),
        serde_json::Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| names_in(value, FIELDS.contains(&key.as_str()))),
        _ => false,
    }
}

/// The parts of a file with names or [`SECTIONS`].
fn expanded<'t>(text: &'t str, mut root: Spanned<DeTable<'t>>) -> Result<WorldParts, Fault> {
    let table = root.get_mut();
    let includes: Vec<Spanned<Include>> = take(table, "include")?;
    let rods: Vec<Spanned<RodLine>> = take(table, "rods")?;
    let ropes: Vec<Spanned<RopeLine>> = take(table, "ropes")?;
    let mut names = BodyNames::default();
    for body in elements(table.get("bodies")) {
        let name = body
            .get_ref()
            .get("name")
            .and_then(|n| n.get_ref().as_str());
        names.add(name.unwrap_or_default());
    }
    let mut scenes = Vec::with_capacity(includes.len());
    for include in &includes {
        let scene = include.get_ref().parts().map_err(at(include))?;
        scene.bodies.iter().for_each(|body| names.add(&body.name));
        scenes.push((include, scene));
    }
    for rope in &ropes {
        let links = rope.get_ref().names().map_err(at(rope))?;
        links.iter().for_each(|name| names.add(name));
    }
    let mut parts = own_parts(text, table, &names)?;
    for (include, scene) in scenes {
        merge(&mut parts, scene).map_err(at(include))?;
    }
    let mut first = parts.bodies.len();
    for rope in &ropes {
        rope.get_ref().hang(&mut parts).map_err(at(rope))?;
    }
    // whether the world is named is known when all that names bodies was looked at
    for body in rods.iter().flat_map(|rod| rod.get_ref().bodies()) {
        let _ = names.number(body);
    }
    for body in ropes.iter().flat_map(|rope| rope.get_ref().bodies()) {
        let _ = names.number(body);
    }
    if let Some(name) = names.world() {
        parts.body(Body::fixed(Vector3::zeros()).named(name));
    }
    let centres = match rods.is_empty() && ropes.is_empty() {
        true => Vec::new(),
        false => centres(&parts),
    };
    for rod in &rods {
        let added = rod.get_ref().add(&mut parts, &names, &centres);
        added.map_err(at(rod))?;
    }
    for rope in &ropes {
        let tied = rope.get_ref().tie(&mut parts, &names, &centres, &mut first);
        tied.map_err(at(rope))?;
    }
    Ok(parts)
}

/// A message about an entry.
fn at<T>(entry: &Spanned<T>) -> impl Fn(String) -> Fault {
    let span = entry.span();
    move |message| Fault {
        span: Some(span.clone()),
        message,
    }
}

/// What the file has besides [`SECTIONS`], with numbers in the place of names.
fn own_parts(text: &str, table: &mut DeTable<'_>, names: &BodyNames) -> Result<WorldParts, Fault> {
    let mut numbers: Vec<String> = Vec::new();
    each_body(table, &mut |value| {
        if let Some(name) = value.get_ref().as_str() {
            let number = names.find(name).map_err(at(value))?;
            numbers.push(number.to_string());
        }
        Ok(())
    })?;
    // a second tree, which may borrow the numbers
    let mut root = DeTable::parse(text)?;
    let mut next = numbers.iter();
    each_body(root.get_mut(), &mut |value| {
        if value.get_ref().is_str()
            && let Some(number) = next.next()
        {
            *value.get_mut() = DeValue::parse(number)?.into_inner();
        }
        Ok(())
    })?;
    for key in SECTIONS {
        root.get_mut().remove(key);
    }
    Ok(WorldParts::deserialize(Deserializer::from(root))?)
}

/// Takes a section with its entries out of the file.
fn take<T: DeserializeOwned>(table: &mut DeTable<'_>, key: &str) -> Result<Vec<T>, Fault> {
    match table.remove(key) {
        None => Ok(Vec::new()),
        Some(value) => Ok(Vec::deserialize(ValueDeserializer::from(value))?),
    }
}

/// The elements of an array; none of anything else.
fn elements<'d, 't>(value: Option<&'d Spanned<DeValue<'t>>>) -> &'d [Spanned<DeValue<'t>>] {
    match value.map(Spanned::get_ref) {
        Some(DeValue::Array(array)) => array,
        _ => &[],
    }
}

type Visit<'v, 't> = &'v mut dyn FnMut(&mut Spanned<DeValue<'t>>) -> Result<(), Fault>;

/// Shows every value that stands for a body, in one order.
fn each_body<'t>(table: &mut DeTable<'t>, visit: Visit<'_, 't>) -> Result<(), Fault> {
    for (key, field) in [("colliders", "body"), ("manifolds", "bodies")] {
        for entry in entries(table.get_mut(key)) {
            if let Some(bodies) = field_of(entry, field) {
                every(bodies, visit)?;
            }
        }
    }
    for joint in entries(table.get_mut("joints")) {
        let Some(DeValue::Table(kinds)) = field_of(joint, "constraint").map(Spanned::get_mut)
        else {
            continue;
        };
        for (_, constraint) in kinds.iter_mut() {
            if let Some(bodies) = field_of(constraint, "bodies") {
                every(bodies, visit)?;
            }
        }
    }
    if let Some(pairs) = table
        .get_mut("contacts")
        .and_then(|contacts| field_of(contacts, "apart"))
    {
        every(pairs, visit)?;
    }
    Ok(())
}

/// The elements of an array; none of anything else.
fn entries<'d, 't>(
    value: Option<&'d mut Spanned<DeValue<'t>>>,
) -> impl Iterator<Item = &'d mut Spanned<DeValue<'t>>> {
    let array = match value.map(Spanned::get_mut) {
        Some(DeValue::Array(array)) => Some(array),
        _ => None,
    };
    array.into_iter().flat_map(|array| array.iter_mut())
}

fn field_of<'d, 't>(
    value: &'d mut Spanned<DeValue<'t>>,
    field: &str,
) -> Option<&'d mut Spanned<DeValue<'t>>> {
    match value.get_mut() {
        DeValue::Table(table) => table.get_mut(field),
        _ => None,
    }
}

/// A value, or all values of an array and of the arrays in it.
fn every<'t>(value: &mut Spanned<DeValue<'t>>, visit: Visit<'_, 't>) -> Result<(), Fault> {
    if !value.get_ref().is_array() {
        return visit(value);
    }
    for element in entries(Some(value)) {
        every(element, visit)?;
    }
    Ok(())
}
