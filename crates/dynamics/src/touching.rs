//! Contacts that a world finds by itself: colliders near each other, and what is carried from one frame to the next.
//!
//! A frame begins with the manifolds of all pairs of colliders within the margin. A point that had the same feature in
//! the frame before takes over its impulses, friction as a vector of the world (T.20); points whose features are not known are
//! matched by their place. Everything is in the order of the colliders.

mod carry;
mod colliders;
mod find;

use arrayvec::ArrayVec;
use delassus_collide::{BoxMethod, Collider, Combining, MAX_POINTS, Material, Memory, Query};
use delassus_core::{Choice, ContactLaw};
use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

pub(crate) use colliders::Colliders;

use crate::contact::{ContactPoint, Manifold};
use crate::error::FieldError;
use crate::world::World;

/// How a world finds its contacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Friction law of the contacts found.
    pub law: ContactLaw,
    /// Surfaces closer than this are in contact: an open contact may close within the step and no more \[m\].
    pub margin: f64,
    /// How boxes find where they touch.
    pub boxes: BoxMethod,
    /// By how much a manifold prefers the features of the frame before, as a share of its size \[-\]; 0 lets them flip.
    pub persistence: f64,
    /// A pair that has moved less than this since its manifold was made keeps it, with separations that follow the bodies
    /// \[m\]: turns count at the rim of the smaller collider. 0 looks at every pair in every frame.
    pub recycle: f64,
    /// How the surfaces of two colliders act together.
    pub combining: Combining,
    /// Along which axes friction is solved.
    pub tangents: TangentMode,
    /// Surfaces that move faster than this against each other have kinetic friction \[m/s\].
    pub stiction_speed: f64,
    /// Pairs of bodies that do not touch, besides those that a joint connects.
    pub apart: Vec<[usize; 2]>,
}

/// Along which axes the friction of a contact that was found is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum TangentMode {
    /// Those of the frame before, which turn with body A.
    #[default]
    Kept,
    /// Along and across the sliding velocity of the start of the frame, kept where nothing slides.
    Sliding,
}

impl Default for ContactSettings {
    fn default() -> Self {
        let Query {
            margin,
            boxes,
            persistence,
        } = Query::default();
        Self {
            law: ContactLaw::default(),
            margin,
            boxes,
            persistence,
            recycle: 0.0,
            combining: Combining::default(),
            tangents: TangentMode::default(),
            stiction_speed: 1e-3,
            apart: Vec::new(),
        }
    }
}

impl ContactSettings {
    /// Checks every field; `bodies` is the number of bodies that there are.
    pub(crate) fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        FieldError::positive("margin", self.margin)?;
        FieldError::non_negative("persistence", self.persistence)?;
        FieldError::non_negative("stiction_speed", self.stiction_speed)?;
        FieldError::non_negative("recycle", self.recycle)?;
        if self.law == ContactLaw::FixedBox {
            return Err(fixed_box(self.law));
        }
        for (index, pair) in self.apart.iter().enumerate() {
            if let Some(body) = pair.iter().find(|body| **body >= bodies) {
                let expected = format!("the world has {bodies} bodies, numbered from 0");
                return Err(FieldError::new(format!("apart[{index}]"), body, &expected));
            }
        }
        Ok(())
    }
}

/// The refusal of a law that needs the time step.
pub(crate) fn fixed_box(law: ContactLaw) -> FieldError {
    let expected = "its limit needs the time step, which a world does not have; use \"pyramid\", or a frozen problem";
    FieldError::new("law", law, expected)
}

/// Refuses resistance to rolling beside a law that it is no part of.
pub(crate) fn check_rolling(law: ContactLaw) -> Result<(), FieldError> {
    if matches!(law, ContactLaw::Coulomb | ContactLaw::Disc) {
        return Ok(());
    }
    let expected = "\"coulomb\" or \"disc\" where surfaces resist rolling or spinning: with it a contact has Coulomb's law";
    Err(FieldError::new("law", law, expected))
}

