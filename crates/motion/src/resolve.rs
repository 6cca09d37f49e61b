//! Bodies and joints that an observable names, found in a world.

use delassus_core::suggest::{did_you_mean, list, nearest};
use delassus_dynamics::World;
use delassus_records::observable::{Observable, Subject};

/// The number of a body or joint; `None` for a name.
pub(super) fn number(subject: Subject) -> Option<usize> {
    match subject {
        Subject::Number(number) => Some(number),
        Subject::Name(_) => None,
    }
}

/// The numbers of two bodies; `None` with a name.
pub(super) fn numbers([first, second]: [Subject; 2]) -> Option<[usize; 2]> {
    Some([number(first)?, number(second)?])
}

/// True if the world has the bodies, the joint or the row that the observable needs.
pub fn has(world: &World, observable: &Observable) -> bool {
    resolved(world, observable).is_ok()
}

/// The observable with the numbers that its bodies and joints have in the world.
///
/// # Errors
/// What the observable needs and the world does not have, with the closest name.
pub fn resolved(world: &World, observable: &Observable) -> Result<Observable, String> {
    let said = |reason: String| format!("observable {}: {reason}", observable.id());
    let body = |subject| find(subject, &BODIES, bodies(world)).map_err(said);
    let joint = |subject| find(subject, &JOINTS, joints(world)).map_err(said);
    Ok(match *observable {
        quantity @ Observable::Quantity(_) => quantity,
        Observable::Body {
            part,
            body: own,
            axis,
        } => Observable::Body {
            part,
            body: Subject::Number(body(own)?),
            axis,
        },
        Observable::JointError { joint: own, row } => {
            let own = joint(own)?;
            let rows = world.joints()[own].constraint.descriptor().units.len();
            if row >= rows {
                let reason = format!("joint {own} has {rows} rows, numbered from 0");
                return Err(said(reason));
            }
            let joint = Subject::Number(own);
            Observable::JointError { joint, row }
        }
        Observable::Reaction {
            torque,
            joint: own,
            axis,
        } => {
            let own = joint(own)?;
            if world.joints()[own].constraint.bodies().len() < 2 {
                let reason = format!("joint {own} has one body; its reaction is on the second");
                return Err(said(reason));
            }
            Observable::Reaction {
                torque,
                joint: Subject::Number(own),
                axis,
            }
        }
        Observable::Contact {
            torque,
            bodies: [first, second],
            axis,
        } => {
            let (first, second) = (body(first)?, body(second)?);
            if first == second {
                return Err(said("a contact is between different bodies".to_owned()));
            }
            Observable::Contact {
                torque,
                bodies: [first, second].map(Subject::Number),
                axis,
            }
        }
    })
}

/// All of them with the numbers of bodies and joints.
pub(super) fn all_resolved(
    world: &World,
    observables: &[Observable],
) -> Result<Vec<Observable>, String> {
    observables.iter().map(|one| resolved(world, one)).collect()
}

/// One and several of what observables are of.
type Nouns = [&'static str; 2];
const BODIES: Nouns = ["body", "bodies"];
const JOINTS: Nouns = ["joint", "joints"];

fn bodies(world: &World) -> impl ExactSizeIterator<Item = &str> + Clone {
    world.bodies().iter().map(|body| body.name.as_str())
}

fn joints(world: &World) -> impl ExactSizeIterator<Item = &str> + Clone {
    world.joints().iter().map(|joint| joint.name.as_str())
}

/// The number of the body or joint that is meant, of those with these names.
fn find<'n>(
    subject: Subject,
    [one, many]: &Nouns,
    names: impl ExactSizeIterator<Item = &'n str> + Clone,
) -> Result<usize, String> {
    let count = names.len();
    let name = match subject {
        Subject::Number(number) if number < count => return Ok(number),
        Subject::Number(_) => {
            return Err(format!("the scene has {count} {many}, numbered from 0"));
        }
        Subject::Name(name) => name,
    };
    let numbered = names.clone().enumerate();
    let found: Vec<usize> = numbered
        .filter(|(_, own)| *own == name)
        .map(|(number, _)| number)
        .collect();
    match found.as_slice() {
        [number] => Ok(*number),
        [] => {
            let known = names.filter(|name| !name.is_empty());
            let hint = match nearest(name, known.clone()) {
                Some(close) => did_you_mean(Some(&close)),
                None if known.clone().next().is_none() => {
                    format!("; its {many} have no names, only numbers from 0")
                }
                None => format!("; it has {}", list(known)),
            };
            Err(format!("the scene has no {one} named {name:?}{hint}"))
        }
        several => Err(format!(
            "{} {many} of the scene are named {name:?}; write the number of one: {several:?}",
            several.len()
        )),
    }
}

#[cfg(test)]
mod tests {
    use delassus_dynamics::constraints::Point;
    use delassus_dynamics::{Body, Inertia, Joint, WorldParts};
    use nalgebra::Vector3;

    use super::*;

    /// A hook, two links of one name and a weight, the weight on the hook by the joint "rope".
    fn world() -> World {
        let mut parts = WorldParts::default();
        for name in ["hook", "link", "link"] {
            parts.body(Body::fixed(Vector3::zeros()).named(name));
        }
        let place = Vector3::new(0.0, -3.0, 0.0);
        let weight = parts.body(Body::dynamic(Inertia::point(1.0), place).named("weight"));
        let point = Point {
            bodies: [0, weight],
            anchors: [Vector3::zeros(), -place],
        };
        parts.joint(Joint::new(point).named("rope"));
        parts.build().expect("a world")
    }

    fn found(name: &str) -> Result<String, String> {
        let observable = Observable::parse(name).expect("an observable");
        resolved(&world(), &observable).map(|observable| observable.id())
    }

    #[test]
    fn names_have_the_numbers_of_the_world() {
        for (name, number) in [
            ("x[weight].y", "x[3].y"),
            ("x[3].y", "x[3].y"),
            ("C[rope].2", "C[0].2"),
            ("force[rope].y", "force[0].y"),
            ("torque[hook,weight].z", "torque[0,3].z"),
            ("drift_max", "drift_max"),
        ] {
            assert_eq!(found(name).as_deref(), Ok(number), "{name}");
        }
    }

    #[test]
    fn what_the_world_lacks_is_named_with_what_is_close() {
        for (name, parts) in [
            ("x[wieght].y", ["no body named \"wieght\"", "\"weight\"?"]),
            ("v[anvil].x", ["no body named \"anvil\"", "hook"]),
            ("x[link].y", ["2 bodies", "[1, 2]"]),
            ("x[4].y", ["x[4].y", "4 bodies, numbered from 0"]),
            ("C[roope].0", ["no joint named", "\"rope\"?"]),
            ("C[rope].3", ["joint 0 has 3 rows", "numbered from 0"]),
            ("force[hook,hook].y", ["force[hook,hook].y", "different"]),
        ] {
            let said = found(name).expect_err(name);
            assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        }
    }
}
