//! Which worlds have rows that the device packs, and their surfaces.

use std::collections::BTreeMap;

use delassus_core::{ContactLaw, DeviceError};
use delassus_dynamics::{Combining, Manifold, Material, SchemeError, TangentMode, World};
use delassus_solver_gpu::control::index;
use delassus_solver_gpu::device::Device;
use delassus_solver_jacobi::real::Real;

/// Refuses worlds whose rows the device does not pack.
pub(crate) fn check(world: &World, scheme: &'static str) -> Result<(), SchemeError> {
    let refuse = |what: String, reason: &'static str| {
        Err(SchemeError::Unsupported {
            scheme,
            what,
            reason,
        })
    };
    if world.colliders().is_empty() {
        let reason = "are what contacts are found of, and there are none: use collision = \"host\"";
        return refuse("colliders".to_owned(), reason);
    }
    let given = |manifold: &Manifold| manifold.colliders().is_none();
    if let Some(index) = world.manifolds().iter().position(given) {
        let reason =
            "was handed in, and the device packs what it finds: use collision = \"device\"";
        return refuse(format!("manifolds[{index}]"), reason);
    }
    let settings = world.contact_settings();
    if settings.law == ContactLaw::Patch {
        let reason =
            "has rows of whole manifolds, which the host packs: use collision = \"device\"";
        return refuse("contacts.law".to_owned(), reason);
    }
    if settings.tangents != TangentMode::Kept {
        let reason = "turns friction with what slides, which the host does: use \"kept\", or collision = \"device\"";
        return refuse("contacts.tangents".to_owned(), reason);
    }
    let mut colliders = world.colliders().iter();
    if let Some(index) = colliders.position(|collider| !collider.material.is_plain()) {
        let reason =
            "changes with what slides, which the host looks at: use collision = \"device\"";
        return refuse(
            format!("colliders[{index}].material.kinetic_friction"),
            reason,
        );
    }
    Ok(())
}

/// The kinds of surfaces of a world.
#[derive(Debug, Default)]
pub(crate) struct Surfaces {
    /// Per collider.
    pub(crate) marks: Vec<u32>,
    /// Friction and restitution of every kind, in bits.
    kinds: Vec<[u64; 2]>,
    combining: Combining,
    /// Friction and restitution of every pair of kinds \[-\].
    pub(crate) pairs: Vec<[f32; 2]>,
    /// True if the pairs are others than those of the last update.
    pub(crate) changed: bool,
}

impl Surfaces {
    /// Those of another world, or of the same one; pairs are combined anew where kinds or rules are
    /// others.
    ///
    /// # Errors
    /// More pairs than a device binds.
    pub(crate) fn update(&mut self, world: &World, device: &Device) -> Result<(), DeviceError> {
        let mut kinds = Vec::new();
        let mut known = BTreeMap::new();
        self.marks.clear();
        for collider in world.colliders() {
            let material = &collider.material;
            let key = [material.friction, material.restitution].map(f64::to_bits);
            let mark = *known.entry(key).or_insert_with(|| {
                kinds.push(material);
                kinds.len() - 1
            });
            self.marks.push(index(mark)?);
        }
        let needed = (size_of::<[f32; 2]>() * kinds.len()) as u64 * kinds.len() as u64;
        let allowed = device.limits().max_storage_buffer_binding_size;
        if needed > allowed {
            return Err(DeviceError::Limit {
                what: "the pairs of surfaces",
                needed,
                allowed,
            });
        }
        let combining = world.contact_settings().combining;
        let bits = |m: &&Material| [m.friction, m.restitution].map(f64::to_bits);
        let own: Vec<[u64; 2]> = kinds.iter().map(bits).collect();
        self.changed = (&own, combining) != (&self.kinds, self.combining);
        if self.changed {
            let both = kinds.iter().flat_map(|a| kinds.iter().map(move |b| (a, b)));
            let pairs = both.map(|(a, b)| {
                let together = combining.combine(a, b);
                [together.friction, together.restitution].map(f32::of)
            });
            self.pairs = pairs.collect();
            (self.kinds, self.combining) = (own, combining);
        }
        Ok(())
    }

    /// Number of kinds \[-\].
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// True if a pair may bounce.
    pub(crate) fn may_bounce(&self) -> bool {
        self.pairs.iter().any(|pair| pair[1] > 0.0)
    }
}