/// Where a manifold that a world found comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    /// Colliders A and B, in ascending order.
    pub(crate) colliders: [u32; 2],
    /// Their parts that touch.
    pub(crate) parts: [u32; 2],
    /// Feature of every point; zero where it is not known.
    pub(crate) features: ArrayVec<u64, MAX_POINTS>,
    /// Per point: where the same point was among all points found in the frame before.
    pub(crate) previous: ArrayVec<Option<usize>, MAX_POINTS>,
    memory: Memory,
    /// Pose of the second collider in the axes of the first when the manifold was made.
    made: Isometry3<f64>,
}

/// Pairs of colliders that came into contact, or left it, at the start of a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactEvents {
    /// Those that were not in contact in the frame before.
    pub begun: Vec<[u32; 2]>,
    /// Those that are not in contact any more.
    pub ended: Vec<[u32; 2]>,
}

impl World {
    /// The colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders.list
    }

    /// How the world finds its contacts.
    pub fn contact_settings(&self) -> &ContactSettings {
        &self.colliders.settings
    }

    /// Pairs of colliders that came into contact or left it at the start of the last frame.
    pub fn contact_events(&self) -> &ContactEvents {
        &self.colliders.events
    }

    /// Runs a frame on the contacts of the present poses; the contacts are those of before if it fails.
    ///
    /// # Errors
    /// Those of the frame.
    pub fn with_contacts<T, E>(
        &mut self,
        frame: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let earlier = self.find_contacts();
        let outcome = frame(self);
        match (&outcome, earlier) {
            (Err(_), Some((manifolds, events))) => {
                self.manifolds.truncate(self.colliders.given);
                self.manifolds.extend(manifolds);
                self.colliders.events = events;
            }
            (Ok(_), Some((manifolds, _))) => {
                let parts = manifolds.into_iter().map(|m| (m.points, m.impulses));
                self.colliders.spare.0.extend(parts);
            }
            (_, None) => {}
        }
        outcome
    }

    /// True if a surface or a manifold resists rolling or spinning.
    pub fn resists_rolling(&self) -> bool {
        let resists = |m: &Material| m.rolling_friction > 0.0 || m.spinning_friction > 0.0;
        self.colliders
            .list
            .iter()
            .any(|collider| resists(&collider.material))
            || self.manifolds.iter().any(Manifold::resists_rolling)
    }

    /// A collider whose surface moves against its body; not every scheme has a velocity for it.
    pub fn moving_surface(&self) -> Option<usize> {
        let moves = |collider: &Collider| collider.material.surface_velocity != Vector3::zeros();
        self.colliders.list.iter().position(moves)
    }

    /// A world with a contact of the kind that this one may find, where it may find any: what a scheme and its solver are
    /// asked about before the first contact.
    pub(crate) fn with_likely_contact(&self) -> Option<Self> {
        let list = &self.colliders.list;
        let dynamic = list.iter().position(|c| self.bodies[c.body].is_dynamic())?;
        let other = list.iter().position(|c| c.body != list[dynamic].body)?;
        let mut world = self.clone();
        let half = 0.5;
        let corner = |x: f64, z: f64| ContactPoint {
            anchors: [Vector3::new(x, -half, z), Vector3::new(x, half, z)],
            radii: [0.0; 2],
        };
        let points = vec![
            corner(half, half),
            corner(half, -half),
            corner(-half, -half),
            corner(-half, half),
        ];
        let bodies = [list[dynamic].body, list[other].body];
        let rules = &self.colliders.settings.combining;
        let together = rules.combine(&list[dynamic].material, &list[other].material);
        let law = self.colliders.settings.law;
        let mut manifold = Manifold::new(bodies, -Vector3::y(), points, together.friction, law);
        manifold.restitution = together.restitution;
        let materials = || list.iter().map(|collider| &collider.material);
        manifold.rolling_friction = materials().map(|m| m.rolling_friction).fold(0.0, f64::max);
        manifold.spinning_friction = materials().map(|m| m.spinning_friction).fold(0.0, f64::max);
        world.manifolds.push(manifold);
        Some(world)
    }
}
