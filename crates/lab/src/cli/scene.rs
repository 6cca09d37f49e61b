//! A scene named on the command line: one of the list, or a scene file.

use std::fs;
use std::path::Path;

use delassus_core::registry;
use delassus_core::suggest::nearest;
use delassus_dynamics::World;
use delassus_scenes::{FixedInertia, SceneError, read, read_fixing_inertia, scenes};
use serde_json::{Map, Value};

use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::files;
use super::kind::{FileKind, is_scene_file, require};
use super::output::printable;
use super::request::parameters;

/// Scene files of a checkout.
const FILES: &str = "data/scenes";

/// A scene of the list or of a file.
pub(crate) struct RequestedScene {
    /// As on the command line.
    name: String,
    pub(crate) stem: String,
    pub(crate) world: World,
    /// The scene with all its parameters, for files.
    pub(crate) provenance: String,
}

impl RequestedScene {
    /// The scene `name` with its `--set` parameters; `fix` changes principal moments that no mass
    /// distribution has.
    pub(crate) fn new(name: &str, set: &[String], fix: bool) -> Result<Self, Failure> {
        let given = parameters("--set", set)?;
        let path = Path::new(name);
        if is_scene_file(path) {
            return Self::from_file(path, &given, fix);
        }
        if fix {
            return Err(Failure::request(
                "--fix-inertia: the scenes of the list need none; it is for scene files",
            ));
        }
        Self::from_list(name, &given)
    }

    /// Refuses a scene without bodies.
    pub(crate) fn require_bodies(&self) -> Result<(), Failure> {
        if !self.world.bodies().is_empty() {
            return Ok(());
        }
        Err(Failure::request(printable(&format!(
            "{}: the scene has no bodies; docs/scenes.md shows how a scene file lists them",
            self.name
        ))))
    }

    fn from_file(path: &Path, given: &Map<String, Value>, fix: bool) -> Result<Self, Failure> {
        files::check(&[path.to_owned()])?;
        require(path, FileKind::Scene)?;
        if let Some(key) = given.keys().next() {
            return Err(Failure::request(format!(
                "--set {key}: a scene file has no parameters; change the file"
            )));
        }
        let (world, fixed) = match fix {
            true => read_fixing_inertia(path),
            false => read(path).map(|world| (world, Vec::new())),
        }
        .map_err(|error| refused(&error))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut provenance = format!("scene file {file}");
        for change in &fixed {
            let FixedInertia { body, from, to, .. } = change;
            let place = format!("bodies[{body}].inertia.moments");
            print_diagnostic(&printable(&format!(
                "note: {place} of {:?}: {from:?} changed to {to:?}",
                change.name
            )));
            provenance.push_str(&format!(", {place} changed from {from:?} to {to:?}"));
        }
        Ok(Self {
            name: path.to_string_lossy().into_owned(),
            stem: stem.into_owned(),
            world,
            provenance,
        })
    }

    fn from_list(id: &str, given: &Map<String, Value>) -> Result<Self, Failure> {
        require(Path::new(id), FileKind::Scene)?;
        if Path::new(id).is_file() {
            return Err(Failure::request(printable(&format!(
                "{id}: is no scene file, which ends in .toml or .json; `delassus list scenes` names the scenes of the list"
            ))));
        }
        if Path::new(id).is_dir() {
            return Err(Failure::request(printable(&format!(
                "{id}: is a folder; name a scene file in it (.toml, .json), or a scene of `delassus list scenes`"
            ))));
        }
        let known = scenes();
        let entry = registry::find(&known, id).map_err(|error| {
            if let Some(file) = file_named(id) {
                return Failure::request(printable(&format!(
                    "no scene of the list is called {id:?}; there is the file {file}"
                )));
            }
            Failure::request(format!(
                "{error}\n  `delassus list scenes` names them all; a scene file ends in .toml or .json"
            ))
        })?;
        let world = entry.build_given(given).map_err(|error| {
            Failure::request(format!(
                "{error}\n  `delassus list scenes {id}` describes its parameters"
            ))
        })?;
        let complete = entry.complete(given);
        Ok(Self {
            name: id.to_owned(),
            stem: id.to_owned(),
            world,
            provenance: format!("scene {id}, parameters {}", Value::Object(complete)),
        })
    }
}

/// The scene file of this name, or of one that is spelt much like it, among those of a checkout.
fn file_named(id: &str) -> Option<String> {
    let known = scenes();
    let entries = fs::read_dir(FILES).ok()?.flatten();
    let files: Vec<String> = entries
        .filter(|entry| is_scene_file(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let stems = files
        .iter()
        .filter_map(|file| Some(file.rsplit_once('.')?.0));
    // the names of the list compete
    let names: Vec<&str> = registry::names(&known).collect();
    let names = names.iter().copied().chain(stems.clone());
    let close = nearest(id, names)?;
    let index = stems.clone().position(|stem| stem == close)?;
    Some(format!("{FILES}/{}", files[index]))
}

/// Why a scene file was refused, with what would take it.
fn refused(error: &SceneError) -> Failure {
    let text = error.to_string();
    let is_of_moments = text.contains("(triangle inequality)");
    Failure::request(match is_of_moments {
        true => format!(
            "{text}\n  --fix-inertia takes these moments; `--fix-inertia --format toml --out FILE.toml` writes a scene with them"
        ),
        false => text,
    })
}
