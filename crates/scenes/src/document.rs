//! Scene files with names: bodies by name, scenes of the list, rods and ropes between two points.
//!
//! The bodies of a file come first, in its order, then those of `[[include]]`, then the links of
//! `[[ropes]]`, then the body `"world"` if it is named. So the numbers of a file without these
//! parts mean what they always did.

use std::ops::Range;

use delassus_core::source_location::SourceLocation;
use delassus_dynamics::{Body, FieldError, WorldParts};
use nalgebra::Vector3;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error, ValueDeserializer};

use crate::error::SceneFault;
use crate::include::{Include, merge};
use crate::lines::{RodLine, RopeLine, centres};
use crate::message::{SECTIONS, in_words, span_of};
use crate::names::BodyNames;
use crate::origins::{EntryFault, Origins};
use crate::wording::of_type;

/// The fields that hold one body or several.
const FIELDS: [&str; 3] = ["bodies", "body", "apart"];

/// What is wrong with a file, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The field, as `rods[0].points`, where that is known.
    pub(crate) path: Option<String>,
    pub(crate) span: Option<Range<usize>>,
    pub(crate) message: String,
    /// The field of the world that is not valid.
    pub(crate) field: Option<Box<FieldError>>,
}

impl Fault {
    /// The fault of a field of the world.
    pub(crate) fn of_field(error: FieldError) -> Self {
        Self {
            path: error.path.split(": ").next().map(str::to_owned),
            span: None,
            message: error.to_string(),
            field: Some(Box::new(error)),
        }
    }

    /// Which part of the text it is about.
    pub(crate) fn span_in(&self, text: &str) -> Range<usize> {
        let named = self.path.as_ref().and_then(|path| span_of(text, path));
        let named = named.map(|field| field.span);
        named.or_else(|| self.span.clone()).unwrap_or(0..0)
    }

    /// The fault as it is shown, at a part of the text of the file.
    pub(crate) fn shown(&self, text: &str, span: Range<usize>) -> SceneFault {
        let reason = match self.path {
            Some(_) => self.message.clone(),
            None => of_type(&self.message, key_before(text, span.start))
                .unwrap_or_else(|| in_words(&self.message)),
        };
        SceneFault {
            place: SourceLocation::of(text, span),
            reason,
        }
    }
}

/// The key whose value begins at `at` or around it.
fn key_before(text: &str, at: usize) -> &str {
    let before = text.get(..at).and_then(|text| text.rfind('='));
    let before = before.map_or("", |sign| text[..sign].trim_end());
    let is_key = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let key = &before[before.trim_end_matches(is_key).len()..];
    if key.is_empty() { "the value" } else { key }
}

/// The part of a text that is the field `path`, if the text has it.
pub(crate) fn exact_span(text: &str, path: &str) -> Option<Range<usize>> {
    let field = span_of(text, path)?;
    field.missing.is_none().then_some(field.span)
}

/// The names of the bodies of a text, as far as it can be parsed.
pub(crate) fn names_of_bodies(text: &str) -> Vec<String> {
    let Ok(root) = DeTable::parse(text) else {
        return Vec::new();
    };
    let bodies = elements(root.get_ref().get("bodies")).iter();
    let names = bodies.filter_map(|body| body.get_ref().get("name")?.get_ref().as_str());
    names.map(str::to_owned).collect()
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self {
            path: None,
            span: error.span(),
            message: error.message().to_owned(),
            field: None,
        }
    }
}

/// The parts of a world from a TOML text, and which of its sections have brought them.
pub(crate) fn parts(text: &str) -> Result<(WorldParts, Origins), Fault> {
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
        let parts = WorldParts::deserialize(Deserializer::from(root))?;
        return Ok((parts, Origins::default()));
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
fn expanded<'t>(
    text: &'t str,
    mut root: Spanned<DeTable<'t>>,
) -> Result<(WorldParts, Origins), Fault> {
    let table = root.get_mut();
    let includes: Vec<Include> = take(table, "include")?;
    let rods: Vec<RodLine> = take(table, "rods")?;
    let ropes: Vec<RopeLine> = take(table, "ropes")?;
    let mut names = BodyNames::default();
    for body in elements(table.get("bodies")) {
        let name = body
            .get_ref()
            .get("name")
            .and_then(|n| n.get_ref().as_str());
        names.add(name.unwrap_or_default());
    }
    let mut scenes = Vec::with_capacity(includes.len());
    for (index, include) in includes.iter().enumerate() {
        let scene = include.parts().map_err(in_entry("include", index))?;
        scene.bodies.iter().for_each(|body| names.add(&body.name));
        scenes.push(scene);
    }
    for (index, rope) in ropes.iter().enumerate() {
        let links = rope.names().map_err(in_entry("ropes", index))?;
        links.iter().for_each(|name| names.add(name));
    }
    let mut parts = own_parts(text, table, &names)?;
    let mut origins = Origins::default();
    for (index, scene) in scenes.into_iter().enumerate() {
        let before = Origins::before(&parts);
        merge(&mut parts, scene).map_err(in_entry("include", index))?;
        origins.note(format!("include[{index}]"), before, &parts);
    }
    tie(&mut parts, &mut origins, &names, &rods, &ropes)?;
    Ok((parts, origins))
}

/// Adds the rods and ropes, and the world if it is named.
fn tie(
    parts: &mut WorldParts,
    origins: &mut Origins,
    names: &BodyNames,
    rods: &[RodLine],
    ropes: &[RopeLine],
) -> Result<(), Fault> {
    let mut first = parts.bodies.len();
    for (index, rope) in ropes.iter().enumerate() {
        let before = Origins::before(parts);
        rope.hang(parts).map_err(in_entry("ropes", index))?;
        origins.note(format!("ropes[{index}]"), before, parts);
    }
    // whether the world is named is known when all that names bodies was looked at
    let bodies = rods.iter().flat_map(RodLine::bodies);
    for body in bodies.chain(ropes.iter().flat_map(RopeLine::bodies)) {
        let _ = names.number(body);
    }
    if let Some(name) = names.world() {
        parts.body(Body::fixed(Vector3::zeros()).named(name));
    }
    let centres = match rods.is_empty() && ropes.is_empty() {
        true => Vec::new(),
        false => centres(parts),
    };
    for (index, rod) in rods.iter().enumerate() {
        let before = Origins::before(parts);
        let added = rod.add(parts, names, &centres);
        added.map_err(in_entry("rods", index))?;
        origins.note(format!("rods[{index}]"), before, parts);
    }
    for (index, rope) in ropes.iter().enumerate() {
        let before = Origins::before(parts);
        let tied = rope.tie(parts, names, &centres, &mut first);
        tied.map_err(in_entry("ropes", index))?;
        origins.note(format!("ropes[{index}]"), before, parts);
    }
    Ok(())
}

/// A message about the entry `index` of a section.
fn in_entry(section: &'static str, index: usize) -> impl Fn(EntryFault) -> Fault {
    move |fault| Fault {
        path: Some(format!("{section}[{index}].{}", fault.key)),
        span: None,
        message: fault.message,
        field: None,
    }
}

/// A message about a value of the file.
fn at<T>(value: &Spanned<T>) -> impl Fn(String) -> Fault {
    let span = value.span();
    move |message| Fault {
        path: None,
        span: Some(span.clone()),
        message,
        field: None,
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
