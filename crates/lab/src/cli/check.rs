//! `delassus check`: what a scene holds before its first step.

mod gap;
mod groups;
mod start;

use serde_json::json;

use super::args::CheckVerb;
use super::failure::Failure;
use super::output::{Output, aligned, count, printable, wrapped};
use super::scene::RequestedScene;
use crate::numbers::significant;
pub(super) use start::Start;
use start::named;

/// Version of the object of `--json`.
const SCHEMA: &str = "check/1";
/// Joints, overlaps and groups that are shown of each kind \[-\].
const SHOWN: usize = 8;
/// Columns of the text \[-\].
const WIDTH: usize = 100;

/// Runs the verb.
pub(crate) fn run(verb: &CheckVerb, output: &mut Output) -> Result<(), Failure> {
    let scene = RequestedScene::new(&verb.scene, &verb.parameters, false)?;
    scene.require_bodies()?;
    let start = Start::of(scene.world);
    if verb.json {
        return output.json(&object(&scene.stem, &start));
    }
    text(&scene.stem, &start, output)
}

fn text(stem: &str, start: &Start, output: &mut Output) -> Result<(), Failure> {
    output.line(&printable(&format!("{stem}: {}", contents(start))))?;
    part("bodies", &bodies(start), output)?;
    if let Some([light, heavy]) = start.masses {
        let masses = [light, heavy].map(|body| {
            let mass = start.world.bodies()[body].inertia.mass;
            format!("{} kg ({})", number(mass), named(&start.world, body))
        });
        let text = match light == heavy {
            true => masses[0].clone(),
            false => format!("{} to {}", masses[0], masses[1]),
        };
        part("masses", &text, output)?;
        part("ratio", &ratio(start), output)?;
    }
    groups(start, output)?;
    joints(start, output)?;
    overlaps(start, output)?;
    output.line(
        "  Numbers in brackets count from 0. Observables take number or name: x[3].y, x[hip].y, C[3].0.",
    )
}

/// How many bodies, joints and shapes there are.
fn contents(start: &Start) -> String {
    let world = &start.world;
    let kinds = start.kinds.iter().filter(|(_, number)| *number > 0);
    let kinds: Vec<String> = kinds
        .map(|(kind, number)| format!("{number} {kind}"))
        .collect();
    let bodies = match world.bodies().len() {
        1 => "1 body".to_owned(),
        many => format!("{many} bodies"),
    };
    let joints = count(world.joints().len() as u64, "joint");
    let shapes = count(world.colliders().len() as u64, "shape");
    format!("{bodies} ({}), {joints}, {shapes}", kinds.join(", "))
}

/// The first bodies by their names.
fn bodies(start: &Start) -> String {
    let number = start.world.bodies().len();
    let shown = (0..number.min(SHOWN)).map(|body| named(&start.world, body));
    let shown: Vec<String> = shown.collect();
    let rest = match number.saturating_sub(SHOWN) {
        0 => String::new(),
        rest => format!(", {rest} more (--json has all)"),
    };
    shown.join(", ") + &rest
}

/// The ratio of all masses, and of two that a joint or a contact connects.
fn ratio(start: &Start) -> String {
    let mut text = format!("{} largest to smallest", number(start.ratio()));
    if let Some((pair, ratio)) = start.steepest {
        let [a, b] = pair.map(|body| named(&start.world, body));
        text.push_str(&format!(
            "; {} across {a} – {b}, which touch or share a joint",
            number(ratio)
        ));
    }
    text
}

fn groups(start: &Start, output: &mut Output) -> Result<(), Failure> {
    let groups = &start.groups;
    let shown = groups.iter().take(SHOWN).map(|group| {
        let first = named(&start.world, group[0]);
        match group.len() {
            1 => format!("{first} alone"),
            many => format!("{many} bodies from {first}"),
        }
    });
    let shown: Vec<String> = shown.collect();
    let rest = groups.len().saturating_sub(SHOWN);
    let rest = if rest > 0 {
        format!("; {rest} more")
    } else {
        String::new()
    };
    let number = count(groups.len() as u64, "connected group");
    part(
        "groups",
        &format!("{number}: {}{rest}", shown.join("; ")),
        output,
    )
}

