//! `delassus list engines`: engines of other programs, started to see whether they are there.

use delassus_core::ENGINE;
use delassus_core::parameter::{Map, ParameterDoc, Value};
use delassus_dynamics::SchemeEntry;
use serde_json::json;

use super::item::{Item, part};
use super::peers::unreadable;
use crate::cli::failure::Failure;
use crate::registry::process::{PeerFile, engine_files};
use crate::registry::{Registry, scheme};

/// Every engine that has a file.
pub(super) fn all() -> Vec<Item> {
    let files = engine_files().into_iter();
    files
        .map(|(name, file)| match file {
            Ok(file) => item(&file),
            Err(fault) => unreadable(&name, &fault, 4),
        })
        .collect()
}

/// The engine of a command, which no file names; it is started.
///
/// # Errors
/// A command that does not start.
pub(super) fn of_command(name: &str, registry: &Registry) -> Result<Item, Failure> {
    // the user names the program
    let starting = registry.clone().with_commands();
    let entry = starting.scheme(name).map_err(|error| error.to_string());
    let (entry, identity) = entry.and_then(identified).map_err(Failure::request)?;
    let mut page = vec![part(name, entry.descriptor.summary)];
    page.extend(declared(&entry, &identity));
    Ok(Item {
        aliases: &[],
        line: vec![
            name.to_owned(),
            identity.clone(),
            String::new(),
            String::new(),
        ],
        page,
        json: json!({
            "id": name,
            "summary": entry.descriptor.summary,
            "here": true,
            "version": identity,
            "parameters": entry.defaults,
        }),
    })
}

/// An engine with its name, version and hash.
fn identified(entry: SchemeEntry) -> Result<(SchemeEntry, String), String> {
    let built = entry.build_with(&Map::new(), None);
    let identity = built.map_err(|error| error.to_string())?.device();
    Ok((entry, identity.and_then(Result::ok).unwrap_or_default()))
}

/// The parts of a page that an engine which runs here fills.
fn declared(entry: &SchemeEntry, identity: &str) -> [(String, String); 2] {
    let line = |doc: &ParameterDoc| {
        let default = entry.defaults.get(doc.name);
        let unit = match doc.unit {
            "" | "-" => String::new(),
            unit => format!(" [{unit}]"),
        };
        format!(
            "{} = {}{unit}: {}",
            doc.name,
            default.unwrap_or(&Value::Null),
            doc.text
        )
    };
    let lines: Vec<String> = entry.parameters.iter().map(line).collect();
    [
        part("version", identity),
        part("parameters", lines.join("\n")),
    ]
}

/// One engine: what it says, or how to get it.
fn item(file: &PeerFile) -> Item {
    let id = format!("{ENGINE}{}", file.name);
    let entry = scheme(&id).map_err(|error| error.to_string());
    let said = entry.and_then(identified);
    let (version, install) = match &said {
        Ok((_, identity)) => (identity.clone(), String::new()),
        Err(_) => ("not here".to_owned(), file.install_command()),
    };
    let name = file.name.clone();
    Item {
        aliases: &[],
        line: vec![name, version, file.licence.clone(), install],
        page: page(file, &id, &said),
        json: json!({
            "id": file.name,
            "title": file.title,
            "summary": file.summary,
            "here": said.is_ok(),
            "fault": said.as_ref().err(),
            "version": said.as_ref().ok().map(|(_, identity)| identity),
            "parameters": said.as_ref().map_or(&file.parameters, |(entry, _)| &entry.defaults),
            "licence": file.licence,
            "homepage": file.homepage,
            "install": file.install_command(),
        }),
    }
}

fn page(
    file: &PeerFile,
    id: &str,
    said: &Result<(SchemeEntry, String), String>,
) -> Vec<(String, String)> {
    let mut page = vec![
        part(id, format!("{}\n{}", file.title, file.summary)),
        part("licence", file.licence.as_str()),
        part("page", file.homepage.clone().unwrap_or_default()),
    ];
    match said {
        Ok((entry, identity)) => page.extend(declared(entry, identity)),
        Err(fault) => {
            page.push(part("not here", fault.as_str()));
            page.push(part("to install it", file.install_command()));
        }
    }
    page
}
