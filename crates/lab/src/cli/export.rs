//! `delassus export`: the problem of a frame as a file.

mod request;
mod worst;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::ValueEnum as _;
use delassus_dynamics::Scheme;
use delassus_problems::{
    FieldForm, MatrixStorage, NamedProblem, form_text, npz_bytes, snapshot_bytes,
};
use serde_json::json;

use super::args::{ExportFormat, ExportVerb};
use super::convert::{Container, ConvertError, frozen, of_data};
use super::destination::{Destination, is_standard};
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, count, printable};
use super::scene::RequestedScene;
use crate::guard::caught;
use crate::memory;
use crate::registry::Registry;
use crate::simulate::{Capture, FrozenSubstep, freeze};
use request::Request;
use worst::WorstFrame;

/// How often a long request says how far it is.
const OFTEN: Duration = Duration::from_secs(5);

/// Runs the verb.
pub(crate) fn run(
    verb: &ExportVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    if verb.format.is_scene() {
        return write_scene(verb, output);
    }
    let last = verb.frame.or(verb.worst.as_ref().map(|_| worst::LAST));
    let Some(last) = last else {
        return Err(Failure::request(
            "--frame K is missing: the frames to step before the one whose problem is written, as --frame 60; or --worst OBSERVABLE, which looks for a frame",
        ));
    };
    if verb.all && verb.out.as_deref().is_some_and(is_standard) {
        return Err(Failure::request(
            "--all writes a file per frame: name a folder with --out, or leave --all out",
        ));
    }
    let request = Request::new(verb, registry)?;
    if let Some(note) = request.note() {
        print_diagnostic(&format!("note: {note}"));
    }
    if !verb.all {
        // before the frames are stepped
        destination(verb, &path(&request.stem, verb, last, last))?;
    }
    let mut scheme = request.build()?;
    scheme
        .check(&request.world)
        .map_err(|error| Failure::request(format!("{error}")))?;
    // the problem is a copy of that of the frame, and its file is made in memory
    let needed = request.world.step_memory() + request.world.frozen_memory();
    memory::limit()
        .admit("stepping the scene", needed)
        .map_err(|error| Failure::request(error.to_string()))?;
    let worst = verb.worst.as_ref();
    let worst = worst.map(|name| WorstFrame::find(&request, name, last, cancel));
    let worst = worst.transpose()?;
    let last = worst.as_ref().map_or(last, |worst| worst.frame);
    step_to(last, verb, &request, scheme.as_mut(), output, cancel)?;
    if let Some(worst) = &worst {
        print_diagnostic(&worst.words());
    }
    Ok(())
}

/// Steps the scene to frame `last` and writes the problem of this frame, or that of every frame.
fn step_to(
    last: u32,
    verb: &ExportVerb,
    request: &Request,
    scheme: &mut dyn Scheme,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let mut world = request.world.clone();
    let mut said = Instant::now();
    for frame in 0..=last {
        if said.elapsed() >= OFTEN {
            print_diagnostic(&format!(
                "{frame} of {} frames stepped",
                u64::from(last) + 1
            ));
            said = Instant::now();
        }
        if cancel.load(Ordering::Relaxed) {
            let frames = count(u64::from(last) + 1, "frame");
            return Err(Failure::Interrupted(format!(
                "interrupted: {frame} of {frames} stepped"
            )));
        }
        let step = || freeze(&mut world, scheme, request.dt, verb.substep);
        let panicked = |text| format!("frame {frame}: the scheme or its solver panicked: {text}");
        let capture = caught(step)
            .map_err(|text| Failure::run(panicked(text)))?
            .map_err(|error| Failure::run(format!("frame {frame}: {error}")))?;
        if verb.all || frame == last {
            let path = path(&request.stem, verb, frame, last);
            write(request, verb, frame, &path, capture, output)?;
        }
    }
    Ok(())
}

/// Writes the scene itself, as it starts, to a scene file.
fn write_scene(verb: &ExportVerb, output: &mut Output) -> Result<(), Failure> {
    if verb.frame.is_some() || verb.all || verb.worst.is_some() {
        return Err(Failure::request(
            "--format toml and json write the scene at its start: leave out --frame, --worst and --all",
        ));
    }
    let scene = RequestedScene::new(&verb.scene, &verb.parameters, verb.fix_inertia)?;
    let ending = verb.format.ending();
    let path = place(verb, format!("{}.{ending}", scene.stem));
    let to = destination(verb, &path)?;
    // the ending tells the form, and standard output has none
    let name = PathBuf::from(format!("scene.{ending}"));
    let text = delassus_scenes::text(&scene.world, &name);
    let text = text.map_err(|error| Failure::run(error.to_string()))?;
    to.write(text.as_bytes(), output)?;
    let shown = path.to_string_lossy().into_owned();
    let (bodies, joints) = (scene.world.bodies().len(), scene.world.joints().len());
    let manifolds = scene.world.manifolds().len();
    if verb.json {
        return output.json(&json!({
            "file": shown,
            "scene": scene.stem,
            "bodies": bodies,
            "joints": joints,
            "manifolds": manifolds,
        }));
    }
    let facts = [
        (bodies, "body", "bodies"),
        (joints, "joint", "joints"),
        (manifolds, "manifold", "manifolds"),
    ];
    let facts = facts.map(|(number, one, many)| match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    });
    let line = format!("{}  {}", printable(&shown), facts.join(", "));
    to.say(&line, output)
}