fn joints(start: &Start, output: &mut Output) -> Result<(), Failure> {
    if start.world.joints().is_empty() {
        return Ok(());
    }
    if start.apart.is_empty() {
        let most = number_of(start.largest_error);
        let text = format!("all closed at the start: largest error {most} m or rad");
        return part("joints", &text, output);
    }
    let number = count(start.apart.len() as u64, "joint");
    part(
        "joints",
        &format!("{number} open at the start, the worst first"),
        output,
    )?;
    let rows: Vec<Vec<String>> = start
        .apart
        .iter()
        .take(SHOWN)
        .map(|apart| {
            let joint = &start.world.joints()[apart.joint];
            let kind = joint.constraint.descriptor().id;
            let name = if joint.name.is_empty() {
                kind
            } else {
                &joint.name
            };
            let error = |error: f64, unit: &str| match error > 0.0 {
                true => format!("{} {unit}", number_of(error)),
                false => String::new(),
            };
            vec![
                printable(&format!("    {name} [{}]", apart.joint)),
                kind.to_owned(),
                error(apart.gap.length, "m"),
                error(apart.gap.angle, "rad"),
            ]
        })
        .collect();
    output.text(&aligned(&rows))
}

fn overlaps(start: &Start, output: &mut Output) -> Result<(), Failure> {
    if start.overlaps.is_empty() {
        let text = match start.contacts {
            0 => "none: nothing touches at the start".to_owned(),
            points => format!(
                "none: {} at the start",
                count(points as u64, "contact point")
            ),
        };
        return part("overlaps", &text, output);
    }
    let pairs = count(start.overlaps.len() as u64, "pair");
    let text = format!("{pairs} of bodies overlap at the start, the deepest first");
    part("overlaps", &text, output)?;
    let rows: Vec<Vec<String>> = start
        .overlaps
        .iter()
        .take(SHOWN)
        .map(|(pair, depth)| {
            let [a, b] = pair.map(|body| printable(&named(&start.world, body)));
            vec![format!("    {a} – {b}"), format!("{} m", number_of(*depth))]
        })
        .collect();
    output.text(&aligned(&rows))
}

/// A label with its text, broken at the last column.
fn part(label: &str, text: &str, output: &mut Output) -> Result<(), Failure> {
    let line = format!("{label:<10}{}", printable(text));
    output.line(&wrapped(&line, 2, WIDTH))
}

/// A mass or a ratio with three digits.
fn number(value: f64) -> String {
    significant(value, 3)
}

/// An error or an overlap with two digits.
fn number_of(value: f64) -> String {
    significant(value, 2)
}

fn object(stem: &str, start: &Start) -> serde_json::Value {
    let world = &start.world;
    let body = |body: usize| json!({ "body": body, "name": world.bodies()[body].name });
    let kinds: serde_json::Map<String, serde_json::Value> = start
        .kinds
        .iter()
        .map(|(kind, number)| ((*kind).to_owned(), json!(number)))
        .collect();
    let apart = start.apart.iter().map(|apart| {
        let joint = &world.joints()[apart.joint];
        json!({
            "joint": apart.joint,
            "name": joint.name,
            "kind": joint.constraint.descriptor().id,
            "error": apart.gap.length,
            "angle_error": apart.gap.angle,
        })
    });
    let overlaps = start
        .overlaps
        .iter()
        .map(|(pair, depth)| json!({ "bodies": pair.map(body), "depth": depth }));
    json!({
        "schema": SCHEMA,
        "scene": stem,
        "bodies": kinds,
        "joints": world.joints().len(),
        "body_names": world.bodies().iter().map(|body| &body.name).collect::<Vec<_>>(),
        "joint_names": world.joints().iter().map(|joint| &joint.name).collect::<Vec<_>>(),
        "shapes": world.colliders().len(),
        "contact_points": start.contacts,
        "lightest": start.masses.map(|[light, _]| body(light)),
        "heaviest": start.masses.map(|[_, heavy]| body(heavy)),
        "mass_ratio": start.masses.map(|_| start.ratio()),
        "largest_ratio_between_neighbours": start.steepest.map(|(_, ratio)| ratio),
        "groups": start.groups,
        "largest_joint_error": start.largest_error,
        "joints_apart": apart.collect::<Vec<_>>(),
        "overlaps": overlaps.collect::<Vec<_>>(),
    })
}
