//! Numbers of a scene file that the law of its contacts does not have, and that nothing would read.

use delassus_core::{ContactLaw, ContactNumber};
use delassus_dynamics::{FieldError, WorldParts};
use serde_json::Value;

/// The tables of a file that have a material, and what a material calls its coefficients.
const SURFACES: [&str; 2] = ["colliders", "ropes"];
const COEFFICIENTS: [&str; 2] = ["friction", "kinetic_friction"];

/// True if some contact of the world has no friction: only then [`find`] has something to look for.
pub(crate) fn possible(parts: &WorldParts) -> bool {
    let mut laws = parts.manifolds.iter().map(|manifold| manifold.law);
    !rubs(parts.contacts.law) || laws.any(|law| !rubs(law))
}

fn rubs(law: ContactLaw) -> bool {
    law.has(ContactNumber::Friction)
}

/// The first coefficient of friction that is not 0 and belongs to contacts without friction. The
/// defaults of materials are not in the document.
///
/// # Errors
/// The coefficient, and the laws that have one.
pub(crate) fn find(document: &Value) -> Result<(), FieldError> {
    let law = |table: &Value| serde_json::from_value::<ContactLaw>(table.get("law")?.clone()).ok();
    for (index, manifold) in entries(document, "manifolds") {
        let own = law(manifold).unwrap_or_default();
        refuse(own, manifold, "friction", || format!("manifolds[{index}]"))?;
    }
    let found = document.get("contacts").and_then(law).unwrap_or_default();
    for key in SURFACES {
        for (index, entry) in entries(document, key) {
            let Some(material) = entry.get("material") else {
                continue;
            };
            let at = || format!("{key}[{index}].material");
            COEFFICIENTS
                .iter()
                .try_for_each(|number| refuse(found, material, number, at))?;
        }
    }
    Ok(())
}

fn entries<'v>(document: &'v Value, key: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    let list = document.get(key).and_then(Value::as_array);
    list.into_iter().flatten().enumerate()
}

fn refuse(
    law: ContactLaw,
    table: &Value,
    number: &str,
    at: impl Fn() -> String,
) -> Result<(), FieldError> {
    let refusal = law.refusal(ContactNumber::Friction, ContactLaw::OF_WORLDS);
    match (refusal, table.get(number)) {
        (Some(reason), Some(value)) if value.as_f64() != Some(0.0) => {
            let path = format!("{}.{number}", at());
            Err(FieldError::new(path, value, &reason))
        }
        _ => Ok(()),
    }
}

/// Coefficients of the world that its contacts do not have are 0, so that its file is read again.
pub(crate) fn remove(parts: &mut WorldParts) {
    for manifold in &mut parts.manifolds {
        if !rubs(manifold.law) {
            manifold.friction = 0.0;
        }
    }
    if !rubs(parts.contacts.law) {
        for collider in &mut parts.colliders {
            collider.material.friction = 0.0;
            collider.material.kinetic_friction = None;
        }
    }
}