/// Writes the problem of one frame and says so.
fn write(
    request: &Request,
    verb: &ExportVerb,
    frame: u32,
    path: &Path,
    capture: Capture,
    output: &mut Output,
) -> Result<(), Failure> {
    let Some(frozen) = capture.frozen else {
        let substep = verb.substep;
        let made = count(u64::from(capture.substeps), "substep");
        return Err(Failure::request(format!(
            "--substep {substep}: a frame of this scheme has {made}, numbered from 0"
        )));
    };
    let (time, h) = (frozen.time, frozen.h);
    let named = named(request, verb.substep, frame, frozen);
    let shown = path.to_string_lossy().into_owned();
    let to = destination(verb, path)?;
    let bytes = content(&named, verb.format);
    let bytes = bytes.map_err(|error| Failure::run(format!("{}: {error}", printable(&shown))))?;
    to.write(&bytes, output)?;
    let facts = named.facts();
    if verb.json {
        return output.json(&json!({
            "file": shown,
            "scene": request.stem,
            "frame": frame,
            "substep": verb.substep,
            "time": time,
            "h": h,
            "rows": facts.rows,
            "blocks": facts.blocks,
            "contacts": facts.contacts,
            "warm_start": verb.format.has_warm_start(),
            "scheme": request.scheme.descriptor.id,
            "solver": request.solver.descriptor.id,
        }));
    }
    let facts = [
        count(facts.rows as u64, "row"),
        count(facts.blocks as u64, "block"),
        count(facts.contacts as u64, "contact"),
    ];
    let line = format!("{}  {}", printable(&shown), facts.join(", "));
    to.say(&line, output)
}

/// Where a file goes.
fn destination(verb: &ExportVerb, path: &Path) -> Result<Destination, Failure> {
    let to = Destination::of("--out", path)?;
    if let Some(format) = verb.format.to_possible_value() {
        let form = format!("--format {} is written", format.get_name());
        to.require_ending("--out", path, verb.format.endings(), &form)?;
    }
    to.check(verb.json)?;
    Ok(to)
}

/// The problem with its name, its warm start and everything that determines it.
fn named(request: &Request, substep: u32, frame: u32, frozen: FrozenSubstep) -> NamedProblem {
    let mut name = format!("{} frame {frame}", request.stem);
    if substep > 0 {
        name.push_str(&format!(" substep {substep}"));
    }
    let provenance = format!(
        "{}; {}; frame {frame}, substep {substep} of {} s at {} s",
        request.provenance, request.method, frozen.h, frozen.time
    );
    NamedProblem {
        warm_start: Some(frozen.warm_start),
        ..NamedProblem::new(name, frozen.problem, provenance)
    }
}

/// Where the problem of `frame` goes, the last being `last`.
fn path(stem: &str, verb: &ExportVerb, frame: u32, last: u32) -> PathBuf {
    let ending = verb.format.ending();
    if verb.all {
        let folder = verb.out.clone();
        let folder = folder.unwrap_or_else(|| PathBuf::from(format!("{stem}-frames")));
        // as many digits as the last frame has: names sort like frames
        let width = last.to_string().len();
        return folder.join(format!("{stem}-frame-{frame:0width$}.{ending}"));
    }
    place(verb, format!("{stem}-frame-{frame}.{ending}"))
}

/// Where a file goes that has this name by default.
fn place(verb: &ExportVerb, file: String) -> PathBuf {
    match &verb.out {
        None => PathBuf::from(file),
        Some(folder) if folder.is_dir() => folder.join(file),
        Some(path) => path.clone(),
    }
}

/// The bytes of the file.
fn content(named: &NamedProblem, format: ExportFormat) -> Result<Vec<u8>, ConvertError> {
    let blocks = MatrixStorage::BlockSparse;
    let text = |form, storage| form_text(&named.problem, form, storage).map(String::into_bytes);
    Ok(match format {
        ExportFormat::Dls => snapshot_bytes(named),
        ExportFormat::Fc3d => text(FieldForm::Local, blocks)?,
        ExportFormat::Gfc3d => text(FieldForm::Global, blocks)?,
        ExportFormat::Lcp => text(FieldForm::Lcp, MatrixStorage::Dense)?,
        ExportFormat::Relay => text(FieldForm::Relay, MatrixStorage::Dense)?,
        ExportFormat::Mlcp => text(FieldForm::Mlcp, MatrixStorage::Dense)?,
        ExportFormat::Fclib => container(named, FieldForm::Global)?,
        ExportFormat::FclibLocal => container(named, FieldForm::Local)?,
        ExportFormat::Npz => npz_bytes(named, memory::limit())?,
        // a scene has been written before any problem was made
        ExportFormat::Toml | ExportFormat::Json => Vec::new(),
    })
}

/// An FCLIB file; what it changes is said.
fn container(named: &NamedProblem, form: FieldForm) -> Result<Vec<u8>, ConvertError> {
    let blocks = MatrixStorage::BlockSparse;
    let (file, losses, notes) = frozen(named, Container::Fclib, Some(form), blocks)?;
    let made = of_data(&file, Container::Fclib, losses, notes)?;
    made.losses
        .iter()
        .for_each(|loss| print_diagnostic(&format!("note: {loss}")));
    Ok(made.bytes)
}
